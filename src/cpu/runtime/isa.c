/* isa.c - see isa.h. */
#include "cpu/runtime/isa.h"

#include "base/processor.h"
#include "cpu/ops/table.h"

const dc_isa *dc_ops_best(void) {
  switch (dc_instruction_set()) {
#if defined(__x86_64__)
    case DC_SET_AVX512: return &dc_isa_avx512;
    case DC_SET_AVX2: return &dc_isa_avx2;
#endif
    default: return &dc_isa_baseline;
  }
}
