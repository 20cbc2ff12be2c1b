/* emit_estimate.c - see emit_estimate.h. */
#include "cpu/codegen/emit_estimate.h"

#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_join.h"
#include "cpu/codegen/emit_loops.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/interp/code.h"

/* Adds the estimated time of an instruction, in halves of an operation on 16 lanes, to that of a gang and of a lane.
** What is accessed lane by lane turns out to be a row for many gangs that are one (simd/memory.h). */
static void add_time(emitter *e, const ptx_ins *ins, uint64_t times) {
  enum { SCALAR = 1, VECTOR = 2, ROW = 4, CALL = 120 };
  const dc_gang_layout shape = e->k.shape;
  const uint64_t parts = (uint64_t)shape.width / 16, lanes = shape.rows ? 16 * parts : 64;
  const int32_t d = ins->ndst ? ins->opnd[0].reg : -1;
  const dc_access_kind access = ptx_has_address(ins) ? dc_emit_access(e, ins) : DC_ACCESS_ONE;
  uint64_t gang = ptx_has_address(ins) || d < 0 || dc_is_scalar(dc_emit_shape(e, d)) ? SCALAR : VECTOR * parts;
  if (access == DC_ACCESS_LANES) gang = lanes;
  if (access == DC_ACCESS_ROW) gang = ROW * parts;
  if (dc_emit_is_foreign(e, ins)) gang = CALL;
  e->out->gang_time += times * gang;
  if (access == DC_ACCESS_LANES) e->out->lane_time += times * (shape.rows ? 2 : 4);
}

#define CALL_TIME 240 /* of a function of tier 0, which is about the same for 32 lanes as for one */

/* The same of 32 lanes that run together, to compare it with lanes that run one by one.  Bytes are not gathered by the
** processor's instruction. */
static uint64_t time_together(const emitter *e, const ptx_ins *ins) {
  enum { SCALAR = 1, VECTOR = 4, WIDE = 8, ROW = 8, STRIDED = 24, GATHER = 72, BYTES = 160 };
  const int32_t d = ins->ndst ? ins->opnd[0].reg : -1;
  if (dc_emit_is_foreign(e, ins)) return CALL_TIME;
  if (ptx_has_address(ins)) {
    const dc_access_kind access = dc_emit_access(e, ins);
    const int32_t i = dc_emit_at(e, ins);
    const bool field = e->joined[i].kind == DC_JOINED_FIELD || e->joined[i].kind == DC_JOINED_FIELD_BEHIND;
    if (access != DC_ACCESS_LANES) return access == DC_ACCESS_ROW ? ROW : SCALAR;
    if (field && dc_emit_is_part(e, i)) return SCALAR;
    if (dc_emit_row_of_loop(e, i) >= 0) return ROW;
    const dc_access p = dc_emit_access_of(e, ins);
    if (p.size < 4) return BYTES;
    return p.how == DC_HOW_ROW ? STRIDED : GATHER;
  }
  if (d < 0 || dc_is_scalar(dc_emit_shape(e, d))) return SCALAR;
  return dc_emit_bits(e, d) == 64 ? WIDE : VECTOR;
}

/* Of 32 lanes one by one.  In divergent code each runs about half of the instructions, at branches that are hard to
** predict. */
static uint64_t time_alone(const ptx_ins *ins, bool divergent) {
  enum { ONE = 16, SLOW = 240, BRANCH = 32 };
  if (divergent && ins->op == PTX_OP_BRA && ins->pred >= 0) return BRANCH;
  return (ptx_traits(ins->op) & PTX_T_SLOW ? SLOW : ONE) / (divergent ? 2 : 1);
}

void dc_emit_estimate(emitter *e) {
  dc_emitted *out = e->out;
  uint64_t together = 0, alone = 320;
  out->gang_time = 30;
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = dc_emit_node(e, n);
    const bool divergent = dc_emit_divergent(e, n);
    uint64_t times = 1; /* loops count as 8 iterations */
    for (int32_t h = e->k.loop_at[e->block_of[n]]; h >= 0 && times < 4096; h = e->k.loop_up[h]) times *= 8;
    for (const dc_uop *o = node->first; o < node->last; o++) {
      add_time(e, o->ins, times);
      together += times * time_together(e, o->ins);
      alone += times * (dc_emit_is_foreign(e, o->ins) ? 32 * CALL_TIME : time_alone(o->ins, divergent));
    }
    if (node->op) alone += times * time_alone(node->op->ins, divergent);
  }
  if (e->k.shape.by_lane) out->lane_time = alone / 32;
  else out->scalar = out->simple && alone < together;
}
