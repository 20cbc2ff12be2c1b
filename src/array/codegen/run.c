/* run.c - see run.h. */
#include "array/codegen/run.h"

#include <inttypes.h>
#include <string.h>

#include "array/codegen/ir.h"
#include "array/codegen/kernel_cache.h"
#include "array/codegen/parameters.h"
#include "array/codegen/pass_cache.h"
#include "array/codegen/program.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/graph/buffer.h"
#include "array/graph/number.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/registry.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"
#include "kernel/profile.h"

/* --- parameters -------------------------------------------------------------------------------------- */

typedef struct dc_pack {
  const dc_program *p;
  size_t at;
  _Alignas(16) unsigned char bytes[DC_MAX_PARAMS + 96];
} dc_pack;

/* Writes a parameter at its natural alignment, as the ABI has it; padding is 0.  Returns its end. */
static inline unsigned char *put(unsigned char *to, const void *value, size_t size) {
  while (((uintptr_t)to & (size - 1)) != 0) *to++ = 0;
  memcpy(to, value, size);
  return to + size;
}

static void pack(dc_pack *k, const void *value, size_t size) {
  k->at = (size_t)(put(k->bytes + k->at, value, size) - k->bytes);
}

static void pack_index(dc_pack *k, uint64_t v) {
  const uint32_t narrow = (uint32_t)v;
  if (k->p->schedule.wide) pack(k, &v, sizeof v);
  else pack(k, &narrow, sizeof narrow);
}

/* An extent, and the factor and shift that divide by it: see dc_schedule_multiplies. */
static void pack_extent(dc_pack *k, uint64_t extent) {
  pack_index(k, extent);
  if (!dc_schedule_multiplies(&k->p->schedule)) return;
  uint32_t bits = 0;
  while (bits < 32 && (uint64_t)1 << bits < extent) bits++;
  const uint64_t divisor = extent > 0 ? extent : 1;
  const uint32_t by = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << bits) - divisor)) / divisor + 1);
  pack(k, &by, sizeof by);
  pack(k, &bits, sizeof bits);
}

/* Bytes of a number as registers hold it. */
static inline size_t number_size(const dc_number *v) {
  const size_t size = dc_dtype_size(v->dtype);
  return dc_dtype_kind(v->dtype) == 'f' && size == 2 ? sizeof v->f32 : size;
}

static void pack_parameter(void *ud, const dc_parameter *one) {
  dc_pack *k = ud;
  switch (one->kind) {
    case DC_PARAMETER_ADDRESS: pack(k, &one->operand->ptr, sizeof one->operand->ptr); break;
    case DC_PARAMETER_INDEX: case DC_PARAMETER_STRIDE: pack_index(k, one->value); break;
    case DC_PARAMETER_WORD: pack(k, &one->value, sizeof one->value); break;
    case DC_PARAMETER_EXTENT: pack_extent(k, one->value); break;
    case DC_PARAMETER_NUMBER: {
      const dc_number *v = &k->p->ir.number[one->number];
      pack(k, &v->bits, number_size(v));
    }
  }
}

static void pack_all(dc_pack *k, const dc_program *p, uint64_t turn) {
  k->p = p;
  k->at = 0;
  dc_parameters_each(p, turn, pack_parameter, k);
}

/* --- running ------------------------------------------------------------------------------------------ */

/* Blocks of the schedule ELEMENTS; *block gets their threads. */
static int64_t blocks_of_elements(const dc_device *dev, int64_t n, int lanes, int rounds, bool looped, dc_dim3 *block) {
  const bool once = looped && n < DC_LOOPED_FROM;
  const int64_t a_block = (int64_t)DC_BLOCK * lanes * (once ? 1 : rounds);
  *block = rounds > 1 && !dev->target.gpu ? (dc_dim3){ 32, DC_BLOCK / 32, 1 } : (dc_dim3){ DC_BLOCK, 1, 1 };
  return (n + a_block - 1) / a_block;
}

/* The same of any schedule. */
static int64_t blocks_of(const dc_program *p, dc_dim3 *block) {
  const dc_schedule *h = &p->schedule;
  *block = (dc_dim3){ DC_BLOCK, 1, 1 };
  switch (h->kind) {
    case DC_SCHEDULE_ELEMENTS:
      return blocks_of_elements(p->dev, h->n, h->elements.lanes, h->elements.rounds, h->elements.looped, block);
    case DC_SCHEDULE_WARP_ROWS:
      *block = (dc_dim3){ 32, DC_BLOCK / 32, 1 };
      return (dc_schedule_warps(h) + block->y - 1) / block->y;
    case DC_SCHEDULE_TILES: {
      const int64_t x = h->shape[h->rank - 1], y = h->shape[h->tile.axis], extent = h->tile.extent;
      *block = (dc_dim3){ (uint32_t)extent, (uint32_t)(DC_BLOCK / extent), 1 };
      return h->n / x / y * ((x + extent - 1) / extent) * ((y + extent - 1) / extent);
    }
    case DC_SCHEDULE_COLUMNS:
      *block = (dc_dim3){ (uint32_t)h->row.columns, (uint32_t)(h->row.threads / h->row.cluster), 1 };
      return (h->row.rows + h->row.columns - 1) / h->row.columns * h->row.segments * h->row.cluster;
    case DC_SCHEDULE_ROW_BLOCKS:
      *block = (dc_dim3){ (uint32_t)h->row.threads, 1, 1 };
      return dc_schedule_row_blocks(h) * h->row.segments;
    default: break;
  }
  int64_t a_block = h->row.together;
  if (h->row.segments > 1) return (h->row.segments + a_block - 1) / a_block * h->row.rows;
  if (a_block > h->row.rows) a_block = h->row.rows;
  block->x = (uint32_t)(a_block * h->row.threads);
  return (h->row.rows + a_block - 1) / a_block;
}

/* A launch that Ctrl-C ended may leave a count behind, which a greater `turn` makes void; but a captured graph repeats
** its `turn`.  So there the count is set to 0 first, on devices whose launches can be interrupted. */
static int reset_ticket(const dc_program *p, const dc_cached_kernel *f, dc_error *err) {
  static const uint64_t zero;
  dc_ptr ticket;
  size_t size;
  if (p->dev->capture == NULL || !p->dev->blocking) return 0;
  if (p->dev->code->global(p->dev, f->kernel.module->code, "ticket", &ticket, &size, err) != 0) return -1;
  return dc_device_fill(p->dev, ticket, &zero, sizeof zero, size / sizeof zero, err);
}

/* Records the launch's uses of memory: what is written, and all of it where there are several streams or a graph is
** captured. */
static int use_operands(const dc_program *p, dc_cached_kernel *f, dc_error *err) {
  const dc_ir *ir = &p->ir;
  for (int i = 0; i < ir->ninputs; i++)
    if (ir->input[i].buffer != NULL && dc_buffer_used(ir->input[i].buffer, ir->input[i].result, err) != 0) return -1;
  if (p->dev->tracking == 0 || ir->kind == DC_ELEMENTS || !dc_schedule_has_tickets(&p->schedule)) return 0;
  if (f->scratch == NULL && (f->scratch = dc_buffer_wrap(p->dev, 0, 0, err)) == NULL) return -1;
  return dc_buffer_used(f->scratch, true, err) != 0 ? -1 : reset_ticket(p, f, err);
}

/* Bytes that a run moves: each operand read once, the result written. */
static double bytes_of(const dc_program *p) {
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  double bytes = 0;
  if (dc_ir_has_out(ir))
    bytes = (double)dc_dtype_size(ir->out.dtype) * (double)(ir->kind == DC_REDUCTION ? h->row.rows : h->n);
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    const int64_t n = o->layout == DC_LAYOUT_ONE   ? 1 : o->layout == DC_LAYOUT_ROW ? h->row.rows : h->n;
    if (!o->index) bytes += (double)dc_dtype_size(o->dtype) * (double)n;
  }
  return bytes;
}

static bool is_empty(const dc_program *p) {
  return p->ir.kind == DC_REDUCTION ? p->schedule.row.rows == 0 : p->schedule.n == 0;
}

static dc_launch_options options_of(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  dc_launch_options how = { .shared = (uint32_t)dc_pass_cache_bytes(h) };
  if (p->ir.kind != DC_ELEMENTS && h->row.cluster > 1) how.cluster = (dc_dim3){ (uint32_t)h->row.cluster, 1, 1 };
  return how;
}

/* *attributable: as dc_launch's. */
static int run_kernel(const dc_program *p, dc_cached_kernel *f, bool *attributable, dc_error *err) {
  const dc_schedule *h = &p->schedule;
  dc_dim3 block;
  int64_t blocks = blocks_of(p, &block);
  if (blocks > INT32_MAX)
    return dc_fail(err, DC_LAUNCH, NULL, "an expression over %" PRId64 " elements is more than one launch can take",
                   h->n);
  if (use_operands(p, f, err) != 0) return -1;
  dc_pack params;
  pack_all(&params, p, ++f->turn << 32);
  f->kernel.params_size = (uint32_t)params.at;
  dc_dim3 grid = { (uint32_t)blocks, 1, 1 };
  const dc_launch_options how = options_of(p);
  if (dc_profile_is_on(p->dev)) dc_profile_bytes(p->dev, bytes_of(p));
  dc_launch l = { .grid = grid, .block = block, .params = params.bytes };
  const int rc = dc_kernel_launch(&f->kernel, &l, &how, err);
  *attributable = l.attributable;
  return rc;
}

int dc_program_run(const dc_program *p, dc_error *err) {
  bool attributable;
  if (is_empty(p)) return 0;
  if (dc_device_open(p->dev, err) != 0) return -1;
  dc_cached_kernel *f = dc_program_kernel(p, err);
  return f == NULL ? -1 : run_kernel(p, f, &attributable, err);
}

int dc_program_run_body(const dc_program *p, dc_body *body, dc_buf *text, bool *attributable, dc_error *err) {
  *attributable = false;
  if (is_empty(p)) return 0;
  if (dc_device_open(p->dev, err) != 0) return -1;
  dc_cached_kernel *f;
  const int rc = dc_body_kernel(body, p, &f, text, err);
  if (rc != 0) return rc;
  return run_kernel(p, f, attributable, err);
}

/* --- cached launches ------------------------------------------------------------------------------------------- */

/* The bytes of an argument; *size: how many. */
static inline const void *argument_of(const dc_launch_arguments *s, const dc_patch *one, const int32_t *n,
                                      size_t *size) {
  *size = sizeof(uint64_t);
  switch ((dc_patch_kind)one->kind) {
    case DC_PATCH_OUT: return &s->out;
    case DC_PATCH_INPUT: return &s->input[one->index];
    case DC_PATCH_MAILBOX: return &s->mailbox;
    case DC_PATCH_SEQUENCE: return &s->sequence;
    case DC_PATCH_COUNT: *size = sizeof *n; return n;
    case DC_PATCH_NUMBER: break;
  }
  *size = number_size(s->number[one->index]);
  return &s->number[one->index]->bits;
}

/* Writes the arguments into the parameters of a launch. */
static inline void write_arguments(const dc_cached_launch *r, const dc_launch_arguments *s, unsigned char *params) {
  const int32_t n = (int32_t)s->n;
  for (int i = 0; i < r->npatches; i++) {
    size_t size;
    const void *from = argument_of(s, &r->patch[i], &n, &size);
    unsigned char *to = params + r->patch[i].at;
    if (size == 8) memcpy(to, from, 8);
    else if (size == 4) memcpy(to, from, 4);
    else memcpy(to, from, size);
  }
}

/* Packs a program's parameters and notes which are arguments. */
typedef struct recorder {
  dc_pack pack;
  dc_cached_launch *launch;
  int ninputs, nnumbers;
  bool fits;
} recorder;

static void record_patch(recorder *c, dc_patch_kind kind, int index, size_t size) {
  dc_cached_launch *r = c->launch;
  if (index >= DC_CACHED_OPERANDS || c->pack.at > DC_CACHED_PARAMS) c->fits = false;
  else r->patch[r->npatches++] = (dc_patch){ (uint8_t)kind, (uint8_t)index, (uint16_t)(c->pack.at - size) };
}

static void record_argument(recorder *c, dc_argument argument) {
  switch (argument) {
    case DC_NO_ARGUMENT: break;
    case DC_ARGUMENT_COUNT:
      if (!c->launch->shaped) record_patch(c, DC_PATCH_COUNT, 0, sizeof(int32_t));
      break;
    case DC_ARGUMENT_MAILBOX: record_patch(c, DC_PATCH_MAILBOX, 0, sizeof(uint64_t)); break;
    case DC_ARGUMENT_SEQUENCE: record_patch(c, DC_PATCH_SEQUENCE, 0, sizeof(uint64_t)); break;
  }
}

static void record_parameter(void *ud, const dc_parameter *one) {
  recorder *c = ud;
  const dc_program *p = c->pack.p;
  pack_parameter(&c->pack, one);
  if (!c->fits) return;
  switch (one->kind) {
    case DC_PARAMETER_ADDRESS: {
      const bool out = one->operand == &p->ir.out;
      record_patch(c, out ? DC_PATCH_OUT : DC_PATCH_INPUT, out ? 0 : c->ninputs++, sizeof(dc_ptr));
      break;
    }
    case DC_PARAMETER_NUMBER:
      record_patch(c, DC_PATCH_NUMBER, c->nnumbers++, number_size(&p->ir.number[one->number]));
      break;
    case DC_PARAMETER_INDEX: case DC_PARAMETER_WORD: record_argument(c, one->argument); break;
    case DC_PARAMETER_STRIDE: case DC_PARAMETER_EXTENT: break;
  }
}

/* Whether a cached launch can stand for the program's: it needs nothing else than parameters. */
static bool is_cacheable(const dc_program *p, bool shaped) {
  const dc_schedule *h = &p->schedule;
  if (p->ir.scatters || p->ir.body != NULL || !h->safe || h->wide) return false;
  if (p->ir.kind == DC_ELEMENTS) return shaped || (h->kind == DC_SCHEDULE_ELEMENTS && h->n <= DC_CACHED_ELEMENTS);
  return shaped && !dc_schedule_has_tickets(h);
}

bool dc_cached_launch_of(const dc_program *p, const dc_launch_arguments *s, dc_cached_launch *r) {
  const dc_schedule *h = &p->schedule;
  if (p->dev != s->dev || !is_cacheable(p, s->shaped)) return false;
  *r = (dc_cached_launch){ .kernel = dc_program_kernel_found(p), .grid = { 1, 1, 1 }, .shaped = s->shaped,
                           .posts = dc_program_posts(p), .how = options_of(p) };
  recorder c = { .pack = { .p = p }, .launch = r, .fits = r->kernel != NULL };
  dc_parameters_each(p, 0, record_parameter, &c);
  if (!c.fits || c.pack.at > DC_CACHED_PARAMS || c.ninputs != s->ninputs || c.nnumbers != s->nnumbers) return false;
  r->size = (int)c.pack.at;
  if (!s->shaped) {
    r->lanes = h->elements.lanes;
    r->rounds = h->elements.rounds;
    r->looped = h->elements.looped;
  } else {
    const int64_t blocks = blocks_of(p, &r->block);
    if (blocks > INT32_MAX) return false;
    r->grid.x = (uint32_t)blocks;
  }
  memcpy(r->params, c.pack.bytes, c.pack.at);
  write_arguments(r, s, r->params); /* in the same places, or operands are not in the order of the fingerprint */
  return memcmp(r->params, c.pack.bytes, c.pack.at) == 0;
}

DC_HOT int dc_launch_cached(const dc_cached_launch *r, const dc_launch_arguments *s, dc_error *err) {
  if (dc_device_open(s->dev, err) != 0) return -1;
  _Alignas(16) unsigned char params[DC_CACHED_PARAMS];
  memcpy(params, r->params, (size_t)r->size);
  write_arguments(r, s, params);
  dc_launch l = { .grid = r->grid, .block = r->block, .params = params };
  if (!r->shaped)
    l.grid.x = (uint32_t)blocks_of_elements(s->dev, s->n, r->lanes, r->rounds, r->looped, &l.block);
  r->kernel->kernel.params_size = (uint32_t)r->size;
  return dc_kernel_launch(&r->kernel->kernel, &l, &r->how, err);
}
