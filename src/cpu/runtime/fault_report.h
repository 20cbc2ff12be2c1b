/*
** fault_report.h - a fault in words: instruction, thread, and the array that the address is next to.
*/
#pragma once

#include "base/error.h"
#include "cpu/runtime/memory.h"
#include "cpu/runtime/state.h"
#include "device/device.h"

/* Fails k's job for k->fault, of the warp k->warp. */
void dc_fault_report(dc_worker *k);
void dc_fault_report_block(dc_worker *k, dc_dim3 block); /* where no more than the block is known */

/* Runs fn(ud), a memcpy or the like on addresses that may be wrong; -1 with DC_LAUNCH when it faults. */
int dc_fault_guard(void (*fn)(void *ud), void *ud, dc_memory *m, dc_error *err);
