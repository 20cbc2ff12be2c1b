/*
** registers.h - registers to places in a warp's register file: liveness, then a linear scan.
*/
#ifndef DC_CPU_ANALYSIS_REGISTERS_H
#define DC_CPU_ANALYSIS_REGISTERS_H

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* liveness and linear-scan assignment of register slots (all writes to live slots in
** divergent code are masked, so lanes never disturb each other). */
int ptx_allocate(ptx_module *m, ptx_func *f, dc_error *err);

#endif
