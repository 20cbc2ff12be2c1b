/*
** left_out.c - see left_out.h.
*/
#include "compile/nvcc_compat/left_out.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "compile/nvcc_compat/host_code.h"
#include "compile/nvcc_compat/message.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/nvcc_compat/user_headers.h"
#include "compile/types/scan.h"
#include "compile/types/tokens.h"

/* The list with another at its end. */
static void add(dc_fixup *m, dc_refused **list, int *n, dc_refused r) {
  dc_refused *more = dc_arena_alloc(&m->arena, sizeof *more * (size_t)(*n + 1));
  if (!more || !r.name || !r.reason) return;
  if (*n) memcpy(more, *list, sizeof *more * (size_t)*n);
  more[(*n)++] = r;
  *list = more;
}

/* The function goes; if it is a kernel, it is refused. */
static void note(dc_fixup *m, const dc_scanned *all, const dc_piece *p, dc_refused r) {
  const dc_token name = dc_host_code_name(p);
  r.name = dc_arena_strndup(&m->arena, name.s, name.n);
  add(m, &m->gone, &m->ngone, r);
  if (!dc_text_holds(p->begin, p->end, "__global__")) return;
  for (const dc_scanned *k = all; k; k = k->next) {
    r.name = k->name;
    if (!k->is_variable && k->line >= p->first && k->line <= p->last) add(m, &m->refused, &m->nrefused, r);
  }
}

/* --- kernels that launch kernels ---------------------------------------------------------------------------------- */

typedef struct dropping {
  dc_fixup *m;
  const dc_scanned *all;
} dropping;

static void note_launcher(void *ud, const dc_piece *p, int line) {
  static char reason[] = "launches kernels itself (dynamic parallelism), which NVRTC does not compile: launch them "
                         "from the script";
  const dropping *d = ud;
  note(d->m, d->all, p, (dc_refused){.reason = reason, .line = line});
}

bool dc_left_out_launchers(dc_fixup *m) {
  bool failed = false;
  if (!m->source.is_file || !m->has_host_code || m->nrefused) return false;
  dropping d = {m, dc_scan(m->text, m->source.len, &m->arena, &failed)};
  if (failed || !dc_host_code_blank_launchers(m->text, m->source.len, note_launcher, &d)) return false;
  m->mended = true;
  return m->nrefused > 0;
}

/* --- kernels with errors ------------------------------------------------------------------------------------------ */

/* "identifier "f" is undefined", 'namespace "ns" has no member "f"', where f is a function that went: the reason is
** f's. */
static const dc_refused *reason_before(const dc_fixup *m, const dc_message *e) {
  size_t n;
  const char *name = dc_message_quoted(e, "identifier \"", &n);
  if (!n) name = dc_message_quoted(e, "has no member \"", &n);
  for (int i = 0; n && i < m->ngone; i++)
    if (strlen(m->gone[i].name) == n && memcmp(m->gone[i].name, name, n) == 0) return &m->gone[i];
  return NULL;
}

static bool take_out(dc_fixup *m, const dc_message *e, char *text, size_t len, int line) {
  dc_piece p;
  bool failed = false;
  if (!dc_piece_function_at(dc_tokens_of(text, len), line, &p)) return false;
  const dc_refused *before = reason_before(m, e);
  dc_refused r = {.line = e->line, .failed = true};
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "does not compile: %.*s", (int)strcspn(e->sentence, "\n"), e->sentence);
  r.reason = dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len);
  dc_buf_free(&b);
  note(m, dc_scan(text, len, &m->arena, &failed), &p, before ? *before : r);
  dc_host_code_blank_declarations(text, len, dc_host_code_name(&p));
  dc_text_blank(text, p.begin, p.end);
  return m->mended = true;
}

/* The class of a lambda (lambdas.h) that the error is in, or for which a template of a kernel with an error was
** instantiated: where its name begins, with the name's length. */
static const char *lambda_of(const dc_message *e, size_t *n) {
  static const char class[] = "struct dc_lambda_";
  const char *name = NULL, *prefix = class + sizeof "struct";
  size_t column = 0;
  const char *shown = dc_message_shown(e, &column);
  for (const char *p = shown; p && (p = strstr(p, class)) != NULL && p < shown + column; p++)
    name = p + sizeof "struct";
  if (!name) name = memmem(e->sentence, (size_t)(e->end - e->sentence), prefix, strlen(prefix));
  *n = name ? strspn(name, "dc_lamb0123456789") : 0;
  return name;
}

/* Of "ns::k<…>" the "k". */
static const char *base_name(const char *instance, size_t *n) {
  *n = strcspn(instance, "<");
  const char *end = instance + *n, *name = end;
  while (name > instance && name[-1] != ':') name--;
  *n = (size_t)(end - name);
  return name;
}

/* A kernel has an instance no longer; it is refused unless it has another. */
static void note_instance(dc_fixup *m, const char *instance, const dc_message *e) {
  bool failed = false;
  size_t n, other_n;
  const char *name = base_name(instance, &n);
  for (int i = 0; i < m->source.nlaunched; i++) {
    const char *other = base_name(m->source.launched[i], &other_n);
    if (n == other_n && memcmp(name, other, n) == 0) return;
  }
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "does not compile with the lambda that it is launched with: %.*s",
                (int)strcspn(e->sentence, "\n"), e->sentence);
  dc_refused r = {.reason = dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len), .line = e->line, .failed = true};
  dc_buf_free(&b);
  for (const dc_scanned *k = dc_scan(m->text, m->source.len, &m->arena, &failed); k; k = k->next) {
    size_t k_n;
    const char *k_name = base_name(k->name, &k_n);
    if (k->is_variable || n != k_n || memcmp(name, k_name, n) != 0) continue;
    r.name = k->name;
    add(m, &m->refused, &m->nrefused, r);
  }
}

/* Instances with a lambda that does not compile go, so that the kernel's others stay. */
static bool drop_lambdas(dc_fixup *m, const char *log) {
  bool any = false;
  for (const char *p = log; *p;) {
    const dc_message e = dc_message_read(p);
    size_t n;
    const char *name = e.sentence ? lambda_of(&e, &n) : NULL;
    p = dc_message_next(&e);
    const char **kept = name ? dc_arena_alloc(&m->arena, sizeof *kept * (size_t)(m->source.nlaunched + 1)) : NULL;
    if (!kept) continue;
    char *class = dc_arena_strndup(&m->arena, name, n);
    const char *gone = NULL;
    int nkept = 0;
    for (int i = 0; i < m->source.nlaunched; i++) {
      const char *one = m->source.launched[i];
      if (class && dc_word_find(one, class, n)) gone = one;
      else kept[nkept++] = one;
    }
    if (!gone) continue;
    m->source.launched = kept;
    m->source.nlaunched = nkept;
    note_instance(m, gone, &e);
    any = true;
  }
  return any;
}

bool dc_left_out_failing(dc_fixup *m, const char *log) {
  bool any = drop_lambdas(m, log);
  if (any) return m->mended = true;
  for (const char *p = log; *p;) {
    const dc_message e = dc_message_read(p);
    p = dc_message_next(&e);
    if (!e.sentence) continue;
    dc_fixup_header *h = e.nfile ? dc_fixup_header_of(m, &e) : NULL;
    if (e.line) any = take_out(m, &e, m->text, m->source.len, e.line) || any;
    else if (h) any = take_out(m, &e, h->text, h->len, e.header_line) || any;
  }
  return any;
}
