/* kernel_cache.c - see kernel_cache.h. */
#include "array/codegen/kernel_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/codegen/generate.h"
#include "array/codegen/ir.h"
#include "array/codegen/parameters.h"
#include "array/codegen/pass_cache.h"
#include "array/codegen/print.h"
#include "array/codegen/program.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/dump.h"
#include "base/error.h"
#include "base/line.h"
#include "base/map.h"
#include "base/notice.h"
#include "base/runtime.h"
#include "compile/compile.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/registry.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "kernel/profile.h"

typedef struct dc_cached_kernel {
  dc_kernel kernel;
  dc_module *module;
  uint64_t turn; /* of the last launch: see reduction.c */
  dc_buffer *scratch; /* stands for a reduction's variables, so that two launches do not use them at once */
} dc_cached_kernel;

/* --- the key ------------------------------------------------------------------------------------- */

typedef struct dc_key {
  size_t len;
  uint8_t bytes[64 + 8 * (DC_MAX_INPUTS_OF_IR + 1) + (12 + 3 * DC_MAX_ARGS) * DC_MAX_NODES];
} dc_key;

static void key_put(dc_key *k, int v) { k->bytes[k->len++] = (uint8_t)v; }

static void key_cached(dc_key *k, int loaded, int cached, int slot) {
  key_put(k, loaded);
  key_put(k, cached);
  key_put(k, slot);
}

static void key_operand(dc_key *k, const dc_operand *o, bool caches) {
  key_put(k, o->dtype);
  key_put(k, o->layout);
  key_put(k, o->packed + 2 * o->index + 4 * o->address_only + 8 * o->stride_kind + 32 * o->result);
  if (caches) key_cached(k, o->loaded, o->cached, o->slot);
}

static void key_ref(dc_key *k, dc_ref r) {
  key_put(k, r.kind);
  key_put(k, r.index);
}

static void key_instruction(dc_key *k, const dc_instruction *s, bool caches) {
  key_put(k, s->op);
  key_put(k, s->as);
  key_put(k, s->dtype);
  key_put(k, s->reduce);
  key_put(k, s->scopes);
  key_put(k, s->level);
  if (caches) key_cached(k, 0, s->cached, s->slot);
  key_put(k, s->nargs);
  for (int i = 0; i < s->nargs; i++) key_ref(k, s->arg[i]);
}

/* Everything that dc_generate reads, and the device. */
static void key_make(dc_key *k, const dc_program *p) {
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const bool caches = ir->kind != DC_ELEMENTS && h->row.cached > 0;
  memcpy(k->bytes, &p->dev->serial, sizeof p->dev->serial);
  k->len = sizeof p->dev->serial;
  key_put(k, ir->ninstructions);
  key_put(k, ir->ninputs);
  key_put(k, ir->nnumbers);
  key_put(k, ir->nreduces);
  key_put(k, h->rank);
  key_put(k, ir->kind);
  key_put(k, h->kind);
  key_put(k, h->wide + 2 * h->in_place + 4 * h->streams);
  if (h->kind == DC_SCHEDULE_ELEMENTS) {
    key_put(k, h->elements.lanes);
    key_put(k, h->elements.rounds + 8 * h->elements.looped);
  } else if (h->kind == DC_SCHEDULE_WARP_ROWS) {
    key_put(k, h->warp_row.looped);
  } else if (h->kind == DC_SCHEDULE_TILES) {
    key_put(k, h->tile.extent);
    key_put(k, h->tile.axis);
    for (int i = 0; i < ir->ninputs; i++)
      key_put(k, dc_operand_lies_across(p, &ir->input[i]) + 2 * dc_operand_lies_along(p, &ir->input[i]));
  } else {
    key_put(k, ir->npasses);
    key_put(k, h->kept);
    key_put(k, h->row.cached);
    key_put(k, h->row.two_level + 2 * (h->row.segments > 1));
    key_put(k, __builtin_ctz((unsigned)h->row.accumulators));
    key_put(k, __builtin_ctz((unsigned)h->row.threads));
    key_put(k, __builtin_ctz((unsigned)h->row.items));
    key_put(k, h->kind == DC_SCHEDULE_COLUMNS ? h->row.columns : 0);
    key_put(k, h->row.cluster);
  }
  key_ref(k, ir->result);
  key_put(k, ir->scatters + 2 * ir->guarded + 4 * ir->max);
  if (ir->scatters) key_ref(k, ir->offset);
  if (ir->guarded) key_ref(k, ir->guard);
  key_operand(k, &ir->out, false);
  for (int i = 0; i < ir->ninputs; i++) key_operand(k, &ir->input[i], caches);
  for (int i = 0; i < ir->nnumbers; i++) key_put(k, ir->number[i].dtype);
  for (int i = 0; i < ir->ninstructions; i++) key_instruction(k, &ir->code[i], caches);
}

void dc_program_key(const dc_program *p, dc_buf *key) {
  dc_key k;
  key_make(&k, p);
  dc_buf_add(key, k.bytes, k.len);
}

/* --- kernels -------------------------------------------------------------------------------------- */

/* The stages "ir" and "schedule". */
static int dump(const dc_program *p, const dc_buf *text, dc_error *err) {
  char name[17];
  dc_buf b = DC_BUF_INIT;
  if (DC_LIKELY(!dc_dump_on(DC_DUMP_IR) && !dc_dump_on(DC_DUMP_SCHEDULE))) return 0;
  if (dc_dump_check(err) != 0) return -1;
  dc_dump_name(text->data, text->len, name);
  dc_print_ir(p, &b);
  dc_dump(DC_DUMP_IR, name, dc_buf_str(&b), b.len);
  dc_buf_reset(&b);
  dc_print_schedule(p, &b);
  dc_dump(DC_DUMP_SCHEDULE, name, dc_buf_str(&b), b.len);
  dc_buf_free(&b);
  return 0;
}

static dc_cached_kernel *build_kernel(const dc_program *p, dc_error *err) {
  static const char *const options[] = { "--fmad=false", "-std=c++17" };
  static const dc_signature sig = { .name = (char *)"array expression" };
  dc_buf text = DC_BUF_INIT;
  dc_generate(p, &text);
  dc_cached_kernel *f = dc_calloc_lines(sizeof *f);
  int rc = f == NULL || text.failed ? dc_fail_oom(err) : dump(p, &text, err);
  if (rc == 0) {
    dc_source src = { .text = text.data, .len = text.len, .options = options, .noptions = 2, .no_signatures = true };
    char subject[64];
    dc_print_subject(p, subject, sizeof subject);
    dc_notice_subject(subject);
    rc = dc_module_build(p->dev, &src, &f->module, err);
    dc_notice_subject(NULL);
  }
  if (rc == 0) rc = dc_kernel_take(f->module, DC_ENTRY, &sig, &f->kernel, err);
  if (rc != 0) {
    if (err->kind == DC_COMPILE) dc_error_prefix(err, "compiling an array expression: ");
    if (f != NULL && f->module != NULL) dc_module_unref(f->module);
    free(f);
    f = NULL;
  }
  dc_buf_free(&text);
  return f;
}

static void free_kernel(dc_cached_kernel *f) {
  dc_module_unref(f->module);
  if (f->scratch != NULL) dc_buffer_unref(f->scratch);
  free(f);
}

static dc_cached_kernel *kernel_for(const dc_program *p, dc_error *err) {
  dc_key key;
  if (dc_array_context_of(p->dev, err) == NULL) return NULL;
  key_make(&key, p);
  dc_cached_kernel *f = dc_map_get(&p->dev->arrays->kernels, (const char *)key.bytes, key.len);
  if (f != NULL) return f;
  f = build_kernel(p, err);
  if (f == NULL) return NULL;
  if (dc_map_set(&p->dev->arrays->kernels, (const char *)key.bytes, key.len, f) != 0) {
    free_kernel(f);
    dc_fail_oom(err);
    return NULL;
  }
  return f;
}

/* --- kernels with a body -------------------------------------------------------------------------- */

/* NULL: there is none yet, and *text is that of the kernel to be made; then `failed` says whether memory was short. */
static dc_cached_kernel *kernel_of_body(dc_body *body, const dc_program *p, dc_buf *text) {
  dc_key key;
  key_make(&key, p);
  dc_cached_kernel *f = dc_map_get(&body->kernels, (const char *)key.bytes, key.len);
  if (f != NULL) return f;
  dc_buf_reset(&body->missing);
  dc_buf_add(&body->missing, key.bytes, key.len);
  dc_generate(p, text);
  return NULL;
}

int dc_body_add_kernel(dc_body *body, dc_module *m, dc_error *err) {
  dc_cached_kernel *f = dc_calloc_lines(sizeof *f);
  if (f == NULL || body->missing.failed) {
    free(f);
    return dc_fail_oom(err);
  }
  f->module = m;
  body->signature.name = (char *)(uintptr_t)body->name;
  int rc = dc_kernel_take(m, body->name, &body->signature, &f->kernel, err);
  if (rc == 0 && dc_map_set(&body->kernels, body->missing.data, body->missing.len, f) != 0) rc = dc_fail_oom(err);
  if (rc != 0) {
    free(f);
    return -1;
  }
  dc_module_ref(m);
  return 0;
}

void dc_body_end(dc_body *body) {
  size_t at = 0;
  for (dc_cached_kernel *f; (f = dc_map_next(&body->kernels, &at)) != NULL;) free_kernel(f);
  dc_map_free(&body->kernels);
  dc_buf_free(&body->missing);
}

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
  if (p->dev->code->global(p->dev, f->module->code, "ticket", &ticket, &size, err) != 0) return -1;
  return dc_device_fill(p->dev, ticket, &zero, sizeof zero, size / sizeof zero, err);
}

/* Records the launch's uses of memory: what is written, and all of it where there are several streams or a graph is
** captured. */
static int use_operands(const dc_program *p, dc_cached_kernel *f, dc_error *err) {
  const dc_ir *ir = &p->ir;
  for (int i = 0; i < ir->ninputs; i++)
    if (ir->input[i].buffer != NULL && dc_buffer_used(ir->input[i].buffer, ir->input[i].result, err) != 0) return -1;
  if (p->dev->tracking == 0 || ir->kind == DC_ELEMENTS || p->schedule.row.segments == 1) return 0;
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
  dc_launch_options how = { .shared = (uint32_t)dc_pass_cache_bytes(&p->schedule) };
  if (p->ir.kind != DC_ELEMENTS && h->row.cluster > 1) how.cluster = (dc_dim3){(uint32_t)h->row.cluster, 1, 1};
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
  dc_cached_kernel *f = kernel_for(p, err);
  return f == NULL ? -1 : run_kernel(p, f, &attributable, err);
}

int dc_program_run_body(const dc_program *p, dc_body *body, dc_buf *text, bool *attributable, dc_error *err) {
  *attributable = false;
  if (is_empty(p)) return 0;
  if (dc_device_open(p->dev, err) != 0) return -1;
  dc_cached_kernel *f = kernel_of_body(body, p, text);
  if (f == NULL) return text->failed ? dc_fail_oom(err) : dump(p, text, err) != 0 ? -1 : 1;
  return run_kernel(p, f, attributable, err);
}

/* --- cached launches ------------------------------------------------------------------------------------------- */

/* As pack_all, for operands without strides. */
static inline void pack_arguments(dc_pack *k, const dc_launch_arguments *s) {
  static const int32_t one = 1;
  const int32_t n = (int32_t)s->n;
  unsigned char *to = put(k->bytes, &s->out, sizeof s->out);
  for (int i = 0; i < s->ninputs; i++) to = put(to, &s->input[i], sizeof s->input[i]);
  if (s->reduces) to = put(to, &one, sizeof one); /* rows */
  to = put(to, &n, sizeof n);
  if (s->reduces) {
    to = put(to, &s->mailbox, sizeof s->mailbox);
    to = put(to, &s->sequence, sizeof s->sequence);
  }
  for (int i = 0; i < s->nnumbers; i++) to = put(to, &s->number[i]->bits, number_size(s->number[i]));
  k->at = (size_t)(to - k->bytes);
}

/* Whether a cached launch can stand for the program's. */
static bool is_cacheable(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  if (p->ir.scatters || !h->safe) return false;
  if (p->ir.kind == DC_ELEMENTS) return h->kind == DC_SCHEDULE_ELEMENTS && h->n <= DC_CACHED_ELEMENTS;
  const bool row = h->kind == DC_SCHEDULE_LANES || h->kind == DC_SCHEDULE_PACKED; /* one block's */
  return p->ir.kind == DC_REDUCTION && row && h->row.rows == 1 && h->row.segments == 1 && h->row.cluster == 1 &&
         h->row.cached == 0;
}

bool dc_cached_launch_of(const dc_program *p, const dc_launch_arguments *s, dc_cached_launch *r) {
  const dc_schedule *h = &p->schedule;
  if (!is_cacheable(p) || p->dev != s->dev || s->reduces != (p->ir.kind == DC_REDUCTION)) return false;
  dc_pack all, packed;
  pack_all(&all, p, 0);
  pack_arguments(&packed, s);
  if (all.at != packed.at || memcmp(all.bytes, packed.bytes, all.at) != 0) return false;
  dc_key key;
  key_make(&key, p);
  *r = (dc_cached_launch){ 0 };
  if (s->reduces) {
    r->threads = h->row.threads;
  } else {
    r->lanes = h->elements.lanes;
    r->rounds = h->elements.rounds;
    r->looped = h->elements.looped;
  }
  r->form = dc_map_get(&p->dev->arrays->kernels, (const char *)key.bytes, key.len);
  return r->form != NULL;
}

DC_HOT int dc_launch_cached(const dc_cached_launch *r, const dc_launch_arguments *s, dc_error *err) {
  static const dc_launch_options plainly;
  if (dc_device_open(s->dev, err) != 0) return -1;
  dc_pack params;
  pack_arguments(&params, s);
  dc_launch l = { .grid = { 1, 1, 1 }, .block = { (uint32_t)r->threads, 1, 1 }, .params = params.bytes };
  if (!s->reduces)
    l.grid.x = (uint32_t)blocks_of_elements(s->dev, s->n, r->lanes, r->rounds, r->looped, &l.block);
  r->form->kernel.params_size = (uint32_t)params.at;
  return dc_kernel_launch(&r->form->kernel, &l, &plainly, err);
}
