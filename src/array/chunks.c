/* chunks.c - see chunks.h. */
#include "array/chunks.h"

#include <stdlib.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/memory.h"

#define CHUNK ((size_t)4 << 20) /* bytes whose copy to a GPU takes ten times as long as issuing it */

typedef struct chunk {
  void *bytes;
  size_t n, all;
} chunk;

static int make_chunk(chunk *p, const dc_array *a, dc_error *err) {
  p->all = (size_t)dc_array_size(a) * dc_dtype_size(a->dtype);
  p->n = p->all < CHUNK ? p->all : CHUNK;
  p->bytes = malloc(p->n + 1);
  return p->bytes != NULL ? 0 : dc_fail_oom(err);
}

static int check_contiguous(const dc_array *a, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return -1;
  return a->contiguous ? 0 : dc_fail(err, DC_ARGUMENT, NULL, "the array is not contiguous");
}

int dc_array_send(dc_array *a, dc_array_sink sink, void *ud, dc_error *err) {
  chunk p;
  if (check_contiguous(a, err) != 0 || dc_evaluate(a, err) != 0) return -1;
  if (dc_buffer_used(a->buffer, false, err) != 0 || make_chunk(&p, a, err) != 0) return -1;
  int rc = 0;
  for (size_t at = 0; at < p.all && rc == 0; at += p.n) {
    if (p.n > p.all - at) p.n = p.all - at;
    rc = dc_device_to_host(a->dev, p.bytes, a->ptr + at, p.n, err);
    if (rc == 0) rc = sink(ud, p.bytes, p.n, err);
  }
  free(p.bytes);
  return rc;
}

int dc_array_receive(dc_array *a, dc_array_producer produce, void *ud, dc_error *err) {
  chunk p;
  if (check_contiguous(a, err) != 0 || dc_array_will_write(a, err) != 0) return -1;
  if (dc_buffer_used(a->buffer, true, err) != 0 || make_chunk(&p, a, err) != 0) return -1;
  int rc = 0;
  for (size_t at = 0; at < p.all && rc == 0; at += p.n) {
    if (p.n > p.all - at) p.n = p.all - at;
    rc = produce(ud, p.bytes, p.n, err);
    if (rc == 0) rc = dc_device_to_device(a->dev, a->ptr + at, p.bytes, p.n, err);
  }
  free(p.bytes);
  return rc;
}
