/*
** test_ops_convert.c - tier 0's conversions, and its arithmetic on f16 and bf16, against scalar references.
**
** Halves are read by definition, and rounded by searching among all of them in the given mode.  Built as test_ops.c is.
*/
#include "ops_cases.h"

/* --- halves ------------------------------------------------------------------------------------------------- */

static double H(u64 h) { /* by definition */
  const int exponent = (int)(h >> 10 & 31), fraction = (int)(h & 1023);
  const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                     : ldexp(fraction, -24);
  return h & 0x8000 ? -size : size;
}
static double B(u64 h) { return F(h << 16); }
/* The nearest half in a mode, by looking at all of one sign in order of size: values grow with their bits. */
static u64 half_near(long double x, int mode, double (*value)(u64), u64 inf) {
  if (x != x) return 0x7fff;
  const u64 sign = signbit(x) ? 0x8000 : 0;
  const long double size = fabsl(x);
  u64 lo = 0, hi = inf;
  while (hi - lo > 1) {
    u64 mid = (lo + hi) / 2;
    if ((long double)value(mid) <= size)
      lo = mid;
    else
      hi = mid;
  }
  if (isinf(x)) return inf | sign;
  if ((long double)value(lo) == size) return lo | sign;
  const bool out = mode == FE_UPWARD ? !sign : mode == FE_DOWNWARD ? sign != 0 : false;
  if (mode == FE_TONEAREST) {
    const long double top =
        hi == inf ? 2 * (long double)value(inf - 1) - (long double)value(inf - 2) : (long double)value(hi);
    const long double down = size - (long double)value(lo), up = top - size;
    return (down < up || (down == up && !(lo & 1)) ? lo : hi) | sign;
  }
  return (out ? hi : lo) | sign;
}
static u64 HB(long double x) { return half_near(x, FE_TONEAREST, H, 0x7c00); }
static u64 BB(long double x) { return half_near(x, FE_TONEAREST, B, 0x7f80); }
/* Exact enough for one rounding: products of halves have 22 bits, and f16 sums 64 bits at most; bf16 sums that do not
** fit 64 bits lose only what lies far below. An odd last bit (x87's 64-bit fraction) keeps ties honest. */
static long double sticky_sum(long double x, long double y) {
  const long double s = x + y, t = s - x, rest = (x - (s - t)) + (y - t);
  u64 fraction;
  memcpy(&fraction, &s, sizeof fraction);
  if (rest == 0 || rest != rest || fraction & 1) return s; /* else the neighbour that is odd */
  return nextafterl(s, rest > 0 ? INFINITY : -INFINITY);
}
#define HALVES(type, k, get, bits)                                                                                     \
  CASE("add." type, k "16 " k "16 " k "16", bits(sticky_sum(get(a), get(b))))                                          \
  CASE("sub." type, k "16 " k "16 " k "16", bits(sticky_sum(get(a), -get(b))))                                         \
  CASE("mul." type, k "16 " k "16 " k "16", bits((long double)get(a) * get(b)))                                        \
  CASE("fma.rn." type, k "16 " k "16 " k "16 " k "16", bits(sticky_sum((long double)get(a) * get(b), get(c))))         \
  CASE("min." type, k "16 " k "16 " k "16", bits(least(get(a), get(b))))                                               \
  CASE("max." type, k "16 " k "16 " k "16", bits(greatest(get(a), get(b))))                                            \
  CASE("neg." type, k "16 " k "16", a ^ 0x8000)                                                                        \
  CASE("abs." type, k "16 " k "16", a & 0x7fff)
HALVES("f16", "h", H, HB)
HALVES("bf16", "b", B, BB)
#define LO(x) ((x)&0xffff)
#define HI(x) ((x) >> 16 & 0xffff)
CASE("add.f16x2", "p32 p32 p32", HB(H(LO(a)) + H(LO(b))) | HB(H(HI(a)) + H(HI(b))) << 16)
CASE("sub.f16x2", "p32 p32 p32", HB(H(LO(a)) - H(LO(b))) | HB(H(HI(a)) - H(HI(b))) << 16)
CASE("mul.f16x2", "p32 p32 p32", HB(H(LO(a)) * H(LO(b))) | HB(H(HI(a)) * H(HI(b))) << 16)
CASE("add.rn.f16x2", "p32 p32 p32", HB(H(LO(a)) + H(LO(b))) | HB(H(HI(a)) + H(HI(b))) << 16)
CASE("fma.rn.f16x2", "p32 p32 p32 p32",
     HB(sticky_sum(H(LO(a)) * H(LO(b)), H(LO(c)))) | HB(sticky_sum(H(HI(a)) * H(HI(b)), H(HI(c)))) << 16)
CASE("neg.f16x2", "i32 p32", a ^ 0x80008000u)
CASE("abs.f16x2", "i32 p32", a & 0x7fff7fffu)
CASE("mul.bf16x2", "q32 q32 q32", BB((long double)B(LO(a)) * B(LO(b))) | BB((long double)B(HI(a)) * B(HI(b))) << 16)
RELATIONS("f16", "P h16 h16", H)

/* --- conversions ---------------------------------------------------------------------------------------------- */

/* The value in a container's low bits as a type; a result of a type in its container. */
static s128 as_type(u64 x, int bits, bool sign) {
  const u64 low = bits == 64 ? x : x & (((u64)1 << bits) - 1);
  if (sign && low >> (bits - 1) & 1) return (s128)low - ((s128)1 << bits);
  return (s128)low;
}
static u64 fit(s128 x, int bits, bool sign, bool sat) {
  const s128 most = ((s128)1 << (bits - sign)) - 1, small = sign ? -most - 1 : 0;
  if (sat) x = x > most ? most : x < small ? small : x;
  return (u64)as_type((u64)x, bits, sign);
}
#define CVT_INT(dt, st, dk, sk, db, ds, sb, ss)                                                                        \
  CASE("cvt." #dt "." #st, dk " " sk, fit(as_type(a, sb, ss), db, ds, false))                                          \
  CASE("cvt.sat." #dt "." #st, dk " " sk, fit(as_type(a, sb, ss), db, ds, true))
#define CVT_TO(dt, dk, db, ds)                                                                                         \
  CVT_INT(dt, u8, dk, "i16", db, ds, 8, 0)                                                                             \
  CVT_INT(dt, s8, dk, "i16", db, ds, 8, 1)                                                                             \
  CVT_INT(dt, s8, dk, "i32", db, ds, 8, 1)                                                                             \
  CVT_INT(dt, u8, dk, "i32", db, ds, 8, 0)                                                                             \
  CVT_INT(dt, s8, dk, "i64", db, ds, 8, 1)                                                                             \
  CVT_INT(dt, u16, dk, "i16", db, ds, 16, 0)                                                                           \
  CVT_INT(dt, s16, dk, "i16", db, ds, 16, 1)                                                                           \
  CVT_INT(dt, s16, dk, "i32", db, ds, 16, 1)                                                                           \
  CVT_INT(dt, u16, dk, "i64", db, ds, 16, 0)                                                                           \
  CVT_INT(dt, u32, dk, "i32", db, ds, 32, 0)                                                                           \
  CVT_INT(dt, s32, dk, "i32", db, ds, 32, 1)                                                                           \
  CVT_INT(dt, s32, dk, "i64", db, ds, 32, 1)                                                                           \
  CVT_INT(dt, u64, dk, "i64", db, ds, 64, 0)                                                                           \
  CVT_INT(dt, s64, dk, "i64", db, ds, 64, 1)
CVT_TO(u8, "i16", 8, 0)
CVT_TO(s8, "i16", 8, 1)
CVT_TO(s8, "i32", 8, 1)
CVT_TO(u8, "i64", 8, 0)
CVT_TO(u16, "i16", 16, 0)
CVT_TO(s16, "i16", 16, 1)
CVT_TO(s16, "i32", 16, 1)
CVT_TO(u16, "i64", 16, 0)
CVT_TO(u32, "i32", 32, 0)
CVT_TO(s32, "i32", 32, 1)
CVT_TO(s32, "i64", 32, 1)
CVT_TO(u64, "i64", 64, 0)
CVT_TO(s64, "i64", 64, 1)

/* Integer to float: long double holds 64 bits exactly, and rounds in any mode. */
static float ld_to_f32(long double x, int mode) {
  volatile long double v = x;
  volatile float r;
  fesetround(mode);
  r = (float)v;
  fesetround(FE_TONEAREST);
  return r;
}
static double ld_to_f64(long double x, int mode) {
  volatile long double v = x;
  volatile double r;
  fesetround(mode);
  r = (double)v;
  fesetround(FE_TONEAREST);
  return r;
}
#define CVT_INT_FLOAT_(rnd, mode, st, sk, sb, ss)                                                                      \
  CASE("cvt." rnd ".f32." #st, "f32 " sk, FB(ld_to_f32((long double)as_type(a, sb, ss), mode)))                        \
  CASE("cvt." rnd ".f64." #st, "f64 " sk, DB(ld_to_f64((long double)as_type(a, sb, ss), mode)))                        \
  CASE("cvt." rnd ".f16." #st, "h16 " sk, half_near((long double)as_type(a, sb, ss), mode, H, 0x7c00))                 \
  CASE("cvt." rnd ".bf16." #st, "b16 " sk, half_near((long double)as_type(a, sb, ss), mode, B, 0x7f80))
#define CVT_INT_FLOAT(st, sk, sb, ss)                                                                                  \
  CVT_INT_FLOAT_("rn", FE_TONEAREST, st, sk, sb, ss)                                                                   \
  CVT_INT_FLOAT_("rz", FE_TOWARDZERO, st, sk, sb, ss)                                                                  \
  CVT_INT_FLOAT_("rm", FE_DOWNWARD, st, sk, sb, ss)                                                                    \
  CVT_INT_FLOAT_("rp", FE_UPWARD, st, sk, sb, ss)
CVT_INT_FLOAT(u8, "i16", 8, 0)
CVT_INT_FLOAT(s8, "i32", 8, 1)
CVT_INT_FLOAT(u16, "i16", 16, 0)
CVT_INT_FLOAT(s16, "i16", 16, 1)
CVT_INT_FLOAT(u16, "i32", 16, 0)
CVT_INT_FLOAT(u32, "i32", 32, 0)
CVT_INT_FLOAT(s32, "i32", 32, 1)
CVT_INT_FLOAT(u64, "i64", 64, 0)
CVT_INT_FLOAT(s64, "i64", 64, 1)
/* f32 in a 64-bit source container cannot be: widths match for floats. */

static u64 to_int(double x, int (*mode)(void), int round, int bits, bool sign, bool wide_nan) {
  (void)mode;
  if (x != x) return wide_nan ? fit((s128)1 << (bits - 1), bits, sign, false) : 0;
  const double r = round == 0 ? nearbyint(x) : round == 1 ? trunc(x) : round == 2 ? floor(x) : ceil(x);
  return fit(r > 1e30 ? (s128)1 << 100 : r < -1e30 ? -((s128)1 << 100) : (s128)r, bits, sign, true);
}
#define CVT_FLOAT_INT_(rnd, n, dt, dk, db, ds)                                                                         \
  CASE("cvt." rnd "." #dt ".f32", dk " f32", to_int(F(a), 0, n, db, ds, db == 64))                                     \
  CASE("cvt." rnd ".ftz." #dt ".f32", dk " f32", to_int(flushed(F(a)), 0, n, db, ds, db == 64))                        \
  CASE("cvt." rnd "." #dt ".f64", dk " f64", to_int(D(a), 0, n, db, ds, true))                                         \
  CASE("cvt." rnd "." #dt ".f16", dk " h16", to_int(H(a), 0, n, db, ds, db == 64))
#define CVT_FLOAT_INT(dt, dk, db, ds)                                                                                  \
  CVT_FLOAT_INT_("rni", 0, dt, dk, db, ds)                                                                             \
  CVT_FLOAT_INT_("rzi", 1, dt, dk, db, ds)                                                                             \
  CVT_FLOAT_INT_("rmi", 2, dt, dk, db, ds)                                                                             \
  CVT_FLOAT_INT_("rpi", 3, dt, dk, db, ds)
CVT_FLOAT_INT(u8, "i16", 8, 0)
CVT_FLOAT_INT(s8, "i32", 8, 1)
CVT_FLOAT_INT(u16, "i16", 16, 0)
CVT_FLOAT_INT(s16, "i16", 16, 1)
CVT_FLOAT_INT(u32, "i32", 32, 0)
CVT_FLOAT_INT(s32, "i32", 32, 1)
CVT_FLOAT_INT(s32, "i64", 32, 1)
CVT_FLOAT_INT(u64, "i64", 64, 0)
CVT_FLOAT_INT(s64, "i64", 64, 1)

#define CVT_ROUND(rnd, f)                                                                                              \
  CASE("cvt." rnd ".f32.f32", "f32 f32", FB((float)f(F(a))))                                                           \
  CASE("cvt." rnd ".ftz.f32.f32", "f32 f32", FB((float)f(flushed(F(a)))))                                              \
  CASE("cvt." rnd ".sat.f32.f32", "f32 f32", FB(clamped((float)f(F(a)))))                                              \
  CASE("cvt." rnd ".f64.f64", "f64 f64", DB(f(D(a))))                                                                  \
  CASE("cvt." rnd ".f16.f16", "h16 h16", HB(f(H(a))))
CVT_ROUND("rni", nearbyint)
CVT_ROUND("rzi", trunc)
CVT_ROUND("rmi", floor)
CVT_ROUND("rpi", ceil)
CASE("cvt.f32.f32", "f32 f32", a)
CASE("cvt.ftz.f32.f32", "f32 f32", FB(flushed(F(a))))
CASE("cvt.sat.f32.f32", "f32 f32", FB(clamped(F(a))))
CASE("cvt.ftz.sat.f32.f32", "f32 f32", FB(flushed(clamped(F(a)))))
CASE("cvt.sat.f64.f64", "f64 f64", DB(clamped64(D(a))))
CASE("cvt.f64.f32", "f64 f32", DB((double)F(a)))
CASE("cvt.ftz.f64.f32", "f64 f32", DB((double)flushed(F(a))))
CASE("cvt.f32.f16", "f32 h16", FB((float)H(a)))
CASE("cvt.f64.f16", "f64 h16", DB(H(a)))
CASE("cvt.f32.bf16", "f32 b16", FB((float)B(a)))
#define CVT_NARROW(rnd, mode)                                                                                          \
  CASE("cvt." rnd ".f32.f64", "f32 f64", FB(ld_to_f32((long double)D(a), mode)))                                       \
  CASE("cvt." rnd ".ftz.f32.f64", "f32 f64", FB(flushed(ld_to_f32((long double)D(a), mode))))                          \
  CASE("cvt." rnd ".sat.f32.f64", "f32 f64", FB(clamped(ld_to_f32((long double)D(a), mode))))                          \
  CASE("cvt." rnd ".f16.f32", "h16 f32", half_near((long double)F(a), mode, H, 0x7c00))                                \
  CASE("cvt." rnd ".f16.f64", "h16 f64", half_near((long double)D(a), mode, H, 0x7c00))                                \
  CASE("cvt." rnd ".bf16.f32", "b16 f32", half_near((long double)F(a), mode, B, 0x7f80))
CVT_NARROW("rn", FE_TONEAREST)
CVT_NARROW("rz", FE_TOWARDZERO)
CVT_NARROW("rm", FE_DOWNWARD)
CVT_NARROW("rp", FE_UPWARD)
CASE("cvt.rn.f16x2.f32", "p32 f32 f32", HB((long double)F(a)) << 16 | HB((long double)F(b)))
CASE("cvt.rn.bf16x2.f32", "q32 f32 f32", BB((long double)F(a)) << 16 | BB((long double)F(b)))

static void test_all(void) {
  for (int k = 0; k < ncases; k++) run_case(&cases[k]);
}

int main(void) { return on_every_isa(test_all); }
