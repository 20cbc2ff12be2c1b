/* search.h - binary searches of a few values in sorted keys, by the host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"

/* to[i]: the position, from 1, of the first of the n > 0 sorted keys that is not less than values[i] (`right`: that is
** greater); n + 1: there is none.  Keys and values are of the same real dtype. */
void dc_host_search(dc_dtype t, const void *sorted, int64_t n, const void *values, int64_t count, bool right,
                    int64_t *to);
