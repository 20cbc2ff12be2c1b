/*
** schedule.h - how threads share the work of a program: axes merged, operands classified, rows cut into segments and
** accumulators, items per thread; and what follows from that for the kernel's text and its parameters.
*/
#pragma once

#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/graph/geometry.h"

/* How rows of `length` elements are cut and summed; depends on these two numbers alone. */
void dc_schedule_cut(dc_program *p, int64_t rows, int64_t length);
/* Whether several passes may read rows that are cut so: a cluster of blocks has them on chip. */
bool dc_schedule_may_cluster(const dc_program *p);
/* Whether the last block of a row combines its segments; ROWS and several passes then need rows of one segment. */
static inline bool dc_schedule_has_tickets(const dc_schedule *s) { return s->row.segments > 1 && s->row.cluster == 1; }
/* The whole schedule of an IR. `g`: the result's shape; `domain`: the elements'. */
void dc_schedule_make(dc_program *p, const dc_geometry *g, const dc_geometry *domain);
/* Whether two results of a body share memory; if so, the inputs that they are. */
bool dc_results_overlap(const dc_program *p, int *a, int *b);
/* Of WARP_ROWS: warps that have elements. */
static inline int64_t dc_schedule_warps(const dc_schedule *s) {
  return s->n / s->shape[s->rank - 1] * s->warp_row.parts;
}
/* Of ROW_BLOCKS: blocks for one segment of all rows. */
int64_t dc_schedule_row_blocks(const dc_schedule *s);

/* How many strides of the operand, and whether extents, are parameters of the kernel. */
int dc_operand_strides(const dc_program *p, const dc_operand *o);
bool dc_schedule_has_offsets(const dc_program *p);
/* The first axis whose extent is a parameter, if extents are. */
int dc_schedule_first_extent(const dc_schedule *s);
/* Whether coordinates are found by products instead of divisions: each extent then has two more parameters. */
bool dc_schedule_multiplies(const dc_schedule *s);
/* Whether an operand's elements along a tile's last axis are neighbours, as those of the result are; and whether it is
** read along the tile's other axis (tile.c). */
bool dc_operand_lies_along(const dc_program *p, const dc_operand *o);
bool dc_operand_lies_across(const dc_program *p, const dc_operand *o);
/* Whether a thread makes the random numbers of its neighbouring elements together (random.c). */
bool dc_random_drawn(const dc_program *p, const dc_instruction *s);
