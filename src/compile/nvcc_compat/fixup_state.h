/*
** fixup_state.h - a source on its way to what NVRTC takes: what was added, rewritten and removed so far.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/string_list.h"
#include "compile/nvcc_compat/annotations.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

/* A header of the user's, as it is by now. */
typedef struct dc_fixup_header {
  const char *name; /* as it is included; other names of it forward to this one */
  const char *path; /* as the log names it */
  char *text;
  size_t len;
  struct dc_fixup_header *next;
} dc_fixup_header;

typedef struct dc_fixup {
  dc_source source;    /* as it is by now */
  bool default_device; /* functions and variables that say nothing are __device__ ones */
  bool has_host_code;  /* or includes a header that is not there, of which it may be */
  bool keeps_host;     /* host code stays, as code of the device, of which statements go that do not compile */
  bool launches;       /* kernels may launch kernels */
  bool gnu_forms;      /* expressions of GNU C were rewritten */
  bool mended;         /* anything was learned */
  bool blanked;        /* functions are gone */
  bool lacks_header;   /* a header of the user's that is not there is taken for empty */
  const char *lacking; /* the first of those; NULL: none, or one of the toolkit's */
  char *text;          /* source.text, to be written */
  bool brings_namespace; /* a header of a namespace is included because of the log that is learned from */
  int noptions_before; /* of the source, before the log that is learned from */
  dc_included *included; /* what the source includes, where it is a file or has host code */
  dc_fixup_header *headers, *headers_before; /* and those before the log that is learned from */
  dc_annotation *annotations; /* macros of the source and of the user's headers, in the arena */
  dc_refused *refused; /* kernels that are gone because they cannot be compiled, in the arena (left_out.h) */
  int nrefused;
  dc_refused *gone;    /* all functions that are gone because of errors; those that call them have their reason */
  int ngone;
  dc_string_list kernels; /* with keeps_host: names of templates of kernels */
  dc_string_list spaces; /* names of namespaces of the source and of the user's headers */
  dc_map names;          /* with keeps_host: of their classes and functions */
  dc_string_list hosts; /* names of functions that are gone since they are the host's */
  dc_arena arena;
} dc_fixup;
