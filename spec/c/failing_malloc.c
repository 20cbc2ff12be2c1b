/*
** failing_malloc.c - allocations that fail: a library for LD_PRELOAD that is also a Lua module.
**
** arm(n, how, who) makes the n-th allocation of the calling thread from now on fail, and with `how` = "from" all that
** follow it ("one": it alone).  `who` says whose allocations count: "ours" those of dotcompute and of the C library for
** it, "lua" those of the interpreter, "both".  disarm() ends that, and returns how many were counted.  Other libraries
** (BLAS, the loader) are left alone, as they need not survive.  fork() copies the process.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <lauxlib.h>
#include <link.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* --- the allocator that comes after this one --------------------------------------------------------------------- */

static struct {
  void *(*malloc)(size_t), *(*calloc)(size_t, size_t), *(*realloc)(void *, size_t), *(*aligned_alloc)(size_t, size_t);
  void (*free)(void *);
} next;

/* dlsym may allocate before `next` is known. */
static _Alignas(64) char early[1 << 14];
static size_t early_used;

static bool is_early(const void *p) { return (const char *)p >= early && (const char *)p < early + sizeof early; }

static void *take_early(size_t n) {
  const size_t at = early_used;
  if (n > sizeof early - at) return NULL;
  early_used += (n + 63) & ~(size_t)63;
  return early + at;
}

static bool find_next(void) {
  static bool searching;
  if (next.free != NULL) return true;
  if (searching) return false;
  searching = true;
  next.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  next.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
  next.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  next.aligned_alloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
  next.free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
  searching = false;
  return next.free != NULL;
}

/* --- which allocation fails -------------------------------------------------------------------------------------- */

enum { OURS = 1, LUA = 2, BOTH = OURS | LUA };

/* Addresses of code, and whose it is; those of the last arm(). */
static struct { uintptr_t begin, end; int who; } code[16];
static int ncode;

static __thread struct {
  bool armed, from_then_on;
  int who;
  long fails, count; /* the number that fails; allocations counted so far */
} plan __attribute__((tls_model("initial-exec")));

static int add_code(struct dl_phdr_info *info, size_t size, void *ud) {
  (void)size;
  (void)ud;
  const char *name = strrchr(info->dlpi_name, '/');
  name = name != NULL ? name + 1 : info->dlpi_name;
  const int who = strcmp(name, "core.so") == 0 || strncmp(name, "libc.", 5) == 0 ? OURS
                  : *name == '\0' || strncmp(name, "liblua", 6) == 0             ? LUA
                                                                                 : 0;
  for (int i = 0; who != 0 && i < info->dlpi_phnum && ncode < 16; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    if (h->p_type != PT_LOAD || !(h->p_flags & PF_X)) continue;
    const uintptr_t begin = info->dlpi_addr + h->p_vaddr;
    code[ncode].begin = begin;
    code[ncode].end = begin + h->p_memsz;
    code[ncode++].who = who;
  }
  return 0;
}

static bool fails(const void *caller) {
  if (!plan.armed) return false;
  const uintptr_t at = (uintptr_t)caller;
  int who = 0;
  for (int i = 0; i < ncode && who == 0; i++)
    if (at >= code[i].begin && at < code[i].end) who = code[i].who;
  if (!(who & plan.who)) return false;
  plan.count++;
  if (plan.from_then_on ? plan.count < plan.fails : plan.count != plan.fails) return false;
  errno = ENOMEM;
  return true;
}

#define CALLER __builtin_return_address(0)

EXPORT void *malloc(size_t n) {
  if (fails(CALLER)) return NULL;
  return find_next() ? next.malloc(n) : take_early(n);
}

EXPORT void *calloc(size_t n, size_t size) {
  if (fails(CALLER)) return NULL;
  return find_next() ? next.calloc(n, size) : take_early(n * size); /* which is zero */
}

EXPORT void *aligned_alloc(size_t alignment, size_t n) {
  if (fails(CALLER)) return NULL;
  return find_next() ? next.aligned_alloc(alignment, n) : take_early(n);
}

EXPORT void *realloc(void *p, size_t n) {
  if (n > 0 && fails(CALLER)) return NULL;
  if (!find_next()) return NULL;
  if (is_early(p)) {
    char *moved = next.malloc(n);
    const size_t most = (size_t)(early + sizeof early - (char *)p);
    return moved != NULL ? memcpy(moved, p, n < most ? n : most) : NULL;
  }
  return next.realloc(p, n);
}

EXPORT void free(void *p) {
  if (p == NULL || is_early(p) || !find_next()) return;
  next.free(p);
}

/* The C library's would be counted by its own call of malloc, a sanitizer's not. */
EXPORT char *strndup(const char *s, size_t n) {
  if (fails(CALLER)) return NULL;
  n = strnlen(s, n);
  char *copy = find_next() ? next.malloc(n + 1) : NULL;
  if (copy != NULL) {
    memcpy(copy, s, n);
    copy[n] = '\0';
  }
  return copy;
}

EXPORT char *strdup(const char *s) {
  if (fails(CALLER)) return NULL;
  const size_t n = strlen(s) + 1;
  char *copy = find_next() ? next.malloc(n) : NULL;
  return copy != NULL ? memcpy(copy, s, n) : NULL;
}

/* --- the Lua module ---------------------------------------------------------------------------------------------- */

static int arm(lua_State *L) {
  static const char *const hows[] = { "one", "from", NULL }, *const whos[] = { "ours", "lua", "both", NULL };
  static const int masks[] = { OURS, LUA, BOTH };
  const long n = (long)luaL_checkinteger(L, 1);
  const bool from_then_on = luaL_checkoption(L, 2, NULL, hows) == 1;
  const int who = masks[luaL_checkoption(L, 3, NULL, whos)];
  ncode = 0;
  dl_iterate_phdr(add_code, NULL);
  plan.fails = n;
  plan.count = 0;
  plan.from_then_on = from_then_on;
  plan.who = who;
  plan.armed = true;
  return 0;
}

static int disarm(lua_State *L) {
  plan.armed = false;
  lua_pushinteger(L, plan.count);
  return 1;
}

/* True in a new process, a copy of this one; in this one false and how that ended: its status, or minus a signal. */
static int fork_(lua_State *L) {
  const pid_t pid = fork();
  lua_pushboolean(L, pid == 0);
  if (pid == 0) return 1;
  int status = -1;
  if (pid > 0)
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? -WTERMSIG(status) : -1);
  return 2;
}

EXPORT int luaopen_failing_malloc(lua_State *L) {
  static const luaL_Reg functions[] = {
    { "arm", arm }, { "disarm", disarm }, { "fork", fork_ }, { NULL, NULL },
  };
  luaL_newlib(L, functions);
  return 1;
}
