/*
** log.c - see log.h.  A message is a block of lines, ended by an empty line:
**   dotcompute.cu(12): error: identifier "x" is undefined
**     float y = x;
**               ^
*/
#include "compile/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "compile/compile.h"
#include "compile/signature.h"

/* Files that are not the user's: the appended queries, and the place where NVRTC resolves name expressions. */
static const char queries[] = DC_SIGNATURE_FILE "(", names[] = "__nv_name_map(";

static bool starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

/* "3 errors detected in the compilation of …", "1 catastrophic error detected …" */
static bool is_count(const char *block) {
  size_t digits = strspn(block, "0123456789");
  const char *detected = strstr(block, " detected in the compilation of "), *end = strchr(block, '\n');
  return digits > 0 && detected && (!end || detected < end);
}

/* A warning about a header: not the user's. */
static bool is_foreign_warning(const char *block) {
  const char *end = strchr(block, '\n'), *at = strstr(block, ": warning ");
  return at && (!end || at < end) && !starts(block, DC_NVRTC_NAME "(");
}

static bool unwanted(const char *block) {
  return is_foreign_warning(block) || is_count(block) || starts(block, "Remark:") || starts(block, queries) ||
         starts(block, names);
}

static void add_block(dc_buf *out, const char *block, size_t n) {
  for (size_t i = 0; i < n;) {
    if (starts(block + i, DC_NVRTC_NAME "(")) i++; /* the slash in front */
    const char *end = memchr(block + i, '\n', n - i);
    size_t len = end ? (size_t)(end - block) - i + 1 : n - i;
    dc_buf_add(out, block + i, len);
    i += len;
  }
  dc_buf_putc(out, '\n');
}

char *dc_log_clean(const char *log) {
  dc_buf out = DC_BUF_INIT;
  for (const char *p = log; *p;) {
    while (*p == '\n') p++;
    const char *end = strstr(p, "\n\n");
    size_t n = end ? (size_t)(end - p) + 1 : strlen(p);
    if (n && !unwanted(p)) add_block(&out, p, n);
    p += n;
  }
  while (out.len > 0 && out.data[out.len - 1] == '\n') out.data[--out.len] = '\0';
  return dc_buf_take(&out);
}

bool dc_log_names_trouble(const char *log) { return strstr(log, queries) != NULL || strstr(log, names) != NULL; }

/* Under each complaint NVRTC shows the line "  #pragma nv_mangled_name EXPRESSION". */
char *dc_log_blame(const char *log, const char *expression) {
  static const char pragma[] = "#pragma nv_mangled_name ", error[] = ": error: ";
  size_t n = strlen(expression);
  for (const char *p = log, *end; (p = strstr(p, names)) != NULL; p = end) {
    end = p + strcspn(p, "\n");
    const char *sentence = memmem(p, (size_t)(end - p), error, sizeof error - 1), *shown = strstr(end, pragma);
    if (!sentence || !shown) continue;
    shown += sizeof pragma - 1;
    if (strncmp(shown, expression, n) != 0 || (shown[n] != '\n' && shown[n] != '\0')) continue;
    sentence += sizeof error - 1;
    return strndup(sentence, (size_t)(end - sentence));
  }
  return NULL;
}

bool dc_log_first_error(const char *cleaned, int *line, char **sentence) {
  *line = 0;
  *sentence = NULL;
  for (const char *p = cleaned; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
    const char *eol = strchr(p, '\n');
    size_t n = eol ? (size_t)(eol - p) : strlen(p);
    const char *at = strstr(p, "error");
    if (!at || at >= p + n) continue;
    const char *colon = strstr(at, ": ");
    const char *paren = memchr(p, '(', n);
    bool at_end = starts(p, "At end of source: ");
    if (!colon || colon >= p + n || (!at_end && (!paren || paren > at))) continue;
    if (starts(p, DC_SOURCE_NAME "(")) *line = (int)strtol(paren + 1, NULL, 10);
    dc_buf b = DC_BUF_INIT;
    if (*line == 0) dc_buf_add(&b, p, n); /* in a header, or at the end: keep the place */
    else dc_buf_add(&b, colon + 2, (size_t)(p + n - colon - 2));
    *sentence = dc_buf_take(&b);
    return true;
  }
  return false;
}
