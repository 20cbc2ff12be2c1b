/*
** prebuilt.h - sources that are PTX, LTO-IR or machine code already: taken as they are, with their kernels' parameters
** read off them as far as that goes.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

/* Whether the text is PTX: its first word, comments aside, is a directive (.version, if it is whole). */
bool dc_is_ptx(const char *text);

/* Behind blanks and comments of PTX text. */
const char *dc_ptx_skip_blank(const char *s);

/* Whether a source is machine code (a cubin or a fat binary), intermediate code for the linker, any of these or PTX. */
bool dc_is_machine_code(const char *text, size_t len);
bool dc_is_lto_ir(const char *text, size_t len);
bool dc_is_prebuilt(const char *text, size_t len);

/* An image of the text itself.  Kernels with mangled names have the types of the name; the others those of their
** .param declarations, where pointers look like integers.  Of LTO-IR no types are known. */
int dc_prebuilt_image(const dc_source *src, dc_image **out, dc_error *err);
