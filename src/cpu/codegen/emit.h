/*
** emit.h - tier 1: a decoded function as C source.
*/
#ifndef DC_CPU_CODEGEN_EMIT_H
#define DC_CPU_CODEGEN_EMIT_H

#include "base/buf.h"
#include "base/error.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/interp/code.h"

typedef struct dc_emitted {
  dc_buf text;          /* a C file that defines  int dc_run(dc_native *n)  */
  bool simple;          /* pauses only at barriers that all threads of a block come to, and never leaves to tier 0 */
  bool pauses;          /* pauses at all */
  bool operates;        /* uses dc_native.operate */
  bool lane_free;       /* nothing in it tells how wide a gang is: 16 lanes will do */
  uint32_t save_bytes;  /* of dc_native.save */
  int32_t *tracked;     /* nodes of dc_native.wait, owned */
  int32_t ntracked;
  uint8_t *resumes;     /* per node: emitted code may begin there; owned */
} dc_emitted;

/* 0: emitted; 1: this function stays at tier 0; -1: out of memory. */
int dc_emit(const dc_cpu_function *fn, dc_shape shape, dc_emitted *out, dc_error *err);
void dc_emitted_free(dc_emitted *e);

#endif
