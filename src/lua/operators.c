/*
** operators.c - arithmetic and elementary functions on arrays: lazy expressions, made here and computed
** when needed.
**
** Every operator goes through one gate, which turns a number, a table or an array into an operand.
*/
#include "lua/lib.h"

/* An array operand at idx: an array itself, or an array made from a number, boolean or table (`like`
** gives its dtype and device, or is NULL) and put in place of it on the stack. */
static dc_array *operand(lua_State *L, dc_lua *self, int idx, const dc_array *like) {
  dc_array *a = dc_lua_toarray(L, self, idx);
  if (a) return a;
  dc_device *dev = like ? dc_array_device(like) : dc_lua_current(L, self);
  dc_dtype dtype = like ? dc_array_dtype(like) : DC_DTYPE_NONE;
  if (lua_istable(L, idx)) {
    a = dc_lua_fromtable(L, self, dev, idx, dtype);
  } else {
    dc_error err = DC_ERROR_INIT;
    unsigned char element[8];
    bool given = dtype != DC_DTYPE_NONE;
    if (!given) dtype = lua_isboolean(L, idx) ? DC_BOOL : DC_FLOAT32;
    if (lua_type(L, idx) != LUA_TNUMBER && lua_type(L, idx) != LUA_TBOOLEAN)
      dc_lua_fail(L, DC_ARGUMENT, "an array, a table or a number expected, got %s", dc_lua_describe(L, idx));
    if (dc_lua_element(L, idx, dtype, given, element, &err) != 0) dc_lua_raise(L, &err);
    dc_lua_array *slot = dc_lua_newarray(L);
    dc_lua_made(L, slot, dc_array_from_host(dev, dtype, 0, NULL, element, &err), &err);
    a = slot->a;
  }
  lua_replace(L, idx);
  return a;
}

/* --- binary -------------------------------------------------------------------------------------- */

/* One side of a binary operator: an array, or a scalar with the array NULL. */
typedef struct side {
  dc_array *a;
  dc_scalar s;
} side;

static void read_side(lua_State *L, dc_lua *self, int idx, const dc_array *other, const char *sign, side *out) {
  out->a = NULL;
  if (dc_lua_toscalar(L, idx, &out->s)) return;
  out->a = dc_lua_toarray(L, self, idx);
  if (!out->a && lua_istable(L, idx)) out->a = operand(L, self, idx, other);
  if (!out->a)
    dc_lua_fail(L, DC_ARGUMENT, "operator '%s' takes arrays, tables and numbers, got %s", sign,
                dc_lua_describe(L, idx));
}

/* Arguments 1 and 2, at least one of them an array. Pushes the result. */
static int binary(lua_State *L, dc_op op, const char *sign) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  side l, r;
  lua_settop(L, 2);
  dc_array *left = dc_lua_toarray(L, self, 1), *right = dc_lua_toarray(L, self, 2);
  read_side(L, self, 1, right, sign, &l);
  read_side(L, self, 2, left, sign, &r);
  if (!l.a && !r.a) dc_lua_fail(L, DC_ARGUMENT, "operator '%s' needs an array", sign);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_made(L, slot, DC_LUA_MAKE(self, dc_array_binary(op, l.a, &l.s, r.a, &r.s, &err)), &err);
}

static int array_add(lua_State *L) { return binary(L, DC_OP_ADD, "+"); }
static int array_sub(lua_State *L) { return binary(L, DC_OP_SUB, "-"); }
static int array_mul(lua_State *L) { return binary(L, DC_OP_MUL, "*"); }
static int array_div(lua_State *L) { return binary(L, DC_OP_DIV, "/"); }

/* --- unary --------------------------------------------------------------------------------------- */

/* A symbolic value of dc.vectorize: its own function of that name makes a node of it. */
static int unary_symbolic(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_pushvalue(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

static int unary(lua_State *L, dc_op op, const char *name) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  if (lua_isnoneornil(L, 1)) return dc_lua_expected(L, 1, "an array");
  if (lua_istable(L, 1) && luaL_getmetafield(L, 1, "__symbolic") != LUA_TNIL) return unary_symbolic(L, name);
  dc_array *a = operand(L, self, 1, NULL);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_made(L, slot, DC_LUA_MAKE(self, dc_array_unary(op, a, &err)), &err);
}

static int array_unm(lua_State *L) { return unary(L, DC_OP_NEG, "unm"); }
static int array_sqrt(lua_State *L) { return unary(L, DC_OP_SQRT, "sqrt"); }
static int array_exp(lua_State *L) { return unary(L, DC_OP_EXP, "exp"); }
static int array_log(lua_State *L) { return unary(L, DC_OP_LOG, "log"); }
static int array_sin(lua_State *L) { return unary(L, DC_OP_SIN, "sin"); }
static int array_cos(lua_State *L) { return unary(L, DC_OP_COS, "cos"); }
static int array_abs(lua_State *L) { return unary(L, DC_OP_ABS, "abs"); }

/* --- reductions ---------------------------------------------------------------------------------- */

static int reduce(lua_State *L, dc_reduce op) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  if (!lua_isnoneornil(L, 2))
    return dc_lua_badarg(L, 2, "reductions along an axis are not supported by this version; got %s",
                         dc_lua_describe(L, 2));
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_made(L, slot, DC_LUA_MAKE(self, dc_array_reduce(op, a, &err)), &err);
}

static int array_sum(lua_State *L) { return reduce(L, DC_REDUCE_SUM); }
static int array_min(lua_State *L) { return reduce(L, DC_REDUCE_MIN); }
static int array_max(lua_State *L) { return reduce(L, DC_REDUCE_MAX); }

/* --- comparisons to one boolean ------------------------------------------------------------------ */

/* Puts a Lua value in place of the one-element array at idx. */
static void compare_operand(lua_State *L, dc_lua *self, int idx) {
  dc_scalar s;
  dc_error err = DC_ERROR_INIT;
  if (lua_type(L, idx) == LUA_TNUMBER) return;
  dc_array *a = dc_lua_toarray(L, self, idx);
  if (!a)
    dc_lua_fail(L, DC_ARGUMENT, "'<' compares arrays of one element and numbers, got %s", dc_lua_describe(L, idx));
  if (dc_array_size(a) != 1)
    dc_lua_fail(L, DC_SHAPE,
                "'<' and '<=' compare arrays of one element, this one has %lld; Lua makes one boolean of them",
                (long long)dc_array_size(a));
  if (dc_array_dtype(a) == DC_BOOL) dc_lua_fail(L, DC_DTYPE, "bool arrays have no order");
  dc_lua_settle(L, self, a);
  if (DC_LUA_WORK(self, dc_array_get(a, &s, &err)) != 0) dc_lua_raise(L, &err);
  if (dc_array_dtype(a) == DC_UINT64 && s.kind == DC_SCALAR_INT && s.i < 0)
    lua_pushnumber(L, (lua_Number)(uint64_t)s.i); /* above 2^63: a float keeps the order against what Lua holds */
  else dc_lua_pushscalar(L, &s);
  lua_replace(L, idx);
}

static int compare(lua_State *L, int op) {
  dc_lua *self = dc_lua_self(L);
  compare_operand(L, self, 1);
  compare_operand(L, self, 2);
  lua_pushboolean(L, lua_compare(L, 1, 2, op));
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

/* allclose(a, b [, rtol [, atol]]): |a - b| <= atol + rtol * |b| everywhere. */
static int core_allclose(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a, *b;
  dc_error err = DC_ERROR_INIT;
  bool result;
  const double rtol = tolerance(L, 3, 1e-5), atol = tolerance(L, 4, 1e-8);
  check_pair(L, self, &a, &b);
  if (DC_LUA_WORK(self, dc_array_allclose(a, b, rtol, atol, &result, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, result);
  return 1;
}

static int core_equal(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a, *b;
  dc_error err = DC_ERROR_INIT;
  bool result;
  check_pair(L, self, &a, &b);
  if (DC_LUA_WORK(self, dc_array_equal(a, b, &result, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, result);
  return 1;
}

#define ELEMENTARY                                                                               \
  { "sqrt", array_sqrt }, { "exp", array_exp }, { "log", array_log }, { "sin", array_sin },      \
      { "cos", array_cos }, { "abs", array_abs }

const luaL_Reg dc_lua_operators_core[] = {
  ELEMENTARY, { "allclose", core_allclose }, { "equal", core_equal }, { NULL, NULL },
};

const luaL_Reg dc_lua_operators_methods[] = {
  ELEMENTARY, { "sum", array_sum }, { "min", array_min }, { "max", array_max }, { NULL, NULL },
};

const luaL_Reg dc_lua_operators_meta[] = {
  { "__add", array_add }, { "__sub", array_sub }, { "__mul", array_mul }, { "__div", array_div },
  { "__unm", array_unm }, { "__lt", array_lt },   { "__le", array_le },   { NULL, NULL },
};
