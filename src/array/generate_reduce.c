/*
** generate_reduce.c - the CUDA C of reductions of rows, fused with what feeds them and with what is made of their
** results, in one pass over the rows or several; domain.c says in which order elements are joined.
**
** A segment has `threads` threads, each of which has `each` chains; side by side are either chains of one row (LANES,
** PACKED) or rows (COLUMNS).  A pass runs over the row's elements, joins what they contribute to chains, and folds the
** chains; then every thread of the segment knows the result.  In LANES and COLUMNS thread y has chains y + q*threads,
** so the upper half of the chains is folded within threads first; in PACKED it has chains y*each + q, and it is the
** other way round.  The tree is the same.
**
** Where rows are cut into segments, the last segment of a row (of a tile of rows) to be done folds all.  A ticket
** counts them; `turn` is larger in every launch, so a count that an interrupted launch left behind is void.
*/
#include <stdio.h>

#include "array/generate.h"

static bool columns(const dc_program *p) { return p->mapping == DC_MAP_COLUMNS; }

static void type_of(const dc_text *t, int k, char type[32]) {
  char identity[96];
  dc_accumulator(t->p, k, type, identity);
}

static int pass_of(const dc_program *p, int k) { return p->step[p->reduce_step[k]].level - 1; }

/* --- folding ------------------------------------------------------------------------------------------------ */

/* fold<k>(v): all threads' values of a segment as one, known to all of them. `n` threads take part; the name carries
** `what`. */
static void emit_fold(const dc_text *t, int k, const char *what, int n) {
  const dc_program *p = t->p;
  char type[32];
  type_of(t, k, type);
  dc_buf_printf(t->b, "static __device__ %s %s%d(%s v) {\n", type, what, k, type);
  if (columns(p)) {
    if (n > 1) {
      dc_buf_printf(t->b, "  __shared__ %s w[%d][%d];\n  w[threadIdx.y][threadIdx.x] = v;\n", type, p->threads,
                    dc_program_columns(p));
      dc_buf_printf(t->b, "  for (int d = %d; d > 0; d >>= 1) {\n    __syncthreads();\n    if (threadIdx.y < d)\n"
                    "      w[threadIdx.y][threadIdx.x] = join%d(w[threadIdx.y][threadIdx.x], w[threadIdx.y + d]"
                    "[threadIdx.x]);\n  }\n  __syncthreads();\n  v = w[0][threadIdx.x];\n  __syncthreads();\n", n / 2,
                    k);
    }
  } else if (n > 32) {
    dc_buf_printf(t->b, "  __shared__ %s w[%d];\n  const int lane = threadIdx.x %% %d;\n  w[threadIdx.x] = v;\n", type,
                  DC_BLOCK, n);
    dc_buf_printf(t->b, "  for (int d = %d; d >= 32; d >>= 1) {\n    __syncthreads();\n"
                  "    if (lane < d) w[threadIdx.x] = join%d(w[threadIdx.x], w[threadIdx.x + d]);\n  }\n", n / 2, k);
    dc_buf_printf(t->b, "  if (lane < 32) {\n    v = w[threadIdx.x];\n#pragma unroll\n"
                  "    for (int d = 16; d > 0; d >>= 1) v = join%d(v, below(v, d, 32));\n"
                  "    if (lane == 0) w[threadIdx.x] = v;\n  }\n  __syncthreads();\n  v = w[threadIdx.x - lane];\n"
                  "  __syncthreads();\n", k);
  } else if (n > 1) {
    dc_buf_printf(t->b, "#pragma unroll\n  for (int d = %d; d > 0; d >>= 1) v = join%d(v, below(v, d, %d));\n"
                  "  v = first_of(v, %d);\n", n / 2, k, n, n);
  }
  dc_buf_puts(t->b, "  return v;\n}\n");
}

/* The chains a<k>[n] of a thread as one, into f<k>. */
static void emit_fold_chains(const dc_text *t, int k, const char *name, const char *what, int n, bool packed) {
  char type[32];
  type_of(t, k, type);
  if (packed)
    dc_buf_printf(t->b, "#pragma unroll\n  for (int q = 0; q < %d; q++) %s%d[q] = %s%d(%s%d[q]);\n", n, name, k, what,
                  k, name, k);
  if (n > 1)
    dc_buf_printf(t->b, "#pragma unroll\n  for (int d = %d; d > 0; d >>= 1) {\n#pragma unroll\n"
                  "    for (int q = 0; q < d; q++) %s%d[q] = join%d(%s%d[q], %s%d[q + d]);\n  }\n", n / 2, name, k, k,
                  name, k, name, k);
  if (packed) dc_buf_printf(t->b, "  const %s f%d = %s%d[0];\n", type, k, name, k);
  else dc_buf_printf(t->b, "  const %s f%d = %s%d(%s%d[0]);\n", type, k, what, k, name, k);
}

/* --- where a thread is ---------------------------------------------------------------------------------------- */

static bool per_row(const dc_operand *o) {
  return o->layout == DC_LAYOUT_ROW || o->layout == DC_LAYOUT_UNIT || o->layout == DC_LAYOUT_STRIDED;
}

static bool per_element(const dc_operand *o) { return o->layout == DC_LAYOUT_STRIDED; }

/* y: the thread in its segment; row, active, first and last: what it works at. */
static void emit_position(const dc_text *t) {
  const dc_program *p = t->p;
  const char *i = t->index;
  const bool cut = p->segments > 1;
  if (columns(p)) {
    dc_buf_printf(t->b, "  const int y = threadIdx.y;\n  const %s tile = (%s)blockIdx.x%s;\n", i, i,
                  cut ? " / segments" : "");
    dc_buf_printf(t->b, "  const %s wanted = tile * %d + (%s)threadIdx.x;\n  const bool active = wanted < rows;\n"
                  "  const %s row = active ? wanted : 0;\n", i, dc_program_columns(p), i, i);
    if (cut) dc_buf_printf(t->b, "  const %s part = (%s)blockIdx.x %% segments;\n", i, i);
  } else {
    dc_buf_printf(t->b, "  const int y = threadIdx.x %% %d;\n", p->threads);
    dc_buf_printf(t->b, "  const %s unit = (%s)blockIdx.x * (%s)(blockDim.x / %d) + (%s)(threadIdx.x / %d);\n", i, i, i,
                  p->threads, i, p->threads);
    dc_buf_printf(t->b, "  const bool active = unit < rows%s;\n", cut ? " * segments" : "");
    dc_buf_printf(t->b, "  const %s row = active ? unit%s : 0;\n", i, cut ? " / segments" : "");
    if (cut) dc_buf_printf(t->b, "  const %s part = active ? unit %% segments : 0;\n", i);
  }
  if (cut)
    dc_buf_printf(t->b, "  const %s first = part * segment;\n  const %s last = active ? min(first + segment, length) : "
                  "first;\n", i, i);
  else dc_buf_printf(t->b, "  const %s first = 0;\n  const %s last = active ? length : 0;\n", i, i);
  dc_buf_printf(t->b, "  const %s whole = (last - first) / %d;\n", i, p->chains);
  dc_emit_places(t, "  ", "row", 0, p->kept, "row", per_row);
}

static void emit_row_values(const dc_text *t) {
  char place[48];
  for (int i = 0; i < t->p->nleaves; i++) {
    if (t->p->leaf[i].layout != DC_LAYOUT_ROW) continue;
    snprintf(place, sizeof place, t->p->leaf[i].index ? "x%d_row" : "x%d[x%d_row]", i, i);
    dc_emit_value(t, "  ", i, place);
  }
}

/* --- elements --------------------------------------------------------------------------------------------------- */

static bool is_unit(const dc_operand *o) { return o->layout == DC_LAYOUT_UNIT && !o->index; }

/* ", const float u0, …, const float z3, …": operands that are loaded, and random numbers that are drawn, where the
** lambda is called. */
static void emit_unit_params(const dc_text *t) {
  const dc_program *p = t->p;
  for (int i = 0; i < p->nleaves; i++)
    if (is_unit(&p->leaf[i])) dc_buf_printf(t->b, ", const %s u%d", dc_stored_as(p->leaf[i].dtype), i);
  for (int i = 0; i < p->nsteps; i++)
    if (dc_random_drawn(p, &p->step[i]))
      dc_buf_printf(t->b, ", const %s z%d", dc_ctype_of((dc_dtype)p->step[i].dtype), i);
}

static void emit_unit_loads(const dc_text *t) {
  for (int i = 0; i < t->p->nleaves; i++)
    if (is_unit(&t->p->leaf[i])) dc_buf_printf(t->b, ", x%d[x%d_row + r]", i, i);
  for (int i = 0; i < t->p->nsteps; i++) {
    char at[32];
    if (!dc_random_drawn(t->p, &t->p->step[i])) continue;
    snprintf(at, sizeof at, "(x%d_row + r)", t->p->step[i].arg[0].index);
    dc_buf_puts(t->b, ", ");
    dc_emit_draw(t, i, at);
  }
}

static void emit_unit_packs(const dc_text *t) {
  for (int i = 0; i < t->p->nleaves; i++)
    if (is_unit(&t->p->leaf[i])) dc_buf_printf(t->b, ", u%d.v[q]", i);
  for (int i = 0; i < t->p->nsteps; i++)
    if (dc_random_drawn(t->p, &t->p->step[i])) dc_buf_printf(t->b, ", z%d[q]", i);
}

static void emit_element_values(const dc_text *t) {
  const dc_program *p = t->p;
  char place[48];
  dc_emit_places(t, "    ", "r", p->kept, p->rank, "r", per_element);
  for (int i = 0; i < p->nleaves; i++) {
    const dc_operand *o = &p->leaf[i];
    if (o->layout == DC_LAYOUT_UNIT) snprintf(place, sizeof place, o->index ? "x%d_row + r" : "u%d", i);
    else if (o->layout != DC_LAYOUT_STRIDED) continue;
    else snprintf(place, sizeof place, o->index ? "x%d_row + x%d_r" : "x%d[x%d_row + x%d_r]", i, i, i);
    dc_emit_value(t, "    ", i, place);
  }
}

/* The lambda `value<pass>(r, …, r0, …)`: what element r contributes to the reductions of the pass. */
static void emit_value_lambda(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  char type[32];
  for (int k = 0; k < p->nreduces; k++)
    if (pass_of(p, k) == pass && p->step[p->reduce_step[k]].reduce == DC_REDUCE_SPREAD)
      dc_buf_printf(t->b, "  double pivot%d = 0;\n", k);
  dc_buf_printf(t->b, "  auto value%d = [&](const %s r", pass, t->index);
  emit_unit_params(t);
  for (int k = 0; k < p->nreduces; k++) {
    type_of(t, k, type);
    if (pass_of(p, k) == pass) dc_buf_printf(t->b, ", %s &r%d", type, k);
  }
  dc_buf_puts(t->b, ") {\n");
  emit_element_values(t);
  dc_emit_steps(t, DC_SCOPE_PASS(pass), -1, "    ");
  for (int k = 0; k < p->nreduces; k++)
    if (pass_of(p, k) == pass) dc_emit_contribution(t, k, "    ");
  dc_buf_puts(t->b, "  };\n");
}

static void emit_call(const dc_text *t, int pass, bool packed) {
  char type[32];
  for (int k = 0; k < t->p->nreduces; k++) {
    type_of(t, k, type);
    if (pass_of(t->p, k) == pass) dc_buf_printf(t->b, "%s r%d; ", type, k);
  }
  dc_buf_printf(t->b, packed ? "value%d(r + q" : "value%d(r", pass);
  if (packed) emit_unit_packs(t);
  else emit_unit_loads(t);
  for (int k = 0; k < t->p->nreduces; k++)
    if (pass_of(t->p, k) == pass) dc_buf_printf(t->b, ", r%d", k);
  dc_buf_puts(t->b, "); ");
}

/* The distances of a spread are taken from the row's first element. */
static void emit_pivots(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  bool any = false;
  for (int k = 0; k < p->nreduces; k++)
    any = any || (pass_of(p, k) == pass && p->step[p->reduce_step[k]].reduce == DC_REDUCE_SPREAD);
  if (!any) return;
  dc_buf_printf(t->b, "  if (active && length > 0) {\n    const %s r = 0;\n    ", t->index);
  emit_call(t, pass, false);
  for (int k = 0; k < p->nreduces; k++)
    if (pass_of(p, k) == pass && p->step[p->reduce_step[k]].reduce == DC_REDUCE_SPREAD)
      dc_buf_printf(t->b, "pivot%d = r%d.s; ", k, k);
  dc_buf_puts(t->b, "\n  }\n");
}

/* --- a pass ------------------------------------------------------------------------------------------------------ */

/* Joins the elements number j of the thread's chains to <into>0[], …. */
static void emit_take(const dc_text *t, int pass, const char *indent, const char *j, const char *into, bool guarded) {
  const dc_program *p = t->p;
  const bool packed = p->mapping == DC_MAP_PACKED && !guarded;
  if (packed) {
    dc_buf_printf(t->b, "%sconst %s r = first + (%s) * %d + y * %d;\n", indent, t->index, j, p->chains, p->each);
    for (int i = 0; i < p->nleaves; i++) {
      const char *c = dc_stored_as(p->leaf[i].dtype);
      if (is_unit(&p->leaf[i]))
        dc_buf_printf(t->b, "%sconst pack<%s> u%d = *(const pack<%s> *)(x%d + x%d_row + r);\n", indent, c, i, c, i, i);
    }
    for (int i = 0; i < p->nsteps; i++) {
      char at[32];
      if (!dc_random_drawn(p, &p->step[i])) continue;
      snprintf(at, sizeof at, "x%d_row + r", p->step[i].arg[0].index);
      dc_emit_draws(t, i, p->each, at, indent);
    }
  }
  dc_buf_printf(t->b, "#pragma unroll\n%sfor (int q = 0; q < %d; q++) {\n%s  ", indent, p->each, indent);
  if (!packed) {
    const bool side = p->mapping == DC_MAP_PACKED; /* neighbouring chains, one by one */
    dc_buf_printf(t->b, "const %s r = first + (%s) * %d + ", t->index, j, p->chains);
    if (side) dc_buf_printf(t->b, "y * %d + q;\n%s  ", p->each, indent);
    else dc_buf_printf(t->b, "q * %d + y;\n%s  ", p->threads, indent);
    if (guarded) dc_buf_printf(t->b, "if (r >= last) continue;\n%s  ", indent);
  }
  emit_call(t, pass, packed);
  for (int k = 0; k < p->nreduces; k++)
    if (pass_of(p, k) == pass) dc_buf_printf(t->b, "%s%d[q] = join%d(%s%d[q], r%d); ", into, k, k, into, k, k);
  dc_buf_printf(t->b, "\n%s}\n", indent);
}

static void emit_accumulators(const dc_text *t, int pass, const char *indent, const char *name, int n) {
  char type[32], identity[96];
  for (int k = 0; k < t->p->nreduces; k++) {
    if (pass_of(t->p, k) != pass) continue;
    dc_accumulator(t->p, k, type, identity);
    dc_buf_printf(t->b, "%s%s %s%d[%d];\n#pragma unroll\n%sfor (int q = 0; q < %d; q++) %s%d[q] = %s;\n", indent, type,
                  name, k, n, indent, n, name, k, identity);
  }
}

static void emit_group(const dc_text *t, int pass, const char *loop) {
  const dc_program *p = t->p;
  emit_accumulators(t, pass, "    ", "b", p->each);
  dc_buf_puts(t->b, loop);
  emit_take(t, pass, "      ", "j + i", "b", false);
  dc_buf_puts(t->b, "    }\n");
  for (int k = 0; k < p->nreduces; k++)
    if (pass_of(p, k) == pass)
      dc_buf_printf(t->b, "#pragma unroll\n    for (int q = 0; q < %d; q++) a%d[q] = join%d(a%d[q], b%d[q]);\n",
                    p->each, k, k, k, k);
}

static void emit_reducing_pass(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  emit_value_lambda(t, pass);
  emit_pivots(t, pass);
  emit_accumulators(t, pass, "  ", "a", p->each);
  if (p->deep) {
    dc_buf_printf(t->b, "  for (%s j = 0; j + 16 <= whole; j += 16) {\n", t->index);
    emit_group(t, pass, "#pragma unroll 4\n    for (int i = 0; i < 16; i++) {\n");
    dc_buf_printf(t->b, "  }\n  if (whole %% 16 != 0) {\n    const %s j = whole - whole %% 16;\n", t->index);
    emit_group(t, pass, "#pragma unroll 1\n    for (int i = 0; i < (int)(whole % 16); i++) {\n");
    dc_buf_puts(t->b, "  }\n");
  } else {
    dc_buf_printf(t->b, "#pragma unroll 4\n  for (%s j = 0; j < whole; j++) {\n", t->index);
    emit_take(t, pass, "    ", "j", "a", false);
    dc_buf_puts(t->b, "  }\n");
  }
  dc_buf_puts(t->b, "  if (first + whole * ");
  dc_buf_printf(t->b, "%d < last) {\n", p->chains);
  emit_take(t, pass, "    ", "whole", "a", true);
  dc_buf_puts(t->b, "  }\n");
}

/* The last pass of ROWS: each element's result. */
static void emit_writing_pass(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  dc_buf_printf(t->b, "  auto write = [&](const %s r", t->index);
  emit_unit_params(t);
  dc_buf_puts(t->b, ") {\n");
  emit_element_values(t);
  dc_emit_steps(t, DC_SCOPE_PASS(pass), -1, "    ");
  dc_emit_store(t, "    ", p->out.layout == DC_LAYOUT_UNIT ? "out[out_row + r]" :
                p->out.layout == DC_LAYOUT_STRIDED ? "out[out_row + out_r]" :
                p->out.layout == DC_LAYOUT_ROW ? "out[out_row]" : "*out");
  dc_buf_printf(t->b, "  };\n#pragma unroll 4\n  for (%s r = first + y; r < last; r += %d) write(r", t->index,
                p->threads);
  emit_unit_loads(t);
  dc_buf_puts(t->b, ");\n}\n");
}

/* --- rows in segments --------------------------------------------------------------------------------------- */

static void emit_part_variables(const dc_text *t) {
  char type[32];
  dc_buf_printf(t->b, "__device__ unsigned long long ticket[%d];\n", DC_MOST_SEGMENTS);
  for (int k = 0; k < t->p->nreduces; k++) {
    type_of(t, k, type);
    dc_buf_printf(t->b, "static __device__ %s part%d[%d];\n", type, k, 2 * DC_MOST_SEGMENTS);
  }
}

static void emit_last_segment(const dc_text *t) {
  const dc_program *p = t->p;
  const bool c = columns(p);
  const int folders = p->threads < DC_FOLDERS ? p->threads : DC_FOLDERS, each = DC_FOLDERS / folders;
  const char *i = t->index;
  dc_buf_printf(t->b, "  __shared__ bool all_done[%d];\n  const int slot = %s;\n", c ? 1 : DC_BLOCK / p->threads,
                c ? "0" : "threadIdx.x / threads");
  dc_buf_puts(t->b, "  if (y == 0 && active) {\n");
  for (int k = 0; k < p->nreduces; k++)
    dc_buf_printf(t->b, "    part%d[row * segments + part] = g%d;\n", k, k);
  dc_buf_puts(t->b, "    __threadfence();\n  }\n");
  if (c) dc_buf_puts(t->b, "  __syncthreads();\n");
  dc_buf_printf(t->b, "  if (%s) {\n", c ? "threadIdx.x == 0 && y == 0" : "y == 0");
  dc_buf_printf(t->b, "    bool done = false;\n    if (%s) {\n      atomicMax(&ticket[%s], turn);\n"
                "      done = (unsigned int)atomicAdd(&ticket[%s], 1ull) == (unsigned int)segments - 1;\n    }\n"
                "    all_done[slot] = done;\n  }\n  __syncthreads();\n  const bool done = all_done[slot];\n"
                "  __threadfence();\n", c ? "true" : "active", c ? "tile" : "row", c ? "tile" : "row");
  emit_accumulators(t, 0, "  ", "h", each);
  dc_buf_printf(t->b, "  if (done && active && y < %d) {\n#pragma unroll\n    for (int q = 0; q < %d; q++)\n", folders,
                each);
  dc_buf_printf(t->b, "      for (%s s = q * %d + y; s < segments; s += %d) {\n", i, folders, DC_FOLDERS);
  for (int k = 0; k < p->nreduces; k++)
    dc_buf_printf(t->b, "        h%d[q] = join%d(h%d[q], fetch(&part%d[row * segments + s]));\n", k, k, k, k);
  dc_buf_puts(t->b, "      }\n  }\n");
  for (int k = 0; k < p->nreduces; k++) emit_fold_chains(t, k, "h", "gather", each, false);
  dc_buf_printf(t->b, "  if (done && y == 0%s) ticket[%s] = 0;\n", c ? " && threadIdx.x == 0" : "", c ? "tile" : "row");
}

/* --- the kernel --------------------------------------------------------------------------------------------- */

static void emit_after_pass(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  char type[32];
  const bool cut = p->segments > 1;
  if (cut) dc_buf_printf(t->b, "  const int threads = %d;\n", p->threads);
  for (int k = 0; k < p->nreduces; k++) {
    if (pass_of(p, k) != pass) continue;
    type_of(t, k, type);
    if (cut) dc_buf_printf(t->b, "  %s g%d;\n  {\n", type, k);
    emit_fold_chains(t, k, "a", "fold", p->each, p->mapping == DC_MAP_PACKED);
    if (cut) dc_buf_printf(t->b, "  g%d = f%d;\n  }\n", k, k);
  }
  if (cut) emit_last_segment(t);
  for (int k = 0; k < p->nreduces; k++)
    if (pass_of(p, k) == pass) dc_emit_reduced(t, k);
  dc_emit_steps(t, DC_SCOPE_ROW, pass + 1, "  ");
}

void dc_emit_rows(const dc_text *t) {
  const dc_program *p = t->p;
  char place[64];
  const bool cut = p->segments > 1;
  if (p->mapping == DC_MAP_PACKED)
    dc_buf_printf(t->b, "template <typename T> struct __align__(sizeof(T) * %d) pack { T v[%d]; };\n", p->each,
                  p->each);
  dc_emit_joins(t);
  for (int k = 0; k < p->nreduces; k++) {
    emit_fold(t, k, "fold", p->threads);
    if (cut) emit_fold(t, k, "gather", p->threads < DC_FOLDERS ? p->threads : DC_FOLDERS);
  }
  if (cut) emit_part_variables(t);
  dc_emit_entry(t);
  dc_emit_single_values(t);
  emit_position(t);
  emit_row_values(t);
  dc_emit_steps(t, DC_SCOPE_ROW, 0, "  ");
  const int reducing = p->kind == DC_ROWS ? p->npasses - 1 : p->npasses;
  for (int pass = 0; pass < reducing; pass++) {
    emit_reducing_pass(t, pass);
    emit_after_pass(t, pass);
  }
  if (p->kind == DC_ROWS) {
    emit_writing_pass(t, p->npasses - 1);
    return;
  }
  dc_buf_printf(t->b, "  if (!active || y != 0%s) return;\n", cut ? " || !done" : "");
  dc_emit_store(t, "  ", p->out.layout == DC_LAYOUT_ONE ? "*out" : "out[out_row]");
  if (dc_program_tells(p)) {
    snprintf(place, sizeof place, "*(%s *)mail", dc_stored_as(p->out.dtype));
    dc_buf_puts(t->b, "  if (mail) {\n");
    dc_emit_store(t, "    ", place);
    dc_buf_puts(t->b, "    __threadfence_system();\n    *(volatile unsigned long long *)(mail + 2) = letter;\n  }\n");
  }
  dc_buf_puts(t->b, "}\n");
}
