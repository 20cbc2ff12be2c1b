/*
** notice.h - a status line for waits: "compiling sort (float32) …" on the terminal, from half a second on.
**
** A thread that is about to wait for something says so (dc_notice_begin); the loops that wait call dc_notice_poll; at
** the end the line is erased.  Threads that said nothing, as those that build in the background, show nothing.
**
** The line is drawn on stderr behind the cursor, which is put back, and is cut at the terminal's edge: what a script
** has written in that line stays, and what is written next replaces it.
*/
#pragma once

#include <stdbool.h>

/* The width of the terminal at stderr; 0: status lines are not shown, since it is none, TERM is "dumb" or unset, or
** DOTCOMPUTE_PROGRESS is "off". */
int dc_notice_columns(void);

/* What the next notices of the calling thread are about, in place of what they say themselves: "sort (float32)"; NULL
** for nothing any more.  Copied. */
void dc_notice_subject(const char *subject);

/* A wait of the calling thread; one inside another shows nothing of its own. */
typedef struct dc_notice {
  char text[96];
  double due; /* time at which the line is shown, in seconds of dc_clock */
  bool shown, inner;
} dc_notice;
void dc_notice_begin(dc_notice *n, const char *verb, const char *subject); /* "compiling", "sort (float32)" */
void dc_notice_poll(void);
void dc_notice_end(dc_notice *n);
