/*
** emit.h - inside the room: what the files that write kernels share.
**
** Names in the text: x0 … are the operands' addresses, v0 … their values, s0 … the numbers, t0 … the steps, a0 …
** accumulators, f0 … what was folded, z0 … the random numbers of steps; n elements, i one of them; rows of `length`
** elements, r one of these.
**
** Registers hold 16-bit floats as float32 values that float16 or bfloat16 has, and complex numbers as structs.
*/
#ifndef DC_ARRAY_CODEGEN_EMIT_H
#define DC_ARRAY_CODEGEN_EMIT_H

#include "array/codegen/ir.h"

typedef struct dc_text {
  const dc_program *p;
  dc_buf *b;
  const char *index; /* the integer type of indices */
} dc_text;

#define DC_VALUE_TEXT 320 /* room for any converted value */

static inline char dc_kind_of(dc_dtype t) { return dc_dtypes[t].kind; }
static inline bool dc_is_half(dc_dtype t) { return t == DC_FLOAT16 || t == DC_BFLOAT16; }

/* --- value.c: types and conversions ------------------------------------------------------------ */
const char *dc_ctype_of(dc_dtype t);  /* in registers */
const char *dc_stored_as(dc_dtype t); /* in memory */
const char *dc_half_name(dc_dtype t); /* with which the functions of a 16-bit format begin */
/* The C expression for `v`, a name of type `from`, as a `to`; or for what a reference names. */
void dc_convert(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]);
void dc_value_as(const dc_text *t, dc_ref r, dc_dtype to, char out[DC_VALUE_TEXT]);
void dc_name_of(dc_ref r, char name[16]);
/* A value as registers hold it, from one as memory does, and the other way round. */
void dc_from_memory(const char *v, dc_dtype t, char out[DC_VALUE_TEXT]);
void dc_to_memory(const char *v, dc_dtype t, char out[DC_VALUE_TEXT]);
/* "l op r" for + - *, wrapping where integers overflow. */
void dc_emit_arithmetic(dc_buf *b, const char *op, dc_dtype t, const char *l, const char *r);

/* --- prelude.c ---------------------------------------------------------------------------------- */
/* The device functions that the program's dtypes and operators need. */
void dc_emit_prelude(const dc_text *t);

/* --- codegen/complex.c ---------------------------------------------------------------------------------- */
/* What of it an operator on complex numbers calls, as bits; and these functions with all that they need. */
uint32_t dc_complex_functions(dc_op op);
void dc_emit_complex_functions(dc_buf *b, uint32_t mask);

/* --- codegen/random.c ------------------------------------------------------------------------------------ */
void dc_emit_random_prelude(dc_buf *b);
/* The expression for element `i` of the stream that seed and call name; the kind is a DC_OP_RANDOM's `as`. */
void dc_emit_random(dc_buf *b, dc_random kind, dc_dtype t, const char *i, const char *seed, const char *call,
                    const char *range);
/* The expression for the number of a step of random numbers, of element `at` alone. */
void dc_emit_draw(const dc_text *t, int step, const char *at);
/* z<step>[n]: those of the elements from `at` on, a multiple of n or of what a counter serves. */
void dc_emit_draws(const dc_text *t, int step, int n, const char *at, const char *indent);

/* --- instruction.c --------------------------------------------------------------------------------------- */
/* The steps of a scope that depend on reductions of exactly (`level` >= 0) or any level, one a line. */
void dc_emit_steps(const dc_text *t, unsigned scope, int level, const char *indent);

/* --- generate.c -------------------------------------------------------------------------------------------- */
void dc_emit_entry(const dc_text *t);        /* from extern "C" to the opening brace */
void dc_emit_single_values(const dc_text *t); /* operands of which there is one value */
void dc_emit_value(const dc_text *t, const char *indent, int leaf, const char *place);
/* "x3" or "out" */
void dc_operand_name(const dc_program *p, const dc_operand *o, char name[16]);
void dc_emit_store(const dc_text *t, const char *indent, const char *place); /* place = result; */
/* "const index <name>_<suffix> = …;" for each operand for which `takes` holds: its offset by the coordinates along axes
** first … end-1 of the element number `from`. */
void dc_emit_places(const dc_text *t, const char *indent, const char *from, int first, int end, const char *suffix,
                    bool (*takes)(const dc_operand *o));

/* --- tile.c -------------------------------------------------------------------------------------- */
void dc_emit_tiles(const dc_text *t);

/* --- pass_cache_code.c -------------------------------------------------------------------------------------- */
void dc_emit_fetch_function(const dc_text *t);
/* Where r is among them: "r", or what COLUMNS have instead. */
const char *dc_held_at(const dc_program *p);
/* "float *const kx0 = …;": where the row's carried values lie; and the copies of those that the first pass finds
** there. */
void dc_emit_carried_places(const dc_text *t);
void dc_emit_fetches(const dc_text *t);
/* "const float t5 = kt5[r];": steps of element r that an earlier pass computed. */
void dc_emit_carried_steps(const dc_text *t, int pass, const char *indent);
/* "kt5[r] = t5;": what later passes want of the values of this one. */
void dc_emit_carry(const dc_text *t, int pass, const char *indent, const char *guard);

/* --- row_block.c ------------------------------------------------------------------------------------- */
void dc_emit_strips(const dc_text *t); /* a whole kernel of the mapping STRIPS */

/* --- reduction.c, accumulator.c --------------------------------------------------------------------- */
void dc_emit_rows(const dc_text *t); /* a whole kernel of kind REDUCTION or ROWS */
/* The memory in which segments of rows meet, and the end of all blocks but the last one to be done with a part of
** those that `of` names: thread `one` of a block counts. */
void dc_emit_part_variables(const dc_text *t);
void dc_emit_ticket(const dc_text *t, const char *of, const char *blocks, const char *one);
/* Whether it is found by its row, x<i>_row, and by the element in the row besides, x<i>_r. */
bool dc_has_row_place(const dc_operand *o);
bool dc_has_element_place(const dc_operand *o);
/* Values of operands that have one a row, at x<i>_row. */
void dc_emit_row_values(const dc_text *t, const char *indent);
int dc_reduction_residents(const dc_program *p); /* blocks of it that a multiprocessor is to have room for; 0: any */
/* The type of reduction k's accumulators, and what leaves each of them as it is. */
void dc_accumulator(const dc_program *p, int k, char type[32], char identity[96]);
void dc_accumulator_type(const dc_text *t, int k, char type[32]);
/* join0 … and later0 …, of what stands behind in the row, and what they need. */
void dc_emit_joins(const dc_text *t);
const char *dc_join_of_later(const dc_program *p, int k); /* which of the two */
/* Sets the places of accumulators a<k>[q] to those of the chains' first elements, if reduction k has places. */
void dc_emit_first_place(const dc_text *t, int k, const char *indent, const char *chain);
/* "r0 = …;": what element r, the operand of reduction k, adds. */
void dc_emit_contribution(const dc_text *t, int k, const char *indent);
/* "const float t5 = …;": the value of reduction k, of which f0 is all. */
void dc_emit_reduced(const dc_text *t, int k);

#endif
