/*
** library.c - see library.h.
*/
#include "compile/nvrtc/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/file.h"
#include "base/runtime.h"
#include "base/temp.h"
#include "compile/nvrtc/job.h"
#include "compile/nvrtc/tile_assembler.h"

/* --- loading ---------------------------------------------------------------------------------------------- */

/* Binds the functions; false with the reason. */
static bool bind(void *lib, const char *path, dc_nvrtc_api *api, dc_buf *why) {
  const char *missing = NULL;
#define X(name, params)                         \
  *(void **)&api->name = dc_dl_sym(lib, #name); \
  if (!api->name) missing = #name;
#include "compile/nvrtc/api.def"
#undef X
  *(void **)&api->nvrtcGetErrorString = dc_dl_sym(lib, "nvrtcGetErrorString");
  if (!api->nvrtcGetErrorString) missing = "nvrtcGetErrorString";
  *(void **)&api->nvrtcGetTileIRSize = dc_dl_sym(lib, "nvrtcGetTileIRSize");
  *(void **)&api->nvrtcGetTileIR = dc_dl_sym(lib, "nvrtcGetTileIR");
  *(void **)&api->nvrtcInstallBundledHeaders = dc_dl_sym(lib, "nvrtcInstallBundledHeaders");
  *(void **)&api->nvrtcRemoveBundledHeaders = dc_dl_sym(lib, "nvrtcRemoveBundledHeaders");
  if (missing) {
    dc_buf_printf(why, "%s: lacks %s; CUDA 12 or 13 is needed", path, missing);
    return false;
  }
  if (api->nvrtcVersion(&api->major, &api->minor) == 0 && api->major >= 12) return true;
  dc_buf_printf(why, "%s: is NVRTC %d.%d; CUDA 12 or 13 is needed", path, api->major, api->minor);
  return false;
}

/* NVRTC opens this second library by its bare name, which fails where its folder is in no search path of the loader
** (under AddressSanitizer even the library's own run path is ignored).  Once loaded by its path, it is found by that
** name. Where it is missing, NVRTC says so itself. */
static void load_builtins(const char *path, const dc_nvrtc_api *api) {
  const char *slash = strrchr(path, '/');
  dc_buf file = DC_BUF_INIT;
  if (slash) dc_buf_add(&file, path, (size_t)(slash + 1 - path));
  dc_buf_printf(&file, "libnvrtc-builtins.so.%d.%d", api->major, api->minor);
  const char *only[] = {dc_buf_str(&file), NULL};
  if (slash && dc_file_exists(only[0])) (void)dc_dl_open(only, NULL, NULL); /* never closed, like NVRTC */
  dc_buf_free(&file);
}

bool dc_nvrtc_load(const char *path, dc_nvrtc_api *api, dc_buf *why) {
  const char *only[] = {path, NULL};
  const double start = dc_clock();
  void *lib = dc_dl_open(only, NULL, why);
  if (!lib) return false;
  if (!bind(lib, path, api, why)) {
    dc_dl_close(lib);
    return false;
  }
  load_builtins(path, api);
  dc_log(DC_LOG_COMPILE, "loaded NVRTC %d.%d from %s in %.1f ms", api->major, api->minor, path,
         (dc_clock() - start) * 1e3);
  return true;
}

/* --- one program ------------------------------------------------------------------------------------------ */

/* NVRTC's answer to a step; true to go on. */
static bool passed(const dc_nvrtc_api *api, nvrtcResult r, const char *step, dc_nvrtc_result *out) {
  if (r == 0) return true;
  out->status = r;
  out->step = strdup(step);
  out->status_name = strdup(api->nvrtcGetErrorString(r));
  return false;
}

static bool fetch_log(const dc_nvrtc_api *api, nvrtcProgram p, dc_nvrtc_result *out) {
  size_t n = 0;
  if (api->nvrtcGetProgramLogSize(p, &n) != 0) n = 0;
  out->log = calloc(1, n + 1);
  if (out->log && n > 1 && api->nvrtcGetProgramLog(p, out->log) != 0) out->log[0] = '\0';
  return out->log != NULL;
}

static bool fetch_image(const dc_nvrtc_api *a, nvrtcProgram p, dc_nvrtc_output kind, dc_nvrtc_result *out) {
  static const char step[] = "result";
  const bool ir = kind == DC_NVRTC_LTOIR, binary = kind == DC_NVRTC_CUBIN;
  size_t n = 0;
  if (!passed(a, (ir ? a->nvrtcGetLTOIRSize : binary ? a->nvrtcGetCUBINSize : a->nvrtcGetPTXSize)(p, &n), step, out))
    return true;
  out->image = calloc(1, n + 1);
  out->len = n;
  if (!out->image) return false;
  if (n > 0) passed(a, (ir ? a->nvrtcGetLTOIR : binary ? a->nvrtcGetCUBIN : a->nvrtcGetPTX)(p, out->image), step, out);
  return true;
}

/* --- tile kernels ------------------------------------------------------------------------------------------ */

static bool refuse(dc_nvrtc_result *out, const char *step, dc_buf *log) {
  free(out->log);
  out->log = dc_buf_take(log);
  out->status = DC_NVRTC_REFUSED;
  out->step = strdup(step);
  out->status_name = strdup("TILEIRAS_ERROR");
  return out->log != NULL;
}

/* Installs the headers that the library brings.  Another process may do the same: each writes a folder of its own, and
** the first to rename its folder has made it. */
static bool install_headers(const dc_nvrtc_api *api, const char *folder, dc_buf *log) {
  const char *slash = strrchr(folder, '/'), *why = NULL;
  if (dc_file_is_dir(folder)) return true;
  if (!api->nvrtcInstallBundledHeaders || !api->nvrtcGetTileIR || !slash) {
    dc_buf_printf(log, "error: tile kernels need NVRTC of CUDA 13.5 or newer, this is %d.%d; `make tile` fetches it\n",
                  api->major, api->minor);
    return false;
  }
  char *parent = strndup(folder, (size_t)(slash - folder)), *new = parent ? dc_temp_folder(parent) : NULL;
  const bool made = new && api->nvrtcInstallBundledHeaders(new, 0, &why) == 0 && rename(new, folder) == 0;
  const bool ok = made || dc_file_is_dir(folder);
  if (!ok)
    dc_buf_printf(log, "error: NVRTC's headers cannot be written to %s: %s\n", folder, why ? why : strerror(errno));
  if (new && !made && api->nvrtcRemoveBundledHeaders) {
    (void)api->nvrtcRemoveBundledHeaders(new, &why);
    dc_temp_remove(new);
  }
  free(new);
  free(parent);
  return ok;
}

/* Tile IR is assembled, to machine code or PTX. */
static bool fetch_tile_code(const dc_nvrtc_api *api, nvrtcProgram p, const dc_nvrtc_job *job, dc_nvrtc_result *out) {
  size_t n = 0;
  dc_buf log = DC_BUF_INIT;
  if (!passed(api, api->nvrtcGetTileIRSize(p, &n), "result", out)) return true;
  char *ir = calloc(1, n + 1);
  if (!ir) return false;
  if (passed(api, api->nvrtcGetTileIR(p, ir), "result", out))
    out->image = dc_tile_assemble(job->tile_root, job->tile_gpu, job->output == DC_NVRTC_PTX, ir, n, &out->len, &log);
  free(ir);
  const bool enough_memory = out->status != 0 || out->image || refuse(out, "assembly of Tile IR", &log);
  dc_buf_free(&log);
  return enough_memory;
}

/* --- one program, whole ------------------------------------------------------------------------------------ */

static bool fetch_names(const dc_nvrtc_api *api, nvrtcProgram p, const dc_nvrtc_job *job, dc_nvrtc_result *out) {
  out->lowered = calloc((size_t)job->nexpressions + 1, sizeof *out->lowered);
  if (!out->lowered) return false;
  out->nlowered = job->nexpressions;
  for (int i = 0; i < job->nexpressions; i++) {
    const char *name = NULL; /* a source that ends early may leave it so */
    if (api->nvrtcGetLoweredName(p, job->expressions[i], &name) != 0 || !name) continue;
    if ((out->lowered[i] = strdup(name)) == NULL) return false;
  }
  return true;
}

static bool compile(const dc_nvrtc_api *api, nvrtcProgram p, const dc_nvrtc_job *job, dc_nvrtc_result *out) {
  for (int i = 0; i < job->nexpressions; i++)
    if (!passed(api, api->nvrtcAddNameExpression(p, job->expressions[i]), "name expression", out)) return true;
  const bool good = passed(api, api->nvrtcCompileProgram(p, job->noptions, job->options), "compilation", out);
  if (!fetch_log(api, p, out)) return false;
  if (!good) return true;
  if (!(job->tile_root ? fetch_tile_code(api, p, job, out) : fetch_image(api, p, job->output, out))) return false;
  return out->status != 0 || fetch_names(api, p, job, out);
}

bool dc_nvrtc_run(const dc_nvrtc_api *api, const dc_nvrtc_job *job, dc_nvrtc_result *out) {
  nvrtcProgram p = NULL;
  dc_buf log = DC_BUF_INIT;
  *out = (dc_nvrtc_result){0};
  if (job->tile_root && !install_headers(api, job->tile_headers, &log))
    return refuse(out, "installation of headers", &log);
  if (!passed(api, api->nvrtcCreateProgram(&p, job->text, job->name, job->nheaders, job->header_texts,
                                           job->header_names), "program", out))
    return true;
  const bool enough_memory = compile(api, p, job, out);
  api->nvrtcDestroyProgram(&p);
  return enough_memory;
}
