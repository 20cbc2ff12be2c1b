/*
** compile.c - the room's face: cache, compiler, signatures put together.
*/
#include "compile/compile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/runtime.h"
#include "base/version.h"
#include "compile/cache.h"
#include "compile/entries.h"
#include "compile/include.h"
#include "compile/log.h"
#include "compile/nvrtc.h"
#include "compile/pack.h"
#include "compile/ready.h"
#include "compile/scan.h"
#include "compile/signature.h"
#include "compile/toolkit.h"

/* Small C headers of our own, which NVRTC lacks; embedded by the build (tools/embed.c). */
struct dc_embedded {
  const char *name, *text;
  size_t len;
};
extern const struct dc_embedded dc_embedded_shims[];

/* --- one run of NVRTC --------------------------------------------------------------------------- */

/* A kernel that is wanted with its types: by name, and what the scan knows of it. */
typedef struct wanted {
  const char *asked, *name; /* name is NULL once NVRTC refused it */
  const dc_scanned *scanned;
  char *query;             /* owned; NULL when its types could not be had before */
  char *lowered, *types;   /* owned results; NULL when the name is none */
  char *why_not;           /* owned: what NVRTC said against the name */
} wanted;

typedef struct job {
  const dc_source *src;
  const char *arch;
  bool binary;
  const dc_nvrtc_api *api;
  dc_arena arena;
  wanted *list;
  int nlist;
  char *raw, *log;         /* of the last run: as NVRTC wrote it, and cleaned */
  void *bytes;
  size_t len;
  dc_entry *entries;
} job;

typedef struct strings {
  const char **v;
  int n;
  dc_arena *arena;
  bool failed;
} strings;

static void add_string(strings *s, const char *text) {
  if (s->n % 16 == 0) {
    const char **more = dc_arena_alloc(s->arena, sizeof *more * (size_t)(s->n + 16));
    if (!more) {
      s->failed = true;
      return;
    }
    if (s->n) memcpy(more, s->v, sizeof *more * (size_t)s->n);
    s->v = more;
  }
  s->v[s->n++] = text;
}

static void add_option(strings *s, const char *prefix, const char *value) {
  size_t a = strlen(prefix), b = strlen(value);
  char *text = dc_arena_alloc(s->arena, a + b + 1);
  if (!text) {
    s->failed = true;
    return;
  }
  memcpy(text, prefix, a);
  memcpy(text + a, value, b + 1);
  add_string(s, text);
}

static bool names_standard(const dc_source *src) {
  for (int i = 0; i < src->noptions; i++)
    if (strncmp(src->options[i], "-std", 4) == 0 || strncmp(src->options[i], "--std", 5) == 0) return true;
  return false;
}

static void collect_options(const job *j, strings *o) {
  const dc_source *src = j->src;
  add_option(o, "--gpu-architecture=", j->arch);
  if (!names_standard(src)) add_string(o, "--std=c++17");
  if (!j->binary) add_string(o, "-lineinfo"); /* the CPU device names lines */
  add_string(o, "-DINFINITY=(__builtin_bit_cast(float,0x7f800000))"); /* nvcc has these without any #include */
  add_string(o, "-DNAN=(__builtin_bit_cast(float,0x7fc00000))");
  add_string(o, "-DM_PI=3.14159265358979323846");
  for (int i = 0; i < src->noptions; i++) add_string(o, src->options[i]);
  for (int i = 0; i < src->ninclude_dirs; i++) add_option(o, "-I", src->include_dirs[i]);
  if (dc_toolkit_include()) add_option(o, "-I", dc_toolkit_include());
  if (dc_toolkit_cccl()) add_option(o, "-I", dc_toolkit_cccl());
  if (dc_toolkit_curand()) add_option(o, "-I", dc_toolkit_curand());
}

static int fail_nvrtc(const job *j, nvrtcResult r, const char *what, dc_error *err) {
  const char *code = j->api->nvrtcGetErrorString(r); /* "NVRTC_ERROR_INVALID_OPTION" */
  return dc_fail(err, DC_COMPILE, code, "NVRTC's %s failed: %s", what, code);
}

/* One that came with a log, whose first line tells more than the code: an option refused, most often. */
static int fail_logged(const job *j, nvrtcResult r, dc_error *err) {
  const char *log = j->log && *j->log ? j->log : NULL, *code = j->api->nvrtcGetErrorString(r);
  if (!log) return fail_nvrtc(j, r, "compilation", err);
  dc_fail(err, DC_COMPILE, code, "%.*s", (int)strcspn(log, "\n"), log);
  dc_error_set_log(err, log);
  return -1;
}

static int fetch_log(job *j, nvrtcProgram p, dc_error *err) {
  size_t n = 0;
  if (j->api->nvrtcGetProgramLogSize(p, &n) != 0 || n == 0) n = 1;
  free(j->raw);
  free(j->log);
  j->log = NULL;
  j->raw = calloc(1, n + 1);
  if (!j->raw) return dc_fail_oom(err);
  if (n > 1 && j->api->nvrtcGetProgramLog(p, j->raw) != 0) j->raw[0] = '\0';
  j->log = dc_log_clean(j->raw);
  return j->log ? 0 : dc_fail_oom(err);
}

static int fetch_image(job *j, nvrtcProgram p, dc_error *err) {
  size_t n = 0;
  nvrtcResult r = j->binary ? j->api->nvrtcGetCUBINSize(p, &n) : j->api->nvrtcGetPTXSize(p, &n);
  if (r != 0) return fail_nvrtc(j, r, "result", err);
  free(j->bytes);
  j->bytes = malloc(n + 1);
  if (!j->bytes) return dc_fail_oom(err);
  r = j->binary ? j->api->nvrtcGetCUBIN(p, j->bytes) : j->api->nvrtcGetPTX(p, j->bytes);
  if (r != 0) return fail_nvrtc(j, r, "result", err);
  ((char *)j->bytes)[n] = '\0';
  j->len = j->binary ? n : dc_ptx_strip_queries(j->bytes, strlen(j->bytes));
  return 0;
}

static int fetch_names(job *j, nvrtcProgram p, dc_error *err) {
  for (int i = 0; i < j->nlist; i++) {
    wanted *w = &j->list[i];
    const char *name = NULL;
    free(w->lowered);
    free(w->types);
    w->lowered = w->types = NULL;
    if (w->name && j->api->nvrtcGetLoweredName(p, w->name, &name) == 0 && !(w->lowered = strdup(name)))
      return dc_fail_oom(err);
    if (w->query && j->api->nvrtcGetLoweredName(p, w->query, &name) == 0 && !(w->types = strdup(name)))
      return dc_fail_oom(err);
  }
  return 0;
}

/* 0: compiled; 1: NVRTC refused the source (j->log says why); -1: error. */
static int compile_program(job *j, nvrtcProgram p, strings *options, dc_error *err) {
  for (int i = 0; i < j->nlist; i++) {
    if (!j->list[i].name) continue;
    nvrtcResult r = j->api->nvrtcAddNameExpression(p, j->list[i].name);
    if (r == 0 && j->list[i].query) r = j->api->nvrtcAddNameExpression(p, j->list[i].query);
    if (r != 0) return fail_nvrtc(j, r, "name expression", err);
  }
  double start = dc_clock();
  nvrtcResult r = j->api->nvrtcCompileProgram(p, options->n, options->v);
  dc_log(DC_LOG_COMPILE, "NVRTC: %zu bytes for %s in %.1f ms", j->src->len, j->arch, (dc_clock() - start) * 1e3);
  if (fetch_log(j, p, err) != 0) return -1;
  if (r == NVRTC_COMPILATION_FAILED) return 1;
  if (r != 0) return fail_logged(j, r, err);
  return fetch_image(j, p, err) != 0 || fetch_names(j, p, err) != 0 ? -1 : 0;
}

/* The caller's own header of that name takes the shim's place. */
static bool brings(const dc_source *src, const char *name) {
  for (int i = 0; i < src->nheaders; i++)
    if (strcmp(src->header_names[i], name) == 0) return true;
  return false;
}

static int run(job *j, dc_error *err) {
  strings options = {.arena = &j->arena}, names = {.arena = &j->arena}, texts = {.arena = &j->arena};
  collect_options(j, &options);
  for (int i = 0; i < j->src->nheaders; i++) {
    add_string(&names, j->src->header_names[i]);
    add_string(&texts, j->src->header_texts[i]);
  }
  for (const struct dc_embedded *s = dc_embedded_shims; s->name; s++) {
    if (brings(j->src, s->name)) continue;
    add_string(&names, s->name);
    add_string(&texts, s->text);
  }
  dc_buf text = DC_BUF_INIT;
  dc_buf_add(&text, j->src->text, j->src->len);
  bool ask = false;
  for (int i = 0; i < j->nlist; i++) ask = ask || j->list[i].query;
  if (ask) dc_buf_puts(&text, dc_signature_prelude);
  if (text.failed || options.failed || names.failed || texts.failed) {
    dc_buf_free(&text);
    return dc_fail_oom(err);
  }
  nvrtcProgram p = NULL;
  nvrtcResult r = j->api->nvrtcCreateProgram(&p, dc_buf_str(&text), DC_NVRTC_NAME, names.n, texts.v, names.v);
  dc_buf_free(&text);
  if (r != 0) return fail_nvrtc(j, r, "program", err);
  int result = compile_program(j, p, &options, err);
  j->api->nvrtcDestroyProgram(&p);
  return result;
}

/* --- the kernels of a source ------------------------------------------------------------------ */

static int want(job *j, const char *name, const dc_scanned *scanned, dc_error *err) {
  wanted *more = realloc(j->list, sizeof *more * (size_t)(j->nlist + 1));
  if (!more) return dc_fail_oom(err);
  j->list = more;
  j->list[j->nlist++] = (wanted){.asked = name, .name = name, .scanned = scanned, .query = dc_signature_query(name)};
  return j->list[j->nlist - 1].query ? 0 : dc_fail_oom(err);
}

/* "ns::scale<float, 4>" belongs to the template "ns::scale". */
static const dc_scanned *template_of(const dc_scanned *all, const char *instance) {
  size_t n = strcspn(instance, "<");
  for (const dc_scanned *k = all; k; k = k->next)
    if (k->is_template && strlen(k->name) == n && strncmp(k->name, instance, n) == 0) return k;
  return NULL;
}

/* The last run failed over name expressions alone: those blamed lose their name (the preprocessor dropped the
** kernel, or it is overloaded) or their query; where nothing is blamed, all queries go.  False: nothing to drop. */
static bool drop_bad_names(job *j) {
  bool blamed = false, asked = false;
  for (int i = 0; i < j->nlist; i++) {
    wanted *w = &j->list[i];
    char *query = w->query ? dc_log_blame(j->raw, w->query) : NULL;
    char *name = w->name ? dc_log_blame(j->raw, w->name) : NULL;
    asked = asked || w->query;
    blamed = blamed || query || name;
    if (query || name) {
      free(w->query);
      w->query = NULL;
    }
    if (name) {
      w->name = NULL;
      w->why_not = query ? query : name; /* the query's is about the types, the name's only says that it failed */
    }
    if (w->why_not != query) free(query);
    if (w->why_not != name) free(name);
  }
  for (int i = 0; i < j->nlist && !blamed; i++) {
    free(j->list[i].query);
    j->list[i].query = NULL;
  }
  return blamed || asked;
}

static int fail_compilation(const job *j, dc_error *err) {
  int line;
  char *sentence;
  bool found = dc_log_first_error(j->log, &line, &sentence);
  dc_fail(err, DC_COMPILE, "NVRTC_ERROR_COMPILATION", "%s",
          found && sentence ? sentence : "the source does not compile");
  err->source_line = line;
  dc_error_set_log(err, j->log);
  free(sentence);
  return -1;
}

/* The errors are about names only, none about the source. */
static bool only_names_failed(const job *j) {
  int line;
  char *sentence = NULL;
  bool real = dc_log_first_error(j->log, &line, &sentence);
  free(sentence);
  return !real && dc_log_names_trouble(j->raw);
}

/* Compiles with all the names that are good. */
static int run_with_names(job *j, dc_error *err) {
  int r = run(j, err);
  while (r == 1 && only_names_failed(j) && drop_bad_names(j)) r = run(j, err);
  return r == 1 ? fail_compilation(j, err) : r;
}

static const wanted *by_lowered(const job *j, const char *lowered) {
  for (int i = 0; i < j->nlist; i++)
    if (j->list[i].lowered && strcmp(j->list[i].lowered, lowered) == 0) return &j->list[i];
  return NULL;
}

static bool asked_before(const job *j, const char *name) {
  for (int i = 0; i < j->nlist; i++)
    if (strcmp(j->list[i].asked, name) == 0) return true;
  return false;
}

/* Kernels that macros made show only in the image: asked for by the names found there. */
static int want_unseen(job *j, bool *more, dc_error *err) {
  *more = false;
  for (const dc_entry *e = j->entries; e; e = e->next) {
    if (by_lowered(j, e->name) || asked_before(j, e->source_name)) continue;
    if (want(j, e->source_name, NULL, err) != 0) return -1;
    *more = true;
  }
  return 0;
}

static int find_entries(job *j, dc_error *err) {
  bool failed = false;
  j->entries = dc_image_entries(j->bytes, j->len, j->binary, &j->arena, &failed);
  return failed ? dc_fail_oom(err) : 0;
}

static int fill_signature(dc_signature *sig, const wanted *w, dc_error *err) {
  if (w->types) {
    dc_error untyped = DC_ERROR_INIT; /* not understood: the kernel is there, without types */
    if (dc_signature_types(w->types, sig, &untyped) != 0) dc_log(DC_LOG_COMPILE, "%s", dc_error_text(&untyped));
    dc_error_clear(&untyped);
  }
  return dc_signature_finish(sig, w->name, w->lowered, w->scanned, err);
}

/* Entries that no name fetched (overloads above all) are told by their own mangling. */
static int fill_rest(const job *j, dc_image *image, dc_error *err) {
  for (const dc_entry *e = j->entries; e; e = e->next)
    if (!by_lowered(j, e->name) && dc_signature_of_entry(&image->kernels[image->nkernels++], e->name, err) != 0)
      return -1;
  return 0;
}

static int fill_image(job *j, dc_image *image, dc_error *err) {
  int n = j->nlist;
  for (const dc_entry *e = j->entries; e; e = e->next) n++;
  image->kernels = calloc((size_t)n + 1, sizeof *image->kernels);
  if (!image->kernels) return dc_fail_oom(err);
  for (int i = 0; i < j->nlist; i++) {
    if (!j->list[i].name || !j->list[i].lowered) continue;
    if (fill_signature(&image->kernels[image->nkernels++], &j->list[i], err) != 0) return -1;
  }
  if (fill_rest(j, image, err) != 0) return -1;
  image->binary = j->binary;
  image->bytes = j->bytes;
  image->len = j->len;
  image->log = j->log;
  j->bytes = NULL;
  j->log = NULL;
  return 0;
}

static int make_image(job *j, dc_image **out, dc_error *err) {
  dc_image *image = calloc(1, sizeof *image);
  if (!image) return dc_fail_oom(err);
  if (fill_image(j, image, err) != 0) {
    dc_image_free(image);
    return -1;
  }
  *out = image;
  return 0;
}

/* Every template instance that the caller named must be there. */
static int check_instances(const job *j, int first, dc_error *err) {
  for (int i = first; i < first + j->src->ninstantiate; i++) {
    const wanted *w = &j->list[i];
    if (!w->name || !w->lowered)
      return dc_fail(err, DC_COMPILE, "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                     "'%s' names no instance of a kernel in this source%s%s", w->asked, w->why_not ? ": " : "",
                     w->why_not ? w->why_not : "");
  }
  return 0;
}

static int compile_all(job *j, dc_image **out, dc_error *err) {
  bool failed = false, more = false;
  const dc_source *src = j->src;
  dc_scanned *all = dc_scan(src->text, src->len, &j->arena, &failed);
  if (failed) return dc_fail_oom(err);
  bool templates = false;
  for (dc_scanned *k = all; k; k = k->next) {
    templates = templates || k->is_template;
    if (!k->is_template && want(j, k->name, k, err) != 0) return -1;
  }
  for (int i = 0; i < src->ninstantiate; i++)
    if (want(j, src->instantiate[i], template_of(all, src->instantiate[i]), err) != 0) return -1;
  if (src->no_signatures)
    for (int i = 0; i < j->nlist; i++) {
      free(j->list[i].query);
      j->list[i].query = NULL;
    }
  if (run_with_names(j, err) != 0 || check_instances(j, j->nlist - src->ninstantiate, err) != 0) return -1;
  if (!src->no_signatures) {
    if (find_entries(j, err) != 0 || want_unseen(j, &more, err) != 0) return -1;
    if (more && (run_with_names(j, err) != 0 || find_entries(j, err) != 0)) return -1;
  }
  if (make_image(j, out, err) != 0) return -1;
  if ((*out)->nkernels == 0 && !templates) {
    dc_image_free(*out);
    *out = NULL;
    return dc_fail(err, DC_COMPILE, NULL, "the source holds no kernel: a function marked __global__ is needed");
  }
  return 0;
}

/* --- cache -------------------------------------------------------------------------------------- */

/* *whole: everything that the image depends on is in the key. */
static int make_key(const dc_source *src, const char *arch, bool binary, char key[65], bool *whole, dc_error *err) {
  dc_sha256 h;
  uint8_t digest[32];
  dc_sha256_init(&h);
  dc_sha256_str(&h, "image " DC_VERSION " 2");
  dc_sha256_str(&h, dc_nvrtc_identity());
  dc_sha256_str(&h, dc_toolkit_identity());
  dc_sha256_str(&h, arch);
  dc_sha256_str(&h, binary ? "cubin" : "ptx");
  dc_sha256_str(&h, src->no_signatures ? "plain" : "typed");
  dc_sha256_str(&h, src->text);
  dc_sha256_str(&h, dc_signature_prelude);
  for (const struct dc_embedded *s = dc_embedded_shims; s->name; s++) dc_sha256_str(&h, s->text);
  for (int i = 0; i < src->noptions; i++) dc_sha256_str(&h, src->options[i]);
  dc_sha256_str(&h, "instances");
  for (int i = 0; i < src->ninstantiate; i++) dc_sha256_str(&h, src->instantiate[i]);
  dc_sha256_str(&h, "folders");
  for (int i = 0; i < src->ninclude_dirs; i++) dc_sha256_str(&h, src->include_dirs[i]);
  if (dc_include_hash(src, &h, whole, err) != 0) return -1;
  dc_sha256_end(&h, digest);
  dc_sha256_hex(digest, key);
  return 0;
}

static dc_image *from_cache(const char *key) {
  void *data;
  size_t len;
  if (!dc_cache_get(key, &data, &len)) return NULL;
  dc_image *image = dc_image_unpack(data, len);
  free(data);
  if (image) image->cached = true;
  return image;
}

static void to_cache(const char *key, const dc_image *image) {
  void *data;
  size_t len;
  if (dc_image_pack(image, &data, &len) != 0) return; /* out of memory: merely not cached */
  dc_cache_put(key, data, len);
  free(data);
}

static void job_free(job *j) {
  for (int i = 0; i < j->nlist; i++) {
    free(j->list[i].query);
    free(j->list[i].lowered);
    free(j->list[i].types);
    free(j->list[i].why_not);
  }
  free(j->list);
  free(j->raw);
  free(j->log);
  free(j->bytes);
  dc_arena_free(&j->arena);
}

static int compile_for(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  job j = {.src = src, .arch = arch, .binary = binary, .api = dc_nvrtc(err), .arena = DC_ARENA_INIT};
  if (!j.api) return -1;
  int result = compile_all(&j, out, err);
  job_free(&j);
  return result;
}

/* Whether a source that compute_75 refuses may be one for newer devices: what it lacks there is a name, or it says so
** itself. */
static bool wants_newer(const dc_error *err) {
  static const char *const signs[] = {"is undefined", "#error", "static assertion", "architecture", "sm_", "arch",
                                      "has no member"};
  if (!err->log || strcmp(err->code, "NVRTC_ERROR_COMPILATION") != 0) return false;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (strstr(err->log, signs[i])) return true;
  return false;
}

/* The CPU device's PTX is compute_75's, the plainest; what only compiles for compute_80 (__reduce_add_sync, …) runs
** there too.  When both fail, the first one's errors are told. */
static int compile_widely(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  dc_error newer = DC_ERROR_INIT;
  if (compile_for(src, arch, binary, out, err) == 0) return 0;
  if (binary || strcmp(arch, "compute_75") != 0 || !wants_newer(err)) return -1;
  int result = compile_for(src, "compute_80", false, out, &newer);
  dc_error_clear(result == 0 ? err : &newer);
  return result;
}

/* Compiles and puts the image into the cache. */
static int make_and_keep(const dc_source *src, const char *arch, bool binary, const char *key, dc_image **out,
                         dc_error *err) {
  const char *identity = dc_nvrtc_identity();
  if (compile_widely(src, arch, binary, out, err) != 0) return -1;
  dc_count(&dc_stats.compiles, 1);
  if (key && identity == dc_nvrtc_identity()) to_cache(key, *out); /* the key names the compiler that did it */
  return 0;
}

int dc_compile(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  char key[65];
  bool whole;
  *out = NULL;
  const char *nul = memchr(src->text, '\0', src->len);
  if (nul)
    return dc_fail(err, DC_COMPILE, NULL, "the source holds a NUL byte at position %zu", (size_t)(nul - src->text) + 1);
  if (src->text[strspn(src->text, " \t\r\n\f\v")] == '\0')
    return dc_fail(err, DC_COMPILE, NULL, "the source is empty: CUDA C with a function marked __global__ is needed");
  if (dc_is_ptx(src->text)) return dc_ready_image(src, out, err);
  if (make_key(src, arch, binary, key, &whole, err) != 0) return -1;
  if (!whole) { /* an #include by a macro's name: nobody knows what the image depends on */
    dc_log(DC_LOG_CACHE, "not cached: the source includes a header by a macro's name");
    return make_and_keep(src, arch, binary, NULL, out, err);
  }
  if ((*out = from_cache(key)) != NULL) {
    dc_count(&dc_stats.cache_hits, 1);
    dc_log(DC_LOG_CACHE, "hit %.16s", key);
    return 0;
  }
  dc_count(&dc_stats.cache_misses, 1);
  dc_log(DC_LOG_CACHE, "miss %.16s", key);
  return make_and_keep(src, arch, binary, key, out, err);
}

/* --- which architecture ------------------------------------------------------------------------- */

/* NVRTC's list of architectures, remembered in the cache so that a warm start does not load NVRTC. */
static int supported(int archs[64], int *n, dc_error *err) {
  char key[65];
  uint8_t digest[32];
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_str(&h, "architectures");
  dc_sha256_str(&h, dc_nvrtc_identity());
  dc_sha256_end(&h, digest);
  dc_sha256_hex(digest, key);
  void *data;
  size_t len;
  if (dc_cache_get(key, &data, &len)) {
    *n = len <= 64 * sizeof(int) ? (int)(len / sizeof(int)) : 0;
    memcpy(archs, data, (size_t)*n * sizeof(int));
    free(data);
    if (*n > 0) return 0;
  }
  const dc_nvrtc_api *api = dc_nvrtc(err);
  if (!api) return -1;
  if (api->nvrtcGetNumSupportedArchs(n) != 0 || *n < 1 || *n > 64 || api->nvrtcGetSupportedArchs(archs) != 0)
    return dc_fail(err, DC_COMPILE, "NVRTC_ERROR", "NVRTC does not tell which architectures it compiles for");
  dc_cache_put(key, archs, (size_t)*n * sizeof(int));
  return 0;
}

int dc_compile_target(int major, int minor, char arch[24], bool *binary, dc_error *err) {
  int archs[64], n, best = 0, own = major * 10 + minor;
  if (supported(archs, &n, err) != 0) return -1;
  for (int i = 0; i < n; i++)
    if (archs[i] <= own && archs[i] > best) best = archs[i];
  if (best == 0)
    return dc_fail(err, DC_COMPILE, NULL, "%s does not compile for compute capability %d.%d any more (oldest: %d.%d)",
                   dc_nvrtc_library(), major, minor, archs[0] / 10, archs[0] % 10);
  *binary = best == own;
  snprintf(arch, 24, "%s_%d", *binary ? "sm" : "compute", best);
  return 0;
}

/* --- what is there ------------------------------------------------------------------------------ */

static dc_compiler_info info;
static pthread_once_t info_once = PTHREAD_ONCE_INIT;

static void gather(void) {
  dc_error err = DC_ERROR_INIT;
  const dc_nvrtc_api *api = dc_nvrtc(&err);
  info.available = api != NULL;
  if (api) {
    info.major = api->major;
    info.minor = api->minor;
  } else {
    dc_buf b = DC_BUF_INIT;
    dc_buf_printf(&b, "%s\n%s", dc_error_text(&err), err.log ? err.log : "");
    info.why_not = dc_buf_take(&b); /* kept for the life of the process */
  }
  info.library = dc_nvrtc_library();
  info.include_dir = dc_toolkit_include();
  info.cccl_dir = dc_toolkit_cccl();
  info.cache_dir = dc_cache_folder();
  info.cache_note = dc_cache_note();
  dc_error_clear(&err);
}

const dc_compiler_info *dc_compiler(void) {
  pthread_once(&info_once, gather);
  return &info;
}
