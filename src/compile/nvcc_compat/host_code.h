/*
** host_code.h - the host's part of a source file that nvcc compiles: functions and variables that are no kernel's,
** above all main() with its launches.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Whether the source is such a file: it launches kernels, calls the runtime, or has a main(). */
bool dc_host_code_in(const char *text, size_t len);

/* The template instances that are launched, "scale<float, 4>", each once, in the arena. */
const char **dc_host_code_launches(const char *text, size_t len, dc_arena *arena, int *n);

/* Blanks main() and all functions that launch kernels.  False where there are none. */
bool dc_host_code_blank_launches(char *text, size_t len);

/* Blanks the definitions and declarations in which the line is, all but line ends and preprocessor lines, unless they
** are the device's.  False where there is nothing to blank. */
bool dc_host_code_blank(char *text, size_t len, int line);

/* Blanks kernels and functions of the device that launch kernels themselves, and declarations of them; `found` is
** called for each definition with its lines, and the one on which it launches.  False where there are none. */
bool dc_host_code_blank_launchers(char *text, size_t len, void (*found)(void *ud, int first, int last, int line),
                                  void *ud);

/* Blanks the annotations of lambdas, "[=] __device__ (int x)", which need an option that only nvcc has.  False where
** there are none. */
bool dc_host_code_plain_lambdas(char *text, size_t len);
