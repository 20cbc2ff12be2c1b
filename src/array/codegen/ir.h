/*
** ir.h - inside the room: an expression flattened into steps over a domain of elements.
**
** This is what stands between the graph and the kernel: operands with their addresses and strides, steps in an order
** in which each finds its arguments computed, numbers, and one result.  The parts that decide the kernel's text are
** its form; sizes, strides, addresses and numbers become the kernel's parameters.
**
** A program is of one of three kinds.  ELEMENTS: one result for each element of the domain.  REDUCTION: the domain's
** axes are kept or reduced, and there is one result for each combination of kept ones (a row).  ROWS: as that, but
** there is one result for each element again, made with the help of what its row was reduced to (softmax).
*/
#ifndef DC_ARRAY_CODEGEN_IR_H
#define DC_ARRAY_CODEGEN_IR_H

#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "device/device.h"

#define DC_MAX_LEAVES 32
#define DC_MAX_REDUCES 4
#define DC_MAX_PARAMS 4000   /* bytes of a kernel's parameters (the hardware takes 4096) */
#define DC_BLOCK 256         /* threads a block, unless the form says otherwise */
#define DC_LOOPED_FROM (1 << 20) /* elements from which a thread takes several packs one after another */
#define DC_MOST_CHAINS 256   /* see domain.c for these */
#define DC_FULL_CHAIN 8      /* elements of a chain; from so many on there are more chains, while there can be */
#define DC_MOST_SEGMENTS 2112 /* of all rows together */
#define DC_SEGMENT 4096
#define DC_FOLDERS 256

typedef enum dc_ref_kind { DC_REF_STEP, DC_REF_LEAF, DC_REF_NUMBER } dc_ref_kind;
typedef struct dc_ref {
  uint8_t kind, index;
} dc_ref;

typedef enum dc_kind_of_program { DC_ELEMENTS, DC_REDUCTION, DC_ROWS } dc_kind_of_program;

/* How an operand's element is found from the element's number i in the domain (ELEMENTS), or from the row's number
** and the element's number r in it. */
typedef enum dc_layout {
  DC_LAYOUT_ONE,     /* one value for all */
  DC_LAYOUT_FLAT,    /* at i */
  DC_LAYOUT_STRIDED, /* by coordinates and strides */
  DC_LAYOUT_ROW,     /* one value a row, by the row's coordinates */
  DC_LAYOUT_UNIT,    /* from a place of the row on, at r */
} dc_layout;

/* How far apart in memory an operand's elements of neighbouring rows are. */
typedef enum dc_apart { DC_APART_NONE, DC_APART_ONE, DC_APART_ANY } dc_apart;

typedef struct dc_operand {
  dc_ptr ptr;
  struct dc_buffer *buffer; /* of a leaf; NULL: pretended, or the index */
  const dc_geometry *g;     /* while the program is built */
  bool row;                 /* a leaf that is read once a row, whose axes are the kept ones */
  bool index;               /* no memory: its value is its place */
  bool framed;              /* an index by the strides of `g`, not by C order */
  bool bare;                /* only its address is wanted */
  dc_dtype dtype;
  dc_layout layout;
  bool packed;                  /* ELEMENTS with lanes: consecutive elements are consecutive in memory; carried: it is
                                ** copied by 16 bytes */
  uint8_t loaded, carried;      /* by pass, as DC_SCOPE_PASS: from memory; from where it was put before */
  uint8_t place;                /* where that is: see dc_program_carry */
  uint8_t apart;                /* STRIPS: a dc_apart; else 0 */
  int64_t strides[DC_MAX_DIMS]; /* along the domain's axes: bytes while the program is built, then elements */
} dc_operand;

/* Where a step is computed: bit p, for each element in pass p over the row (the last pass writes the results of
** ROWS); and once a row. */
#define DC_SCOPE_PASS(p) ((uint8_t)(1u << (p)))
#define DC_SCOPE_ROW 0x80u

typedef struct dc_step {
  uint8_t op, as, reduce, dtype, nargs;
  uint8_t scopes;
  uint8_t level; /* of the reductions that it depends on, the last one's pass, from 1; of a reduction its own */
  bool rowwise;  /* its shape has one value a row */
  uint8_t carried, place; /* as an operand's */
  dc_ref arg[DC_MAX_ARGS];
} dc_step;

/* How the threads of a reduction share it; see domain.c. */
typedef enum dc_mapping {
  DC_MAP_LANES,   /* chains side by side: neighbouring threads, neighbouring elements of the row */
  DC_MAP_PACKED,  /* each thread has neighbouring chains, for vector accesses */
  DC_MAP_COLUMNS, /* neighbouring threads, neighbouring rows */
  DC_MAP_STRIPS   /* so as well, but each thread has several rows, and all chains of them */
} dc_mapping;

typedef struct dc_program {
  dc_device *dev;
  dc_kind_of_program kind;
  int nsteps, nleaves, nnumbers, nreduces, npasses;
  int rank;                   /* axes left after merging; */
  int kept;                   /* the first so many are kept ones (ELEMENTS: all) */
  int64_t shape[DC_MAX_DIMS]; /* the domain's, merged */
  int64_t n;                  /* elements of the domain */
  int64_t rows, length;       /* of REDUCTION and ROWS: rows * length == n */
  int64_t segments, segment;  /* parts of a row that are reduced apart, and how long they are */
  int chains;                 /* of additions, a segment */
  bool deep;                  /* a chain's sums are folded every 16 elements */
  dc_mapping mapping;
  int threads, each;          /* a segment has so many threads, a thread so many chains (STRIPS: rows) */
  int columns;                /* COLUMNS: rows that a block takes, a thread each */
  int cluster;                /* COLUMNS: blocks that share these rows, of which each has every so-many-th element */
  int carried;                /* bytes of shared memory for what passes hand on of an element; 0: nothing is */
  dc_ptr mail;                /* the host is told the single result there: see dc_device_ops; 0: it is not */
  uint64_t letter;            /* under this number */
  bool wide;                  /* 64-bit indices */
  bool in_place;              /* an input shares memory with the result */
  bool safe;                  /* if so, each element is read only where it is written */
  int lanes;                  /* ELEMENTS: elements a thread, in vector accesses */
  int rounds;                 /* ELEMENTS: such packs, or single elements, a thread, DC_BLOCK of them apart */
  bool looped;                /* packs are computed one after another, of small arrays one a thread */
  int tile, tile_axis;        /* ELEMENTS: a block takes a square of the last axis and this one; 0: it does not */
  dc_ref result;
  bool scatters, guarded, most; /* see dc_evaluate_scatter */
  dc_ref offset, guard;         /* where it does, and where it is guarded */
  uint8_t reduce_step[DC_MAX_REDUCES];
  dc_operand out;
  dc_operand leaf[DC_MAX_LEAVES];
  dc_step step[DC_MAX_NODES];
  dc_number number[DC_MAX_NODES * DC_MAX_ARGS];
  dc_array *node[DC_MAX_NODES]; /* the pending array that step i stands for; borrowed */
  dc_array *first;              /* must be computed on its own before; borrowed */
  uint32_t axes;                /* while it is built: which are reduced */
} dc_program;

/* The dtype of a value, in registers. */
dc_dtype dc_program_dtype(const dc_program *p, dc_ref r);

/* Whether one of its steps is a long function, which is not to be compiled often. */
static inline bool dc_program_is_long(const dc_program *p) {
  for (int i = 0; i < p->nsteps; i++)
    if (dc_ops[p->step[i].op].flags & DC_OP_LONG) return true;
  return false;
}
/* Whether the program can tell the host its result: a reduction to one value can. */
static inline bool dc_program_tells(const dc_program *p) {
  return p->kind == DC_REDUCTION && p->out.layout == DC_LAYOUT_ONE;
}
/* Whether packs of `lanes` elements, their places told apart by n strides, are aligned. */
bool dc_is_aligned(const dc_operand *o, const int64_t *strides, int n, int64_t lanes);

static inline bool dc_in_pass(uint8_t scopes, int pass) { return (scopes & DC_SCOPE_PASS(pass)) != 0; }
static inline int64_t dc_program_span(const dc_program *p) {
  const int64_t n = p->mapping == DC_MAP_COLUMNS ? (p->length + p->cluster - 1) / p->cluster * p->columns : p->length;
  return (n + 15) / 16 * 16;
}
/* Bytes of shared memory that a block has for that. */
static inline int64_t dc_program_shared(const dc_program *p) {
  if (p->kind == DC_ELEMENTS) return 0;
  const int rows = p->mapping == DC_MAP_COLUMNS ? 1 : DC_BLOCK / p->threads; /* spans */
  return rows * dc_program_span(p) * p->carried;
}

/* Of the mapping STRIPS: the rows whose elements lie side by side, and blocks for a segment of all rows. */
static inline int64_t dc_program_strips(const dc_program *p) {
  const int64_t columns = p->shape[p->kept - 1], width = (int64_t)p->threads * p->each;
  return p->rows / columns * ((columns + width - 1) / width);
}

#endif
