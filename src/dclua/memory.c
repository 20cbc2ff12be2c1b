/*
** memory.c - the Lua state, and its memory: small blocks come from lists by size and go back to them.
**
** Lua says how large a block was when it gives it back, so that nothing needs to stand in front of it, and most blocks
** have few sizes: strings, tables, closures, array objects.  A general allocator takes 200 instructions for one that is
** made and dropped, this 30; what counts more, they touch a few lines of the cache instead of 30 (an array expression
** finds it full of the driver's).  Pages that were filled with small blocks stay the process's.  Under AddressSanitizer
** the lists are not used, so that a use after the end is seen.
*/
#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "dclua/dclua.h"
#include "lua/lua_dc.h"

#define STEP 16 /* bytes from one size to the next, and the alignment of all */
#ifdef __SANITIZE_ADDRESS__
#define MOST 0
#else
#define MOST 256 /* bytes of a small block */
#endif
#define SLAB ((size_t)8 << 10) /* blocks of one size are cut from pieces of so many bytes: those of 64 are lines */

typedef struct memory { /* by size in steps */
  void *free[MOST / STEP + 1]; /* each block begins with the address of the next */
  char *at[MOST / STEP + 1], *end[MOST / STEP + 1]; /* what is left of the last slab */
} memory;

static size_t steps(size_t size) { return (size + STEP - 1) / STEP; }

static void *take(memory *m, size_t size) {
  const size_t n = steps(size);
  void *p = m->free[n];
  if (p != NULL) {
    m->free[n] = *(void **)p;
    return p;
  }
  if ((size_t)(m->end[n] - m->at[n]) < n * STEP) {
    char *slab = dc_alloc_lines(SLAB);
    if (slab == NULL) return NULL;
    m->at[n] = slab;
    m->end[n] = slab + SLAB;
  }
  p = m->at[n];
  m->at[n] += n * STEP;
  return p;
}

static void give(memory *m, void *p, size_t size) {
  *(void **)p = m->free[steps(size)];
  m->free[steps(size)] = p;
}

/* lua_Alloc: `old` is the block's size, or for a new one what it is for. */
static void *allocate(void *ud, void *p, size_t old, size_t size) {
  memory *m = ud;
  if (p == NULL) return size == 0 ? NULL : size <= MOST ? take(m, size) : malloc(size);
  const bool was_small = old <= MOST, is_small = size <= MOST;
  if (size == 0) {
    if (old == dc_lua_host.bytes) dc_lua_gone(p);
    if (was_small) give(m, p, old);
    else free(p);
    return NULL;
  }
  if (!was_small && !is_small) return realloc(p, size);
  if (was_small && is_small && steps(old) == steps(size)) return p;
  void *other = is_small ? take(m, size) : malloc(size);
  if (other == NULL) return NULL;
  memcpy(other, p, old < size ? old : size);
  if (was_small) give(m, p, old);
  else free(p);
  return other;
}

/* An error that nobody catches: there are none but in the last lines of main. */
static int panic(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  fprintf(stderr, "dclua: unprotected error (%s)\n", message != NULL ? message : "no message");
  return 0; /* Lua aborts */
}

/* As lua5.4 has it: warn "@on" and "@off" are orders, and it begins silent. */
static void warning(void *ud, const char *message, int more) {
  static bool on, inside;
  (void)ud;
  if (!inside && !more && message[0] == '@') {
    if (strcmp(message, "@on") == 0) on = true;
    else if (strcmp(message, "@off") == 0) on = false;
    return;
  }
  if (on) fprintf(stderr, "%s%s%s", inside ? "" : "Lua warning: ", message, more ? "" : "\n");
  inside = more != 0;
}

lua_State *dclua_newstate(void) {
  static memory m; /* one state a process */
  lua_State *L = lua_newstate(allocate, &m);
  if (L == NULL) return NULL;
  dc_lua_host.tells = true;
  lua_atpanic(L, panic);
  lua_setwarnf(L, warning, NULL);
  return L;
}
