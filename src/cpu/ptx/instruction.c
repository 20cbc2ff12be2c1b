/*
** instruction.c - see instruction.h.
**
** Operands are flattened into one list, destinations first; then their number and kinds are checked
** against the opcode's form, so that later passes index them without a check.  An instruction that does not pass the
** check is refused as an unknown one is: its function cannot run.
*/
#include "cpu/ptx/instruction.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "cpu/ptx/declaration.h"
#include "cpu/ptx/expand.h"
#include "cpu/ptx/lex.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"
#include "cpu/ptx/scope.h"

#define RESERVED_BYTES 1024 /* of shared memory, for CUDA's own headers */

static ptx_operand *add(ptx_parser *P, ptx_operand_kind kind) {
  ptx_operand *o = ptxp_push(&P->ops, sizeof *o);
  if (!o) {
    ptxp_oom(P);
    return NULL;
  }
  o->kind = (uint8_t)kind;
  o->reg = -1;
  return o;
}

static int unknown_name(ptx_parser *P, const ptx_tok *t) {
  ptxp_fail(P, t->line, "'%.*s' is not declared", (int)(t->len < 80 ? t->len : 80), t->s);
  P->bad_at = t->s;
  return -1;
}

/* Joins the .x of %tid.x or of a vector register to the name's token, where no blank separates them. */
static bool join_suffix(ptx_parser *P, ptx_tok *name) {
  const ptx_tok *t = &P->lex.tok;
  if (t->kind != PTX_TOK_DOT || t->s != name->s + name->len) return false;
  name->len += t->len;
  ptx_lex_next(&P->lex);
  return true;
}

/* One element of a vector register, v.x or v.r; -1 when there is none of that name. */
static int element_index(const ptx_tok *name, size_t dot, int vec) {
  static const char letters[] = "xyzwrgba";
  if (name->len != dot + 2) return -1;
  const char *at = strchr(letters, name->s[dot + 1]);
  if (!at || *at == '\0') return -1;
  int i = (int)(at - letters) & 3;
  return i < vec ? i : -1;
}

/* Special registers that ptx_sreg_find does not know: whole vectors, clusters, counters. */
static bool is_special(const ptx_tok *name) {
  static const char *const begins[] = {"%tid", "%ntid", "%ctaid", "%nctaid", "%cluster", "%ncluster", "%is_explicit",
                                       "%pm", "%envreg", "%aggr", "%reserved", "%current_graph", "%lanemask",
                                       "%clock", "%global"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (name->len >= strlen(begins[i]) && memcmp(name->s, begins[i], strlen(begins[i])) == 0) return true;
  return false;
}

/* The sub-words in %r1.b0, %r1.h1, %r1.b3210, as enum ptx_subword; 0: the suffix names none. */
static uint16_t read_subword(const char *s, size_t len) {
  const int kinds = s[0] == 'b' ? 4 : s[0] == 'h' ? 2 : 0;
  unsigned list = 0;
  if (kinds == 0 || len < 2 || len > 1 + (size_t)kinds) return 0;
  for (size_t i = 1; i < len; i++) {
    if (s[i] < '0' || s[i] >= '0' + 2 * kinds) return 0;
    list |= (unsigned)(s[i] - '0') << (3 * (len - 1 - i));
  }
  if (len == 2 && list < (unsigned)kinds) return (uint16_t)((kinds == 4 ? PTX_SUBWORD_B0 : PTX_SUBWORD_H0) + list);
  return (uint16_t)(PTX_SUBWORD_LIST | (len - 2) * PTX_SUBWORD_COUNT | list);
}

/* %tid without a suffix is the vector {x, y, z, 0}. 1: appended its operands; 0: not a vector register. */
static int special_vector(ptx_parser *P, const ptx_tok *name) {
  char text[32];
  if (name->len + 3 > sizeof text) return 0;
  memcpy(text, name->s, name->len);
  text[name->len] = '.';
  for (int i = 0; i < 4; i++) {
    text[name->len + 1] = "xyz"[i % 3];
    ptx_sreg sreg = i < 3 ? ptx_sreg_find(text, name->len + 2) : PTX_SR_ZERO;
    if (sreg == PTX_SR_NONE) return 0;
    ptx_operand *o = add(P, PTX_SREG);
    if (!o) return -1;
    o->sreg = (uint8_t)sreg;
  }
  return 1;
}

/* %reserved_smem_offset_begin, _end, _0, _1: offsets of shared memory reserved by the system (cooperative groups
** synchronize several warps there); _cap: its size.  1: appended the operand; 0: another name. */
static int reserved_offset(ptx_parser *P, const ptx_tok *name) {
  static const char begin[] = "%reserved_smem_offset_";
  static const struct { char name[6]; int64_t offset; } known[] = {
    {"begin", 0}, {"0", 0}, {"1", RESERVED_BYTES / 2}, {"end", RESERVED_BYTES}, {"cap", RESERVED_BYTES}
  };
  const size_t skip = sizeof begin - 1, rest = name->len - skip;
  if (name->len <= skip || memcmp(name->s, begin, skip) != 0) return 0;
  size_t i = 0;
  const size_t n = sizeof known / sizeof *known;
  while (i < n && (strlen(known[i].name) != rest || memcmp(known[i].name, name->s + skip, rest) != 0)) i++;
  if (i == n) return 0;
  if (!P->reserved) {
    ptx_sym *sym = dc_arena_alloc(&P->m->arena, sizeof *sym), **slot = ptxp_push(&P->vars, sizeof *slot);
    if (!sym || !slot) return ptxp_oom(P);
    *sym = (ptx_sym){.name = "%reserved_smem", .kind = PTX_SYM_VAR, .space = PTX_SHARED, .align = 128,
                     .size = RESERVED_BYTES};
    *slot = P->reserved = sym;
  }
  ptx_operand *o = add(P, i == n - 1 ? PTX_IMM : PTX_SYM);
  if (!o) return -1;
  if (o->kind == PTX_SYM) o->sym = P->reserved;
  o->imm = known[i].offset;
  return 1;
}

/* Registers (all elements of a vector), special registers, symbols. Sets `refuse` for unsupported operands. */
static int read_name(ptx_parser *P, bool negated, bool *refuse) {
  ptx_tok name = P->lex.tok;
  size_t bare = name.len;
  int32_t reg;
  int vec;
  ptx_lex_next(&P->lex);
  if (name.len == 1 && name.s[0] == '_') return add(P, PTX_SINK) ? 0 : -1;
  bool suffix = join_suffix(P, &name);
  int found = ptxp_find_reg(P, name.s, bare, &reg, &vec);
  if (found < 0) return -1;
  if (found) {
    int first = 0, end = vec;
    uint16_t subword = suffix && vec == 1 ? read_subword(name.s + bare + 1, name.len - bare - 1) : 0;
    if (suffix && !subword) {
      first = element_index(&name, bare, vec);
      if (vec == 1 || first < 0) *refuse = true;
      if (first < 0) first = 0;
      end = first + 1;
    }
    for (; first < end; first++) {
      ptx_operand *o = add(P, PTX_REG);
      if (!o) return -1;
      o->reg = reg + first;
      o->negated = negated;
      o->subword = subword;
    }
    return 0;
  }
  ptx_sreg sreg = ptx_sreg_find(name.s, name.len);
  ptx_sym *sym = sreg != PTX_SR_NONE || suffix ? NULL : ptxp_sym_find(P, name.s, name.len);
  if (!sym && sreg == PTX_SR_NONE) {
    if (!is_special(&name)) return unknown_name(P, &name);
    int whole = suffix ? 0 : reserved_offset(P, &name);
    if (whole == 0 && !suffix) whole = special_vector(P, &name);
    if (whole) return whole < 0 ? -1 : 0;
    *refuse = true; /* a special register that has no meaning here */
  }
  ptx_operand *o = add(P, sreg == PTX_SR_WARP_SZ ? PTX_IMM : sym ? PTX_SYM : PTX_SREG);
  if (!o) return -1;
  o->sreg = o->kind == PTX_SREG ? (uint8_t)sreg : 0;
  if (o->kind == PTX_IMM) o->imm = 32;
  o->sym = sym;
  int64_t offset = 0;
  if (sym && ptxp_offsets(P, &offset) != 0) return -1;
  o = (ptx_operand *)P->ops.data + P->ops.n - 1;
  if (sym) o->imm = offset;
  return 0;
}

static int read_operand(ptx_parser *P, bool *refuse, int depth);

static int read_list(ptx_parser *P, bool *refuse, int depth) {
  while (!ptx_tok_is(&P->lex.tok, '}')) {
    if (read_operand(P, refuse, depth + 1) != 0) return -1;
    if (!ptxp_accept(P, ',')) break;
  }
  return ptxp_expect(P, '}');
}

/* Behind '[': register, symbol or constant, plus an offset; or [handle, {coordinates}] of a texture or surface. */
static int read_address(ptx_parser *P, bool *refuse, int depth) {
  size_t first = P->ops.n;
  if (read_operand(P, refuse, depth + 1) != 0) return -1;
  ptx_operand *o = (ptx_operand *)P->ops.data + first;
  int64_t offset = P->ops.n > first ? o->imm : 0;
  if (P->ops.n > first && ptxp_offsets(P, &offset) != 0) return -1;
  if (P->ops.n != first + 1 || (o->kind != PTX_REG && o->kind != PTX_SYM && o->kind != PTX_IMM) || o->negated ||
      o->is_float)
    *refuse = true;
  if (P->ops.n == first + 1) {
    o->kind = PTX_ADDR;
    o->imm = offset;
  }
  int more = 0;
  for (; ptxp_accept(P, ','); more++)
    if (read_operand(P, refuse, depth + 1) != 0) return -1;
  if (more > (P->has_handle ? 1 : 0)) *refuse = true;
  if (ptxp_expect(P, ']') != 0) return -1;
  if (P->lex.tok.kind == PTX_TOK_DOT && P->lex.tok.len == 8 && memcmp(P->lex.tok.s, ".unified", 8) == 0)
    ptx_lex_next(&P->lex); /* a hint */
  return 0;
}

static int read_constant(ptx_parser *P) {
  ptx_operand c, *o;
  char fkind;
  if (ptxp_constant(P, &c, &fkind) != 0 || !(o = add(P, PTX_IMM))) return -1;
  o->imm = c.imm;
  o->is_float = c.is_float;
  o->sreg = (uint8_t)fkind; /* until fix_floats knows the instruction's type */
  return 0;
}

/* -1, or -%r1 (of vmad). */
static int read_negative(ptx_parser *P, bool *refuse) {
  ptx_lex saved = P->lex;
  ptx_lex_next(&P->lex);
  if (P->lex.tok.kind != PTX_TOK_NAME) {
    P->lex = saved;
    return read_constant(P);
  }
  size_t at = P->ops.n;
  if (read_name(P, false, refuse) != 0) return -1;
  if (P->ops.n > at) ((ptx_operand *)P->ops.data)[at].subword |= PTX_SUBWORD_NEGATED;
  return 0;
}

static int read_operand(ptx_parser *P, bool *refuse, int depth) {
  if (depth > 8) return ptxp_fail(P, P->lex.tok.line, "operands are nested too deep");
  if (ptxp_accept(P, '{')) return read_list(P, refuse, depth);
  if (ptxp_accept(P, '[')) return read_address(P, refuse, depth);
  if (ptx_tok_is(&P->lex.tok, '!')) {
    ptx_lex_next(&P->lex);
    if (P->lex.tok.kind != PTX_TOK_NAME) return ptxp_expected(P, "a predicate");
    return read_name(P, true, refuse);
  }
  if (P->lex.tok.kind == PTX_TOK_NAME) return read_name(P, false, refuse);
  if (ptx_tok_is(&P->lex.tok, '-')) return read_negative(P, refuse);
  return read_constant(P);
}

/* All operands through the ';'. *first: how many the first one made, a|b being two. */
static int read_operands(ptx_parser *P, int *first, bool *refuse) {
  P->ops.n = 0;
  *first = 0;
  if (ptxp_accept(P, ';')) return 0;
  for (int i = 0;; i++) {
    if (read_operand(P, refuse, 0) != 0) return -1;
    if (ptxp_accept(P, '|') && read_operand(P, refuse, 0) != 0) return -1;
    if (i == 0) *first = (int)P->ops.n;
    if (P->ops.n > 1000) return ptxp_fail(P, P->lex.tok.line, "an instruction has more than 1000 operands");
    if (!ptxp_accept(P, ',')) break;
  }
  return ptxp_expect(P, ';');
}

/* ---- checks ---- */

/* The text of the current instruction, which has been read, on one line with single blanks. */
static void statement_text(const ptx_parser *P, char *out, size_t size) {
  const char *end = memchr(P->statement, ';', (size_t)(P->lex.end - P->statement));
  size_t n = 0;
  for (const char *p = P->statement; end && p < end && n + 1 < size; p++) {
    const bool blank = *p == ' ' || (*p >= '\t' && *p <= '\r');
    if (blank && n > 0 && out[n - 1] == ' ') continue;
    out[n++] = blank ? ' ' : *p > ' ' && *p <= '~' ? *p : '?';
  }
  out[n] = '\0';
}

/* Refuses the instruction by a sentence that ends with its text. 1, or -1: out of memory. */
static int DC_PRINTF(3, 4) refuse_operands(ptx_parser *P, ptx_ins *ins, const char *fmt, ...) {
  char why[200], text[120], all[sizeof why + sizeof text + 8];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(why, sizeof why, fmt, ap);
  va_end(ap);
  statement_text(P, text, sizeof text);
  snprintf(all, sizeof all, "%s '%s'", why, text);
  ins->flags |= PTX_F_REFUSED;
  ins->refusal = dc_arena_strndup(&P->m->arena, all, strlen(all));
  return ins->refusal ? 1 : ptxp_oom(P);
}

static int kind_at(const ptx_ins *ins, int i) { return i < ins->ndst + ins->nsrc ? (int)ins->opnd[i].kind : -1; }

/* Whether the number of operands is right for the form. */
static bool count_fits(const ptx_form *form, const ptx_ins *ins) {
  int d = ins->ndst, s = ins->nsrc, vec = ins->vec;
  switch (form->shape) {
    case PTX_SHAPE_FIXED:
      return d >= form->ndst_min && d <= form->ndst_max && s >= form->nsrc_min && s <= form->nsrc_max;
    case PTX_SHAPE_MOV:
      if (vec > 1) return d == vec && s == vec;
      return (d == 1 && (s == 1 || s == 2 || s == 4)) || (s == 1 && (d == 2 || d == 4));
    case PTX_SHAPE_LOAD: return d == vec && (s == 1 || s == 2) && kind_at(ins, d) == PTX_ADDR;
    case PTX_SHAPE_STORE: return (s == vec + 1 || s == vec + 2) && kind_at(ins, 0) == PTX_ADDR;
    case PTX_SHAPE_ATOM:
      return d == vec && s == (ins->mode == PTX_ATOM_CAS ? 3 : 1 + vec) && kind_at(ins, d) == PTX_ADDR;
    case PTX_SHAPE_RED: return s == 1 + vec && kind_at(ins, 0) == PTX_ADDR;
    default: return true;
  }
}

/* Whether operand i is of a kind that the instruction takes. */
static bool kind_fits(const ptx_parser *P, const ptx_ins *ins, int i) {
  const ptx_operand *o = &ins->opnd[i];
  bool address = ptx_is_address(ins, i);
  bool wants_pred = ptx_wants_predicate(ins, i);
  if (ins->op == PTX_OP_CREATEPOLICY && i > 0) return true; /* a hint */
  if (i < ins->ndst && o->kind != PTX_REG && o->kind != PTX_SINK) return false;
  if (i >= ins->ndst && o->kind == PTX_SINK) return false;
  if ((o->kind == PTX_ADDR) != address) return false;
  if (o->kind == PTX_SYM && !(ptx_traits(ins->op) & PTX_T_SYMBOL)) return false;
  if (o->kind == PTX_SREG && ins->op != PTX_OP_MOV && ins->op != PTX_OP_CVT) return false;
  if (o->subword && !(ptx_traits(ins->op) & PTX_T_VIDEO)) return false;
  if (o->negated && (!wants_pred || i < ins->ndst)) return false;
  if (o->reg < 0) return true;
  int bits = ((const ptx_reg *)P->regs.data)[o->reg].bits;
  if (ins->op == PTX_OP_CP && i == 3) return true; /* bytes to copy, or a predicate that says "none" */
  return (bits == 1) == wants_pred && !(o->kind == PTX_ADDR && bits != 32 && bits != 64);
}

/* A named variable must be in the state space of the instruction; accesses of parameters must be inside of them. */
static int check_place(ptx_parser *P, ptx_ins *ins, const ptx_operand *o) {
  const ptx_sym *sym = o->sym;
  uint8_t space = ins->op == PTX_OP_CP && o != ins->opnd ? ins->space2 : ins->space;
  if (o->kind != PTX_ADDR || !sym) return 0;
  if (sym->kind != PTX_SYM_VAR || (space != PTX_GENERIC && space != sym->space))
    return refuse_operands(P, ins, "'%.80s' does not lie in the space of", sym->name);
  uint64_t bytes = (uint64_t)ptx_type_bits((ptx_type)ins->type) / 8 * ins->vec;
  if (sym->space == PTX_PARAM && (o->imm < 0 || (uint64_t)o->imm > sym->size || sym->size - (uint64_t)o->imm < bytes))
    return refuse_operands(P, ins, "parameter '%.80s' has %llu bytes, which are exceeded by", sym->name,
                           (unsigned long long)sym->size);
  return 0;
}

/* 0: the operands fit; 1: the instruction is refused; -1 failed. */
static int check(ptx_parser *P, const ptx_form *form, ptx_ins *ins) {
  if (!count_fits(form, ins)) return refuse_operands(P, ins, "the CPU device does not take these operands:");
  for (int i = 0; i < ins->ndst + ins->nsrc; i++)
    if (!kind_fits(P, ins, i)) return refuse_operands(P, ins, "operand %d is of the wrong kind:", i + 1);
  int rc = 0;
  for (int i = 0; rc == 0 && i < ins->ndst + ins->nsrc; i++) rc = check_place(P, ins, &ins->opnd[i]);
  return rc;
}

/* Converts float constants to the type of the instruction: bits of an f64, or of an f32 in the low half. */
static void fix_floats(ptx_ins *ins) {
  for (int i = 0; i < ins->ndst + ins->nsrc; i++) {
    ptx_operand *o = &ins->opnd[i];
    bool second = ins->op == PTX_OP_CVT || ins->op == PTX_OP_SET || (ins->op == PTX_OP_SLCT && i == 3);
    int bits = ptx_type_bits((ptx_type)(second ? ins->type2 : ins->type));
    if (o->kind != PTX_IMM || !o->is_float) continue;
    if (ptx_traits(ins->op) & PTX_T_TEXTURE) bits = 32;
    if (bits <= 64) o->imm = (int64_t)ptxp_constant_bits(bits == 64 ? PTX_F64 : PTX_F32, o, (char)o->sreg);
    o->sreg = 0;
  }
}

/* ---- calls and branches ---- */

/* An argument that is a register or a constant gets a variable of its own, `size` bytes, 0: as the register says. */
static int direct_argument(ptx_parser *P, ptx_argument *a, uint64_t size, bool *refuse) {
  ptx_tok t = P->lex.tok;
  char fkind;
  int vec = 1;
  a->value.kind = PTX_REG;
  int found = t.kind == PTX_TOK_NAME ? ptxp_find_reg(P, t.s, t.len, &a->value.reg, &vec) : 0;
  if (found < 0) return -1;
  if (found) {
    int bits = ((ptx_reg *)P->regs.data)[a->value.reg].bits;
    size = (uint64_t)bits / 8;
    ptx_lex_next(&P->lex);
  } else if (t.kind == PTX_TOK_NAME) {
    ptx_lex_next(&P->lex);
    *refuse = true;
    return 0;
  } else {
    if (ptxp_constant(P, &a->value, &fkind) != 0) return -1;
    a->value.kind = PTX_IMM;
    a->value.reg = -1;
  }
  if (vec > 1 || size == 0 || size > 16) *refuse = true;
  if (*refuse) return 0;
  a->direct = true;
  a->sym = ptxp_hidden_param(P, size);
  return a->sym ? 0 : ptxp_oom(P);
}

/* (a, b): .param variables, registers, constants. Anything else sets `refuse`. */
static int read_arguments(ptx_parser *P, ptx_vec *list, const ptx_func *callee, bool *refuse) {
  if (ptxp_expect(P, '(') != 0) return -1;
  while (!ptx_tok_is(&P->lex.tok, ')')) {
    ptx_tok t = P->lex.tok;
    ptx_sym *sym = t.kind == PTX_TOK_NAME ? ptxp_sym_find(P, t.s, t.len) : NULL;
    int i = (int)list->n;
    ptx_argument *a = ptxp_push(list, sizeof *a);
    if (!a) return ptxp_oom(P);
    if (sym && sym->kind == PTX_SYM_VAR && sym->space == PTX_PARAM) {
      a->sym = sym;
      ptx_lex_next(&P->lex);
    } else if (direct_argument(P, a, callee && i < callee->nparams ? callee->params[i]->size : 4, refuse) != 0) {
      return -1;
    }
    if (!ptxp_accept(P, ',')) break;
  }
  return ptxp_expect(P, ')');
}

static int call_target(ptx_parser *P, ptx_ins *ins) {
  ptx_tok t;
  int32_t reg;
  int vec, found;
  if (ptxp_name(P, &t, "a function") != 0 || (found = ptxp_find_reg(P, t.s, t.len, &reg, &vec)) < 0) return -1;
  if (!found) {
    ins->callee = ptxp_sym_find(P, t.s, t.len);
    if (!ins->callee || ins->callee->kind != PTX_SYM_FUNC) return unknown_name(P, &t);
    return 0;
  }
  int bits = ((ptx_reg *)P->regs.data)[reg].bits;
  if (bits != 32 && bits != 64) return ptxp_fail(P, t.line, "a call goes through a register that holds no address");
  ptx_operand *o = add(P, PTX_REG);
  if (!o) return -1;
  o->reg = reg;
  ins->nsrc = 1;
  return 0;
}

/* Arguments and result must be at least as large as the callee's, whose sizes are copied. 1: refused. */
static int check_call(ptx_parser *P, ptx_ins *ins) {
  const ptx_func *f = ins->callee ? ins->callee->func : NULL;
  if (!f) return 0;
  bool fits = ins->ncall_args == f->nparams && !(ins->call_ret && (!f->ret || f->ret->size > ins->call_ret->size));
  for (int i = 0; fits && i < f->nparams; i++) fits = ins->call_args[i]->size >= f->params[i]->size;
  if (fits) return 0;
  ins->ncall_args = 0;
  ins->call_ret = NULL;
  P->args.n = P->results.n = 0;
  return refuse_operands(P, ins, "arguments or result do not fit function '%.80s':", f->name);
}

/* The callee's view of the arguments. */
static int keep_arguments(ptx_parser *P, ptx_ins *ins, const ptx_vec *args, const ptx_vec *rets) {
  const ptx_argument *a = args->data;
  ins->ncall_args = (int)args->n;
  ins->call_args = dc_arena_alloc(&P->m->arena, (args->n + 1) * sizeof *ins->call_args);
  if (!ins->call_args) return ptxp_oom(P);
  for (size_t i = 0; i < args->n; i++) ins->call_args[i] = a[i].sym;
  if (rets->n > 0) ins->call_ret = ((const ptx_argument *)rets->data)->sym;
  return 0;
}

/* call (result), target, (arguments), prototype; with every part but the target optional. 1: refused. */
static int read_call(ptx_parser *P, ptx_ins *ins, bool *refuse) {
  ptx_vec *rets = &P->results, *args = &P->args;
  P->ops.n = rets->n = args->n = 0;
  if (ptx_tok_is(&P->lex.tok, '(') && (read_arguments(P, rets, NULL, refuse) != 0 || ptxp_expect(P, ',') != 0))
    return -1;
  for (size_t i = 0; i < rets->n; i++) /* a result is no constant */
    if (((ptx_argument *)rets->data)[i].direct && ((ptx_argument *)rets->data)[i].value.kind != PTX_REG) *refuse = true;
  if (call_target(P, ins) != 0) return -1;
  bool more = ptxp_accept(P, ',');
  if (more && ptx_tok_is(&P->lex.tok, '(')) {
    if (read_arguments(P, args, ins->callee ? ins->callee->func : NULL, refuse) != 0) return -1;
    more = ptxp_accept(P, ',');
  }
  if (more) { /* a .callprototype or .calltargets: redundant, the arguments are known */
    ptx_tok prototype;
    if (ptxp_name(P, &prototype, "a prototype's name") != 0) return -1;
  }
  if (rets->n > 1) *refuse = true;
  if (*refuse) args->n = rets->n = 0;
  if (keep_arguments(P, ins, args, rets) != 0 || ptxp_expect(P, ';') != 0) return -1;
  return *refuse ? 0 : check_call(P, ins);
}

/* bra label; its operand gets the instruction index when the scope ends. */
static int read_branch(ptx_parser *P, ptx_ins *ins) {
  ptx_tok t;
  if (ptxp_name(P, &t, "a label") != 0) return -1;
  ins->opnd = dc_arena_alloc(&P->m->arena, sizeof *ins->opnd);
  if (!ins->opnd) return ptxp_oom(P);
  ins->nsrc = 1;
  ins->opnd->kind = PTX_LABEL;
  ins->opnd->reg = -1;
  if (ptxp_pending_add(P, &t, ins->opnd, -1) != 0) return -1;
  return ptxp_expect(P, ';');
}

/* brx.idx index, list; */
static int read_brx(ptx_parser *P, ptx_ins *ins) {
  bool refuse = false;
  P->ops.n = 0;
  if (P->lex.tok.kind != PTX_TOK_NAME) return ptxp_expected(P, "an index register");
  if (read_name(P, false, &refuse) != 0) return -1;
  const ptx_operand *o = P->ops.data;
  if (refuse || P->ops.n != 1 || o->kind != PTX_REG || ((ptx_reg *)P->regs.data)[o->reg].bits != 32)
    return ptxp_fail(P, ins->ptx_line, "brx.idx needs a 32-bit register as index");
  ins->nsrc = 1;
  ptx_tok t;
  if (ptxp_expect(P, ',') != 0 || ptxp_name(P, &t, "the name of a .branchtargets list") != 0) return -1;
  if (ptxp_pending_add(P, &t, NULL, (int32_t)P->ins.n) != 0) return -1;
  return ptxp_expect(P, ';');
}

/* ---- the instruction ---- */

static int read_guard(ptx_parser *P, int32_t *pred, bool *neg) {
  int vec, found;
  ptx_tok t;
  *neg = ptxp_accept(P, '!') != 0;
  if (ptxp_name(P, &t, "a predicate") != 0 || (found = ptxp_find_reg(P, t.s, t.len, pred, &vec)) < 0) return -1;
  if (!found) return unknown_name(P, &t);
  if (((ptx_reg *)P->regs.data)[*pred].bits != 1)
    return ptxp_fail(P, t.line, "the guard '%.*s' is no predicate", (int)(t.len < 80 ? t.len : 80), t.s);
  return 0;
}

/* The form of the opcode at the current token, decoded when first met. */
static const ptx_form *find_form(ptx_parser *P) {
  ptx_lex_opcode(&P->lex);
  const ptx_tok *t = &P->lex.tok;
  ptx_form *form = dc_map_get(&P->forms, t->s, t->len);
  if (form) return form;
  char *text = dc_arena_strndup(&P->m->arena, t->s, t->len);
  form = dc_arena_alloc(&P->m->arena, sizeof *form);
  if (!text || !form || dc_map_set(&P->forms, t->s, t->len, form) != 0) {
    ptxp_oom(P);
    return NULL;
  }
  ptx_form_decode(text, form);
  ptx_form_check(form);
  if (!form->refused || !form->why[0] || form->ins.op == PTX_OP_UNKNOWN) return form;
  char why[240];
  snprintf(why, sizeof why, "the CPU device has no instruction '%.120s': %s", text, form->why);
  form->ins.refusal = dc_arena_strndup(&P->m->arena, why, strlen(why));
  if (!form->ins.refusal) ptxp_oom(P);
  return form->ins.refusal ? form : NULL;
}

/* Sets the type of cp.async from the operand that is its size; another that is as large says nothing. */
static int size_copy(ptx_parser *P, ptx_ins *ins) {
  const ptx_operand *o = &ins->opnd[2];
  int64_t n = o->kind == PTX_IMM && !o->is_float ? o->imm : 0;
  if (ins->nsrc == 4 && o[1].kind == PTX_IMM && o[1].imm == n) ins->nsrc = 3;
  ins->type = n == 4 ? PTX_B32 : n == 8 ? PTX_B64 : n == 16 ? PTX_B128 : PTX_NOTYPE;
  return ins->type ? 0 : refuse_operands(P, ins, "an instruction of this kind copies 4, 8 or 16 bytes:");
}

/* Splits the flat operands: all sources for a form without a destination. 1: refused. */
static int place_operands(ptx_parser *P, const ptx_form *form, ptx_ins *ins, int first, bool refused) {
  bool has_dst = form->ndst_max > 0 || form->shape == PTX_SHAPE_MOV || form->shape == PTX_SHAPE_LOAD ||
                 form->shape == PTX_SHAPE_ATOM;
  ins->ndst = (uint16_t)(has_dst ? first : 0);
  ins->nsrc = (uint16_t)(P->ops.n - ins->ndst);
  if (refused || form->shape == PTX_SHAPE_FREE) return 0;
  const int rc = check(P, form, ins);
  return rc == 0 && ins->op == PTX_OP_CP && ins->mode == PTX_CP_COPY ? size_copy(P, ins) : rc;
}

static int push_instruction(ptx_parser *P, const ptx_ins *ins) { return ptxp_append(P, &P->ins, ins, sizeof *ins); }

/* A call, preceded by stores of its direct arguments and followed by loads of its direct results. */
static int call_instruction(ptx_parser *P, const ptx_form *form, ptx_ins *ins) {
  bool refuse = form->refused;
  if (read_call(P, ins, &refuse) < 0) return -1;
  if (!(ins->opnd = ptxp_keep(P, &P->ops, sizeof *ins->opnd))) return ptxp_oom(P);
  if (refuse) ins->flags |= PTX_F_REFUSED;
  if (ptxp_before_call(P, ins, &P->args) != 0 || push_instruction(P, ins) != 0) return -1;
  return ptxp_after_call(P, ins, &P->results);
}

static int jump_instruction(ptx_parser *P, const ptx_form *form, ptx_ins *ins) {
  bool list = form->shape == PTX_SHAPE_BRX;
  if ((list ? read_brx(P, ins) : read_branch(P, ins)) != 0) return -1;
  if (list && !(ins->opnd = ptxp_keep(P, &P->ops, sizeof *ins->opnd))) return ptxp_oom(P);
  if (form->refused) ins->flags |= PTX_F_REFUSED;
  return push_instruction(P, ins);
}

/* The operands of an unknown instruction may have a syntax that is unknown, too: reads on behind its ';' where the text
** has one before it goes on with something else.  Else -1 and the error stays. */
static int skip_operands(ptx_parser *P, const ptx_lex *lex) {
  const ptx_lex failed = P->lex;
  int depth = 0;
  for (P->lex = *lex;; ptx_lex_next(&P->lex)) {
    const ptx_tok *t = &P->lex.tok;
    if (ptxp_accept(P, ';')) break;
    depth += ptx_tok_is(t, '{') - ptx_tok_is(t, '}');
    const bool directive = t->kind == PTX_TOK_DOT && t->s[-1] <= ' '; /* not a suffix */
    if (depth < 0 || directive || t->kind == PTX_TOK_END || t->kind == PTX_TOK_BAD) {
      P->lex = failed;
      return -1;
    }
  }
  dc_error_clear(P->err);
  P->ops.n = 0;
  return 0;
}

static int plain_instruction(ptx_parser *P, const ptx_form *form, ptx_ins *ins) {
  bool refuse = false;
  P->has_handle = (ptx_traits(ins->op) & PTX_T_TEXTURE) != 0;
  const ptx_lex lex = P->lex;
  int first = 0, rc = read_operands(P, &first, &refuse);
  if (rc != 0 && form->refused && P->err->kind == DC_COMPILE) {
    first = 0;
    rc = skip_operands(P, &lex);
  }
  if (rc == 0) rc = ptxp_move_specials(P, ins);
  if (rc != 0) return -1;
  refuse = refuse || form->refused;
  if (!(ins->opnd = ptxp_keep(P, &P->ops, sizeof *ins->opnd))) return ptxp_oom(P);
  if ((rc = place_operands(P, form, ins, first, refuse)) < 0) return -1;
  refuse = refuse || rc > 0;
  fix_floats(ins);
  if (refuse) ins->flags |= PTX_F_REFUSED;
  else if ((rc = ptxp_expand(P, ins)) != 0) return rc < 0 ? -1 : 0;
  if (ins->op == PTX_OP_RET && ptxp_before_ret(P, ins) != 0) return -1;
  return push_instruction(P, ins);
}

int ptxp_instruction(ptx_parser *P) {
  int32_t pred = -1;
  bool neg = false;
  if (ptxp_accept(P, '@') && read_guard(P, &pred, &neg) != 0) return -1;
  if (P->lex.tok.kind != PTX_TOK_NAME) return ptxp_expected(P, "an instruction");
  const ptx_form *form = find_form(P);
  if (!form) return -1;
  ptx_ins ins = form->ins;
  ins.pred = pred;
  ins.pred_neg = neg;
  ins.ptx_line = P->lex.tok.line;
  ins.line = ptxp_line(P, ins.ptx_line);
  P->statement = P->lex.tok.s;
  ptx_lex_next(&P->lex);
  switch (form->shape) {
    case PTX_SHAPE_CALL: return call_instruction(P, form, &ins);
    case PTX_SHAPE_BRANCH: case PTX_SHAPE_BRX: return jump_instruction(P, form, &ins);
    default: return plain_instruction(P, form, &ins);
  }
}
