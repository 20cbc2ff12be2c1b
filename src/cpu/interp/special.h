/*
** special.h - special registers that are the same for the lanes of a warp.
*/
#pragma once

#include "cpu/interp/interp.h"

uint64_t dc_special_register(const dc_warp *w, int sreg);
