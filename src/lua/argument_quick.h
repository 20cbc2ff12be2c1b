/*
** argument_quick.h - between the files of argument.h: usual values of usual types, put by a few instructions.
**
** Whatever is unusual about a value is left to argument.c and argument_table.c, which tell what is wrong with it.
*/
#ifndef DC_LUA_ARGUMENT_QUICK_H
#define DC_LUA_ARGUMENT_QUICK_H

#include <string.h>

#include "lua/argument.h"

/* Puts the number at idx as a DC_QUICK_F32 or _F64, mostly. */
static inline bool dc_lua_put_float(lua_State *L, uint8_t quick, int idx, char *to) {
  const lua_Number v = lua_tonumber(L, idx);
  if (!(v > -0x1p53 && v < 0x1p53)) return false; /* beyond, integers and infinities take care */
  if (quick == DC_QUICK_F64) memcpy(to, &v, sizeof v);
  else memcpy(to, &(float){ (float)v }, sizeof(float));
  return true;
}

/* The same, where it is a small integer. */
static inline bool dc_lua_put_small(lua_State *L, uint8_t quick, int idx, char *to) {
  if (!lua_isinteger(L, idx)) return false;
  const lua_Integer v = lua_tointeger(L, idx);
  if (v != (int32_t)v) return false;
  if (quick == DC_QUICK_F64) memcpy(to, &(double){ (int32_t)v }, sizeof(double));
  else memcpy(to, &(float){ (float)(int32_t)v }, sizeof(float));
  return true;
}

/* Puts the value at idx as a DC_QUICK_I32 or _I64, mostly. */
static inline bool dc_lua_put_integer(lua_State *L, uint8_t quick, int idx, char *to) {
  if (!lua_isinteger(L, idx)) return false;
  const lua_Integer v = lua_tointeger(L, idx);
  if (quick == DC_QUICK_I64) memcpy(to, &v, sizeof v);
  else if (v == (int32_t)v) memcpy(to, &(int32_t){ (int32_t)v }, sizeof(int32_t));
  else return false;
  return true;
}

/* Puts the usual value of a usual type at base + q->offset, as dc_lua_put_value would; false: leave it to that. */
static inline bool dc_lua_put_quick(lua_State *L, const dc_lua *self, const dc_device *dev, const dc_quick_param *q,
                                    int idx, char *base) {
  char *to = base + q->offset;
  switch (q->quick) {
    case DC_QUICK_I32:
    case DC_QUICK_I64: return dc_lua_put_integer(L, q->quick, idx, to);
    case DC_QUICK_F32:
    case DC_QUICK_F64: return lua_type(L, idx) == LUA_TNUMBER && dc_lua_put_float(L, q->quick, idx, to);
    case DC_QUICK_ARRAY: {
      const dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
      dc_ptr ptr;
      if (!o || !o->a || !dc_array_launch_ready(o->a, dev, (dc_dtype)q->dtype, q->written, &ptr)) return false;
      if ((ptr & q->mask) != 0) return false;
      memcpy(to, &ptr, sizeof ptr);
      return true;
    }
    default: return false;
  }
}

/* Puts a table for a DC_CONV_STRUCT that is as usual: all fields and nothing else, and in them values that are ready.
** False: leave it to dc_lua_put_table.  It needs DC_LUA_FIELDS_STACK slots, and leaves the stack as it was. */
#define DC_LUA_FIELDS_STACK (LUA_MINSTACK - 2) /* what a C function has anyway, beyond its arguments and two values */
bool dc_lua_put_fields(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base);

#endif
