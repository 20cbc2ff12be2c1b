/*
** matrix_operands.h - where an instruction of tensor cores finds its operands: the `v` of its dc_uop.
*/
#pragma once

#include "cpu/ptx/matrix.h"

typedef struct dc_matrix_operands {
  ptx_matrix m;
  uint32_t at[PTX_NFRAGMENTS][8]; /* register file offsets of each fragment's registers; of a load, store or ldmatrix
                                     all in [PTX_D], of movmatrix the source in [PTX_A] */
  uint32_t extra;                 /* of load and store the stride's register, of a sparse product the metadata's */
  bool has_stride;
  uint32_t selector;              /* of a sparse product: which lanes' metadata count */
} dc_matrix_operands;
