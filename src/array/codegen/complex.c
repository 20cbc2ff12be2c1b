/*
** complex.c - functions of complex numbers as device functions, of which a kernel gets those that it calls.
**
** Branch cuts, the sides that signed zeros choose, infinities and NaN are C's (annex G).  The parts of a result are
** sums of terms of one sign wherever that can be had, so that each is accurate by itself:
**  - Kahan, Branch Cuts for Complex Elementary Functions, 1987: square roots by the part that does not cancel, asin and
**    acos from sqrt(1-z) and sqrt(1+z), atanh;
**  - Hull, Fairgrieve, Tang, Implementing Complex Elementary Functions Using Exception Handling, 1994: logarithms near
**    |z| = 1 by log1p, here of a sum with the errors of its squares and additions (Dekker, 1971; Knuth's TwoSum).
** Nothing is contracted in these kernels, which the errors of additions rely on.
*/
#include "array/codegen/complex.h"

#define WIDE "sizeof(R) == 8"

static const char abs_text[] = "FN R c_abs(complex<R> a) { return hypot(a.x, a.y); }\n";

/* A power of 4 by which parts, the larger of which is m, neither overflow nor vanish when they are squared. */
static const char scale_text[] =
  "FN R c_scale(R m) {\n"
  "  return (R)(m > (R)(" WIDE " ? 0x1p1018 : 0x1p122) ? 0x1p-6 :\n"
  "             m < (R)(" WIDE " ? 0x1p-900 : 0x1p-90) ? " WIDE " ? 0x1p120 : 0x1p60 : 1.0);\n}\n";

static const char sqrt_text[] =
  "FN complex<R> c_sqrt(complex<R> a) {\n"
  "  if (isinf(a.y)) return { fabs(a.y), a.y };\n"
  "  if (isinf(a.x)) {\n    const R none = a.y - a.y;\n"
  "    if (a.x > 0) return { a.x, copysign(none, a.y) };\n    return { fabs(none), copysign(a.x, a.y) };\n  }\n"
  "  if (a.x == 0 && a.y == 0) return { 0, a.y };\n"
  "  const R s = c_scale(fmax(fabs(a.x), fabs(a.y))), x = fabs(a.x) * s, y = fabs(a.y) * s;\n"
  "  const R back = (R)(s == 1 ? 1.0 : s < 1 ? 0x1p3 : " WIDE " ? 0x1p-60 : 0x1p-30);\n"
  "  const R h = sqrt((x + hypot(x, y)) / 2), o = y / (2 * h) * back;\n"
  "  if (a.x < 0) return { o, copysign(h * back, a.y) };\n  return { h * back, copysign(o, a.y) };\n}\n";

/* Logarithms to the base 2 or 10, else natural. sum_of_squares: c + x^2 + y^2 as if in three times the precision, since
** errors of the sum are summed with theirs: what is left of 1 near the circle may be 2^-40. */
static const char modulus_text[] =
  "template <int base, typename R> static __device__ __forceinline__ R log_of(R v) {\n"
  "  return base == 2 ? log2(v) : base == 10 ? log10(v) : log(v);\n}\n"
  "FN R add_exactly(R a, R b, R &error) {\n"
  "  const R s = a + b, t = s - a;\n  error = (a - (s - t)) + (b - t);\n  return s;\n}\n"
  "FN R sum_of_squares(R c, R x, R y) {\n"
  "  const R p = x * x, q = y * y, term[4] = { p, q, fma(x, x, -p), fma(y, y, -q) };\n"
  "  R s = c, rest = 0, last = 0, e, f;\n"
  "#pragma unroll\n"
  "  for (int i = 0; i < 4; i++) {\n"
  "    s = add_exactly(s, term[i], e);\n    rest = add_exactly(rest, e, f);\n    last += f;\n  }\n"
  "  s = add_exactly(s, rest, e);\n  return s + (e + last);\n}\n"
  "template <int base, typename R> static __device__ __forceinline__ R log_modulus(complex<R> a) {\n"
  "  const R one = (R)(base == 2 ? 1.4426950408889634 : base == 10 ? 0.43429448190325183 : 1.0);\n"
  "  const R two = (R)(base == 2 ? 1.0 : base == 10 ? 0.30102999566398120 : 0.69314718055994531);\n"
  "  const bool turn = fabs(a.x) < fabs(a.y);\n"
  "  const R x = turn ? fabs(a.y) : fabs(a.x), y = turn ? fabs(a.x) : fabs(a.y);\n"
  "  if (x > (R)0.5 && x < (R)1.5) {\n    const R d = sum_of_squares((R)-1, x, y);\n"
  "    if (d > (R)-0.5 && d < 1) return log1p(d) * (one / 2);\n  }\n"
  "  const R s = c_scale(x);\n"
  "  return log_of<base>(hypot(x * s, y * s)) - two * (R)(s == 1 ? 0 : s < 1 ? -6 : " WIDE " ? 120 : 60);\n}\n";

static const char log_text[] =
  "FN complex<R> c_log(complex<R> a) { return { log_modulus<0>(a), atan2(a.y, a.x) }; }\n";

static const char log2_text[] =
  "FN complex<R> c_log2(complex<R> a) {\n"
  "  return { log_modulus<2>(a), atan2(a.y, a.x) * (R)1.4426950408889634 };\n}\n";

static const char log10_text[] =
  "FN complex<R> c_log10(complex<R> a) {\n"
  "  return { log_modulus<10>(a), atan2(a.y, a.x) * (R)0.43429448190325183 };\n}\n";

/* |1+z|^2 - 1 is 2x + x^2 + y^2. */
static const char log1p_text[] =
  "FN complex<R> c_log1p(complex<R> a) {\n"
  "  const complex<R> b = { 1 + a.x, a.y };\n"
  "  const R d = fabs(a.x) < 4 && fabs(a.y) < 4 ? sum_of_squares(2 * a.x, a.x, a.y) : (R)4;\n"
  "  return { d > (R)-0.5 && d < 1 ? log1p(d) / 2 : log_modulus<0>(b), atan2(a.y, b.x) };\n}\n";

/* Where e^x would overflow, or lose digits below the least normal number, its root is multiplied twice. */
static const char exp_text[] =
  "FN complex<R> c_exp(complex<R> a) {\n"
  "  if (a.y == 0) return { exp(a.x), a.y };\n"
  "  if (isinf(a.x) && !isfinite(a.y)) {\n"
  "    if (a.x < 0) return { 0, copysign((R)0, a.y) };\n    return { a.x, a.y - a.y };\n  }\n"
  "  const bool far = fabs(a.x) > (R)(" WIDE " ? 700 : 85);\n"
  "  const R e = exp(far ? a.x / 2 : a.x), c = e * cos(a.y), s = e * sin(a.y);\n"
  "  if (far) return { c * e, s * e };\n  return { c, s };\n}\n";

/* expm1(x) cos(y) + (cos(y) - 1) */
static const char expm1_text[] =
  "FN complex<R> c_expm1(complex<R> a) {\n"
  "  if (a.y == 0) return { expm1(a.x), a.y };\n"
  "  if (!(fabs(a.x) <= 40)) {\n    const complex<R> e = c_exp(a);\n    return { e.x - 1, e.y };\n  }\n"
  "  const R s = sin(a.y / 2);\n  return { expm1(a.x) * cos(a.y) - 2 * s * s, exp(a.x) * sin(a.y) };\n}\n";

/* On the axes one part is a zero, whatever the other does. Far out both are half an exponential. */
static const char sinh_text[] =
  "FN complex<R> c_sinh(complex<R> a) {\n"
  "  if (a.y == 0) return { sinh(a.x), a.y };\n"
  "  if (a.x == 0) return { isfinite(a.y) ? a.x * cos(a.y) : a.x, sin(a.y) };\n"
  "  if (!(fabs(a.x) > (R)(" WIDE " ? 700 : 85))) return { sinh(a.x) * cos(a.y), cosh(a.x) * sin(a.y) };\n"
  "  if (isinf(a.x) && !isfinite(a.y)) return { a.x, a.y - a.y };\n"
  "  const R e = exp(fabs(a.x) / 2), h = e / 2;\n"
  "  return { copysign(e, a.x) * cos(a.y) * h, e * sin(a.y) * h };\n}\n";

static const char cosh_text[] =
  "FN complex<R> c_cosh(complex<R> a) {\n"
  "  if (a.y == 0) return { cosh(a.x), copysign((R)0, a.x) * a.y };\n"
  "  if (a.x == 0) return { cos(a.y), isfinite(a.y) ? a.x * sin(a.y) : a.x };\n"
  "  if (!(fabs(a.x) > (R)(" WIDE " ? 700 : 85))) return { cosh(a.x) * cos(a.y), sinh(a.x) * sin(a.y) };\n"
  "  if (isinf(a.x) && !isfinite(a.y)) return { fabs(a.x), a.y - a.y };\n"
  "  const R e = exp(fabs(a.x) / 2), h = e / 2;\n"
  "  return { e * cos(a.y) * h, copysign(e, a.x) * sin(a.y) * h };\n}\n";

/* sinh(x) cosh(x) + i sin(y) cos(y) over sinh^2(x) + cos^2(y), which does not cancel near the poles. */
static const char tanh_text[] =
  "FN complex<R> c_tanh(complex<R> a) {\n"
  "  if (a.y == 0) return { tanh(a.x), a.y };\n"
  "  if (a.x == 0) return { a.x, tan(a.y) };\n"
  "  if (isinf(a.x) && !isfinite(a.y)) return { copysign((R)1, a.x), copysign((R)0, a.y) };\n"
  "  if (fabs(a.x) > 20 && isfinite(a.y))\n"
  "    return { copysign((R)1, a.x), 4 * sin(a.y) * cos(a.y) * exp(-2 * fabs(a.x)) };\n"
  "  const R s = sinh(a.x), c = cos(a.y), d = s * s + c * c;\n"
  "  return { s * cosh(a.x) / d, sin(a.y) * c / d };\n}\n";

/* f(z) = -i g(iz) */
#define TURNED(f, g) \
  "FN complex<R> c_" f "(complex<R> a) {\n" \
  "  const complex<R> t = c_" g "(complex<R>{ -a.y, a.x });\n  return { t.y, -t.x };\n}\n"

static const char sin_text[] = TURNED("sin", "sinh");
static const char tan_text[] = TURNED("tan", "tanh");
static const char atan_text[] = TURNED("atan", "atanh");
static const char cos_text[] = "FN complex<R> c_cos(complex<R> a) { return c_cosh(complex<R>{ -a.y, a.x }); }\n";

/* Far out asin(z) is the angle of |y| + ix and log(2|z|): the next terms are |z|^-2 of these. */
static const char inverse_text[] =
  "FN bool is_far(complex<R> a) { return fmax(fabs(a.x), fabs(a.y)) > (R)(" WIDE " ? 0x1p30 : 0x1p14); }\n"
  "FN R log_twice(complex<R> a) { return log_modulus<0>(a) + (R)0.69314718055994531; }\n";

static const char asin_text[] =
  "FN complex<R> c_asin(complex<R> a) {\n"
  "  if (a.x == 0) return { a.x, asinh(a.y) };\n"
  "  if (is_far(a)) return { atan2(a.x, fabs(a.y)), copysign(log_twice(a), a.y) };\n"
  "  const complex<R> s = c_sqrt(complex<R>{ 1 - a.x, -a.y }), t = c_sqrt(complex<R>{ 1 + a.x, a.y });\n"
  "  return { atan2(a.x, s.x * t.x - s.y * t.y), asinh(s.x * t.y - s.y * t.x) };\n}\n";

static const char acos_text[] =
  "FN complex<R> c_acos(complex<R> a) {\n"
  "  if (a.x == 0) return { (R)1.5707963267948966, -asinh(a.y) };\n"
  "  if (is_far(a)) return { atan2(fabs(a.y), a.x), -copysign(log_twice(a), a.y) };\n"
  "  const complex<R> s = c_sqrt(complex<R>{ 1 - a.x, -a.y }), t = c_sqrt(complex<R>{ 1 + a.x, a.y });\n"
  "  return { 2 * atan2(s.x, t.x), asinh(s.y * t.x - s.x * t.y) };\n}\n";

static const char acosh_text[] =
  "FN complex<R> c_acosh(complex<R> a) {\n"
  "  const complex<R> t = c_acos(a);\n  return { fabs(t.y), copysign(t.x, a.y) };\n}\n";

static const char asinh_text[] =
  "FN complex<R> c_asinh(complex<R> a) {\n"
  "  const complex<R> t = c_asin(complex<R>{ a.y, -a.x });\n  return { -t.y, t.x };\n}\n";

/* Far out it is 1/z and a right angle; so near 1 that the square below vanishes, a difference of logarithms. */
static const char atanh_text[] =
  "FN complex<R> c_atanh(complex<R> a) {\n"
  "  const R x = fabs(a.x), y = fabs(a.y), m = fmax(x, y);\n  R re, im;\n"
  "  if (m > (R)(" WIDE " ? 0x1p56 : 0x1p27)) {\n"
  "    re = isinf(m) ? (R)0 : x >= y ? (R)0.5 / (x / 2 + y / 2 * (y / x)) : x / y / (y + x * (x / y));\n"
  "    im = y != y || (x != x && !isinf(y)) ? x + y : (R)1.5707963267948966;\n"
  "  } else {\n"
  "    re = x == 0 ? x : x == 1 && y < 1 ? (log(hypot((R)2, y)) - log(y)) / 2\n"
  "                                      : log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;\n"
  "    im = atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;\n  }\n"
  "  return { copysign(re, a.x), copysign(im, a.y) };\n}\n";

/* By an integer: products, which are exact where they can be; by a real number no infinity meets a zero. */
static const char pow_text[] =
  "FN complex<R> c_pow(complex<R> a, complex<R> b) {\n"
  "  if (b.x == 0 && b.y == 0) return { 1, 0 };\n"
  "  if (a.x == 0 && a.y == 0) {\n    const R i = 1 / fabs(a.x);\n"
  "    if (b.x > 0) return { 0, 0 };\n    return { b.x < 0 ? i : i - i, i - i };\n  }\n"
  "  if (b.y == 0 && fabs(b.x) <= 64 && b.x == rint(b.x)) {\n"
  "    const int n = (int)fabs(b.x);\n    complex<R> p = n & 1 ? a : complex<R>{ 1, 0 }, s = a;\n"
  "    for (int k = n >> 1; k > 0; k >>= 1) {\n      s = s * s;\n      if (k & 1) p = p * s;\n    }\n"
  "    if (b.x < 0) p = c_reciprocal(p);\n"
  "    if (isfinite(p.x) && isfinite(p.y) && (p.x != 0 || p.y != 0)) return p;\n  }\n"
  "  const complex<R> l = c_log(a);\n"
  "  return c_exp(b.y == 0 ? complex<R>{ b.x * l.x, b.x * l.y } : b * l);\n}\n";

/* conj(z) / |z|^2 by the smaller part's share in the larger one, as in the prelude's division. */
static const char reciprocal_text[] =
  "FN complex<R> c_reciprocal(complex<R> a) {\n"
  "  if (isinf(a.x) || isinf(a.y)) return { copysign((R)0, a.x), -copysign((R)0, a.y) };\n"
  "  if (a.x == 0 && a.y == 0) return { 1 / a.x, a.y / a.x };\n"
  "  const R s = c_scale(fmax(fabs(a.x), fabs(a.y))), x = a.x * s, y = a.y * s;\n"
  "  const bool flat = fabs(x) >= fabs(y);\n  const R q = flat ? y / x : x / y, d = flat ? x + y * q : x * q + y;\n"
  "  return { (flat ? 1 : q) / d * s, -(flat ? q : 1) / d * s };\n}\n";

/* The direction: z / |z|; of 0, and beside a single infinity, +0 as in NumPy 2. */
static const char sign_text[] =
  "FN complex<R> c_sign(complex<R> a) {\n"
  "  if (a.x == 0 && a.y == 0) return { 0, 0 };\n"
  "  if (isinf(a.x) != isinf(a.y)) {\n"
  "    if (isinf(a.x)) return { copysign((R)1, a.x), 0 };\n"
  "    return { 0, copysign((R)1, a.y) };\n  }\n"
  "  const R s = c_scale(fmax(fabs(a.x), fabs(a.y))), x = a.x * s, y = a.y * s, h = hypot(x, y);\n"
  "  return { x / h, y / h };\n}\n";

static const char rint_text[] = "FN complex<R> c_rint(complex<R> a) { return { rint(a.x), rint(a.y) }; }\n";

/* --- which of them ------------------------------------------------------------------------------------------- */

/* In the order in which they are written: each needs earlier ones only. */
enum {
  ABS, SCALE, SQRT, MODULUS, LOG, LOG2, LOG10, LOG1P, EXP, EXPM1, SINH, COSH, TANH, SIN, COS, TAN, INVERSE, ASIN, ACOS,
  ACOSH, ASINH, ATANH, ATAN, RECIPROCAL, POW, SIGN, RINT, PIECES
};

#define NEEDS(piece) (1u << (piece))

static const struct piece {
  const char *text;
  dc_op op; /* that calls it; of some pieces none does */
  uint32_t needs;
} pieces[PIECES] = {
  [ABS] = { abs_text, DC_OP_ABS, 0 },
  [SCALE] = { scale_text, DC_NOPS, 0 },
  [SQRT] = { sqrt_text, DC_OP_SQRT, NEEDS(SCALE) },
  [MODULUS] = { modulus_text, DC_NOPS, NEEDS(SCALE) },
  [LOG] = { log_text, DC_OP_LOG, NEEDS(MODULUS) },
  [LOG2] = { log2_text, DC_OP_LOG2, NEEDS(MODULUS) },
  [LOG10] = { log10_text, DC_OP_LOG10, NEEDS(MODULUS) },
  [LOG1P] = { log1p_text, DC_OP_LOG1P, NEEDS(MODULUS) },
  [EXP] = { exp_text, DC_OP_EXP, 0 },
  [EXPM1] = { expm1_text, DC_OP_EXPM1, NEEDS(EXP) },
  [SINH] = { sinh_text, DC_OP_SINH, 0 },
  [COSH] = { cosh_text, DC_OP_COSH, 0 },
  [TANH] = { tanh_text, DC_OP_TANH, 0 },
  [SIN] = { sin_text, DC_OP_SIN, NEEDS(SINH) },
  [COS] = { cos_text, DC_OP_COS, NEEDS(COSH) },
  [TAN] = { tan_text, DC_OP_TAN, NEEDS(TANH) },
  [INVERSE] = { inverse_text, DC_NOPS, NEEDS(MODULUS) | NEEDS(SQRT) },
  [ASIN] = { asin_text, DC_OP_ASIN, NEEDS(INVERSE) },
  [ACOS] = { acos_text, DC_OP_ACOS, NEEDS(INVERSE) },
  [ACOSH] = { acosh_text, DC_OP_ACOSH, NEEDS(ACOS) },
  [ASINH] = { asinh_text, DC_OP_ASINH, NEEDS(ASIN) },
  [ATANH] = { atanh_text, DC_OP_ATANH, 0 },
  [ATAN] = { atan_text, DC_OP_ATAN, NEEDS(ATANH) },
  [RECIPROCAL] = { reciprocal_text, DC_OP_RECIPROCAL, NEEDS(SCALE) },
  [POW] = { pow_text, DC_OP_POW, NEEDS(LOG) | NEEDS(EXP) | NEEDS(RECIPROCAL) },
  [SIGN] = { sign_text, DC_OP_SIGN, NEEDS(SCALE) },
  [RINT] = { rint_text, DC_OP_RINT, 0 },
};

uint32_t dc_complex_functions(dc_op op) {
  uint32_t mask = 0;
  if (op == DC_OP_POWER) op = DC_OP_POW;
  if (op == DC_OP_CLOSE) op = DC_OP_ABS;
  for (int k = 0; k < PIECES; k++)
    if (pieces[k].op == op) mask |= NEEDS(k);
  return mask;
}

void dc_emit_complex_functions(dc_buf *b, uint32_t mask) {
  for (int k = PIECES - 1; k >= 0; k--)
    if (mask & NEEDS(k)) mask |= pieces[k].needs;
  for (int k = 0; k < PIECES; k++)
    if (mask & NEEDS(k)) dc_buf_puts(b, pieces[k].text);
}
