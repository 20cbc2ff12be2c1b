/*
** ir.h - the IR of a kernel: an expression as a list of instructions over elements of inputs.
**
** Instructions stand behind those whose values they use.  What decides the kernel's text is its form; sizes, strides,
** addresses and numbers become the kernel's parameters.
*/
#pragma once

#include "array/codegen/body.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "device/device.h"

#define DC_MAX_OPERANDS 32    /* inputs of an expression */
#define DC_MAX_BODY_PARAMS 64
#define DC_MAX_INPUTS_OF_IR (DC_MAX_BODY_PARAMS + 1) /* and the element's number */
#define DC_MAX_REDUCES 4

/* ELEMENTS: one result for each element of the domain.  REDUCTION: the domain's axes are kept or reduced, and there is
** one result for each combination of kept ones (a row).  ROWS: as that, but there is one result for each element again,
** made with the help of what its row was reduced to (softmax). */
typedef enum dc_ir_kind { DC_ELEMENTS, DC_REDUCTION, DC_ROWS } dc_ir_kind;

/* A value: that of an instruction, an input's element or a number. */
typedef enum dc_ref_kind { DC_REF_INSTRUCTION, DC_REF_INPUT, DC_REF_NUMBER } dc_ref_kind;
typedef struct dc_ref {
  uint8_t kind, index;
} dc_ref;

/* How an operand's element is found from the element's number i in the domain (ELEMENTS), or from the row's number
** and the element's number r in it. */
typedef enum dc_layout {
  DC_LAYOUT_ONE,     /* one value for all */
  DC_LAYOUT_FLAT,    /* at i */
  DC_LAYOUT_STRIDED, /* by coordinates and strides */
  DC_LAYOUT_ROW,     /* one value a row, by the row's coordinates */
  DC_LAYOUT_UNIT,    /* from the row's offset on, at r */
} dc_layout;

/* How far apart in memory an operand's elements of neighbouring lanes are. */
typedef enum dc_stride_kind { DC_STRIDE_ZERO, DC_STRIDE_ONE, DC_STRIDE_MINUS_ONE, DC_STRIDE_ANY } dc_stride_kind;

/* An input or the output. */
typedef struct dc_operand {
  dc_ptr ptr;
  dc_buffer *buffer;    /* of an input; NULL: an array that is not computed yet (dry run), or an index */
  const dc_geometry *g; /* while the IR is made and scheduled */
  bool row;             /* an input that is read once a row, whose axes are the kept ones */
  bool index;           /* no memory: its value is the element's number */
  bool strided_index;   /* an index by the strides of `g`, not by C order */
  bool address_only;    /* its elements are not read by their number, but at offsets that are computed */
  bool result;          /* a body writes it */
  dc_dtype dtype;
  /* by the schedule: */
  dc_layout layout;
  bool packed;                  /* ELEMENTS with lanes: consecutive elements are consecutive in memory; cached: it is
                                ** copied by 16 bytes */
  uint8_t loaded, cached;       /* passes, as DC_SCOPE_PASS, that take it from memory; from shared memory */
  uint8_t slot;                 /* in shared memory: bytes of an element before it (pass_cache.h) */
  uint8_t stride_kind;          /* a dc_stride_kind along the last axis (warp rows), or that of rows (row blocks); else
                                ** 0 */
  int64_t strides[DC_MAX_DIMS]; /* along the schedule's axes: bytes until that is made, then elements */
} dc_operand;

/* Where an instruction is computed: bit p, for each element in pass p over the row (the last pass writes the results of
** ROWS); and once a row. */
#define DC_SCOPE_PASS(p) ((uint8_t)(1u << (p)))
#define DC_SCOPE_ROW 0x80u
static inline bool dc_in_pass(uint8_t scopes, int pass) { return (scopes & DC_SCOPE_PASS(pass)) != 0; }

typedef struct dc_instruction {
  uint8_t op, as, reduce, dtype, nargs; /* as dc_expr's */
  uint8_t scopes;
  uint8_t level; /* of the reductions that it depends on, the last one's pass, from 1; of a reduction its own */
  bool rowwise;  /* its shape has one value a row */
  uint8_t cached, slot; /* by the schedule: as an operand's */
  dc_ref arg[DC_MAX_ARGS];
} dc_instruction;

typedef struct dc_ir {
  dc_ir_kind kind;
  int ninstructions, ninputs, nnumbers, nreduces, npasses;
  dc_ref result;
  bool scatters, guarded, max; /* see dc_evaluate_scatter */
  dc_ref offset, guard;        /* where it does, and where it is guarded */
  uint8_t reduction[DC_MAX_REDUCES]; /* the instructions that reduce */
  dc_operand out;
  dc_operand *input;             /* `inputs`, or an array of the caller's for a body with more parameters */
  dc_operand inputs[DC_MAX_OPERANDS];
  const dc_body *body; /* NULL: none.  Of kind ELEMENTS it stands in place of instructions, its results are inputs that
                       ** are marked so, and `out` has no dtype */
  dc_ref argument[DC_MAX_BODY_PARAMS]; /* what each parameter of the body stands for */
  int number_input;    /* of kind ELEMENTS: the input that is the element's number; -1: the body does not read it */
  dc_instruction code[DC_MAX_NODES];
  dc_number number[DC_MAX_NODES * DC_MAX_ARGS];
  dc_array *node[DC_MAX_NODES]; /* the pending array whose value instruction i computes; borrowed */
  dc_array *dependency;         /* must be computed on its own before; borrowed */
  uint32_t axes;                /* of the domain, which are reduced */
} dc_ir;

/* Whether it has a result besides those among its inputs. */
static inline bool dc_ir_has_out(const dc_ir *ir) { return ir->out.dtype != DC_DTYPE_NONE; }
/* Whether a kernel writes the operand's elements by their number. */
static inline bool dc_operand_is_result(const dc_ir *ir, const dc_operand *o) {
  return o == &ir->out || (o->result && !o->address_only);
}
/* Whether it reads them: of a body's results, where they begin with memory's values. */
static inline bool dc_operand_is_read(const dc_ir *ir, const dc_operand *o) {
  return o != &ir->out && (!o->result || ir->body->given);
}

/* Whether the pass over rows loads the operand's neighbouring elements from memory. */
static inline bool dc_operand_is_unit(const dc_operand *o, int pass) {
  return o->layout == DC_LAYOUT_UNIT && !o->index && dc_in_pass(o->loaded, pass);
}

/* The dtype of a value, in registers. */
dc_dtype dc_ir_dtype(const dc_ir *ir, dc_ref r);
/* Whether one of its instructions is a long function, which is not to be compiled often. */
bool dc_ir_is_long(const dc_ir *ir);
/* Whether packs of `lanes` elements, whose first ones are n strides apart, are aligned. */
bool dc_operand_is_aligned(const dc_operand *o, const int64_t *strides, int n, int64_t lanes);
