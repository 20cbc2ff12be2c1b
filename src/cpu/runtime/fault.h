/*
** fault.h - faults of kernels: caught as signals, or raised by the interpreter, as a jump to the worker's loop.
**
** The jump goes to k->escape, set by sigsetjmp; what happened is then in k->fault, in words by fault_report.h.
*/
#pragma once

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

void dc_fault_open(void);             /* installs the signal handlers, once for all devices */
void dc_fault_close(void);
void dc_fault_thread(void);           /* gives this thread an alternate signal stack */
void dc_fault_catch(dc_worker *k);    /* faults on this thread are now k's, while k->warp is set; NULL: no worker's */
void dc_fault_landed(void);           /* to be called first where a jump out of the handler arrives */

/* Ends the launch: dc_warp's `fault`. */
void dc_warp_fault(dc_warp *w, const dc_uop *o, dc_fault_kind kind, int lane, uint64_t address)
    __attribute__((noreturn));

/* Runs fn(ud), a memcpy or the like on addresses that may be wrong.  False: it faulted, at *address. */
bool dc_fault_guarded(void (*fn)(void *ud), void *ud, uint64_t *address);
