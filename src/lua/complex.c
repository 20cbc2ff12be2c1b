/* complex.c - see complex.h. */
#include "lua/complex.h"

#include <lua.h>

#include "lua/object.h"

typedef struct dc_lua_complex {
  double re, im;
} dc_lua_complex;

void dc_lua_pushcomplex(lua_State *L, double re, double im) {
  dc_lua_complex *z = dc_lua_new(L, DC_LUA_COMPLEX, sizeof *z, 0);
  z->re = re;
  z->im = im;
}

bool dc_lua_tocomplex(lua_State *L, const dc_lua *self, int idx, double *re, double *im) {
  const dc_lua_complex *z = dc_lua_test(L, self, idx, DC_LUA_COMPLEX);
  if (!z) return false;
  *re = z->re;
  *im = z->im;
  return true;
}
