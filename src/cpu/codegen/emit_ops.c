/* emit_ops.c - see emit_ops.h. */
#include "cpu/codegen/emit_ops.h"

#include "base/buf.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_atomics.h"
#include "cpu/codegen/emit_compare.h"
#include "cpu/codegen/emit_matrix.h"
#include "cpu/codegen/emit_mbarrier.h"
#include "cpu/codegen/emit_copies.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_memory.h"
#include "cpu/codegen/emit_short.h"
#include "cpu/codegen/emit_state.h"
#include "cpu/codegen/emit_tables.h"
#include "cpu/codegen/emitter.h"
#include "cpu/interp/op_names.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/ptx.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* --- forms ---------------------------------------------------------------------------------------------- */

static char kind_of_bits(int bits) { return bits == 1 ? 'p' : bits == 64 ? 'd' : 'w'; }

/* cvt takes the low part of a source register that is wider than its type. */
static bool is_low_half(const emitter *e, const ptx_ins *ins, const ptx_operand *o, char want) {
  return ins->op == PTX_OP_CVT && want == 'w' && o->kind == PTX_REG && dc_emit_bits(e, o->reg) == 64;
}

/* The registers of an operation must be of the sizes that its form wants. */
static bool fits(const emitter *e, const ptx_ins *ins, const dc_native_form *form) {
  for (int i = 0; i < ins->ndst + ins->nsrc; i++) {
    const ptx_operand *o = &ins->opnd[i];
    char want = i < ins->ndst ? form->dst[i] : form->src[i - ins->ndst];
    if (o->kind == PTX_SREG || o->kind == PTX_LABEL) return false;
    if (o->kind != PTX_REG) continue;
    int bits = dc_emit_bits(e, o->reg);
    if (i >= ins->ndst && is_low_half(e, ins, o, want)) continue;
    if (bits == 128 || kind_of_bits(bits) != want || (i < ins->ndst && bits != form->dst_bits[i])) return false;
  }
  return true;
}

static bool is_sreg_move(const ptx_ins *ins) {
  return ins->op == PTX_OP_MOV && ins->ndst == 1 && ins->nsrc == 1 && ins->opnd[1].kind == PTX_SREG;
}

/* The function of simd/warp.h for a vote, match or reduction, without its prefix; NULL: there is none. */
static const char *collective_of(const ptx_ins *ins) {
  static const char *const votes[] = { "all", "any", "uni", "ballot" };
  const bool sign = ins->type == PTX_S32, wide = ptx_type_bits((ptx_type)ins->type) == 64;
  if (ins->nsrc != 2) return NULL;
  switch (ins->op) {
    case PTX_OP_VOTE:
      return ins->mode >= PTX_VOTE_ALL && ins->mode <= PTX_VOTE_BALLOT ? votes[ins->mode - PTX_VOTE_ALL] : NULL;
    case PTX_OP_MATCH:
      if (ins->mode == PTX_MATCH_ANY) return wide ? "any_64" : "any_32";
      return wide ? "all_64" : "all_32";
    case PTX_OP_REDUX: break;
    default: return NULL;
  }
  if (ins->type == PTX_F32) return NULL;
  switch (ins->mode) {
    case PTX_ATOM_ADD: return "add";
    case PTX_ATOM_AND: return "and";
    case PTX_ATOM_OR: return "or";
    case PTX_ATOM_XOR: return "xor";
    case PTX_ATOM_MIN: return sign ? "min_s32" : "min_u32";
    case PTX_ATOM_MAX: return sign ? "max_s32" : "max_u32";
    default: return NULL;
  }
}

/* mov.b64 {a, b}, c. */
static bool is_unpack(const ptx_ins *ins) {
  return ins->op == PTX_OP_MOV && ins->ndst > 1 && ins->nsrc == 1 && ptx_type_bits((ptx_type)ins->type) <= 64;
}

bool dc_emit_has_scalar(const ptx_ins *ins) {
  dc_native_form form;
  if (ins->op == PTX_OP_CVTA || is_sreg_move(ins) || is_unpack(ins)) return true;
  return ins->ndst == 1 && dc_native_op(ins, &form);
}

/* --- special registers ---------------------------------------------------------------------------------- */

/* Whether the device reads it. */
static bool is_of_device(int sreg) { return sreg == PTX_SR_GRIDID || sreg > PTX_SR_LANEMASK_GT; }

static void put_sreg_scalar(emitter *e, int sreg) {
  static const char *const names[] = {
    "tid[0][0]",    "tid[1][0]",    "tid[2][0]",    "n->ntid[0]",   "n->ntid[1]",   "n->ntid[2]",
    "n->ctaid[0]",  "n->ctaid[1]",  "n->ctaid[2]",  "n->nctaid[0]", "n->nctaid[1]", "n->nctaid[2]",
    "0u" /* %laneid in lane 0 */, "n->warpid", "n->nwarps", "32u", "n->smid", "n->nsmid",
  };
  if (is_of_device(sreg)) PUT("n->special(n, %d)", sreg);
  else if (e->k.shape.single && sreg == PTX_SR_TID_X) PUT("0u");
  else if (e->k.shape.single && sreg == PTX_SR_NTID_X) PUT("(uint32_t)DC_W");
  else PUT("%s", names[sreg - PTX_SR_TID_X]);
}

/* Its lanes as words; it is no mask of lanes. */
static void put_sreg_lanes(emitter *e, int sreg, dc_value_shape s) {
  if (s.tag == DC_VARYING) {
    PUT("V32_load(tid[%d])", sreg - PTX_SR_TID_X);
    return;
  }
  PUT(s.tag == DC_UNIFORM ? "V32_splat((uint32_t)" : "V32_affine(");
  put_sreg_scalar(e, sreg);
  PUT(s.tag == DC_UNIFORM ? ")" : ", 1)");
}

/* Of lane l, whose own bit is the l-th. */
static const char *lane_masks(int sreg) {
  switch (sreg) {
    case PTX_SR_LANEMASK_EQ: return "own_";
    case PTX_SR_LANEMASK_LE: return "v_or_32(own_, v_sub_32(own_, V32_splat(1)))";
    case PTX_SR_LANEMASK_LT: return "v_sub_32(own_, V32_splat(1))";
    case PTX_SR_LANEMASK_GE: return "v_sub_32(V32_splat(0), own_)";
    default: return "v_sub_32(V32_splat(0), v_add_32(own_, own_))";
  }
}

static void move_sreg(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  int32_t d = ins->opnd[0].reg;
  int sreg = ins->opnd[1].sreg, bits = dc_emit_bits(e, d);
  dc_value_shape s = dc_value_shape_of(&e->k, &ins->opnd[1]);
  if (sreg == PTX_SR_WARPID) e->numbers = true;
  const bool masks = sreg >= PTX_SR_LANEMASK_EQ && sreg <= PTX_SR_LANEMASK_GT;
  if (masks || sreg == PTX_SR_LANEID || sreg == PTX_SR_WARPID || sreg == PTX_SR_NWARPID) e->out->lane_free = false;
  if (dc_emit_shape(e, d)->tag != DC_VARYING) {
    PUT("s%d = %s", d, bits == 16 ? "(uint16_t)" : "");
    put_sreg_scalar(e, sreg);
    PUT(";\n");
    return;
  }
  const bool wide = bits == 64 && is_of_device(sreg);
  dc_emit_assign(e, d, mask, keep);
  if (bits == 64) PUT(wide ? "V64_splat(" : "v_cvt_i64_u32_w(");
  if (bits == 16) PUT("v_cvt_i16_u16_w(");
  if (masks) PUT("({ const V32 own_ = v_shl_32(V32_splat(1), V32_affine(0, 1)); %s; })", lane_masks(sreg));
  else if (wide) put_sreg_scalar(e, sreg);
  else put_sreg_lanes(e, sreg, s);
  if (bits != 32) PUT(")");
  dc_emit_assign_end(e, d, keep);
}

/* --- operations ----------------------------------------------------------------------------------------- */

/* An affine value is widened: what it was, and whether it wraps around among the lanes, as an aligned one does not.
** (That is known at the end of the analysis only, whose shapes must not come to differ.)  An index is: what it was, and
** the base, which is all of the result then (true). */
static bool note_origin(emitter *e, const ptx_ins *ins, int32_t index) {
  const dc_value_shape *s = NULL;
  if (ins->ndst != 1 || ins->opnd[0].reg < 0) return false;
  s = dc_emit_shape(e, ins->opnd[0].reg);
  if (!dc_is_scalar(s) || s->origin != index) return false;
  const ptx_operand *src = &ins->opnd[1];
  if (dc_value_shape_of(&e->k, src).tag == DC_UNIFORM) src++;
  if (s->tag == DC_INDEXED) {
    PUT("i%d = ", index);
    dc_emit_operand(e, src, 'w');
    PUT("; s%d = ", ins->opnd[0].reg);
    if (ins->op == PTX_OP_MAD) dc_emit_operand(e, &ins->opnd[3], 'D');
    else PUT("0");
    PUT(";\n");
    return true;
  }
  PUT("x%d = ", index);
  dc_emit_operand(e, src, 'W');
  if (dc_value_shape_of(&e->k, src).aligned) PUT("; ok%d = 1;\n", index);
  else
    PUT("; ok%d = dc_no_wrap_%s(x%d, %lldll);\n", index, dc_emit_is_signed(e, index) ? "s32" : "u32", index,
        (long long)s->step);
  return false;
}

/* Whether source i has 16 bits (or 8): constants are written with a sign, registers of 16 bits hold none. */
static bool is_short(const ptx_ins *ins, int i) {
  int type = ins->op == PTX_OP_CVT && ins->type2 ? ins->type2 : ins->type;
  if (ins->op == PTX_OP_MOV && ins->nsrc == 2) return ins->type == PTX_B32;
  if ((ins->op == PTX_OP_SHL || ins->op == PTX_OP_SHR) && i == 1) return false;
  if (ins->op == PTX_OP_MAD && ins->mode == PTX_WIDE && i == 2) return false;
  int bits = ptx_type_bits((ptx_type)type);
  return bits == 8 || bits == 16;
}

/* v_NAME_by takes a divisor that is one for all lanes, which needs one reciprocal. */
static bool has_one_divisor(const emitter *e, const ptx_ins *ins) {
  return (ins->op == PTX_OP_DIV || ins->op == PTX_OP_REM) && (ins->type == PTX_U32 || ins->type == PTX_S32) &&
         dc_value_shape_of(&e->k, &ins->opnd[2]).tag == DC_UNIFORM;
}

static void form_operands(emitter *e, const ptx_ins *ins, const dc_native_form *form, bool scalar, bool word) {
  for (int i = 0; i < ins->nsrc; i++) {
    char kind = form->src[i];
    ptx_operand o = ins->opnd[ins->ndst + i];
    if (o.kind == PTX_IMM && kind == 'w' && is_short(ins, i)) o.imm &= 0xffff;
    bool low = is_low_half(e, ins, &o, kind);
    if (low) kind = 'd';
    if (i) PUT(", ");
    if (low) PUT(scalar ? "(uint32_t)" : "v_low_half(");
    dc_emit_operand(e, &o, scalar || (i && has_one_divisor(e, ins)) ? (char)(kind - 'a' + 'A') : word ? 'm' : kind);
    if (low && !scalar) PUT(")");
  }
}

/* Two destinations, which are varying; one may be left out. */
static void by_double_form(emitter *e, const ptx_ins *ins, const dc_native_form *form, const char *mask, bool keep) {
  PUT("{ ");
  for (int i = 0; i < 2; i++) PUT("%s r%d_; ", form->dst[i] == 'p' ? "P" : form->dst[i] == 'w' ? "V32" : "V64", i);
  PUT("v_%s(&r0_, &r1_, ", form->name);
  form_operands(e, ins, form, false, false);
  PUT("); ");
  for (int i = 0; i < 2; i++) {
    if (ins->opnd[i].kind == PTX_SINK) continue;
    dc_emit_assign(e, ins->opnd[i].reg, mask, keep);
    PUT("r%d_", i);
    dc_emit_assign_end(e, ins->opnd[i].reg, keep);
  }
  PUT("}\n");
}

static void by_form(emitter *e, const ptx_ins *ins, const dc_native_form *form, const char *mask, bool keep) {
  int32_t d = ins->opnd[0].reg;
  const bool scalar = dc_is_scalar(dc_emit_shape(e, d)), word = dc_emit_is_on_words(e, ins);
  const bool lanes = dc_emit_compares_lanes(e, ins);
  const char kind = scalar ? 's' : word ? 'm' : 'v';
  if (word || lanes) dc_emit_assign_word(e, d, mask, keep);
  else dc_emit_assign(e, d, mask, keep);
  if (lanes) {
    dc_emit_lanes(e, ins);
    dc_emit_assign_end(e, d, keep);
    return;
  }
  if (scalar && dc_emit_shape(e, d)->from_zero) {
    PUT("0u");
    dc_emit_assign_end(e, d, keep);
    return;
  }
  PUT("%c_%s%s(", kind, form->name, !scalar && has_one_divisor(e, ins) ? "_by" : "");
  form_operands(e, ins, form, scalar, word);
  PUT(")");
  dc_emit_assign_end(e, d, keep);
}

/* Of a source that is the same in all lanes. */
static void unpack(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const int bits = ptx_type_bits((ptx_type)ins->type), part = bits / ins->ndst;
  PUT("{ const uint%d_t c_ = ", bits);
  dc_emit_operand(e, &ins->opnd[ins->ndst], bits == 64 ? 'D' : 'W');
  PUT("; ");
  for (int i = 0; i < ins->ndst; i++) {
    const int32_t d = ins->opnd[i].reg;
    if (d < 0) continue;
    dc_emit_assign(e, d, mask, keep);
    PUT("%s((uint%d_t)(c_ >> %d))", dc_is_scalar(dc_emit_shape(e, d)) ? "" : "V32_splat", part, i * part);
    dc_emit_assign_end(e, d, keep);
  }
  PUT("}\n");
}

/* A result in tier 0's register file: of lane 0 for a scalar. */
static void from_tier0(emitter *e, int32_t d, const char *mask, bool keep) {
  int bits = dc_emit_bits(e, d);
  unsigned at = (unsigned)e->f->slot[d];
  dc_emit_assign(e, d, mask, keep);
  if (!dc_is_scalar(dc_emit_shape(e, d))) dc_emit_slot(e, d);
  else if (bits == 1) PUT("n->preds[%u] >> %s & 1", at, e->alone ? "lane" : "0");
  else PUT("((const uint%d_t *)(n->regs + %u))[%s]", bits, at, e->alone ? "lane" : "0");
  dc_emit_assign_end(e, d, keep);
}

/* Whether the operation's results say which lane runs a thread, or in which order lanes run. */
static bool shows_lanes(const emitter *e, const ptx_ins *ins) {
  if (ptx_traits(ins->op) & (PTX_T_WARP_WIDE | PTX_T_MATRIX)) return true;
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++) {
    const int sreg = ins->opnd[i].kind == PTX_SREG ? ins->opnd[i].sreg : PTX_SR_NONE;
    if (sreg >= PTX_SR_LANEMASK_EQ && sreg <= PTX_SR_LANEMASK_GT) return true;
  }
  return ins->op == PTX_OP_ACTIVEMASK || (ins->op == PTX_OP_ATOM && dc_emit_is_read(e, ins));
}

/* Whether the operation does not depend on its lane's number, so that lane 0 may do it for any. */
static bool is_same_in_all_lanes(const ptx_ins *ins) {
  if ((ptx_traits(ins->op) & (PTX_T_WARP_WIDE | PTX_T_MATRIX)) || ins->space == PTX_LOCAL || ins->space == PTX_PARAM)
    return false;
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++)
    if (ins->opnd[i].kind == PTX_SREG) return false;
  return true;
}

/* Tier 0's function: operands to its register file, results back.  A scalar result comes from scalar operands, which
** all lanes have; so all of them may do it, lane 0 too, which holds that result. */
static void by_tier0(emitter *e, const ptx_ins *ins, int32_t index, const char *mask, bool keep) {
  bool scalar = false;
  e->operates = true;
  if (shows_lanes(e, ins)) e->out->lane_free = false;
  if (!e->k.shape.by_lane || !is_same_in_all_lanes(ins)) e->out->narrow = false;
  PUT("DC_ENTER ");
  dc_emit_sources_to_slots(e, ins, NULL);
  for (int i = 0; i < ins->ndst; i++)
    if (ins->opnd[i].reg >= 0) scalar |= dc_is_scalar(dc_emit_shape(e, ins->opnd[i].reg));
  PUT("n->operate(n, %d, M_word(%s));\n", index, scalar && !e->alone ? "M_all()" : mask);
  for (int i = 0; i < ins->ndst; i++)
    if (ins->opnd[i].reg >= 0) from_tier0(e, ins->opnd[i].reg, mask, keep);
}

/* A result that is one for all lanes: what is emitted between is a scalar. */
static void begin_one(emitter *e, int32_t d, const char *mask, bool keep) {
  dc_emit_assign(e, d, mask, keep);
  PUT(dc_is_scalar(dc_emit_shape(e, d)) ? "(" : dc_emit_bits(e, d) == 1 ? "P_splat((int)" : "V32_splat(");
}
static void end_one(emitter *e, int32_t d, bool keep) {
  PUT(")");
  dc_emit_assign_end(e, d, keep);
}

/* What lanes that name the same members have in common. */
static void common(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const bool votes = ins->op == PTX_OP_VOTE;
  e->out->lane_free = false;
  begin_one(e, ins->opnd[0].reg, mask, keep);
  if (ins->op == PTX_OP_ACTIVEMASK) {
    PUT("M_word(%s)", mask);
  } else if (ins->op == PTX_OP_MATCH) { /* of the same value in all lanes */
    PUT("(M_word(%s) & ", mask);
    dc_emit_operand(e, &ins->opnd[2], 'W');
    PUT(")");
  } else {
    PUT("dc_%s_%s(", votes ? "vote" : "reduce", collective_of(ins));
    dc_emit_operand(e, &ins->opnd[1], votes ? 'm' : 'w');
    PUT(votes ? ", %s, " : ", M_and(%s, ", mask);
    dc_emit_operand(e, &ins->opnd[2], 'W');
    PUT(votes ? ")" : "))");
  }
  end_one(e, ins->opnd[0].reg, keep);
}

/* The values r_ and in_ of emitted code are the operation's results. */
static void put_results(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  for (int i = 0; i < ins->ndst; i++) {
    if (ins->opnd[i].reg < 0) continue;
    dc_emit_assign(e, ins->opnd[i].reg, mask, keep);
    PUT(i ? "in_" : "r_");
    dc_emit_assign_end(e, ins->opnd[i].reg, keep);
  }
}

/* A vote, match or reduction whose results differ by lane. */
static void by_groups(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const ptx_operand *src = &ins->opnd[ins->ndst];
  const bool votes = ins->op == PTX_OP_VOTE, matches = ins->op == PTX_OP_MATCH;
  const bool truth = votes && ins->mode != PTX_VOTE_BALLOT, all = matches && ins->mode == PTX_MATCH_ALL;
  e->out->lane_free = false;
  PUT("{ %sconst %s r_ = dc_%s_%s(", all ? "P in_; " : "", truth ? "P" : "V32",
      votes ? "groups" : matches ? "match" : "groups_reduce", collective_of(ins));
  dc_emit_operand(e, &src[0], votes ? 'm' : ptx_type_bits((ptx_type)ins->type) == 64 ? 'd' : 'w');
  PUT(", %s, ", mask);
  dc_emit_operand(e, &src[1], 'w');
  PUT("%s); ", all ? ", &in_" : "");
  put_results(e, ins, mask, keep);
  PUT("}\n");
}

static void broadcast(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const ptx_operand *src = &ins->opnd[ins->ndst];
  e->out->lane_free = false;
  for (int i = ins->ndst - 1; i >= 0; i--) {
    if (ins->opnd[i].reg < 0) continue;
    begin_one(e, ins->opnd[i].reg, mask, keep);
    if (i) {
      PUT("1");
    } else {
      PUT("dc_broadcast(");
      dc_emit_operand(e, &src[0], 'w');
      PUT(", ");
      dc_emit_operand(e, &src[1], 'W');
      PUT(", M_and(%s, ", mask);
      dc_emit_operand(e, &src[3], 'W');
      PUT("))");
    }
    end_one(e, ins->opnd[i].reg, keep);
  }
}

/* Whether the lanes that are needed get what lane ^ n has, for a constant n: a permutation within vectors. */
static bool exchanges(const emitter *e, const ptx_ins *ins) {
  const int n = dc_shuffle_distance(&e->k, ins);
  if (n == 0 || dc_value_shape_of(&e->k, &ins->opnd[ins->ndst + 3]).tag != DC_UNIFORM) return false;
  if (ins->mode != PTX_SHFL_DOWN) return ins->mode == PTX_SHFL_BFLY;
  const bool tells = ins->ndst > 1 && ins->opnd[1].reg >= 0 && e->needed_lanes[ins->opnd[1].reg] > 0;
  return (n & (n - 1)) == 0 && ins->opnd[0].reg >= 0 && e->needed_lanes[ins->opnd[0].reg] <= n && !tells;
}

static void exchange(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const ptx_operand *src = &ins->opnd[ins->ndst];
  for (int i = ins->ndst - 1; i >= 0; i--) {
    if (ins->opnd[i].reg < 0) continue;
    dc_emit_assign(e, ins->opnd[i].reg, mask, keep);
    if (i) {
      PUT("P_splat(1)");
    } else {
      PUT("dc_exchange(V32_select(M_and(%s, ", mask);
      dc_emit_operand(e, &src[3], 'W');
      PUT("), ");
      dc_emit_operand(e, &src[0], 'w');
      PUT(", V32_splat(0)), %d)", dc_shuffle_distance(&e->k, ins));
    }
    dc_emit_assign_end(e, ins->opnd[i].reg, keep);
  }
}

static void shuffle(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  static const char *const names[] = { "up", "down", "bfly", "idx" };
  const ptx_operand *src = &ins->opnd[ins->ndst];
  const bool groups = dc_value_shape_of(&e->k, &src[3]).tag != DC_UNIFORM;
  if (dc_is_broadcast(&e->k, ins)) return broadcast(e, ins, mask, keep);
  e->out->lane_free = false;
  if (exchanges(e, ins)) return exchange(e, ins, mask, keep);
  PUT("{ P in_; const V32 r_ = dc_%s_%s(", groups ? "groups" : "shuffle", names[ins->mode - PTX_SHFL_UP]);
  dc_emit_operand(e, &src[0], 'w');
  PUT(", ");
  dc_emit_operand(e, &src[1], 'w');
  PUT(", ");
  dc_emit_operand(e, &src[2], 'w');
  PUT(groups ? ", %s, " : ", M_and(%s, ", mask);
  dc_emit_operand(e, &src[3], groups ? 'w' : 'W');
  PUT("%s, &in_); ", groups ? "" : ")");
  put_results(e, ins, mask, keep);
  PUT("}\n");
}

static void convert_address(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  int32_t d = ins->opnd[0].reg;
  const int base = (int)dc_base_of(ins->space);
  const char *sign = ins->flags & PTX_F_TO ? "-" : "+";
  if (ins->space == PTX_LOCAL && !e->k.shape.by_lane) { /* each lane has a window of its own */
    e->out->narrow = false;
    dc_emit_assign(e, d, mask, keep);
    PUT("v_add_64(");
    dc_emit_operand(e, &ins->opnd[1], 'd');
    PUT(", V64_affine(0ull %s %s, 0ull %s %uull))", sign, dc_emit_base(DC_BASE_LOCAL), sign, e->fn->local_stride);
    dc_emit_assign_end(e, d, keep);
    return;
  }
  const bool scalar = dc_is_scalar(dc_emit_shape(e, d));
  dc_emit_assign(e, d, mask, keep);
  if (!scalar) PUT("v_add_64(");
  dc_emit_operand(e, &ins->opnd[1], scalar ? 'D' : 'd');
  PUT(scalar ? " %s %s" : ", V64_splat(0ull %s %s))", sign, dc_emit_base(base));
  dc_emit_assign_end(e, d, keep);
}

/* Emitted code handles addresses of 64 bits in these spaces; others are rare. */
static bool simple_cvta(const emitter *e, const ptx_ins *ins) {
  const ptx_operand *o = &ins->opnd[1];
  int32_t d = ins->opnd[0].reg;
  if (ins->op != PTX_OP_CVTA || d < 0 || dc_emit_bits(e, d) != 64) return false;
  if (o->kind == PTX_REG && dc_emit_bits(e, o->reg) != 64) return false;
  if (o->kind != PTX_REG && o->kind != PTX_SYM && o->kind != PTX_IMM) return false;
  if (ins->space == PTX_PARAM) return !(o->sym && o->sym->inside) && !e->callee;
  if (ins->space == PTX_LOCAL)
    return o->kind == PTX_REG && (dc_emit_shape(e, d)->tag == DC_VARYING || e->k.shape.by_lane);
  return ins->space == PTX_SHARED || ins->space == PTX_CONST;
}

typedef enum way {
  BY_MEMORY, BY_ATOM, BY_COPY, BY_FENCE, BY_NOTHING, BY_SREG, BY_COMMON, BY_GROUPS, BY_SHUFFLE, BY_ADDRESS, BY_FORM,
  BY_DOUBLE_FORM, BY_PARTS, BY_MBARRIER, BY_TIER0
} way;

/* How an operation is done; `form` is filled for the ways that have one. */
static way way_of(const emitter *e, const ptx_ins *ins, dc_native_form *form) {
  const bool one = ins->ndst == 1 && ins->opnd[0].reg >= 0;
  if (dc_emit_is_copy(e, ins)) return BY_COPY;
  if (dc_emit_memory_supported(e, ins)) return BY_MEMORY;
  if (dc_emit_atom_supported(e, ins)) return BY_ATOM;
  if (ins->op == PTX_OP_CP && (ins->mode == PTX_CP_COMMIT || ins->mode == PTX_CP_WAIT)) return BY_NOTHING;
  if (ins->op == PTX_OP_MEMBAR || ins->op == PTX_OP_FENCE) return BY_FENCE;
  if (one && is_sreg_move(ins)) return BY_SREG;
  const bool collective = collective_of(ins) != NULL;
  if (one && (collective || ins->op == PTX_OP_ACTIVEMASK) && dc_is_one_for_all(&e->k, ins)) return BY_COMMON;
  if (collective) return BY_GROUPS;
  if (dc_is_shuffle(e->f, ins)) return BY_SHUFFLE;
  if (one && simple_cvta(e, ins)) return BY_ADDRESS;
  if (is_unpack(ins) && dc_value_shape_of(&e->k, &ins->opnd[ins->ndst]).tag == DC_UNIFORM) return BY_PARTS;
  const bool two = ins->ndst == 2 && (ins->opnd[0].reg >= 0 || ins->opnd[1].reg >= 0);
  if ((one || two) && dc_native_op(ins, form) && fits(e, ins, form)) return one ? BY_FORM : BY_DOUBLE_FORM;
  return dc_emit_mbarrier_supported(e, ins) ? BY_MBARRIER : BY_TIER0;
}

/* Copies that were begun may end behind it: it does not access memory. */
static bool lets_copies_wait(const ptx_ins *ins, way how) {
  return how != BY_MEMORY && how != BY_ATOM && how != BY_FENCE && how != BY_MBARRIER && how != BY_TIER0 &&
         ins->pred < 0;
}

bool dc_emit_is_plain(const emitter *e, const ptx_ins *ins) {
  dc_native_form form;
  return way_of(e, ins, &form) == BY_FORM;
}

bool dc_emit_is_foreign(const emitter *e, const ptx_ins *ins) {
  dc_native_form form;
  return way_of(e, ins, &form) == BY_TIER0;
}

bool dc_emit_is_pure(const emitter *e, const ptx_ins *ins) {
  dc_native_form form;
  switch (way_of(e, ins, &form)) {
    case BY_SREG: return !ptx_is_clock(ins->opnd[1].sreg);
    case BY_MEMORY: return ins->op == PTX_OP_LD && ins->space == PTX_PARAM && ins->opnd[ins->ndst].reg < 0;
    case BY_FORM: case BY_ADDRESS: return ptx_traits(ins->op) & PTX_T_PURE;
    default: return false;
  }
}

bool dc_emit_is_cheap(const emitter *e, const ptx_ins *ins) {
  return dc_emit_is_pure(e, ins) && !(ptx_traits(ins->op) & PTX_T_SLOW);
}

void dc_emit_operation(emitter *e, const ptx_ins *ins, int32_t index, const char *mask, bool keep) {
  dc_native_form form;
  const int32_t i = dc_emit_at(e, ins);
  const way how = way_of(e, ins, &form);
  if (!lets_copies_wait(ins, how)) dc_emit_end_copies(e);
  const bool product = how == BY_TIER0 && dc_emit_matrix(e, ins, index, mask);
  if (!product && ins->op != PTX_OP_LD && !lets_copies_wait(ins, how)) e->stores++;
  dc_emit_forget_factors(e, ins);
  if (product || dc_emit_is_in_place(e, ins) || dc_emit_look_up(e, ins, mask, keep)) return;
  switch (how) {
    case BY_MEMORY: dc_emit_memory(e, ins, mask, keep); return;
    case BY_ATOM: dc_emit_atom(e, ins, mask, keep); return;
    case BY_COPY: dc_emit_copy(e, ins, mask); return;
    case BY_FENCE: PUT("if (DC_RARE(!n->alone)) __atomic_thread_fence(__ATOMIC_SEQ_CST);\n"); return;
    case BY_NOTHING: return;
    case BY_SREG: move_sreg(e, ins, mask, keep); return;
    case BY_COMMON: common(e, ins, mask, keep); return;
    case BY_GROUPS: by_groups(e, ins, mask, keep); return;
    case BY_SHUFFLE: shuffle(e, ins, mask, keep); return;
    case BY_ADDRESS: convert_address(e, ins, mask, keep); return;
    case BY_FORM:
      if (dc_emit_is_short(e, ins)) dc_emit_short(e, ins, mask, keep);
      else if (!note_origin(e, ins, i)) by_form(e, ins, &form, mask, keep);
      return;
    case BY_DOUBLE_FORM: by_double_form(e, ins, &form, mask, keep); return;
    case BY_PARTS: unpack(e, ins, mask, keep); return;
    case BY_MBARRIER:
      if (!dc_emit_mbarrier(e, ins, mask, keep)) return;
      by_tier0(e, ins, index, mask, keep);
      PUT("} }\n");
      return;
    case BY_TIER0:
      note_origin(e, ins, i);
      by_tier0(e, ins, index, mask, keep);
      return;
  }
}
