/*
** link.c - see link.h.  Lines of the sources count through them, as if they were one text.
*/
#include "compile/link/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "compile/link/lto.h"
#include "compile/link/prebuilt.h"
#include "compile/link/ptx_link.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/nvjitlink.h"
#include "compile/types/entries.h"
#include "compile/types/image.h"
#include "compile/types/scan.h"
#include "compile/types/source.h"
#include "compile/types/tokens.h"

typedef struct part {
  dc_source src;
  char *text;     /* of src where it is not the user's own */
  dc_image *image;
  int line_base;
  bool ready;
} part;

/* The text, malloc'ed, with `base` added to the line in each "dotcompute.cu(12)". */
static char *shift_lines(const char *text, int base) {
  static const char mark[] = DC_SOURCE_NAME "(";
  dc_buf b = DC_BUF_INIT;
  for (const char *found; (found = strstr(text, mark)) != NULL;) {
    char *end;
    long line = strtol(found + sizeof mark - 1, &end, 10);
    dc_buf_add(&b, text, (size_t)(found - text));
    dc_buf_printf(&b, "%s%ld", mark, line + base);
    text = end;
  }
  dc_buf_puts(&b, text);
  return dc_buf_take(&b);
}

/* The error of a source that begins behind line `base`. */
static int shift_error(dc_error *err, int base) {
  char *message = shift_lines(dc_error_text(err), base), *log = err->log ? shift_lines(err->log, base) : NULL;
  int line = err->source_line > 0 ? err->source_line + base : 0;
  if (message) {
    dc_fail(err, err->kind, err->code, "%s", message);
    dc_error_set_log(err, log);
    err->source_line = line;
  }
  free(message);
  free(log);
  return -1;
}

/* Whether the text speaks of the template whose instance it is. */
static bool mentions(const char *text, const char *instance) {
  size_t n = strcspn(instance, "< \t");
  while (n > 0 && instance[n - 1] == ' ') n--;
  for (const char *p = instance; (p = memchr(p, ':', n - (size_t)(p - instance))) != NULL;) { /* behind "ns::" */
    n -= (size_t)(p + 1 - instance);
    instance = ++p;
  }
  return dc_word_find(text, instance, n) != NULL;
}

/* Instances belong to the first source that has their template; to the first of all where none seems to. */
static int share_instances(part *parts, int n, const dc_source *src, const char **room) {
  for (int i = 0; i < n; i++) {
    parts[i].src.instantiate = room + (size_t)i * (size_t)src->ninstantiate;
    parts[i].src.ninstantiate = 0;
  }
  for (int k = 0; k < src->ninstantiate; k++) {
    int owner = -1;
    for (int i = 0; i < n && owner < 0; i++)
      if (!parts[i].ready && mentions(parts[i].src.text, src->instantiate[k])) owner = i;
    for (int i = 0; i < n && owner < 0; i++)
      if (!parts[i].ready) owner = i;
    if (owner < 0) continue;
    ((const char **)(uintptr_t)parts[owner].src.instantiate)[parts[owner].src.ninstantiate++] = src->instantiate[k];
  }
  return 0;
}

static int kind_of(const dc_image *image) {
  if (!image->binary) return DC_LINK_PTX;
  if (dc_is_lto_ir(image->bytes, image->len)) return DC_LINK_LTOIR;
  return memcmp(image->bytes, "\x7f" "ELF", 4) == 0 ? DC_LINK_CUBIN : DC_LINK_FATBIN; /* which may hold LTO-IR */
}

/* Whether it can become a piece of the PTX that the device takes. */
static int check_part(const part *p, int i, dc_error *err) {
  const int kind = kind_of(p->image);
  if (kind == DC_LINK_CUBIN || (kind == DC_LINK_FATBIN && !p->src.lto))
    return dc_fail(err, DC_COMPILE, NULL, "source %d of those to be linked is machine code; this device takes PTX",
                   i + 1);
  if (kind == DC_LINK_PTX && p->src.lto)
    return dc_fail(err, DC_COMPILE, NULL,
                   "source %d of those to be linked is PTX and others are LTO-IR: of both the linker makes machine "
                   "code alone, and this device takes PTX", i + 1);
  return 0;
}

static int compile_parts(part *parts, int n, dc_compile_fn *compile, const char *arch, bool binary, dc_error *err) {
  for (int i = 0; i < n; i++) {
    part *p = &parts[i];
    if (compile(&p->src, arch, binary, &p->image, err) != 0) return shift_error(err, p->line_base);
    if (!binary && check_part(p, i, err) != 0) return -1;
  }
  return 0;
}

/* --- one image of many ---------------------------------------------------------------------------- */

static bool has_kernel(const dc_image *image, const char *lowered) {
  for (int i = 0; i < image->nkernels; i++)
    if (strcmp(image->kernels[i].lowered, lowered) == 0) return true;
  return false;
}

static void shift_record(dc_ctype *t, int base) {
  if (t->record > 0) t->record += base;
}

/* Moves the layouts of structs, which types name by their numbers. */
static void move_records(dc_image *image, dc_image *out) {
  const int base = out->nrecords;
  for (int i = 0; i < image->nrecords; i++) {
    out->records[out->nrecords] = image->records[i];
    for (int k = 0; k < image->records[i].nfields; k++) shift_record(&image->records[i].fields[k].type, base);
    out->nrecords++;
  }
  image->nrecords = 0;
  for (int i = 0; i < image->nkernels; i++)
    for (int k = 0; k < image->kernels[i].nparams; k++) shift_record(&image->kernels[i].params[k].type, base);
}

/* Moves kernels, variables and warnings of all parts to `out`. */
static int gather(part *parts, int n, dc_image *out, dc_error *err) {
  int nkernels = 0, nvariables = 0, nrecords = 0;
  dc_buf log = DC_BUF_INIT;
  for (int i = 0; i < n; i++) {
    nkernels += parts[i].image->nkernels;
    nvariables += parts[i].image->nvariables;
    nrecords += parts[i].image->nrecords;
  }
  out->records = calloc((size_t)nrecords + 1, sizeof *out->records);
  out->kernels = calloc((size_t)nkernels + 1, sizeof *out->kernels);
  out->variables = calloc((size_t)nvariables + 1, sizeof *out->variables);
  if (!out->kernels || !out->variables || !out->records) return dc_fail_oom(err);
  for (int i = 0; i < n; i++) {
    dc_image *image = parts[i].image;
    move_records(image, out);
    for (int k = 0; k < image->nkernels; k++) {
      if (has_kernel(out, image->kernels[k].lowered)) continue; /* an instance that several have */
      dc_signature *sig = &out->kernels[out->nkernels++];
      *sig = image->kernels[k];
      memset(&image->kernels[k], 0, sizeof image->kernels[k]);
      if (sig->line > 0) sig->line += parts[i].line_base;
    }
    for (int k = 0; k < image->nvariables; k++) out->variables[out->nvariables + k] = image->variables[k];
    out->nvariables += image->nvariables;
    image->nvariables = 0;
    char *shifted = shift_lines(image->log ? image->log : "", parts[i].line_base);
    if (shifted && *shifted) dc_buf_printf(&log, "%s%s", log.len ? "\n\n" : "", shifted);
    free(shifted);
  }
  out->log = dc_buf_take(&log);
  return out->log ? 0 : dc_fail_oom(err);
}

static int join_parts(part *parts, int n, dc_image *out, dc_error *err) {
  dc_unit *units = calloc((size_t)n, sizeof *units);
  if (!units) return dc_fail_oom(err);
  for (int i = 0; i < n; i++)
    units[i] = (dc_unit){parts[i].image->bytes, parts[i].line_base, parts[i].ready, parts[i].image};
  out->bytes = dc_ptx_join(units, n, err);
  free(units);
  if (!out->bytes) return -1;
  out->len = strlen(out->bytes);
  return 0;
}

static int link_parts(const part *parts, int n, dc_link_job job, dc_image *out, dc_error *err) {
  dc_link_input *inputs = calloc((size_t)n, sizeof *inputs);
  if (!inputs) return dc_fail_oom(err);
  for (int i = 0; i < n; i++)
    inputs[i] = (dc_link_input){parts[i].image->bytes, parts[i].image->len, kind_of(parts[i].image)};
  job.inputs = inputs;
  job.n = n;
  out->bytes = dc_link_code(&job, &out->len, err);
  out->binary = !job.ptx;
  free(inputs);
  return out->bytes ? 0 : -1;
}

/* --- link-time optimization --------------------------------------------------------------------------- */

/* PTX for the CPU device is compute_75's; where a source asked for more (as dc_compile_program allows), or is LTO-IR
** for something newer, the whole is made for that. */
static int optimize_to_ptx(const part *parts, int n, dc_link_job job, dc_image *out, dc_error *err) {
  static const char *const newer[] = {"compute_80", "compute_90", "compute_100", "compute_120"};
  int rc = link_parts(parts, n, job, out, err);
  if (strcmp(job.arch, "compute_75") != 0) return rc;
  for (size_t i = 0; i < sizeof newer / sizeof *newer && rc != 0 && strcmp(err->code, DC_LINK_NEWER) == 0; i++) {
    dc_error_clear(err);
    job.arch = newer[i];
    rc = link_parts(parts, n, job, out, err);
  }
  return rc;
}

/* The linker leaves what PTX lacks for the driver to find. */
static int optimize(const part *parts, int n, const dc_source *src, const char *arch, bool binary, dc_image *out,
                    dc_error *err) {
  dc_arena arena = DC_ARENA_INIT;
  dc_link_job job = {.arch = arch, .lto = true, .ptx = !binary};
  const char **options;
  int rc = dc_lto_options(src, !binary, &arena, &options, &job.noptions) ? 0 : dc_fail_oom(err);
  if (rc == 0) {
    job.options = options;
    rc = binary ? link_parts(parts, n, job, out, err) : optimize_to_ptx(parts, n, job, out, err);
  }
  if (rc == 0 && !binary) {
    out->len = dc_ptx_strip_queries(out->bytes, strlen(out->bytes));
    rc = dc_ptx_check(out->bytes, err);
  }
  dc_arena_free(&arena);
  return rc;
}

static bool is_told(const part *parts, int n, const char *lowered) {
  for (int i = 0; i < n; i++)
    if (has_kernel(parts[i].image, lowered)) return true;
  return false;
}

/* Of LTO-IR the compiler gives the lowered names that were asked for.  Kernels made by macros and headers appear only
** in the linked image, managed variables' symbols only in PTX and machine code. */
static bool knows_all(const part *parts, int n, const dc_image *linked, bool *failed) {
  dc_arena arena = DC_ARENA_INIT;
  bool all = true;
  for (int i = 0; i < n; i++) all = all && (parts[i].ready || !strstr(parts[i].src.text, "__managed__"));
  const dc_image_entry *e = dc_image_entries(linked->bytes, linked->len, linked->binary, &arena, failed);
  for (; e; e = e->next) all = all && is_told(parts, n, e->name);
  dc_arena_free(&arena);
  return all;
}

/* Otherwise the units are compiled to PTX, from which all names can be read, in place of their LTO-IR. */
static int learn_names(part *parts, int n, dc_compile_fn *compile, const char *arch, const dc_image *linked,
                       dc_error *err) {
  char ptx[DC_ARCH_BYTES];
  bool failed = false;
  if (knows_all(parts, n, linked, &failed)) return failed ? dc_fail_oom(err) : 0;
  dc_virtual_arch(arch, ptx);
  for (int i = 0; i < n; i++) {
    part *p = &parts[i];
    if (p->ready) continue;
    dc_image_free(p->image);
    p->image = NULL;
    p->src.lto = false;
    if (compile(&p->src, ptx, false, &p->image, err) != 0) return -1;
  }
  return 0;
}

/* Kernels that came as LTO-IR tell what the linked image does. */
static int add_unnamed(dc_image *image, dc_error *err) {
  const dc_source linked = {.text = image->bytes, .len = image->len};
  dc_image *all = NULL;
  if (dc_prebuilt_image(&linked, &all, err) != 0) return -1;
  dc_signature *more = realloc(image->kernels, sizeof *more * (size_t)(image->nkernels + all->nkernels + 1));
  if (more) image->kernels = more;
  for (int i = 0; more && i < all->nkernels; i++) {
    if (has_kernel(image, all->kernels[i].lowered)) continue;
    more[image->nkernels++] = all->kernels[i];
    memset(&all->kernels[i], 0, sizeof all->kernels[i]);
  }
  dc_image_free(all);
  return more ? 0 : dc_fail_oom(err);
}

/* --- the whole ---------------------------------------------------------------------------------------- */

/* Without a kernel: instances of templates may be asked for later. */
static bool has_template(const part *parts, int n) {
  bool found = false, failed = false;
  dc_arena arena = DC_ARENA_INIT;
  for (int i = 0; i < n && !found; i++) {
    if (parts[i].ready) continue;
    for (const dc_scanned *k = dc_scan(parts[i].src.text, parts[i].src.len, &arena, &failed); k; k = k->next)
      found = found || (k->is_template && !k->is_variable);
  }
  dc_arena_free(&arena);
  return found;
}

/* Kernels that launch kernels compile where they are to be linked, with the device runtime's library: the CPU device
** has no more of it than the launches themselves. */
static void explain(dc_error *err) {
  if (strstr(dc_error_text(err), "'__cudaCDP2"))
    dc_fail(err, DC_COMPILE, NULL,
            "a kernel launches kernels itself (dynamic parallelism), which cannot be linked%s: launch them from the "
            "script", strstr(dc_error_text(err), "'__cudaCDP2Stream") ? " with streams or events of its own" : "");
}

static int link_image(part *parts, int n, const dc_source *src, dc_compile_fn *compile, const char *arch, bool binary,
                      dc_image **out, dc_error *err) {
  dc_image *image = calloc(1, sizeof *image);
  if (!image) return dc_fail_oom(err);
  int rc = src->lto ? optimize(parts, n, src, arch, binary, image, err)
           : binary ? link_parts(parts, n, (dc_link_job){.arch = arch}, image, err)
                    : join_parts(parts, n, image, err);
  if (rc != 0) explain(err);
  if (rc == 0 && src->lto) rc = learn_names(parts, n, compile, arch, image, err);
  if (rc == 0) rc = gather(parts, n, image, err);
  if (rc == 0 && src->lto) rc = add_unnamed(image, err);
  if (rc == 0 && image->nkernels == 0 && (n == 1 || image->nvariables == 0) && !has_template(parts, n))
    rc = dc_fail(err, DC_COMPILE, NULL, "the source%s no kernel: a function marked __global__ is needed",
                 n == 1 ? " holds" : "s hold");
  if (rc == 0) *out = image;
  else dc_image_free(image);
  return rc;
}

static int count_lines(const char *text) {
  int lines = 1;
  for (; (text = strchr(text, '\n')) != NULL; text++) lines++;
  return lines;
}

/* The text behind `lines` newlines: link-time optimization reports lines under one file's name, and these are the
** user's if they count through all sources from the first. */
static char *lower_text(const dc_source *src, int lines) {
  char *text = malloc((size_t)lines + src->len + 1);
  if (!text) return NULL;
  memset(text, '\n', (size_t)lines);
  memcpy(text + lines, src->text, src->len);
  text[(size_t)lines + src->len] = '\0';
  return text;
}

static int set_part(part *p, const dc_source *src, int i, int *base, dc_error *err) {
  p->src = *src;
  p->src.text = src->units[i];
  p->src.len = src->unit_lens[i];
  p->src.units = NULL;
  p->src.nunits = 0;
  p->src.part = true;
  p->line_base = *base;
  p->ready = dc_is_prebuilt(p->src.text, p->src.len);
  if (p->ready) return 0;
  const int lines = *base;
  *base += count_lines(p->src.text);
  if (!src->lto || lines == 0) return 0;
  p->text = lower_text(&p->src, lines);
  if (!p->text) return dc_fail_oom(err);
  p->src.text = p->text;
  p->src.len += (size_t)lines;
  p->line_base = 0;
  return 0;
}

int dc_link_units(const dc_source *src, dc_compile_fn *compile, const char *arch, bool binary, dc_image **out,
                  dc_error *err) {
  int n = src->nunits, base = 0, rc;
  part *parts = calloc((size_t)n, sizeof *parts);
  const char **room = calloc((size_t)n * (size_t)src->ninstantiate + 1, sizeof *room);
  rc = parts && room ? 0 : dc_fail_oom(err);
  for (int i = 0; i < n && rc == 0; i++) rc = set_part(&parts[i], src, i, &base, err);
  if (rc == 0) {
    share_instances(parts, n, src, room);
    rc = compile_parts(parts, n, compile, arch, binary, err);
  }
  if (rc == 0) rc = link_image(parts, n, src, compile, arch, binary, out, err);
  for (int i = 0; parts && i < n; i++) {
    dc_image_free(parts[i].image);
    free(parts[i].text);
  }
  free(parts);
  free(room);
  return rc;
}
