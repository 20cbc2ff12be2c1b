/*
** parse.c - see parse.h: directives, functions, statements.
**
** Recursive descent, except for scopes: the text decides how deep they nest, so they are an explicit stack.
*/
#define _GNU_SOURCE /* memmem */
#include "cpu/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/runtime.h"
#include "cpu/ptx/declaration.h"
#include "cpu/ptx/expand.h"
#include "cpu/ptx/instruction.h"
#include "cpu/ptx/layout.h"
#include "cpu/ptx/lex.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/place.h"
#include "cpu/ptx/scope.h"

/* ---- small directives ---- */

/* Takes the current token if it is this directive. */
static bool accept_dot(ptx_parser *P, const char *word) {
  if (!ptx_tok_eq(&P->lex.tok, PTX_TOK_DOT, word)) return false;
  ptx_lex_next(&P->lex);
  return true;
}

/* Skips a directive that is only a hint, through its ';'. */
static int skip_statement(ptx_parser *P) { return ptxp_skip(P, '\0', ';', "';'"); }

/* "9.0" is a float token, so the digits are taken from the text. */
static int read_version(ptx_parser *P) {
  const ptx_tok *t = &P->lex.tok;
  if (t->kind != PTX_TOK_FLOAT && t->kind != PTX_TOK_INT) return ptxp_expected(P, "a version");
  P->has_version = ptxp_decimal(t->s, t->s + t->len) > 0;
  ptx_lex_next(&P->lex);
  return 0;
}

/* .target sm_75, texmode_independent, debug */
static int read_target(ptx_parser *P) {
  do {
    ptx_tok t;
    if (ptxp_name(P, &t, "a target") != 0) return -1;
  } while (ptxp_accept(P, ','));
  return 0;
}

static int read_address_size(ptx_parser *P) {
  uint32_t line = P->lex.tok.line;
  uint64_t bits = 0;
  if (ptxp_int(P, &bits, "an address size") != 0) return -1;
  if (bits == 64) return 0;
  return ptxp_fail(P, line, "only 64-bit addresses are supported, not .address_size %u", (unsigned)bits);
}

/* .file 1 "name", timestamp, size */
static int read_file(ptx_parser *P) {
  uint64_t n = 0;
  if (ptxp_int(P, &n, "a file's number") != 0) return -1;
  if (P->lex.tok.kind != PTX_TOK_STRING) return ptxp_expected(P, "a file's name");
  ptx_lex_next(&P->lex);
  while (ptxp_accept(P, ','))
    if (ptxp_int(P, &n, "a number") != 0) return -1;
  return 0;
}

/* ---- statements of a body ---- */

static int read_label(ptx_parser *P, const ptx_tok *name) {
  if (P->ins.n > INT32_MAX / 2) return ptxp_fail(P, name->line, "a function is too long");
  ptx_bind *b = ptxp_bind(P, name->s, name->len, PTX_BIND_LABEL);
  if (!b) return -1;
  b->u.ins = (int32_t)P->ins.n;
  return 0;
}

/* name: .branchtargets L1, L2; */
static int read_targets(ptx_parser *P, const ptx_tok *name) {
  ptx_vec *names = &P->names;
  names->n = 0;
  do {
    ptx_tok t;
    if (ptxp_name(P, &t, "a label") != 0 || ptxp_append(P, names, &t, sizeof t) != 0) return -1;
  } while (ptxp_accept(P, ','));
  if (names->n > 60000) return ptxp_fail(P, name->line, "a .branchtargets list has more than 60000 labels");
  ptx_bind *b = ptxp_bind(P, name->s, name->len, PTX_BIND_TARGETS);
  if (!b) return -1;
  ptx_targets *list = dc_arena_alloc(&P->m->arena, sizeof *list);
  if (list) list->labels = dc_arena_alloc(&P->m->arena, names->n * sizeof *list->labels);
  if (!list || !list->labels) return ptxp_oom(P);
  list->n = (int)names->n;
  b->u.targets = list;
  for (int i = 0; i < list->n; i++) {
    list->labels[i] = (ptx_operand){.kind = PTX_LABEL, .reg = -1};
    if (ptxp_pending_add(P, (ptx_tok *)names->data + i, &list->labels[i], -1) != 0) return -1;
  }
  return ptxp_expect(P, ';');
}

/* A name at the start of a statement: a label (also of a list or a prototype), or an instruction. */
static int read_named(ptx_parser *P) {
  ptx_lex saved = P->lex;
  ptx_tok name = P->lex.tok;
  ptx_lex_next(&P->lex);
  if (!ptxp_accept(P, ':')) {
    P->lex = saved;
    return ptxp_instruction(P);
  }
  if (accept_dot(P, ".branchtargets")) return read_targets(P, &name);
  if (accept_dot(P, ".callprototype") || accept_dot(P, ".calltargets"))
    return ptxp_bind(P, name.s, name.len, PTX_BIND_PROTO) ? skip_statement(P) : -1;
  return read_label(P, &name);
}

static int read_body_directive(ptx_parser *P) {
  uint64_t ignored[3]; /* a place in the compiler's own intermediate code */
  if (accept_dot(P, ".loc")) return ptxp_read_loc(P);
  if (accept_dot(P, ".loc_intermediate")) return ptxp_read_location(P, ignored);
  if (accept_dot(P, ".reg")) return ptxp_registers(P);
  if (accept_dot(P, ".pragma") || accept_dot(P, ".callprototype") || accept_dot(P, ".calltargets") ||
      accept_dot(P, ".noreturn"))
    return skip_statement(P);
  if (accept_dot(P, ".file")) return read_file(P);
  ptx_decl d = {.space = -1};
  const bool section = ptx_tok_eq(&P->lex.tok, PTX_TOK_DOT, ".section");
  if (!section && ptxp_decl(P, &d) != 0) return -1;
  if (section || ptx_tok_eq(&P->lex.tok, PTX_TOK_DOT, ".entry") || ptx_tok_eq(&P->lex.tok, PTX_TOK_DOT, ".func"))
    return ptxp_fail(P, P->lex.tok.line, "function '%.80s' has no end: a '}' is missing", P->f->name);
  return ptxp_variables(P, &d);
}

/* Behind the body's '{', through its '}'. Depth 1 holds the parameters and the body's own names. */
static int read_body(ptx_parser *P) {
  for (unsigned n = 1; P->scopes.n > 0; n++) {
    const ptx_tok *t = &P->lex.tok;
    int rc = 0;
    if (n % 4096 == 0 && dc_interrupted()) return ptxp_interrupted(P);
    if (ptxp_accept(P, '{')) rc = ptxp_scope_open(P);
    else if (ptxp_accept(P, '}')) rc = ptxp_scope_close(P);
    else if (ptxp_accept(P, ';')) rc = 0;
    else if (t->kind == PTX_TOK_DOT) rc = read_body_directive(P);
    else if (t->kind == PTX_TOK_NAME) rc = read_named(P);
    else if (ptx_tok_is(t, '@')) rc = ptxp_instruction(P);
    else rc = ptxp_expected(P, "a statement or '}'");
    if (rc != 0) return -1;
  }
  return 0;
}

/* ---- functions ---- */

/* Adds a parameter to the list and places it behind *end. */
static int add_param(ptx_parser *P, ptx_sym *sym, ptx_vec *list, uint64_t *end) {
  sym->inside = false;
  sym->offset = ptxp_lay_out(end, sym->size, sym->align);
  if (*end > (1u << 24)) return ptxp_fail(P, P->lex.tok.line, "parameters take more than 16 MiB");
  return ptxp_append(P, list, &sym, sizeof sym);
}

/* .reg .b32 x among the parameters: a .param variable, and a register that it is copied from or to. */
static int reg_param(ptx_parser *P, const ptx_decl *d, ptx_vec *list, uint64_t *end, bool result) {
  ptx_tok name = P->lex.tok;
  int bits = ptx_type_bits(d->type);
  if (bits < 8 || d->vec > 1) return ptxp_expected(P, "a register of 8 to 128 bits");
  ptx_sym *sym;
  const int32_t reg = (int32_t)P->regs.n;
  if (ptxp_declarator(P, d, &sym) != 0 || ptxp_register(P, &name, bits, 1) != 0) return -1;
  if (sym->size != (uint64_t)bits / 8) return ptxp_fail(P, name.line, "a parameter in a register is no array");
  sym->space = PTX_PARAM;
  const ptx_regparam p = {sym, reg, result};
  return ptxp_append(P, &P->regparams, &p, sizeof p) != 0 ? -1 : add_param(P, sym, list, end);
}

/* ( .param …, .param … ). */
static int read_params(ptx_parser *P, ptx_vec *list, uint64_t *end, bool result) {
  if (ptxp_expect(P, '(') != 0) return -1;
  while (!ptx_tok_is(&P->lex.tok, ')')) {
    ptx_decl d = {.space = -1};
    ptx_sym *sym;
    if (ptxp_decl(P, &d) != 0) return -1;
    if (d.space == PTX_REGSPACE) {
      if (reg_param(P, &d, list, end, result) != 0) return -1;
      if (!ptxp_accept(P, ',')) break;
      continue;
    }
    if (d.space != PTX_PARAM) return ptxp_expected(P, "a .param parameter in front of the name");
    if (d.elem == 0) return ptxp_expected(P, "a parameter's type");
    if (ptxp_declarator(P, &d, &sym) != 0 || add_param(P, sym, list, end) != 0) return -1;
    if (strcmp(sym->name, "_") != 0) {
      ptx_bind *b = ptxp_bind(P, sym->name, strlen(sym->name), PTX_BIND_SYM);
      if (!b) return -1;
      b->u.sym = sym;
    }
    if (!ptxp_accept(P, ',')) break;
  }
  return ptxp_expect(P, ')');
}

/* x[, y[, z]] behind .maxntid, .reqntid and .reqnctapercluster; `unit` and `whole` are for messages. */
static int read_dims3(ptx_parser *P, const char *unit, const char *whole, uint32_t dims[3]) {
  dims[0] = dims[1] = dims[2] = 1;
  for (int i = 0; i < 3; i++) {
    uint64_t v = 0;
    if (ptxp_int(P, &v, unit) != 0) return -1;
    if (v == 0 || v > 65535) return ptxp_fail(P, P->lex.tok.line, "a %s's size must be from 1 to 65535", whole);
    dims[i] = (uint32_t)v;
    if (!ptxp_accept(P, ',')) break;
  }
  return 0;
}

/* Numbers, names and strings behind a directive that is ignored. */
static void skip_values(ptx_parser *P) {
  for (;;) {
    const ptx_tok *t = &P->lex.tok;
    if (t->kind != PTX_TOK_INT && t->kind != PTX_TOK_STRING && t->kind != PTX_TOK_NAME && !ptx_tok_is(t, ',')) return;
    ptx_lex_next(&P->lex);
  }
}

/* Performance-tuning directives between a function's head and its body. */
static int read_hints(ptx_parser *P, ptx_func *f) {
  uint32_t maxntid[3] = {0};
  while (P->lex.tok.kind == PTX_TOK_DOT) {
    if (accept_dot(P, ".maxntid")) {
      if (read_dims3(P, "a number of threads", "block", maxntid) != 0) return -1;
    } else if (accept_dot(P, ".reqntid")) {
      if (read_dims3(P, "a number of threads", "block", f->reqntid) != 0) return -1;
    } else if (accept_dot(P, ".reqnctapercluster")) {
      if (read_dims3(P, "a number of blocks", "cluster", f->cluster) != 0) return -1;
    } else if (accept_dot(P, ".pragma")) {
      if (skip_statement(P) != 0) return -1;
    } else {
      ptx_lex_next(&P->lex);
      skip_values(P);
    }
  }
  const uint32_t *most = f->reqntid[0] ? f->reqntid : maxntid;
  uint64_t product = (uint64_t)most[0] * most[1] * most[2];
  f->max_threads = product > 65535 ? 65535 : (int)product;
  return 0;
}

/* The symbol of a function's name, new or declared before. */
static ptx_sym *function_symbol(ptx_parser *P, const ptx_tok *name) {
  ptx_sym *sym = dc_map_get(&P->m->syms, name->s, name->len);
  if (sym && sym->kind == PTX_SYM_FUNC) return sym;
  if (sym) {
    ptxp_fail(P, name->line, "'%.80s' is both a variable and a function", sym->name);
    return NULL;
  }
  sym = dc_arena_alloc(&P->m->arena, sizeof *sym);
  ptx_func *f = dc_arena_alloc(&P->m->arena, sizeof *f);
  if (!sym || !f || !(sym->name = dc_arena_strndup(&P->m->arena, name->s, name->len)) ||
      dc_map_set(&P->m->syms, name->s, name->len, sym) != 0) {
    ptxp_oom(P);
    return NULL;
  }
  if (ptxp_append(P, &P->funcs, &f, sizeof f) != 0) return NULL;
  sym->kind = PTX_SYM_FUNC;
  sym->func = f;
  f->name = sym->name;
  f->declared_only = true;
  return sym;
}

#define MOST_TARGETS (1 << 22)

/* brx operands: index, then a copy of the labels, which are resolved by now. */
static int resolve_brxs(ptx_parser *P) {
  const ptx_brx *x = P->brxs.data;
  size_t all = 0;
  for (size_t i = 0; i < P->brxs.n; i++) {
    ptx_ins *ins = (ptx_ins *)P->ins.data + x[i].ins;
    int n = x[i].targets->n;
    if ((all += (size_t)n) > MOST_TARGETS) /* of many branches by one long list */
      return ptxp_fail(P, ins->ptx_line, "the brx.idx of a function have more than %d targets together", MOST_TARGETS);
    ptx_operand *opnd = dc_arena_alloc(&P->m->arena, (size_t)(n + 1) * sizeof *opnd);
    if (!opnd) return ptxp_oom(P);
    opnd[0] = ins->opnd[0];
    memcpy(opnd + 1, x[i].targets->labels, (size_t)n * sizeof *opnd);
    ins->opnd = opnd;
    ins->nsrc = (uint16_t)(n + 1);
  }
  return 0;
}

/* Moves the body's lists to the arena, ended by a ret, so that no path runs off the end. */
static int keep_body(ptx_parser *P, ptx_func *f) {
  const uint32_t ptx_line = P->lex.tok.line;
  const ptx_ins ret = {.op = PTX_OP_RET, .text = "ret", .pred = -1, .vec = 1, .line = ptxp_line(P, ptx_line),
                       .ptx_line = ptx_line};
  if (ptxp_before_ret(P, &ret) != 0 || ptxp_append(P, &P->ins, &ret, sizeof ret) != 0 || resolve_brxs(P) != 0)
    return -1;
  f->regs = ptxp_keep(P, &P->regs, sizeof(ptx_reg));
  f->ins = ptxp_keep(P, &P->ins, sizeof(ptx_ins));
  f->vars = ptxp_keep(P, &P->fvars, sizeof(ptx_sym *));
  if (!f->regs || !f->ins || !f->vars) return ptxp_oom(P);
  f->nregs = (int)P->regs.n;
  f->nins = (int)P->ins.n;
  f->nvars = (int)P->fvars.n;
  f->local_size = (f->local_size + 15u) & ~15u;
  f->callparam_size = (f->callparam_size + 15u) & ~15u;
  return 0;
}

static void reset_function(ptx_parser *P) {
  P->regparams.n = P->params.n = P->rets.n = 0;
  P->scopes.n = P->pendings.n = P->brxs.n = P->regs.n = P->ins.n = P->fvars.n = 0;
  P->callparam = 0;
  P->line = 0;
  dc_map_free(&P->ranges);
  dc_map_free(&P->inlined);
  ptxp_clear_names(P);
}

/* The head: [(result)] name [(parameters)], bound in a scope of depth 1. */
static int read_head(ptx_parser *P, bool entry, ptx_sym **sym, uint64_t *size) {
  ptx_tok name;
  if (ptxp_scope_open(P) != 0) return -1;
  if (!entry && ptx_tok_is(&P->lex.tok, '(') && read_params(P, &P->rets, size, true) != 0) return -1;
  if (P->rets.n > 1) return ptxp_fail(P, P->lex.tok.line, "functions with more than one result are not supported");
  if (ptxp_name(P, &name, "a function's name") != 0 || !(*sym = function_symbol(P, &name))) return -1;
  return ptx_tok_is(&P->lex.tok, '(') ? read_params(P, &P->params, size, false) : 0;
}

/* Behind .entry or .func: a declaration through ';' or a definition through '}'. */
static int read_function(ptx_parser *P, bool entry, const ptx_decl *d) {
  ptx_sym *sym = NULL;
  ptx_func head = {.entry = entry};
  uint64_t size = 0;
  uint32_t line = P->lex.tok.line;
  reset_function(P);
  P->f = &head; /* until the name is known */
  if (read_head(P, entry, &sym, &size) != 0 || read_hints(P, &head) != 0) return -1;
  ptx_func *f = sym->func;
  const char *brace = P->lex.tok.s;
  const uint32_t brace_line = P->lex.tok.line;
  const bool body = ptxp_accept(P, '{') != 0;
  if (body) {
    P->body = brace + 1;
    P->body_line = brace_line;
  }
  if (!f->declared_only && body) return ptxp_fail(P, line, "function '%.80s' is defined twice", sym->name);
  if (f->declared_only) {
    head.name = sym->name;
    head.declared_only = !body;
    head.params = ptxp_keep(P, &P->params, sizeof(ptx_sym *));
    head.nparams = (int)P->params.n;
    head.ret = P->rets.n ? *(ptx_sym **)P->rets.data : NULL;
    head.params_size = (uint32_t)size;
    sym->external = d->external && !body;
    if (!head.params) return ptxp_oom(P);
    *f = head;
  }
  P->f = f;
  if (body ? ptxp_begin_body(P) != 0 || read_body(P) != 0 || keep_body(P, f) != 0 : ptxp_expect(P, ';') != 0) return -1;
  P->f = NULL;
  return 0;
}

/* .alias name, target; : two names for one function. */
static int read_alias(ptx_parser *P) {
  ptx_tok name;
  ptx_sym *sym;
  if (ptxp_name(P, &name, "a function's name") != 0 || !(sym = function_symbol(P, &name))) return -1;
  if (ptxp_expect(P, ',') != 0) return -1;
  ptx_tok target = P->lex.tok;
  const ptx_sym *to = target.kind == PTX_TOK_NAME ? dc_map_get(&P->m->syms, target.s, target.len) : NULL;
  if (!to || to->kind != PTX_SYM_FUNC) return ptxp_expected(P, "a function declared before");
  sym->func = to->func;
  ptx_lex_next(&P->lex);
  return ptxp_expect(P, ';');
}

/* ---- the module ---- */

static int read_module_item(ptx_parser *P) {
  if (accept_dot(P, ".version")) return read_version(P);
  if (accept_dot(P, ".target")) return read_target(P);
  if (accept_dot(P, ".address_size")) return read_address_size(P);
  if (accept_dot(P, ".file")) return read_file(P);
  if (accept_dot(P, ".loc")) return ptxp_read_loc(P);
  if (accept_dot(P, ".pragma")) return skip_statement(P);
  if (accept_dot(P, ".alias")) return read_alias(P);
  if (accept_dot(P, ".section") || accept_dot(P, ".nv_intermediate_source_section"))
    return ptxp_skip(P, '{', '}', "'}' of a section"); /* debugging data */
  ptx_decl d = {.space = -1};
  if (ptxp_decl(P, &d) != 0) return -1;
  if (accept_dot(P, ".entry")) return read_function(P, true, &d);
  if (accept_dot(P, ".func")) return read_function(P, false, &d);
  return ptxp_variables(P, &d);
}

static int read_module(ptx_parser *P) {
  while (P->lex.tok.kind != PTX_TOK_END) {
    if (dc_interrupted()) return ptxp_interrupted(P);
    if (ptxp_accept(P, ';')) continue;
    if (P->lex.tok.kind != PTX_TOK_DOT) return ptxp_expected(P, "a directive");
    if (read_module_item(P) != 0) return -1;
  }
  if (!P->has_version) return ptxp_fail(P, 0, "the PTX has no directive .version, with which PTX begins");
  return ptxp_finish(P);
}

static void free_parser(ptx_parser *P) {
  ptx_vec *vecs[] = {&P->funcs, &P->vars, &P->late, &P->bytes, &P->relocs, &P->scopes, &P->pendings, &P->brxs, &P->regs,
                     &P->ins, &P->fvars, &P->ops, &P->regparams, &P->params, &P->rets, &P->args, &P->results,
                     &P->names};
  for (size_t i = 0; i < sizeof vecs / sizeof *vecs; i++) free(vecs[i]->data);
  dc_map *maps[] = {&P->bound[0], &P->bound[1], &P->ranges, &P->inlined, &P->forms};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) dc_map_free(maps[i]);
  free(P);
}

int ptx_parse(const char *text, size_t len, ptx_module *m, dc_error *err) {
  memset(m, 0, sizeof *m);
  ptx_parser *P = calloc(1, sizeof *P);
  if (!P) return dc_fail_oom(err);
  while (len > 0 && text[len - 1] == '\0') len--; /* NVRTC counts the final NUL */
  P->m = m;
  P->err = err;
  P->spare = len;
  P->user_file = ptxp_user_file(text, len);
  P->has_stack = memmem(text, len, "alloca", 6) != NULL;
  ptx_lex_init(&P->lex, text, len);
  int rc = read_module(P);
  if (rc != 0) ptxp_show_place(P, text, len);
  free_parser(P);
  return rc;
}

void ptx_free(ptx_module *m) {
  dc_map_free(&m->syms);
  dc_arena_free(&m->arena);
  memset(m, 0, sizeof *m);
}
