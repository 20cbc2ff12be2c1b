/*
** operators.c - see operators.h.
**
** All operators and functions are dc_lua_apply, which reads its operands from numbers, tables and arrays.
*/
#include "lua/operators.h"

#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <string.h>

#include "array/array.h"
#include "array/codegen/device_text.h"
#include "array/codegen/prelude.h"
#include "array/copy.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/operators.h"
#include "array/reduce.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/named.h"
#include "lua/object.h"

/* An array operand at idx: an array itself, or an array made from a number, boolean or table (`like`
** gives its device, or is NULL; DC_DTYPE_NONE: that of its values) and put in place of it on the stack. */
static DC_HOT dc_array *operand_as(lua_State *L, dc_lua *self, int idx, const dc_array *like, dc_dtype dtype) {
  dc_array *a = dc_lua_toarray(L, self, idx);
  if (a) return a;
  dc_device *dev = like ? dc_array_device(like) : dc_lua_current(L, self);
  if (lua_istable(L, idx)) {
    a = dc_lua_fromtable(L, self, dev, idx, dtype);
  } else {
    dc_error err = DC_ERROR_INIT;
    unsigned char element[16];
    dc_scalar value;
    bool given = dtype != DC_DTYPE_NONE;
    if (!dc_lua_toscalar(L, idx, &value))
      dc_lua_fail(L, DC_ARGUMENT, "an array, a table or a number expected, got %s", dc_lua_describe(L, idx));
    if (!given) dtype = dc_lua_value_dtype(&value);
    if (dc_lua_element(L, idx, dtype, given, element, &err) != 0) dc_lua_raise(L, &err);
    dc_lua_array *slot = dc_lua_newarray(L);
    dc_lua_set_array(L, slot, dc_array_from_host(dev, dtype, 0, NULL, element, &err), &err);
    a = slot->a;
  }
  lua_replace(L, idx);
  return a;
}

/* The same in the dtype of `like`. */
static dc_array *operand(lua_State *L, dc_lua *self, int idx, const dc_array *like) {
  return operand_as(L, self, idx, like, like ? dc_array_dtype(like) : DC_DTYPE_NONE);
}

/* --- operators and functions ----------------------------------------------------- */

static int fail_operand(lua_State *L, dc_op op, int idx) {
  if (!dc_op_is_function(op))
    return dc_lua_fail(L, DC_ARGUMENT, "operator '%s' takes arrays, tables and numbers, got %s", dc_ops[op].name,
                       dc_lua_describe(L, idx));
  return dc_lua_expected(L, idx, "an array, a table or a number");
}

/* Calls the function on the stack's top with the operator's name and all arguments: it makes a node of them. */
static void call_symbolic(lua_State *L, const char *name) {
  lua_insert(L, 1);
  lua_pushstring(L, name);
  lua_insert(L, 2);
  lua_call(L, lua_gettop(L) - 1, 1);
}

bool dc_lua_apply_symbolic(lua_State *L, const dc_lua *self, const char *name) {
  const int n = lua_gettop(L);
  bool numbers = self->tracing > 0;
  for (int i = 1; i <= n; i++) {
    if (lua_istable(L, i) && luaL_getmetafield(L, i, "__symbolic") != LUA_TNIL) {
      call_symbolic(L, name);
      return true;
    }
    numbers = numbers && lua_type(L, i) != LUA_TUSERDATA;
  }
  if (!numbers || n == 0) return false;
  dc_lua_push_lua(L, "dotcompute.symbolic", "apply");
  call_symbolic(L, name);
  return true;
}

/* The operands on the stack: arrays, numbers, and tables, of which arrays are made in the dtype of the first array (of
** orders and exponents, which are integers: int32). */
typedef struct operands {
  dc_array *arg[DC_MAX_ARGS];
  dc_scalar scalar[DC_MAX_ARGS];
} operands;

static DC_HOT void read_operands(lua_State *L, dc_lua *self, dc_op op, operands *o) {
  const int n = dc_ops[op].nargs, whole = dc_op_whole_operand(op);
  const dc_array *like = NULL;
  for (int i = 0; i < n; i++) {
    o->arg[i] = dc_lua_toarray(L, self, i + 1);
    if (o->arg[i] && !like && i != whole) like = o->arg[i];
  }
  for (int i = 0; i < n; i++) {
    if (o->arg[i] || dc_lua_toscalar(L, i + 1, &o->scalar[i])) continue;
    if (!lua_istable(L, i + 1)) fail_operand(L, op, i + 1);
    o->arg[i] = i == whole ? operand_as(L, self, i + 1, like, DC_INT32) : operand(L, self, i + 1, like);
    if (!like && i != whole) like = o->arg[i];
  }
  const int first = whole == 0 ? 1 : 0;
  if (!like && (whole < 0 || !o->arg[whole])) /* numbers alone: the result is an array all the same */
    o->arg[first] = operand(L, self, first + 1, NULL);
}

/* The fast path: open arrays and numbers alone, at least one array. */
static inline bool read_fast(lua_State *L, const dc_lua *self, int n, operands *o) {
  bool any = false;
  for (int i = 0; i < n; i++) {
    const dc_lua_array *object = dc_lua_test(L, self, i + 1, DC_LUA_ARRAY);
    o->arg[i] = object ? object->a : NULL;
    if (object && (!object->a || dc_array_state_of(object->a) == DC_ARRAY_CLOSED)) return false;
    if (!object && (lua_type(L, i + 1) != LUA_TNUMBER || !dc_lua_toscalar(L, i + 1, &o->scalar[i]))) return false;
    any = any || object;
  }
  return any;
}

/* All other cases. True: the result is on top already. */
static DC_COLD bool read_slow(lua_State *L, dc_lua *self, dc_op op, operands *o) {
  const int n = dc_ops[op].nargs;
  if (dc_lua_apply_symbolic(L, self, dc_ops[op].name)) return true;
  if (dc_op_is_function(op)) {
    const int receiver = dc_lua_count_receiver(L), takes = n - receiver;
    if (lua_gettop(L) > n)
      dc_lua_fail_count(L, dc_ops[op].name, lua_gettop(L) - receiver, "%d argument%s", takes, takes == 1 ? "" : "s");
    if (lua_gettop(L) < n) fail_operand(L, op, lua_gettop(L) + 1);
  }
  lua_settop(L, n);
  read_operands(L, self, op, o);
  return false;
}

DC_HOT int dc_lua_apply(lua_State *L, dc_op op) {
  const int n = dc_ops[op].nargs;
  dc_lua *self = dc_lua_active.self; /* the state's, if an array that is its own is among the operands */
  operands o;
  if (lua_gettop(L) == n && read_fast(L, self, n, &o)) {
    dc_lua_active.L = L;
  } else {
    self = dc_lua_self(L);
    if (read_slow(L, self, op, &o)) return 1;
  }
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray_of(L, self); /* C functions have room beyond their arguments */
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_apply(op, o.arg, o.scalar, &err)), &err);
}

/* One C function for each operator: cheaper than an upvalue with its number. */
#define APPLY(id, name, n, rule, flags) \
  static int apply_##id(lua_State *L) { return dc_lua_apply(L, DC_OP_##id); }
DC_ALL_OPS(APPLY)
#undef APPLY
static const lua_CFunction apply[DC_NOPS] = {
#define APPLY(id, name, n, rule, flags) [DC_OP_##id] = apply_##id,
  DC_ALL_OPS(APPLY)
#undef APPLY
};

/* Lua gives the operand of a unary operator twice. */
static int array_unm(lua_State *L) {
  lua_settop(L, 1);
  return dc_lua_apply(L, DC_OP_NEG);
}
static int array_bnot(lua_State *L) {
  lua_settop(L, 1);
  return dc_lua_apply(L, DC_OP_NOT);
}

void dc_lua_set_functions(lua_State *L, int self, const char *type) {
  for (dc_op op = 0; op < DC_NOPS; op++) {
    if (!dc_op_is_function(op)) continue;
    lua_pushvalue(L, self);
    if (type) lua_pushstring(L, type);
    lua_pushcclosure(L, apply[op], type ? 2 : 1);
    lua_setfield(L, -2, dc_ops[op].name);
  }
}

/* functions(): of each function by its name {rule =, count = of operands, call = it is one of the compiler's}. */
static int core_functions(lua_State *L) {
  static const char *const rules[] = {
    [DC_RULE_KEEP] = "keep", [DC_RULE_FLOAT] = "float", [DC_RULE_TEST] = "test", [DC_RULE_SCALE] = "scale",
    [DC_RULE_INTERNAL] = NULL,
  };
  lua_newtable(L); /* the result */
  for (dc_op op = 0; op < DC_NOPS; op++) {
    if (!dc_op_is_function(op)) continue;
    lua_createtable(L, 0, 3); /* result, entry */
    lua_pushstring(L, rules[dc_ops[op].rule]); /* nil for others */
    lua_setfield(L, -2, "rule");
    dc_lua_set_integer(L, "count", dc_ops[op].nargs);
    dc_lua_set_boolean(L, "call", dc_ops[op].flags & DC_OP_CALL);
    lua_setfield(L, -2, dc_ops[op].name);
  }
  return 1;
}

/* device_text(name): the text of a device function of array kernels, "random/philox"; nil where there is none. */
static int core_device_text(lua_State *L) {
  size_t len = 0;
  const char *text = dc_device_text(luaL_checkstring(L, 1), &len);
  if (text != NULL) lua_pushlstring(L, text, len);
  else lua_pushnil(L);
  return 1;
}

/* complex_text([name]): CUDA C of complex numbers, c64 and c128, and with a name that of a function, c_sqrt for "sqrt",
** with those that it needs; nil where there is none. Each may stand in a source several times. */
static int core_complex_text(lua_State *L) {
  dc_buf b = DC_BUF_INIT;
  const char *name = luaL_optstring(L, 1, NULL);
  if (name == NULL) dc_emit_complex(&b);
  else if (!dc_emit_complex_function(&b, name)) return 0;
  char *text = dc_lua_scratch(L, b.len + 1);
  const size_t len = b.len;
  memcpy(text, dc_buf_str(&b), len);
  dc_buf_free(&b);
  lua_pushlstring(L, text, len);
  return 1;
}

/* cast(a, dtype): converted; a itself when it is so already. */
static int core_cast(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  if (dc_lua_apply_symbolic(L, self, "cast")) return 1;
  const dc_dtype dtype = dc_lua_checkdtype(L, 2);
  lua_settop(L, 2);
  dc_array *a = dc_lua_toarray(L, self, 1);
  if (a && dc_array_dtype(a) == dtype) {
    lua_settop(L, 1);
    return 1;
  }
  if (!a) a = operand(L, self, 1, NULL);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_cast(a, dtype, &err)), &err);
}

/* --- comparisons to one boolean ------------------------------------------------------------------ */

/* Puts a Lua value in place of the one-element array at idx; whether it is an array of uint64. */
static bool compare_operand(lua_State *L, dc_lua *self, int idx) {
  dc_scalar s;
  dc_error err = DC_ERROR_INIT;
  if (lua_type(L, idx) == LUA_TNUMBER) return false;
  dc_array *a = dc_lua_toarray(L, self, idx);
  if (a && dc_dtype_kind(dc_array_dtype(a)) == 'c') dc_lua_fail(L, DC_DTYPE, "complex numbers have no order");
  if (!a)
    dc_lua_fail(L, DC_ARGUMENT, "'<' compares arrays of one element and numbers, got %s", dc_lua_describe(L, idx));
  if (dc_array_size(a) != 1)
    dc_lua_fail(L, DC_SHAPE,
                "'<', '<=', '>' and '>=' compare arrays of one element, this one has %lld, and Lua makes one boolean "
                "of them; a:lt(b), a:le(b), a:gt(b) and a:ge(b) compare element by element",
                (long long)dc_array_size(a));
  if (dc_array_dtype(a) == DC_BOOL) dc_lua_fail(L, DC_DTYPE, "bool arrays have no order");
  dc_lua_materialize(L, self, a);
  if (DC_LUA_WORK(self, dc_array_get(a, &s, &err)) != 0) dc_lua_raise(L, &err);
  const bool natural = dc_array_dtype(a) == DC_UINT64;
  dc_lua_pushscalar(L, &s);
  lua_replace(L, idx);
  return natural;
}

/* The order of an unsigned integer and a float: -1, 0, 1; 2 where there is none. */
static int order_of(uint64_t u, double f) {
  if (isnan(f)) return 2;
  if (f < 0 || f >= 0x1p64) return f < 0 ? 1 : -1;
  const uint64_t below = (uint64_t)f;
  return u != below ? (u < below ? -1 : 1) : f > (double)below ? -1 : 0;
}

/* The order of the values at 1 and 2, of which one at least is of uint64 (`natural`).  A Lua integer beside it is its
** 64 bits, an element of a signed array is not. */
static int natural_order(lua_State *L, const bool natural[2], const bool element[2]) {
  const uint64_t u[2] = { (uint64_t)lua_tointeger(L, 1), (uint64_t)lua_tointeger(L, 2) };
  for (int i = 0; i < 2; i++) {
    const int at = i + 1, sign = i == 0 ? 1 : -1; /* the other one decides; order_of has it second */
    if (!lua_isinteger(L, at)) {
      const int order = order_of(u[1 - i], lua_tonumber(L, at));
      return order == 2 ? 2 : -sign * order;
    }
    if (!natural[i] && element[i] && lua_tointeger(L, at) < 0) return -sign;
  }
  return (u[0] > u[1]) - (u[0] < u[1]);
}

static int compare(lua_State *L, int op) {
  dc_lua *self = dc_lua_self(L);
  const bool element[2] = { lua_type(L, 1) != LUA_TNUMBER, lua_type(L, 2) != LUA_TNUMBER };
  const bool first = compare_operand(L, self, 1), second = compare_operand(L, self, 2);
  if (!first && !second) {
    lua_pushboolean(L, lua_compare(L, 1, 2, op));
  } else {
    const int order = natural_order(L, (const bool[]){ first, second }, element);
    lua_pushboolean(L, order == -1 || (op == LUA_OPLE && order == 0));
  }
  return 1;
}

static int array_lt(lua_State *L) { return compare(L, LUA_OPLT); }
static int array_le(lua_State *L) { return compare(L, LUA_OPLE); }

/* Arguments 1 and 2 as arrays; tables and numbers take the dtype of the other. */
static void check_pair(lua_State *L, dc_lua *self, dc_array **a, dc_array **b) {
  if (lua_isnoneornil(L, 1)) dc_lua_expected(L, 1, "an array");
  if (lua_isnoneornil(L, 2)) dc_lua_expected(L, 2, "an array");
  dc_array *left = dc_lua_toarray(L, self, 1), *right = dc_lua_toarray(L, self, 2);
  *a = left ? left : operand(L, self, 1, right);
  *b = right ? right : operand(L, self, 2, *a);
}

static double tolerance(lua_State *L, int arg, double fallback) {
  if (lua_isnoneornil(L, arg)) return fallback;
  if (lua_type(L, arg) != LUA_TNUMBER) dc_lua_expected(L, arg, "a number");
  return lua_tonumber(L, arg);
}

/* allclose(a, b [, rtol [, atol]] [, options]): |a - b| <= atol + rtol * |b| everywhere. */
static int core_allclose(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a, *b;
  dc_error err = DC_ERROR_INIT;
  bool result;
  static const dc_lua_option options[] = {
    { "rtol", DC_LUA_NUMBER, 3 }, { "atol", DC_LUA_NUMBER, 4 }, { NULL, DC_LUA_ANY, 0 }
  };
  dc_lua_take_options(L, 3, 4, options);
  const double rtol = tolerance(L, 3, 1e-5), atol = tolerance(L, 4, 1e-8);
  check_pair(L, self, &a, &b);
  if (DC_LUA_WORK(self, dc_array_allclose(a, b, rtol, atol, &result, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, result);
  return 1;
}

static int core_equal(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_array *a, *b;
  dc_error err = DC_ERROR_INIT;
  bool result;
  check_pair(L, self, &a, &b);
  if (DC_LUA_WORK(self, dc_array_equal(a, b, &result, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, result);
  return 1;
}

const luaL_Reg dc_lua_operators_core[] = {
  { "allclose", core_allclose }, { "equal", core_equal }, { "cast", core_cast },
  { NULL, NULL },
};

const luaL_Reg dc_lua_operators_internal[] = {
  { "functions", core_functions }, { "device_text", core_device_text }, { "complex_text", core_complex_text },
  { NULL, NULL },
};

const luaL_Reg dc_lua_operators_methods[] = { { "cast", core_cast }, { NULL, NULL } };

const luaL_Reg dc_lua_operators_meta[] = {
  { "__add", apply_ADD }, { "__sub", apply_SUB }, { "__mul", apply_MUL },   { "__div", apply_DIV },
  { "__idiv", apply_FLOORDIV }, { "__mod", apply_MOD }, { "__pow", apply_POWER }, { "__band", apply_AND },
  { "__bor", apply_OR }, { "__bxor", apply_XOR }, { "__shl", apply_SHL }, { "__shr", apply_SHR },
  { "__unm", array_unm }, { "__bnot", array_bnot }, { "__lt", array_lt },   { "__le", array_le },
  { NULL, NULL },
};
