/*
** link.h - several sources compiled apart and linked to one image.
*/
#ifndef DC_COMPILE_LINK_H
#define DC_COMPILE_LINK_H

#include "compile/compile.h"

/* For a source with units.  PTX is joined here (join.h), machine code linked by nvJitLink, and so is what is to be
** optimized as one (src->lto), be it to PTX or to machine code. */
int dc_link_units(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err);

#endif
