/*
** pass_cache.c - see pass_cache.h.
**
** A value of an element that several passes use is computed (or loaded) in the first of them.  On a GPU, where a row is
** short enough, it lies in shared memory from then on, and its operands are not used again: in softmax the second pass
** finds the operand there, the third one the exponentials.  A thread has the same elements in each pass, so it reads
** only what it wrote itself.
**
** Operands that the first pass uses are loaded by asynchronous copies, all at once before it: then as many loads are in
** flight as the row has elements.
**
** The CPU device's caches hold rows, so only long functions are worth a slot there (softmax of 4096 rows of as many
** float32 values: 33 ms of processor time, where exponentials are computed twice 44).  A block then takes few rows, so
** that their slots are in the nearest cache.
**
** Slots are reused: a value takes the slot of another one that is read no more, or for the last time in the pass that
** makes the value, if the two have one size.
*/
#include "array/codegen/pass_cache.h"

typedef struct cache_plan {
  dc_program *p;
  uint8_t code[DC_MAX_NODES], input[DC_MAX_INPUTS_OF_IR]; /* DC_SCOPE_PASS bits: which passes use the value */
  bool varies[DC_MAX_NODES];                       /* along the row */
} cache_plan;

static bool input_varies(const dc_operand *o) {
  return o->layout == DC_LAYOUT_UNIT || o->layout == DC_LAYOUT_STRIDED;
}

static bool is_cacheable_input(const dc_operand *o) { return input_varies(o) && !o->index && !o->address_only; }

/* A conversion of what has no more bytes: done again, it takes less time and memory than a slot does. */
static bool is_widening(const dc_ir *ir, const dc_instruction *s) {
  return s->op == DC_OP_CAST && dc_dtype_size((dc_dtype)s->dtype) >= dc_dtype_size(dc_ir_dtype(ir, s->arg[0]));
}

static bool is_cacheable(const cache_plan *c, int i) {
  const dc_instruction *s = &c->p->ir.code[i];
  return c->varies[i] && !(s->scopes & DC_SCOPE_ROW) && !is_widening(&c->p->ir, s) &&
         (c->p->dev->target.gpu || (dc_ops[s->op].flags & DC_OP_LONG) != 0);
}

static void find_what_varies(cache_plan *c) {
  for (int i = 0; i < c->p->ir.ninstructions; i++) {
    const dc_instruction *s = &c->p->ir.code[i];
    c->varies[i] = false;
    for (int k = 0; k < s->nargs && s->op != DC_OP_REDUCE; k++)
      if (s->arg[k].kind == DC_REF_INSTRUCTION ? c->varies[s->arg[k].index] :
          s->arg[k].kind == DC_REF_INPUT && input_varies(&c->p->ir.input[s->arg[k].index])) c->varies[i] = true;
  }
}

/* The value of `r` is used in the pass, and its operands too unless an earlier pass has made it. */
static void use(cache_plan *c, dc_ref r, uint8_t pass) {
  if (r.kind == DC_REF_INPUT) {
    c->input[r.index] |= pass;
  } else if (r.kind == DC_REF_INSTRUCTION && c->p->ir.code[r.index].op != DC_OP_REDUCE) {
    const dc_instruction *s = &c->p->ir.code[r.index];
    const bool had = (c->code[r.index] & pass) != 0 || (c->code[r.index] != 0 && is_cacheable(c, r.index));
    if (!(s->scopes & pass)) return; /* known once a row */
    c->code[r.index] |= pass;
    for (int k = 0; k < s->nargs && !had; k++) use(c, s->arg[k], pass);
  }
}

static void find_uses(cache_plan *c) {
  const dc_program *p = c->p;
  const dc_ir *ir = &p->ir;
  for (int pass = 0; pass < ir->npasses; pass++) {
    for (int k = 0; k < ir->nreduces; k++) {
      const dc_instruction *s = &ir->code[ir->reduction[k]];
      if (s->level - 1 == pass) use(c, s->arg[0], DC_SCOPE_PASS(pass));
    }
    if (ir->kind == DC_ROWS && pass == ir->npasses - 1) use(c, ir->result, DC_SCOPE_PASS(pass));
  }
}

static uint8_t first_of(uint8_t scopes) { return (uint8_t)(scopes & -scopes); }

/* --- slots ---------------------------------------------------------------------------------------------- */

#define MAX_SLOTS 8
#define MAX_LENGTH (1 << 18) /* more than any shared memory holds */

typedef struct slots {
  struct {
    uint8_t until; /* the last pass that reads its value */
    int now, size; /* bytes of an element of this value, and of the largest one */
  } of[MAX_SLOTS];
  int n;
  bool too_many;
} slots;

/* Whether slot i can take a value that the pass `first` makes.  If it is read there, it must have elements of the same
** size: another thread may not have read yet what lies at the new element's place. */
static bool is_free(const slots *s, int i, uint8_t first, int size) {
  return s->of[i].until < first || (s->of[i].until == first && s->of[i].now == size);
}

static int take_slot(slots *s, uint8_t wanted, dc_dtype t) {
  const uint8_t first = first_of(wanted);
  const int size = (int)dc_dtype_size(t);
  uint8_t last = first;
  int i = 0;
  while (wanted >> 1 >= last) last = (uint8_t)(last << 1);
  while (i < s->n && !is_free(s, i, first, size)) i++;
  if (i == MAX_SLOTS) {
    s->too_many = true;
    return 0;
  }
  if (i == s->n) s->of[s->n++].size = 0;
  if (size > s->of[i].size) s->of[i].size = size;
  s->of[i].until = last;
  s->of[i].now = size;
  return i;
}

/* Bytes of an element.  A cached value's `slot` is its slot's number until all are known, then bytes before it. */
static int take_slots(cache_plan *c) {
  dc_program *p = c->p;
  slots s = { .n = 0 };
  int at[MAX_SLOTS], bytes = 0;
  for (int pass = 0; pass < p->ir.npasses; pass++) {
    const uint8_t first = DC_SCOPE_PASS(pass);
    for (int i = 0; i < p->ir.ninputs; i++)
      if (p->ir.input[i].cached != 0 && first_of(c->input[i]) == first)
        p->ir.input[i].slot = (uint8_t)take_slot(&s, c->input[i], p->ir.input[i].dtype);
    for (int i = 0; i < p->ir.ninstructions; i++)
      if (p->ir.code[i].cached != 0 && first_of(c->code[i]) == first)
        p->ir.code[i].slot = (uint8_t)take_slot(&s, c->code[i], (dc_dtype)p->ir.code[i].dtype);
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

/* Elements of a slot. */
static int64_t slot_stride(const dc_schedule *s) {
  const bool columns = s->kind == DC_SCHEDULE_COLUMNS;
  const int64_t n = columns ? (s->row.length + s->row.cluster - 1) / s->row.cluster * s->row.columns : s->row.segment;
  return (n + 15) / 16 * 16;
}

int64_t dc_pass_cache_bytes(const dc_schedule *s) {
  if (s->kind < DC_SCHEDULE_LANES) return 0;
  return (s->kind == DC_SCHEDULE_COLUMNS ? 1 : s->row.together) * slot_stride(s) * s->row.cached;
}

static void cache_nothing(dc_program *p) {
  dc_ir *ir = &p->ir;
  p->schedule.row.cached = 0;
  for (int i = 0; i < ir->ninputs; i++) ir->input[i].loaded = 0xff, ir->input[i].cached = 0;
  for (int i = 0; i < ir->ninstructions; i++) ir->code[i].cached = 0;
}

/* Whether it is copied asynchronously before the first pass: GPUs from 8.0 on do that, by 4 bytes and more, best by 16.
** */
static bool is_copied_ahead(const cache_plan *c, int i) {
  dc_operand *o = &c->p->ir.input[i];
  if (c->p->dev->facts.compute_major < 8 || first_of(c->input[i]) != DC_SCOPE_PASS(0)) return false;
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

/* Shared memory that a block may use, so that a multiprocessor has room for three.  Long rows may use all, since no
** cache holds them (softmax of rows of 32768 float32 values, H200: 2.6 TB/s, 1.7 where each pass reads memory). */
static int64_t room_of(const dc_program *p, bool all) {
  const dc_device_facts *f = &p->dev->facts;
  const int64_t trees = 17 << 10; /* at most, static, of reductions */
  const size_t most = f->shared_per_block_optin > f->shared_per_block ? f->shared_per_block_optin : f->shared_per_block;
  const int64_t whole = (int64_t)most - trees, third = (int64_t)f->shared_per_multiprocessor / 3;
  return all || third > whole ? whole : third;
}

/* Columns 32 bytes wide, a thread for each accumulator while there are threads, and a cluster of as few blocks as have
** room for a column's elements, at most 8 (softmax down 16384 rows of as many float32 values, H200: 2.3 TB/s with 8
** blocks and 8 columns, 1.7 with 16 blocks, 1.5 to 1.9 with wider columns, which leave less room). */
static bool share_columns(dc_program *p) {
  dc_ir *ir = &p->ir;
  const dc_schedule before = p->schedule;
  dc_schedule *h = &p->schedule;
  size_t size = 2;
  for (int i = 0; i < ir->ninputs; i++)
    if (ir->input[i].cached != 0 && dc_dtype_size(ir->input[i].dtype) > size) size = dc_dtype_size(ir->input[i].dtype);
  h->row.columns = size <= 2 ? 16 : size <= 4 ? 8 : 4;
  const int block = DC_BLOCK / h->row.columns;
  const int threads =
      dc_schedule_is_short(h) ? 8 : h->row.accumulators < block ? h->row.accumulators : block;
  for (h->row.cluster = 1; h->row.cluster <= 8 && h->row.cluster <= p->dev->facts.max_cluster; h->row.cluster *= 2) {
    h->row.threads = threads * h->row.cluster;
    h->row.items = h->row.accumulators / h->row.threads;
    if (h->row.threads <= h->row.accumulators && dc_pass_cache_bytes(h) <= room_of(p, false)) return true;
  }
  *h = before;
  return false;
}

#define NEAR_BYTES (16 << 10) /* of slots, beside the operands' rows, in the nearest cache of a processor */

static void share_nearest_cache(dc_schedule *h) {
  while (h->row.together > 1 && dc_pass_cache_bytes(h) > NEAR_BYTES) h->row.together /= 2;
}

static bool has_room(dc_program *p) {
  if (p->schedule.row.cached == 0) return false;
  if (!p->dev->target.gpu) share_nearest_cache(&p->schedule);
  return p->schedule.kind == DC_SCHEDULE_COLUMNS ? share_columns(p)
             : dc_pass_cache_bytes(&p->schedule) <= room_of(p, p->schedule.row.length >= 8192);
}

/* On the CPU device, where a warp has a row and needs no barrier for it. */
static bool may_cache(const dc_program *p) {
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  if (ir->npasses < 2 || h->kind == DC_SCHEDULE_PACKED || h->row.length > MAX_LENGTH) return false;
  if (p->dev->target.gpu) return true;
  for (int k = 0; k < ir->nreduces; k++)
    if (ir->code[ir->reduction[k]].reduce == DC_REDUCE_M2) return false; /* all threads read its pivot */
  return h->kind == DC_SCHEDULE_LANES && h->row.segments == 1;
}

void dc_pass_cache_plan(dc_program *p) {
  dc_ir *ir = &p->ir;
  cache_plan c = { .p = p };
  cache_nothing(p);
  if (!may_cache(p)) return;
  find_what_varies(&c);
  find_uses(&c);
  for (int i = 0; i < ir->ninputs; i++)
    if (p->dev->target.gpu && is_cacheable_input(&ir->input[i]))
      ir->input[i].cached = (uint8_t)(c.input[i] & (c.input[i] - 1));
  for (int i = 0; i < ir->ninstructions; i++)
    if (is_cacheable(&c, i)) ir->code[i].cached = (uint8_t)(c.code[i] & (c.code[i] - 1));
  p->schedule.row.cached = take_slots(&c);
  if (!has_room(p)) {
    cache_nothing(p);
    return;
  }
  for (int i = 0; i < ir->ninputs; i++) {
    if (!is_cacheable_input(&ir->input[i])) continue;
    ir->input[i].loaded = (uint8_t)(c.input[i] & ~ir->input[i].cached);
    if (ir->input[i].cached == 0 || !is_copied_ahead(&c, i)) continue;
    ir->input[i].loaded = 0;
    ir->input[i].cached = c.input[i];
  }
  for (int i = 0; i < ir->ninstructions; i++)
    if (is_cacheable(&c, i)) ir->code[i].scopes = first_of(c.code[i]);
    else ir->code[i].scopes &= (uint8_t)(DC_SCOPE_ROW | c.code[i]);
}

/* --- the last pass ---------------------------------------------------------------------------------------- */

static void widen(size_t *size, dc_dtype t) {
  if (dc_dtype_size(t) > *size) *size = dc_dtype_size(t);
}

/* Bytes of the widest element that the pass reads in packs or writes. */
static size_t widest(const dc_program *p, int pass) {
  const dc_ir *ir = &p->ir;
  size_t size = dc_dtype_size(ir->out.dtype);
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (dc_operand_is_unit(o, pass) || dc_in_pass(o->cached, pass)) widen(&size, o->dtype);
  }
  for (int i = 0; i < ir->ninstructions; i++)
    if (dc_in_pass(ir->code[i].cached, pass)) widen(&size, (dc_dtype)ir->code[i].dtype);
  return size;
}

int dc_writing_lanes(const dc_program *p) {
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const int pass = ir->npasses - 1;
  if (!p->dev->target.gpu || ir->kind != DC_ROWS || h->kind != DC_SCHEDULE_LANES) return 1;
  const int64_t lanes = 16 / (int64_t)widest(p, pass);
  if (h->row.length < lanes * h->row.threads || ir->out.layout != DC_LAYOUT_UNIT ||
      !dc_operand_is_aligned(&ir->out, ir->out.strides, h->kept, lanes))
    return 1;
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (dc_in_pass(o->cached, pass) || !dc_in_pass(o->loaded, pass)) continue;
    if (o->layout == DC_LAYOUT_STRIDED) return 1;
    if (dc_operand_is_unit(o, pass) && !dc_operand_is_aligned(o, o->strides, h->kept, lanes)) return 1;
  }
  return (int)lanes;
}
