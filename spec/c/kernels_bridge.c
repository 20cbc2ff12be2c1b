/*
** kernels_bridge.c - what spec/kernels.lua needs of C, as a Lua module: random inputs, calls of the references,
** comparisons and hashes of whole arrays.  It compiles nothing and knows nothing of the devices.
**
** Arrays travel as Lua strings of their bytes, little-endian as on every machine we run on.
*/
#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum { UNSIGNED, SIGNED, FLOATING } number_kind;

typedef struct number_type {
  const char *name;
  size_t size;
  number_kind kind;
} number_type;

static const number_type types[] = {
    {"int8", 1, SIGNED},      {"int16", 2, SIGNED},     {"int32", 4, SIGNED},     {"int64", 8, SIGNED},
    {"uint8", 1, UNSIGNED},   {"uint16", 2, UNSIGNED},  {"uint32", 4, UNSIGNED},  {"uint64", 8, UNSIGNED},
    {"float16", 2, FLOATING}, {"float32", 4, FLOATING}, {"float64", 8, FLOATING},
};

static const number_type *check_type(lua_State *L, int i) {
  const char *name = luaL_checkstring(L, i);
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(types[k].name, name) == 0) return &types[k];
  luaL_error(L, "no such dtype: %s", name);
  return NULL;
}

/* --- one element ------------------------------------------------------------------------------------ */

static double half_value(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  double v = exponent == 31 ? (mantissa ? NAN : INFINITY)
             : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                            : ldexp(mantissa, -24);
  return h & 0x8000 ? -v : v;
}

/* The nearest half at or below |v|: inputs need no rounding to nearest. */
static uint16_t half_near(double v) {
  int exponent;
  uint16_t sign = signbit(v) ? 0x8000 : 0;
  double m = frexp(fabs(v), &exponent); /* m in [0.5, 1) */
  if (m == 0 || exponent < -13) return sign;
  return (uint16_t)(sign | (exponent + 14) << 10 | ((int)(m * 2048) & 1023));
}

static double float_at(const number_type *t, const char *p) {
  if (t->size == 2) {
    uint16_t h;
    memcpy(&h, p, 2);
    return half_value(h);
  }
  if (t->size == 4) {
    float f;
    memcpy(&f, p, 4);
    return (double)f;
  }
  double d;
  memcpy(&d, p, 8);
  return d;
}

static int64_t integer_at(const number_type *t, const char *p) {
  uint64_t v = 0;
  memcpy(&v, p, t->size);
  if (t->kind == SIGNED && t->size < 8 && v >> (8 * t->size - 1) & 1) v -= (uint64_t)1 << 8 * t->size;
  return (int64_t)v;
}

static void push_element(lua_State *L, const number_type *t, const char *p) {
  if (t->kind == FLOATING) lua_pushnumber(L, float_at(t, p));
  else lua_pushinteger(L, integer_at(t, p));
}

static void put_float(const number_type *t, char *p, double v) {
  float f = (float)v;
  uint16_t h = t->size == 2 ? half_near(v) : 0;
  memcpy(p, t->size == 2 ? (void *)&h : t->size == 4 ? (void *)&f : (void *)&v, t->size);
}

/* --- inputs ----------------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* random(dtype, n, seed [, lo, hi]) -> n values, uniform in [lo, hi); integers of all bits when no limits are given */
static int l_random(lua_State *L) {
  const number_type *t = check_type(L, 1);
  lua_Integer count = luaL_checkinteger(L, 2);
  uint64_t state = (uint64_t)luaL_checkinteger(L, 3);
  bool limited = !lua_isnoneornil(L, 4);
  luaL_argcheck(L, count >= 0, 2, "a negative number of elements");
  double lo = 0, width = 1;
  int64_t first = 0;
  uint64_t span = 0; /* 0: all bits */
  if (limited && t->kind == FLOATING) {
    lo = luaL_checknumber(L, 4);
    width = luaL_checknumber(L, 5) - lo;
  } else if (limited) {
    first = luaL_checkinteger(L, 4);
    span = (uint64_t)luaL_checkinteger(L, 5) - (uint64_t)first;
    luaL_argcheck(L, (int64_t)span > 0, 5, "must be above the lower limit");
  }
  luaL_Buffer b;
  char *p = luaL_buffinitsize(L, &b, (size_t)count * t->size);
  for (lua_Integer i = 0; i < count; i++, p += t->size) {
    uint64_t r = next_random(&state);
    if (t->kind == FLOATING) {
      put_float(t, p, lo + width * (double)(r >> 11) * 0x1p-53);
    } else {
      uint64_t v = span ? (uint64_t)first + (r >> 1) % span : r;
      memcpy(p, &v, t->size);
    }
  }
  luaL_pushresultsize(&b, (size_t)count * t->size);
  return 1;
}

/* --- references ------------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int l_now(lua_State *L) {
  lua_pushnumber(L, now());
  return 1;
}

/* open(path) -> a library, which stays until the process ends */
static int l_open(lua_State *L) {
  void *lib = dlopen(luaL_checkstring(L, 1), RTLD_NOW | RTLD_LOCAL);
  if (!lib) return luaL_error(L, "%s", dlerror());
  lua_pushlightuserdata(L, lib);
  return 1;
}

#define MOST 64

/* Fills copies[0..count) from the strings of the table at index i: aligned as malloc's memory, apart from Lua's. */
static int copy_buffers(lua_State *L, int i, void **copies, size_t *sizes) {
  int count = (int)lua_rawlen(L, i);
  luaL_argcheck(L, count <= MOST, i, "too many arrays");
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, i, k + 1);
    const char *bytes = luaL_checklstring(L, -1, &sizes[k]);
    copies[k] = aligned_alloc(64, (sizes[k] + 127) / 64 * 64);
    if (!copies[k]) luaL_error(L, "out of memory");
    memcpy(copies[k], bytes, sizes[k]);
    lua_pop(L, 1);
  }
  return count;
}

/* call(lib, name, {arrays}, {numbers}) -> {arrays afterwards}, seconds: runs  void name(void **p, const double *s) */
static int l_call(lua_State *L) {
  union {
    void *object;
    void (*run)(void **p, const double *s);
  } f = {dlsym(lua_touserdata(L, 1), luaL_checkstring(L, 2))};
  if (!f.object) return luaL_error(L, "%s", dlerror());
  void *copies[MOST];
  size_t sizes[MOST];
  double numbers[MOST] = {0};
  luaL_checktype(L, 3, LUA_TTABLE);
  luaL_checktype(L, 4, LUA_TTABLE);
  int count = copy_buffers(L, 3, copies, sizes);
  for (int k = 0; k < (int)lua_rawlen(L, 4) && k < MOST; k++) {
    lua_rawgeti(L, 4, k + 1);
    numbers[k] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  double start = now();
  f.run(copies, numbers);
  double seconds = now() - start;
  lua_createtable(L, count, 0);
  for (int k = 0; k < count; k++) {
    lua_pushlstring(L, copies[k], sizes[k]);
    lua_rawseti(L, -2, k + 1);
    free(copies[k]);
  }
  lua_pushnumber(L, seconds);
  return 2;
}

/* --- comparisons ------------------------------------------------------------------------------------ */

/* The mean of the finite magnitudes. */
static double mean_magnitude(const number_type *t, const char *p, size_t count) {
  double sum = 0;
  size_t finite = 0;
  for (size_t i = 0; i < count; i++) {
    double v = fabs(t->kind == FLOATING ? float_at(t, p + i * t->size) : (double)integer_at(t, p + i * t->size));
    if (isfinite(v)) sum += v, finite++;
  }
  return finite ? sum / (double)finite : 0;
}

static bool equal(const number_type *t, const char *p, const char *q, double relative, double absolute) {
  if (memcmp(p, q, t->size) == 0) return true;
  if (t->kind != FLOATING) {
    double a = (double)integer_at(t, p), b = (double)integer_at(t, q);
    return relative + absolute > 0 && fabs(a - b) <= fmax(relative * fabs(b), absolute);
  }
  double a = float_at(t, p), b = float_at(t, q);
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (relative == 0 && absolute == 0) return false; /* -0 is not 0 */
  return a == b || (isfinite(a) && isfinite(b) && fabs(a - b) <= fmax(relative * fabs(b), absolute));
}

/* differ(got, want, dtype, relative [, absolute]) -> the number of elements that differ; of the first its number
** (from 0) and both values.  Without `absolute` that is `relative` of the mean magnitude of what is wanted.
** Any NaN is equal to any other; both tolerances zero: all else must be equal in every bit. */
static int l_differ(lua_State *L) {
  size_t size, wanted;
  const char *got = luaL_checklstring(L, 1, &size), *want = luaL_checklstring(L, 2, &wanted);
  const number_type *t = check_type(L, 3);
  double relative = luaL_checknumber(L, 4);
  luaL_argcheck(L, size == wanted, 2, "arrays of different sizes");
  size_t count = size / t->size, differing = 0, first = 0;
  double absolute = luaL_optnumber(L, 5, -1);
  if (absolute < 0) absolute = relative > 0 ? relative * mean_magnitude(t, want, count) : 0;
  for (size_t i = 0; i < count; i++) {
    if (equal(t, got + i * t->size, want + i * t->size, relative, absolute)) continue;
    if (differing++ == 0) first = i;
  }
  lua_pushinteger(L, (lua_Integer)differing);
  if (!differing) return 1;
  lua_pushinteger(L, (lua_Integer)first);
  push_element(L, t, got + first * t->size);
  push_element(L, t, want + first * t->size);
  return 4;
}

/* hash(bytes, dtype) -> 16 hexadecimal digits (FNV-1a); all NaNs count as one, since their bits are free. */
static int l_hash(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  const number_type *t = check_type(L, 2);
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i + t->size <= size; i += t->size) {
    unsigned char element[8];
    memcpy(element, bytes + i, t->size);
    if (t->kind == FLOATING && isnan(float_at(t, bytes + i))) memset(element, 0xff, t->size);
    for (size_t k = 0; k < t->size; k++) h = (h ^ element[k]) * 0x100000001b3u;
  }
  char text[17];
  for (int k = 15; k >= 0; k--, h >>= 4) text[k] = "0123456789abcdef"[h & 15];
  lua_pushlstring(L, text, 16);
  return 1;
}

static const luaL_Reg functions[] = {
    {"random", l_random}, {"open", l_open}, {"call", l_call}, {"differ", l_differ}, {"hash", l_hash}, {"now", l_now},
    {NULL, NULL},
};

__attribute__((visibility("default"))) int luaopen_spec_kernels_bridge(lua_State *L);
int luaopen_spec_kernels_bridge(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
