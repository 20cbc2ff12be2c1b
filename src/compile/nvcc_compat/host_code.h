/*
** host_code.h - the host's part of a source file that nvcc compiles: functions and variables that are no kernel's,
** above all main() with its launches.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

/* Whether the source is such a file: it launches kernels, calls the runtime, or has a main(). */
bool dc_host_code_in(const char *text, size_t len);

/* Whether something is launched that the text does not define before: a function pointer, a macro's kernel, or one in a
** header. */
bool dc_host_code_launches_others(const char *text, size_t len);

/* The *n known instances, and those that are launched as they are spelled, "scale<float, 4>", each once, in the arena;
** their number in *n. */
const char **dc_host_code_launches(const char *text, size_t len, dc_arena *arena, const char *const *known, int *n);

/* Blanks main() and all functions that launch kernels.  False where there are none. */
bool dc_host_code_blank_launches(char *text, size_t len);

/* Blanks the definitions and declarations in which the line is, all but line ends and preprocessor lines, unless they
** are the device's.  False where there is nothing to blank. */
bool dc_host_code_blank(char *text, size_t len, int line, bool functions);

/* Blanks kernels and functions of the device that launch kernels themselves, and declarations of them; `found` is
** called for each definition, with the line on which it launches.  False where there are none. */
bool dc_host_code_blank_launchers(char *text, size_t len, void (*found)(void *ud, const dc_piece *p, int line),
                                  void *ud);

/* The name of a function: the last word before its parameters. */
dc_token dc_host_code_name(const dc_piece *p);

/* Blanks what declares a function of the device of that name. */
void dc_host_code_blank_declarations(char *text, size_t len, dc_token name);

/* Blanks the annotations of lambdas, "[=] __device__ (int x)", which need an option that only nvcc has.  False where
** there are none. */
bool dc_host_code_plain_lambdas(char *text, size_t len);

/* Appends functions that use what "template class C<float>;" instantiates, member functions that launch kernels: the
** compiler leaves out those of the device's that nothing uses. */
void dc_host_code_use_instances(const char *text, size_t len, dc_buf *out);
