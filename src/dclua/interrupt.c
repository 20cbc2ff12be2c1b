/*
** interrupt.c - see interrupt.h.
**
** Lua has no function for the coroutine that is running, so coroutine.resume, wrap and close are replaced here by
** ones that note it.  A count hook that new coroutines inherit would need no such note, but while any
** count hook is set Lua stops at every instruction: twice the time for every script.
*/
#include "dclua/interrupt.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/runtime.h"
#include "lua/error.h"

#define STUCK_SECONDS 0.5 /* after which an interrupt that is still pending will not be taken */

static _Atomic(lua_State *) running; /* the coroutine that executes; the signal handler reads it */
static pthread_t main_thread;        /* the only one that runs Lua */
static struct timespec first_signal; /* of the interrupt that is pending */
static struct timespec last_signal;
static volatile sig_atomic_t idle;   /* the prompt waits for input; it polls the flag before each line */

/* --- the signal ------------------------------------------------------------------------------- */

/* Runs inside the coroutine that was executing: from here an error is an ordinary Lua error. */
static void on_hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  if (!dclua_interrupt_take()) return; /* a kernel or a wait has taken it meanwhile */
  clearerr(stdout); /* a write that the signal ended */
  dc_error err = DC_ERROR_INIT;
  dc_fail(&err, DC_INTERRUPTED, NULL, "interrupted");
  dc_lua_raise(L, &err);
}

/* lua_sethook is the one function of Lua's API made to be called from a signal handler. */
static void set_hook(lua_State *L) {
  lua_sethook(L, on_hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

static void end_process(int sig) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = SIG_DFL;
  sigaction(sig, &act, NULL);
  raise(sig); /* blocked in here: it strikes on return */
}

static double seconds_between(const struct timespec *from, const struct timespec *to) {
  return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

/* Whether code that never polls the flag is running: an interrupt is taken within microseconds otherwise, but several
** signals may reach a busy machine's process before it executes its next instruction. */
static bool is_stuck(const struct timespec *now) {
  return dc_interrupted() && !idle && seconds_between(&first_signal, now) >= STUCK_SECONDS;
}

static void on_sigint(int sig) {
  if (!pthread_equal(pthread_self(), main_thread)) { /* any thread may be given it */
    pthread_kill(main_thread, sig);
    return;
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (is_stuck(&now)) {
    if (seconds_between(&last_signal, &now) < 1.0) {
      end_process(sig);
      return;
    }
    static const char note[] = "\ndclua: this call cannot be stopped; Ctrl-C twice within a second ends the process\n";
    ssize_t ignored = write(STDERR_FILENO, note, sizeof note - 1);
    (void)ignored;
  }
  if (!dc_interrupted()) first_signal = now;
  last_signal = now;
  atomic_store(&dc_interrupt_flag, 1);
  lua_State *L = atomic_load(&running);
  if (L) set_hook(L);
}

int dclua_interrupt_take(void) { return atomic_exchange(&dc_interrupt_flag, 0); }

int dclua_interrupt_pending(void) { return dc_interrupted(); }

void dclua_interrupt_idle(bool is_idle) { idle = is_idle; }

/* --- coroutine functions that note the running coroutine ------------------------------------------------------- */

/* Makes `L` the one that runs.  An interrupt that came while the other did goes with it. */
static void switch_to(lua_State *L) {
  atomic_store(&running, L);
  if (dc_interrupted()) set_hook(L);
}

/* Resumes `co` with the `nargs` values on top of L. Gives the number of results left on top of L, or
** -1 with the error object there. */
static int resume(lua_State *L, lua_State *co, int nargs) {
  if (!lua_checkstack(co, nargs)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, nargs);
  int nres = 0;
  switch_to(co);
  int status = lua_resume(co, L, nargs, &nres);
  switch_to(L);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1); /* the error object */
    return -1;
  }
  if (!lua_checkstack(L, nres + 1)) {
    lua_pop(co, nres);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, nres);
  return nres;
}

static lua_State *check_coroutine(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  luaL_argexpected(L, co, 1, "thread");
  return co;
}

static int co_resume(lua_State *L) {
  lua_State *co = check_coroutine(L);
  int n = resume(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, n >= 0);
  lua_insert(L, n >= 0 ? -(n + 1) : -2);
  return (n >= 0 ? n : 1) + 1;
}

/* Closes the pending variables of `co`; true, or false with the error object on top of it. */
static bool close_coroutine(lua_State *L, lua_State *co) {
  switch_to(co);
#if LUA_VERSION_RELEASE_NUM >= 50406
  int status = lua_closethread(co, L);
#else
  int status = lua_resetthread(co);
#endif
  switch_to(L);
  return status == LUA_OK;
}

/* The function that coroutine.wrap gives; the coroutine is its upvalue. */
static int wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int n = resume(L, co, lua_gettop(L));
  if (n >= 0) return n;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) { /* failed inside, not refused from outside */
    lua_pop(L, 1); /* closing leaves the error object again, or a newer one */
    close_coroutine(L, co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int co_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, wrapped, 1);
  return 1;
}

static int co_close(lua_State *L) {
  lua_State *co = check_coroutine(L);
  lua_Debug ar;
  bool normal = lua_status(co) == LUA_OK && lua_getstack(co, 0, &ar);
  if (co == L || normal) return luaL_error(L, "cannot close a %s coroutine", co == L ? "running" : "normal");
  if (close_coroutine(L, co)) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushboolean(L, 0);
  lua_xmove(co, L, 1);
  return 2;
}

/* --- start --------------------------------------------------------------------------------------- */

void dclua_interrupt_open(lua_State *L) {
  static const luaL_Reg functions[] = {
    { "resume", co_resume }, { "wrap", co_wrap }, { "close", co_close }, { NULL, NULL },
  };
  if (lua_getglobal(L, LUA_COLIBNAME) == LUA_TTABLE) luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
  main_thread = pthread_self();
  atomic_store(&running, L);
  struct sigaction act; /* no SA_RESTART: a read from the terminal ends too */
  memset(&act, 0, sizeof act);
  act.sa_handler = on_sigint;
  sigemptyset(&act.sa_mask);
  sigaction(SIGINT, &act, NULL);
}
