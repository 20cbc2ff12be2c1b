// complex.cu - functions of complex numbers as device functions, of which a kernel gets those that it calls.
//
// Branch cuts, the sides that signed zeros choose, infinities and NaN are C's (annex G).  The parts of a result are
// sums of terms of one sign wherever that can be had, so that each is accurate by itself:
//  - Kahan, Branch Cuts for Complex Elementary Functions, 1987: square roots by the part that does not cancel, asin and
//    acos from sqrt(1-z) and sqrt(1+z), atanh;
//  - Hull, Fairgrieve, Tang, Implementing Complex Elementary Functions Using Exception Handling, 1994: logarithms near
//    |z| = 1 by log1p, here of a sum with the errors of its squares and additions (Dekker, 1971; Knuth's TwoSum).
// The errors of additions rely on products that are not contracted with them, also in kernels that the compiler contracts.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

//: abs
FN R c_abs(complex<R> a) { return hypot(a.x, a.y); }

// A power of 4 by which parts, the larger of which is m, neither overflow nor vanish when they are squared.
//: scale
FN R c_scale(R m) {
  return (R)(m > (R)(sizeof(R) == 8 ? 0x1p1018 : 0x1p122) ? 0x1p-6 :
             m < (R)(sizeof(R) == 8 ? 0x1p-900 : 0x1p-90) ? sizeof(R) == 8 ? 0x1p120 : 0x1p60 : 1.0);
}

//: sqrt
FN complex<R> c_sqrt(complex<R> a) {
  if (isinf(a.y)) return { fabs(a.y), a.y };
  if (isinf(a.x)) {
    const R none = a.y - a.y;
    if (a.x > 0) return { a.x, copysign(none, a.y) };
    return { fabs(none), copysign(a.x, a.y) };
  }
  if (a.x == 0 && a.y == 0) return { 0, a.y };
  const R s = c_scale(fmax(fabs(a.x), fabs(a.y))), x = fabs(a.x) * s, y = fabs(a.y) * s;
  const R back = (R)(s == 1 ? 1.0 : s < 1 ? 0x1p3 : sizeof(R) == 8 ? 0x1p-60 : 0x1p-30);
  const R h = sqrt((x + hypot(x, y)) / 2), o = y / (2 * h) * back;
  if (a.x < 0) return { o, copysign(h * back, a.y) };
  return { h * back, copysign(o, a.y) };
}

// Logarithms to the base 2 or 10, else natural. sum_of_squares: c + x^2 + y^2 as if in three times the precision, since
// errors of the sum are summed with theirs: what is left of 1 near the circle may be 2^-40. product: never contracted.
//: modulus
template <int base, typename R> static __device__ __forceinline__ R log_of(R v) {
  return base == 2 ? log2(v) : base == 10 ? log10(v) : log(v);
}
FN R add_exactly(R a, R b, R &error) {
  const R s = a + b, t = s - a;
  error = (a - (s - t)) + (b - t);
  return s;
}
static __device__ __forceinline__ float product(float a, float b) { return __fmul_rn(a, b); }
static __device__ __forceinline__ double product(double a, double b) { return __dmul_rn(a, b); }
FN R sum_of_squares(R c, R x, R y) {
  const R p = product(x, x), q = product(y, y), term[4] = { p, q, fma(x, x, -p), fma(y, y, -q) };
  R s = c, rest = 0, last = 0, e, f;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    s = add_exactly(s, term[i], e);
    rest = add_exactly(rest, e, f);
    last += f;
  }
  s = add_exactly(s, rest, e);
  return s + (e + last);
}
template <int base, typename R> static __device__ __forceinline__ R log_modulus(complex<R> a) {
  const R one = (R)(base == 2 ? 1.4426950408889634 : base == 10 ? 0.43429448190325183 : 1.0);
  const R two = (R)(base == 2 ? 1.0 : base == 10 ? 0.30102999566398120 : 0.69314718055994531);
  const bool turn = fabs(a.x) < fabs(a.y);
  const R x = turn ? fabs(a.y) : fabs(a.x), y = turn ? fabs(a.x) : fabs(a.y);
  if (x > (R)0.5 && x < (R)1.5) {
    const R d = sum_of_squares((R)-1, x, y);
    if (d > (R)-0.5 && d < 1) return log1p(d) * (one / 2);
  }
  const R s = c_scale(x);
  return log_of<base>(hypot(x * s, y * s)) - two * (R)(s == 1 ? 0 : s < 1 ? -6 : sizeof(R) == 8 ? 120 : 60);
}

//: log
FN complex<R> c_log(complex<R> a) { return { log_modulus<0>(a), atan2(a.y, a.x) }; }

//: log2
FN complex<R> c_log2(complex<R> a) {
  return { log_modulus<2>(a), atan2(a.y, a.x) * (R)1.4426950408889634 };
}

//: log10
FN complex<R> c_log10(complex<R> a) {
  return { log_modulus<10>(a), atan2(a.y, a.x) * (R)0.43429448190325183 };
}

// |1+z|^2 - 1 is 2x + x^2 + y^2.
//: log1p
FN complex<R> c_log1p(complex<R> a) {
  const complex<R> b = { 1 + a.x, a.y };
  const R d = fabs(a.x) < 4 && fabs(a.y) < 4 ? sum_of_squares(2 * a.x, a.x, a.y) : (R)4;
  return { d > (R)-0.5 && d < 1 ? log1p(d) / 2 : log_modulus<0>(b), atan2(a.y, b.x) };
}

// Where e^x would overflow, or lose digits below the least normal number, its root is multiplied twice.
//: exp
FN complex<R> c_exp(complex<R> a) {
  if (a.y == 0) return { exp(a.x), a.y };
  if (isinf(a.x) && !isfinite(a.y)) {
    if (a.x < 0) return { 0, copysign((R)0, a.y) };
    return { a.x, a.y - a.y };
  }
  const bool far = fabs(a.x) > (R)(sizeof(R) == 8 ? 700 : 85);
  const R e = exp(far ? a.x / 2 : a.x), c = e * cos(a.y), s = e * sin(a.y);
  if (far) return { c * e, s * e };
  return { c, s };
}

// expm1(x) cos(y) + (cos(y) - 1)
//: expm1
FN complex<R> c_expm1(complex<R> a) {
  if (a.y == 0) return { expm1(a.x), a.y };
  if (!(fabs(a.x) <= 40)) {
    const complex<R> e = c_exp(a);
    return { e.x - 1, e.y };
  }
  const R s = sin(a.y / 2);
  return { expm1(a.x) * cos(a.y) - 2 * s * s, exp(a.x) * sin(a.y) };
}

// On the axes one part is a zero, whatever the other does. Far out both are half an exponential.
//: sinh
FN complex<R> c_sinh(complex<R> a) {
  if (a.y == 0) return { sinh(a.x), a.y };
  if (a.x == 0) return { isfinite(a.y) ? a.x * cos(a.y) : a.x, sin(a.y) };
  if (!(fabs(a.x) > (R)(sizeof(R) == 8 ? 700 : 85))) return { sinh(a.x) * cos(a.y), cosh(a.x) * sin(a.y) };
  if (isinf(a.x) && !isfinite(a.y)) return { a.x, a.y - a.y };
  const R e = exp(fabs(a.x) / 2), h = e / 2;
  return { copysign(e, a.x) * cos(a.y) * h, e * sin(a.y) * h };
}

//: cosh
FN complex<R> c_cosh(complex<R> a) {
  if (a.y == 0) return { cosh(a.x), copysign((R)0, a.x) * a.y };
  if (a.x == 0) return { cos(a.y), isfinite(a.y) ? a.x * sin(a.y) : a.x };
  if (!(fabs(a.x) > (R)(sizeof(R) == 8 ? 700 : 85))) return { cosh(a.x) * cos(a.y), sinh(a.x) * sin(a.y) };
  if (isinf(a.x) && !isfinite(a.y)) return { fabs(a.x), a.y - a.y };
  const R e = exp(fabs(a.x) / 2), h = e / 2;
  return { e * cos(a.y) * h, copysign(e, a.x) * sin(a.y) * h };
}

// sinh(x) cosh(x) + i sin(y) cos(y) over sinh^2(x) + cos^2(y), which does not cancel near the poles.
//: tanh
FN complex<R> c_tanh(complex<R> a) {
  if (a.y == 0) return { tanh(a.x), a.y };
  if (a.x == 0) return { a.x, tan(a.y) };
  if (isinf(a.x) && !isfinite(a.y)) return { copysign((R)1, a.x), copysign((R)0, a.y) };
  if (fabs(a.x) > 20 && isfinite(a.y))
    return { copysign((R)1, a.x), 4 * sin(a.y) * cos(a.y) * exp(-2 * fabs(a.x)) };
  const R s = sinh(a.x), c = cos(a.y), d = s * s + c * c;
  return { s * cosh(a.x) / d, sin(a.y) * c / d };
}

//: sin
FN complex<R> c_sin(complex<R> a) {
  const complex<R> t = c_sinh(complex<R>{ -a.y, a.x });
  return { t.y, -t.x };
}

//: tan
FN complex<R> c_tan(complex<R> a) {
  const complex<R> t = c_tanh(complex<R>{ -a.y, a.x });
  return { t.y, -t.x };
}

//: atan
FN complex<R> c_atan(complex<R> a) {
  const complex<R> t = c_atanh(complex<R>{ -a.y, a.x });
  return { t.y, -t.x };
}

//: cos
FN complex<R> c_cos(complex<R> a) { return c_cosh(complex<R>{ -a.y, a.x }); }

// Far out asin(z) is the angle of |y| + ix and log(2|z|): the next terms are |z|^-2 of these.
//: inverse
FN bool is_far(complex<R> a) { return fmax(fabs(a.x), fabs(a.y)) > (R)(sizeof(R) == 8 ? 0x1p30 : 0x1p14); }
FN R log_twice(complex<R> a) { return log_modulus<0>(a) + (R)0.69314718055994531; }

//: asin
FN complex<R> c_asin(complex<R> a) {
  if (a.x == 0) return { a.x, asinh(a.y) };
  if (is_far(a)) return { atan2(a.x, fabs(a.y)), copysign(log_twice(a), a.y) };
  const complex<R> s = c_sqrt(complex<R>{ 1 - a.x, -a.y }), t = c_sqrt(complex<R>{ 1 + a.x, a.y });
  return { atan2(a.x, s.x * t.x - s.y * t.y), asinh(s.x * t.y - s.y * t.x) };
}

//: acos
FN complex<R> c_acos(complex<R> a) {
  if (a.x == 0) return { (R)1.5707963267948966, -asinh(a.y) };
  if (is_far(a)) return { atan2(fabs(a.y), a.x), -copysign(log_twice(a), a.y) };
  const complex<R> s = c_sqrt(complex<R>{ 1 - a.x, -a.y }), t = c_sqrt(complex<R>{ 1 + a.x, a.y });
  return { 2 * atan2(s.x, t.x), asinh(s.y * t.x - s.x * t.y) };
}

//: acosh
FN complex<R> c_acosh(complex<R> a) {
  const complex<R> t = c_acos(a);
  return { fabs(t.y), copysign(t.x, a.y) };
}

//: asinh
FN complex<R> c_asinh(complex<R> a) {
  const complex<R> t = c_asin(complex<R>{ a.y, -a.x });
  return { -t.y, t.x };
}

// Far out it is 1/z and a right angle; so near 1 that the square below vanishes, a difference of logarithms.
//: atanh
FN complex<R> c_atanh(complex<R> a) {
  const R x = fabs(a.x), y = fabs(a.y), m = fmax(x, y);
  R re, im;
  if (m > (R)(sizeof(R) == 8 ? 0x1p56 : 0x1p27)) {
    re = isinf(m) ? (R)0 : x >= y ? (R)0.5 / (x / 2 + y / 2 * (y / x)) : x / y / (y + x * (x / y));
    im = y != y || (x != x && !isinf(y)) ? x + y : (R)1.5707963267948966;
  } else {
    re = x == 0 ? x : x == 1 && y < 1 ? (log(hypot((R)2, y)) - log(y)) / 2
                                      : log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
    im = atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
  }
  return { copysign(re, a.x), copysign(im, a.y) };
}

// By an integer: products, which are exact where they can be; by a real number no infinity meets a zero.
//: pow
FN complex<R> c_pow(complex<R> a, complex<R> b) {
  if (b.x == 0 && b.y == 0) return { 1, 0 };
  if (a.x == 0 && a.y == 0) {
    const R i = 1 / fabs(a.x);
    if (b.x > 0) return { 0, 0 };
    return { b.x < 0 ? i : i - i, i - i };
  }
  if (b.y == 0 && fabs(b.x) <= 64 && b.x == rint(b.x)) {
    const int n = (int)fabs(b.x);
    complex<R> p = n & 1 ? a : complex<R>{ 1, 0 }, s = a;
    for (int k = n >> 1; k > 0; k >>= 1) {
      s = s * s;
      if (k & 1) p = p * s;
    }
    if (b.x < 0) p = c_reciprocal(p);
    if (isfinite(p.x) && isfinite(p.y) && (p.x != 0 || p.y != 0)) return p;
  }
  const complex<R> l = c_log(a);
  return c_exp(b.y == 0 ? complex<R>{ b.x * l.x, b.x * l.y } : b * l);
}

// conj(z) / |z|^2 by the smaller part's share in the larger one, as in the prelude's division.
//: reciprocal
FN complex<R> c_reciprocal(complex<R> a) {
  if (isinf(a.x) || isinf(a.y)) return { copysign((R)0, a.x), -copysign((R)0, a.y) };
  if (a.x == 0 && a.y == 0) return { 1 / a.x, a.y / a.x };
  const R s = c_scale(fmax(fabs(a.x), fabs(a.y))), x = a.x * s, y = a.y * s;
  const bool flat = fabs(x) >= fabs(y);
  const R q = flat ? y / x : x / y, d = flat ? x + y * q : x * q + y;
  return { (flat ? 1 : q) / d * s, -(flat ? q : 1) / d * s };
}

// The direction: z / |z|; of 0, and beside a single infinity, +0 as in NumPy 2.
//: sign
FN complex<R> c_sign(complex<R> a) {
  if (a.x == 0 && a.y == 0) return { 0, 0 };
  if (isinf(a.x) != isinf(a.y)) {
    if (isinf(a.x)) return { copysign((R)1, a.x), 0 };
    return { 0, copysign((R)1, a.y) };
  }
  const R s = c_scale(fmax(fabs(a.x), fabs(a.y))), x = a.x * s, y = a.y * s, h = hypot(x, y);
  return { x / h, y / h };
}

//: rint
FN complex<R> c_rint(complex<R> a) { return { rint(a.x), rint(a.y) }; }
