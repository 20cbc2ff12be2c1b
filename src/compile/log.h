/*
** log.h - NVRTC's messages, without what is not about the user's source.
*/
#pragma once

#include <stdbool.h>

/* The name under which sources are given to NVRTC: absolute, so that the working folder does not get into
** the image. dc_log_clean turns it into DC_SOURCE_NAME. */
#define DC_NVRTC_NAME "/dotcompute.cu"

/* A malloc'ed copy without remarks and without messages about the appended signature queries. */
char *dc_log_clean(const char *log);

/* What NVRTC's whole log says against a name expression: the sentence (malloc'ed), or NULL when nothing. */
char *dc_log_blame(const char *log, const char *expression);

/* True when the whole log speaks of name expressions or of the appended queries. */
bool dc_log_names_trouble(const char *log);

/* The first error: its line in the source (0 when it has none) and its sentence (malloc'ed); false when the
** log holds no error of the source itself. */
bool dc_log_first_error(const char *cleaned, int *line, char **sentence);

/* The errors of a cleaned log as a message shows them: the first `most` with their source lines and carets (long lines
** cut around the caret), then how many more there are.  The first begins with its sentence when it is in the source
** (then *line is its line), else with its place; *line is 0 then.  malloc'ed; NULL when the log holds no error. */
char *dc_log_digest(const char *cleaned, int most, int *line);

/* Where that gives nothing: a sentence with the line of the raw log that says why the compiler gave up. NULL: there is
** none. Malloc'ed. */
char *dc_log_reason(const char *log);
