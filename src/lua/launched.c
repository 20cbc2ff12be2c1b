/*
** launched.c - who launched what: the line of the script to blame when a GPU tells of a fault, long after the launch.
**
** Only the first launch in a stream that was idle is noted (kernel.c): behind others that are under way, nobody can
** tell which of them went wrong.  And scripts launch in loops, so what is kept is places, and a launch from where the
** kernel's last one came from has just its order noted.  A place is known by its function and where in its code, which
** is quickly read (cells.h); or by function and line, which Lua counts from the beginning of the function.  Functions
** are known by their addresses, as long as a weak table has them.
*/
#include <string.h>

#include "lua/cells.h"

/* The function that `ar` tells of is the one of site `number`. */
static void keep_caller(lua_State *L, uint64_t number, lua_Debug *ar) {
  dc_lua_get(L, DC_LUA_CALLERS, LUA_TTABLE);
  lua_getinfo(L, "f", ar);
  lua_rawseti(L, -2, (lua_Integer)(number % DC_LUA_LAUNCHES) + 1);
  lua_pop(L, 1);
}

/* The address of the function of site `number`; NULL: it has been collected, and another one may be there. */
static const void *find_caller(lua_State *L, uint64_t number) {
  dc_lua_get(L, DC_LUA_CALLERS, LUA_TTABLE);
  lua_rawgeti(L, -1, (lua_Integer)(number % DC_LUA_LAUNCHES) + 1);
  const void *fn = lua_topointer(L, -1);
  lua_pop(L, 2);
  return fn;
}

/* The first launch from there. `direct`: the function that called, Lua's or not; it was in `line`, at `pc`.
** Where nothing of the script's has called (a coroutine that is the kernel's call itself) that is noted too: the
** launches before it, from elsewhere, are not to be blamed. */
static void note_site(lua_State *L, dc_lua *self, dc_lua_site *site, const char name[40], lua_Debug *direct, int line,
                      const void *pc) {
  lua_Debug caller;
  const bool called = dc_lua_caller(L, &caller);
  *site = (dc_lua_site){ 0 };
  dc_lua_launch *l = &self->launches[++self->sites % DC_LUA_LAUNCHES];
  l->order = ++self->launched;
  l->site = self->sites;
  l->line = called ? caller.currentline : 0;
  memcpy(l->name, name, sizeof l->name);
  if (called) memcpy(l->script, caller.short_src, sizeof l->script);
  if (!called || line != caller.currentline || direct->source != caller.source) return;
  keep_caller(L, self->sites, direct);
  *site = (dc_lua_site){ true, pc, line, self->sites };
}

void dc_lua_note_launch(lua_State *L, dc_lua *self, dc_lua_site *site, const char name[40]) {
  lua_Debug ar; /* C functions have room for what is pushed here */
  const void *pc = NULL, *fn = NULL;
  int line = -1;
  bool same = false;
  dc_lua_launch *l = &self->launches[site->number % DC_LUA_LAUNCHES];
  if (lua_getstack(L, 1, &ar)) {
    const void *last = site->direct && l->site == site->number ? find_caller(L, site->number) : NULL;
    pc = dc_lua_call_pc(&ar, &fn);
    same = last && last == fn && pc && pc == site->pc;
    if (!same) {
      lua_getinfo(L, "fSl", &ar);
      fn = lua_topointer(L, -1);
      lua_pop(L, 1);
      line = ar.currentline;
      same = last && last == fn && line == site->line;
      site->pc = pc;
    }
  }
  if (same) l->order = ++self->launched;
  else note_site(L, self, site, name, &ar, line, pc);
}

void dc_lua_forget_launch(dc_lua *self, const dc_lua_site *site) {
  dc_lua_launch *l = &self->launches[site->number % DC_LUA_LAUNCHES];
  if (l->site == site->number) l->order = 0;
}

const dc_lua_launch *dc_lua_last_launch(const dc_lua *self, const char *text) {
  const dc_lua_launch *last = NULL;
  for (int i = 0; i < DC_LUA_LAUNCHES; i++) {
    const dc_lua_launch *l = &self->launches[i];
    const size_t n = strcspn(l->name, "<"); /* the driver knows no template arguments */
    if (l->order == 0 || strncmp(l->name, text, n) != 0 || (text[n] != '\'' && text[n] != '<')) continue;
    if (!last || l->order > last->order) last = l;
  }
  return last && last->line > 0 ? last : NULL;
}
