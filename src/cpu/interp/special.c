/* special.c - see special.h. */
#include "cpu/interp/special.h"

#include <time.h>

#include "cpu/ptx/ptx.h"

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* %clock counts the processor's cycles where an instruction reads them, else nanoseconds. */
static uint64_t cycles(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return nanoseconds(CLOCK_MONOTONIC);
#endif
}

uint64_t dc_special_register(const dc_warp *w, int sreg) {
  const dc_block_state *b = w->block;
  const dc_grid *g = b->grid;
  switch (sreg) {
    case PTX_SR_NTID_X: return g->block.x;
    case PTX_SR_NTID_Y: return g->block.y;
    case PTX_SR_NTID_Z: return g->block.z;
    case PTX_SR_CTAID_X: return b->ctaid.x;
    case PTX_SR_CTAID_Y: return b->ctaid.y;
    case PTX_SR_CTAID_Z: return b->ctaid.z;
    case PTX_SR_NCTAID_X: return g->grid.x;
    case PTX_SR_NCTAID_Y: return g->grid.y;
    case PTX_SR_NCTAID_Z: return g->grid.z;
    case PTX_SR_WARPID: return w->warpid;
    case PTX_SR_NWARPID: return g->nwarps;
    case PTX_SR_WARP_SZ: return DC_LANES;
    case PTX_SR_SMID: return b->smid;
    case PTX_SR_NSMID: return g->nsm;
    case PTX_SR_GRIDID: return g->id;
    case PTX_SR_CLOCK:
    case PTX_SR_CLOCK64: return cycles();
    case PTX_SR_CLOCK_HI: return cycles() >> 32;
    case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO: return nanoseconds(CLOCK_REALTIME);
    case PTX_SR_GLOBALTIMER_HI: return nanoseconds(CLOCK_REALTIME) >> 32;
    case PTX_SR_DYNAMIC_SMEM_SIZE: return g->dynamic_shared;
    case PTX_SR_TOTAL_SMEM_SIZE: return g->shared_bytes;
    case PTX_SR_ENVREG1: return g->envreg[0];
    case PTX_SR_ENVREG2: return g->envreg[1];
    case PTX_SR_ONE: return 1;
    default: return 0;
  }
}
