/* isa.c - see isa.h. */
#include "cpu/runtime/isa.h"

#include <stdlib.h>
#include <string.h>

#include "base/processor.h"
#include "cpu/ops/table.h"

const dc_isa *dc_ops_best(void) {
  const dc_isa *tables[3] = {&dc_isa_baseline, NULL, NULL};
  int n = 1;
#if defined(__x86_64__)
  if (dc_has_avx2()) tables[n++] = &dc_isa_avx2;
  if (n == 2 && dc_has_avx512()) tables[n++] = &dc_isa_avx512;
#endif
  const char *forced = getenv("DOTCOMPUTE_CPU_ISA");
  for (int i = 0; forced && i < n; i++)
    if (strcmp(forced, tables[i]->isa) == 0) return tables[i];
  return tables[n - 1];
}
