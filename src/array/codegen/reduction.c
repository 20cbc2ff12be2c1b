/*
** reduction.c - see reduction.h.
**
** A segment has `threads` threads, each of which has `items` accumulators; neighbouring threads have accumulators of
** one row (LANES, PACKED) or rows (COLUMNS).  A pass runs over the row's elements, combines each into an accumulator,
** and reduces the accumulators in a tree; then every thread of the segment knows the result.  In LANES and COLUMNS
** thread y has accumulators y + q*threads, so the upper half of the accumulators is combined within threads first; in
** PACKED it has accumulators y*items + q, and it is the other way round.  The tree is the same.
**
** Where rows are cut into segments, a block has several segments of one row (of COLUMNS, one segment of neighbouring
** rows), and the last block of a row (of a tile of rows) to finish combines all.  A ticket counts blocks; `turn` is
** larger in every launch, so a count that an interrupted launch left behind is void.  Where several passes read such
** rows, a cluster of blocks has a row, and each warp combines the segments' values that lie in their shared memory.
*/
#include "array/codegen/reduction.h"

#include <stdio.h>
#include <string.h>

#include "array/codegen/accumulator.h"
#include "array/codegen/instruction.h"
#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/pass_cache_code.h"
#include "array/codegen/program.h"
#include "array/codegen/random.h"
#include "array/codegen/row_elements.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/codegen/writing_pass.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "device/mailbox.h"

static bool columns(const dc_program *p) { return p->schedule.kind == DC_SCHEDULE_COLUMNS; }

static int pass_of(const dc_program *p, int k) { return p->ir.code[p->ir.reduction[k]].level - 1; }

static bool is_m2_in(const dc_program *p, int k, int pass) {
  return pass_of(p, k) == pass && p->ir.code[p->ir.reduction[k]].reduce == DC_REDUCE_M2;
}

static bool has_pivots(const dc_program *p, int pass) {
  for (int k = 0; k < p->ir.nreduces; k++)
    if (is_m2_in(p, k, pass)) return true;
  return false;
}

/* --- trees ------------------------------------------------------------------------------------------------ */

/* Of COLUMNS: the block's `n` threads of a column, then the cluster's blocks. */
static void emit_tree_columns(const dc_text *t, int k, const char *type, int n) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  dc_buf_printf(t->b, "  __shared__ %s w[%d][%d];\n  w[threadIdx.y][threadIdx.x] = v;\n", type, n, h->row.columns);
  dc_buf_printf(t->b, "  for (int d = %d; d > 0; d >>= 1) {\n    __syncthreads();\n    if (threadIdx.y < d)\n"
                "      w[threadIdx.y][threadIdx.x] = combine%d(w[threadIdx.y][threadIdx.x], w[threadIdx.y + d]"
                "[threadIdx.x]);\n  }\n", n / 2, k);
  if (h->row.cluster == 1) {
    dc_buf_puts(t->b, "  __syncthreads();\n  v = w[0][threadIdx.x];\n  __syncthreads();\n");
    return;
  }
  dc_buf_printf(t->b, "  cluster_sync();\n  %s u[%d];\n#pragma unroll\n  for (int q = 0; q < %d; q++) "
                "u[q] = of_block(&w[0][threadIdx.x], q);\n", type, h->row.cluster, h->row.cluster);
  dc_buf_printf(t->b,
                "#pragma unroll\n  for (int d = %d; d > 0; d >>= 1) {\n#pragma unroll\n"
                "    for (int q = 0; q < d; q++) u[q] = combine%d(u[q], u[q + d]);\n  }\n  v = u[0];\n",
                h->row.cluster / 2, k);
}

/* tree<k>(v): the values of all threads of a segment combined, in all of them; block_tree<k>(v), not of COLUMNS: of a
** block; row_tree<k>(v): of a warp.  These are `n` threads. */
static void emit_tree(const dc_text *t, int k, const char *name, int n) {
  const dc_program *p = t->p;
  char type[32];
  dc_accumulator_type(t, k, type);
  dc_buf_printf(t->b, "static __device__ %s %s%d(%s v) {\n", type, name, k, type);
  if (columns(p)) {
    if (n > 1) emit_tree_columns(t, k, type, n / p->schedule.row.cluster);
  } else if (n > 32) {
    dc_buf_printf(t->b, "  __shared__ %s w[%d];\n  const int lane = threadIdx.x %% %d;\n  w[threadIdx.x] = v;\n", type,
                  DC_BLOCK, n);
    dc_buf_printf(t->b, "  for (int d = %d; d >= 32; d >>= 1) {\n    __syncthreads();\n"
                  "    if (lane < d) w[threadIdx.x] = combine%d(w[threadIdx.x], w[threadIdx.x + d]);\n  }\n", n / 2, k);
    dc_buf_printf(t->b, "  if (lane < 32) {\n    v = w[threadIdx.x];\n#pragma unroll\n"
                  "    for (int d = 16; d > 0; d >>= 1) v = combine%d(v, below(v, d, 32));\n"
                  "    if (lane == 0) w[threadIdx.x] = v;\n  }\n  __syncthreads();\n  v = w[threadIdx.x - lane];\n"
                  "  __syncthreads();\n", k);
  } else if (n > 1) {
    dc_buf_printf(t->b, "#pragma unroll\n  for (int d = %d; d > 0; d >>= 1) v = combine%d(v, below(v, d, %d));\n"
                  "  v = first_of(v, %d);\n", n / 2, k, n, n);
  }
  dc_buf_puts(t->b, "  return v;\n}\n");
}

/* Combines the accumulators <name><k>[n] of all threads into f<k>. */
static void emit_thread_tree(const dc_text *t, int k, const char *name, const char *tree, int n, bool packed) {
  char type[32];
  dc_accumulator_type(t, k, type);
  if (packed)
    dc_buf_printf(t->b, "#pragma unroll\n  for (int q = 0; q < %d; q++) %s%d[q] = %s%d(%s%d[q]);\n", n, name, k, tree,
                  k, name, k);
  if (n > 1)
    dc_buf_printf(t->b, "#pragma unroll\n  for (int d = %d; d > 0; d >>= 1) {\n#pragma unroll\n"
                  "    for (int q = 0; q < d; q++) %s%d[q] = combine%d(%s%d[q], %s%d[q + d]);\n  }\n", n / 2, name, k,
                  k, name, k, name, k);
  if (packed) dc_buf_printf(t->b, "  const %s f%d = %s%d[0];\n", type, k, name, k);
  else dc_buf_printf(t->b, "  const %s f%d = %s%d(%s%d[0]);\n", type, k, tree, k, name, k);
}

/* --- where a thread is ---------------------------------------------------------------------------------------- */

/* Whether threads that have no row reduce row 0: the number of elements is then one for all lanes of a warp, which has
** several rows. */
static bool reduces_spare_row(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  return p->ir.kind == DC_REDUCTION && h->row.threads < 32 && !columns(p) && h->row.segments == 1;
}

/* y: the thread in its segment; its row, whether it has one (`active`), and its elements [first, last). */
static void emit_position(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  const char *i = t->index;
  const bool cut = h->row.segments > 1;
  if (cut && h->row.cluster > 1) {
    dc_buf_printf(t->b, "  const %s blocks = %d;\n", i, h->row.cluster);
  } else if (cut) {
    const int segments = columns(p) ? 1 : h->row.together;
    dc_buf_printf(t->b, "  const %s blocks = (segments + %d) / %d;\n", i, segments - 1, segments);
  }
  if (columns(p)) {
    if (h->row.cluster > 1)
      dc_buf_printf(t->b,
                    "  const int y = threadIdx.y * %d + blockIdx.x %% %d;\n"
                    "  const %s tile = (%s)blockIdx.x / %d;\n",
                    h->row.cluster, h->row.cluster, i, i, h->row.cluster);
    else
      dc_buf_printf(t->b, "  const int y = threadIdx.y;\n  const %s tile = (%s)blockIdx.x%s;\n", i, i,
                    cut ? " / blocks" : "");
    dc_buf_printf(t->b, "  const %s wanted = tile * %d + (%s)threadIdx.x;\n  const bool active = wanted < rows;\n"
                  "  const %s row = active ? wanted : 0;\n", i, h->row.columns, i, i);
    if (cut) dc_buf_printf(t->b, "  const %s part = (%s)blockIdx.x %% blocks;\n", i, i);
  } else if (cut) {
    dc_buf_printf(t->b, "  const int y = threadIdx.x %% %d;\n  const %s row = (%s)blockIdx.x / blocks;\n",
                  h->row.threads, i, i);
    /* the last warp has the first segment: the CPU device runs it first, and memory is read in order */
    dc_buf_printf(t->b, "  const %s wanted = (%s)blockIdx.x %% blocks * %d + %d - (%s)(threadIdx.x / %d);\n"
                  "  const bool active = wanted < segments;\n  const %s part = active ? wanted : 0;\n", i, i,
                  h->row.together, h->row.together - 1, i, h->row.threads, i);
  } else {
    dc_buf_printf(t->b, "  const int y = threadIdx.x %% %d;\n", h->row.threads);
    dc_buf_printf(t->b, "  const %s unit = (%s)blockIdx.x * (%s)(blockDim.x / %d) + (%s)(threadIdx.x / %d);\n", i, i, i,
                  h->row.threads, i, h->row.threads);
    dc_buf_printf(t->b, "  const bool active = unit < rows;\n  const %s row = active ? unit : 0;\n", i);
  }
  if (cut)
    dc_buf_printf(t->b, "  const %s first = part * segment;\n  const %s last = active ? min(first + segment, length) : "
                  "first;\n", i, i);
  else
    dc_buf_printf(t->b, "  const %s first = 0;\n  const %s last = %s;\n", i, i,
                  reduces_spare_row(p) ? "length" : "active ? length : 0");
  dc_buf_printf(t->b, "  const %s whole = (last - first) / %d;\n", i, h->row.accumulators);
  dc_emit_offsets(t, "  ", "row", 0, h->kept, "row", dc_has_row_offset);
}

/* --- elements --------------------------------------------------------------------------------------------------- */

/* The lambda `value<pass>(r, …, r0, …)`: what element r contributes to the reductions of the pass. */
static void emit_value_lambda(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  char type[32], guard[24] = "";
  for (int k = 0; k < p->ir.nreduces; k++)
    if (is_m2_in(p, k, pass))
      dc_buf_printf(t->b, "  double pivot%d = 0;\n", k);
  if (p->schedule.row.cached > 0 && has_pivots(p, pass)) dc_buf_printf(t->b, "  bool pivoted%d = false;\n", pass);
  dc_buf_printf(t->b, "  auto value%d = [&](const %s r", pass, t->index);
  dc_emit_unit_params(t, pass);
  for (int k = 0; k < p->ir.nreduces; k++) {
    dc_accumulator_type(t, k, type);
    if (pass_of(p, k) == pass) dc_buf_printf(t->b, ", %s &r%d", type, k);
  }
  dc_buf_puts(t->b, ") {\n");
  dc_emit_element_values(t, pass, false);
  dc_emit_cached_instructions(t, pass, "    ", false);
  dc_emit_instructions(t, DC_SCOPE_PASS(pass), -1, "    ");
  for (int k = 0; k < p->ir.nreduces; k++)
    if (pass_of(p, k) == pass) dc_emit_contribution(t, k, "    ");
  if (has_pivots(p, pass)) snprintf(guard, sizeof guard, "if (pivoted%d) ", pass); /* all threads read pivots */
  dc_emit_cache_stores(t, pass, "    ", guard);
  dc_buf_puts(t->b, "  };\n");
}

static void emit_call(const dc_text *t, int pass, bool packed) {
  char type[32];
  for (int k = 0; k < t->p->ir.nreduces; k++) {
    dc_accumulator_type(t, k, type);
    if (pass_of(t->p, k) == pass) dc_buf_printf(t->b, "%s r%d; ", type, k);
  }
  dc_buf_printf(t->b, packed ? "value%d(r + q" : "value%d(r", pass);
  if (packed) dc_emit_unit_packs(t, pass);
  else dc_emit_unit_loads(t, pass);
  for (int k = 0; k < t->p->ir.nreduces; k++)
    if (pass_of(t->p, k) == pass) dc_buf_printf(t->b, ", r%d", k);
  dc_buf_puts(t->b, "); ");
}

/* Deviations are taken from the row's first element, which the first block of a cluster has: of COLUMNS each block
** computes that of its own first element, of LANES the threads of the first segment do. */
static void emit_pivots(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  if (!has_pivots(p, pass)) return;
  if (h->row.cached > 0)
    dc_buf_puts(t->b, "  __syncthreads();\n"); /* it was written by another thread */
  const bool shared = h->row.cluster > 1;
  const char *column = columns(p) ? "threadIdx.x" : "0", *row = shared && !columns(p) ? "part == 0" : "length > 0";
  if (shared)
    dc_buf_printf(t->b, "  __shared__ double pivots%d[%d][%d];\n", pass, DC_MAX_REDUCES,
                  columns(p) ? h->row.columns : 1);
  dc_buf_printf(t->b, "  if (active && %s) {\n    const %s r = ", row, t->index);
  if (shared && columns(p)) dc_buf_printf(t->b, "blockIdx.x %% %d;\n    ", h->row.cluster);
  else dc_buf_puts(t->b, "0;\n    ");
  emit_call(t, pass, false);
  for (int k = 0; k < p->ir.nreduces; k++)
    if (is_m2_in(p, k, pass)) dc_buf_printf(t->b, "pivot%d = r%d.s; ", k, k);
  dc_buf_puts(t->b, "\n  }\n");
  for (int k = 0; k < p->ir.nreduces && shared; k++)
    if (is_m2_in(p, k, pass))
      dc_buf_printf(t->b, "  if (%s) pivots%d[%d][%s] = pivot%d;\n",
                    columns(p) ? "threadIdx.y == 0" : "y == 0 && active && part == 0", pass, k, column, k);
  if (shared) dc_buf_puts(t->b, "  cluster_sync();\n");
  for (int k = 0; k < p->ir.nreduces && shared; k++)
    if (is_m2_in(p, k, pass))
      dc_buf_printf(t->b, "  pivot%d = of_block(&pivots%d[%d][%s], 0);\n", k, pass, k, column);
  if (h->row.cached > 0) dc_buf_printf(t->b, "  pivoted%d = true;\n  __syncthreads();\n", pass);
}

/* --- a pass ------------------------------------------------------------------------------------------------------ */

/* How often loops over elements are unrolled: a GPU then has that many loads in flight (2^28 float32 values on an H200:
** 3.7 TB/s with 4, 4.3 with 16).  Where there are many rows, more threads are better (16384 rows of as many: 4.5 TB/s
** with 4, 4.4 with 16); and long functions would be compiled as often. */
static int unrolled(const dc_program *p, int pass) {
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const bool many = h->row.segments == 1 && ir->npasses == 1;
  const bool held = h->kind == DC_SCHEDULE_COLUMNS && h->row.cached > 0;
  const bool gpu = p->dev->target.gpu;
  bool is_long = false;
  for (int i = 0; i < ir->ninstructions; i++)
    is_long |= (!gpu || dc_in_pass(ir->code[i].scopes, pass)) && (dc_ops[ir->code[i].op].flags & DC_OP_LONG);
  if (!gpu && is_long && h->row.items > 1) return 1; /* half of the time to compile softmax, which is no slower */
  if (!gpu || (h->kind == DC_SCHEDULE_COLUMNS && !held) || many || has_pivots(p, pass)) return 4;
  if (is_long || (h->kind != DC_SCHEDULE_PACKED && h->row.items > 1)) return 4; /* times items */
  return ir->body != NULL && ir->body->is_long ? 4 : 16;
}

/* Whether a reduction of one operand loads 16 packs before it uses the first of them.  These and the accumulators need
** 64 registers, so a multiprocessor has room for four blocks (residents_of). */
static bool reads_ahead(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  int units = 0;
  for (int i = 0; i < p->ir.ninputs; i++) units += dc_operand_is_unit(&p->ir.input[i], 0);
  return h->kind == DC_SCHEDULE_PACKED && h->row.items == 4 && h->row.segments > 1 &&
         h->row.two_level && units == 1 && p->ir.nreduces == 1 && unrolled(p, 0) == 16;
}

/* Whether a simple reduction across rows is a single loop that is not unrolled, with two blocks on a multiprocessor:
** loads then never wait for the end of a group (16384 x 16384 float32 on an H200: 4466 GB/s, with a loop for each group
** 4147; unrolled, or with three blocks, it is slower than that). */
static bool reads_evenly(const dc_program *p) {
  char type[32], identity[96];
  if (!p->dev->target.gpu || p->schedule.kind != DC_SCHEDULE_COLUMNS || p->ir.npasses > 1 || p->ir.nreduces > 1 ||
      p->ir.ninstructions > 8 || dc_ir_is_long(&p->ir) || p->ir.body != NULL)
    return false;
  dc_accumulator(p, 0, type, identity);
  return p->schedule.row.two_level &&
         (strcmp(type, "float") == 0 || strcmp(type, "int") == 0 || strcmp(type, "unsigned int") == 0);
}

static int residents_of(const dc_program *p) {
  if (reads_evenly(p)) return 2;
  return reads_ahead(p) ? 4 : p->schedule.kind == DC_SCHEDULE_COLUMNS && p->schedule.row.cached > 0 ? 3 : 0;
}

/* Whether a thread loads all its elements of a single row before it uses any: its accumulators are not full, and the
** host waits for the value (1000 float32 values on an H200: a microsecond less than in a loop). */
static bool reads_at_once(const dc_program *p) {
  if (!p->dev->target.gpu || !dc_program_posts(p) || p->ir.npasses > 1 || p->schedule.row.segments > 1) return false;
  return p->schedule.kind != DC_SCHEDULE_COLUMNS && p->schedule.row.accumulators < DC_MAX_ACCUMULATORS &&
         !has_pivots(p, 0) && !dc_ir_is_long(&p->ir);
}

/* LATE: past the row's end its last element is loaded once more and not combined. */
typedef enum dc_taking { TAKE_WHOLE, TAKE_GUARDED, TAKE_LOADED, TAKE_LATE } dc_taking;

/* Combines element j of each of the thread's accumulators into <into>0[], ….  `first`: the condition under which it is
** the first one in them; NULL: it is not. */
static void emit_take(const dc_text *t, int pass, const char *indent, const char *j, const char *into, dc_taking how,
                      const char *first) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const bool guarded = how == TAKE_GUARDED, late = how == TAKE_LATE;
  const bool packed = h->kind == DC_SCHEDULE_PACKED && !guarded && !late;
  if (packed) {
    dc_buf_printf(t->b, "%sconst %s r = first + (%s) * %d + y * %d;\n", indent, t->index, j,
                  h->row.accumulators, h->row.items);
    for (int i = 0; i < ir->ninputs; i++) {
      const char *c = dc_memory_type(t, ir->input[i].dtype);
      if (!dc_operand_is_unit(&ir->input[i], pass)) continue;
      dc_buf_printf(t->b, "%sconst pack<%s> u%d = ", indent, c, i);
      if (how == TAKE_LOADED) dc_buf_printf(t->b, "w%d[i];\n", i);
      else dc_buf_printf(t->b, "*(const pack<%s> *)(x%d + x%d_row + r);\n", c, i, i);
    }
    for (int i = 0; i < ir->ninstructions; i++) {
      char at[32];
      if (!dc_random_drawn(p, &ir->code[i])) continue;
      snprintf(at, sizeof at, "x%d_row + r", ir->code[i].arg[0].index);
      dc_emit_draws(t, i, h->row.items, at, indent);
    }
  }
  dc_buf_printf(t->b, "#pragma unroll\n%sfor (int q = 0; q < %d; q++) {\n%s  ", indent, h->row.items, indent);
  if (!packed) {
    const bool side = h->kind == DC_SCHEDULE_PACKED; /* neighbouring accumulators, one by one */
    dc_buf_printf(t->b, "const %s %s = first + (%s) * %d + ", t->index, late ? "at" : "r", j, h->row.accumulators);
    if (side) dc_buf_printf(t->b, "y * %d + q;\n%s  ", h->row.items, indent);
    else dc_buf_printf(t->b, "q * %d + y;\n%s  ", h->row.threads, indent);
    if (guarded) dc_buf_printf(t->b, "if (r >= last) continue;\n%s  ", indent);
    if (late) dc_buf_printf(t->b, "const %s r = min(at, last - 1);\n%s  ", t->index, indent);
  }
  emit_call(t, pass, packed);
  for (int k = 0; k < ir->nreduces; k++) {
    if (pass_of(p, k) != pass) continue;
    if (late) dc_buf_puts(t->b, "if (at < last) ");
    dc_buf_printf(t->b, "%s%d[q] = ", into, k);
    if (first != NULL) dc_buf_printf(t->b, "%s ? r%d : ", first, k);
    dc_buf_printf(t->b, "%s%d(%s%d[q], r%d); ", guarded ? dc_ordered_combiner(p, k) : dc_element_combiner(p, k), k,
                  into, k, k);
  }
  dc_buf_printf(t->b, "\n%s}\n", indent);
}

/* w0[i], …: the packs that emit_take finds loaded. */
static void emit_ahead(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  for (int i = 0; i < p->ir.ninputs; i++) {
    const char *c = dc_memory_type(t, p->ir.input[i].dtype);
    if (dc_operand_is_unit(&p->ir.input[i], pass))
      dc_buf_printf(t->b, "    pack<%s> w%d[16];\n#pragma unroll\n    for (int i = 0; i < 16; i++)\n      w%d[i] = "
                    "*(const pack<%s> *)(x%d + x%d_row + first + (j + i) * %d + y * %d);\n", c, i, i, c, i, i,
                    p->schedule.row.accumulators, p->schedule.row.items);
  }
}

/* Combines a group's sums, b0[q] …, into the accumulators; `first`: the condition under which it is the first group,
** for dc_first_is_peeled. */
static void emit_group_end(const dc_text *t, int pass, const char *first) {
  const dc_program *p = t->p;
  for (int k = 0; k < p->ir.nreduces; k++) {
    if (pass_of(p, k) != pass) continue;
    dc_buf_printf(t->b, "#pragma unroll\n    for (int q = 0; q < %d; q++) a%d[q] = ", p->schedule.row.items, k);
    if (dc_first_is_peeled(p)) dc_buf_printf(t->b, "%s ? b%d[q] : ", first, k);
    dc_buf_printf(t->b, "%s%d(a%d[q], b%d[q]);\n", dc_element_combiner(p, k), k, k, k);
  }
}

/* The elements j + i for i below `end`, which is not 0. */
static void emit_group(const dc_text *t, int pass, int unroll, const char *end, dc_taking how) {
  const dc_program *p = t->p;
  const bool peeled = dc_first_is_peeled(p);
  if (how == TAKE_LOADED) emit_ahead(t, pass);
  dc_emit_accumulators(t, pass, "    ", "b", p->schedule.row.items);
  if (peeled) {
    dc_buf_puts(t->b, "    {\n      const int i = 0;\n");
    emit_take(t, pass, "      ", "j + i", "b", how, "true");
    dc_buf_puts(t->b, "    }\n");
  }
  if (peeled && unroll == 4) unroll = 5; /* of the other 15 */
  dc_buf_printf(t->b, "#pragma unroll %d\n    for (int i = %d; i < %s; i++) {\n", unroll, peeled, end);
  emit_take(t, pass, "      ", "j + i", "b", how, NULL);
  dc_buf_puts(t->b, "    }\n");
  emit_group_end(t, pass, "j == 0");
}

/* The same groups, all in one loop. */
static void emit_even_groups(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  char type[32], identity[96];
  dc_accumulator(p, 0, type, identity);
  dc_emit_accumulators(t, pass, "  ", "b", p->schedule.row.items);
  dc_buf_printf(t->b, "#pragma unroll 1\n  for (%s j = 0; j < whole; j++) {\n", t->index);
  emit_take(t, pass, "    ", "j", "b", TAKE_WHOLE, NULL);
  dc_buf_puts(t->b, "    if (j % 16 < 15) continue;\n");
  emit_group_end(t, pass, NULL);
  dc_buf_printf(t->b, "#pragma unroll\n    for (int q = 0; q < %d; q++) b0[q] = %s;\n  }\n", p->schedule.row.items,
                identity);
  dc_buf_puts(t->b, "  if (whole % 16 != 0) {\n");
  emit_group_end(t, pass, NULL);
  dc_buf_puts(t->b, "  }\n");
}

static void emit_reducing_pass(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  char accumulator[32];
  emit_value_lambda(t, pass);
  emit_pivots(t, pass);
  dc_emit_accumulators(t, pass, "  ", "a", h->row.items);
  if (h->kind == DC_SCHEDULE_PACKED) snprintf(accumulator, sizeof accumulator, "y * %d + q", h->row.items);
  else snprintf(accumulator, sizeof accumulator, "q * %d + y", h->row.threads);
  for (int k = 0; k < p->ir.nreduces; k++)
    if (pass_of(p, k) == pass) dc_emit_first_index(t, k, "  ", accumulator);
  if (reads_at_once(p)) {
    dc_buf_printf(t->b, "  if (first < last) {\n#pragma unroll\n  for (%s j = 0; j < %d; j++) {\n", t->index,
                  DC_FULL_ACCUMULATOR);
    emit_take(t, pass, "    ", "j", "a", TAKE_LATE, NULL);
    dc_buf_puts(t->b, "  }\n  }\n");
    return;
  }
  if (reads_evenly(p)) {
    emit_even_groups(t, pass);
  } else if (h->row.two_level) {
    dc_buf_printf(t->b, "  for (%s j = 0; j + 16 <= whole; j += 16) {\n", t->index);
    emit_group(t, pass, unrolled(p, pass), "16", reads_ahead(p) ? TAKE_LOADED : TAKE_WHOLE);
    dc_buf_printf(t->b, "  }\n  if (whole %% 16 != 0) {\n    const %s j = whole - whole %% 16;\n", t->index);
    emit_group(t, pass, unrolled(p, pass) / 4, "(int)(whole % 16)", TAKE_WHOLE);
    dc_buf_puts(t->b, "  }\n");
  } else {
    dc_buf_printf(t->b, "#pragma unroll %d\n  for (%s j = 0; j < whole; j++) {\n", unrolled(p, pass), t->index);
    emit_take(t, pass, "    ", "j", "a", TAKE_WHOLE, dc_first_is_peeled(p) ? "j == 0" : NULL);
    dc_buf_puts(t->b, "  }\n");
  }
  dc_buf_puts(t->b, "  if (first + whole * ");
  dc_buf_printf(t->b, "%d < last) {\n", h->row.accumulators);
  emit_take(t, pass, "    ", "whole", "a", TAKE_GUARDED, NULL);
  dc_buf_puts(t->b, "  }\n");
}

/* --- rows in segments --------------------------------------------------------------------------------------- */

void dc_emit_segment_variables(const dc_text *t) {
  char type[32];
  dc_buf_printf(t->b, "__device__ unsigned long long ticket[%d];\n", DC_MAX_SEGMENTS / 2);
  for (int k = 0; k < t->p->ir.nreduces; k++) {
    dc_accumulator_type(t, k, type);
    dc_buf_printf(t->b, "static __device__ %s partial%d[%d];\n", type, k, DC_MAX_SEGMENTS);
  }
}

void dc_emit_ticket(const dc_text *t, const char *of, const char *blocks, const char *one) {
  dc_buf_printf(t->b, "  __shared__ bool last_block;\n  if (%s) {\n    atomicMax(&ticket[%s], turn);\n"
                "    last_block = (unsigned int)atomicAdd(&ticket[%s], 1ull) == (unsigned int)%s - 1;\n"
                "    if (last_block) ticket[%s] = 0;\n  }\n  __syncthreads();\n  if (!last_block) return;\n"
                "  __threadfence();\n", one, of, of, blocks, of);
}

/* Blocks end here, but for the last one of a row (of COLUMNS, of a tile of rows), whose threads combine all segments.
** */
static void emit_last_block(const dc_text *t) {
  const dc_program *p = t->p;
  const bool c = columns(p);
  const int threads = c ? p->schedule.row.threads : DC_BLOCK, each = DC_FINAL_ACCUMULATORS / threads;
  const char *i = t->index, *of = c ? "tile" : "row", *y = c ? "y" : "(int)threadIdx.x";
  dc_buf_puts(t->b, "  if (y == 0 && active) {\n");
  for (int k = 0; k < p->ir.nreduces; k++) dc_buf_printf(t->b, "    partial%d[row * segments + part] = g%d;\n", k, k);
  dc_buf_puts(t->b, "    __threadfence();\n  }\n  __syncthreads();\n");
  dc_emit_ticket(t, of, "blocks", c ? "threadIdx.x == 0 && y == 0" : "threadIdx.x == 0");
  dc_emit_accumulators(t, 0, "  ", "h", each);
  if (c) dc_buf_puts(t->b, "  if (active) {\n");
  dc_buf_printf(t->b, "#pragma unroll %d\n  for (%s s = %s; s < segments; s += %d) {\n", each < 8 ? 8 / each : 1, i, y,
                DC_FINAL_ACCUMULATORS);
  dc_buf_printf(t->b, "#pragma unroll\n    for (int q = 0; q < %d; q++) {\n      const %s from = s + q * %d;\n"
                "      if (from >= segments) break;\n", each, i, threads);
  for (int k = 0; k < p->ir.nreduces; k++)
    dc_buf_printf(t->b, "      h%d[q] = combine%d(h%d[q], fetch(&partial%d[row * segments + from]));\n", k, k, k, k);
  dc_buf_puts(t->b, c ? "    }\n  }\n  }\n" : "    }\n  }\n");
  for (int k = 0; k < p->ir.nreduces; k++) emit_thread_tree(t, k, "h", c ? "tree" : "block_tree", each, false);
}

/* Each warp combines the segments of the row, which the cluster has; block b has those from b * together on. */
static void emit_cluster_segments(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  const int together = p->schedule.row.together;
  char type[32];
  for (int k = 0; k < p->ir.nreduces; k++) {
    if (pass_of(p, k) != pass) continue;
    dc_accumulator_type(t, k, type);
    dc_buf_printf(t->b, "  __shared__ %s parts%d[%d];\n  if (y == 0 && active) parts%d[part %% %d] = g%d;\n", type, k,
                  together, k, together, k);
  }
  dc_buf_puts(t->b, "  cluster_sync();\n");
  dc_emit_accumulators(t, pass, "  ", "h", 1);
  dc_buf_puts(t->b, "  if (threadIdx.x % 32 < segments) {\n    const int from = threadIdx.x % 32;\n");
  for (int k = 0; k < p->ir.nreduces; k++)
    if (pass_of(p, k) == pass)
      dc_buf_printf(t->b, "    h%d[0] = of_block(&parts%d[from %% %d], from / %d);\n", k, k, together, together);
  dc_buf_puts(t->b, "  }\n");
  for (int k = 0; k < p->ir.nreduces; k++)
    if (pass_of(p, k) == pass) emit_thread_tree(t, k, "h", "row_tree", 1, false);
}

/* --- the kernel --------------------------------------------------------------------------------------------- */

static void emit_after_pass(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  char type[32];
  const bool cut = p->schedule.row.segments > 1;
  for (int k = 0; k < p->ir.nreduces; k++) {
    if (pass_of(p, k) != pass) continue;
    dc_accumulator_type(t, k, type);
    if (cut) dc_buf_printf(t->b, "  %s g%d;\n  {\n", type, k);
    emit_thread_tree(t, k, "a", "tree", p->schedule.row.items, p->schedule.kind == DC_SCHEDULE_PACKED);
    if (cut) dc_buf_printf(t->b, "  g%d = f%d;\n  }\n", k, k);
  }
  if (dc_schedule_has_tickets(&p->schedule)) emit_last_block(t);
  else if (cut) emit_cluster_segments(t, pass);
  for (int k = 0; k < p->ir.nreduces; k++)
    if (pass_of(p, k) == pass) dc_emit_reduced(t, k);
  dc_emit_instructions(t, DC_SCOPE_ROW, pass + 1, "  ");
}

void dc_emit_reduction(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const bool tickets = dc_schedule_has_tickets(h), clusters = h->row.segments > 1 && !tickets;
  if (dc_program_posts(p)) dc_buf_puts(t->b, dc_mailbox_text);
  const int pack = h->kind == DC_SCHEDULE_PACKED ? h->row.items : h->row.lanes;
  if (pack > 1)
    dc_buf_printf(t->b, "template <typename T> struct __align__(sizeof(T) * %d) pack { T v[%d]; };\n", pack, pack);
  dc_emit_combiners(t);
  for (int k = 0; k < ir->nreduces; k++) {
    emit_tree(t, k, "tree", h->row.threads);
    if (tickets && !columns(p)) emit_tree(t, k, "block_tree", DC_BLOCK);
    if (clusters) emit_tree(t, k, "row_tree", DC_CLUSTER_SEGMENTS);
  }
  if (tickets) dc_emit_segment_variables(t);
  dc_emit_async_copy_function(t);
  dc_emit_entry(t, residents_of(p));
  dc_emit_single_values(t);
  emit_position(t);
  dc_emit_cache_slots(t);
  dc_emit_async_copies(t);
  dc_emit_row_values(t, "  ");
  dc_emit_instructions(t, DC_SCOPE_ROW, 0, "  ");
  const int reducing = ir->kind == DC_ROWS ? ir->npasses - 1 : ir->npasses;
  for (int pass = 0; pass < reducing; pass++) {
    emit_reducing_pass(t, pass);
    emit_after_pass(t, pass);
  }
  if (ir->kind == DC_ROWS) dc_emit_writing_pass(t, ir->npasses - 1);
  if (h->row.cluster > 1)
    dc_buf_puts(t->b, "  cluster_sync();\n"); /* other blocks may still read this one's shared memory */
  if (ir->kind == DC_ROWS) {
    dc_buf_puts(t->b, "}\n");
    return;
  }
  if (clusters) dc_buf_printf(t->b, "  if (blockIdx.x %% %d != 0) return;\n", h->row.cluster);
  const bool by_row = clusters || (tickets && !columns(p)); /* not by segment: a block's first thread stores */
  dc_buf_puts(t->b, by_row ? "  if (threadIdx.x != 0) return;\n" : "  if (!active || y != 0) return;\n");
  dc_emit_store(t, "  ", ir->out.layout == DC_LAYOUT_ONE ? "*out" : "out[out_row]");
  if (dc_program_posts(p)) dc_buf_puts(t->b, "  dc_post(mailbox, sequence, *out);\n");
  dc_buf_puts(t->b, "}\n");
}
