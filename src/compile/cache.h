/*
** cache.h - bytes by key: in memory for this process, on disk for the next.
**
** The folder is DOTCOMPUTE_CACHE ("off" or "" for none), else dotcompute/ in XDG's cache folder.  It must
** belong to the user and to nobody else (mode 0700), because machine code is loaded from it.  Files carry
** a checksum; one that does not match is forgotten and made anew.  A folder that cannot be used is no
** error: the cache then lives in memory only and dc_cache_note says why.
*/
#ifndef DC_COMPILE_CACHE_H
#define DC_COMPILE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* `key` is 64 hexadecimal digits. *data is malloc'ed. Thread-safe. */
bool dc_cache_get(const char *key, void **data, size_t *len);
/* Failures are logged, never raised. */
void dc_cache_put(const char *key, const void *data, size_t len);

const char *dc_cache_folder(void); /* NULL when only memory is used */
const char *dc_cache_note(void);   /* why, or NULL */

#endif
