/*
** value_shapes.h - the shapes of values, as the uniformity analysis (uniformity.h) finds them for the registers of a
** function; those of operands, and of what instructions make of them.
**
** A register is uniform (one value for all lanes of a gang), affine (base + stride * lane), indexed (base + a constant
** times a varying value of 32 bits: most addresses in arrays), or varying.
*/
#pragma once

#include "cpu/analysis/by_thread.h"
#include "cpu/ptx/ptx.h"

typedef enum dc_value_kind { DC_UNKNOWN, DC_UNIFORM, DC_AFFINE, DC_INDEXED, DC_VARYING } dc_value_kind;

/* An affine value of lane l is  base + exact * l + times * (ext(x + step * l) - ext(x)),  where ext widens the 32-bit
** affine value that instruction `origin` read (no origin: times is 0).  As long as x does not wrap around among the
** gang's lanes that is  base + (exact + times * step) * l; emitted code tests this once, at the origin.  Where the
** range of x is known it does not, and the widening is no origin.
** An indexed value is  base + times * ext(index),  where `origin` widened the varying 32-bit `index`. */
typedef struct dc_value_shape {
  uint8_t tag;       /* dc_value_kind */
  bool aligned;      /* affine with stride 1, and its base is a multiple of the gang's width */
  bool from_zero;    /* and its base is 0 */
  uint8_t zeros;     /* of a uniform or affine value: low bits that are 0 in every lane, as far as known */
  int32_t origin;    /* instruction, or -1 */
  int64_t exact, times, step;
} dc_value_shape;
#define DC_UNIFORM_SHAPE { .tag = DC_UNIFORM, .origin = -1 }
#define DC_VARYING_SHAPE { .tag = DC_VARYING, .origin = -1 }

static inline int64_t dc_value_stride(const dc_value_shape *k) {
  return (int64_t)((uint64_t)k->exact + (uint64_t)k->times * (uint64_t)k->step);
}

/* Most blocks in x of a grid in which a thread's number, of up to 1,024 threads a block, is far below 2^31. */
enum { DC_USUAL_GRID = 1 << 19 };

/* How the threads of a gang lie in their block. */
typedef struct dc_gang_layout {
  int width;         /* of a gang: 16 or 32 */
  bool rows;         /* each row of threads begins a gang: threadIdx.x is affine, .y and .z are uniform */
  bool whole;        /* and rows are multiples of the width long, so that each gang begins at one in threadIdx.x */
  bool single;       /* and no longer, so that it begins at 0 */
  bool by_lane;      /* its lanes run one after another, so that all values are uniform */
  bool by_warp;      /* each warp of a block runs on its own: not as simple code does (codegen/emitter.h) */
  bool long_grid;    /* the grid may be longer in x than DC_USUAL_GRID blocks, so that numbers of threads may wrap */
} dc_gang_layout;

typedef struct dc_uniformity {
  const ptx_func *f;
  dc_gang_layout shape;
  dc_by_thread values;
  dc_arena arena;      /* of all arrays */
  dc_value_shape *reg;        /* per register */
  dc_value_shape *of_values;  /* per register: of its values, if they are known and uniform or affine */
  struct dc_range *range; /* per register, of all lanes */
  bool *blend;         /* per instruction: a write to a varying register must keep other lanes' values */
  bool *divergent;     /* per block */
  bool *first_lane;    /* per block: one that lane 0 begins to run alone */
  bool *exit_block;    /* per block: a lone ret, exit or trap */
  int32_t *alone;      /* per block: 1 + the first of those that one lane of a gang runs alone; 0: it is none */
  int32_t *block_of;   /* per instruction */
  int32_t *idom, *enter, *leave; /* dominator tree: a block dominates those in its interval [enter, leave) */
  int32_t *loop_last;  /* per block: the last block of the loop with this header; -1: it is none */
  int32_t *latches;    /* per loop header: back edges, those from inner loops twice */
  int32_t *loop_at, *loop_up; /* header of the innermost loop around a block; of the loop around a header's; -1 none */
  int32_t *def_at, *defs, *use_at, *uses; /* instructions that write register r: defs[def_at[r] .. def_at[r + 1]) */
  bool regular;        /* the analysis covers the flow graph */
  /* private to uniformity.c */
  int32_t *ipdom;
  int32_t *entries;
  bool *non_uniform_exit;        /* per loop header: lanes may leave the loop in different iterations */
  int32_t *mark, *stack;
  int32_t turn;        /* number of the current walk; mark[b] of visited blocks equals it */
} dc_uniformity;

/* Threads of a row for which a register's values count; k->shape.width of them are a gang. */
static inline int dc_row_of(const dc_uniformity *k) { return k->shape.single ? k->shape.width : dc_threads_of(k->f); }
/* Whether one instruction alone writes register r, which has def_at[r + 1] - def_at[r] definitions. */
static inline bool dc_is_defined_once(const int32_t *def_at, int32_t r) { return def_at[r + 1] - def_at[r] == 1; }
/* That instruction; -1: none or several write the register, or r is -1, no register. */
static inline int32_t dc_only_definition(const dc_uniformity *k, int32_t r) {
  return r >= 0 && dc_is_defined_once(k->def_at, r) ? k->defs[k->def_at[r]] : -1;
}
/* Whether a value is kept as a scalar: that of lane 0 and a stride, or what an index is added to. */
static inline bool dc_is_scalar(const dc_value_shape *k) { return k->tag >= DC_UNIFORM && k->tag <= DC_INDEXED; }

/* The shape of an operand (immediates and addresses of variables are uniform). */
dc_value_shape dc_value_shape_of(const dc_uniformity *k, const ptx_operand *o);
/* Whether it is a shuffle of registers of 32 bits. */
bool dc_is_shuffle(const ptx_func *f, const ptx_ins *ins);
/* Whether a shuffle gives all lanes the value of one lane: whole warps, in which all name the same lane and members. */
bool dc_is_broadcast(const dc_uniformity *k, const ptx_ins *ins);
/* Whether all lanes of a gang that run the instruction together get one value, whatever its operands are: a reduction
** over the block, which lanes are running, a vote or a reduction of lanes that name the same members, one lane's value.
*/
bool dc_is_one_for_all(const dc_uniformity *k, const ptx_ins *ins);

bool dc_same_shape(const dc_value_shape *a, const dc_value_shape *b);
/* The shape of a value that is of one or of the other. */
dc_value_shape dc_merge_shapes(dc_value_shape a, dc_value_shape b);
/* What an instruction that has a scalar form makes of uniform operands; of operands of which none is varying.  Unknown:
** it would have to remember two widenings. */
dc_value_shape dc_uniform_result(const dc_uniformity *k, const ptx_ins *ins);
dc_value_shape dc_affine_result(const dc_uniformity *k, const ptx_ins *ins);
dc_value_shape dc_shape_of_load(const dc_uniformity *k, const ptx_ins *ins);
/* What a register's values are in each gang, whatever the program makes them of: uniform, affine, or (unknown) neither.
*/
dc_value_shape dc_shape_of_values(const dc_uniformity *k, int32_t r);
