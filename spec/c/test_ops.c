/*
** test_ops.c - tier 0's integer, bit, float and approximate operations against scalar references.
**
** Runs every case under each instruction set of this machine; prints "N passed, N failed".
** Build: `make units`, or by hand
**   cc -std=gnu11 -D_GNU_SOURCE -Isrc -ffp-contract=off -fwrapv -fno-strict-aliasing spec/c/test_ops.c
**     build/libdotcompute.a -lm -ldl -lpthread
*/
#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "ops_cases.h"

/* --- integers --------------------------------------------------------------------------------------------- */

#define S16 (s16)
#define S32 (s32)
#define S64 (s64)
#define MINIMUM(x, y) ((x) < (y) ? (x) : (y))
#define MAXIMUM(x, y) ((x) > (y) ? (x) : (y))
#define INTS(n)                                                                                                        \
  CASE("add.s" #n, "i" #n " i" #n " i" #n, a + b)                                                                      \
  CASE("sub.u" #n, "i" #n " i" #n " i" #n, a - b)                                                                      \
  CASE("mul.lo.s" #n, "i" #n " i" #n " i" #n, a *b)                                                                    \
  CASE("mul.hi.s" #n, "i" #n " i" #n " i" #n, ((s128)(s##n)a * (s##n)b) >> n)                                          \
  CASE("mul.hi.u" #n, "i" #n " i" #n " i" #n, ((u128)(u##n)a * (u##n)b) >> n)                                          \
  CASE("mad.lo.u" #n, "i" #n " i" #n " i" #n " i" #n, a *b + c)                                                        \
  CASE("neg.s" #n, "i" #n " i" #n, 0 - a)                                                                              \
  CASE("abs.s" #n, "i" #n " i" #n, (s##n)a < 0 ? 0 - a : a)                                                            \
  CASE("min.s" #n, "i" #n " i" #n " i" #n, MINIMUM((s##n)a, (s##n)b))                                                  \
  CASE("min.u" #n, "i" #n " i" #n " i" #n, MINIMUM((u##n)a, (u##n)b))                                                  \
  CASE("max.s" #n, "i" #n " i" #n " i" #n, MAXIMUM((s##n)a, (s##n)b))                                                  \
  CASE("max.u" #n, "i" #n " i" #n " i" #n, MAXIMUM((u##n)a, (u##n)b))                                                  \
  CASE("div.u" #n, "i" #n " i" #n " i" #n, b ? a / b : ~(u64)0)                                                        \
  CASE("rem.u" #n, "i" #n " i" #n " i" #n, b ? a % b : ~(u64)0)                                                        \
  CASE("div.s" #n, "i" #n " i" #n " i" #n, b ? (s128)(s##n)a / (s##n)b : -1)                                           \
  CASE("rem.s" #n, "i" #n " i" #n " i" #n, b ? (s128)(s##n)a % (s##n)b : -1)                                           \
  CASE("and.b" #n, "i" #n " i" #n " i" #n, a &b)                                                                       \
  CASE("or.b" #n, "i" #n " i" #n " i" #n, a | b)                                                                       \
  CASE("xor.b" #n, "i" #n " i" #n " i" #n, a ^ b)                                                                      \
  CASE("not.b" #n, "i" #n " i" #n, ~a)                                                                                 \
  CASE("shl.b" #n, "i" #n " i" #n " s32", b < n ? a << b : 0)                                                          \
  CASE("shr.u" #n, "i" #n " i" #n " s32", b < n ? a >> b : 0)                                                          \
  CASE("shr.b" #n, "i" #n " i" #n " s32", b < n ? a >> b : 0)                                                          \
  CASE("shr.s" #n, "i" #n " i" #n " s32", (s64)(s##n)a >> (b < n ? b : n - 1))                                         \
  CASE("mov.b" #n, "i" #n " i" #n, a)                                                                                  \
  CASE("selp.b" #n, "i" #n " i" #n " i" #n " P", c ? a : b)                                                            \
  CASE("setp.eq.b" #n, "P i" #n " i" #n, a == b)                                                                       \
  CASE("setp.ne.s" #n, "P i" #n " i" #n, a != b)                                                                       \
  CASE("setp.lt.s" #n, "P i" #n " i" #n, (s##n)a < (s##n)b)                                                            \
  CASE("setp.le.s" #n, "P i" #n " i" #n, (s##n)a <= (s##n)b)                                                           \
  CASE("setp.gt.s" #n, "P i" #n " i" #n, (s##n)a > (s##n)b)                                                            \
  CASE("setp.ge.s" #n, "P i" #n " i" #n, (s##n)a >= (s##n)b)                                                           \
  CASE("setp.lt.u" #n, "P i" #n " i" #n, a < b)                                                                        \
  CASE("setp.le.u" #n, "P i" #n " i" #n, a <= b)                                                                       \
  CASE("setp.ls.u" #n, "P i" #n " i" #n, a <= b)                                                                       \
  CASE("setp.hi.u" #n, "P i" #n " i" #n, a > b)                                                                        \
  CASE("setp.hs.u" #n, "P i" #n " i" #n, a >= b)
INTS(16)
INTS(32)
INTS(64)
CASE("mul.wide.s16", "i32 i16 i16", (s32)(s16)a *(s16)b)
CASE("mul.wide.u16", "i32 i16 i16", a *b)
CASE("mul.wide.s32", "i64 i32 i32", (s64)(s32)a *(s32)b)
CASE("mul.wide.u32", "i64 i32 i32", a *b)
CASE("mad.wide.s16", "i32 i16 i16 i32", (u64)((s64)(s16)a *(s16)b) + c)
CASE("mad.wide.u16", "i32 i16 i16 i32", a *b + c)
CASE("mad.wide.s32", "i64 i32 i32 i64", (u64)((s64)(s32)a *(s32)b) + c)
CASE("mad.wide.u32", "i64 i32 i32 i64", a *b + c)
static s64 sat32(s128 x) { return (s64)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }
CASE("add.sat.s32", "i32 i32 i32", sat32((s128)(s32)a + (s32)b))
CASE("sub.sat.s32", "i32 i32 i32", sat32((s128)(s32)a - (s32)b))
static u64 bfe_bits(u64 a, u64 b, u64 c, int width, bool sign) { /* the ISA's own pseudo code */
  const int msb = width - 1, pos = (int)(b & 0xff), len = (int)(c & 0xff);
  const int top = pos + len - 1 < msb ? pos + len - 1 : msb;
  const u64 sbit = !sign || len == 0 ? 0 : a >> top & 1;
  u64 d = 0;
  for (int i = 0; i <= msb; i++) d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit) << i;
  return d;
}
static u64 bfi_bits(u64 a, u64 b, u64 c, u64 e, int width) {
  const int msb = width - 1, pos = (int)(c & 0xff), len = (int)(e & 0xff);
  for (int i = 0; i < len && pos + i <= msb; i++) b = (b & ~((u64)1 << (pos + i))) | (a >> i & 1) << (pos + i);
  return b;
}
static u64 bfind_bits(u64 a, int width, bool sign) {
  const u64 top = sign ? a >> (width - 1) & 1 : 0;
  for (int i = width - 1; i >= 0; i--)
    if ((a >> i & 1) != top) return (u64)i;
  return ~(u64)0;
}
static u64 reversed(u64 a, int width) {
  u64 r = 0;
  for (int i = 0; i < width; i++) r |= (a >> i & 1) << (width - 1 - i);
  return r;
}
static u64 count(u64 a) {
  u64 n = 0;
  for (; a; a &= a - 1) n++;
  return n;
}
#define FIELDS(n)                                                                                                      \
  CASE("bfe.u" #n, "i" #n " i" #n " s32 s32", bfe_bits(a, b, c, n, false))                                             \
  CASE("bfe.s" #n, "i" #n " i" #n " s32 s32", bfe_bits(a, b, c, n, true))                                              \
  CASE("bfi.b" #n, "i" #n " i" #n " i" #n " s32 s32", bfi_bits(a, b, c, e, n))                                         \
  CASE("bfind.u" #n, "i32 i" #n, bfind_bits(a, n, false))                                                       \
  CASE("bfind.s" #n, "i32 i" #n, bfind_bits(a, n, true))                                                        \
  CASE("popc.b" #n, "i32 i" #n, count(a))                                                                              \
  CASE("clz.b" #n, "i32 i" #n, a ? n - 1 - bfind_bits(a, n, false) : n)                                         \
  CASE("brev.b" #n, "i" #n " i" #n, reversed(a, n))
FIELDS(32)
FIELDS(64)
CASE("bmsk.clamp.b32", "i32 s32 s32", b >= 32 ? ~(u64)0 << (a < 32 ? a : 32) : (((u64)1 << b) - 1) << (a < 32 ? a : 32))
CASE("bmsk.wrap.b32", "i32 s32 s32", (((u64)1 << (b & 31)) - 1) << (a & 31))
static u64 szext_bits(u64 a, u64 b, bool clamp, bool sign) {
  const u64 n = clamp ? MINIMUM(b, 32) : b & 31;
  if (n == 0) return 0;
  return sign ? (u64)((s64)(a << (64 - n)) >> (64 - n)) : a << (64 - n) >> (64 - n);
}
CASE("szext.clamp.s32", "i32 i32 s32", szext_bits(a, b, true, true))
CASE("szext.clamp.u32", "i32 i32 s32", szext_bits(a, b, true, false))
CASE("szext.wrap.s32", "i32 i32 s32", szext_bits(a, b, false, true))
CASE("szext.wrap.u32", "i32 i32 s32", szext_bits(a, b, false, false))
static u64 fns_bits(u64 mask, u64 base, s32 n) {
  int seen = 0;
  base &= 31;
  if (n == 0) return mask >> base & 1 ? base : ~(u64)0;
  for (int i = (int)base; i >= 0 && i<32; i += n> 0 ? 1 : -1)
    if ((mask >> i & 1) && ++seen == abs(n)) return (u64)i;
  return ~(u64)0;
}
CASE("fns.b32", "i32 i32 s32 n32", fns_bits(a, b, (s32)c))
CASE("shf.l.wrap.b32", "i32 i32 i32 s32", ((u128)(b << 32 | a) << (c & 31)) >> 32)
CASE("shf.l.clamp.b32", "i32 i32 i32 s32", ((u128)(b << 32 | a) << MINIMUM(c, 32)) >> 32)
CASE("shf.r.wrap.b32", "i32 i32 i32 s32", (b << 32 | a) >> (c & 31))
CASE("shf.r.clamp.b32", "i32 i32 i32 s32", (b << 32 | a) >> MINIMUM(c, 32))
static u64 lop3_bits(u64 a, u64 b, u64 c, u64 e) {
  u64 r = 0;
  for (int i = 0; i < 32; i++) r |= (e >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
  return r;
}
CASE("lop3.b32", "i32 i32 i32 i32 L32", lop3_bits(a, b, c, e))
CASE("lop3.b32", "i32 i32 i32 i32 i32", lop3_bits(a, b, c, e))
static u64 prmt_bytes(u64 a, u64 b, const int sel[4]) {
  u64 r = 0;
  for (int i = 0; i < 4; i++) {
    u64 byte = (b << 32 | a) >> (8 * (sel[i] & 7)) & 255;
    if (sel[i] & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * i);
  }
  return r;
}
CASE("prmt.b32", "i32 i32 i32 i32",
     prmt_bytes(a, b, (int[]){(int)c & 15, (int)c >> 4 & 15, (int)c >> 8 & 15, (int)c >> 12 & 15}))
static u64 dot(u64 a, u64 b, u64 c, int n, int abits, int first, bool sa, bool sb) {
  for (int i = 0; i < n; i++) {
    s64 x = (s64)(a >> (abits * i) & (((u64)1 << abits) - 1)), y = (s64)(b >> (8 * (i + first)) & 255);
    if (sa && x >> (abits - 1)) x -= (s64)1 << abits;
    if (sb && y > 127) y -= 256;
    c += (u64)(x * y);
  }
  return c;
}
#define DOTS(ta, tb, sa, sb) CASE("dp4a." #ta "." #tb, "i32 i32 i32 i32", dot(a, b, c, 4, 8, 0, sa, sb))
DOTS(s32, s32, true, true)
DOTS(s32, u32, true, false)
DOTS(u32, s32, false, true)
DOTS(u32, u32, false, false)
CASE("and.pred", "P P P", a &b)
CASE("or.pred", "P P P", a | b)
CASE("xor.pred", "P P P", a ^ b)
CASE("not.pred", "P P", !a)
CASE("mov.pred", "P P", a)

/* --- floats ------------------------------------------------------------------------------------------------ */

#define ROUND32(mode, expr)                                                                                            \
  ({                                                                                                                   \
    volatile float x = F(a), y = F(b), z = F(c), r;                                                                    \
    (void)x, (void)y, (void)z;                                                                                         \
    fesetround(mode);                                                                                                  \
    r = expr;                                                                                                          \
    fesetround(FE_TONEAREST);                                                                                          \
    r;                                                                                                                 \
  })
#define ROUND64(mode, expr)                                                                                            \
  ({                                                                                                                   \
    volatile double x = D(a), y = D(b), z = D(c), r;                                                                   \
    (void)x, (void)y, (void)z;                                                                                         \
    fesetround(mode);                                                                                                  \
    r = expr;                                                                                                          \
    fesetround(FE_TONEAREST);                                                                                          \
    r;                                                                                                                 \
  })
#define FLUSHED_INPUTS (a = FB(flushed(F(a))), b = FB(flushed(F(b))), c = FB(flushed(F(c))))
#define FLOATS_(op, dot, mode, kinds32, kinds64, e32, e64)                                                             \
  CASE(op dot "f32", kinds32, FB(ROUND32(mode, e32)))                                                                  \
  CASE(op dot "ftz.f32", kinds32, (FLUSHED_INPUTS, FB(flushed(ROUND32(mode, e32)))))                                   \
  CASE(op dot "f64", kinds64, DB(ROUND64(mode, e64)))
#define FLOATS(op, kinds32, kinds64, e32, e64)                                                                         \
  FLOATS_(op, ".rn.", FE_TONEAREST, kinds32, kinds64, e32, e64)                                                        \
  FLOATS_(op, ".rz.", FE_TOWARDZERO, kinds32, kinds64, e32, e64)                                                       \
  FLOATS_(op, ".rm.", FE_DOWNWARD, kinds32, kinds64, e32, e64)                                                         \
  FLOATS_(op, ".rp.", FE_UPWARD, kinds32, kinds64, e32, e64)
#define K32 "f32 f32 f32"
#define K64 "f64 f64 f64"
FLOATS("add", K32, K64, x + y, x + y)
FLOATS("sub", K32, K64, x - y, x - y)
FLOATS("mul", K32, K64, x *y, x *y)
FLOATS("div", K32, K64, x / y, x / y)
FLOATS("fma", "f32 f32 f32 f32", "f64 f64 f64 f64", fmaf(x, y, z), fma(x, y, z))
FLOATS("sqrt", "f32 f32", "f64 f64", sqrtf(x), sqrt(x))
FLOATS("rcp", "f32 f32", "f64 f64", 1 / x, 1 / x)
FLOATS_("add", ".", FE_TONEAREST, K32, K64, x + y, x + y)
FLOATS_("sub", ".", FE_TONEAREST, K32, K64, x - y, x - y)
FLOATS_("mul", ".", FE_TONEAREST, K32, K64, x *y, x *y)
CASE("div.full.f32", "f32 f32 f32", FB(F(a) / F(b)))
CASE("neg.f32", "f32 f32", FB(-F(a)))
CASE("neg.f64", "f64 f64", DB(-D(a)))
CASE("neg.ftz.f32", "f32 f32", FB(-flushed(F(a))))
CASE("abs.f32", "f32 f32", FB(fabsf(F(a))))
CASE("abs.ftz.f32", "f32 f32", FB(fabsf(flushed(F(a)))))
CASE("abs.f64", "f64 f64", DB(fabs(D(a))))
CASE("min.f32", "f32 f32 f32", FB((float)least(F(a), F(b))))
CASE("max.f32", "f32 f32 f32", FB((float)greatest(F(a), F(b))))
CASE("min.ftz.f32", "f32 f32 f32", FB((float)least(flushed(F(a)), flushed(F(b)))))
CASE("max.ftz.f32", "f32 f32 f32", FB((float)greatest(flushed(F(a)), flushed(F(b)))))
CASE("min.f64", "f64 f64 f64", DB(least(D(a), D(b))))
CASE("max.f64", "f64 f64 f64", DB(greatest(D(a), D(b))))
#define FZ(x) flushed(F(x))
RELATIONS("f32", "P f32 f32", F)
RELATIONS("f64", "P f64 f64", D)
RELATIONS("ftz.f32", "P f32 f32", FZ)

/* --- approximations ---------------------------------------------------------------------------------------------- */

typedef struct approximation {
  const char *text;
  long double (*f)(long double);
  double relative, absolute; /* error allowed: either is enough */
  double lo, hi;
} approximation;
static long double rcp_(long double x) { return 1 / x; }
static long double rsqrt_(long double x) { return 1 / sqrtl(x); }

static const approximation approximations[] = {
    {"ex2.approx.f32", exp2l, 0x1p-22, 0, -126, 128},      {"ex2.approx.ftz.f32", exp2l, 0x1p-22, 0, -126, 128},
    {"lg2.approx.f32", log2l, 0x1p-22, 0x1p-22, 0, 3e38},  {"lg2.approx.f32", log2l, 0x1p-22, 0x1p-22, 0.4, 2.1},
    {"sin.approx.f32", sinl, 0, 0x1p-22, -7, 7},           {"sin.approx.f32", sinl, 0, 0x1p-22, -1e6, 1e6},
    {"cos.approx.f32", cosl, 0, 0x1p-22, -7, 7},           {"cos.approx.f32", cosl, 0, 0x1p-22, -1e6, 1e6},
    {"tanh.approx.f32", tanhl, 0x1p-21, 0, -10, 10},       {"tanh.approx.f32", tanhl, 0x1p-21, 0, -0.5, 0.5},
    {"rcp.approx.f32", rcp_, 0x1p-23, 0, -1e10, 1e10},     {"rcp.approx.ftz.f32", rcp_, 0x1p-23, 0, -1e10, 1e10},
    {"sqrt.approx.f32", sqrtl, 0x1p-23, 0, 0, 3e38},       {"rsqrt.approx.f32", rsqrt_, 0x1p-22, 0, 0, 3e38},
    {"rsqrt.approx.ftz.f32", rsqrt_, 0x1p-22, 0, 0, 3e38},
};

static bool prepare_unary(const char *text, dc_uop *o, ptx_form *form, int bits) {
  if (!decode(text, o, form, 1, 1)) return false;
  o->d = SLOT(0);
  o->a = SLOT(1);
  o->bits[0] = o->bits[1] = (uint8_t)bits;
  if (ops->select(o)) return true;
  check(false, text, "is not supported");
  return false;
}

static void test_approximation(const approximation *t) {
  dc_uop o;
  ptx_form form;
  double worst = 0;
  float at = 0;
  if (!prepare_unary(t->text, &o, &form, 32)) return;
  for (int round = 0; round < 2000; round++) {
    float x[DC_LANES];
    fresh_warp();
    for (int l = 0; l < DC_LANES; l++) {
      const double u = (double)(rnd() >> 11) * 0x1p-53;
      x[l] = (float)(t->hi > 1e30 ? exp2(u * 250 - 125) : t->lo + u * (t->hi - t->lo));
      put(SLOT(1), 32, l, FB(x[l]));
    }
    ops->run(&warp, &o, &o + 1, false);
    for (int l = 0; l < DC_LANES; l++) {
      const long double want = t->f((long double)x[l]), error = fabsl((long double)F(get(SLOT(0), 32, l)) - want);
      const double by_relative = t->relative > 0 && want != 0 ? (double)(error / fabsl(want)) / t->relative : INFINITY;
      const double by_absolute = t->absolute > 0 ? (double)error / t->absolute : INFINITY;
      const double bad = by_relative < by_absolute ? by_relative : by_absolute;
      if (bad > worst) worst = bad, at = x[l];
    }
  }
  char detail[100];
  snprintf(detail, sizeof detail, "error %.3f of what is allowed at %a", worst, (double)at);
  check(worst <= 1, t->text, detail);
  if (getenv("VERBOSE")) printf("%-9s %-22s [%g, %g] %s\n", ops->isa, t->text, t->lo, t->hi, detail);
}

static void test_special(const char *text, float x, float want) {
  dc_uop o;
  ptx_form form;
  char detail[100];
  if (!prepare_unary(text, &o, &form, 32)) return;
  fresh_warp();
  for (int l = 0; l < DC_LANES; l++) put(SLOT(1), 32, l, FB(x));
  ops->run(&warp, &o, &o + 1, false);
  const float got = F(get(SLOT(0), 32, 5));
  snprintf(detail, sizeof detail, "of %a gives %a, not %a", (double)x, (double)got, (double)want);
  check(same((operand_kind){'f', 32}, FB(got), FB(want)), text, detail);
}

static void test_specials(void) {
  const float inf = INFINITY, nan = NAN;
  const struct {
    const char *text;
    float x, want;
  } t[] = {
      {"ex2.approx.f32", inf, inf},
      {"ex2.approx.f32", -inf, 0},
      {"ex2.approx.f32", nan, nan},
      {"ex2.approx.f32", 0, 1},
      {"ex2.approx.f32", -0.0f, 1},
      {"ex2.approx.f32", -149, 0x1p-149f},
      {"ex2.approx.ftz.f32", -149, 0},
      {"ex2.approx.f32", 128, inf},
      {"ex2.approx.f32", -1e30f, 0},
      {"ex2.approx.f32", 1e30f, inf},
      {"ex2.approx.f32", 10, 1024},
      {"lg2.approx.f32", 0, -inf},
      {"lg2.approx.f32", -0.0f, -inf},
      {"lg2.approx.f32", -1, nan},
      {"lg2.approx.f32", inf, inf},
      {"lg2.approx.f32", nan, nan},
      {"lg2.approx.f32", 1, 0},
      {"lg2.approx.f32", 0x1p-149f, -149},
      {"lg2.approx.ftz.f32", 0x1p-149f, -inf},
      {"lg2.approx.f32", -inf, nan},
      {"lg2.approx.f32", 8, 3},
      {"sin.approx.f32", 0, 0},
      {"sin.approx.f32", -0.0f, -0.0f},
      {"sin.approx.f32", inf, nan},
      {"sin.approx.f32", nan, nan},
      {"cos.approx.f32", 0, 1},
      {"cos.approx.f32", -0.0f, 1},
      {"cos.approx.f32", -inf, nan},
      {"sin.approx.ftz.f32", 0x1p-140f, 0},
      {"sin.approx.f32", 0x1p-140f, 0x1p-140f},
      {"tanh.approx.f32", inf, 1},
      {"tanh.approx.f32", -inf, -1},
      {"tanh.approx.f32", -0.0f, -0.0f},
      {"tanh.approx.f32", nan, nan},
      {"rcp.approx.f32", 0, inf},
      {"rcp.approx.f32", -0.0f, -inf},
      {"rcp.approx.f32", inf, 0},
      {"rcp.approx.f32", -inf, -0.0f},
      {"rcp.approx.ftz.f32", 0x1p-130f, inf},
      {"rcp.approx.ftz.f32", -0x1p127f, -0.0f},
      {"rcp.approx.f32", nan, nan},
      {"sqrt.approx.f32", -0.0f, -0.0f},
      {"sqrt.approx.f32", -1, nan},
      {"sqrt.approx.f32", inf, inf},
      {"sqrt.approx.ftz.f32", 0x1p-130f, 0},
      {"rsqrt.approx.f32", 0, inf},
      {"rsqrt.approx.f32", -0.0f, -inf},
      {"rsqrt.approx.f32", inf, 0},
      {"rsqrt.approx.f32", -1, nan},
      {"rsqrt.approx.ftz.f32", -0x1p-130f, -inf},
      {"rsqrt.approx.f32", 0x1p-130f, 0x1p65f},
  };
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) test_special(t[i].text, t[i].x, t[i].want);
  for (int i = 0; i < 50; i++) { /* huge arguments stay in range */
    dc_uop o;
    ptx_form form;
    if (!prepare_unary("sin.approx.f32", &o, &form, 32)) return;
    fresh_warp();
    for (int l = 0; l < DC_LANES; l++) put(SLOT(1), 32, l, FB(ldexpf((float)rnd(), (int)(rnd() % 60))));
    ops->run(&warp, &o, &o + 1, false);
    bool ok = true;
    for (int l = 0; l < DC_LANES; l++) ok &= fabsf(F(get(SLOT(0), 32, l))) <= 1;
    check(ok, "sin.approx.f32", "of huge arguments");
  }
}
/* The gross f64 forms: upper half only, 20 bits right. */
static double gross(double x) { return fabs(x) < 0x1p-1022 ? copysign(0, x) : D(DB(x) & ~0xffffffffull); }
CASE("rcp.approx.ftz.f64", "f64 f64", DB(gross(1 / gross(D(a)))))
CASE("rsqrt.approx.ftz.f64", "f64 f64", DB(gross(1 / sqrt(gross(D(a))))))
CASE("rsqrt.approx.f64", "f64 f64", DB(1 / sqrt(D(a))))
static float div_huge(float x, float y) {
  if (fabsf(y) > 0x1p126f && !isinf(y)) return isinf(x) || isnan(x) ? NAN : copysignf(0, x) * copysignf(1, y);
  return x / y;
}
CASE("div.approx.f32", "f32 f32 f32", FB(div_huge(F(a), F(b))))
CASE("div.approx.ftz.f32", "f32 f32 f32", FB(flushed(div_huge(flushed(F(a)), flushed(F(b))))))

static void test_all(void) {
  for (int k = 0; k < ncases; k++) run_case(&cases[k]);
  for (size_t k = 0; k < sizeof approximations / sizeof *approximations; k++) test_approximation(&approximations[k]);
  test_specials();
}

int main(void) { return on_every_isa(test_all); }
