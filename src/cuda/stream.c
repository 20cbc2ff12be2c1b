/* stream.c - see stream.h. */
#include "cuda/stream.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/runtime.h"
#include "cuda/comm_watch.h"
#include "cuda/fault.h"

/* --- deferred unloading -------------------------------------------------------------------------- */

void dc_cuda_free_code(dc_code *code) {
  while (code->functions != NULL) {
    dc_function *fn = code->functions;
    code->functions = fn->next;
    dc_cuda_free_function(fn);
  }
  free(code);
}

static bool has_ended(const dc_code *code) {
  uint64_t last = 0;
  for (const dc_function *fn = code->functions; fn != NULL; fn = fn->next)
    if (fn->last_launch > last) last = fn->last_launch;
  for (const dc_cuda_stream *s = &code->d->own; s != NULL; s = s->next)
    if (s->finished < s->issued && s->finished < last) return false;
  return true;
}

bool dc_cuda_unload_ended(dc_code *code) {
  if (!has_ended(code)) return false;
  if (!dc_cuda_is_dead()) dc_cuda_note(DC_CUDA_RELAXED(code->d, dc_cu.ModuleUnload(code->module)));
  dc_cuda_free_code(code);
  return true;
}

static void unload_deferred(dc_cuda *d) {
  for (dc_code **p = &d->deferred; *p != NULL;) {
    dc_code *code = *p, *next = code->next_deferred;
    if (dc_cuda_unload_ended(code)) *p = next;
    else p = &code->next_deferred;
  }
}

/* --- deferred release ---------------------------------------------------------------------------- */

typedef struct dc_cuda_closing {
  struct dc_cuda_closing *next;
  dc_cuda_release *release;
  uint64_t handle;
  uint64_t last; /* number of the last launch issued before */
} closing;

static bool has_passed(const dc_cuda *d, uint64_t last) {
  for (const dc_cuda_stream *s = &d->own; s != NULL; s = s->next)
    if (s->finished < s->issued && s->finished < last) return false;
  return true;
}

static void release_passed(dc_cuda *d) {
  for (closing **p = &d->closing; *p != NULL;) {
    closing *c = *p;
    if (!has_passed(d, c->last)) {
      p = &c->next;
      continue;
    }
    *p = c->next;
    if (!dc_cuda_is_dead()) dc_cuda_note(DC_CUDA_RELAXED(d, c->release(c->handle)));
    free(c);
  }
}

void dc_cuda_release_later(dc_cuda *d, dc_cuda_release *release, uint64_t handle) {
  if (!dc_cuda_try_enter(d)) return; /* CUDA is lost, and everything with it */
  closing *c = malloc(sizeof *c);
  if (c == NULL) return; /* the process's end releases it */
  *c = (closing){ NULL, release, handle, d->launches };
  closing **end = &d->closing; /* in the order of the calls: objects before their memory */
  while (*end != NULL) end = &(*end)->next;
  *end = c;
  if (d->dev->capture == NULL) dc_cuda_poll(d, &d->own); /* so that the list does not grow where nothing waits */
  release_passed(d);
}

void dc_cuda_issued(dc_cuda *d) {
  if (d->dev->capture == NULL) dc_cuda_now(d)->issued = ++d->launches;
}

/* --- waiting ------------------------------------------------------------------------------------- */

static int fail_interrupted(const dc_cuda *d, dc_error *err) {
  char names[256];
  size_t n = dc_cuda_running(d, names, sizeof names);
  if (n == 0)
    return dc_fail(err, DC_INTERRUPTED, NULL, "interrupted while waiting for %s; its work goes on", d->dev->id);
  return dc_fail(err, DC_INTERRUPTED, NULL,
                 "interrupted while waiting for %s: nothing can stop a kernel on a GPU, so %s still run%s there",
                 d->dev->id, names, n == 1 ? "s" : "");
}

/* Back-off between polls: none at first (short kernels), then yielding, then sleeping for a small part of the time
** waited so far. */
static void back_off(double waited) {
  if (waited < 50e-6) return;
  if (waited < 2e-3) {
    sched_yield();
    return;
  }
  double nap = waited / 32 < 1e-3 ? waited / 32 : 1e-3;
  nanosleep(&(struct timespec){ 0, (long)(nap * 1e9) }, NULL);
}

CUresult dc_cuda_poll(dc_cuda *d, dc_cuda_stream *s) {
  CUresult r = DC_CUDA_RELAXED(d, dc_cu.StreamQuery(s->handle));
  if (r == CUDA_SUCCESS) {
    s->finished = s->issued;
    if (d->deferred != NULL) unload_deferred(d);
    if (d->closing != NULL) release_passed(d);
  } else if (r != CUDA_ERROR_NOT_READY) {
    dc_cuda_note(r);
  }
  return r;
}

#define FAST_POLLS 32 /* before the clock is read: some 8 µs */

/* Waits for the stream, or for the event when there is one, or until `arrived` (NULL: no such condition) is true. */
static int wait_for(dc_cuda *d, dc_cuda_stream *s, CUevent event, bool (*arrived)(void *ud), void *ud, dc_error *err) {
  double start = 0;
  for (int polls = 1;; polls++) {
    if (arrived != NULL && arrived(ud)) return 0;
    CUresult r = event != NULL ? dc_cu.EventQuery(event) : dc_cuda_poll(d, s);
    if (r == CUDA_SUCCESS) {
      if (s != NULL) dc_cuda_comm_passed(d, s->handle);
      return 0;
    }
    if (r != CUDA_ERROR_NOT_READY) return dc_cuda_fail(r, DC_DEVICE, err, "waiting for %s failed", d->dev->id);
    if (dc_interrupted()) return fail_interrupted(d, err);
    if (start == 0 && polls < FAST_POLLS) continue;
    double now = dc_clock();
    if (start == 0) start = now;
    if (now - start > 0.2 && dc_cuda_comm_watch(d, now - start, err) != 0) return -1;
    back_off(now - start);
  }
}

int dc_cuda_wait(dc_cuda *d, dc_cuda_stream *s, dc_error *err) { return wait_for(d, s, NULL, NULL, NULL, err); }

int dc_cuda_wait_or_arrived(dc_cuda *d, dc_cuda_stream *s, bool (*arrived)(void *ud), void *ud, dc_error *err) {
  return wait_for(d, s, NULL, arrived, ud, err);
}

int dc_cuda_wait_all(dc_cuda *d, dc_error *err) {
  for (dc_cuda_stream *s = &d->own; s != NULL; s = s->next)
    if (dc_cuda_wait(d, s, err) != 0) return -1;
  return 0;
}

int dc_cuda_wait_throttle(dc_cuda *d, dc_cuda_stream *s, dc_error *err) {
  CUresult r = CUDA_SUCCESS;
  int rc = 0;
  if (dc_cuda_enter(d, err) != 0) return -1;
  const int mode = dc_cuda_relax_thread(); /* a graph of another device may be captured */
  if (d->throttle == NULL) r = dc_cu.EventCreate(&d->throttle, CU_EVENT_DISABLE_TIMING);
  else rc = wait_for(d, NULL, d->throttle, NULL, NULL, err);
  dc_cuda_restrain(mode);
  if (rc != 0) return -1;
  if (r == CUDA_SUCCESS) r = dc_cu.EventRecord(d->throttle, s->handle);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "cannot record an event on %s", d->dev->id);
}

/* A pool gives back only what was freed before a synchronization, and polling a stream is none. */
int dc_cuda_wait_to_trim(dc_cuda *d, dc_error *err) {
  if (dc_cuda_wait_all(d, err) != 0) return -1;
  int mode = dc_cuda_relax(d);
  for (dc_cuda_stream *s = &d->own; s != NULL; s = s->next) dc_cuda_note(dc_cu.StreamSynchronize(s->handle));
  dc_cuda_restrain(mode);
  return 0;
}

/* --- streams ------------------------------------------------------------------------------------- */

static dc_cuda_stream *stream_of(dc_cuda *d, void *stream) { return stream != NULL ? stream : &d->own; }

int dc_cuda_stream_create(dc_cuda *d, dc_cuda_stream *s, dc_error *err) {
  CUresult r = DC_CUDA_RELAXED(d, dc_cu.StreamCreate(&s->handle, CU_STREAM_NON_BLOCKING));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "cannot make a stream on %s", d->dev->id);
}

static int open_stream(dc_device *dev, void **stream, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  dc_cuda_stream *s = calloc(1, sizeof *s);
  if (s == NULL) return dc_fail_oom(err);
  if (dc_cuda_stream_create(d, s, err) != 0) {
    free(s);
    return -1;
  }
  s->next = d->own.next;
  d->own.next = s;
  *stream = s;
  return 0;
}

static void close_stream(dc_device *dev, void *stream) {
  dc_cuda *d = dc_cuda_of(dev);
  if (stream == NULL) return;
  dc_cuda_stream *gone = stream, *s = &d->own;
  while (s->next != gone) s = s->next;
  s->next = gone->next;
  if (dev->state == DC_DEVICE_OPEN && dc_cuda_try_enter(d)) dc_cuda_note(dc_cu.StreamDestroy(gone->handle));
  dc_cuda_free_stream(d, gone);
}

static int answer(CUresult r, const dc_device *dev, dc_error *err) {
  if (r == CUDA_SUCCESS) return 1;
  if (r == CUDA_ERROR_NOT_READY) return 0;
  return dc_cuda_fail(r, DC_DEVICE, err, "asking %s what it has done failed", dev->id);
}

static int stream_done(dc_device *dev, void *stream, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  return answer(dc_cuda_poll(d, stream_of(d, stream)), dev, err);
}

static int synchronize(dc_device *dev, void *stream, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  return dc_cuda_wait(d, stream_of(d, stream), err);
}

static int wait_event(dc_device *dev, void *stream, void *event, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.StreamWaitEvent(stream_of(d, stream)->handle, event, 0);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "making a stream of %s wait failed", dev->id);
}

/* --- events -------------------------------------------------------------------------------------- */

static int event_open(dc_device *dev, bool timed, void **event, dc_error *err) {
  CUevent made = NULL;
  if (dc_cuda_enter(dc_cuda_of(dev), err) != 0) return -1;
  CUresult r = DC_CUDA_RELAXED(dc_cuda_of(dev), dc_cu.EventCreate(&made, timed ? 0 : CU_EVENT_DISABLE_TIMING));
  *event = made;
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "cannot make an event on %s", dev->id);
}

static void event_close(dc_device *dev, void *event) {
  if (dev->state == DC_DEVICE_OPEN && dc_cuda_try_enter(dc_cuda_of(dev))) dc_cuda_note(dc_cu.EventDestroy(event));
}

static int event_record(dc_device *dev, void *event, void *stream, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.EventRecord(event, stream_of(d, stream)->handle);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "recording an event on %s failed", dev->id);
}

static int event_done(dc_device *dev, void *event, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = DC_CUDA_RELAXED(d, dc_cu.EventQuery(event));
  return answer(r, dev, err);
}

int dc_cuda_event_synchronize(dc_device *dev, void *event, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  return wait_for(d, NULL, event, NULL, NULL, err);
}

static int event_elapsed(dc_device *dev, void *from, void *to, double *seconds, dc_error *err) {
  float milliseconds = 0;
  if (dc_cuda_enter(dc_cuda_of(dev), err) != 0) return -1;
  CUresult r = dc_cu.EventElapsedTime(&milliseconds, from, to);
  *seconds = (double)milliseconds * 1e-3;
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "the time between two events cannot be read");
}

const dc_stream_ops dc_cuda_stream_ops = {
  .synchronize = synchronize,
  .open = open_stream,
  .close = close_stream,
  .done = stream_done,
  .wait = wait_event,
  .event_open = event_open,
  .event_close = event_close,
  .event_record = event_record,
  .event_done = event_done,
  .event_synchronize = dc_cuda_event_synchronize,
  .event_elapsed = event_elapsed,
};
