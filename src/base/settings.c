/*
** settings.c - see settings.h.
*/
#include "base/settings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/processor.h"
#include "base/runtime.h"

/* Whether text[0..n) has a form; `words`: the words that it may be, or be a list of. */
typedef bool form_fn(const char *text, size_t n, const char *words);

static bool is_word(const char *text, size_t n, const char *words) {
  for (const char *w = words; *w; w += strspn(w, " ")) {
    const size_t len = strcspn(w, " ");
    if (len == n && memcmp(w, text, n) == 0) return true;
    w += len;
  }
  return false;
}

static bool is_list(const char *text, size_t n, const char *words) {
  const char *end = text + n;
  for (text += strspn(text, ", "); text < end; text += strspn(text, ", ")) {
    const size_t len = strcspn(text, ", ");
    if (!is_word(text, len, words)) return false;
    text += len;
  }
  return true;
}

static bool is_count(const char *text, size_t n, const char *words) {
  (void)words;
  errno = 0;
  return strspn(text, "0123456789") == n && strtoll(text, NULL, 10) > 0 && errno == 0;
}

static bool is_seconds(const char *text, size_t n, const char *words) {
  (void)words;
  char *end;
  const double v = strtod(text, &end);
  return end == text + n && v > 0 && isfinite(v);
}

static bool is_bytes(const char *text, size_t n, const char *words) {
  (void)n, (void)words;
  size_t bytes;
  return dc_bytes_read(text, &bytes);
}

#define SET_WORD(id, name) name " "
#define TOPIC_WORD(id, name, bit) name " "

/* `expected`: the form in words; of words: what stands before them, and what before the last one. */
static const struct {
  const char *name;
  form_fn *form;
  const char *words, *expected, *conjunction;
} settings[] = {
  { "DOTCOMPUTE_CPU_THREADS", is_count, NULL, "a positive integer", NULL },
  { "DOTCOMPUTE_CPU_TIER", is_word, "0 1 auto", "", "or" },
  { "DOTCOMPUTE_CPU_ISA", is_word, DC_INSTRUCTION_SETS(SET_WORD), "", "or" },
  { "DOTCOMPUTE_POOL", is_bytes, NULL, "an integer, alone or followed by K, M, G or T, as in 512M", NULL },
  { "DOTCOMPUTE_CACHE_SIZE", is_count, NULL, "a positive integer, a number of MiB", NULL },
  { "DOTCOMPUTE_LOG", is_list, DC_LOG_TOPICS(TOPIC_WORD) "all", "a list of ", "and" },
  { "DOTCOMPUTE_COMM_TIMEOUT", is_seconds, NULL, "a positive number of seconds", NULL },
};

/* "a, b or c" of the words "a b c". */
static void put_words(dc_buf *b, const char *words, const char *conjunction) {
  for (const char *w = words, *next; *w; w = next) {
    const size_t len = strcspn(w, " ");
    next = w + len + strspn(w + len, " ");
    if (w != words && *next) dc_buf_puts(b, ", ");
    else if (w != words) dc_buf_printf(b, " %s ", conjunction);
    dc_buf_add(b, w, len);
  }
}

int dc_settings_check(dc_error *err) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const char *text = getenv(settings[i].name);
    if (text == NULL || *text == '\0' || settings[i].form(text, strlen(text), settings[i].words)) continue;
    dc_buf words = DC_BUF_INIT;
    if (settings[i].words != NULL) put_words(&words, settings[i].words, settings[i].conjunction);
    dc_fail(err, DC_DEVICE, NULL, "%s is '%s'; expected %s%s", settings[i].name, text, settings[i].expected,
            dc_buf_str(&words));
    dc_buf_free(&words);
    return -1;
  }
  return 0;
}
