/*
** staging.c - large copies between a GPU and memory that is not page-locked.
**
** The driver copies pageable memory through a buffer of its own, on one thread, at a fraction of the bus's speed.  Here
** it goes through a ring of page-locked chunks: the GPU fills or empties one while several threads copy others.
**
** Chunk c uses slot c % SLOTS.  To the host: the calling thread issues copies and, as they end, hands chunks to the
** threads; a slot is free again when its chunk has been copied out.  To the device: threads fill slots that are free,
** the calling thread issues their copies in order and frees slots as these end.
*/
#include "cuda/staging.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/fault.h"
#include "cuda/stream.h"

/* 512 MiB between an H200 and a machine of 16 processors: 45 GB/s in both directions; into memory that is touched for
** the first time 32 GB/s, 17 with 8 threads. */
#define CHUNK ((size_t)2 << 20)
#define SLOTS 24
#define MOST_THREADS 15
#define SMALLEST ((size_t)8 << 20) /* smaller copies are left to the driver */

struct dc_cuda_staging {
  char *ring;            /* SLOTS chunks, page-locked */
  CUevent event[SLOTS];  /* the slot's last copy has ended */
  bool dirty;            /* an interrupted copy may still be running */
};

/* One copy; the lock guards all from `taken` on. */
typedef struct dc_transfer {
  char *host;
  size_t bytes, chunks;
  char *ring;
  bool up;               /* to the device */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  size_t taken;          /* chunks that threads have begun */
  size_t ready;          /* chunks whose slot the threads may use: filled by the GPU, or free for filling */
  size_t copied[SLOTS];  /* 1 + the last chunk that a thread has copied there */
  bool stop;
} dc_transfer;

static size_t size_of(const dc_transfer *t, size_t c) {
  return c + 1 < t->chunks ? CHUNK : t->bytes - (t->chunks - 1) * CHUNK;
}

/* --- threads -------------------------------------------------------------------------------------------- */

static void copy_chunk(const dc_transfer *t, size_t c) {
  char *slot = t->ring + c % SLOTS * CHUNK, *host = t->host + c * CHUNK;
  if (t->up) memcpy(slot, host, size_of(t, c));
  else memcpy(host, slot, size_of(t, c));
}

static void *work(void *ud) {
  dc_transfer *t = ud;
  pthread_mutex_lock(&t->lock);
  while (t->taken < t->chunks && !t->stop) {
    if (t->taken == t->ready) {
      pthread_cond_wait(&t->changed, &t->lock);
      continue;
    }
    const size_t c = t->taken++;
    pthread_mutex_unlock(&t->lock);
    copy_chunk(t, c);
    pthread_mutex_lock(&t->lock);
    t->copied[c % SLOTS] = c + 1;
    pthread_cond_broadcast(&t->changed);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

static void allow(dc_transfer *t, size_t ready) {
  pthread_mutex_lock(&t->lock);
  t->ready = ready;
  pthread_cond_broadcast(&t->changed);
  pthread_mutex_unlock(&t->lock);
}

static bool is_copied(dc_transfer *t, size_t c, bool wait) {
  pthread_mutex_lock(&t->lock);
  while (wait && t->copied[c % SLOTS] < c + 1) pthread_cond_wait(&t->changed, &t->lock);
  const bool done = t->copied[c % SLOTS] >= c + 1;
  pthread_mutex_unlock(&t->lock);
  return done;
}

/* --- the calling thread ------------------------------------------------------------------------------------ */

static int issue(dc_cuda *d, const dc_transfer *t, dc_ptr at, size_t c, dc_error *err) {
  char *slot = t->ring + c % SLOTS * CHUNK;
  const size_t n = size_of(t, c);
  CUresult r = t->up ? dc_cu.MemcpyHtoDAsync(at + c * CHUNK, slot, n, dc_cuda_handle(d))
                     : dc_cu.MemcpyDtoHAsync(slot, at + c * CHUNK, n, dc_cuda_handle(d));
  if (r == CUDA_SUCCESS) r = dc_cu.EventRecord(d->staging->event[c % SLOTS], dc_cuda_handle(d));
  if (r == CUDA_SUCCESS) return 0;
  return dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes %s %s failed", t->bytes, t->up ? "to" : "from", d->dev->id);
}

static int await(dc_cuda *d, size_t c, dc_error *err) {
  return dc_cuda_event_synchronize(d->dev, d->staging->event[c % SLOTS], err);
}

static int run_down(dc_cuda *d, dc_transfer *t, dc_ptr src, dc_error *err) {
  size_t issued = 0;
  for (size_t c = 0; c < t->chunks; c++) {
    while (issued < t->chunks && issued < c + SLOTS && (issued < SLOTS || is_copied(t, issued - SLOTS, issued == c)))
      if (issue(d, t, src, issued++, err) != 0) return -1;
    if (await(d, c, err) != 0) return -1;
    allow(t, c + 1);
  }
  const size_t first = t->chunks > SLOTS ? t->chunks - SLOTS : 0;
  for (size_t c = first; c < t->chunks; c++) is_copied(t, c, true);
  return 0;
}

static int run_up(dc_cuda *d, dc_transfer *t, dc_ptr dst, dc_error *err) {
  size_t ended = 0;
  allow(t, t->chunks < SLOTS ? t->chunks : SLOTS);
  for (size_t c = 0; c < t->chunks; c++) {
    while (!is_copied(t, c, ended == c)) { /* until it is filled, slots are freed */
      if (await(d, ended++, err) != 0) return -1;
      allow(t, ended + SLOTS < t->chunks ? ended + SLOTS : t->chunks);
    }
    if (issue(d, t, dst, c, err) != 0) return -1;
  }
  while (ended < t->chunks)
    if (await(d, ended++, err) != 0) return -1;
  return 0;
}

/* --- making and dropping --------------------------------------------------------------------------------------- */

static void free_staging(dc_cuda *d) {
  struct dc_cuda_staging *s = d->staging;
  for (int i = 0; i < SLOTS; i++)
    if (s->event[i] != NULL) dc_cuda_note(dc_cu.EventDestroy(s->event[i]));
  if (s->ring != NULL) dc_cuda_note(dc_cu.MemFreeHost(s->ring));
  free(s);
  d->staging = NULL;
}

/* The ring, or NULL when there is no memory for one: copies work without. */
static struct dc_cuda_staging *staging_of(dc_cuda *d) {
  if (d->staging != NULL) return d->staging;
  struct dc_cuda_staging *s = d->staging = calloc(1, sizeof *s);
  void *ring = NULL;
  if (s == NULL) return NULL;
  CUresult r = dc_cu.MemHostAlloc(&ring, SLOTS * CHUNK, 0);
  s->ring = r == CUDA_SUCCESS ? ring : NULL;
  for (int i = 0; r == CUDA_SUCCESS && i < SLOTS; i++) r = dc_cu.EventCreate(&s->event[i], CU_EVENT_DISABLE_TIMING);
  dc_cuda_note(r);
  if (r != CUDA_SUCCESS) free_staging(d);
  return d->staging;
}

static int threads_for(size_t chunks) {
  long n = sysconf(_SC_NPROCESSORS_ONLN) - 1;
  n = n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : n;
  return n > (long)chunks ? (int)chunks : (int)n;
}

bool dc_cuda_staged(dc_cuda *d, size_t n) {
  return n >= SMALLEST && d->dev->capture == NULL && staging_of(d) != NULL;
}

int dc_cuda_staged_copy(dc_cuda *d, void *host, dc_ptr at, size_t n, bool up, dc_error *err) {
  pthread_t thread[MOST_THREADS];
  dc_transfer t = { .host = host, .bytes = n, .chunks = (n + CHUNK - 1) / CHUNK, .ring = d->staging->ring, .up = up };
  int started = 0, wanted = threads_for(t.chunks), rc = -1;
  if (d->staging->dirty && dc_cuda_wait_all(d, err) != 0) return -1;
  d->staging->dirty = true;
  pthread_mutex_init(&t.lock, NULL);
  pthread_cond_init(&t.changed, NULL);
  while (started < wanted && pthread_create(&thread[started], NULL, work, &t) == 0) started++;
  if (started == 0) dc_fail(err, DC_DEVICE, NULL, "cannot start a thread for a copy of %zu bytes", n);
  else rc = up ? run_up(d, &t, at, err) : run_down(d, &t, at, err);
  pthread_mutex_lock(&t.lock);
  t.stop = true;
  pthread_cond_broadcast(&t.changed);
  pthread_mutex_unlock(&t.lock);
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  pthread_cond_destroy(&t.changed);
  pthread_mutex_destroy(&t.lock);
  if (rc == 0) d->staging->dirty = false;
  return rc;
}
