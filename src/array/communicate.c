/* communicate.c - see communicate.h. */
#include "array/communicate.h"

#include <stdlib.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "device/comm.h"

/* The address of an array that is read or written: at once where it is ready, as in loops. */
static int prepare_array(dc_array *a, bool written, const dc_comm_call *call, dc_ptr *ptr, dc_error *err) {
  *ptr = dc_array_launch_ready(a, call->dev, call->dtype, written);
  if (*ptr != 0) return 0;
  if (dc_array_check_contiguous(a, err) != 0 || (written && dc_array_will_write(a, err) != 0)) return -1;
  return dc_array_ptr(a, ptr, err);
}

/* Addresses first, since computing one array may put work into the stream. */
static int prepare(const dc_transfer *list, dc_comm_call *calls, int n, dc_error *err) {
  for (int i = 0; i < n; i++) calls[i] = list[i].call;
  for (int i = 0; i < n; i++)
    if (list[i].src != NULL && prepare_array(list[i].src, false, &calls[i], &calls[i].src, err) != 0) return -1;
  for (int i = 0; i < n; i++)
    if (list[i].dst != NULL && prepare_array(list[i].dst, true, &calls[i], &calls[i].dst, err) != 0) return -1;
  for (int i = 0; i < n; i++) {
    if (list[i].src != NULL && dc_buffer_used(list[i].src->buffer, false, err) != 0) return -1;
    if (list[i].dst != NULL && dc_buffer_used(list[i].dst->buffer, true, err) != 0) return -1;
  }
  return 0;
}

int dc_array_communicate(const dc_transfer *list, int n, dc_error *err) {
  enum { FEW = 16 };
  dc_comm_call few[FEW], *calls = n <= FEW ? few : calloc((size_t)n, sizeof *calls);
  if (calls == NULL) return dc_fail_oom(err);
  int rc = prepare(list, calls, n, err);
  if (rc == 0) rc = dc_device_communicate(calls, n, err);
  for (int i = 0; i < n && rc != 0; i++) {
    if (!calls[i].busy) continue;
    if (list[i].src != NULL) dc_buffer_hold(list[i].src->buffer);
    if (list[i].dst != NULL) dc_buffer_hold(list[i].dst->buffer);
  }
  if (calls != few) free(calls);
  return rc;
}
