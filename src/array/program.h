/*
** program.h - inside the room: an expression flattened into steps over a domain of elements.
**
** This is what stands between the graph and the kernel: operands with their addresses and strides,
** steps in an order in which each finds its arguments computed, numbers, and one result.  The parts
** that decide the kernel's text are its form; sizes, strides, addresses and numbers become the
** kernel's parameters.
*/
#ifndef DC_ARRAY_PROGRAM_H
#define DC_ARRAY_PROGRAM_H

#include "array/expr.h"
#include "base/buf.h"

#define DC_MAX_LEAVES 32
#define DC_MAX_REDUCES 4
#define DC_MAX_PARAMS 4000  /* bytes of a kernel's parameters (the hardware takes 4096) */
#define DC_BLOCK 256        /* threads a block, of every generated kernel */
#define DC_TILE 1024        /* a reduction's block takes so many elements at a time */
#define DC_MOST_BLOCKS 1024 /* of a reduction */

typedef enum dc_ref_kind { DC_REF_STEP, DC_REF_LEAF, DC_REF_NUMBER } dc_ref_kind;
typedef struct dc_ref {
  uint8_t kind, index;
} dc_ref;

/* How an operand's element is found from the element's number i in the domain. */
typedef enum dc_layout {
  DC_LAYOUT_ONE,    /* one value for all */
  DC_LAYOUT_FLAT,   /* at i */
  DC_LAYOUT_STRIDED /* by coordinates and strides */
} dc_layout;

typedef struct dc_operand {
  dc_ptr ptr;
  struct dc_buffer *buffer; /* of a leaf; NULL: pretended */
  dc_dtype dtype;
  dc_layout layout;
  int64_t strides[DC_MAX_DIMS]; /* bytes while the program is built, then elements */
} dc_operand;

/* Where a step is needed: for each element, or once after the reductions. */
enum { DC_SCOPE_ELEMENT = 1, DC_SCOPE_FINAL = 2 };

typedef struct dc_step {
  uint8_t op, reduce, dtype, nargs;
  uint8_t scopes;
  bool reduced;  /* it is a reduction or depends on one */
  uint8_t extra; /* the first of DC_OP_CLOSE's two numbers */
  dc_ref arg[2];
} dc_step;

typedef struct dc_program {
  dc_device *dev;
  int nsteps, nleaves, nnumbers, nreduces;
  int rank;                  /* axes left after merging */
  int64_t shape[DC_MAX_DIMS]; /* the domain's, merged */
  int64_t n;                 /* elements of the domain */
  bool wide;                 /* 64-bit indices */
  bool in_place;             /* an input is the memory that is written */
  int lanes;                 /* elements a thread, in vector accesses */
  int rounds;                /* elements a thread, DC_BLOCK apart; one of the two is 1 */
  dc_ref result;
  uint8_t reduce_step[DC_MAX_REDUCES];
  dc_operand out;
  dc_operand leaf[DC_MAX_LEAVES];
  dc_step step[DC_MAX_NODES];
  dc_number number[DC_MAX_NODES * 2];
  dc_array *node[DC_MAX_NODES]; /* the pending array that step i stands for; borrowed */
  dc_array *first;              /* must be computed on its own before; borrowed */
} dc_program;

/* Flattens `src` (READY or PENDING) for a result of dtype, shape and strides as given at address `ptr`.
** Where a part must be computed on its own first (a reduction amid elements, a part that is shared, too
** many operands), p->first names it and the rest of p is not valid; with `pretend` such parts count as
** computed already and p->first stays NULL. */
int dc_program_build(dc_program *p, dc_array *src, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, bool pretend,
                     dc_error *err);
/* The program that writes one number everywhere. */
void dc_program_number(dc_program *p, const dc_number *v, dc_device *dev, dc_ptr ptr, dc_dtype dtype,
                       const dc_geometry *g);
/* Whether an input shares memory with the result, and if so whether each element is read only where it is
** written (so that computing in place is safe). */
bool dc_program_reads_out(const dc_program *p, bool *safe);

dc_dtype dc_program_dtype(const dc_program *p, dc_ref r); /* of a value, in registers */
/* What a reduction's accumulator is. */
dc_dtype dc_reduce_accumulator(dc_reduce r, dc_dtype dtype);

/* generate.c: the kernel's text. Its entry is called DC_ENTRY. */
#define DC_ENTRY "expression"
void dc_generate(const dc_program *p, dc_buf *text);

/* kernels.c: one kernel a form and device; runs a program on its device. */
int dc_program_run(const dc_program *p, dc_error *err);

#endif
