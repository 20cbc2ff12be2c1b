/*
** test_plan.c - kernel/'s conversions and checks, on a device of its own that only records.
**
** Values: every integer type against 128-bit arithmetic, floats against the exact value, on edge cases
** and random bits (DOTCOMPUTE_SPEC_SEED).  Layout: offsets against the ABI's rule, and what
** happens where the loaded code disagrees.  Launches: every limit.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "check.h"
#include "compile/compile.h"
#include "compile/grid_sync.h"
#include "compile/types/image.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"
#include "kernel/plan.h"
#include "kernel/value.h"

/* --- values ------------------------------------------------------------------------------------------ */

static uint64_t state = 1;
static uint64_t random_bits(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1dull;
}

static const dc_dtype integers[] = { DC_INT8,  DC_INT16,  DC_INT32,  DC_INT64,
                                     DC_UINT8, DC_UINT16, DC_UINT32, DC_UINT64 };

/* The range of an integer dtype, and a value read back from a parameter buffer. */
static void range_of(dc_dtype t, __int128 *lo, __int128 *hi) {
  int bits = 8 * (int)dc_dtype_size(t);
  bool is_signed = dc_dtype_kind(t) == 'i';
  *lo = is_signed ? -((__int128)1 << (bits - 1)) : 0;
  *hi = ((__int128)1 << (is_signed ? bits - 1 : bits)) - 1;
}

static __int128 read_back(dc_dtype t, const unsigned char *at) {
  uint64_t v = 0;
  size_t size = dc_dtype_size(t);
  memcpy(&v, at, size);
  if (dc_dtype_kind(t) == 'u') return v;
  int unused = 64 - 8 * (int)size;
  return (int64_t)(v << unused) >> unused;
}

static dc_plan_param scalar(dc_dtype t, dc_conv conv) {
  return (dc_plan_param){ .conv = conv, .dtype = t, .lanes = 1, .align = 1, .offset = 8,
                          .size = (uint32_t)dc_dtype_size(t) };
}

/* One value put as integer (from_float false) or float; the exact value decides whether it must fit, but for the 64
** bits of an integer, which are a uint64. */
static void try_integer(dc_dtype t, bool from_float, int64_t i, double f) {
  unsigned char buf[32];
  memset(buf, 0x5a, sizeof buf);
  dc_error err = DC_ERROR_INIT;
  dc_plan_param p = scalar(t, DC_CONV_INT);
  __int128 lo, hi, want = 0;
  range_of(t, &lo, &hi);
  bool ok = true;
  if (!from_float) want = t == DC_UINT64 ? (__int128)(uint64_t)i : i;
  else if (!isfinite(f) || f != floor(f) || fabs(f) > 0x1p100) ok = false;
  else want = (__int128)f;
  ok = ok && want >= lo && want <= hi;
  int rc = from_float ? dc_plan_put_float(&p, f, buf, &err) : dc_plan_put_int(&p, i, buf, &err);
  CHECK((rc == 0) == ok, "%s of %lld / %.17g gave %d (%s)", dc_dtype_name(t), (long long)i, f, rc, dc_error_text(&err));
  if (rc == 0) CHECK(read_back(t, buf + 8) == want, "%s of %lld / %.17g", dc_dtype_name(t), (long long)i, f);
  else CHECK(err.kind == DC_ARGUMENT && buf[8] == 0x5a, "an error must leave the buffer alone");
  for (size_t k = 0; k < sizeof buf; k++)
    if (k < 8 || k >= 8 + p.size) CHECK(buf[k] == 0x5a, "byte %zu beside the parameter was written", k);
  dc_error_clear(&err);
}

static void test_integers(void) {
  for (size_t t = 0; t < sizeof integers / sizeof integers[0]; t++) {
    __int128 lo, hi;
    range_of(integers[t], &lo, &hi);
    const __int128 edges[] = { lo - 1, lo, lo + 1, -1, 0, 1, hi - 1, hi, hi + 1 };
    for (int k = 0; k < 9; k++) {
      if (edges[k] >= INT64_MIN && edges[k] <= INT64_MAX) try_integer(integers[t], false, (int64_t)edges[k], 0);
      try_integer(integers[t], true, 0, (double)edges[k]);
      try_integer(integers[t], true, 0, nextafter((double)edges[k], INFINITY));
      try_integer(integers[t], true, 0, nextafter((double)edges[k], -INFINITY));
    }
    const double odd[] = { 2.5, -0.0, NAN, INFINITY, -INFINITY, 0x1p63, 0x1p64, -0x1p63, 1e300, 0.1, 4e18, 1.7e19 };
    for (int k = 0; k < 12; k++) try_integer(integers[t], true, 0, odd[k]);
    for (int k = 0; k < 2000; k++) {
      uint64_t bits = random_bits() >> (random_bits() % 64);
      double f;
      try_integer(integers[t], false, (int64_t)(random_bits() & 1 ? bits : -bits), 0);
      bits = random_bits();
      memcpy(&f, &bits, sizeof f);
      try_integer(integers[t], true, 0, f);
      try_integer(integers[t], true, 0, floor(ldexp(1.0, (int)(random_bits() % 66)) * 0.75));
    }
  }
}

static void test_floats(void) {
  unsigned char buf[16];
  dc_plan_param p32 = scalar(DC_FLOAT32, DC_CONV_FLOAT), p64 = scalar(DC_FLOAT64, DC_CONV_FLOAT);
  p32.offset = p64.offset = 0;
  const double edges[] = { 0, -0.0, 1, 3.4028234663852886e38, 3.4028235677973366e38, 3.4028235677973362e38, -3.5e38,
                           1e300, INFINITY, -INFINITY, NAN, 1e-50, 0.1 };
  for (int k = 0; k < 4000; k++) {
    uint64_t bits = random_bits();
    double f;
    memcpy(&f, &bits, sizeof f);
    if (k < 13) f = edges[k];
    else if (k % 2) f = ldexp(0.5 + (double)(bits >> 11) * 0x1p-54, (int)(random_bits() % 300) - 150);
    dc_error err = DC_ERROR_INIT;
    float got32;
    double got64;
    bool overflows = isfinite(f) && isinf((float)f);
    int rc = dc_plan_put_float(&p32, f, buf, &err);
    CHECK((rc != 0) == overflows, "float32 of %.17g: %s", f, dc_error_text(&err));
    memcpy(&got32, buf, sizeof got32);
    if (rc == 0) CHECK(isnan(f) ? isnan(got32) : got32 == (float)f, "float32 of %.17g is %.9g", f, got32);
    dc_error_clear(&err);
    CHECK(dc_plan_put_float(&p64, f, buf, &err) == 0, "float64 of %.17g", f);
    memcpy(&got64, buf, sizeof got64);
    CHECK(memcmp(&got64, &f, sizeof f) == 0 || isnan(f), "float64 of %.17g is %.17g", f, got64);
    int64_t i = (int64_t)(random_bits() >> (random_bits() % 64));
    CHECK(dc_plan_put_int(&p32, i, buf, &err) == 0, "float32 of %lld", (long long)i);
    memcpy(&got32, buf, sizeof got32);
    CHECK(got32 == (float)i, "float32 of %lld is %.9g", (long long)i, got32); /* rounded once */
  }
}

/* The value of 16 bits as a float with this number of digits after the point. */
static double small_value(unsigned bits, int digits, int bias) {
  int e = (int)(bits & 0x7fff) >> digits;
  double m = bits & ((1u << digits) - 1);
  double v = e == 0 ? ldexp(m, 1 - bias - digits) : ldexp(m + (1 << digits), e - bias - digits);
  return bits & 0x8000 ? -v : v;
}

static unsigned put_16(const dc_plan_param *p, double v, int *rc) {
  unsigned char buf[16] = { 0 };
  dc_error err = DC_ERROR_INIT;
  uint16_t bits;
  *rc = dc_plan_put_float(p, v, buf, &err);
  memcpy(&bits, buf + 8, sizeof bits);
  dc_error_clear(&err);
  return bits;
}

/* Every 16-bit value comes back; the middle between two goes to the even one, a nudge decides; past the last one
** is an error. */
static void test_small(dc_dtype t, int digits, int bias) {
  const dc_plan_param p = scalar(t, DC_CONV_FLOAT);
  const unsigned infinite = (0x7fffu >> digits) << digits;
  int rc;
  for (unsigned bits = 0; bits < infinite; bits++)
    for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
      double v = small_value(bits | sign, digits, bias), s = sign ? -1 : 1;
      CHECK(put_16(&p, v, &rc) == (bits | sign) && rc == 0, "%a", v);
      if (bits + 1 == infinite) continue;
      double next = small_value((bits + 1) | sign, digits, bias), middle = v + (next - v) / 2;
      unsigned even = (bits + (bits & 1)) | sign;
      CHECK(put_16(&p, middle, &rc) == even && rc == 0, "%a", middle);
      CHECK(put_16(&p, nextafter(middle, v), &rc) == (bits | sign) && rc == 0, "below %a", middle);
      CHECK(put_16(&p, nextafter(middle, s * INFINITY), &rc) == ((bits + 1) | sign) && rc == 0, "above %a", middle);
    }
  const double most = small_value(infinite - 1, digits, bias), half_step = ldexp(1, bias - digits - 1);
  CHECK(put_16(&p, nextafter(most + half_step, 0), &rc) == infinite - 1 && rc == 0, "%a", most);
  put_16(&p, most + half_step, &rc);
  CHECK(rc == -1, "%a is too large", most + half_step);
  put_16(&p, -1e300, &rc);
  CHECK(rc == -1, "-1e300 is too large");
  CHECK(put_16(&p, INFINITY, &rc) == infinite && rc == 0, "infinity");
  CHECK(put_16(&p, -INFINITY, &rc) == (infinite | 0x8000) && rc == 0, "-infinity");
  CHECK((put_16(&p, NAN, &rc) & 0x7fff) > infinite && rc == 0, "NaN");
}

/* An integer goes to a 16-bit float in one rounding, also where no double holds it: doubles on either side tell. */
static void test_small_integers(void) {
  const dc_plan_param p = scalar(DC_BFLOAT16, DC_CONV_FLOAT);
  for (int i = 0; i < 100000; i++) {
    int64_t v = (int64_t)(random_bits() >> (random_bits() % 20));
    unsigned char buf[16];
    uint16_t bits;
    dc_error err = DC_ERROR_INIT;
    if (random_bits() & 1) v = (v & ~((1ll << 40) - 1)) | (int64_t)(random_bits() % 3) | (1ll << 39); /* a middle? */
    if (random_bits() & 1) v = -v;
    CHECK(dc_plan_put_int(&p, v, buf, &err) == 0, "%lld", (long long)v);
    memcpy(&bits, buf + 8, sizeof bits);
    __int128 got = (__int128)small_value(bits, 7, 127), off = got > v ? got - v : v - got;
    for (int d = -1; d <= 1; d += 2) { /* no neighbour is nearer, and on a tie this one is even */
      __int128 other = (__int128)small_value(bits + (unsigned)d, 7, 127), far = other > v ? other - v : v - other;
      CHECK(off < far || (off == far && (bits & 1) == 0), "%lld to %04x", (long long)v, bits);
    }
    dc_error_clear(&err);
  }
}

static void test_bools(void) {
  unsigned char buf[16];
  dc_plan_param b = scalar(DC_BOOL, DC_CONV_BOOL), i = scalar(DC_INT32, DC_CONV_INT);
  dc_error err = DC_ERROR_INIT;
  CHECK(dc_plan_put_bool(&b, true, buf, &err) == 0 && buf[8] == 1, "true");
  CHECK(dc_plan_put_int(&b, 0, buf, &err) == 0 && buf[8] == 0, "0");
  CHECK(dc_plan_put_float(&b, 1.0, buf, &err) == 0 && buf[8] == 1, "1.0");
  CHECK(dc_plan_put_bool(&i, true, buf, &err) == 0 && read_back(DC_INT32, buf + 8) == 1, "true as int");
  CHECK(dc_plan_put_int(&b, 2, buf, &err) == -1, "2");
  CHECK(dc_plan_put_float(&b, 0.5, buf, &err) == -1, "0.5");
  CHECK(dc_plan_put_float(&b, NAN, buf, &err) == -1, "NaN");
  dc_plan_param none = scalar(DC_INT32, DC_CONV_UNSUPPORTED), ptr = scalar(DC_INT64, DC_CONV_POINTER);
  none.why = "because";
  CHECK(dc_plan_put_int(&none, 1, buf, &err) == -1 && strcmp(dc_error_text(&err), "because") == 0, "unsupported");
  CHECK(dc_plan_put_bool(&ptr, true, buf, &err) == -1 && strstr(dc_error_text(&err), "dc.null") != NULL, "pointer");
  dc_error_clear(&err);
}

/* --- pointers ---------------------------------------------------------------------------------------- */

/* A pointer parameter to `dtype` (or NONE) against an array; "" when it must be taken, else part of the message. */
static void try_pointer(dc_plan_param p, dc_dtype dtype, dc_ptr addr, uint64_t count, const char *want) {
  dc_error err = DC_ERROR_INIT;
  int rc = dc_plan_check_pointer(&p, dtype, addr, count, &err);
  CHECK((rc == 0) == (want[0] == '\0') && (rc == 0 || strstr(dc_error_text(&err), want) != NULL), "%s",
        dc_error_text(&err));
  dc_error_clear(&err);
}

static void test_pointers(void) {
  const dc_plan_param to_float = { .conv = DC_CONV_POINTER, .dtype = DC_FLOAT32, .lanes = 1, .align = 4, .pointee = 4 };
  dc_plan_param float4 = to_float, chars = to_float, anything = to_float, record = to_float, value = to_float;
  float4.lanes = 4;
  float4.align = 16;
  chars.dtype = DC_INT8;
  chars.any_char = true;
  chars.align = 1;
  anything.dtype = record.dtype = DC_DTYPE_NONE;
  anything.align = record.align = 1;
  record.record = true;
  record.pointee = 12;
  value.conv = DC_CONV_FLOAT;
  for (int t = 0; t < DC_NDTYPES; t++) {
    try_pointer(to_float, (dc_dtype)t, 0x1000, 3, t == DC_FLOAT32 ? "" : "takes a float32 array");
    try_pointer(chars, (dc_dtype)t, 0x1001, 3, t == DC_INT8 || t == DC_UINT8 ? "" : "int8 or uint8");
    try_pointer(anything, (dc_dtype)t, 0x1001, 3, "");
    try_pointer(record, (dc_dtype)t, 0x1001, 24, t == DC_UINT8 ? "" : "uint8 array of whole structs");
  }
  try_pointer(to_float, DC_FLOAT32, 0x1002, 3, "no multiple of 4");
  try_pointer(float4, DC_FLOAT32, 0x1000, 8, "");
  try_pointer(float4, DC_FLOAT32, 0x1000, 7, "groups of 4");
  try_pointer(float4, DC_FLOAT32, 0x1008, 8, "no multiple of 16");
  try_pointer(float4, DC_FLOAT32, 0, 0, "");
  try_pointer(record, DC_UINT8, 0x1000, 25, "groups of 12");
  try_pointer(value, DC_FLOAT32, 0x1000, 1, "one float32 value");
}

/* --- plans and launches, on a recording device ----------------------------------------------------- */

static struct {
  size_t offset, size;
} told[16];
static int ntold; /* parameters in the "loaded code"; -1: it cannot tell */
static int launched;
static dc_launch last;
static size_t raised;

static int fake_param(dc_function *fn, int i, size_t *offset, size_t *size) {
  (void)fn;
  if (ntold < 0) return 2;
  if (i >= ntold) return 1;
  *offset = told[i].offset;
  *size = told[i].size;
  return 0;
}

static int fake_facts(dc_function *fn, dc_function_facts *out, dc_error *err) {
  (void)fn, (void)err;
  *out = (dc_function_facts){ .registers = 10, .shared = 1000, .max_threads = 512 };
  return 0;
}

static int fake_launch(dc_device *dev, dc_function *fn, dc_launch *l, dc_error *err) {
  (void)dev, (void)fn, (void)err;
  launched++;
  last = *l;
  return 0;
}

static int fake_limit(dc_function *fn, size_t bytes, dc_error *err) {
  (void)fn, (void)err;
  raised = bytes;
  return 0;
}

static const dc_code_ops ops = {
  .param = fake_param, .facts = fake_facts, .launch = fake_launch, .set_shared_limit = fake_limit
};
static dc_device device = { .code = &ops, .id = "fake:0", .name = "Fake", .state = DC_DEVICE_OPEN,
                            .facts = { .max_threads_per_block = 1024, .max_block = { 1024, 1024, 64 },
                                       .max_grid = { 0x7fffffff, 65535, 65535 }, .shared_per_block = 49152,
                                       .shared_per_block_optin = 100000 } };
static dc_module module = { .dev = &device, .refs = 1 };

static dc_cparam cparam(dc_ctype_class cls, dc_dtype t, int lanes, int pointers, size_t size, size_t align) {
  static char name[] = "p", spelling[] = "type";
  return (dc_cparam){ name, { .cls = cls, .dtype = t, .lanes = lanes, .pointers = pointers, .size = size,
                              .align = align, .spelling = spelling } };
}

/* A kernel with `n` of these parameters; what dc_plan_make answered. Its params are the caller's to free. */
static int make(dc_kernel *k, dc_signature *sig, dc_cparam *params, int n, dc_error *err) {
  static char name[] = "k", text[] = "k(...)";
  *sig = (dc_signature){ .name = name, .lowered = name, .text = text, .typed = true, .nparams = n, .params = params };
  *k = (dc_kernel){ .module = &module, .fn = (dc_function *)&device, .sig = sig };
  return dc_plan_make(k, err);
}

static void test_layout(void) {
  dc_error err = DC_ERROR_INIT;
  dc_kernel k;
  dc_signature sig;
  dc_cparam p[] = {
    cparam(DC_CT_SCALAR, DC_INT8, 1, 0, 1, 1),       cparam(DC_CT_SCALAR, DC_FLOAT64, 1, 0, 8, 8),
    cparam(DC_CT_SCALAR, DC_BOOL, 1, 0, 1, 1),       cparam(DC_CT_VECTOR, DC_FLOAT32, 4, 0, 0, 0),
    cparam(DC_CT_VECTOR, DC_UINT8, 3, 0, 0, 0),      cparam(DC_CT_SCALAR, DC_FLOAT32, 1, 1, 4, 4),
    cparam(DC_CT_STRUCT, DC_DTYPE_NONE, 1, 0, 12, 4), cparam(DC_CT_SCALAR, DC_INT16, 1, 0, 2, 2),
    cparam(DC_CT_SCALAR, DC_FLOAT32, 1, 2, 0, 0),    cparam(DC_CT_SCALAR, DC_FLOAT16, 1, 0, 2, 2),
  };
  static const struct {
    uint32_t offset, size;
    dc_conv conv;
  } want[] = {
    { 0, 1, DC_CONV_INT },          { 8, 8, DC_CONV_FLOAT },      { 16, 1, DC_CONV_BOOL },
    { 32, 16, DC_CONV_VECTOR },     { 48, 3, DC_CONV_VECTOR },    { 56, 8, DC_CONV_POINTER },
    { 64, 12, DC_CONV_RECORD },     { 76, 2, DC_CONV_INT },       { 80, 8, DC_CONV_POINTER },
    { 88, 2, DC_CONV_FLOAT },
  };
  for (int round = 0; round < 2; round++) { /* the code tells nothing, or agrees */
    ntold = round == 0 ? -1 : 10;
    CHECK(make(&k, &sig, p, 10, &err) == 0 && k.params_size == 90, "%s", dc_error_text(&err));
    for (int i = 0; i < 10 && k.params != NULL; i++) {
      const dc_plan_param *q = &k.params[i];
      CHECK(q->offset == want[i].offset && q->size == want[i].size && q->conv == want[i].conv,
            "parameter %d at %u, %u bytes", i, q->offset, q->size);
      CHECK((k.params[i].why != NULL) == (want[i].conv == DC_CONV_RECORD), "why of %d", i);
      told[i].offset = want[i].offset;
      told[i].size = want[i].size;
    }
    free(k.params);
  }
  told[1].offset = 4; /* disagreement in place, in size, in number */
  CHECK(make(&k, &sig, p, 10, &err) == -1 && strstr(dc_error_text(&err), "8 bytes at offset 8"), "%s",
        dc_error_text(&err));
  free(k.params);
  told[1].offset = 8, told[5].size = 4;
  CHECK(make(&k, &sig, p, 10, &err) == -1 && err.kind == DC_LAUNCH, "%s", dc_error_text(&err));
  free(k.params);
  told[5].size = 8, ntold = 9;
  CHECK(make(&k, &sig, p, 10, &err) == -1 && strstr(dc_error_text(&err), "9 parameters"), "%s", dc_error_text(&err));
  free(k.params);
  ntold = 10;
  CHECK(make(&k, &sig, p, 9, &err) == -1 && strstr(dc_error_text(&err), "at least 10"), "%s", dc_error_text(&err));
  free(k.params);
  p[6].type.size = p[6].type.align = 0; /* an unknown struct: the code knows its place, or nobody does */
  CHECK(make(&k, &sig, p, 10, &err) == 0 && k.params[7].offset == 76 && k.params[7].conv == DC_CONV_INT, "%s",
        dc_error_text(&err));
  free(k.params);
  ntold = -1;
  CHECK(make(&k, &sig, p, 10, &err) == 0 && k.params[7].conv == DC_CONV_UNSUPPORTED, "%s", dc_error_text(&err));
  free(k.params);
  sig.typed = false;
  CHECK(dc_plan_make(&k, &err) == -1, "ready-made code whose parameters nobody tells");
  dc_error_clear(&err);
}

static void try_launch(dc_kernel *k, dc_dim3 grid, dc_dim3 block, uint32_t shared, const char *want) {
  dc_error err = DC_ERROR_INIT;
  int before = launched;
  dc_launch l = { .grid = grid, .block = block };
  int rc = dc_kernel_launch(k, &l, &(dc_launch_options){ .shared = shared }, &err);
  CHECK((rc == 0) == (want[0] == '\0') && (rc == 0 || (err.kind == DC_LAUNCH && strstr(dc_error_text(&err), want))),
        "wanted '%s', got '%s'", want, dc_error_text(&err));
  CHECK(rc == 0 || launched == before, "a refused launch was issued");
  dc_error_clear(&err);
}

static void test_launches(void) {
  dc_error err = DC_ERROR_INIT;
  dc_kernel k;
  dc_signature sig;
  ntold = 0;
  CHECK(make(&k, &sig, NULL, 0, &err) == 0 && k.params_size == 0, "%s", dc_error_text(&err));
  const dc_dim3 one = { 1, 1, 1 };
  try_launch(&k, one, (dc_dim3){ 512, 1, 1 }, 0, "");
  CHECK(launched == 1 && last.block.x == 512 && last.grid.z == 1, "launch");
  for (int axis = 0; axis < 3; axis++) { /* zero threads: no launch, no error, whatever else is asked */
    uint32_t g[3] = { 1, 1, 70000 }, b[3] = { 4096, 1, 1 };
    g[axis] = 0;
    try_launch(&k, (dc_dim3){ g[0], g[1], g[2] }, (dc_dim3){ b[0], b[1], b[2] }, 1 << 30, "");
    g[axis] = 1, b[axis] = 0;
    try_launch(&k, one, (dc_dim3){ b[0], b[1], b[2] }, 0, "");
  }
  CHECK(launched == 1, "launches of nothing");
  try_launch(&k, one, (dc_dim3){ 513, 1, 1 }, 0, "at most 512 threads");
  try_launch(&k, one, (dc_dim3){ 2048, 1, 1 }, 0, "block of 2048 threads (2048x1x1): kernel 'k' takes at most 512");
  try_launch(&k, one, (dc_dim3){ 32, 32, 1 }, 0, "block of 1024 threads (32x32x1)");
  try_launch(&k, one, (dc_dim3){ 1, 2000, 1 }, 0,
             "block of 2000 threads in y (1x2000x1), but Fake takes at most 1024 in y");
  try_launch(&k, one, (dc_dim3){ 1, 1, 65 }, 0, "at most 64 in z");
  try_launch(&k, (dc_dim3){ 0x80000000u, 1, 1 }, one, 0, "at most 2147483647 in x");
  try_launch(&k, (dc_dim3){ 1, 65536, 1 }, one, 0, "grid of 65536 blocks in y (1x65536x1)");
  try_launch(&k, one, (dc_dim3){ 0xffffffffu, 0xffffffffu, 0xffffffffu }, 0, "block of 4294967295 threads in x");
  try_launch(&k, one, one, 48152, "");
  CHECK(raised == 0, "48 KiB with the static part need no asking");
  try_launch(&k, one, one, 48153, "");
  CHECK(raised == 48153 && k.shared_limit == 48153, "the limit is raised");
  try_launch(&k, one, one, 99000, "");
  try_launch(&k, one, one, 99001,
             "99001 bytes of dynamic shared memory, with 1000 static ones of kernel 'k', are more than the 100000");
  try_launch(&k, one, one, 0xffffffffu, "more than the 100000");
  free(k.params);
}

int main(void) {
  const char *seed = getenv("DOTCOMPUTE_SPEC_SEED");
  if (seed != NULL) state = strtoull(seed, NULL, 10) | 1;
  test_integers();
  test_floats();
  test_bools();
  test_small(DC_FLOAT16, 10, 15);
  test_small(DC_BFLOAT16, 7, 127);
  test_small_integers();
  test_pointers();
  test_layout();
  test_launches();
  printf("%d checks, %d failed (seed %s)\n", checks, failures, seed != NULL ? seed : "1");
  return failures != 0;
}
