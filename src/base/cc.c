/*
** cc.c - see cc.h.
*/
#include "base/cc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/once.h"
#include "base/path.h"
#include "base/spawn.h"
#include "base/temp.h"

extern char **environ;

/* --- finding it ------------------------------------------------------------------------------------------------ */

static struct {
  dc_once once;
  dc_cc cc;
  bool there;
  char *words; /* of DOTCOMPUTE_CC: the options lie in it */
  char note[300];
  bool missing, switched_off;
} found = { .once = DC_ONCE_INIT };

static bool runnable(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *dc_cc_program(const char *name) {
  if (strchr(name, '/')) {
    char *cwd = name[0] == '/' ? NULL : getcwd(NULL, 0);
    const bool there = runnable(name);
    char *path = !there ? NULL : cwd ? dc_path_join(cwd, name) : strdup(name);
    free(cwd);
    errno = there && !path ? ENOMEM : ENOENT;
    return path;
  }
  const char *list = getenv("PATH");
  for (const char *at = list; at && *at; at += strspn(at, ":")) {
    size_t n = strcspn(at, ":");
    char *folder = strndup(at, n), *path = folder ? dc_path_join(folder, name) : NULL;
    free(folder);
    at += n;
    if (!path) {
      errno = ENOMEM;
      return NULL;
    }
    if (path[0] == '/' && runnable(path)) return path;
    free(path);
  }
  errno = ENOENT;
  return NULL;
}

/* NULL: the file is gone, or errno is ENOMEM. */
static char *identity(const dc_cc *cc, bool *clang) {
  char *real = realpath(cc->path, NULL);
  struct stat st;
  dc_buf b = DC_BUF_INIT;
  if (real == NULL) return NULL;
  if (stat(real, &st) != 0) {
    free(real);
    errno = ENOENT;
    return NULL;
  }
  const char *base = strrchr(real, '/');
  *clang = strstr(base ? base : real, "clang") != NULL;
  dc_buf_printf(&b, "%s %lld %lld.%09ld %llu", real, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                st.st_mtim.tv_nsec, (unsigned long long)st.st_ino);
  for (char **o = cc->options; *o; o++) dc_buf_printf(&b, " %s", *o);
  free(real);
  return dc_buf_take(&b);
}

/* Splits `text` at blanks, in place, into a program's name, which is returned, and options. */
static char *split(char *text, char ***options) {
  char *rest = NULL;
  size_t n = 0;
  *options = text ? calloc(strlen(text) / 2 + 2, sizeof **options) : NULL;
  if (*options == NULL) return NULL;
  char *name = strtok_r(text, " \t", &rest);
  for (char *word; name && (word = strtok_r(NULL, " \t", &rest)) != NULL;) (*options)[n++] = word;
  return name;
}

/* Looks for the program; cc->path is NULL where it is not found, or errno is ENOMEM. */
static void look(dc_cc *cc, const char *own) {
  static const char *const usual[] = { "cc", "gcc", "clang", NULL };
  errno = 0;
  if (own && !runnable(own)) {
    char *name = split(found.words = strdup(own), &cc->options);
    if (name) cc->path = dc_cc_program(name);
    return;
  }
  cc->options = calloc(1, sizeof *cc->options);
  if (own) cc->path = dc_cc_program(own); /* whole: a path may have blanks in it */
  for (int i = 0; !own && usual[i] && cc->path == NULL && errno != ENOMEM; i++) cc->path = dc_cc_program(usual[i]);
}

/* For dc_once_until. */
static bool find(void) {
  const char *own = getenv("DOTCOMPUTE_CC");
  dc_cc *cc = &found.cc;
  if (own && (*own == '\0' || strcmp(own, "off") == 0)) {
    found.switched_off = true;
    snprintf(found.note, sizeof found.note, "it is switched off by DOTCOMPUTE_CC");
    return true;
  }
  look(cc, own);
  if (cc->path && cc->options) cc->identity = identity(cc, &cc->clang);
  if (!cc->options || (!cc->identity && errno == ENOMEM)) {
    free(cc->path);
    free(cc->options);
    free(found.words);
    *cc = (dc_cc){ .path = NULL };
    found.words = NULL;
    return false;
  }
  found.there = cc->identity != NULL;
  found.missing = !own && !found.there;
  if (found.missing) snprintf(found.note, sizeof found.note, "none of cc, gcc and clang is on PATH");
  else if (!found.there) snprintf(found.note, sizeof found.note, "DOTCOMPUTE_CC names no program: '%.200s'", own);
  return true;
}

const dc_cc *dc_cc_find(void) { return dc_once_until(&found.once, find) && found.there ? &found.cc : NULL; }

const char *dc_cc_note(void) {
  if (!dc_once_until(&found.once, find)) return "memory was lacking for the search for a C compiler";
  return found.note[0] ? found.note : NULL;
}

bool dc_cc_missing(void) { return dc_once_until(&found.once, find) && found.missing; }

bool dc_cc_switched_off(void) { return dc_once_until(&found.once, find) && found.switched_off; }

/* --- running it ------------------------------------------------------------------------------------------------ */

/* Our environment, but with temporary files in `folder` (kept there they are removed even if the compiler is killed),
** and without what makes gcc write further files.  Only the first string is malloc'ed. */
static char **environment(const char *folder) {
  size_t n = 0, out = 0;
  while (environ && environ[n]) n++;
  char **list = calloc(n + 2, sizeof *list);
  if (list == NULL) return NULL;
  if (asprintf(&list[out++], "TMPDIR=%s", folder) < 0) {
    free(list);
    return NULL;
  }
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], "TMPDIR=", 7) != 0 && strncmp(environ[i], "DEPENDENCIES_OUTPUT=", 20) != 0 &&
        strncmp(environ[i], "SUNPRO_DEPENDENCIES=", 20) != 0)
      list[out++] = environ[i];
  return list;
}

/* The limit, which children inherit, is set right after the start, as posix_spawn has no attribute for it: what the
** compiler itself has started by then would go without. */
static int spawn(const dc_cc *cc, char *const *argv, char *const *env, int out, int seconds, pid_t *pid) {
  const dc_spawn_file files[] = { { -1, 0 }, { out, 1 }, { out, 2 } };
  const int rc = dc_spawn(cc->path, argv, env, files, 3, pid);
#ifdef __linux__
  const struct rlimit limit = { (rlim_t)seconds, (rlim_t)seconds }; /* also should we die before we can stop it */
  if (rc == 0) prlimit(*pid, RLIMIT_CPU, &limit, NULL);
#endif
  return rc;
}

/* *seconds: processor time of the child and of those that it has waited for, each of which has the limit. */
static dc_cc_end await(pid_t pid, double *seconds) {
  int status;
  struct rusage used;
  for (;;) {
    pid_t got = wait4(pid, &status, 0, &used);
    if (got < 0 && errno != EINTR) return DC_CC_UNKNOWN;
    if (got != pid) continue;
    *seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? DC_CC_DONE : DC_CC_FAILED;
  }
}

static dc_cc_end run(const dc_cc *cc, char *const *argv, char *const *env, int out, dc_cc_child *child, dc_buf *log) {
  pid_t pid = 0;
  pthread_mutex_lock(&child->lock);
  int rc = child->stopped ? ECANCELED : spawn(cc, argv, env, out, child->seconds, &pid);
  child->pid = rc == 0 ? pid : 0;
  pthread_mutex_unlock(&child->lock);
  if (rc != 0) {
    dc_buf_printf(log, "%s cannot be run: %s\n", cc->path, strerror(rc));
    return DC_CC_FAILED;
  }
  double seconds = 0;
  dc_cc_end end = await(pid, &seconds);
  pthread_mutex_lock(&child->lock);
  /* Half a second less: the limit counts in ticks. */
  child->overran = end == DC_CC_FAILED && seconds > child->seconds - 0.5;
  child->pid = 0;
  if (child->stopped) end = DC_CC_FAILED;
  pthread_mutex_unlock(&child->lock);
  return end;
}

/* What was written to the file, from its beginning. */
static void collect(int fd, dc_buf *log) {
  char piece[4096];
  off_t at = 0;
  for (ssize_t n; (n = pread(fd, piece, sizeof piece, at)) > 0; at += n) dc_buf_add(log, piece, (size_t)n);
}

/* A file that has no name any more, out of the way of descriptors 0 to 2, which `spawn` fills. */
static int scratch_file(const char *folder) {
  char *path = dc_path_join(folder, "said.XXXXXX");
  int fd = path ? mkostemp(path, O_CLOEXEC) : -1, high = fd;
  if (fd >= 0) unlink(path);
  if (fd >= 0 && fd < 3) {
    high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
  }
  free(path);
  return high;
}

dc_cc_end dc_cc_run(const dc_cc *cc, const char *const *args, const char *folder, dc_cc_child *child, dc_buf *log) {
  size_t nopts = 0, nargs = 0;
  while (cc->options[nopts]) nopts++;
  while (args[nargs]) nargs++;
  const char **argv = calloc(nopts + nargs + 2, sizeof *argv);
  char **env = environment(folder);
  int out = scratch_file(folder);
  dc_cc_end end = DC_CC_FAILED;
  child->overran = false;
  if (argv && env && out >= 0) {
    argv[0] = cc->path;
    memcpy(argv + 1, cc->options, nopts * sizeof *argv);
    memcpy(argv + 1 + nopts, args, nargs * sizeof *argv);
    end = run(cc, (char *const *)argv, env, out, child, log);
    collect(out, log);
  } else {
    dc_buf_printf(log, "%s cannot be run in %s: %s\n", cc->path, folder, strerror(errno));
  }
  if (out >= 0) close(out);
  if (env) free(env[0]);
  free(env);
  free(argv);
  return end;
}

void dc_cc_stop(dc_cc_child *child) {
  pthread_mutex_lock(&child->lock);
  child->stopped = true;
  if (child->pid > 0) kill(-child->pid, SIGKILL);
  pthread_mutex_unlock(&child->lock);
}

void dc_cc_resume(dc_cc_child *child) {
  pthread_mutex_lock(&child->lock);
  child->stopped = false;
  pthread_mutex_unlock(&child->lock);
}

bool dc_cc_stopped(dc_cc_child *child) {
  pthread_mutex_lock(&child->lock);
  bool stopped = child->stopped;
  pthread_mutex_unlock(&child->lock);
  return stopped;
}

/* --- trying it ------------------------------------------------------------------------------------------------- */

static int try_in(const dc_cc *cc, const char *folder, dc_buf *log) {
  static const char text[] = "#include <math.h>\n#include <string.h>\nint dc_try(int x) { return x + 1; }\n";
  dc_cc_child child = DC_CC_CHILD_INIT;
  char *source = dc_path_join(folder, "try.c"), *object = dc_path_join(folder, "try.so");
  int rc = -1;
  FILE *file = source ? fopen(source, "we") : NULL;
  const bool written = file && fputs(text, file) >= 0 && fclose(file) == 0;
  if (written && object) {
    const char *const args[] = { "-O1", "-shared", "-fPIC", "-o", object, source, NULL };
    const dc_cc_end end = dc_cc_run(cc, args, folder, &child, log);
    void *library = end == DC_CC_FAILED ? NULL : dlopen(object, RTLD_NOW | RTLD_LOCAL);
    int (*function)(int) = NULL;
    if (library) *(void **)(&function) = dlsym(library, "dc_try");
    else if (end != DC_CC_FAILED) dc_buf_printf(log, "%s\n", dlerror());
    rc = function && function(41) == 42 ? 0 : -1;
    if (library) dlclose(library);
  } else {
    dc_buf_printf(log, "nothing can be written in %s: %s\n", folder, strerror(errno));
  }
  if (source) unlink(source);
  if (object) unlink(object);
  free(source);
  free(object);
  return rc;
}

int dc_cc_try(const dc_cc *cc, dc_buf *log) {
  char *folder = dc_temp_folder(dc_temp_parent());
  int rc = -1;
  if (folder) {
    rc = try_in(cc, folder, log);
    dc_temp_remove(folder);
  } else {
    dc_buf_printf(log, "no folder can be made for temporary files: %s\n", strerror(errno));
  }
  free(folder);
  return rc;
}
