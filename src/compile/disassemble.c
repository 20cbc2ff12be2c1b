/*
** disassemble.c - see disassemble.h.
*/
#include "compile/disassemble.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/temp.h"
#include "compile/nvrtc/search.h"

/* folder/name when that can be run, malloc'ed. */
static char *in_folder(const char *folder, size_t n, const char *below, const char *name) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%.*s%s/%s", (int)n, folder, below, name);
  char *path = dc_buf_take(&b);
  if (path && access(path, X_OK) == 0 && !dc_file_is_dir(path)) return path;
  free(path);
  return NULL;
}

static char *on_path(const char *name) {
  char *found = NULL;
  for (const char *p = getenv("PATH"); p && *p && !found; p += strspn(p, ":")) {
    size_t n = strcspn(p, ":");
    if (n > 0) found = in_folder(p, n, "", name);
    p += n;
  }
  return found;
}

static char *find_tool(const char *name) {
  static const char *const roots[] = {"CUDA_PATH", "CUDA_HOME", NULL};
  char *found = NULL;
  for (const char *const *r = roots; *r && !found; r++) {
    const char *root = getenv(*r);
    if (root && *root) found = in_folder(root, strlen(root), "/bin", name);
  }
  if (!found) found = on_path(name);
  const char *library = dc_nvrtc_library(), *slash = library ? strrchr(library, '/') : NULL;
  if (!found && slash) found = in_folder(library, (size_t)(slash - library), "/../bin", name);
  static const char *const usual[] = {"/usr/local/cuda/bin", "/opt/cuda/bin", NULL};
  for (const char *const *u = usual; *u && !found; u++) found = in_folder(*u, strlen(*u), "", name);
  return found;
}

/* A new folder under TMPDIR, malloc'ed; NULL with DC_IO. */
static char *make_folder(dc_error *err) {
  char *folder = dc_temp_folder(dc_temp_parent());
  if (!folder)
    dc_fail(err, DC_IO, NULL, "no temporary folder can be made in %s: %s", dc_temp_parent(), strerror(errno));
  return folder;
}

static char *run_tool(const char *tool, bool nvdisasm, const char *folder, const char *file, dc_error *err) {
  char *no_options[] = {NULL};
  const dc_cc program = {.path = (char *)(uintptr_t)tool, .options = no_options};
  const char *const arguments[] = {nvdisasm ? "-c" : "-sass", file, NULL};
  dc_cc_child child = DC_CC_CHILD_INIT;
  dc_buf text = DC_BUF_INIT;
  dc_cc_end end = dc_cc_run(&program, arguments, folder, &child, &text);
  if (end != DC_CC_FAILED && !text.failed) return dc_buf_take(&text);
  dc_fail(err, DC_COMPILE, NULL, "%s failed: %.*s", tool, (int)strcspn(dc_buf_str(&text), "\n"), dc_buf_str(&text));
  dc_buf_free(&text);
  return NULL;
}

char *dc_disassemble(const void *cubin, size_t len, dc_error *err) {
  char *tool = find_tool("nvdisasm");
  bool nvdisasm = tool != NULL;
  if (!tool) tool = find_tool("cuobjdump");
  if (!tool) {
    dc_fail(err, DC_COMPILE, NULL,
            "machine code cannot be shown: neither nvdisasm nor cuobjdump was found; install the package "
            "cuda-nvdisasm or cuda-cuobjdump (apt, conda), or the CUDA toolkit");
    return NULL;
  }
  char *folder = make_folder(err), *file = folder ? dc_path_join(folder, "code.cubin") : NULL, *text = NULL;
  if (folder && !file) dc_fail_oom(err);
  if (file && dc_file_replace(file, cubin, len, false, err) == 0) text = run_tool(tool, nvdisasm, folder, file, err);
  if (folder) dc_temp_remove(folder);
  free(file);
  free(folder);
  free(tool);
  return text;
}
