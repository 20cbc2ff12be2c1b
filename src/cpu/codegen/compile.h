/*
** compile.h - emitted C made into the bytes of a shared object: options, run-time headers, the compiler's run.
**
** The run-time headers travel in the library.  They are written to a folder of the cache, native-…, one for each
** compiler and set of options, as native32.h and native16.h (gangs of 32 and 16 lanes), which include the rest, and
** are precompiled there, since reading them would take longer than compiling a kernel.  Where the cache cannot be
** written the folder is a private one that goes when the process ends.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cc.h"

typedef struct dc_native_source {
  char *text;            /* begins with #include "native32.h" or "native16.h" */
  size_t len;
  const char *isa;       /* "baseline", "avx2", "avx512" */
  int opt;               /* 1: -O1, 2: the optimizations that kernels gain from */
} dc_native_source;

bool dc_native_possible(void); /* there is a compiler */
/* 64 hexadecimal digits, equal for equal text, headers, compiler and options. */
int dc_native_key(const dc_native_source *s, char key[65]);
/* 0 and the malloc'ed object; or -1 and why in `log`. */
int dc_native_compile(const dc_native_source *s, dc_cc_child *child, void **object, size_t *len, dc_buf *log);
/* The header that the source begins with: whether it remains to be precompiled; doing it. */
bool dc_native_unprepared(const dc_native_source *s);
void dc_native_precompile(const dc_native_source *s, dc_cc_child *child);
void dc_native_compile_end(void); /* removes the private folder; a later use makes another */
void dc_native_compile_lock(void); /* around fork */
void dc_native_compile_unlock(void);

/* The folder that this process may write its temporary files under; malloc'ed, made anew, mode
** 0700; dc_temp_remove removes it. */
char *dc_native_work_folder(void);
