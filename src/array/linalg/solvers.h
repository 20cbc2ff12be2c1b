/*
** solvers.h - dense linear systems, factorizations, eigenvalues and singular values.
**
** Operands may be pending, views, of any dtype; results are new, READY and in C order unless it is said otherwise.
** Axes before the last two are a batch; they broadcast.  An operand whose layout the vendor's library cannot take is
** copied first.  Where the device's library is not installed the error is DC_DEVICE and says how to get it.
**
** They compute in float32 or float64, or their complex partners: float64 for float64, complex128 and the 64-bit
** integers.
*/
#pragma once

#include <stdbool.h>

#include "array/graph/types.h"
#include "base/error.h"

/* x of a[…, n, n] x = b, where b is one vector (n) or matrices […, n, k]. DC_ARGUMENT when a is singular. */
dc_array *dc_array_solve(dc_array *a, dc_array *b, dc_error *err);
/* The lower L of a = L conj(transpose(L)), from a's lower triangle. DC_ARGUMENT when a is not positive definite. */
dc_array *dc_array_cholesky(dc_array *a, dc_error *err);
/* The determinant of each matrix; 0 for a singular one. */
dc_array *dc_array_det(dc_array *a, dc_error *err);

typedef enum dc_qr_mode { DC_QR_REDUCED, DC_QR_COMPLETE, DC_QR_R } dc_qr_mode;
/* out[0]: Q (m by k; NULL for DC_QR_R), out[1]: R (k by n); k is min(m, n), or m for DC_QR_COMPLETE. */
int dc_array_qr(dc_array *a, dc_qr_mode mode, dc_array *out[2], dc_error *err);
/* Of the hermitian matrix with a's lower triangle: out[0] eigenvalues, ascending, real; out[1] the vectors as columns,
** NULL without `vectors`.  DC_ARGUMENT when it does not converge. */
int dc_array_eigh(dc_array *a, bool vectors, dc_array *out[2], dc_error *err);
/* a = U diag(S) Vh: out[0] U (m by k), out[1] S (k), descending, real, out[2] Vh (k by n); k is min(m, n), with `full`
** U and Vh are square.  Without `vectors` only S.  DC_ARGUMENT when it does not converge. */
int dc_array_svd(dc_array *a, bool full, bool vectors, dc_array *out[3], dc_error *err);
