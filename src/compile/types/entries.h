/*
** entries.h - the names of an image's entries, read off its bytes.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct dc_image_entry {
  char *name;          /* as it stands in the image */
  char *source_name;   /* "ns::k" when the mangling is plain enough to tell, else the same as name */
  struct dc_image_entry *next;
} dc_image_entry;

/* PTX: `.entry NAME`; cubin: the sections `.nv.constant0.NAME`, which only entries have.  Signature queries are
** left out. */
dc_image_entry *dc_image_entries(const void *bytes, size_t len, bool binary, dc_arena *arena, bool *failed);

/* Takes the signature queries' variables, or empty entries, out of PTX, in place; returns the new length. */
size_t dc_ptx_strip_queries(char *ptx, size_t len);
