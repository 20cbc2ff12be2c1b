/*
** closest.h - the name that a misspelled word was most likely meant to be.
*/
#pragma once

#include <stddef.h>

/* The closest of names[n] to `word`, or NULL when none is close. */
const char *dc_closest(const char *word, const char *const *names, size_t n);
