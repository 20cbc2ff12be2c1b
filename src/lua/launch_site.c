/*
** launch_site.c - see launch_site.h.
**
** Only the first launch into an idle stream is noted (kernel.c): of several kernels under way the driver does not tell
** which one went wrong.  Scripts launch in loops, so a kernel object remembers its last site, and a launch from there
** costs one lua_getinfo and a comparison.
*/
#include "lua/launch_site.h"

#include <lua.h>
#include <string.h>

#include "lua/object.h"

/* Whether the running C function was called straight from the line of that site. */
static bool is_at(lua_State *L, const dc_lua_launch_site *site) {
  lua_Debug ar;
  return site->line > 0 && lua_getstack(L, 1, &ar) && lua_getinfo(L, "Sl", &ar) && ar.currentline == site->line &&
         strcmp(ar.short_src, site->script) == 0;
}

/* Where no line of a script has called (a coroutine that is the kernel's call itself) that is noted too: the fault is
** not attributed to launches before it. */
void dc_lua_note_launch(lua_State *L, dc_lua *self, uint64_t *site, const char name[40]) {
  dc_lua_launch_site *last = &self->sites[*site % DC_LUA_SITES];
  if (*site != 0 && last->number == *site && is_at(L, last)) {
    last->launch = ++self->nlaunches;
    return;
  }
  lua_Debug caller;
  const bool called = dc_lua_caller(L, &caller);
  *site = ++self->nsites;
  dc_lua_launch_site *new = &self->sites[*site % DC_LUA_SITES];
  *new = (dc_lua_launch_site){ .launch = ++self->nlaunches, .number = *site, .line = called ? caller.currentline : 0 };
  memcpy(new->kernel, name, sizeof new->kernel);
  if (called) memcpy(new->script, caller.short_src, sizeof new->script);
}

void dc_lua_forget_launch(dc_lua *self, uint64_t number) {
  dc_lua_launch_site *site = &self->sites[number % DC_LUA_SITES];
  if (site->number == number) site->launch = 0;
}

const dc_lua_launch_site *dc_lua_last_launch(const dc_lua *self, const char *text) {
  const dc_lua_launch_site *last = NULL;
  for (int i = 0; i < DC_LUA_SITES; i++) {
    const dc_lua_launch_site *site = &self->sites[i];
    const size_t n = strcspn(site->kernel, "<"); /* the driver knows no template arguments */
    if (site->launch == 0 || strncmp(site->kernel, text, n) != 0 || (text[n] != '\'' && text[n] != '<')) continue;
    if (!last || site->launch > last->launch) last = site;
  }
  return last && last->line > 0 ? last : NULL;
}
