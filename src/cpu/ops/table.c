/*
** table.c - one instruction set's table: `select`, `set_mask`, `run`.
*/
#include "cpu/ops/table.h"

#include "cpu/ops/lanes.h"
#include "cpu/ptx/opcode.h"

/* One function a file: fills in `fn` and `fn_masked` of the instructions that the file has. */
#define FILES(X)                                                                                                       \
  X(functions) X(float) X(memory) X(move) X(convert) X(atomic) X(warp) X(async) X(fp8) X(texture) X(surface)      \
  X(matrix) X(multiply)
#define NAME(file) PER_ISA(dc_select_##file)
#define DECLARE(file) bool NAME(file)(dc_uop *o);
#define ENTRY(file) NAME(file),
FILES(DECLARE)
void PER_ISA(dc_sort_columns)(void *keys, size_t n, size_t size, bool is_signed);

/* False for `_` as a destination or a special register as a source where no operation has them. */
static bool has_operands(const dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const bool several = ins->ndst > 1 || ins->vec > 1 || ptx_traits(ins->op) & PTX_T_MATRIX;
  const bool sink = several || (ptx_traits(ins->op) & PTX_T_SINK);
  if (ins->ndst > 0 && o->d == DC_NO_OPERAND && !sink) return false;
  for (int i = ins->ndst; ins->opnd && i < ins->ndst + ins->nsrc; i++)
    if (ins->opnd[i].kind == PTX_SINK || (ins->opnd[i].kind == PTX_SREG && ins->op != PTX_OP_MOV)) return false;
  return true;
}

static bool select_op(dc_uop *o) {
  static bool (*const files[])(dc_uop *) = { FILES(ENTRY) };
  if (!has_operands(o)) return false;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (files[i](o)) return true;
  return false;
}

static void set_mask(dc_warp *w, u32 mask) {
  w->mask = mask;
  LANES(l) w->m32[l] = mask & BIT_OF_LANE[l] ? ~(u32)0 : 0;
  LANES(l) w->m64[l] = (u64)(s64)(s32)w->m32[l];
}

static void run(dc_warp *w, const dc_uop *first, const dc_uop *last, bool masked) {
  if (masked)
    for (const dc_uop *o = first; o < last; o++) o->fn_masked(w, o);
  else
    for (const dc_uop *o = first; o < last; o++) o->fn(w, o);
}

/* "avx2" from the macro's value. */
#define SPELL_(x) #x
#define SPELL(x) SPELL_(x)
#define TABLE PER_ISA(dc_isa)
const dc_isa TABLE = {.isa = SPELL(DC_ISA), .select = select_op, .set_mask = set_mask, .run = run,
                      .sort_columns = PER_ISA(dc_sort_columns)};
