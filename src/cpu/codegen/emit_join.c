/* emit_join.c - see emit_join.h. */
#include "cpu/codegen/emit_join.h"

#include <stdlib.h>

#define MOST_AHEAD 64 /* instructions between the first access and the last */
#define MOST_JOINED 8

/* Whether an instruction neither accesses memory nor waits for anything. */
static bool is_quiet(const ptx_ins *ins) { return ins->op == PTX_OP_MOV || ptx_traits(ins->op) & PTX_T_PURE; }

/* Whether a load or store, of which nothing is known yet, may be one with others; *p: how it accesses memory. */
static bool may_join(const emitter *e, const ptx_ins *ins, dc_access *p) {
  if (ins->pred >= 0 || ins->vec > 1 || ins->flags & (PTX_F_STRONG | PTX_F_STREAMING)) return false;
  const int32_t i = dc_emit_at(e, ins);
  if (e->joined[i].by != 0 || e->copied[i] >= 0 || !dc_emit_memory_supported(e, ins)) return false;
  *p = dc_emit_access_of(e, ins);
  return p->how != DC_HOW_ONE && !dc_is_base_of_lane(p->base) && (!ptx_is_load(ins) || ins->opnd[0].reg >= 0);
}

/* Whether other is in the block of ins, and nothing before it has changed the address in `reg`. */
static bool is_within_reach(const emitter *e, const ptx_ins *ins, const ptx_ins *other, int32_t reg) {
  return other < e->f->ins + e->f->nins && other - ins <= MOST_AHEAD && !ptx_writes(other - 1, reg) &&
         dc_emit_block_of(e, other) == dc_emit_block_of(e, ins);
}
/* The same of the blocks behind, as far as none jumps back and all are in one loop: lanes that come there do so before
** any executes ins again. */
static bool is_ahead(const emitter *e, const ptx_ins *ins, const ptx_ins *other, int32_t reg) {
  const int32_t to = other < e->f->ins + e->f->nins ? dc_emit_block_of(e, other) : -1;
  const int32_t from = dc_emit_block_of(e, ins), last = dc_emit_block_of(e, other - 1);
  for (int i = 0; i < 2 && last != to && last >= 0; i++) {
    const int32_t next = e->f->blocks[last].succ[i];
    if (next >= 0 && next <= last) return false;
  }
  return to >= 0 && other - ins <= MOST_AHEAD && !ptx_writes(other - 1, reg) && e->k.loop_at[to] == e->k.loop_at[from];
}
static bool dominates(const emitter *e, const ptx_ins *ins, const ptx_ins *other) {
  const int32_t from = dc_emit_block_of(e, ins);
  int32_t b = dc_emit_block_of(e, other);
  while (b > from) b = e->k.idom[b];
  return b == from;
}
static bool is_near(const dc_access *p, const dc_access *q) {
  return q->at->reg == p->at->reg && q->at->sym == p->at->sym && q->base == p->base && q->size == p->size;
}

static void set(emitter *e, const ptx_ins *ins, const ptx_ins *by, dc_join_kind kind, int part, long long far) {
  e->joined[dc_emit_at(e, ins)] = (dc_joined){
    .by = dc_emit_at(e, by) + 1, .kind = (uint8_t)kind, .part = (uint8_t)part, .far = (uint16_t)far };
}

/* --- bytes side by side ----------------------------------------------------------------------------------------- */

static bool is_part_of_word(const ptx_ins *ins, const dc_access *p) {
  return ptx_is_load(ins) && p->size <= 2 && (p->how != DC_HOW_ROW || p->stride != p->size);
}

/* A hash, or a pixel: each lane loads the bytes of a word one by one, lanes far from each other.  The first of these
** loads gathers the word, which need not be aligned: the bytes that they load together, for the same lanes.
** Nothing between them changes memory or the address. */
static void join_word(emitter *e, const ptx_ins *ins, const dc_access *p) {
  const int each = 4 / p->size;
  const ptx_ins *at[7] = {0}; /* those around the first, by offset */
  at[each - 1] = ins;
  for (const ptx_ins *other = ins + 1; is_within_reach(e, ins, other, p->at->reg); other++) {
    dc_access q;
    if (ptx_is_load(other) ? other->flags & PTX_F_STRONG : !is_quiet(other)) break;
    if (!ptx_is_load(other) || !may_join(e, other, &q) || !is_near(p, &q) || !is_part_of_word(other, &q)) continue;
    const long long far = q.offset - p->offset, n = far / p->size + each - 1;
    if (far % p->size == 0 && n >= 0 && n < 2 * each - 1 && !at[n]) at[n] = other;
  }
  for (int k = 0; k < each; k++) { /* number of bytes, or halves, before the first */
    const ptx_ins **const word = &at[each - 1 - k];
    int n = 0;
    while (n < each && word[n]) n++;
    for (int j = 0; n == each && j < each; j++) set(e, word[j], ins, DC_JOINED_WORD, j * p->size, 0);
    if (n == each) return;
  }
}

/* --- fields of structs ------------------------------------------------------------------------------------------- */

/* An access's constant offset, rounded down to a multiple of 16 bytes. */
static long long start_of_fields(const dc_access *p) { return p->offset & ~15ll; }

/* Whether each lane loads a word at an address of its own, which may be a field of a struct.  (Elements of an array by
** an index are left out: at run time their lanes may be a row, or all the same.) */
static bool may_be_field(const emitter *e, const ptx_ins *ins, const dc_access *p) {
  if (!ptx_is_load(ins) || p->how != DC_HOW_LANES || p->size != 4 || p->n != 1 || p->parts > 1) return false;
  return (p->base == DC_BASE_FLAT || p->base == DC_BASE_SHARED) && p->at->reg >= 0 && !e->k.shape.by_lane;
}

/* The first of several loads of words that lie in the same 16 bytes loads all of these for each lane, and the others
** find their values there, also loads in later blocks, where fewer lanes run.  Nothing between them changes memory or
** the address.  False: its block has no other such load. */
static bool join_fields(emitter *e, const ptx_ins *ins, const dc_access *p) {
  const ptx_ins *found[4] = {0};
  bool behind[4] = {0};
  const long long start = start_of_fields(p);
  bool any = false; /* another one is in the same block */
  if (!may_be_field(e, ins, p) || (p->offset - start) % 4 != 0) return false;
  found[(p->offset - start) / 4] = ins;
  for (const ptx_ins *other = ins + 1; is_ahead(e, ins, other, p->at->reg); other++) {
    dc_access q;
    if (other->op == PTX_OP_BRA) continue;
    if (ptx_is_load(other) ? other->flags & PTX_F_STRONG : !is_quiet(other)) break;
    if (!ptx_is_load(other) || !may_join(e, other, &q) || !is_near(p, &q) || !may_be_field(e, other, &q)) continue;
    const bool is_behind = dc_emit_block_of(e, other) != dc_emit_block_of(e, ins);
    const long long at = q.offset - start;
    if (at < 0 || at >= 16 || at % 4 != 0 || found[at / 4] || (is_behind && !dominates(e, ins, other))) continue;
    found[at / 4] = other;
    behind[at / 4] = is_behind;
    any |= !is_behind;
  }
  for (int k = 0; k < 4 && any; k++)
    if (found[k]) set(e, found[k], ins, behind[k] ? DC_JOINED_FIELD_BEHIND : DC_JOINED_FIELD, k, 0);
  return any;
}

uint32_t dc_emit_fields(const emitter *e, int32_t i) {
  uint32_t fields = 0;
  for (int32_t j = i; j < e->f->nins && j <= i + MOST_AHEAD; j++)
    if (e->joined[j].by == i + 1 && e->joined[j].kind == DC_JOINED_FIELD) fields |= 1u << e->joined[j].part;
  return fields;
}

/* --- pairs, and the same twice ---------------------------------------------------------------------------------- */

/* Whether values and others, `by` bytes behind them, are accessed as pairs: side by side, or in a window. */
static bool are_pairs(emitter *e, const dc_access *p, long long by) {
  dc_access low = *p;
  if (by < 0) low.offset += by;
  if (p->how == DC_HOW_ROW && p->size >= 4 && p->stride == 2 * p->size && llabs(by) == p->size) return true;
  if (dc_emit_are_halves(p, (int)llabs(by))) return true;
  return dc_emit_window_of_pairs(e, &low, llabs(by)) >= 0;
}

static bool is_elsewhere(const ptx_ins *a, const ptx_ins *b) {
  return (a->space == PTX_SHARED && b->space == PTX_GLOBAL) || (a->space == PTX_GLOBAL && b->space == PTX_SHARED);
}

/* Whether a store, by `store`, overlaps nothing that is `at` bytes behind what the lanes access by p. */
static bool is_disjoint(const emitter *e, const dc_access *p, long long at, const dc_access *store) {
  dc_access there = *p;
  there.offset += at;
  return is_near(p, store) ? dc_emit_are_apart(e, p, there.offset - store->offset)
                           : dc_emit_never_meet(e, &there, store);
}

/* What is loaded again, since nothing but other values is stored meanwhile (x[a] = x[b], x[b] += y), is known, and two
** values at a constant distance are loaded as whole vectors: the second half of an array's element even if only some
** lanes will load it, in a block behind, where it lies in one page with the first. */
static void join_loads(emitter *e, const ptx_ins *ins, const dc_access *p) {
  const ptx_ins *found[MOST_JOINED] = { ins };
  const int32_t d = ins->opnd[0].reg;
  dc_access stored[MOST_JOINED];
  long long by[MOST_JOINED] = {0}, far = 0;
  int n = 1, nstored = 0;
  bool all = false; /* lanes of ins load the second half, too */
  for (const ptx_ins *other = ins + 1; is_ahead(e, ins, other, p->at->reg) && n < MOST_JOINED; other++) {
    dc_access q;
    const bool stores = other->op == PTX_OP_ST, is_access = stores || ptx_is_load(other);
    const bool behind = dc_emit_block_of(e, other) != dc_emit_block_of(e, ins);
    if (other->op == PTX_OP_BRA) continue;
    if (is_access ? other->flags & PTX_F_STRONG : !is_quiet(other)) break;
    if (!is_access || (stores && is_elsewhere(ins, other))) continue;
    const bool joins = may_join(e, other, &q), near = joins && is_near(p, &q);
    const long long at = near ? q.offset - p->offset : 0;
    if (stores) {
      if (!joins || nstored == MOST_JOINED || !(near || is_disjoint(e, p, 0, &q))) break;
      stored[nstored++] = q;
    }
    bool known = near && !stores && other->type == ins->type && (at == 0 || at == far || far == 0);
    for (int i = 0; i < nstored && known; i++) known = is_disjoint(e, p, at, &stored[i]);
    if (behind && !(known && dominates(e, ins, other))) continue;
    if (!known || (at != far && at != 0 && !(behind ? dc_emit_are_halves(p, (int)llabs(at)) : are_pairs(e, p, at))))
      continue;
    if (at != 0) far = at, all |= !behind;
    found[n] = other;
    by[n++] = at;
  }
  for (int i = 0; i < n; i++) {
    const int32_t to = found[i]->opnd[0].reg;
    const dc_join_kind kind = all ? DC_JOINED_PAIR : DC_JOINED_HALF;
    if (far != 0) set(e, found[i], ins, kind, by[i] > 0 || (by[i] == 0 && far < 0), llabs(far));
    else if (i > 0 && p->size >= 4 && dc_is_defined_once(e->k.def_at, d) && dc_emit_bits(e, d) == 8 * p->size &&
             dc_emit_bits(e, to) == 8 * p->size)
      set(e, found[i], ins, DC_JOINED_SAME, 0, 0);
  }
}

/* The first value waits for the second, as long as nothing accesses memory or changes it. */
static void join_stores(emitter *e, const ptx_ins *ins, const dc_access *p) {
  for (const ptx_ins *other = ins + 1; is_within_reach(e, ins, other, p->at->reg); other++) {
    const int32_t by = e->joined[dc_emit_at(e, other)].by;
    dc_access q;
    if (p->at[1].reg >= 0 && ptx_writes(other - 1, p->at[1].reg)) return;
    if (other->op == PTX_OP_ST) {
      if (!may_join(e, other, &q) || !is_near(p, &q)) return;
      const long long far = q.offset - p->offset;
      if (far == 0 || !dc_emit_are_apart(e, p, far) || !are_pairs(e, p, far)) return;
      set(e, ins, other, DC_JOINED_PAIR, far < 0, llabs(far));
      set(e, other, ins, DC_JOINED_PAIR, far > 0, llabs(far));
      return;
    }
    if (ptx_is_load(other) ? by == 0 || by > dc_emit_at(e, ins) : !is_quiet(other)) return;
  }
}

void dc_emit_join(emitter *e, const ptx_ins *ins, const dc_access *p) {
  dc_access q;
  if (!may_join(e, ins, &q) || q.how != p->how) return;
  if (is_part_of_word(ins, p)) join_word(e, ins, p);
  else if (!ptx_is_load(ins)) join_stores(e, ins, p);
  else if (!join_fields(e, ins, p)) join_loads(e, ins, p);
}
