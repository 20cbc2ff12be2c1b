/*
** minimal.h - whether a source does without what NVRTC's option --minimal leaves out.
*/
#pragma once

#include <stdbool.h>

#include "compile/nvrtc/compiler.h"
#include "compile/types/source.h"

/* True when NVRTC has the option, and nothing in the source looks as if it needed more.  It is a guess that saves a
** tenth to a fifth of the compiler's time; a source refused with the option is to be compiled without. */
bool dc_minimal_suffices(const dc_nvrtc_version *version, const dc_source *src);
