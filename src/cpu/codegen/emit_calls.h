/*
** emit_calls.h - calls of functions by code that runs lanes one by one: as functions of C, recursion included.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* The functions that emitted code calls, in the order in which they were met. */
typedef struct dc_callees {
  const dc_cpu_function **list; /* owned */
  int32_t n, cap;
} dc_callees;

/* Calls the device at the end of node n (dc_is_builtin_end), for lanes of `mask`. */
void dc_emit_builtin(emitter *e, int32_t n, const char *mask);

/* Whether emitted code does the call that ends the node. */
bool dc_emit_is_call(const emitter *e, const dc_basic_block *node);
void dc_emit_call(emitter *e, const dc_basic_block *node);
void dc_emit_prototype(emitter *e, const dc_cpu_function *fn); /* the head of its function in C */
/* Through the head's '{' and declarations: stops where calls are too deep. */
void dc_emit_callee_begin(emitter *e);
