/* shim.c - see shim.h. */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

#include "shim.h"

static dc_mpi_table table;
static int started_here;

static MPI_Comm comm_of(void *comm) { return *(MPI_Comm *)comm; }

static void *keep_comm(MPI_Comm comm) {
  MPI_Comm *kept = malloc(sizeof *kept);
  if (kept) *kept = comm;
  return kept;
}

/* --- types and reductions ---------------------------------------------------------------------------------------- */

static MPI_Datatype type_of(int type) {
  switch (type) {
    case DC_MPI_INT8: return MPI_INT8_T;
    case DC_MPI_INT16: return MPI_INT16_T;
    case DC_MPI_INT32: return MPI_INT32_T;
    case DC_MPI_INT64: return MPI_INT64_T;
    case DC_MPI_UINT8: return MPI_UINT8_T;
    case DC_MPI_UINT32: return MPI_UINT32_T;
    case DC_MPI_UINT64: return MPI_UINT64_T;
    case DC_MPI_COMPLEX64: return MPI_C_FLOAT_COMPLEX;
    case DC_MPI_COMPLEX128: return MPI_C_DOUBLE_COMPLEX;
    case DC_MPI_FLOAT32: return MPI_FLOAT;
    case DC_MPI_FLOAT64: return MPI_DOUBLE;
    default: return MPI_UINT16_T; /* 16-bit floating formats travel as bits */
  }
}

/* Reductions that MPI lacks, or does differently: sums of 8- and 16-bit integers, which saturate in Open MPI 4. */
#define OWN_OPS(X)                                                                                                    \
  X(INT8, SUM) X(INT16, SUM) X(UINT8, SUM) X(UINT16, SUM)                                                             \
  X(FLOAT16, SUM) X(FLOAT16, PROD) X(FLOAT16, MIN) X(FLOAT16, MAX)                                                    \
  X(BFLOAT16, SUM) X(BFLOAT16, PROD) X(BFLOAT16, MIN) X(BFLOAT16, MAX)                                                \
  X(FLOAT32, MIN) X(FLOAT32, MAX) X(FLOAT64, MIN) X(FLOAT64, MAX)

#define COMBINE(type, fold)                                                             \
  static void combine_##type##_##fold(void *in, void *inout, int *n, MPI_Datatype *t) { \
    (void)t;                                                                            \
    table.combine(DC_MPI_##type, DC_MPI_##fold, in, inout, *n);                         \
  }
OWN_OPS(COMBINE)

#define OWN(type, fold) { DC_MPI_##type, DC_MPI_##fold, combine_##type##_##fold, 0 },
static struct own_op {
  int type, fold;
  MPI_User_function *function;
  MPI_Op op;
} own_ops[] = { OWN_OPS(OWN) };
enum { NOWN = sizeof own_ops / sizeof *own_ops };

static MPI_Op op_of(int type, int fold) {
  for (int i = 0; i < NOWN; i++)
    if (own_ops[i].type == type && own_ops[i].fold == fold) return own_ops[i].op;
  return fold == DC_MPI_SUM ? MPI_SUM : fold == DC_MPI_PROD ? MPI_PROD : fold == DC_MPI_MIN ? MPI_MIN : MPI_MAX;
}

/* --- start and end ----------------------------------------------------------------------------------------------- */

static int init(void **comm, int *rank, int *size, int *local_rank, int *local_size) {
  MPI_Comm all, local;
  int there = 0, provided = 0, rc;
  if ((rc = MPI_Initialized(&there)) != 0) return rc;
  if (!there) {
    if ((rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided)) != 0) return rc;
    started_here = 1;
  }
  if ((rc = MPI_Comm_dup(MPI_COMM_WORLD, &all)) != 0) return rc;
  MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  MPI_Comm_rank(all, rank);
  MPI_Comm_size(all, size);
  if ((rc = MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local)) != 0) return rc;
  MPI_Comm_rank(local, local_rank);
  MPI_Comm_size(local, local_size);
  MPI_Comm_free(&local);
  for (int i = 0; i < NOWN; i++)
    if ((rc = MPI_Op_create(own_ops[i].function, 1, &own_ops[i].op)) != 0) return rc;
  *comm = keep_comm(all);
  return *comm ? 0 : MPI_ERR_OTHER;
}

static int finalize(void) {
  int ended = 0;
  MPI_Finalized(&ended);
  return started_here && !ended ? MPI_Finalize() : 0;
}

static int stop(int code) { return MPI_Abort(MPI_COMM_WORLD, code); }

static int version(char *text, size_t n) {
  char whole[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int len = 0;
  MPI_Get_library_version(whole, &len);
  whole[strcspn(whole, "\n")] = '\0';
  strncpy(text, whole, n - 1);
  text[n - 1] = '\0';
  return 0;
}

static int error_text(int code, char *text, size_t n) {
  char whole[MPI_MAX_ERROR_STRING] = "";
  int len = 0;
  MPI_Error_string(code, whole, &len);
  strncpy(text, whole, n - 1);
  text[n - 1] = '\0';
  return 0;
}

/* --- communicators and what is done with them -------------------------------------------------------------------- */

static int split(void *comm, int color, int key, void **part, int *rank, int *size) {
  MPI_Comm made;
  int rc = MPI_Comm_split(comm_of(comm), color < 0 ? MPI_UNDEFINED : color, key, &made);
  *part = NULL;
  if (rc != 0 || made == MPI_COMM_NULL) return rc;
  MPI_Comm_rank(made, rank);
  MPI_Comm_size(made, size);
  *part = keep_comm(made);
  return *part ? 0 : MPI_ERR_OTHER;
}

static int close_comm(void *comm) {
  int rc = MPI_Comm_free((MPI_Comm *)comm);
  free(comm);
  return rc;
}

static int issue(MPI_Comm comm, const dc_mpi_call *c, MPI_Request *request) {
  const MPI_Datatype t = type_of(c->type);
  const MPI_Op op = op_of(c->type, c->fold);
  int rank;
  MPI_Comm_rank(comm, &rank);
  switch (c->what) {
    case DC_MPI_ALL_REDUCE:
      return MPI_Iallreduce(c->src == c->dst ? MPI_IN_PLACE : c->src, c->dst, c->count, t, op, comm, request);
    case DC_MPI_REDUCE:
      return MPI_Ireduce(c->src == c->dst && rank == c->peer ? MPI_IN_PLACE : c->src, c->dst, c->count, t, op, c->peer,
                         comm, request);
    case DC_MPI_BROADCAST: return MPI_Ibcast(c->dst, c->count, t, c->peer, comm, request);
    case DC_MPI_ALL_GATHER: return MPI_Iallgather(c->src, c->count, t, c->dst, c->count, t, comm, request);
    case DC_MPI_REDUCE_SCATTER: return MPI_Ireduce_scatter_block(c->src, c->dst, c->count, t, op, comm, request);
    case DC_MPI_ALL_TO_ALL: return MPI_Ialltoall(c->src, c->count, t, c->dst, c->count, t, comm, request);
    case DC_MPI_BARRIER: return MPI_Ibarrier(comm, request);
    case DC_MPI_SEND: return MPI_Isend(c->src, c->count, t, c->peer, c->tag, comm, request);
    default: return MPI_Irecv(c->dst, c->count, t, c->peer, c->tag, comm, request);
  }
}

static int start(void *comm, const dc_mpi_call *call, void **request) {
  MPI_Request *r = malloc(sizeof *r);
  if (!r) return MPI_ERR_OTHER;
  int rc = issue(comm_of(comm), call, r);
  if (rc != 0) {
    free(r);
    return rc;
  }
  *request = r;
  return 0;
}

static int test(void *request, int *done) {
  int rc = MPI_Test(request, done, MPI_STATUS_IGNORE);
  if (rc != 0) *done = 1;
  if (*done) free(request);
  return rc;
}

static dc_mpi_table table = {
  .init = init,
  .finalize = finalize,
  .abort = stop,
  .version = version,
  .error_text = error_text,
  .split = split,
  .close = close_comm,
  .start = start,
  .test = test,
};

dc_mpi_table *dc_mpi_shim(void) { return &table; }
