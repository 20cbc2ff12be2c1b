/*
** allocation_sites.h - the allocation profile: live device memory by allocation site, a line of the script.
**
** To find the line (src/lua walks its stack) costs little beside allocating a large block, so blocks of
** DC_ALLOCATION_NOTED bytes and more are always noted; smaller ones while dc_allocation_trace is on.  A site is
** forgotten with its last block.
*/
#pragma once

#include "device/device.h"

#define DC_ALLOCATION_NOTED ((size_t)1 << 20)
#define DC_SITE_SIZE 80 /* room for "script.lua:17" */

typedef struct dc_allocation_site {
  const dc_device *dev;
  size_t bytes, count; /* of live blocks */
  struct dc_allocation_site *next, **link;
  char where[DC_SITE_SIZE];
} dc_allocation_site;

/* Writes the line of the script that is running to text[DC_SITE_SIZE]; false when none is. Raises no Lua errors. NULL:
** there are no scripts. */
extern bool (*dc_allocation_place)(char *text);

/* Whether small blocks are noted too; before the first call, DOTCOMPUTE_LOG=memory decides. */
void dc_allocation_trace(bool on);

/* Notes a block that has just been allocated; NULL when it is not noted (host memory running out included). */
dc_allocation_site *dc_allocation_note(dc_device *dev, size_t bytes);
void dc_allocation_end(dc_allocation_site *site, size_t bytes); /* the block is freed; NULL is fine */

/* The sites of `dev` with most bytes, at most n of them, largest first; returns how many. */
size_t dc_allocation_sites(const dc_device *dev, const dc_allocation_site **sites, size_t n);
