/*
** emit_remat.h - rematerialization: values that a gang computes again where it resumes, instead of saving them.
*/
#pragma once

#include "cpu/codegen/emitter.h"

int dc_emit_find_remat(emitter *e);           /* fills e->remat, after e->hoisted; -1: out of memory */
void dc_emit_remat(emitter *e, int32_t node); /* computes those that are live at a node */
