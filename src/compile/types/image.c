/* image.c - see image.h. */
#include "compile/types/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

size_t dc_vector_align(size_t component, int lanes) {
  if (lanes == 1 || lanes == 3) return component;
  size_t size = component * (size_t)lanes;
  return size < 16 ? size : 16;
}

dc_named dc_named_by(const char *name, size_t n) {
  static const struct {
    const char *name;
    dc_named is;
  } list[] = {
    { "cuFloatComplex", DC_NAMED_COMPLEX },      { "cuComplex", DC_NAMED_COMPLEX },
    { "cuDoubleComplex", DC_NAMED_COMPLEX },     { "cudaTextureObject_t", DC_NAMED_TEXTURE },
    { "CUtexObject", DC_NAMED_TEXTURE },         { "cudaSurfaceObject_t", DC_NAMED_SURFACE },
    { "CUsurfObject", DC_NAMED_SURFACE },
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strlen(list[i].name) == n && memcmp(name, list[i].name, n) == 0) return list[i].is;
  return DC_NAMED_PLAIN;
}

void dc_params_free(dc_cparam *params, int n) {
  for (int i = 0; i < n; i++) {
    free(params[i].name);
    free(params[i].type.spelling);
  }
  free(params);
}

void dc_signature_free(dc_signature *sig) {
  dc_params_free(sig->params, sig->nparams);
  free(sig->name);
  free(sig->lowered);
  free(sig->text);
  memset(sig, 0, sizeof *sig);
}

static void free_records(dc_image *image) {
  for (int i = 0; i < image->nrecords; i++) {
    dc_struct_layout *r = &image->records[i];
    for (int k = 0; k < r->nfields; k++) {
      free(r->fields[k].name);
      free(r->fields[k].type.spelling);
    }
    free(r->fields);
    free(r->name);
    free(r->why_not);
  }
  free(image->records);
}

void dc_image_free(dc_image *image) {
  if (!image) return;
  for (int i = 0; i < image->nkernels; i++) dc_signature_free(&image->kernels[i]);
  free(image->kernels);
  free_records(image);
  for (int i = 0; i < image->nvariables; i++) {
    free(image->variables[i].name);
    free(image->variables[i].lowered);
  }
  free(image->variables);
  for (int i = 0; i < image->nrefused; i++) {
    free(image->refused[i].name);
    free(image->refused[i].reason);
  }
  free(image->refused);
  free(image->bytes);
  free(image->log);
  free(image);
}

const dc_refused *dc_image_refused(const dc_image *image, const char *name) {
  size_t n = strcspn(name, "<");
  for (int i = 0; i < image->nrefused; i++)
    if (strlen(image->refused[i].name) == n && strncmp(image->refused[i].name, name, n) == 0) return &image->refused[i];
  return NULL;
}

int dc_fail_refused(const dc_refused *r, dc_error *err) {
  dc_fail(err, DC_COMPILE, NULL, "kernel '%s' %s", r->name, r->reason);
  err->source_line = r->line;
  return -1;
}

