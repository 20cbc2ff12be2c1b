/*
** texture_use.h - whether an instruction can work on a texture or surface.
*/
#pragma once

#include "cpu/interp/texture.h"
#include "cpu/ptx/ptx.h"

/* t NULL: false. */
bool dc_texture_suits(const dc_cpu_texture *t, const ptx_ins *ins);

/* Why not, to text: "0x12 is no texture or surface that is open". */
void dc_texture_misuse(uint64_t handle, const ptx_ins *ins, char *text, size_t size);
