/*
** generate_carry.c - the CUDA C for values of a row's elements that carry.c has lie in shared memory: kx0 … of
** operands, kt0 … of steps.
*/
#include <stdio.h>

#include "array/generate.h"

static bool is_fetched(const dc_operand *o) { return o->carried != 0 && o->loaded == 0; }

static bool fetches(const dc_program *p) {
  for (int i = 0; i < p->nleaves; i++)
    if (is_fetched(&p->leaf[i])) return true;
  return false;
}

void dc_emit_fetch_function(const dc_text *t) {
  if (!fetches(t->p)) return;
  dc_buf_puts(t->b, "template <int N> static __device__ __forceinline__ void bring(void *to, const void *from) {\n"
                    "  const unsigned int s = (unsigned int)__cvta_generic_to_shared(to);\n"
                    "  const size_t g = __cvta_generic_to_global(from);\n"
                    "  if constexpr (N == 16) asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: "
                    "\"r\"(s), \"l\"(g) : \"memory\");\n"
                    "  else asm volatile(\"cp.async.ca.shared.global [%0], [%1], %2;\" :: "
                    "\"r\"(s), \"l\"(g), \"n\"(N) : \"memory\");\n}\n");
}

void dc_emit_carried_places(const dc_text *t) {
  const dc_program *p = t->p;
  if (p->carried == 0) return;
  dc_buf_printf(t->b, "  extern __shared__ double2 carried[];\n  const int span = ((int)length + 15) / 16 * 16;\n"
                "  char *const here = (char *)carried + (threadIdx.x / %d) * span * %d;\n", p->threads, p->carried);
  for (int i = 0; i < p->nleaves; i++) {
    const char *type = dc_stored_as(p->leaf[i].dtype);
    if (p->leaf[i].carried != 0)
      dc_buf_printf(t->b, "  %s *const kx%d = (%s *)(here + span * %d);\n", type, i, type, p->leaf[i].place);
  }
  for (int i = 0; i < p->nsteps; i++) {
    const char *type = dc_stored_as((dc_dtype)p->step[i].dtype);
    if (p->step[i].carried != 0)
      dc_buf_printf(t->b, "  %s *const kt%d = (%s *)(here + span * %d);\n", type, i, type, p->step[i].place);
  }
}

void dc_emit_fetches(const dc_text *t) {
  const dc_program *p = t->p;
  if (!fetches(p)) return;
  for (int i = 0; i < p->nleaves; i++) {
    const dc_operand *o = &p->leaf[i];
    const int size = (int)dc_dtype_size(o->dtype), lanes = o->packed ? 16 / size : 1;
    if (!is_fetched(o)) continue;
    dc_buf_printf(t->b, "#pragma unroll 8\n  for (%s r = y * %d; r + %d <= last; r += %d)\n"
                  "    bring<%d>(kx%d + r, x%d + x%d_row + r);\n", t->index, lanes, lanes, p->threads * lanes,
                  size * lanes, i, i, i);
    if (o->packed)
      dc_buf_printf(t->b, "  for (%s r = last / %d * %d + y; r < last; r += %d) kx%d[r] = x%d[x%d_row + r];\n",
                    t->index, lanes, lanes, p->threads, i, i, i);
  }
  dc_buf_puts(t->b, "  asm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n  __syncthreads();\n");
}

void dc_emit_carried_steps(const dc_text *t, int pass, const char *indent) {
  const dc_program *p = t->p;
  char place[32], v[DC_VALUE_TEXT];
  for (int i = 0; i < p->nsteps; i++) {
    const dc_dtype d = (dc_dtype)p->step[i].dtype;
    if (!dc_in_pass(p->step[i].carried, pass)) continue;
    snprintf(place, sizeof place, "kt%d[r]", i);
    dc_from_memory(place, d, v);
    dc_buf_printf(t->b, "%sconst %s t%d = %s;\n", indent, dc_ctype_of(d), i, v);
  }
}

void dc_emit_carry(const dc_text *t, int pass, const char *indent, const char *guard) {
  const dc_program *p = t->p;
  char name[16], v[DC_VALUE_TEXT];
  for (int i = 0; i < p->nleaves; i++) {
    if (p->leaf[i].carried == 0 || !dc_in_pass(p->leaf[i].loaded, pass)) continue;
    snprintf(name, sizeof name, "v%d", i);
    dc_to_memory(name, p->leaf[i].dtype, v);
    dc_buf_printf(t->b, "%s%skx%d[r] = %s;\n", indent, guard, i, v);
  }
  for (int i = 0; i < p->nsteps; i++) {
    if (p->step[i].carried == 0 || !dc_in_pass(p->step[i].scopes, pass)) continue;
    snprintf(name, sizeof name, "t%d", i);
    dc_to_memory(name, (dc_dtype)p->step[i].dtype, v);
    dc_buf_printf(t->b, "%s%skt%d[r] = %s;\n", indent, guard, i, v);
  }
}
