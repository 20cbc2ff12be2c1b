/* emit_mbarrier.c - see emit_mbarrier.h. */
#include "cpu/codegen/emit_mbarrier.h"

#include "base/buf.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_memory.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* The destination register; -1: there is none, or it is `_`. */
static int32_t destination(const ptx_ins *ins) { return ins->ndst ? ins->opnd[0].reg : -1; }

/* Whether register d holds lanes of `bits` bits each. */
static bool has_lanes(const emitter *e, int32_t d, int bits) {
  return dc_emit_bits(e, d) == bits && !dc_is_scalar(dc_emit_shape(e, d));
}

static bool is_number(const emitter *e, const ptx_operand *o, int bits) {
  return o->kind == PTX_IMM || (o->kind == PTX_REG && dc_emit_bits(e, o->reg) == bits);
}

bool dc_emit_mbarrier_supported(const emitter *e, const ptx_ins *ins) {
  if (ins->op != PTX_OP_MBARRIER || e->k.shape.by_lane || e->callee || ins->ndst > 1) return false;
  const bool test = ptx_tests_phase(ins), arrival = ins->mode == PTX_MB_ARRIVE && !(ins->flags & PTX_F_EXPECT);
  const ptx_operand *at = dc_emit_address_of(ins);
  const int32_t d = destination(ins);
  if ((!test && !arrival) || at->kind != PTX_ADDR) return false;
  if (d < 0 ? test : !has_lanes(e, d, test ? 1 : 64)) return false;
  const dc_access p = dc_emit_access_of(e, ins);
  if (p.base != DC_BASE_SHARED || p.how != DC_HOW_ONE || p.size != 8) return false;
  if (test) return ins->nsrc >= 2 && is_number(e, at + 1, ins->flags & PTX_F_PARITY ? 32 : 64);
  return ins->nsrc == 1 || (is_number(e, at + 1, 32) && dc_value_shape_of(&e->k, at + 1).tag == DC_UNIFORM);
}

static void assign(emitter *e, const ptx_ins *ins, const char *mask, bool keep, const char *value) {
  const int32_t d = destination(ins);
  if (d < 0) return;
  dc_emit_assign(e, d, mask, keep);
  PUT("%s", value);
  dc_emit_assign_end(e, d, keep);
}

bool dc_emit_mbarrier(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const dc_access p = dc_emit_access_of(e, ins);
  const ptx_operand *by = p.at + 1;
  const bool parity = (ins->flags & PTX_F_PARITY) != 0;
  dc_emit_begin_access(e, &p);
  if (ptx_tests_phase(ins)) {
    PUT(parity ? "const P is_over_ = dc_parity_is_over(a_, " : "const P is_over_ = dc_phase_is_over(a_, ");
    dc_emit_operand(e, by, parity ? 'w' : 'd');
    PUT("); ");
    assign(e, ins, mask, keep, "is_over_");
    PUT("}\n");
    return false;
  }
  PUT("V64 before_; if (DC_USUAL(dc_arrive(a_, ");
  if (ins->nsrc > 1) dc_emit_operand(e, by, 'W');
  else PUT("1");
  PUT(", %s, &before_))) { ", mask);
  assign(e, ins, mask, keep, "before_");
  PUT("} else {\n");
  return true;
}
