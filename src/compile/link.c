/*
** link.c - see link.h.  Lines of the sources count through them, as if they were one text.
*/
#include "compile/link.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "compile/join.h"
#include "compile/nvjitlink.h"
#include "compile/ready.h"

typedef struct part {
  dc_source src;
  dc_image *image;
  int line_base;
  bool ready;
} part;

/* "dotcompute.cu(12)" with `base` added to each such line, malloc'ed. */
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
  for (const char *p = text; (p = memmem(p, strlen(p), instance, n)) != NULL; p++) {
    bool begins = p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
    if (begins && !isalnum((unsigned char)p[n]) && p[n] != '_') return true;
  }
  return false;
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

static int compile_parts(part *parts, int n, const char *arch, bool binary, dc_error *err) {
  for (int i = 0; i < n; i++) {
    part *p = &parts[i];
    if (dc_compile(&p->src, arch, binary, &p->image, err) != 0) return shift_error(err, p->line_base);
    if (!binary && p->image->binary)
      return dc_fail(err, DC_COMPILE, NULL, "source %d of those to be linked is machine code; this device takes PTX",
                     i + 1);
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

static int link_parts(part *parts, int n, const char *arch, dc_image *out, dc_error *err) {
  dc_link_input *inputs = calloc((size_t)n, sizeof *inputs);
  if (!inputs) return dc_fail_oom(err);
  for (int i = 0; i < n; i++) {
    const dc_image *image = parts[i].image;
    bool elf = image->binary && memcmp(image->bytes, "\x7f" "ELF", 4) == 0;
    inputs[i] = (dc_link_input){image->bytes, image->len,
                                elf ? DC_LINK_CUBIN : image->binary ? DC_LINK_FATBIN : DC_LINK_PTX};
  }
  out->bytes = dc_nvjitlink(inputs, n, arch, &out->len, err);
  out->binary = true;
  free(inputs);
  return out->bytes ? 0 : -1;
}

static int link_image(part *parts, int n, const char *arch, bool binary, dc_image **out, dc_error *err) {
  dc_image *image = calloc(1, sizeof *image);
  if (!image) return dc_fail_oom(err);
  int rc = binary ? link_parts(parts, n, arch, image, err) : join_parts(parts, n, image, err);
  if (rc == 0) rc = gather(parts, n, image, err);
  if (rc == 0 && image->nkernels == 0 && image->nvariables == 0)
    rc = dc_fail(err, DC_COMPILE, NULL, "the sources hold no kernel: a function marked __global__ is needed");
  if (rc == 0) *out = image;
  else dc_image_free(image);
  return rc;
}

static int count_lines(const char *text) {
  int lines = 1;
  for (; (text = strchr(text, '\n')) != NULL; text++) lines++;
  return lines;
}

int dc_link_units(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err) {
  int n = src->nunits, base = 0, rc = -1;
  part *parts = calloc((size_t)n, sizeof *parts);
  const char **room = calloc((size_t)n * (size_t)src->ninstantiate + 1, sizeof *room);
  if (!parts || !room) {
    dc_fail_oom(err);
  } else {
    for (int i = 0; i < n; i++) {
      part *p = &parts[i];
      p->src = *src;
      p->src.text = src->units[i];
      p->src.len = src->unit_lens[i];
      p->src.units = NULL;
      p->src.nunits = 0;
      p->src.part = true;
      p->line_base = base;
      p->ready = dc_is_ready(p->src.text, p->src.len);
      if (!p->ready) base += count_lines(p->src.text);
    }
    share_instances(parts, n, src, room);
    rc = compile_parts(parts, n, arch, binary, err);
    if (rc == 0) rc = link_image(parts, n, arch, binary, out, err);
  }
  for (int i = 0; parts && i < n; i++) dc_image_free(parts[i].image);
  free(parts);
  free(room);
  return rc;
}
