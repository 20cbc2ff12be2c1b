/*
** lower_video.h - video instructions in terms of common ones.
*/
#pragma once

#include "base/buf.h"
#include "cpu/ptx/ptx.h"

bool ptxp_lower_video(const ptx_ins *ins, dc_buf *text); /* the text, as in ptx/lower.c; false: there is none */
