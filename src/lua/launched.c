/*
** launched.c - who launched what: the line of the script to blame when a GPU tells of a fault, long after the launch.
**
** Only the first launch in a stream that was idle is noted (kernel.c): behind others that are under way, nobody can
** tell which of them went wrong.  And scripts launch in loops, so what is kept is places, and a launch from where the
** kernel's last one came from has just its order noted: to ask Lua for the running function and its line takes less
** than to ask for the script's name and to keep that.  A place is known by function and line.  A function may be
** collected and another one stand at its address, but hardly one in another file that launches the same kernel in a
** line of the same number.
*/
#include <string.h>

#include "lua/lib.h"

/* The first launch from there. `fn`, `line`: of who called, Lua or not. */
static void note_site(lua_State *L, dc_lua *self, dc_lua_site *site, const char name[40], const void *fn, int line) {
  lua_Debug caller, direct;
  *site = (dc_lua_site){ 0 };
  if (!dc_lua_caller(L, &caller)) return;
  dc_lua_launch *l = &self->launches[++self->sites % DC_LUA_LAUNCHES];
  l->order = ++self->launched;
  l->site = self->sites;
  l->line = caller.currentline;
  memcpy(l->name, name, sizeof l->name);
  memcpy(l->script, caller.short_src, sizeof l->script);
  if (line != caller.currentline || !lua_getstack(L, 1, &direct)) return; /* from a C function, or a file of ours */
  lua_getinfo(L, "S", &direct);
  if (direct.source == caller.source) *site = (dc_lua_site){ fn, line, self->sites };
}

void dc_lua_note_launch(lua_State *L, dc_lua *self, dc_lua_site *site, const char name[40]) {
  lua_Debug ar;
  const void *fn = NULL;
  ar.currentline = -1;
  if (lua_getstack(L, 1, &ar)) {
    lua_getinfo(L, "fl", &ar); /* C functions have room for it on the stack */
    fn = lua_topointer(L, -1);
    lua_pop(L, 1);
  }
  dc_lua_launch *l = &self->launches[site->number % DC_LUA_LAUNCHES];
  if (fn && fn == site->caller && ar.currentline == site->line && l->site == site->number) l->order = ++self->launched;
  else note_site(L, self, site, name, fn, ar.currentline);
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
  return last;
}
