/*
** decode.c - see decode.h.
**
** Operands become offsets in the register file; immediates become registers behind it, filled once and
** shared by value; addresses of variables become immediates.  Blocks are split further, so that whatever
** the warp loop itself must do (jumps, calls, barriers) ends a node and whatever waits for other
** lanes begins one.  A form that no operation exists for makes the function refused, by name and line.
*/
#include "cpu/interp/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/runtime.h"
#include "cpu/analysis/cfg.h"
#include "cpu/analysis/narrow.h"
#include "cpu/analysis/registers.h"
#include "cpu/analysis/split.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/matrix.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* An immediate. */
typedef struct constant {
  int64_t value;
  uint32_t place, bits; /* place: its offset behind the registers */
} constant;

typedef struct decoder {
  dc_cpu_function *fn;
  ptx_func *f;
  dc_arena *arena;
  dc_error *err;
  dc_map constants; /* by value and bits */
  uint32_t constant_bytes;
  dc_basic_block *nodes;
  int32_t nnodes;
  int32_t *node_of;  /* block -> its first node; behind the last block: their number */
  int32_t *spinners; /* prefix sums over blocks: instructions that may wait for other threads */
  dc_uop *ops;
  int32_t nops;
} decoder;

static int refuse(decoder *D, const ptx_ins *ins, const char *why) {
  dc_cpu_function *fn = D->fn;
  char text[400];
  if (ins->refusal) snprintf(text, sizeof text, "%s (PTX line %u)", ins->refusal, ins->ptx_line);
  else snprintf(text, sizeof text, "%s '%.120s' (PTX line %u)", why, ins->text, ins->ptx_line);
  free(fn->refusal);
  fn->refusal = strdup(text);
  fn->refusal_line = ins->line;
  return fn->refusal ? DC_DECODE_REFUSED : dc_fail_oom(D->err);
}

static const char not_supported[] = "the CPU device has no instruction";

/* --- immediates ----------------------------------------------------------------------------------------- */

/* The register file offset of a register that holds this value in every lane. */
static int immediate(decoder *D, int64_t value, int bits, uint32_t *place) {
  bits = ptx_container(bits);
  if (bits < 64) value &= (int64_t)(((uint64_t)1 << bits) - 1);
  const int64_t key[2] = { value, bits };
  constant *c = dc_map_get(&D->constants, (const char *)key, sizeof key);
  if (c == NULL) {
    c = dc_arena_alloc(D->arena, sizeof *c);
    if (c == NULL || dc_map_set(&D->constants, (const char *)key, sizeof key, c) != 0) return dc_fail_oom(D->err);
    *c = (constant){ value, D->constant_bytes, (uint32_t)bits };
    D->constant_bytes += ptx_slot_bytes(bits);
  }
  *place = D->fn->file_bytes + c->place;
  return 0;
}

static int keep_constants(decoder *D) {
  uint8_t *image = dc_arena_alloc(D->arena, D->constant_bytes);
  if (image == NULL) return dc_fail_oom(D->err);
  const constant *c;
  for (size_t i = 0; (c = dc_map_next(&D->constants, &i)) != NULL;) {
    size_t size = c->bits / 8;
    uint64_t parts[2] = { (uint64_t)c->value, c->value < 0 ? ~(uint64_t)0 : 0 };
    for (int l = 0; l < DC_LANES; l++) memcpy(image + c->place + (size_t)l * size, parts, size);
  }
  D->fn->constants = image;
  D->fn->constant_bytes = D->constant_bytes;
  return 0;
}

/* Whether the source behind the address is an mbarrier's state rather than a number. */
static bool mbarrier_state(const ptx_ins *ins) {
  return ptx_tests_phase(ins) && !(ins->flags & PTX_F_PARITY);
}

/* Container bits of source `src` of an instruction, should it be an immediate. */
static int source_bits(const ptx_ins *ins, int src) {
  int bits = ptx_type_bits((ptx_type)ins->type);
  switch (ins->op) {
    case PTX_OP_CVT: return ptx_type_bits((ptx_type)ins->type2);
    case PTX_OP_SLCT: return src == 2 ? 32 : bits;
    case PTX_OP_MAD: case PTX_OP_MADC: return src == 2 && ins->mode == PTX_WIDE ? 2 * bits : bits;
    case PTX_OP_SHL: case PTX_OP_SHR: return src == 1 ? 32 : bits;
    case PTX_OP_BFE: return src >= 1 ? 32 : bits;
    case PTX_OP_BFI: return src >= 2 ? 32 : bits;
    case PTX_OP_MATCH: return src == 1 ? 32 : bits;
    case PTX_OP_MOV: return ins->nsrc > 1 ? bits / ins->nsrc : bits;
    case PTX_OP_ISSPACEP: return 64;
    case PTX_OP_MBARRIER: return src == 1 && mbarrier_state(ins) ? 64 : 32;
    case PTX_OP_SUST: case PTX_OP_SURED: return src > ptx_coordinates(ins) ? bits : 32;
    default: return ptx_traits(ins->op) & PTX_T_SOURCES_32 ? 32 : bits;
  }
}

/* --- operands ------------------------------------------------------------------------------------------- */

static dc_base space_base(const decoder *D, ptx_space space, const ptx_sym *sym) {
  if (space == PTX_PARAM && sym && sym->inside) return DC_BASE_CALL;
  return space == PTX_PARAM && !D->f->entry ? DC_BASE_FRAME : dc_base_of(space);
}

/* An address without a register is not checked when it is used; parameters lie where they lie. */
static bool is_misaligned(const dc_uop *op) {
  const ptx_ins *ins = op->ins;
  int64_t size = ins->op == PTX_OP_MBARRIER ? 8 : ptx_type_bits((ptx_type)ins->type) / 8 * (ins->vec ? ins->vec : 1);
  if (op->base == DC_BASE_PARAM || op->base == DC_BASE_FRAME || op->base == DC_BASE_CALL) return false;
  return size > 1 && (op->imm & (size - 1)) != 0;
}

/* One that is misaligned goes by way of a register, so that it faults like any other. */
static int constant_address(decoder *D, dc_uop *op) {
  int64_t address = op->imm;
  op->imm = 0;
  op->addr_bits = 64;
  return immediate(D, address, 64, &op->a);
}

/* [reg + imm], [sym + imm], [imm]. */
static int address_operand(decoder *D, dc_uop *op, const ptx_operand *o) {
  const ptx_ins *ins = op->ins;
  ptx_space space = (ptx_space)ins->space;
  if (space == PTX_GENERIC && o->sym) space = (ptx_space)o->sym->space;
  op->base = (uint8_t)space_base(D, space, o->sym);
  op->imm = o->imm;
  op->a = DC_NO_OPERAND;
  if (o->sym) op->imm += dc_code_address(D->fn->code, o->sym);
  if (o->reg < 0) return is_misaligned(op) ? constant_address(D, op) : 0;
  op->a = (uint32_t)D->f->slot[o->reg];
  op->addr_bits = D->f->regs[o->reg].bits == 32 ? 32 : 64;
  return 0;
}

/* A predicate written as a constant: the last two words of a frame's predicates. */
static uint32_t constant_predicate(const decoder *D, int64_t value) {
  return (uint32_t)D->f->npreds + (value != 0);
}

/* One register, immediate or symbol: its place, container bits, and whether it is a negated predicate. */
static int operand(decoder *D, const ptx_ins *ins, int index, uint32_t *place, uint8_t *bits, bool *neg) {
  const ptx_operand *o = &ins->opnd[index];
  int64_t value = o->imm;
  int width;
  switch (o->kind) {
    case PTX_REG:
      *place = (uint32_t)D->f->slot[o->reg];
      width = D->f->regs[o->reg].bits;
      *bits = (uint8_t)(width == 1 ? 1 : ptx_container(width));
      *neg = o->negated;
      return 0;
    case PTX_SINK: case PTX_SREG:
      *place = DC_NO_OPERAND;
      *bits = 0;
      return 0;
    case PTX_SYM: value += dc_code_address(D->fn->code, o->sym); break;
    case PTX_IMM: break;
    default: return refuse(D, ins, not_supported);
  }
  width = source_bits(ins, index - ins->ndst);
  if (ptx_wants_predicate(ins, index)) {
    *place = constant_predicate(D, value);
    *bits = 1;
    *neg = o->negated;
    return 0;
  }
  if (width == 0) return refuse(D, ins, not_supported);
  *bits = (uint8_t)ptx_container(width);
  return immediate(D, value, width, place);
}

/* Elements of a vector or of a packing mov, to op->v.  They must have one container; *bits is it. */
static int elements(decoder *D, dc_uop *op, int first, int n, uint8_t *bits) {
  const ptx_ins *ins = op->ins;
  uint32_t *v = dc_arena_alloc(D->arena, (size_t)n * sizeof *v);
  if (v == NULL) return dc_fail_oom(D->err);
  op->v = v;
  *bits = 0;
  for (int i = 0; i < n; i++) { /* registers decide */
    const ptx_operand *o = &ins->opnd[first + i];
    if (o->kind != PTX_REG) continue;
    int have = ptx_container(D->f->regs[o->reg].bits);
    if (*bits && *bits != have) return refuse(D, ins, "the CPU device needs elements of one size in");
    *bits = (uint8_t)have;
  }
  int width = first >= ins->ndst ? source_bits(ins, first - ins->ndst) : ptx_type_bits((ptx_type)ins->type) / n;
  if (*bits == 0) *bits = (uint8_t)ptx_container(width);
  for (int i = 0; i < n; i++) {
    uint8_t unused;
    bool neg;
    const ptx_operand *o = &ins->opnd[first + i];
    int rc = o->kind == PTX_IMM ? immediate(D, o->imm, *bits, &v[i])
                                : operand(D, ins, first + i, &v[i], &unused, &neg);
    if (rc != 0) return rc;
  }
  return 0;
}

/* Each of cp.async's two addresses becomes an operation of its own, so that a fault is blamed on the right one. */
static int half_copy(decoder *D, dc_uop *op, const ptx_ins *ins, int at) {
  ptx_ins *half = dc_arena_alloc(D->arena, sizeof *half);
  if (half == NULL) return dc_fail_oom(D->err);
  *half = *ins;
  half->op = at ? PTX_OP_LD : PTX_OP_ST;
  half->space = at ? ins->space2 : ins->space;
  op->ins = half;
  op->d = DC_NO_OPERAND;
  return address_operand(D, op, &ins->opnd[at]);
}

/* cp.async [to], [from], size {, bytes or predicate} {, policy} */
static int copy_operands(decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  dc_uop *halves = dc_arena_alloc(D->arena, 2 * sizeof *halves);
  if (halves == NULL) return dc_fail_oom(D->err);
  memset(halves, 0, 2 * sizeof *halves);
  int rc = half_copy(D, &halves[0], ins, 0);
  if (rc == 0) rc = half_copy(D, &halves[1], ins, 1);
  op->d = DC_NO_OPERAND;
  op->v = (const uint32_t *)(const void *)halves;
  bool policy = strstr(ins->text, "cache_hint") != NULL;
  if (rc != 0 || ins->nsrc - policy < 4) return rc;
  return operand(D, ins, 3, &op->b, &op->bits[2], &op->neg_b);
}

static int make_op(decoder *D, const ptx_ins *ins, dc_uop *op, bool select);

/* atom and red of vectors: one operation an element, op->v. */
static int vector_atomic(decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  int n = ins->vec, dsts = ins->ndst ? 1 : 0, rc = 0;
  dc_uop *each = dc_arena_alloc(D->arena, (size_t)n * sizeof *each);
  ptx_ins *parts = dc_arena_alloc(D->arena, (size_t)n * sizeof *parts);
  ptx_operand *opnd = dc_arena_alloc(D->arena, 3 * (size_t)n * sizeof *opnd);
  if (each == NULL || parts == NULL || opnd == NULL) return dc_fail_oom(D->err);
  for (int e = 0; e < n && rc == 0; e++, opnd += 3) {
    parts[e] = *ins;
    parts[e].vec = 1;
    parts[e].ndst = (uint16_t)dsts;
    parts[e].nsrc = 2;
    parts[e].opnd = opnd;
    if (dsts) opnd[0] = ins->opnd[e];
    opnd[dsts] = ins->opnd[ins->ndst];
    opnd[dsts].imm += (int64_t)e * ptx_type_bits((ptx_type)ins->type) / 8;
    opnd[dsts + 1] = ins->opnd[ins->ndst + 1 + e];
    rc = make_op(D, &parts[e], &each[e], true);
  }
  op->v = (const uint32_t *)(const void *)each;
  return rc;
}

static int memory_operands(decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  bool load = ptx_is_load(ins), atom = ins->op == PTX_OP_ATOM;
  int at = ins->ndst, rc = address_operand(D, op, &ins->opnd[at]);
  bool neg;
  op->d = DC_NO_OPERAND;
  if (rc != 0) return rc;
  if (load && ins->vec > 1) return elements(D, op, 0, ins->vec, &op->bits[0]);
  if (ins->op == PTX_OP_ST && ins->vec > 1) return elements(D, op, at + 1, ins->vec, &op->bits[2]);
  if ((atom || ins->op == PTX_OP_RED) && ins->vec > 1) return vector_atomic(D, op);
  if (ins->ndst && (rc = operand(D, ins, 0, &op->d, &op->bits[0], &neg)) != 0) return rc;
  bool hint = ins->op == PTX_OP_APPLYPRIORITY || ins->op == PTX_OP_DISCARD;
  if (load || hint || ins->nsrc == 1) return 0;
  if ((rc = operand(D, ins, at + 1, &op->b, &op->bits[2], &neg)) != 0) return rc;
  return ins->mode == PTX_ATOM_CAS ? operand(D, ins, at + 2, &op->c, &op->bits[3], &neg) : 0;
}

/* Operands of a texture or surface instruction: results, its handle, coordinates, values.  Those of one kind have
** registers of one size. */
static int texture_operands(decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  const int values = ins->op == PTX_OP_SUST || ins->op == PTX_OP_SURED ? 1 + ptx_coordinates(ins) : ins->nsrc;
  const ptx_operand *handle = &ins->opnd[ins->ndst];
  uint32_t *v = dc_arena_alloc(D->arena, (size_t)(ins->ndst + ins->nsrc) * sizeof *v);
  if (v == NULL) return dc_fail_oom(D->err);
  if (handle->sym)
    return refuse(D, ins, "texture references (.texref), which neither CUDA 12 nor the CPU device has, instead of a "
                          "cudaTextureObject_t in");
  op->v = v;
  op->d = op->d2 = DC_NO_OPERAND;
  for (int i = 0; i < ins->ndst + ins->nsrc; i++) {
    const int src = i - ins->ndst;
    uint8_t bits = 0, *all = src < 0 ? &op->bits[0] : src >= values ? &op->bits[2] : NULL;
    bool neg;
    if (src == 0 && (handle->imm != 0 || handle->reg < 0 || D->f->regs[handle->reg].bits != 64))
      return refuse(D, ins, not_supported);
    int rc = src == 0 ? (v[i] = (uint32_t)D->f->slot[handle->reg], 0) : operand(D, ins, i, &v[i], &bits, &neg);
    if (rc != 0) return rc;
    if (src > 0 && src < values && bits != 32) return refuse(D, ins, not_supported);
    if (!all || ptx_wants_predicate(ins, i) || bits == 0) continue;
    if (*all && *all != bits) return refuse(D, ins, "the CPU device needs elements of one size in");
    *all = bits;
  }
  if (ins->ndst) op->d = v[0];
  if (ins->ndst > ins->vec) op->d2 = v[ins->vec];
  return 0;
}

/* d and d2, then a, b, c, e in order. */
static int plain_operands(decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  uint32_t *places[4] = { &op->a, &op->b, &op->c, &op->e };
  bool *negs[4] = { &op->neg_a, &op->neg_b, &op->neg_c, NULL }, neg = false;
  uint8_t extra;
  int rc;
  op->d = op->d2 = DC_NO_OPERAND;
  if (ins->op == PTX_OP_CREATEPOLICY || ins->op == PTX_OP_GETCTARANK) /* what they say is known */
    return operand(D, ins, 0, &op->d, &op->bits[0], &neg);
  if (ins->op == PTX_OP_MOV && ins->ndst > 1) {
    if (ins->nsrc > 1) return refuse(D, ins, not_supported);
    if ((rc = elements(D, op, 0, ins->ndst, &op->bits[0])) != 0) return rc;
    return operand(D, ins, ins->ndst, &op->a, &op->bits[1], &neg);
  }
  bool fifth = ins->op == PTX_OP_LOP3 && ins->nsrc == 5; /* a predicate */
  if (ins->ndst > 2 || ins->nsrc > 4 + fifth) return refuse(D, ins, not_supported);
  if (ins->ndst > 0 && (rc = operand(D, ins, 0, &op->d, &op->bits[0], &neg)) != 0) return rc;
  if (ins->ndst > 1 && (rc = operand(D, ins, 1, &op->d2, &extra, &neg)) != 0) return rc;
  if (ins->op == PTX_OP_MOV && ins->nsrc > 1) return elements(D, op, ins->ndst, ins->nsrc, &op->bits[1]);
  if (fifth) {
    uint32_t place;
    if ((rc = operand(D, ins, ins->ndst + 4, &place, &extra, &op->neg_c)) != 0) return rc;
    op->imm = (int64_t)place;
  }
  for (int i = 0; i < ins->nsrc - fifth; i++) {
    bool keep = fifth && i == 2; /* neg_c is the fifth's */
    neg = false;
    rc = operand(D, ins, ins->ndst + i, places[i], i < 3 ? &op->bits[i + 1] : &extra, &neg);
    if (rc != 0) return rc;
    if (negs[i] && !keep) *negs[i] = neg;
    else if (neg) return refuse(D, ins, not_supported);
  }
  if (ins->op == PTX_OP_CVTA || ins->op == PTX_OP_ISSPACEP)
    op->base = (uint8_t)space_base(D, (ptx_space)ins->space, ins->opnd[ins->ndst].sym);
  return 0;
}

/* n registers, operands from *index on, of 32 bits or, with f64, 64. */
static int fragment(decoder *D, const ptx_ins *ins, int *index, int n, int element, uint32_t *at) {
  const int want = element == PTX_E_F64 ? 64 : 32;
  for (int i = 0; i < n; i++, ++*index) {
    uint8_t bits = 0;
    bool neg;
    const int rc = operand(D, ins, *index, &at[i], &bits, &neg);
    if (rc != 0) return rc;
    if (bits != want) return refuse(D, ins, "registers of another size than those of");
  }
  return 0;
}

/* Instructions of tensor cores: op->v describes operands and shape. */
static int matrix_operands(decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  dc_matrix_operands *x = dc_arena_alloc(D->arena, sizeof *x);
  int rc = 0, i = 0;
  if (x == NULL) return dc_fail_oom(D->err);
  memset(x, 0, sizeof *x);
  op->v = (const uint32_t *)(const void *)x;
  op->d = DC_NO_OPERAND;
  if (!ptx_matrix_read(ins->text, &x->m)) return refuse(D, ins, not_supported);
  const ptx_matrix *m = &x->m;
  const int held = m->count ? m->count : m->nregs[m->fragment];
  if (m->action == PTX_M_MULTIPLY) {
    for (int k = 0; k < PTX_NFRAGMENTS && rc == 0; k++)
      rc = fragment(D, ins, &i, m->nregs[k], m->element[k], x->at[k]);
  } else {
    const bool in_memory = ptx_matrix_in_memory(m);
    if (in_memory && (rc = address_operand(D, op, &ins->opnd[ins->ndst])) != 0) return rc;
    if (ins->ndst == 0) i++; /* a store's address is in front of its registers, a load's behind them */
    rc = fragment(D, ins, &i, held, m->element[m->fragment], x->at[PTX_D]);
    if (in_memory && ins->ndst) i++;
    if (rc == 0 && !in_memory) rc = fragment(D, ins, &i, 1, PTX_E_NONE, x->at[PTX_A]);
  }
  x->has_stride = m->wmma && m->action != PTX_M_MULTIPLY && i < ins->ndst + ins->nsrc - 1;
  if (rc == 0 && (x->has_stride || m->sparse)) rc = fragment(D, ins, &i, 1, PTX_E_NONE, &x->extra);
  if (rc != 0 || !m->sparse) return rc;
  const int bits = ptx_element_bits(m->element[PTX_A]), choices = (bits > 8 ? 1024 : 512) / (m->k * bits);
  const ptx_operand *selector = &ins->opnd[i];
  if (selector->kind != PTX_IMM || selector->imm < 0 || selector->imm >= choices)
    return refuse(D, ins, "sparsity selector out of range in");
  x->selector = (uint32_t)selector->imm;
  return 0;
}

/* --- operations ----------------------------------------------------------------------------------------- */

/* What the `v` of a guarded operation points at. */
typedef struct guarded {
  dc_uop inner;
  const dc_isa *ops;
} guarded;

/* Runs the inner operation for the lanes whose predicate `a` holds. */
static void run_guarded(dc_warp *w, const dc_uop *o) {
  const guarded *g = (const guarded *)(const void *)o->v;
  uint32_t mask = w->mask, some = (o->neg_a ? ~w->preds[o->a] : w->preds[o->a]) & mask;
  if (some == 0) return;
  if (some != mask) g->ops->set_mask(w, some);
  g->inner.fn_masked(w, &g->inner);
  if (some != mask) g->ops->set_mask(w, mask);
}

/* Fills *op with the operands of an instruction; `select`: also with what runs it. */
static int make_op(decoder *D, const ptx_ins *ins, dc_uop *op, bool select) {
  memset(op, 0, sizeof *op);
  op->ins = ins;
  bool copy = ins->op == PTX_OP_CP && ins->mode == PTX_CP_COPY;
  int rc = copy                                  ? copy_operands(D, op)
           : ptx_traits(ins->op) & PTX_T_TEXTURE ? texture_operands(D, op)
           : ptx_traits(ins->op) & PTX_T_MATRIX  ? matrix_operands(D, op)
           : ptx_is_address(ins, ins->ndst)      ? memory_operands(D, op)
                                                 : plain_operands(D, op);
  if (rc != 0 || !select) return rc;
  return D->fn->code->ops->select(op) ? 0 : refuse(D, ins, not_supported);
}

static int add_op(decoder *D, const ptx_ins *ins) {
  dc_uop *op = &D->ops[D->nops];
  if (ins->pred < 0) {
    int rc = make_op(D, ins, op, true);
    if (rc == 0) D->nops++;
    return rc;
  }
  guarded *g = dc_arena_alloc(D->arena, sizeof *g);
  if (g == NULL) return dc_fail_oom(D->err);
  g->ops = D->fn->code->ops;
  int rc = make_op(D, ins, &g->inner, true);
  if (rc != 0) return rc;
  memset(op, 0, sizeof *op);
  op->fn = op->fn_masked = run_guarded;
  op->a = (uint32_t)D->f->slot[ins->pred];
  op->neg_a = ins->pred_neg;
  op->ins = ins;
  op->v = (const uint32_t *)(const void *)g;
  D->nops++;
  return 0;
}

/* --- nodes ---------------------------------------------------------------------------------------------- */

static dc_wait wait_of(const ptx_ins *ins) {
  const uint32_t traits = ptx_traits(ins->op);
  if (traits & PTX_T_BARRIER) return ins->mode == PTX_BAR_WARP ? DC_WAIT_MEMBERS : DC_WAIT_NOT;
  return !(traits & PTX_T_WARP_WIDE) ? DC_WAIT_NOT : traits & PTX_T_MIXED_MEMBERS ? DC_WAIT_MEMBERS : DC_WAIT_GROUP;
}

/* What the warp loop does itself, at the end of a node. */
static bool ends_node(const ptx_ins *ins) {
  return ptx_traits(ins->op) & PTX_T_ENDS_BLOCK || ins->op == PTX_OP_NANOSLEEP || ptx_is_barrier(ins);
}

/* Lanes come back to its node, which must hold nothing that they would do twice: they wait, or another lane's target
** is called first. */
static bool stands_alone(const ptx_ins *ins) {
  return ptx_is_barrier(ins) || (ins->op == PTX_OP_CALL && ins->callee == NULL);
}

/* Nothing to do on this machine. */
static bool is_nothing(const ptx_ins *ins) {
  return ins->op == PTX_OP_PMEVENT || ins->op == PTX_OP_BRKPT ||
         (ptx_traits(ins->op) & PTX_T_BARRIER && ins->mode == PTX_BAR_WARP);
}

bool dc_may_spin(const ptx_ins *ins) {
  switch (ins->op) {
    case PTX_OP_MBARRIER: return ptx_tests_phase(ins);
    case PTX_OP_LD: return (ins->flags & (PTX_F_VOLATILE | PTX_F_ACQUIRE | PTX_F_RELAXED)) != 0;
    case PTX_OP_CALL: return !(ins->flags & PTX_F_LOST);
    default: return (ptx_traits(ins->op) & PTX_T_WAITS) != 0;
  }
}

/* How many nodes a block makes: one more for each instruction at which it is split. */
static int32_t count_nodes(const decoder *D, const ptx_block *b) {
  int32_t n = 1;
  bool fresh = true;
  for (int32_t i = b->first; i < b->last; i++) {
    const ptx_ins *ins = &D->f->ins[i];
    if (!fresh && (wait_of(ins) != DC_WAIT_NOT || stands_alone(ins))) n++;
    fresh = false;
    if (ends_node(ins) && i + 1 < b->last) {
      n++;
      fresh = true;
    }
  }
  return n;
}

static int survey_blocks(decoder *D) {
  ptx_func *f = D->f;
  size_t n = (size_t)f->nblocks + 1;
  D->node_of = dc_arena_alloc(D->arena, n * sizeof *D->node_of);
  D->spinners = calloc(n, sizeof *D->spinners);
  if (D->node_of == NULL || D->spinners == NULL) return dc_fail_oom(D->err);
  int32_t nodes = 0;
  for (int32_t b = 0; b < f->nblocks; b++) {
    D->node_of[b] = nodes;
    nodes += count_nodes(D, &f->blocks[b]);
    D->spinners[b + 1] = D->spinners[b];
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) D->spinners[b + 1] += dc_may_spin(&f->ins[i]);
  }
  D->node_of[f->nblocks] = nodes;
  D->nodes = dc_arena_alloc(D->arena, (size_t)(nodes + 1) * sizeof *D->nodes);
  D->ops = dc_arena_alloc(D->arena, (size_t)(f->nins + 1) * sizeof *D->ops);
  return D->nodes && D->ops ? 0 : dc_fail_oom(D->err);
}

typedef struct library_function {
  dc_end end;
  int arguments;
  bool result; /* which must be asked for */
} library_function;

/* The special functions of the device's run-time library, by name. */
static const library_function *library_function_of(const char *name) {
  static const struct { const char *name; library_function function; } known[] = {
    { "vprintf", { DC_END_PRINTF, 2, true } },
    { "__assertfail", { DC_END_ASSERT, 5, false } },
    { "malloc", { DC_END_MALLOC, 1, true } },
    { "free", { DC_END_FREE, 1, false } },
    { "cudaGetParameterBufferV2", { DC_END_PREPARE, 4, true } },
    { "__cudaCDP2GetParameterBufferV2", { DC_END_PREPARE, 4, true } },
    { "cudaLaunchDeviceV2", { DC_END_LAUNCH, 2, false } },
    { "__cudaCDP2LaunchDeviceV2", { DC_END_LAUNCH, 2, false } },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, name) == 0) return &known[i].function;
  return NULL;
}

/* Arguments go from the caller's area for calls to the callee's parameters, by position.  A callee that is
** not known (NULL) says where to when it is called. */
static int call_copies(decoder *D, dc_basic_block *node, const ptx_ins *ins, const ptx_func *callee) {
  dc_copy *args = dc_arena_alloc(D->arena, (size_t)(ins->ncall_args + 1) * sizeof *args);
  if (args == NULL) return dc_fail_oom(D->err);
  node->args = args;
  node->nargs = ins->ncall_args;
  for (int i = 0; i < ins->ncall_args; i++) {
    const ptx_sym *a = ins->call_args[i];
    const ptx_sym *p = callee && i < callee->nparams ? callee->params[i] : NULL;
    if (callee && (p == NULL || p->size != a->size)) return refuse(D, ins, "arguments that do not fit the function in");
    args[i] = (dc_copy){ (uint32_t)a->offset, (uint32_t)(p ? p->offset : 0), (uint32_t)a->size };
  }
  if (ins->call_ret) {
    if (callee && (!callee->ret || callee->ret->size != ins->call_ret->size))
      return refuse(D, ins, "a result that does not fit the function in");
    node->ret = (dc_copy){ callee ? (uint32_t)callee->ret->offset : 0, (uint32_t)ins->call_ret->offset,
                           (uint32_t)ins->call_ret->size };
  }
  return 0;
}

static int end_with_call(decoder *D, dc_basic_block *node, const ptx_ins *ins) {
  int arguments = ins->ncall_args;
  if (ins->callee == NULL) {
    node->end = DC_END_CALL_ADDRESS;
    return call_copies(D, node, ins, NULL);
  }
  ptx_func *callee = ins->callee->func;
  if (callee && !callee->declared_only) {
    node->end = DC_END_CALL;
    node->callee = dc_code_function_of(D->fn->code, callee);
    return call_copies(D, node, ins, callee);
  }
  const library_function *known = library_function_of(ins->callee->name);
  if (!known || arguments < known->arguments || (known->result && !ins->call_ret)) {
    char why[200];
    snprintf(why, sizeof why, "function '%.100s' is not defined in the module, needed by", ins->callee->name);
    return refuse(D, ins, why);
  }
  node->end = (uint8_t)known->end;
  return call_copies(D, node, ins, NULL);
}

/* A constant that is no barrier's number, or no number of threads that a barrier can wait for. */
static int check_barrier(decoder *D, const ptx_ins *ins) {
  const bool red = ins->mode >= PTX_BAR_RED_POPC && ins->mode <= PTX_BAR_RED_OR;
  const ptx_operand *id = &ins->opnd[ins->ndst], *threads = ins->nsrc - red > 1 ? id + 1 : NULL;
  if (id->kind == PTX_IMM && (uint64_t)id->imm >= DC_BARRIERS)
    return refuse(D, ins, "barrier number out of range (0 to 15) in");
  if (threads && threads->kind == PTX_IMM && !dc_barrier_counts(threads->imm))
    return refuse(D, ins, "number of threads that is no multiple of 32 from 32 to 1024 in");
  return 0;
}

/* Fills in how the node ends; `next` is where lanes go that do not jump. */
static int end_node(decoder *D, dc_basic_block *node, const ptx_ins *ins, int32_t next) {
  dc_uop *op = dc_arena_alloc(D->arena, sizeof *op);
  int rc;
  if (op == NULL) return dc_fail_oom(D->err);
  node->ins = op->ins = ins;
  node->op = op;
  node->taken = node->next = next;
  if (ins->pred >= 0) {
    node->guard = D->f->slot[ins->pred];
    node->flip = ins->pred_neg ? ~0u : 0;
  }
  switch (ins->op) {
    case PTX_OP_BRA: node->taken = D->node_of[ins->opnd[0].imm]; return 0;
    case PTX_OP_RET: node->end = DC_END_LEAVE; return 0;
    case PTX_OP_EXIT: node->end = DC_END_EXIT; return 0;
    case PTX_OP_TRAP: node->end = DC_END_TRAP; return 0;
    case PTX_OP_NANOSLEEP: node->end = DC_END_SLEEP; return 0;
    case PTX_OP_CALL:
      if ((rc = end_with_call(D, node, ins)) != 0 || ins->callee) return rc;
      return operand(D, ins, 0, &op->a, &op->bits[1], &op->neg_a);
    case PTX_OP_BRX: {
      int32_t *targets = dc_arena_alloc(D->arena, (size_t)ins->nsrc * sizeof *targets);
      if (targets == NULL) return dc_fail_oom(D->err);
      node->end = DC_END_BRX;
      node->targets = targets;
      node->ntargets = ins->nsrc - 1;
      for (int i = 1; i < ins->nsrc; i++) targets[i - 1] = D->node_of[ins->opnd[i].imm];
      return operand(D, ins, 0, &op->a, &op->bits[1], &op->neg_a);
    }
    default:
      node->end = DC_END_BARRIER;
      if ((rc = check_barrier(D, ins)) != 0) return rc;
      return make_op(D, ins, op, false);
  }
}

static dc_basic_block *begin_node(decoder *D) {
  dc_basic_block *node = &D->nodes[D->nnodes++];
  node->first = node->last = &D->ops[D->nops];
  node->guard = -1;
  node->taken = node->next = D->nnodes;
  return node;
}

/* The member mask is the last operand; the constant 0xffffffff names every lane. */
bool dc_may_lack_members(const ptx_ins *ins) {
  const ptx_operand *member = ptx_member(ins);
  return member->kind != PTX_IMM || (uint32_t)member->imm != DC_ALL_LANES;
}

/* A warp-wide operation begins its node: note the register with its member mask, the last operand. */
static int begin_wait(decoder *D, dc_basic_block *node, const ptx_ins *ins) {
  uint8_t bits = 0;
  bool neg;
  node->wait = (uint8_t)wait_of(ins);
  node->ins = ins;
  int rc = operand(D, ins, ins->ndst + ins->nsrc - 1, &node->member, &bits, &neg);
  if (rc != 0) return rc;
  if (bits != 32) return refuse(D, ins, not_supported);
  if (!dc_may_lack_members(ins)) return 0;
  dc_uop *op = dc_arena_alloc(D->arena, sizeof *op);
  if (op == NULL) return dc_fail_oom(D->err);
  op->ins = ins;
  op->neg_a = ins->pred_neg;
  if (ins->pred >= 0) op->a = (uint32_t)D->f->slot[ins->pred];
  node->strict = op;
  return 0;
}

static int decode_block(decoder *D, const ptx_block *b) {
  dc_basic_block *node = begin_node(D);
  bool fresh = true;
  int rc = 0;
  for (int32_t i = b->first; i < b->last && rc == 0; i++) {
    const ptx_ins *ins = &D->f->ins[i];
    bool waits = wait_of(ins) != DC_WAIT_NOT;
    if (ins->flags & PTX_F_REFUSED) return refuse(D, ins, not_supported);
    if (!fresh && (waits || stands_alone(ins))) node = begin_node(D);
    fresh = false;
    if (waits && (rc = begin_wait(D, node, ins)) != 0) break;
    if (ends_node(ins)) {
      bool last = i + 1 == b->last;
      int32_t next = !last ? D->nnodes : b->succ[0] >= 0 ? D->node_of[b->succ[0]] : DC_NODE_LEAVE;
      node->last = &D->ops[D->nops];
      rc = end_node(D, node, ins, next);
      if (last) return rc;
      node = begin_node(D);
      fresh = true;
    } else if (!is_nothing(ins)) {
      rc = add_op(D, ins);
    }
    node->last = &D->ops[D->nops];
  }
  node->taken = node->next = b->succ[0] >= 0 ? D->node_of[b->succ[0]] : DC_NODE_LEAVE;
  return rc;
}

/* Where lanes really get to that are sent to node n: empty nodes that only jump on are passed by. One that jumps back
** is not: there the lanes of a loop wait for each other, and a lane that passed it by would be an iteration ahead. */
static int32_t through(const decoder *D, int32_t n) {
  for (int steps = 0; n >= 0 && steps < 32; steps++) {
    const dc_basic_block *node = &D->nodes[n];
    if (node->first != node->last || node->guard >= 0 || node->wait != DC_WAIT_NOT) break;
    if (node->end == DC_END_LEAVE || (node->end == DC_END_EXIT && D->f->entry)) return DC_NODE_LEAVE;
    if (node->end != DC_END_JUMP || node->taken <= n) break;
    n = node->taken;
  }
  return n;
}

static int32_t block_of(const decoder *D, int32_t node) {
  int32_t lo = 0, hi = D->f->nblocks - 1;
  while (lo < hi) {
    int32_t mid = (lo + hi + 1) / 2;
    if (D->node_of[mid] <= node) lo = mid;
    else hi = mid - 1;
  }
  return lo;
}

/* A jump back closes a loop; what lies between may wait for others. */
static bool closes_spin(const decoder *D, int32_t from, int32_t to) {
  if (to < 0 || to > from) return false;
  return D->spinners[block_of(D, from) + 1] > D->spinners[block_of(D, to)];
}

static void link_nodes(decoder *D) {
  for (int32_t i = 0; i < D->nnodes; i++) {
    dc_basic_block *node = &D->nodes[i];
    node->taken = through(D, node->taken);
    node->next = through(D, node->next);
    node->spin = closes_spin(D, i, node->taken) || closes_spin(D, i, node->next);
    for (int32_t k = 0; k < node->ntargets; k++)
      if (closes_spin(D, i, node->targets[k])) node->spin = true;
  }
}

/* --- the function --------------------------------------------------------------------------------------- */

static size_t put(size_t *end, size_t n, size_t align) {
  size_t at = (*end + align - 1) / align * align;
  *end = at + n;
  return at;
}

static void lay_out_frame(dc_cpu_function *fn) {
  const ptx_func *f = fn->ptx;
  size_t end = (sizeof(dc_frame) + 63) / 64 * 64;
  end += fn->file_bytes + fn->constant_bytes;
  fn->words = (uint32_t)(fn->nnodes + 63) / 64;
  fn->preds_at = put(&end, fn->npreds * sizeof(uint32_t), 64);
  fn->pend_at = put(&end, (size_t)fn->nnodes * sizeof(uint32_t), 64);
  fn->ready_at = put(&end, fn->words * sizeof(uint64_t), 8);
  fn->blocked_at = put(&end, fn->words * sizeof(uint64_t), 8);
  fn->params_stride = f->entry ? 0 : (f->params_size + 15) / 16 * 16;
  fn->call_stride = (f->callparam_size + 15) / 16 * 16;
  fn->local_stride = (f->local_size + 15) / 16 * 16;
  fn->frame_bytes = (end + 63) / 64 * 64;
  end = 0;
  fn->params_at = put(&end, (size_t)fn->params_stride * DC_LANES, 64);
  fn->call_at = put(&end, (size_t)fn->call_stride * DC_LANES, 64);
  fn->local_at = put(&end, (size_t)fn->local_stride * DC_LANES, 64);
  fn->lane_bytes = (end + 63) / 64 * 64;
}

static int decode_body(decoder *D) {
  int rc;
  ptx_module *m = &D->fn->code->ptx;
  if (ptx_analyse(m, D->f, D->err) != 0) return -1;
  if (ptx_narrow(D->f) != 0 || ptx_split_ranges(m, D->f) != 0) return dc_fail_oom(D->err);
  if (ptx_allocate(m, D->f, D->err) != 0) return -1;
  D->fn->file_bytes = D->f->file_bytes;
  D->fn->npreds = (uint32_t)D->f->npreds + 2;
  if (survey_blocks(D) != 0) return -1;
  for (int32_t b = 0; b < D->f->nblocks; b++)
    if ((rc = decode_block(D, &D->f->blocks[b])) != 0) return rc;
  link_nodes(D);
  D->fn->nodes = D->nodes;
  D->fn->node_of = D->node_of;
  D->fn->nnodes = D->nnodes;
  if (keep_constants(D) != 0) return -1;
  lay_out_frame(D->fn);
  return 0;
}

int dc_decode_alone(dc_cpu_function *fn, dc_error *err) {
  ptx_module *m = &fn->code->ptx;
  decoder D = { .fn = fn, .f = m->funcs[fn - fn->code->functions], .arena = &m->arena, .err = err };
  int rc = dc_interrupted() ? ptx_fail_pass(err) : decode_body(&D);
  dc_map_free(&D.constants);
  free(D.spinners);
  return rc;
}
