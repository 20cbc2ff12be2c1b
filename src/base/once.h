/*
** once.h - what is looked for once in a process, and again where memory was lacking: a lack may pass.
*/
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct dc_once {
  pthread_mutex_t lock;
  atomic_bool done;
} dc_once;

#define DC_ONCE_INIT { PTHREAD_MUTEX_INITIALIZER, false }

/* Calls `look`, by one thread at a time, unless a call has returned true.  It returns false where memory was lacking,
** and leaves nothing behind then.  Whether it is done. */
bool dc_once_until(dc_once *once, bool (*look)(void));
