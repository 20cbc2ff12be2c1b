/* random.c - random numbers by element: DC_OP_RANDOM (array/device/random.cu). */
#include "array/codegen/random.h"

#include <stdio.h>

#include "array/codegen/device_text.h"
#include "array/codegen/ir.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

void dc_emit_random_prelude(dc_buf *b) {
  static const char *const names[] = { "random/philox", "random/pairs", "random/draws", "random/log", "random/circle",
                                       "random/log64", "random/circle64", "random/values" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) dc_emit_device_text(b, names[i]);
}

static const char *name_of(dc_random kind) {
  switch (kind) {
    case DC_RANDOM_UNIFORM: return "uniform";
    case DC_RANDOM_NORMAL: return "normal";
    case DC_RANDOM_EXPONENTIAL: return "exponential";
    default: return "integer";
  }
}

void dc_emit_random(dc_buf *b, dc_random kind, dc_dtype t, const char *i, const char *seed, const char *call,
                    const char *range) {
  const int bits = t == DC_FLOAT32 ? 32 : 64;
  const char *name = name_of(kind);
  if (kind == DC_RANDOM_NORMAL)
    dc_buf_printf(b, "one_of([](auto d) { return normal%d(d.x, d.y); }(pair%d(%s, %s, %s + (%s))), %s)", bits, bits,
                  seed, call, range, i, i);
  else if (kind == DC_RANDOM_INTEGER)
    dc_buf_printf(b, "integer64(draw64(%s, %s, %s), %s)", seed, call, i, range);
  else dc_buf_printf(b, "%s%d(draw%d(%s, %s, %s + (%s)))", name, bits, bits, seed, call, range, i);
}

/* --- neighbouring elements together ------------------------------------------------------------------------- */

/* What names the numbers: seed, call, range. */
static void stream_of(const dc_text *t, const dc_instruction *s, char names[3][DC_VALUE_TEXT]) {
  for (int i = 0; i < 3; i++) dc_value_as(t, s->arg[i + 1], DC_UINT64, names[i]);
}

void dc_emit_draw(const dc_text *t, int k, const char *at) {
  const dc_instruction *s = &t->p->ir.code[k];
  char of[3][DC_VALUE_TEXT];
  stream_of(t, s, of);
  dc_emit_random(t->b, (dc_random)s->as, (dc_dtype)s->dtype, at, of[0], of[1], of[2]);
}

void dc_emit_draws(const dc_text *t, int k, int n, const char *at, const char *indent) {
  const dc_instruction *s = &t->p->ir.code[k];
  const dc_dtype d = (dc_dtype)s->dtype;
  const bool single = d == DC_FLOAT32, whole = s->as == DC_RANDOM_INTEGER;
  const int bits = single ? 32 : 64;
  const char *draw = single ? "unsigned int" : "unsigned long long", *name = name_of((dc_random)s->as);
  char of[3][DC_VALUE_TEXT];
  stream_of(t, s, of);
  dc_buf_printf(t->b, "%s%s z%d[%d];\n%sdraws%d(z%d, %s, %s, %s%s(unsigned %s)(%s), [&](%s a, %s b) { return ",
                indent, dc_ctype_of(d), k, n, indent, bits, k, of[0], of[1], whole ? "" : of[2], whole ? "" : " + ",
                t->index, at, draw, draw);
  if (s->as == DC_RANDOM_NORMAL) dc_buf_printf(t->b, "normal%d(a, b); });\n", bits);
  else if (whole)
    dc_buf_printf(t->b, "make_longlong2(integer64(a, %s), integer64(b, %s)); });\n", of[2], of[2]);
  else
    dc_buf_printf(t->b, "make_%s(%s%d(a), %s%d(b)); });\n", single ? "float2" : "double2", name, bits, name, bits);
}
