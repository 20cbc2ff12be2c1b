/*
** limit.h - limits that the system sets a process (setrlimit): writing past the largest size of a file, and addresses.
*/
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Around writes: past RLIMIT_FSIZE they fail with EFBIG, instead of SIGXFSZ ending the process.  For the calling thread
** alone, whatever the process does with that signal; dc_write_end keeps errno. */
typedef struct dc_write_guard {
  sigset_t before;
  bool pending; /* the signal was there already */
} dc_write_guard;
void dc_write_begin(dc_write_guard *g);
void dc_write_end(const dc_write_guard *g);

/* Writes all of it. 0, or -1 with errno. */
int dc_write_all(int fd, const void *data, size_t n);

/* Bytes of addresses that the process may still have (RLIMIT_AS); SIZE_MAX where there is no limit. */
size_t dc_address_room(void);
