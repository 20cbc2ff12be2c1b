/*
** pass_cache.c - what a pass over a row hands on to the passes after it.
**
** A value of an element that several passes want is computed (or loaded) in the first of them.  On a GPU, where a row
** is short enough, it lies in shared memory from then on, and what it was made of is not wanted again: in softmax the
** second pass finds the operand there, the third one the exponentials.  A thread has the same elements in each pass,
** so it reads only what it wrote itself.
**
** Operands that the first pass wants come there by asynchronous copies, all at once before it: then as many loads are
** under way as the row has elements.
**
** Places are shared: a value takes that of another one which the pass that makes it is the last to read.
*/
#include "array/codegen/pass_cache.h"

#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/graph/expr.h"
#include "base/dtype.h"
#include "device/device.h"

typedef struct dc_carrying {
  dc_program *p;
  uint8_t step[DC_MAX_NODES], leaf[DC_MAX_OPERANDS]; /* DC_SCOPE_PASS bits: where the value is wanted */
  bool varies[DC_MAX_NODES];                       /* along the row */
} dc_carrying;

static bool leaf_varies(const dc_operand *o) {
  return o->layout == DC_LAYOUT_UNIT || o->layout == DC_LAYOUT_STRIDED;
}

static bool carries_leaf(const dc_operand *o) { return leaf_varies(o) && !o->index && !o->address_only; }

static bool carries_step(const dc_carrying *c, int i) {
  return c->varies[i] && !(c->p->ir.code[i].scopes & DC_SCOPE_ROW);
}

static void find_what_varies(dc_carrying *c) {
  for (int i = 0; i < c->p->ir.ninstructions; i++) {
    const dc_instruction *s = &c->p->ir.code[i];
    c->varies[i] = false;
    for (int k = 0; k < s->nargs && s->op != DC_OP_REDUCE; k++)
      if (s->arg[k].kind == DC_REF_INSTRUCTION ? c->varies[s->arg[k].index] :
          s->arg[k].kind == DC_REF_INPUT && leaf_varies(&c->p->ir.input[s->arg[k].index])) c->varies[i] = true;
  }
}

/* Passes are asked in their order.  What an earlier one had is not made again. */
static void want(dc_carrying *c, dc_ref r, uint8_t pass) {
  if (r.kind == DC_REF_INPUT) {
    c->leaf[r.index] |= pass;
  } else if (r.kind == DC_REF_INSTRUCTION && c->p->ir.code[r.index].op != DC_OP_REDUCE) {
    const dc_instruction *s = &c->p->ir.code[r.index];
    const bool had = (c->step[r.index] & pass) != 0 || (c->step[r.index] != 0 && carries_step(c, r.index));
    if (!(s->scopes & pass)) return; /* known once a row */
    c->step[r.index] |= pass;
    for (int k = 0; k < s->nargs && !had; k++) want(c, s->arg[k], pass);
  }
}

static void find_wants(dc_carrying *c) {
  const dc_program *p = c->p;
  const dc_ir *ir = &p->ir;
  for (int pass = 0; pass < ir->npasses; pass++) {
    for (int k = 0; k < ir->nreduces; k++) {
      const dc_instruction *s = &ir->code[ir->reduction[k]];
      if (s->level - 1 == pass) want(c, s->arg[0], DC_SCOPE_PASS(pass));
    }
    if (ir->kind == DC_ROWS && pass == ir->npasses - 1) want(c, ir->result, DC_SCOPE_PASS(pass));
  }
}

static uint8_t first_of(uint8_t scopes) { return (uint8_t)(scopes & -scopes); }

/* --- places ---------------------------------------------------------------------------------------------- */

#define MOST_PLACES 8
#define MOST_LENGTH (1 << 18) /* more than any shared memory holds */

typedef struct dc_places {
  struct { uint8_t until; int size; } of[MOST_PLACES]; /* which pass is the last to read it; bytes of an element */
  int n;
  bool too_many;
} dc_places;

static int take_place(dc_places *s, uint8_t wanted, dc_dtype t) {
  const uint8_t first = first_of(wanted);
  const int size = (int)dc_dtype_size(t);
  uint8_t last = first;
  int i = 0;
  while (wanted >> 1 >= last) last = (uint8_t)(last << 1);
  while (i < s->n && s->of[i].until > first) i++;
  if (i == MOST_PLACES) {
    s->too_many = true;
    return 0;
  }
  if (i == s->n) s->of[s->n++].size = 0;
  if (size > s->of[i].size) s->of[i].size = size;
  s->of[i].until = last;
  return i;
}

/* Bytes of an element; each carried value's `place` is the number of its place until it is bytes before it. */
static int take_places(dc_carrying *c) {
  dc_program *p = c->p;
  dc_places s = { .n = 0 };
  int at[MOST_PLACES], bytes = 0;
  for (int pass = 0; pass < p->ir.npasses; pass++) {
    const uint8_t first = DC_SCOPE_PASS(pass);
    for (int i = 0; i < p->ir.ninputs; i++)
      if (p->ir.input[i].cached != 0 && first_of(c->leaf[i]) == first)
        p->ir.input[i].slot = (uint8_t)take_place(&s, c->leaf[i], p->ir.input[i].dtype);
    for (int i = 0; i < p->ir.ninstructions; i++)
      if (p->ir.code[i].cached != 0 && first_of(c->step[i]) == first)
        p->ir.code[i].slot = (uint8_t)take_place(&s, c->step[i], (dc_dtype)p->ir.code[i].dtype);
  }
  for (int i = 0; i < s.n; i++) {
    at[i] = bytes;
    bytes += s.of[i].size;
  }
  for (int i = 0; i < p->ir.ninputs; i++)
    if (p->ir.input[i].cached != 0) p->ir.input[i].slot = (uint8_t)at[p->ir.input[i].slot];
  for (int i = 0; i < p->ir.ninstructions; i++)
    if (p->ir.code[i].cached != 0) p->ir.code[i].slot = (uint8_t)at[p->ir.code[i].slot];
  return s.too_many ? 0 : bytes;
}

/* --- all together ---------------------------------------------------------------------------------------- */

int64_t dc_slot_stride(const dc_schedule *s) {
  const bool columns = s->kind == DC_SCHEDULE_COLUMNS;
  const int64_t n = columns ? (s->row.length + s->row.cluster - 1) / s->row.cluster * s->row.columns : s->row.length;
  return (n + 15) / 16 * 16;
}

int64_t dc_pass_cache_bytes(const dc_schedule *s) {
  if (s->kind < DC_SCHEDULE_LANES) return 0;
  const int rows = s->kind == DC_SCHEDULE_COLUMNS ? 1 : DC_BLOCK / s->row.threads;
  return rows * dc_slot_stride(s) * s->row.cached;
}

static void carry_nothing(dc_program *p) {
  dc_ir *ir = &p->ir;
  p->schedule.row.cached = 0;
  for (int i = 0; i < ir->ninputs; i++) ir->input[i].loaded = 0xff, ir->input[i].cached = 0;
  for (int i = 0; i < ir->ninstructions; i++) ir->code[i].cached = 0;
}

/* Whether it is copied before the first pass: processors from 8.0 on do that, by 4 bytes and more, best by 16. */
static bool is_fetched(const dc_carrying *c, int i) {
  dc_operand *o = &c->p->ir.input[i];
  if (c->p->dev->facts.compute_major < 8 || first_of(c->leaf[i]) != DC_SCOPE_PASS(0)) return false;
  if (c->p->schedule.kind == DC_SCHEDULE_COLUMNS) {
    const int64_t lanes = 16 / (int64_t)dc_dtype_size(o->dtype);
    o->packed = o->layout == DC_LAYOUT_STRIDED && c->p->schedule.kept == 1 && c->p->schedule.rank == 2 &&
                o->strides[0] == 1 && c->p->schedule.row.rows % lanes == 0 &&
                dc_operand_is_aligned(o, &o->strides[1], 1, lanes);
    return o->packed || dc_dtype_size(o->dtype) >= 4;
  }
  if (o->layout != DC_LAYOUT_UNIT) return false;
  o->packed = dc_operand_is_aligned(o, o->strides, c->p->schedule.kept, 16 / (int64_t)dc_dtype_size(o->dtype));
  return o->packed || dc_dtype_size(o->dtype) >= 4;
}

/* What a block may have for it, so that there are three on a multiprocessor.  Long rows may have all, for no cache
** holds them (softmax of rows of 32768 float32 values, H200: 2.6 TB/s, 1.7 where each pass reads memory). */
static int64_t room_of(const dc_program *p, bool all) {
  const dc_device_facts *f = &p->dev->facts;
  const int64_t folds = 17 << 10; /* at most, static */
  const size_t most = f->shared_per_block_optin > f->shared_per_block ? f->shared_per_block_optin : f->shared_per_block;
  const int64_t whole = (int64_t)most - folds, third = (int64_t)f->shared_per_multiprocessor / 3;
  return all || third > whole ? whole : third;
}

/* Columns 32 bytes wide, a thread for each of the chains as far as they go, and as few blocks as have room for a
** column's elements, if there can be so many: up to 8, which wait for each other (softmax down 16384 rows of as many
** float32 values, H200: 2.3 TB/s with 8 blocks and 8 columns, 1.7 with 16 blocks, 1.5 to 1.9 with wider ones that
** leave less room for others). */
static bool share_columns(dc_program *p) {
  dc_ir *ir = &p->ir;
  const dc_schedule before = p->schedule;
  dc_schedule *h = &p->schedule;
  size_t size = 2;
  for (int i = 0; i < ir->ninputs; i++)
    if (ir->input[i].cached != 0 && dc_dtype_size(ir->input[i].dtype) > size) size = dc_dtype_size(ir->input[i].dtype);
  h->row.columns = size <= 2 ? 16 : size <= 4 ? 8 : 4;
  const int block = DC_BLOCK / h->row.columns;
  const int threads = h->row.accumulators < block ? h->row.accumulators : block;
  for (h->row.cluster = 1; h->row.cluster <= 8 && h->row.cluster <= p->dev->facts.max_cluster; h->row.cluster *= 2) {
    h->row.threads = threads * h->row.cluster;
    h->row.items = h->row.accumulators / h->row.threads;
    if (h->row.threads <= h->row.accumulators && dc_pass_cache_bytes(h) <= room_of(p, false)) return true;
  }
  *h = before;
  return false;
}

static bool has_room(dc_program *p) {
  if (p->schedule.row.cached == 0) return false;
  return p->schedule.kind == DC_SCHEDULE_COLUMNS ? share_columns(p)
             : dc_pass_cache_bytes(&p->schedule) <= room_of(p, p->schedule.row.length >= 8192);
}

void dc_pass_cache_plan(dc_program *p) {
  dc_ir *ir = &p->ir;
  dc_carrying c = { .p = p };
  carry_nothing(p);
  if (!p->dev->target.gpu || ir->npasses < 2 || p->schedule.kind == DC_SCHEDULE_PACKED ||
      p->schedule.row.length > MOST_LENGTH)
    return;
  find_what_varies(&c);
  find_wants(&c);
  for (int i = 0; i < ir->ninputs; i++)
    if (carries_leaf(&ir->input[i])) ir->input[i].cached = (uint8_t)(c.leaf[i] & (c.leaf[i] - 1));
  for (int i = 0; i < ir->ninstructions; i++)
    if (carries_step(&c, i)) ir->code[i].cached = (uint8_t)(c.step[i] & (c.step[i] - 1));
  p->schedule.row.cached = take_places(&c);
  if (!has_room(p)) {
    carry_nothing(p);
    return;
  }
  for (int i = 0; i < ir->ninputs; i++) {
    if (!carries_leaf(&ir->input[i])) continue;
    ir->input[i].loaded = first_of(c.leaf[i]);
    if (ir->input[i].cached == 0 || !is_fetched(&c, i)) continue;
    ir->input[i].loaded = 0;
    ir->input[i].cached = c.leaf[i];
  }
  for (int i = 0; i < ir->ninstructions; i++)
    if (carries_step(&c, i)) ir->code[i].scopes = first_of(c.step[i]);
    else ir->code[i].scopes &= (uint8_t)(DC_SCOPE_ROW | c.step[i]);
}
