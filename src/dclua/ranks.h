/*
** ranks.h - `dclua -n 4 script`: starts mpirun with the right words, which starts this program that many times.
*/
#pragma once

#include <stdbool.h>

/* Replaces this process; argv is what each rank gets behind the program's name.  Returns, after a message, where that
** cannot be done: there is no mpirun, or `count` is no number from 1 on. */
void dclua_start_ranks(const char *count, bool prefix, char **argv);
