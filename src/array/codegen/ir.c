/* ir.c - see ir.h. */
#include "array/codegen/ir.h"

#include "array/graph/op.h"
#include "base/dtype.h"

dc_dtype dc_ir_dtype(const dc_ir *ir, dc_ref r) {
  switch (r.kind) {
    case DC_REF_INSTRUCTION: return (dc_dtype)ir->code[r.index].dtype;
    case DC_REF_INPUT: return ir->input[r.index].dtype;
    default: return ir->number[r.index].dtype;
  }
}

bool dc_ir_is_long(const dc_ir *ir) {
  if (ir->body != NULL) return ir->body->is_long;
  for (int i = 0; i < ir->ninstructions; i++)
    if (dc_ops[ir->code[i].op].flags & DC_OP_LONG) return true;
  return false;
}

bool dc_operand_is_aligned(const dc_operand *o, const int64_t *strides, int n, int64_t lanes) {
  if (o->ptr % ((size_t)lanes * dc_dtype_size(o->dtype)) != 0) return false;
  for (int i = 0; i < n; i++)
    if (strides[i] % lanes != 0) return false;
  return true;
}
