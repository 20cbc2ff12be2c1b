/*
** fixup.h - sources that nvcc accepts and NVRTC refuses, changed step by step by what NVRTC's errors say: an unknown
** name gets the header that declares it, host code is blanked out.  Line numbers and the kernels' meaning stay.
**
** This folder is heuristics: it exists so that whole files written for nvcc compile.  A source that NVRTC accepts never
** comes here.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/string_list.h"
#include "compile/nvcc_compat/annotations.h"
#include "compile/nvcc_compat/message.h"
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
  int noptions_before; /* of the source, before the log that is learned from */
  dc_included *included; /* what the source includes, where it is a file or has host code */
  dc_fixup_header *headers, *headers_before; /* and those before the log that is learned from */
  dc_annotation *annotations; /* macros of the source and of the user's headers, in the arena */
  dc_refused *refused; /* kernels that are gone because they cannot be compiled, in the arena (left_out.h) */
  int nrefused;
  dc_refused *gone;    /* all functions that are gone because of errors; those that call them have their reason */
  int ngone;
  dc_string_list kernels; /* with keeps_host: names of templates of kernels */
  dc_string_list spaces; /* with keeps_host: names of namespaces of the source and of the user's headers */
  dc_string_list hosts; /* names of functions that are gone since they are the host's */
  dc_arena arena;
} dc_fixup;

/* The source with its host code to be taken out; or, with `keeps_host`, to be compiled as if it were the device's,
** which shows the kernels' instances that it launches.  False when out of memory. */
bool dc_fixup_init(dc_fixup *m, const dc_source *src, bool keeps_host);

/* From now on the compiler stops at the hundredth error again.  False when it did. */
bool dc_fixup_fewer_errors(dc_fixup *m);

/* Whether headers of the host's are among those that a source includes. */
bool dc_fixup_hosts_among(const dc_included *list);

/* What the source includes: headers of the host's among it are empty from now on, and show that it has host code. */
void dc_fixup_includes(dc_fixup *m, dc_included *list);

/* The user's headers lose prototypes that make the names of launched instances ambiguous (prototypes.h). */
void dc_fixup_drop_prototypes(dc_fixup *m);

/* The header is not there: empty from now on if it is one of the host's, or `any` is. */
void dc_fixup_lacks(dc_fixup *m, const char *header, bool any);

/* Learns from a cleaned log; true when that changed anything, so that another try is worth it. */
bool dc_fixup_learn(dc_fixup *m, const char *log);

/* The user's header in which the error is, read when it is needed; NULL for another's.  The log names it by its path
** until it is given as text. */
dc_fixup_header *dc_fixup_header_of(dc_fixup *m, const dc_message *e);

void dc_fixup_free(dc_fixup *m);
