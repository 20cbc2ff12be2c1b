/*
** source.h - a source to compile, with its options: text, headers in memory, instances of templates, units to link.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct dc_source {
  const char *text;              /* NUL-terminated CUDA C, as the user wrote it */
  size_t len;
  const char *const *options;    /* NVRTC's, in order ("-DN=16", "--fmad=false", "-std=c++17"), without -arch, -I */
  int noptions;
  const char *arch;              /* "sm_90a": compiled for that in place of the device's own architecture; or NULL */
  const char *const *include_dirs; /* the user's, searched before the toolkit's */
  int ninclude_dirs;
  const char *const *header_names; /* in-memory headers: names and texts */
  const char *const *header_texts;
  int nheaders;
  const char *const *instantiate;  /* name expressions of template instances wanted ("scale<float>") */
  int ninstantiate;
  const char *const *launched;     /* instances that the source itself launches: compiled where they can be */
  int nlaunched;
  const char *const *units;      /* several sources to be linked, ready-made ones among them: `text` is then all that
                                 ** are CUDA C, each followed by a newline, so that lines count through them */
  const size_t *unit_lens;
  int nunits;                    /* 0: `text` is one source */
  bool is_file;                  /* read from a file, which may be one for nvcc */
  bool part;                     /* one of those, on its own: compiled to be linked, and may have no kernel */
  const char *const *arg_kernels; /* parameter lists that the caller declares: of which kernel ("": the only one) */
  const char *const *arg_lists;   /* "const float *x, int n" */
  int nargs;
  bool lto;                      /* dc_compile sets it: compiled to be linked and optimized as one (lto.h) */
  bool no_signatures;            /* skip the type queries (array/'s own generated code knows its types) */
} dc_source;

/* A header that a source includes, itself or by other headers. */
typedef struct dc_included {
  const char *name; /* as it is written */
  const char *path; /* of the user's file that it is, without links and ".."; NULL for another */
  struct dc_included *next;
} dc_included;

/* The virtual file name under which sources are compiled; NVRTC's messages carry it. */
#define DC_SOURCE_NAME "dotcompute.cu"
