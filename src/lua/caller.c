/* caller.c - see caller.h. */
#include "lua/caller.h"

#include <lua.h>

#include "lua/object.h"

dc_lua_builtin dc_lua_builtin_name(const char *source, size_t len) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (size_t i = 0; i < len; i++) hash = (hash ^ (unsigned char)source[i]) * 1099511628211u;
  return (dc_lua_builtin){ hash, len };
}

bool dc_lua_is_builtin(const dc_lua *self, const char *source, size_t len) {
  dc_lua_builtin name = { 0 };
  for (int i = 0; i < self->nbuiltin; i++) {
    if (self->builtin[i].len != len) continue;
    if (name.len == 0) name = dc_lua_builtin_name(source, len);
    if (self->builtin[i].hash == name.hash) return true;
  }
  return false;
}

bool dc_lua_caller(lua_State *L, lua_Debug *ar) {
  const dc_lua *self = dc_lua_push_self(L);
  bool found = false;
  lua_pop(L, 1);
  for (int level = 0; !found && lua_getstack(L, level, ar); level++) {
    lua_getinfo(L, "Sl", ar);
    found = *ar->what != 'C' && ar->currentline > 0 && !dc_lua_is_builtin(self, ar->source, ar->srclen);
  }
  return found;
}
