/*
** signature.h - parameter types of kernels, from the compiler itself.
**
** A template is appended to the source; the lowered (mangled) name of its instance for a kernel spells the
** kernel's resolved parameter types, and a list of numbers with the size and alignment of each.
*/
#pragma once

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/scan.h"

/* The text to append. Its lines carry another file name, so they never show as lines of the source. */
extern const char dc_signature_prelude[];
#define DC_SIGNATURE_FILE "/dotcompute_signatures"
/* What the names of the instances that the prelude makes begin with, in the image. */
#define DC_SIGNATURE_MARK "_Z7dc_sig_I"

/* The name expression that asks for kernel `name` ("ns::k", "scale<float>"), malloc'ed; NULL out of memory. */
char *dc_signature_query(const char *name);

/* Sets name, lowered, line and parameter names and the text for messages; `scanned` may be NULL. */
int dc_signature_finish(dc_signature *sig, const char *name, const char *lowered, const dc_scanned *scanned,
                        dc_error *err);

/* The same for a signature whose parameters have their names already: name (as lowered) and text. */
int dc_signature_name(dc_signature *sig, const char *lowered, dc_error *err);

/* "saxpy(int n, float a, const float *x, float *y)", malloc'ed; NULL out of memory. */
char *dc_signature_spell(const dc_signature *sig);
