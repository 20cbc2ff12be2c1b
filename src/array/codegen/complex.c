/* complex.c - functions of complex numbers as device functions (array/device/complex.cu), of which a kernel gets those
** that it calls. */
#include "array/codegen/complex.h"

#include "array/codegen/device_text.h"
#include "array/graph/op.h"
#include "base/buf.h"

/* In the order in which they are written: each needs earlier ones only. */
enum {
  ABS, SCALE, SQRT, MODULUS, LOG, LOG2, LOG10, LOG1P, EXP, EXPM1, SINH, COSH, TANH, SIN, COS, TAN, INVERSE, ASIN, ACOS,
  ACOSH, ASINH, ATANH, ATAN, RECIPROCAL, POW, SIGN, RINT, PIECES
};

#define NEEDS(piece) (1u << (piece))

static const struct piece {
  const char *name;
  dc_op op; /* that calls it; of some pieces none does */
  uint32_t needs;
} pieces[PIECES] = {
  [ABS] = { "complex/abs", DC_OP_ABS, 0 },
  [SCALE] = { "complex/scale", DC_NOPS, 0 },
  [SQRT] = { "complex/sqrt", DC_OP_SQRT, NEEDS(SCALE) },
  [MODULUS] = { "complex/modulus", DC_NOPS, NEEDS(SCALE) },
  [LOG] = { "complex/log", DC_OP_LOG, NEEDS(MODULUS) },
  [LOG2] = { "complex/log2", DC_OP_LOG2, NEEDS(MODULUS) },
  [LOG10] = { "complex/log10", DC_OP_LOG10, NEEDS(MODULUS) },
  [LOG1P] = { "complex/log1p", DC_OP_LOG1P, NEEDS(MODULUS) },
  [EXP] = { "complex/exp", DC_OP_EXP, 0 },
  [EXPM1] = { "complex/expm1", DC_OP_EXPM1, NEEDS(EXP) },
  [SINH] = { "complex/sinh", DC_OP_SINH, 0 },
  [COSH] = { "complex/cosh", DC_OP_COSH, 0 },
  [TANH] = { "complex/tanh", DC_OP_TANH, 0 },
  [SIN] = { "complex/sin", DC_OP_SIN, NEEDS(SINH) },
  [COS] = { "complex/cos", DC_OP_COS, NEEDS(COSH) },
  [TAN] = { "complex/tan", DC_OP_TAN, NEEDS(TANH) },
  [INVERSE] = { "complex/inverse", DC_NOPS, NEEDS(MODULUS) | NEEDS(SQRT) },
  [ASIN] = { "complex/asin", DC_OP_ASIN, NEEDS(INVERSE) },
  [ACOS] = { "complex/acos", DC_OP_ACOS, NEEDS(INVERSE) },
  [ACOSH] = { "complex/acosh", DC_OP_ACOSH, NEEDS(ACOS) },
  [ASINH] = { "complex/asinh", DC_OP_ASINH, NEEDS(ASIN) },
  [ATANH] = { "complex/atanh", DC_OP_ATANH, 0 },
  [ATAN] = { "complex/atan", DC_OP_ATAN, NEEDS(ATANH) },
  [RECIPROCAL] = { "complex/reciprocal", DC_OP_RECIPROCAL, NEEDS(SCALE) },
  [POW] = { "complex/pow", DC_OP_POW, NEEDS(LOG) | NEEDS(EXP) | NEEDS(RECIPROCAL) },
  [SIGN] = { "complex/sign", DC_OP_SIGN, NEEDS(SCALE) },
  [RINT] = { "complex/rint", DC_OP_RINT, 0 },
};

uint32_t dc_complex_functions(dc_op op) {
  uint32_t mask = 0;
  if (op == DC_OP_POWER) op = DC_OP_POW;
  if (op == DC_OP_CLOSE) op = DC_OP_ABS;
  for (int k = 0; k < PIECES; k++)
    if (pieces[k].op == op) mask |= NEEDS(k);
  return mask;
}

void dc_emit_complex_functions(dc_buf *b, uint32_t mask) {
  for (int k = PIECES - 1; k >= 0; k--)
    if (mask & NEEDS(k)) mask |= pieces[k].needs;
  for (int k = 0; k < PIECES; k++)
    if (mask & NEEDS(k)) dc_emit_device_text(b, pieces[k].name);
}
