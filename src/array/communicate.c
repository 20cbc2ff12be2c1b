/* communicate.c - see communicate.h. */
#include "array/communicate.h"

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "device/comm.h"

/* The address of an array that is read or written. */
static int prepare_array(dc_array *a, bool written, dc_ptr *ptr, dc_error *err) {
  if (dc_array_check_contiguous(a, err) != 0 || (written && dc_array_will_write(a, err) != 0)) return -1;
  return dc_array_ptr(a, ptr, err);
}

/* Addresses first, since computing one array may put work into the stream. */
static int prepare(dc_comm_call *calls, int n, dc_error *err) {
  for (dc_comm_call *c = calls; c < calls + n; c++) {
    if (c->from != NULL && c->src == 0 && prepare_array(c->from, false, &c->src, err) != 0) return -1;
    if (c->to != NULL && c->dst == 0 && prepare_array(c->to, true, &c->dst, err) != 0) return -1;
  }
  for (dc_comm_call *c = calls; c < calls + n; c++) {
    if (c->from != NULL && dc_buffer_used(c->from->buffer, false, err) != 0) return -1;
    if (c->to != NULL && dc_buffer_used(c->to->buffer, true, err) != 0) return -1;
  }
  return 0;
}

DC_HOT int dc_array_communicate(dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err) {
  int rc = prepare(calls, n, err);
  if (rc == 0) rc = dc_device_communicate(calls, n, prepared, err);
  for (int i = 0; i < n && rc != 0; i++) {
    if (!calls[i].busy) continue;
    if (calls[i].from != NULL) dc_buffer_hold(calls[i].from->buffer);
    if (calls[i].to != NULL) dc_buffer_hold(calls[i].to->buffer);
  }
  return rc;
}
