/*
** test_cc.c - base/cc.c: how the run of a compiler ends, with shell scripts as compilers.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cc.h"
#include "base/temp.h"
#include "check.h"

/* Takes far longer than a second, but ends should the limit fail. */
#define LONG "i=0; while [ $i -lt 20000000 ]; do i=$((i + 1)); done"

static dc_cc_child child = DC_CC_CHILD_INIT;
static const char *temporary; /* the folder for the compiler's temporary files */

/* Runs `script` as the compiler, with one second of processor time. */
static dc_cc_end run(const char *folder, const char *script, dc_buf *log) {
  char path[4096];
  char *no_options[] = { NULL };
  const char *const arguments[] = { NULL };
  snprintf(path, sizeof path, "%s/compiler", folder);
  FILE *f = fopen(path, "w");
  CHECK(f != NULL, "%s", path);
  if (f == NULL) return DC_CC_UNKNOWN;
  fprintf(f, "#!/bin/sh\n%s\n", script);
  fclose(f);
  chmod(path, 0700);
  child.seconds = 1;
  const dc_cc cc = { .path = path, .options = no_options };
  return dc_cc_run(&cc, arguments, temporary, &child, log);
}

static void expect(const char *folder, const char *script, dc_cc_end end, bool overran, const char *said) {
  dc_buf log = DC_BUF_INIT;
  const dc_cc_end got = run(folder, script, &log);
  CHECK(got == end && child.overran == overran, "%s: end %d, overran %d", script, (int)got, child.overran);
  CHECK(strstr(dc_buf_str(&log), said) != NULL, "%s: %s", script, dc_buf_str(&log));
  dc_buf_free(&log);
}

int main(void) {
  char *folder = dc_temp_folder(dc_temp_parent());
  CHECK(folder != NULL, "no folder");
  temporary = folder;
  if (folder) {
    expect(folder, "echo fine", DC_CC_DONE, false, "fine");
    expect(folder, "echo 'k.c:1: error' >&2; exit 1", DC_CC_FAILED, false, "k.c:1: error");
    expect(folder, "kill -9 $$", DC_CC_FAILED, false, "");
    expect(folder, LONG, DC_CC_FAILED, true, "");
    /* As GCC does, whose driver outlives what it runs, and takes a moment to start it (see spawn in cc.c). */
    expect(folder, "sleep 0.5; sh -c '" LONG "' || { echo killed; exit 1; }", DC_CC_FAILED, true, "killed");
    temporary = "/no/such/folder"; /* so it is not started */
    expect(folder, "echo started", DC_CC_FAILED, false, "cannot be run in /no/such/folder");
    dc_temp_remove(folder);
  }
  free(folder);
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
