/*
** comm_call.c - see comm_call.h.
**
** A method of a communicator is a C function here.  It reads the usual forms of a call whose arrays are contiguous; for
** all others, and where something is wrong, it calls the method's other half in lua/dotcompute/comm.lua, which knows
** all forms and says what is wrong.  That takes as long as ten reductions of a small array, so what is usual must not
** go there.  A prepared operation (comm:prepare) has been read in this way once.
*/
#include "lua/comm_call.h"

#include <string.h>

#include "array/array.h"
#include "array/communicate.h"
#include "array/graph/geometry.h"
#include "base/dtype.h"
#include "base/error.h"
#include "comm/settings.h"
#include "device/comm.h"
#include "lua/array.h"
#include "lua/comm.h"
#include "lua/create.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

/* --- running, now or at the end of a group ------------------------------------------------------------------------ */

/* The device's communicator, made at its first use. */
static int open_part(dc_lua_comm *h, const dc_device *dev, void **comm, dc_error *err) {
  dc_lua_comm_part *p = h->part;
  while (p->dev != dev) p++;
  if (!p->open) {
    const dc_comm_ops *ops = dc_device_comms(p->dev, err);
    if (!ops || ops->open(p->dev, h->ranks, &p->comm, err) != 0) return -1;
    p->open = true;
  }
  *comm = p->comm;
  return 0;
}

static int run(dc_lua_comm *h, dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err) {
  for (int i = 0; i < n; i++)
    if (open_part(h, calls[i].dev, &calls[i].comm, err) != 0) return -1;
  return dc_array_communicate(calls, n, prepared, err);
}

/* A call that waits for the end of the group; its user values are the arrays. */
typedef struct queued {
  dc_comm_call call;
  char where[DC_LUA_COMM_LINE];
} queued;

/* Pushes what was called in the group of the handle at `at`. */
static void push_queue(lua_State *L, int at) {
  if (lua_getiuservalue(L, at, 1) != LUA_TTABLE) dc_lua_tampered(L, "the user value of a communicator");
}

/* Appends a call to it; its arrays, or what is none, are at `arrays` and behind. */
static void queue(lua_State *L, int at, int arrays, const dc_comm_call *call) {
  push_queue(L, at);
  queued *q = lua_newuserdatauv(L, sizeof *q, 2);
  q->call = *call;
  if (call->where != NULL) strcpy(q->where, call->where);
  for (int i = 1; i <= 2; i++) {
    lua_pushvalue(L, arrays + i - 1);
    lua_setiuservalue(L, -2, i);
  }
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_pop(L, 1);
}

/* "script.lua:12", for errors about ranks whose calls differ or are missing; NULL for a communicator of one process's
** devices, where one call runs the operation on all of them.  Looking up the line takes a fifth of the instructions
** of a small operation. */
static const char *get_line(lua_State *L, dc_lua_comm *h) {
  return h->ranks != NULL ? dc_lua_comm_line(L, h) : NULL;
}

/* Runs n calls of the handle at `at`, whose arrays are at `arrays`, two for each. */
static void issue(lua_State *L, dc_lua *self, int at, int arrays, dc_comm_call *calls, int n) {
  dc_lua_comm *h = lua_touserdata(L, at);
  dc_error err = DC_ERROR_INIT;
  const char *where = get_line(L, h);
  for (int i = 0; i < n; i++) {
    calls[i].where = where;
    if (h->grouping) queue(L, at, arrays + 2 * i, &calls[i]);
  }
  if (!h->grouping && DC_LUA_WORK(self, run(h, calls, n, NULL, &err)) != 0) dc_lua_raise(L, &err);
}

/* comm_group(handle): from now on its operations are collected. */
static int core_comm_group(lua_State *L) {
  dc_lua_comm *h = dc_lua_comm_check(L, 1);
  lua_newtable(L);
  lua_setiuservalue(L, 1, 1);
  h->grouping = true;
  return 0;
}

/* comm_group_end(handle, discard): runs them together, or forgets them. */
static int core_comm_group_end(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_comm *h = dc_lua_check(L, self, 1, DC_LUA_COMM, "a communicator");
  dc_error err = DC_ERROR_INIT;
  const bool discard = lua_toboolean(L, 2);
  if (!h->grouping) return 0;
  h->grouping = false;
  lua_settop(L, 1);
  push_queue(L, 1); /* 2 */
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  const int n = discard ? 0 : (int)lua_rawlen(L, 2);
  if (n == 0) return 0;
  dc_comm_call *calls = lua_newuserdatauv(L, (size_t)n * sizeof *calls, 0); /* 3 */
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 2, i + 1);
    const queued *q = lua_touserdata(L, 4);
    if (!q || lua_rawlen(L, 4) != sizeof *q) dc_lua_tampered(L, "the user value of a communicator");
    calls[i] = q->call;
    if (q->call.where != NULL) calls[i].where = q->where;
    lua_getiuservalue(L, 4, 1);
    lua_getiuservalue(L, 4, 2);
    calls[i].from = dc_lua_toarray(L, self, 5); /* closed meanwhile: raises */
    calls[i].to = dc_lua_toarray(L, self, 6);
    calls[i].src = calls[i].dst = 0;
    lua_settop(L, 3);
  }
  if (DC_LUA_WORK(self, run(h, calls, n, NULL, &err)) != 0) dc_lua_raise(L, &err);
  return 0;
}

/* comm_run(handle, {row, ...}): runs rows {number of the device, op, fold, src or false, dst or false, count, peer}
** together. */
static int core_comm_run(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const dc_lua_comm *h = dc_lua_comm_check(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  const int n = (int)lua_rawlen(L, 2);
  if (n > DC_LUA_COMM_MOST) return dc_lua_fail(L, DC_ARGUMENT, "%d operations; there can be %d", n, DC_LUA_COMM_MOST);
  lua_settop(L, 2);
  luaL_checkstack(L, 2 * n + 16, NULL);
  dc_comm_call *calls = lua_newuserdatauv(L, (size_t)n * sizeof *calls, 0); /* 3, the arrays behind it */
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 2, i + 1);
    const int row = lua_gettop(L);
    luaL_checktype(L, row, LUA_TTABLE);
    for (int k = 1; k <= 7; k++) lua_rawgeti(L, row, k);
    const lua_Integer part = luaL_checkinteger(L, row + 1);
    luaL_argcheck(L, part >= 1 && part <= h->n, 2, "no such device");
    calls[i] = (dc_comm_call){
      .dev = h->part[part - 1].dev, .op = (dc_comm_op)luaL_checkinteger(L, row + 2),
      .fold = (dc_comm_fold)luaL_checkinteger(L, row + 3), .count = luaL_checkinteger(L, row + 6),
      .peer = (int)luaL_checkinteger(L, row + 7),
    };
    dc_array *src = dc_lua_toarray(L, self, row + 4);
    if (src) dc_lua_materialize(L, self, src);
    lua_copy(L, row + 4, row);
    lua_copy(L, row + 5, row + 1);
    lua_settop(L, row + 1);
  }
  for (int i = 0; i < n; i++) { /* the collector does not run any more */
    dc_comm_call *c = &calls[i];
    c->from = dc_lua_toarray(L, self, 4 + 2 * i);
    c->to = dc_lua_toarray(L, self, 5 + 2 * i);
    if (c->from || c->to) c->dtype = dc_array_dtype(c->from ? c->from : c->to);
  }
  if (n > 0) issue(L, self, 1, 4, calls, n);
  return 0;
}

/* --- reading the usual forms of a call ---------------------------------------------------------------------------- */

/* The stack of a method: arguments, the handle, options, sources and targets in pairs. */
enum { ARRAY = 2, MOST_PARTS = 16 };

typedef struct request {
  int given; /* number of arguments */
  dc_comm_op op;
  dc_comm_fold fold;
  int root;  /* or the other rank of a message */
  int out;   /* stack index of option 'out'; 0: not given */
  bool in_place; /* the targets are the sources */
} request;

static bool read_fold(lua_State *L, int idx, dc_comm_fold *fold) {
  if (lua_type(L, idx) != LUA_TSTRING) return false;
  const char *name = lua_tostring(L, idx);
  for (*fold = DC_COMM_SUM; *fold <= DC_COMM_MEAN; (*fold)++)
    if (strcmp(name, dc_comm_fold_name(*fold)) == 0) return true;
  return false;
}

static bool read_rank(lua_State *L, int idx, const dc_lua_comm *h, int *rank) {
  if (!lua_isinteger(L, idx)) return false;
  const lua_Integer r = lua_tointeger(L, idx);
  *rank = r >= 0 && r < h->size ? (int)r : -1;
  return *rank >= 0;
}

/* The options, in the last argument; `out` is pushed. `op`, `root`: whether these may still be given. */
static bool read_options(lua_State *L, const dc_lua_comm *h, bool op, bool root, request *q) {
  const int table = q->given, out = table + 2;
  lua_pushnil(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (strcmp(name, "out") == 0 && q->op != DC_COMM_BROADCAST) lua_copy(L, -1, q->out = out);
    else if (!(op && strcmp(name, "op") == 0 && read_fold(L, -1, &q->fold)) &&
             !(root && strcmp(name, "root") == 0 && read_rank(L, -1, h, &q->root)))
      return false;
    lua_pop(L, 1);
  }
  return true;
}

/* Reads what stands behind the array. */
static bool read_request(lua_State *L, const dc_lua_comm *h, request *q) {
  const int top = q->given;
  int at = ARRAY + 1;
  if (dc_comm_is_message(q->op)) return top == at && read_rank(L, at, h, &q->root) && q->root != h->rank;
  const bool root = dc_comm_has_root(q->op) && at <= top && read_rank(L, at, h, &q->root);
  at += root;
  const bool op = dc_comm_reduces(q->op) && at <= top && read_fold(L, at, &q->fold);
  at += op;
  if (at == top && lua_type(L, at) == LUA_TTABLE)
    return read_options(L, h, dc_comm_reduces(q->op) && !op, dc_comm_has_root(q->op) && !root, q);
  return at > top;
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static bool has_fold(dc_comm_fold fold, dc_dtype dtype) {
  const char kind = dc_dtype_kind(dtype);
  if (kind == 'b') return fold == DC_COMM_MIN || fold == DC_COMM_MAX;
  if (kind == 'c') return fold != DC_COMM_MIN && fold != DC_COMM_MAX;
  return fold != DC_COMM_MEAN || kind == 'f';
}

/* The shape of the result for an array of shape g (strides are not set); false where g cannot be divided. */
static bool result_shape(const dc_geometry *g, dc_comm_op op, int size, dc_geometry *to) {
  to->ndim = g->ndim;
  for (int i = 0; i < g->ndim; i++) to->shape[i] = g->shape[i];
  if (op == DC_COMM_ALL_GATHER) {
    if (g->ndim == 0) to->shape[to->ndim++] = 1;
    to->shape[0] *= size;
  } else if (op == DC_COMM_REDUCE_SCATTER || op == DC_COMM_ALL_TO_ALL) {
    if (g->ndim == 0 || g->shape[0] % size != 0) return false;
    if (op == DC_COMM_REDUCE_SCATTER) to->shape[0] /= size;
  }
  return true;
}

/* Whether this rank has a result, and whether that is the array itself. */
static bool has_target(const request *q, int rank) {
  return q->op != DC_COMM_SEND && (q->op != DC_COMM_REDUCE || rank == q->root);
}
static bool is_own_target(dc_comm_op op) { return op == DC_COMM_BROADCAST || op == DC_COMM_RECV; }

static bool is_list(lua_State *L, int idx, int n) {
  return lua_type(L, idx) == LUA_TTABLE && (int)lua_rawlen(L, idx) == n;
}

/* Pushes the sources and the targets that are given, nil for those that are not. */
static bool push_arrays(lua_State *L, const dc_lua_comm *h, request *q) {
  q->in_place = is_own_target(q->op) || (q->out && lua_rawequal(L, q->out, ARRAY));
  if (!h->ranks && (!is_list(L, ARRAY, h->n) || (q->out && !q->in_place && !is_list(L, q->out, h->n)))) return false;
  for (int i = 0; i < h->n; i++) {
    if (h->ranks) lua_pushvalue(L, ARRAY);
    else lua_rawgeti(L, ARRAY, i + 1);
    if (!has_target(q, h->ranks ? h->rank : i)) lua_pushnil(L);
    else if (q->in_place) lua_pushvalue(L, -1);
    else if (!q->out) lua_pushnil(L);
    else if (h->ranks) lua_pushvalue(L, q->out);
    else lua_rawgeti(L, q->out, i + 1);
  }
  return true;
}

/* The array at idx, NULL: there is none. */
static dc_array *get_array(lua_State *L, const dc_lua *self, int idx) {
  const dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  return o ? o->a : NULL;
}

/* Puts a new array for the result of `src` to idx. */
static bool make_target(lua_State *L, dc_lua *self, const request *q, const dc_array *src, dc_device *dev, int size,
                        int idx) {
  dc_geometry shape;
  const dc_dtype dtype = dc_array_dtype(src);
  if (dc_array_launch_ready(src, dev, dtype, false) == 0 || !result_shape(dc_array_geometry(src), q->op, size, &shape))
    return false;
  dc_lua_push_empty(L, self, dev, dtype, shape.ndim, shape.shape);
  lua_replace(L, idx);
  return true;
}

/* The arrays of the pair at idx.  Pending sources are computed and missing targets made: then the collector may have
** run, which closes what it likes, and *made is set. */
static bool get_pair(lua_State *L, dc_lua *self, const dc_lua_comm *h, const request *q, int i, int idx,
                     dc_comm_call *c, bool *made) {
  c->from = get_array(L, self, idx);
  if (!c->from) return false;
  if (dc_array_state_of(c->from) == DC_ARRAY_PENDING) {
    dc_lua_materialize(L, self, c->from);
    *made = true;
  }
  c->to = NULL;
  if (!has_target(q, h->ranks ? h->rank : i)) return true;
  if (!q->in_place && lua_isnil(L, idx + 1)) {
    if (!make_target(L, self, q, c->from, h->part[i].dev, h->size, idx + 1)) return false;
    *made = true;
  }
  c->to = q->in_place ? c->from : get_array(L, self, idx + 1);
  return c->to != NULL;
}

/* Fits the target beside the source, or as the source itself? */
static bool fits(const request *q, const dc_array *src, const dc_array *dst, int size) {
  dc_geometry shape;
  dc_ptr from[2], to[2];
  if (dst == src) return q->op == DC_COMM_ALL_REDUCE || dc_comm_has_root(q->op) || dc_comm_is_message(q->op);
  dc_array_span(src, &from[0], &to[0]);
  dc_array_span(dst, &from[1], &to[1]);
  return (to[0] <= from[1] || to[1] <= from[0]) && result_shape(dc_array_geometry(src), q->op, size, &shape) &&
         dc_geometry_same_shape(dc_array_geometry(dst), &shape);
}

/* Sets the addresses of two arrays that are computed and contiguous, on the device and of the dtype; that of the target
** stays 0 where pending expressions read it.  False where they are otherwise. */
static bool read_addresses(dc_comm_call *c, dc_dtype dtype, const dc_device *dev) {
  c->src = c->dst = 0;
  if (c->to) c->dst = dc_array_launch_ready(c->to, dev, dtype, true);
  if (c->to && c->dst == 0 && dc_array_launch_ready(c->to, dev, dtype, false) == 0) return false;
  c->src = c->to == c->from && c->dst != 0 ? c->dst : dc_array_launch_ready(c->from, dev, dtype, false);
  return c->src != 0;
}

/* Completes the call on two arrays. */
static bool make_call(const dc_lua_comm *h, const request *q, dc_device *dev, dc_comm_call *c) {
  const dc_array *src = c->from, *dst = c->to;
  const dc_dtype dtype = dc_array_dtype(src);
  const int64_t count = dc_array_size(src);
  if (count == 0 || !read_addresses(c, dtype, dev) || (dc_comm_reduces(q->op) && !has_fold(q->fold, dtype)) ||
      (dst && !fits(q, src, dst, h->size)))
    return false;
  const bool divided = q->op == DC_COMM_REDUCE_SCATTER || q->op == DC_COMM_ALL_TO_ALL;
  c->dev = dev;
  c->op = q->op;
  c->fold = q->fold;
  c->dtype = dtype;
  c->peer = q->root;
  c->count = count / (divided ? h->size : 1);
  c->busy = false;
  if (q->op == DC_COMM_RECV) c->from = NULL;
  return true;
}

/* Makes the calls on the pairs from `arrays` on, once more where an array had to be made; false where something is
** unusual. */
static bool read_arrays(lua_State *L, dc_lua *self, const dc_lua_comm *h, const request *q, int arrays,
                        dc_comm_call *calls) {
  bool made;
  do {
    made = false;
    for (int i = 0; i < h->n; i++)
      if (!get_pair(L, self, h, q, i, arrays + 2 * i, &calls[i], &made) ||
          !make_call(h, q, h->part[i].dev, &calls[i]))
        return false;
  } while (made);
  return true;
}

/* All ranks of this process give the same dtype and shape. */
static bool are_alike(const dc_comm_call *calls, int n) {
  for (int i = 1; i < n; i++)
    if (calls[i].dtype != calls[0].dtype ||
        !dc_geometry_same_shape(dc_array_geometry(calls[i].from), dc_array_geometry(calls[0].from)))
      return false;
  return true;
}

/* Pushes what the method returns; the arrays are at `arrays`. */
static int push_result(lua_State *L, const dc_lua_comm *h, const request *q, int arrays) {
  if (q->op == DC_COMM_SEND) return 0;
  if (h->ranks) lua_pushvalue(L, arrays + 1);
  else if (q->op == DC_COMM_REDUCE) lua_pushvalue(L, arrays + 2 * q->root + 1);
  else if (is_own_target(q->op)) lua_pushvalue(L, ARRAY);
  else if (q->out) lua_pushvalue(L, q->out);
  else {
    lua_createtable(L, h->n, 0);
    for (int i = 0; i < h->n; i++) {
      lua_pushvalue(L, arrays + 2 * i + 1);
      lua_rawseti(L, -2, i + 1);
    }
  }
  return 1;
}

/* Reads the arguments that are on the stack, with the handle on top, and pushes the arrays: their index, or -1 where
** the call is not one of the usual. */
static inline int read_usual(lua_State *L, dc_lua *self, request *q, dc_comm_call *calls) {
  const dc_lua_comm *h = dc_lua_test(L, self, q->given + 1, DC_LUA_COMM);
  if (!h || h->closed || h->size == 1 || h->n > MOST_PARTS || (!h->ranks && dc_comm_is_message(q->op))) return -1;
  luaL_checkstack(L, 2 * h->n + 24, NULL);
  if (!read_request(L, h, q)) return -1;
  const int arrays = lua_gettop(L) + 1;
  return push_arrays(L, h, q) && read_arrays(L, self, h, q, arrays, calls) && are_alike(calls, h->n) ? arrays : -1;
}

/* Runs the call that is on the stack, with the handle on top, and pushes its results; -1 where it is not one of the
** usual. */
static DC_HOT int run_usual(lua_State *L, dc_lua *self, dc_comm_op op) {
  dc_comm_call calls[MOST_PARTS];
  const int handle = lua_gettop(L);
  request q = { .given = handle - 1, .op = op };
  const int arrays = read_usual(L, self, &q, calls);
  if (arrays < 0) return -1;
  const dc_lua_comm *h = lua_touserdata(L, handle);
  issue(L, self, handle, arrays, calls, h->n);
  return push_result(L, h, &q, arrays);
}

static int end_method(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

/* A method. Upvalues: the state's dc_lua, the operation, "handle", the function in Lua. */
static DC_HOT int call_method(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const int given = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(3));
  if (lua_type(L, 1) == LUA_TTABLE) lua_rawget(L, 1);
  const int results = run_usual(L, self, (dc_comm_op)lua_tointeger(L, lua_upvalueindex(2)));
  if (results >= 0) return results;
  lua_settop(L, given);
  lua_pushvalue(L, lua_upvalueindex(4));
  lua_insert(L, 1);
  lua_callk(L, given, LUA_MULTRET, 0, end_method);
  return lua_gettop(L);
}

/* comm_method(op, fn): the method that runs the operation, and calls fn with all arguments where it cannot. */
static int core_comm_method(lua_State *L) {
  luaL_checkinteger(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushstring(L, "handle");
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, call_method, 4);
  return 1;
}

/* --- prepared operations ------------------------------------------------------------------------------------------ */

/* An operation whose arguments have been read; it has references to its arrays.  Its user values are the handle and,
** for groups, the arrays' objects, two for each call. */
typedef struct prepared {
  dc_lua_comm *h;
  char where[DC_LUA_COMM_LINE]; /* the line that prepared it */
  dc_comm_prepared *kept;       /* the backend's */
  int n;
  dc_comm_call calls[];
} prepared;

static int prepared_gc(lua_State *L) {
  prepared *p = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_PREPARED, "a prepared operation");
  if (p->n > 0) dc_device_release_prepared(p->calls[0].dev, p->kept);
  p->kept = NULL;
  for (int i = 0; i < p->n; i++) {
    dc_array_unref(p->calls[i].from);
    dc_array_unref(p->calls[i].to);
  }
  p->n = 0;
  return 0;
}

static const luaL_Reg prepared_meta[] = { { "__gc", prepared_gc }, { NULL, NULL } };

void dc_lua_open_comm_call(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_PREPARED, "dotcompute.prepared_operation", prepared_meta, NULL);
}

/* Puts its calls into the open group.  The handle is at 1. */
static void queue_prepared(lua_State *L, const prepared *p) {
  const int type = lua_getiuservalue(L, lua_upvalueindex(2), 2); /* 2 */
  if (type != LUA_TTABLE) dc_lua_tampered(L, "a prepared operation");
  for (int i = 0; i < p->n; i++) {
    lua_rawgeti(L, 2, 2 * i + 1);
    lua_rawgeti(L, 2, 2 * i + 2);
    queue(L, 1, 3, &p->calls[i]);
    lua_settop(L, 2);
  }
}

/* Runs a prepared operation.  Upvalues: the state's dc_lua, the operation, its result. */
static DC_HOT int call_prepared(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  prepared *p = dc_lua_test(L, self, lua_upvalueindex(2), DC_LUA_PREPARED);
  dc_error err = DC_ERROR_INIT;
  if (lua_gettop(L) > 0) return dc_lua_fail(L, DC_ARGUMENT, "a prepared operation takes no arguments");
  if (!p || lua_getiuservalue(L, lua_upvalueindex(2), 1) != LUA_TUSERDATA || lua_touserdata(L, 1) != p->h)
    return dc_lua_tampered(L, "a prepared operation");
  if (p->h->closed) return dc_lua_fail(L, DC_ARGUMENT, "the communicator is closed");
  for (int i = 0; i < p->n; i++) /* those of arrays that are not ready stay 0, for dc_array_communicate */
    (void)read_addresses(&p->calls[i], p->calls[i].dtype, p->calls[i].dev);
  if (p->h->grouping) queue_prepared(L, p);
  else if (DC_LUA_WORK(self, run(p->h, p->calls, p->n, &p->kept, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushvalue(L, lua_upvalueindex(3));
  return 1;
}

/* comm_prepare(op, communicator, ...): the function that runs the operation on these arguments, or nothing where they
** are not the usual ones. */
static int core_comm_prepare(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_comm_call calls[MOST_PARTS];
  request q = { .op = (dc_comm_op)luaL_checkinteger(L, 1), .given = lua_gettop(L) - 1 };
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_remove(L, 1);
  lua_pushliteral(L, "handle");
  lua_rawget(L, 1);
  const int arrays = read_usual(L, self, &q, calls);
  if (arrays < 0) return 0;
  dc_lua_comm *h = lua_touserdata(L, q.given + 1);
  const char *where = get_line(L, h);
  lua_pushvalue(L, lua_upvalueindex(1));
  prepared *p = dc_lua_new(L, DC_LUA_PREPARED, sizeof *p + (size_t)h->n * sizeof p->calls[0], 2);
  p->h = h;
  if (where) strcpy(p->where, where);
  lua_pushvalue(L, q.given + 1);
  lua_setiuservalue(L, -2, 1);
  lua_createtable(L, 2 * h->n, 0);
  for (int i = 0; i < h->n; i++) {
    dc_array *src = get_array(L, self, arrays + 2 * i), *dst = get_array(L, self, arrays + 2 * i + 1);
    if (!src || !dst != !calls[i].to) return 0; /* a finalizer has ended it meanwhile */
    p->calls[i] = calls[i];
    p->calls[i].where = where ? p->where : NULL;
    p->calls[i].from = src;
    p->calls[i].to = dst;
    p->n = i + 1;
    dc_array_ref(src);
    if (dst) dc_array_ref(dst);
    for (int k = 1; k <= 2; k++) {
      lua_pushvalue(L, arrays + 2 * i + k - 1);
      lua_rawseti(L, -2, 2 * i + k);
    }
  }
  lua_setiuservalue(L, -2, 2);
  push_result(L, h, &q, arrays);
  lua_pushcclosure(L, call_prepared, 3);
  return 1;
}

const luaL_Reg dc_lua_comm_call_internal[] = {
  { "comm_group", core_comm_group },     { "comm_group_end", core_comm_group_end }, { "comm_run", core_comm_run },
  { "comm_method", core_comm_method },   { "comm_prepare", core_comm_prepare },     { NULL, NULL },
};
