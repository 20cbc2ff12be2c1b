/* move.h - memmove without the case in which the C library's is slow. */
#pragma once

#include <stddef.h>

/* As memmove. */
void dc_move(void *to, const void *from, size_t n);
