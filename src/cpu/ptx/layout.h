/*
** layout.h - the passes over a module that need all of its text: relocations, call graph, layout of variables.
*/
#pragma once

#include "cpu/ptx/parser.h"

int ptxp_finish(ptx_parser *P); /* after the last directive */
