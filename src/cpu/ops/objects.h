/*
** objects.h - the textures or surfaces that a warp's lanes name by their handles.
*/
#pragma once

#include "cpu/interp/texture.h"
#include "cpu/ops/address.h"

/* Takes the last `group` of lanes from those that are left: the object of the first of the others, and in *group those
** that have it; NULL: no lanes are left. */
static inline const dc_cpu_texture *next_object(dc_warp *w, const dc_uop *o, u32 *left, u32 *group) {
  const u64 *handles = REG(u64, o->v[o->ins->ndst]);
  const u32 rest = *left &= ~*group;
  if (!rest) return NULL;
  begin_access(w, o);
  const u32 first = (u32)__builtin_ctz(rest);
  u64 differs = 0;
  LANES(l) differs |= (handles[l] ^ handles[first]) & w->m64[l];
  *group = rest;
  if (differs) EACH_LANE(l, rest) *group &= handles[l] == handles[first] ? ~(u32)0 : ~(1u << l);
  const dc_cpu_texture *t = dc_cpu_texture_find(handles[first]);
  if (!dc_texture_suits(t, o->ins)) w->fault(w, o, DC_FAULT_TEXTURE, (int)first, handles[first]);
  return t;
}

/* A loop over the objects t, each with its lanes. */
#define EACH_OBJECT(w, o, t, group)                                                                                    \
  u32 group = 0, left = w->mask;                                                                                       \
  for (const dc_cpu_texture *t = NULL; (t = next_object(w, o, &left, &group)) != NULL;)
