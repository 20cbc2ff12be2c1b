/*
** annotations.h - macros that stand for __host__ __device__ and the like.  They are expanded in what is fixed up, whose
** declarations are the device's or the host's by these words.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

typedef struct dc_annotation dc_annotation;

/* Adds the text's macros of annotations to the list; those with several meanings lose all. */
void dc_annotations_find(const char *text, size_t len, dc_arena *arena, dc_annotation **list);

/* Appends the text with these macros expanded outside of preprocessor lines; false where it uses none. */
bool dc_annotations_expand(const char *text, size_t len, const dc_annotation *list, dc_buf *out);
