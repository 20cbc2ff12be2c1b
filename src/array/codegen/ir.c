/* ir.c - see ir.h. */
#include "array/codegen/ir.h"

#include "base/dtype.h"

dc_dtype dc_program_dtype(const dc_program *p, dc_ref r) {
  switch (r.kind) {
    case DC_REF_STEP: return (dc_dtype)p->step[r.index].dtype;
    case DC_REF_LEAF: return p->leaf[r.index].dtype;
    default: return p->number[r.index].dtype;
  }
}

bool dc_is_aligned(const dc_operand *o, const int64_t *strides, int n, int64_t lanes) {
  if (o->ptr % ((size_t)lanes * dc_dtype_size(o->dtype)) != 0) return false;
  for (int i = 0; i < n; i++)
    if (strides[i] % lanes != 0) return false;
  return true;
}
