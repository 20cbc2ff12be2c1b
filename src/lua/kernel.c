/*
** kernel.c - the kernel object: calling it launches.
**
** The good path converts straight from the Lua stack into a buffer on the C stack, by the launch plan:
** no allocation, no text.  First everything is checked; then arrays that are still expressions are
** computed and readers of what the kernel may write are settled; then it is launched.
*/
#include <stdalign.h>
#include <string.h>

#include "lua/lib.h"

#define PARAMS_MAX 4096 /* bytes of parameters: what every CUDA takes (from 12.1 on, Volta and newer take 32764) */

typedef struct kernel_object {
  dc_kernel *k;    /* NULL: not made yet */
  uint32_t shared; /* dynamic shared memory, from with{} */
  uint32_t block;  /* forall's choice; 0 not made yet */
  bool opaque;     /* takes pointers to structs, which may hold addresses of anything */
  bool wide;       /* takes 64-bit integers, or arrays of them, which may be addresses */
  bool working;    /* a launch may return only when the work is done, so Ctrl-C must reach it */
} kernel_object;

/* The only user value of a kernel object is its module object. */

static kernel_object *check_kernel(lua_State *L, const dc_lua *self) {
  kernel_object *o = dc_lua_test(L, self, 1, DC_LUA_KERNEL);
  if (!o || !o->k) dc_lua_expected(L, 1, "a kernel");
  return o;
}

void dc_lua_pushkernel(lua_State *L, int module, const char *name) {
  dc_error err = DC_ERROR_INIT;
  kernel_object *o = dc_lua_new(L, DC_LUA_KERNEL, sizeof *o, 1);
  lua_pushvalue(L, module);
  lua_setiuservalue(L, -2, 1);
  dc_module *m = ((dc_lua_module *)lua_touserdata(L, module))->m;
  dc_kernel *k = dc_module_kernel(m, name, &err);
  if (!k) {
    lua_getiuservalue(L, module, DC_LUA_MODULE_ORIGIN);
    dc_lua_raise_at(L, &err, lua_gettop(L));
    return; /* not reached */
  }
  for (int i = 0; i < k->nparams; i++) {
    const dc_plan_param *p = &k->params[i];
    o->opaque = o->opaque || p->record;
    bool wide = p->dtype == DC_INT64 || p->dtype == DC_UINT64;
    bool integer = p->conv == DC_CONV_INT || p->conv == DC_CONV_WORD;
    o->wide = o->wide || (wide && (integer || p->conv == DC_CONV_POINTER)) || p->conv == DC_CONV_RECORD;
  }
  o->working = strcmp(m->dev->backend, "cuda") != 0;
  dc_module_ref(m);
  o->k = k;
}

/* Raises with places of the script where the kernel's source stands. The kernel is at 1. */
static int raise_here(lua_State *L, dc_error *err) {
  lua_checkstack(L, 2); /* C functions have room beyond their arguments */
  lua_getiuservalue(L, 1, 1);
  lua_getiuservalue(L, -1, DC_LUA_MODULE_ORIGIN);
  return dc_lua_raise_at(L, err, lua_gettop(L));
}

/* --- grid and block ------------------------------------------------------------------------------ */

static int fail_extents(lua_State *L, const dc_kernel *k, const char *what, int idx) {
  return dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s is an integer or {x, y, z}, got %s", k->sig->name, what,
                     dc_lua_describe(L, idx));
}

/* One extent at idx. */
static uint32_t read_extent(lua_State *L, const dc_kernel *k, const char *what, int idx, int axis,
                            const uint32_t limit[3]) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, idx, &v)) {
    if (lua_type(L, idx) == LUA_TNUMBER)
      dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s's %c is %.14g, which is no integer", k->sig->name, what,
                  "xyz"[axis], lua_tonumber(L, idx));
    fail_extents(L, k, what, idx);
  }
  if (v < 0 || v > UINT32_MAX)
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s's %c is %lld; %s takes 0 to %u", k->sig->name, what, "xyz"[axis],
                (long long)v, k->module->dev->name, limit[axis]);
  return (uint32_t)v;
}

static dc_dim3 read_extents(lua_State *L, const dc_kernel *k, const char *what, int idx, const uint32_t limit[3]) {
  static const char *const names[3] = { "x", "y", "z" };
  uint32_t v[3] = { 1, 1, 1 };
  if (lua_type(L, idx) != LUA_TTABLE) {
    v[0] = read_extent(L, k, what, idx, 0, limit);
    return (dc_dim3){ v[0], 1, 1 };
  }
  if (luaL_len(L, idx) > 3)
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s has %lld extents, at most 3 are possible", k->sig->name, what,
                (long long)luaL_len(L, idx));
  int found = 0;
  for (int i = 0; i < 3; i++) {
    if (lua_geti(L, idx, i + 1) == LUA_TNIL) {
      lua_pop(L, 1);
      if (lua_getfield(L, idx, names[i]) == LUA_TNIL) {
        lua_pop(L, 1);
        continue;
      }
    }
    v[i] = read_extent(L, k, what, lua_gettop(L), i, limit);
    lua_pop(L, 1);
    found++;
  }
  if (found == 0) fail_extents(L, k, what, idx);
  return (dc_dim3){ v[0], v[1], v[2] };
}

/* --- arguments ----------------------------------------------------------------------------------- */

static int fail_argument(lua_State *L, const dc_kernel *k, int param, dc_error *err) {
  dc_kernel_blame(k, param, err);
  return raise_here(L, err);
}

static int fail_count(lua_State *L, const dc_kernel *k, int got) {
  dc_error err = DC_ERROR_INIT;
  dc_fail(&err, DC_ARGUMENT, NULL, "%d argument%s expected after grid and block, got %d", k->nparams,
          k->nparams == 1 ? "" : "s", got);
  return fail_argument(L, k, -1, &err);
}

/* A pointer, or what may be one in ready-made PTX. */
static bool takes_array(const dc_plan_param *p) {
  return p->conv == DC_CONV_POINTER || (p->conv == DC_CONV_WORD && p->size == sizeof(dc_ptr));
}

/* A value of a type that no parameter takes. */
static int fail_type(lua_State *L, const dc_kernel *k, int param, int idx) {
  dc_error err = DC_ERROR_INIT;
  const dc_plan_param *p = &k->params[param];
  char ignored[8];
  if (p->conv == DC_CONV_UNSUPPORTED) dc_plan_put_int(p, 0, ignored, &err); /* says why nothing is taken */
  else if (p->conv == DC_CONV_RECORD)
    dc_fail(&err, DC_ARGUMENT, NULL, "a string of %u bytes expected, got %s", p->size, dc_lua_describe(L, idx));
  else if (p->conv != DC_CONV_POINTER && !takes_array(p))
    dc_fail(&err, DC_ARGUMENT, NULL, "a %s expected, got %s", p->conv == DC_CONV_BOOL ? "boolean" : "number",
            dc_lua_describe(L, idx));
  else
    dc_fail(&err, DC_ARGUMENT, NULL, "an array expected, got %s%s", dc_lua_describe(L, idx),
            lua_isnil(L, idx) ? " (a null pointer is dc.null)" : "");
  return fail_argument(L, k, param, &err);
}

/* Why an array may not be passed: closed, elsewhere, or not contiguous. 0 when none of these. */
static int check_array(const dc_kernel *k, const dc_array *a, dc_error *err) {
  const dc_device *dev = k->module->dev;
  if (!a || dc_array_state_of(a) == DC_ARRAY_CLOSED) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
  dc_dtype dtype = dc_array_dtype(a);
  if (dc_array_device(a) != dev)
    return dc_fail(err, DC_ARGUMENT, NULL, "got %s array of device %s, the kernel is compiled for %s",
                   dc_dtype_noun(dtype), dc_array_device(a)->id, dev->id);
  if (!dc_geometry_contiguous(dc_array_geometry(a), dc_dtype_size(dtype)))
    return dc_fail(err, DC_ARGUMENT, NULL, "got a view of %s array that is not contiguous; pass a copy (a:copy())",
                   dc_dtype_noun(dtype));
  return 0;
}

/* Checks the array for parameter p and puts its address. 1: it must be computed or settled first. */
static int put_array(const dc_kernel *k, const dc_plan_param *p, dc_array *a, char *params, dc_error *err) {
  dc_ptr ptr = 0;
  int due = 0;
  if (!a || !dc_array_launch_ready(a, k->module->dev, &ptr)) {
    if (takes_array(p) && check_array(k, a, err) != 0) return -1;
    if (!a || dc_array_state_of(a) == DC_ARRAY_CLOSED) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
    if (dc_array_state_of(a) == DC_ARRAY_READY && dc_array_ptr(a, &ptr, err) != 0) return -1;
    due = 1;
  }
  if (dc_plan_check_pointer(p, dc_array_dtype(a), ptr, (uint64_t)dc_array_size(a), err) != 0) return -1;
  if (!due) dc_plan_put_ptr(p, ptr, params);
  return due;
}

/* Converts the argument at idx. 1: an array that is due first. Raises. */
static int put_argument(lua_State *L, const dc_lua *self, const dc_kernel *k, int i, int idx, char *params) {
  const dc_plan_param *p = &k->params[i];
  dc_error err = DC_ERROR_INIT;
  int rc;
  switch (lua_type(L, idx)) {
    case LUA_TNUMBER:
      if (lua_isinteger(L, idx)) rc = dc_plan_put_int(p, lua_tointeger(L, idx), params, &err);
      else rc = dc_plan_put_float(p, lua_tonumber(L, idx), params, &err);
      break;
    case LUA_TBOOLEAN:
      if (p->conv == DC_CONV_FLOAT) return fail_type(L, k, i, idx);
      rc = dc_plan_put_bool(p, lua_toboolean(L, idx), params, &err);
      break;
    case LUA_TUSERDATA: {
      dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
      if (o) {
        rc = put_array(k, p, o->a, params, &err);
      } else {
        if (lua_touserdata(L, idx) != self->null || !takes_array(p)) return fail_type(L, k, i, idx);
        dc_plan_put_ptr(p, 0, params);
        rc = 0;
      }
      break;
    }
    case LUA_TSTRING:
      if (p->conv != DC_CONV_RECORD) return fail_type(L, k, i, idx);
      rc = dc_plan_put_bytes(p, lua_tostring(L, idx), lua_rawlen(L, idx), params, &err);
      break;
    default: return fail_type(L, k, i, idx);
  }
  return rc < 0 ? fail_argument(L, k, i, &err) : rc;
}

/* Computes what is still an expression, then settles what reads the arrays that the kernel may write, then
** puts all addresses anew. Everything has been checked. */
static void settle_arguments(lua_State *L, dc_lua *self, const kernel_object *o, int first, char *params) {
  const dc_kernel *k = o->k;
  dc_error err = DC_ERROR_INIT;
  for (int i = 0; i < k->nparams; i++) {
    dc_lua_array *array = dc_lua_test(L, self, first + i, DC_LUA_ARRAY);
    if (array) dc_lua_settle(L, self, array->a);
  }
  if ((o->opaque || (o->wide && self->address_taken)) &&
      DC_LUA_WORK(self, dc_array_settle_device(k->module->dev, &err)) != 0)
    raise_here(L, &err);
  for (int i = 0; i < k->nparams; i++) {
    dc_lua_array *array = dc_lua_test(L, self, first + i, DC_LUA_ARRAY);
    if (array && !k->params[i].is_const && DC_LUA_WORK(self, dc_array_will_write(array->a, &err)) != 0)
      fail_argument(L, k, i, &err);
  }
  for (int i = 0; i < k->nparams; i++) { /* all is settled: no finalizer closes an array from here on */
    dc_lua_array *array = dc_lua_test(L, self, first + i, DC_LUA_ARRAY);
    dc_ptr ptr = 0;
    if (!array) continue;
    if (dc_array_ptr(array->a, &ptr, &err) != 0) fail_argument(L, k, i, &err);
    dc_plan_put_ptr(&k->params[i], ptr, params);
  }
}

/* --- launching ----------------------------------------------------------------------------------- */

/* Remembers who launched what. */
static void note_launch(lua_State *L, dc_lua *self, const dc_kernel *k) {
  lua_Debug ar;
  int level = 0;
  do { /* the innermost function that has lines: pcall and its like have none */
    if (!lua_getstack(L, ++level, &ar)) return;
    lua_getinfo(L, "Sl", &ar);
  } while (ar.currentline < 0);
  dc_lua_launch *l = &self->launches[self->launched++ % DC_LUA_LAUNCHES];
  strncpy(l->name, k->sig->name, sizeof l->name - 1);
  memcpy(l->script, ar.short_src, sizeof l->script);
  l->line = ar.currentline;
}

/* The kernel is at 1, its arguments are from `first` on. */
static int launch(lua_State *L, dc_lua *self, const kernel_object *o, dc_dim3 grid, dc_dim3 block, int first) {
  dc_kernel *k = o->k;
  const int got = lua_gettop(L) - first + 1;
  alignas(16) char params[PARAMS_MAX];
  dc_error err = DC_ERROR_INIT;
  int due = o->opaque || (o->wide && self->address_taken), rc;
  if (got != k->nparams) return fail_count(L, k, got > 0 ? got : 0);
  if (k->params_size > sizeof params)
    return dc_lua_fail(L, DC_LAUNCH, "kernel '%s' takes %u bytes of parameters, at most %d are possible", k->sig->name,
                       k->params_size, PARAMS_MAX);
  for (int i = 0; i < got; i++) due |= put_argument(L, self, k, i, first + i, params);
  if (due) settle_arguments(L, self, o, first, params);
  if (o->working) rc = DC_LUA_WORK(self, dc_kernel_launch(k, grid, block, o->shared, params, &err));
  else {
    note_launch(L, self, k);
    rc = dc_kernel_launch(k, grid, block, o->shared, params, &err);
  }
  if (rc == 0) return 0;
  return raise_here(L, &err);
}

static int kernel_call(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  kernel_object *o = check_kernel(L, self);
  const dc_device_facts *f = &o->k->module->dev->facts;
  if (lua_gettop(L) < 3) lua_settop(L, 3);
  dc_dim3 grid = read_extents(L, o->k, "grid", 2, f->max_grid);
  dc_dim3 block = read_extents(L, o->k, "block", 3, f->max_block);
  return launch(L, self, o, grid, block, 4);
}

/* The block of most resident threads; 256 where several are equal. */
static uint32_t choose_block(lua_State *L, const kernel_object *o) {
  static const uint32_t candidates[] = { 256, 512, 128, 1024, 384, 768, 192, 640, 896, 96, 64, 32 };
  const dc_kernel *k = o->k;
  const dc_device_ops *ops = k->module->dev->ops;
  uint32_t best = 0;
  uint64_t most = 0;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    int blocks = 1;
    dc_error err = DC_ERROR_INIT;
    if (candidates[i] > (uint32_t)k->facts.max_threads) continue;
    if (best && !ops->occupancy) break; /* cannot tell: the first that fits */
    if (ops->occupancy && ops->occupancy(k->fn, candidates[i], o->shared, &blocks, &err) != 0) raise_here(L, &err);
    uint64_t threads = (uint64_t)(blocks > 0 ? blocks : 0) * candidates[i];
    if (!best || threads > most) {
      best = candidates[i];
      most = threads;
    }
  }
  return best ? best : k->facts.max_threads > 0 ? (uint32_t)k->facts.max_threads : 1;
}

/* forall(n, ...): at least n threads. */
static int kernel_forall(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  kernel_object *o = check_kernel(L, self);
  const dc_kernel *k = o->k;
  int64_t n = 0;
  if (!dc_lua_tointeger(L, 2, &n) || n < 0)
    return dc_lua_fail(L, DC_LAUNCH, "kernel '%s': forall takes the number of threads first, got %s", k->sig->name,
                       dc_lua_describe(L, 2));
  if (!o->block) o->block = choose_block(L, o);
  const int64_t blocks = n / o->block + (n % o->block != 0);
  if (blocks > k->module->dev->facts.max_grid[0])
    return dc_lua_fail(L, DC_LAUNCH, "kernel '%s': %lld threads are %lld blocks of %u; %s takes at most %u",
                       k->sig->name, (long long)n, (long long)blocks, o->block, k->module->dev->name,
                       k->module->dev->facts.max_grid[0]);
  return launch(L, self, o, (dc_dim3){ (uint32_t)blocks, 1, 1 }, (dc_dim3){ o->block, 1, 1 }, 3);
}

/* --- the rest ------------------------------------------------------------------------------------ */

static uint32_t check_shared(lua_State *L, int idx) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, idx, &v) || v < 0 || v > UINT32_MAX)
    dc_lua_fail(L, DC_LAUNCH, "shared memory is a number of bytes, got %s", dc_lua_describe(L, idx));
  return (uint32_t)v;
}

/* with{shared = bytes}: the same kernel, launched so. */
static int kernel_with(lua_State *L) {
  kernel_object *o = check_kernel(L, dc_lua_self(L));
  uint32_t shared = o->shared;
  lua_settop(L, 2);
  if (!lua_istable(L, 2)) return dc_lua_expected(L, 2, "a table");
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    if (strcmp(name, "shared") == 0) shared = check_shared(L, lua_gettop(L));
    else if (strcmp(name, "stream") == 0 || strcmp(name, "cooperative") == 0)
      return dc_lua_fail(L, DC_ARGUMENT, "launch option '%s' is not supported by this version", name);
    else return dc_lua_fail(L, DC_ARGUMENT, "there is no launch option '%s'; there is shared", name);
  }
  kernel_object *variant = dc_lua_new(L, DC_LUA_KERNEL, sizeof *variant, 1);
  lua_getiuservalue(L, 1, 1);
  lua_setiuservalue(L, -2, 1);
  *variant = *o;
  dc_module_ref(o->k->module);
  variant->shared = shared;
  variant->block = 0;
  return 1;
}

/* occupancy(block [, shared]): resident blocks a multiprocessor, and their share of its threads. */
static int kernel_occupancy(lua_State *L) {
  kernel_object *o = check_kernel(L, dc_lua_self(L));
  const dc_device *dev = o->k->module->dev;
  dc_error err = DC_ERROR_INIT;
  int blocks;
  lua_settop(L, 3);
  dc_dim3 block = read_extents(L, o->k, "block", 2, dev->facts.max_block);
  uint32_t shared = lua_isnil(L, 3) ? o->shared : check_shared(L, 3);
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  if (threads == 0 || threads > (uint64_t)o->k->facts.max_threads)
    return dc_lua_fail(L, DC_LAUNCH, "a block of %llu threads; kernel '%s' takes 1 to %d on %s",
                       (unsigned long long)threads, o->k->sig->name, o->k->facts.max_threads, dev->name);
  if (!dev->ops->occupancy) return dc_lua_fail(L, DC_DEVICE, "%s cannot tell occupancy", dev->name);
  if (dev->ops->occupancy(o->k->fn, (uint32_t)threads, shared, &blocks, &err) != 0) return raise_here(L, &err);
  const int warp = dev->facts.warp_size > 0 ? dev->facts.warp_size : 32;
  const double warps = (double)((threads + (uint64_t)warp - 1) / (uint64_t)warp) * blocks;
  const double most = (double)dev->facts.max_threads_per_multiprocessor / warp;
  lua_pushinteger(L, blocks);
  lua_pushnumber(L, most > 0 ? warps / most : 0);
  return 2;
}

static void push_attributes(lua_State *L, const dc_kernel *k) {
  const dc_function_facts *f = &k->facts;
  const dc_device *dev = k->module->dev;
  const struct {
    const char *name;
    lua_Integer v;
  } list[] = {
    { "registers", f->registers },
    { "shared", (lua_Integer)f->shared },
    { "local", (lua_Integer)f->local },
    { "max_threads", f->max_threads },
    { "constant", (lua_Integer)f->constant },
    { "binary_version", f->binary_version },
  };
  lua_createtable(L, 0, 6);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    lua_pushinteger(L, list[i].v);
    lua_setfield(L, -2, list[i].name);
  }
  if (dev->ops->tier && dev->state == DC_DEVICE_OPEN) {
    lua_pushinteger(L, dev->ops->tier(k->fn));
    lua_setfield(L, -2, "tier");
  }
}

static int kernel_index(lua_State *L) {
  kernel_object *o = check_kernel(L, dc_lua_self(L));
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : dc_lua_describe(L, 2);
  lua_getiuservalue(L, lua_upvalueindex(1), DC_LUA_KERNEL);
  lua_getfield(L, -1, "__methods");
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  if (strcmp(name, "name") == 0) lua_pushstring(L, o->k->sig->name);
  else if (strcmp(name, "signature") == 0) lua_pushstring(L, o->k->sig->text);
  else if (strcmp(name, "device") == 0) dc_lua_pushdevice(L, o->k->module->dev);
  else if (strcmp(name, "attributes") == 0) push_attributes(L, o->k);
  else return dc_lua_fail(L, DC_INDEX, "a kernel has no '%s'", name);
  return 1;
}

static int kernel_tostring(lua_State *L) {
  lua_pushfstring(L, "kernel %s", check_kernel(L, dc_lua_self(L))->k->sig->text);
  return 1;
}

static int kernel_gc(lua_State *L) {
  kernel_object *o = dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_KERNEL);
  if (!o) return dc_lua_expected(L, 1, "a kernel");
  dc_kernel *k = o->k;
  o->k = NULL;
  if (k) dc_module_unref(k->module);
  return 0;
}

static const luaL_Reg kernel_methods[] = {
  { "forall", kernel_forall },
  { "with", kernel_with },
  { "occupancy", kernel_occupancy },
  { NULL, NULL },
};

static const luaL_Reg kernel_meta[] = {
  { "__call", kernel_call }, { "__index", kernel_index }, { "__tostring", kernel_tostring }, { "__gc", kernel_gc },
  { NULL, NULL },
};

void dc_lua_open_kernel(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_KERNEL, "dotcompute.kernel", kernel_meta, kernel_methods);
}
