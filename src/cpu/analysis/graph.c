/* graph.c - see graph.h. */
#include "cpu/analysis/graph.h"

#include "base/error.h"
#include "base/runtime.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

bool ptx_is_exit_block(const ptx_func *f, const ptx_block *b) {
  const ptx_ins *ins = &f->ins[b->first];
  return b->last - b->first == 1 && ins->pred < 0 && (ptx_traits(ins->op) & PTX_T_ENDS_LANES);
}

bool ptx_goes_on(const ptx_func *f, const ptx_block *b) {
  int32_t s;
  for (int k = 0; ptx_block_succ(b, k, &s); k++)
    if (s >= 0 && !ptx_is_exit_block(f, &f->blocks[s])) return true;
  return false;
}

int ptx_live_succ(const ptx_func *f, const ptx_block *b, bool on, int k, int32_t *s) {
  if (!ptx_block_succ(b, k, s)) return -1;
  return *s >= 0 && !(on && ptx_is_exit_block(f, &f->blocks[*s]));
}

int ptx_fail_pass(dc_error *err) {
  return dc_interrupted() ? dc_fail(err, DC_INTERRUPTED, NULL, "interrupted") : dc_fail_oom(err);
}
