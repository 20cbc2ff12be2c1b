/*
** inline.c - see inline.h.
**
** Round by round, each call in a function is replaced by the callee's body as it was read: registers, local variables
** and variables for arguments of calls get places of their own, a ret is a branch behind the call, and parameters are
** the caller's variables for the arguments.  In the end those variables become registers where their accesses are
** uniform.  A call by address, where all functions that it may reach can be inlined, is a chain of comparisons with
** their addresses, each before a body, and a call that fails (PTX_F_LOST).  What stays a call: recursion, other
** function pointers, long functions, and what would make a module too long.
*/
#include "cpu/ptx/inline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/runtime.h"
#include "cpu/ptx/declaration.h"
#include "cpu/ptx/lower.h"
#include "cpu/ptx/opcode.h"

#define MOST_ROUNDS 16          /* the depth of calls */
#define LONGEST_CALLER 10000    /* instructions; native code is made of functions up to 15,000 */
#define MOST_ADDED (1 << 17)    /* of a module */
#define MOST_TARGETS 16         /* of a call by address */
#define LONGEST_TARGETS 1500    /* instructions of all of them */

typedef struct inliner {
  ptx_parser *P;
  ptx_func *f;      /* the caller */
  int added;        /* instructions of the module, so far */
  ptx_vec work;     /* ptx_func *: to inline into */
  bool *listed;     /* per function: it is or was in `work` */
  int8_t *fit;      /* per function: 1: its body can stand in a caller, -1: it cannot, 0: not known yet */
  int32_t *at;      /* per instruction: its new index */
  dc_map clones;    /* of the call that is being replaced: a variable's address -> that of its copy */
} inliner;

/* ---- which calls ---- */

/* Whether an instruction takes the address of a parameter, or accesses one by a register. */
static bool needs_parameters(const ptx_ins *ins) {
  for (int k = 0; k < ins->ndst + ins->nsrc; k++) {
    const ptx_operand *o = &ins->opnd[k];
    if (o->kind == PTX_SYM && o->sym->space == PTX_PARAM) return true;
    if (o->kind == PTX_ADDR && !o->sym && ins->space == PTX_PARAM) return true;
  }
  return false;
}

static bool find_fit(const ptx_func *g) {
  if (g->entry || g->declared_only || g->recursive) return false;
  for (int i = 0; i < g->nins; i++)
    if (needs_parameters(&g->ins[i])) return false;
  return true;
}

static bool is_fit(inliner *I, const ptx_func *g) {
  if (I->fit[g->index] == 0) I->fit[g->index] = find_fit(g) ? 1 : -1;
  return I->fit[g->index] > 0;
}

/* Whether a call by address may reach g, as when it runs. */
static bool may_reach(const ptx_ins *call, const ptx_func *g) {
  bool fits = g->taken && g->nparams == call->ncall_args;
  fits = fits && (g->ret ? g->ret->size : 0) >= (call->call_ret ? call->call_ret->size : 0);
  for (int i = 0; fits && i < g->nparams; i++) fits = g->params[i]->size == call->call_args[i]->size;
  return fits;
}

/* A target is no part of its caller if it waits for other threads, or has what would refuse the caller. */
static bool is_target(inliner *I, const ptx_func *g) {
  bool may = is_fit(I, g) && !g->has_barrier && !g->has_call;
  for (int i = 0; i < g->nins && may; i++) may = !(g->ins[i].flags & PTX_F_REFUSED);
  return may;
}

/* The functions that a call reaches, in `list`.  Their number; 0: it stays a call. */
static int callees_of(inliner *I, const ptx_ins *ins, const ptx_func *list[MOST_TARGETS]) {
  const ptx_module *m = I->P->m;
  int n = 0, length = 0;
  if (ins->op != PTX_OP_CALL || ins->pred >= 0 || (ins->flags & (PTX_F_REFUSED | PTX_F_LOST))) return 0;
  if (ins->callee) {
    list[0] = ins->callee->func;
    return list[0] && is_fit(I, list[0]);
  }
  if (ins->opnd[0].kind != PTX_REG || ((const ptx_reg *)I->P->regs.data)[ins->opnd[0].reg].bits != 64) return 0;
  for (int i = 0; i < m->nfuncs; i++) {
    const ptx_func *g = m->funcs[i];
    if (!may_reach(ins, g)) continue;
    length += g->nins;
    if (n == MOST_TARGETS || length > LONGEST_TARGETS || !is_target(I, g)) return 0;
    list[n++] = g;
  }
  return n;
}

/* Instructions of a callee that are copied: where it ends with a ret, lanes go on behind the call. */
static int body_length(const ptx_func *g) {
  int n = g->nins;
  while (n > 0 && g->ins[n - 1].op == PTX_OP_RET && g->ins[n - 1].pred < 0) n--;
  return n;
}

/* ---- a callee's body ---- */

static uint64_t key_of(const void *p) { return (uint64_t)(uintptr_t)p; }

/* The variable that stands for `sym` in the caller; NULL: out of memory.  A callee's variables lie behind the caller's:
** those of calls in one round are not in use at the same time. */
static ptx_sym *clone(inliner *I, ptx_sym *sym, uint32_t local, uint32_t callparam) {
  if (!sym || sym->kind != PTX_SYM_VAR || (sym->space != PTX_LOCAL && sym->space != PTX_PARAM)) return sym;
  ptx_sym *known = (ptx_sym *)(uintptr_t)ptxp_number_get(&I->clones, key_of(sym));
  if (known) return known;
  ptx_sym *copy = dc_arena_alloc(&I->P->m->arena, sizeof *copy);
  if (!copy || ptxp_number_set(&I->clones, key_of(sym), key_of(copy)) != 0) return NULL;
  *copy = *sym;
  copy->offset += sym->space == PTX_LOCAL ? local : callparam;
  return copy;
}

/* The callee's parameters and result are the call's; a result that the call ignores has a variable of its own. */
static int bind_parameters(inliner *I, const ptx_ins *call, const ptx_func *g, uint64_t *end) {
  ptx_sym *ret = call->call_ret;
  if (g->ret && !ret) {
    if (!(ret = dc_arena_alloc(&I->P->m->arena, sizeof *ret))) return ptxp_oom(I->P);
    *ret = *g->ret;
    ret->inside = true;
    ret->offset = ptxp_lay_out(end, ret->size, ret->align);
  }
  if (g->ret && ptxp_number_set(&I->clones, key_of(g->ret), key_of(ret)) != 0) return ptxp_oom(I->P);
  for (int i = 0; i < g->nparams; i++)
    if (ptxp_number_set(&I->clones, key_of(g->params[i]), key_of(call->call_args[i])) != 0) return ptxp_oom(I->P);
  return 0;
}

typedef struct callee_place {
  int32_t regs, ins;         /* of its first register and instruction */
  int length;
  uint32_t local, callparam; /* where its variables begin */
} callee_place;

static int clone_calls(inliner *I, ptx_ins *ins, const callee_place *at) {
  ptx_sym **args = dc_arena_alloc(&I->P->m->arena, (size_t)(ins->ncall_args + 1) * sizeof *args);
  if (!args) return ptxp_oom(I->P);
  for (int i = 0; i < ins->ncall_args; i++)
    if (!(args[i] = clone(I, ins->call_args[i], at->local, at->callparam))) return ptxp_oom(I->P);
  if (ins->call_ret && !(ins->call_ret = clone(I, ins->call_ret, at->local, at->callparam))) return ptxp_oom(I->P);
  ins->call_args = args;
  return 0;
}

/* Labels of a copy are final: ~index in the new body. */
static int copy_instruction(inliner *I, const ptx_ins *from, const callee_place *at) {
  ptx_parser *P = I->P;
  ptx_ins ins = *from;
  const bool returns = ins.op == PTX_OP_RET;
  const int n = returns ? 1 : ins.ndst + ins.nsrc;
  ptx_operand *o = dc_arena_alloc(&P->m->arena, (size_t)(n + 1) * sizeof *o);
  if (!o) return ptxp_oom(P);
  if (returns) {
    ptx_form form;
    ptx_form_decode("bra", &form);
    ins = form.ins;
    ins.pred = from->pred;
    ins.pred_neg = from->pred_neg;
    ins.line = from->line;
    ins.ptx_line = from->ptx_line;
    ins.nsrc = 1;
    *o = (ptx_operand){.kind = PTX_LABEL, .reg = -1, .imm = at->length};
  } else {
    memcpy(o, from->opnd, (size_t)n * sizeof *o);
  }
  ins.opnd = o;
  if (ins.pred >= 0) ins.pred += at->regs;
  for (int k = 0; k < n; k++) {
    if (o[k].reg >= 0) o[k].reg += at->regs;
    if (o[k].kind == PTX_LABEL) o[k].imm = ~(at->ins + (o[k].imm < at->length ? o[k].imm : at->length));
    if (o[k].sym && !(o[k].sym = clone(I, o[k].sym, at->local, at->callparam))) return ptxp_oom(P);
  }
  if (ins.op == PTX_OP_CALL && clone_calls(I, &ins, at) != 0) return -1;
  return ptxp_append(P, &P->ins, &ins, sizeof ins);
}

/* Appends g's registers to the parser's. */
static int append_registers(ptx_parser *P, const ptx_func *g) {
  ptx_reg *regs = ptxp_push_n(&P->regs, (size_t)g->nregs, sizeof *regs);
  if (!regs) return ptxp_oom(P);
  if (g->nregs) memcpy(regs, g->regs, (size_t)g->nregs * sizeof *regs);
  return 0;
}

static int inline_call(inliner *I, const ptx_ins *call, const ptx_func *g, uint32_t local, uint32_t callparam) {
  ptx_parser *P = I->P;
  uint64_t end = callparam + g->callparam_size;
  const callee_place at = {(int32_t)P->regs.n, (int32_t)P->ins.n, body_length(g), local, callparam};
  dc_map_free(&I->clones);
  if (bind_parameters(I, call, g, &end) != 0 || append_registers(P, g) != 0) return -1;
  for (int i = 0; i < at.length; i++)
    if (copy_instruction(I, &g->ins[i], &at) != 0) return -1;
  if (local + g->local_size > I->f->local_size) I->f->local_size = local + g->local_size;
  end = (end + 15) & ~15ull;
  if (end > I->f->callparam_size) I->f->callparam_size = (uint32_t)end;
  I->added += at.length;
  return 0;
}

/* ---- a new body ---- */

static int begin_rewriting(inliner *I) {
  ptx_parser *P = I->P;
  P->ins.n = 0;
  free(I->at);
  I->at = malloc(((size_t)I->f->nins + 1) * sizeof *I->at);
  return I->at ? 0 : ptxp_oom(P);
}

/* P->ins is the function's body from now on. */
static int end_rewriting(inliner *I) {
  ptx_parser *P = I->P;
  ptx_func *f = I->f;
  I->at[f->nins] = (int32_t)P->ins.n;
  ptx_ins *ins = P->ins.data;
  for (size_t i = 0; i < P->ins.n; i++)
    for (int k = 0; k < ins[i].ndst + ins[i].nsrc; k++) {
      ptx_operand *o = &ins[i].opnd[k];
      if (o->kind == PTX_LABEL) o->imm = o->imm < 0 ? ~o->imm : I->at[o->imm];
    }
  if (!(f->ins = ptxp_keep(P, &P->ins, sizeof *f->ins))) return ptxp_oom(P);
  f->nins = (int)P->ins.n;
  return 0;
}

/* A branch for lanes with or without predicate `pred` (-1: all); to an index of the new body that *to is set to. */
static int put_branch(inliner *I, const ptx_ins *like, int32_t pred, int64_t **to) {
  ptx_ins guarded = *like;
  const ptx_operand label = {.kind = PTX_LABEL, .reg = -1};
  guarded.pred = pred;
  if (ptxp_emit(I->P, "bra", &guarded, 0, 1, &label) != 0) return -1;
  *to = &((ptx_ins *)I->P->ins.data)[I->P->ins.n - 1].opnd->imm;
  return 0;
}

/* Lanes whose target is g run its body and go on behind all of them, *end; the others go on here. */
static int inline_target(inliner *I, const ptx_ins *call, const ptx_func *g, uint32_t local, uint32_t callparam,
                         int64_t **end) {
  ptx_parser *P = I->P;
  int64_t *other;
  const int32_t address = ptxp_new_register(P, 64), differs = ptxp_new_register(P, 1);
  if (address < 0 || differs < 0) return -1;
  const ptx_operand is = {.kind = PTX_REG, .reg = address};
  ptx_sym *sym = dc_map_get(&P->m->syms, g->name, strlen(g->name));
  const ptx_operand move[] = {is, {.kind = PTX_SYM, .reg = -1, .sym = sym}};
  const ptx_operand test[] = {{.kind = PTX_REG, .reg = differs}, call->opnd[0], is};
  if (ptxp_emit(P, "mov.u64", call, 1, 2, move) != 0 || ptxp_emit(P, "setp.ne.s64", call, 1, 3, test) != 0 ||
      put_branch(I, call, differs, &other) != 0 || inline_call(I, call, g, local, callparam) != 0 ||
      put_branch(I, call, -1, end) != 0)
    return -1;
  *other = ~(int64_t)P->ins.n;
  return 0;
}

static int inline_targets(inliner *I, const ptx_ins *call, const ptx_func *const *list, int n, uint32_t local,
                          uint32_t callparam) {
  int64_t *ends[MOST_TARGETS];
  for (int i = 0; i < n; i++)
    if (inline_target(I, call, list[i], local, callparam, &ends[i]) != 0) return -1;
  ptx_ins lost = *call;
  lost.flags |= PTX_F_LOST;
  lost.ncall_args = 0;
  lost.call_ret = NULL;
  if (ptxp_append(I->P, &I->P->ins, &lost, sizeof lost) != 0) return -1;
  for (int i = 0; i < n; i++) *ends[i] = ~(int64_t)I->P->ins.n;
  return 0;
}

/* Replaces the calls that f makes now; *more: there was one. */
static int inline_round(inliner *I, bool *more) {
  ptx_parser *P = I->P;
  ptx_func *f = I->f;
  const uint32_t local = f->local_size, callparam = f->callparam_size;
  int length = f->nins;
  *more = false;
  const ptx_func *list[MOST_TARGETS];
  for (int i = 0; i < f->nins && !*more; i++) *more = callees_of(I, &f->ins[i], list) > 0;
  if (!*more) return 0;
  *more = false;
  if (begin_rewriting(I) != 0) return -1;
  for (int i = 0; i < f->nins; i++) {
    if (i % 4096 == 0 && dc_interrupted()) return ptxp_interrupted(P);
    const ptx_ins *ins = &f->ins[i];
    const int n = callees_of(I, ins, list);
    int longer = 0;
    for (int k = 0; k < n; k++) longer += list[k]->nins;
    I->at[i] = (int32_t)P->ins.n;
    if (n > 0 && length + longer <= LONGEST_CALLER && I->added + longer <= MOST_ADDED) {
      const int rc = ins->callee ? inline_call(I, ins, list[0], local, callparam)
                                 : inline_targets(I, ins, list, n, local, callparam);
      if (rc != 0) return -1;
      length += longer;
      *more = true;
    } else if (ptxp_append(P, &P->ins, ins, sizeof *ins) != 0) {
      return -1;
    }
  }
  return end_rewriting(I);
}

/* ---- arguments in registers ---- */

/* A part of a variable that becomes a register: a store or load of it, which holds all loads of less. */
typedef struct part {
  uint32_t at, bytes;
  bool stored;
  int32_t reg;
} part;

typedef struct variable {
  ptx_sym *sym;
  bool called;      /* a call needs it as it is */
  bool stays;       /* in memory */
  part parts[16];
  int nparts;
} variable;

static bool is_access(const ptx_ins *ins) {
  return (ins->op == PTX_OP_LD || ins->op == PTX_OP_ST) && ins->space == PTX_PARAM && !(ins->flags & PTX_F_STRONG) &&
         !(ins->flags & PTX_F_REFUSED) && ins->nsrc == (ins->op == PTX_OP_LD ? 1 : 1 + ins->vec);
}

/* The part that has these bytes, or NULL. */
static part *part_of(variable *v, uint32_t at, uint32_t bytes) {
  for (int i = 0; i < v->nparts; i++)
    if (v->parts[i].at <= at && at + bytes <= v->parts[i].at + v->parts[i].bytes) return &v->parts[i];
  return NULL;
}

/* Notes an element that a load or store accesses. */
static void note_part(variable *v, uint32_t at, uint32_t bytes, bool stores) {
  part *p = part_of(v, at, bytes);
  if (p && (p->bytes == bytes || !stores)) {
    p->stored |= stores;
    return;
  }
  int n = 0;
  for (int i = 0; i < v->nparts; i++) {
    const part *q = &v->parts[i];
    const bool apart = q->at + q->bytes <= at || at + bytes <= q->at;
    const bool within = at <= q->at && q->at + q->bytes <= at + bytes && !q->stored; /* loads of less */
    v->stays |= !apart && !within;
    if (apart) v->parts[n++] = *q;
  }
  v->nparts = n;
  v->stays |= n == (int)(sizeof v->parts / sizeof *v->parts);
  if (!v->stays) v->parts[v->nparts++] = (part){at, bytes, stores, -1};
}

static void note_parts(variable *v, const ptx_ins *ins) {
  const uint32_t bytes = (uint32_t)ptx_type_bits((ptx_type)ins->type) / 8;
  if (bytes == 0 || bytes > 8) v->stays = true;
  for (uint32_t k = 0; k < ins->vec && !v->stays; k++)
    note_part(v, (uint32_t)ins->opnd[ins->ndst].imm + k * bytes, bytes, ins->op == PTX_OP_ST);
}

/* The variable for arguments of the caller that `sym` is, made when first met; NULL: another, or out of memory. */
static variable *variable_of(inliner *I, ptx_sym *sym, int *rc) {
  if (!sym || sym->kind != PTX_SYM_VAR || sym->space != PTX_PARAM || !sym->inside) return NULL;
  variable *v = (variable *)(uintptr_t)ptxp_number_get(&I->clones, key_of(sym));
  if (v) return v;
  v = dc_arena_alloc(&I->P->m->arena, sizeof *v);
  if (v) v->sym = sym;
  if (!v || ptxp_number_set(&I->clones, key_of(sym), key_of(v)) != 0) {
    *rc = ptxp_oom(I->P);
    return NULL;
  }
  return v;
}

static int keep_in_memory(inliner *I, ptx_sym *sym) {
  int rc = 0;
  variable *v = variable_of(I, sym, &rc);
  if (v) v->called = true;
  return rc;
}

static int find_variables(inliner *I) {
  const ptx_func *f = I->f;
  dc_map_free(&I->clones);
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    int rc = 0;
    for (int k = 0; k < ins->ncall_args && rc == 0; k++) rc = keep_in_memory(I, ins->call_args[k]);
    if (ins->op == PTX_OP_CALL && rc == 0) rc = keep_in_memory(I, ins->call_ret);
    for (int k = 0; k < ins->ndst + ins->nsrc && rc == 0; k++) {
      variable *v = variable_of(I, ins->opnd[k].sym, &rc);
      if (v && (!is_access(ins) || k != ins->ndst)) v->called = true;
      else if (v) note_parts(v, ins);
    }
    if (rc != 0) return rc;
  }
  return 0;
}

static const char *move_text(uint32_t bits) { return bits == 64 ? "mov.b64" : bits == 32 ? "mov.b32" : "mov.b16"; }

/* d = a register of `from` bits, of which the low `bits` count, widened as the load's type says or cut off. */
static int put_move(inliner *I, const ptx_ins *like, ptx_operand d, ptx_operand a, uint32_t bits, uint32_t to) {
  char text[32];
  ptx_operand opnd[] = {d, a};
  opnd[1].is_float = false;
  const char sign = like->type >= PTX_S8 && like->type <= PTX_S64 ? 's' : 'u';
  if (to == bits) return ptxp_emit(I->P, move_text(bits), like, 1, 2, opnd);
  snprintf(text, sizeof text, "cvt.%c%u.%c%u", sign, (unsigned)to, sign, (unsigned)bits);
  return ptxp_emit(I->P, dc_arena_strndup(&I->P->m->arena, text, strlen(text)), like, 1, 2, opnd);
}

static uint32_t register_bits(const inliner *I, int32_t reg) {
  return (uint32_t)ptx_container(((const ptx_reg *)I->P->regs.data)[reg].bits);
}

/* The bits of a part from bit `shift` on, in a register for `bits`; -1: failed. */
static int32_t cut(inliner *I, const ptx_ins *like, const part *p, uint32_t shift, uint32_t bits) {
  const ptx_operand amount = {.kind = PTX_IMM, .reg = -1, .imm = shift};
  ptx_operand from = {.kind = PTX_REG, .reg = p->reg}, to = from;
  const uint32_t wide = (uint32_t)ptx_container((int)p->bytes * 8), container = (uint32_t)ptx_container((int)bits);
  if (shift) {
    if ((to.reg = ptxp_new_register(I->P, (int)wide)) < 0) return -1;
    const ptx_operand opnd[] = {to, from, amount};
    const char *text = wide == 64 ? "shr.u64" : wide == 32 ? "shr.u32" : "shr.u16";
    if (ptxp_emit(I->P, text, like, 1, 3, opnd) != 0) return -1;
    from = to;
  }
  if (wide == container) return from.reg;
  if ((to.reg = ptxp_new_register(I->P, (int)container)) < 0) return -1;
  ptx_ins unsigned_like = *like;
  unsigned_like.type = PTX_B32;
  return put_move(I, &unsigned_like, to, from, wide, container) == 0 ? to.reg : -1;
}

static int load_part(inliner *I, const ptx_ins *ins, const part *p, uint32_t shift, ptx_operand d, uint32_t bits) {
  if (d.kind == PTX_SINK) return 0;
  const int32_t reg = cut(I, ins, p, shift, bits);
  return reg < 0 ? -1 : put_move(I, ins, d, (ptx_operand){.kind = PTX_REG, .reg = reg}, bits, register_bits(I, d.reg));
}

static int store_part(inliner *I, const ptx_ins *ins, const part *p, ptx_operand value, uint32_t bits) {
  const uint32_t container = (uint32_t)ptx_container((int)bits);
  const uint32_t from = value.kind == PTX_REG ? register_bits(I, value.reg) : container;
  return put_move(I, ins, (ptx_operand){.kind = PTX_REG, .reg = p->reg}, value, from, container);
}

/* A load or store of a variable in registers: moves. */
static int move_parts(inliner *I, variable *v, const ptx_ins *ins) {
  const uint32_t bytes = (uint32_t)ptx_type_bits((ptx_type)ins->type) / 8;
  for (uint32_t k = 0; k < ins->vec; k++) {
    const uint32_t at = (uint32_t)ins->opnd[ins->ndst].imm + k * bytes;
    part *p = part_of(v, at, bytes);
    if (p->reg < 0 && (p->reg = ptxp_new_register(I->P, ptx_container((int)p->bytes * 8))) < 0) return -1;
    const int rc = ins->op == PTX_OP_LD ? load_part(I, ins, p, (at - p->at) * 8, ins->opnd[k], bytes * 8)
                                        : store_part(I, ins, p, ins->opnd[1 + k], bytes * 8);
    if (rc != 0) return -1;
  }
  return 0;
}

/* A variable whose parts overlap is a local one. */
static int make_local(inliner *I, variable *v) {
  ptx_sym *sym = dc_arena_alloc(&I->P->m->arena, sizeof *sym);
  uint64_t end = I->f->local_size;
  if (!sym) return ptxp_oom(I->P);
  *sym = *v->sym;
  sym->space = PTX_LOCAL;
  sym->offset = ptxp_lay_out(&end, sym->size, 16);
  I->f->local_size = (uint32_t)((end + 15) & ~15ull);
  v->sym = sym;
  return 0;
}

static int move_access(inliner *I, variable *v, const ptx_ins *from) {
  if (!v->stays) return move_parts(I, v, from);
  if (v->sym->space == PTX_PARAM && make_local(I, v) != 0) return -1;
  ptx_ins ins = *from;
  ins.space = PTX_LOCAL;
  ins.opnd[ins.ndst].sym = v->sym;
  return ptxp_append(I->P, &I->P->ins, &ins, sizeof ins);
}

static int move_variables(inliner *I) {
  ptx_parser *P = I->P;
  ptx_func *f = I->f;
  if (find_variables(I) != 0 || begin_rewriting(I) != 0) return -1;
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    const ptx_sym *sym = is_access(ins) ? ins->opnd[ins->ndst].sym : NULL;
    variable *v = sym ? (variable *)(uintptr_t)ptxp_number_get(&I->clones, key_of(sym)) : NULL;
    I->at[i] = (int32_t)P->ins.n;
    if (v && !v->called ? move_access(I, v, ins) != 0 : ptxp_append(P, &P->ins, ins, sizeof *ins) != 0) return -1;
  }
  return end_rewriting(I);
}

/* ---- a module ---- */

static int list(inliner *I, ptx_func *f) {
  if (f->declared_only || I->listed[f->index]) return 0;
  I->listed[f->index] = true;
  return ptxp_append(I->P, &I->work, &f, sizeof f);
}

static int inline_into(inliner *I, ptx_func *f) {
  ptx_parser *P = I->P;
  I->f = f;
  P->regs.n = 0;
  if (append_registers(P, f) != 0) return -1;
  bool more = true, any = false;
  for (int round = 0; round < MOST_ROUNDS && more; round++) {
    if (inline_round(I, &more) != 0) return -1;
    any = any || more;
  }
  if (!any) return 0;
  if (move_variables(I) != 0) return -1;
  if (!(f->regs = ptxp_keep(P, &P->regs, sizeof(ptx_reg)))) return ptxp_oom(P);
  f->nregs = (int)P->regs.n;
  f->has_call = f->has_indirect_call = false;
  for (int i = 0; i < f->nins; i++) {
    const bool calls = f->ins[i].op == PTX_OP_CALL && !(f->ins[i].flags & PTX_F_LOST);
    f->has_call |= calls;
    f->has_indirect_call |= calls && !f->ins[i].callee;
  }
  return 0;
}

static int inline_module(inliner *I, ptx_func *const *taken, size_t n) {
  const ptx_module *m = I->P->m;
  for (int i = 0; i < m->nfuncs; i++)
    if (m->funcs[i]->entry && list(I, m->funcs[i]) != 0) return -1;
  for (size_t i = 0; i < n; i++)
    if (list(I, taken[i]) != 0) return -1;
  for (size_t i = 0; i < I->work.n; i++) {
    ptx_func *f = ((ptx_func **)I->work.data)[i];
    if (!f->has_call) continue;
    if (inline_into(I, f) != 0) return -1;
    for (int k = 0; k < f->nins; k++)
      if (f->ins[k].op == PTX_OP_CALL && f->ins[k].callee && f->ins[k].callee->func &&
          list(I, f->ins[k].callee->func) != 0)
        return -1;
  }
  return 0;
}

int ptxp_inline(ptx_parser *P, ptx_func *const *taken, size_t n) {
  inliner I = {.P = P};
  const size_t funcs = (size_t)P->m->nfuncs + 1;
  if (P->has_stack) return 0; /* sizes of a function's stack are constants of its code */
  I.listed = calloc(funcs, sizeof *I.listed);
  I.fit = calloc(funcs, sizeof *I.fit);
  int rc = I.listed && I.fit ? inline_module(&I, taken, n) : ptxp_oom(P);
  free(I.listed);
  free(I.fit);
  free(I.at);
  free(I.work.data);
  dc_map_free(&I.clones);
  return rc;
}
