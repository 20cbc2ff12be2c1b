/* prelude.c - see prelude.h.  A kernel gets only the functions that it needs, since each takes time to compile. */
#include "array/codegen/prelude.h"

#include <string.h>

#include "array/codegen/complex.h"
#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/codegen/random.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

/* --- 16-bit floats --------------------------------------------------------------------------------------- */

static const char half_text[] =
  "static __device__ __forceinline__ float half_value(unsigned short b) {\n"
  "  float f;\n  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(b));\n  return f;\n}\n"
  "static __device__ __forceinline__ unsigned short half_bits(float f) {\n"
  "  unsigned short b;\n  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(b) : \"f\"(f));\n  return b;\n}\n"
  "static __device__ __forceinline__ float half_round(float f) { return half_value(half_bits(f)); }\n";

static const char brain_text[] =
  "static __device__ __forceinline__ float brain_value(unsigned short b) {\n"
  "  return __uint_as_float((unsigned int)b << 16);\n}\n"
  "static __device__ __forceinline__ unsigned short brain_bits(float f) {\n"
  "  const unsigned int u = __float_as_uint(f);\n"
  "  return f != f ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);\n}\n"
  "static __device__ __forceinline__ float brain_round(float f) { return brain_value(brain_bits(f)); }\n";

/* The next number from a toward b, another one, is a step of the bits; equal ones give b, as C's nextafter does. */
static const char step_text[] =
  "static __device__ __forceinline__ unsigned short step_bits(unsigned short bits, float a, float b) {\n"
  "  if (a == 0) return b < 0 ? 0x8001 : 1;\n  return (unsigned short)(bits + ((a < b) == (a > 0) ? 1 : -1));\n}\n";

static const char half_next_text[] =
  "static __device__ __forceinline__ float half_next(float a, float b) {\n"
  "  return a < b || a > b ? half_value(step_bits(half_bits(a), a, b)) : a == b ? b : a + b;\n}\n";

static const char brain_next_text[] =
  "static __device__ __forceinline__ float brain_next(float a, float b) {\n"
  "  return a < b || a > b ? brain_value(step_bits(brain_bits(a), a, b)) : a == b ? b : a + b;\n}\n";

static const char odd_text[] =
  "static __device__ __forceinline__ float odd_float(double d) {\n"
  "  const float f = __double2float_rz(d);\n"
  "  return (double)f == d ? f : __uint_as_float(__float_as_uint(f) | 1);\n}\n"
  "static __device__ __forceinline__ float odd_float(long long v) {\n"
  "  const double d = __ll2double_rz(v);\n"
  "  return odd_float((long long)d == v ? d : __longlong_as_double(__double_as_longlong(d) | 1));\n}\n"
  "static __device__ __forceinline__ float odd_float(unsigned long long v) {\n"
  "  const double d = __ull2double_rz(v);\n"
  "  return odd_float((unsigned long long)d == v ? d : __longlong_as_double(__double_as_longlong(d) | 1));\n}\n";

/* --- complex numbers --------------------------------------------------------------------------------------- */

/* Division: Smith, Algorithm 116, 1962. */
static const char complex_text[] =
  "template <typename R> struct __align__(2 * sizeof(R)) complex { R x, y; };\n"
  "typedef complex<float> c64;\ntypedef complex<double> c128;\n"
  "#define FN template <typename R> static __device__ __forceinline__\n"
  "FN complex<R> operator+(complex<R> a, complex<R> b) { return { a.x + b.x, a.y + b.y }; }\n"
  "FN complex<R> operator-(complex<R> a, complex<R> b) { return { a.x - b.x, a.y - b.y }; }\n"
  "FN complex<R> operator-(complex<R> a) { return { -a.x, -a.y }; }\n"
  "FN complex<R> operator*(complex<R> a, complex<R> b) { return { a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x }; }\n"
  "FN complex<R> operator/(complex<R> a, complex<R> b) {\n"
  "  if (fabs(b.x) >= fabs(b.y)) {\n"
  "    if (b.x == 0 && b.y == 0) return { a.x / b.x, a.y / b.x };\n"
  "    const R q = b.y / b.x, d = b.x + b.y * q;\n    return { (a.x + a.y * q) / d, (a.y - a.x * q) / d };\n  }\n"
  "  const R q = b.x / b.y, d = b.x * q + b.y;\n  return { (a.x * q + a.y) / d, (a.y * q - a.x) / d };\n}\n";

/* --- integers ------------------------------------------------------------------------------------------------ */

static const char division_text[] =
  "template <typename T, typename U> static __device__ __forceinline__ T floor_div(T a, T b) {\n"
  "  if (b == 0) return 0;\n  if (b == (T)-1 && (T)-1 < 0) return (T)(0 - (U)a);\n"
  "  const T q = a / b;\n  return q - (a % b != 0 && (a < 0) != (b < 0));\n}\n"
  "template <typename T, typename U> static __device__ __forceinline__ T floor_mod(T a, T b) {\n"
  "  if (b == 0 || (b == (T)-1 && (T)-1 < 0)) return 0;\n"
  "  const T r = a % b;\n  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n"
  "template <typename R> static __device__ __forceinline__ R float_mod(R a, R b) {\n"
  "  const R r = fmod(a, b);\n  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n";

/* By squaring, wrapping around.  By a negative exponent what 1 // a^-b would be, were it rounded toward 0. */
static const char power_text[] =
  "template <typename T, typename U> static __device__ __forceinline__ T whole_power(T a, T b) {\n"
  "  if (b < 0) return a == 1 ? 1 : a != (T)-1 ? 0 : b & 1 ? (T)-1 : 1;\n"
  "  U p = 1, s = (U)a;\n"
  "  for (U n = (U)b; n != 0; n >>= 1) {\n    if (n & 1) p *= s;\n    s *= s;\n  }\n  return (T)p;\n}\n";

/* Exactly, whatever the dtypes: -1, 0, 1, and 2 where there is no order. A double of integer value is converted and
** compared as an integer; else its fraction decides. */
static const char compare_text[] =
  "static __device__ __forceinline__ int compare(double a, double b) {\n"
  "  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;\n}\n"
  "static __device__ __forceinline__ int compare(long long a, long long b) { return (a > b) - (a < b); }\n"
  "static __device__ __forceinline__ int compare(unsigned long long a, unsigned long long b) {\n"
  "  return (a > b) - (a < b);\n}\n"
  "static __device__ __forceinline__ int compare(long long a, unsigned long long b) {\n"
  "  return a < 0 ? -1 : compare((unsigned long long)a, b);\n}\n"
  "static __device__ __forceinline__ int compare(unsigned long long a, long long b) { return -compare(b, a); }\n"
  "static __device__ __forceinline__ int compare(long long a, double b) {\n"
  "  if (b != b) return 2;\n  if (b >= 9223372036854775808.0) return -1;\n"
  "  if (b < -9223372036854775808.0) return 1;\n"
  "  const long long t = __double2ll_rz(b);\n  return a != t ? (a < t ? -1 : 1) : compare(0.0, b - (double)t);\n}\n"
  "static __device__ __forceinline__ int compare(unsigned long long a, double b) {\n"
  "  if (b != b) return 2;\n  if (b >= 18446744073709551616.0) return -1;\n  if (b < 0) return 1;\n"
  "  const unsigned long long t = __double2ull_rz(b);\n"
  "  return a != t ? (a < t ? -1 : 1) : compare(0.0, b - (double)t);\n}\n"
  "static __device__ __forceinline__ int compare(double a, long long b) {\n"
  "  const int c = compare(b, a);\n  return c == 2 ? 2 : -c;\n}\n"
  "static __device__ __forceinline__ int compare(double a, unsigned long long b) {\n"
  "  const int c = compare(b, a);\n  return c == 2 ? 2 : -c;\n}\n";

/* --- which ones a program needs ----------------------------------------------------------------------------------- */

typedef struct dc_needs {
  bool half, brain, next, complex, division, power, compare, random;
  uint32_t complex_functions;
} dc_needs;

static void need_dtype(dc_needs *n, dc_dtype t) {
  if (t == DC_DTYPE_NONE) return;
  if (t == DC_FLOAT16) n->half = true;
  if (t == DC_BFLOAT16) n->brain = true;
  if (dc_kind_of(t) == 'c') n->complex = true;
}

static void need_step(dc_needs *n, const dc_program *p, const dc_instruction *s) {
  need_dtype(n, (dc_dtype)s->dtype);
  if (s->op == DC_OP_RANDOM) {
    n->random = true; /* its `as` is no dtype */
    return;
  }
  need_dtype(n, (dc_dtype)s->as);
  for (int i = 0; i < s->nargs; i++) { /* it may be compared or converted as complex */
    dc_dtype t = dc_ir_dtype(&p->ir, s->arg[i]);
    need_dtype(n, t);
  }
  const dc_rule rule = (dc_rule)dc_ops[s->op].rule;
  if (s->op == DC_OP_FLOORDIV || s->op == DC_OP_MOD) n->division = true;
  if (rule == DC_RULE_POW && strchr("iu", dc_kind_of((dc_dtype)s->as)) != NULL) n->power = true;
  if (s->op == DC_OP_NEXTAFTER && dc_dtype_is_half((dc_dtype)s->as)) n->next = true;
  if (rule == DC_RULE_COMPARE || s->op == DC_OP_EQUAL) n->compare = true;
  const dc_dtype as = s->as == DC_DTYPE_NONE ? (dc_dtype)s->dtype : (dc_dtype)s->as;
  if (dc_kind_of(as) == 'c') n->complex_functions |= dc_complex_functions((dc_op)s->op);
}

void dc_emit_prelude(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  dc_needs n = { .half = false };
  need_dtype(&n, ir->out.dtype);
  for (int i = 0; i < ir->ninputs; i++) need_dtype(&n, ir->input[i].dtype);
  for (int i = 0; i < ir->nnumbers; i++) need_dtype(&n, ir->number[i].dtype);
  for (int i = 0; i < ir->ninstructions; i++) need_step(&n, p, &ir->code[i]);
  if (n.half || n.brain) dc_buf_puts(t->b, odd_text);
  if (n.half) dc_buf_puts(t->b, half_text);
  if (n.brain) dc_buf_puts(t->b, brain_text);
  if (n.next) dc_buf_puts(t->b, step_text);
  if (n.next && n.half) dc_buf_puts(t->b, half_next_text);
  if (n.next && n.brain) dc_buf_puts(t->b, brain_next_text);
  if (n.complex) dc_buf_puts(t->b, complex_text);
  dc_emit_complex_functions(t->b, n.complex_functions);
  if (n.division) dc_buf_puts(t->b, division_text);
  if (n.power) dc_buf_puts(t->b, power_text);
  if (n.compare) dc_buf_puts(t->b, compare_text);
  if (n.random) dc_emit_random_prelude(t->b);
}
