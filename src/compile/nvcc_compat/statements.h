/*
** statements.h - one statement of a function taken out, the rest left as it is: what is left of a function of the
** host's still shows which kernels it launches.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/string_list.h"
#include "compile/nvcc_compat/pieces.h"

/* Takes out what the compiler refuses at `column` (bytes, from 0) of `line` (from 1): a condition becomes 1, a launch's
** configuration 1,1; an initializer goes, else the statement or declaration around it; a function of which the head is
** refused.  Of a statement that names an instance of one of the kernels, the name remains.  Line ends stay.  False
** where there is nothing left to take out. */
bool dc_statement_drop(char *text, size_t len, int line, size_t column, const dc_string_list *kernels);

/* Of the function, the statement at `column` of `line` becomes a trap, where nothing but its effect is needed. */
bool dc_statement_trap(char *text, size_t len, const dc_piece *p, int line, size_t column);

/* Takes out what does not tell of launches: bodies of kernels and of functions of the device that launch none, #include
** lines of CUB and Thrust; and what device code cannot have: the word `__host__`, "try", "catch (…) {…}". */
void dc_statement_prepare(char *text, size_t len);
