/*
** table.c - one instruction set's table: choosing a function for an instruction, and running them.
*/
#include "cpu/ops/table.h"

#include "cpu/ops/lanes.h"
#include "cpu/ptx/opcode.h"

#define BITS8(i) 1u << (i), 2u << (i), 4u << (i), 8u << (i), 16u << (i), 32u << (i), 64u << (i), 128u << (i)
const u32 PER_ISA(dc_bit_of_lane)[DC_LANES] BUFFER = {BITS8(0), BITS8(8), BITS8(16), BITS8(24)};

/* `_` as a destination, special registers as sources: only where an operation knows of them. */
static bool has_operands(const dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const bool several = ins->ndst > 1 || ins->vec > 1;
  const bool sink = several || (ptx_traits(ins->op) & PTX_T_SINK);
  if (ins->ndst > 0 && o->d == DC_NO_OPERAND && !sink) return false;
  for (int i = ins->ndst; ins->opnd && i < ins->ndst + ins->nsrc; i++)
    if (ins->opnd[i].kind == PTX_SINK || (ins->opnd[i].kind == PTX_SREG && ins->op != PTX_OP_MOV)) return false;
  return true;
}

static bool select_op(dc_uop *o) {
  static bool (*const shares[])(dc_uop *) = {
      PER_ISA(dc_select_int),    PER_ISA(dc_select_bits),   PER_ISA(dc_select_carry),   PER_ISA(dc_select_float),
      PER_ISA(dc_select_memory), PER_ISA(dc_select_move),   PER_ISA(dc_select_compare), PER_ISA(dc_select_convert),
      PER_ISA(dc_select_half),   PER_ISA(dc_select_approx), PER_ISA(dc_select_atomic),  PER_ISA(dc_select_warp),
      PER_ISA(dc_select_video),  PER_ISA(dc_select_async),   PER_ISA(dc_select_fp8),
  };
  if (!has_operands(o)) return false;
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    if (shares[i](o)) return true;
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
const dc_isa TABLE = {.isa = SPELL(DC_ISA), .select = select_op, .set_mask = set_mask, .run = run};
