/* module.c - see module.h. */
#include "kernel/module.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dump.h"
#include "base/error.h"
#include "base/line.h"
#include "compile/compile.h"
#include "compile/grid_sync.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "device/device.h"
#include "device/registry.h"
#include "kernel/kernel.h"
#include "kernel/plan.h"

/* Where line `line` (from 1) of the text begins. */
static size_t line_start(const dc_source *src, int line) {
  const char *p = src->text, *end = p + src->len;
  while (--line > 0 && p < end) {
    const char *next = memchr(p, '\n', (size_t)(end - p));
    p = next != NULL ? next + 1 : end;
  }
  return (size_t)(p - src->text);
}

/* Notes which kernels synchronize their whole grid.  A kernel's own part goes from its line to the next kernel's. */
static void find_grid_syncs(const dc_source *src, const dc_image *image, dc_kernel *kernels) {
  if (image->nkernels == 0 || !dc_syncs_grid(src->text, src->len)) return;
  for (int i = 0; i < image->nkernels; i++) {
    int line = image->kernels[i].line, next = 0;
    kernels[i].grid_sync = 1;
    if (line < 1) continue;
    for (int j = 0; j < image->nkernels; j++) {
      int l = image->kernels[j].line;
      if (l > line && (next == 0 || l < next)) next = l;
    }
    size_t from = line_start(src, line), to = next > 0 ? line_start(src, next) : src->len;
    if (dc_syncs_grid(src->text + from, to - from)) kernels[i].grid_sync = 2;
  }
}

/* The stages "cuda" and "ptx".  Where the device takes machine code, the PTX is what the compiler would give. */
static void dump(const char *arch, const dc_source *src, const dc_image *image) {
  char name[17];
  dc_image *ptx = NULL;
  dc_error ignored = DC_ERROR_INIT;
  if (src->text == NULL || (!dc_dump_on(DC_DUMP_CUDA) && !dc_dump_on(DC_DUMP_PTX))) return;
  dc_dump_name(src->text, src->len, name);
  dc_dump(DC_DUMP_CUDA, name, src->text, src->len);
  if (!dc_dump_on(DC_DUMP_PTX)) return;
  if (image->binary && dc_compile(src, arch, false, &ptx, &ignored) == 0) image = ptx;
  dc_dump(DC_DUMP_PTX, name, image->binary ? "" : image->bytes, image->binary ? 0 : image->len);
  if (ptx != NULL) dc_image_free(ptx);
  dc_error_clear(&ignored);
}

/* The architecture that the source is compiled for, "sm_90", and whether to machine code: the device's, or what the
** source asks for where the device runs that.  A GPU runs code for its compute capability, for lower ones of the same
** first number, and PTX of all lower ones; with "a" for exactly its own; with "f" for its own first number.  A device
** that takes PTX takes that of any architecture, and says which instructions it does not have. */
static int choose_target(const dc_device *dev, const dc_source *src, char arch[24], bool *binary, dc_error *err) {
  *binary = dev->target.binary;
  if (src->arch == NULL) {
    memcpy(arch, dev->target.arch, sizeof dev->target.arch);
    return 0;
  }
  char *suffix;
  const char *number = strchr(src->arch, '_') + 1;
  const long wanted = strtol(number, &suffix, 10), own = dev->facts.compute_major * 10L + dev->facts.compute_minor;
  if (dev->target.binary) {
    *binary = strncmp(src->arch, "sm_", 3) == 0;
    const bool same = wanted / 10 == own / 10;
    if (*suffix == 'a' ? wanted != own : wanted > own || (!same && (*binary || *suffix == 'f')))
      return dc_fail(err, DC_DEVICE, NULL, "code for %s does not run on %s, whose compute capability is %d.%d",
                     src->arch, dev->name, dev->facts.compute_major, dev->facts.compute_minor);
  }
  snprintf(arch, 24, "%s_%.15s", *binary ? "sm" : "compute", number);
  return 0;
}

int dc_module_build(dc_device *dev, const dc_source *src, dc_module **out, dc_error *err) {
  *out = NULL;
  dc_image *image = NULL;
  char arch[24];
  bool binary;
  if (dc_dump_check(err) != 0 || dc_device_open(dev, err) != 0) return -1;
  if (choose_target(dev, src, arch, &binary, err) != 0 || dc_compile(src, arch, binary, &image, err) != 0) return -1;
  dump(arch, src, image); /* before the device may refuse it */
  dc_module *m = calloc(1, sizeof *m);
  dc_kernel *kernels = dc_calloc_lines(((size_t)image->nkernels + 1) * sizeof *kernels); /* never of size 0 */
  int rc = m == NULL || kernels == NULL ? dc_fail_oom(err) : 0;
  if (rc == 0) rc = dev->code->load(dev, image->bytes, image->len, &m->code, err);
  if (rc != 0) {
    free(kernels);
    free(m);
    dc_image_free(image);
    return -1;
  }
  m->dev = dev;
  m->image = image;
  memcpy(m->arch, arch, sizeof arch);
  if (src->text != NULL) find_grid_syncs(src, image, kernels);
  m->refs = 1;
  m->kernels = kernels;
  *out = m;
  return 0;
}

void dc_module_ref(dc_module *m) { m->refs++; }

void dc_module_unref(dc_module *m) {
  if (m == NULL || --m->refs > 0) return;
  m->dev->code->unload(m->dev, m->code);
  for (int i = 0; i < m->image->nkernels; i++) {
    free(m->kernels[i].params);
    free(m->kernels[i].place);
  }
  free(m->kernels);
  dc_plan_free_records(m);
  dc_image_free(m->image);
  free(m);
}

/* DC_ARGUMENT: there is no kernel `name`; these there are. */
static int fail_no_kernel(const dc_module *m, const char *name, dc_error *err) {
  dc_buf b = DC_BUF_INIT;
  for (int i = 0; i < m->image->nkernels; i++)
    dc_buf_printf(&b, "%s'%s'", i > 0 ? ", " : "", m->image->kernels[i].name);
  if (m->image->nkernels == 0)
    dc_fail(err, DC_ARGUMENT, NULL, "there is no kernel '%s': the source has no __global__ function", name);
  else
    dc_fail(err, DC_ARGUMENT, NULL, "there is no kernel '%s' in the source; it has %s", name, dc_buf_str(&b));
  dc_buf_free(&b);
  return -1;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

/* The next character that matters at *s: blanks do between two words only. Goes behind it. */
static char significant(const char *start, const char **s) {
  const char *p = *s;
  while (is_blank(*p)) p++;
  bool apart = p > *s && p > start && *s > start && is_word((*s)[-1]) && is_word(*p);
  *s = apart ? p : *p ? p + 1 : p;
  return apart ? ' ' : *p;
}

bool dc_name_same(const char *a, const char *b) {
  const char *p = a, *q = b;
  for (;;) {
    char c = significant(a, &p), d = significant(b, &q);
    if (c != d) return false;
    if (c == '\0') return true;
  }
}

/* The index of the kernel so called, or -1. Names as written come before lowered ones. */
static int find_kernel(const dc_module *m, const char *name) {
  const dc_signature *sigs = m->image->kernels;
  for (int i = 0; i < m->image->nkernels; i++)
    if (strcmp(sigs[i].name, name) == 0) return i;
  for (int i = 0; i < m->image->nkernels; i++)
    if (sigs[i].lowered != NULL && strcmp(sigs[i].lowered, name) == 0) return i;
  return -1;
}

int dc_kernel_take(dc_module *m, const char *entry, const dc_signature *sig, dc_kernel *k, dc_error *err) {
  *k = (dc_kernel){ .module = m, .sig = sig };
  if (m->dev->code->function(m->dev, m->code, entry, &k->fn, err) != 0) return -1;
  return dc_kernel_facts(k, err);
}

dc_kernel *dc_module_kernel(dc_module *m, const char *name, dc_error *err) {
  int i = find_kernel(m, name);
  const dc_refused *refused = i < 0 ? dc_image_refused(m->image, name) : NULL;
  if (i < 0) {
    if (refused != NULL) dc_fail_refused(refused, err);
    else fail_no_kernel(m, name, err);
    return NULL;
  }
  dc_kernel *k = &m->kernels[i];
  if (k->fn != NULL) return k;
  const dc_signature *sig = &m->image->kernels[i];
  dc_function *fn;
  if (m->dev->code->function(m->dev, m->code, sig->lowered != NULL ? sig->lowered : sig->name, &fn, err) != 0)
    return NULL;
  dc_kernel made = { .module = m, .fn = fn, .sig = sig, .grid_sync = k->grid_sync };
  strncpy(made.label, sig->name, sizeof made.label - 1);
  if (dc_plan_make(&made, err) != 0) {
    free(made.params);
    return NULL;
  }
  *k = made;
  return k;
}
