/*
** unload.h - inside cuda/: modules are unloaded when none of their kernels can be running any more.
*/
#pragma once

#include "cuda/types.h"

/* Unloads and frees `code` unless one of its kernels may still run; whether it did. The context is current. */
bool dc_cuda_unload_ended(dc_code *code);
/* The same for all in d->deferred. */
void dc_cuda_unload_deferred(dc_cuda *d);
/* Frees the host's part of it alone. */
void dc_cuda_free_code(dc_code *code);
