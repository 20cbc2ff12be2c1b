/*
** memory.c - see memory.h.
**
** The collector sees a hundred bytes where the device holds gigabytes.  So device bytes drive it: each allocation is
** followed by collector steps in proportion, a full collection runs when the device is filling up, and another one when
** an allocation has failed, before it is tried again.
** Also here: host memory that belongs to a userdata, so that an error frees it, and what dc.memory reports.
*/
#include "lua/memory.h"

#include <lauxlib.h>
#include <lua.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/line.h"
#include "base/runtime.h"
#include "device/allocation_sites.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/registry.h"
#include "device/stream_state.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

#define CYCLE_BYTES ((double)(64u << 20)) /* device bytes made in the course of about one collection cycle */
/* On the host's memory a full collection runs when the bytes in use have doubled since the last one and these are made
** beside: what a generational collector has made old, and what steps are too slow for, lies dead until then. */
#define DEAD_BYTES ((size_t)32 << 20)
#define FULL_WAIT 10 /* least pause after a full collection, in multiples of its duration */
/* Bytes made in the host's memory after which a step follows, with which a generational collector takes what died
** young: less than the caches next to the cores hold, so that results are written where earlier ones have been (sums of
** 300,000 and of a million float32 by two threads of a busy Zen 4: 113 and 590 us, with these steps 47 and 300). */
#define CACHED_BYTES ((size_t)256 << 10)
#define STEP_WAIT 16 /* least pause after a step for CACHED_BYTES, in multiples of its duration */
#define STEP_LEAST 1e-6 /* s that one takes at least, about */
#define STEP_KB 16                        /* work is done in steps of at least this */
/* Up to this number of objects no collection is started: their memory fits the caches next to the core (a sum of 1,000
** elements: 0.47 us, with 256 objects 0.56 where other programs have used the caches meanwhile). */
#define FEW_ARRAYS 128
#define FEW_ARRAYS_FULL 1024 /* the same where a full collection is needed */
#define ARRAY_BYTES 1024 /* about what an expression takes on the host */
#define SOFT_LIMIT 0.8                    /* share of the device's memory above which full collections run */

static void collect(lua_State *L, dc_lua *self, int what, int kb) {
  if (self->collecting) return;
  self->collecting = true;
  self->since_step = 0;
  lua_gc(L, what, kb);
  if (what == LUA_GCCOLLECT) { /* again: objects that finalizers have released */
    lua_gc(L, what, 0);
    self->since_full = 0;
  }
  self->collecting = false;
  dc_lua_active.L = L;
}

/* How far `n` is below `most`. */
static size_t below(size_t most, size_t n) { return n < most ? most - n : 0; }

static bool in_hosts_memory(const dc_lua *self) { return self->device && self->device->host_memory; }

/* The bytes in use from which a full collection is due in the host's memory. */
static size_t doubled(const dc_lua *self) { return 2 * self->live_before + DEAD_BYTES; }

/* Bytes of small allocations until the next check of `owed`, or until a step for the caches or a full collection is
** due: the latter needs both many bytes since the last one and a device that is filling up, or bytes in use that have
** doubled. */
static size_t quiet_for(const dc_lua *self, size_t most) {
  const double left = (self->owed_most - self->owed) * CYCLE_BYTES;
  size_t bytes = left > 0 ? (size_t)left : 0;
  if (in_hosts_memory(self)) {
    const size_t left_over = below(doubled(self), self->device->bytes_live);
    bytes = left_over < bytes ? left_over : bytes;
    const size_t cached = below(CACHED_BYTES, self->since_step);
    bytes = cached < bytes ? cached : bytes;
  }
  if (!most) return bytes;
  const size_t since = below(most / 8, self->since_full);
  const size_t live = below((size_t)(SOFT_LIMIT * (double)most), self->device->bytes_live);
  const size_t full = since > live ? since : live;
  return bytes < full ? bytes : full;
}

/* Whether a full collection is due because the bytes in use have doubled; not before full_due, where these collections
** would take a tenth of the time or more. */
static bool has_doubled(const dc_lua *self) {
  return in_hosts_memory(self) && self->device->bytes_live >= doubled(self) && dc_clock() >= self->full_due;
}

/* A step for the caches, not before step_due, where these would take a sixteenth of the time or more.  A step that
** seems to take much longer than the one before has mostly been interrupted by another program.  False: none was due.
** One step an allocation at most: to a generational collector, what has lived through two of them is old. */
static bool collect_young(lua_State *L, dc_lua *self) {
  if (!in_hosts_memory(self) || self->since_step < CACHED_BYTES || !lua_gc(L, LUA_GCISRUNNING)) return false;
  const double begin = dc_clock();
  if (begin < self->step_due) return false;
  collect(L, self, LUA_GCSTEP, 0);
  const double end = dc_clock(), most = 2 * self->step_seconds + STEP_LEAST;
  self->step_seconds = end - begin < most ? end - begin : most;
  self->step_due = end + STEP_WAIT * self->step_seconds;
  return true;
}

static void collect_all(lua_State *L, dc_lua *self) {
  const double begin = dc_clock();
  collect(L, self, LUA_GCCOLLECT, 0);
  const double end = dc_clock();
  self->full_due = end + FULL_WAIT * (end - begin);
  if (self->device) self->live_before = self->device->bytes_live;
}

void dc_lua_account_all(lua_State *L, dc_lua *self, size_t n) {
  if (self->collecting) return; /* in a finalizer */
  n += self->counted;
  self->counted = self->quiet = 0;
  self->since_full += n;
  self->since_step += n;
  const dc_device *dev = self->device;
  const size_t most = dev ? dc_device_capacity(dev) : 0;
  const bool filling =
      most && self->since_full > most / 8 && (double)(dev->bytes_live + n) > SOFT_LIMIT * (double)most;
  const bool full = filling || has_doubled(self);
  /* Lua waits between cycles until the heap has doubled: CYCLE_BYTES count as much as the heap. */
  const double share = (double)n / CYCLE_BYTES;
  self->owed += share < 1 ? share : 1;
  if (!full && self->owed < 1 && (collect_young(L, self) || self->owed < self->owed_most)) {
    self->quiet = quiet_for(self, most);
    return;
  }
  const double heap = lua_gc(L, LUA_GCCOUNT), owed = self->owed * heap;
  self->owed_most = STEP_KB / heap < 1 ? STEP_KB / heap : 1;
  if (!full && self->owed < self->owed_most) return; /* the heap is smaller than it was when that was set */
  self->owed = 0;
  if (!lua_gc(L, LUA_GCISRUNNING)) self->since_full = 0; /* stopped by the user */
  else if (full) collect_all(L, self);
  else collect(L, self, LUA_GCSTEP, (int)owed + 1);
}

/* Expressions take host memory that the collector does not see, and one that is slow lets tens of thousands of dead
** ones lie, each of which costs a cache miss when its memory is reused.  So when there are many more than the last full
** collection left, a step is asked for, with which a generational collector takes all that died young, however large
** the heap is (200000 tables beside: 0.2 us a node, with full collections 1.3).  Where a step is not enough, as with an
** incremental collector, it is not tried again until a full collection has run, and that not before the objects' memory
** is twice the heap, which it has to walk through. */
static DC_COLD void many_arrays(lua_State *L, dc_lua *self) {
  const size_t most = self->arrays_most;
  if (self->arrays <= most) return;
  self->arrays_most = self->arrays + FEW_ARRAYS;
  if (most == 0 || self->collecting || !lua_gc(L, LUA_GCISRUNNING)) return;
  self->collecting = true;
  if (!self->steps_fail) lua_gc(L, LUA_GCSTEP, 0);
  self->steps_fail = self->arrays > most / 4 * 3;
  if (!self->steps_fail) {
    self->arrays_most = most;
  } else if (self->arrays * ARRAY_BYTES >= 2 * 1024 * (size_t)lua_gc(L, LUA_GCCOUNT)) {
    lua_gc(L, LUA_GCCOLLECT);
    self->steps_fail = false;
    self->arrays_most = self->arrays > FEW_ARRAYS_FULL / 2 ? 2 * self->arrays : FEW_ARRAYS_FULL;
  }
  self->collecting = false;
  dc_lua_active.L = L;
}

DC_HOT void dc_lua_count_array(lua_State *L, dc_lua *self) {
  if (++self->arrays > self->arrays_most) many_arrays(L, self);
}

/* The device has no memory left. */
static int memory_pressure(dc_device *dev, size_t wanted) {
  (void)wanted;
  lua_State *L = dc_lua_active.L;
  if (!L) return 0;
  if (!lua_checkstack(L, 4)) return 0;
  dc_lua *self = dc_lua_push_self(L); /* exists: no allocation */
  size_t before = dev->bytes_live;
  collect(L, self, LUA_GCCOLLECT, 0);
  lua_pop(L, 1);
  return dev->bytes_live < before;
}

/* --- scratch ------------------------------------------------------------------------------------- */

typedef struct scratch {
  void *p;
} scratch;

void *dc_lua_scratch(lua_State *L, size_t n) {
  scratch *s = dc_lua_new(L, DC_LUA_SCRATCH, sizeof *s, 0);
  s->p = malloc(n ? n : 1);
  if (!s->p) dc_lua_fail(L, DC_MEMORY, "the host has no %zu bytes of memory left", n);
  return s->p;
}

void dc_lua_scratch_free(lua_State *L, int idx) {
  scratch *s = lua_touserdata(L, idx);
  free(s->p);
  s->p = NULL;
}

typedef struct owned {
  char *bytes;
  size_t n;
} owned;

static int push_bytes(lua_State *L) {
  const owned *o = lua_touserdata(L, 1);
  lua_pushlstring(L, o->bytes, o->n);
  return 1;
}

int dc_lua_push_owned(lua_State *L, char *bytes, size_t n) {
  owned o = { bytes, n };
  lua_pushcfunction(L, push_bytes);
  lua_pushlightuserdata(L, &o);
  const int status = lua_pcall(L, 1, 1, 0);
  free(bytes);
  return status == LUA_OK ? 1 : lua_error(L);
}

static int scratch_gc(lua_State *L) {
  if (dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_SCRATCH)) dc_lua_scratch_free(L, 1);
  return 0;
}

static const luaL_Reg scratch_meta[] = {
  { "__gc", scratch_gc },
  { NULL, NULL },
};

void dc_lua_open_scratch(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_SCRATCH, "dotcompute.scratch", scratch_meta, NULL);
}

/* --- dc.memory ----------------------------------------------------------------------------------- */

#define STACK 10

/* dc_allocation_place. Nothing here may raise. */
static bool running_line(char *text) {
  lua_State *L = dc_lua_active.L;
  lua_Debug ar;
  if (!L || !lua_checkstack(L, STACK) || !dc_lua_caller(L, &ar)) return false;
  snprintf(text, DC_SITE_SIZE, "%s:%d", ar.short_src, ar.currentline);
  return true;
}

static void set_bytes(lua_State *L, const char *name, size_t n) {
  dc_lua_set_integer(L, name, n <= LUA_MAXINTEGER ? (lua_Integer)n : LUA_MAXINTEGER);
}

/* The device that argument `arg` names, or the current one; open. */
static dc_device *device_at(lua_State *L, int arg) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = dc_lua_optdevice(L, dc_lua_self(L), arg);
  if (dc_device_open(dev, &err) != 0) dc_lua_raise(L, &err);
  return dev;
}

static void push_lines(lua_State *L, const dc_device *dev) {
  enum { MOST = 1000 };
  dc_allocation_site *copy = dc_lua_scratch(L, MOST * (sizeof *copy + sizeof(const dc_allocation_site *)));
  const dc_allocation_site **site = (const dc_allocation_site **)(copy + MOST);
  const size_t n = dc_allocation_sites(dev, site, MOST);
  for (size_t i = 0; i < n; i++) copy[i] = *site[i]; /* the collector may remove sites */
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_createtable(L, 0, 3);
    dc_lua_set_string(L, "where", copy[i].where);
    set_bytes(L, "bytes", copy[i].bytes);
    set_bytes(L, "count", copy[i].count);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  dc_lua_scratch_free(L, -2);
  lua_remove(L, -2);
}

/* usage([device]): the table that dc.memory gives, without its metatable. */
static int core_usage(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  size_t free_bytes, total;
  dc_device *dev = device_at(L, 1);
  if (dc_device_memory_info(dev, &free_bytes, &total, &err) != 0) return dc_lua_raise(L, &err);
  if (dev->bytes_limit) {
    const size_t left = dev->bytes_limit > dev->bytes_live ? dev->bytes_limit - dev->bytes_live : 0;
    if (left < free_bytes) free_bytes = left;
  }
  lua_createtable(L, 0, 8);
  set_bytes(L, "in_use", dev->bytes_live);
  set_bytes(L, "reserved", dev->memory->reserved ? dev->memory->reserved(dev) : dev->bytes_live);
  set_bytes(L, "peak", dev->bytes_peak);
  set_bytes(L, "free", free_bytes);
  set_bytes(L, "total", total);
  if (dev->bytes_limit) set_bytes(L, "limit", dev->bytes_limit);
  push_lines(L, dev);
  lua_setfield(L, -2, "lines");
  dc_lua_pushdevice(L, dev);
  lua_setfield(L, -2, "device");
  return 1;
}

/* set_limit(bytes or nil, [device]): gives the limit before. */
static int core_set_limit(lua_State *L) {
  dc_device *dev = device_at(L, 2);
  const size_t before = dev->bytes_limit;
  dc_lua_self(L)->quiet = 0;
  dev->bytes_limit = lua_isnil(L, 1) ? 0 : (size_t)luaL_checkinteger(L, 1);
  if (before == 0) lua_pushnil(L);
  else lua_pushinteger(L, (lua_Integer)before);
  return 1;
}

/* trace(boolean) */
static int core_trace_memory(lua_State *L) {
  dc_allocation_trace(lua_toboolean(L, 1));
  return 0;
}

/* trim([device]): gives back what is kept and not in use. */
static int core_trim(lua_State *L) {
  dc_device *dev = device_at(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  if (dc_capture_refuse(dev, "waits", &err) != 0) return dc_lua_raise(L, &err);
  dc_lua_work_begin(self);
  if (dev->memory->trim) dev->memory->trim(dev);
  dc_lua_work_end(self, false);
  return 0;
}

/* forget_peak([device]): the peak is counted from here on. */
static int core_forget_peak(lua_State *L) {
  dc_device *dev = device_at(L, 1);
  dev->bytes_peak = dev->bytes_live;
  return 0;
}

const luaL_Reg dc_lua_memory_internal[] = {
  { "usage", core_usage }, { "set_limit", core_set_limit }, { "trace_memory", core_trace_memory },
  { "trim", core_trim },   { "forget_peak", core_forget_peak }, { NULL, NULL },
};

static void set_hooks(void) {
  dc_memory_pressure = memory_pressure;
  dc_allocation_place = running_line;
}

void dc_lua_open_memory(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_hooks);
}
