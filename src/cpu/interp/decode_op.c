/* decode_op.c - see decode_op.h. */
#include "cpu/interp/decode_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/interp/interp.h"
#include "cpu/ptx/matrix.h"
#include "cpu/ptx/opcode.h"

/* An immediate. */
typedef struct constant {
  int64_t value;
  uint32_t place, bits; /* place: its offset behind the registers */
} constant;

int dc_decode_refuse(dc_decoder *D, const ptx_ins *ins, const char *why) {
  dc_cpu_function *fn = D->fn;
  char text[400];
  if (ins->refusal) snprintf(text, sizeof text, "%s (PTX line %u)", ins->refusal, ins->ptx_line);
  else snprintf(text, sizeof text, "%s '%.120s' (PTX line %u)", why, ins->text, ins->ptx_line);
  free(fn->refusal);
  fn->refusal = strdup(text);
  fn->refusal_line = ins->line;
  return fn->refusal ? DC_DECODE_REFUSED : dc_fail_oom(D->err);
}

const char dc_not_supported[] = "the CPU device has no instruction";

/* --- immediates ----------------------------------------------------------------------------------------- */

/* The register file offset of a register that holds this value in every lane. */
static int immediate(dc_decoder *D, int64_t value, int bits, uint32_t *place) {
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

int dc_decode_constants(dc_decoder *D) {
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
    case PTX_OP_MAD: return src == 2 && ins->mode == PTX_WIDE ? 2 * bits : bits;
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

static dc_base space_base(const dc_decoder *D, ptx_space space, const ptx_sym *sym) {
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
static int constant_address(dc_decoder *D, dc_uop *op) {
  int64_t address = op->imm;
  op->imm = 0;
  op->addr_bits = 64;
  return immediate(D, address, 64, &op->a);
}

/* [reg + imm], [sym + imm], [imm]. */
static int address_operand(dc_decoder *D, dc_uop *op, const ptx_operand *o) {
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
static uint32_t constant_predicate(const dc_decoder *D, int64_t value) {
  return (uint32_t)D->f->npreds + (value != 0);
}

int dc_decode_operand(dc_decoder *D, const ptx_ins *ins, int index, uint32_t *place, uint8_t *bits, bool *neg) {
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
    default: return dc_decode_refuse(D, ins, dc_not_supported);
  }
  width = source_bits(ins, index - ins->ndst);
  if (ptx_wants_predicate(ins, index)) {
    *place = constant_predicate(D, value);
    *bits = 1;
    *neg = o->negated;
    return 0;
  }
  if (width == 0) return dc_decode_refuse(D, ins, dc_not_supported);
  *bits = (uint8_t)ptx_container(width);
  return immediate(D, value, width, place);
}

/* Elements of a vector or of a packing mov, to op->v.  They must have one container; *bits is it. */
static int elements(dc_decoder *D, dc_uop *op, int first, int n, uint8_t *bits) {
  const ptx_ins *ins = op->ins;
  uint32_t *v = dc_arena_alloc(D->arena, (size_t)n * sizeof *v);
  if (v == NULL) return dc_fail_oom(D->err);
  op->v = v;
  *bits = 0;
  for (int i = 0; i < n; i++) { /* registers decide */
    const ptx_operand *o = &ins->opnd[first + i];
    if (o->kind != PTX_REG) continue;
    int have = ptx_container(D->f->regs[o->reg].bits);
    if (*bits && *bits != have) return dc_decode_refuse(D, ins, "the CPU device needs elements of one size in");
    *bits = (uint8_t)have;
  }
  int width = first >= ins->ndst ? source_bits(ins, first - ins->ndst) : ptx_type_bits((ptx_type)ins->type) / n;
  if (*bits == 0) *bits = (uint8_t)ptx_container(width);
  for (int i = 0; i < n; i++) {
    uint8_t unused;
    bool neg;
    const ptx_operand *o = &ins->opnd[first + i];
    int rc = o->kind == PTX_IMM ? immediate(D, o->imm, *bits, &v[i])
                                : dc_decode_operand(D, ins, first + i, &v[i], &unused, &neg);
    if (rc != 0) return rc;
  }
  return 0;
}

/* Each of cp.async's two addresses becomes an operation of its own, so that a fault is blamed on the right one. */
static int half_copy(dc_decoder *D, dc_uop *op, const ptx_ins *ins, int at) {
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
static int copy_operands(dc_decoder *D, dc_uop *op) {
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
  return dc_decode_operand(D, ins, 3, &op->b, &op->bits[2], &op->neg_b);
}

static int make_op(dc_decoder *D, const ptx_ins *ins, dc_uop *op);

/* atom and red of vectors: one operation an element, op->v. */
static int vector_atomic(dc_decoder *D, dc_uop *op) {
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
    rc = make_op(D, &parts[e], &each[e]);
  }
  op->v = (const uint32_t *)(const void *)each;
  return rc;
}

static int memory_operands(dc_decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  bool load = ptx_is_load(ins), atom = ins->op == PTX_OP_ATOM;
  int at = ins->ndst, rc = address_operand(D, op, &ins->opnd[at]);
  bool neg;
  op->d = DC_NO_OPERAND;
  if (rc != 0) return rc;
  if (load && ins->vec > 1) return elements(D, op, 0, ins->vec, &op->bits[0]);
  if (ins->op == PTX_OP_ST && ins->vec > 1) return elements(D, op, at + 1, ins->vec, &op->bits[2]);
  if ((atom || ins->op == PTX_OP_RED) && ins->vec > 1) return vector_atomic(D, op);
  if (ins->ndst && (rc = dc_decode_operand(D, ins, 0, &op->d, &op->bits[0], &neg)) != 0) return rc;
  bool hint = ins->op == PTX_OP_APPLYPRIORITY || ins->op == PTX_OP_DISCARD;
  if (load || hint || ins->nsrc == 1) return 0;
  if ((rc = dc_decode_operand(D, ins, at + 1, &op->b, &op->bits[2], &neg)) != 0) return rc;
  return ins->mode == PTX_ATOM_CAS ? dc_decode_operand(D, ins, at + 2, &op->c, &op->bits[3], &neg) : 0;
}

/* Operands of a texture or surface instruction: results, its handle, coordinates, values.  Those of one kind have
** registers of one size. */
static int texture_operands(dc_decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  const int values = ins->op == PTX_OP_SUST || ins->op == PTX_OP_SURED ? 1 + ptx_coordinates(ins) : ins->nsrc;
  const ptx_operand *handle = &ins->opnd[ins->ndst];
  uint32_t *v = dc_arena_alloc(D->arena, (size_t)(ins->ndst + ins->nsrc) * sizeof *v);
  if (v == NULL) return dc_fail_oom(D->err);
  if (handle->sym)
    return dc_decode_refuse(D, ins, "texture references (.texref), which neither CUDA 12 nor the CPU device has, "
                                    "instead of a cudaTextureObject_t in");
  op->v = v;
  op->d = op->d2 = DC_NO_OPERAND;
  for (int i = 0; i < ins->ndst + ins->nsrc; i++) {
    const int src = i - ins->ndst;
    uint8_t bits = 0, *all = src < 0 ? &op->bits[0] : src >= values ? &op->bits[2] : NULL;
    bool neg;
    if (src == 0 && (handle->imm != 0 || handle->reg < 0 || D->f->regs[handle->reg].bits != 64))
      return dc_decode_refuse(D, ins, dc_not_supported);
    int rc = 0;
    if (src == 0) v[i] = (uint32_t)D->f->slot[handle->reg];
    else if ((rc = dc_decode_operand(D, ins, i, &v[i], &bits, &neg)) != 0) return rc;
    if (src > 0 && src < values && bits != 32) return dc_decode_refuse(D, ins, dc_not_supported);
    if (!all || ptx_wants_predicate(ins, i) || bits == 0) continue;
    if (*all && *all != bits) return dc_decode_refuse(D, ins, "the CPU device needs elements of one size in");
    *all = bits;
  }
  if (ins->ndst) op->d = v[0];
  if (ins->ndst > ins->vec) op->d2 = v[ins->vec];
  return 0;
}

/* d and d2, then a, b, c, e in order. */
static int plain_operands(dc_decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  uint32_t *places[4] = { &op->a, &op->b, &op->c, &op->e };
  bool *negs[4] = { &op->neg_a, &op->neg_b, &op->neg_c, NULL }, neg = false;
  uint8_t extra;
  int rc;
  op->d = op->d2 = DC_NO_OPERAND;
  if (ins->op == PTX_OP_MOV && ins->ndst > 1) {
    if (ins->nsrc > 1) return dc_decode_refuse(D, ins, dc_not_supported);
    if ((rc = elements(D, op, 0, ins->ndst, &op->bits[0])) != 0) return rc;
    return dc_decode_operand(D, ins, ins->ndst, &op->a, &op->bits[1], &neg);
  }
  if (ins->ndst > 2 || ins->nsrc > 4) return dc_decode_refuse(D, ins, dc_not_supported);
  if (ins->ndst > 0 && (rc = dc_decode_operand(D, ins, 0, &op->d, &op->bits[0], &neg)) != 0) return rc;
  if (ins->ndst > 1 && (rc = dc_decode_operand(D, ins, 1, &op->d2, &extra, &neg)) != 0) return rc;
  if (ins->op == PTX_OP_MOV && ins->nsrc > 1) return elements(D, op, ins->ndst, ins->nsrc, &op->bits[1]);
  for (int i = 0; i < ins->nsrc; i++) {
    neg = false;
    rc = dc_decode_operand(D, ins, ins->ndst + i, places[i], i < 3 ? &op->bits[i + 1] : &extra, &neg);
    if (rc != 0) return rc;
    if (negs[i]) *negs[i] = neg;
    else if (neg) return dc_decode_refuse(D, ins, dc_not_supported);
  }
  if (ins->op == PTX_OP_CVTA || ins->op == PTX_OP_ISSPACEP)
    op->base = (uint8_t)space_base(D, (ptx_space)ins->space, ins->opnd[ins->ndst].sym);
  return 0;
}

/* n registers, operands from *index on, of 32 bits or, with f64, 64. */
static int fragment(dc_decoder *D, const ptx_ins *ins, int *index, int n, int element, uint32_t *at) {
  const int want = element == PTX_E_F64 ? 64 : 32;
  for (int i = 0; i < n; i++, ++*index) {
    uint8_t bits = 0;
    bool neg;
    const int rc = dc_decode_operand(D, ins, *index, &at[i], &bits, &neg);
    if (rc != 0) return rc;
    if (bits != want) return dc_decode_refuse(D, ins, "registers of another size than those of");
  }
  return 0;
}

/* Instructions of tensor cores: op->v describes operands and shape. */
static int matrix_operands(dc_decoder *D, dc_uop *op) {
  const ptx_ins *ins = op->ins;
  dc_matrix_operands *x = dc_arena_alloc(D->arena, sizeof *x);
  int rc = 0, i = 0;
  if (x == NULL) return dc_fail_oom(D->err);
  memset(x, 0, sizeof *x);
  op->v = (const uint32_t *)(const void *)x;
  op->d = DC_NO_OPERAND;
  if (!ptx_matrix_read(ins->text, &x->m)) return dc_decode_refuse(D, ins, dc_not_supported);
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
    return dc_decode_refuse(D, ins, "sparsity selector out of range in");
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

int dc_decode_operands(dc_decoder *D, const ptx_ins *ins, dc_uop *op) {
  memset(op, 0, sizeof *op);
  op->ins = ins;
  if (ins->op == PTX_OP_CP && ins->mode == PTX_CP_COPY) return copy_operands(D, op);
  if (ptx_traits(ins->op) & PTX_T_TEXTURE) return texture_operands(D, op);
  if (ptx_traits(ins->op) & PTX_T_MATRIX) return matrix_operands(D, op);
  return ptx_is_address(ins, ins->ndst) ? memory_operands(D, op) : plain_operands(D, op);
}

/* The same, with what runs it. */
static int make_op(dc_decoder *D, const ptx_ins *ins, dc_uop *op) {
  const int rc = dc_decode_operands(D, ins, op);
  if (rc != 0) return rc;
  return D->fn->code->ops->select(op) ? 0 : dc_decode_refuse(D, ins, dc_not_supported);
}

int dc_decode_op(dc_decoder *D, const ptx_ins *ins) {
  dc_uop *op = &D->ops[D->nops];
  if (ins->pred < 0) {
    int rc = make_op(D, ins, op);
    if (rc == 0) D->nops++;
    return rc;
  }
  guarded *g = dc_arena_alloc(D->arena, sizeof *g);
  if (g == NULL) return dc_fail_oom(D->err);
  g->ops = D->fn->code->ops;
  int rc = make_op(D, ins, &g->inner);
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
