/*
** own_names.h - which names a source defines.
*/
#pragma once

#include <stddef.h>

#include "base/map.h"
#include "base/string_list.h"

/* Adds the namespaces that the text defines, each once, by the first of its names. */
void dc_own_namespaces(const char *text, size_t len, dc_string_list *list);

/* Adds classes, enumerations and functions that the text defines or declares as such, in any scope. */
void dc_own_names(const char *text, size_t len, dc_map *names);
