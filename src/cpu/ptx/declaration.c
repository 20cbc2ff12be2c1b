/*
** declaration.c - see declaration.h.
**
** An initialiser is collected as bytes and relocations while it is read; names in it are looked up when
** the module ends, since a table may name a function that comes later.
*/
#include "cpu/ptx/declaration.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/scope.h"

#define MAX_INIT_BYTES ((uint64_t)1 << 28) /* of one initialised variable; four times that of all */

uint64_t ptxp_lay_out(uint64_t *end, uint64_t size, uint32_t align) {
  uint64_t offset = (*end + align - 1) / align * align;
  *end = offset + size;
  return offset;
}

/* ---- constant expressions ---- */

static int constant_binary(ptx_parser *P, ptx_operand *o, char *fkind, int depth, int level);

/* A number, a parenthesis, or a sign in front of one. */
static int constant_unary(ptx_parser *P, ptx_operand *o, char *fkind, int depth) {
  ptx_tok t = P->lex.tok;
  if (depth > 64) return ptxp_fail(P, t.line, "constant expression nested too deep");
  if (ptxp_accept(P, '-') || ptxp_accept(P, '~') || ptxp_accept(P, '+') || ptxp_accept(P, '!')) {
    if (constant_unary(P, o, fkind, depth + 1) != 0) return -1;
    uint64_t v = (uint64_t)o->imm;
    if (t.s[0] == '-' && *fkind) v ^= *fkind == 'f' ? 0x80000000u : 0x8000000000000000u;
    else if (t.s[0] == '-') v = 0 - v;
    else if (t.s[0] == '~') v = ~v;
    else if (t.s[0] == '!') v = v == 0;
    o->imm = (int64_t)v;
    return 0;
  }
  if (ptxp_accept(P, '(')) {
    if (constant_binary(P, o, fkind, depth + 1, 0) != 0) return -1;
    return ptxp_expect(P, ')');
  }
  if (ptx_tok_eq(&t, PTX_TOK_NAME, "WARP_SZ")) {
    t.kind = PTX_TOK_INT;
    t.bits = 32;
  }
  if (t.kind != PTX_TOK_INT && t.kind != PTX_TOK_FLOAT) return ptxp_expected(P, "a number");
  o->imm = (int64_t)t.bits;
  *fkind = t.fkind;
  ptx_lex_next(&P->lex);
  return 0;
}

/* a op b in 64-bit wrap-around arithmetic. */
static int apply(ptx_parser *P, char op, ptx_operand *a, const ptx_operand *b) {
  uint64_t x = (uint64_t)a->imm, y = (uint64_t)b->imm;
  if ((op == '/' || op == '%') && y == 0) return ptxp_fail(P, P->lex.tok.line, "division by zero in a constant");
  if ((op == '/' || op == '%') && b->imm == -1) x = op == '/' ? 0 - x : 0;
  else if (op == '/') x = (uint64_t)(a->imm / b->imm);
  else if (op == '%') x = (uint64_t)(a->imm % b->imm);
  else if (op == '*') x *= y;
  else x = op == '+' ? x + y : x - y;
  a->imm = (int64_t)x;
  return 0;
}

/* Left-associative operators by precedence: sums (level 0) of products (level 1) of unary expressions. */
static int constant_binary(ptx_parser *P, ptx_operand *o, char *fkind, int depth, int level) {
  if (level > 1) return constant_unary(P, o, fkind, depth);
  if (constant_binary(P, o, fkind, depth, level + 1) != 0) return -1;
  for (;;) {
    char op = P->lex.tok.kind == PTX_TOK_PUNCT ? P->lex.tok.s[0] : '\0', kind = 0;
    if (*fkind || op == '\0' || !strchr(level ? "*/%" : "+-", op)) return 0;
    ptx_operand b = {0};
    ptx_lex_next(&P->lex);
    if (constant_binary(P, &b, &kind, depth, level + 1) != 0 || apply(P, op, o, &b) != 0) return -1;
  }
}

int ptxp_constant(ptx_parser *P, ptx_operand *o, char *fkind) {
  memset(o, 0, sizeof *o);
  o->kind = PTX_IMM;
  o->reg = -1;
  *fkind = 0;
  if (constant_binary(P, o, fkind, 0, 0) != 0) return -1;
  o->is_float = *fkind != 0;
  return 0;
}

int ptxp_offsets(ptx_parser *P, int64_t *sum) {
  while (ptx_tok_is(&P->lex.tok, '+') || ptx_tok_is(&P->lex.tok, '-')) {
    ptx_operand c;
    char fkind;
    if (ptxp_constant(P, &c, &fkind) != 0) return -1;
    if (fkind) return ptxp_fail(P, P->lex.tok.line, "an offset must be an integer");
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)c.imm);
  }
  return 0;
}

/* ---- declarations ---- */

static int decl_align(ptx_parser *P, ptx_decl *d, bool pointee) {
  const ptx_tok *t = &P->lex.tok;
  if (t->kind != PTX_TOK_INT) return ptxp_expected(P, "an alignment");
  uint64_t a = t->bits;
  if (a == 0 || (a & (a - 1)) != 0 || a > 65536)
    return ptxp_fail(P, t->line, "alignment %llu is not a power of two up to 65536", (unsigned long long)a);
  if (!pointee) d->align = (uint32_t)a;
  ptx_lex_next(&P->lex);
  return 0;
}

/* One directive of a declaration. `pointee` turns true behind .ptr: later directives describe the pointee. */
static int decl_word(ptx_parser *P, ptx_decl *d, bool *pointee) {
  ptx_tok t = P->lex.tok;
  const char *s = t.s + 1;
  size_t len = t.len - 1;
  int space = ptx_space_find(s, len);
  ptx_type type = ptx_type_find(s, len);
  ptx_lex_next(&P->lex);
  if (space >= 0) {
    if (!*pointee) d->space = space;
  } else if (type != PTX_NOTYPE) {
    d->type = type;
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".align")) {
    return decl_align(P, d, *pointee);
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".ptr")) {
    *pointee = true;
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".extern")) {
    d->external = true;
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".visible")) {
    return 0; /* so is every name */
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".weak") || ptx_tok_eq(&t, PTX_TOK_DOT, ".common")) {
    d->weak = true;
  } else if (len == 2 && s[0] == 'v' && (s[1] == '2' || s[1] == '4' || s[1] == '8')) {
    d->vec = (uint32_t)(s[1] - '0');
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".texref") || ptx_tok_eq(&t, PTX_TOK_DOT, ".samplerref") ||
             ptx_tok_eq(&t, PTX_TOK_DOT, ".surfref")) {
    d->type = PTX_B64; /* an opaque handle; instructions that use one are refused */
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".tex")) {
    d->space = PTX_GLOBAL;
  } else if (ptx_tok_eq(&t, PTX_TOK_DOT, ".attribute")) {
    return ptxp_skip(P, '(', ')', "')'"); /* .attribute(.managed) */
  } else {
    return ptxp_fail(P, t.line, "'%.*s' has no place in a declaration", (int)(t.len < 60 ? t.len : 60), t.s);
  }
  return 0;
}

int ptxp_decl(ptx_parser *P, ptx_decl *d) {
  bool pointee = false;
  while (P->lex.tok.kind == PTX_TOK_DOT && !ptx_tok_eq(&P->lex.tok, PTX_TOK_DOT, ".entry") &&
         !ptx_tok_eq(&P->lex.tok, PTX_TOK_DOT, ".func"))
    if (decl_word(P, d, &pointee) != 0) return -1;
  d->elem = (uint32_t)ptx_type_bits(d->type) / 8u * (d->vec ? d->vec : 1u);
  if (d->align == 0) d->align = d->elem ? d->elem : 1;
  return 0;
}

#define MAX_DIMS 8
/* sizes[k]: bytes of one element at nesting k; sizes[0] the whole, sizes[ndims] one element. */
typedef struct shape {
  int ndims;
  uint64_t sizes[MAX_DIMS + 1];
  bool open; /* the outermost dimension was left out: [] */
} shape;

static int read_dims(ptx_parser *P, const ptx_decl *d, shape *sh) {
  uint64_t dims[MAX_DIMS] = {0};
  memset(sh, 0, sizeof *sh);
  while (ptxp_accept(P, '[')) {
    uint32_t line = P->lex.tok.line;
    if (sh->ndims == MAX_DIMS) return ptxp_fail(P, line, "an array has more than %d dimensions", MAX_DIMS);
    if (ptx_tok_is(&P->lex.tok, ']')) {
      if (sh->ndims > 0) return ptxp_fail(P, line, "only the first dimension of an array may be left out");
      sh->open = true;
      dims[sh->ndims++] = 0;
    } else {
      ptx_operand n;
      char fkind;
      if (ptxp_constant(P, &n, &fkind) != 0) return -1;
      if (fkind || n.imm < 0) return ptxp_fail(P, line, "an array's dimension must be an integer from 0 up");
      dims[sh->ndims++] = (uint64_t)n.imm;
    }
    if (ptxp_expect(P, ']') != 0) return -1;
  }
  sh->sizes[sh->ndims] = d->elem;
  for (int k = sh->ndims; k-- > 0;) {
    if (dims[k] != 0 && sh->sizes[k + 1] > PTX_MAX_BYTES / dims[k])
      return ptxp_fail(P, P->lex.tok.line, "an array is larger than 2^46 bytes");
    sh->sizes[k] = sh->sizes[k + 1] * dims[k];
  }
  return 0;
}

static int declarator(ptx_parser *P, const ptx_decl *d, ptx_sym **sym, shape *sh) {
  ptx_tok name = P->lex.tok;
  if (name.kind != PTX_TOK_NAME) return ptxp_expected(P, "a name");
  if (d->elem == 0)
    return ptxp_fail(P, name.line, "'%.*s' has no type with a size", (int)(name.len < 80 ? name.len : 80), name.s);
  ptx_lex_next(&P->lex);
  if (read_dims(P, d, sh) != 0) return -1;
  ptx_sym *s = dc_arena_alloc(&P->m->arena, sizeof *s);
  if (!s || !(s->name = dc_arena_strndup(&P->m->arena, name.s, name.len))) return ptxp_oom(P);
  s->kind = PTX_SYM_VAR;
  s->space = (uint8_t)d->space;
  s->align = d->align;
  s->size = sh->sizes[0];
  s->external = d->external;
  s->weak = d->weak;
  s->inside = P->f != NULL;
  *sym = s;
  return 0;
}

int ptxp_declarator(ptx_parser *P, const ptx_decl *d, ptx_sym **sym) {
  shape sh;
  return declarator(P, d, sym, &sh);
}

/* ---- initial values ---- */

/* A relocation before its symbol is known. */
typedef struct raw_reloc {
  ptx_reloc r;
  ptx_tok name;
  int mask_byte; /* 0xFF00(sym) gives byte 1; -1 for a whole address */
} raw_reloc;

typedef struct init_state {
  const ptx_decl *d;
  shape sh;
  uint64_t pos, scalar; /* offset of the next byte, bytes of a scalar */
} init_state;

/* Zeros up to byte `to`. */
static int reach(ptx_parser *P, const init_state *st, uint64_t to) {
  uint32_t line = P->lex.tok.line;
  if (to > MAX_INIT_BYTES) return ptxp_fail(P, line, "an initialised variable is larger than 2^28 bytes");
  if (!st->sh.open && to > st->sh.sizes[0]) return ptxp_fail(P, line, "an initialiser is longer than its variable");
  if (to <= P->bytes.n) return 0;
  return ptxp_push_n(&P->bytes, (size_t)to - P->bytes.n, 1) ? 0 : ptxp_oom(P);
}

/* sym, sym+4, generic(sym)+4. */
static int read_address(ptx_parser *P, raw_reloc *raw) {
  int paren = 0;
  if (ptx_tok_eq(&P->lex.tok, PTX_TOK_NAME, "generic")) {
    ptx_lex_next(&P->lex);
    raw->r.generic = true;
    paren = 1;
    if (ptxp_expect(P, '(') != 0) return -1;
  }
  if (ptxp_name(P, &raw->name, "a name") != 0) return -1;
  for (;;) {
    if (paren && ptx_tok_is(&P->lex.tok, ')')) {
      ptx_lex_next(&P->lex);
      paren = 0;
    } else if (ptx_tok_is(&P->lex.tok, '+') || ptx_tok_is(&P->lex.tok, '-')) {
      if (ptxp_offsets(P, &raw->r.addend) != 0) return -1;
    } else {
      return paren ? ptxp_expect(P, ')') : 0;
    }
  }
}

static int write_address(ptx_parser *P, init_state *st, int mask_byte) {
  raw_reloc raw;
  memset(&raw, 0, sizeof raw);
  raw.r.offset = st->pos;
  raw.r.size = (uint8_t)st->scalar;
  raw.mask_byte = mask_byte;
  uint32_t line = P->lex.tok.line;
  if (read_address(P, &raw) != 0) return -1;
  if (mask_byte < 0 ? st->scalar < 4 : st->scalar != 1)
    return ptxp_fail(P, line, "an address does not fit an element of %u bytes", (unsigned)st->scalar);
  return ptxp_append(P, &P->relocs, &raw, sizeof raw);
}

uint64_t ptxp_constant_bits(ptx_type type, const ptx_operand *o, char fkind) {
  union {
    uint64_t bits;
    float f; /* the low half */
    double d;
  } x = {.bits = (uint64_t)o->imm};
  const double v = fkind == 'f' ? (double)x.f : fkind == 'd' ? x.d : (double)o->imm;
  if ((type != PTX_F32 && type != PTX_F64) || fkind == (type == PTX_F32 ? 'f' : 'd')) /* keep a NaN's payload */
    return x.bits;
  x.bits = 0;
  if (type == PTX_F32) x.f = (float)v;
  else x.d = v;
  return x.bits;
}

static int write_scalar(ptx_parser *P, init_state *st) {
  if (reach(P, st, st->pos + st->scalar) != 0) return -1;
  if (P->lex.tok.kind == PTX_TOK_NAME && !ptx_tok_eq(&P->lex.tok, PTX_TOK_NAME, "WARP_SZ")) {
    if (write_address(P, st, -1) != 0) return -1;
  } else {
    ptx_operand o;
    char fkind;
    bool plain = P->lex.tok.kind == PTX_TOK_INT;
    if (ptxp_constant(P, &o, &fkind) != 0) return -1;
    if (plain && ptxp_accept(P, '(')) { /* 0xFF00(sym): one byte of an address */
      int k = 0;
      while (k < 8 && (uint64_t)o.imm != 0xffull << (8 * k)) k++;
      if (k == 8) return ptxp_fail(P, P->lex.tok.line, "an address mask must cover one byte");
      if (write_address(P, st, k) != 0 || ptxp_expect(P, ')') != 0) return -1;
    } else {
      uint64_t bits = ptxp_constant_bits(st->d->type, &o, fkind);
      uint8_t *to = (uint8_t *)P->bytes.data + st->pos;
      for (uint64_t i = 0; i < st->scalar && i < 8; i++) to[i] = (uint8_t)(bits >> (8 * i));
    }
  }
  st->pos += st->scalar;
  return 0;
}

/* { … } at nesting `level`; inner braces begin at their own sub-array, and need not fill it. */
static int write_list(ptx_parser *P, init_state *st, int level) {
  if (level > MAX_DIMS) return ptxp_fail(P, P->lex.tok.line, "initialiser braces nested too deep");
  while (!ptx_tok_is(&P->lex.tok, '}')) {
    if (ptxp_accept(P, '{')) {
      uint64_t size = level + 1 <= st->sh.ndims ? st->sh.sizes[level + 1] : st->d->elem, begin = st->pos;
      if (write_list(P, st, level + 1) != 0) return -1;
      if (st->pos > begin + size) return ptxp_fail(P, P->lex.tok.line, "an initialiser is longer than its row");
      st->pos = begin + size;
      if (st->pos > MAX_INIT_BYTES) return reach(P, st, st->pos);
    } else if (write_scalar(P, st) != 0) {
      return -1;
    }
    if (!ptxp_accept(P, ',')) break;
  }
  return ptxp_expect(P, '}');
}

/* Eight bytes 0xFF(sym), 0xFF00(sym) … one after another are one address. */
static int join_masks(ptx_parser *P, uint32_t line) {
  raw_reloc *all = P->relocs.data;
  size_t kept = 0;
  for (size_t i = 0; i < P->relocs.n; i++) {
    raw_reloc r = all[i];
    for (int k = 0; r.mask_byte >= 0 && k < 8; k++) {
      const raw_reloc *b = &all[i + (size_t)k];
      if (i + (size_t)k >= P->relocs.n || b->mask_byte != k || b->r.offset != r.r.offset + (uint64_t)k ||
          b->r.addend != r.r.addend || b->r.generic != r.r.generic || b->name.len != r.name.len ||
          memcmp(b->name.s, r.name.s, r.name.len) != 0)
        return ptxp_fail(P, line, "an initialiser holds single bytes of an address, not all eight in order");
    }
    if (r.mask_byte >= 0) {
      i += 7;
      r.r.size = 8;
    }
    all[kept++] = r;
  }
  P->relocs.n = kept;
  return 0;
}

/* Moves the collected bytes and relocations to the symbol. */
static int keep_init(ptx_parser *P, ptx_sym *sym) {
  P->init_bytes += sym->size;
  if (P->init_bytes > MAX_INIT_BYTES * 4)
    return ptxp_fail(P, P->lex.tok.line, "the module's initialised variables take more than 2^30 bytes");
  sym->init = dc_arena_alloc(&P->m->arena, sym->size ? (size_t)sym->size : 1);
  sym->relocs = dc_arena_alloc(&P->m->arena, P->relocs.n ? P->relocs.n * sizeof *sym->relocs : 1);
  if (!sym->init || !sym->relocs) return ptxp_oom(P);
  if (P->bytes.n) memcpy(sym->init, P->bytes.data, P->bytes.n);
  sym->nrelocs = (int)P->relocs.n;
  const raw_reloc *raw = P->relocs.data;
  for (int i = 0; i < sym->nrelocs; i++) {
    sym->relocs[i] = raw[i].r;
    const ptx_late_reloc late = {&sym->relocs[i], raw[i].name.s, (uint32_t)raw[i].name.len, raw[i].name.line};
    if (ptxp_append(P, &P->late, &late, sizeof late) != 0) return -1;
  }
  return 0;
}

/* Behind '='. Collects only the bytes that are written, so that the text's length bounds the work. */
static int initialiser(ptx_parser *P, const ptx_decl *d, ptx_sym *sym, const shape *sh) {
  init_state st = {d, *sh, 0, d->elem / (d->vec ? d->vec : 1u)};
  uint32_t line = P->lex.tok.line;
  P->bytes.n = P->relocs.n = 0;
  if (!sh->open && sym->size > MAX_INIT_BYTES)
    return ptxp_fail(P, line, "initialised variable '%.60s' is larger than 2^28 bytes", sym->name);
  if (ptxp_accept(P, '{') ? write_list(P, &st, 0) : write_scalar(P, &st)) return -1;
  if (sh->open) {
    if (P->bytes.n < st.pos && reach(P, &st, st.pos) != 0) return -1;
    sym->size = P->bytes.n;
  }
  return join_masks(P, line) != 0 ? -1 : keep_init(P, sym);
}

/* ---- a whole declaration ---- */

/* Enters a module-level variable; a declaration and its definition are one symbol. */
static int enter_global(ptx_parser *P, ptx_sym *sym) {
  size_t len = strlen(sym->name);
  ptx_sym *old = dc_map_get(&P->m->syms, sym->name, len);
  if (old) {
    if (old->kind != PTX_SYM_VAR || (!old->external && !sym->external && !old->weak && !sym->weak))
      return ptxp_fail(P, P->lex.tok.line, "'%.80s' is defined twice", sym->name);
    if (old->external && !sym->external) *old = *sym;
    return 0;
  }
  if (dc_map_set(&P->m->syms, sym->name, len, sym) != 0) return ptxp_oom(P);
  return ptxp_append(P, &P->vars, &sym, sizeof sym);
}

/* Enters a variable of a function's body. Frames are laid out here, shared memory at the module's end. */
static int enter_local(ptx_parser *P, ptx_sym *sym) {
  ptx_bind *b = ptxp_bind(P, sym->name, strlen(sym->name), PTX_BIND_SYM);
  if (!b) return -1;
  b->u.sym = sym;
  ptx_func *f = P->f;
  uint64_t end = f->local_size;
  if (sym->space == PTX_LOCAL) {
    sym->offset = ptxp_lay_out(&end, sym->size, sym->align);
    f->local_size = (uint32_t)(end <= UINT32_MAX / 2 ? end : 0);
  } else if (sym->space == PTX_PARAM) {
    sym->offset = ptxp_lay_out(&P->callparam, sym->size, sym->align);
    end = P->callparam;
    if (end > f->callparam_size && end <= UINT32_MAX / 2) f->callparam_size = (uint32_t)end;
  }
  if (end > UINT32_MAX / 2) return ptxp_fail(P, P->lex.tok.line, "a thread's variables take more than 2 GiB");
  return ptxp_append(P, &P->fvars, &sym, sizeof sym);
}

int ptxp_variables(ptx_parser *P, ptx_decl *d) {
  uint32_t line = P->lex.tok.line;
  if (d->space < 0) return ptxp_fail(P, line, "a variable without a state space");
  if (!P->f && (d->space == PTX_LOCAL || d->space == PTX_PARAM))
    return ptxp_fail(P, line, "a .local or .param variable outside of a function");
  do {
    ptx_sym *sym;
    shape sh;
    if (declarator(P, d, &sym, &sh) != 0) return -1;
    if (ptxp_accept(P, '=')) {
      if (d->space != PTX_GLOBAL && d->space != PTX_CONST)
        return ptxp_fail(P, line, "only .global and .const variables may have initial values");
      if (initialiser(P, d, sym, &sh) != 0) return -1;
      sym->external = false;
    }
    bool module = !P->f || (d->space != PTX_LOCAL && d->space != PTX_PARAM && d->space != PTX_SHARED);
    if (module ? enter_global(P, sym) : enter_local(P, sym)) return -1;
  } while (ptxp_accept(P, ','));
  return ptxp_expect(P, ';');
}

/* ---- registers ---- */

/* %r<100>: a range.  Its registers are created here, as long as the module has no more of them than its text has bytes;
** else at their first use. */
static int register_range(ptx_parser *P, const ptx_tok *name, int bits) {
  const ptx_tok *n = &P->lex.tok;
  if (n->kind != PTX_TOK_INT || n->bits > UINT32_MAX) return ptxp_expected(P, "a number of registers");
  ptx_bind *b = ptxp_bind(P, name->s, name->len, PTX_BIND_REGS);
  if (!b) return -1;
  b->bits = (uint8_t)bits;
  b->count = (uint32_t)n->bits;
  if (b->count > P->spare) {
    b->id = ++P->range_ids;
  } else if (b->count > 0) {
    b->u.reg = (int32_t)P->regs.n;
    ptx_reg *r = ptxp_push_n(&P->regs, b->count, sizeof *r);
    if (!r) return ptxp_oom(P);
    for (uint32_t i = 0; i < b->count; i++) r[i].bits = b->bits;
    P->spare -= b->count;
  }
  ptx_lex_next(&P->lex);
  return ptxp_expect(P, '>');
}

int ptxp_register(ptx_parser *P, const ptx_tok *name, int bits, uint32_t vec) {
  ptx_bind *b = ptxp_bind(P, name->s, name->len, PTX_BIND_REG);
  if (!b) return -1;
  b->bits = (uint8_t)bits;
  b->vec = (uint8_t)vec;
  b->u.reg = (int32_t)P->regs.n;
  for (uint32_t i = 0; i < vec; i++)
    if (ptxp_new_register(P, bits) < 0) return -1;
  return 0;
}

int ptxp_registers(ptx_parser *P) {
  ptx_decl d = {.space = PTX_REGSPACE};
  uint32_t line = P->lex.tok.line;
  if (ptxp_decl(P, &d) != 0) return -1;
  int bits = ptx_type_bits(d.type);
  if (bits == 0) return ptxp_fail(P, line, "registers need a type");
  do {
    ptx_tok name;
    if (ptxp_name(P, &name, "a register's name") != 0) return -1;
    if (ptxp_accept(P, '<') ? register_range(P, &name, bits) : ptxp_register(P, &name, bits, d.vec ? d.vec : 1u))
      return -1;
  } while (ptxp_accept(P, ','));
  return ptxp_expect(P, ';');
}
