/*
** included.h - the texts of headers that a source includes.
*/
#pragma once

#include <stddef.h>

#include "compile/types/source.h"

/* The text of a user's header, malloc'ed; NULL of another header, and of one that cannot be read. */
char *dc_included_read(const dc_included *header, size_t *len);
