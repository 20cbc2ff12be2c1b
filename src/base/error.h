/*
** error.h - one error shape for every layer below Lua.
**
** A function that can fail returns 0 on success and -1 on failure, takes a `dc_error *` as its last
** parameter (never NULL) and fills it with dc_fail.  The caller that handles the error, and only
** that one, calls dc_error_clear.  Nothing here jumps: release what you hold, then return -1.
*/
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/line.h"

/* What users see as `err.kind`; dc_kind_name spells them. */
typedef enum dc_kind {
  DC_OK = 0,
  DC_COMPILE,
  DC_LAUNCH,
  DC_ARGUMENT,
  DC_SHAPE,
  DC_DTYPE,
  DC_INDEX,
  DC_MEMORY,
  DC_DEVICE,
  DC_IO,
  DC_INTERRUPTED
} dc_kind;

typedef struct dc_error {
  char *message;   /* one readable sentence, owned; never NULL once kind is set (see dc_error_text) */
  char *log;       /* a compiler's or tool's full text, owned, or NULL */
  dc_kind kind;
  int source_line; /* line of the kernel source that is to blame, from 1; 0 when unknown */
  const void *function; /* of a graph's failure: the dc_function that is to blame, which the graph holds; else NULL */
  char code[48];   /* "CUDA_ERROR_…", "NVRTC_ERROR_…", or "" */
} dc_error;

#define DC_ERROR_INIT { .kind = DC_OK }

/* The same for one that exists, by the few stores that matter: for paths that hardly ever fail. */
static inline void dc_error_start(dc_error *err) {
  err->message = err->log = NULL;
  err->kind = DC_OK;
  err->source_line = 0;
  err->function = NULL;
  err->code[0] = '\0';
}

#define DC_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Sets kind, code (NULL for none) and the formatted message, dropping what `err` held (its log and
** source_line too).  Always returns -1.  Out of memory leaves a static message. */
DC_COLD int dc_fail(dc_error *err, dc_kind kind, const char *code, const char *fmt, ...) DC_PRINTF(4, 5);
DC_COLD int dc_vfail(dc_error *err, dc_kind kind, const char *code, const char *fmt, va_list ap);

/* DC_MEMORY for the host's own malloc. Always returns -1. */
DC_COLD int dc_fail_oom(dc_error *err);

/* The kind of a system call's failure: DC_MEMORY where memory was lacking, else DC_IO. */
dc_kind dc_kind_of_errno(int code);

/* Puts text in front of the message ("kernel 'saxpy': " …). Returns -1, for `return dc_error_prefix(…)`. */
DC_COLD int dc_error_prefix(dc_error *err, const char *fmt, ...) DC_PRINTF(2, 3);

/* Copies `log` (may be NULL) into the error. */
void dc_error_set_log(dc_error *err, const char *log);

/* Frees what the error owns and makes it DC_OK again. Safe on a fresh or cleared error. */
void dc_error_clear(dc_error *err);

/* The message, never NULL. */
const char *dc_error_text(const dc_error *err);

/* "compile", "launch", … as API users see it. */
const char *dc_kind_name(dc_kind kind);
