/*
** launch.h - blocks handed out, in increasing order, to the calling thread and a pool of others.
*/
#ifndef DC_CPU_RUNTIME_LAUNCH_H
#define DC_CPU_RUNTIME_LAUNCH_H

#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/runtime/state.h"
#include "device/device.h"

int dc_cpu_threads(void); /* DOTCOMPUTE_CPU_THREADS, else the processors that this process may use */
int dc_pool_open(dc_cpu_device *cpu, dc_error *err);
void dc_pool_close(dc_cpu_device *cpu);
void dc_pool_forget(dc_cpu_device *cpu, const struct dc_code *code); /* the code is about to go */
int dc_cpu_launch(dc_cpu_device *cpu, dc_cpu_function *fn, const dc_launch *l, dc_error *err);

/* From inside a running kernel, now and then: wakes more threads, notes interrupts. True: stop. */
bool dc_launch_tick(dc_worker *k);
void dc_job_flush(dc_job *job); /* writes out what printf gave so far; the lock is held */
void dc_job_fail(dc_job *job, dc_kind kind, const char *code, uint32_t line, const char *fmt, ...) DC_PRINTF(5, 6);

#endif
