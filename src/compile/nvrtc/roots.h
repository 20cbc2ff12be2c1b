/*
** roots.h - the folders below which CUDA's libraries and tools lie: its toolkits, and what NVIDIA's wheels install.
*/
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Calls visit(ctx, root) for folders that may have CUDA's `lib` and `bin`, until it returns true; returns whether it
** did.  The order: CUDA_PATH and CUDA_HOME, the usual places of toolkits, newer ones first, and those of wheels: the
** folder `own` in the user's data folder, where `make` puts them, an active virtual or conda environment, and where pip
** installs for a user and for the system.  `wheel`: the folder of a wheel for CUDA 12 ("cuda_nvrtc"), or NULL; those
** for CUDA 13 share one.  Places that do not exist are written to `missing`, one a line, unless it is NULL,
** whose `failed` also says that memory was lacking for the search. */
bool dc_toolkit_roots(const char *own, const char *wheel, bool (*visit)(void *ctx, const char *root), void *ctx,
                      dc_buf *missing);

/* The path of a library in one of the root's library folders, malloc'ed; NULL where none has it. */
char *dc_toolkit_library(const char *root, const char *soname);
