/*
** error.c - the one error shape: set, prefix, clear.
**
** When memory runs out while an error is being described, the message becomes a static text; it is
** recognised by its address and never freed.
*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char oom_text[] = "out of memory (host)";

/* malloc'ed result of the format, or oom_text. */
static char *format(const char *fmt, va_list ap) {
  char *text = NULL;
  return vasprintf(&text, fmt, ap) < 0 ? oom_text : text;
}

static void drop_message(dc_error *err) {
  if (err->message != oom_text) free(err->message);
  err->message = NULL;
}

int dc_vfail(dc_error *err, dc_kind kind, const char *code, const char *fmt, va_list ap) {
  char *text = format(fmt, ap); /* first: the arguments may point into what err holds */
  char kept[sizeof err->code];
  snprintf(kept, sizeof kept, "%s", code ? code : "");
  dc_error_clear(err);
  err->kind = text == oom_text ? DC_MEMORY : kind;
  memcpy(err->code, kept, sizeof kept);
  err->message = text;
  return -1;
}

int dc_fail(dc_error *err, dc_kind kind, const char *code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  dc_vfail(err, kind, code, fmt, ap);
  va_end(ap);
  return -1;
}

int dc_fail_oom(dc_error *err) {
  dc_error_clear(err);
  err->kind = DC_MEMORY;
  err->message = oom_text;
  return -1;
}

dc_kind dc_kind_of_errno(int code) { return code == ENOMEM ? DC_MEMORY : DC_IO; }

int dc_error_prefix(dc_error *err, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *prefix = format(fmt, ap);
  va_end(ap);
  char *joined = NULL;
  if (prefix != oom_text && asprintf(&joined, "%s%s", prefix, dc_error_text(err)) >= 0) {
    drop_message(err);
    err->message = joined;
  }
  if (prefix != oom_text) free(prefix);
  return -1;
}

void dc_error_set_log(dc_error *err, const char *log) {
  char *copy = log ? strdup(log) : NULL;
  free(err->log);
  err->log = copy;
}

void dc_error_clear(dc_error *err) {
  drop_message(err);
  free(err->log);
  *err = (dc_error)DC_ERROR_INIT;
}

const char *dc_error_text(const dc_error *err) {
  return err->message ? err->message : err->kind == DC_OK ? "no error" : oom_text;
}

const char *dc_kind_name(dc_kind kind) {
  switch (kind) {
    case DC_OK: return "ok";
    case DC_COMPILE: return "compile";
    case DC_LAUNCH: return "launch";
    case DC_ARGUMENT: return "argument";
    case DC_SHAPE: return "shape";
    case DC_DTYPE: return "dtype";
    case DC_INDEX: return "index";
    case DC_MEMORY: return "memory";
    case DC_DEVICE: return "device";
    case DC_IO: return "io";
    case DC_INTERRUPTED: return "interrupted";
  }
  return "unknown";
}
