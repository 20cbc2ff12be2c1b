/*
** alone.h - whether a launch is the only one in the process that runs, on the thread that launched it alone: then its
** atomics need no locks, which take ten times as long as what they guard.
*/
#pragma once

#include <stdbool.h>

#include "cpu/runtime/job.h"

void dc_alone_open(void);  /* one Lua state more may launch; waits for the end of what another one runs alone */
void dc_alone_close(void);
/* On the launching thread. True: no other one accesses the device's memory until dc_alone_end. */
bool dc_alone_begin(const dc_job *job);
void dc_alone_end(void);
