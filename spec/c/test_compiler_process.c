/*
** test_compiler_process.c - compile/nvrtc/: requests to the compiler process from several threads, from a child of
** fork(), and after a crash, with spec/fake/fake_nvrtc.c as compiler.
*/
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "check.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/job.h"
#include "compile/nvrtc/process.h"

static int compile(const char *text, dc_nvrtc_result *out, dc_error *err) {
  const char *options[] = {"--std=c++17"};
  const dc_nvrtc_job job = {.text = text, .name = "/x.cu", .options = options, .noptions = 1};
  return dc_nvrtc_compile(&job, out, err);
}

/* The stand-in's usual answer. */
static bool refused(void) {
  dc_nvrtc_result r;
  dc_error err = DC_ERROR_INIT;
  const bool good = compile("int x;", &r, &err) == 0 && r.status == DC_NVRTC_REFUSED && r.log &&
                    strstr(r.log, "stand-in") && r.step && strcmp(r.step, "compilation") == 0;
  CHECK(good, "%s", dc_error_text(&err));
  if (err.kind == DC_OK) dc_nvrtc_result_free(&r);
  dc_error_clear(&err);
  return good;
}

static void crashes(const char *text, const char *how) {
  dc_nvrtc_result r;
  dc_error err = DC_ERROR_INIT;
  CHECK(compile(text, &r, &err) == -1, "%s", text);
  CHECK(strcmp(err.code, "COMPILER_CRASHED") == 0 && strstr(dc_error_text(&err), how), "%s", dc_error_text(&err));
  dc_error_clear(&err);
}

static void *many(void *unused) {
  (void)unused;
  for (int i = 0; i < 20; i++) refused();
  return NULL;
}

static void threads(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, many, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}

static void forked(void) {
  const pid_t pid = fork();
  int status = -1;
  if (pid == 0) _exit(refused() && refused() ? 0 : 1);
  CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status %d", status);
  refused();
}

/* A request of some megabytes, larger than what a socket takes at once. */
static void large(void) {
  const size_t n = (size_t)8 << 20;
  char *text = malloc(n + 1);
  dc_nvrtc_result r;
  dc_error err = DC_ERROR_INIT;
  memset(text, ' ', n);
  text[n] = '\0';
  CHECK(compile(text, &r, &err) == 0 && r.status == DC_NVRTC_REFUSED, "%s", dc_error_text(&err));
  if (err.kind == DC_OK) dc_nvrtc_result_free(&r);
  dc_error_clear(&err);
  free(text);
}

int main(void) {
  char compiler[4096], library[4096];
  const char *build = getenv("DOTCOMPUTE_BUILD");
  snprintf(compiler, sizeof compiler, "%s/dotcompute/compiler", build ? build : "build");
  snprintf(library, sizeof library, "%s/spec/libfake_nvrtc.so", build ? build : "build");
  setenv("DOTCOMPUTE_NVRTC", library, 1);
  dc_compiler_program(compiler);
  dc_error err = DC_ERROR_INIT;
  const dc_nvrtc_version *v = dc_nvrtc(&err);
  CHECK(v && v->major == 13 && v->narchs == 1 && v->archs[0] == 75, "%s", dc_error_text(&err));
  refused();
  crashes("CRASH", "Segmentation fault");
  crashes("EXIT", "status 4");
  refused();
  threads();
  forked();
  large();
  signal(SIGCHLD, SIG_IGN); /* the system reaps: how the process ended is not to be had */
  crashes("CRASH", "crashed");
  refused();
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
