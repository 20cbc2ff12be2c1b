/*
** npy.h - NumPy's .npy: a header that says what the bytes behind it are.
**
** The format is described in NumPy's documentation (numpy.lib.format): a magic string, a version (1.0, 2.0 or 3.0), the
** header's length, and a literal of Python's with the keys 'descr', 'fortran_order' and 'shape'.  The literal is parsed
** here and nothing else is: objects, which NumPy would unpickle, are refused.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "file/bytes.h"

#define DC_NPY_MAX_DIMS 64
#define DC_NPY_MAGIC "\x93NUMPY"

typedef struct dc_npy {
  dc_dtype dtype;
  bool swapped; /* the values' bytes are in big-endian order */
  bool fortran; /* the first axis runs fastest */
  int ndim;
  int64_t shape[DC_NPY_MAX_DIMS];
  uint64_t bytes;       /* of all elements */
  uint64_t data_offset; /* where they begin, from the header's beginning */
} dc_npy;

/* Reads a header from a source of `size` bytes in all, and leaves the source at the first element.  DC_IO for what is
** damaged, for elements that `size` has no room for, and for dtypes that arrays here do not have. */
int dc_npy_read_header(dc_npy *npy, const dc_source_of *from, uint64_t size, dc_error *err);

/* The header of an array in C or Fortran order, malloc'ed; its length, a multiple of 64, in *n.  DC_DTYPE for bfloat16,
** which NumPy does not have. */
char *dc_npy_header(dc_dtype dtype, bool fortran, int ndim, const int64_t *shape, size_t *n, dc_error *err);

/* Elements as they stand in the file, to elements as devices want them: byte order; bytes of bools are 0 or 1 (DC_IO
** otherwise). `at` is the position of the first byte among the elements. */
int dc_npy_settle(dc_dtype dtype, bool swapped, void *bytes, size_t n, uint64_t at, dc_error *err);
