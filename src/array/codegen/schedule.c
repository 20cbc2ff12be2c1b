/*
** schedule.c - see schedule.h.
**
** The order of additions depends on nothing but the number of rows and their length (dc_schedule_cut), so that every
** device, layout and fusion gives the same bits:
**  - a long row, where there are few, is cut into segments of equal length;
**  - element r of a segment is added to accumulator r % accumulators; where an accumulator has more than 32 elements,
**    every 16 are summed before they are added to it (two levels);
**  - accumulators are combined in a tree: the upper half onto the lower, until one is left;
**  - segment s is added to final accumulator s % DC_FINAL_ACCUMULATORS, and these are combined in a tree too.
** So an element passes through some dozens of additions, whatever the length (pairwise summation: Higham, Accuracy and
** Stability of Numerical Algorithms, section 4.1).
*/
#include "array/codegen/schedule.h"

#include <string.h>

#include "array/codegen/ir.h"
#include "array/codegen/pass_cache.h"
#include "array/codegen/program.h"
#include "array/graph/geometry.h"
#include "array/graph/op.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

static int64_t up(int64_t n, int64_t d) { return (n + d - 1) / d; }

/* With more than DC_SHORT_ROW elements a row has an accumulator for each lane of a warp (float32 values on two
** processors of the CPU device, in ms: 46,875 sums of 64 0.32, with 16 accumulators 0.73; 20,000 softmaxes of 100 2.5
** and 5.2).
** At most 2112 segments: on a GPU a block takes four of them, and four such blocks run on a multiprocessor at a time;
** so the 132 of an H200 all have the same work (2^28 float32 values: 4.42 TB/s, but 4.3 with 2048 segments or with
** 16384). */
void dc_schedule_cut(dc_program *p, int64_t rows, int64_t length) {
  dc_schedule *h = &p->schedule;
  int64_t most = rows > 0 ? DC_MAX_SEGMENTS / rows : 1, wanted = up(length, DC_SEGMENT);
  h->row.rows = rows;
  h->row.length = length;
  h->row.segments = wanted < most ? wanted : most;
  if (h->row.segments < 1) h->row.segments = 1;
  h->row.segment = length;
  if (h->row.segments > 1) {
    h->row.segment = up(up(length, h->row.segments), 256) * 256;
    h->row.segments = up(length, h->row.segment);
  }
  for (h->row.accumulators = 1; h->row.accumulators < DC_MAX_ACCUMULATORS &&
                                         h->row.accumulators * DC_FULL_ACCUMULATOR <= h->row.segment;)
    h->row.accumulators *= 2;
  if (h->row.segment > DC_SHORT_ROW && h->row.accumulators < 32) h->row.accumulators = 32;
  h->row.two_level = h->row.segment / h->row.accumulators > 32;
}

bool dc_schedule_may_cluster(const dc_program *p) {
  return p->dev->target.gpu && p->dev->facts.max_cluster >= DC_CLUSTER &&
         p->schedule.row.segments <= DC_CLUSTER_SEGMENTS;
}

/* --- strides ------------------------------------------------------------------------------------------- */

/* Byte strides of `g` along the axes of `domain`, broadcast as NumPy does: its axes are the last ones. */
static void stretch(const dc_geometry *g, const dc_geometry *domain, int64_t *strides) {
  int missing = domain->ndim - g->ndim;
  for (int i = 0; i < domain->ndim; i++)
    strides[i] = i < missing || g->shape[i - missing] == 1 ? 0 : g->strides[i - missing];
}

/* The same for an operand with one value a row: along kept axes, with its axes aligned to those of the result `g`. */
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
  if (o->address_only) {
    memset(o->strides, 0, sizeof(int64_t) * (size_t)domain->ndim);
    return;
  }
  if (o->index && !o->strided_index) { /* the element's number in C order */
    dc_error none = DC_ERROR_INIT;
    dc_geometry_c(&order, own->ndim, own->shape, sizeof(int64_t), &none);
    own = &order;
  }
  if (p->ir.kind == DC_REDUCTION && (o->row || o == &p->ir.out)) stretch_row(own, g, domain, p->ir.axes, o->strides);
  else stretch(own, domain, o->strides);
}

/* --- axes ----------------------------------------------------------------------------------------------- */

typedef struct dc_operands {
  dc_operand *o[DC_MAX_INPUTS_OF_IR + 1];
  int n;
} dc_operands;

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

static void move_axis(dc_program *p, const dc_operands *s, int from, int to) {
  const int64_t extent = p->schedule.shape[from];
  p->schedule.shape[to] = extent;
  for (int j = 0; j < s->n; j++) s->o[j]->strides[to] = s->o[j]->strides[from];
}

static void swap_axes(dc_program *p, const dc_operands *s, int i, int k) {
  dc_schedule *h = &p->schedule;
  int64_t t = h->shape[i];
  h->shape[i] = h->shape[k];
  h->shape[k] = t;
  for (int j = 0; j < s->n; j++) {
    int64_t *strides = s->o[j]->strides;
    t = strides[i];
    strides[i] = strides[k];
    strides[k] = t;
  }
}

/* The result, or a body's first one; NULL: it has only raw ones. */
static const dc_operand *first_result(const dc_ir *ir) {
  if (dc_ir_has_out(ir)) return &ir->out;
  for (int i = 0; i < ir->ninputs; i++)
    if (dc_operand_is_result(ir, &ir->input[i])) return &ir->input[i];
  return NULL;
}

/* How far apart in memory neighbours along an axis of the result are, in bytes. Those along an axis of indices are
** taken for farther apart than elements of a contiguous row, and nearer than rows. */
static int64_t distance(const dc_program *p, const dc_operand *out, int axis) {
  return p->ir.scatters && out->strides[axis] == 0 ? (int64_t)dc_dtype_size(out->dtype) + 1
                                                   : magnitude(out->strides[axis]);
}

/* Axes in the order of the result's strides, since writing in the order of memory is faster. */
static void order_axes(dc_program *p, const dc_operands *s) {
  const dc_operand *out = first_result(&p->ir);
  for (int i = 1; out != NULL && i < p->schedule.rank; i++)
    for (int k = i; k > 0 && distance(p, out, k - 1) < distance(p, out, k); k--)
      swap_axes(p, s, k - 1, k);
}

/* Kept axes first, in a stable order. */
static void split_axes(dc_program *p, const dc_operands *s) {
  dc_schedule *h = &p->schedule;
  uint32_t axes = p->ir.axes;
  h->kept = 0;
  for (int i = 0; i < h->rank; i++) {
    if (axes >> i & 1) continue;
    for (int k = i; k > h->kept; k--) {
      swap_axes(p, s, k - 1, k);
      const uint32_t lower = axes >> (k - 1) & 1;
      axes = (axes & ~(3u << (k - 1))) | lower << k;
    }
    h->kept++;
  }
}

/* Whether an operand's elements along the axis, of byte strides, are neighbours in memory. */
static bool is_unit_axis(const dc_program *p, const dc_operand *o, int axis) {
  return p->schedule.shape[axis] > 1 && magnitude(o->strides[axis]) == (int64_t)dc_dtype_size(o->dtype);
}

/* Puts the kept axis last along which inputs are contiguous, if they are so along no reduced one: neighbouring threads
** have neighbouring rows then (columns_are_better). */
static void move_unit_axis(dc_program *p, const dc_operands *s) {
  const dc_ir *ir = &p->ir;
  const int kept = p->schedule.kept;
  int axis = -1;
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (o->index || o->address_only || o->row) continue;
    for (int d = kept - 1; d < p->schedule.rank; d++)
      if (d >= 0 && is_unit_axis(p, o, d)) return;
    for (int d = 0; d < kept - 1; d++)
      if (is_unit_axis(p, o, d)) axis = d;
  }
  for (int d = axis; d >= 0 && d < kept - 1; d++) swap_axes(p, s, d, d + 1);
}

static bool mergeable(const dc_program *p, const dc_operands *s, int last, int axis) {
  for (int j = 0; j < s->n; j++)
    if (s->o[j]->strides[last] != s->o[j]->strides[axis] * p->schedule.shape[axis]) return false;
  return true;
}

/* Drops axes of extent 1 among first … end-1 and merges neighbours that are contiguous in every operand; the axes
** left are moved to `to` and up.  Returns their end. */
static int merge_axes(dc_program *p, const dc_operands *s, int first, int end, int to) {
  int at = to;
  for (int i = first; i < end; i++) {
    if (p->schedule.shape[i] == 1) continue;
    if (at > to && mergeable(p, s, at - 1, i)) {
      p->schedule.shape[at - 1] *= p->schedule.shape[i];
      for (int j = 0; j < s->n; j++) s->o[j]->strides[at - 1] = s->o[j]->strides[i];
      continue;
    }
    move_axis(p, s, i, at++);
  }
  return at;
}

/* Notes each operand's stride along an axis, by which neighbouring lanes' elements are found. */
static void note_stride_kinds(const dc_operands *s, int axis) {
  for (int j = 0; j < s->n; j++) {
    const int64_t stride = s->o[j]->strides[axis];
    s->o[j]->stride_kind = stride == 0 ? DC_STRIDE_ZERO
                           : stride == 1 ? DC_STRIDE_ONE : stride == -1 ? DC_STRIDE_MINUS_ONE : DC_STRIDE_ANY;
  }
}

/* --- layouts --------------------------------------------------------------------------------------------- */

/* Converts strides from bytes to elements; returns the greatest offset that they lead to. */
static int64_t count_strides(const dc_program *p, dc_operand *o) {
  int64_t size = (int64_t)dc_dtype_size(o->dtype), farthest = 0;
  for (int i = 0; i < p->schedule.rank; i++) {
    o->strides[i] /= size;
    farthest += magnitude(o->strides[i]) * (p->schedule.shape[i] - 1);
  }
  return farthest;
}

static bool all_zero(const int64_t *strides, int first, int end) {
  for (int i = first; i < end; i++)
    if (strides[i] != 0) return false;
  return true;
}

static dc_layout layout_of_elements(const dc_program *p, const dc_operand *o) {
  const dc_schedule *h = &p->schedule;
  int64_t in_order = 1;
  bool flat = true;
  for (int i = h->rank - 1; i >= 0; i--) {
    if (o->strides[i] != in_order) flat = false;
    in_order *= h->shape[i];
  }
  if (h->rank == 0) return dc_operand_is_result(&p->ir, o) || o->index ? DC_LAYOUT_FLAT : DC_LAYOUT_ONE;
  return all_zero(o->strides, 0, h->rank) ? DC_LAYOUT_ONE : flat ? DC_LAYOUT_FLAT : DC_LAYOUT_STRIDED;
}

static dc_layout layout_of_rows(const dc_program *p, const dc_operand *o) {
  const dc_schedule *h = &p->schedule;
  if (h->n == 0 && dc_geometry_size(o->g) == 0) return DC_LAYOUT_STRIDED; /* there is nothing to read */
  if (all_zero(o->strides, h->kept, h->rank)) return all_zero(o->strides, 0, h->kept) ? DC_LAYOUT_ONE : DC_LAYOUT_ROW;
  return h->rank == h->kept + 1 && o->strides[h->kept] == 1 ? DC_LAYOUT_UNIT : DC_LAYOUT_STRIDED;
}

static size_t widest(const dc_operands *s, int first) {
  size_t most = 1;
  for (int j = first; j < s->n; j++)
    if (!s->o[j]->index && dc_dtype_size(s->o[j]->dtype) > most) most = dc_dtype_size(s->o[j]->dtype);
  return most;
}

/* Elements a vector access: 16 bytes of the widest operand, on a GPU, where the last axis is whole packs of them and
** each operand is either aligned and contiguous along it or constant. */
static int choose_lanes(dc_program *p, const dc_operands *s) {
  if (!p->dev->target.gpu || p->schedule.rank == 0 || p->ir.scatters) return 1;
  const int64_t lanes = 16 / (int64_t)widest(s, 0);
  const int last = p->schedule.rank - 1;
  bool strided = false;
  for (int j = 0; j < s->n; j++) strided = strided || s->o[j]->layout == DC_LAYOUT_STRIDED;
  if (lanes < 2 || (strided && p->schedule.shape[last] % lanes != 0)) return 1;
  for (int j = 0; j < s->n; j++) {
    dc_operand *o = s->o[j];
    o->packed = o->layout != DC_LAYOUT_ONE && o->strides[last] == 1;
    if (o->packed && !o->index && !dc_operand_is_aligned(o, o->strides, strided ? last : 0, lanes)) return 1;
    if (o->layout == DC_LAYOUT_STRIDED && o->strides[last] != 1 && o->strides[last] != 0) return 1;
    if (dc_operand_is_result(&p->ir, o) && !o->packed) return 1;
  }
  return (int)lanes;
}

#define TILE_MEMORY ((size_t)40 << 10) /* bytes of shared memory, of the 48 KB that every kernel may have */

/* A tile of the plane of the last axis and of an axis along which an operand is contiguous that is not so along the
** last one, if there is such an operand and the plane is large enough. */
static void choose_tile(dc_program *p, const dc_operands *s) {
  dc_schedule *h = &p->schedule;
  const int last = h->rank - 1;
  const dc_operand *out = first_result(&p->ir);
  size_t bytes = 0;
  int axis = -1;
  if (h->rank < 2 || p->ir.scatters || out == NULL || out->strides[last] != 1 || h->shape[last] < 32) return;
  for (int j = 0; j < s->n && axis < 0; j++) {
    const dc_operand *o = s->o[j];
    if (o->index || o->address_only || o->layout != DC_LAYOUT_STRIDED || dc_operand_is_result(&p->ir, o)) continue;
    if (o->strides[last] == 0 || o->strides[last] == 1) continue;
    for (int d = last - 1; d >= 0 && axis < 0; d--)
      if (o->strides[d] == 1 && h->shape[d] >= 32) axis = d;
  }
  if (axis < 0) return;
  h->tile.extent = widest(s, 0) <= 4 ? 64 : 32;
  h->tile.axis = axis;
  for (int j = 0; j < s->n; j++)
    if (dc_operand_lies_across(p, s->o[j]))
      bytes += dc_dtype_size(s->o[j]->dtype) * (size_t)(h->tile.extent * (h->tile.extent + 1));
  if (bytes > TILE_MEMORY) return;
  h->kind = DC_SCHEDULE_TILES;
  for (int j = 0; j < s->n; j++) /* all by coordinates */
    if (s->o[j]->layout == DC_LAYOUT_FLAT) s->o[j]->layout = DC_LAYOUT_STRIDED;
}

/* Several packs a thread of random numbers: values that do not depend on the element, such as the generator's keys, are
** a good part of a thread's work (2^28 float32 on an H200, uniform: 0.274 ms with one pack, 0.235 with four; normal:
** 0.486 and 0.396).  Where a number takes long, or a pack is large, compiling would take long too.  Two packs a thread
** of long functions, one after another: blocks begin and end half as often (exp(a * sin(x) + cos(y)) on 2^28 float32:
** 0.746 ms with one, 0.737 with two, 0.745 with four). */
static int choose_packs(dc_program *p) {
  dc_schedule *h = &p->schedule;
  bool drawn = false;
  if (h->elements.lanes > 8) return 1;
  for (int i = 0; i < p->ir.ninstructions; i++) {
    const dc_instruction *s = &p->ir.code[i];
    if (dc_random_drawn(p, s)) drawn = true;
    else if (dc_ops[s->op].flags & DC_OP_LONG) h->elements.looped = true;
  }
  if (h->elements.looped) return 2;
  return !drawn ? 1 : h->elements.lanes == 8 ? 2 : 4;
}

/* With more, unrolling takes too long to compile: of 4 elements, or of more that are narrow. */
enum { MOST_STEPS_OF_ROUNDS = 8, MOST_STEPS_OF_NARROW_ROUNDS = 2 };

/* Bytes of the widest elements that are read or written. */
static size_t widest_element(const dc_program *p) {
  size_t most = dc_dtype_size(p->ir.out.dtype);
  for (int i = 0; i < p->ir.ninputs; i++) {
    const size_t size = dc_dtype_size(p->ir.input[i].dtype);
    if (!p->ir.input[i].index && size > most) most = size;
  }
  return most;
}

/* Several elements a thread, so that more loads are in flight where they are not wide; not of long functions, which
** would be compiled as often.  On the CPU device this saves the fixed cost of a warp (2^18 int8 values in the cache:
** 21 us, with one element a thread 33), which vectors of bytes feel most. */
static int choose_rounds(dc_program *p) {
  if (p->ir.body != NULL) return p->dev->target.gpu || p->schedule.rank == 0 ? 1 : 4; /* its length is not known */
  if (p->schedule.elements.lanes > 1) return choose_packs(p);
  if (p->schedule.rank == 0) return 1;
  if (dc_ir_is_long(&p->ir)) return 1;
  if (p->dev->target.gpu) return 4;
  if (dc_schedule_has_offsets(p) || p->ir.scatters || p->ir.ninstructions > MOST_STEPS_OF_ROUNDS) return 1;
  const size_t bytes = p->ir.ninstructions <= MOST_STEPS_OF_NARROW_ROUNDS ? widest_element(p) : 4;
  return bytes == 1 ? 16 : bytes == 2 ? 8 : 4;
}

#define SHORTEST_WARP_ROW 24 /* elements: with fewer, many lanes of a warp have none */

static bool has_stride(const dc_operands *s, int axis, int64_t stride) {
  for (int j = 0; j < s->n; j++)
    if (s->o[j]->layout == DC_LAYOUT_STRIDED && s->o[j]->strides[axis] == stride) return true;
  return false;
}

/* On the CPU device, rows of which each warp takes a part, where operands are not all flat: what depends on the row is
** computed once a warp, and lanes' elements are neighbours in memory or have one value (float32 values on two
** processors, in ms: 2000 + 2000 x 1 0.33, by the element's number 1.18; 2000 x 2000 - 2000 0.63 and 0.82; 2^22 values
** in reverse 0.63 and 3.8; 125000 x 16 - 16 0.85 and 0.99, 125000 x 16 - 125000 x 1 0.75 and 0.60). */
static void choose_warp_rows(dc_program *p, const dc_operands *s) {
  dc_schedule *h = &p->schedule;
  const int last = h->rank - 1;
  if (p->dev->target.gpu || !dc_schedule_has_offsets(p) || h->shape[last] < SHORTEST_WARP_ROW) return;
  if (h->rank == 1 && !has_stride(s, last, -1)) return;
  h->kind = DC_SCHEDULE_WARP_ROWS;
  note_stride_kinds(s, last);
  h->warp_row.looped = p->ir.body != NULL || dc_ir_is_long(&p->ir) || p->ir.ninstructions > MOST_STEPS_OF_ROUNDS;
  h->warp_row.parts = up(h->shape[last], DC_WARP_PART);
}

/* Whether a block of COLUMNS may have fewer than 32 rows: not on the CPU device, whose lanes they are, nor in several
** passes; nor for a body, whose accumulators depend on columns_are_better (spare_registers). */
static bool may_be_narrow(const dc_program *p) {
  return p->dev->target.gpu && p->ir.npasses == 1 && p->ir.body == NULL;
}

#define FEWEST_COLUMNS 5 /* with up to 4, LANES reads nearly whole lines, too */

/* Whether most inputs are contiguous across rows. */
static bool columns_are_better(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  int along = 0, across = 0;
  if (h->kept == 0 || h->row.rows < (may_be_narrow(p) ? FEWEST_COLUMNS : 32)) return false;
  for (int i = 0; i < p->ir.ninputs; i++) {
    const dc_operand *o = &p->ir.input[i];
    if (o->index || o->layout == DC_LAYOUT_ONE || o->layout == DC_LAYOUT_ROW) continue;
    if (magnitude(o->strides[h->rank - 1]) == 1) along++;
    else if (magnitude(o->strides[h->kept - 1]) == 1) across++;
  }
  return across > along;
}

static bool is_random_index(const dc_program *p, int input) {
  const dc_ir *ir = &p->ir;
  for (int i = 0; ir->input[input].index && i < ir->ninstructions; i++)
    if (ir->code[i].op == DC_OP_RANDOM && ir->code[i].arg[0].kind == DC_REF_INPUT && ir->code[i].arg[0].index == input)
      return true;
  return false;
}

static bool is_argument_reduction(const dc_instruction *s) {
  return s->reduce == DC_REDUCE_ARGMIN || s->reduce == DC_REDUCE_ARGMAX;
}

/* Bytes of a row's accumulators. */
static int accumulator_bytes(const dc_program *p) {
  int bytes = 0;
  for (int k = 0; k < p->ir.nreduces; k++) {
    const dc_instruction *s = &p->ir.code[p->ir.reduction[k]];
    const bool indexed = is_argument_reduction(s);
    if (s->reduce == DC_REDUCE_BODY) return (p->ir.body->accumulator + 3) / 4 * 4 + 4; /* see body_text.c */
    const int size = (int)dc_dtype_size(indexed ? dc_ir_dtype(&p->ir, s->arg[0]) : (dc_dtype)s->dtype);
    bytes += s->reduce == DC_REDUCE_M2 ? 16 : (size < 4 ? 4 : size) * (indexed ? 2 : 1);
  }
  return bytes;
}

#define MOST_VECTOR_BYTES 128 /* of a thread's accumulators: 32 registers */

/* How many neighbouring accumulators a thread has, for vector accesses or to make their random numbers together; or 1.
** */
static int choose_vector(const dc_program *p, const dc_operands *s) {
  const dc_ir *ir = &p->ir;
  int each = 0;
  if (!p->dev->target.gpu || p->schedule.row.accumulators < DC_MAX_ACCUMULATORS || ir->npasses > 1 ||
      ir->kind != DC_REDUCTION)
    return 1;
  for (int i = 0; i < ir->ninputs; i++)
    if (ir->input[i].layout == DC_LAYOUT_UNIT && !ir->input[i].index)
      each = 16 / (int)widest(s, 1); /* without the result's dtype */
  for (int i = 0; i < ir->ninputs && each == 0; i++)
    if (ir->input[i].layout == DC_LAYOUT_UNIT && is_random_index(p, i)) each = 4;
  if (each == 16 && p->schedule.row.segments > 1)
    each = 4; /* else a block had 16 segments, and there were too few blocks */
  if (ir->body != NULL && each * accumulator_bytes(p) > MOST_VECTOR_BYTES) return 1;
  if (each < 2) return 1;
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (o->layout != DC_LAYOUT_UNIT || (o->index && !is_random_index(p, i))) continue;
    if (!dc_operand_is_aligned(o, o->strides, p->schedule.kept, each)) return 1;
  }
  return each;
}

/* Rows a thread of row blocks: as many as have their accumulators in half of the vector registers, if all processors
** have work then; 0: no row blocks.  (4096 x 4096 float32 values on two processors: 3 ms, with
** one row a thread 10 ms.) */
static int choose_row_block(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  if (p->dev->target.gpu || p->ir.kind != DC_REDUCTION || p->ir.npasses > 1 || !columns_are_better(p)) return 0;
  const int64_t columns = h->shape[h->kept - 1], wanted = 2 * p->dev->facts.multiprocessors;
  int each = 8;
  while (each > 1 && (each * 32 > columns || each * accumulator_bytes(p) > 32)) each /= 2;
  while (each > 1 && h->row.rows / columns * up(columns, 32 * each) * h->row.segments < wanted) each /= 2;
  return columns < 32 ? 0 : each;
}

/* A body's accumulators take many registers across rows, where a thread has a sixteenth of them: there are fewer.
** argmin and argmax, which depend on no order, have so few only where vectors hold the values of all lanes (2^24
** float32 values on two processors: 4 ms, with eight accumulators 6). */
static void spare_registers(dc_program *p) {
  dc_ir *ir = &p->ir;
  const int most = accumulator_bytes(p) > 12 ? 32 : 64;
  if (ir->body != NULL && columns_are_better(p) && p->schedule.row.accumulators > most) {
    p->schedule.row.accumulators = most;
    p->schedule.row.two_level = p->schedule.row.segment / most > 32;
    return;
  }
  bool indexed =
      ir->kind == DC_REDUCTION && ir->npasses == 1 && !p->dev->target.gpu && p->schedule.row.accumulators > 32;
  for (int k = 0; k < ir->nreduces; k++) indexed = indexed && is_argument_reduction(&ir->code[ir->reduction[k]]);
  if (indexed) p->schedule.row.accumulators = 32;
}

/* Whether, on the CPU device, a lane reduces a whole row, so that lanes exchange nothing; then it has 8 accumulators at
** most (3 million float32 values on two processors, in ms: sums of rows of 8 1.3, by several lanes 2.1; of 32 1.05 and
** 1.75; 32 less the row's mean 1.3 and 3.7). */
static bool has_short_rows(const dc_program *p) {
  return !p->dev->target.gpu && p->schedule.row.length <= DC_SHORT_ROW && p->schedule.row.rows >= 64;
}

#define NARROWEST 8      /* rows of a block */
#define LONG_COLUMN 1024 /* elements from which more threads a row, of fewer rows, are faster */
#define BYTES_ALONG 32   /* of a row's elements that a block should read together: what memory transfers at least */

/* Rows of a block of COLUMNS: fewer than 32 where there are no more, where there would not be two blocks for each
** multiprocessor, and of long columns (sums of float32 on an H200, in us: of 2^24 down 8 columns 23, by LANES 58; of a
** million down 32 7, of 2^24 down 48 29, down 16384 23, with 32 rows a block 17, 70 and 33). */
static int columns_of_block(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  const int64_t wanted = 2 * p->dev->facts.multiprocessors;
  int columns = 32, least = NARROWEST; /* powers of two, so that there are few kernels */
  if (!may_be_narrow(p)) return columns;
  if (h->row.segment >= LONG_COLUMN) columns = 16;
  for (int i = 0; i < p->ir.ninputs; i++) {
    const int size = (int)dc_dtype_size(p->ir.input[i].dtype);
    if (least * size < BYTES_ALONG) least = BYTES_ALONG / size;
  }
  if (columns < least) columns = least;
  while (columns > least && up(h->row.rows, columns) * h->row.segments < wanted) columns /= 2;
  while (columns > NARROWEST && columns / 2 >= h->row.rows) columns /= 2;
  return columns;
}

/* As many threads a segment as leave the row's segments to few enough blocks.  Larger blocks are slower (softmax of
** 128 rows of 50257 float32 values, H200: 28 us with 7 blocks of 256 threads, 34 with 512, 50 with 4 of 1024; four
** kernels in place of the cluster: 42). */
static void choose_cluster(dc_schedule *h) {
  h->kind = DC_SCHEDULE_LANES;
  h->row.threads = h->row.accumulators;
  while (up(h->row.segments, DC_BLOCK / h->row.threads) > DC_CLUSTER) h->row.threads /= 2;
  h->row.items = h->row.accumulators / h->row.threads;
  h->row.together = DC_BLOCK / h->row.threads;
  h->row.cluster = (int)up(h->row.segments, h->row.together);
}

/* Most threads of a row that several passes read on a GPU, of which each has some 24 elements at most: enough warps
** wait for memory, and few for barriers (16384 rows of float32 on an H200, in us with 32, 64, 128, 256 threads: layer
** norm with scale and offset of 2048 elements 132, 93, 76, 85, of 1024 50, 43, 49, 64; softmax of 2048 76, 72, 70, 80).
*/
static int threads_of_passes(int64_t length) {
  int threads = 32;
  while (threads < DC_BLOCK && 24 * threads < length) threads *= 2;
  return threads;
}

/* How many threads a segment has, and how many accumulators each of them.  For columns that several passes read,
** dc_pass_cache_plan (pass_cache.c) may choose others afterwards. */
static void choose_mapping(dc_program *p, const dc_operands *s) {
  dc_schedule *h = &p->schedule;
  const int rows = choose_row_block(p);
  h->row.cluster = 1;
  h->row.columns = 0;
  h->row.together = 1;
  if (rows > 0) {
    h->kind = DC_SCHEDULE_ROW_BLOCKS;
    h->row.threads = 32;
    h->row.items = rows;
    note_stride_kinds(s, h->kept - 1);
    return;
  }
  if (p->ir.npasses > 1 && h->row.segments > 1 && !columns_are_better(p)) {
    choose_cluster(h);
    return;
  }
  spare_registers(p);
  const int each = choose_vector(p, s);
  h->kind = columns_are_better(p) ? DC_SCHEDULE_COLUMNS : each > 1 ? DC_SCHEDULE_PACKED : DC_SCHEDULE_LANES;
  const bool again = p->ir.npasses > 1;
  int most = !p->dev->target.gpu ? 32 : again ? threads_of_passes(h->row.length) : 64;
  const int columns = columns_of_block(p);
  if (h->kind == DC_SCHEDULE_COLUMNS)
    for (most = 16; 2 * most * columns <= 16 * 32; most *= 2) {}
  else if (has_short_rows(p)) most = 1;
  if (p->dev->target.gpu && dc_schedule_is_short(h)) most = again && h->row.segment >= 64 ? 16 : 8;
  h->row.threads = h->row.accumulators < most ? h->row.accumulators : most;
  if (h->kind == DC_SCHEDULE_PACKED) h->row.threads = h->row.accumulators / each;
  h->row.items = h->row.accumulators / h->row.threads;
  h->row.together = DC_BLOCK / h->row.threads;
  if (h->kind == DC_SCHEDULE_COLUMNS)
    h->row.columns = h->row.threads >= 16 ? columns : DC_BLOCK / h->row.threads;
}

/* --- overlap ------------------------------------------------------------------------------------------- */

/* The bytes that an operand covers: [*low, *high). */
static void extent(const dc_program *p, const dc_operand *o, dc_ptr *low, dc_ptr *high) {
  int64_t size = (int64_t)dc_dtype_size(o->dtype), before = 0, after = size;
  if (o->address_only || (o == &p->ir.out && p->ir.scatters)) { /* any byte of its buffer */
    *low = o->buffer->ptr;
    *high = o->buffer->ptr + o->buffer->bytes;
    return;
  }
  for (int i = 0; i < p->schedule.rank; i++) {
    int64_t reach = o->strides[i] * (p->schedule.shape[i] - 1) * size;
    if (reach < 0) before += reach;
    else after += reach;
  }
  *low = o->ptr + (dc_ptr)before;
  *high = o->ptr + (dc_ptr)after;
}

static bool share_memory(const dc_program *p, const dc_operand *a, const dc_operand *b) {
  dc_ptr low[2], high[2];
  extent(p, a, &low[0], &high[0]);
  extent(p, b, &low[1], &high[1]);
  return high[0] > low[1] && high[1] > low[0];
}

/* Whether an input shares memory with the result `out`, and if so whether each element is read only where it is
** written. */
static void note_overlap_with(dc_program *p, const dc_operand *out) {
  dc_ir *ir = &p->ir;
  dc_schedule *h = &p->schedule;
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (o->index || o == out || !share_memory(p, out, o)) continue;
    h->in_place = true;
    /* In several passes over a row, too, an element is read and written by one thread. */
    bool same = ir->kind != DC_REDUCTION && !ir->scatters && !o->address_only && o->ptr == out->ptr &&
                dc_dtype_size(o->dtype) == dc_dtype_size(out->dtype) &&
                memcmp(o->strides, out->strides, sizeof(int64_t) * (size_t)h->rank) == 0;
    const bool raw = ir->body != NULL && (o->address_only || out->address_only); /* its overlap is the user's care */
    if (!same && !raw) h->safe = false;
  }
}

static void note_overlap(dc_program *p) {
  dc_ir *ir = &p->ir;
  p->schedule.in_place = false;
  p->schedule.safe = true;
  if (p->schedule.n == 0) return;
  if (dc_ir_has_out(ir)) note_overlap_with(p, &ir->out);
  for (int i = 0; i < ir->ninputs && ir->body != NULL; i++)
    if (ir->input[i].result) note_overlap_with(p, &ir->input[i]);
}

bool dc_results_overlap(const dc_program *p, int *a, int *b) {
  const dc_ir *ir = &p->ir;
  if (p->schedule.n == 0) return false;
  for (*a = 0; *a < ir->ninputs; ++*a)
    for (*b = *a + 1; *b < ir->ninputs; ++*b)
      if (dc_operand_is_result(ir, &ir->input[*a]) && dc_operand_is_result(ir, &ir->input[*b]) &&
          share_memory(p, &ir->input[*a], &ir->input[*b]))
        return true;
  return false;
}

/* --- stores past the caches --------------------------------------------------------------------------------- */

#define STREAMED_FROM ((int64_t)16 << 20) /* bytes of a result */

static bool is_streamable(const dc_program *p, const dc_operand *o) {
  const int64_t size = (int64_t)dc_dtype_size(o->dtype);
  if ((size != 4 && size != 8) || dc_dtype_kind(o->dtype) == 'c') return false;
  return o->strides[p->schedule.rank - 1] == 1 && p->schedule.n * size >= STREAMED_FROM;
}

/* Whether results are stored past the caches: so large that the next expression finds little of them there, while the
** lines that they overwrite need not be read (4096 x 4096 float32 values on one thread of a Xeon, with a sum of the
** result behind it: transposed 25.7 ms, so 12.5; added 18.9 and 12.9; 2048 x 2048: 4.3 and 3.6, 3.0 and 2.8; from 9 MB
** down there is no gain).  GPUs write whole lines by themselves. */
static bool should_stream(const dc_program *p) {
  const dc_ir *ir = &p->ir;
  if (p->dev->target.gpu || p->schedule.rank == 0 || ir->kind == DC_REDUCTION || ir->scatters || p->schedule.in_place)
    return false;
  bool any = dc_ir_has_out(ir);
  if (any && !is_streamable(p, &ir->out)) return false;
  for (int i = 0; i < ir->ninputs; i++) {
    if (!dc_operand_is_result(ir, &ir->input[i])) continue;
    if (!is_streamable(p, &ir->input[i])) return false;
    any = true;
  }
  return any;
}

/* --- all together ----------------------------------------------------------------------------------------- */

/* Sets the operands' layouts; gives the greatest of their extents in memory, in elements. */
static int64_t lay_out(const dc_program *p, const dc_operands *s,
                       dc_layout layout_of(const dc_program *p, const dc_operand *o)) {
  int64_t farthest = 0;
  for (int j = 0; j < s->n; j++) {
    const int64_t f = count_strides(p, s->o[j]);
    if (f > farthest) farthest = f;
    s->o[j]->layout = layout_of(p, s->o[j]);
  }
  return farthest;
}

static void finish_elements(dc_program *p, const dc_operands *s) {
  dc_schedule *h = &p->schedule;
  order_axes(p, s);
  h->kept = h->rank = merge_axes(p, s, 0, h->rank, 0);
  const int64_t farthest = lay_out(p, s, layout_of_elements);
  h->wide = h->n > INT32_MAX - 16 * DC_BLOCK || farthest > INT32_MAX; /* indices of the last block exceed n */
  h->kind = DC_SCHEDULE_ELEMENTS;
  choose_tile(p, s);
  if (h->kind == DC_SCHEDULE_ELEMENTS) choose_warp_rows(p, s);
  if (h->kind != DC_SCHEDULE_ELEMENTS) return;
  h->elements.lanes = choose_lanes(p, s);
  h->elements.looped = false;
  h->elements.rounds = choose_rounds(p);
}

static void finish_rows(dc_program *p, const dc_operands *s) {
  dc_schedule *h = &p->schedule;
  int64_t rows = 1, length = 1;
  split_axes(p, s);
  move_unit_axis(p, s);
  for (int i = 0; i < h->rank; i++) *(i < h->kept ? &rows : &length) *= h->shape[i];
  const int kept = h->kept, rank = h->rank;
  h->kept = merge_axes(p, s, 0, kept, 0);
  h->rank = merge_axes(p, s, kept, rank, h->kept);
  const int64_t farthest = lay_out(p, s, layout_of_rows);
  dc_schedule_cut(p, rows, length);
  const int64_t slack =
      INT32_MAX - (1 << 16) -
      (h->row.segments > 1 ? h->row.segment : 0); /* the last segment may end behind n */
  h->wide = h->n > slack || rows > slack / 512 || farthest > INT32_MAX;
  choose_mapping(p, s);
  dc_pass_cache_plan(p);
  h->row.lanes = dc_writing_lanes(p);
}

void dc_schedule_make(dc_program *p, const dc_geometry *g, const dc_geometry *domain) {
  dc_ir *ir = &p->ir;
  dc_operands s = { .n = 0 };
  if (dc_ir_has_out(ir)) s.o[s.n++] = &ir->out;
  for (int i = 0; i < ir->ninputs; i++) s.o[s.n++] = &ir->input[i];
  p->schedule.rank = domain->ndim;
  p->schedule.n = dc_geometry_size(domain);
  memcpy(p->schedule.shape, domain->shape, sizeof(int64_t) * (size_t)domain->ndim);
  for (int j = 0; j < s.n; j++) {
    s.o[j]->packed = false;
    s.o[j]->stride_kind = 0;
    stretch_operand(p, s.o[j], g, domain);
  }
  if (ir->kind == DC_ELEMENTS) finish_elements(p, &s);
  else finish_rows(p, &s);
  note_overlap(p);
  p->schedule.streams = should_stream(p);
}

/* --- facts about a schedule -------------------------------------------------------------------------------- */

int64_t dc_schedule_row_blocks(const dc_schedule *s) {
  const int64_t columns = s->shape[s->kept - 1], width = (int64_t)s->row.threads * s->row.items;
  return s->row.rows / columns * up(columns, width);
}

int dc_operand_strides(const dc_program *p, const dc_operand *o) {
  switch (o->layout) {
    case DC_LAYOUT_STRIDED: return p->schedule.rank;
    case DC_LAYOUT_ROW: case DC_LAYOUT_UNIT: return p->schedule.kept;
    default: return 0;
  }
}

/* Division of a number below 2^31 by an extent as a product (Granlund and Montgomery, Division by Invariant Integers
** using Multiplication, 1994, figure 4.1): processors have no division of vectors of integers. */
bool dc_schedule_multiplies(const dc_schedule *s) { return !s->wide && s->kind != DC_SCHEDULE_TILES; }

bool dc_schedule_has_offsets(const dc_program *p) {
  const dc_ir *ir = &p->ir;
  if (ir->kind != DC_ELEMENTS || (dc_ir_has_out(ir) && ir->out.layout == DC_LAYOUT_STRIDED)) return true;
  for (int i = 0; i < ir->ninputs; i++)
    if (ir->input[i].layout == DC_LAYOUT_STRIDED) return true;
  return false;
}

int dc_schedule_first_extent(const dc_schedule *s) {
  return s->kind == DC_SCHEDULE_TILES || s->kind == DC_SCHEDULE_WARP_ROWS ? 0 : 1;
}

bool dc_operand_lies_along(const dc_program *p, const dc_operand *o) {
  return !o->index && !o->address_only && o->strides[p->schedule.rank - 1] == 1;
}

bool dc_operand_lies_across(const dc_program *p, const dc_operand *o) {
  const int last = p->schedule.rank - 1;
  return !o->index && !o->address_only && !dc_operand_is_result(&p->ir, o) && o->layout == DC_LAYOUT_STRIDED &&
         o->strides[last] != 1 && o->strides[last] != 0 && o->strides[p->schedule.tile.axis] == 1;
}

bool dc_random_drawn(const dc_program *p, const dc_instruction *s) {
  if (s->op != DC_OP_RANDOM || s->arg[0].kind != DC_REF_INPUT) return false;
  const dc_operand *place = &p->ir.input[s->arg[0].index];
  if (!place->index) return false; /* numbers that the caller gives */
  if (p->schedule.kind == DC_SCHEDULE_ELEMENTS) return p->schedule.elements.lanes > 1 && place->packed;
  return p->schedule.kind == DC_SCHEDULE_PACKED && place->layout == DC_LAYOUT_UNIT;
}
