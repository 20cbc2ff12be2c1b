/* split.c - see split.h. */
#include "cpu/analysis/split.h"

#include <string.h>

#include "cpu/analysis/cfg.h"
#include "cpu/ptx/opcode.h"

#define MOST_SPLIT 8 /* registers of each kind; kernels have one of each dimension */
#define MOST_BETWEEN 16 /* instructions that are searched for a constant before its copy */

static bool is_move(const ptx_ins *ins) { return ins->op == PTX_OP_MOV && ins->ndst == 1 && ins->nsrc == 1; }

static bool is_sreg_move(const ptx_ins *ins) {
  return is_move(ins) && ins->pred < 0 && ins->opnd[0].reg >= 0 && ins->opnd[1].kind == PTX_SREG &&
         !ptx_is_clock(ins->opnd[1].sreg);
}

/* Marks the blocks that other definitions of `reg` than the first reach.  False: there is no other. */
static bool find_reached(const ptx_func *f, int32_t reg, const ptx_ins *first, bool *reached, int32_t *stack) {
  int32_t depth = 0, s;
  bool found = false;
  memset(reached, 0, (size_t)f->nblocks * sizeof *reached);
  for (int32_t b = 0; b < f->nblocks; b++) {
    bool other = false;
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++)
      other |= &f->ins[i] != first && ptx_writes(&f->ins[i], reg);
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
      changed = ins != first && ptx_writes(ins, reg);
    }
  }
  return n;
}

/* Inserts behind instruction `at` a move, of the form of the move `like`, of an operand to register `to`. */
static int insert_move(ptx_module *m, ptx_func *f, int32_t at, const ptx_ins *like, int32_t to, ptx_operand from) {
  ptx_ins *all = dc_arena_alloc(&m->arena, ((size_t)f->nins + 1) * sizeof *all);
  ptx_operand *operands = dc_arena_alloc(&m->arena, 2 * sizeof *operands);
  if (!all || !operands) return -1;
  memcpy(all, f->ins, ((size_t)at + 1) * sizeof *all);
  memcpy(all + at + 2, f->ins + at + 1, ((size_t)f->nins - (size_t)at - 1) * sizeof *all);
  operands[0] = like->opnd[0];
  operands[0].reg = to;
  operands[1] = from;
  all[at + 1] = *like;
  all[at + 1].opnd = operands;
  for (int32_t b = 0; b < f->nblocks; b++) {
    if (f->blocks[b].first > at) f->blocks[b].first++;
    if (f->blocks[b].last > at) f->blocks[b].last++;
  }
  f->ins = all;
  f->nins++;
  return 0;
}

/* Gives special registers that loops' variables begin as registers of their own. */
static int split_specials(ptx_module *m, ptx_func *f, bool *reached, int32_t *stack) {
  const ptx_block *b = f->blocks;
  const bool once = f->nblocks > 0 && b->loop_blocks == 0 && b->loop < 0;
  for (int32_t i = 0, tried = 0; once && i < b->last; i++) {
    if (!is_sreg_move(&f->ins[i]) || tried++ == MOST_SPLIT) continue;
    const int32_t reg = f->ins[i].opnd[0].reg, fresh = f->nregs;
    if (!find_reached(f, reg, &f->ins[i], reached, stack)) continue;
    if (rename_reads(f, reg, &f->ins[i], reached, fresh) == 0) continue;
    f->regs[f->nregs++] = f->regs[reg];
    if (insert_move(m, f, i, &f->ins[i], reg, (ptx_operand){ .kind = PTX_REG, .reg = fresh }) != 0) return -1;
    f->ins[i].opnd[0].reg = fresh;
  }
  return 0;
}

/* The last of a few instructions before `ins`, from `first` on, that writes reg; NULL: none does. */
static const ptx_ins *writer_before(const ptx_ins *ins, const ptx_ins *first, int32_t reg) {
  for (int n = 0; n < MOST_BETWEEN && ins > first; n++)
    if (ptx_writes(--ins, reg)) return ins;
  return NULL;
}

/* A copy of a register that a few instructions before became a constant is that constant: registers that a loop changes
** later begin so, and a copy of them would count as changed, too. */
static void copy_constants(const ptx_func *f) {
  for (int32_t b = 0; b < f->nblocks; b++)
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) {
      ptx_ins *ins = &f->ins[i];
      if (!is_move(ins) || ins->opnd[1].reg < 0) continue;
      const ptx_ins *from = writer_before(ins, f->ins + f->blocks[b].first, ins->opnd[1].reg);
      if (from && is_move(from) && from->pred < 0 && from->type == ins->type && from->opnd[1].kind == PTX_IMM)
        ins->opnd[1] = from->opnd[1];
    }
}

/* --- counters ----------------------------------------------------------------------------------------- */

/* A loop whose blocks are header … last, in which `update` alone writes reg. */
typedef struct counter {
  int32_t reg, update, header, last;
} counter;

static bool is_inside(const counter *c, int32_t b) { return b >= c->header && b <= c->last; }

/* It adds a constant to a register: a loop's counter, as far as it alone shows. */
static bool advances(const ptx_func *f, const ptx_ins *ins) {
  if (ins->op != PTX_OP_ADD || ins->pred >= 0 || ins->ndst != 1 || ins->nsrc != 2) return false;
  const int32_t reg = ins->opnd[0].reg;
  return reg >= 0 && ins->opnd[1].reg == reg && ins->opnd[2].kind == PTX_IMM && f->regs[reg].bits >= 32;
}

/* Whether a comparison is one of a counter of the loop, this one or another. */
static bool compares_counter(const ptx_func *f, const counter *c, const ptx_ins *ins) {
  bool found = false;
  if (ins->op != PTX_OP_SETP || ins->boolop) return false;
  for (int32_t i = f->blocks[c->header].first; i < f->blocks[c->last].last; i++) {
    const int32_t reg = advances(f, &f->ins[i]) ? f->ins[i].opnd[0].reg : -1;
    found |= reg >= 0 && (ins->opnd[1].reg == reg || ins->opnd[2].reg == reg);
  }
  return found;
}

/* Whether the lanes at the end of a block go where a comparison of a counter sends them. */
static bool tests(const ptx_func *f, const counter *c, const ptx_block *b) {
  for (int32_t i = b->last - 2; i >= b->first; i--) {
    const ptx_ins *ins = &f->ins[i], *branch = &f->ins[b->last - 1];
    if (branch->pred >= 0 && ptx_writes(ins, branch->pred)) return compares_counter(f, c, ins);
  }
  return false;
}

static bool leaves_by_count_alone(const ptx_func *f, const counter *c) {
  int exits = 0;
  bool counted = false;
  int32_t s;
  for (int32_t b = c->header; b <= c->last; b++)
    for (int k = 0; ptx_block_succ(&f->blocks[b], k, &s); k++) {
      if (s < 0 || is_inside(c, s)) continue;
      exits++;
      counted = tests(f, c, &f->blocks[b]);
    }
  return exits == 1 && counted;
}

static bool defines(const ptx_func *f, int32_t reg, int32_t from, int32_t end) {
  bool found = false;
  for (int32_t i = from; i < end; i++) found |= ptx_writes(&f->ins[i], reg);
  return found;
}

/* Whether what instruction i of block b writes to the counter, outside the loop, is read in the loop. */
static bool enters(const ptx_func *f, const counter *c, int32_t b, int32_t i, bool *reached, int32_t *stack) {
  int32_t depth = 0, s;
  if (defines(f, c->reg, i + 1, f->blocks[b].last)) return false;
  memset(reached, 0, (size_t)f->nblocks * sizeof *reached);
  for (stack[depth++] = b; depth > 0;) {
    const ptx_block *from = &f->blocks[stack[--depth]];
    for (int k = 0; ptx_block_succ(from, k, &s); k++) {
      if (s < 0 || reached[s]) continue;
      if (is_inside(c, s)) return true;
      reached[s] = true;
      if (!defines(f, c->reg, f->blocks[s].first, f->blocks[s].last)) stack[depth++] = s;
    }
  }
  return false;
}

/* The move that sets the counter before the loop.  -1: another instruction does, or several, or the loop does not read
** the counter but to advance it. */
static int32_t find_start(const ptx_func *f, const counter *c, bool *reached, int32_t *stack) {
  int32_t start = -1;
  bool read = false;
  for (int32_t b = 0; b < f->nblocks; b++)
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) {
      const ptx_ins *ins = &f->ins[i];
      for (int o = ins->ndst; o < ins->ndst + ins->nsrc && is_inside(c, b) && i != c->update; o++)
        read |= ins->opnd[o].reg == c->reg;
      if (!ptx_writes(ins, c->reg) || i == c->update) continue;
      if (is_inside(c, b) || ins->pred >= 0) return -1;
      if (!enters(f, c, b, i, reached, stack)) continue;
      if (start >= 0 || !is_move(ins)) return -1;
      start = i;
    }
  return read ? start : -1;
}

/* Outside the loop the counter's value is in `fresh`, which the loop writes, too. */
static int split_counter(ptx_module *m, ptx_func *f, const counter *c, int32_t start, int32_t fresh) {
  for (int32_t b = 0; b < f->nblocks; b++)
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last && !is_inside(c, b); i++)
      for (int o = 0; o < f->ins[i].ndst + f->ins[i].nsrc; o++)
        if (f->ins[i].opnd[o].reg == c->reg && (i != start || o > 0)) f->ins[i].opnd[o].reg = fresh;
  ptx_ins move = f->ins[start];
  const int32_t update_moved = c->update + (start < c->update);
  if (insert_move(m, f, start, &move, fresh, move.opnd[1]) != 0) return -1;
  move.line = f->ins[update_moved].line;
  return insert_move(m, f, update_moved, &move, fresh, (ptx_operand){ .kind = PTX_REG, .reg = c->reg });
}

static int split_counters(ptx_module *m, ptx_func *f, int32_t (*reads)[2], bool *reached, int32_t *stack) {
  for (int32_t r = 0; r < f->nregs; r++) reads[r][0] = f->nblocks, reads[r][1] = -1;
  for (int32_t b = 0; b < f->nblocks; b++)
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++)
      for (int o = f->ins[i].ndst; o < f->ins[i].ndst + f->ins[i].nsrc; o++) {
        const int32_t r = f->ins[i].opnd[o].reg;
        if (r < 0) continue;
        if (b < reads[r][0]) reads[r][0] = b;
        reads[r][1] = b;
      }
  for (int32_t b = 0, tried = 0; b < f->nblocks; b++)
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) {
      const int32_t h = f->blocks[b].loop_blocks ? b : f->blocks[b].loop;
      if (h < 0 || !advances(f, &f->ins[i])) continue;
      const counter c = { f->ins[i].opnd[0].reg, i, h, h + f->blocks[h].loop_blocks - 1 };
      if (is_inside(&c, reads[c.reg][0]) && is_inside(&c, reads[c.reg][1])) continue;
      if (leaves_by_count_alone(f, &c) || tried++ >= MOST_SPLIT) continue;
      const int32_t start = find_start(f, &c, reached, stack), fresh = f->nregs;
      if (start < 0) continue;
      f->regs[f->nregs++] = f->regs[c.reg];
      if (split_counter(m, f, &c, start, fresh) != 0) return -1;
      reads[c.reg][0] = reads[c.reg][1] = h;
      i = f->blocks[b].first - 1; /* instructions have moved */
    }
  return 0;
}

int ptx_split_ranges(ptx_module *m, ptx_func *f) {
  dc_arena scratch = DC_ARENA_INIT;
  bool *reached = dc_arena_alloc(&scratch, (size_t)f->nblocks * sizeof *reached);
  int32_t *stack = dc_arena_alloc(&scratch, ((size_t)f->nblocks + 1) * sizeof *stack);
  int32_t(*reads)[2] = dc_arena_alloc(&scratch, ((size_t)f->nregs + MOST_SPLIT + 1) * sizeof *reads);
  ptx_reg *regs = dc_arena_alloc(&m->arena, ((size_t)f->nregs + 2 * MOST_SPLIT) * sizeof *regs);
  int rc = reached && stack && reads && regs ? 0 : -1;
  if (rc == 0 && f->nregs) memcpy(regs, f->regs, (size_t)f->nregs * sizeof *regs);
  if (rc == 0) f->regs = regs;
  if (rc == 0) copy_constants(f);
  if (rc == 0) rc = split_specials(m, f, reached, stack);
  if (rc == 0) rc = split_counters(m, f, reads, reached, stack);
  dc_arena_free(&scratch);
  return rc;
}
