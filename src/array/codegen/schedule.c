/*
** schedule.c - the elements that a program runs over: axes and strides, how rows are cut and summed, and how threads
** share the work.
**
** The order of additions depends on nothing but the number of rows and their length (dc_program_cut), so that every
** device, layout and fusion gives the same bits:
**  - a long row, where there are few, is cut into segments of equal length;
**  - element r of a segment is added to chain r % chains; where a chain has more than 32 elements, every 16 are summed
**    apart before they are added to it;
**  - chains are folded as a tree: the upper half onto the lower, until one is left;
**  - segments s are added to folder s % DC_FOLDERS, and folders are folded likewise.
** So an element passes through some dozens of additions, whatever the length (pairwise summation: Higham, Accuracy and
** Stability of Numerical Algorithms, section 4.1).
*/
#include "array/codegen/schedule.h"

#include <string.h>

#include "array/codegen/ir.h"
#include "array/codegen/pass_cache.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/op.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

static int64_t up(int64_t n, int64_t d) { return (n + d - 1) / d; }

/* At most 2112 segments: on a GPU a block takes four of them, and four such blocks run on a multiprocessor at a time;
** so the 132 of an H200 all have the same to do (2^28 float32 values: 4.42 TB/s, but 4.3 with 2048 segments or with
** 16384). */
void dc_program_cut(dc_program *p, int64_t rows, int64_t length) {
  int64_t most = rows > 0 ? DC_MOST_SEGMENTS / rows : 1, wanted = up(length, DC_SEGMENT);
  p->rows = rows;
  p->length = length;
  p->segments = wanted < most ? wanted : most;
  if (p->segments < 1) p->segments = 1;
  p->segment = length;
  if (p->segments > 1) {
    p->segment = up(up(length, p->segments), 256) * 256;
    p->segments = up(length, p->segment);
  }
  for (p->chains = 1; p->chains < DC_MOST_CHAINS && p->chains * DC_FULL_CHAIN <= p->segment;) p->chains *= 2;
  p->deep = p->segment / p->chains > 32;
}

/* --- strides ------------------------------------------------------------------------------------------- */

/* Byte strides of `g` seen along the axes of `domain`, to whose last ones its own are aligned. */
static void stretch(const dc_geometry *g, const dc_geometry *domain, int64_t *strides) {
  int missing = domain->ndim - g->ndim;
  for (int i = 0; i < domain->ndim; i++)
    strides[i] = i < missing || g->shape[i - missing] == 1 ? 0 : g->strides[i - missing];
}

/* The same for what has one value a row: along kept axes, its axes being aligned to those of the result `g`. */
static void stretch_row(const dc_geometry *a, const dc_geometry *g, const dc_geometry *domain, uint32_t axes,
                        int64_t *strides) {
  int64_t own[DC_MAX_DIMS];
  const bool keep = g->ndim == domain->ndim;
  int at = 0;
  if (dc_geometry_size(a) == 1) {
    memset(strides, 0, sizeof(int64_t) * (size_t)domain->ndim);
    return;
  }
  stretch(a, g, own);
  for (int i = 0; i < domain->ndim; i++) {
    const bool reduced = axes >> i & 1;
    strides[i] = reduced ? 0 : own[keep ? i : at];
    at += !reduced;
  }
}

static void stretch_operand(const dc_program *p, dc_operand *o, const dc_geometry *g, const dc_geometry *domain) {
  dc_geometry order;
  const dc_geometry *own = o->g;
  if (o->bare) {
    memset(o->strides, 0, sizeof(int64_t) * (size_t)domain->ndim);
    return;
  }
  if (o->index && !o->framed) { /* the element's number in C order */
    dc_error none = DC_ERROR_INIT;
    dc_geometry_c(&order, own->ndim, own->shape, sizeof(int64_t), &none);
    own = &order;
  }
  if (p->kind == DC_REDUCTION && (o->row || o == &p->out)) stretch_row(own, g, domain, p->axes, o->strides);
  else stretch(own, domain, o->strides);
}

/* --- axes ----------------------------------------------------------------------------------------------- */

typedef struct dc_operands {
  dc_operand *o[DC_MAX_LEAVES + 1];
  int n;
} dc_operands;

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

static void move_axis(dc_program *p, const dc_operands *s, int from, int to) {
  const int64_t extent = p->shape[from];
  p->shape[to] = extent;
  for (int j = 0; j < s->n; j++) s->o[j]->strides[to] = s->o[j]->strides[from];
}

static void swap_axes(dc_program *p, const dc_operands *s, int i, int k) {
  int64_t t = p->shape[i];
  p->shape[i] = p->shape[k];
  p->shape[k] = t;
  for (int j = 0; j < s->n; j++) {
    int64_t *strides = s->o[j]->strides;
    t = strides[i];
    strides[i] = strides[k];
    strides[k] = t;
  }
}

/* Writing in the order of memory is faster than in the order of axes, and elements do not care. */
static void order_axes(dc_program *p, const dc_operands *s) {
  for (int i = 1; i < p->rank; i++)
    for (int k = i; k > 0 && magnitude(p->out.strides[k - 1]) < magnitude(p->out.strides[k]); k--)
      swap_axes(p, s, k - 1, k);
}

/* Kept axes first, the order otherwise as it was. */
static void part_axes(dc_program *p, const dc_operands *s) {
  uint32_t axes = p->axes;
  p->kept = 0;
  for (int i = 0; i < p->rank; i++) {
    if (axes >> i & 1) continue;
    for (int k = i; k > p->kept; k--) {
      swap_axes(p, s, k - 1, k);
      const uint32_t lower = axes >> (k - 1) & 1;
      axes = (axes & ~(3u << (k - 1))) | lower << k;
    }
    p->kept++;
  }
}

static bool mergeable(const dc_program *p, const dc_operands *s, int last, int axis) {
  for (int j = 0; j < s->n; j++)
    if (s->o[j]->strides[last] != s->o[j]->strides[axis] * p->shape[axis]) return false;
  return true;
}

/* Drops axes of extent 1 among first … end-1 and joins neighbours that every operand steps through as one; they are
** moved to `to` and up. Returns where they end then. */
static int merge_axes(dc_program *p, const dc_operands *s, int first, int end, int to) {
  int at = to;
  for (int i = first; i < end; i++) {
    if (p->shape[i] == 1) continue;
    if (at > to && mergeable(p, s, at - 1, i)) {
      p->shape[at - 1] *= p->shape[i];
      for (int j = 0; j < s->n; j++) s->o[j]->strides[at - 1] = s->o[j]->strides[i];
      continue;
    }
    move_axis(p, s, i, at++);
  }
  return at;
}

/* --- layouts --------------------------------------------------------------------------------------------- */

/* Turns strides into elements; returns the farthest of them. */
static int64_t count_strides(const dc_program *p, dc_operand *o) {
  int64_t size = (int64_t)dc_dtype_size(o->dtype), farthest = 0;
  for (int i = 0; i < p->rank; i++) {
    o->strides[i] /= size;
    farthest += magnitude(o->strides[i]) * (p->shape[i] - 1);
  }
  return farthest;
}

static bool all_zero(const int64_t *strides, int first, int end) {
  for (int i = first; i < end; i++)
    if (strides[i] != 0) return false;
  return true;
}

static dc_layout layout_of_elements(const dc_program *p, const dc_operand *o) {
  int64_t in_order = 1;
  bool flat = true;
  for (int i = p->rank - 1; i >= 0; i--) {
    if (o->strides[i] != in_order) flat = false;
    in_order *= p->shape[i];
  }
  if (p->rank == 0) return o == &p->out || o->index ? DC_LAYOUT_FLAT : DC_LAYOUT_ONE;
  return all_zero(o->strides, 0, p->rank) ? DC_LAYOUT_ONE : flat ? DC_LAYOUT_FLAT : DC_LAYOUT_STRIDED;
}

static dc_layout layout_of_rows(const dc_program *p, const dc_operand *o) {
  if (p->n == 0 && dc_geometry_size(o->g) == 0) return DC_LAYOUT_STRIDED; /* nothing that could be read */
  if (all_zero(o->strides, p->kept, p->rank)) return all_zero(o->strides, 0, p->kept) ? DC_LAYOUT_ONE : DC_LAYOUT_ROW;
  return p->rank == p->kept + 1 && o->strides[p->kept] == 1 ? DC_LAYOUT_UNIT : DC_LAYOUT_STRIDED;
}

static size_t widest(const dc_operands *s, int first) {
  size_t most = 1;
  for (int j = first; j < s->n; j++)
    if (!s->o[j]->index && dc_dtype_size(s->o[j]->dtype) > most) most = dc_dtype_size(s->o[j]->dtype);
  return most;
}

/* 16 bytes of the widest operand, where the device likes that, the last axis is whole packs of so many elements, and
** each operand is either aligned and without gaps along it or has one value there. */
static int choose_lanes(dc_program *p, const dc_operands *s) {
  if (!p->dev->target.gpu || p->rank == 0 || p->scatters) return 1;
  const int64_t lanes = 16 / (int64_t)widest(s, 0);
  const int last = p->rank - 1;
  bool strided = false;
  for (int j = 0; j < s->n; j++) strided = strided || s->o[j]->layout == DC_LAYOUT_STRIDED;
  if (lanes < 2 || (strided && p->shape[last] % lanes != 0)) return 1;
  for (int j = 0; j < s->n; j++) {
    dc_operand *o = s->o[j];
    o->packed = o->layout != DC_LAYOUT_ONE && o->strides[last] == 1;
    if (o->packed && !o->index && !dc_is_aligned(o, o->strides, strided ? last : 0, lanes)) return 1;
    if (o->layout == DC_LAYOUT_STRIDED && o->strides[last] != 1 && o->strides[last] != 0) return 1;
    if (o == &p->out && !o->packed) return 1;
  }
  return (int)lanes;
}

#define TILE_MEMORY ((size_t)40 << 10) /* bytes of shared memory, of the 48 KB that every kernel may have */

/* A square of the plane of the last axis and of that along which an operand lies that is not without gaps along the
** last one, if there is such an operand and the plane is large enough. */
static void choose_tile(dc_program *p, const dc_operands *s) {
  const int last = p->rank - 1;
  size_t bytes = 0;
  if (p->rank < 2 || p->scatters || p->out.strides[last] != 1 || p->shape[last] < 32) return;
  for (int j = 1; j < s->n && p->tile == 0; j++) {
    const dc_operand *o = s->o[j];
    if (o->index || o->bare || o->layout != DC_LAYOUT_STRIDED) continue;
    if (o->strides[last] == 0 || o->strides[last] == 1) continue;
    for (int d = last - 1; d >= 0 && p->tile == 0; d--) {
      if (o->strides[d] != 1 || p->shape[d] < 32) continue;
      p->tile_axis = d;
      p->tile = widest(s, 0) <= 4 ? 64 : 32;
    }
  }
  if (p->tile == 0) return;
  for (int j = 1; j < s->n; j++)
    if (dc_operand_lies_across(p, s->o[j])) bytes += dc_dtype_size(s->o[j]->dtype) * (size_t)(p->tile * (p->tile + 1));
  if (bytes > TILE_MEMORY) p->tile = 0;
  for (int j = 0; j < s->n && p->tile > 0; j++) /* all by coordinates */
    if (s->o[j]->layout == DC_LAYOUT_FLAT) s->o[j]->layout = DC_LAYOUT_STRIDED;
}

/* Of random numbers several packs a thread: what does not depend on the element, such as the generator's keys, is a
** good part of what a thread computes (2^28 float32 on an H200, uniform: 0.274 ms with one pack, 0.235 with four;
** normal: 0.486 and 0.396).  Where a number takes long, or a pack is large, the text would become so too.
**
** Of the long functions two, one after another: blocks begin and end half as often (exp(a * sin(x) + cos(y)) on 2^28
** float32: 0.746 ms with one, 0.737 with two, 0.745 with four). */
static int choose_packs(dc_program *p) {
  bool drawn = false;
  if (p->lanes > 8) return 1;
  for (int i = 0; i < p->nsteps; i++) {
    const dc_step *s = &p->step[i];
    if (dc_random_drawn(p, s)) drawn = true;
    else if (dc_ops[s->op].flags & DC_OP_LONG) p->looped = true;
  }
  if (p->looped) return 2;
  return !drawn ? 1 : p->lanes == 8 ? 2 : 4;
}

#define MOST_STEPS_OF_ROUNDS 8 /* longer texts would take too long to compile as often */

/* Several elements a thread: where threads are not free, but not of the long functions, which would be compiled as
** often; and to have more loads under way where they are not wide.  On the CPU device only what a warp of elements in
** one piece costs besides is saved (2^18 int8 values in the cache: 21 us, with one element a thread 33). */
static int choose_rounds(dc_program *p) {
  if (p->lanes > 1) return choose_packs(p);
  if (p->rank == 0) return 1;
  if (dc_program_is_long(p)) return 1;
  if (p->dev->target.gpu) return 4;
  return dc_program_has_places(p) || p->scatters || p->nsteps > MOST_STEPS_OF_ROUNDS ? 1 : 4;
}

/* Whether most of what is read has neighbouring elements in neighbouring rows. */
static bool columns_are_better(const dc_program *p) {
  int along = 0, across = 0;
  if (p->kept == 0 || p->rows < 32) return false;
  for (int i = 0; i < p->nleaves; i++) {
    const dc_operand *o = &p->leaf[i];
    if (o->index || o->layout == DC_LAYOUT_ONE || o->layout == DC_LAYOUT_ROW) continue;
    if (magnitude(o->strides[p->rank - 1]) == 1) along++;
    else if (magnitude(o->strides[p->kept - 1]) == 1) across++;
  }
  return across > along;
}

static bool is_random_place(const dc_program *p, int leaf) {
  for (int i = 0; i < p->nsteps; i++)
    if (p->step[i].op == DC_OP_RANDOM && p->step[i].arg[0].kind == DC_REF_LEAF && p->step[i].arg[0].index == leaf)
      return true;
  return false;
}

/* How many neighbouring chains each thread takes in vector accesses, or to make their random numbers together; or 1. */
static int choose_each(const dc_program *p, const dc_operands *s) {
  int each = 0;
  if (!p->dev->target.gpu || p->chains < DC_MOST_CHAINS || p->npasses > 1 || p->kind != DC_REDUCTION) return 1;
  for (int i = 0; i < p->nleaves; i++)
    if (p->leaf[i].layout == DC_LAYOUT_UNIT && !p->leaf[i].index) each = 16 / (int)widest(s, 1); /* not the result's */
  for (int i = 0; i < p->nleaves && each == 0; i++)
    if (p->leaf[i].layout == DC_LAYOUT_UNIT && is_random_place(p, i)) each = 4;
  if (each == 16 && p->segments > 1) each = 4; /* else a block had 16 segments, and there were few blocks */
  if (each < 2) return 1;
  for (int i = 0; i < p->nleaves; i++) {
    const dc_operand *o = &p->leaf[i];
    if (o->layout != DC_LAYOUT_UNIT || (o->index && !is_random_place(p, i))) continue;
    if (!dc_is_aligned(o, o->strides, p->kept, each)) return 1;
  }
  return each;
}

static bool seeks_place(const dc_step *s) {
  return s->reduce == DC_REDUCE_ARGMIN || s->reduce == DC_REDUCE_ARGMAX;
}

/* Bytes of a row's accumulators. */
static int accumulators(const dc_program *p) {
  int bytes = 0;
  for (int k = 0; k < p->nreduces; k++) {
    const dc_step *s = &p->step[p->reduce_step[k]];
    const bool places = seeks_place(s);
    const int size = (int)dc_dtype_size(places ? dc_program_dtype(p, s->arg[0]) : (dc_dtype)s->dtype);
    bytes += s->reduce == DC_REDUCE_M2 ? 16 : (size < 4 ? 4 : size) * (places ? 2 : 1);
  }
  return bytes;
}

/* How many rows a thread has where strips of them are reduced: as many accumulators as half of the vector registers
** hold, if all processors have something to do then; or 0.  (4096 x 4096 float32 values on two processors: 3 ms, with
** one row a thread 10 ms.) */
static int choose_strip(const dc_program *p) {
  if (p->dev->target.gpu || p->kind != DC_REDUCTION || p->npasses > 1 || !columns_are_better(p)) return 0;
  const int64_t columns = p->shape[p->kept - 1], wanted = 2 * p->dev->facts.multiprocessors;
  int each = 8;
  while (each > 1 && (each * 32 > columns || each * accumulators(p) > 32)) each /= 2;
  while (each > 1 && p->rows / columns * up(columns, 32 * each) * p->segments < wanted) each /= 2;
  return columns < 32 ? 0 : each;
}

/* Places depend on no order, and a value with its place takes many registers: one chain a thread, where vectors hold
** what all lanes have (2^24 float32 values on two processors: 4 ms, with eight chains 6). */
static void spare_registers(dc_program *p) {
  bool places = p->kind == DC_REDUCTION && p->npasses == 1 && !p->dev->target.gpu && p->chains > 32;
  for (int k = 0; k < p->nreduces; k++) places = places && seeks_place(&p->step[p->reduce_step[k]]);
  if (places) p->chains = 32;
}

static void note_apart(const dc_program *p, dc_operand *o) {
  const int64_t stride = o->strides[p->kept - 1];
  o->apart = stride == 0 ? DC_APART_NONE : stride == 1 ? DC_APART_ONE : DC_APART_ANY;
}

/* How many threads a segment has, and how many chains each of them. */
static void choose_mapping(dc_program *p, const dc_operands *s) {
  const int strip = choose_strip(p);
  p->cluster = 1;
  p->columns = 0;
  if (strip > 0) {
    p->mapping = DC_MAP_STRIPS;
    p->threads = 32;
    p->each = strip;
    for (int j = 0; j < s->n; j++) note_apart(p, s->o[j]);
    return;
  }
  spare_registers(p);
  const int each = choose_each(p, s);
  p->mapping = columns_are_better(p) ? DC_MAP_COLUMNS : each > 1 ? DC_MAP_PACKED : DC_MAP_LANES;
  const bool warps = p->npasses > 1 && p->length <= 2048; /* a warp a row, which need not wait for others */
  int most = p->dev->target.gpu ? (warps ? 32 : p->npasses > 1 ? 256 : 64) : 32;
  if (p->mapping == DC_MAP_COLUMNS) most = 16;
  p->threads = p->chains < most ? p->chains : most;
  if (p->mapping == DC_MAP_PACKED) p->threads = p->chains / each;
  p->each = p->chains / p->threads;
  if (p->mapping == DC_MAP_COLUMNS) p->columns = p->threads == 16 ? 32 : DC_BLOCK / p->threads;
}

/* --- overlap ------------------------------------------------------------------------------------------- */

/* The bytes that an operand covers: [*low, *high). */
static void extent(const dc_program *p, const dc_operand *o, dc_ptr *low, dc_ptr *high) {
  int64_t size = (int64_t)dc_dtype_size(o->dtype), before = 0, after = size;
  if (o->bare || (o == &p->out && p->scatters)) { /* anything in its buffer */
    *low = o->buffer->ptr;
    *high = o->buffer->ptr + o->buffer->bytes;
    return;
  }
  for (int i = 0; i < p->rank; i++) {
    int64_t reach = o->strides[i] * (p->shape[i] - 1) * size;
    if (reach < 0) before += reach;
    else after += reach;
  }
  *low = o->ptr + (dc_ptr)before;
  *high = o->ptr + (dc_ptr)after;
}

/* Whether an input shares memory with the result, and whether that does no harm. */
static void note_overlap(dc_program *p) {
  dc_ptr out_low, out_high;
  p->in_place = false;
  p->safe = true;
  if (p->n == 0) return;
  extent(p, &p->out, &out_low, &out_high);
  for (int i = 0; i < p->nleaves; i++) {
    const dc_operand *o = &p->leaf[i];
    dc_ptr low, high;
    if (o->index) continue;
    extent(p, o, &low, &high);
    if (high <= out_low || out_high <= low) continue;
    p->in_place = true;
    /* In several passes over a row, too, an element is read and written by one thread. */
    bool same = p->kind != DC_REDUCTION && !p->scatters && !o->bare && o->ptr == p->out.ptr &&
                dc_dtype_size(o->dtype) == dc_dtype_size(p->out.dtype) &&
                memcmp(o->strides, p->out.strides, sizeof(int64_t) * (size_t)p->rank) == 0;
    if (!same) p->safe = false;
  }
}

/* --- all together ----------------------------------------------------------------------------------------- */

static void finish_elements(dc_program *p, const dc_operands *s) {
  int64_t farthest = 0;
  order_axes(p, s);
  p->kept = p->rank = merge_axes(p, s, 0, p->rank, 0);
  for (int j = 0; j < s->n; j++) {
    int64_t f = count_strides(p, s->o[j]);
    if (f > farthest) farthest = f;
    s->o[j]->layout = layout_of_elements(p, s->o[j]);
  }
  p->wide = p->n > INT32_MAX - 16 * DC_BLOCK || farthest > INT32_MAX; /* the last block may run past n */
  choose_tile(p, s);
  p->lanes = p->tile > 0 ? 1 : choose_lanes(p, s);
  p->looped = false;
  p->rounds = p->tile > 0 ? 1 : choose_rounds(p);
}

static void finish_rows(dc_program *p, const dc_operands *s) {
  int64_t farthest = 0, rows = 1, length = 1;
  part_axes(p, s);
  for (int i = 0; i < p->rank; i++) *(i < p->kept ? &rows : &length) *= p->shape[i];
  const int kept = p->kept, rank = p->rank;
  p->kept = merge_axes(p, s, 0, kept, 0);
  p->rank = merge_axes(p, s, kept, rank, p->kept);
  for (int j = 0; j < s->n; j++) {
    int64_t f = count_strides(p, s->o[j]);
    if (f > farthest) farthest = f;
    s->o[j]->layout = layout_of_rows(p, s->o[j]);
  }
  dc_program_cut(p, rows, length);
  const int64_t slack = INT32_MAX - (1 << 16) - (p->segments > 1 ? p->segment : 0); /* the last one may end behind n */
  p->wide = p->n > slack || rows > slack / 512 || farthest > INT32_MAX;
  p->lanes = p->rounds = 1;
  p->looped = false;
  choose_mapping(p, s);
  dc_program_carry(p);
}

void dc_program_finish(dc_program *p, const dc_geometry *g, const dc_geometry *domain) {
  dc_operands s = { .n = 0 };
  s.o[s.n++] = &p->out;
  for (int i = 0; i < p->nleaves; i++) s.o[s.n++] = &p->leaf[i];
  p->rank = domain->ndim;
  p->n = dc_geometry_size(domain);
  memcpy(p->shape, domain->shape, sizeof(int64_t) * (size_t)domain->ndim);
  for (int j = 0; j < s.n; j++) {
    s.o[j]->packed = false;
    s.o[j]->apart = 0;
    stretch_operand(p, s.o[j], g, domain);
  }
  if (p->kind == DC_ELEMENTS) finish_elements(p, &s);
  else finish_rows(p, &s);
  note_overlap(p);
}

/* --- facts about a schedule -------------------------------------------------------------------------------- */

int dc_operand_strides(const dc_program *p, const dc_operand *o) {
  switch (o->layout) {
    case DC_LAYOUT_STRIDED: return p->rank;
    case DC_LAYOUT_ROW: case DC_LAYOUT_UNIT: return p->kept;
    default: return 0;
  }
}

/* Division of a number below 2^31 by an extent, as a product (Granlund and Montgomery, Division by Invariant Integers
** using Multiplication, 1994, figure 4.1): no processor here divides vectors of integers. */
bool dc_program_multiplies(const dc_program *p) { return !p->wide && p->tile == 0; }

bool dc_program_has_places(const dc_program *p) {
  if (p->kind != DC_ELEMENTS || p->out.layout == DC_LAYOUT_STRIDED) return true;
  for (int i = 0; i < p->nleaves; i++)
    if (p->leaf[i].layout == DC_LAYOUT_STRIDED) return true;
  return false;
}

bool dc_operand_lies_across(const dc_program *p, const dc_operand *o) {
  const int last = p->rank - 1;
  return !o->index && !o->bare && o->layout == DC_LAYOUT_STRIDED && o->strides[last] != 1 && o->strides[last] != 0 &&
         o->strides[p->tile_axis] == 1;
}

bool dc_random_drawn(const dc_program *p, const dc_step *s) {
  if (s->op != DC_OP_RANDOM || s->arg[0].kind != DC_REF_LEAF) return false;
  const dc_operand *place = &p->leaf[s->arg[0].index];
  if (p->kind == DC_ELEMENTS) return p->lanes > 1 && place->packed;
  return p->kind == DC_REDUCTION && p->mapping == DC_MAP_PACKED && place->layout == DC_LAYOUT_UNIT;
}
