/* complex.c - see complex.h. */
#include "lua/complex.h"

#include <complex.h>
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/graph/op.h"
#include "base/error.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/error.h"
#include "lua/field.h"
#include "lua/object.h"
#include "lua/operators.h"

static double complex make(double re, double im) {
  const double parts[2] = { re, im }; /* C11's CMPLX is not everywhere; the layout is C's own */
  double complex z;
  memcpy(&z, parts, sizeof z);
  return z;
}

/* A complex or real number at idx. */
static bool get(lua_State *L, const dc_lua *self, int idx, double complex *z) {
  double re, im;
  if (dc_lua_tocomplex(L, self, idx, &re, &im)) {
    *z = make(re, im);
    return true;
  }
  if (lua_type(L, idx) != LUA_TNUMBER) return false;
  *z = lua_tonumber(L, idx);
  return true;
}

static double complex check(lua_State *L, int idx) {
  double complex z = 0;
  if (!get(L, dc_lua_self(L), idx, &z)) dc_lua_expected(L, idx, "a complex number");
  return z;
}

static int push(lua_State *L, double complex z) {
  dc_lua_pushcomplex(L, creal(z), cimag(z));
  return 1;
}

/* complex(re [, im]): a number of numbers, an array where one part is an array or a table. */
static int core_complex(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  bool numbers = true;
  dc_lua_at_most(L, 2);
  if (lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    lua_pushinteger(L, 0);
  }
  for (int i = 1; i <= 2; i++) {
    if (lua_type(L, i) == LUA_TNUMBER) continue;
    if (!lua_istable(L, i) && !dc_lua_toarray(L, self, i)) return dc_lua_expected(L, i, "a number or an array");
    numbers = false;
  }
  if (!numbers) return dc_lua_apply(L, DC_OP_PARTS);
  dc_lua_pushcomplex(L, lua_tonumber(L, 1), lua_tonumber(L, 2));
  return 1;
}

/* Both operands; false when one is no number: then the operator's result for arrays is pushed. */
static bool operands(lua_State *L, dc_op op, double complex *a, double complex *b) {
  const dc_lua *self = dc_lua_self(L);
  if (get(L, self, 1, a) && get(L, self, 2, b)) return true;
  dc_lua_apply(L, op);
  return false;
}

/* The formulas are those of arrays (numbers.cu, complex.cu), so that numbers give the same as elements: products and
** quotients of infinities are NaN where C's annex G, and C's operators, have infinities. */
static double complex add(double complex a, double complex b) { return a + b; }
static double complex sub(double complex a, double complex b) { return a - b; }

static double complex mul(double complex a, double complex b) {
  return make(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* By the smaller part's share in the larger one (Smith 1962). */
static double complex quotient(double complex a, double complex b) {
  const double x = creal(b), y = cimag(b);
  if (fabs(x) >= fabs(y)) {
    if (x == 0 && y == 0) return make(creal(a) / x, cimag(a) / x);
    const double q = y / x, d = x + y * q;
    return make((creal(a) + cimag(a) * q) / d, (cimag(a) - creal(a) * q) / d);
  }
  const double q = x / y, d = x * q + y;
  return make((creal(a) * q + cimag(a)) / d, (cimag(a) * q - creal(a)) / d);
}

/* Of a finite number that is not 0. */
static double complex reciprocal(double complex a) {
  const double x = creal(a), y = cimag(a);
  const bool flat = fabs(x) >= fabs(y);
  const double q = flat ? y / x : x / y, d = flat ? x + y * q : x * q + y;
  return make((flat ? 1 : q) / d, -(flat ? q : 1) / d);
}

/* x^0 is 1, powers by integers are products, and those of 0 do not come from its logarithm. */
static double complex power(double complex a, double complex b) {
  if (b == 0) return 1;
  if (a == 0) {
    const double infinite = 1 / fabs(creal(a)), nan = infinite - infinite;
    return creal(b) > 0 ? 0 : make(creal(b) < 0 ? infinite : nan, nan);
  }
  if (cimag(b) == 0 && fabs(creal(b)) <= 64 && creal(b) == rint(creal(b))) {
    const int n = (int)fabs(creal(b));
    double complex p = n & 1 ? a : 1, square = a;
    for (int k = n >> 1; k > 0; k >>= 1) {
      square = mul(square, square);
      if (k & 1) p = mul(p, square);
    }
    if (creal(b) < 0) p = reciprocal(p);
    if (isfinite(creal(p)) && isfinite(cimag(p)) && p != 0) return p;
  }
  const double complex l = clog(a);
  return cexp(cimag(b) == 0 ? make(creal(b) * creal(l), creal(b) * cimag(l)) : mul(b, l));
}

#define OPERATOR(name, op, fn)                                    \
  static int complex_##name(lua_State *L) {                       \
    double complex a, b;                                          \
    return operands(L, op, &a, &b) ? push(L, fn(a, b)) : 1;       \
  }
OPERATOR(add, DC_OP_ADD, add)
OPERATOR(sub, DC_OP_SUB, sub)
OPERATOR(mul, DC_OP_MUL, mul)
OPERATOR(div, DC_OP_DIV, quotient)
OPERATOR(pow, DC_OP_POWER, power)
#undef OPERATOR

static int complex_unm(lua_State *L) { return push(L, -check(L, 1)); }
static int complex_conj(lua_State *L) {
  dc_lua_at_most(L, 1);
  return push(L, conj(check(L, 1)));
}

static int complex_abs(lua_State *L) {
  dc_lua_at_most(L, 1);
  lua_pushnumber(L, cabs(check(L, 1)));
  return 1;
}

static int complex_angle(lua_State *L) {
  dc_lua_at_most(L, 1);
  lua_pushnumber(L, carg(check(L, 1)));
  return 1;
}

static int complex_eq(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  double complex a, b;
  lua_pushboolean(L, get(L, self, 1, &a) && get(L, self, 2, &b) && a == b);
  return 1;
}

static int complex_tostring(lua_State *L) {
  const double complex z = check(L, 1);
  char text[80];
  snprintf(text, sizeof text, "%.14g%+.14gi", creal(z), cimag(z));
  lua_pushstring(L, text);
  return 1;
}

static int complex_index(lua_State *L) {
  static const char *const fields[] = { "re", "im", NULL };
  const double complex z = check(L, 1);
  if (dc_lua_method(L, DC_LUA_COMPLEX) != LUA_TNIL) return 1;
  const bool imaginary = dc_lua_check_field(L, "a complex number", DC_LUA_COMPLEX, fields) == 1;
  lua_pushnumber(L, imaginary ? cimag(z) : creal(z));
  return 1;
}

static int complex_newindex(lua_State *L) {
  return dc_lua_fail(L, DC_INDEX, "a complex number cannot be changed; make another: dc.complex(re, im)");
}

static const luaL_Reg complex_meta[] = {
  { "__add", complex_add },     { "__sub", complex_sub }, { "__mul", complex_mul },           { "__div", complex_div },
  { "__pow", complex_pow },     { "__unm", complex_unm }, { "__eq", complex_eq },
  { "__index", complex_index }, { "__tostring", complex_tostring }, { "__newindex", complex_newindex }, { NULL, NULL },
};

static const luaL_Reg complex_methods[] = {
  { "abs", complex_abs }, { "angle", complex_angle }, { "conj", complex_conj }, { NULL, NULL },
};

const luaL_Reg dc_lua_complex_core[] = { { "complex", core_complex }, { NULL, NULL } };

void dc_lua_open_complex(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_COMPLEX, "dotcompute.complex", complex_meta, complex_methods);
}
