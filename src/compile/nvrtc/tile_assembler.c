/* tile_assembler.c - see tile_assembler.h. */
#include "compile/nvrtc/tile_assembler.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/temp.h"

/* Called as ptxas is: with the PTX file's name among its arguments, and the output's behind -o. */
static const char copying_ptxas[] =
    "#!/bin/sh\n"
    "while [ $# -gt 0 ]; do\n"
    "  case $1 in -o) out=$2; shift ;; *.ptx) in=$1 ;; esac\n"
    "  shift\n"
    "done\n"
    "exec cp \"$in\" \"$out\"\n";

typedef struct files {
  char *folder, *ir, *code;
} files;

/* tileiras takes libnvvm from below CUDA_HOME: that folder holds links to the real one's. */
static bool make_stand_in(const files *f, const char *root, dc_error *err) {
  static const char *const folders[] = {"lib", "lib64", "nvvm", NULL};
  char *ptxas = dc_path_join(f->folder, "ptxas");
  bool ok = ptxas && dc_file_replace(ptxas, copying_ptxas, strlen(copying_ptxas), false, err) == 0 &&
            chmod(ptxas, 0700) == 0;
  for (const char *const *name = folders; *name && ok; name++) {
    char *from = dc_path_join(root, *name), *to = dc_path_join(f->folder, *name);
    ok = from && to && (!dc_file_is_dir(from) || symlink(from, to) == 0);
    free(from);
    free(to);
  }
  free(ptxas);
  if (!ok && err->kind == DC_OK) dc_fail(err, DC_IO, NULL, "%s: %s", f->folder, strerror(errno));
  return ok;
}

/* "NAME=first:second", malloc'ed; without the second where it is NULL. */
static char *setting(const char *name, const char *first, const char *second) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%s=%s%s%s", name, first, second ? ":" : "", second ? second : "");
  return dc_buf_take(&b);
}

static bool run(const files *f, const char *root, const char *gpu, bool ptx, dc_buf *log) {
  const char *path = getenv("PATH");
  char *program = dc_path_join(root, "bin/tileiras"), *bin = dc_path_join(root, "bin");
  char *home = setting("CUDA_HOME", ptx ? f->folder : root, NULL);
  char *search = bin ? setting("PATH", ptx ? f->folder : bin, path) : NULL, *target = setting("--gpu-name", gpu, NULL);
  bool ok = false;
  if (program && home && search && target) {
    char *options[] = {home, search, program, NULL};
    const dc_cc env = {.path = (char *)(uintptr_t)"/usr/bin/env", .options = options};
    const char *const args[] = {target, "--lineinfo", "-o", f->code, f->ir, NULL};
    dc_cc_child child = DC_CC_CHILD_INIT;
    ok = dc_cc_run(&env, args, f->folder, &child, log) != DC_CC_FAILED;
  }
  free(program);
  free(bin);
  free(home);
  free(search);
  free(target);
  return ok;
}

/* tileiras says "Unknown location" and no more where it misses one of its parts, and what it dislikes otherwise. */
static char *read_code(const files *f, bool ptx, size_t *len, dc_buf *log, dc_error *err) {
  char *code = NULL;
  if (dc_file_read(f->code, &code, len, err) != 0) return NULL;
  if (!ptx || strstr(code, ".entry") != NULL) return code;
  free(code);
  dc_buf_puts(log, "error: this version of tileiras gives no PTX, which the CPU device runs\n");
  return NULL;
}

char *dc_tile_assemble(const char *root, const char *gpu, bool ptx, const char *ir, size_t ir_len, size_t *len,
                       dc_buf *log) {
  dc_error err = DC_ERROR_INIT;
  char *code = NULL;
  files f = {.folder = dc_temp_folder(dc_temp_parent())};
  if (f.folder) {
    f.ir = dc_path_join(f.folder, "kernels.tile");
    f.code = dc_path_join(f.folder, "kernels.code");
    if (f.ir && f.code && dc_file_replace(f.ir, ir, ir_len, false, &err) == 0 &&
        (!ptx || make_stand_in(&f, root, &err)) && run(&f, root, gpu, ptx, log))
      code = read_code(&f, ptx, len, log, &err);
    dc_temp_remove(f.folder);
  } else {
    dc_buf_printf(log, "error: no temporary folder: %s\n", strerror(errno));
  }
  if (err.kind != DC_OK) dc_buf_printf(log, "error: %s\n", dc_error_text(&err));
  dc_error_clear(&err);
  free(f.folder);
  free(f.ir);
  free(f.code);
  return code;
}
