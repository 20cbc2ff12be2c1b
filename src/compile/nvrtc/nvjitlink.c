/*
** nvjitlink.c - see nvjitlink.h.
*/
#include "compile/nvrtc/nvjitlink.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/file.h"
#include "base/runtime.h"
#include "base/serial.h"
#include "compile/nvrtc/search.h"

typedef struct nvJitLink *handle;
enum { UNRECOGNIZED_OPTION = 1, ARCH_MISMATCH = 13 }; /* of its results; 0 is success */

static struct {
  bool tried;
  dc_buf why;
  bool ok;
  int (*create)(handle *h, uint32_t n, const char **options);
  int (*destroy)(handle *h);
  int (*add)(handle h, int kind, const void *data, size_t size, const char *name);
  int (*complete)(handle h);
  int (*cubin_size)(handle h, size_t *size);
  int (*cubin)(handle h, void *cubin);
  int (*ptx_size)(handle h, size_t *size);
  int (*ptx)(handle h, char *ptx);
  int (*log_size)(handle h, size_t *size);
  int (*log)(handle h, char *log);
} api; /* one thread serves requests */

/* --- the library ------------------------------------------------------------------------------------ */

static bool bind(void *lib, const char *path) {
  static const struct { const char *name; void **slot; } list[] = {
    {"nvJitLinkCreate", (void **)&api.create},
    {"nvJitLinkDestroy", (void **)&api.destroy},
    {"nvJitLinkAddData", (void **)&api.add},
    {"nvJitLinkComplete", (void **)&api.complete},
    {"nvJitLinkGetLinkedCubinSize", (void **)&api.cubin_size},
    {"nvJitLinkGetLinkedCubin", (void **)&api.cubin},
    {"nvJitLinkGetLinkedPtxSize", (void **)&api.ptx_size},
    {"nvJitLinkGetLinkedPtx", (void **)&api.ptx},
    {"nvJitLinkGetErrorLogSize", (void **)&api.log_size},
    {"nvJitLinkGetErrorLog", (void **)&api.log},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    *list[i].slot = dc_dl_sym(lib, list[i].name);
    if (*list[i].slot) continue;
    dc_buf_printf(&api.why, "%s: lacks %s\n", path, list[i].name);
    return false;
  }
  return true;
}

/* Where it is looked for, in order: files that are there, and names for the system's loader. */
typedef struct places {
  char *v[8]; /* owned; the last is NULL */
  int n;
} places;

static void add_place(places *p, char *path) {
  if (path) p->v[p->n++] = path;
}

/* Code of the compiler's own major version is what it links: beside that library first, of the wheels too. */
static void add_candidates(places *p, const char *library) {
  static const char *const versions[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
  static const char *const folders[] = {"", "../../nvjitlink/lib/"};
  const char *slash = library ? strrchr(library, '/') : NULL;
  bool older = library && strstr(library, ".so.12") != NULL;
  for (int v = 0; v < 2; v++) {
    const char *name = versions[older ? 1 - v : v];
    for (int f = 0; f < 2 && slash; f++) {
      dc_buf b = DC_BUF_INIT;
      dc_buf_printf(&b, "%.*s%s%s", (int)(slash + 1 - library), library, folders[f], name);
      char *path = dc_buf_take(&b);
      if (path && dc_file_exists(path)) add_place(p, path);
      else free(path);
    }
    add_place(p, strdup(name));
    if (library) break; /* of another version: it would not take the code */
  }
}

static places find_places(const char *compiler) {
  places p = {.n = 0};
  const char *given = getenv("DOTCOMPUTE_NVJITLINK");
  if (given && strcmp(given, "off") == 0) return p;
  if (given && *given) add_place(&p, strdup(given));
  else add_candidates(&p, compiler);
  return p;
}

static void free_places(places *p) {
  for (int i = 0; i < p->n; i++) free(p->v[i]);
}

static pthread_once_t identity_once = PTHREAD_ONCE_INIT;
static char *identity; /* kept for the life of the process */

static void identify(void) {
  places p = find_places(dc_nvrtc_library());
  if (p.n > 0 && (identity = dc_file_identity(p.v[0])) == NULL) identity = strdup(p.v[0]);
  free_places(&p);
}

const char *dc_nvjitlink_identity(void) {
  pthread_once(&identity_once, identify);
  return identity ? identity : "";
}

static void load(const char *compiler) {
  places p = find_places(compiler);
  char *path = NULL;
  if (p.n == 0) dc_buf_puts(&api.why, "switched off by DOTCOMPUTE_NVJITLINK=off\n");
  void *lib = p.n > 0 ? dc_dl_open((const char *const *)p.v, &path, &api.why) : NULL;
  api.ok = lib && bind(lib, path ? path : "libnvJitLink");
  if (api.ok) dc_log(DC_LOG_COMPILE, "loaded nvJitLink from %s", path ? path : "?");
  free_places(&p);
  free(path);
  api.tried = true;
}

static int fail_not_found(dc_error *err) {
  dc_fail(err, DC_COMPILE, "NVJITLINK_NOT_FOUND",
          "NVIDIA's linker (libnvJitLink.so of the compiler's CUDA version) was not found: install the CUDA toolkit's "
          "libnvjitlink (the wheel nvidia-nvjitlink), or set DOTCOMPUTE_NVJITLINK to the file");
  dc_error_set_log(err, dc_buf_str(&api.why));
  return -1;
}

/* --- a job as bytes ---------------------------------------------------------------------------------- */

void dc_link_job_put(dc_buf *b, const dc_link_job *job) {
  dc_put_number(b, (uint64_t)job->n);
  for (int i = 0; i < job->n; i++) {
    dc_put_number(b, job->inputs[i].kind);
    dc_put_bytes(b, job->inputs[i].bytes, job->inputs[i].len);
  }
  dc_put_string(b, job->arch);
  dc_put_number(b, job->lto);
  dc_put_number(b, job->ptx);
  dc_put_strings(b, job->options, job->noptions);
  dc_put_string(b, job->compiler ? job->compiler : "");
}

static dc_link_input *get_inputs(dc_reader *r, int *n) {
  const uint64_t count = dc_get_number(r);
  dc_link_input *inputs = NULL;
  *n = 0;
  if (!r->bad && count <= (uint64_t)(r->end - r->p)) inputs = calloc((size_t)count + 1, sizeof *inputs);
  if (!inputs) r->bad = true;
  for (; !r->bad && *n < (int)count; (*n)++) {
    const int kind = (int)dc_get_number(r);
    inputs[*n].kind = kind;
    inputs[*n].bytes = dc_get_bytes_in_place(r, &inputs[*n].len);
  }
  return inputs;
}

int dc_link_job_get(dc_reader *r, dc_link_job *job) {
  *job = (dc_link_job){.inputs = NULL};
  job->inputs = get_inputs(r, &job->n);
  job->arch = dc_get_string_in_place(r);
  job->lto = dc_get_number(r) != 0;
  job->ptx = dc_get_number(r) != 0;
  job->options = dc_get_strings_in_place(r, &job->noptions);
  job->compiler = dc_get_string_in_place(r);
  if (job->compiler && !*job->compiler) job->compiler = NULL;
  if (!r->bad) return 0;
  dc_link_job_free(job);
  return -1;
}

void dc_link_job_free(dc_link_job *job) {
  free((void *)job->inputs);
  free((void *)job->options);
}

/* --- one link --------------------------------------------------------------------------------------- */

/* The log's line that says what is wrong, behind what such lines begin with ("ptxas fatal   : ", "source 2: link error:
** error: "); those about the linker's own inside come first or last. */
static const char *telling_line(const char *log, size_t *n) {
  const char *found = "";
  for (const char *s = log; *s; s += strspn(s, "\n")) {
    if (!*found || (strncmp(found, "ERROR ", 6) == 0 && strncmp(s, "ERROR ", 6) != 0)) found = s;
    s += strcspn(s, "\n");
  }
  *n = strcspn(found, "\n");
  static const char *const beginnings[] = {"error: ", "error   : ", "fatal   : "};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
    const size_t m = strlen(beginnings[i]);
    for (const char *p; (p = memmem(found, *n, beginnings[i], m)) != NULL; found = p + m) *n -= (size_t)(p + m - found);
  }
  return found;
}

static int fail_link(handle h, const char *what, int r, dc_error *err) {
  size_t n = 0;
  char *log = api.log_size(h, &n) == 0 && n > 1 ? calloc(1, n + 1) : NULL;
  if (log && api.log(h, log) != 0) log[0] = '\0';
  for (n = log ? strlen(log) : 0; n > 0 && log[n - 1] == '\n'; n--) log[n - 1] = '\0';
  const char *line = telling_line(log ? log : "", &n);
  if (n > 0) dc_fail(err, DC_COMPILE, "NVJITLINK_ERROR", "the sources cannot be linked: %.*s", (int)n, line);
  else dc_fail(err, DC_COMPILE, "NVJITLINK_ERROR", "the sources cannot be linked: %s failed (%d)", what, r);
  dc_error_set_log(err, log);
  free(log);
  return -1;
}

static int add_inputs(handle h, const dc_link_job *job, dc_error *err) {
  for (int i = 0; i < job->n; i++) {
    const dc_link_input *in = &job->inputs[i];
    char name[24];
    snprintf(name, sizeof name, "source %d", i + 1);
    size_t size = in->len + (in->kind == DC_LINK_PTX); /* PTX with its NUL */
    int r = api.add(h, in->kind, in->bytes, size, name);
    if (r == ARCH_MISMATCH)
      return dc_fail(err, DC_COMPILE, DC_LINK_NEWER, "%s of those to be linked is for a newer architecture than %s",
                     name, job->arch);
    if (r != 0) return fail_link(h, "nvJitLinkAddData", r, err);
  }
  return 0;
}

static int link_all(handle h, const dc_link_job *job, void **code, size_t *len, dc_error *err) {
  if (add_inputs(h, job, err) != 0) return -1;
  int r = api.complete(h);
  if (r != 0) return fail_link(h, "nvJitLinkComplete", r, err);
  if ((r = (job->ptx ? api.ptx_size : api.cubin_size)(h, len)) != 0)
    return fail_link(h, "the size of what nvJitLink made", r, err);
  char *bytes = *code = calloc(1, *len + 1);
  if (!bytes) return dc_fail_oom(err);
  if ((r = job->ptx ? api.ptx(h, bytes) : api.cubin(h, bytes)) == 0) return 0;
  free(bytes);
  *code = NULL;
  return fail_link(h, "what nvJitLink made", r, err);
}

static int fail_create(const char *const *options, int n, int r, dc_error *err) {
  dc_buf b = DC_BUF_INIT;
  for (int i = 0; i < n; i++) dc_buf_printf(&b, " %s", options[i]);
  dc_fail(err, DC_COMPILE, "NVJITLINK_ERROR", "nvJitLink does not link with%s (%d)%s", dc_buf_str(&b), r,
          r == UNRECOGNIZED_OPTION ? ": it does not know one of these options" : "");
  dc_buf_free(&b);
  return -1;
}

void *dc_nvjitlink(const dc_link_job *job, size_t *len, dc_error *err) {
  if (!api.tried) load(job->compiler);
  if (!api.ok) {
    fail_not_found(err);
    return NULL;
  }
  char arch[48];
  snprintf(arch, sizeof arch, "-arch=%s", job->arch);
  const char **options = malloc(sizeof *options * (size_t)(job->noptions + 3));
  if (!options) return dc_fail_oom(err), NULL;
  int n = 0;
  options[n++] = arch;
  if (job->lto) options[n++] = "-lto";
  if (job->ptx) options[n++] = "-ptx";
  for (int i = 0; i < job->noptions; i++) options[n++] = job->options[i];
  handle h = NULL;
  void *code = NULL;
  double start = dc_clock();
  int r = api.create(&h, (uint32_t)n, options);
  if (r != 0) fail_create(options, n, r, err);
  else if (link_all(h, job, &code, len, err) == 0)
    dc_log(DC_LOG_COMPILE, "nvJitLink: %d sources for %s in %.1f ms", job->n, job->arch, (dc_clock() - start) * 1e3);
  if (r == 0) api.destroy(&h);
  free(options);
  return code;
}
