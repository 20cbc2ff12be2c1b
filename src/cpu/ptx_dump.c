/*
** ptx_dump.c - a function as the passes left it, for people: blocks, instructions, places.
*/
#include <inttypes.h>
#include <stdio.h>

#include "cpu/ptx.h"

static void dump_reg(const ptx_func *f, int32_t r, FILE *out) {
  fprintf(out, "%s", f->regs[r].name);
  if (f->slot) fprintf(out, "@%d", (int)f->slot[r]);
}

static void dump_operand(const ptx_func *f, const ptx_operand *o, FILE *out) {
  switch (o->kind) {
    case PTX_REG:
      if (o->negated) fputc('!', out);
      dump_reg(f, o->reg, out);
      break;
    case PTX_IMM: fprintf(out, o->is_float ? "0x%" PRIx64 "f" : "%" PRId64, o->imm); break;
    case PTX_SYM: fprintf(out, "%s%+" PRId64, o->sym->name, o->imm); break;
    case PTX_ADDR:
      fputc('[', out);
      if (o->reg >= 0) dump_reg(f, o->reg, out);
      else if (o->sym) fprintf(out, "%s", o->sym->name);
      fprintf(out, "%+" PRId64 "]", o->imm);
      break;
    case PTX_SREG: fprintf(out, "sreg%d", o->sreg); break;
    case PTX_SINK: fputc('_', out); break;
    case PTX_LABEL: fprintf(out, "B%" PRId64, o->imm); break;
    default: fputc('?', out);
  }
}

static void dump_ins(const ptx_func *f, const ptx_ins *ins, FILE *out) {
  fprintf(out, "    %5u  ", (unsigned)ins->line);
  if (ins->pred >= 0) {
    fprintf(out, "@%s", ins->pred_neg ? "!" : "");
    dump_reg(f, ins->pred, out);
    fputc(' ', out);
  }
  fprintf(out, "%s", ins->text);
  for (int k = 0; k < ins->ndst + ins->nsrc; k++) {
    fputs(k == 0 ? " " : k == ins->ndst ? " <- " : ", ", out);
    dump_operand(f, &ins->opnd[k], out);
  }
  if (ins->callee) fprintf(out, " %s", ins->callee->name);
  if (ins->call_ret) fprintf(out, " -> %s", ins->call_ret->name);
  for (int k = 0; k < ins->ncall_args; k++) fprintf(out, " (%s)", ins->call_args[k]->name);
  fputc('\n', out);
}

static void dump_sym(const ptx_sym *s, FILE *out) {
  fprintf(out, "  %s: space %d, offset %" PRIu64 ", size %" PRIu64 ", align %u\n", s->name, s->space, s->offset,
          s->size, (unsigned)s->align);
}

static void dump_block(const ptx_func *f, int b, FILE *out) {
  const ptx_block *bl = &f->blocks[b];
  fprintf(out, "  B%d%s%s -> %d %d", b, bl->divergent ? " divergent" : "", bl->sync ? " sync" : "", bl->succ[0],
          bl->succ[1]);
  for (int k = 0; k < bl->ntargets; k++) fprintf(out, " %d", bl->targets[k]);
  fprintf(out, "; ipdom %d, loop %d\n", bl->ipdom, bl->loop);
  for (int i = bl->first; i < bl->last; i++) dump_ins(f, &f->ins[i], out);
}

void ptx_dump(const ptx_func *f, FILE *out) {
  fprintf(out, "%s %s: %d instructions, %d blocks, %d registers; file %u bytes, %d predicates; local %u, calls %u, "
          "parameters %u, shared %" PRIu64 "%s%s%s\n", f->entry ? "entry" : "func", f->name, f->nins, f->nblocks,
          f->nregs,
          (unsigned)f->file_bytes, f->npreds, (unsigned)f->local_size, (unsigned)f->callparam_size,
          (unsigned)f->params_size, f->shared_size, f->has_barrier ? ", barrier" : "", f->refused ? ", refused: " : "",
          f->refused ? f->refused : "");
  if (f->ret) dump_sym(f->ret, out);
  for (int i = 0; i < f->nparams; i++) dump_sym(f->params[i], out);
  for (int i = 0; i < f->nvars; i++) dump_sym(f->vars[i], out);
  for (int b = 0; b < f->nblocks; b++) dump_block(f, b, out);
  for (int i = 0; f->nblocks == 0 && i < f->nins; i++) dump_ins(f, &f->ins[i], out);
}
