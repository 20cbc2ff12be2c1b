/* move.h - bytes, and elements at any distance, copied in memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* As memmove, without the case in which the C library's is slow. */
void dc_move(void *to, const void *from, size_t n);
/* n elements of `size` bytes, 1, 2, 4, 8 or 16; a step: bytes from one to the next. */
void dc_move_elements(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, size_t size);
/* Elements whose axes change places: `columns` of contiguous elements, from_step bytes apart, become as many elements
** of each of `rows` rows, to_step bytes apart. The memory does not overlap. */
void dc_move_transposed(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows, int64_t columns,
                        size_t size);
