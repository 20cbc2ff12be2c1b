/*
** argument.h - the arguments of a launch: Lua values become bytes of the kernel's parameters.
*/
#ifndef DC_LUA_ARGUMENT_H
#define DC_LUA_ARGUMENT_H

#include "kernel/plan.h"
#include "kernel/value.h"
#include "lua/lib.h"

/* User values of a kernel object: its module object, and the strings that dc_lua_prepare_arguments keeps there. */
enum { DC_LUA_KERNEL_MODULE = 1, DC_LUA_KERNEL_KEYS, DC_LUA_KERNEL_NVALUES = DC_LUA_KERNEL_KEYS };

/* A name that tables are looked up by.  Those of a struct's fields are in the order in which its last table had them:
** the next one has the same, mostly. */
typedef struct dc_lua_name {
  const void *string;          /* the address of the Lua string */
  const dc_plan_field *field;  /* NULL for a component of vectors, and in structs that no parameter takes */
} dc_lua_name;

/* What a launch must know of all its parameters together (dc_alias); found once. */
typedef struct dc_lua_arguments {
  bool opaque; /* takes pointers to structs or to pointers, which may hold addresses of anything */
  bool wide;   /* takes 64-bit integers, arrays of them or bytes, which may be addresses */
  dc_lua_name *names; /* what tables are looked up by, by their numbers (dc_plan_keys); NULL: it takes no tables */
} dc_lua_arguments;

/* For the new kernel object on top of the stack, whose kernel is `k`.  Each copy of the result has a reference to the
** names, which the first one comes with. */
dc_lua_arguments dc_lua_prepare_arguments(lua_State *L, const dc_kernel *k);
void dc_lua_arguments_ref(const dc_lua_arguments *how);
void dc_lua_arguments_unref(dc_lua_arguments *how);

/* While arguments are read that may run what the script has written (metamethods, finalizers), the kernel at 1 and its
** names stay, whatever that loads anew: pushes what keeps them.  Raises when it is not `k` any more; so does the other,
** which is called afterwards. (kernel.c) */
void dc_lua_hold_kernel(lua_State *L, const dc_kernel *k);
void dc_lua_check_held(lua_State *L, const dc_kernel *k);

/* Raises with places of the script where the kernel's source stands. The kernel object is at 1. */
int dc_lua_raise_kernel(lua_State *L, dc_error *err);

/* --- between argument.c and argument_table.c ------------------------------------------------------- */

typedef struct dc_lua_walk {
  lua_State *L;
  dc_lua *self;
  const dc_kernel *k;
  dc_lua_name *names; /* dc_lua_arguments' */
  int keys;        /* stack index of the kernel object's table of keys; 0: not needed yet */
  bool settled;    /* all arrays are computed and their readers settled: what is due no more is put */
  char field[120]; /* of the error: which field of the parameter, "in[2].v.x"; "" for the whole */
} dc_lua_walk;

/* Whether it takes an array: a pointer, or what may be one in ready-made PTX. */
bool dc_lua_takes_array(const dc_plan_param *p);
/* Converts the value at idx into the bytes at base + p->offset.  0; 1: it is an array that is due first; -1: *err and
** w->field say what is wrong. */
int dc_lua_put_value(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base, dc_error *err);
/* The same for an array; 1: it must be computed or settled first.  Calls nothing of Lua's. */
int dc_lua_put_array(const dc_lua_walk *w, const dc_plan_param *p, dc_array *a, char *base, dc_error *err);
/* The same for a table, whose parameter is a DC_CONV_VECTOR, _COMPLEX or _STRUCT. */
int dc_lua_put_table(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base, dc_error *err);
/* Calls `visit` for every array in the fields of such a table that are pointers; stops when it gives -1. */
typedef int dc_lua_visit(dc_lua_walk *w, const dc_plan_param *p, dc_lua_array *array, dc_error *err);
int dc_lua_visit_table(dc_lua_walk *w, const dc_plan_param *p, int idx, dc_lua_visit *visit, dc_error *err);

#endif
