/*
** unload.c - see unload.h.
*/
#include "cuda/unload.h"

#include <stdlib.h>

#include "cuda/context.h"

void dc_cuda_free_code(dc_code *code) {
  while (code->functions != NULL) {
    dc_function *fn = code->functions;
    code->functions = fn->next;
    free(fn);
  }
  free(code);
}

static bool has_ended(const dc_code *code) {
  uint64_t last = 0;
  for (const dc_function *fn = code->functions; fn != NULL; fn = fn->next)
    if (fn->last_launch > last) last = fn->last_launch;
  for (const dc_cuda_stream *s = &code->d->own; s != NULL; s = s->next)
    if (s->finished < s->issued && s->finished < last) return false;
  return true;
}

bool dc_cuda_unload_ended(dc_code *code) {
  if (!has_ended(code)) return false;
  int mode = dc_cuda_relax(code->d);
  if (!dc_cuda_is_dead()) dc_cuda_note(dc_cu.ModuleUnload(code->module));
  dc_cuda_restrain(mode);
  dc_cuda_free_code(code);
  return true;
}

void dc_cuda_unload_deferred(dc_cuda *d) {
  for (dc_code **p = &d->deferred; *p != NULL;) {
    dc_code *code = *p, *next = code->next_deferred;
    if (dc_cuda_unload_ended(code)) *p = next;
    else p = &code->next_deferred;
  }
}
