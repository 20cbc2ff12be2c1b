/* kernel_cache.c - see kernel_cache.h. */
#include "array/codegen/kernel_cache.h"

#include <stdlib.h>
#include <string.h>

#include "array/codegen/generate.h"
#include "array/codegen/ir.h"
#include "array/codegen/print.h"
#include "array/codegen/program.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/graph/buffer.h"
#include "array/graph/context.h"
#include "array/graph/expr.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dump.h"
#include "base/error.h"
#include "base/line.h"
#include "base/map.h"
#include "base/notice.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "kernel/module.h"

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
    key_put(k, h->row.lanes);
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
  dc_module *m = NULL;
  dc_generate(p, &text);
  dc_cached_kernel *f = dc_calloc_lines(sizeof *f);
  int rc = f == NULL || text.failed ? dc_fail_oom(err) : dump(p, &text, err);
  if (rc == 0) {
    dc_source src = { .text = text.data, .len = text.len, .options = options, .noptions = 2, .no_signatures = true };
    char subject[64];
    dc_print_subject(p, subject, sizeof subject);
    dc_notice_subject(subject);
    rc = dc_module_build(p->dev, &src, &m, err);
    dc_notice_subject(NULL);
  }
  if (rc == 0) rc = dc_kernel_take(m, DC_ENTRY, &sig, &f->kernel, err);
  dc_buf_free(&text);
  if (rc == 0) return f;
  if (err->kind == DC_COMPILE) dc_error_prefix(err, "compiling an array expression: ");
  if (m != NULL) dc_module_unref(m);
  free(f);
  return NULL;
}

static void free_kernel(dc_cached_kernel *f) {
  dc_module_unref(f->kernel.module);
  if (f->scratch != NULL) dc_buffer_unref(f->scratch);
  free(f);
}

dc_cached_kernel *dc_program_kernel_found(const dc_program *p) {
  dc_key key;
  key_make(&key, p);
  return dc_map_get(&p->dev->arrays->kernels, (const char *)key.bytes, key.len);
}

dc_cached_kernel *dc_program_kernel(const dc_program *p, dc_error *err) {
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

int dc_body_kernel(dc_body *body, const dc_program *p, dc_cached_kernel **kernel, dc_buf *text, dc_error *err) {
  dc_key key;
  key_make(&key, p);
  *kernel = dc_map_get(&body->kernels, (const char *)key.bytes, key.len);
  if (*kernel != NULL) return 0;
  dc_buf_reset(&body->missing);
  dc_buf_add(&body->missing, key.bytes, key.len);
  dc_generate(p, text);
  return text->failed ? dc_fail_oom(err) : dump(p, text, err) != 0 ? -1 : 1;
}

int dc_body_add_kernel(dc_body *body, dc_module *m, dc_error *err) {
  dc_cached_kernel *f = dc_calloc_lines(sizeof *f);
  if (f == NULL || body->missing.failed) {
    free(f);
    return dc_fail_oom(err);
  }
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
