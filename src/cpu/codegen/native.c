/*
** native.c - the emitted versions of a function, and which of them suits a launch.
**
** Up to seven versions, and as many for long grids: gangs of 32 or 16 lanes in rows (threadIdx.x is affine), the same
** where rows are multiples of that long, or just as long, and gangs of 32 that may span rows.  Where nothing shows
** which lane runs a thread, each row of any block begins a gang, whose last lanes may have no thread; otherwise gangs
** are the block's warps.  16 lanes suit short native vectors and narrow rows, if all of the function exists for them.
** A version may run the lanes one by one instead.
**
** A version that runs whole blocks and may leave them to tier 0 is replaced by one that runs warps, each of which
** leaves alone, if that happens often.
*/
#include "cpu/codegen/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dump.h"
#include "base/error.h"
#include "base/name.h"
#include "base/notice.h"
#include "cpu/codegen/compile.h"

enum { NOT_YET, EMITTED, BUILDING, READY, FAILED = -1 }; /* dc_native_code.state */
#define IN_ROWS(w)                                                                                                     \
  { .width = w, .rows = true }, { .width = w, .rows = true, .whole = true },                                           \
      { .width = w, .rows = true, .whole = true, .single = true }
enum { ROWS_32, ROWS_16 = 3, ODD_32 = 6, LONG_GRID, NSHAPES = 2 * LONG_GRID };
static const dc_gang_layout shapes[LONG_GRID] = { IN_ROWS(32), IN_ROWS(16), { .width = 32 } };

struct dc_native_set {
  dc_native_code code[NSHAPES];
  int last; /* shape prepared last */
  bool prefers_16_lanes;
};

/* Instructions above which more than -O1 takes too long. */
#define HUGE 1200

/* Emits c->fn for c->shape, or to run its lanes one by one: where the estimate of that is less, and where the function
** calls others, which no other layout does. */
static bool emit(dc_native_code *c, dc_error *err) {
  const dc_gang_layout by_lane = { .width = 32, .rows = c->shape.rows, .by_lane = true,
                                   .long_grid = c->shape.long_grid };
  dc_emitted other;
  const int rc = dc_emit(c->fn, c->shape, &c->info, c->refusal, err);
  if (rc < 0 || (rc == 0 ? !c->info.scalar : !c->fn->ptx->has_call)) return rc == 0;
  if (dc_emit(c->fn, by_lane, &other, c->refusal, err) != 0) return rc == 0;
  const bool suits = other.narrow && !other.suspends;
  if (!suits) dc_emit_refuse_calls(c->refusal);
  dc_emitted_free(suits ? &c->info : &other);
  if (suits) c->info = other, c->shape = by_lane;
  return suits || rc == 0;
}

static dc_gang_layout layout_of(int shape) {
  dc_gang_layout layout = shapes[shape % LONG_GRID];
  layout.long_grid = shape >= LONG_GRID;
  return layout;
}

static void emit_first(dc_native_code *c, const dc_cpu_function *fn, dc_gang_layout shape) {
  dc_error err = DC_ERROR_INIT;
  c->fn = fn;
  c->shape = shape;
  c->state = emit(c, &err) && (c->shape.width == 32 || c->info.narrow) ? EMITTED : FAILED;
  if (err.kind == DC_INTERRUPTED) c->state = NOT_YET; /* the next launch tries again */
  dc_error_clear(&err);
}

static const char no_compiler[] = "there is no C compiler for native code";

static void start_build(dc_native_code *c, const char *isa) {
  const dc_buf *text = &c->info.text;
  if (dc_dump_on(DC_DUMP_C)) {
    char name[17];
    dc_dump_name(text->data, text->len, name);
    dc_dump(DC_DUMP_C, name, text->data, text->len);
  }
  c->build = dc_build_start(text->data, text->len, isa, c->fn->ptx->nins > HUGE ? 1 : 2);
  c->state = c->build ? BUILDING : FAILED;
  if (!c->build) snprintf(c->refusal, sizeof c->refusal, "%s", no_compiler);
  dc_buf_free(&c->info.text);
}

/* Waits for a build, with a status line that names the kernel. */
static void wait_for_build(const dc_native_code *c) {
  char name[48];
  dc_notice notice;
  dc_notice_begin(&notice, "compiling native code of", dc_short_name(c->fn->ptx->name, name, sizeof name));
  dc_build_wait(c->build);
  dc_notice_end(&notice);
}

/* Starts the build if there is none, else polls it. */
static void poll(dc_native_code *c, const dc_cpu_function *fn, dc_gang_layout shape) {
  if (c->state == NOT_YET) emit_first(c, fn, shape);
  if (c->state == EMITTED) start_build(c, fn->code->ops->isa);
  if (c->state != BUILDING) return;
  if (fn->code->tier == 1 && dc_build_state(c->build) == 0) wait_for_build(c);
  int state = dc_build_state(c->build);
  if (state == 0) return;
  c->run = state == 1 ? (dc_native_fn *)(uintptr_t)dc_build_symbol(c->build, "dc_run") : NULL;
  c->state = c->run ? READY : FAILED;
  if (!c->run) snprintf(c->refusal, sizeof c->refusal, "the C compiler %s", dc_build_overran(c->build)
                        ? "takes more than a minute for it" : "failed on it");
}

/* Both numbers decay, so that what happened long ago counts less. */
void dc_native_count(dc_native_code *c, uint64_t blocks, uint64_t deoptimized) {
  enum { LATELY = 1 << 20 };
  c->blocks += blocks;
  c->deoptimized += deoptimized;
  while (c->blocks > LATELY) c->blocks /= 2, c->deoptimized /= 2;
}

static bool leaves_often(const dc_native_code *c) { return c->deoptimized >= 8 && c->deoptimized >= c->blocks / 16; }

/* c, which is ready, or the version by warps that takes its place. */
static dc_native_code *ready(dc_native_code *c) {
  if (!leaves_often(c)) return c;
  if (c->warp_code == NULL && (c->warp_code = calloc(1, sizeof *c)) == NULL) return c;
  dc_gang_layout shape = c->shape;
  shape.by_warp = true;
  if (c->warp_code->state != FAILED) poll(c->warp_code, c->fn, shape);
  return c->warp_code->state == READY ? c->warp_code : c;
}

static bool loops(const dc_cpu_function *fn) {
  for (int32_t n = 0; n < fn->nnodes; n++)
    if ((fn->nodes[n].next >= 0 && fn->nodes[n].next <= n) || (fn->nodes[n].taken >= 0 && fn->nodes[n].taken <= n))
      return true;
  return false;
}

/* Gangs of 16 lanes spill fewer values, which pays in loops; elsewhere a gang's prologue costs more. */
static bool prefers_16_lanes(const dc_cpu_function *fn) {
  const char *isa = fn->code->ops->isa;
  return strcmp(isa, "baseline") == 0 || (strcmp(isa, "avx2") == 0 && loops(fn));
}

/* Made at the first use; NULL: out of memory. */
static dc_native_set *set_of(dc_cpu_function *fn) {
  if (fn->native == NULL && (fn->native = calloc(1, sizeof *fn->native)) != NULL)
    fn->native->prefers_16_lanes = prefers_16_lanes(fn);
  return fn->native;
}

/* Whether a block's warps do not span its rows. */
static bool warps_are_rows(dc_dim3 block) { return (block.y == 1 && block.z == 1) || block.x % 32 == 0; }

/* The estimated time of a block; UINT64_MAX: the code cannot run it. */
static uint64_t time_of(const dc_native_code *c, dc_dim3 block) {
  const uint64_t gangs = dc_gangs_of(c->shape, block), threads = (uint64_t)block.x * block.y * block.z;
  const bool can = c->state != NOT_YET && c->state != FAILED && (c->info.lane_free || !c->shape.rows);
  return can && gangs <= DC_MAX_GANGS ? gangs * c->info.gang_time + threads * c->info.lane_time : UINT64_MAX;
}

/* The shape in rows of that width. */
static int in_rows(uint32_t width, dc_dim3 block) {
  const int first = width == 32 ? ROWS_32 : ROWS_16;
  if (block.x % width != 0) return first;
  return block.x == width && block.y * block.z > 1 ? first + 2 : first + 1;
}

/* The shapes for a launch, from `base` on, best first.  Their number. */
static int suitable(dc_native_set *set, const dc_cpu_function *fn, int base, dc_dim3 block, int list[NSHAPES]) {
  uint64_t time[NSHAPES];
  int n = 0;
  const int some[] = { base + in_rows(32, block), base + in_rows(16, block), base + ODD_32 };
  if (warps_are_rows(block)) {
    if (set->prefers_16_lanes) list[n++] = some[1];
    list[n++] = some[0];
    return n;
  }
  for (int j = 0; j < 3; j++) {
    const int i = some[j];
    if (set->code[i].state == NOT_YET) emit_first(&set->code[i], fn, layout_of(i));
    time[i] = time_of(&set->code[i], block);
    int at = time[i] < UINT64_MAX ? n++ : -1;
    for (; at > 0 && time[i] < time[list[at - 1]]; at--) list[at] = list[at - 1];
    if (at >= 0) list[at] = i;
  }
  return n;
}

/* Whether option `stack` allows calls that are deeper than the code can make, which then stays unused. */
static bool is_too_shallow(const dc_native_code *c) {
  return c->info.recursive && *c->fn->code->stack > DC_THREAD_STACK;
}

/* An estimate of the instructions that a launch interprets: each of the kernel's once in each thread. */
static uint64_t instructions_of(const dc_cpu_function *fn, dc_dim3 grid, dc_dim3 block) {
  return (uint64_t)grid.x * grid.y * grid.z * block.x * block.y * block.z * (uint64_t)fn->ptx->nins;
}

dc_native_code *dc_native_prepare(dc_cpu_function *fn, dc_dim3 grid, dc_dim3 block) {
  int list[NSHAPES];
  if (fn->code->tier == 0) return NULL;
  dc_native_set *set = set_of(fn);
  if (set == NULL) return NULL;
  const int base = grid.x > DC_USUAL_GRID ? LONG_GRID : 0, n = suitable(set, fn, base, block, list);
  if (n == 0) set->last = base + ODD_32; /* which takes any block, unless it failed */
  for (int i = 0; i < n; i++) {
    dc_native_code *c = &set->code[list[i]];
    set->last = list[i];
    if (c->state != READY) poll(c, fn, layout_of(list[i]));
    if (c->state == FAILED) continue;
    if (c->state == BUILDING) dc_build_note_interpreted(c->build, instructions_of(fn, grid, block));
    return c->state == READY && !is_too_shallow(c) ? ready(c) : NULL;
  }
  return NULL;
}

bool dc_native_is_ready(const dc_cpu_function *fn) {
  if (fn->native == NULL) return false;
  const dc_native_code *c = &fn->native->code[fn->native->last];
  return c->state == BUILDING && dc_build_state(c->build) == 1;
}

int dc_native_tier(const dc_cpu_function *fn, const char **why) {
  *why = NULL;
  if (fn->code->tier == 0) *why = "DOTCOMPUTE_CPU_TIER is 0";
  else if (!dc_native_possible()) *why = no_compiler;
  if (fn->native == NULL) return 0;
  dc_native_code *c = &fn->native->code[fn->native->last];
  if (c->state == BUILDING) poll(c, fn, c->shape);
  if (c->state == FAILED && c->refusal[0]) *why = c->refusal;
  if (c->state != READY) return 0;
  *why = NULL;
  if (!is_too_shallow(c)) return 1;
  *why = "it calls functions that call themselves, and option `stack` has allowed more than native code has";
  return 0;
}

static void drop_code(dc_native_code *c) {
  dc_build_free(c->build);
  dc_emitted_free(&c->info);
}

void dc_native_drop(dc_cpu_function *fn) {
  if (fn->native == NULL) return;
  for (int i = 0; i < NSHAPES; i++) {
    dc_native_code *c = &fn->native->code[i];
    if (c->warp_code) drop_code(c->warp_code);
    free(c->warp_code);
    drop_code(c);
  }
  free(fn->native);
  fn->native = NULL;
}
