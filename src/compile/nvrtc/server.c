/*
** server.c - see server.h.
**
** Requests are served by a thread with a stack of its own size, since deeply nested sources need much of it and the
** limit that the host runs under may be small; the main thread watches for the host's end, in the middle of a
** compilation too.
*/
#include "compile/nvrtc/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/serial.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/job.h"
#include "compile/nvrtc/library.h"
#include "compile/nvrtc/nvjitlink.h"
#include "compile/nvrtc/process.h"

#define STACK_BYTES ((size_t)256 << 20)   /* reserved, not used, until a source needs it */
#define STACK_OF_OTHERS ((size_t)8 << 20) /* of threads that NVRTC makes */

/* --- requests --------------------------------------------------------------------------------------------- */

/* What is loaded: the first NVRTC, and another for tile kernels. */
static struct library {
  char *path; /* NULL: nothing */
  dc_nvrtc_api api;
} libraries[2];

static void put_error(dc_buf *reply, const dc_error *err) {
  dc_put_number(reply, 0);
  dc_put_number(reply, err->kind);
  dc_put_string(reply, err->code);
  dc_put_string(reply, dc_error_text(err));
  dc_put_optional(reply, err->log);
}

/* The library that a request names, loaded. */
static const dc_nvrtc_api *load(const char *path, dc_error *err) {
  enum { MOST = sizeof libraries / sizeof *libraries };
  dc_buf why = DC_BUF_INIT;
  int i = 0;
  if (!path) path = "";
  while (i < MOST && libraries[i].path && strcmp(libraries[i].path, path) != 0) i++;
  if (i < MOST && libraries[i].path) return &libraries[i].api;
  if (i < MOST && dc_nvrtc_load(path, &libraries[i].api, &why)) libraries[i].path = strdup(path);
  else if (i < MOST) dc_fail(err, DC_COMPILE, "NVRTC_NOT_FOUND", "%s", dc_buf_str(&why));
  else dc_fail(err, DC_COMPILE, NULL, "%s: the compiler process has loaded %s", path, libraries[0].path);
  dc_buf_free(&why);
  return err->kind == DC_OK ? &libraries[i].api : NULL;
}

/* Reply: 1, major, minor, number of architectures, each; or 0 and an error. */
static void tell_version(dc_reader *r, dc_buf *reply) {
  int archs[DC_MOST_ARCHS], n = 0;
  dc_error err = DC_ERROR_INIT;
  const dc_nvrtc_api *a = load(dc_get_string_in_place(r), &err);
  if (a) {
    if (a->nvrtcGetNumSupportedArchs(&n) != 0 || n < 1 || n > DC_MOST_ARCHS) n = 0;
    else if (a->nvrtcGetSupportedArchs(archs) != 0) n = 0;
    dc_put_number(reply, 1);
    dc_put_number(reply, (uint64_t)a->major);
    dc_put_number(reply, (uint64_t)a->minor);
    dc_put_number(reply, (uint64_t)n);
    for (int i = 0; i < n; i++) dc_put_number(reply, (uint64_t)archs[i]);
  } else {
    put_error(reply, &err);
  }
  dc_error_clear(&err);
}

/* Relative paths of headers are the host's. */
static void enter(const char *folder) {
  if (folder && *folder && chdir(folder) != 0) (void)chdir("/");
}

/* Reply: 1 and the result; or 0 and an error. */
static void compile(dc_reader *r, dc_buf *reply) {
  dc_nvrtc_job job = {0};
  dc_nvrtc_result result = {0};
  dc_error err = DC_ERROR_INIT;
  const char *path = dc_get_string_in_place(r), *folder = dc_get_string_in_place(r);
  const bool read = dc_nvrtc_job_get(r, &job) == 0;
  const dc_nvrtc_api *api = read ? load(path, &err) : NULL;
  if (!read) dc_fail_oom(&err);
  if (api) {
    enter(folder);
    if (!dc_nvrtc_run(api, &job, &result)) dc_fail_oom(&err);
  }
  if (err.kind == DC_OK) {
    dc_put_number(reply, 1);
    dc_nvrtc_result_put(reply, &result);
  } else {
    put_error(reply, &err);
  }
  dc_nvrtc_result_free(&result);
  if (read) dc_nvrtc_job_free(&job);
  dc_error_clear(&err);
}

/* Reply: 1 and the code; or 0 and an error. */
static void link_code(dc_reader *r, dc_buf *reply) {
  dc_error err = DC_ERROR_INIT;
  dc_link_job job;
  size_t len = 0;
  void *code = NULL;
  if (dc_link_job_get(r, &job) != 0) {
    dc_fail_oom(&err);
  } else {
    code = dc_nvjitlink(&job, &len, &err);
    dc_link_job_free(&job);
  }
  if (code) {
    dc_put_number(reply, 1);
    dc_put_bytes(reply, code, len);
  } else {
    put_error(reply, &err);
  }
  free(code);
  dc_error_clear(&err);
}

/* --- the connection --------------------------------------------------------------------------------------- */

/* The host has ended. */
static _Noreturn void leave(void) { _exit(EXIT_SUCCESS); }

static void receive(void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    const ssize_t got = recv(DC_COMPILER_FD, (char *)bytes + at, n - at, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) leave();
    at += (size_t)got;
  }
}

static void send_back(const void *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    const ssize_t put = send(DC_COMPILER_FD, (const char *)bytes + at, n - at, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) leave();
    at += (size_t)put;
  }
}

static void serve_one(void) {
  unsigned char head[DC_FRAME_HEAD];
  receive(head, sizeof head);
  dc_reader length = {head, head + sizeof head, false};
  const size_t n = (size_t)dc_get_number(&length);
  unsigned char *request = malloc(n + 1);
  dc_buf reply = DC_BUF_INIT, frame = DC_BUF_INIT;
  if (!request) abort(); /* the host says that the compiler crashed */
  receive(request, n);
  dc_reader r = {request, request + n, false};
  switch ((dc_request)dc_get_number(&r)) {
    case DC_REQUEST_VERSION: tell_version(&r, &reply); break;
    case DC_REQUEST_COMPILE: compile(&r, &reply); break;
    case DC_REQUEST_LINK: link_code(&r, &reply); break;
  }
  dc_put_number(&frame, reply.len);
  if (reply.failed || frame.failed) abort();
  send_back(frame.data, frame.len);
  send_back(reply.data, reply.len);
  dc_buf_free(&frame);
  dc_buf_free(&reply);
  free(request);
}

static void *serve(void *unused) {
  (void)unused;
  for (;;) serve_one();
  return NULL;
}

/* Ends with the host, whatever the other thread does: NVRTC cannot be stopped. */
static _Noreturn void watch(void) {
  for (;;) {
    struct pollfd host = {.fd = DC_COMPILER_FD, .events = POLLRDHUP};
    if (poll(&host, 1, -1) > 0 && host.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) leave();
  }
}

/* Inherited descriptors: a reader of a pipe of the host's would see its end only when this process has ended too. */
static void close_others(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  if (close_range(DC_COMPILER_FD + 1, ~0u, 0) == 0) return;
#endif
  struct rlimit limit;
  const int n = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  for (int fd = DC_COMPILER_FD + 1; fd < n; fd++) close(fd);
}

static int start_thread(void) {
  pthread_t thread;
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return -1;
#ifdef __GLIBC__
  if (pthread_attr_setstacksize(&attr, STACK_OF_OTHERS) == 0) pthread_setattr_default_np(&attr);
#endif
  int rc = -1;
  for (size_t bytes = STACK_BYTES; rc != 0 && bytes >= STACK_OF_OTHERS / 8; bytes /= 2) {
    pthread_attr_setstacksize(&attr, bytes);
    rc = pthread_create(&thread, &attr, serve, NULL);
  }
  pthread_attr_destroy(&attr);
  return rc;
}

int dc_compiler_serve(void) {
  int type;
  socklen_t n = sizeof type;
  if (getsockopt(DC_COMPILER_FD, SOL_SOCKET, SO_TYPE, &type, &n) != 0 || type != SOCK_STREAM) {
    fputs("dotcompute's compiler process: it is started by programs that use dotcompute\n", stderr);
    return EXIT_FAILURE;
  }
  close_others();
  signal(SIGTTOU, SIG_IGN); /* a log line may go to the terminal */
  signal(SIGXFSZ, SIG_IGN); /* where files may not grow, NVRTC does without its own */
  if (start_thread() != 0) return EXIT_FAILURE;
  watch();
}
