/*
** write_behind.h - a thread that writes the cache's entries, in order, while the program goes on. Making a file takes
** a tenth of a small kernel's compilation, and looking through a folder with thousands of entries far longer.
**
** The thread ends when nothing is left, and the process waits for it at its exit. A child process that fork has made
** leaves its parent's entries to it.
*/
#pragma once

#include <stddef.h>

typedef void dc_entry_writer(const char *key, const void *data, size_t len);

/* Has the function called with copies of the key and the data: by the thread, or at once where there can be none. */
void dc_write_behind(dc_entry_writer *write, const char *key, const void *data, size_t len);

/* Returns when all entries have been written. */
void dc_write_behind_wait(void);
