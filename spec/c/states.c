/*
** states.c - Lua states in threads of their own, as a Lua module for specs: spec.states.
**
** It knows nothing of the library under test: a state opens the standard libraries and gets the paths of the caller's,
** so its script requires what it needs.  States hand strings to each other by name (put, get).
*/
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 64

/* --- strings between states -------------------------------------------------------------------------- */

typedef struct post {
  char *name, *value;
  size_t len;
  struct post *next;
} post;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static post *posts;

static post **find(const char *name) {
  post **at = &posts;
  while (*at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
  return at;
}

/* put(name, value) */
static int put(lua_State *L) {
  size_t len;
  const char *name = luaL_checkstring(L, 1), *value = luaL_checklstring(L, 2, &len);
  pthread_mutex_lock(&lock);
  post **at = find(name), *p = *at;
  if (!p) p = *at = calloc(1, sizeof *p);
  if (!p->name) p->name = strdup(name);
  free(p->value);
  p->value = malloc(len + 1);
  memcpy(p->value, value, len + 1);
  p->len = len;
  pthread_cond_broadcast(&posted);
  pthread_mutex_unlock(&lock);
  return 0;
}

/* get(name [, seconds]): the value, which is then gone; nil when none came in that time (20 seconds). */
static int get(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (time_t)luaL_optinteger(L, 2, 20);
  pthread_mutex_lock(&lock);
  post **at, *p;
  int rc = 0;
  while (!*(at = find(name)) && rc != ETIMEDOUT) rc = pthread_cond_timedwait(&posted, &lock, &until);
  p = *at;
  if (p) *at = p->next;
  pthread_mutex_unlock(&lock);
  if (!p) return 0;
  lua_pushlstring(L, p->value, p->len);
  free(p->name);
  free(p->value);
  free(p);
  return 1;
}

/* --- threads ----------------------------------------------------------------------------------------- */

typedef struct thread {
  pthread_t id;
  const char *chunk, *path, *cpath;
  size_t chunk_len;
  int index, of;
  pthread_barrier_t *start; /* all begin together */
  bool ok;
  char *text;
  size_t len;
} thread;

static int traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

static void set_path(lua_State *L, const char *field, const char *value) {
  lua_getglobal(L, "package");
  lua_pushstring(L, value);
  lua_setfield(L, -2, field);
  lua_pop(L, 1);
}

static void *run_thread(void *ud) {
  thread *t = ud;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  set_path(L, "path", t->path);
  set_path(L, "cpath", t->cpath);
  lua_pushcfunction(L, traceback);
  t->ok = luaL_loadbuffer(L, t->chunk, t->chunk_len, "=thread") == LUA_OK;
  pthread_barrier_wait(t->start);
  if (t->ok) {
    lua_pushinteger(L, t->index);
    lua_pushinteger(L, t->of);
    t->ok = lua_pcall(L, 2, 1, 1) == LUA_OK;
  }
  const char *text = luaL_tolstring(L, -1, &t->len);
  t->text = malloc(t->len + 1);
  memcpy(t->text, text, t->len + 1);
  lua_close(L);
  return NULL;
}

/* run(chunk, first, last): a thread for each number, which calls the text with that number and the number of threads.
** Gives a list of {ok, result or error as a string}. */
static int run(lua_State *L) {
  static thread list[MOST];
  pthread_barrier_t start;
  size_t len;
  const char *chunk = luaL_checklstring(L, 1, &len);
  const int first = (int)luaL_checkinteger(L, 2), last = (int)luaL_checkinteger(L, 3), n = last - first + 1;
  luaL_argcheck(L, n >= 1 && n <= MOST, 3, "1 to 64 threads");
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  lua_getfield(L, -2, "cpath");
  pthread_barrier_init(&start, NULL, (unsigned)n);
  for (int i = 0; i < n; i++) {
    list[i] = (thread){ .chunk = chunk, .chunk_len = len, .path = lua_tostring(L, -2), .cpath = lua_tostring(L, -1),
                        .index = first + i, .of = n, .start = &start };
    if (pthread_create(&list[i].id, NULL, run_thread, &list[i]) != 0) abort();
  }
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    thread *t = &list[i];
    pthread_join(t->id, NULL);
    lua_createtable(L, 2, 0);
    lua_pushboolean(L, t->ok);
    lua_rawseti(L, -2, 1);
    lua_pushlstring(L, t->text, t->len);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, i + 1);
    free(t->text);
  }
  pthread_barrier_destroy(&start);
  return 1;
}

__attribute__((visibility("default"))) int luaopen_spec_states(lua_State *L);
int luaopen_spec_states(lua_State *L) {
  static const luaL_Reg functions[] = { { "run", run }, { "put", put }, { "get", get }, { NULL, NULL } };
  luaL_newlib(L, functions);
  return 1;
}
