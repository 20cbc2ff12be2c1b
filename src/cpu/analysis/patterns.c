/*
** patterns.c - see patterns.h.
**
** A gang begins at a multiple of its width, so the low bits of an aligned thread's number are its lane's: they can be
** computed here.  One walk suffices: only registers with one definition, which writes all lanes, have a pattern, and
** definitions precede uses in the order of blocks.
*/
#include "cpu/analysis/patterns.h"

#include "cpu/ptx/opcode.h"

/* value = base + lane[l]; `low` bits of base are 0, and lane[l] has no others (-1: unknown). */
typedef struct value {
  dc_pattern p;
  int low;
} value;

typedef struct finder {
  dc_uniformity *k;
  value **of; /* per register */
} finder;

static int log2_of(int width) { return width == 32 ? 5 : 4; }

static bool read_register(const finder *x, int32_t reg, value *v) {
  const dc_value_shape *s = &x->k->reg[reg];
  if (x->k->f->regs[reg].bits != 32) return false;
  if (x->of[reg]) *v = *x->of[reg];
  if (x->of[reg] || s->tag == DC_VARYING || s->tag == DC_INDEXED) return x->of[reg];
  if (s->tag == DC_AFFINE && s->origin >= 0) return false;
  const uint32_t stride = s->tag == DC_AFFINE ? (uint32_t)s->exact : 0;
  for (uint32_t l = 0; l < DC_MOST_LANES; l++) v->p.lane[l] = (int32_t)(stride * l);
  v->low = s->tag == DC_AFFINE && s->aligned && stride == 1 ? log2_of(x->k->shape.width) : -1;
  return true;
}

/* An operand; *constant: it is one, with all of its 32 bits in *c. */
static bool read_operand(const finder *x, const ptx_operand *o, value *v, bool *constant, uint32_t *c) {
  *constant = o->kind == PTX_IMM && !o->is_float;
  *c = (uint32_t)o->imm;
  *v = (value){ .low = -1 };
  if (*constant) return true;
  return o->kind == PTX_REG && o->reg >= 0 && read_register(x, o->reg, v);
}

static void scale(value *v, uint32_t factor) {
  for (int l = 0; l < DC_MOST_LANES; l++) v->p.lane[l] = (int32_t)((uint32_t)v->p.lane[l] * factor);
  const bool shifts = factor != 0 && (factor & (factor - 1)) == 0;
  const int by = shifts ? __builtin_ctz(factor) : 0;
  v->low = v->low >= 0 && shifts && v->low + by < 31 ? v->low + by : -1;
}

/* A constant adds to the lanes' bits as long as nothing is carried from those to the base's. */
static void add_constant(value *v, uint32_t c, int width) {
  bool fits = v->low >= 0;
  for (int l = 0; l < width && fits; l++) fits = ((int64_t)v->p.lane[l] + (int32_t)c) >> v->low == 0;
  if (!fits) v->low = -1;
  for (int l = 0; l < DC_MOST_LANES && fits; l++) v->p.lane[l] = (int32_t)((uint32_t)v->p.lane[l] + c);
}

static void add(value *v, const value *by, uint32_t sign) {
  for (int l = 0; l < DC_MOST_LANES; l++)
    v->p.lane[l] = (int32_t)((uint32_t)v->p.lane[l] + sign * (uint32_t)by->p.lane[l]);
  v->low = -1;
}

/* An operation on bits, with a constant, of which the lanes' parts see the lower ones. */
static bool change_bits(value *v, ptx_opcode op, uint32_t c) {
  if (v->low < 0 || (op == PTX_OP_SHR && (int)c > v->low)) return false;
  const uint32_t low = ((uint32_t)1 << v->low) - 1;
  for (int l = 0; l < DC_MOST_LANES; l++) {
    uint32_t *const x = (uint32_t *)&v->p.lane[l];
    if (op == PTX_OP_AND) *x &= c;
    else if (op == PTX_OP_OR) *x |= c & low;
    else if (op == PTX_OP_XOR) *x ^= c & low;
    else *x >>= c;
  }
  if (op == PTX_OP_SHR) v->low -= (int)c;
  return true;
}

/* Of a register whose values are known: bits that are the lane's lie below those that are the gang's, or lanes are at
** the same distances in all gangs. */
static bool read_values(const dc_uniformity *k, int32_t reg, value *v) {
  const int width = k->shape.width;
  uint32_t of_gangs = 0, of_lanes = 0;
  bool constant = true;
  if (!k->values[reg] || !k->shape.rows || k->shape.by_lane) return false;
#define VALUE(t) ((uint32_t)dc_value_in(k->f, k->values, reg, t))
  for (int t = 0; t < dc_row_of(k); t++) {
    const uint32_t x = VALUE(t), first = VALUE(t - t % width);
    of_gangs |= x ^ VALUE(t % width);
    of_lanes |= x ^ first;
    constant = constant && x - first == VALUE(t % width) - VALUE(0);
  }
  const int low = of_gangs ? __builtin_ctz(of_gangs) : 30;
  const bool separate = (uint64_t)of_lanes >> low == 0;
  v->low = separate ? low : -1;
  for (int l = 0; l < DC_MOST_LANES; l++)
    v->p.lane[l] = l >= width ? 0 : (int32_t)(separate ? VALUE(l) & (((uint32_t)1 << low) - 1) : VALUE(l) - VALUE(0));
#undef VALUE
  return separate || constant;
}

static bool combine(const finder *x, const ptx_ins *ins, value *v) {
  value w, u;
  bool is_constant[3];
  uint32_t c[3];
  const ptx_operand *o = &ins->opnd[1];
  if (!read_operand(x, o, v, &is_constant[0], &c[0])) return false;
  if (ins->op == PTX_OP_MOV) return ins->nsrc == 1 && !is_constant[0];
  if (ins->nsrc < 2 || !read_operand(x, o + 1, &w, &is_constant[1], &c[1])) return false;
  switch (ins->op) {
    case PTX_OP_ADD: case PTX_OP_SUB:
      if (is_constant[1]) add_constant(v, ins->op == PTX_OP_SUB ? -c[1] : c[1], x->k->shape.width);
      else add(v, &w, ins->op == PTX_OP_SUB ? -1u : 1);
      return true;
    case PTX_OP_SHL: if (!is_constant[1] || c[1] > 31) return false; scale(v, (uint32_t)1 << c[1]); return true;
    case PTX_OP_MUL: case PTX_OP_MAD:
      if (ins->mode == PTX_HI_HALF || ins->mode == PTX_WIDE || !is_constant[1]) return false;
      scale(v, c[1]);
      if (ins->op == PTX_OP_MUL) return true;
      if (!read_operand(x, o + 2, &u, &is_constant[2], &c[2])) return false;
      if (is_constant[2]) add_constant(v, c[2], x->k->shape.width);
      else add(v, &u, 1);
      return true;
    case PTX_OP_AND: case PTX_OP_OR: case PTX_OP_XOR: case PTX_OP_SHR:
      return is_constant[1] && change_bits(v, (ptx_opcode)ins->op, c[1]);
    default: return false;
  }
}

/* Whether an instruction writes its only result in all lanes, whichever run. */
static bool is_whole(const dc_uniformity *k, const ptx_ins *ins) {
  const int32_t d = ins->ndst == 1 ? ins->opnd[0].reg : -1;
  if (d < 0 || ins->pred >= 0 || k->f->regs[d].bits != 32 || !dc_is_defined_once(k->def_at, d)) return false;
  return (k->reg[d].tag == DC_VARYING || k->reg[d].tag == DC_AFFINE) && !k->blend[ins - k->f->ins] &&
         ptx_is_integer(ins->type) && ptx_type_bits((ptx_type)ins->type) == 32 &&
         !(ins->flags & PTX_F_SAT);
}

const dc_pattern *const *dc_patterns_find(dc_uniformity *k) {
  const ptx_func *f = k->f;
  const size_t n = (size_t)f->nregs + 1;
  finder x = { .k = k, .of = dc_arena_alloc(&k->arena, n * sizeof *x.of) };
  const dc_pattern **found = dc_arena_alloc(&k->arena, n * sizeof *found);
  if (!x.of || !found) return NULL;
  for (int32_t b = 0; b < f->nblocks && k->shape.width <= DC_MOST_LANES; b++)
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) {
      value v;
      const int32_t d = f->ins[i].ndst == 1 ? f->ins[i].opnd[0].reg : -1;
      if (!is_whole(k, &f->ins[i]) || !(read_values(k, d, &v) || combine(&x, &f->ins[i], &v))) continue;
      if (k->reg[d].tag == DC_AFFINE && v.low < 0) continue;
      value *const own = x.of[d] = dc_arena_alloc(&k->arena, 2 * sizeof *own);
      if (own == NULL) return NULL;
      own[0] = own[1] = v;
      for (int l = 0; l < DC_MOST_LANES; l++)
        own[1].p.lane[l] = (int32_t)((uint32_t)v.p.lane[l] - (uint32_t)v.p.lane[0]);
      if (k->reg[d].tag == DC_VARYING) found[d] = &own[1].p;
    }
  return found;
}
