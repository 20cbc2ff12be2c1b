/*
** native.c - what ours is measured against, as a Lua module.
**
** CPU rows: the loops of loops.c, one thread, working on the very memory that the CPU device's arrays live in
** (addresses come from a.ptr); random contents for it; and how far a result is from its reference.
*/
#include "clock.h"
#include "loops.h"

#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *address(lua_State *L, int i) { return (void *)(uintptr_t)luaL_checkinteger(L, i); }

/* --- the loops ------------------------------------------------------------------------------- */

enum { MOST = 16 };

typedef struct call {
  bench_fn *fn;
  void *p[MOST];
  double s[MOST];
} call;

/* At i: "native", "fast", "reference", "openmp" or "peers"; the loop's name; a list of addresses; a list of numbers. */
static void read_call(lua_State *L, int i, call *c) {
  static const char *const names[] = {"native", "fast", "reference", "openmp", "peers", NULL};
  const bench_loop *const tables[] = {bench_native, bench_fast, bench_reference, bench_openmp, bench_peers};
  const bench_loop *l = tables[luaL_checkoption(L, i, NULL, names)];
  const char *name = luaL_checkstring(L, i + 1);
  while (l && l->name && strcmp(l->name, name) != 0) l++;
  if (!l || !l->name) luaL_error(L, "there is no loop '%s'", name);
  c->fn = l->fn;
  for (int k = 0; k < MOST; k++) {
    lua_geti(L, i + 2, k + 1);
    lua_geti(L, i + 3, k + 1);
    c->p[k] = (void *)(uintptr_t)luaL_optinteger(L, -2, 0);
    c->s[k] = luaL_optnumber(L, -1, 0);
    lua_pop(L, 2);
  }
}

/* run(table, name, addresses, numbers) -> seconds */
static int l_run(lua_State *L) {
  call c;
  read_call(L, 1, &c);
  double t = now();
  c.fn(c.p, c.s);
  lua_pushnumber(L, now() - t);
  return 1;
}

static void *run_call(void *c) {
  ((call *)c)->fn(((call *)c)->p, ((call *)c)->s);
  return NULL;
}

/* run_two(table, name, addresses, numbers, other addresses) -> seconds: two at once, on two threads */
static int l_run_two(lua_State *L) {
  call a, b;
  read_call(L, 1, &a);
  lua_pushvalue(L, 5);
  lua_replace(L, 3);
  read_call(L, 1, &b);
  pthread_t other;
  double t = now();
  if (pthread_create(&other, NULL, run_call, &b) != 0) return luaL_error(L, "no second thread");
  run_call(&a);
  pthread_join(other, NULL);
  lua_pushnumber(L, now() - t);
  return 1;
}

/* random(address, n, low, high, seed): n floats */
static int l_random(lua_State *L) {
  float *x = address(L, 1);
  lua_Integer n = luaL_checkinteger(L, 2);
  const double low = luaL_checknumber(L, 3), high = luaL_checknumber(L, 4);
  uint64_t state = (uint64_t)luaL_checkinteger(L, 5) * 2 + 1;
  for (lua_Integer i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = (float)(low + (high - low) * (double)(state >> 40) / (1 << 24));
  }
  return 0;
}

/* error(address, n, reference, scale) -> the largest of |x - r| / (|r| + scale) of n floats; infinite for a NaN */
static int l_error(lua_State *L) {
  const float *x = address(L, 1);
  lua_Integer n = luaL_checkinteger(L, 2);
  const double *r = address(L, 3), scale = luaL_checknumber(L, 4);
  double worst = 0;
  for (lua_Integer i = 0; i < n; i++) {
    double e = fabs(x[i] - r[i]) / (fabs(r[i]) + scale);
    if (!(e <= worst)) worst = isnan(e) ? HUGE_VAL : e;
  }
  lua_pushnumber(L, worst);
  return 1;
}

/* differing(address, n, reference) -> the share of n int32 that are others */
static int l_differing(lua_State *L) {
  const int32_t *x = address(L, 1);
  lua_Integer n = luaL_checkinteger(L, 2), count = 0;
  const double *r = address(L, 3);
  for (lua_Integer i = 0; i < n; i++) count += x[i] != r[i];
  lua_pushnumber(L, (double)count / (double)n);
  return 1;
}

/* best_isa() -> the most that this processor has of what the CPU device can use */
static int l_best_isa(lua_State *L) {
  const char *isa = "baseline";
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) isa = "avx2";
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    isa = "avx512";
#endif
  lua_pushstring(L, isa);
  return 1;
}

static int l_now(lua_State *L) {
  lua_pushnumber(L, now());
  return 1;
}

/* setenv(name, value): for libraries that are loaded later */
static int l_setenv(lua_State *L) {
  setenv(luaL_checkstring(L, 1), luaL_checkstring(L, 2), 1);
  return 0;
}

/* sleep(seconds) */
static int l_sleep(lua_State *L) {
  const double seconds = luaL_checknumber(L, 1);
  struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
  return 0;
}

static const luaL_Reg functions[] = {
    {"now", l_now},           {"run", l_run},                   {"run_two", l_run_two},
    {"random", l_random},     {"error", l_error},               {"differing", l_differing},
    {"best_isa", l_best_isa}, {"setenv", l_setenv},             {"sleep", l_sleep},
    {NULL, NULL},
};

int luaopen_native(lua_State *L);
int luaopen_native(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
