/*
** fault.h - faults of kernels: caught as signals or raised by the interpreter, and reported with instruction, thread
** and nearest array.
**
** A fault jumps to k->escape, set by sigsetjmp in the worker's loop, and is then described by k->fault.
*/
#pragma once

#include "base/error.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/state.h"

void dc_fault_open(void);             /* installs the signal handlers, once for all devices */
void dc_fault_close(void);
void dc_fault_thread(void);           /* gives this thread an alternate signal stack */
void dc_fault_catch(dc_worker *k);    /* faults on this thread are now k's, while k->warp is set; NULL: no worker's */
void dc_fault_landed(void);           /* to be called first where sigsetjmp returns non-zero */

uint64_t dc_lane_address(const dc_warp *w, const dc_uop *o, int lane); /* that a memory operation accesses */

/* Ends the launch: dc_warp's `fault`. */
void dc_warp_fault(dc_warp *w, const dc_uop *o, dc_fault_kind kind, int lane, uint64_t address)
    __attribute__((noreturn));

/* Fails k's job for k->fault, of the warp k->warp. */
void dc_fault_report(dc_worker *k);
void dc_fault_report_block(dc_worker *k, dc_dim3 block); /* the same where only the block is known */

/* Runs fn(ud), a memcpy or the like on addresses that may be wrong; -1 with DC_LAUNCH when it faults. */
int dc_fault_guard(void (*fn)(void *ud), void *ud, dc_memory *m, dc_error *err);
