/*
** compile.c - the room's face: an image comes from a bundle, from the cache, from NVRTC, or is taken as it is.
*/
#include "compile/compile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/notice.h"
#include "base/runtime.h"
#include "base/version.h"
#include "compile/attempts.h"
#include "compile/bundle.h"
#include "compile/cache.h"
#include "compile/cache_key.h"
#include "compile/link/link.h"
#include "compile/link/lto.h"
#include "compile/link/prebuilt.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/search.h"
#include "compile/nvrtc/toolkit.h"
#include "compile/program.h"
#include "compile/serialize.h"
#include "compile/tile_tools.h"
#include "compile/types/declarations.h"
#include "compile/types/image.h"
#include "compile/types/scan.h"
#include "compile/types/source.h"

/* --- where images are kept ------------------------------------------------------------------------ */

static dc_image *from_cache(const char *key) {
  void *data;
  size_t len;
  if (!dc_cache_get(key, &data, &len)) return NULL;
  dc_image *image = dc_image_deserialize(data, len);
  free(data);
  if (image) image->cached = true;
  return image;
}

static void to_cache(const char *key, dc_image *image) {
  void *data;
  size_t len;
  if (dc_image_serialize(image, &data, &len) != 0) return; /* out of memory: merely not cached */
  dc_cache_put(key, data, len);
  free(data);
}

static dc_image *from_bundle(const char *key) {
  void *data;
  size_t len;
  if (!dc_bundle_active() || !dc_bundle_get(key, &data, &len)) return NULL;
  dc_image *image = dc_image_deserialize(data, len);
  free(data);
  if (image) image->cached = true;
  return image;
}

static void to_bundle(const char *key, const char *arch, dc_image *image) {
  void *data;
  size_t len;
  if (!dc_bundle_active() || dc_image_serialize(image, &data, &len) != 0) return;
  dc_bundle_note(key, arch, data, len);
  free(data);
}

/* Without a compiler, what a bundle does not hold cannot be had: the message says why. */
static void mention_bundle(const char *arch, dc_error *err) {
  char *reason = strcmp(err->code, "NVRTC_NOT_FOUND") == 0 ? dc_bundle_explain(arch) : NULL;
  if (!reason) return;
  char *log = err->log ? strdup(err->log) : NULL;
  dc_fail(err, err->kind, err->code, "%s, and %s", reason, dc_error_text(err));
  dc_error_set_log(err, log);
  free(log);
  free(reason);
}

/* "saxpy", "scale<float>", "saxpy and 2 more": the kernels that a status line names while they are compiled. */
static void describe(const dc_source *src, char *text, size_t n) {
  dc_arena arena = DC_ARENA_INIT;
  bool failed = false;
  const char *first = src->ninstantiate > 0 ? src->instantiate[0] : NULL;
  int count = src->ninstantiate;
  for (const dc_scanned *s = dc_scan(src->text, src->len, &arena, &failed); s != NULL && !failed; s = s->next) {
    if (s->is_variable || s->is_template) continue;
    if (first == NULL) first = s->name;
    count++;
  }
  if (count > 1) snprintf(text, n, "%.40s and %d more", first, count - 1);
  else snprintf(text, n, "%.60s", first != NULL ? first : "a module");
  dc_arena_free(&arena);
}

/* Compiles and puts the image into the cache. key: NULL for none. */
static int make_and_keep(const dc_source *src, const char *arch, bool binary, const char *key, dc_image **out,
                         dc_error *err) {
  const char *identity = dc_nvrtc_identity();
  char names[64];
  dc_notice notice;
  describe(src, names, sizeof names);
  dc_notice_begin(&notice, "compiling", names);
  int rc = src->nunits > 0 ? dc_link_units(src, dc_compile, arch, binary, out, err)
                           : dc_compile_program(src, arch, binary, out, err);
  dc_notice_end(&notice);
  if (rc != 0) {
    if (!src->part) mention_bundle(arch, err);
    return -1;
  }
  if (src->nunits == 0) dc_count(&dc_process.stats.compiles, 1);
  if (key && identity == dc_nvrtc_identity()) to_cache(key, *out); /* the key names the compiler that did it */
  return 0;
}

/* Kernels' names, for the log: what the key stands for. */
static void log_image(const char *what, const char *key, const dc_image *image, double seconds) {
  dc_buf names = DC_BUF_INIT;
  if (!dc_log_on(DC_LOG_CACHE)) return;
  for (int i = 0; i < image->nkernels && i < 3; i++)
    dc_buf_printf(&names, "%s%s", i ? ", " : "", image->kernels[i].name);
  if (image->nkernels > 3) dc_buf_puts(&names, ", ...");
  dc_log(DC_LOG_CACHE, "%s %.16s: %s, %zu bytes, %.1f ms", what, key, dc_buf_str(&names), image->len, seconds * 1e3);
  dc_buf_free(&names);
}

/* --- several threads --------------------------------------------------------------------------------- */
/* What one thread compiles others do not compile, too: they wait for it, and take it from the cache. */

typedef struct making {
  const char *key;
  struct making *next;
} making;

static struct {
  pthread_mutex_t lock; /* held shortly, not while anything is compiled */
  pthread_cond_t ended;
  making *list;
} under_way = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

/* The other threads, and what they compile, are the parent's. */
static void forget_others(void) {
  pthread_mutex_init(&under_way.lock, NULL);
  pthread_cond_init(&under_way.ended, NULL);
  under_way.list = NULL;
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_others); }

static bool is_under_way(const char *key) {
  const making *m = under_way.list;
  while (m != NULL && strcmp(m->key, key) != 0) m = m->next;
  return m != NULL;
}

/* Enters *m into the list: true; or, where another thread compiles the same, waits until it has ended: false. */
static bool begin_making(making *m, const char *key) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&under_way.lock);
  const bool others = is_under_way(key);
  while (is_under_way(key) && !dc_interrupted()) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000; /* the interrupt flag is polled this often */
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&under_way.ended, &under_way.lock, &until);
  }
  if (!others) {
    *m = (making){key, under_way.list};
    under_way.list = m;
  }
  pthread_mutex_unlock(&under_way.lock);
  return !others;
}

static void end_making(making *m) {
  pthread_mutex_lock(&under_way.lock);
  making **at = &under_way.list;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  pthread_cond_broadcast(&under_way.ended);
  pthread_mutex_unlock(&under_way.lock);
}

/* --- one image ---------------------------------------------------------------------------------------- */

static bool look_up(const char *key, dc_image **out) {
  const double start = dc_clock();
  if ((*out = from_cache(key)) == NULL) return false;
  dc_count(&dc_process.stats.cache_hits, 1);
  log_image("hit", key, *out, dc_clock() - start);
  return true;
}

static int look_up_or_make(const dc_source *src, const char *arch, bool binary, const char *key, dc_image **out,
                           dc_error *err) {
  double start = dc_clock();
  making own;
  if (key && look_up(key, out)) return 0;
  if (key && !begin_making(&own, key)) { /* another thread has made it, or failed to */
    if (dc_interrupted()) return dc_fail(err, DC_INTERRUPTED, NULL, "interrupted while waiting for the compiler");
    return look_up_or_make(src, arch, binary, key, out, err);
  }
  if (key && look_up(key, out)) { /* made since it was looked for */
    end_making(&own);
    return 0;
  }
  if (key) dc_count(&dc_process.stats.cache_misses, 1);
  const int rc = make_and_keep(src, arch, binary, key, out, err);
  if (key) end_making(&own);
  if (rc != 0) return -1;
  if (key) log_image("miss", key, *out, dc_clock() - start);
  return 0;
}

/* NVRTC takes a byte 0xFF, which no UTF-8 text has, for the end of the text, even inside a comment. */
static int check_bytes(const char *what, const char *text, size_t len, bool own, dc_error *err) {
  const char *bad = memchr(text, 0xff, len);
  int line = 1;
  if (!bad) return 0;
  for (const char *p = text; p < bad; p++) line += *p == '\n';
  dc_fail(err, DC_COMPILE, NULL, "%s holds the byte 0xFF, which ends it for the compiler: it must be UTF-8 text", what);
  if (own) err->source_line = line;
  return -1;
}

static int check_text(const dc_source *src, dc_error *err) {
  const char *nul = memchr(src->text, '\0', src->len);
  if (nul)
    return dc_fail(err, DC_COMPILE, NULL, "the source holds a NUL byte at position %zu", (size_t)(nul - src->text) + 1);
  if (check_bytes("the source", src->text, src->len, true, err) != 0) return -1;
  for (int i = 0; i < src->nheaders; i++)
    if (check_bytes(src->header_names[i], src->header_texts[i], strlen(src->header_texts[i]), false, err) != 0)
      return -1;
  if (src->nunits == 0 && src->text[strspn(src->text, " \t\r\n\f\v")] == '\0')
    return dc_fail(err, DC_COMPILE, NULL, "the source is empty: CUDA C with a function marked __global__ is needed");
  return 0;
}

/* Options that make NVRTC give something that no device loads, or nothing. */
static int check_options(const dc_source *src, dc_error *err) {
  static const struct { const char *flag, *why; } refused[] = {
    {"optix-ir", "makes code for OptiX, not PTX or machine code: leave it away"},
    {"fdevice-syntax-only", "makes no code: leave it away"},
  };
  for (int i = 0; i < src->noptions; i++) {
    const char *name = src->options[i] + strspn(src->options[i], "-");
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
      if (name > src->options[i] && strcmp(refused[k].flag, name) == 0)
        return dc_fail(err, DC_ARGUMENT, NULL, "option 'flags': '%s' %s", src->options[i], refused[k].why);
  }
  return 0;
}

/* The image as the compiler made it, from wherever it is at hand. */
static int find_image(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  char key[65], portable[65];
  bool whole;
  *out = NULL;
  if (src->nunits == 0 && (dc_is_machine_code(src->text, src->len) || dc_is_lto_ir(src->text, src->len)))
    return dc_prebuilt_image(src, out, err);
  if (check_text(src, err) != 0 || check_options(src, err) != 0) return -1;
  if (src->nunits == 0 && dc_is_ptx(src->text)) return dc_prebuilt_image(src, out, err);
  if (dc_cache_keys(src, arch, binary, key, portable, &whole, err) != 0) return -1;
  if (!whole) { /* an #include by a macro's name: what the image depends on is not known */
    dc_log(DC_LOG_CACHE, "not cached: the source includes a header by a macro's name");
    return look_up_or_make(src, arch, binary, NULL, out, err);
  }
  if ((*out = from_bundle(portable)) != NULL) {
    dc_count(&dc_process.stats.cache_hits, 1);
    log_image("bundle", portable, *out, 0);
  } else if (look_up_or_make(src, arch, binary, key, out, err) != 0) {
    return -1;
  }
  if (!src->part) to_bundle(portable, arch, *out);
  return 0;
}

/* What is to be optimized by the linker is linked even where it is one source. */
static dc_source as_units(const dc_source *src) {
  dc_source s = *src;
  s.lto = true;
  if (s.nunits > 0) return s;
  s.units = &src->text;
  s.unit_lens = &src->len;
  s.nunits = 1;
  if (dc_is_lto_ir(src->text, src->len)) s.text = "", s.len = 0; /* no CUDA C */
  return s;
}

int dc_compile(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  dc_source optimized;
  if (!src->part && dc_lto_applies(src, binary)) {
    optimized = as_units(src);
    src = &optimized;
  }
  if (find_image(src, arch, binary, out, err) != 0) return -1;
  if (src->part || dc_declare_args(*out, src, err) == 0) return 0;
  dc_image_free(*out);
  *out = NULL;
  return -1;
}

/* --- which architecture ------------------------------------------------------------------------- */

/* NVRTC's list of architectures, remembered in the cache so that a warm start does not load NVRTC. */
static int supported(int archs[DC_MOST_ARCHS], int *n, dc_error *err) {
  char key[65];
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_str(&h, "architectures");
  dc_sha256_str(&h, dc_nvrtc_identity());
  dc_sha256_end_hex(&h, key);
  void *data;
  size_t len;
  if (dc_cache_get(key, &data, &len)) {
    *n = len <= DC_MOST_ARCHS * sizeof(int) ? (int)(len / sizeof(int)) : 0;
    memcpy(archs, data, (size_t)*n * sizeof(int));
    free(data);
    if (*n > 0) return 0;
  }
  const dc_nvrtc_version *version = dc_nvrtc(err);
  if (!version) return -1;
  *n = version->narchs;
  if (*n == 0)
    return dc_fail(err, DC_COMPILE, "NVRTC_ERROR", "NVRTC does not tell which architectures it compiles for");
  memcpy(archs, version->archs, (size_t)*n * sizeof(int));
  dc_cache_put(key, archs, (size_t)*n * sizeof(int));
  return 0;
}

/* The choice is in a bundle too, whose images are for it. */
static void target_key(int own, char key[65]) {
  dc_sha256 h;
  char text[48];
  snprintf(text, sizeof text, "target " DC_VERSION " %d", own);
  dc_sha256_init(&h);
  dc_sha256_str(&h, text);
  dc_sha256_end_hex(&h, key);
}

static bool target_from_bundle(int own, char arch[24], bool *binary) {
  char key[65];
  void *data;
  size_t len;
  target_key(own, key);
  if (!dc_bundle_active() || !dc_bundle_get(key, &data, &len)) return false;
  const char *text = data;
  bool good = len > 1 && len < 24;
  if (good) {
    *binary = text[0] == 'b';
    memcpy(arch, text + 1, len - 1);
    arch[len - 1] = '\0';
  }
  free(data);
  return good;
}

static void target_to_bundle(int own, const char *arch, bool binary) {
  char key[65], text[32];
  if (!dc_bundle_active()) return;
  target_key(own, key);
  dc_bundle_note(key, arch, text, (size_t)snprintf(text, sizeof text, "%c%s", binary ? 'b' : 'p', arch));
}

int dc_compile_target(int major, int minor, char arch[24], bool *binary, dc_error *err) {
  int archs[DC_MOST_ARCHS], n, best = 0, own = major * 10 + minor;
  if (target_from_bundle(own, arch, binary)) {
    target_to_bundle(own, arch, *binary);
    return 0;
  }
  if (supported(archs, &n, err) != 0) return -1;
  for (int i = 0; i < n; i++)
    if (archs[i] <= own && archs[i] > best) best = archs[i];
  if (best == 0)
    return dc_fail(err, DC_COMPILE, NULL, "%s does not compile for compute capability %d.%d any more (oldest: %d.%d)",
                   dc_nvrtc_library(), major, minor, archs[0] / 10, archs[0] % 10);
  *binary = best == own;
  snprintf(arch, 24, "%s_%d", *binary ? "sm" : "compute", best);
  target_to_bundle(own, arch, *binary);
  return 0;
}

/* --- what is there ------------------------------------------------------------------------------ */

static dc_compiler_info info;
static pthread_mutex_t info_lock = PTHREAD_MUTEX_INITIALIZER;
static bool info_lasts; /* what is known stays true: no search was interrupted or lacked memory */

/* An error's text, which is kept for the life of the process. */
static char *reason(const dc_error *err) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%s\n%s", dc_error_text(err), err->log ? err->log : "");
  return dc_buf_take(&b);
}

static void gather(void) {
  dc_error err = DC_ERROR_INIT;
  const dc_nvrtc_version *version = dc_nvrtc(&err);
  info.available = version != NULL;
  if (version) {
    info.major = version->major;
    info.minor = version->minor;
    info.why_not = NULL;
  } else {
    info.why_not = reason(&err);
  }
  info.library = dc_nvrtc_library();
  info.include_dir = dc_toolkit_include();
  info.cccl_dir = dc_toolkit_cccl();
  info.cache_dir = dc_cache_folder();
  info.cache_note = dc_cache_note();
  info_lasts = err.kind != DC_INTERRUPTED && err.kind != DC_MEMORY;
  dc_error_clear(&err);
  const dc_tile_tools *tile = dc_tile_tools_find(&err);
  info.tile_root = tile ? tile->root : NULL;
  info.why_no_tile = tile ? NULL : reason(&err);
  if (err.kind == DC_MEMORY) info_lasts = false;
  dc_error_clear(&err);
}

const dc_compiler_info *dc_compiler(void) {
  pthread_mutex_lock(&info_lock);
  if (!info_lasts) gather();
  pthread_mutex_unlock(&info_lock);
  return &info;
}
