/* linalg.c - see linalg.h. */
#include "lua/linalg.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "array/linalg/fft.h"
#include "array/linalg/matmul.h"
#include "array/linalg/matrix.h"
#include "array/linalg/solvers.h"
#include "array/linalg/sort.h"
#include "array/reduce.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

static void operands(lua_State *L, dc_lua *self, dc_array **a, dc_array **b) {
  dc_array *left = dc_lua_toarray(L, self, 1), *right = dc_lua_toarray(L, self, 2);
  *a = left ? left : dc_lua_checkoperand(L, self, 1, right);
  *b = right ? right : dc_lua_checkoperand(L, self, 2, *a);
}

/* Charges the result, about as large as the operands, to the collector. Operands are on the stack. */
static void account(lua_State *L, dc_lua *self, dc_array *a, dc_array *b) {
  dc_lua_materialize(L, self, a);
  if (b) dc_lua_materialize(L, self, b);
  dc_lua_account(L, self, dc_lua_nbytes(a) + (b ? dc_lua_nbytes(b) : 0));
}

/* --- products -------------------------------------------------------------------------------------- */

/* Bytes of a product: rows of a by columns of b. */
static size_t product_bytes(const dc_array *a, const dc_array *b) {
  const dc_geometry *ga = dc_array_geometry(a), *gb = dc_array_geometry(b);
  const int64_t k = ga->ndim > 0 ? ga->shape[ga->ndim - 1] : 1, n = gb->ndim > 1 ? gb->shape[gb->ndim - 1] : 1;
  size_t bytes;
  if (k <= 0 || __builtin_mul_overflow((size_t)(dc_array_size(a) / k), (size_t)n * 8, &bytes)) return 0;
  return bytes;
}

typedef dc_array *product_fn(dc_array *a, dc_array *b, dc_precision precision, dc_error *err);

static int product(lua_State *L, product_fn *fn) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_array *a, *b;
  dc_error err = DC_ERROR_INIT;
  if (lua_isnoneornil(L, 2)) return dc_lua_expected(L, 2, "an array");
  lua_settop(L, 2);
  operands(L, self, &a, &b);
  dc_lua_materialize(L, self, a);
  dc_lua_materialize(L, self, b);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, product_bytes(a, b));
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, fn(a, b, self->precision, &err)), &err);
}

static int array_matmul(lua_State *L) { return product(L, dc_array_matmul); }
/* With a number on one side it is the product of every element. */
static int array_dot(lua_State *L) {
  dc_lua_at_most(L, 2);
  const dc_lua *self = dc_lua_self(L);
  dc_scalar number;
  for (int i = 1; i <= 2; i++) {
    if (!dc_lua_toscalar(L, i, &number) || !dc_lua_toarray(L, self, 3 - i)) continue;
    lua_settop(L, 2);
    lua_arith(L, LUA_OPMUL);
    return 1;
  }
  return product(L, dc_array_dot);
}

static const char *const precisions[] = { "float32", "tf32", "bfloat16", NULL };

/* precision([name]): how float32 products may be computed from now on; gives what it was. */
static int core_precision(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  const dc_precision before = self->precision;
  if (!lua_isnoneornil(L, 1)) {
    if (lua_type(L, 1) != LUA_TSTRING) return dc_lua_expected(L, 1, "\"float32\", \"tf32\" or \"bfloat16\"");
    int i = 0;
    while (precisions[i] && strcmp(precisions[i], lua_tostring(L, 1)) != 0) i++;
    if (!precisions[i])
      return dc_lua_badarg(L, 1, "there is no precision '%s'; there are float32, tf32 and bfloat16",
                           lua_tostring(L, 1));
    self->precision = (dc_precision)i;
  }
  lua_pushstring(L, precisions[before]);
  return 1;
}

/* --- solvers --------------------------------------------------------------------------------------- */

/* solve(a, b) */
static int matrix_solve(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a, *b;
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 2);
  operands(L, self, &a, &b);
  dc_lua_array *slot = dc_lua_newarray(L);
  account(L, self, a, b);
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_solve(a, b, &err)), &err);
}

typedef dc_array *matrix_fn(dc_array *a, dc_error *err);

static int of_matrix(lua_State *L, matrix_fn *fn) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 1);
  dc_array *a = dc_lua_checkoperand(L, self, 1, NULL);
  dc_lua_array *slot = dc_lua_newarray(L);
  account(L, self, a, NULL);
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, fn(a, &err)), &err);
}

static int matrix_cholesky(lua_State *L) { return of_matrix(L, dc_array_cholesky); }
static int matrix_det(lua_State *L) { return of_matrix(L, dc_array_det); }

/* Fills the closed array objects from stack index `first` on; NULL becomes nil. */
static int give(lua_State *L, int first, dc_array *const *out, int n) {
  for (int i = 0; i < n; i++) {
    dc_lua_array *slot = lua_touserdata(L, first + i);
    slot->a = out[i];
    if (out[i]) continue;
    lua_pushnil(L);
    lua_replace(L, first + i);
  }
  lua_settop(L, first + n - 1);
  return n;
}

/* The operand, and n closed array objects above the arguments, at *first. */
static dc_array *begin(lua_State *L, dc_lua *self, int nargs, int n, int *first) {
  lua_settop(L, nargs);
  dc_array *a = dc_lua_checkoperand(L, self, 1, NULL);
  *first = nargs + 1;
  for (int i = 0; i < n; i++) dc_lua_newarray(L);
  account(L, self, a, NULL);
  return a;
}

/* qr(a, mode): Q or nil, R */
static int matrix_qr(lua_State *L) {
  static const char *const modes[] = { "reduced", "complete", "r", NULL };
  dc_lua *self = dc_lua_self(L);
  dc_array *out[2];
  dc_error err = DC_ERROR_INIT;
  int first, mode = 0;
  if (!lua_isnoneornil(L, 2)) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    while (modes[mode] && strcmp(modes[mode], name) != 0) mode++;
    if (!modes[mode]) return dc_lua_expected(L, 2, "\"reduced\", \"complete\" or \"r\"");
  }
  dc_array *a = begin(L, self, 2, 2, &first);
  if (DC_LUA_WORK(self, dc_array_qr(a, (dc_qr_mode)mode, out, &err)) != 0) return dc_lua_raise(L, &err);
  return give(L, first, out, 2);
}

/* eigh(a, vectors): eigenvalues, vectors or nil */
static int matrix_eigh(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *out[2];
  dc_error err = DC_ERROR_INIT;
  int first;
  dc_array *a = begin(L, self, 2, 2, &first);
  if (DC_LUA_WORK(self, dc_array_eigh(a, lua_toboolean(L, 2), out, &err)) != 0) return dc_lua_raise(L, &err);
  return give(L, first, out, 2);
}

/* svd(a, vectors, full): U, S, Vh; nil for what is not wanted */
static int matrix_svd(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *out[3];
  dc_error err = DC_ERROR_INIT;
  int first;
  dc_array *a = begin(L, self, 3, 3, &first);
  const bool vectors = lua_toboolean(L, 2), full = lua_toboolean(L, 3);
  if (DC_LUA_WORK(self, dc_array_svd(a, full, vectors, out, &err)) != 0) return dc_lua_raise(L, &err);
  return give(L, first, out, 3);
}

/* has_nan(array) */
static int core_has_nan(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  bool yes;
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  if (DC_LUA_WORK(self, dc_array_has_nan(a, &yes, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, yes);
  return 1;
}

/* capturing(array): whether a graph is being captured on its device. */
static int core_capturing(lua_State *L) {
  lua_pushboolean(L, dc_array_device(dc_lua_checkarray(L, dc_lua_self(L), 1))->capture != NULL);
  return 1;
}

/* solver_dtype(name): the dtype that solvers and transforms compute it in. */
static int core_solver_dtype(lua_State *L) {
  lua_pushstring(L, dc_dtype_name(dc_solver_dtype(dc_lua_checkdtype(L, 1))));
  return 1;
}

/* --- transforms ------------------------------------------------------------------------------------ */

/* fourier(a, kind, axes [, n]): kind "forward", "backward", "real", "to real"; axes: a list, from 1, checked before. */
static int core_fourier(lua_State *L) {
  static const char *const kinds[] = { "forward", "backward", "real", "to real", NULL };
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  int axes[DC_MAX_DIMS];
  const int kind = luaL_checkoption(L, 2, NULL, kinds);
  luaL_checktype(L, 3, LUA_TTABLE);
  const lua_Integer naxes = luaL_len(L, 3), n = luaL_optinteger(L, 4, 0);
  lua_settop(L, 4);
  dc_array *a = dc_lua_checkoperand(L, self, 1, NULL);
  for (lua_Integer i = 0; i < naxes && i < DC_MAX_DIMS; i++) {
    lua_rawgeti(L, 3, i + 1);
    axes[i] = (int)luaL_checkinteger(L, -1) - 1;
    luaL_argcheck(L, axes[i] >= 0 && axes[i] < dc_array_geometry(a)->ndim, 3, "no such axis");
    lua_pop(L, 1);
  }
  dc_lua_array *slot = dc_lua_newarray(L);
  account(L, self, a, NULL);
  dc_array *made = DC_LUA_MAKE(self, dc_array_fft(a, (dc_fft_kind)kind, (int)naxes, axes, n, &err));
  return dc_lua_set_array(L, slot, made, &err);
}

/* sort_rows(from, to, descending): whether the device's library has sorted the rows of contiguous `from` into `to`. */
static int core_sort_rows(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *from = dc_lua_checkarray(L, self, 1), *to = dc_lua_checkarray(L, self, 2);
  bool sorted;
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, from);
  dc_lua_materialize(L, self, to);
  if (DC_LUA_WORK(self, dc_array_sort_rows(from, to, lua_toboolean(L, 3), &sorted, &err)) != 0)
    return dc_lua_raise(L, &err);
  lua_pushboolean(L, sorted);
  return 1;
}

#define PRODUCTS { "matmul", array_matmul }, { "dot", array_dot }

const luaL_Reg dc_lua_linalg_core[] = { PRODUCTS, { "precision", core_precision }, { NULL, NULL } };
const luaL_Reg dc_lua_linalg_methods[] = { PRODUCTS, { NULL, NULL } };
const luaL_Reg dc_lua_linalg_internal[] = {
  { "matrix_solve", matrix_solve }, { "matrix_cholesky", matrix_cholesky },   { "matrix_det", matrix_det },
  { "matrix_qr", matrix_qr },       { "matrix_eigh", matrix_eigh },           { "matrix_svd", matrix_svd },
  { "fourier", core_fourier },      { "solver_dtype", core_solver_dtype },
  { "capturing", core_capturing },  { "has_nan", core_has_nan },           { "sort_rows", core_sort_rows },
  { NULL, NULL },
};
