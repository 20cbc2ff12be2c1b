/* op.c - see op.h. */
#include "array/graph/op.h"

const dc_op_info dc_ops[DC_NOPS] = {
#define DC_OP_ROW(id, name, n, rule, flags) { name, n, DC_RULE_##rule, flags },
  DC_ALL_OPS(DC_OP_ROW)
#undef DC_OP_ROW
};
