/*
** layout.h - what can only be known when the whole module has been read.
*/
#ifndef DC_CPU_PTX_LAYOUT_H
#define DC_CPU_PTX_LAYOUT_H

#include "cpu/ptx/parser.h"

int ptxp_finish(ptx_parser *P);

#endif
