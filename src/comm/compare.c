/* compare.c - see compare.h. */
#include "comm/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "comm/requests.h"

/* What a rank tells. Messages have tags of their own, by which sender and receiver meet. */
typedef struct note {
  uint64_t serial; /* of a collective operation */
  int64_t count;
  int32_t op, fold, dtype, peer;
  char where[96];
} note;
enum { TAG_COLLECTIVE = 1, TAG_MESSAGE = 2 };

static note note_of(const dc_comm_call *c, uint64_t serial) {
  note n;
  memset(&n, 0, sizeof n);
  n.op = (int32_t)c->op;
  n.serial = serial;
  n.fold = dc_comm_reduces(n.op) ? (int32_t)c->fold : 0;
  n.dtype = n.op == DC_COMM_BARRIER ? 0 : (int32_t)c->dtype;
  n.count = n.op == DC_COMM_BARRIER ? 0 : c->count;
  n.peer = dc_comm_has_root(n.op) || dc_comm_is_message(n.op) ? c->peer : 0;
  snprintf(n.where, sizeof n.where, "%s", c->where != NULL ? c->where : "?");
  return n;
}

static void describe(const note *n, char *text, size_t room) {
  char fold[16] = "", what[80] = "", peer[40] = "";
  if (dc_comm_reduces(n->op)) snprintf(fold, sizeof fold, " (%s)", dc_comm_fold_name((dc_comm_fold)n->fold));
  if (n->op != DC_COMM_BARRIER)
    snprintf(what, sizeof what, " of %" PRId64 " %s element%s", n->count, dc_dtype_name((dc_dtype)n->dtype),
             n->count == 1 ? "" : "s");
  if (dc_comm_has_root(n->op)) snprintf(peer, sizeof peer, ", root %d,", n->peer);
  if (dc_comm_is_message(n->op))
    snprintf(peer, sizeof peer, " %s rank %d", n->op == DC_COMM_SEND ? "to" : "from", n->peer);
  snprintf(text, room, "%s%s%s%s at %s", dc_comm_name((dc_comm_op)n->op), fold, what, peer, n->where);
}

void dc_compare_describe(const dc_comm_call *call, char *text, size_t n) {
  const note own = note_of(call, 0);
  describe(&own, text, n);
}

static bool same(const note *a, const note *b) {
  return a->op == b->op && a->fold == b->fold && a->dtype == b->dtype && a->peer == b->peer && a->count == b->count;
}

/* --- collective operations --------------------------------------------------------------------------------------- */

/* Appends "ranks 1, 2". */
static void list_ranks(dc_buf *b, const int *ranks, int n) {
  dc_buf_puts(b, n == 1 ? "rank " : "ranks ");
  for (int i = 0; i < n && i < 8; i++) dc_buf_printf(b, "%s%d", i > 0 ? ", " : "", ranks[i]);
  if (n > 8) dc_buf_printf(b, " and %d more", n - 8);
}

/* The ranks that call the same as `which` does. */
static int alike(const note *notes, int size, int which, int *ranks) {
  int n = 0;
  for (int i = 0; i < size; i++)
    if (same(&notes[i], &notes[which])) ranks[n++] = i;
  return n;
}

/* Fails where the notes of all ranks are not the same: says what each group of ranks calls, at most four. */
static int judge(const note *notes, int size, int *ranks, dc_error *err) {
  char text[256];
  dc_buf b = DC_BUF_INIT;
  int groups = 0;
  if (alike(notes, size, 0, ranks) == size) return 0;
  for (int i = 0; i < size; i++) {
    const int n = alike(notes, size, i, ranks);
    if (ranks[0] != i) continue; /* told already */
    if (++groups > 4) continue;
    dc_buf_puts(&b, groups > 1 ? "; " : "");
    list_ranks(&b, ranks, n);
    describe(&notes[i], text, sizeof text);
    dc_buf_printf(&b, ": %s", text);
  }
  dc_fail(err, DC_LAUNCH, NULL, "the ranks do not call the same: %s%s", dc_buf_str(&b),
          groups > 4 ? "; others call something else" : "");
  dc_buf_free(&b);
  return -1;
}

static int fail_absent(dc_ranks *r, const dc_requests *in, const note *own, int *ranks, bool interrupted,
                       dc_error *err) {
  char text[256];
  int n = 0;
  dc_buf b = DC_BUF_INIT;
  for (int i = 0; i < r->size; i++)
    if (!dc_requests_done(in, i)) ranks[n++] = i;
  list_ranks(&b, ranks, n);
  describe(own, text, sizeof text);
  r->failed = true;
  if (interrupted) dc_fail(err, DC_INTERRUPTED, NULL, "interrupted while waiting for %s in %s", dc_buf_str(&b), text);
  else
    dc_fail(err, DC_LAUNCH, NULL, "rank %d calls %s, but %s did not call it within %g s (DOTCOMPUTE_COMM_TIMEOUT)",
            r->rank, text, dc_buf_str(&b), dc_ranks_timeout());
  dc_buf_free(&b);
  return -1;
}

static int exchange(dc_requests *q, void *comm, int what, int peer, int tag, void *bytes, dc_error *err) {
  const dc_mpi_call call = { .what = what, .type = DC_MPI_UINT8, .peer = peer, .tag = tag, .count = sizeof(note),
                             .src = bytes, .dst = bytes };
  return dc_requests_add(q, comm, &call, err);
}

/* Waits for the notes of all ranks, in `in`, then for the own ones to arrive. Memory still in use is given up. */
static int compare_all(dc_ranks *r, note *own, note *notes, int *ranks, dc_error *err) {
  dc_requests in = { 0 }, out = { 0 };
  int rc = 0;
  for (int i = 0; i < r->size && rc == 0; i++)
    rc = exchange(&in, r->control, DC_MPI_RECV, i, TAG_COLLECTIVE, &notes[i], err);
  for (int i = 0; i < r->size && rc == 0; i++)
    rc = exchange(&out, r->control, DC_MPI_SEND, i, TAG_COLLECTIVE, own, err);
  if (rc == 0) rc = dc_requests_wait(&in, dc_ranks_timeout(), err);
  if (rc > 0) rc = fail_absent(r, &in, own, ranks, in.interrupted, err);
  else if (rc == 0) {
    rc = dc_requests_wait(&out, dc_ranks_timeout(), err);
    if (rc > 0) rc = fail_absent(r, &out, own, ranks, out.interrupted, err);
    else if (rc == 0) rc = judge(notes, r->size, ranks, err);
  } else {
    r->failed = true;
  }
  dc_requests_free(&in);
  dc_requests_free(&out);
  return rc;
}

static int compare_collective(dc_ranks *r, const dc_comm_call *call, dc_error *err) {
  note *notes = calloc((size_t)r->size + 1, sizeof *notes); /* the last one is what this rank tells */
  int *ranks = calloc((size_t)r->size, sizeof *ranks);
  int rc = notes != NULL && ranks != NULL ? 0 : dc_fail_oom(err);
  if (rc == 0) {
    notes[r->size] = note_of(call, ++r->serial);
    rc = compare_all(r, &notes[r->size], notes, ranks, err);
  }
  if (!r->failed) free(notes); /* else MPI may still write there */
  free(ranks);
  return rc;
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

/* Fails unless the other side sends what this one receives, or the reverse. */
static int judge_message(const dc_ranks *r, const note *own, const note *other, dc_error *err) {
  char mine[256], theirs[256];
  if (own->dtype == other->dtype && own->count == other->count) return 0;
  describe(own, mine, sizeof mine);
  describe(other, theirs, sizeof theirs);
  return dc_fail(err, DC_LAUNCH, NULL, "the two sides of a message differ: rank %d: %s; rank %d: %s", r->rank, mine,
                 own->peer, theirs);
}

/* notes[2 i] is what this rank tells of message i, notes[2 i + 1] what the other one does. */
static int compare_all_messages(dc_ranks *r, note *notes, int n, dc_error *err) {
  dc_requests q = { 0 };
  char text[256];
  int rc = 0;
  for (int i = 0; i < n && rc == 0; i++) {
    note *own = &notes[2 * i];
    const bool sends = own->op == DC_COMM_SEND; /* the two directions between two ranks have tags of their own */
    rc = exchange(&q, r->control, DC_MPI_RECV, own->peer, TAG_MESSAGE + sends, own + 1, err);
    if (rc == 0) rc = exchange(&q, r->control, DC_MPI_SEND, own->peer, TAG_MESSAGE + !sends, own, err);
  }
  if (rc == 0) rc = dc_requests_wait(&q, dc_ranks_timeout(), err);
  for (int i = 0; i < n && rc > 0; i++) {
    if (dc_requests_done(&q, 2 * i) && dc_requests_done(&q, 2 * i + 1)) continue;
    describe(&notes[2 * i], text, sizeof text);
    if (q.interrupted) rc = dc_fail(err, DC_INTERRUPTED, NULL, "interrupted in %s", text);
    else
      rc = dc_fail(err, DC_LAUNCH, NULL, "rank %d calls %s, but rank %d did not call the other side within %g s "
                   "(DOTCOMPUTE_COMM_TIMEOUT)", r->rank, text, notes[2 * i].peer, dc_ranks_timeout());
  }
  if (rc != 0) r->failed = true;
  for (int i = 0; i < n && rc == 0; i++) rc = judge_message(r, &notes[2 * i], &notes[2 * i + 1], err);
  dc_requests_free(&q);
  return rc;
}

static int compare_messages(dc_ranks *r, const dc_comm_call *calls, int n, dc_error *err) {
  note *notes = calloc((size_t)n * 2 + 1, sizeof *notes);
  int messages = 0;
  if (notes == NULL) return dc_fail_oom(err);
  for (int i = 0; i < n; i++)
    if (dc_comm_is_message(calls[i].op)) notes[2 * messages++] = note_of(&calls[i], 0);
  const int rc = compare_all_messages(r, notes, messages, err);
  if (!r->failed) free(notes);
  return rc;
}

int dc_compare_calls(dc_ranks *r, const dc_comm_call *calls, int n, dc_error *err) {
  for (int i = 0; i < n; i++)
    if (!dc_comm_is_message(calls[i].op) && compare_collective(r, &calls[i], err) != 0) return -1;
  return compare_messages(r, calls, n, err);
}
