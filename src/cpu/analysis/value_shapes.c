/* value_shapes.c - see value_shapes.h. */
#include "cpu/analysis/value_shapes.h"

#include "cpu/analysis/ranges.h"
#include "cpu/ptx/opcode.h"

static const dc_value_shape uniform = DC_UNIFORM_SHAPE;
static const dc_value_shape varying = DC_VARYING_SHAPE;

bool dc_same_shape(const dc_value_shape *a, const dc_value_shape *b) {
  if (a->tag != DC_AFFINE && a->tag != DC_INDEXED) return a->tag == b->tag;
  return a->tag == b->tag && a->origin == b->origin && a->exact == b->exact && a->times == b->times &&
         a->step == b->step;
}

dc_value_shape dc_merge_shapes(dc_value_shape a, dc_value_shape b) {
  if (a.tag == DC_UNKNOWN) return b;
  if (b.tag == DC_UNKNOWN) return a;
  if (!dc_same_shape(&a, &b)) return varying;
  a.aligned = a.aligned && b.aligned;
  a.from_zero = a.from_zero && b.from_zero;
  if (b.zeros < a.zeros) a.zeros = b.zeros;
  return a;
}

/* A uniform value whose lowest `zeros` bits are 0.  (More than these are not of use, and would take many sweeps.) */
static dc_value_shape uniform_with(int zeros) {
  dc_value_shape r = uniform;
  r.zeros = (uint8_t)(zeros < 16 ? zeros : 16);
  return r;
}

static dc_value_shape affine(int64_t stride, bool aligned) {
  return (dc_value_shape){.tag = DC_AFFINE, .origin = -1, .exact = stride, .aligned = aligned};
}

/* Consecutive numbers, the first one a multiple of the gang's width, or 0. */
static dc_value_shape row(bool from_zero) {
  dc_value_shape r = affine(1, true);
  r.from_zero = from_zero;
  return r;
}

static dc_value_shape sreg_kind(const dc_uniformity *k, int sreg) {
  if (sreg >= PTX_SR_LANEMASK_EQ && sreg <= PTX_SR_LANEMASK_GT) return varying;
  if (k->shape.by_lane) return uniform;
  if (sreg == PTX_SR_LANEID) return row(true);
  if (sreg == PTX_SR_TID_X) return k->shape.rows ? row(k->shape.single) : varying;
  if (sreg == PTX_SR_NTID_X) return uniform_with(k->shape.whole ? __builtin_ctz((unsigned)k->shape.width) : 0);
  if (sreg == PTX_SR_TID_Y || sreg == PTX_SR_TID_Z) return k->shape.rows ? uniform : varying;
  return uniform;
}

dc_value_shape dc_value_shape_of(const dc_uniformity *k, const ptx_operand *o) {
  if (o->kind == PTX_SREG) return sreg_kind(k, o->sreg);
  if (o->reg >= 0) return k->reg[o->reg];
  return uniform_with(o->kind == PTX_IMM && o->imm ? __builtin_ctzll((uint64_t)o->imm) : o->kind == PTX_IMM ? 64 : 0);
}

/* The stride of 32-bit values counts modulo 2^32. */
static dc_value_shape narrow(dc_value_shape a) {
  dc_value_shape r = affine((int32_t)dc_value_stride(&a), false);
  if (a.tag == DC_INDEXED || a.tag == DC_VARYING) return varying;
  r.aligned = a.aligned && r.exact == 1;
  r.zeros = a.zeros;
  return r;
}

static dc_value_shape sum(const dc_uniformity *k, dc_value_shape a, dc_value_shape b, int64_t sign, int bits) {
  const int zeros = a.zeros < b.zeros ? a.zeros : b.zeros;
  if (a.tag == DC_UNIFORM && b.tag == DC_UNIFORM) return uniform_with(zeros);
  if (a.origin >= 0 && b.origin >= 0 && a.origin != b.origin) return varying;
  if (a.tag != b.tag && a.tag + b.tag == DC_AFFINE + DC_INDEXED) return varying;
  dc_value_shape r = {.tag = a.tag > b.tag ? a.tag : b.tag, .origin = a.origin >= 0 ? a.origin : b.origin};
  r.step = a.origin >= 0 ? a.step : b.step;
  r.exact = (int64_t)((uint64_t)a.exact + (uint64_t)sign * (uint64_t)b.exact);
  r.times = (int64_t)((uint64_t)a.times + (uint64_t)sign * (uint64_t)b.times);
  const bool whole = 1 << (a.tag == DC_UNIFORM ? a : b).zeros >= k->shape.width; /* a multiple of the gang's width */
  r.aligned = r.origin < 0 && r.exact == 1 && (a.tag == DC_UNIFORM ? b : a).aligned && whole;
  r.zeros = (uint8_t)zeros;
  return bits == 32 ? narrow(r) : r;
}

static dc_value_shape product(dc_value_shape a, int64_t factor, int bits) {
  if (a.tag != DC_AFFINE && a.tag != DC_INDEXED) return a;
  if (a.tag == DC_AFFINE && factor) a.zeros = (uint8_t)(a.zeros + __builtin_ctzll((uint64_t)factor));
  a.exact = (int64_t)((uint64_t)a.exact * (uint64_t)factor);
  a.times = (int64_t)((uint64_t)a.times * (uint64_t)factor);
  a.aligned = a.from_zero = false;
  return bits == 32 ? narrow(a) : a;
}

/* 32 bits to 64, times a constant.  What is multiplied by the size of an element becomes an index. */
static dc_value_shape widened(const dc_uniformity *k, const ptx_ins *ins, const ptx_operand *o, int64_t factor) {
  dc_value_shape a = dc_value_shape_of(k, o), r = {.origin = (int32_t)(ins - k->f->ins), .times = factor};
  r.tag = a.tag == DC_VARYING ? DC_INDEXED : DC_AFFINE;
  if (a.tag == DC_AFFINE) r.step = (int32_t)dc_value_stride(&a);
  if (a.tag == DC_AFFINE && dc_range_is_exact(k->range, o, ptx_source_type(ins) == PTX_S32))
    return product(affine(r.step, false), factor, 64);
  if (a.tag == DC_UNIFORM) return a;
  if (a.tag == DC_AFFINE) return r;
  const bool index = (factor == 1 || factor == 2 || factor == 4 || factor == 8) && o->kind == PTX_REG;
  return index && k->f->regs[o->reg].bits == 32 && k->f->regs[ins->opnd[0].reg].bits == 64 ? r : varying;
}

static bool constant(const ptx_operand *o, int64_t *value) {
  *value = o->imm;
  return o->kind == PTX_IMM && !o->is_float;
}

/* Multiplication where one side is a constant: the kind of the other, scaled. */
static dc_value_shape scaled(const dc_uniformity *k, const ptx_ins *ins, bool wide, int bits) {
  const ptx_operand *x = &ins->opnd[ins->ndst], *y = x + 1;
  dc_value_shape a = dc_value_shape_of(k, x), b = dc_value_shape_of(k, y);
  int64_t factor;
  if (a.tag == DC_UNIFORM && b.tag == DC_UNIFORM) return uniform_with(a.zeros + b.zeros);
  if (constant(x, &factor)) {
    a = b;
    x = y;
  } else if (!constant(y, &factor)) {
    return varying;
  }
  if (wide && ins->type == PTX_U32) factor = (int64_t)(uint32_t)factor;
  if (wide && ins->type == PTX_S32) factor = (int32_t)factor;
  return wide ? widened(k, ins, x, factor) : product(a, factor, bits);
}

static bool is_integer(int type, int *bits) {
  *bits = ptx_type_bits((ptx_type)type);
  return ptx_is_integer(type) && (*bits == 32 || *bits == 64);
}

/* tid.x & (2^n - 1) and tid.x >> n, where a gang begins at a multiple of its width. */
static dc_value_shape of_aligned(const dc_uniformity *k, const ptx_ins *ins, dc_value_shape a) {
  int64_t c;
  if (!a.aligned || !constant(&ins->opnd[ins->ndst + 1], &c)) return varying;
  if (ins->op == PTX_OP_AND) {
    if (c > 0 && c < INT32_MAX && ((c + 1) & c) == 0 && c + 1 >= k->shape.width)
      return row(a.from_zero || c + 1 == k->shape.width);
    if (c >= 0 || c < -(int64_t)INT32_MAX || ((-c) & (-c - 1)) != 0 || -c < k->shape.width) return varying;
    return uniform_with(__builtin_ctzll((uint64_t)c));
  }
  return c >= 0 && c < 32 && ((int64_t)1 << c) >= k->shape.width ? uniform : varying;
}

static dc_value_shape conversion(const dc_uniformity *k, const ptx_ins *ins, dc_value_shape a) {
  int to, from;
  if (!is_integer(ins->type, &to) || !is_integer(ins->type2, &from) || (ins->flags & PTX_F_SAT)) return varying;
  if (to == 64 && from == 32) return widened(k, ins, &ins->opnd[1], 1);
  return to == 32 ? narrow(a) : a;
}

dc_value_shape dc_affine_result(const dc_uniformity *k, const ptx_ins *ins) {
  const ptx_operand *src = &ins->opnd[ins->ndst];
  dc_value_shape a = dc_value_shape_of(k, src), b = ins->nsrc > 1 ? dc_value_shape_of(k, src + 1) : uniform;
  int bits;
  int64_t c;
  if (ins->op == PTX_OP_CVT) return conversion(k, ins, a);
  if (!is_integer(ins->type, &bits) || (ins->flags & PTX_F_SAT)) {
    return ins->op == PTX_OP_MOV && ptx_type_bits((ptx_type)ins->type) == 32 ? a : varying;
  }
  switch (ins->op) {
    case PTX_OP_MOV: return ins->nsrc == 1 ? a : varying; /* else it packs several into a word */
    case PTX_OP_CVTA: return ins->space == PTX_LOCAL ? varying : a;
    case PTX_OP_ADD: return sum(k, a, b, 1, bits);
    case PTX_OP_SUB: return sum(k, a, b, -1, bits);
    case PTX_OP_NEG: return product(a, -1, bits);
    case PTX_OP_SHL: return constant(src + 1, &c) && c >= 0 && c < bits ? product(a, (int64_t)1 << c, bits) : varying;
    case PTX_OP_MUL: case PTX_OP_MAD:
      if (ins->mode == PTX_HI_HALF || (ins->mode == PTX_WIDE && bits != 32)) return varying;
      a = scaled(k, ins, ins->mode == PTX_WIDE, bits);
      if (ins->op == PTX_OP_MUL) return a;
      b = dc_value_shape_of(k, src + 2);
      if (a.tag == DC_VARYING || b.tag == DC_VARYING) return varying;
      return sum(k, a, b, 1, ins->mode == PTX_WIDE ? 64 : bits);
    case PTX_OP_AND: return of_aligned(k, ins, a);
    case PTX_OP_OR: case PTX_OP_XOR: /* bits that were 0: a sum */
      if (!constant(src + 1, &c) || c < 0 || c >> (a.zeros < 31 ? a.zeros : 31) != 0) return varying;
      return sum(k, a, b, 1, bits);
    case PTX_OP_SHR:
      return ins->type == PTX_U32 || ins->type == PTX_S32 || ins->type == PTX_B32 ? of_aligned(k, ins, a) : varying;
    case PTX_OP_SELP: return dc_value_shape_of(k, src + 2).tag == DC_UNIFORM ? dc_merge_shapes(a, b) : varying;
    default: return varying;
  }
}

/* Loads of one address by all lanes are uniform, except strong ones, which other threads may interleave with writes.
** (Not in shared memory: a block runs on one thread.) */
dc_value_shape dc_shape_of_load(const dc_uniformity *k, const ptx_ins *ins) {
  const ptx_operand *at = &ins->opnd[ins->ndst];
  int space = ins->space == PTX_GENERIC && at->sym ? at->sym->space : ins->space;
  if (((ins->flags & PTX_F_STRONG) && space != PTX_SHARED) || ptx_type_bits((ptx_type)ins->type) > 64) return varying;
  if (space == PTX_LOCAL && !k->shape.by_lane) return varying;
  if (space == PTX_PARAM && at->sym && at->sym->inside && !k->shape.by_lane) return varying;
  return at->reg < 0 || k->reg[at->reg].tag == DC_UNIFORM ? uniform : varying;
}

/* The low bits that are 0 in a result of uniform operands, as far as known. */
static int zeros_of(const dc_uniformity *k, const ptx_ins *ins) {
  int bits, from, z[3] = {0};
  int64_t c;
  const ptx_operand *src = &ins->opnd[ins->ndst];
  if (ins->ndst != 1 || ins->nsrc > 3 || !is_integer(ins->type, &bits)) return 0;
  const dc_range range = dc_range_of(k->range, &ins->opnd[0]);
  if (range.low == 0 && range.high == 0) return 64;
  if ((ins->flags & PTX_F_SAT) || ins->mode == PTX_HI_HALF) return 0;
  for (int i = 0; i < ins->nsrc; i++) z[i] = dc_value_shape_of(k, &src[i]).zeros;
  const int least = z[0] < z[1] ? z[0] : z[1];
  switch (ins->op) {
    case PTX_OP_MOV: return ins->nsrc == 1 ? z[0] : 0;
    case PTX_OP_CVT: return is_integer(ins->type2, &from) ? z[0] : 0;
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_OR: case PTX_OP_XOR: case PTX_OP_MIN: case PTX_OP_MAX:
    case PTX_OP_SELP: return least;
    case PTX_OP_AND: return z[0] + z[1] - least;
    case PTX_OP_MUL: return z[0] + z[1];
    case PTX_OP_MAD: return z[0] + z[1] < z[2] ? z[0] + z[1] : z[2];
    case PTX_OP_SHL: return z[0] + (constant(src + 1, &c) && c >= 0 && c < bits ? (int)c : 0);
    case PTX_OP_SHR: return constant(src + 1, &c) && c >= 0 && c < z[0] ? z[0] - (int)c : 0;
    default: return 0;
  }
}

dc_value_shape dc_uniform_result(const dc_uniformity *k, const ptx_ins *ins) { return uniform_with(zeros_of(k, ins)); }

bool dc_is_shuffle(const ptx_func *f, const ptx_ins *ins) {
  if (ins->op != PTX_OP_SHFL || ins->nsrc != 4) return false;
  for (int i = 0; i < ins->ndst + 4; i++) {
    const ptx_operand *o = &ins->opnd[i];
    const bool is_pred = i == 1 && ins->ndst == 2;
    if (o->reg >= 0 ? f->regs[o->reg].bits != (is_pred ? 1 : 32) : i >= ins->ndst && o->kind != PTX_IMM) return false;
  }
  return true;
}

bool dc_is_broadcast(const dc_uniformity *k, const ptx_ins *ins) {
  const ptx_operand *src = &ins->opnd[ins->ndst];
  if (ins->mode != PTX_SHFL_IDX || !dc_is_shuffle(k->f, ins)) return false;
  const dc_range clamp = dc_range_of(k->range, &src[2]);
  return clamp.low == 31 && clamp.high == 31 &&
         dc_value_shape_of(k, &src[1]).tag <= DC_UNIFORM && dc_value_shape_of(k, &src[3]).tag <= DC_UNIFORM;
}

bool dc_is_one_for_all(const dc_uniformity *k, const ptx_ins *ins) {
  if (ins->op == PTX_OP_ACTIVEMASK) return true;
  const bool matches = ins->op == PTX_OP_MATCH && ins->mode == PTX_MATCH_ANY && ins->ndst == 1 &&
                       dc_value_shape_of(k, &ins->opnd[1]).tag <= DC_UNIFORM;
  if (matches || (ins->op == PTX_OP_VOTE && ins->nsrc == 2) || (ins->op == PTX_OP_REDUX && ins->type != PTX_F32))
    return dc_value_shape_of(k, &ins->opnd[2]).tag <= DC_UNIFORM;
  if (ins->op == PTX_OP_SHFL) return dc_is_broadcast(k, ins);
  return ptx_is_whole_barrier(ins);
}

/* What a register's values are in each gang, whatever the program makes them of: uniform, affine, or (unknown) neither.
** The stride of 32 bits counts modulo 2^32. */
dc_value_shape dc_shape_of_values(const dc_uniformity *k, int32_t r) {
  const int width = k->shape.width, bits = k->f->regs[r].bits;
  dc_value_shape s = affine((int64_t)((uint64_t)dc_value_in(k->f, k->values, r, 1) -
                                      (uint64_t)dc_value_in(k->f, k->values, r, 0)), true);
  uint64_t ones = 0, first = 0, firsts = 0;
  if (bits == 32) s.exact = (int32_t)s.exact;
  for (int t = 0; t < dc_row_of(k); t++) {
    const uint64_t v = (uint64_t)dc_value_in(k->f, k->values, r, t);
    if (t % width == 0) first = v;
    const uint64_t off = v - first - (uint64_t)s.exact * (uint64_t)(t % width);
    if ((bits == 32 ? (uint32_t)off : off) != 0 || (bits == 1 && s.exact != 0)) return (dc_value_shape){.origin = -1};
    s.aligned &= first % (uint64_t)width == 0;
    firsts |= first;
    ones |= v;
  }
  const int zeros = ones ? __builtin_ctzll(ones) : 64;
  if (s.exact == 0) return uniform_with(zeros);
  s.aligned &= s.exact == 1;
  s.from_zero = s.aligned && firsts == 0;
  s.zeros = (uint8_t)zeros;
  return s;
}
