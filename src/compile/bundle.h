/*
** bundle.h - compiled code beside a script, for machines without the compiler.
**
** A bundle is one file of images by keys that do not depend on the compiler or on the machine: the source, its headers'
** names and contents, the options, the architecture.  What has changed since is simply not found.  Whoever can write
** the bundle could as well write the script: it is read only where that is so (owned by the user, the script's owner
** or root, and writable by no more people than the script).
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The script whose bundle is to be used: script.lua.dcb beside it, unless DOTCOMPUTE_BUNDLE names a file or is "off".
** Nothing is opened yet; only the first call counts. */
void dc_bundle_beside(const char *script);

/* Whether keys are of use: a bundle is open, or is being made. */
bool dc_bundle_active(void);
/* *data is malloc'ed. False: not there, or damaged. */
bool dc_bundle_get(const char *key, void **data, size_t *len);

/* From now on everything noted goes into the next bundle. */
void dc_bundle_record(void);
void dc_bundle_note(const char *key, const char *arch, const void *data, size_t len);
/* Writes what was noted, and what the file's bundle has for other architectures; *count images in all. */
int dc_bundle_write(const char *path, int *count, size_t *bytes, dc_error *err);

/* Why the bundle does not serve, malloc'ed: "the bundle 'x.lua.dcb' is damaged: …", or "… (compute_75, sm_90) does not
** hold this source for sm_80"; NULL where there is no bundle. */
char *dc_bundle_explain(const char *arch);
