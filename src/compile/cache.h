/*
** cache.h - bytes by key: in memory for this process, on disk for the next.
**
** The folder is DOTCOMPUTE_CACHE ("off" or "" for none), else dotcompute/ in XDG's cache folder.  It must
** belong to the user alone (mode 0700), because machine code is loaded from it.  Files carry
** a checksum; one that does not match is discarded and compiled again.  A folder that cannot be used is no
** error: the cache then lives in memory only and dc_cache_note says why.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* `key` is 64 hexadecimal digits. *data is malloc'ed. Thread-safe. */
bool dc_cache_get(const char *key, void **data, size_t *len);
bool dc_cache_has(const char *key); /* most likely: the entry is not read */
/* Written to the disk by a thread (write_behind.h); failures are logged, never raised. */
void dc_cache_put(const char *key, const void *data, size_t len);
/* The first bytes of an entry with the CUDA C of a kernel in Lua; jit/analysis_cache.lua has the rest. */
#define DC_CACHE_CUDA_C "dc.jit 1\n"

/* --- tools, which see the disk only --- */
typedef struct dc_cache_entry {
  char key[65];
  size_t size;    /* of the file */
  double age;     /* seconds since it was used last */
  bool good;      /* its content is what its checksum says; when not, nothing is said about it */
  bool image;     /* else something else that is kept: native code, a list of architectures */
  char about[96]; /* "PTX: saxpy, scale", "machine code: …", "native code of the CPU device" */
} dc_cache_entry;

/* All entries, those used last first, malloc'ed; *n of them. NULL when there is none or no folder. */
dc_cache_entry *dc_cache_list(int *n);
typedef struct dc_cache_sum {
  int files;
  size_t bytes;
} dc_cache_sum;
/* Removes all entries, and what killed writers left behind. */
dc_cache_sum dc_cache_clear(void);
/* Removes what was not used for longest until at most `limit` bytes are left; the limit in force when it is 0. */
dc_cache_sum dc_cache_prune(size_t limit);

const char *dc_cache_folder(void); /* NULL when only memory is used */
const char *dc_cache_note(void);   /* why, or NULL */
