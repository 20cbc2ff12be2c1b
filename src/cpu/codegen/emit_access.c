/* emit_access.c - see emit_access.h. */
#include "cpu/codegen/emit_access.h"

#include <stdlib.h>

#include "base/buf.h"
#include "cpu/analysis/patterns.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_windows.h"
#include "cpu/interp/interp.h"
#include "cpu/simd/abi.h"

#define MOST_INDEX (1 << 20) /* distance of lanes in a window, far more than one has */
#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

bool dc_emit_memory_supported(const emitter *e, const ptx_ins *ins) {
  int size = ptx_type_bits((ptx_type)ins->type), n = ins->vec ? ins->vec : 1;
  const bool load = ptx_is_load(ins);
  if ((!load && ins->op != PTX_OP_ST) || size < 8 || size > 64) return false;
  const ptx_operand *at = dc_emit_address_of(ins);
  int space = dc_emit_space_of(ins, at);
  if (n > 1 && dc_emit_is_ordered(ins, space)) return false; /* whole, as at tier 0 */
  if (at->kind != PTX_ADDR || (load ? ins->ndst != n || ins->nsrc != 1 : ins->ndst != 0 || ins->nsrc != n + 1))
    return false;
  if (space == PTX_PARAM && !at->sym && !load) return false;
  if (space == PTX_REGSPACE) return false;
  for (int i = 0; i < n; i++) {
    const ptx_operand *o = load ? &ins->opnd[i] : &at[1 + i];
    if (o->kind == PTX_SINK && load) continue;
    if (o->kind != PTX_REG && (load || (o->kind != PTX_IMM && o->kind != PTX_SYM))) return false;
    int bits = o->kind == PTX_REG ? dc_emit_bits(e, o->reg) : size;
    if (bits == 1 || bits == 128 || bits < size) return false;
  }
  return true;
}

void dc_emit_find_streams(emitter *e) {
  const uint32_t unseen = PTX_T_PURE | PTX_T_ENDS_LANES | PTX_T_BARRIER; /* by other blocks */
  bool may = !e->callee;
  e->streams_from = 0;
  for (int32_t i = 0; i < e->f->nins && may; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    const bool plain = dc_emit_memory_supported(e, ins) && !(ins->flags & PTX_F_STRONG);
    may = plain || ins->op == PTX_OP_MOV || ins->op == PTX_OP_BRA || ptx_traits(ins->op) & unseen;
    if (ptx_traits(ins->op) & PTX_T_BARRIER) e->streams_from = i;
  }
  if (!may) e->streams_from = e->f->nins;
  e->streamed_bytes = 0;
  for (int32_t i = e->streams_from; i < e->f->nins; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    if (ins->op != PTX_OP_ST || !dc_emit_memory_supported(e, ins)) continue;
    const dc_access p = dc_emit_access_of(e, ins);
    if (dc_emit_may_stream(e, ins, &p)) e->streamed_bytes += p.size * p.n;
  }
}

bool dc_emit_may_stream(const emitter *e, const ptx_ins *ins, const dc_access *p) {
  const int32_t i = dc_emit_at(e, ins), reg = p->at->reg;
  if (ins->op != PTX_OP_ST || p->base != DC_BASE_FLAT || p->how != DC_HOW_ROW || reg < 0) return false;
  if (i < e->streams_from || e->k.loop_at[e->k.block_of[i]] >= 0) return false;
  for (int32_t u = e->k.use_at[reg]; u < e->k.use_at[reg + 1]; u++)
    if (e->f->ins[e->k.uses[u]].op == PTX_OP_LD) return false;
  return true;
}

static int base_of(const emitter *e, const ptx_operand *at, int space) {
  if (space == PTX_PARAM && at->sym && at->sym->inside) return DC_BASE_CALL;
  if (space == PTX_PARAM && e->callee) return DC_BASE_FRAME;
  return (int)dc_base_of(space == PTX_GENERIC && at->sym ? at->sym->space : space);
}
static long long offset_of(const ptx_operand *at) {
  return (long long)at->imm + (at->sym ? dc_code_offset(at->sym) : 0);
}

/* From one lane's memory to the next one's: of gangs, where each lane has its own. */
static uint32_t stride_of(const emitter *e, int base) {
  return base == DC_BASE_CALL ? e->fn->call_stride : e->fn->local_stride;
}

dc_access dc_emit_access_of(const emitter *e, const ptx_ins *ins) {
  const ptx_operand *at = dc_emit_address_of(ins);
  dc_access p = { .at = at, .size = ptx_type_bits((ptx_type)ins->type) / 8, .n = ins->vec ? ins->vec : 1, .parts = 1,
                  .base = base_of(e, at, ins->space), .offset = offset_of(at), .by_index = -1 };
  const bool local = dc_is_base_of_lane(p.base) && !e->k.shape.by_lane;
  const bool alone = e->k.alone[dc_emit_block_of(e, ins)] && !local;
  if (p.at->reg < 0) {
    p.how = local ? DC_HOW_ROW : DC_HOW_ONE;
    p.s = (dc_value_shape){ .tag = DC_AFFINE, .origin = -1 };
  } else {
    p.s = *dc_emit_shape(e, p.at->reg);
    if (alone) p.s.tag = DC_UNIFORM;
    p.narrow = dc_emit_bits(e, p.at->reg) == 32;
    p.how = p.s.tag == DC_VARYING ? DC_HOW_LANES : p.s.tag == DC_AFFINE || local ? DC_HOW_ROW : DC_HOW_ONE;
    if (p.s.tag != DC_UNIFORM && p.size * p.n <= 4) p.parts = p.n, p.size *= p.n, p.n = 1;
    const bool halves = p.size == 4 && p.s.times == 8; /* of pairs: a struct's fields */
    const bool elements = !local && p.n == 1 && (p.s.times == p.size || halves);
    if (p.s.tag == DC_INDEXED) p.how = elements ? DC_HOW_INDEX : DC_HOW_LANES;
    if (p.s.tag == DC_UNIFORM) p.s = (dc_value_shape){ .tag = DC_AFFINE, .origin = -1 };
  }
  p.stride = (long long)dc_value_stride(&p.s) + (local ? (long long)stride_of(e, p.base) : 0);
  return p;
}

dc_access_kind dc_emit_access(const emitter *e, const ptx_ins *ins) {
  const dc_access p = dc_emit_access_of(e, ins);
  if (p.how == DC_HOW_ONE) return DC_ACCESS_ONE;
  return p.how == DC_HOW_ROW && p.stride == p.size * p.n ? DC_ACCESS_ROW : DC_ACCESS_LANES;
}

void dc_emit_all_addresses(emitter *e, const ptx_operand *at, int base, long long offset) {
  const bool narrow = at->reg >= 0 && dc_emit_bits(e, at->reg) == 32;
  PUT("v_add_64(");
  if (narrow) PUT("v_cvt_i64_u32_w(");
  if (at->reg < 0) PUT("V64_splat(0)");
  else dc_emit_register(e, at->reg, narrow ? 'w' : 'd');
  if (narrow) PUT(")");
  if (dc_is_base_of_lane(base))
    PUT(", V64_affine(%s + %lldull, %uull))", dc_emit_base(base), offset, stride_of(e, base));
  else if (base == DC_BASE_FLAT) PUT(", V64_splat(%s%lldull))", dc_emit_module_base(at->sym), offset);
  else PUT(", V64_splat(%s + %lldull))", dc_emit_base(base), offset);
}

int dc_emit_addresses(emitter *e, const ptx_operand *at, int space) {
  dc_emit_all_addresses(e, at, base_of(e, at, space), offset_of(at));
  return base_of(e, at, space);
}

int dc_emit_first_address(emitter *e, const ptx_operand *at, int space) {
  const dc_value_kind kind = at->reg < 0 ? DC_UNIFORM : (dc_value_kind)dc_emit_shape(e, at->reg)->tag;
  PUT("%s + %s%lldull", dc_emit_base(base_of(e, at, space)), dc_emit_module_base(at->sym), offset_of(at));
  if (at->reg < 0) return base_of(e, at, space);
  if (kind == DC_UNIFORM || kind == DC_AFFINE) {
    PUT(" + s%d", at->reg);
  } else {
    const bool narrow = dc_emit_bits(e, at->reg) == 32;
    PUT(narrow ? " + V32_first(" : " + V64_first(");
    dc_emit_register(e, at->reg, narrow ? 'w' : 'd');
    PUT(")");
  }
  return base_of(e, at, space);
}

const ptx_operand *dc_emit_index_of(const emitter *e, int32_t origin) {
  const ptx_operand *o = &e->f->ins[origin].opnd[1];
  return dc_value_shape_of(&e->k, o).tag == DC_UNIFORM ? o + 1 : o;
}

int32_t dc_emit_far_index(const emitter *e, const ptx_ins *ins) {
  const dc_access p = dc_emit_access_of(e, ins);
  if (p.base != DC_BASE_FLAT || p.at->reg < 0 || p.s.tag < DC_INDEXED) return -1;
  return p.s.tag == DC_INDEXED ? dc_emit_index_of(e, p.s.origin)->reg : p.at->reg;
}

/* The lanes' distances in words, if they are known. */
static bool find_lanes(const emitter *e, const dc_access *p, dc_pattern *lanes) {
  if ((p->size != 4 && p->size != 8) || p->n != 1 || dc_is_base_of_lane(p->base) || e->k.shape.by_lane) return false;
  if (p->how == DC_HOW_ROW) {
    *lanes = dc_emit_stride_pattern((int32_t)(p->stride / 4));
    return p->stride % p->size == 0 && p->stride >= -128 && p->stride <= 128;
  }
  const ptx_operand *const o = p->how == DC_HOW_INDEX ? dc_emit_index_of(e, p->s.origin) : NULL;
  if (!o || o->reg < 0 || !e->patterns[o->reg]) return false;
  *lanes = *e->patterns[o->reg];
  for (int l = 0; l < DC_MOST_LANES; l++) {
    if (lanes->lane[l] > MOST_INDEX || lanes->lane[l] < -MOST_INDEX) return false;
    lanes->lane[l] *= (int32_t)p->s.times / 4;
  }
  return true;
}

/* The window of an access to values that are no row, or -1.  (Local memory has a stride of its own.) */
static int window(emitter *e, const dc_access *p, int words, long long far) {
  dc_window w = { .words = words, .far = (int)(far / 4) };
  const bool row = p->how == DC_HOW_ROW && p->stride == p->size;
  return !row && far % 4 == 0 && find_lanes(e, p, &w.lanes) ? dc_emit_window(e, &w) : -1;
}
int dc_emit_window_of(emitter *e, const dc_access *p) { return window(e, p, p->size / 4, 4); }
int dc_emit_window_of_pairs(emitter *e, const dc_access *p, long long far) {
  return p->size == 4 && far > 0 && far <= 1024 ? window(e, p, 2, far) : -1;
}

bool dc_emit_are_apart(const emitter *e, const dc_access *p, long long far) {
  const long long step = p->how == DC_HOW_INDEX ? (long long)p->s.times : p->stride;
  const long long stride = step < 0 ? -step : step, rest = far & (stride - 1);
  const bool regular = stride > 0 && stride <= 1 << 20 && (stride & (stride - 1)) == 0;
  dc_pattern lanes;
  if (regular && rest >= p->size && rest <= stride - p->size) return true;
  if (p->how == DC_HOW_ROW || !find_lanes(e, p, &lanes)) return false;
  for (int i = 0; i < e->k.shape.width * e->k.shape.width; i++) {
    const int from = lanes.lane[i / e->k.shape.width], to = lanes.lane[i % e->k.shape.width];
    if (llabs(4ll * (to - from) + far) < p->size) return false;
  }
  return true;
}

bool dc_emit_never_meet(const emitter *e, const dc_access *p, const dc_access *q) {
  const dc_by_thread values = e->k.values;
  const int32_t a = p->at->reg, b = q->at->reg;
  if (a < 0 || b < 0 || !values[a] || !values[b] || p->base != q->base || p->n != 1 || q->n != 1) return false;
  if (!e->k.shape.rows || e->k.shape.by_lane || dc_is_base_of_lane(p->base)) return false;
  const int threads = dc_row_of(&e->k), width = e->k.shape.width;
  for (int t = 0; t < threads; t++) {
    const int64_t at = dc_value_in(e->f, values, a, t) + p->offset - q->offset;
    for (int u = t - t % width; u < t - t % width + width; u++) {
      const int64_t far = dc_value_in(e->f, values, b, u) - at;
      if (far > -q->size && far < p->size) return false;
    }
  }
  return true;
}
