/* emit_memory.c - see emit_memory.h. */
#include "cpu/codegen/emit_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cpu/analysis/ranges.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_join.h"
#include "cpu/codegen/emit_loops.h"
#include "cpu/codegen/emit_short.h"
#include "cpu/codegen/emit_windows.h"
#include "cpu/interp/interp.h"
#include "cpu/interp/code.h"
#include "cpu/simd/abi.h"

#define MOST_INLINE 80 /* gathers and scatters: above, they are calls, to bound the compile time (8 ms each) */
#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* The type of an element as in names of simd/memory.h. */
static const char *element(const ptx_ins *ins, const dc_access *p) {
  const bool is_signed = ptx_is_signed(ins->type) && p->parts == 1;
  switch (p->size) {
    case 1: return is_signed ? "s8" : "u8";
    case 2: return is_signed ? "s16" : "u16";
    case 4: return "u32";
    default: return "u64";
  }
}

void dc_emit_find_far(emitter *e) {
  int n = 0;
  for (int32_t i = 0; i < e->f->nins; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    if (dc_emit_memory_supported(e, ins) && dc_emit_access(e, ins) == DC_ACCESS_LANES)
      n += dc_emit_access_of(e, ins).n;
  }
  e->far = n > MOST_INLINE;
}

void dc_emit_begin_access(emitter *e, const dc_access *p) {
  int bytes = p->size * p->n;
  if (p->base == DC_BASE_CALL && !e->k.shape.by_lane) {
    e->operates = true;
    PUT("DC_ENTER ");
  }
  PUT("{ ");
  if (p->how == DC_HOW_LANES) {
    PUT("const V64 a_ = ");
    dc_emit_all_addresses(e, p->at, p->base, p->offset);
    PUT("; ");
    return;
  }
  PUT("const uint64_t o_ = ");
  if (p->at->reg >= 0) {
    PUT("(uint64_t)");
    dc_emit_register(e, p->at->reg, p->narrow ? 'W' : 'D');
    PUT(" + ");
  }
  PUT("%s%lldull", dc_emit_module_base(p->at->sym), p->offset);
  if (p->by_index >= 0)
    PUT(" + dc_first_element(0, i%d, %lld, %d)", p->by_index, p->by_times, dc_emit_is_signed(e, p->by_index));
  if (p->base == DC_BASE_FLAT) PUT(", a_ = o_; ");
  else PUT(", a_ = %s + o_; ", dc_emit_base(p->base));
  if ((bytes > 1 || DC_IGNORED) && p->at->reg >= 0) PUT("if (DC_BAD(o_, %d, a_)) n->fault(n); ", bytes - 1);
}

/* Appends the address of lane 0. */
static void put_first(emitter *e, const dc_access *p) {
  const int32_t i = p->s.origin;
  if (p->how == DC_HOW_INDEX) PUT("dc_first_element(a_, i%d, %d, %d)", i, (int)p->s.times, dc_emit_is_signed(e, i));
  else PUT("a_");
}

/* Code without loops: consecutive gangs, and blocks, access consecutive rows of an array.  The processor's out-of-order
** window holds the instructions of a few gangs, and its prefetcher stops at the end of a page; so an access prefetches
** the row of a gang 1 KB ahead, or for stores 512 bytes (one thread: saxpy of 2^24 values 7.3, before 9.1 ms, a 5-point
** stencil of 4096^2 9.3, before 10.9).
** In code with loops the accesses before and behind them are further apart in time, so an access prefetches the row of
** the same gang in the next block (a scan with look-back: 5.8, before 8.3 ms).  Where there are barriers, a block's
** gangs run in descending order: the first of them prefetches the next block's first row, since the processor's own
** prefetcher follows ascending rows better (a scan in shared memory without loops: 20.2 ms, by the same gang's rows
** 23.3).  Where a loop without barriers takes a part of an array to shared memory, or back, some rows further on are
** the next block's (a scan of parts of 256 values: 0.71 of the time). */
static void prefetch_for_gangs(emitter *e, const ptx_ins *ins, const dc_access *p, bool loops) {
  const int32_t reg = p->at->reg;
  const long long stride = p->how == DC_HOW_ROW ? p->stride : (long long)p->s.times, bytes = stride * e->k.shape.width;
  if ((p->how != DC_HOW_ROW && p->how != DC_HOW_INDEX) || bytes <= 0 || bytes > 1024) return;
  if (reg < 0 || e->prefetched[reg]) return;
  if (ins->flags & PTX_F_STREAMING && ins->op == PTX_OP_ST) return;
  e->prefetched[reg] = true;
  if (p->how == DC_HOW_INDEX) /* not of lanes that pass a test: processors mispredict a branch by their indices */
    PUT("if (dc_are_first(%s) && dc_is_line(i%d, i%d.p0[0], %d, %s)) ", e->mask, p->s.origin, p->s.origin,
        dc_emit_is_signed(e, p->s.origin), e->mask);
  const bool ahead = e->straight && !e->has_pause;
  if (ahead) PUT("if (DC_PREFETCH_AHEAD) ");
  if (dc_emit_may_stream(e, ins, p)) PUT("if (!DC_STREAMS) ");
  PUT("dc_prefetch_bytes(");
  put_first(e, p);
  const char *const blocks = loops ? "" : "n->ntid[0] + ";
  if (ahead) PUT(" + %d", ins->op == PTX_OP_ST ? 512 : 1024);
  else if (e->has_pause && e->k.shape.rows)
    PUT(" + (int32_t)(%sn->ntid[0] - DC_W - 2 * tid[0][0]) * %lldll", blocks, stride);
  else PUT(" + (%s0u) * %lldull", blocks, stride);
  if (loops) PUT(" + %lld", 16 * bytes);
  PUT(", %lld); ", bytes);
}

/* Tiles of matrices are copied 16 bytes a lane, one after another along rows that are pages apart: what each gang loads
** next is prefetched while it uses the last (f16 products of 1024^3 with tiles of 64 x 64 x 32: 55, before 59 ms). */
bool dc_emit_is_looping(const emitter *e, const ptx_ins *ins, int base) {
  return base == DC_BASE_FLAT && e->k.loop_at[dc_emit_block_of(e, ins)] >= 0;
}
void dc_emit_last_access(emitter *e, const ptx_ins *ins) {
  const int32_t i = dc_emit_at(e, ins);
  e->loops[i] = true;
  PUT("h%d + DC_GANG %% DC_LAST_ACCESSES", i);
}

/* Whether an access may be prefetched: by a row or by indices, of global memory. */
static bool is_prefetched(const dc_access *p) {
  return p->base == DC_BASE_FLAT && !p->narrow && (p->how == DC_HOW_ROW || p->how == DC_HOW_INDEX);
}

/* The first load of its basic block whose address is constant bytes from this one's, but for loads that take their
** value from one of an earlier block, which prefetched nothing; *bytes: what all of these load. */
static int32_t first_of_address(const emitter *e, const ptx_ins *ins, const dc_access *p, long long *bytes) {
  const int32_t self = dc_emit_at(e, ins), reg = p->at->reg;
  int32_t first = self;
  *bytes = 0;
  for (int32_t i = e->k.use_at[reg]; i < e->k.use_at[reg + 1]; i++) {
    const int32_t at = e->k.uses[i];
    const ptx_ins *other = &e->f->ins[at];
    if (e->k.block_of[at] != e->k.block_of[self] || other->op == PTX_OP_ST || !dc_emit_memory_supported(e, other))
      continue;
    const dc_access q = dc_emit_access_of(e, other);
    if (q.at->reg != reg || !is_prefetched(&q)) continue;
    *bytes += (long long)q.size * q.n * e->k.shape.width;
    if (at < first && !dc_emit_is_part(e, at)) first = at;
  }
  return first;
}

/* Whether a loop's load is of an element whose number is in an array: a list of neighbours, of columns, of points.
** No row is looked for there, and no stride from iteration to iteration. */
static bool is_of_list(const emitter *e, const ptx_ins *ins, const dc_access *p) {
  const int32_t d = dc_only_definition(&e->k, dc_emit_index_of(e, p->s.origin)->reg);
  if (d < 0 || !dc_emit_is_looping(e, ins, p->base)) return false;
  const ptx_ins *from = &e->f->ins[d];
  return from->op == PTX_OP_LD && ptx_type_bits((ptx_type)from->type) == 32;
}

/* Number of iterations by which a loop's loads in block b are prefetched ahead: some eight loads, since unrolled loops
** have few iterations (columns of a matrix, four rows an iteration: 0.8 of the time). */
static int iterations_ahead(const emitter *e, int32_t b) {
  int loads = 0;
  for (int32_t i = e->f->blocks[b].first; i < e->f->blocks[b].last; i++)
    loads += e->f->ins[i].op == PTX_OP_LD && e->f->ins[i].space == PTX_GLOBAL;
  return loads < 1 ? 8 : loads < 8 ? 8 / loads : 1;
}

/* In a loop that strides over a large array each iteration's row is in another page, where the processor does not
** prefetch: what a later iteration will load is asked for here, and where gangs run through the loop one after another
** what the next one will (a product of matrices with tiles of 16: 91, before 150 ms; sums of 2^24 values by rows and by
** indices: 5.2, before 8.0 and 7.9 ms; a histogram of 2^26 bytes: 34, before 58 ms).  Where the rows of an iteration
** and the next adjoin, lines further on are (a sum of 2^24 values: 4.9, before 6.1 ms; a plain loop takes 4.3).  Where
** gangs take turns at a barrier in the loop, an iteration takes long enough for two to be far ahead, and stores must
** not wait for lines either, since later loads wait for them (a stencil that marches through planes: 45, before 78 ns a
** row).  The stride is what the loop adds to the address or, where that is unknown, the way from the last address, if
** it was the same before; in loops without barriers, loads at constant distances share it. */
static void prefetch(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask) {
  const int32_t i = dc_emit_at(e, ins), b = e->k.block_of[i];
  if (!is_prefetched(p)) return;
  if (e->k.loop_at[b] < 0) {
    prefetch_for_gangs(e, ins, p, false);
    return;
  }
  if (p->how == DC_HOW_INDEX && e->pace[e->fn->node_of[e->k.loop_at[b]]]) { /* a line a lane, for all blocks together */
    PUT("if (DC_LEADS) dc_prefetch_lanes(");
    dc_emit_last_access(e, ins);
    PUT(", dc_indexed(a_, i%d, %d, %d), %dull * DC_LEADS, %s); ", p->s.origin, (int)p->s.times,
        dc_emit_is_signed(e, p->s.origin), p->size, mask);
    return;
  }
  const bool quiet = dc_emit_is_in_quiet_loop(e, b), stores = ins->op == PTX_OP_ST;
  if (p->how == DC_HOW_INDEX && is_of_list(e, ins, p)) return;
  const dc_growth growth = dc_emit_growth(e, p->at->reg, e->k.loop_at[b]);
  if (e->has_pause && quiet && growth.step == NULL && growth.times > 0 && growth.times <= 1024) {
    prefetch_for_gangs(e, ins, p, true);
    return;
  }
  if (stores && (quiet || ins->flags & PTX_F_STREAMING)) return;
  long long dense = 0;
  const int32_t first = quiet ? first_of_address(e, ins, p, &dense) : i;
  PUT(stores ? "dc_prefetch_target(" : "dc_prefetch(");
  if (p->expected) PUT("a%d.at + a%d.step", i, i);
  else put_first(e, p);
  PUT(", ");
  if (p->expected) {
    PUT("a%d.expected", i);
  } else if (growth.times != 0 && p->how == DC_HOW_ROW) {
    PUT("%lldull", growth.times);
    if (growth.step) {
      const bool wide = dc_emit_bits(e, growth.step->reg) == 64;
      PUT(wide ? " * " : " * (uint64_t)(int32_t)");
      dc_emit_operand(e, growth.step, wide ? 'D' : 'W');
    }
  } else if (first < i) {
    PUT("a%d.expected", first);
  } else {
    PUT("dc_next_step(");
    if (quiet) PUT("&a%d", i);
    else dc_emit_last_access(e, ins);
    PUT(", ");
    put_first(e, p);
    PUT(")");
    e->strides[i] = quiet;
  }
  e->prefetches_ahead |= quiet;
  if (stores) {
    PUT(", 2); ");
    return;
  }
  const bool whole = p->how == DC_HOW_ROW && p->stride > 0 && p->stride <= p->size * p->n;
  PUT(", %lldull, %lldull, ", whole ? p->stride * e->k.shape.width : 0ll, whole ? dense : 0ll);
  if (!quiet) PUT("2, 0); ");
  else PUT("%d, ahead * %lldull); ", iterations_ahead(e, b), p->how == DC_HOW_ROW ? p->stride : (long long)p->s.times);
}

/* The addresses of a row that wraps around. */
static void put_wrapped(emitter *e, const dc_access *p) {
  if (p->narrow) PUT("dc_wrapped(a_, s%d, %lldll, 0, 1, 0)", p->at->reg, p->stride);
  else dc_emit_wrapped(e, &p->s, "a_");
}

bool dc_emit_condition(emitter *e, const dc_access *p, const char *before) {
  if (dc_is_base_of_lane(p->base)) return false;
  if (p->narrow && p->at->reg >= 0 && p->s.tag == DC_AFFINE && p->s.exact != 0)
    PUT("%s(DC_RARE(!dc_no_wrap_u32(s%d, %lldll)))", before, p->at->reg, (long long)dc_value_stride(&p->s));
  else if (p->s.origin >= 0) PUT("%s(DC_RARE(!ok%d))", before, p->s.origin);
  else return false;
  return true;
}

/* Local memory through an affine address of its own stride: lane by lane. */
static void as_lanes_if_odd(dc_access *p) {
  if (dc_is_base_of_lane(p->base) && p->how == DC_HOW_ROW && p->at->reg >= 0 && (p->s.origin >= 0 || p->s.exact != 0))
    p->how = DC_HOW_LANES;
}

/* Which functions access lanes anywhere: inlined, calls, or such as are seldom called. */
static const char *far_of(const emitter *e, const dc_access *p) { return p->wraps ? "slow_" : e->far ? "far_" : ""; }

/* The kind of packs of simd/packs.h, or NULL: whole packs are accessed, contiguous or anywhere. */
static const char *packs(const dc_access *p) {
  if (p->how != DC_HOW_LANES && (p->how != DC_HOW_ROW || p->stride != p->size * p->n)) return NULL;
  if (p->size == 4) return p->n == 2 ? "2" : p->n == 4 ? "4" : NULL;
  return p->size == 8 && p->n == 2 ? "2x64" : NULL;
}

/* The C type of an element's pairs, and the kind of packs that they are. */
const char *dc_emit_pair(const ptx_ins *ins) {
  return ptx_type_bits((ptx_type)ins->type) == 64 ? "dc_two_64" : "dc_two";
}
static const char *pair_kind(const dc_access *p) { return p->size == 8 ? "2x64" : "2"; }

/* Declares the lanes' packs, q_. */
static void load_packs(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask) {
  PUT("const %s q_ = dc_%s_pack%s(a_, %s); ", ins->vec == 4 ? "dc_four" : dc_emit_pair(ins),
      p->how == DC_HOW_ROW ? "row" : "gather", packs(p), mask);
}

/* Whether a<i> says where to expect the elements of a load: those of an index that a loop, which a gang runs through at
** once, hands on from iteration to iteration, where that or the loop's end depends on what was loaded, so that else
** each one's load would begin after the last one's end. */
static bool expects(emitter *e, const ptx_ins *ins, const dc_access *p) {
  enum { MOST_OPERATIONS = 8 };
  const int32_t i = dc_emit_at(e, ins), b = e->k.block_of[i], h = e->k.loop_at[b];
  if (p->how != DC_HOW_INDEX || e->joined[i].by || !dc_emit_is_in_quiet_loop(e, b) || dc_emit_window_of(e, p) >= 0)
    return false;
  const int32_t index = dc_emit_index_of(e, p->s.origin)->reg;
  e->strides[i] = !e->pace[e->fn->node_of[h]] && dc_emit_follows_loads(e, index, h) &&
                  dc_emit_is_carried(e, index, h, MOST_OPERATIONS);
  return e->strides[i];
}

/* The condition under which all lanes of an access lie in its window, and the address of lane 0. */
static void put_in_window(emitter *e, const dc_access *p, int window, const char *mask) {
  PUT("dc_has%d && DC_USUAL(%s == DC_EVERY", window, mask);
  if (p->how == DC_HOW_INDEX) {
    int32_t low = 0, high = 0;
    for (int l = 0; l < e->k.shape.width; l++) {
      const int32_t at = e->windows[window].lanes.lane[l] * 4 / (int32_t)p->s.times;
      if (at < low) low = at;
      if (at > high) high = at;
    }
    if (!dc_range_is_exact(e->k.range, dc_emit_index_of(e, p->s.origin), dc_emit_is_signed(e, p->s.origin)))
      PUT(" && dc_fits(i%d, %d, %d, %d)", p->s.origin, dc_emit_is_signed(e, p->s.origin), low, high);
  }
  PUT(")");
}
/* Whether the lanes of a row are one half each of pairs of 4 or 8 bytes. */
static bool is_every_other(const dc_access *p) { return p->stride == 2 * p->size && (p->size == 2 || p->size == 4); }

/* Whether halves of pairs are side by side, in a row. */
static bool are_packs(const dc_access *p, int far) {
  return p->how == DC_HOW_ROW && far == p->size && p->stride == 2 * far;
}

/* Elements by an index, as an expression; `at`: the address of the first, beside a_. */
static void put_elements(emitter *e, const char *far, const char *type, int at, const dc_access *p, const char *mask) {
  PUT("dc_%selements_%s(a_ + %d, i%d, %d, %d, 0, %s)", far, type, at, p->s.origin, (int)p->s.times,
      dc_emit_is_signed(e, p->s.origin), mask);
}

static void load_pair(emitter *e, const ptx_ins *ins, const dc_access *p, int far, const char *mask) {
  const char *T = element(ins, p);
  if (p->wraps) {
    PUT("(%s){ dc_slow_gather_%s(a_, 0, %s), ", dc_emit_pair(ins), T, mask);
    PUT("dc_slow_gather_%s(a_, %d, %s) }; ", T, far, mask);
    return;
  }
  if (are_packs(p, far)) {
    PUT("dc_row_pack%s(a_, %s); ", pair_kind(p), mask);
    return;
  }
  const int window = dc_emit_window_of_pairs(e, p, far);
  if (window >= 0) {
    put_in_window(e, p, window, mask);
    PUT(" ? dc_two_of(dc_take%d(", window);
    put_first(e, p);
    PUT(")) : ");
  }
  if (dc_emit_are_halves(p, far)) {
    PUT("dc_two_of(");
    put_elements(e, e->far || window >= 0 ? "far_" : "", "u64", 0, p, mask);
    PUT("); ");
    return;
  }
  PUT("(dc_two){ ");
  for (int at = 0; at <= far; at += far) {
    if (p->how == DC_HOW_ROW) PUT("dc_far_stride_u32(a_ + %d, %lldll, %s)", at, p->stride, mask);
    else put_elements(e, "far_", "u32", at, p, mask);
    PUT(", ");
  }
  PUT("}; ");
}

/* Loads 16 bytes of each lane's struct into w<i>.  Only some of their words are fields that the kernel loads; the page
** of another word need not exist.  So where a lane's 16 bytes are in two pages, c<i> is set and the fields are gathered
** one by one. */
static void load_fields(emitter *e, int32_t i, const dc_access *p, const char *mask) {
  enum { ALL = 15 };
  const uint32_t fields = dc_emit_fields(e, i);
  PUT("const V64 f_ = v_sub_64(a_, V64_splat(%dull)); w%d = ", 4 * e->joined[i].part, i);
  if (fields != ALL) {
    PUT("DC_RARE(c%d = dc_crosses_page(f_, 16, %s)) ? (dc_four){ ", i, mask);
    for (int k = 0; k < 4; k++)
      if (fields >> k & 1) PUT(".x%d = dc_far_gather_u32(f_, %d, %s), ", k, 4 * k, mask);
    PUT("} : ");
  }
  PUT("dc_gather_pack4(f_, %s); ", mask);
  e->out->overruns_shared |= p->base == DC_BASE_SHARED;
}

/* Of a load that is the first of several: what all of them load, into w<instruction>. */
static void load_joined(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask) {
  const int32_t i = dc_emit_at(e, ins);
  const char *far = far_of(e, p);
  const int before = e->joined[i].part;
  if (e->joined[i].kind == DC_JOINED_FIELD) {
    load_fields(e, i, p, mask);
    return;
  }
  PUT("w%d = ", i);
  if (e->joined[i].kind == DC_JOINED_HALF) { /* the value itself, twice, where its element is not aligned */
    PUT("DC_RARE(a_ & 7) ? dc_twice(");
    put_elements(e, "far_", "u32", 4 * before, p, mask);
    PUT(") : ");
  }
  if (e->joined[i].far) {
    load_pair(e, ins, p, e->joined[i].far, mask);
    return;
  }
  if (p->how == DC_HOW_LANES) PUT("dc_%sgather_u32(a_, -%d, %s); ", far, before, mask);
  else if (p->how == DC_HOW_INDEX)
    PUT("dc_%sgather_u32(dc_indexed(a_, i%d, %dull, %d), -%d, %s); ", far, p->s.origin, (int)p->s.times,
        dc_emit_is_signed(e, p->s.origin), before, mask);
  else if (p->stride == 4) PUT("dc_row_u32(a_ - %d, %s); ", before, mask);
  else PUT("dc_%sstride_u32(a_ - %d, %lldll, %s); ", far, before, p->stride, mask);
}

/* Whether a load can take its value from what an earlier load has loaded only under a condition of run time: halves of
** elements if these are aligned, fields of a later block if the struct's 16 bytes are in one page. */
static bool is_guessed(const emitter *e, const ptx_ins *ins) {
  const dc_joined *const j = &e->joined[dc_emit_at(e, ins)];
  if (j->by && j->kind == DC_JOINED_FIELD_BEHIND) return true;
  return j->by && j->kind == DC_JOINED_HALF && j->part != e->joined[j->by - 1].part;
}

/* What all lanes load, as an expression. */
static void put_loaded(emitter *e, const ptx_ins *ins, const dc_access *p, int j, const char *mask) {
  const char *T = element(ins, p), *far = far_of(e, p);
  const int size = p->size;
  int window;
  if (p->how == DC_HOW_ONE) {
    PUT("V%d_splat(dc_ld_%s(a_ + %d))", size == 8 ? 64 : 32, T, j * size);
  } else if (packs(p)) {
    PUT("q_.x%d", j);
  } else if (p->how == DC_HOW_LANES && !p->wraps && dc_emit_walks(e, dc_emit_at(e, ins))) {
    PUT("dc_walk_%s(&b%d, a_, %s)", T, dc_emit_at(e, ins), mask);
  } else if (p->how == DC_HOW_LANES) {
    PUT("dc_%sgather_%s(a_, %d, %s)", far, T, j * size, mask);
  } else if (p->how == DC_HOW_INDEX && size >= 4 && !p->expected && is_of_list(e, ins, p)) {
    PUT("dc_scattered_%s(a_, i%d, %d, %d, %s)", T, p->s.origin, (int)p->s.times, dc_emit_is_signed(e, p->s.origin),
        mask);
  } else if (p->how == DC_HOW_INDEX) {
    if ((window = dc_emit_window_of(e, p)) >= 0) {
      put_in_window(e, p, window, mask);
      PUT(" ? dc_take%d(", window);
      put_first(e, p);
      PUT(") : ");
      far = "far_";
    }
    PUT("dc_%selements_%s(a_, i%d, %d, %d, ", far, T, p->s.origin, (int)p->s.times, dc_emit_is_signed(e, p->s.origin));
    if (p->expected) PUT("&a%d, %s)", dc_emit_at(e, ins), mask);
    else PUT("0, %s)", mask);
  } else if (p->stride == size) {
    PUT("dc_row_%s(a_ + %d, %s)", T, j * size, mask);
  } else if (is_every_other(p)) {
    PUT("dc_every_other_%s(a_ + %d, %s)", T, j * size, mask);
  } else if ((window = dc_emit_window_of(e, p)) >= 0) {
    put_in_window(e, p, window, mask);
    PUT(" ? dc_take%d(a_) : dc_%sstride_%s(a_, %lldll, %s)", window, far, T, p->stride, mask);
  } else {
    PUT("dc_%sstride_%s(a_ + %d, %lldll, %s)", far, T, j * size, p->stride, mask);
  }
}

static void load_element(emitter *e, const ptx_ins *ins, const dc_access *p, int j, const char *mask, bool keep) {
  const int32_t d = ins->opnd[j].reg, i = dc_emit_at(e, ins), size = p->size, bytes = size / p->parts;
  if (d < 0) return;
  bool sign = ptx_is_signed(ins->type);
  bool low = dc_emit_bits(e, d) == 16 && (ins->type == PTX_S8 || ins->type == PTX_S16);
  bool widens = dc_emit_bits(e, d) == 64 && bytes < 8;
  if (dc_emit_shape(e, d)->tag == DC_UNIFORM) {
    const char *as = low ? "(uint16_t)" : widens && sign ? "(uint64_t)(int32_t)" : "";
    const bool overwrites = p->n > 1 && dc_emit_bits(e, d) == 64; /* the address, perhaps */
    if (size == 1 && !sign && p->base == DC_BASE_FLAT && p->at->reg >= 0 && !p->at->sym && !p->narrow && !overwrites) {
      PUT("s%d = dc_ld_byte(", d);
      dc_emit_register(e, p->at->reg, 'D'); /* of a lane alone, too */
      PUT(", %lldll); ", p->offset + j);
    } else PUT("s%d = %sdc_ld_%s(a_ + %d); ", d, as, element(ins, p), j * size);
    return;
  }
  const dc_joined *const joined = &e->joined[i];
  if (!joined->by && dc_emit_is_short_row(e, ins, p)) {
    dc_emit_assign_word(e, d, mask, keep);
    PUT("%c_row_%s(a_, %s)", e->lane_bits[d] == 8 ? 'b' : 'h', element(ins, p), mask);
    dc_emit_assign_end(e, d, keep);
    return;
  }
  dc_emit_assign(e, d, mask, keep);
  if (low) PUT("v_cvt_i16_u16_w(");
  if (widens) PUT(sign ? "v_cvt_i64_s32_w(" : "v_cvt_i64_u32_w(");
  if (p->parts > 1 || (joined->by && joined->kind == DC_JOINED_WORD)) {
    const int of = p->parts > 1 ? i : joined->by - 1, before = p->parts > 1 ? j * bytes : joined->part;
    PUT("v_shr_%c32(v_shl_32(w%d, V32_splat(%du)), V32_splat(%du))", sign ? 's' : 'u', of, 32 - 8 * (bytes + before),
        32 - 8 * bytes);
  } else if (joined->by && joined->kind != DC_JOINED_SAME) {
    if (joined->kind == DC_JOINED_FIELD_BEHIND) {
      PUT("DC_RARE(c%d) ? dc_far_gather_u32(a_, 0, %s) : ", joined->by - 1, mask);
    } else if (is_guessed(e, ins)) {
      PUT("DC_RARE((a_ & 7) != %d) ? ", 4 * joined->part);
      put_elements(e, "far_", "u32", 0, p, mask);
      PUT(" : ");
    }
    PUT("w%d.x%d", joined->by - 1, joined->part);
  } else if (joined->by) {
    dc_emit_register(e, e->f->ins[joined->by - 1].opnd[0].reg, size == 8 ? 'd' : 'w');
  } else {
    put_loaded(e, ins, p, j, mask);
  }
  if (low || widens) PUT(")");
  dc_emit_assign_end(e, d, keep);
}

void dc_emit_stored(emitter *e, const ptx_operand *o, int size, bool scalar) {
  const bool low = size < 8 && o->kind == PTX_REG && dc_emit_bits(e, o->reg) == 64;
  const char kind = size == 8 || low ? 'd' : 'w';
  if (low) PUT(scalar ? "(uint32_t)" : "v_low_half(");
  dc_emit_operand(e, o, scalar ? (char)(kind - 'a' + 'A') : kind);
  if (low && !scalar) PUT(")");
}

/* The lanes' element j: a value, or several side by side. */
static void put_values(emitter *e, const dc_access *p, int j) {
  const int size = p->size / p->parts;
  const ptx_operand *const v = &p->at[1 + j];
  if (p->parts > 1) PUT(p->parts == 4 ? "dc_beside(dc_beside(" : "dc_beside(");
  for (int i = 0; i < p->parts; i++) {
    if (i > 0) PUT(i == 2 ? ", dc_beside(" : ", ");
    dc_emit_stored(e, &v[i], size, false);
    if (i % 2 == 1) PUT(", %d)", 8 * size);
  }
  if (p->parts == 4) PUT(", 16)");
}

static void store_window(emitter *e, const dc_access *p, int window, const char *mask) {
  PUT("if (");
  put_in_window(e, p, window, mask);
  PUT(") dc_place%d(", window);
  put_first(e, p);
  PUT(", ");
  put_values(e, p, 0);
  PUT(", %d); else ", p->base == DC_BASE_SHARED);
}

static void store_element(emitter *e, const ptx_ins *ins, const dc_access *p, int j, const char *mask) {
  const char *T = element(ins, p), *far = far_of(e, p);
  const int size = p->size;
  const ptx_operand *o = &p->at[1 + j];
  bool scalar = e->alone || o->reg < 0 || dc_emit_shape(e, o->reg)->tag == DC_UNIFORM;
  if (p->how == DC_HOW_ONE) {
    if (!e->alone) PUT("if (M_any(%s)) ", mask);
    PUT("dc_st_%s(a_ + %d, ", T, j * size);
    if (!scalar) PUT("V%d_last(", size == 8 ? 64 : 32);
    dc_emit_stored(e, o, size, scalar);
    if (!scalar) PUT(", %s)", mask);
    PUT("); ");
    return;
  }
  if (p->how == DC_HOW_LANES) {
    PUT("dc_%sscatter_%s(a_, %d, ", far, T, j * size);
    put_values(e, p, j);
    PUT(", %s); ", mask);
    return;
  }
  if (dc_emit_is_short_row(e, ins, p)) {
    const char kind = e->lane_bits[o->reg] == 8 ? 'b' : 'h';
    PUT("%c_put_row_%s(a_, ", kind, T);
    dc_emit_operand(e, o, kind);
    PUT(", %s); ", mask);
    return;
  }
  const int window = dc_emit_window_of(e, p);
  if (p->how == DC_HOW_INDEX) {
    if (window >= 0) store_window(e, p, window, mask);
    PUT("dc_%sput_%s_%s(a_, i%d, %d, %d, ", window >= 0 ? "far_" : far,
        p->base == DC_BASE_SHARED ? "elements" : "list", T, p->s.origin, (int)p->s.times,
        dc_emit_is_signed(e, p->s.origin));
    put_values(e, p, j);
    PUT(", %s); ", mask);
    return;
  }
  if (window >= 0) store_window(e, p, window, mask);
  const char *stream = NULL; /* when the store is non-temporal: always, or in large launches */
  if (p->base == DC_BASE_FLAT && size >= 4 && p->stride == size)
    stream = ins->flags & PTX_F_STREAMING ? "1" : dc_emit_may_stream(e, ins, p) ? "DC_STREAMS" : NULL;
  const char *put = stream ? "stream" : p->base == DC_BASE_SHARED ? "put_shared" : "put";
  if (p->stride == size) PUT("dc_%s_row_%s(a_ + %d, ", put, T, j * size);
  else if (is_every_other(p)) PUT("dc_%s_every_other_%s(a_ + %d, ", put, T, j * size);
  else PUT("dc_%sput_stride_%s(a_ + %d, %lldll, ", far, T, j * size, p->stride);
  put_values(e, p, j);
  PUT(", %s", mask);
  if (stream) PUT(", %s", stream);
  PUT("); ");
}

/* Calls a function of simd/packs.h that stores packs of the values v[0], v[1] … */
static void put_packs(emitter *e, const dc_access *p, const char *how, const char *kind, const ptx_operand *const *v,
                      int n, const char *mask) {
  PUT("dc_%s_pack%s(a_, %s", how, kind, mask);
  for (int j = 0; j < n; j++) {
    PUT(", ");
    dc_emit_stored(e, v[j], p->size, false);
  }
  PUT("); ");
}

static void store_packs(emitter *e, const ptx_ins *ins, const dc_access *p, const char *kind,
                        const ptx_operand *const *v, int n, const char *mask) {
  if (dc_emit_may_stream(e, ins, p)) {
    PUT("if (DC_STREAMS) ");
    put_packs(e, p, "stream_row", kind, v, n, mask);
    PUT("else ");
  }
  put_packs(e, p, p->how == DC_HOW_ROW ? "put_row" : "scatter", kind, v, n, mask);
}

/* Stores both halves of pairs. */
static void store_pair(emitter *e, const ptx_ins *ins, const dc_access *p, int far, const ptx_operand *const v[2],
                       const char *mask) {
  if (p->wraps) {
    for (int j = 0; j < 2; j++) {
      PUT("dc_slow_scatter_u%d(a_, %d, ", 8 * p->size, j * far);
      dc_emit_stored(e, v[j], p->size, false);
      PUT(", %s); ", mask);
    }
    return;
  }
  if (are_packs(p, far)) {
    store_packs(e, ins, p, pair_kind(p), v, 2, mask);
    return;
  }
  const int window = dc_emit_window_of_pairs(e, p, far);
  PUT("const V64 q_ = v_pack_64(");
  dc_emit_stored(e, v[0], 4, false);
  PUT(", ");
  dc_emit_stored(e, v[1], 4, false);
  PUT("); ");
  if (window >= 0) {
    PUT("if (");
    put_in_window(e, p, window, mask);
    PUT(") dc_place%d(", window);
    put_first(e, p);
    PUT(", q_, %d); else ", p->base == DC_BASE_SHARED);
  }
  if (dc_emit_are_halves(p, far)) {
    PUT("dc_%sput_elements_u64(a_, i%d, 8, %d, q_, %s); ", e->far || window >= 0 ? "far_" : "", p->s.origin,
        dc_emit_is_signed(e, p->s.origin), mask);
    return;
  }
  PUT("{ ");
  for (int j = 0; j < 2; j++) {
    if (p->how == DC_HOW_ROW) PUT("dc_far_put_stride_u32(a_ + %d, %lldll, ", j * far, p->stride);
    else
      PUT("dc_far_put_elements_u32(a_ + %d, i%d, %d, %d, ", j * far, p->s.origin, (int)p->s.times,
          dc_emit_is_signed(e, p->s.origin));
    dc_emit_stored(e, v[j], 4, false);
    PUT(", %s); ", mask);
  }
  PUT("} ");
}

/* --- loads and stores --------------------------------------------------------------------------------------- */

static void load(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask, bool keep) {
  if (packs(p)) load_packs(e, ins, p, mask);
  if (e->joined[dc_emit_at(e, ins)].by) load_joined(e, ins, p, mask);
  if (p->parts > 1) {
    PUT("const V32 w%d = ", dc_emit_at(e, ins));
    put_loaded(e, ins, p, 0, mask);
    PUT("; ");
  }
  for (int j = 0; j < p->n * p->parts; j++) load_element(e, ins, p, j, mask, keep);
}

static void store(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask) {
  const dc_joined *const joined = &e->joined[dc_emit_at(e, ins)];
  const bool pair = joined->by != 0;
  const ptx_operand *v[4];
  if (!pair && !packs(p)) {
    for (int j = 0; j < p->n; j++) store_element(e, ins, p, j, mask);
    return;
  }
  for (int j = 0; j < p->n; j++) v[pair ? joined->part : j] = &p->at[1 + j];
  if (pair) v[1 - joined->part] = &dc_emit_address_of(&e->f->ins[joined->by - 1])[1];
  if (pair) store_pair(e, ins, p, joined->far, v, mask);
  else store_packs(e, ins, p, packs(p), v, p->n, mask);
}

static void load_or_store(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask, bool keep) {
  if (ins->op == PTX_OP_ST) store(e, ins, p, mask);
  else load(e, ins, p, mask, keep);
}

/* The access by p, and what surrounds it. */
static void access_memory(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask, bool keep) {
  const int bytes = p->size * p->n;
  dc_emit_begin_access(e, p);
  prefetch(e, ins, p, mask);
  const bool ordered = dc_emit_is_ordered(ins, dc_emit_space_of(ins, p->at));
  if (ordered) PUT("__atomic_thread_fence(__ATOMIC_%s); ", ins->flags & PTX_F_RELEASE ? "SEQ_CST" : "RELEASE");
  if (p->how == DC_HOW_LANES && (bytes > 1 || DC_IGNORED)) {
    PUT("if (DC_RARE(dc_bad_addresses(a_, %s, %d, %s))) n->fault(n); ", dc_emit_base(p->base), bytes, mask);
  } else if (p->how == DC_HOW_ROW && bytes > 1 && p->stride % bytes != 0) {
    PUT("if (DC_RARE(dc_misaligned_row(o_, %lldll, %d, %s))) n->fault(n); ", p->stride, bytes, mask);
  }
  if (p->how == DC_HOW_ROW && dc_emit_condition(e, p, "if ")) {
    dc_access lanes = *p;
    lanes.how = DC_HOW_LANES;
    lanes.wraps = true;
    PUT("{ const V64 w_ = ");
    put_wrapped(e, p);
    PUT(", a_ = w_; ");
    load_or_store(e, ins, &lanes, mask, keep);
    PUT("} else ");
  }
  PUT("{ ");
  load_or_store(e, ins, p, mask, keep);
  PUT("} ");
  if (ordered) PUT("__atomic_thread_fence(__ATOMIC_ACQUIRE); ");
  PUT("}\n");
}

/* The same in a loop whose lanes' addresses keep their distances: access_memory for a row, if r<tested> says that they
** form one, else what is emitted next. */
static void access_row_of_loop(emitter *e, const ptx_ins *ins, const dc_access *p, int32_t tested, const char *mask,
                               bool keep) {
  dc_access row = *p;
  row.how = DC_HOW_ROW;
  row.stride = p->size * p->n;
  row.s = (dc_value_shape){ .tag = DC_AFFINE, .exact = row.stride, .origin = -1 };
  if (p->s.tag == DC_INDEXED) { /* its register has the address of element 0 */
    row.by_index = p->s.origin;
    row.by_times = (long long)p->s.times;
  }
  if (p->how == DC_HOW_INDEX) {
    PUT("if (dc_indices_are_row(&r%d, i%d, %d, %s)) ", tested, p->s.origin, dc_emit_is_signed(e, p->s.origin), mask);
  } else {
    PUT("if (dc_keeps_row_64(&r%d, ", tested);
    dc_emit_register(e, p->at->reg, 'd');
    PUT(", %lld, %s)) ", row.stride, mask);
  }
  access_memory(e, ins, &row, mask, keep);
  PUT("else ");
}

void dc_emit_memory(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  dc_access p = dc_emit_access_of(e, ins);
  const int32_t i = dc_emit_at(e, ins);
  const dc_joined *const joined = &e->joined[i];
  as_lanes_if_odd(&p);
  if (p.base == DC_BASE_SHARED && p.how != DC_HOW_ONE)
    e->out->overruns_shared |= is_every_other(&p) || dc_emit_window_of(e, &p) >= 0;
  /* volatile: a warp's lanes may pass values to each other without a barrier */
  if (ins->flags & PTX_F_STRONG) e->out->lane_free = false;
  if (dc_is_base_of_lane(p.base) && !e->k.shape.by_lane) e->out->narrow = false;
  if (joined->by == 0) dc_emit_join(e, ins, &p);
  const bool stores = ins->op == PTX_OP_ST, pair = joined->by && joined->far;
  if (!stores && dc_emit_is_part(e, i)) {
    if (is_guessed(e, ins)) dc_emit_begin_access(e, &p);
    load_element(e, ins, &p, 0, mask, keep);
    if (is_guessed(e, ins)) PUT("}\n");
    return;
  }
  if (stores && joined->by > i) return; /* with the other half */
  if (pair) p.offset -= joined->part * joined->far;
  e->out->overruns_shared |= pair && p.base == DC_BASE_SHARED && dc_emit_window_of_pairs(e, &p, joined->far) >= 0;
  p.expected = !stores && expects(e, ins, &p);
  const int32_t tested = joined->by ? -1 : dc_emit_row_of_loop(e, i);
  if (tested >= 0) access_row_of_loop(e, ins, &p, tested, mask, keep);
  access_memory(e, ins, &p, mask, keep);
}
