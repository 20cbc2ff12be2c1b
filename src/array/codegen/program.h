/*
** program.h - a kernel before its text: the IR, and the schedule by which threads share its work.
*/
#pragma once

#include "array/codegen/ir.h"
#include "array/graph/geometry.h"
#include "device/device.h"

#define DC_BLOCK 256             /* threads a block, unless the schedule says otherwise */
#define DC_WARP_PART 128         /* elements of a row that a warp takes: four a thread */
#define DC_MAX_PARAMS 4000      /* bytes of a kernel's parameters (the hardware takes 4096) */
#define DC_LOOPED_FROM (1 << 20) /* elements from which a thread takes several packs one after another */
/* How rows are summed: see schedule.c. */
#define DC_MAX_ACCUMULATORS 256  /* of a segment */
#define DC_SHORT_ROW 32          /* elements: a longer segment has 32 accumulators or more */
#define DC_FULL_ACCUMULATOR 8    /* elements; with more, a segment has more accumulators, while there can be */
#define DC_MAX_SEGMENTS 2112     /* of all rows together */
#define DC_SEGMENT 4096
#define DC_CLUSTER 8             /* most blocks of a cluster: what every GPU that has clusters allows */
#define DC_CLUSTER_SEGMENTS 32   /* most segments of a row that a cluster has: a lane of a warp combines each */
#define DC_FINAL_ACCUMULATORS 256

typedef enum dc_schedule_kind {
  /* ELEMENTS */
  DC_SCHEDULE_ELEMENTS,  /* by the element's number */
  DC_SCHEDULE_WARP_ROWS, /* by the row (of the last axis) and the column: a warp takes a part of one row */
  DC_SCHEDULE_TILES,     /* a block takes a square of the plane of two axes */
  /* REDUCTION and ROWS */
  DC_SCHEDULE_LANES,     /* accumulators side by side: neighbouring threads, neighbouring elements of the row */
  DC_SCHEDULE_PACKED,    /* each thread has neighbouring accumulators, for vector accesses */
  DC_SCHEDULE_COLUMNS,   /* neighbouring threads, neighbouring rows */
  DC_SCHEDULE_ROW_BLOCKS /* as COLUMNS, but each thread has several rows, and all accumulators of them */
} dc_schedule_kind;

typedef struct dc_schedule {
  dc_schedule_kind kind;
  int rank;                   /* axes left after merging */
  int kept;                   /* leading axes that are not reduced (ELEMENTS: all) */
  int64_t shape[DC_MAX_DIMS]; /* the domain's, merged */
  int64_t n;                  /* elements of the domain */
  bool wide;                  /* 64-bit indices */
  bool in_place;              /* an input shares memory with the result */
  bool safe;                  /* if so, each element is read only where it is written */
  bool streams;               /* the result is stored past the caches */
  union {
    struct {
      int lanes;   /* elements a thread, in vector accesses */
      int rounds;  /* packs of them, or single elements, a thread, DC_BLOCK of them apart */
      bool looped; /* packs are computed one after another; in small arrays a thread has one */
    } elements;
    struct {
      bool looped;   /* a thread computes its elements in a loop that is not unrolled */
      int64_t parts; /* of a row, of DC_WARP_PART elements, which a warp each takes */
    } warp_row;
    struct {
      int extent, axis; /* of the square, whose other axis is the last one */
    } tile;
    struct {
      int64_t rows, length;      /* rows * length == n */
      int64_t segments, segment; /* contiguous parts of a row that are reduced on their own, and their length */
      int accumulators;          /* a segment */
      bool two_level;            /* every 16 elements are summed before they are added to their accumulator */
      int threads;               /* a segment */
      int together;              /* LANES, PACKED: segments that a block takes */
      int items;                 /* a thread: accumulators, or rows of ROW_BLOCKS */
      int columns;               /* COLUMNS: rows that a block takes, a thread each */
      int cluster;               /* blocks that share rows: of COLUMNS block b reduces elements b, b + cluster, …; of
                                    LANES they have the segments of one row */
      int lanes;                 /* LANES of ROWS: neighbouring elements that a thread writes in one access */
      int cached;                /* bytes of shared memory an element that passes share; 0: none */
    } row;
  };
} dc_schedule;

/* Whether there are many segments with few elements for each accumulator: on a GPU a thread then has several
** accumulators (H200, 64 million float32 values in rows of 100: sums 68 us, with 16 threads a row 84; softmax down
** columns of 64 240 us, with 16 threads 423). */
static inline bool dc_schedule_is_short(const dc_schedule *s) {
  return s->row.accumulators == 32 && s->row.segment < 128 && s->row.rows >= 64;
}

typedef struct dc_program {
  dc_device *dev;
  dc_ir ir;
  dc_schedule schedule;
  dc_ptr mailbox;     /* mailbox slot to which the kernel posts its single result (device/mailbox.h); 0: it does not */
  uint64_t sequence; /* the number under which it does */
} dc_program;

/* Whether the kernel can post its result to the host: a reduction to one value can. */
static inline bool dc_program_posts(const dc_program *p) {
  return p->ir.kind == DC_REDUCTION && p->ir.out.layout == DC_LAYOUT_ONE && p->ir.body == NULL;
}
