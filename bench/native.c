/*
** native.c - what ours is measured against: the same work in plain C, as a Lua module.
**
** CPU rows: the loops a C programmer would write, one thread, compiled with -O3, working on the very
** memory that the CPU device's arrays live in (addresses come from a.ptr).
** GPU rows: a loop over cuLaunchKernel in this process, on the same device, with a module of its own.
*/
#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *address(lua_State *L, int i) { return (void *)(uintptr_t)luaL_checkinteger(L, i); }

static void mandelbrot(int *out, int w, int h, float x0, float y0, float d, int limit) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float cr = x0 + (float)x * d, ci = y0 + (float)y * d, zr = 0, zi = 0;
      int n = 0;
      while (n < limit && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        n++;
      }
      out[(size_t)y * (size_t)w + (size_t)x] = n;
    }
}

static void nbody(const float *restrict p, float *restrict a, int n) {
  for (int i = 0; i < n; i++) {
    float x = p[4 * i], y = p[4 * i + 1], z = p[4 * i + 2], ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      float dx = p[4 * j] - x, dy = p[4 * j + 1] - y, dz = p[4 * j + 2] - z;
      float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = p[4 * j + 3] * r * r * r;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
    a[4 * i] = ax, a[4 * i + 1] = ay, a[4 * i + 2] = az, a[4 * i + 3] = 0;
  }
}

static void saxpy(int n, float a, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

/* mandelbrot(out, w, h, x0, y0, d, limit) -> seconds */
static int l_mandelbrot(lua_State *L) {
  double t = now();
  mandelbrot(address(L, 1), (int)luaL_checkinteger(L, 2), (int)luaL_checkinteger(L, 3), (float)luaL_checknumber(L, 4),
             (float)luaL_checknumber(L, 5), (float)luaL_checknumber(L, 6), (int)luaL_checkinteger(L, 7));
  lua_pushnumber(L, now() - t);
  return 1;
}

/* nbody(positions, accelerations, n) -> seconds */
static int l_nbody(lua_State *L) {
  double t = now();
  nbody(address(L, 1), address(L, 2), (int)luaL_checkinteger(L, 3));
  lua_pushnumber(L, now() - t);
  return 1;
}

/* saxpy(n, a, x, y) -> seconds */
static int l_saxpy(lua_State *L) {
  double t = now();
  saxpy((int)luaL_checkinteger(L, 1), (float)luaL_checknumber(L, 2), address(L, 3), address(L, 4));
  lua_pushnumber(L, now() - t);
  return 1;
}

/* --- the launch loop ------------------------------------------------------------------------ */

typedef int (*launch_fn)(void *f, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                         void **);
static launch_fn launch;
static int (*synchronize)(void *stream);
static void *function, *stream;

/* launch_setup(ptx, name): the module and a non-blocking stream in device 0's primary context */
static int l_launch_setup(lua_State *L) {
  const char *ptx = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!lib) return luaL_error(L, "%s", dlerror());
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(lib, "cuInit");
  int (*retain)(void **, int) = (int (*)(void **, int))dlsym(lib, "cuDevicePrimaryCtxRetain");
  int (*set)(void *) = (int (*)(void *))dlsym(lib, "cuCtxSetCurrent");
  int (*load)(void **, const void *) = (int (*)(void **, const void *))dlsym(lib, "cuModuleLoadData");
  int (*get)(void **, void *, const char *) = (int (*)(void **, void *, const char *))dlsym(lib, "cuModuleGetFunction");
  int (*create)(void **, unsigned) = (int (*)(void **, unsigned))dlsym(lib, "cuStreamCreate");
  launch = (launch_fn)dlsym(lib, "cuLaunchKernel");
  synchronize = (int (*)(void *))dlsym(lib, "cuStreamSynchronize");
  void *ctx, *module;
  int r;
  if ((r = init(0)) || (r = retain(&ctx, 0)) || (r = set(ctx)) || (r = load(&module, ptx)) ||
      (r = get(&function, module, name)) || (r = create(&stream, 1)))
    return luaL_error(L, "CUDA error %d", r);
  return 0;
}

/* launch_loop(times, n, a, x, y) -> seconds to issue, seconds until done; 4 blocks of 256 threads */
static int l_launch_loop(lua_State *L) {
  lua_Integer times = luaL_checkinteger(L, 1);
  int n = (int)luaL_checkinteger(L, 2);
  float a = (float)luaL_checknumber(L, 3);
  uint64_t x = (uint64_t)luaL_checkinteger(L, 4), y = (uint64_t)luaL_checkinteger(L, 5);
  void *params[] = {&n, &a, &x, &y};
  double t = now();
  int r = 0;
  for (lua_Integer i = 0; i < times; i++) r |= launch(function, 4, 1, 1, 256, 1, 1, 0, stream, params, NULL);
  double issued = now();
  r |= synchronize(stream);
  if (r) return luaL_error(L, "CUDA error %d", r);
  lua_pushnumber(L, issued - t);
  lua_pushnumber(L, now() - t);
  return 2;
}

static int l_now(lua_State *L) {
  lua_pushnumber(L, now());
  return 1;
}

static const luaL_Reg functions[] = {
    {"now", l_now},         {"mandelbrot", l_mandelbrot},     {"nbody", l_nbody},
    {"saxpy", l_saxpy},     {"launch_setup", l_launch_setup}, {"launch_loop", l_launch_loop},
    {NULL, NULL},
};

int luaopen_native(lua_State *L);
int luaopen_native(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
