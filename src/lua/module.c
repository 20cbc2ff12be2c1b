/* module.c - a module as a Lua value. */
#include "lua/module.h"

#include <lua.h>
#include <stdlib.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "lua/error.h"
#include "lua/object.h"

dc_lua_module *dc_lua_tomodule(lua_State *L, const dc_lua *self, int idx) {
  const dc_lua_module_object *object = dc_lua_test(L, self, idx, DC_LUA_MODULE);
  return object ? object->o : NULL;
}

void dc_lua_module_unref(dc_lua_module *o) {
  if (--o->refs == 0) free(o);
}

dc_lua_module *dc_lua_check_module(lua_State *L) {
  dc_lua_module *o = dc_lua_tomodule(L, dc_lua_self(L), 1);
  if (!o) dc_lua_expected(L, 1, "a module");
  if (!o->m) dc_lua_fail(L, DC_ARGUMENT, "the module is closed");
  return o;
}

/* Forgets arrays that were closed. */
void dc_lua_drop_closed_globals(dc_lua_module *o) {
  int n = 0;
  for (int i = 0; i < o->nglobals; i++) {
    if (dc_array_state_of(o->globals[i]) == DC_ARRAY_CLOSED) dc_array_unref(o->globals[i]);
    else o->globals[n++] = o->globals[i];
  }
  o->nglobals = n;
}

int dc_lua_flush_global_readers(dc_lua_module *o, dc_error *err) {
  dc_lua_drop_closed_globals(o);
  for (int i = 0; i < o->nglobals; i++) { /* a finalizer that runs meanwhile may close one */
    bool open = dc_array_state_of(o->globals[i]) != DC_ARRAY_CLOSED;
    if (open && dc_array_will_write(o->globals[i], err) != 0) return -1;
  }
  dc_lua_drop_closed_globals(o);
  return 0;
}
