/*
** ranges.c - see ranges.h.
**
** Intervals in one walk: only registers with one definition have a range, and definitions precede uses in the order of
** blocks.  (A loop's variable has two.)
*/
#include "cpu/analysis/ranges.h"

#include "cpu/ptx/opcode.h"

#define MOST (1 << 30) /* so that sums of two ranges fit in 32 bits, and their products in 64 */

static const dc_range unknown = {1, 0};

static bool is_known(dc_range r) { return r.low <= r.high; }

static dc_range of_sreg(int sreg) {
  if (sreg >= PTX_SR_TID_X && sreg <= PTX_SR_TID_Z) return (dc_range){0, 1023};
  if (sreg == PTX_SR_CTAID_Y || sreg == PTX_SR_CTAID_Z) return (dc_range){0, 65535};
  if (sreg >= PTX_SR_NTID_X && sreg <= PTX_SR_NTID_Z) return (dc_range){1, 1024};
  return sreg == PTX_SR_LANEID ? (dc_range){0, 31} : unknown;
}

static dc_range of_operand(const dc_range *range, const ptx_operand *o, int bits) {
  const int64_t c = bits == 32 ? (int32_t)o->imm : o->imm;
  if (o->kind == PTX_SREG) return of_sreg(o->sreg);
  if (o->kind == PTX_IMM && !o->is_float && c >= -MOST && c <= MOST) return (dc_range){c, c};
  return o->kind == PTX_REG && o->reg >= 0 ? range[o->reg] : unknown;
}

static dc_range plus(dc_range a, dc_range b) {
  return is_known(a) && is_known(b) ? (dc_range){a.low + b.low, a.high + b.high} : unknown;
}
static dc_range minus(dc_range a) { return is_known(a) ? (dc_range){-a.high, -a.low} : unknown; }
static dc_range times(dc_range a, dc_range b) {
  if (!is_known(a) || !is_known(b)) return unknown;
  const int64_t p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  dc_range r = {p[0], p[0]};
  for (int i = 1; i < 4; i++) {
    if (p[i] < r.low) r.low = p[i];
    if (p[i] > r.high) r.high = p[i];
  }
  return r;
}

dc_range dc_range_of_result(const dc_range *range, const ptx_ins *ins) {
  const ptx_operand *src = &ins->opnd[ins->ndst];
  const bool wide = ins->mode == PTX_WIDE, is_signed = ptx_is_signed(ptx_source_type(ins));
  const int to = ptx_type_bits((ptx_type)ins->type), from = ptx_type_bits(ptx_source_type(ins));
  if (!ptx_is_integer(ins->type) || to < 32 || !ptx_is_integer(ptx_source_type(ins)) || from < 32 ||
      ins->nsrc < 1 || ins->nsrc > 3 || ins->flags & PTX_F_SAT)
    return unknown;
  const dc_range a = of_operand(range, src, from), b = ins->nsrc > 1 ? of_operand(range, src + 1, from) : unknown;
  switch (ins->op) {
    case PTX_OP_MOV: return ins->nsrc == 1 ? a : unknown;
    case PTX_OP_CVT: return to <= from || is_signed || a.low >= 0 ? a : unknown;
    case PTX_OP_ADD: return plus(a, b);
    case PTX_OP_SUB: return plus(a, minus(b));
    case PTX_OP_NEG: return minus(a);
    case PTX_OP_SHL:
      if (b.low != b.high || b.low < 0 || b.low > 30) return unknown;
      return times(a, (dc_range){1ll << b.low, 1ll << b.low});
    case PTX_OP_SHR:
      if (b.low != b.high || b.low < 0 || b.low > 31 || from != 32) return unknown;
      return is_known(a) && (is_signed || a.low >= 0) ? (dc_range){a.low >> b.low, a.high >> b.low} : unknown;
    case PTX_OP_AND: return b.low == b.high && b.low >= 0 ? (dc_range){0, b.high} : unknown;
    case PTX_OP_MUL: case PTX_OP_MAD:
      if (ins->mode == PTX_HI_HALF || (wide && !is_signed && (a.low < 0 || b.low < 0))) return unknown;
      return ins->op == PTX_OP_MUL ? times(a, b) : plus(times(a, b), of_operand(range, src + 2, wide ? 64 : to));
    default: return unknown;
  }
}

static dc_range of_values(const ptx_func *f, dc_by_thread values, int32_t reg) {
  dc_range r = {INT64_MAX, INT64_MIN};
  for (int t = 0; t < dc_threads_of(f); t++) {
    const int64_t v = dc_value_in(f, values, reg, t);
    if (v < r.low) r.low = v;
    if (v > r.high) r.high = v;
  }
  return r;
}

void dc_ranges_find(const ptx_func *f, const int32_t *def_at, dc_by_thread values, int blocks, dc_range *range) {
  for (int32_t r = 0; r < f->nregs; r++) range[r] = unknown;
  for (const ptx_ins *ins = f->ins; ins < f->ins + f->nins; ins++) {
    const int32_t d = ins->ndst == 1 ? ins->opnd[0].reg : -1;
    if (d < 0 || ins->pred >= 0 || def_at[d + 1] - def_at[d] != 1) continue;
    const bool is_block = ins->op == PTX_OP_MOV && ins->opnd[1].kind == PTX_SREG &&
                          (ins->opnd[1].sreg == PTX_SR_CTAID_X || ins->opnd[1].sreg == PTX_SR_NCTAID_X);
    const dc_range r = values[d] ? of_values(f, values, d) : is_block && blocks ? (dc_range){0, blocks}
                                                           : dc_range_of_result(range, ins);
    if (r.low >= -MOST && r.high <= MOST) range[d] = r;
  }
}

bool dc_range_is_exact(const dc_range *range, const ptx_operand *o, bool is_signed) {
  const dc_range r = of_operand(range, o, 32);
  return is_known(r) && (is_signed || r.low >= 0);
}

dc_range dc_range_of(const dc_range *range, const ptx_operand *o) { return of_operand(range, o, 32); }
