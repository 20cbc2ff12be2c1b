/*
** elementwise.c - the CUDA C of a program: parameters, operands, and the kernels that compute element by element.
**
** These come in three shapes: one element a thread, several in vector accesses (a pack, or several packs a block's
** width apart, where the device likes that and each operand is without gaps or constant along the last axis), and
** several elements a block's width apart.  Operands that are not flat are reached by coordinates and strides.
** Reductions are reduction.c's and row_block.c's.
*/
#include "array/codegen/emit.h"

#include <stdio.h>
#include <string.h>

/* --- parameters -------------------------------------------------------------------------------------- */

void dc_operand_name(const dc_program *p, const dc_operand *o, char name[16]) {
  if (o == &p->out) snprintf(name, 16, "out");
  else snprintf(name, 16, "x%d", (int)(o - p->leaf));
}

int dc_operand_strides(const dc_program *p, const dc_operand *o) {
  switch (o->layout) {
    case DC_LAYOUT_STRIDED: return p->rank;
    case DC_LAYOUT_ROW: case DC_LAYOUT_UNIT: return p->kept;
    default: return 0;
  }
}

static void emit_stride_params(const dc_text *t, const dc_operand *o) {
  char name[16];
  dc_operand_name(t->p, o, name);
  for (int d = 0; d < dc_operand_strides(t->p, o); d++) dc_buf_printf(t->b, ", %s %s_%d", t->index, name, d);
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

/* The order here is the order in which kernels.c packs. */
static void emit_params(const dc_text *t) {
  const dc_program *p = t->p;
  const char *alone = p->in_place ? "" : "__restrict__ ";
  dc_buf_printf(t->b, "(%s *%sout", dc_stored_as(p->out.dtype), alone);
  for (int i = 0; i < p->nleaves; i++)
    if (!p->leaf[i].index)
      dc_buf_printf(t->b, ", const %s *%sx%d", dc_stored_as(p->leaf[i].dtype), alone, i);
  if (p->kind == DC_ELEMENTS) {
    dc_buf_printf(t->b, ", %s n", t->index);
  } else {
    dc_buf_printf(t->b, ", %s rows, %s length", t->index, t->index);
    if (p->segments > 1) dc_buf_printf(t->b, ", %s segments, %s segment, unsigned long long turn", t->index, t->index);
  }
  if (dc_program_tells(p)) dc_buf_puts(t->b, ", unsigned long long mail, unsigned long long letter");
  emit_stride_params(t, &p->out);
  for (int i = 0; i < p->nleaves; i++) emit_stride_params(t, &p->leaf[i]);
  if (dc_program_has_places(p))
    for (int d = p->tile > 0 ? 0 : 1; d < p->rank; d++) {
      dc_buf_printf(t->b, ", %s n_%d", t->index, d);
      if (dc_program_multiplies(p)) dc_buf_printf(t->b, ", unsigned int by_%d, unsigned int bits_%d", d, d);
    }
  for (int i = 0; i < p->nnumbers; i++) dc_buf_printf(t->b, ", %s s%d", dc_ctype_of(p->number[i].dtype), i);
  dc_buf_puts(t->b, ") {\n");
}

void dc_emit_entry(const dc_text *t) {
  const dc_program *p = t->p;
  const bool columns = p->kind != DC_ELEMENTS && p->mapping == DC_MAP_COLUMNS;
  const bool strips = p->kind != DC_ELEMENTS && p->mapping == DC_MAP_STRIPS;
  const int block = columns ? p->columns * p->threads / p->cluster : strips ? p->threads : DC_BLOCK;
  const int residents = p->kind != DC_ELEMENTS ? dc_reduction_residents(p) : 0;
  dc_buf_printf(t->b, "extern \"C\" __global__ void __launch_bounds__(%d", block);
  if (residents > 0) dc_buf_printf(t->b, ", %d", residents);
  dc_buf_puts(t->b, ") " DC_ENTRY);
  emit_params(t);
}

/* --- operands ---------------------------------------------------------------------------------------- */

void dc_emit_value(const dc_text *t, const char *indent, int leaf, const char *place) {
  const dc_dtype d = t->p->leaf[leaf].dtype;
  char v[DC_VALUE_TEXT];
  dc_from_memory(place, d, v);
  dc_buf_printf(t->b, "%sconst %s v%d = %s;\n", indent, dc_ctype_of(d), leaf, v);
}

void dc_emit_single_values(const dc_text *t) {
  char place[32];
  for (int i = 0; i < t->p->nleaves; i++) {
    if (t->p->leaf[i].layout != DC_LAYOUT_ONE || t->p->leaf[i].bare) continue;
    if (t->p->leaf[i].index) snprintf(place, sizeof place, "0");
    else snprintf(place, sizeof place, "*x%d", i);
    dc_emit_value(t, "  ", i, place);
  }
}

/* The result as it is stored: `place = value;` */
void dc_emit_store(const dc_text *t, const char *indent, const char *place) {
  char v[DC_VALUE_TEXT], name[24], stored[DC_VALUE_TEXT];
  dc_value_as(t, t->p->result, t->p->out.dtype, v);
  if (dc_is_half(t->p->out.dtype)) { /* looked at several times */
    dc_buf_printf(t->b, "%sconst float result = %s;\n", indent, v);
    snprintf(name, sizeof name, "result");
    dc_to_memory(name, t->p->out.dtype, stored);
    dc_buf_printf(t->b, "%s%s = %s;\n", indent, place, stored);
  } else {
    dc_buf_printf(t->b, "%s%s = %s;\n", indent, place, v);
  }
}

static void emit_place(const dc_text *t, const dc_operand *o, const char *indent, const char *suffix, int d,
                       bool begin) {
  char name[16];
  dc_operand_name(t->p, o, name);
  if (begin) dc_buf_printf(t->b, "%s%s %s_%s = c%d * %s_%d;\n", indent, t->index, name, suffix, d, name, d);
  else dc_buf_printf(t->b, "%s%s_%s += c%d * %s_%d;\n", indent, name, suffix, d, name, d);
}

void dc_emit_places(const dc_text *t, const char *indent, const char *from, int first, int end, const char *suffix,
                    bool (*takes)(const dc_operand *o)) {
  const dc_program *p = t->p;
  const dc_operand *o[DC_MAX_LEAVES + 1];
  char rest[16];
  int n = 0;
  if (takes(&p->out)) o[n++] = &p->out;
  for (int i = 0; i < p->nleaves; i++)
    if (takes(&p->leaf[i])) o[n++] = &p->leaf[i];
  if (n == 0) return;
  for (int j = 0; j < n && first == end; j++) { /* no axes: nothing to add */
    dc_operand_name(p, o[j], rest);
    dc_buf_printf(t->b, "%sconst %s %s_%s = 0;\n", indent, t->index, rest, suffix);
  }
  snprintf(rest, sizeof rest, "%s", from);
  for (int d = end - 1; d >= first; d--) {
    if (d > first) {
      if (dc_program_multiplies(p))
        dc_buf_printf(t->b, "%sconst int i%d = (int)((__umulhi((unsigned int)%s, by_%d) + (unsigned int)%s) >> bits_%d)"
                      ";\n", indent, d, rest, d, rest, d);
      else
        dc_buf_printf(t->b, "%sconst %s i%d = (%s)((unsigned long long)%s / (unsigned long long)n_%d);\n", indent,
                      t->index, d, t->index, rest, d);
      dc_buf_printf(t->b, "%sconst %s c%d = %s - i%d * n_%d;\n", indent, t->index, d, rest, d, d);
    } else {
      dc_buf_printf(t->b, "%sconst %s c%d = %s;\n", indent, t->index, d, rest);
    }
    for (int j = 0; j < n; j++) emit_place(t, o[j], indent, suffix, d, d == end - 1);
    snprintf(rest, sizeof rest, "i%d", d);
  }
}

static bool is_strided(const dc_operand *o) { return o->layout == DC_LAYOUT_STRIDED; }

/* Where operand o's element i is, or the elements from `at` on. */
static void element_place(const dc_text *t, const dc_operand *o, const char *at, char place[64]) {
  char name[16];
  dc_operand_name(t->p, o, name);
  const bool flat = o->layout == DC_LAYOUT_FLAT;
  if (o->index) snprintf(place, 64, flat ? "%s" : "%s_at", flat ? at : name);
  else if (flat) snprintf(place, 64, "%s[%s]", name, at);
  else snprintf(place, 64, "%s[%s_at]", name, name);
}

/* The result goes where the offset says. */
static void emit_scatter(const dc_text *t, const char *indent) {
  const dc_program *p = t->p;
  char offset[16], guard[16], place[64], v[DC_VALUE_TEXT];
  dc_name_of(p->offset, offset);
  if (p->guarded) dc_name_of(p->guard, guard);
  const char *at = p->out.layout == DC_LAYOUT_ONE ? "0" : p->out.layout == DC_LAYOUT_FLAT ? "i" : "out_at";
  snprintf(place, sizeof place, "out[%s + %s]", at, offset);
  if (p->guarded) dc_buf_printf(t->b, "%sif (%s) {\n", indent, guard);
  if (p->most) {
    dc_value_as(t, p->result, p->out.dtype, v);
    dc_buf_printf(t->b, "%satomicMax(&%s, %s);\n", indent, place, v);
  } else {
    dc_emit_store(t, indent, place);
  }
  if (p->guarded) dc_buf_printf(t->b, "%s}\n", indent);
}

/* One element a time: values of all operands at element i. */
static void emit_element(const dc_text *t, const char *indent) {
  char place[64];
  dc_emit_places(t, indent, "i", 0, t->p->rank, "at", is_strided);
  for (int i = 0; i < t->p->nleaves; i++) {
    if (t->p->leaf[i].layout == DC_LAYOUT_ONE) continue;
    element_place(t, &t->p->leaf[i], "i", place);
    dc_emit_value(t, indent, i, place);
  }
  dc_emit_steps(t, DC_SCOPE_PASS(0), -1, indent);
  if (t->p->scatters) {
    emit_scatter(t, indent);
    return;
  }
  element_place(t, &t->p->out, "i", place);
  dc_emit_store(t, indent, place);
}

/* --- one element a thread ------------------------------------------------------------------------------ */

/* Several elements a thread: what a thread does before its first element is paid once.  They are a block's width apart
** or, on the CPU device, a warp's, so that what a warp touches is in one piece.  Only where the whole block has all of
** them is the loop unrolled. */
static void emit_rounds(const dc_text *t) {
  const bool warps = !t->p->dev->target.gpu;
  const int rounds = t->p->rounds, width = warps ? 32 : DC_BLOCK;
  const char *i = t->index;
  dc_emit_entry(t);
  dc_emit_single_values(t);
  dc_buf_printf(t->b, "  auto element = [&](const %s i) {\n", i);
  emit_element(t, "    ");
  dc_buf_printf(t->b, "  };\n  const %s first = (%s)blockIdx.x * %d", i, i, DC_BLOCK * rounds);
  if (warps) dc_buf_printf(t->b, " + (%s)threadIdx.y * %d", i, width * rounds);
  dc_buf_printf(t->b, ";\n  if (first + %d <= n) {\n#pragma unroll\n", width * rounds);
  dc_buf_printf(t->b, "    for (int k = 0; k < %d; k++) element(first + k * %d + (%s)threadIdx.x);\n", rounds, width,
                i);
  if (warps) /* i stays what all lanes of a warp have in step */
    dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (int k = 0; k < %d; k++) {\n      const %s i = first + "
                  "k * %d + (%s)threadIdx.x;\n      if (i < n) element(i);\n    }\n  }\n}\n", rounds, i, width, i);
  else
    dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (%s i = first + (%s)threadIdx.x; i < n; i += %d) "
                  "element(i);\n  }\n}\n", i, i, width);
}

static void emit_plain(const dc_text *t) {
  dc_emit_entry(t);
  dc_buf_printf(t->b, "  const %s i = (%s)blockIdx.x * %d + (%s)threadIdx.x;\n  if (i >= n) return;\n", t->index,
                t->index, DC_BLOCK, t->index);
  dc_emit_single_values(t);
  emit_element(t, "  ");
  dc_buf_puts(t->b, "}\n");
}

/* --- several elements a thread ---------------------------------------------------------------------------- */

/* A pack's first element as an lvalue of type pack. */
static void pack_place(const dc_text *t, const dc_operand *o, char place[160]) {
  char name[16];
  dc_operand_name(t->p, o, name);
  const char *constant = o == &t->p->out ? "" : "const ";
  if (o->layout == DC_LAYOUT_FLAT)
    snprintf(place, 160, "*(%spack<%s> *)(%s + first)", constant, dc_stored_as(o->dtype), name);
  else snprintf(place, 160, "*(%spack<%s> *)(%s + %s_at)", constant, dc_stored_as(o->dtype), name, name);
}

static bool loads_pack(const dc_operand *o) { return o->packed && !o->index; }

/* Only flat programs end amid a pack. */
static void emit_pack_loads(const dc_text *t, bool flat) {
  const dc_program *p = t->p;
  char place[160];
  bool any = false;
  for (int k = 0; k < p->nleaves; k++) {
    if (!loads_pack(&p->leaf[k])) continue;
    any = true;
    dc_buf_printf(t->b, "  pack<%s> p%d;\n", dc_stored_as(p->leaf[k].dtype), k);
  }
  dc_buf_printf(t->b, "  pack<%s> po;\n", dc_stored_as(p->out.dtype));
  const char *known = p->rounds > 1 ? "inside || " : "";
  if (flat) dc_buf_printf(t->b, "  const bool whole = %sfirst + %d <= n;\n", known, p->lanes);
  if (!any) return;
  if (flat) dc_buf_puts(t->b, "  if (whole) {\n");
  for (int k = 0; k < p->nleaves; k++) {
    if (!loads_pack(&p->leaf[k])) continue;
    pack_place(t, &p->leaf[k], place);
    dc_buf_printf(t->b, "  %sp%d = %s;\n", flat ? "  " : "", k, place);
  }
  if (!flat) return;
  dc_buf_printf(t->b, "  } else {\n#pragma unroll\n    for (int k = 0; k < %d; k++) {\n", p->lanes);
  dc_buf_puts(t->b, "      const bool in = first + k < n;\n");
  for (int k = 0; k < p->nleaves; k++)
    if (loads_pack(&p->leaf[k])) dc_buf_printf(t->b, "      p%d.v[k] = x%d[in ? first + k : first];\n", k, k);
  dc_buf_puts(t->b, "    }\n  }\n");
}

static void emit_pack_draws(const dc_text *t) {
  const dc_program *p = t->p;
  char place[32];
  for (int i = 0; i < p->nsteps; i++) {
    if (!dc_random_drawn(p, &p->step[i])) continue;
    const int leaf = p->step[i].arg[0].index;
    if (p->leaf[leaf].layout == DC_LAYOUT_FLAT) snprintf(place, sizeof place, "first");
    else snprintf(place, sizeof place, "x%d_at", leaf);
    dc_emit_draws(t, i, p->lanes, place, "  ");
  }
}

/* The values that are one for the whole pack, then the pack element by element. */
static void emit_pack_elements(const dc_text *t) {
  const dc_program *p = t->p;
  char place[64], at[16];
  for (int k = 0; k < p->nleaves; k++) {
    const dc_operand *o = &p->leaf[k];
    if (o->layout == DC_LAYOUT_ONE || o->packed) continue;
    element_place(t, o, "first", place);
    dc_emit_value(t, "  ", k, place);
  }
  emit_pack_draws(t);
  dc_buf_printf(t->b, "#pragma unroll\n  for (int k = 0; k < %d; k++) {\n", p->lanes);
  for (int k = 0; k < p->nleaves; k++) {
    const dc_operand *o = &p->leaf[k];
    if (!o->packed) continue;
    snprintf(at, sizeof at, "x%d_at", k);
    if (o->index) snprintf(place, sizeof place, "%s + k", o->layout == DC_LAYOUT_FLAT ? "first" : at);
    else snprintf(place, sizeof place, "p%d.v[k]", k);
    dc_emit_value(t, "    ", k, place);
  }
  dc_emit_steps(t, DC_SCOPE_PASS(0), -1, "    ");
  dc_emit_store(t, "    ", "po.v[k]");
  dc_buf_puts(t->b, "  }\n");
}

/* The pack whose first element is `first`. With several a thread, `inside` says that all of them end before n. */
static void emit_pack(const dc_text *t, bool flat) {
  const dc_program *p = t->p;
  char place[160];
  dc_emit_places(t, "  ", "first", 0, p->rank, "at", is_strided);
  emit_pack_loads(t, flat);
  emit_pack_elements(t);
  pack_place(t, &p->out, place);
  if (!flat) {
    dc_buf_printf(t->b, "  %s = po;\n", place);
    return;
  }
  dc_buf_printf(t->b, "  if (whole) {\n    %s = po;\n  } else {\n#pragma unroll\n", place);
  dc_buf_printf(t->b, "    for (int k = 0; k < %d; k++)\n      if (first + k < n) out[first + k] = po.v[k];\n  }\n",
                p->lanes);
}

/* The packs of a thread, as text for each: only the last block has a loop. */
static void emit_unrolled(const dc_text *t) {
  const dc_program *p = t->p;
  const int pitch = DC_BLOCK * p->lanes, block = pitch * p->rounds;
  const char *i = t->index;
  dc_buf_printf(t->b, "  const %s begin = (%s)blockIdx.x * %d, mine = begin + (%s)threadIdx.x * %d;\n", i, i, block, i,
                p->lanes);
  dc_buf_printf(t->b, "  if (begin + %d <= n) {\n#pragma unroll\n    for (int k = 0; k < %d; k++) "
                "one(mine + k * %d, true);\n", block, p->rounds, pitch);
  dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (%s first = mine; first < n; first += %d) "
                "one(first, false);\n  }\n", i, pitch);
}

/* The packs of a thread, one after another by the same text.  The grid tells how many they are. */
static void emit_loop(const dc_text *t) {
  const dc_program *p = t->p;
  const int pitch = DC_BLOCK * p->lanes;
  const char *i = t->index;
  dc_buf_printf(t->b, "  const %s block = (%s)gridDim.x * %d < n ? %d : %d, begin = (%s)blockIdx.x * block;\n", i, i,
                pitch, pitch * p->rounds, pitch, i);
  dc_buf_printf(t->b, "  const %s end = begin + block <= n ? begin + block : n;\n#pragma unroll 1\n  for (%s first = "
                "begin + (%s)threadIdx.x * %d; first < end; first += %d) one(first, begin + block <= n);\n", i, i, i,
                p->lanes, pitch);
}

static void emit_packed(const dc_text *t) {
  const dc_program *p = t->p;
  const bool flat = !dc_program_has_places(p);
  const char *i = t->index;
  dc_buf_printf(t->b, "template <typename T> struct __align__(sizeof(T) * %d) pack { T v[%d]; };\n", p->lanes,
                p->lanes);
  dc_emit_entry(t);
  dc_emit_single_values(t);
  if (p->rounds == 1) {
    dc_buf_printf(t->b, "  const %s first = ((%s)blockIdx.x * %d + (%s)threadIdx.x) * %d;\n  if (first >= n) return;\n",
                  i, i, DC_BLOCK, i, p->lanes);
    emit_pack(t, flat);
    dc_buf_puts(t->b, "}\n");
    return;
  }
  dc_buf_printf(t->b, "  auto one = [&](const %s first, const bool inside) {\n", i);
  emit_pack(t, flat);
  dc_buf_puts(t->b, "  };\n");
  if (p->looped) emit_loop(t);
  else emit_unrolled(t);
  dc_buf_puts(t->b, "}\n");
}

void dc_generate(const dc_program *p, dc_buf *text) {
  dc_text t = { .p = p, .b = text, .index = p->wide ? "long long" : "int" };
  dc_emit_prelude(&t);
  if (p->kind != DC_ELEMENTS && p->mapping == DC_MAP_STRIPS) dc_emit_strips(&t);
  else if (p->kind != DC_ELEMENTS) dc_emit_rows(&t);
  else if (p->tile > 0) dc_emit_tiles(&t);
  else if (p->lanes > 1) emit_packed(&t);
  else if (p->rounds > 1) emit_rounds(&t);
  else emit_plain(&t);
}
