/*
** place.h - places in the user's source: .loc directives, and what the message of an error shows.
*/
#pragma once

#include "cpu/ptx/parser.h"

/* The .file number of the user's source (.file directives are at the end of the text); 0: there is none, as in prebuilt
** PTX. */
uint32_t ptxp_user_file(const char *text, size_t len);

int ptxp_read_location(ptx_parser *P, uint64_t loc[3]); /* file, line and column */
int ptxp_read_loc(ptx_parser *P);                       /* behind .loc */

/* Completes the error of ptxp_fail: its line of PTX below the sentence, with a caret where the token is known, and the
** line of the source (source_line).  Where the text has inline assembly whose braces do not match, which the parser
** notices far behind it, the error names that instead. */
void ptxp_show_place(ptx_parser *P, const char *text, size_t len);
