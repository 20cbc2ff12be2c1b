/*
** decode_calls.h - a function is decoded together with all that it may call; what it calls and cannot run refuses it.
*/
#pragma once

#include "base/error.h"
#include "cpu/interp/code.h"

/* makes fn ready. -1 only when memory runs out; a function that cannot run gets state -1 and a refusal. */
int dc_decode(dc_cpu_function *fn, dc_error *err);
/* The same; -1 with the refusal, too. */
int dc_decode_to_run(dc_cpu_function *fn, dc_error *err);
