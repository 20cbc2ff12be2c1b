/*
** random.c - random numbers by element: the text of DC_OP_RANDOM.
**
** Philox4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): a keyed bijection
** of 128-bit counters.  The key is the seed; the counter's upper half is the number of the call that made the array,
** the lower half the number of the element over the elements that one counter serves.  So a number depends on seed,
** call and element alone, on every device and for every launch.
**
** uniform: 24 (53) bits over 2^24 (2^53), in [0, 1).  normal: Box and Muller's two from two uniforms, the logarithm of
** one with 32 (53) bits in (0, 1].  exponential: minus the logarithm of such a one.  integer: the upper half of 64 bits
** times the range; values differ in probability by less than 2^-64 of it.
**
** A counter gives four draws of 32 bits or two of 64, an element takes one; normal numbers are made two at a time, from
** the draws of both.  One element alone costs a whole counter; a thread that has neighbouring ones makes them together,
** which gives the same numbers.
**
** The logarithm, the angle's functions and, in single precision, the root are our own.  Their arguments are integers
** over a power of two: nothing exceptional, and little to reduce; each operation rounds once, so every device gives
** the same bits.  A normal number costs two thirds of the instructions that it takes with the library's functions.
*/
#include "array/codegen/random.h"

#include <stdio.h>

#include "array/codegen/ir.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

#define DEVICE "static __device__ __forceinline__ "

static const char philox_text[] =
  DEVICE "uint4 philox(unsigned long long seed, unsigned long long call, unsigned long long at) {\n"
  "  uint4 c = make_uint4((unsigned int)at, (unsigned int)(at >> 32), (unsigned int)call,\n"
  "                       (unsigned int)(call >> 32));\n"
  "  unsigned int k0 = (unsigned int)seed, k1 = (unsigned int)(seed >> 32);\n"
  "#pragma unroll\n"
  "  for (int round = 0; round < 10; round++) {\n"
  "    const unsigned int h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;\n"
  "    const unsigned int h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;\n"
  "    c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);\n"
  "    k0 += 0x9E3779B9u;\n    k1 += 0xBB67AE85u;\n  }\n  return c;\n}\n";

/* draw: the bits of element i; pair: those of the two elements that i is one of; draws: N elements from `at` on, which
** N or a counter's number of draws divides. */
static const char draws_text[] =
  DEVICE "unsigned long long joined(unsigned int low, unsigned int high) {\n"
  "  return (unsigned long long)high << 32 | low;\n}\n"
  DEVICE "uint2 pair32(unsigned long long seed, unsigned long long call, unsigned long long i) {\n"
  "  const uint4 c = philox(seed, call, i >> 2);\n"
  "  return i & 2 ? make_uint2(c.z, c.w) : make_uint2(c.x, c.y);\n}\n"
  DEVICE "ulonglong2 pair64(unsigned long long seed, unsigned long long call, unsigned long long i) {\n"
  "  const uint4 c = philox(seed, call, i >> 1);\n"
  "  return make_ulonglong2(joined(c.x, c.y), joined(c.z, c.w));\n}\n"
  "template <typename T> " DEVICE "auto one_of(T pair, unsigned long long i) { return i & 1 ? pair.y : pair.x; }\n"
  DEVICE "unsigned int draw32(unsigned long long seed, unsigned long long call, unsigned long long i) {\n"
  "  return one_of(pair32(seed, call, i), i);\n}\n"
  DEVICE "unsigned long long draw64(unsigned long long seed, unsigned long long call, unsigned long long i) {\n"
  "  return one_of(pair64(seed, call, i), i);\n}\n"
  "template <typename T, int N, typename F>\n"
  DEVICE "void draws32(T (&to)[N], unsigned long long seed, unsigned long long call, unsigned long long at, F two) {\n"
  "#pragma unroll\n  for (int j = 0; j < N; j += 2) {\n"
  "    const uint4 c = philox(seed, call, (at >> 2) + (j >> 2));\n"
  "    const bool upper = N < 4 ? at & 2 : j & 2;\n"
  "    const auto v = upper ? two(c.z, c.w) : two(c.x, c.y);\n"
  "    to[j] = v.x;\n    to[j + 1] = v.y;\n  }\n}\n"
  "template <typename T, int N, typename F>\n"
  DEVICE "void draws64(T (&to)[N], unsigned long long seed, unsigned long long call, unsigned long long at, F two) {\n"
  "#pragma unroll\n  for (int j = 0; j < N; j += 2) {\n"
  "    const ulonglong2 d = pair64(seed, call, at + j);\n"
  "    const auto v = two(d.x, d.y);\n"
  "    to[j] = v.x;\n    to[j + 1] = v.y;\n  }\n}\n";

/* minus_2_log(w) is -2 ln((w + 1) / 2^32), with w + 1 rounded to a float: 2^e m with m in [2/3, 4/3), whose logarithm
** is a polynomial in m - 1, minimal in its relative error of 2.6e-8.  Error below 2 units in the last place. */
static const char log_text[] =
  DEVICE "float minus_2_log(unsigned int w) {\n"
  "  const int d = __float_as_int((float)w + 1.0f) - (0x3f2aaaab + (32 << 23)), e = d & 0xff800000;\n"
  "  const float f = __int_as_float(d - e + 0x3f2aaaab) - 1.0f;\n"
  "  float p = -0.280527264f;\n"
  "  p = __fmaf_rn(p, f, 0.307770759f);\n"
  "  p = __fmaf_rn(p, f, -0.279916137f);\n"
  "  p = __fmaf_rn(p, f, 0.328319222f);\n"
  "  p = __fmaf_rn(p, f, -0.400223374f);\n"
  "  p = __fmaf_rn(p, f, 0.500156403f);\n"
  "  p = __fmaf_rn(p, f, -0.666663945f);\n"
  "  p = __fmaf_rn(p, f, 0.999998748f);\n"
  "  p = __fmaf_rn(p, f, -2.0f);\n"
  "  return __fmaf_rn(p, f, (float)e * -1.65259175e-7f);\n}\n"; /* e is 2^23 times the exponent: -2 ln 2 / 2^23 */

/* root: the square root, rounded, of 0 and of what is far from the ends of the range; sqrtf minds the ends, with a
** branch.  The correction (Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990)
** makes the same of any estimate that is good to the last place: that holds for each of the 2^24 arguments from 1 to 4,
** on a GPU and on the CPU device.
** turn: cosine and sine of 2 pi (w >> 8) / 2^24, by the nearest quarter turn and a rest g of it in [-1/2, 1/2): minimal
** polynomials, with errors below 2 units in the last place. */
static const char circle_text[] =
  DEVICE "float root(float x) {\n"
  "  float y;\n"
  "  asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(fmaxf(x, 1e-30f)));\n"
  "  const float r = x * y;\n"
  "  return __fmaf_rn(__fmaf_rn(-r, r, x), 0.5f * y, r);\n}\n"
  DEVICE "float2 turn(unsigned int w) {\n"
  "  const unsigned int x = w + 0x20000000u;\n" /* its upper two bits are the quarter */
  "  const float g = __int_as_float((x >> 7 & 0x7ffffe) | 0x3f800000) - 1.5f, q = g * g;\n"
  "  float s = -0.00460165786f, c = -0.0204172824f;\n"
  "  s = __fmaf_rn(s, q, 0.079680033f);\n"
  "  s = __fmaf_rn(s, q, -0.64596349f);\n"
  "  s = __fmaf_rn(s, q, 1.57079637f) * g;\n"
  "  c = __fmaf_rn(c, q, 0.25360322f);\n"
  "  c = __fmaf_rn(c, q, -1.23369765f);\n"
  "  c = __fmaf_rn(c, q, 1.0f);\n"
  "  const bool odd = x & 0x40000000u;\n"
  "  const unsigned int minus_c = (x + 0x40000000u) & 0x80000000u, minus_s = x & 0x80000000u;\n"
  "  return make_float2(__uint_as_float(__float_as_uint(odd ? s : c) ^ minus_c),\n"
  "                     __uint_as_float(__float_as_uint(odd ? c : s) ^ minus_s));\n}\n";

/* The same in double precision: -2 ln((w + 1) / 2^53) for w below 2^53, which is exact as a double; e is 2^20 times the
** exponent.  Integers become doubles by way of the numbers from 2^52 on, whose last place is 1.  The polynomial's
** relative error is 6e-17. */
static const char log64_text[] =
  DEVICE "double minus_2_log64(unsigned long long w) {\n"
  "  const double x = (__hiloint2double(0x45300000, (int)((w + 1) >> 32)) - 19342813118337666422669312.0) +\n"
  "                   __hiloint2double(0x43300000, (int)(w + 1));\n"
  "  const int d = __double2hiint(x) - (0x3fe55555 + (53 << 20)), e = d & 0xfff00000;\n"
  "  const double f = __hiloint2double(d - e + 0x3fe55555, __double2loint(x)) - 1.0;\n"
  "  double p = 0.16492664274912847;\n"
  "  p = __fma_rn(p, f, -0.1731970192809564);\n"
  "  p = __fma_rn(p, f, 0.09530051311936005);\n"
  "  p = __fma_rn(p, f, -0.10110975911944801);\n"
  "  p = __fma_rn(p, f, 0.1270089785123427);\n"
  "  p = __fma_rn(p, f, -0.13543430872811377);\n"
  "  p = __fma_rn(p, f, 0.1427082370549287);\n"
  "  p = __fma_rn(p, f, -0.15369044394998863);\n"
  "  p = __fma_rn(p, f, 0.16667327427621006);\n"
  "  p = __fma_rn(p, f, -0.18182509094050595);\n"
  "  p = __fma_rn(p, f, 0.19999982873819308);\n"
  "  p = __fma_rn(p, f, -0.22222204315260688);\n"
  "  p = __fma_rn(p, f, 0.2500000023952704);\n"
  "  p = __fma_rn(p, f, -0.2857142882186923);\n"
  "  p = __fma_rn(p, f, 0.3333333333181494);\n"
  "  p = __fma_rn(p, f, -0.3999999999841245);\n"
  "  p = __fma_rn(p, f, 0.5000000000000282);\n"
  "  p = __fma_rn(p, f, -0.6666666666666962);\n"
  "  p = __fma_rn(p, f, 1.0);\n"
  "  p = __fma_rn(p, f, -2.0);\n"
  "  const double n = __hiloint2double(0x43300000, e ^ 0x80000000) - 4503601774854144.0;\n"
  "  return __fma_rn(p, f, n * -1.3220733271788507e-06);\n}\n";

/* turn, of 2 pi (w >> 11) / 2^53. */
static const char circle64_text[] =
  DEVICE "double signed64(double v, unsigned int sign) {\n"
  "  return __hiloint2double(__double2hiint(v) ^ (int)(sign & 0x80000000u), __double2loint(v));\n}\n"
  DEVICE "double2 turn64(unsigned long long w) {\n"
  "  const unsigned long long x = w + 0x2000000000000000ull;\n"
  "  const unsigned int high = (unsigned int)(x >> 32);\n"
  "  const unsigned long long rest = (x >> 10 & 0xffffffffffffeull) | 0x3ff0000000000000ull;\n"
  "  const double g = __longlong_as_double((long long)rest) - 1.5, q = g * g;\n"
  "  double s = 5.642225369163528e-08, c = -6.329396344967424e-09;\n"
  "  s = __fma_rn(s, q, -3.5987029509735105e-06);\n"
  "  s = __fma_rn(s, q, 0.00016044116661409423);\n"
  "  s = __fma_rn(s, q, -0.004681754134254207);\n"
  "  s = __fma_rn(s, q, 0.07969262624614423);\n"
  "  s = __fma_rn(s, q, -0.6459640975062462);\n"
  "  s = __fma_rn(s, q, 1.5707963267948966) * g;\n"
  "  c = __fma_rn(c, q, 4.710678405505227e-07);\n"
  "  c = __fma_rn(c, q, -2.5202039028029178e-05);\n"
  "  c = __fma_rn(c, q, 0.0009192602745468447);\n"
  "  c = __fma_rn(c, q, -0.020863480763340773);\n"
  "  c = __fma_rn(c, q, 0.2536695079010478);\n"
  "  c = __fma_rn(c, q, -1.2337005501361697);\n"
  "  c = __fma_rn(c, q, 1.0);\n"
  "  const bool odd = high & 0x40000000u;\n"
  "  return make_double2(signed64(odd ? s : c, high + 0x40000000u), signed64(odd ? c : s, high));\n}\n";

static const char values_text[] =
  DEVICE "float uniform32(unsigned int w) { return (float)(w >> 8) * 5.9604644775390625e-8f; }\n"
  DEVICE "double uniform64(unsigned long long w) { return (double)(w >> 11) * 1.1102230246251565e-16; }\n"
  DEVICE "float exponential32(unsigned int w) { return 0.5f * minus_2_log(w); }\n"
  DEVICE "double exponential64(unsigned long long w) { return 0.5 * minus_2_log64(w >> 11); }\n"
  DEVICE "float2 normal32(unsigned int a, unsigned int b) {\n"
  "  const float r = root(minus_2_log(a));\n"
  "  const float2 t = turn(b);\n"
  "  return make_float2(r * t.x, r * t.y);\n}\n"
  DEVICE "double2 normal64(unsigned long long a, unsigned long long b) {\n"
  "  const double r = sqrt(minus_2_log64(a >> 11));\n"
  "  const double2 t = turn64(b);\n"
  "  return make_double2(r * t.x, r * t.y);\n}\n"
  DEVICE "long long integer64(unsigned long long w, unsigned long long range) {\n" /* 0 stands for 2^64 */
  "  return (long long)(range ? __umul64hi(w, range) : w);\n}\n";

void dc_emit_random_prelude(dc_buf *b) {
  dc_buf_puts(b, philox_text);
  dc_buf_puts(b, draws_text);
  dc_buf_puts(b, log_text);
  dc_buf_puts(b, circle_text);
  dc_buf_puts(b, log64_text);
  dc_buf_puts(b, circle64_text);
  dc_buf_puts(b, values_text);
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
    dc_buf_printf(b, "one_of([](auto d) { return normal%d(d.x, d.y); }(pair%d(%s, %s, %s)), %s)", bits, bits, seed,
                  call, i, i);
  else if (kind == DC_RANDOM_INTEGER)
    dc_buf_printf(b, "integer64(draw64(%s, %s, %s), %s)", seed, call, i, range);
  else dc_buf_printf(b, "%s%d(draw%d(%s, %s, %s))", name, bits, bits, seed, call, i);
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
  const bool single = d == DC_FLOAT32;
  const int bits = single ? 32 : 64;
  const char *draw = single ? "unsigned int" : "unsigned long long", *name = name_of((dc_random)s->as);
  char of[3][DC_VALUE_TEXT];
  stream_of(t, s, of);
  dc_buf_printf(t->b, "%s%s z%d[%d];\n%sdraws%d(z%d, %s, %s, (unsigned %s)(%s), [&](%s a, %s b) { return ", indent,
                dc_ctype_of(d), k, n, indent, bits, k, of[0], of[1], t->index, at, draw, draw);
  if (s->as == DC_RANDOM_NORMAL) dc_buf_printf(t->b, "normal%d(a, b); });\n", bits);
  else if (s->as == DC_RANDOM_INTEGER)
    dc_buf_printf(t->b, "make_longlong2(integer64(a, %s), integer64(b, %s)); });\n", of[2], of[2]);
  else
    dc_buf_printf(t->b, "make_%s(%s%d(a), %s%d(b)); });\n", single ? "float2" : "double2", name, bits, name, bits);
}
