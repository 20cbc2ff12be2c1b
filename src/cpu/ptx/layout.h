/*
** layout.h - what can only be known when the whole module has been read.
*/
#pragma once

#include "cpu/ptx/parser.h"

int ptxp_finish(ptx_parser *P);
