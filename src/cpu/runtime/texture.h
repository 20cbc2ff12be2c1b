/*
** texture.h - textures and surfaces of the CPU device: the table of device/texture.h.
**
** A dc_storage is ordinary memory, level after level without gaps.
*/
#pragma once

#include "device/texture.h"

extern const dc_texture_ops dc_cpu_texture_ops;
