/*
** cc.h - the system's C compiler: which one, and running it.
**
** It is DOTCOMPUTE_CC (a path or a name, options may follow; "off" or "" for none), else the first of cc, gcc and
** clang on PATH.  It is identified by its file, without running it.
*/
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

typedef struct dc_cc {
  char *path;       /* of the program, as found: a wrapper may look at the name that it is called by */
  char **options;   /* that stood behind it in DOTCOMPUTE_CC; ends with NULL */
  char *identity;   /* path without links, size, times and number of the file, options */
  bool clang;       /* by its name: it has other options */
} dc_cc;

const dc_cc *dc_cc_find(void); /* looked for once; NULL: there is none */
const char *dc_cc_note(void);  /* why there is none, or NULL */
bool dc_cc_missing(void);      /* DOTCOMPUTE_CC is not set, and none of the usual names is on PATH */
bool dc_cc_switched_off(void); /* by DOTCOMPUTE_CC */
/* The program of this name, on PATH unless it has a slash; malloc'ed, absolute. NULL: there is none,
** or errno is ENOMEM. */
char *dc_cc_program(const char *name);
/* Compiles and loads a tiny shared library.  -1: that failed, `log` says how. */
int dc_cc_try(const dc_cc *cc, dc_buf *log);

/* What one thread runs and another may stop. */
typedef struct dc_cc_child {
  pthread_mutex_t lock;
  pid_t pid;        /* under way; 0: none */
  bool stopped;     /* none may start any more */
  bool overran;     /* the last one was killed, as it had taken `seconds`; for the thread that ran it */
  int seconds;      /* of processor time that each may take */
} dc_cc_child;
#define DC_CC_CHILD_INIT { PTHREAD_MUTEX_INITIALIZER, 0, false, false, 60 }

typedef enum dc_cc_end {
  DC_CC_DONE,
  DC_CC_FAILED,   /* or was stopped, or could not be started */
  DC_CC_UNKNOWN   /* it has ended, but its status was lost to the host's handling of SIGCHLD */
} dc_cc_end;

/* Runs the compiler with `args` (ends with NULL) and waits for it.  Its temporary files go to `folder`; what it says,
** or why it could not be run, is appended to `log`. */
dc_cc_end dc_cc_run(const dc_cc *cc, const char *const *args, const char *folder, dc_cc_child *child, dc_buf *log);
/* Kills what is under way with all that it has started.  Not for a child of another process (after fork). */
void dc_cc_stop(dc_cc_child *child);
void dc_cc_resume(dc_cc_child *child); /* lets it start others again */
bool dc_cc_stopped(dc_cc_child *child);
