/*
** kernel.c - see kernel.h.
**
** A launch converts its arguments from the Lua stack into a buffer on the C stack (argument.c), without an allocation.
*/
#include "lua/kernel.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "array/array.h"
#include "array/capture.h"
#include "array/graph/types.h"
#include "array/texture.h"
#include "base/error.h"
#include "base/line.h"
#include "base/runtime.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/stream.h"
#include "device/timeline.h"
#include "device/tracking.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "lua/argument.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/extent.h"
#include "lua/field.h"
#include "lua/graph.h"
#include "lua/host_interrupt.h"
#include "lua/launch_option.h"
#include "lua/module.h"
#include "lua/named.h"
#include "lua/object.h"
#include "lua/profile.h"
#include "lua/stream.h"
#include "lua/tensor_map.h"
#include "lua/texture.h"
#include "lua/tile.h"

typedef dc_lua_kernel kernel_object;

static void update_plain(kernel_object *o) {
  o->plain = !o->stream && dc_launch_has_no_attributes(o->k, &o->how);
  o->tile = o->k->sig->tile;
}

/* The module was closed, or reloaded: then the kernel of that name is the one from now on. */
static DC_COLD void renew(lua_State *L, kernel_object *o) {
  dc_error err = DC_ERROR_INIT;
  const char *name = o->k->sig->name;
  if (!o->home->m) dc_lua_fail(L, DC_ARGUMENT, "kernel '%s' cannot be used: its module is closed", name);
  dc_kernel *k = NULL;
  if (DC_LUA_WORK(dc_lua_self(L), (k = dc_module_kernel(o->home->m, name, &err)) ? 0 : -1) != 0)
    dc_lua_raise_kernel(L, &err);
  o->arguments = dc_lua_prepare_arguments(k);
  dc_module_ref(k->module);
  dc_module_unref(o->k->module);
  o->k = k;
  o->block = 0;
  update_plain(o);
  dc_lua_forget_tiles(L, 1);
  o->generation = o->home->generation;
}

/* The kernel at 1, and the running function's dc_lua. */
static kernel_object *check_kernel(lua_State *L, dc_lua **self) {
  *self = dc_lua_self(L);
  kernel_object *o = dc_lua_test(L, *self, 1, DC_LUA_KERNEL);
  if (DC_UNLIKELY(!o || !o->k)) dc_lua_expected(L, 1, "a kernel");
  if (DC_UNLIKELY(o->generation != o->home->generation)) renew(L, o);
  return o;
}

/* Whether one of the sources of the module at that index is a file. */
static bool is_from_file(lua_State *L, int module) {
  const int top = lua_gettop(L);
  bool is = false;
  if (lua_getiuservalue(L, module, DC_LUA_MODULE_ORIGIN) == LUA_TTABLE)
    is = lua_getfield(L, -1, "path") != LUA_TNIL || lua_getfield(L, -2, "units") != LUA_TNIL;
  lua_settop(L, top);
  return is;
}

dc_lua_kernel *dc_lua_push_kernel_copy(lua_State *L, dc_lua_kernel *o, size_t more, int nvalues) {
  kernel_object *copy = dc_lua_new(L, DC_LUA_KERNEL, sizeof *copy + more, DC_LUA_KERNEL_NVALUES + nvalues);
  for (int i = 1; i <= DC_LUA_KERNEL_NVALUES; i++) {
    lua_getiuservalue(L, 1, i);
    lua_setiuservalue(L, -2, i);
  }
  *copy = *o;
  copy->variant = NULL;
  dc_module_ref(o->k->module);
  o->home->refs++;
  if (o->stream) dc_stream_name(o->stream);
  return copy;
}

/* Raises where the kernel at 1 is not `k` any more. */
static void check_held(lua_State *L, const dc_kernel *k) {
  const kernel_object *o = lua_touserdata(L, 1);
  if (DC_UNLIKELY(o->k != k))
    dc_lua_fail(L, DC_LAUNCH, "the kernel was reloaded while the arguments of a launch were being read");
}

/* Reading extents and materializing arguments may run code of the script's (metamethods, finalizers), which may reload
** the kernel at 1: pushes an object that keeps `k`.  check_held follows. */
static void hold_kernel(lua_State *L, const dc_kernel *k) {
  kernel_object *o = lua_touserdata(L, 1);
  if (o->from_file) dc_lua_push_kernel_copy(L, o, 0, 0);
  check_held(L, k);
}

void dc_lua_pushkernel(lua_State *L, int module, const char *name) {
  dc_error err = DC_ERROR_INIT;
  kernel_object *o = dc_lua_new(L, DC_LUA_KERNEL, sizeof *o, DC_LUA_KERNEL_NVALUES);
  lua_pushvalue(L, module);
  lua_setiuservalue(L, -2, DC_LUA_KERNEL_MODULE);
  dc_lua_module *home = dc_lua_tomodule(L, dc_lua_self(L), module);
  dc_module *m = home->m;
  dc_kernel *k = NULL;
  if (DC_LUA_WORK(dc_lua_self(L), (k = dc_module_kernel(m, name, &err)) ? 0 : -1) != 0) {
    lua_getiuservalue(L, module, DC_LUA_MODULE_ORIGIN);
    dc_lua_raise_at(L, &err, lua_gettop(L));
    return; /* not reached */
  }
  o->arguments = dc_lua_prepare_arguments(k);
  o->working = m->dev->blocking;
  o->from_file = is_from_file(L, module);
  dc_module_ref(m);
  o->home = home;
  home->refs++;
  o->generation = o->home->generation;
  o->k = k;
  update_plain(o);
}

/* --- the order of launches in several streams ---------------------------------------------------- */

typedef struct user {
  lua_State *L;
  dc_lua *self;
  const dc_kernel *k;
  dc_stream *by;
} user;

static void use(const user *u, dc_array *a, bool writes) {
  dc_error err = DC_ERROR_INIT;
  if (dc_array_device(a) == u->k->dev && dc_array_use(a, u->by, writes, &err) != 0)
    dc_lua_raise_kernel(u->L, &err);
}

/* The texture or surface at idx and its memory, or the memory of a tensor map; false where there is none. */
static bool use_texture(const user *u, int idx) {
  dc_error err = DC_ERROR_INIT;
  dc_array *object = NULL;
  bool surface;
  if (!lua_isuserdata(u->L, idx)) return false;
  const dc_lua_tensor_map *map = dc_lua_test(u->L, u->self, idx, DC_LUA_TENSOR_MAP);
  if (map) use(u, map->memory.a, true);
  if (map || !dc_lua_totexture(u->L, u->self, idx, &object, &surface)) return map;
  if (object && dc_texture_use(object, u->by, &err) != 0) dc_lua_raise_kernel(u->L, &err);
  return true;
}

/* The arrays and textures of a table, which stands for a struct or for several pointers, and of the tables in it. */
static void use_table(const user *u, int idx, int depth) {
  lua_State *L = u->L;
  if (depth > 16) return; /* no argument that has been converted goes so deep */
  luaL_checkstack(L, 6, NULL);
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    dc_lua_array *o = dc_lua_test(L, u->self, -1, DC_LUA_ARRAY);
    if (o && o->a) use(u, o->a, true);
    else if (use_texture(u, lua_gettop(L))) continue;
    else if (lua_istable(L, -1)) use_table(u, lua_gettop(L), depth + 1);
  }
}

/* Orders a launch of a kernel of module `m` in stream `by` (NULL: the current one) behind conflicting uses of its
** arguments in other streams, or records them in the graph that is being captured.  For a device whose `tracking` is
** set; the arguments, from `first` on, have been marshalled.  `opaque`: the operands are unknown (a full barrier). */
static DC_COLD void order_launch(lua_State *L, dc_lua *self, const dc_kernel *k, const dc_lua_module *m,
                                   dc_stream *by, bool opaque, int first) {
  dc_device *dev = k->dev;
  const user u = { L, self, k, by };
  dc_error err = DC_ERROR_INIT;
  if (by && dc_stream_check(by, NULL, &err) != 0) dc_lua_raise_kernel(L, &err);
  if (opaque && dc_tracking_barrier(dev, by, &err) != 0) dc_lua_raise_kernel(L, &err);
  for (int i = 0; i < k->nparams; i++) {
    dc_lua_array *o = dc_lua_argument_array(L, self, first + i);
    if (o && o->a) use(&u, o->a, !k->params[i].is_const);
    else if (use_texture(&u, first + i)) continue;
    else if (lua_istable(L, first + i)) use_table(&u, first + i, 0);
  }
  for (int i = 0; i < m->nglobals; i++) use(&u, m->globals[i], true);
}

/* --- arrays of other devices ------------------------------------------------------------------------- */

/* What a launch may access beside its arguments' arrays of the kernel's device. */
typedef struct launch_reach {
  bool opaque; /* memory that its arguments do not show */
  int peers;   /* number of arrays of other devices */
} launch_reach;

/* Before a launch (`before`): orders it behind the work of the devices that the arguments' arrays are on, with their
** conflicting uses in other streams; after it: their coming work behind it.  The arguments have been marshalled. */
static DC_COLD void order_peers(lua_State *L, dc_lua *self, const kernel_object *o, int first, int peers,
                                bool before) {
  const dc_kernel *k = o->k;
  dc_error err = DC_ERROR_INIT;
  if (before && (o->stream || k->dev->capture))
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s': arrays of another device can be arguments of launches in the current "
                "stream alone, not in another one or in a graph", k->sig->name);
  for (int i = 0; i < k->nparams; i++) {
    const dc_lua_array *a = dc_lua_argument_array(L, self, first + i);
    dc_device *owner = a && a->a ? dc_array_device(a->a) : k->dev;
    if (owner == k->dev) continue;
    peers--;
    if (before && owner->capture)
      dc_lua_fail(L, DC_LAUNCH, "kernel '%s': an argument is on %s, which captures a graph", k->sig->name, owner->id);
    if (before && owner->tracking != 0 && dc_array_use(a->a, NULL, !k->params[i].is_const, &err) != 0)
      dc_lua_raise_kernel(L, &err);
    if (dc_device_order(before ? owner : k->dev, before ? k->dev : owner, &err) != 0) dc_lua_raise_kernel(L, &err);
  }
  if (before && peers != 0)
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s': an array of another device can be an argument, not a field of one",
                k->sig->name);
}

/* --- launching ----------------------------------------------------------------------------------- */

/* After an asynchronous launch: keeps the launch's site where a later fault is attributable to it. A fault of a kernel
** that was queued behind others is not. */
static inline void note(lua_State *L, dc_lua *self, kernel_object *o, const dc_launch *l) {
  if (DC_LIKELY(!l->attributable && !o->noted) || dc_launch_is_empty(l)) return;
  if (l->attributable) dc_lua_note_launch(L, self, &o->site, o->k->label);
  else dc_lua_forget_launch(self, o->site);
  o->noted = l->attributable;
}

/* A launch has failed; perhaps because the device is lost, which is an earlier one's fault. */
static DC_COLD int raise_launch(lua_State *L, const dc_kernel *k, dc_error *err) {
  return k->dev->state == DC_DEVICE_LOST ? dc_lua_raise(L, err) : dc_lua_raise_kernel(L, err);
}

/* The graph that is being captured keeps where the kernel's source is from. */
static void note_captured(lua_State *L, const kernel_object *o) {
  lua_getiuservalue(L, 1, DC_LUA_KERNEL_MODULE); /* module */
  if (lua_getiuservalue(L, -1, DC_LUA_MODULE_ORIGIN) == LUA_TTABLE) /* module origin */
    dc_lua_graph_captured(L, o->k->dev, o->k->fn, -1);
  lua_pop(L, 2);
}

/* Any launch, its arguments marshalled: profiled, tracked, with attributes, in other streams. */
static DC_COLD int launch_slow(lua_State *L, dc_lua *self, kernel_object *o, dc_launch *l, int first,
                               launch_reach reach) {
  dc_error err = DC_ERROR_INIT;
  int rc;
  if (reach.peers) order_peers(L, self, o, first, reach.peers, true);
  if (o->k->dev->tracking != 0) order_launch(L, self, o->k, o->home, o->stream, reach.opaque, first);
  if (o->stream && dc_stream_check(o->stream, NULL, &err) != 0) return dc_lua_raise_kernel(L, &err);
  if (dc_profile_is_on(o->k->dev)) dc_lua_profile_arguments(L, self, o->k, first);
  if (o->working) rc = DC_LUA_WORK(self, dc_kernel_launch(o->k, l, &o->how, &err));
  else if ((rc = dc_kernel_launch(o->k, l, &o->how, &err)) == 0) note(L, self, o, l);
  if (rc == 0 && o->k->dev->capture) note_captured(L, o);
  if (reach.peers && rc == 0) order_peers(L, self, o, first, reach.peers, false);
  return rc == 0 ? 0 : raise_launch(L, o->k, &err);
}

static DC_COLD void flush_global_readers(lua_State *L, dc_lua *self, const kernel_object *o) {
  dc_error err = DC_ERROR_INIT;
  if (DC_LUA_WORK(self, dc_lua_flush_global_readers(o->home, &err)) != 0) dc_lua_raise_kernel(L, &err);
}

/* Marshals the arguments, which are from `first` to `top`, into params; materializes those that are due. */
static inline launch_reach marshal(lua_State *L, dc_lua *self, const kernel_object *o, int first, int top,
                                   char *params) {
  dc_lua_marshal m;
  const dc_kernel *k = o->k;
  const bool all = dc_lua_marshal_arguments(&m, L, self, k, &o->arguments, first, top - first + 1, params);
  if (DC_UNLIKELY(m.due || all)) {
    hold_kernel(L, k);
    dc_lua_materialize_arguments(&m, all);
    check_held(L, k);
    dc_lua_marshal_again(&m, params);
    lua_settop(L, top); /* kernel grid block arguments... */
  }
  return (launch_reach){ all, m.peers };
}

/* A kernel with more bytes of parameters than the usual buffer has: they are marshalled into a userdata below the
** arguments, which Lua collects whatever is raised. */
static DC_COLD int launch_large(lua_State *L, dc_lua *self, kernel_object *o, dc_launch *l, int first, int top) {
  const dc_kernel *k = o->k;
  const uint32_t most = k->dev->facts.most_params;
  if (k->params_size > most)
    return dc_lua_fail(L, DC_LAUNCH, "kernel '%s' takes %u bytes of parameters, %s takes at most %u%s", k->sig->name,
                       k->params_size, k->dev->name, most,
                       most < DC_PARAMS_LARGE ? " (a GPU of compute capability 7.0 or newer with a driver of CUDA 12.1 "
                                                "or newer takes 32764)" : "");
  if (o->home->nglobals != 0) flush_global_readers(L, self, o);
  luaL_checkstack(L, 1, NULL);
  const uintptr_t block = (uintptr_t)lua_newuserdatauv(L, (size_t)k->params_size + 15, 0);
  char *params = (char *)((block + 15) & ~(uintptr_t)15);
  lua_insert(L, first); /* kernel grid block params arguments... */
  const launch_reach reach = marshal(L, self, o, first + 1, top + 1, params);
  l->params = params;
  return launch_slow(L, self, o, l, first + 1, reach);
}

/* Launches the kernel `o`, which is at stack index `at`, on the fast path.  Raises: errors are explained by the kernel
** at index 1. */
static inline int issue(lua_State *L, dc_lua *self, kernel_object *o, int at, dc_launch *l) {
  dc_error err;
  dc_error_start(&err);
  if (DC_UNLIKELY(dc_kernel_issue(o->k, l, &o->how, &err) != 0)) {
    lua_copy(L, at, 1);
    return raise_launch(L, o->k, &err);
  }
  note(L, self, o, l);
  return 0;
}

/* The arguments, from `first` on, have been marshalled to l->params; `line`: dc_launch_is_1d. */
static inline int launch_marshalled(lua_State *L, dc_lua *self, kernel_object *o, dc_launch *l, bool line, int first,
                                    launch_reach reach) {
  if (DC_UNLIKELY(reach.peers || !dc_launch_is_fast_path(o->k, l, &o->how, line, o->plain)))
    return launch_slow(L, self, o, l, first, reach);
  return issue(L, self, o, 1, l);
}

/* The kernel is at 1, its arguments are from `first` to `top`; `line`: dc_launch_is_1d. */
static inline int launch(lua_State *L, dc_lua *self, kernel_object *o, dc_launch *l, bool line, int first, int top) {
  alignas(16) char params[DC_PARAMS_USUAL];
  if (DC_UNLIKELY(o->k->params_size > sizeof params)) return launch_large(L, self, o, l, first, top);
  if (DC_UNLIKELY(o->home->nglobals != 0)) flush_global_readers(L, self, o);
  const launch_reach reach = marshal(L, self, o, first, top, params);
  l->params = params;
  return launch_marshalled(L, self, o, l, line, first, reach);
}

DC_HOT bool dc_lua_launch_marshalled(lua_State *L, dc_lua *self, dc_lua_kernel *o, int at, dc_launch *l) {
  const bool wide = o->arguments.wide && self->highest_read != 0;
  if (DC_UNLIKELY(o->generation != o->home->generation || o->home->nglobals != 0 || o->arguments.opaque || wide))
    return false;
  if (DC_LIKELY(dc_launch_is_fast_path(o->k, l, &o->how, dc_launch_is_1d(l), o->plain))) {
    issue(L, self, o, at, l);
    return true;
  }
  if (o->k->dev->tracking != 0 || dc_profile_is_on(o->k->dev)) return false; /* these look at the arguments */
  lua_copy(L, at, 1);
  launch_slow(L, self, o, l, 0, (launch_reach){ .opaque = false });
  return true;
}

/* The block of most resident threads; 256 where several are equal. */
static uint32_t best_block(lua_State *L, const kernel_object *o) {
  static const uint32_t candidates[] = { 256, 512, 128, 1024, 384, 768, 192, 640, 896, 96, 64, 32 };
  const dc_kernel *k = o->k;
  const dc_code_ops *code = k->dev->code;
  uint32_t best = 0;
  uint64_t most = 0;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    int blocks = 1;
    dc_error err = DC_ERROR_INIT;
    if (candidates[i] > (uint32_t)k->facts.max_threads) continue;
    if (best && !code->occupancy) break; /* unknown: the first that fits */
    if (code->occupancy && code->occupancy(k->fn, candidates[i], o->how.shared, &blocks, &err) != 0)
      dc_lua_raise_kernel(L, &err);
    uint64_t threads = (uint64_t)(blocks > 0 ? blocks : 0) * candidates[i];
    if (!best || threads > most) {
      best = candidates[i];
      most = threads;
    }
  }
  return best ? best : k->facts.max_threads > 0 ? (uint32_t)k->facts.max_threads : 1;
}

/* The number of blocks that forall makes at least, of as few threads as a warp if need be: four for each thread of the
** CPU device, which takes blocks one by one, so that all threads end together.  GPUs gain nothing: an n-body step of
** 8192 threads takes an H200 0.97 of the time in 128 blocks, one of 1000 threads 1.14. */
static int64_t least_blocks(const kernel_object *o) {
  return o->k->dev->simt ? 0 : (int64_t)o->k->dev->facts.multiprocessors * 4;
}

/* Sets the block of forall for many threads, and from how many on it is taken. */
static void choose_block(lua_State *L, kernel_object *o) {
  o->block = best_block(L, o);
  o->many = o->block * least_blocks(o);
}

uint32_t dc_lua_small_block(const kernel_object *o, int64_t n) {
  const uint32_t warp = 32;
  const int64_t least = least_blocks(o);
  uint32_t block = o->block;
  while (block > warp && n < block * least) {
    block = block / 2 / warp * warp; /* whole warps */
    if (block < warp) block = warp;
  }
  return block;
}

/* The block at idx: extents, or "auto" for as many threads as occupy the device best. */
static DC_COLD dc_dim3 read_block(lua_State *L, kernel_object *o, int idx) {
  if (lua_type(L, idx) != LUA_TSTRING || strcmp(lua_tostring(L, idx), "auto") != 0)
    return dc_lua_read_extents(L, o->k, "block", idx, o->k->dev->facts.max_block);
  if (!o->block) choose_block(L, o);
  return (dc_dim3){ o->block, 1, 1 };
}

/* The variant `v` of `o`, which may be `o` itself, launched as `o` is. */
static kernel_object *as_variant(const kernel_object *o, kernel_object *v) {
  if (v == o) return v;
  v->how = o->how;
  v->plain = o->plain;
  if (o->stream && !v->stream) dc_stream_name(o->stream);
  v->stream = o->stream;
  return v;
}

/* k(grid, ...) of a tile kernel: its number of threads is in its code.  GPUs take one thread for that, the CPU
** device the number itself. */
static DC_COLD int launch_tile(lua_State *L, dc_lua *self, kernel_object *o, int top) {
  dc_kernel *k = o->k;
  hold_kernel(L, k);
  dc_launch l = { .grid = dc_lua_read_extents(L, k, "grid", 2, k->dev->facts.max_grid) };
  check_held(L, k);
  if (top == 3 && lua_isnil(L, 3)) top = 2; /* kernel_call put it there */
  lua_settop(L, top);
  alignas(16) char params[DC_PARAMS_USUAL];
  launch_reach reach = { .opaque = false };
  bool marshalled = false;
  if (k->params_size <= sizeof params) {
    if (o->home->nglobals != 0) flush_global_readers(L, self, o);
    reach = marshal(L, self, o, 3, top, params);
    marshalled = !dc_lua_choose_tile(L, self, k, params);
    o = as_variant(o, lua_touserdata(L, 1));
  }
  const dc_dim3 b = o->k->facts.block; /* a variant may have another one */
  l.block = (dc_dim3){ b.x ? b.x : 1, b.y ? b.y : 1, b.z ? b.z : 1 };
  l.params = params;
  return marshalled ? launch_marshalled(L, self, o, &l, dc_launch_is_1d(&l), 3, reach)
                    : launch(L, self, o, &l, dc_launch_is_1d(&l), 3, top);
}

DC_HOT int dc_lua_launch_kernel(lua_State *L, int first) {
  dc_lua *self;
  const int top = lua_gettop(L);
  kernel_object *o = check_kernel(L, &self);
  if (DC_UNLIKELY(o->tile)) return launch_tile(L, self, o, top);
  dc_launch l;
  if (DC_UNLIKELY(!dc_lua_are_extents(L, 2, &l.grid, &l.block))) {
    dc_kernel *k = o->k;
    hold_kernel(L, k);
    l.grid = dc_lua_read_extents(L, k, "grid", 2, k->dev->facts.max_grid);
    check_held(L, k);
    l.block = read_block(L, o, 3);
    check_held(L, k);
    lua_settop(L, top);
  }
  return launch(L, self, o, &l, dc_launch_is_1d(&l), first, top);
}

/* k(grid, block, ...); of a tile kernel k(grid, ...) */
static DC_HOT int kernel_call(lua_State *L) {
  if (DC_UNLIKELY(lua_gettop(L) < 3)) lua_settop(L, 3);
  return dc_lua_launch_kernel(L, 4);
}

DC_HOT int dc_lua_launch_forall(lua_State *L, int first) {
  dc_lua *self;
  const int top = lua_gettop(L);
  kernel_object *o = check_kernel(L, &self);
  const dc_kernel *k = o->k;
  int64_t n = 0;
  dc_lua_refuse_tile(L, o->k, "forall, which takes a number of threads");
  if (!dc_lua_tointeger(L, 2, &n)) n = -1;
  if (n < 0)
    return dc_lua_fail(L, DC_LAUNCH, "kernel '%s': forall takes the number of threads first, got %s", k->sig->name,
                       dc_lua_describe(L, 2));
  if (!o->block) choose_block(L, o);
  const uint32_t block = dc_lua_block_for(o, n);
  const int64_t blocks = dc_lua_count_blocks(n, block);
  if (blocks > k->dev->facts.max_grid[0])
    return dc_lua_fail(L, DC_LAUNCH, "kernel '%s': %lld threads are %lld blocks of %u; %s takes at most %u",
                       k->sig->name, (long long)n, (long long)blocks, block, k->dev->name,
                       k->dev->facts.max_grid[0]);
  dc_launch l = { .grid = { (uint32_t)blocks, 1, 1 }, .block = { block, 1, 1 } };
  return launch(L, self, o, &l, true, first, top);
}

/* forall(n, ...): at least n threads. */
static DC_HOT int kernel_forall(lua_State *L) { return dc_lua_launch_forall(L, 3); }

/* --- the rest ------------------------------------------------------------------------------------ */

/* with{shared = bytes, stack = bytes, cooperative = boolean, cluster = extents, pdl = boolean, stream = stream}: the
** same kernel, launched so. */
static int kernel_with(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self;
  kernel_object *o = check_kernel(L, &self);
  dc_lua_launch_options options = { o->how, o->stream };
  lua_settop(L, 2);
  if (!lua_istable(L, 2)) return dc_lua_expected(L, 2, "a table");
  dc_lua_read_launch_options(L, o->k, 2, &options);
  kernel_object *variant = dc_lua_push_kernel_copy(L, o, 0, 0);
  variant->how = options.how;
  if (options.stream != o->stream) {
    if (variant->stream) dc_stream_abandon(variant->stream);
    variant->stream = options.stream;
    dc_stream_name(options.stream);
  }
  update_plain(variant);
  dc_lua_forget_tiles(L, -1);
  variant->block = 0;
  variant->site = 0;
  return 1;
}

/* occupancy(block [, shared] [, {shared =}]): resident blocks a multiprocessor, and their share of its threads. */
static int kernel_occupancy(lua_State *L) {
  dc_lua *self;
  kernel_object *o = check_kernel(L, &self);
  const dc_device *dev = o->k->dev;
  dc_error err = DC_ERROR_INIT;
  int blocks;
  static const dc_lua_option options[] = { { "shared", DC_LUA_INTEGER, 3 }, { NULL, DC_LUA_ANY, 0 } };
  dc_lua_take_options(L, 3, 3, options);
  lua_settop(L, 3);
  dc_dim3 block = read_block(L, o, 2);
  dc_lua_refuse_tile(L, o->k, "block of threads to choose");
  uint32_t shared = lua_isnil(L, 3) ? o->how.shared : dc_lua_check_shared(L, 3);
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  if (threads == 0 || threads > (uint64_t)o->k->facts.max_threads)
    return dc_lua_fail(L, DC_LAUNCH, "a block of %llu threads; kernel '%s' takes 1 to %d on %s",
                       (unsigned long long)threads, o->k->sig->name, o->k->facts.max_threads, dev->name);
  if (!dev->code->occupancy) return dc_lua_fail(L, DC_DEVICE, "%s does not report occupancy", dev->name);
  if (dev->code->occupancy(o->k->fn, (uint32_t)threads, shared, &blocks, &err) != 0)
    return dc_lua_raise_kernel(L, &err);
  const int warp = dev->facts.warp_size > 0 ? dev->facts.warp_size : 32;
  const double warps = (double)((threads + (uint64_t)warp - 1) / (uint64_t)warp) * blocks;
  const double most = (double)dev->facts.max_threads_per_multiprocessor / warp;
  lua_pushinteger(L, blocks);
  lua_pushnumber(L, most > 0 ? warps / most : 0);
  lua_pushinteger(L, (lua_Integer)threads);
  return 3;
}

static void push_attributes(lua_State *L, const dc_kernel *k) {
  const dc_function_facts *f = &k->facts;
  const dc_device *dev = k->dev;
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
    dc_lua_set_integer(L, list[i].name, list[i].v);
  }
  if (dev->code->tier && dev->state == DC_DEVICE_OPEN) {
    const char *why;
    dc_lua_set_integer(L, "tier", dev->code->tier(k->fn, &why));
  }
  dc_lua_refuse_attributes(L, "a kernel", "tier");
}

/* The methods are its second upvalue. */
static int kernel_index(lua_State *L) {
  enum { NAME, SIGNATURE, DEVICE, ATTRIBUTES, MODULE };
  static const char *const fields[] = { [NAME] = "name", [SIGNATURE] = "signature", [DEVICE] = "device",
                                        [ATTRIBUTES] = "attributes", [MODULE] = "module", NULL };
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_gettable(L, lua_upvalueindex(2)) != LUA_TNIL) return 1; /* not raw, for which it must be a table */
  dc_lua *self;
  kernel_object *o = check_kernel(L, &self);
  switch (dc_lua_check_field(L, "a kernel", DC_LUA_KERNEL, fields)) {
    case NAME: lua_pushstring(L, o->k->sig->name); break;
    case SIGNATURE: lua_pushstring(L, o->k->sig->text); break;
    case DEVICE: dc_lua_pushdevice(L, o->k->dev); break;
    case ATTRIBUTES: push_attributes(L, o->k); break;
    default: lua_getiuservalue(L, 1, DC_LUA_KERNEL_MODULE);
  }
  return 1;
}

static int kernel_tostring(lua_State *L) {
  dc_lua *self;
  lua_pushfstring(L, "kernel %s", check_kernel(L, &self)->k->sig->text);
  return 1;
}

static int kernel_gc(lua_State *L) {
  kernel_object *o = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_KERNEL, "a kernel");
  const kernel_object was = *o;
  o->k = NULL;
  o->home = NULL;
  o->stream = NULL;
  if (was.stream) dc_stream_abandon(was.stream);
  if (was.k) dc_module_unref(was.k->module);
  if (was.home) dc_lua_module_unref(was.home);
  return 0;
}

/* Calls the method of the kernel's module. */
static int call_module(lua_State *L, const char *method) {
  dc_lua *self;
  check_kernel(L, &self);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, DC_LUA_KERNEL_MODULE);
  if (!dc_lua_tomodule(L, self, 2)) dc_lua_tampered(L, "a user value of a kernel");
  lua_getfield(L, 2, method); /* kernel, module, function */
  lua_insert(L, 2);
  lua_call(L, 1, 1);
  return 1;
}

/* reload(): of a kernel that came from a file; source(). */
static int kernel_reload(lua_State *L) {
  dc_lua_at_most(L, 1);
  return call_module(L, "reload");
}

static int kernel_source(lua_State *L) {
  dc_lua_at_most(L, 1);
  return call_module(L, "source");
}

/* kernel_place(k, place): where a script has the kernel's function, "script.lua:12". */
static int core_kernel_place(lua_State *L) {
  dc_lua *self;
  dc_error err = DC_ERROR_INIT;
  dc_kernel *k = check_kernel(L, &self)->k;
  char *place = strdup(luaL_checkstring(L, 2));
  if (place == NULL) {
    dc_fail_oom(&err);
    return dc_lua_raise(L, &err);
  }
  free(k->place);
  k->place = place;
  return 0;
}

/* kernel_refusal(k): the reason for which it stays interpreted on a device with tiers; nil: it does not, or that is not
** known yet. */
static int core_kernel_refusal(lua_State *L) {
  dc_lua *self;
  const dc_kernel *k = check_kernel(L, &self)->k;
  const char *why = NULL;
  if (k->dev->code->tier && k->dev->state == DC_DEVICE_OPEN) k->dev->code->tier(k->fn, &why);
  lua_pushstring(L, why); /* NULL: nil */
  return 1;
}

const luaL_Reg dc_lua_kernel_internal[] = {
  { "kernel_place", core_kernel_place }, { "kernel_refusal", core_kernel_refusal }, { NULL, NULL },
};

static const luaL_Reg kernel_methods[] = {
  { "reload", kernel_reload },
  { "source", kernel_source },
  { "forall", kernel_forall },
  { "with", kernel_with },
  { "occupancy", kernel_occupancy },
  { NULL, NULL },
};

static const luaL_Reg kernel_meta[] = {
  { "__call", kernel_call }, { "__tostring", kernel_tostring }, { "__gc", kernel_gc }, { NULL, NULL },
};

void dc_lua_open_kernel(lua_State *L, int self) {
  const dc_lua *state = lua_touserdata(L, self);
  if (state->types[DC_LUA_KERNEL]) return;
  dc_lua_newtype(L, self, DC_LUA_KERNEL, "dotcompute.kernel", kernel_meta, kernel_methods);
  lua_getiuservalue(L, self, DC_LUA_KERNEL);
  lua_pushvalue(L, self);
  lua_getfield(L, -2, "__methods");
  lua_pushcclosure(L, kernel_index, 2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
