/*
** argument_quick.h - between the files of argument.h: usual values of usual types, put by a few instructions.
**
** Whatever is unusual about a value is left to argument.c and argument_table.c, which tell what is wrong with it.
*/
#ifndef DC_LUA_ARGUMENT_QUICK_H
#define DC_LUA_ARGUMENT_QUICK_H

#include <string.h>

#include "lua/argument.h"

/* Puts a number as a DC_QUICK_F32 or _F64, mostly. */
static inline bool dc_lua_put_float(uint8_t quick, lua_Number v, char *to) {
  if (DC_UNLIKELY(!(v > -0x1p53 && v < 0x1p53))) return false; /* beyond, integers and infinities take care */
  if (quick == DC_QUICK_F64) memcpy(to, &v, sizeof v);
  else memcpy(to, &(float){ (float)v }, sizeof(float));
  return true;
}

/* Puts an integer as a DC_QUICK_I32 or _I64, mostly. */
static inline bool dc_lua_put_integer(uint8_t quick, lua_Integer v, char *to) {
  if (quick == DC_QUICK_I64) memcpy(to, &v, sizeof v);
  else if (v == (int32_t)v) memcpy(to, &(int32_t){ (int32_t)v }, sizeof(int32_t));
  else return false;
  return true;
}

/* Puts the usual number of a usual type at base + q->offset, as dc_lua_put_value would; false: leave it to that.  What
** is known of the parameter is looked at again after a call, which costs less than to keep it. */
static inline bool dc_lua_put_number(lua_State *L, const dc_quick_param *q, int idx, char *base) {
  switch (q->quick) {
    case DC_QUICK_I32:
    case DC_QUICK_I64:
      if (DC_UNLIKELY(!lua_isinteger(L, idx))) return false;
      const lua_Integer i = lua_tointeger(L, idx);
      return dc_lua_put_integer(q->quick, i, base + q->offset);
    case DC_QUICK_F32:
    case DC_QUICK_F64:
      if (DC_UNLIKELY(lua_type(L, idx) != LUA_TNUMBER)) return false;
      const lua_Number f = lua_tonumber(L, idx);
      return dc_lua_put_float(q->quick, f, base + q->offset);
    default: return false;
  }
}

/* The same for arrays too. */
static inline bool dc_lua_put_quick(lua_State *L, const dc_lua *self, const dc_device *dev, const dc_quick_param *q,
                                    int idx, char *base) {
  if (q->quick != DC_QUICK_ARRAY) return dc_lua_put_number(L, q, idx, base);
  const dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  const dc_ptr ptr = o && o->a ? dc_array_launch_ready(o->a, dev, (dc_dtype)q->dtype, q->written) : 0;
  if (DC_UNLIKELY(ptr == 0 || (ptr & q->mask) != 0)) return false;
  memcpy(base + q->offset, &ptr, sizeof ptr);
  return true;
}

/* Whether a launch may reach memory that its arguments do not show, by their types. */
static inline bool dc_lua_may_lead(const dc_lua *self, const dc_lua_arguments *how) {
  return how->opaque || (how->wide && self->highest_read != 0);
}

/* dc_lua_put_arguments from argument `i` on, which is none of the usual, or all are and some may lead anywhere. */
bool dc_lua_put_rest(lua_State *L, dc_lua *self, const dc_kernel *k, const dc_lua_arguments *how, int i, int first,
                     int got, char *params);

/* Checks and converts all arguments, which are the `got` values from the stack index `first` to the top, into `params`
** (aligned to 16, DC_LUA_PARAMS_MAX bytes); then computes what is still an expression and settles what reads memory
** that the kernel may write.  The kernel object is at 1.  True: the launch may reach memory that its arguments do not
** show, so all of the device has been settled, and is to be waited for.  Raises. */
static inline __attribute__((always_inline)) bool dc_lua_put_arguments(lua_State *L, dc_lua *self, const dc_kernel *k,
                                                                       const dc_lua_arguments *how, int first, int got,
                                                                       char *params) {
  const dc_quick_param *q = k->quick;
  if (DC_LIKELY(got == k->nparams && k->params_size <= DC_LUA_PARAMS_MAX)) {
    for (int idx = first; dc_lua_put_quick(L, self, k->dev, q, idx, params); idx++) q++;
    if (DC_LIKELY(q == k->quick + got && !dc_lua_may_lead(self, how))) return false;
  }
  return dc_lua_put_rest(L, self, k, how, (int)(q - k->quick), first, got, params);
}

/* Puts a table for a DC_CONV_STRUCT that is as usual: all fields and nothing else, and in them values that are ready.
** False: leave it to dc_lua_put_table.  It needs DC_LUA_FIELDS_STACK slots, and leaves the stack as it was. */
#define DC_LUA_FIELDS_STACK (LUA_MINSTACK - 2) /* what a C function has anyway, beyond its arguments and two values */
bool dc_lua_put_fields(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base);

#endif
