/*
** program.c - one source by NVRTC: names, signatures, records, image.
*/
#include "compile/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/runtime.h"
#include "base/string_list.h"
#include "compile/link/lto.h"
#include "compile/log.h"
#include "compile/minimal.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/job.h"
#include "compile/nvrtc/toolkit.h"
#include "compile/tile_tools.h"
#include "compile/types/demangle.h"
#include "compile/types/entries.h"
#include "compile/types/image.h"
#include "compile/types/scan.h"
#include "compile/types/signature.h"
#include "compile/types/source.h"
#include "compile/types/struct_layout.h"
#include "compile/types/variables.h"

/* --- one run of NVRTC --------------------------------------------------------------------------- */

/* A kernel that is wanted with its types: by name, and what the scan knows of it. */
typedef struct wanted {
  const char *asked, *name; /* name is NULL where NVRTC has refused it, or gives no symbol for it */
  const char *parameters;  /* "(float *, int)" in asked "scale<float>(float *, int)"; NULL for a name without them */
  const char *overload;    /* "(void (*)(float *, int))scale<float>", for where several templates have that instance */
  const dc_scanned *scanned;
  bool is_overload;        /* `name` is that conversion */
  bool launched;           /* the source launches it: the image may have it by another name */
  char *query;             /* owned; NULL where an earlier attempt failed to get its types */
  char *lowered, *types;   /* owned results; NULL when the name is none */
  char *why_not;           /* owned: what NVRTC said against the name */
} wanted;

typedef struct job {
  const dc_source *src;
  const char *arch;
  bool binary, default_device;
  bool ir;                 /* LTO-IR is wanted, of which entries cannot be read */
  bool debug;              /* with debugging information, for the layouts of structs */
  bool minimal;            /* with as little of NVRTC's own as most sources need */
  bool hasty;              /* with as little optimization as NVRTC has options for */
  const dc_tile_tools *tile; /* of tile kernels; NULL: there are none */
  dc_arena arena;
  wanted *list;
  int nlist;
  char *raw, *log;         /* of the last run: as NVRTC wrote it, and cleaned */
  void *bytes;
  size_t len;
  dc_image_entry *entries;
} job;

static void add_option(dc_string_list *s, const char *prefix, const char *value) {
  size_t a = strlen(prefix), b = strlen(value);
  char *text = dc_arena_alloc(s->arena, a + b + 1);
  if (!text) {
    s->failed = true;
    return;
  }
  memcpy(text, prefix, a);
  memcpy(text + a, value, b + 1);
  dc_string_list_add(s, text);
}

static bool names_standard(const dc_source *src) {
  for (int i = 0; i < src->noptions; i++)
    if (strncmp(src->options[i], "-std", 4) == 0 || strncmp(src->options[i], "--std", 5) == 0) return true;
  return false;
}

/* Whether an option ("-DT=float") becomes a line before the source.  NVRTC's own header, which options apply to, has
** templates with parameters of such names; macros that it asks for stay options. */
static bool becomes_line(const char *option) {
  static const char *const asked[] = {"CUDA_", "NDEBUG"}; /* and names that begin with "_" */
  if (strncmp(option, "-D", 2) != 0 || strchr(option, '\n') || !isalpha((unsigned char)option[2])) return false;
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
    if (strncmp(option + 2, asked[i], strlen(asked[i])) == 0) return false;
  return true;
}

/* The lines that define these macros.  A name that is defined already gets the new value, as by an option. */
static void put_macros(const dc_source *src, dc_buf *b) {
  bool any = false;
  for (int i = 0; i < src->noptions; i++) {
    if (!becomes_line(src->options[i])) continue;
    const char *name = src->options[i] + 2, *value = strchr(name, '=');
    const int length = (int)strcspn(name, "=");
    dc_buf_printf(b, "#undef %.*s\n#define %.*s %s\n", (int)strcspn(name, "=("), name, length, name,
                  value ? value + 1 : "1");
    any = true;
  }
  if (any) dc_buf_puts(b, "#line 1\n");
}

/* The CPU device runs tile kernels as PTX, which is made for these GPUs alone. */
#define TILE_PTX_GPU "sm_80"
#define TILE_PTX_ARCH "compute_80"

static void collect_options(const job *j, dc_string_list *o) {
  const dc_source *src = j->src;
  add_option(o, "--gpu-architecture=", j->tile && !j->binary ? TILE_PTX_ARCH : j->arch);
  if (j->tile) dc_string_list_add(o, "--enable-tile");
  if (!names_standard(src)) dc_string_list_add(o, j->tile ? "--std=c++20" : "--std=c++17");
  if (j->debug) dc_string_list_add(o, "--device-debug");
  else if (!j->binary) dc_string_list_add(o, "-lineinfo"); /* the CPU device names lines */
  dc_string_list_add(o, "-DINFINITY=(__builtin_bit_cast(float,0x7f800000))"); /* nvcc has these without any #include */
  dc_string_list_add(o, "-DNAN=(__builtin_bit_cast(float,0x7fc00000))");
  dc_string_list_add(o, "-DM_PI=3.14159265358979323846");
  dc_string_list_add(o, "--device-int128"); /* as nvcc does on Linux */
  if (src->is_file) { /* nvcc's, by which files choose the system's headers and their own code */
    static const char *const nvccs[] = {"__linux__", "__linux", "__unix__", "__unix", "__NVCC__", "__GLIBC__=2",
                                        "__extension__="};
    for (size_t i = 0; i < sizeof nvccs / sizeof *nvccs; i++) add_option(o, "-D", nvccs[i]);
  }
  if (j->minimal) dc_string_list_add(o, "--minimal");
  if (j->hasty) dc_string_list_add(o, "--Ofast-compile=max");
  if (j->default_device) dc_string_list_add(o, "-default-device");
  if (src->part) dc_string_list_add(o, "-rdc=true");
  if (j->ir) dc_string_list_add(o, "-dlto");
  for (int i = 0; i < src->noptions; i++)
    if (!dc_lto_is_flag(src->options[i]) && !becomes_line(src->options[i])) dc_string_list_add(o, src->options[i]);
  for (int i = 0; i < src->ninclude_dirs; i++) add_option(o, "-I", src->include_dirs[i]);
  if (j->tile) { /* of that NVRTC's own version */
    add_option(o, "--use-bundled-headers=", j->tile->headers);
    return;
  }
  if (dc_toolkit_include()) add_option(o, "-I", dc_toolkit_include());
  if (dc_toolkit_cccl()) add_option(o, "-I", dc_toolkit_cccl());
  if (dc_toolkit_curand()) add_option(o, "-I", dc_toolkit_curand());
}

/* A step failed otherwise than by errors of the source.  Where there is a log, its first line says more than the code:
** an option refused, most often. */
static int fail_nvrtc(const job *j, const dc_nvrtc_result *r, dc_error *err) {
  const char *code = r->status_name ? r->status_name : "NVRTC_ERROR"; /* "NVRTC_ERROR_INVALID_OPTION" */
  if (!j->log || !*j->log) return dc_fail(err, DC_COMPILE, code, "NVRTC's %s failed: %s", r->step, code);
  dc_fail(err, DC_COMPILE, code, "%.*s", (int)strcspn(j->log, "\n"), j->log);
  dc_error_set_log(err, j->log);
  return -1;
}

static int take_log(job *j, dc_nvrtc_result *r, dc_error *err) {
  free(j->raw);
  free(j->log);
  j->log = NULL;
  j->raw = r->log;
  r->log = NULL;
  if (!j->raw) j->raw = calloc(1, 1);
  if (j->raw) j->log = dc_log_clean(j->raw);
  return j->log ? 0 : dc_fail_oom(err);
}

static int take_image(job *j, dc_nvrtc_result *r, dc_error *err) {
  if (!r->image || r->len == 0)
    return dc_fail(err, DC_COMPILE, NULL, "the flags made the compiler give no %s for %s: an architecture among them?",
                   j->ir ? "LTO-IR" : j->binary ? "machine code" : "PTX", j->arch);
  free(j->bytes);
  j->bytes = r->image;
  r->image = NULL;
  j->len = j->ir || j->binary ? r->len : dc_ptx_strip_queries(j->bytes, strlen(j->bytes));
  return 0;
}

static bool is_variable(const wanted *w) { return w->scanned && w->scanned->is_variable; }

static bool is_managed(const wanted *w) { return is_variable(w) && w->scanned->is_managed; }

/* The next of the lowered names, which come in the order of the expressions. */
static char *next_name(dc_nvrtc_result *r, int *at) {
  char *name = *at < r->nlowered ? r->lowered[*at] : NULL;
  if (name) r->lowered[*at] = NULL;
  (*at)++;
  return name;
}

static void take_names(job *j, dc_nvrtc_result *r) {
  int at = 0;
  for (int i = 0; i < j->nlist; i++) {
    wanted *w = &j->list[i];
    free(w->lowered);
    free(w->types);
    w->lowered = w->name ? next_name(r, &at) : NULL;
    w->types = w->query ? next_name(r, &at) : NULL;
    if (w->types && is_managed(w)) w->lowered = dc_variable_symbol(w->asked, j->bytes, j->len);
  }
}

static void add_expressions(const job *j, dc_string_list *expressions) {
  for (int i = 0; i < j->nlist; i++) {
    if (j->list[i].name) dc_string_list_add(expressions, j->list[i].name);
    if (j->list[i].query) dc_string_list_add(expressions, j->list[i].query);
  }
}

/* 0: compiled; 1: NVRTC refused the source (j->log says why); -1: error. */
static int run_program(job *j, const dc_nvrtc_job *program, dc_error *err) {
  dc_nvrtc_result r;
  const double start = dc_clock();
  if (dc_nvrtc_compile(program, &r, err) != 0) return -1;
  dc_log(DC_LOG_COMPILE, "NVRTC: %zu bytes for %s in %.1f ms", j->src->len, j->arch, (dc_clock() - start) * 1e3);
  int rc = take_log(j, &r, err);
  if (rc == 0 && r.status == DC_NVRTC_REFUSED) rc = 1;
  else if (rc == 0 && r.status != 0) rc = fail_nvrtc(j, &r, err);
  else if (rc == 0 && (rc = take_image(j, &r, err)) == 0) take_names(j, &r);
  dc_nvrtc_result_free(&r);
  return rc;
}

/* The caller's own header of that name takes the shim's place. */
static bool brings(const dc_source *src, const char *name) {
  for (int i = 0; i < src->nheaders; i++)
    if (strcmp(src->header_names[i], name) == 0) return true;
  return false;
}

static int run(job *j, dc_error *err) {
  dc_string_list options = {.arena = &j->arena}, names = {.arena = &j->arena}, texts = {.arena = &j->arena},
          expressions = {.arena = &j->arena};
  collect_options(j, &options);
  add_expressions(j, &expressions);
  for (int i = 0; i < j->src->nheaders; i++) {
    dc_string_list_add(&names, j->src->header_names[i]);
    dc_string_list_add(&texts, j->src->header_texts[i]);
  }
  for (const struct dc_embedded *s = dc_embedded_shims; s->name; s++) {
    if (j->tile || brings(j->src, s->name)) continue;
    dc_string_list_add(&names, s->name);
    dc_string_list_add(&texts, s->text);
  }
  dc_buf text = DC_BUF_INIT;
  put_macros(j->src, &text);
  dc_buf_add(&text, j->src->text, j->src->len);
  bool ask = false;
  for (int i = 0; i < j->nlist; i++) ask = ask || j->list[i].query;
  if (ask) dc_buf_puts(&text, dc_signature_prelude);
  const bool failed = text.failed || options.failed || names.failed || texts.failed || expressions.failed;
  dc_nvrtc_job program = {
    .text = dc_buf_str(&text), .name = DC_NVRTC_NAME, .header_names = names.v, .header_texts = texts.v,
    .nheaders = names.n, .options = options.v, .noptions = options.n, .expressions = expressions.v,
    .nexpressions = expressions.n,
    .output = j->ir ? DC_NVRTC_LTOIR : j->binary ? DC_NVRTC_CUBIN : DC_NVRTC_PTX,
  };
  if (j->tile) {
    program.library = j->tile->nvrtc;
    program.tile_root = j->tile->root;
    program.tile_gpu = j->binary ? j->arch : TILE_PTX_GPU;
    program.tile_headers = j->tile->headers;
  }
  const int result = failed ? dc_fail_oom(err) : run_program(j, &program, err);
  dc_buf_free(&text);
  return result;
}

/* --- the kernels of a source ------------------------------------------------------------------ */

/* Where the parameters' types of a name of an instance begin; NULL where it has none. */
static const char *find_parameters(const char *name) {
  int angles = 0, brackets = 0;
  for (const char *p = strchr(name, '<'); p && *p; p++) {
    brackets += (*p == '(') - (*p == ')');
    if (brackets == 0) angles += (*p == '<') - (*p == '>');
    if (angles == 0) return p[1] == '(' ? p + 1 : NULL;
  }
  return NULL;
}

/* The name of an instance may say which of several templates it is one of: NVRTC takes that as a conversion to the
** pointer that only this one has. */
static bool split_overload(job *j, wanted *w) {
  w->parameters = find_parameters(w->asked);
  if (!w->parameters) return true;
  const size_t n = (size_t)(w->parameters - w->asked);
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "(void (*)%s)%.*s", w->parameters, (int)n, w->asked);
  w->name = dc_arena_strndup(&j->arena, w->asked, n);
  w->overload = dc_arena_strndup(&j->arena, dc_buf_str(&b), b.len);
  dc_buf_free(&b);
  return w->name && w->overload;
}

/* The types of an overload are those that it is asked for with. */
static char *overload_query(const wanted *w) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "&dc_sig_<void (*)%s>", w->parameters);
  return dc_buf_take(&b);
}

static int want(job *j, const char *name, const dc_scanned *scanned, dc_error *err) {
  wanted *more = realloc(j->list, sizeof *more * (size_t)(j->nlist + 1));
  if (!more) return dc_fail_oom(err);
  j->list = more;
  wanted *w = &j->list[j->nlist++];
  *w = (wanted){.asked = name, .name = name, .scanned = scanned};
  if (is_managed(w)) {
    w->name = NULL;
  } else if (is_variable(w)) {
    char *expression = dc_variable_expression(name);
    w->name = expression ? dc_arena_strndup(&j->arena, expression, strlen(expression)) : NULL;
    free(expression);
  } else if (!split_overload(j, w)) {
    return dc_fail_oom(err);
  }
  w->query = is_variable(w) ? dc_variable_query(name) : dc_signature_query(w->name);
  return (w->name || is_managed(w)) && w->query ? 0 : dc_fail_oom(err);
}

/* "ns::scale<float, 4>" belongs to the template "ns::scale", of a kernel or a variable. */
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
    if (name && w->overload) { /* several templates have instances of that name */
      w->name = w->overload;
      w->overload = NULL;
      w->query = overload_query(w);
      w->is_overload = true;
    } else if (name) {
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

/* Number of errors in the message; the log holds all. */
#define SHOWN_ERRORS 3

static int fail_compilation(const job *j, dc_error *err) {
  int line = 0;
  char *digest = dc_log_digest(j->log, SHOWN_ERRORS, &line);
  if (!digest) digest = dc_log_reason(j->raw);
  dc_fail(err, DC_COMPILE, "NVRTC_ERROR_COMPILATION", "%s", digest ? digest : "error: the source does not compile");
  err->source_line = line;
  dc_error_set_log(err, j->log);
  free(digest);
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

/* Compiles with all the names that are good; with the whole of NVRTC when that is needed. */
static int run_with_names(job *j, dc_error *err) {
  int r = run(j, err);
  while (r == 1) {
    if (only_names_failed(j)) {
      if (!drop_bad_names(j)) break;
    } else if (j->minimal) {
      j->minimal = false;
    } else {
      break;
    }
    r = run(j, err);
  }
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
  for (const dc_image_entry *e = j->entries; e; e = e->next) {
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

static int fill_signature(dc_signature *sig, const wanted *w, bool tile, dc_error *err) {
  sig->tile = tile;
  if (w->types) {
    dc_error untyped = DC_ERROR_INIT; /* not understood: the kernel is there, without types */
    const int rc = dc_signature_types(w->types, sig, &untyped);
    const bool no_memory = untyped.kind == DC_MEMORY;
    if (rc != 0) dc_log(DC_LOG_COMPILE, "%s", dc_error_text(&untyped));
    dc_error_clear(&untyped);
    if (no_memory) return dc_fail_oom(err);
  }
  if (!w->is_overload) return dc_signature_finish(sig, w->name, w->lowered, w->scanned, err);
  char *plain = strndup(w->asked, (size_t)(w->parameters - w->asked)), *name = strdup(w->asked);
  int result = plain && name ? dc_signature_finish(sig, plain, w->lowered, NULL, err) : dc_fail_oom(err);
  free(plain);
  free(result == 0 ? sig->name : name);
  if (result == 0) sig->name = name;
  return result;
}

/* Entries that no name expression matched (overloads above all) get their signature from their mangled name. */
static int fill_rest(const job *j, dc_image *image, dc_error *err) {
  for (const dc_image_entry *e = j->entries; e; e = e->next)
    if (!by_lowered(j, e->name) && dc_signature_of_entry(&image->kernels[image->nkernels++], e->name, err) != 0)
      return -1;
  return 0;
}

/* Variables of which both symbol and type are known; others can be had by their symbol, as bytes. */
static int fill_variables(const job *j, dc_image *image, dc_error *err) {
  image->variables = calloc((size_t)j->nlist + 1, sizeof *image->variables);
  if (!image->variables) return dc_fail_oom(err);
  for (int i = 0; i < j->nlist; i++) {
    const wanted *w = &j->list[i];
    dc_variable v = {0};
    if (!is_variable(w) || !w->lowered) continue;
    dc_variable_type(&v, w->types);
    if (v.dtype == DC_DTYPE_NONE) continue;
    v.name = strdup(w->asked);
    v.lowered = strdup(w->lowered);
    image->variables[image->nvariables++] = v;
    if (!v.name || !v.lowered) return dc_fail_oom(err);
  }
  return 0;
}

/* Whether the kernel is in the image: it may only be declared, or be another's name for the same instance. */
static bool is_there(const job *j, const wanted *w) {
  if (!w->name || !w->lowered || is_variable(w)) return false;
  if (w->launched && by_lowered(j, w->lowered) != w) return false;
  bool there = !j->entries; /* LTO-IR, of which they cannot be read */
  for (const dc_image_entry *e = j->entries; e && !there; e = e->next) there = strcmp(e->name, w->lowered) == 0;
  return there;
}

static int fill_image(job *j, dc_image *image, dc_error *err) {
  int n = j->nlist;
  for (const dc_image_entry *e = j->entries; e; e = e->next) n++;
  image->kernels = calloc((size_t)n + 1, sizeof *image->kernels);
  if (!image->kernels) return dc_fail_oom(err);
  for (int i = 0; i < j->nlist; i++) {
    if (!is_there(j, &j->list[i])) continue;
    if (fill_signature(&image->kernels[image->nkernels++], &j->list[i], j->tile != NULL, err) != 0) return -1;
  }
  if (fill_rest(j, image, err) != 0 || fill_variables(j, image, err) != 0) return -1;
  image->binary = j->binary || j->ir;
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
    if (!w->lowered)
      return dc_fail(err, DC_COMPILE, "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                     "'%s' names no instance of a kernel or variable in this source%s%s", w->asked,
                     w->why_not ? ": " : "", w->why_not ? w->why_not : "");
  }
  return 0;
}

static void job_free(job *j);

/* A second run, for sources whose kernels take structs by value: their fields are read from debugging
** information.  When that fails, but for a lack of memory, they can only be passed as bytes. */
static int read_records(const job *j, dc_image *image, dc_error *err) {
  char arch[DC_ARCH_BYTES];
  dc_virtual_arch(j->arch, arch);
  job d = {.src = j->src, .arch = arch, .default_device = j->default_device, .debug = true,
           .minimal = j->minimal, .arena = DC_ARENA_INIT,
           .list = calloc((size_t)j->nlist + 1, sizeof *d.list), .nlist = j->nlist};
  dc_error failed = DC_ERROR_INIT;
  int rc = d.list ? 0 : dc_fail_oom(err);
  for (int i = 0; i < j->nlist && rc == 0; i++)
    if (j->list[i].lowered && !is_variable(&j->list[i])) d.list[i].name = j->list[i].name;
  if (rc == 0 && run(&d, &failed) == 0) rc = dc_struct_layouts_read(d.bytes, image, err);
  else if (failed.kind == DC_MEMORY) rc = dc_fail_oom(err);
  else if (rc == 0) dc_log(DC_LOG_COMPILE, "no layouts of structs: %s", failed.kind ? dc_error_text(&failed) : d.log);
  if (!d.list) d.nlist = 0;
  dc_error_clear(&failed);
  job_free(&d);
  return rc;
}

/* Finds out whether the kernels are tile kernels, and what compiles them. */
static int choose_tools(job *j, const dc_scanned *all, dc_error *err) {
  const dc_scanned *tile = NULL, *simt = NULL;
  for (const dc_scanned *k = all; k; k = k->next)
    if (!k->is_variable) *(k->is_tile ? &tile : &simt) = k;
  if (!tile && (simt || !dc_tile_mentioned(j->src->text))) return 0;
  if (tile && simt)
    return dc_fail(err, DC_COMPILE, NULL, "kernels in tiles ('%s', __tile_global__) and in threads ('%s', __global__) "
                   "are compiled apart: give each kind a source of its own", tile->name, simt->name);
  if (j->src->part || j->ir)
    return dc_fail(err, DC_COMPILE, NULL, "tile kernels ('%s') cannot be linked with other sources",
                   tile ? tile->name : "cuda_tile.h");
  j->minimal = false;
  j->tile = dc_tile_tools_find(err);
  return j->tile ? 0 : -1;
}

/* No kernel is in the image: the text has none, or the compiler does not see its definition. */
static int fail_without_kernels(const dc_scanned *all, dc_error *err) {
  while (all && all->is_variable) all = all->next;
  if (!all)
    return dc_fail(err, DC_COMPILE, DC_NO_KERNEL,
                   "the source holds no kernel: a function marked __global__ is needed");
  dc_fail(err, DC_COMPILE, DC_NO_KERNEL, "the source gives no kernel: '%s' is only declared, or left out by #if: give "
          "the macros that its build does, define = {NAME = 1}", all->name);
  err->source_line = all->line;
  return -1;
}

static int compile_all(job *j, dc_image **out, dc_error *err) {
  bool failed = false, more = false;
  const dc_source *src = j->src;
  dc_scanned *all = dc_scan(src->text, src->len, &j->arena, &failed);
  if (failed) return dc_fail_oom(err);
  if (choose_tools(j, all, err) != 0) return -1;
  bool templates = false;
  for (dc_scanned *k = all; k; k = k->next) {
    if (k->is_variable && src->no_signatures) continue;
    templates = templates || (k->is_template && !k->is_variable);
    if (!k->is_template && want(j, k->name, k, err) != 0) return -1;
  }
  for (int i = 0; i < src->nlaunched; i++) {
    if (asked_before(j, src->launched[i])) continue;
    if (want(j, src->launched[i], template_of(all, src->launched[i]), err) != 0) return -1;
    j->list[j->nlist - 1].launched = true;
  }
  for (int i = 0; i < src->ninstantiate; i++)
    if (want(j, src->instantiate[i], template_of(all, src->instantiate[i]), err) != 0) return -1;
  if (src->no_signatures)
    for (int i = 0; i < j->nlist; i++) {
      free(j->list[i].query);
      j->list[i].query = NULL;
    }
  if (run_with_names(j, err) != 0 || check_instances(j, j->nlist - src->ninstantiate, err) != 0) return -1;
  if (!src->no_signatures && !j->ir) {
    if (find_entries(j, err) != 0 || want_unseen(j, &more, err) != 0) return -1;
    if (more && (run_with_names(j, err) != 0 || find_entries(j, err) != 0)) return -1;
  }
  if (make_image(j, out, err) != 0) return -1;
  if (!src->no_signatures && dc_struct_layouts_wanted(*out) && read_records(j, *out, err) != 0) {
    dc_image_free(*out);
    *out = NULL;
    return -1;
  }
  if ((*out)->nkernels == 0 && !templates && !src->part) {
    dc_image_free(*out);
    *out = NULL;
    return fail_without_kernels(all, err);
  }
  return 0;
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

int dc_compile_as_is(const dc_source *src, dc_target t, dc_image **out, dc_error *err) {
  job j = {.src = src, .arch = t.arch, .binary = t.binary, .ir = src->lto, .default_device = t.default_device,
           .arena = DC_ARENA_INIT};
  const dc_nvrtc_version *version = dc_nvrtc(err);
  if (!version) return -1;
  j.minimal = !t.whole && dc_minimal_suffices(version, src);
  j.hasty = t.names_only && dc_nvrtc_is_from(version, 12, 6);
  int result = compile_all(&j, out, err);
  job_free(&j);
  return result;
}
