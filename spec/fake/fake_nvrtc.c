/*
** fake_nvrtc.c - a stand-in for NVRTC that behaves badly when a source asks for it, so that specs see what becomes of
** the host.  A source with one of these words makes nvrtcCompileProgram …
**
**   CRASH       die of SIGSEGV
**   EXIT        end the process with status 4, as NVRTC's own handlers of signals do
**   HANG        never return; its process number goes to the file that FAKE_NVRTC_PID names
**   GIVEUP      refuse the source with a log that names no place
**   HANDLERS    install handlers for SIGINT and SIGTERM that do nothing, and refuse the source
**
** FAKE_NVRTC_LOAD=crash makes the library crash when it is loaded.  Other sources are refused with an error in line 1.
*/
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/nvrtc/library.h"

#define X(name, params) nvrtcResult name params;
#include "compile/nvrtc/api.def"
#undef X
const char *nvrtcGetErrorString(nvrtcResult r);

struct nvrtcProgram_ {
  char *text;
};

static const char refused[] = "/dotcompute.cu(1): error: the stand-in compiles nothing\n";
static const char gave_up[] =
  "\nstand-in: 1 function read\ncatastrophic error: out of memory\nCompilation terminated.\n";

static const char *log_of(nvrtcProgram prog) { return strstr(prog->text, "GIVEUP") ? gave_up : refused; }

static void crash(void) {
  signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would end the process in its own way */
  raise(SIGSEGV);
}

static void ignore(int sig) { (void)sig; }

__attribute__((constructor)) static void loaded(void) {
  const char *how = getenv("FAKE_NVRTC_LOAD");
  if (how && strcmp(how, "crash") == 0) crash();
}

static void hang(void) {
  const char *path = getenv("FAKE_NVRTC_PID");
  FILE *f = path ? fopen(path, "w") : NULL;
  if (f) {
    fprintf(f, "%ld\n", (long)getpid());
    fclose(f);
  }
  for (;;) pause();
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return 0;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int nheaders,
                               const char *const *headers, const char *const *names) {
  (void)name, (void)nheaders, (void)headers, (void)names;
  *prog = malloc(sizeof **prog);
  if (*prog) (*prog)->text = strdup(src);
  return *prog ? 0 : 1;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog) {
  free((*prog)->text);
  free(*prog);
  *prog = NULL;
  return 0;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int noptions, const char *const *options) {
  (void)noptions, (void)options;
  if (strstr(prog->text, "CRASH")) crash();
  if (strstr(prog->text, "EXIT")) exit(4);
  if (strstr(prog->text, "HANG")) hang();
  if (strstr(prog->text, "HANDLERS")) {
    signal(SIGINT, ignore);
    signal(SIGTERM, ignore);
  }
  return DC_NVRTC_REFUSED;
}

const char *nvrtcGetErrorString(nvrtcResult r) {
  return r == DC_NVRTC_REFUSED ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *size) {
  *size = strlen(log_of(prog)) + 1;
  return 0;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log) {
  strcpy(log, log_of(prog));
  return 0;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *n) {
  *n = 1;
  return 0;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs) {
  archs[0] = 75;
  return 0;
}

/* What nothing asks for, since nothing is ever compiled. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *e) { return (void)prog, (void)e, 0; }
nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *e, const char **name) {
  return (void)prog, (void)e, (void)name, 1;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *size) { return (void)prog, (void)size, 1; }
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx) { return (void)prog, (void)ptx, 1; }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *size) { return (void)prog, (void)size, 1; }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin) { return (void)prog, (void)cubin, 1; }
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *size) { return (void)prog, (void)size, 1; }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *ir) { return (void)prog, (void)ir, 1; }
