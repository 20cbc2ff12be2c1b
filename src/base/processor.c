/*
** processor.c - see processor.h.
*/
#include "base/processor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static dc_set chosen;

static void choose(void) {
  static const char *const names[DC_NSETS] = {
#define NAME(id, name) [DC_SET_##id] = name,
    DC_INSTRUCTION_SETS(NAME)
#undef NAME
  };
  const char *forced = getenv("DOTCOMPUTE_CPU_ISA");
  chosen = dc_has_avx512() ? DC_SET_AVX512 : dc_has_avx2() ? DC_SET_AVX2 : DC_SET_BASELINE;
  for (dc_set s = DC_SET_BASELINE; forced != NULL && s < chosen; s++)
    if (strcmp(forced, names[s]) == 0) chosen = s;
}

dc_set dc_instruction_set(void) {
  pthread_once(&once, choose);
  return chosen;
}
