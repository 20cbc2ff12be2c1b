/*
** fault.h - what goes wrong in a kernel: caught as a signal or found by the interpreter, and put into words.
*/
#ifndef DC_CPU_RUNTIME_FAULT_H
#define DC_CPU_RUNTIME_FAULT_H

#include "base/error.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/memory.h"
#include "cpu/runtime/state.h"
#include "device/device.h"

void dc_fault_open(void);                  /* installs the handlers, once for all devices */
void dc_fault_close(void);
extern __thread dc_worker *dc_current_worker __attribute__((tls_model("initial-exec")));
void dc_fault_thread(void);                /* gives this thread an alternate stack */
void dc_fault_landed(void);                /* to be called where the jump out of a handler arrives */
void dc_fault_report(dc_worker *k);        /* after the escape: says what happened, in job->err */
void dc_fault_report_block(dc_worker *k, dc_dim3 block); /* the same when no more than the block is known */

/* memcpy and the like on addresses that may be wrong: runs fn(ud), -1 with DC_LAUNCH when it faults. */
int dc_fault_guard(void (*fn)(void *ud), void *ud, dc_memory *m, dc_error *err);

/* SIGINT sets dc_interrupt_flag from begin to end.  One that nobody took (`taken` false) is handed on. */
void dc_sigint_begin(void);
void dc_sigint_end(bool taken);

void dc_warp_fault(dc_warp *w, const dc_uop *o, dc_fault_kind kind, int lane, uint64_t address)
    __attribute__((noreturn));

#endif
