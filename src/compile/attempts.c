/*
** attempts.c - a source that NVRTC refuses as it is: for other architectures, with other options, changed as the errors
** suggest; and the instances of templates that a file's host code launches.
*/
#include "compile/attempts.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/runtime.h"
#include "base/string_list.h"
#include "compile/dependencies.h"
#include "compile/nvcc_compat/fixup.h"
#include "compile/nvcc_compat/host_code.h"
#include "compile/nvcc_compat/lambdas.h"
#include "compile/nvcc_compat/left_out.h"
#include "compile/nvcc_compat/unnamed.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/toolkit.h"
#include "compile/program.h"
#include "compile/types/demangle.h"
#include "compile/types/entries.h"
#include "compile/types/image.h"
#include "compile/types/included.h"
#include "compile/types/scan.h"
#include "compile/types/source.h"

static bool log_holds(const dc_error *err, const char *const *signs) {
  if (!err->log || strcmp(err->code, "NVRTC_ERROR_COMPILATION") != 0) return false;
  for (; *signs; signs++)
    if (strstr(err->log, *signs)) return true;
  return false;
}

/* Whether a source that compute_75 refuses may be one for newer devices: what it lacks there is a name, or it says so
** itself. */
static bool wants_newer(const dc_error *err) {
  static const char *const signs[] = {"is undefined", "#error", "static assertion", "arch", "sm_", "has no member",
                                      "no suitable", "no instance of", "no operator", "has been explicitly deleted",
                                      "incomplete type \"nvcuda::", "must be a class or namespace name", NULL};
  return log_holds(err, signs);
}

/* nvcc leaves functions of the host to the host's compiler, and takes generic lambdas in kernels for the device's.
** NVRTC refuses both, unless functions are __device__ ones by default.  When both ways fail, the first one's errors are
** reported.  *newer: whether another architecture may help. */
static int compile_at(const dc_source *src, dc_target t, dc_image **out, bool *newer, dc_error *err) {
  static const char *const signs[] = {"is considered a host function", NULL};
  dc_error again = DC_ERROR_INIT;
  if (dc_compile_as_is(src, t, out, err) == 0) return 0;
  *newer = wants_newer(err);
  if (t.default_device || !log_holds(err, signs)) return -1;
  t.default_device = true;
  int result = dc_compile_as_is(src, t, out, &again);
  *newer = *newer || wants_newer(&again);
  dc_error_clear(result == 0 ? err : &again);
  return result;
}

/* The CPU device's PTX is compute_75's, the plainest. */
static bool has_newer(dc_target t) { return !t.binary && strcmp(t.arch, "compute_75") == 0; }

/* What only compiles for compute_80 (__reduce_add_sync, …) or compute_90 (clusters) runs on the CPU device, too.  What
** compute_90 refuses, compute_80 does.  When all fail, the errors are those that `err` holds. */
static int compile_newer(const dc_source *src, dc_target t, dc_image **out, dc_error *err) {
  dc_error refused = DC_ERROR_INIT, less_refused = DC_ERROR_INIT;
  dc_image *less = NULL;
  bool more;
  t.arch = "compute_90";
  int result = compile_at(src, t, out, &more, &refused);
  t.arch = "compute_80";
  if (result == 0 && compile_at(src, t, &less, &more, &less_refused) == 0) {
    dc_image_free(*out);
    *out = less;
  }
  dc_error_clear(&less_refused);
  dc_error_clear(result == 0 ? err : &refused);
  return result;
}

/* In compute_80 groups of cooperative_groups/reduce.h reduce integers by one instruction, for which in compute_75 the
** lanes of those that are no tiles search for each other, bit by bit (13 times as long); and barriers of <cuda/barrier>
** and <cuda/pipeline> are mbarriers, in compute_75 loops of atomic operations (a product of matrices that waits at one
** twice a tile: 33, with mbarriers 14 ms). */
static bool is_better_newer(const dc_source *src, dc_target t) {
  static const char *const headers[] = {"cooperative_groups/reduce.h", "cuda/barrier", "cuda/pipeline"};
  if (!has_newer(t) || src->arch != NULL) return false;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    if (strstr(src->text, headers[i]) != NULL) return true;
  return false;
}

static int compile_anywhere(const dc_source *src, dc_target t, dc_image **out, dc_error *err) {
  bool newer = false;
  if (is_better_newer(src, t)) {
    dc_error refused = DC_ERROR_INIT;
    dc_target best = t;
    best.arch = "compute_80";
    if (compile_at(src, best, out, &newer, &refused) == 0) return 0;
    dc_error_clear(&refused);
  }
  if (compile_at(src, t, out, &newer, err) == 0) return 0;
  return has_newer(t) && newer ? compile_newer(src, t, out, err) : -1;
}

/* More than a source needs: each adds a header or takes some of the host's code away; and the seconds for all, since
** each compiles all headers of the file. */
#define MOST_MENDS 100
#define MOST_SECONDS 240

/* Kernels that went are the image's to tell of. */
static int keep_refused(dc_image *image, const dc_fixup *m, dc_error *err) {
  image->refused = calloc((size_t)m->nrefused + 1, sizeof *image->refused);
  if (!image->refused) return dc_fail_oom(err);
  for (int i = 0; i < m->nrefused; i++) {
    const dc_refused *r = &m->refused[i];
    image->refused[image->nrefused++] = (dc_refused){strdup(r->name), strdup(r->reason), r->line, r->failed};
    if (!image->refused[i].name || !image->refused[i].reason) return dc_fail_oom(err);
  }
  return 0;
}

/* What is gone may be what is missed now. */
static bool is_doubtful(const dc_fixup *m) {
  return m->lacks_header || (m->blanked && !m->has_host_code) || m->nrefused > 0;
}

/* Whether the compiler has the header: one of ours, or the toolkit's. */
static bool has_header(const char *name, dc_arena *arena) {
  const char *const folders[] = {dc_toolkit_include(), dc_toolkit_cccl(), dc_toolkit_curand()};
  for (const struct dc_embedded *s = dc_embedded_shims; s->name; s++)
    if (strcmp(s->name, name) == 0) return true;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char *path = folders[i] ? dc_arena_alloc(arena, strlen(folders[i]) + strlen(name) + 2) : NULL;
    if (path && dc_file_exists(strcat(strcat(strcpy(path, folders[i]), "/"), name))) return true;
  }
  return false;
}

/* A file for nvcc includes many headers of the host's that are not there.  NVRTC says so of one at a time. */
static int start_fixup(dc_fixup *m, const dc_source *src, bool keeps_host, dc_error *err) {
  if (!dc_fixup_init(m, src, keeps_host)) return dc_fail_oom(err);
  if (!m->has_host_code && !src->is_file) return 0;
  dc_included *list = NULL;
  if (dc_include_list(src, &m->arena, &list, err) != 0) return -1;
  dc_fixup_includes(m, list);
  for (const dc_included *i = m->has_host_code && dc_toolkit_include() ? m->included : NULL; i; i = i->next)
    if (!i->path && !has_header(i->name, &m->arena)) dc_fixup_lacks(m, i->name, keeps_host);
  if (!keeps_host) dc_fixup_drop_prototypes(m);
  return 0;
}

/* Compiles the source with all that has been mended so far.  NVRTC stops at the hundredth error by default; with the
** higher limit of dc_fixup_init it may crash on a later one, so after a crash the default applies again. */
static int compile_mended(dc_fixup *m, dc_target t, dc_image **out, dc_error *err) {
  const int result = dc_compile_as_is(&m->source, t, out, err);
  if (result == 0 || strcmp(err->code, "COMPILER_CRASHED") != 0 || !dc_fixup_fewer_errors(m)) return result;
  dc_error_clear(err);
  *err = (dc_error)DC_ERROR_INIT;
  return dc_compile_as_is(&m->source, t, out, err);
}

/* --- the instances of templates that host code launches --------------------------------------------------------- */

/* Runs of NVRTC until host code compiles as code of the device. */
#define MOST_LAUNCH_RUNS 40

/* Adds the name of the instance that the entry is, unless its type came from a function of which nothing is known; of a
** kernel that is none, its name: one of a header's, which the text does not show. */
static void add_entry(dc_string_list *list, const dc_image_entry *e) {
  char *name = dc_instance_name(e->name);
  const char *copy = NULL;
  if (!name && strcmp(e->name, e->source_name) != 0) name = strdup(e->source_name);
  if (name) dc_unnamed_forget(name);
  if (name && !strstr(name, "dc_any")) {
    copy = dc_arena_strndup(list->arena, name, strlen(name));
    if (copy) dc_string_list_add(list, copy);
    else list->failed = true;
  }
  free(name);
}

static bool add_instances(dc_string_list *list, const dc_image *image) {
  bool failed = false;
  for (dc_image_entry *e = dc_image_entries(image->bytes, image->len, false, list->arena, &failed); e; e = e->next)
    add_entry(list, e);
  return !failed && !list->failed;
}

/* The source with its extended lambdas as objects of classes that have names: those of the n names, NULL for all. */
static void with_lambdas(dc_source *src, const char *const *names, int n, dc_arena *arena) {
  dc_buf b = DC_BUF_INIT;
  const bool any = src->is_file && dc_lambdas_as_objects(src->text, src->len, names, n, &b);
  const char *text = any ? dc_arena_strndup(arena, dc_buf_str(&b), b.len) : NULL;
  if (text) {
    src->text = text;
    src->len = b.len;
  }
  dc_buf_free(&b);
}

/* The front end alone knows which instances a launch needs: arguments are deduced, and host functions are templates
** themselves.  So the whole file is compiled as code of the device, which may launch kernels in relocatable code, with
** the host's libraries declared only; statements that do not compile go.  The instances are the entries of that
** image.  What is not found is left out: the source is compiled without. */
static int find_launched(const dc_source *src, const char *arch, dc_string_list *list, dc_error *err) {
  dc_source whole = *src;
  dc_fixup m;
  dc_image *image = NULL;
  dc_error refused = DC_ERROR_INIT;
  char virtual_arch[DC_ARCH_BYTES];
  dc_virtual_arch(arch, virtual_arch);
  whole.part = whole.no_signatures = true;
  whole.lto = false;
  whole.ninstantiate = whole.nlaunched = 0;
  with_lambdas(&whole, NULL, 0, list->arena);
  const dc_target target = {.arch = virtual_arch, .default_device = true, .whole = true, .names_only = true};
  bool more = start_fixup(&m, &whole, true, err) == 0;
  int result = -1;
  for (int i = 0; i < MOST_LAUNCH_RUNS && more; i++) {
    dc_error_clear(&refused);
    refused = (dc_error)DC_ERROR_INIT;
    result = compile_mended(&m, target, &image, &refused);
    more = result != 0 && refused.log && dc_fixup_learn(&m, refused.log);
  }
  if (result == 0 && !add_instances(list, image)) result = dc_fail_oom(err);
  else if (refused.kind == DC_INTERRUPTED) *err = refused, refused = (dc_error)DC_ERROR_INIT;
  else result = 0;
  if (refused.log) dc_log(DC_LOG_COMPILE, "launches of templates are not known: %s", refused.log);
  dc_error_clear(&refused);
  dc_image_free(image);
  dc_fixup_free(&m);
  return result;
}

static bool has_kernels(const dc_included *list) {
  bool any = false;
  for (; list && !any; list = list->next) {
    size_t len = 0;
    char *text = dc_included_read(list, &len);
    any = text && memmem(text, len, "__global__", 10) != NULL;
    free(text);
  }
  return any;
}

/* Whether the file includes headers that may launch its kernels, or hold kernels that it launches: templates in it may
** be launched by a class in a header of the host's; without any, kernels are in headers. */
static bool includes_launches(const dc_source *src, bool templates, dc_arena *arena) {
  dc_included *list = NULL;
  dc_error unreadable = DC_ERROR_INIT;
  const bool any = src->is_file && dc_include_list(src, arena, &list, &unreadable) == 0 &&
                   (templates ? dc_fixup_hosts_among(list) : has_kernels(list));
  dc_error_clear(&unreadable);
  return any;
}

/* Whether only the front end can tell what the file launches: templates, or kernels of headers. */
static bool has_unknown_launches(const dc_source *src, dc_arena *arena, bool *failed) {
  bool templates = false, kernels = false;
  if (src->no_signatures) return false;
  for (const dc_scanned *k = dc_scan(src->text, src->len, arena, failed); k; k = k->next) {
    templates = templates || (k->is_template && !k->is_variable);
    kernels = kernels || !k->is_variable;
  }
  if (!dc_host_code_in(src->text, src->len))
    return (templates || !kernels) && includes_launches(src, templates, arena);
  return templates || !kernels || dc_host_code_launches_others(src->text, src->len);
}

/* In a file for nvcc, kernels that do not compile are left out where others remain, unless what they need may stand in
** a header that is not there.  When that does not help, `err` stays. */
static int compile_others(dc_fixup *m, dc_target t, dc_image **out, dc_error *err) {
  dc_error last = DC_ERROR_INIT;
  if (!m->source.is_file || !m->has_host_code || m->lacks_header || !err->log) return -1;
  if (has_newer(t) && wants_newer(err)) t.arch = "compute_90";
  int result = compile_mended(m, t, out, &last);
  for (int i = 0; i < MOST_MENDS && result != 0 && last.log; i++) {
    if (!dc_left_out_failing(m, last.log) && !dc_fixup_learn(m, last.log)) break;
    dc_error_clear(&last);
    last = (dc_error)DC_ERROR_INIT;
    result = compile_mended(m, t, out, &last);
  }
  if (result == 0 && (*out)->nkernels == 0) {
    dc_image_free(*out);
    *out = NULL;
    result = -1;
  }
  dc_error_clear(result == 0 ? err : &last);
  return result;
}

/* All kernels of the file went since they launch kernels: what remains holds none, an error without a log. */
static bool has_launchers_alone(const dc_fixup *m, const dc_error *err) {
  return m->nrefused > 0 && !m->refused[0].failed && !err->log;
}

/* The first kernel of a text that is a template; NULL: there is none. */
static const dc_scanned *first_template(const char *text, size_t len, dc_arena *arena) {
  bool failed = false;
  const dc_scanned *k = dc_scan(text, len, arena, &failed);
  while (k && (k->is_variable || !k->is_template)) k = k->next;
  return k;
}

/* The same of the user's headers, in the order of the list. */
static const dc_scanned *first_template_in(const dc_included *list, dc_arena *arena) {
  const dc_scanned *k = NULL;
  for (; list && !k; list = list->next) {
    size_t len = 0;
    char *text = dc_included_read(list, &len);
    if (text) k = first_template(text, len, arena);
    free(text);
  }
  return k;
}

/* The first kernel that is a template: of the text, or of the headers (*own: whether of the text); NULL: none is. */
static const dc_scanned *find_template(const dc_source *src, dc_arena *arena, bool *own) {
  dc_included *list = NULL;
  dc_error unreadable = DC_ERROR_INIT;
  const dc_scanned *k = first_template(src->text, src->len, arena);
  *own = k != NULL;
  if (!k && dc_include_list(src, arena, &list, &unreadable) == 0) k = first_template_in(list, arena);
  dc_error_clear(&unreadable);
  return k;
}

/* The first line of the log that is an error, n bytes; NULL without any. */
static const char *first_error(const char *log, int *n) {
  const char *p = log ? strstr(log, "error: ") : NULL;
  while (p && p > log && p[-1] != '\n') p--;
  *n = p ? (int)strcspn(p, "\n") : 0;
  return p;
}

/* The error is that a header is missing; what the kernels miss of it is said with it. */
static void fail_lacking(dc_error *err, const char *header, const dc_error *remains) {
  int n;
  const char *line = first_error(remains->log, &n);
  if (!line) {
    line = dc_error_text(remains);
    n = (int)strcspn(line, "\n");
  }
  dc_error_prefix(err, "the header '%s' is in none of the folders of option include, and kernels need it "
                  "(without it: %.*s): ", header, n, line);
}

/* A text that is refused is fixed up, as far as errors say how, and compiled again; one with functions that launch
** kernels without them to begin with, since it is refused in any case.  The errors reported are those that remain,
** since the others concerned no kernels; but those of the first attempt where fixing up removed kernels, or functions
** that may be a kernel's, or where a header is missing, unless templates lack their instances alone. */
static int compile_fixed(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  dc_error before = DC_ERROR_INIT;
  dc_fixup m;
  dc_target target = {.arch = arch, .binary = binary};
  bool more = start_fixup(&m, src, false, err) == 0;
  m.launches = !binary; /* the CPU device alone has what a launch calls */
  int result = !more ? -1 : m.mended ? compile_mended(&m, target, out, err)
                                     : compile_anywhere(src, target, out, err);
  target.whole = true;
  const double began = dc_clock();
  bool slow = false;
  more = more && result != 0 && err->log && strcmp(err->code, "NVRTC_ERROR_COMPILATION") == 0;
  for (int i = 0; i < MOST_MENDS && result != 0 && more && err->log && !slow; i++) {
    bool doubtful = is_doubtful(&m);
    if (!dc_fixup_learn(&m, err->log) && !dc_left_out_launchers(&m)) break;
    if (!doubtful && is_doubtful(&m)) before = *err;
    else dc_error_clear(err);
    *err = (dc_error)DC_ERROR_INIT;
    target.default_device = m.default_device;
    result = compile_mended(&m, target, out, err);
    slow = dc_clock() - began > MOST_SECONDS;
  }
  if (result != 0 && m.mended && !slow && has_newer(target) && wants_newer(err))
    result = compile_newer(&m.source, target, out, err);
  if (result != 0 && !slow) result = compile_others(&m, target, out, err);
  if (result != 0 && has_launchers_alone(&m, err)) {
    dc_error_clear(&before);
    dc_fail(err, DC_COMPILE, NULL, "the file gives no kernel: '%s' %s", m.refused[0].name, m.refused[0].reason);
    err->source_line = m.refused[0].line;
  }
  bool own;
  const bool lacks_instances =
    result != 0 && strcmp(err->code, DC_NO_KERNEL) == 0 && find_template(src, &m.arena, &own);
  if (result != 0 && before.kind && !lacks_instances) {
    if (err->log) dc_log(DC_LOG_COMPILE, "what remains after the changes: %s", err->log);
    if (m.lacking) fail_lacking(&before, m.lacking, err);
    dc_error_clear(err);
    *err = before;
  } else {
    dc_error_clear(&before);
  }
  if (result != 0 && slow)
    dc_error_prefix(err, "the file's host code was not told from its kernels within %d s (give the kernels a file with "
                    "fewer headers): ", MOST_SECONDS);
  if (result == 0 && keep_refused(*out, &m, err) != 0) {
    dc_image_free(*out);
    *out = NULL;
    result = -1;
  }
  dc_fixup_free(&m);
  return result;
}

/* A file whose kernels are all templates, of which no instance was found, is an error that says so.  `holds_none`: it
** has failed as one without kernels, which remains the error if its headers have none, either. */
static int fail_without_kernels(const dc_source *src, bool holds_none, dc_arena *arena, dc_error *err) {
  bool own;
  const dc_scanned *k = find_template(src, arena, &own);
  const char *name = k ? k->name : "k";
  if (holds_none && !k) return -1;
  dc_fail(err, DC_COMPILE, DC_NO_KERNEL, "the file gives no kernel: %s%s, and the instances that it launches cannot be "
          "told from its host code; name them, instantiate = {\"%s<float>\"} for example; or #if leaves them out: give "
          "the macros that its build does, define = {NAME = 1}",
          !k ? "none is defined in it" : own ? "its kernels are templates, such as "
             : "the kernels of its headers are templates, such as ", k ? name : "", name);
  err->source_line = own ? k->line : 0;
  return -1;
}

int dc_compile_program(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  dc_arena arena = DC_ARENA_INIT;
  dc_source whole = *src;
  dc_string_list launched = {.arena = &arena};
  bool failed = false;
  int result = 0;
  const bool unknown = has_unknown_launches(src, &arena, &failed);
  if (unknown) result = find_launched(src, arch, &launched, err);
  if (failed) result = dc_fail_oom(err);
  whole.launched = launched.v;
  whole.nlaunched = launched.n;
  if (launched.n > 0) with_lambdas(&whole, launched.v, launched.n, &arena);
  if (src->ninstantiate > 0) with_lambdas(&whole, src->instantiate, src->ninstantiate, &arena);
  if (result == 0) result = compile_fixed(&whole, arch, binary, out, err);
  const bool none = result == 0 ? (*out)->nkernels == 0 && (*out)->nrefused == 0
                                : strcmp(err->code, DC_NO_KERNEL) == 0;
  if (none && unknown && src->ninstantiate == 0 && !src->part) {
    if (result == 0) dc_image_free(*out);
    *out = NULL;
    result = fail_without_kernels(src, result != 0, &arena, err);
  }
  dc_arena_free(&arena);
  return result;
}
