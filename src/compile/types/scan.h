/*
** scan.h - what the text of a source alone says of its kernels: names, parameter names, lines.
** Types come from the compiler (signature.h).
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "compile/types/image.h"

typedef struct dc_scanned {
  char *name;       /* qualified: "ns::k" */
  bool is_template;
  bool is_variable; /* no kernel: a __device__, __constant__ or __managed__ variable (name and line alone) */
  bool is_managed;  /* a __managed__ one */
  bool is_tile;     /* a kernel in CUDA Tile C++: __tile_global__ */
  int line;         /* from 1 */
  int nparams;
  char **params;    /* names; NULL for an unnamed one */
  dc_named *named;  /* what their types are called */
  struct dc_scanned *next;
} dc_scanned;

/* All `__global__` and `__tile_global__` functions of the text, and __device__, __constant__ and __managed__ variables
** of namespaces, in order (definitions and declarations, each name once), in the arena.  Understands comments, strings,
** raw strings, namespaces, templates, attributes; macros are seen as they are written.  *failed is set when memory ran
** out. */
dc_scanned *dc_scan(const char *text, size_t len, dc_arena *arena, bool *failed);
