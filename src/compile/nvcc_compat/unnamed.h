/*
** unnamed.h - unnamed namespaces where host code is compiled as code of the device.  What has a type of one in its name
** has internal linkage, and the compiler wants it defined: also what headers only declare, as the members of
** std::vector<T>.  So they get a name there, which instances then lose.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends the text with each unnamed namespace as an inline one.  False where there is none. */
bool dc_unnamed_name(const char *text, size_t len, dc_buf *out);

/* Takes the namespaces' name out of an instance's, in place. */
void dc_unnamed_forget(char *instance);
