/*
** argument_quick.h - between the files of argument.h: usual values of usual types, put by a few instructions.
**
** Whatever is unusual about a value is left to argument.c and argument_table.c, which tell what is wrong with it.
*/
#ifndef DC_LUA_ARGUMENT_QUICK_H
#define DC_LUA_ARGUMENT_QUICK_H

#include <string.h>

#include "lua/argument.h"
#include "lua/cells.h"

/* Puts a number as a DC_QUICK_F32 or _F64, mostly. */
static inline bool dc_lua_put_float(uint8_t quick, lua_Number v, char *to) {
  if (DC_UNLIKELY(!(v > -0x1p53 && v < 0x1p53))) return false; /* beyond, integers and infinities take care */
  if (DC_LIKELY(quick == DC_QUICK_F32)) memcpy(to, &(float){ (float)v }, sizeof(float));
  else memcpy(to, &v, sizeof v);
  return true;
}

/* Puts an integer as a DC_QUICK_I32 or _I64, mostly. */
static inline bool dc_lua_put_integer(uint8_t quick, lua_Integer v, char *to) {
  if (quick == DC_QUICK_I64) memcpy(to, &v, sizeof v);
  else if (DC_LIKELY(v == (int32_t)v)) memcpy(to, &(int32_t){ (int32_t)v }, sizeof(int32_t));
  else return false;
  return true;
}

/* Puts the usual number of a usual type at base + q->offset, as dc_lua_put_value would; false: leave it to that. */
static inline bool dc_lua_put_number(const dc_lua_cell *cell, const dc_quick_param *q, char *base) {
  lua_Number v;
  switch (q->quick) {
    case DC_QUICK_I32:
    case DC_QUICK_I64:
      return DC_LIKELY(cell->type == DC_CELL_INTEGER) &&
             dc_lua_put_integer(q->quick, cell->as.integer, base + q->offset);
    case DC_QUICK_F32:
    case DC_QUICK_F64:
      return DC_LIKELY(dc_cell_number(cell, &v)) && dc_lua_put_float(q->quick, v, base + q->offset);
    default: return false;
  }
}

/* The same for arrays too. */
static inline bool dc_lua_put_quick(const dc_lua_cell *cell, const dc_lua *self, const dc_device *dev,
                                    const dc_quick_param *q, char *base) {
  if (q->quick != DC_QUICK_ARRAY) return dc_lua_put_number(cell, q, base);
  const dc_lua_array *o = dc_cell_array(cell, self);
  const dc_ptr ptr = DC_LIKELY(o && o->a) ? dc_array_launch_ready(o->a, dev, (dc_dtype)q->dtype, q->written) : 0;
  if (DC_UNLIKELY(ptr == 0 || (ptr & q->mask) != 0)) return false;
  memcpy(base + q->offset, &ptr, sizeof ptr);
  return true;
}

/* Whether a launch may reach memory that its arguments do not show, by their types. */
static inline bool dc_lua_may_lead(const dc_lua *self, const dc_lua_arguments *how) {
  return how->opaque || (how->wide && self->highest_read != 0);
}

/* dc_lua_put_arguments from argument `i` on, which is none of the usual, or all are and some may lead anywhere. */
bool dc_lua_put_rest(lua_State *L, dc_lua *self, const dc_kernel *k, const dc_lua_arguments *how, int i,
                     const dc_lua_cell *stack, int first, int got, char *params);

/* Checks and converts all arguments, which are the `got` values from the stack index `first` to the top, into `params`
** (aligned to 16, k->params_size bytes); then computes what is still an expression and settles what reads memory
** that the kernel may write.  The kernel object is at 1; `stack` is dc_lua_cells.  True: the launch may reach memory
** that its arguments do not show, so all of the device has been settled, and is to be waited for.  Raises. */
static inline __attribute__((always_inline)) bool dc_lua_put_arguments(lua_State *L, dc_lua *self, const dc_kernel *k,
                                                                       const dc_lua_arguments *how,
                                                                       const dc_lua_cell *stack, int first, int got,
                                                                       char *params) {
  const dc_quick_param *q = k->quick;
  if (DC_LIKELY(stack != NULL && got == k->nparams)) {
    for (const dc_lua_cell *cell = stack + first; dc_lua_put_quick(cell, self, k->dev, q, params); cell++) q++;
    if (DC_LIKELY(q == k->quick + got && !dc_lua_may_lead(self, how))) return false;
  }
  return dc_lua_put_rest(L, self, k, how, (int)(q - k->quick), stack, first, got, params);
}

/* Puts what dc_lua_put_quick leaves: numbers and booleans of every type, arrays that are ready, tables for vectors,
** complex numbers and structs in which all is so.  False: leave it to dc_lua_put_value. */
bool dc_lua_put_cell(const dc_lua_walk *w, const dc_plan_param *p, const dc_lua_cell *cell, char *base);

#endif
