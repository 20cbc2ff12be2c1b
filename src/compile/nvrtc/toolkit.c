/*
** toolkit.c - see toolkit.h.  Headers of the compiler's own version are wanted, so the folders beside
** its library come first: CUDA's toolkit has them in ../include, its wheels in ../include (CUDA 13) or in
** ../../cuda_runtime/include and ../../cuda_cccl/include (CUDA 12).
*/
#include "compile/nvrtc/toolkit.h"

#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/once.h"
#include "base/path.h"
#include "compile/nvrtc/search.h"

static struct {
  dc_once once;
  char *include, *cccl, *curand, *identity;
  bool lacks_memory; /* the search that is under way */
} kit = {.once = DC_ONCE_INIT};

/* The text; notes where it is NULL for a lack of memory. */
static char *noted(char *text) {
  if (!text && errno == ENOMEM) kit.lacks_memory = true;
  return text;
}

/* The folder, if it holds `probe`; malloc'ed. */
static char *with_probe(const char *pattern, const char *probe) {
  glob_t g;
  char *result = NULL;
  const int rc = glob(pattern, 0, NULL, &g);
  if (rc == GLOB_NOSPACE) kit.lacks_memory = true;
  if (rc != 0) return NULL;
  for (size_t i = g.gl_pathc; i-- > 0 && !result;) {
    char *file = noted(dc_path_join(g.gl_pathv[i], probe));
    if (file && dc_file_exists(file)) result = noted(realpath(g.gl_pathv[i], NULL));
    free(file);
  }
  globfree(&g);
  return result;
}

static char *search(const char *root, const char *const *folders, const char *probe) {
  for (; *folders; folders++) {
    char *pattern = noted(dc_path_join(root, *folders));
    char *result = pattern ? with_probe(pattern, probe) : NULL;
    free(pattern);
    if (result) return result;
  }
  return NULL;
}

#define TARGETS(up, below) up "targets/x86_64-linux/include" below, up "targets/sbsa-linux/include" below

/* Beside a library's folder: a toolkit's lib64, a system's lib/x86_64-linux-gnu, conda's lib, wheels' lib. */
static void find_beside(const char *folder) {
  static const char *const includes[] = {"../include", "../../include", "../../../include",
                                         "../../cuda_runtime/include", TARGETS("../", ""), NULL};
  static const char *const cccls[] = {"../include/cccl", "../../include/cccl", "../../../include/cccl",
                                      "../include", "../../include", "../../cuda_cccl/include",
                                      "../../cuda_cccl/include/cccl", TARGETS("../", "/cccl"), TARGETS("../", ""),
                                      NULL};
  static const char *const curands[] = {"../include", "../../include", "../../../include", "../../curand/include",
                                        TARGETS("../", ""), NULL};
  kit.include = search(folder, includes, "cuda_fp16.h");
  kit.cccl = search(folder, cccls, "cub/cub.cuh");
  kit.curand = search(folder, curands, "curand_kernel.h");
}

/* Below a toolkit's root, for what was not beside the library. */
static void find_below(const char *root) {
  static const char *const includes[] = {"include", TARGETS("", ""), NULL};
  static const char *const cccls[] = {"include/cccl", "include", TARGETS("", "/cccl"), NULL};
  if (!kit.include) kit.include = search(root, includes, "cuda_fp16.h");
  if (!kit.cccl) kit.cccl = search(root, cccls, "cub/cub.cuh");
  if (!kit.curand) kit.curand = search(root, includes, "curand_kernel.h");
}

static void stamp(dc_buf *b, const char *dir, const char *probe) {
  struct stat st;
  char *file = dir ? noted(dc_path_join(dir, probe)) : NULL;
  if (file && stat(file, &st) == 0)
    dc_buf_printf(b, "%s %lld %lld;", dir, (long long)st.st_size, (long long)st.st_mtim.tv_sec);
  free(file);
}

static bool find(void) {
  const char *library = dc_nvrtc_library();
  kit.lacks_memory = !dc_nvrtc_looked();
  if (library) {
    char *folder = noted(strdup(library));
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) {
      *slash = '\0';
      find_beside(folder);
    }
    free(folder);
  }
  const char *places[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda", "/opt/cuda", "/usr"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] && *places[i]) find_below(places[i]);
  dc_buf b = DC_BUF_INIT;
  stamp(&b, kit.include, "cuda_fp16.h");
  stamp(&b, kit.cccl, "cub/cub.cuh");
  stamp(&b, kit.curand, "curand_kernel.h");
  kit.identity = noted(dc_buf_take(&b));
  if (!kit.lacks_memory) return true;
  char **const texts[] = {&kit.include, &kit.cccl, &kit.curand, &kit.identity};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    free(*texts[i]);
    *texts[i] = NULL;
  }
  return false;
}

const char *dc_toolkit_include(void) { return dc_once_until(&kit.once, find) ? kit.include : NULL; }

const char *dc_toolkit_cccl(void) { return dc_once_until(&kit.once, find) ? kit.cccl : NULL; }

const char *dc_toolkit_curand(void) {
  if (!dc_once_until(&kit.once, find)) return NULL;
  return kit.curand && kit.include && strcmp(kit.curand, kit.include) == 0 ? NULL : kit.curand;
}

const char *dc_toolkit_identity(void) { return dc_once_until(&kit.once, find) ? kit.identity : NULL; }
