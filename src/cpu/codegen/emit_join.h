/*
** emit_join.h - loads and stores of a basic block that are one access.
*/
#pragma once

#include "cpu/codegen/emit_access.h"

/* Decides, in the order in which instructions are emitted, whether a load or store that is not part of another's access
** is the first of several; to e->joined. */
void dc_emit_join(emitter *e, const ptx_ins *ins, const dc_access *p);
/* Whether load i takes its value from what an earlier load has loaded for both. */
static inline bool dc_emit_is_part(const emitter *e, int32_t i) {
  return e->joined[i].by != 0 && e->joined[i].by != i + 1;
}
/* Of load i, the first of several words of structs: bit k says that the kth word is one of those in its block. */
uint32_t dc_emit_fields(const emitter *e, int32_t i);
