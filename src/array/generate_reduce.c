/*
** generate_reduce.c - the CUDA C of reductions over all elements, fused with what feeds them and with
** what is made of their results.
**
** The order of additions depends on n alone, so that every device, layout and fusion gives the same bits:
** tiles of 1024 elements go round-robin to min(1024, n/4096) blocks; a thread adds element t + 256k of a
** tile to its k-th of four accumulators, folds those every 16 tiles, and blocks and threads are folded as
** trees.  So no element passes through more than some dozens of additions one after the other.
**
** The last block to finish folds the blocks' results.  `turn` is larger in every launch: a count that an
** interrupted launch left behind is thereby void.
*/
#include <stdio.h>

#include "array/generate.h"

static dc_dtype accumulator(const dc_program *p, int k) {
  const dc_step *s = &p->step[p->reduce_step[k]];
  return dc_reduce_accumulator((dc_reduce)s->reduce, (dc_dtype)s->dtype);
}

/* What leaves every value as it is: -0 for sums of floats, for -0 + x is x, signs of zeros included. */
static const char *identity(dc_reduce r, dc_dtype t) {
  if (r == DC_REDUCE_SUM) return t == DC_FLOAT32 ? "-0.0f" : t == DC_FLOAT64 ? "-0.0" : "0";
  bool min = r == DC_REDUCE_MIN;
  switch (t) {
    case DC_FLOAT32: return min ? "__int_as_float(0x7f800000)" : "__int_as_float(0xff800000)";
    case DC_FLOAT64:
      return min ? "__longlong_as_double(0x7ff0000000000000ll)" : "__longlong_as_double(0xfff0000000000000ll)";
    case DC_INT32: return min ? "0x7fffffff" : "(-0x7fffffff - 1)";
    case DC_INT64: return min ? "0x7fffffffffffffffll" : "(-0x7fffffffffffffffll - 1)";
    default: return min ? (t == DC_UINT32 ? "0xffffffffu" : "0xffffffffffffffffull") : "0";
  }
}

static void emit_join(const dc_text *t, int k) {
  const dc_step *s = &t->p->step[t->p->reduce_step[k]];
  dc_dtype a = accumulator(t->p, k);
  const char *c = dc_ctype_of(a);
  dc_buf_printf(t->b, "static __device__ __forceinline__ %s join%d(%s a, %s b) { return ", c, k, c, c);
  if (s->reduce == DC_REDUCE_SUM) dc_emit_arithmetic(t->b, "+", a, "a", "b");
  else {
    const char *cmp = s->reduce == DC_REDUCE_MIN ? "<" : ">";
    dc_buf_printf(t->b, dc_kind_of(a) == 'f' ? "b %s a || b != b ? b : a" : "b %s a ? b : a", cmp); /* NaN wins */
  }
  dc_buf_puts(t->b, "; }\n");
}

/* fold<k>(v): all threads' values as one, known to all. */
static void emit_fold(const dc_text *t, int k) {
  const char *a = dc_ctype_of(accumulator(t->p, k));
  dc_buf_printf(t->b,
                "static __device__ %s fold%d(%s v) {\n"
                "  __shared__ %s w[8];\n"
                "#pragma unroll\n"
                "  for (int d = 16; d > 0; d >>= 1) v = join%d(v, __shfl_down_sync(0xffffffffu, v, d));\n"
                "  if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = v;\n"
                "  __syncthreads();\n"
                "  v = join%d(join%d(join%d(w[0], w[1]), join%d(w[2], w[3])),\n"
                "            join%d(join%d(w[4], w[5]), join%d(w[6], w[7])));\n"
                "  __syncthreads();\n"
                "  return v;\n}\n",
                a, k, a, a, k, k, k, k, k, k, k, k);
  dc_buf_printf(t->b, "static __device__ %s part%d[%d];\n", a, k, DC_MOST_BLOCKS);
}

/* The lambda `value(i, r0, …)`: element i of what is reduced. */
static void emit_value_lambda(const dc_text *t) {
  const dc_program *p = t->p;
  char v[DC_VALUE_TEXT];
  dc_buf_printf(t->b, "  auto value = [&](const %s i", t->index);
  for (int k = 0; k < p->nreduces; k++) dc_buf_printf(t->b, ", %s &r%d", dc_ctype_of(accumulator(p, k)), k);
  dc_buf_puts(t->b, ") {\n");
  dc_emit_element_values(t, "    ");
  dc_emit_steps(t, DC_SCOPE_ELEMENT, "    ");
  for (int k = 0; k < p->nreduces; k++) {
    dc_value_as(t, p->step[p->reduce_step[k]].arg[0], accumulator(p, k), v);
    dc_buf_printf(t->b, "    r%d = %s;\n", k, v);
  }
  dc_buf_puts(t->b, "  };\n");
}

/* "float r0; int r1; value(<at>, r0, r1);" and then one join a reduction into what `into` names. */
static void emit_take(const dc_text *t, const char *indent, const char *at, const char *into) {
  dc_buf_puts(t->b, indent);
  for (int k = 0; k < t->p->nreduces; k++) dc_buf_printf(t->b, "%s r%d; ", dc_ctype_of(accumulator(t->p, k)), k);
  dc_buf_printf(t->b, "value(%s", at);
  for (int k = 0; k < t->p->nreduces; k++) dc_buf_printf(t->b, ", r%d", k);
  dc_buf_puts(t->b, ");\n");
  for (int k = 0; k < t->p->nreduces; k++) {
    char place[16];
    snprintf(place, sizeof place, into, k);
    dc_buf_printf(t->b, "%s%s = join%d(%s, r%d);\n", indent, place, k, place, k);
  }
}

static const char *identity_of(const dc_program *p, int k) {
  return identity((dc_reduce)p->step[p->reduce_step[k]].reduce, accumulator(p, k));
}

static void emit_tiles(const dc_text *t) {
  const dc_program *p = t->p;
  dc_buf_printf(t->b, "  const %s whole = n / %d;\n", t->index, DC_TILE);
  for (int k = 0; k < p->nreduces; k++)
    dc_buf_printf(t->b, "  %s a%d = %s;\n", dc_ctype_of(accumulator(p, k)), k, identity_of(p, k));
  dc_buf_printf(t->b, "  for (%s tile = blockIdx.x; tile < whole;) {\n", t->index);
  for (int k = 0; k < p->nreduces; k++)
    dc_buf_printf(t->b, "    %s b%d[4] = { %s, %s, %s, %s };\n", dc_ctype_of(accumulator(p, k)), k, identity_of(p, k),
                  identity_of(p, k), identity_of(p, k), identity_of(p, k));
  dc_buf_printf(t->b, "    for (int step = 0; step < 16 && tile < whole; step++, tile += (%s)gridDim.x) {\n"
                      "#pragma unroll\n      for (int k = 0; k < 4; k++) {\n", t->index);
  char at[96];
  snprintf(at, sizeof at, "tile * %d + k * %d + (%s)threadIdx.x", DC_TILE, DC_BLOCK, t->index);
  emit_take(t, "        ", at, "b%d[k]");
  dc_buf_puts(t->b, "      }\n    }\n");
  for (int k = 0; k < p->nreduces; k++)
    dc_buf_printf(t->b, "    a%d = join%d(a%d, join%d(join%d(b%d[0], b%d[1]), join%d(b%d[2], b%d[3])));\n", k, k, k, k,
                  k, k, k, k, k, k);
  dc_buf_printf(t->b, "  }\n  if ((%s)blockIdx.x == whole %% (%s)gridDim.x) {\n#pragma unroll 1\n", t->index, t->index);
  dc_buf_printf(t->b, "    for (%s i = whole * %d + (%s)threadIdx.x; i < n; i += %d) {\n", t->index, DC_TILE, t->index,
                DC_BLOCK);
  emit_take(t, "      ", "i", "a%d");
  dc_buf_puts(t->b, "    }\n  }\n");
}

static void emit_last_block(const dc_text *t) {
  const dc_program *p = t->p;
  for (int k = 0; k < p->nreduces; k++) dc_buf_printf(t->b, "  a%d = fold%d(a%d);\n", k, k, k);
  dc_buf_puts(t->b, "  if (gridDim.x > 1) {\n    __shared__ bool last;\n    if (threadIdx.x == 0) {\n");
  for (int k = 0; k < p->nreduces; k++) dc_buf_printf(t->b, "      part%d[blockIdx.x] = a%d;\n", k, k);
  dc_buf_puts(t->b, "      __threadfence();\n      atomicMax(&ticket, turn);\n"
                    "      last = (unsigned int)atomicAdd(&ticket, 1ull) == gridDim.x - 1;\n    }\n"
                    "    __syncthreads();\n    if (!last) return;\n    __threadfence();\n");
  for (int k = 0; k < p->nreduces; k++) {
    dc_buf_printf(t->b, "    a%d = %s;\n", k, identity_of(p, k));
    dc_buf_printf(t->b, "    for (unsigned int j = threadIdx.x; j < gridDim.x; j += %d)\n"
                        "      a%d = join%d(a%d, ((volatile %s *)part%d)[j]);\n    a%d = fold%d(a%d);\n",
                  DC_BLOCK, k, k, k, dc_ctype_of(accumulator(p, k)), k, k, k, k);
  }
  dc_buf_puts(t->b, "    if (threadIdx.x == 0) ticket = 0;\n  }\n  if (threadIdx.x != 0) return;\n");
}

void dc_emit_reduction(const dc_text *t) {
  const dc_program *p = t->p;
  for (int k = 0; k < p->nreduces; k++) {
    emit_join(t, k);
    emit_fold(t, k);
  }
  dc_buf_puts(t->b, "__device__ unsigned long long ticket;\n");
  dc_emit_entry(t);
  dc_emit_single_values(t);
  emit_value_lambda(t);
  emit_tiles(t);
  emit_last_block(t);
  for (int k = 0; k < p->nreduces; k++) {
    const dc_step *s = &p->step[p->reduce_step[k]];
    char v[DC_VALUE_TEXT], name[16];
    snprintf(name, sizeof name, "a%d", k);
    dc_convert(name, accumulator(p, k), (dc_dtype)s->dtype, v);
    bool float_sum = s->reduce == DC_REDUCE_SUM && dc_kind_of((dc_dtype)s->dtype) == 'f';
    dc_buf_printf(t->b, "  const %s t%d = %s%s;\n", dc_ctype_of((dc_dtype)s->dtype), p->reduce_step[k],
                  float_sum ? "n == 0 ? 0 : " : "", v); /* the sum of nothing is 0, not -0 */
  }
  dc_emit_steps(t, DC_SCOPE_FINAL, "  ");
  dc_emit_store(t, "  ", "*out");
  dc_buf_puts(t->b, "}\n");
}
