/* split.c - see split.h. */
#include "cpu/analysis/split.h"

#include <string.h>

#include "cpu/analysis/cfg.h"

#define MOST_SPLIT 8 /* registers; kernels have one of each dimension */

static bool writes(const ptx_ins *ins, int32_t reg) {
  bool found = false;
  for (int d = 0; d < ins->ndst; d++) found |= ins->opnd[d].reg == reg;
  return found;
}

static bool is_sreg_move(const ptx_ins *ins) {
  return ins->op == PTX_OP_MOV && ins->pred < 0 && ins->ndst == 1 && ins->nsrc == 1 && ins->opnd[0].reg >= 0 &&
         ins->opnd[1].kind == PTX_SREG;
}

/* Marks the blocks that other definitions of `reg` than the first reach.  False: there is no other. */
static bool find_reached(const ptx_func *f, int32_t reg, const ptx_ins *first, bool *reached, int32_t *stack) {
  int32_t depth = 0, s;
  bool found = false;
  memset(reached, 0, (size_t)f->nblocks * sizeof *reached);
  for (int32_t b = 0; b < f->nblocks; b++) {
    bool other = false;
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++)
      other |= &f->ins[i] != first && writes(&f->ins[i], reg);
    found |= other;
    if (other) stack[depth++] = b;
    while (depth > 0) {
      const ptx_block *from = &f->blocks[stack[--depth]];
      for (int k = 0; ptx_block_succ(from, k, &s); k++) {
        if (s < 0 || reached[s]) continue;
        reached[s] = true;
        stack[depth++] = s;
      }
    }
  }
  return found;
}

/* Reads of the first value alone become reads of `to`.  Their number. */
static int rename_reads(const ptx_func *f, int32_t reg, const ptx_ins *first, const bool *reached, int32_t to) {
  int n = 0;
  for (int32_t b = 0; b < f->nblocks; b++) {
    bool changed = reached[b];
    for (ptx_ins *ins = f->ins + f->blocks[b].first; ins < f->ins + f->blocks[b].last && !changed; ins++) {
      for (int o = ins->ndst; o < ins->ndst + ins->nsrc; o++) {
        if (ins->opnd[o].reg != reg) continue;
        ins->opnd[o].reg = to;
        n++;
      }
      changed = ins != first && writes(ins, reg);
    }
  }
  return n;
}

/* Appends to instruction `at` of block 0, which now writes `fresh`, a move from there to what it wrote. */
static int copy_behind(ptx_module *m, ptx_func *f, int32_t at, int32_t fresh) {
  ptx_ins *all = dc_arena_alloc(&m->arena, ((size_t)f->nins + 1) * sizeof *all);
  ptx_operand *operands = dc_arena_alloc(&m->arena, 2 * sizeof *operands);
  if (!all || !operands) return -1;
  memcpy(all, f->ins, ((size_t)at + 1) * sizeof *all);
  memcpy(all + at + 1, f->ins + at, ((size_t)f->nins - (size_t)at) * sizeof *all);
  operands[0] = all[at].opnd[0];
  operands[1] = (ptx_operand){ .kind = PTX_REG, .reg = fresh };
  all[at].opnd[0].reg = fresh;
  all[at + 1].opnd = operands;
  for (int32_t b = 0; b < f->nblocks; b++) {
    if (b > 0) f->blocks[b].first++;
    f->blocks[b].last++;
  }
  f->ins = all;
  f->nins++;
  return 0;
}

int ptx_split_ranges(ptx_module *m, ptx_func *f) {
  dc_arena scratch = DC_ARENA_INIT;
  bool *reached = dc_arena_alloc(&scratch, (size_t)f->nblocks * sizeof *reached);
  int32_t *stack = dc_arena_alloc(&scratch, ((size_t)f->nblocks + 1) * sizeof *stack);
  ptx_reg *regs = dc_arena_alloc(&m->arena, ((size_t)f->nregs + MOST_SPLIT) * sizeof *regs);
  int rc = reached && stack && regs ? 0 : -1;
  if (rc == 0 && f->nregs) memcpy(regs, f->regs, (size_t)f->nregs * sizeof *regs);
  if (rc == 0) f->regs = regs;
  const ptx_block *b = f->blocks;
  const bool once = f->nblocks > 0 && b->loop_blocks == 0 && b->loop < 0;
  for (int32_t i = 0, tried = 0; once && i < b->last && rc == 0; i++) {
    if (!is_sreg_move(&f->ins[i]) || tried++ == MOST_SPLIT) continue;
    const int32_t reg = f->ins[i].opnd[0].reg, fresh = f->nregs;
    if (!find_reached(f, reg, &f->ins[i], reached, stack)) continue;
    if (rename_reads(f, reg, &f->ins[i], reached, fresh) == 0) continue;
    f->regs[f->nregs++] = f->regs[reg];
    rc = copy_behind(m, f, i, fresh);
  }
  dc_arena_free(&scratch);
  return rc;
}
