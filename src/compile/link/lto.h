/*
** lto.h - link-time optimization: sources compiled to NVIDIA's intermediate code (LTO-IR), which nvJitLink links and
** optimizes as one.  Asked for by NVRTC's option -dlto, or by LTO-IR among the sources.
*/
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "compile/types/source.h"

/* Whether it is NVRTC's option: -dlto or --dlink-time-opt. */
bool dc_lto_is_flag(const char *option);

/* Whether the source, which may be one of several, is to be made so.  Of PTX the linker makes machine code alone:
** where PTX is wanted and among the sources, -dlto changes nothing. */
bool dc_lto_applies(const dc_source *src, bool binary);

/* The linker's options for what the source's options ask of the code that is made, as far as the linker makes it, and
** for lines where they are wanted anyhow: `*v` and its strings in the arena.  False when out of memory. */
bool dc_lto_options(const dc_source *src, bool lines, dc_arena *arena, const char ***v, int *n);
