/*
** lib.h - what the files of lua/ share.
**
** One `dc_lua` per Lua state is the first upvalue of every C function here.  It knows the metatables by
** address, so that a type check is one compare, and keeps them alive as its user values.  Userdata are
** born closed: made, given their metatable, and only then filled, so no error in between leaks.
** Functions of lower rooms return codes; dc_lua_raise turns them into Lua errors after all is released.
*/
#ifndef DC_LUA_LIB_H
#define DC_LUA_LIB_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <string.h>

#include "array/array.h"
#include "array/chunks.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/gather.h"
#include "array/generators.h"
#include "array/operators.h"
#include "array/reduce.h"
#include "array/stream_order.h"
#include "array/view.h"
#include "base/error.h"
#include "device/registry.h"
#include "kernel/kernel.h"
#include "lua/lua_dc.h"

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
  DC_LUA_PART,
  DC_LUA_SOURCE,
  DC_LUA_NTYPES,
  DC_LUA_NULL = DC_LUA_NTYPES, /* dc.null */
  DC_LUA_DEVICES,              /* light userdata of a dc_device -> its device object */
  DC_LUA_CORE,                 /* the table that luaopen gave */
  DC_LUA_CALLERS,              /* the functions of dc_lua.launches, as long as they live, by place */
  DC_LUA_END
};

/* A line that launched a kernel, so that a fault that a GPU tells of later can be blamed on a line of Lua. */
typedef struct dc_lua_launch {
  uint64_t order; /* launches are numbered; this is its last; 0: nothing here */
  uint64_t site;  /* dc_lua_site's number of it */
  char name[40];
  char script[LUA_IDSIZE];
  int line;       /* 0: there is none to blame */
} dc_lua_launch;
#define DC_LUA_LAUNCHES 128

/* Which of the above a kernel object's last launch is; zeroed: none yet. */
typedef struct dc_lua_site {
  bool direct;     /* a Lua function of the script's called the kernel, not C or a file of ours */
  const void *pc;  /* where in its code; NULL: not known */
  int line;
  uint64_t number; /* of all sites so far: its place is that modulo DC_LUA_LAUNCHES */
} dc_lua_site;

/* The name of a Lua file of our own, by length and hash: a pointer would need something that keeps the string. */
typedef struct dc_lua_own {
  uint64_t hash;
  size_t len;
} dc_lua_own;
#define DC_LUA_MOST_OWN 256

typedef struct dc_lua {
  const struct dc_lua *itself; /* its address, which no other userdata has there */
  /* what is looked at for every array made and every call that works */
  size_t quiet, counted;  /* device bytes that may be made before anybody looks at `owed`; made since it was */
  size_t arrays;          /* array objects that the collector has not taken; */
  size_t arrays_most;     /* past so many, it is asked to; 0: none were made yet */
  int tracing;            /* functions given to dc.vectorize that are running on symbolic values */
  int work_place;         /* see dc_lua_work_place */
  bool host_interrupts;   /* the host catches SIGINT */
  bool collecting;        /* a collection of ours is running: its finalizers start no other */
  bool steps_fail;        /* the collector's steps do not take enough of them */
  dc_ptr lowest_read, highest_read; /* where arrays lie whose .ptr somebody read: such integers may be addresses */
  const void *types[DC_LUA_NTYPES]; /* lua_topointer of the metatables; 0 where not made yet */
  const void *null;
  dc_device *device;      /* the current one; NULL until first asked for */
  double owed, owed_most; /* heaps of collector's work owed for device memory, done when it is so much (memory.c) */
  size_t since_full;      /* device bytes made since the last full collection */
  dc_precision precision; /* of float32 products */
  uint64_t launched;      /* counts launches noted, */
  uint64_t sites;         /* and the places that they came from */
  dc_lua_launch launches[DC_LUA_LAUNCHES];
  int nowns;
  dc_lua_own own[DC_LUA_MOST_OWN]; /* what error messages skip */
} dc_lua;

/* --- core.c --- */
/* The state that is inside a call of ours, for the memory pressure handler: valid while one runs; and the dc_lua of the
** last such call, only to be compared. */
extern _Thread_local struct dc_lua_active {
  lua_State *L;
  dc_lua *self;
} dc_lua_active;
/* The running function's dc_lua; notes L as the state that is inside a call of ours.  Raises where the debug library
** has replaced that upvalue. */
dc_lua *dc_lua_self(lua_State *L);
/* Pushes the user value `slot` of that, which is of Lua's type `type`; raises where it is not. */
void dc_lua_get(lua_State *L, int slot, int type);
/* Pushes the method of the type `slot` whose name is at stack index 2, else nil; returns the value's type. */
int dc_lua_method(lua_State *L, int slot);
/* Raises: `what` is not what we put there. */
DC_RARELY int dc_lua_tampered(lua_State *L, const char *what);
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
/* At the end of each userdata of ours: whose it is, and of which type.  Cheaper to look at than a metatable, and there
** even when a script has changed that. */
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

/* Both dc_lua_self and dc_lua_test of index 1.  `usual` is that test for dc_lua_active.self: an object's owner that is
** the one of the call before is the state's. */
static inline void *dc_lua_self_test(lua_State *L, int slot, void *usual, dc_lua **self) {
  if (DC_UNLIKELY(usual == NULL)) {
    *self = dc_lua_self(L);
    return dc_lua_test(L, *self, 1, slot);
  }
  dc_lua_active.L = L;
  *self = dc_lua_active.self;
  return usual;
}

/* --- error.c --- */
/* As dc_lua_raise, with lines of the kernel source shown as places in the script: `origin` is the index
** of the table that dc_lua_origin made. */
int dc_lua_raise_at(lua_State *L, dc_error *err, int origin);
int dc_lua_fail(lua_State *L, dc_kind kind, const char *fmt, ...) DC_PRINTF(3, 4);
/* Kind "argument": "bad argument #2 to 'reshape': …", methods counted as Lua does. */
int dc_lua_badarg(lua_State *L, int arg, const char *fmt, ...) DC_PRINTF(3, 4);
/* An error of that kind, with the name of the function that the script called in front: "'zeros': …". */
int dc_lua_fail_named(lua_State *L, dc_kind kind, const char *fmt, ...) DC_PRINTF(3, 4);
/* dc_lua_badarg, "bad argument #2 to 'fill': an array expected, got nil". */
int dc_lua_expected(lua_State *L, int arg, const char *what);
/* Pushes and returns how a message calls the value: "nil", "a string", "a float64 array", "the number 2.5". */
const char *dc_lua_describe(lua_State *L, int idx);
/* The innermost Lua function that is not ours: fills `ar` with "Sl". False when there is none.  Takes 8 places of the
** stack, and raises nothing if there are so many. */
bool dc_lua_caller(lua_State *L, lua_Debug *ar);
/* Whether the chunk of that name is one of our own Lua files. */
bool dc_lua_is_own(const dc_lua *self, const char *source, size_t len);
dc_lua_own dc_lua_own_name(const char *source, size_t len);
void dc_lua_open_error(lua_State *L, int self);

/* --- source.c --- */
/* Pushes a table that remembers the source text (at index `text`) and the caller's place. `path`: the
** file that the text is the whole of, or NULL. */
void dc_lua_origin(lua_State *L, int text, const char *path);
/* The same for several sources that are linked, with their paths or false in the table at `paths` (or nil): lines
** count through them. */
void dc_lua_origins(lua_State *L, int texts, int paths);
/* Pushes the place of line `line` of the source: "script.lua:17". */
void dc_lua_place(lua_State *L, int origin, int line);
/* Pushes `text` with every "dotcompute.cu(12)" replaced by its place. */
void dc_lua_map_lines(lua_State *L, int origin, const char *text);

/* --- memory.c --- */
/* Before n bytes of device memory are made: lets the collector run in proportion. May run finalizers, so
** hold no pointer that they could invalidate. */
void dc_lua_account_all(lua_State *L, dc_lua *self, size_t n);
static inline void dc_lua_account(lua_State *L, dc_lua *self, size_t n) {
  if (n < 256) n = 256; /* what a device gives at least */
  if (n > self->quiet) {
    dc_lua_account_all(L, self, n);
    return;
  }
  self->quiet -= n;
  self->counted += n;
}
/* Before an array object is made; may collect, as above. */
void dc_lua_count_array(lua_State *L, dc_lua *self);
void dc_lua_open_memory(void);
/* malloc'ed memory owned by a userdata that is pushed; raises when there is none. */
void *dc_lua_scratch(lua_State *L, size_t n);
void dc_lua_scratch_free(lua_State *L, int idx); /* early; idempotent */
void dc_lua_open_scratch(lua_State *L, int self);
void dc_lua_open_part(lua_State *L, int self);

/* --- ledger.c --- */
extern const luaL_Reg dc_lua_memory_internal[];
void dc_lua_open_ledger(void);

/* --- interrupt.c --- */
/* Around work of a device that may take long: Ctrl-C meanwhile sets dc_interrupt_flag. No Lua errors in between. */
void dc_lua_work_begin(const dc_lua *self);
void dc_lua_work_end(const dc_lua *self, bool failed);
/* Where a new Lua state counts how deep it is in such work. */
int dc_lua_work_place(void);
/* The value of an expression that gives 0 or -1, with Ctrl-C reaching the device meanwhile. */
#define DC_LUA_WORK(self, expression)            \
  ({                                             \
    dc_lua_work_begin(self);                     \
    int work_result_ = (expression);             \
    dc_lua_work_end(self, work_result_ != 0);    \
    work_result_;                                \
  })
/* The same for one that gives an array or NULL. */
#define DC_LUA_MAKE(self, expression)               \
  ({                                                \
    dc_lua_work_begin(self);                        \
    dc_array *work_result_ = (expression);          \
    dc_lua_work_end(self, work_result_ == NULL);    \
    work_result_;                                   \
  })

/* --- device.c --- */
void dc_lua_pushdevice(lua_State *L, dc_device *dev);
/* A device object or a name at idx; raises otherwise. */
dc_device *dc_lua_checkdevice(lua_State *L, int idx);
/* The current device; the first call chooses the default. */
dc_device *dc_lua_current(lua_State *L, dc_lua *self);
void dc_lua_open_device(lua_State *L, int self);
extern const luaL_Reg dc_lua_device_core[], dc_lua_device_internal[];

/* --- array.c --- */
typedef struct dc_lua_array {
  dc_array *a; /* NULL: not made yet, or collected */
} dc_lua_array;

/* gone.c: the metatable of arrays, on top, loses its finalizer where the host tells of objects that go; so many have
** gone since the last call; whether one is going, inside the collector, where Lua cannot be called. */
void dc_lua_spare_finalizers(lua_State *L, const dc_lua *self);
size_t dc_lua_take_gone(void);
bool dc_lua_is_going(void);

/* Pushes a closed array object; fill its slot, then dc_lua_made. */
dc_lua_array *dc_lua_newarray(lua_State *L);
/* The same where the running function's dc_lua is at hand, and the stack has room for two more. */
dc_lua_array *dc_lua_newarray_of(lua_State *L, dc_lua *self);
/* Stores the result in the array object on top, or raises. */
int dc_lua_made(lua_State *L, dc_lua_array *slot, dc_array *a, dc_error *err);
/* The open array at idx, or NULL when it is no array (closed arrays raise). */
dc_array *dc_lua_toarray(lua_State *L, const dc_lua *self, int idx);
/* The open array that is argument `arg`; raises otherwise. */
dc_array *dc_lua_checkarray(lua_State *L, const dc_lua *self, int arg);
/* Pushes the field (array.c's numbers) of an open array; returns 1. */
int dc_lua_array_field(lua_State *L, dc_lua *self, dc_array *a, int id);
/* Computes the array when it is pending. */
void dc_lua_settle(lua_State *L, dc_lua *self, dc_array *a);
/* Pushes a view whose axis i is axes[i] of `a`; NULL: reversed. Returns 1. */
int dc_lua_push_transposed(lua_State *L, dc_lua *self, dc_array *a, const int *axes);
void dc_lua_open_array(lua_State *L, int self);

/* --- convert.c --- */
/* A number, boolean or complex number at idx as a scalar; false when it is none. */
bool dc_lua_toscalar(lua_State *L, int idx, dc_scalar *s);
void dc_lua_pushscalar(lua_State *L, const dc_scalar *s);
/* The Lua value at idx as one element. `given`: the user chose the dtype, so floats may round an integer. */
int dc_lua_element(lua_State *L, int idx, dc_dtype dtype, bool given, void *dst, dc_error *err);
/* The nested table at idx as an array object, pushed. dtype DC_DTYPE_NONE: float32, or bool. */
dc_array *dc_lua_fromtable(lua_State *L, dc_lua *self, dc_device *dev, int idx, dc_dtype dtype);
/* Pushes nested tables (a plain value for 0 dimensions) from host memory in C order. */
void dc_lua_pushtable(lua_State *L, dc_dtype dtype, int ndim, const int64_t *shape, const char *src);
dc_dtype dc_lua_checkdtype(lua_State *L, int idx);
/* The dtype that an array of this one value has: bool, complex64 or float32. */
dc_dtype dc_lua_value_dtype(const dc_scalar *s);
/* Default dtype for the number or boolean at idx; raises for an integer that float32 cannot hold. */
dc_dtype dc_lua_default_dtype(lua_State *L, int idx);

typedef struct dc_lua_shape {
  int ndim;
  int64_t extent[DC_MAX_DIMS];
} dc_lua_shape;
/* Extents from arguments first..last: integers, or one table of them. `wild` allows -1. */
void dc_lua_checkshape(lua_State *L, int first, int last, bool wild, dc_lua_shape *s);
/* All arguments, as a shape and perhaps a dtype, which is given (float32 otherwise). (create.c) */
dc_dtype dc_lua_checkshaped(lua_State *L, dc_lua_shape *s);
/* An integer, or a float with an integer's value, at idx. */
bool dc_lua_tointeger(lua_State *L, int idx, int64_t *v);

/* --- create.c, operators.c, index.c, format.c --- */
extern const luaL_Reg dc_lua_create_core[];
extern const luaL_Reg dc_lua_operators_core[], dc_lua_operators_internal[];
/* Whether an argument is a symbolic value of dc.vectorize, or all are numbers while it traces a function: then the node
** of the function `name` is on top. */
bool dc_lua_apply_symbolic(lua_State *L, const dc_lua *self, const char *name);
extern const luaL_Reg dc_lua_operators_meta[], dc_lua_operators_methods[];
/* The operator or function of the arguments on the stack; pushes the result, returns 1. */
int dc_lua_apply(lua_State *L, dc_op op);
/* All functions of dc_ops by name, into the table on top; as methods of `type`, if not NULL. */
void dc_lua_set_functions(lua_State *L, int self, const char *type);

/* --- reduce.c --- */
extern const luaL_Reg dc_lua_reduce_core[], dc_lua_reduce_methods[];

/* --- complex.c --- */
void dc_lua_pushcomplex(lua_State *L, double re, double im);
bool dc_lua_tocomplex(lua_State *L, const dc_lua *self, int idx, double *re, double *im);
extern const luaL_Reg dc_lua_complex_core[];
void dc_lua_open_complex(lua_State *L, int self);

/* --- index.c, format.c --- */
extern const luaL_Reg dc_lua_index_meta[], dc_lua_index_methods[];
int dc_lua_array_tostring(lua_State *L);
int dc_lua_array_concat(lua_State *L);
/* Assigns the value at `value` (number, boolean, array, table) to all of `dst`. `async`: as dc_array_assign. */
void dc_lua_assign(lua_State *L, dc_lua *self, dc_array *dst, int value, bool async);

/* --- linalg.c --- */
extern const luaL_Reg dc_lua_linalg_core[], dc_lua_linalg_methods[], dc_lua_linalg_internal[];

/* --- launched.c --- */
/* Remembers the script's line that launches the kernel that is called `name`; `site` is the kernel object's. */
void dc_lua_note_launch(lua_State *L, dc_lua *self, dc_lua_site *site, const char name[40]);
/* The last launch there is not to be blamed for anything: its kernel has been launched from who knows where. */
void dc_lua_forget_launch(dc_lua *self, const dc_lua_site *site);
/* The last launch noted of the kernel whose name text[] begins with, quoted by a ' behind it; NULL: there is none. */
const dc_lua_launch *dc_lua_last_launch(const dc_lua *self, const char *text);

/* --- module.c, kernel.c --- */
/* What a module object points to; its kernels do too, whatever becomes of the object. */
typedef struct dc_lua_module {
  dc_module *m;        /* NULL: closed */
  unsigned refs;
  unsigned generation; /* changes when m does: kernel objects then look theirs up again */
  dc_array **globals;  /* arrays over its variables, of which its kernels may write any */
  int nglobals;
} dc_lua_module;
enum {
  DC_LUA_MODULE_ORIGIN = 1, DC_LUA_MODULE_SOURCE, DC_LUA_MODULE_KERNELS, DC_LUA_MODULE_INSTANCES,
  DC_LUA_MODULE_NVALUES = DC_LUA_MODULE_INSTANCES
};

/* The module of the object at idx; NULL when it is none. */
dc_lua_module *dc_lua_tomodule(lua_State *L, const dc_lua *self, int idx);
void dc_lua_module_unref(dc_lua_module *o);
/* Computes what still reads the module's variables: before its kernels run. */
int dc_lua_settle_globals(dc_lua_module *o, dc_error *err);
/* Compiles the file that the module at idx came from anew; pushes whether anything had changed.  Raises when that is no
** open module. */
int dc_lua_reload(lua_State *L, int module);

/* Pushes the kernel object of `name` from the module at idx; raises when there is none. */
void dc_lua_pushkernel(lua_State *L, int module, const char *name);
extern const luaL_Reg dc_lua_module_core[];
void dc_lua_open_module(lua_State *L, int self);
void dc_lua_open_kernel(lua_State *L, int self);

/* --- cache.c --- */
extern const luaL_Reg dc_lua_cache_internal[];
/* Notes the script (`arg[0]`) whose bundle of compiled code is to be used. The stack is emptied. */
void dc_lua_find_bundle(lua_State *L);

/* --- builders.c --- */
extern const luaL_Reg dc_lua_builders_internal[];
extern const luaL_Reg dc_lua_part_internal[];

/* --- random.c --- */
extern const luaL_Reg dc_lua_random_internal[];

/* --- mail.c --- */
extern const luaL_Reg dc_lua_mail_internal[];

/* --- profile.c --- */
extern const luaL_Reg dc_lua_profile_internal[];
/* Tells the profiler how much the arguments of the coming launch of `k` weigh; they are from `first` on. */
void dc_lua_profile_arguments(lua_State *L, const dc_lua *self, const dc_kernel *k, int first);

/* --- named.c --- */
typedef enum { DC_LUA_BOOLEAN, DC_LUA_NUMBER, DC_LUA_INTEGER, DC_LUA_STRING, DC_LUA_ANY } dc_lua_option_type;
/* An option by name, and the stack index of the positional argument that it stands for; a NULL name ends a list. */
typedef struct dc_lua_option {
  const char *name;
  dc_lua_option_type type;
  int place;
} dc_lua_option;
/* The places of `known` are arguments up to `last`: a table of options behind them, or in place of one from `first` on,
** is put in these places.  Then `last` values are on the stack; without options nothing changes. */
void dc_lua_take_options(lua_State *L, int first, int last, const dc_lua_option *known);
/* Puts the options of the table at idx in their places, which hold nil or are given twice; `takes_list`: its list part
** is left to the caller. */
void dc_lua_read_options(lua_State *L, int idx, bool takes_list, const dc_lua_option *known);
/* Raises where the value at idx is a table with options: there are none where it stands. */
void dc_lua_refuse_options(lua_State *L, int idx);
/* Whether the table at idx (from the stack's bottom) has entries beside its list part. */
bool dc_lua_has_names(lua_State *L, int idx);
/* Raises "there is no option 'kep' (did you mean 'keep'?); there is keep"; `kind` is "option". `who`: in front, or
** "". */
int dc_lua_fail_option(lua_State *L, const char *who, const char *kind, const char *name, const char *const *names,
                       size_t n);
extern const luaL_Reg dc_lua_named_internal[];

/* --- options.c --- */
/* Pushes a userdata that begins with a dc_source for the texts and options of the origin at `origin`, and ends with
** copies of all its strings. `instance`: one more instance of a template, or NULL. */
const dc_source *dc_lua_newsource(lua_State *L, int origin, const char *instance);

#endif
