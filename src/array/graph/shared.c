/*
** shared.c - see shared.h.
**
** One lock guards all records.  It is held for calls of the driver that do not wait: recording an event, making a
** stream wait for one, freeing.
*/
#include "array/graph/shared.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "array/graph/buffer.h"
#include "device/capture.h"
#include "device/registry.h"
#include "device/stream_state.h"

/* A Lua state's part. */
typedef struct holder {
  dc_device *dev;     /* of its set */
  dc_buffer *buffer;  /* NULL: it holds the memory no more */
  void *event;        /* behind its last use that others must wait for; NULL: none, or its device is blocking */
  struct holder *next;
} holder;

struct dc_shared {
  uint64_t number;
  char device[24];
  dc_ptr ptr;
  size_t bytes;
  dc_device *counted; /* whose bytes_live has it; NULL: none any more */
  int count;          /* holders with a buffer, and openings that it is kept for */
  int kept;
  holder *holders;
  struct dc_shared *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dc_shared *all;
static uint64_t last_number;

/* The child has its own copy of what is in host memory, and no state but that of the thread that has forked. */
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, after_fork); }

/* --- holders; the lock is held -------------------------------------------------------------------------- */

static dc_shared *find(uint64_t number) {
  dc_shared *s = all;
  while (s != NULL && s->number != number) s = s->next;
  return s;
}

/* The state's part, made if there is none; NULL when out of memory. */
static holder *holder_of(dc_shared *s, dc_device *dev, dc_error *err) {
  holder *h = s->holders;
  while (h != NULL && h->dev != dev) h = h->next;
  if (h != NULL) return h;
  if ((h = calloc(1, sizeof *h)) == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  h->dev = dev;
  h->next = s->holders;
  s->holders = h;
  return h;
}

/* Records the state's event in its device's current stream. */
static int record(holder *h, dc_error *err) {
  dc_device *dev = h->dev;
  if (dev->blocking) return 0;
  if (h->event == NULL && dev->streams->event_open(dev, false, &h->event, err) != 0) {
    h->event = NULL;
    return -1;
  }
  return dev->streams->event_record(dev, h->event, dev->stream, err);
}

/* The device's current stream waits for what other states have done, or this one before it gave the memory up. */
static int wait_for_others(const dc_shared *s, dc_device *dev, dc_error *err) {
  for (const holder *h = s->holders; h != NULL; h = h->next) {
    const bool own = h->dev == dev && h->buffer != NULL; /* its hazard list knows */
    if (!own && h->event != NULL && dev->streams->wait(dev, dev->stream, h->event, err) != 0) return -1;
  }
  return 0;
}

/* --- leaving ----------------------------------------------------------------------------------------------- */

/* No state holds the memory any more: frees it in the device's current stream, ordered after all its uses. */
static void end(dc_shared *s, dc_device *dev) {
  dc_error ignored = DC_ERROR_INIT;
  dc_shared **at = &all;
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  if (dev->state == DC_DEVICE_OPEN && wait_for_others(s, dev, &ignored) != 0) {
    dc_error_clear(&ignored);
    for (const holder *h = s->holders; h != NULL; h = h->next)
      if (h->event != NULL) dev->streams->event_synchronize(dev, h->event, &ignored);
  }
  if (dev->state == DC_DEVICE_OPEN && s->ptr != 0) dev->memory->free(dev, s->ptr, s->bytes);
  for (holder *h = s->holders, *next; h != NULL; h = next) {
    next = h->next;
    if (h->event != NULL) dev->streams->event_close(dev, h->event);
    free(h);
  }
  free(s);
  dc_error_clear(&ignored);
}

/* Of a state that leaves others behind: what it has issued comes before what they free. */
static void leave_behind(holder *h) {
  dc_error ignored = DC_ERROR_INIT;
  if (h->dev->state == DC_DEVICE_OPEN && record(h, &ignored) != 0)
    h->dev->streams->synchronize(h->dev, h->dev->stream, &ignored);
  dc_error_clear(&ignored);
}

/* dc_buffer.leave */
static void leave(dc_buffer *b) {
  dc_shared *s = b->shared;
  dc_device *dev = b->dev;
  dc_error ignored = DC_ERROR_INIT;
  void *before = dc_tracking_home(b->hazards, dev);
  pthread_mutex_lock(&lock);
  holder *h = holder_of(s, dev, &ignored); /* is there */
  dc_error_clear(&ignored);
  h->buffer = NULL;
  if (s->counted == dev) {
    dev->bytes_live -= s->bytes;
    s->counted = NULL;
  }
  if (--s->count == 0) end(s, dev);
  else leave_behind(h);
  pthread_mutex_unlock(&lock);
  dev->stream = before;
  b->shared = NULL;
  b->leave = NULL;
}

/* --- offering ---------------------------------------------------------------------------------------------- */

static dc_shared *make(dc_buffer *b, dc_error *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  dc_shared *s = calloc(1, sizeof *s);
  holder *h = s != NULL ? holder_of(s, b->dev, err) : NULL;
  if (h == NULL) {
    free(s);
    dc_fail_oom(err);
    return NULL;
  }
  h->buffer = b;
  b->leave = leave;
  memcpy(s->device, b->dev->id, sizeof s->device);
  s->ptr = b->ptr;
  s->bytes = b->bytes;
  s->counted = b->dev;
  s->count = 1;
  s->number = ++last_number;
  s->next = all;
  all = s;
  return s;
}

int dc_shared_offer(dc_buffer *b, bool keep, uint64_t *number, dc_error *err) {
  if (b->foreign && b->shared == NULL)
    return dc_fail(err, DC_ARGUMENT, NULL,
                   "its memory cannot be shared, since dotcompute has not allocated it (of dc.wrap, a module's "
                   "variable) or it is page-locked: share a copy (a:copy())");
  if (dc_capture_refuse(b->dev, "shares an array", err) != 0 || dc_buffer_used(b, true, err) != 0) return -1;
  pthread_mutex_lock(&lock);
  if (b->shared == NULL) b->shared = make(b, err);
  holder *h = b->shared != NULL ? holder_of(b->shared, b->dev, err) : NULL; /* is there */
  const int rc = h != NULL ? record(h, err) : -1;
  if (rc == 0) {
    *number = b->shared->number;
    b->shared->count += keep;
    b->shared->kept += keep;
  }
  pthread_mutex_unlock(&lock);
  return rc;
}

/* --- opening ----------------------------------------------------------------------------------------------- */

static int fail_gone(dc_error *err) {
  return dc_fail(err, DC_ARGUMENT, NULL,
                 "the array of this token is closed: no Lua state holds it any more (dc.share(a, {keep = true}) keeps "
                 "it until it is opened)");
}

int dc_shared_device(uint64_t number, char id[24], dc_error *err) {
  pthread_mutex_lock(&lock);
  const dc_shared *s = find(number);
  if (s != NULL) memcpy(id, s->device, sizeof s->device);
  pthread_mutex_unlock(&lock);
  return s != NULL ? 0 : fail_gone(err);
}

/* A buffer of this state's, new or with one more reference, ordered behind what this state does with the memory. */
static dc_buffer *buffer_of(dc_shared *s, holder *h, dc_error *err) {
  dc_buffer *b = h->buffer;
  if (b != NULL) {
    if (dc_buffer_used(b, true, err) != 0) return NULL;
    b->refs++;
    return b;
  }
  if ((b = dc_buffer_wrap(h->dev, s->ptr, s->bytes, err)) == NULL) return NULL;
  if (h->dev->tracking != 0 && dc_tracking_allocated(&b->hazards, h->dev, err) != 0) {
    dc_buffer_unref(b);
    return NULL;
  }
  b->shared = s;
  b->leave = leave;
  h->buffer = b;
  s->count++;
  return b;
}

dc_buffer *dc_shared_open(dc_device *dev, uint64_t number, bool kept, dc_error *err) {
  if (dc_capture_refuse(dev, "opens a shared array", err) != 0) return NULL;
  pthread_mutex_lock(&lock);
  dc_shared *s = find(number);
  holder *h = s != NULL ? holder_of(s, dev, err) : NULL;
  dc_buffer *b = h != NULL && wait_for_others(s, dev, err) == 0 ? buffer_of(s, h, err) : NULL;
  if (b != NULL && kept && s->kept > 0) s->kept--, s->count--;
  pthread_mutex_unlock(&lock);
  if (s == NULL) fail_gone(err);
  return b;
}
