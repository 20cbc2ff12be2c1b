/*
** fixup.h - sources that nvcc accepts and NVRTC refuses, changed step by step by what NVRTC's errors say: an unknown
** name gets the header that declares it, host code is blanked out.  Line numbers and the kernels' meaning stay.
**
** This folder is heuristics: it exists so that whole files written for nvcc compile.  A source that NVRTC accepts never
** comes here.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "compile/nvcc_compat/fixup_state.h"
#include "compile/types/source.h"

/* The source with its host code to be taken out; or, with `keeps_host`, to be compiled as if it were the device's,
** which shows the kernels' instances that it launches.  False when out of memory. */
bool dc_fixup_init(dc_fixup *m, const dc_source *src, bool keeps_host);

/* From now on the compiler stops at the hundredth error again.  False when it did. */
bool dc_fixup_fewer_errors(dc_fixup *m);

/* Whether headers of the host's are among those that a source includes. */
bool dc_fixup_hosts_among(const dc_included *list);

/* What the source includes: headers of the host's among it are empty from now on, and show that it has host code. */
void dc_fixup_includes(dc_fixup *m, dc_included *list);

/* The user's headers lose prototypes that make the names of launched instances ambiguous (prototypes.h). */
void dc_fixup_drop_prototypes(dc_fixup *m);

/* The header is not there: empty from now on if it is one of the host's, or `any` is. */
void dc_fixup_lacks(dc_fixup *m, const char *header, bool any);

/* Learns from a cleaned log; true when that changed anything, so that another try is worth it. */
bool dc_fixup_learn(dc_fixup *m, const char *log);

void dc_fixup_free(dc_fixup *m);
