/*
** texture.h - textures and surfaces of a GPU: the table of device/texture.h.
*/
#pragma once

#include "device/texture.h"

extern const dc_texture_ops dc_cuda_texture_ops;
