/*
** compile.h - compiles emitted C to the bytes of a shared object: options, run-time headers, the run of the compiler.
**
** The run-time headers are embedded in the library.  A unit gets the declarations that it needs of them (prelude.h);
** what the preprocessor makes of them is cached for each compiler and set of options.
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
/* Whether the cache lacks what the preprocessor makes of the header that the source includes; makes it. */
bool dc_native_unprepared(const dc_native_source *s);
void dc_native_preprocess(const dc_native_source *s, dc_cc_child *child);
void dc_native_compile_lock(void); /* around fork */
void dc_native_compile_unlock(void);

/* A new temporary folder, mode 0700; malloc'ed; dc_temp_remove removes it.  NULL: there is no place for one. */
char *dc_native_work_folder(void);
int dc_native_write_file(const char *path, const void *data, size_t len); /* a new file, mode 0600; -1: errno */
