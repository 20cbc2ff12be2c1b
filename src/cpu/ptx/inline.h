/*
** inline.h - calls of functions by name become the functions' bodies.
*/
#pragma once

#include "cpu/ptx/parser.h"

/* Inlines into entries, into the n functions of `taken`, and into all functions that they still call.  `recursive` of
** each function is known.  Facts about calls (has_call, has_indirect_call) are those of the new bodies. */
int ptxp_inline(ptx_parser *P, ptx_func *const *taken, size_t n);
