/*
** memory.c - see memory.h.
**
** The collector sees a hundred bytes where the device holds gigabytes.  So device bytes drive it: each
** allocation owes collector's work in proportion, a full collection comes when the device is filling
** up, and when the device has no memory left everything dead is collected before the last attempt.
** Also here: host memory that belongs to a userdata, so that an error frees it.
*/
#include "lua/memory.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "device/memory.h"
#include "lua/error.h"
#include "lua/object.h"

#define CYCLE_BYTES ((double)(64u << 20)) /* device bytes made in the course of about one collection cycle */
#define STEP_KB 16                        /* work is done in steps of at least this */
#define FEW_ARRAYS 1024 /* up to this number of objects no collection is started */
#define ARRAY_BYTES 1024 /* about what an expression takes on the host */
#define SOFT_LIMIT 0.8                    /* share of the device's memory above which full collections run */

static void collect(lua_State *L, dc_lua *self, int what, int kb) {
  if (self->collecting) return;
  self->collecting = true;
  lua_gc(L, what, kb);
  if (what == LUA_GCCOLLECT) { /* again: what the finalizers let go of */
    lua_gc(L, what, 0);
    self->since_full = 0;
  }
  self->collecting = false;
  dc_lua_active.L = L;
}

/* How much may be made until there is something to do, if it comes in small pieces. */
static size_t quiet_for(const dc_lua *self, size_t most) {
  const double left = (self->owed_most - self->owed) * CYCLE_BYTES;
  const size_t bytes = left > 0 ? (size_t)left : 0;
  if (!most) return bytes;
  const size_t full = self->since_full < most / 8 ? most / 8 - self->since_full : 0;
  return bytes < full ? bytes : full;
}

void dc_lua_account_all(lua_State *L, dc_lua *self, size_t n) {
  if (self->collecting) return; /* in a finalizer */
  n += self->counted;
  self->counted = self->quiet = 0;
  self->since_full += n;
  const dc_device *dev = self->device;
  const size_t most = !dev ? 0 : dev->bytes_limit ? dev->bytes_limit : dev->facts.total_memory;
  const bool full =
      most && self->since_full > most / 8 && (double)(dev->bytes_live + n) > SOFT_LIMIT * (double)most;
  /* Lua waits between cycles until the heap has doubled: CYCLE_BYTES count as much as the heap. */
  const double share = (double)n / CYCLE_BYTES;
  self->owed += share < 1 ? share : 1;
  if (!full && self->owed < self->owed_most) {
    self->quiet = quiet_for(self, most);
    return;
  }
  const double heap = lua_gc(L, LUA_GCCOUNT), owed = self->owed * heap;
  self->owed_most = STEP_KB / heap < 1 ? STEP_KB / heap : 1;
  if (!full && self->owed < self->owed_most) return; /* the heap is smaller than it was when that was set */
  self->owed = 0;
  if (!lua_gc(L, LUA_GCISRUNNING)) self->since_full = 0; /* stopped by the user */
  else if (full) collect(L, self, LUA_GCCOLLECT, 0);
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
    self->arrays_most = self->arrays > FEW_ARRAYS / 2 ? 2 * self->arrays : FEW_ARRAYS;
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

void dc_lua_open_memory(void) {
  dc_memory_pressure = memory_pressure;
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
