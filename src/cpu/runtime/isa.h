/*
** isa.h - chooses among the operations compiled for baseline, AVX2 and AVX-512 by the processor's features.
*/
#pragma once

#include "cpu/interp/interp.h"

const dc_isa *dc_ops_best(void); /* for this machine; DOTCOMPUTE_CPU_ISA=baseline|avx2|avx512 forces a lower one */
