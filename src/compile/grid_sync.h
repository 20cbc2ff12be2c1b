/*
** grid_sync.h - whether a kernel's source synchronizes its whole grid, which takes a cooperative launch.
**
** A heuristic on the text: a group got from this_grid(), or declared as grid_group, whose sync or barrier is used.  It
** decides launches that do not say with{cooperative = ...}.
*/
#pragma once


#include <stdbool.h>
#include <stddef.h>

/* CUDA C: a module's text, or a kernel's own part of it. */
bool dc_syncs_grid(const char *text, size_t len);
