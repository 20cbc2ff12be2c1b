/*
** shim.h - what the MPI shim (shim.c) gives to comm/mpi.c: MPI's functions behind types that do not depend on which MPI
** it is.  Both files travel as text and are compiled against the mpi.h that is installed, because MPIs have no common
** binary interface.
**
** Functions return 0 or MPI's error code.  Calls come from one thread at a time; none waits.
*/
#pragma once

#include <stddef.h>

/* What is done; `peer` is the root of a rooted one, the other rank of the last two. */
enum {
  DC_MPI_ALL_REDUCE, DC_MPI_REDUCE, DC_MPI_BROADCAST, DC_MPI_ALL_GATHER, DC_MPI_REDUCE_SCATTER, DC_MPI_ALL_TO_ALL,
  DC_MPI_BARRIER, DC_MPI_SEND, DC_MPI_RECV
};
enum { DC_MPI_SUM, DC_MPI_PROD, DC_MPI_MIN, DC_MPI_MAX, DC_MPI_NFOLDS };
/* Elements; the last four, and sums of 8 and 16 bits, are reduced by `combine` where MPI has no reduction, or one that
** does not keep NaN or does not wrap around. */
enum {
  DC_MPI_INT8, DC_MPI_INT16, DC_MPI_INT32, DC_MPI_INT64, DC_MPI_UINT8, DC_MPI_UINT16, DC_MPI_UINT32, DC_MPI_UINT64,
  DC_MPI_COMPLEX64, DC_MPI_COMPLEX128, DC_MPI_FLOAT16, DC_MPI_BFLOAT16, DC_MPI_FLOAT32, DC_MPI_FLOAT64, DC_MPI_NTYPES
};

typedef struct dc_mpi_call {
  int what, fold, type, peer, tag;
  int count;       /* elements that a rank gives (of reduce_scatter: gets; of all_to_all: gives to each) */
  const void *src;
  void *dst;       /* may be src for all_reduce and reduce */
} dc_mpi_call;

typedef struct dc_mpi_table {
  /* inout[i] = fold(in[i], inout[i]); set by the caller before `init` */
  void (*combine)(int type, int fold, const void *in, void *inout, int n);
  /* Starts MPI, unless the process has done so.  Gives the communicator of all ranks. */
  int (*init)(void **comm, int *rank, int *size, int *local_rank, int *local_size);
  int (*finalize)(void); /* does nothing where the process has started MPI by itself, or has ended it */
  int (*abort)(int code);
  int (*version)(char *text, size_t n); /* of the library, one line */
  int (*error_text)(int code, char *text, size_t n);
  /* The part of `comm` whose ranks give the same color, ordered by key; color < 0: *part is NULL. Waits. */
  int (*split)(void *comm, int color, int key, void **part, int *rank, int *size);
  int (*close)(void *comm); /* of one that is no longer in use */
  int (*start)(void *comm, const dc_mpi_call *call, void **request);
  /* Whether it is done; then the request is released, also with an error. */
  int (*test)(void *request, int *done);
} dc_mpi_table;

dc_mpi_table *dc_mpi_shim(void);
