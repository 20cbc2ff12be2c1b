/*
** emit_yields.c - see emit_yields.h.
**
** Where the lanes of a block walk down a column of a matrix, each accesses another cache line, most often of another
** page, and the line's other words belong to the columns of the next blocks.  When these run, one whole column later,
** line and page have left the caches.  So a few blocks run as if they were one (cpu/runtime/native_blocks.c), and each
** gang gives way to the next one at a back edge of the loop, after a few iterations: loop interchange, across blocks.
** The first block prefetches the lines of all.  (The least elements of 500 columns of 16,000, EPYC: 9.7 ms; with half
** of a line's blocks, one iteration a turn and without prefetches 21.)
**
** A gang that yields is saved as at a barrier, with the masks of the lanes that wait.  Gangs at barriers wait until
** none yields.
**
** A gang whose lanes wait for other threads, in a loop that polls, gives way in the same manner after a few iterations:
** those that it waits for may be of its own block.  When all gangs that may run have done so, twice, without any
** progress, the block waits for another one (DC_NATIVE_WAIT).  It tells whether a lane of a gang that waits may hold a
** lock that others of the gang try to take, since those run first: tier 0 lets all go on by turns.
*/
#include "cpu/codegen/emit_yields.h"

#include "base/buf.h"
#include "base/error.h"
#include "cpu/analysis/cfg.h"
#include "cpu/codegen/emit_gangs.h"
#include "cpu/codegen/emit_loops.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_remat.h"
#include "cpu/codegen/emit_state.h"
#include "cpu/codegen/emit_waiting.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define MOST_DEPTH 6    /* operations between a product and an index */
#define FAR_ELEMENTS 64

/* Whether the loop with header block h writes register `reg`. */
static bool changes(const emitter *e, int32_t reg, int32_t h) {
  int n;
  return dc_emit_definition_in_loop(e, reg, h, &n) >= 0;
}

static dc_value_kind kind_of(const emitter *e, const ptx_operand *o) {
  return o->reg < 0 ? DC_UNKNOWN : (dc_value_kind)dc_emit_shape(e, o->reg)->tag;
}
static bool is_pace(const emitter *e, const ptx_operand *o) {
  return kind_of(e, o) == DC_UNIFORM && dc_emit_bits(e, o->reg) == 32;
}

/* The factor, unknown and the same in all lanes, of a product with an affine value; NULL: it is no such product. */
static const ptx_operand *pitch_of(const emitter *e, const ptx_ins *ins, const ptx_operand **row) {
  if ((ins->op != PTX_OP_MUL && ins->op != PTX_OP_MAD) || !ptx_is_integer(ins->type)) return NULL;
  for (int i = 1; i <= 2; i++) {
    *row = &ins->opnd[3 - i];
    if (is_pace(e, &ins->opnd[i]) && kind_of(e, *row) == DC_AFFINE) return &ins->opnd[i];
  }
  return NULL;
}

/* What a loop does to the index of an access. */
typedef struct walk {
  int32_t header, index;    /* its header block; the index's register */
  bool product;             /* lanes are an unknown factor apart */
  const ptx_operand *step;  /* unknown, too, and added to the index in the loop; NULL: none */
} walk;

/* What the index is a multiple of, or advances by, in each iteration, from the definitions of `reg`, which it is made
** of; NULL: nothing unknown. */
static const ptx_operand *pace_of(const emitter *e, int32_t reg, int depth, walk *w) {
  const ptx_operand *row, *found = NULL;
  for (int32_t d = e->k.def_at[reg]; d < e->k.def_at[reg + 1] && depth > 0 && !found; d++) {
    const ptx_ins *ins = &e->f->ins[e->k.defs[d]];
    const ptx_operand *const pitch = pitch_of(e, ins, &row);
    if (pitch) w->product = true;
    if (pitch && changes(e, row->reg, w->header)) return pitch;
    for (int i = 1; i <= ins->nsrc && (ins->op == PTX_OP_ADD || ins->op == PTX_OP_MOV) && !found; i++) {
      const ptx_operand *const o = &ins->opnd[i];
      if (kind_of(e, o) != DC_VARYING) continue;
      if (ins->nsrc == 2 && is_pace(e, &ins->opnd[3 - i]) && changes(e, o->reg, w->header)) w->step = &ins->opnd[3 - i];
      if (o->reg != w->index) found = pace_of(e, o->reg, depth - 1, w);
    }
  }
  return found || !w->product ? found : w->step;
}

/* The loop's pace, from the first load that has one. */
static const ptx_operand *pace_of_loop(const emitter *e, int32_t h) {
  for (int32_t i = e->f->blocks[h].first; i < e->f->blocks[e->k.loop_last[h]].last; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    if (e->k.loop_at[e->k.block_of[i]] != h || !dc_emit_memory_supported(e, ins)) continue;
    walk w = { .header = h, .index = dc_emit_far_index(e, ins) };
    const ptx_operand *const pace = w.index >= 0 ? pace_of(e, w.index, MOST_DEPTH, &w) : NULL;
    if (pace) return pace;
  }
  return NULL;
}

/* Whether the code may be simple, without reductions at barriers, which count a block's gangs. */
static bool may_yield(const emitter *e) {
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = dc_emit_node(e, n);
    const bool ends = node->end == DC_END_JUMP || node->end == DC_END_LEAVE || node->end == DC_END_EXIT;
    if (!ends && (!dc_emit_pauses(e, n) || !dc_is_whole_barrier(node) || node->op->ins->ndst)) return false;
  }
  return !e->k.shape.by_lane && !e->callee;
}

/* What is live where lanes wait is to be saved with what is live at the header. */
static void keep_for_waiting(emitter *e, int32_t at) {
  for (int32_t n = 0; n < e->nnodes; n++)
    for (size_t w = 0; dc_emit_may_wait(e, n, at) && w < e->words; w++)
      e->live[(size_t)at * e->words + w] |= e->live[(size_t)n * e->words + w];
}

/* --- lanes one by one --------------------------------------------------------------------------------------------- */

/* Whether a value is made of the grid's size. */
static bool is_of_grid(const emitter *e, const ptx_operand *o, int depth) {
  if (o->kind == PTX_SREG) return o->sreg == PTX_SR_NCTAID_X;
  const int32_t d = dc_only_definition(&e->k, o->reg);
  if (d < 0 || depth == 0) return false;
  const ptx_ins *ins = &e->f->ins[d];
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++)
    if (ins->op != PTX_OP_LD && is_of_grid(e, &ins->opnd[i], depth - 1)) return true;
  return false;
}

/* What the loop with header block h, around others, adds to a register: the number of the grid's threads; else NULL. */
static const ptx_operand *step_of_grid(const emitter *e, int32_t h) {
  bool around = false;
  const ptx_operand *step = NULL;
  for (int32_t b = h; b <= e->k.loop_last[h]; b++) {
    around |= e->k.loop_up[b] == h && e->k.loop_last[b] >= 0;
    for (int32_t i = e->f->blocks[b].first; i < e->f->blocks[b].last; i++) {
      const ptx_ins *ins = &e->f->ins[i];
      for (int s = 1; s <= 2 && ins->op == PTX_OP_ADD && e->k.loop_at[b] == h; s++)
        if (is_of_grid(e, &ins->opnd[s], MOST_DEPTH) && changes(e, ins->opnd[3 - s].reg, h)) step = &ins->opnd[s];
    }
  }
  return around ? step : NULL;
}

/* The node with the header of an outermost loop, block h, that waits for no other threads; -1: it is none. */
static int32_t node_of_loop(const emitter *e, int32_t h) {
  const int32_t n = e->fn->node_of[h], last = e->k.loop_last[h];
  return last >= 0 && e->k.loop_up[h] < 0 && n < e->nnodes && !dc_emit_loop_waits(e, h, last) ? n : -1;
}

/* Lanes that run one by one through a loop over the elements that all threads of the grid share would each go through
** the whole array, in leaps, and fetch each cache line again.  So a lane gives way to the next at the back edge.
** (XXH64 of records of 131 bytes takes a third of the time.) */
static void find_turns(emitter *e) {
  for (int32_t h = 0; h < e->f->nblocks; h++) {
    const int32_t n = node_of_loop(e, h);
    if (n < 0) continue;
    e->pace[n] = step_of_grid(e, h);
    e->takes_turns |= e->pace[n] != NULL;
  }
}

/* Fills e->waits.  False: there is no loop in which lanes may wait for other threads. */
static bool find_waits(emitter *e) {
  bool some = false;
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = dc_emit_node(e, n);
    const int32_t to[] = { node->next, node->taken };
    for (int i = 0; i < 2; i++) {
      if (e->inlined[n] || to[i] < 0 || to[i] > n) continue;
      if (e->waits[to[i]] || !dc_emit_loop_waits(e, e->block_of[to[i]], e->block_of[n])) continue;
      e->waits[to[i]] = some = true;
      if (e->last_pause < n) e->last_pause = n;
      keep_for_waiting(e, to[i]);
    }
  }
  return some;
}

int dc_emit_find_yields(emitter *e) {
  e->pace = dc_arena_alloc(&e->k.arena, ((size_t)e->nnodes + 1) * sizeof *e->pace);
  if (!e->pace) return dc_fail_oom(e->err);
  if (e->k.shape.by_lane && !e->callee && !e->f->has_call && e->fn->local_stride == 0) find_turns(e);
  if (e->out->simple && !e->k.shape.by_lane && !e->callee && find_waits(e)) return 0;
  if (!may_yield(e)) return 0;
  for (int32_t h = 0; h < e->f->nblocks; h++) {
    const int32_t n = node_of_loop(e, h);
    if (n < 0 || !dc_emit_is_in_quiet_loop(e, h)) continue;
    e->pace[n] = pace_of_loop(e, h);
    if (e->pace[n] == NULL) continue;
    if (e->last_pause < dc_emit_end_of_loop(e, h)) e->last_pause = dc_emit_end_of_loop(e, h);
    keep_for_waiting(e, n);
  }
  return 0;
}

/* The masks of waiting lanes, which are a gang's: the next one has none. */
static void put_masks(emitter *e, int32_t at, bool back) {
  PUT("{ uint32_t *const masks = (uint32_t *)(void *)(DC_SAVE + %d); ", e->masks_at);
  for (int32_t n = 0, i = 0; n < e->nnodes; n++) {
    if (!dc_emit_may_wait(e, n, at)) continue;
    if (back) PUT("t%d = M_from(masks[%d]); ", n, i++);
    else PUT("masks[%d] = M_word(t%d); t%d = M_none(); ", i++, n, n);
  }
  PUT("}\n");
}

/* Reserves room for them, once. */
static void keep_masks(emitter *e) {
  unsigned masks = 0;
  for (int32_t i = 0; i < e->nnodes; i++) masks += e->tracked[i];
  if (!e->out->yields && !e->out->waits) e->masks_at = dc_emit_reserve(e, 4 * masks);
  e->out->suspends = true;
}

void dc_emit_yield(emitter *e, int32_t n) {
  if (e->pace[n] == NULL) return;
  if (e->takes_turns) {
    PUT("if (left | waits) { ");
    dc_emit_suspend_at(e, n);
    PUT("at[self] = DC_AT_YIELD + %d; waits |= 1u << self; goto done; }\n", n);
    return;
  }
  keep_masks(e);
  e->out->yields = true;
  PUT("if (DC_YIELDS && ");
  dc_emit_operand(e, e->pace[n], 'W');
  PUT(" + %du > %du && --turn == 0) { ", FAR_ELEMENTS, 2 * FAR_ELEMENTS);
  dc_emit_suspend_at(e, n);
  put_masks(e, n, false);
  PUT("DC_YIELD(%d) }\n", n);
}

/* Whether the loop from header block `header` to `last` may take a lock. */
static bool may_lock(const emitter *e, int32_t header, int32_t last) {
  for (int32_t i = e->f->blocks[header].first; i < e->f->blocks[last].last; i++)
    if (e->f->ins[i].op == PTX_OP_ATOM && dc_emit_is_read(e, &e->f->ins[i])) return true;
  return false;
}

void dc_emit_give_way(emitter *e, int32_t n, int32_t to) {
  const bool apart = may_lock(e, e->block_of[to], e->block_of[n]) && dc_emit_divergent(e, to);
  keep_masks(e);
  e->out->waits = true;
  if (apart) PUT("lock = (M_word(act) & ~M_word(t%d)) != 0; ", to);
  else PUT("lock = 0; ");
  dc_emit_suspend_at(e, to);
  put_masks(e, to, false);
  PUT("go_on = DC_AT_YIELD + %d; goto wait; }\n", to);
}

void dc_emit_yield_entries(emitter *e) {
  for (int32_t n = 0; n < e->nnodes; n++) {
    const bool waits = e->out->waits && e->waits[n], divergent = dc_emit_divergent(e, n);
    if (!waits && e->pace[n] == NULL) continue;
    PUT("case DC_AT_YIELD + %d: ", n);
    if (!e->takes_turns) dc_emit_enter_gang(e);
    dc_emit_resume(e, n);
    dc_emit_remat(e, n);
    if (!e->takes_turns) put_masks(e, n, true);
    if (waits) PUT(divergent ? "if (DC_RARE(n->leave_all)) { " : "if (DC_RARE(n->leave_all)) { t%d = act; ", n);
    if (waits) PUT("goto deoptimize; } ");
    PUT(divergent ? "goto T%d;\n" : "goto N%d;\n", n);
  }
}
