/*
** emit_estimate.h - the time that an emitted function is estimated to take, by which gang layouts are compared.
*/
#pragma once

#include "cpu/codegen/emitter.h"

void dc_emit_estimate(emitter *e); /* fills gang_time, lane_time and scalar of e->out */
