/*
** emitted.h - the C text of a function, and what its caller has to know of it.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

typedef struct dc_emitted {
  dc_buf text;          /* a C file that defines  int dc_run(dc_native *n)  */
  bool simple;          /* suspends only at barriers that all threads of a block come to, and never leaves to tier 0 */
  bool suspends;          /* suspends at all */
  bool operates;        /* uses dc_native.operate */
  bool lane_free;       /* no instruction in it depends on the width of a gang: 16 lanes will do */
  uint32_t save_bytes;  /* of dc_native.save */
  int32_t *tracked;     /* nodes of dc_native.wait, owned */
  int32_t ntracked;
  uint8_t *resumes;     /* per node: emitted code may begin there; owned */
} dc_emitted;
