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

bool dc_left_out_failing(dc_fixup *m, const char *log) {
  bool any = false;
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
