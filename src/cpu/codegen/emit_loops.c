/* emit_loops.c - see emit_loops.h. */
#include "cpu/codegen/emit_loops.h"

#include "base/buf.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/interp/decode.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* The registers on which a loop's exit depends, as found so far. */
typedef struct deciders {
  int32_t first, last; /* the loop's instructions */
  bool polls;          /* only polls of other threads count */
  int n;
  int32_t regs[64];
} deciders;

/* The same among instructions [first, last). */
static int32_t definition(const emitter *e, int32_t reg, int32_t first, int32_t last, int *n) {
  int32_t found = -1;
  *n = 0;
  for (int32_t i = reg < 0 ? 0 : e->k.def_at[reg]; reg >= 0 && i < e->k.def_at[reg + 1]; i++) {
    if (e->k.defs[i] < first || e->k.defs[i] >= last) continue;
    found = e->k.defs[i];
    ++*n;
  }
  return found;
}

int32_t dc_emit_definition_in_loop(const emitter *e, int32_t reg, int32_t h, int *n) {
  return definition(e, reg, e->f->blocks[h].first, e->f->blocks[e->k.loop_last[h]].last, n);
}

/* Whether an instruction reads and does not count, as atomicAdd(p, 1) does. */
static bool only_looks(const ptx_ins *ins) {
  const ptx_operand *by = &ins->opnd[ins->ndst + 1];
  return ins->op != PTX_OP_ATOM || ins->mode == PTX_ATOM_CAS || ins->mode == PTX_ATOM_EXCH ||
         (by->kind == PTX_IMM && by->imm == 0);
}

/* Whether an instruction gives what memory or other lanes hold, or, as a poll, what other threads may meanwhile have
** stored at an address that the loop does not change. */
static bool reads_others(const emitter *e, const ptx_ins *ins, const deciders *by) {
  const bool loads = ptx_traits(ins->op) & (PTX_T_LOADS | PTX_T_WARP_WIDE);
  int n;
  if (by->polls)
    return loads && dc_may_spin(ins) && only_looks(ins) &&
           definition(e, ins->opnd[ins->ndst].reg, by->first, by->last, &n) < 0;
  return loads && !(ins->op == PTX_OP_LD && (ins->space == PTX_PARAM || ins->space == PTX_CONST));
}

/* Whether register `reg`, which decides a loop's exit, depends on memory or on other lanes.  If not, the loop
** terminates independently of other threads. */
static bool decided_by_memory(const emitter *e, int32_t reg, deciders *by) {
  for (int i = 0; i < by->n; i++)
    if (by->regs[i] == reg) return false; /* visited before */
  if (reg < 0) return false;
  if (by->n == (int)(sizeof by->regs / sizeof *by->regs)) return !by->polls; /* too long to find out */
  by->regs[by->n++] = reg;
  for (int32_t i = e->k.def_at[reg]; i < e->k.def_at[reg + 1]; i++) {
    const int32_t d = e->k.defs[i];
    const ptx_ins *ins = &e->f->ins[d];
    if (d < by->first || d >= by->last) continue; /* made before the loop */
    if (reads_others(e, ins, by) || (ins->pred >= 0 && !by->polls)) return true;
    if (decided_by_memory(e, ins->pred, by)) return true;
    for (int k = ins->ndst; k < ins->ndst + ins->nsrc; k++)
      if (decided_by_memory(e, ins->opnd[k].reg, by)) return true;
  }
  return false;
}

/* Whether a loop may wait for stores of other threads: it has a volatile, relaxed or acquiring load, a test of an
** mbarrier, or an atomic whose result is read.  A weak load need not see other threads' stores. */
static bool may_wait(const emitter *e, int32_t header, int32_t last) {
  for (int32_t i = e->f->blocks[header].first; i < e->f->blocks[last].last; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    const bool atomic = ins->op == PTX_OP_ATOM || ins->op == PTX_OP_RED;
    if (dc_may_spin(ins) && (!atomic || dc_emit_is_read(e, ins))) return true;
  }
  return false;
}

/* Whether each iteration of the loop that ends with block `last` runs block b. */
static bool is_in_each(const emitter *e, int32_t b, int32_t last) {
  return dc_dominates(&e->k, b, last);
}

/* Whether instruction d is made of register `reg` by at most `depth` operations in the loop, besides its own, and none
** that goes round in a circle. */
static bool is_made_of(const emitter *e, int32_t d, int32_t reg, const deciders *by, int depth) {
  const ptx_ins *ins = &e->f->ins[d];
  if (ins->op == PTX_OP_XOR || ins->op == PTX_OP_REM) return false;
  if (ins->op == PTX_OP_AND && ins->opnd[2].kind == PTX_IMM) return false;
  for (int k = ins->ndst; k < ins->ndst + ins->nsrc; k++) {
    const int32_t from = ins->opnd[k].reg;
    if (from == reg) return true;
    for (int32_t i = from < 0 ? 0 : e->k.def_at[from]; from >= 0 && depth > 0 && i < e->k.def_at[from + 1]; i++)
      if (e->k.defs[i] >= by->first && e->k.defs[i] < by->last && is_made_of(e, e->k.defs[i], reg, by, depth - 1))
        return true;
  }
  return false;
}

/* Whether each iteration makes the next value of one of the deciders of its last one: a counter.  Else they may send
** lanes the same way for ever. */
static bool has_counter(const emitter *e, const deciders *by, int32_t last) {
  enum { MOST_OPERATIONS = 4 };
  for (int i = 0; i < by->n; i++)
    for (int32_t j = e->k.def_at[by->regs[i]]; j < e->k.def_at[by->regs[i] + 1]; j++) {
      const int32_t d = e->k.defs[j];
      if (d < by->first || d >= by->last || !is_in_each(e, e->k.block_of[d], last)) continue;
      if (is_made_of(e, d, by->regs[i], by, MOST_OPERATIONS)) return true;
    }
  return false;
}

/* Whether a loop has an exit that each iteration comes to, and that a counter decides, not memory or other lanes; or,
** for `polls`, an exit that a poll decides, for which a counter only sets a limit. */
static bool has_exit(const emitter *e, int32_t header, int32_t last, bool polls) {
  for (int32_t b = header; b <= last; b++) {
    const ptx_block *bl = &e->f->blocks[b];
    if (bl->last == bl->first) continue;
    const ptx_ins *ins = &e->f->ins[bl->last - 1];
    bool out = false;
    for (int i = 0; i < 2; i++) out |= bl->succ[i] >= 0 && (bl->succ[i] < header || bl->succ[i] > last);
    deciders by = { .first = e->f->blocks[header].first, .last = e->f->blocks[last].last, .polls = polls };
    if (ins->op != PTX_OP_BRA || ins->pred < 0 || !out || !(polls || is_in_each(e, b, last))) continue;
    if (decided_by_memory(e, ins->pred, &by) ? polls : !polls && has_counter(e, &by, last)) return true;
  }
  return false;
}

/* A loop with a limit waits, too, if it polls (`for (i = 0; i < most && !*flag; i++)`), between barriers. */
bool dc_emit_loop_waits(const emitter *e, int32_t header, int32_t last) {
  if (!may_wait(e, header, last)) return false;
  return !has_exit(e, header, last, false) || (dc_emit_is_in_quiet_loop(e, header) && has_exit(e, header, last, true));
}

bool dc_emit_loop_waits_for_flag(const emitter *e, int32_t header, int32_t last) {
  for (int32_t i = e->f->blocks[header].first; i < e->f->blocks[last].last; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    if (dc_may_spin(ins) && (ins->op != PTX_OP_LD || ins->space == PTX_SHARED)) return false;
  }
  return true;
}

bool dc_emit_loop_waits_for_block(const emitter *e, int32_t header, int32_t last) {
  for (int32_t i = e->f->blocks[header].first; i < e->f->blocks[last].last; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    const bool loads = ins->op == PTX_OP_LD && (ins->space == PTX_SHARED || ins->flags & PTX_F_CTA);
    if (dc_may_spin(ins) && !loads && ins->op != PTX_OP_MBARRIER && ins->op != PTX_OP_NANOSLEEP) return false;
  }
  return true;
}

int32_t dc_emit_end_of_loop(const emitter *e, int32_t h) {
  return e->fn->node_of[e->k.loop_last[h] + 1];
}

bool dc_emit_is_in_quiet_loop(const emitter *e, int32_t b) {
  const int32_t h = e->k.loop_at[b], end = h >= 0 ? dc_emit_end_of_loop(e, h) : 0;
  for (int32_t n = h >= 0 ? e->fn->node_of[h] : end; n < end; n++)
    if (e->fn->nodes[n].end == DC_END_BARRIER) return false;
  return h >= 0;
}

bool dc_emit_is_in_storing_loop(const emitter *e, int32_t b) {
  const int32_t h = e->k.loop_at[b];
  for (int32_t i = h >= 0 ? e->f->blocks[h].first : 0; h >= 0 && i < e->f->blocks[e->k.loop_last[h]].last; i++)
    if ((ptx_traits(e->f->ins[i].op) & PTX_T_ADDRESS) && e->f->ins[i].op != PTX_OP_LD) return true;
  return false;
}

bool dc_emit_is_carried(const emitter *e, int32_t reg, int32_t h, int depth) {
  int n;
  if (reg < 0 || dc_is_scalar(dc_emit_shape(e, reg))) return false;
  const int32_t inside = dc_emit_definition_in_loop(e, reg, h, &n);
  if (inside < 0 || e->k.def_at[reg + 1] - e->k.def_at[reg] > n) return inside >= 0;
  const ptx_ins *ins = &e->f->ins[inside];
  if (depth == 0 || !(ptx_traits(ins->op) & PTX_T_PURE)) return false;
  for (int k = ins->ndst; k < ins->ndst + ins->nsrc; k++)
    if (dc_emit_is_carried(e, ins->opnd[k].reg, h, depth - 1)) return true;
  return false;
}

/* Whether a register depends by at most `depth` operations on what the loop with header block h loads. */
static bool is_of_load(const emitter *e, int32_t reg, int32_t h, int depth) {
  const int32_t first = e->f->blocks[h].first, last = e->f->blocks[e->k.loop_last[h]].last;
  for (int32_t d = reg < 0 ? 0 : e->k.def_at[reg]; reg >= 0 && d < e->k.def_at[reg + 1]; d++) {
    const ptx_ins *ins = &e->f->ins[e->k.defs[d]];
    if (e->k.defs[d] < first || e->k.defs[d] >= last) continue;
    if (ins->op == PTX_OP_LD) return true;
    for (int k = ins->ndst; k < ins->ndst + ins->nsrc && depth > 0; k++)
      if (ins->opnd[k].reg != reg && is_of_load(e, ins->opnd[k].reg, h, depth - 1)) return true;
  }
  return false;
}

bool dc_emit_follows_loads(const emitter *e, int32_t reg, int32_t h) {
  enum { MOST_OPERATIONS = 6 };
  for (int32_t b = h; b <= e->k.loop_last[h]; b++) {
    const ptx_block *block = &e->f->blocks[b];
    const ptx_ins *end = block->last > block->first ? &e->f->ins[block->last - 1] : NULL;
    bool ends = false;
    for (int i = 0; i < 2; i++) ends |= block->succ[i] <= h || block->succ[i] > e->k.loop_last[h];
    if (end && ends && end->pred >= 0 && is_of_load(e, end->pred, h, MOST_OPERATIONS)) return true;
  }
  return is_of_load(e, reg, h, MOST_OPERATIONS);
}

#define MOST_STEPS 8 /* operations between a loop's variable and an address made of it */

/* An instruction of the loop with header block h that writes the register, or NULL; *n: how many do. */
static const ptx_ins *maker_of(const emitter *e, int32_t reg, int32_t h, int *n) {
  const int32_t d = dc_emit_definition_in_loop(e, reg, h, n);
  return d < 0 ? NULL : &e->f->ins[d];
}

static bool is_integer_conversion(const ptx_ins *ins) {
  return ins->op == PTX_OP_CVT && ptx_is_integer(ins->type) && ptx_is_integer(ins->type2);
}

/* g += b; false: they are multiples of different operands. */
static bool add_growth(dc_growth *g, dc_growth b) {
  if (g->times != 0 && b.times != 0 && (g->step ? g->step->reg : -1) != (b.step ? b.step->reg : -1)) return false;
  if (g->times == 0) g->step = b.step;
  g->times = (long long)((uint64_t)g->times + (uint64_t)b.times);
  return true;
}

/* Adds an operand that is a constant or the same in all lanes and iterations; false: it is not. */
static bool add_operand(const emitter *e, const ptx_operand *o, int32_t h, dc_growth *g) {
  int n = 0;
  if (o->kind == PTX_IMM && !o->is_float) return add_growth(g, (dc_growth){ o->imm, NULL });
  if (o->reg < 0 || dc_emit_shape(e, o->reg)->tag != DC_UNIFORM || maker_of(e, o->reg, h, &n) || n != 0) return false;
  return add_growth(g, (dc_growth){ 1, o });
}

/* Whether each iteration computes register `reg` from its value in the last one by additions, moves and conversions:
** *g is then what they add. */
static bool is_counter(const emitter *e, int32_t reg, int32_t h, dc_growth *g) {
  int32_t at = reg;
  *g = (dc_growth){ 0 };
  for (int steps = 0; steps < MOST_STEPS && at >= 0; steps++) {
    int n = 0;
    const ptx_ins *ins = maker_of(e, at, h, &n);
    if (n != 1 || ins->pred >= 0 || ins->ndst != 1) return false;
    const bool adds = ins->op == PTX_OP_ADD;
    if (!adds && !is_integer_conversion(ins) && (ins->op != PTX_OP_MOV || ins->nsrc != 1)) return false;
    if (adds && !add_operand(e, &ins->opnd[2], h, g)) return false;
    at = ins->opnd[1].reg;
    if (at == reg) return true;
  }
  return false;
}

static bool grows(const emitter *e, const ptx_operand *o, int32_t h, int depth, dc_growth *g) {
  dc_growth b = { 0 };
  int n = 0;
  const ptx_ins *ins = maker_of(e, o->reg, h, &n);
  *g = b;
  if (n == 0 || is_counter(e, o->reg, h, g)) return true;
  if (n != 1 || ins->pred >= 0 || ins->ndst != 1 || depth == 0) return false;
  const ptx_operand *x = &ins->opnd[1], *y = x + 1;
  if (!grows(e, x, h, depth - 1, g)) return false;
  if (ins->op == PTX_OP_MOV || is_integer_conversion(ins)) return ins->nsrc == 1;
  if (ins->nsrc < 2 || !grows(e, y, h, depth - 1, &b)) return false;
  const bool constant = y->kind == PTX_IMM && !y->is_float;
  switch (ins->op) {
    case PTX_OP_SUB: b.times = (long long)-(uint64_t)b.times; /* fallthrough */
    case PTX_OP_ADD: return add_growth(g, b);
    case PTX_OP_SHL: g->times = (long long)((uint64_t)g->times << (y->imm & 63)); return constant;
    case PTX_OP_MUL:
      g->times = (long long)((uint64_t)g->times * (uint64_t)y->imm);
      return constant && ins->mode != PTX_HI_HALF;
    default: return false;
  }
}

dc_growth dc_emit_growth(const emitter *e, int32_t reg, int32_t h) {
  dc_growth g;
  const ptx_operand o = { .kind = PTX_REG, .reg = reg };
  return grows(e, &o, h, MOST_STEPS, &g) ? g : (dc_growth){ 0 };
}

/* Whether the loop with header block h has no loop in it, changes no memory, waits for no other threads, which may, and
** is entered by branches alone. */
static bool only_loads(const emitter *e, int32_t h) {
  for (int32_t i = e->f->blocks[h].first; i < e->f->blocks[e->k.loop_last[h]].last; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    const bool loads = ins->op == PTX_OP_LD && !(ins->flags & PTX_F_STRONG);
    const bool pure = ins->op == PTX_OP_BRA || ins->op == PTX_OP_MOV || (ptx_traits(ins->op) & PTX_T_PURE);
    if (!(loads || pure) || e->k.loop_at[e->k.block_of[i]] != h) return false;
  }
  return h > 0 && !e->entered[e->fn->node_of[h]];
}

bool dc_emit_walks(const emitter *e, int32_t i) {
  const ptx_ins *ins = &e->f->ins[i];
  const int32_t h = e->k.loop_at[e->k.block_of[i]];
  if (h < 0 || ins->op != PTX_OP_LD || ptx_type_bits((ptx_type)ins->type) != 8 || ins->vec > 1) return false;
  if (!only_loads(e, h) || !dc_emit_memory_supported(e, ins)) return false;
  const dc_access p = dc_emit_access_of(e, ins);
  const dc_growth g = dc_emit_growth(e, p.at->reg, h);
  return p.how == DC_HOW_LANES && g.step == NULL && (g.times == 1 || g.times == 2);
}

/* Whether a gang's lanes go through the iterations of the loop with header block h together, and alone: there is one
** way back, and no other gang runs meanwhile, which would lose the values of the gang's variables.  Block 0 is not
** entered by a branch. */
static bool goes_together(const emitter *e, int32_t h) {
  const int32_t end = dc_emit_end_of_loop(e, h);
  for (int32_t n = e->fn->node_of[h]; n < end; n++)
    if (e->entered[n] || e->waits[n] || e->pace[n]) return false;
  return h > 0 && e->k.latches[h] == 1;
}

/* Whether instruction d runs before instruction i in each iteration that runs i. */
static bool precedes(const emitter *e, int32_t d, int32_t i) {
  const int32_t b = e->k.block_of[d], to = e->k.block_of[i];
  return b == to ? d < i : dc_dominates(&e->k, b, to);
}

/* Whether each iteration of the loop with header block h adds the same to register `reg` of every lane, a counter, by
** additions and moves alone: conversions may wrap around between lanes. */
static bool counts_in_each(const emitter *e, int32_t reg, int32_t h) {
  int32_t at = reg;
  int n;
  do {
    const ptx_ins *ins = maker_of(e, at, h, &n);
    if (is_integer_conversion(ins) || !is_in_each(e, dc_emit_block_of(e, ins), e->k.loop_last[h])) return false;
    at = ins->opnd[1].reg;
  } while (at != reg);
  return true;
}

/* Whether the values of an operand of instruction i are as far apart in all iterations of the loop with header block h,
** in lanes that go through it together: the same is added to all in each. */
static bool keeps_distances(const emitter *e, const ptx_operand *o, int32_t i, int32_t h, int depth) {
  dc_growth g;
  int n = 0;
  if (o->reg < 0 || dc_emit_shape(e, o->reg)->tag == DC_UNIFORM) return true;
  const ptx_ins *ins = maker_of(e, o->reg, h, &n);
  if (n == 0) return true;
  if (dc_emit_bits(e, o->reg) < 32) return false; /* values of 16 bits wrap around at these */
  if (is_counter(e, o->reg, h, &g)) return counts_in_each(e, o->reg, h);
  const int32_t d = dc_emit_at(e, ins);
  const bool adds = ins->op == PTX_OP_ADD || ins->op == PTX_OP_SUB || (ins->op == PTX_OP_MOV && ins->nsrc == 1);
  if (n != 1 || depth == 0 || !adds || ins->pred >= 0 || ins->ndst != 1 || !precedes(e, d, i)) return false;
  for (int k = 1; k <= ins->nsrc; k++)
    if (!keeps_distances(e, &ins->opnd[k], d, h, depth - 1)) return false;
  return true;
}

/* Whether the distances of the addresses of access p, by instruction i, stay what they are. */
static bool stays_a_row(const emitter *e, const dc_access *p, int32_t i, int32_t h) {
  const ptx_operand at = { .kind = PTX_REG, .reg = p->at->reg };
  if (p->how == DC_HOW_LANES) return keeps_distances(e, &at, i, h, MOST_STEPS);
  const int32_t d = p->s.origin, b = e->k.block_of[d];
  if (b < h || b > e->k.loop_last[h]) return true;
  return precedes(e, d, i) && keeps_distances(e, dc_emit_index_of(e, d), d, h, MOST_STEPS);
}

int32_t dc_emit_row_of_loop(const emitter *e, int32_t i) {
  const ptx_ins *ins = &e->f->ins[i];
  const int32_t h = e->k.loop_at[e->k.block_of[i]];
  if (h < 0 || !dc_emit_memory_supported(e, ins) || dc_emit_walks(e, i)) return -1;
  const dc_access p = dc_emit_access_of(e, ins);
  const int bytes = p.size * p.n, row = e->k.shape.width * bytes;
  const bool index = p.how == DC_HOW_INDEX && p.s.times == bytes;
  if ((p.how != DC_HOW_LANES && !index) || p.narrow || dc_is_base_of_lane(p.base)) return -1;
  const dc_growth g = dc_emit_growth(e, p.at->reg, h);
  if (g.step == NULL && g.times > -row && g.times < row) return -1; /* each lane has a row of its own */
  if (e->k.alone[e->k.block_of[i]] || !goes_together(e, h) || !stays_a_row(e, &p, i, h)) return -1;
  for (int32_t u = e->k.use_at[p.at->reg]; u < e->k.use_at[p.at->reg + 1]; u++) {
    const int32_t other = e->k.uses[u];
    if (e->k.loop_at[e->k.block_of[other]] != h || !dc_emit_memory_supported(e, &e->f->ins[other])) continue;
    const dc_access q = dc_emit_access_of(e, &e->f->ins[other]);
    if (q.at->reg == p.at->reg && q.size * q.n == bytes && q.how == p.how && other < i) i = other;
  }
  return i;
}

void dc_emit_enter_loops(emitter *e, int32_t b) {
  for (int k = 0; k < 2; k++) {
    const int32_t to = e->f->blocks[b].succ[k], h = to >= 0 ? e->k.loop_at[to] : -1;
    if (h < 0 || (b >= h && b <= e->k.loop_last[h])) continue;
    for (int32_t i = e->f->blocks[h].first; i < e->f->blocks[e->k.loop_last[h]].last; i++) {
      if (dc_emit_walks(e, i)) dc_buf_printf(e->t, "b%d.known = M_none();\n", i);
      if (dc_emit_row_of_loop(e, i) == i) dc_buf_printf(e->t, "r%d.tested = M_none();\n", i);
    }
  }
}
