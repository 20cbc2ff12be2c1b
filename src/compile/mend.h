/*
** mend.h - what nvcc would have taken: a source that NVRTC refuses is changed by what the errors say, step by step,
** without a change to its lines or to what its kernels mean.  Names get the header that brings them, what is the host's
** goes.
*/
#ifndef DC_COMPILE_MEND_H
#define DC_COMPILE_MEND_H

#include "base/arena.h"
#include "compile/compile.h"

/* A header of the user's, as it is by now. */
typedef struct dc_mend_header {
  const char *name; /* as it is included */
  char *text;
  size_t len;
  struct dc_mend_header *next;
} dc_mend_header;

typedef struct dc_mend {
  dc_source source;    /* as it is by now */
  bool default_device; /* functions and variables that say nothing are __device__ ones */
  bool has_host_code;
  bool mended;         /* anything was learned */
  bool blanked;        /* functions are gone */
  bool lacks_header;   /* a header of the user's that is not there is taken for empty */
  char *text;          /* source.text, to be written */
  dc_mend_header *headers;
  dc_refused *refused; /* kernels that are gone because they cannot be compiled, in the arena */
  int nrefused;
  dc_arena arena;
} dc_mend;

/* False when out of memory. */
bool dc_mend_init(dc_mend *m, const dc_source *src);

/* Learns from a cleaned log; true when that changed anything, so that another try is worth it. */
bool dc_mend_learn(dc_mend *m, const char *log);

/* The last resort for a file: kernels that launch kernels, which NVRTC cannot compile, go, so that the others can be
** had.  False when there are none. */
bool dc_mend_drop_launchers(dc_mend *m);

void dc_mend_free(dc_mend *m);

#endif
