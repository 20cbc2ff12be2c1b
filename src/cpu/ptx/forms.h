/*
** forms.h - which types and modifiers an instruction on numbers has (ptx_forms.def).
*/
#pragma once

#include "cpu/ptx/ptx.h"

/* What an opcode's words say beside types, a bit each. */
uint32_t ptx_modifiers(const ptx_ins *ins);

typedef enum ptx_misfit { PTX_FITS, PTX_BAD_TYPES, PTX_BAD_MODIFIERS, PTX_LACKS_MODIFIER } ptx_misfit;

/* Whether the form exists; of an opcode that is not in the table always.  *odd: modifiers that it does not have. */
ptx_misfit ptx_form_misfit(const ptx_ins *ins, uint32_t *odd);
