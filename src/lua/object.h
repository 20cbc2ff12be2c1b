/*
** object.h - the Lua state's own data, and objects as userdata of our types.
**
** One `dc_lua` per Lua state is the first upvalue of every C function here.  It knows the metatables by
** address, so that a type check is one compare, and keeps them alive as its user values.  Userdata are
** born closed: made, given their metatable, and only then filled, so no error in between leaks.
** Functions of lower rooms return codes; dc_lua_raise turns them into Lua errors after all is released.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/line.h"
#include "device/device.h"

/* User values of the state's dc_lua: the metatables of our types, then a few other values. */
enum dc_lua_slot {
  DC_LUA_ARRAY = 1,
  DC_LUA_KERNEL,
  DC_LUA_MODULE,
  DC_LUA_DEVICE,
  DC_LUA_ERROR,
  DC_LUA_SCRATCH,
  DC_LUA_STREAM,
  DC_LUA_EVENT,
  DC_LUA_GRAPH,
  DC_LUA_COMPLEX,
  DC_LUA_FILE,
  DC_LUA_PREDICATE,
  DC_LUA_BODY,
  DC_LUA_SOURCE,
  DC_LUA_COMM,
  DC_LUA_PREPARED, /* a prepared operation of a communicator (comm_call.c) */
  DC_LUA_TEXTURE,
  DC_LUA_SURFACE,
  DC_LUA_STORAGE,
  DC_LUA_TENSOR_MAP,
  DC_LUA_NTYPES,
  DC_LUA_NULL = DC_LUA_NTYPES, /* dc.null */
  DC_LUA_DEVICES,              /* light userdata of a dc_device -> its device object */
  DC_LUA_LATE,                 /* arrays made while the collector does not run, weak keys (array.c) */
  DC_LUA_END
};

/* An array object. */
typedef struct dc_lua_array {
  struct dc_array *a; /* NULL: not made yet, or collected */
} dc_lua_array;

/* A launch site: a line of the script that launched a kernel, to which a fault that a GPU reports later is
** attributed. */
typedef struct dc_lua_launch_site {
  uint64_t launch; /* number of the last launch from here; 0: a fault is not attributed to this site */
  uint64_t number; /* of this site */
  char kernel[40];
  char script[LUA_IDSIZE];
  int line;        /* 0: no line of a script launched it */
} dc_lua_launch_site;
#define DC_LUA_SITES 128 /* launch sites that are remembered */

/* The name of a built-in Lua file, by length and hash: a pointer would need something that keeps the string. */
typedef struct dc_lua_builtin {
  uint64_t hash;
  size_t len;
} dc_lua_builtin;
#define DC_LUA_MOST_BUILTIN 256

typedef struct dc_lua {
  const struct dc_lua *itself; /* its address, which no other userdata has there; NULL: the Lua state is being closed */
  /* read for every array created and every call that does device work */
  size_t quiet, counted;  /* allocation budget in device bytes until the next check of `owed`; used since */
  size_t arrays;          /* array objects not yet collected */
  size_t arrays_most;     /* number of them that starts a collection; 0: none were created yet */
  int tracing;            /* functions given to dc.vectorize that are running on symbolic values */
  int work_slot;          /* see dc_lua_work_slot */
  bool host_interrupts;   /* the host catches SIGINT */
  bool collecting;        /* a collection of ours is running: its finalizers start no other */
  bool steps_fail;        /* the collector's steps do not take enough of them */
  dc_ptr lowest_read, highest_read; /* address range of arrays whose .ptr was read: integers in it may be addresses */
  const void *types[DC_LUA_NTYPES]; /* lua_topointer of the metatables; 0 where not made yet */
  const void *null;
  dc_device *device;      /* the current one; NULL until first asked for */
  struct dc_device_set *devices; /* this state's */
  double owed, owed_most; /* collector's work due for device memory, in heap sizes; a step runs at owed_most */
  size_t since_full;      /* device bytes made since the last full collection */
  size_t live_before;     /* device bytes in use after the last full collection; 0: there was none */
  double full_due;        /* the next one is due when these have doubled, and not before then, by dc_clock */
  size_t since_step;      /* device bytes made since the last collection of ours */
  double step_seconds;    /* that a step for the caches takes */
  double step_due;        /* the next step for the caches is due after enough of them, and not before then */
  dc_precision precision; /* of float32 products */
  int columns;            /* of the prompt's terminal, in which arrays are printed; 0: 80 */
  uint64_t nlaunches;     /* launches noted so far */
  uint64_t nsites;        /* launch sites so far; number i is sites[i % DC_LUA_SITES] */
  dc_lua_launch_site sites[DC_LUA_SITES];
  int nbuiltin;
  dc_lua_builtin builtin[DC_LUA_MOST_BUILTIN]; /* what error messages skip */
} dc_lua;

/* The state that is inside a call of ours, for the memory pressure handler: valid while one runs; and the dc_lua of the
** last such call, only to be compared. */
extern _Thread_local struct dc_lua_active {
  lua_State *L;
  dc_lua *self;
} dc_lua_active;
/* The running function's dc_lua; notes L as the state that is inside a call of ours.  Raises where the debug library
** has replaced that upvalue. */
dc_lua *dc_lua_self(lua_State *L);
/* Pushes the table that is user value `slot` of that; raises where it is none. */
void dc_lua_get_table(lua_State *L, int slot);
/* Pushes the method of the type `slot` whose name is at stack index 2, else nil; returns the value's type. */
int dc_lua_method(lua_State *L, int slot);
/* Pushes the function `name` of the table that a loaded Lua file of ours has returned: "dotcompute.api", "select". */
void dc_lua_push_lua(lua_State *L, const char *module, const char *name);
/* A C function that calls its second upvalue, a function of ours in Lua, with all arguments.  Lua keeps the frame of a
** script's function whose last call is one of a C function, so that errors and sources are found at its line. */
int dc_lua_entry(lua_State *L);
/* Raises: `what` has been replaced by the debug library. */
DC_COLD int dc_lua_tampered(lua_State *L, const char *what);
/* Pushes the state's dc_lua, made if this is its first use (an error may be raised before luaopen). */
dc_lua *dc_lua_push_self(lua_State *L);
/* Makes a metatable with these functions (the dc_lua as first upvalue) and __name, and keeps it as
** `slot`'s.  Stack: dc_lua at `self`; nothing is left. When it exists already, does nothing. */
void dc_lua_newtype(lua_State *L, int self, int slot, const char *name, const luaL_Reg *meta, const luaL_Reg *methods);
/* Sets functions with the dc_lua at stack index `self` as upvalue into the table on top. */
void dc_lua_setfuncs(lua_State *L, int self, const luaL_Reg *funcs);
/* The same for methods, whose second upvalue is what messages call an object of their type: "array". */
void dc_lua_setmethods(lua_State *L, int self, const luaL_Reg *methods, const char *type);
/* Userdata of `slot`'s type, zeroed, on top of the stack. */
void *dc_lua_new(lua_State *L, int slot, size_t size, int nuservalues);
/* The end of each userdata of ours: its state and type.  Cheaper to read than a metatable, and safe from scripts that
** replace that by the debug library. */
typedef struct dc_lua_tag {
  const void *owner; /* the state's dc_lua */
  uintptr_t slot;
} dc_lua_tag;
/* dc_lua_new where the running function's dc_lua is at hand, and the stack has room for two more. */
static inline void *dc_lua_new_of(lua_State *L, dc_lua *self, int slot, size_t size, int nuservalues) {
  const size_t before = (size + 7) / 8 * 8;
  char *p = lua_newuserdatauv(L, before + sizeof(dc_lua_tag), nuservalues);
  memset(p, 0, before);
  *(dc_lua_tag *)(void *)(p + before) = (dc_lua_tag){ self, (uintptr_t)slot };
  if (DC_UNLIKELY(lua_touserdata(L, lua_upvalueindex(1)) != self)) dc_lua_tampered(L, "the upvalue of a function");
  if (DC_UNLIKELY(lua_getiuservalue(L, lua_upvalueindex(1), slot) != LUA_TTABLE)) dc_lua_tampered(L, "a metatable");
  lua_setmetatable(L, -2);
  return p;
}
/* The userdata at idx if it is of that type, else NULL. */
static inline void *dc_lua_test(lua_State *L, const dc_lua *self, int idx, int slot) {
  char *p = lua_touserdata(L, idx);
  const size_t n = p ? lua_rawlen(L, idx) : 0; /* 0 for light userdata */
  if (n < sizeof(dc_lua_tag)) return NULL;
  const dc_lua_tag *tag = (const void *)(p + n - sizeof *tag);
  return n % 8 == 0 && tag->owner == self && tag->slot == (uintptr_t)slot ? p : NULL;
}

/* The innermost Lua function that is not ours: fills `ar` with "Sl". False when there is none.  Needs 8 free stack
** slots, and raises nothing when they are there. */
bool dc_lua_caller(lua_State *L, lua_Debug *ar);

/* Whether the chunk of that name is one of our own Lua files. */
bool dc_lua_is_builtin(const dc_lua *self, const char *source, size_t len);
dc_lua_builtin dc_lua_builtin_name(const char *source, size_t len);

/* Sets a field of the table on top; a string that is NULL is nil. */
void dc_lua_set_integer(lua_State *L, const char *name, lua_Integer v);
void dc_lua_set_number(lua_State *L, const char *name, lua_Number v);
void dc_lua_set_boolean(lua_State *L, const char *name, bool v);
void dc_lua_set_string(lua_State *L, const char *name, const char *s);
void dc_lua_set_extents(lua_State *L, const char *name, const uint32_t v[3]); /* {x, y, z} */

/* Notes the script's line that launches the kernel of that name.  *site is the number of the site of the kernel
** object's last launch, 0 at first. */
void dc_lua_note_launch(lua_State *L, dc_lua *self, uint64_t *site, const char name[40]);

/* Faults are not attributed to site `number` any more: its kernel has been launched since from a line not noted. */
void dc_lua_forget_launch(dc_lua *self, uint64_t number);

/* The site of the last launch noted of the kernel whose name `text` begins with, ended by a '; NULL: there is none. */
const dc_lua_launch_site *dc_lua_last_launch(const dc_lua *self, const char *text);
