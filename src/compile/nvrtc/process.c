/*
** process.c - see process.h.
*/
#include "compile/nvrtc/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/runtime.h"
#include "base/serial.h"
#include "base/spawn.h"

extern char **environ;

#define POLL_MS 50 /* how long Ctrl-C may go unnoticed when another thread was given the signal */

typedef struct process {
  pid_t pid;
  int fd;
  bool used; /* it has answered a request */
  struct process *next;
} process;

/* Processes without a request. */
static struct {
  pthread_mutex_t lock;
  process *idle;
  const char *program;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

void dc_compiler_program(const char *path) { pool.program = path; }

/* --- the program ------------------------------------------------------------------------------------------ */

/* "compiler" in the folder of the shared library that this function is in, malloc'ed; NULL when its path is unknown. */
static char *program_beside(void) {
  Dl_info info;
  char folder[PATH_MAX] = "";
  dc_buf b = DC_BUF_INIT;
  errno = ENOENT;
  if (dladdr((void *)(uintptr_t)dc_compiler_program, &info) == 0) return NULL;
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const bool told = library && dlinfo(library, RTLD_DI_ORIGIN, folder) == 0 && folder[0] == '/';
  if (library) dlclose(library);
  errno = ENOENT; /* or what dc_buf meets */
  if (!told) return NULL;
  dc_buf_printf(&b, "%s/compiler", folder);
  return dc_buf_take(&b);
}

/* --- starting and ending ---------------------------------------------------------------------------------- */

/* A child of fork() may not talk to its parent's processes. */
static void forget_processes(void) {
  pthread_mutex_init(&pool.lock, NULL);
  for (process *p = pool.idle, *next; p; p = next) {
    next = p->next;
    close(p->fd);
    free(p);
  }
  pool.idle = NULL;
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_processes); }

static int fail_start(const char *program, int error, dc_error *err) {
  return dc_fail(err, error == ENOMEM ? DC_MEMORY : DC_COMPILE, "COMPILER_NOT_STARTED",
                 "the compiler process %s cannot be started (%s): it is installed beside dotcompute's core.so",
                 program ? program : "(a file named compiler)", strerror(error));
}

/* Connected sockets, closed in programs that the host starts; the second is clear of the descriptors that it becomes in
** the child. */
static int make_sockets(int fd[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0) return -1;
  const int high = fcntl(fd[1], F_DUPFD_CLOEXEC, DC_COMPILER_FD + 1);
  const int error = errno;
  close(fd[1]);
  fd[1] = high;
  if (high >= 0) return 0;
  close(fd[0]);
  errno = error;
  return -1;
}

static process *start(dc_error *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  char *beside = pool.program ? NULL : program_beside();
  const char *program = pool.program ? pool.program : beside;
  char *argv[] = {(char *)"dotcompute-compiler", (char *)DC_COMPILER_ARGUMENT, NULL};
  int fd[2], rc = program ? 0 : errno;
  process *p = calloc(1, sizeof *p);
  pthread_once(&once, watch_forks);
  if (p && rc == 0 && make_sockets(fd) == 0) {
    const dc_spawn_file files[] = {{-1, 0}, {-1, 1}, {fd[1], DC_COMPILER_FD}};
    rc = dc_spawn(program, argv, environ, files, 3, &p->pid);
    close(fd[1]);
    p->fd = fd[0];
    if (rc != 0) close(fd[0]);
  } else if (rc == 0) {
    rc = errno;
  }
  if (!p || rc != 0) {
    if (p) fail_start(program, rc, err);
    else dc_fail_oom(err);
    free(p);
    p = NULL;
  }
  free(beside);
  return p;
}

/* Ends a process; *status as of waitpid, -1 where the host took it (SIGCHLD).  One that closed its connection is ending
** by itself. */
static void end(process *p, bool closed, int *status) {
  if (!closed) kill(-p->pid, SIGKILL);
  close(p->fd);
  pid_t got;
  do got = waitpid(p->pid, status, 0);
  while (got < 0 && errno == EINTR);
  if (got != p->pid) *status = -1;
  free(p);
}

static process *take_idle(void) {
  pthread_mutex_lock(&pool.lock);
  process *p = pool.idle;
  if (p) pool.idle = p->next;
  pthread_mutex_unlock(&pool.lock);
  return p;
}

static void give_back(process *p) {
  p->used = true;
  pthread_mutex_lock(&pool.lock);
  p->next = pool.idle;
  pool.idle = p;
  pthread_mutex_unlock(&pool.lock);
}

/* --- one exchange ----------------------------------------------------------------------------------------- */

/* What ends an exchange early: 0 nothing, or one of these. */
enum { LOST = 1, INTERRUPTED, NO_MEMORY };

static int send_all(const process *p, const void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    const ssize_t put = send(p->fd, (const char *)bytes + at, n - at, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return LOST;
    at += (size_t)put;
  }
  return 0;
}

static int receive_all(const process *p, void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    struct pollfd ready = {.fd = p->fd, .events = POLLIN};
    if (dc_interrupted()) return INTERRUPTED;
    dc_notice_poll();
    if (poll(&ready, 1, POLL_MS) <= 0) continue;
    const ssize_t got = recv(p->fd, (char *)bytes + at, n - at, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return LOST;
    at += (size_t)got;
  }
  return 0;
}

static int send_request(const process *p, const dc_buf *request) {
  dc_buf head = DC_BUF_INIT;
  dc_put_number(&head, request->len);
  int end = head.failed ? NO_MEMORY : send_all(p, head.data, head.len);
  dc_buf_free(&head);
  return end != 0 ? end : send_all(p, request->data, request->len);
}

static int receive_reply(const process *p, char **reply, size_t *len) {
  unsigned char head[DC_FRAME_HEAD];
  dc_reader r = {head, head + sizeof head, false};
  *reply = NULL;
  int end = receive_all(p, head, sizeof head);
  if (end != 0) return end;
  *len = (size_t)dc_get_number(&r);
  *reply = malloc(*len + 1);
  if (*reply == NULL) return NO_MEMORY;
  if ((end = receive_all(p, *reply, *len)) == 0) return 0;
  free(*reply);
  *reply = NULL;
  return end;
}

static void fail_crashed(int status, dc_error *err) {
  char how[96] = "";
  if (status != -1 && WIFSIGNALED(status))
    snprintf(how, sizeof how, " (%s%s)", strsignal(WTERMSIG(status)),
             WTERMSIG(status) == SIGKILL ? ": the system may be out of memory" : "");
  else if (status != -1 && WIFEXITED(status))
    snprintf(how, sizeof how, " (it ended with status %d)", WEXITSTATUS(status));
  dc_fail(err, DC_COMPILE, "COMPILER_CRASHED",
          "NVIDIA's compiler crashed%s: that is a fault of the compiler, which a simpler source or another version of "
          "it (DOTCOMPUTE_NVRTC) may avoid", how);
}

static bool was_killed_by(int signal, int status) {
  return status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

/* Another process may do better: the system killed this one (SIGKILL) while it was idle, or since what it had kept was
** too much; or a Ctrl-C at the terminal met it before it had a process group of its own. */
static bool may_try_again(bool used, int status) {
  return (used && was_killed_by(SIGKILL, status)) || was_killed_by(SIGINT, status);
}

dc_exchange_end dc_compiler_exchange(const dc_buf *request, char **reply, size_t *len, dc_error *err) {
  int how, status;
  bool used;
  if (request->failed) return dc_fail_oom(err), DC_EXCHANGE_FAILED;
  do {
    process *p = take_idle();
    if (!p && (p = start(err)) == NULL) return DC_EXCHANGE_FAILED;
    used = p->used;
    how = send_request(p, request);
    if (how == 0) how = receive_reply(p, reply, len);
    if (how == 0) {
      give_back(p);
      return DC_EXCHANGE_DONE;
    }
    end(p, how == LOST, &status);
    if (how == LOST && dc_interrupted()) how = INTERRUPTED;
  } while (how == LOST && may_try_again(used, status));
  if (how == LOST) fail_crashed(status, err);
  else if (how == NO_MEMORY) dc_fail_oom(err);
  else dc_fail(err, DC_INTERRUPTED, NULL, "interrupted while compiling");
  return how == LOST ? DC_EXCHANGE_CRASHED : DC_EXCHANGE_FAILED;
}
