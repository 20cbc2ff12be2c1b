/*
** trace.c - who used a piece of memory last, and what must wait for whom.
**
** A trace is a short list of stamps, one a stream.  A write supersedes all that came before, because it
** has waited for it.  Stamps hold their streams as structures; those whose work is over fall out.
*/
#include <stdlib.h>
#include <string.h>

#include "base/runtime.h"
#include "device/registry.h"
#include "device/streams.h"

typedef struct dc_stamp {
  dc_stream *stream;
  uint64_t read, written; /* marks; 0: never */
} dc_stamp;

struct dc_trace {
  int n, room;
  dc_stamp stamp[];
};

static bool over(const dc_stream *s) { return s->gone || s->dev->state != DC_DEVICE_OPEN; }

static void remove_stamp(dc_trace *t, int i) {
  dc_stream_unref(t->stamp[i].stream);
  t->stamp[i] = t->stamp[--t->n];
}

void dc_trace_drop(dc_trace **t) {
  while (*t != NULL && (*t)->n > 0) remove_stamp(*t, 0);
  free(*t);
  *t = NULL;
}

bool dc_trace_over(const dc_trace *t) {
  for (int i = 0; t != NULL && i < t->n; i++) {
    const dc_stamp *p = &t->stamp[i];
    if (!dc_stream_passed(p->stream, p->read > p->written ? p->read : p->written)) return false;
  }
  return true;
}

/* --- waiting ----------------------------------------------------------------------------------------- */

/* How far `by` has waited for `s`; a new entry when it never has. NULL when out of memory. */
static uint64_t *seen(dc_stream *by, const dc_stream *s) {
  for (int i = 0; i < by->nseen; i++)
    if (by->seen[i].stream == s->serial) return &by->seen[i].mark;
  dc_seen *more = realloc(by->seen, (size_t)(by->nseen + 1) * sizeof *more);
  if (more == NULL) return NULL;
  by->seen = more;
  more[by->nseen] = (dc_seen){ .stream = s->serial };
  return &more[by->nseen++].mark;
}

int dc_stream_wait_for(dc_stream *by, dc_stream *s, uint64_t m, dc_error *err) {
  if (m == 0 || s == by || over(s)) return 0;
  uint64_t *mark = by != NULL ? seen(by, s) : NULL;
  if (by != NULL && mark == NULL) return dc_fail_oom(err);
  if (mark != NULL && *mark >= m) return 0;
  while (m >= s->next)
    if (dc_stream_mark(s, err) != 0) return -1;
  if (s->next - m > DC_MARKS) m = s->next - DC_MARKS; /* its event has been recorded anew: the oldest there is */
  void *event = s->event[m % DC_MARKS];
  if (by == NULL || by->dev->backend != s->dev->backend) return s->dev->streams->event_synchronize(s->dev, event, err);
  if (by->dev->streams->wait(by->dev, by->handle, event, err) != 0) return -1;
  *mark = m;
  return 0;
}

/* Waits for what conflicts, and lets go of what is over. */
static int wait_for_all(dc_trace *t, dc_stream *by, bool writes, dc_error *err) {
  for (int i = 0; t != NULL && i < t->n;) {
    dc_stamp *p = &t->stamp[i];
    if (over(p->stream)) {
      remove_stamp(t, i);
      continue;
    }
    uint64_t m = writes && p->read > p->written ? p->read : p->written;
    if (dc_stream_wait_for(by, p->stream, m, err) != 0) return -1;
    i++;
  }
  return 0;
}

/* --- noting ------------------------------------------------------------------------------------------- */

/* The stamp of `by`, made if it has none. NULL when out of memory. */
static dc_stamp *stamp_of(dc_trace **t, dc_stream *by) {
  for (int i = 0; *t != NULL && i < (*t)->n; i++)
    if ((*t)->stamp[i].stream == by) return &(*t)->stamp[i];
  int n = *t != NULL ? (*t)->n : 0;
  if (*t == NULL || n == (*t)->room) {
    int room = n == 0 ? 2 : 2 * n;
    dc_trace *more = realloc(*t, sizeof *more + (size_t)room * sizeof more->stamp[0]);
    if (more == NULL) return NULL;
    more->n = n;
    more->room = room;
    *t = more;
  }
  dc_stream_ref(by);
  (*t)->stamp[(*t)->n] = (dc_stamp){ .stream = by };
  return &(*t)->stamp[(*t)->n++];
}

static int note(dc_trace **t, dc_stream *by, bool writes, dc_error *err) {
  if (writes)
    while (*t != NULL && (*t)->n > 0) remove_stamp(*t, 0);
  dc_stamp *p = stamp_of(t, by);
  if (p == NULL) return dc_fail_oom(err);
  if (writes) p->written = by->next;
  else p->read = by->next;
  return 0;
}

int dc_trace_use(dc_trace **t, dc_device *dev, dc_stream *by, bool writes, dc_error *err) {
  if (dev->blocking) { /* its work is done at once: the host waits for others' */
    if (wait_for_all(*t, NULL, writes, err) != 0) return -1;
    if (writes) dc_trace_drop(t);
    return 0;
  }
  if (by == NULL && (by = dc_stream_current(dev, err)) == NULL) return -1;
  if (wait_for_all(*t, by, writes, err) != 0) return -1;
  dc_trace *anything = by->dev->stream_state->anything;
  if (anything != NULL && wait_for_all(anything, by, false, err) != 0) return -1;
  return note(t, by, writes, err);
}

int dc_trace_born(dc_trace **t, dc_device *dev, dc_error *err) {
  if (dev->blocking) return 0;
  dc_stream *by = dev->capture != NULL ? dc_stream_own(dev, err) : dc_stream_current(dev, err);
  return by == NULL ? -1 : note(t, by, true, err);
}

int dc_trace_anything(dc_device *dev, dc_stream *by, dc_error *err) {
  if (dev->blocking) return 0;
  struct dc_stream_state *x = dev->stream_state; /* there, with its own stream, once there are others */
  if (dev->capture != NULL) {
    if ((by = dc_capture_branch(dev, by, err)) == NULL) return -1;
    for (int i = 0; dc_capture_nth(dev, i) != NULL; i++) {
      dc_stream *s = dc_capture_nth(dev, i);
      if (dc_stream_wait_for(by, s, s->next, err) != 0) return -1;
    }
    return note(&x->anything, by, true, err);
  }
  if (by == NULL && (by = dc_stream_current(dev, err)) == NULL) return -1;
  if (x->own != NULL && dc_stream_wait_for(by, x->own, x->own->next, err) != 0) return -1;
  for (dc_stream *s = x->others; s != NULL; s = s->link)
    if (dc_stream_wait_for(by, s, s->next, err) != 0) return -1;
  return note(&x->anything, by, true, err);
}

/* --- giving back --------------------------------------------------------------------------------------- */

/* The stream of `dev` that used it last, as far as can be told without waiting; else the own one. */
static dc_stream *home_of(const dc_trace *t, dc_device *dev, dc_error *err) {
  for (int i = t != NULL ? t->n : 0; i-- > 0;)
    if (t->stamp[i].stream->dev == dev && !over(t->stamp[i].stream)) return t->stamp[i].stream;
  return dc_stream_own(dev, err);
}

/* `home` is going to give back memory that others have used. */
static void wait_to_free(const dc_trace *t, dc_stream *home) {
  for (int i = 0; t != NULL && i < t->n; i++) {
    dc_error err = DC_ERROR_INIT;
    const dc_stamp *p = &t->stamp[i];
    dc_device *dev = p->stream->dev;
    if (dc_stream_wait_for(home, p->stream, p->read > p->written ? p->read : p->written, &err) != 0 && !over(p->stream))
      dev->streams->synchronize(dev, p->stream->handle, &err); /* the last resort */
    dc_error_clear(&err);
  }
}

void dc_trace_free(dc_trace **t, dc_device *dev, dc_ptr p, size_t n) {
  void *before = dev->stream;
  dev->stream = NULL; /* where it was used if it has no trace, and never one that is being captured */
  const dc_trace *anything = dc_capture_outside(dev); /* work whose memory nobody knows may use this */
  if ((*t != NULL || anything != NULL) && dev->state == DC_DEVICE_OPEN && !dev->blocking) {
    dc_error ignored = DC_ERROR_INIT;
    dc_stream *home = home_of(*t, dev, &ignored);
    dc_error_clear(&ignored);
    if (home != NULL) dev->stream = home->handle;
    wait_to_free(*t, home);
    wait_to_free(anything, home);
  }
  dc_device_free(dev, p, n);
  dev->stream = before;
  dc_trace_drop(t);
}

/* --- page-locked memory --------------------------------------------------------------------------------- */

struct dc_pinned {
  dc_device *dev;
  void *p;
  dc_trace *uses;
  struct dc_pinned *next;
};

dc_pinned *dc_pinned_new(dc_device *dev, size_t n, void **p, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return NULL;
  if (dev->memory->pinned_alloc == NULL) {
    dc_fail(err, DC_DEVICE, NULL, "%s has no page-locked memory", dev->id);
    return NULL;
  }
  if (dc_streams_of(dev, err) == NULL) return NULL;
  dc_pinned *made = calloc(1, sizeof *made);
  if (made == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  made->dev = dev;
  if (dev->memory->pinned_alloc(dev, n, &made->p, err) != 0) {
    free(made);
    return NULL;
  }
  *p = made->p;
  return made;
}

static void release(dc_pinned *p) {
  p->dev->memory->pinned_free(p->dev, p->p);
  dc_trace_drop(&p->uses);
  free(p);
}

void dc_pinned_sweep(struct dc_stream_state *x, bool all) {
  for (dc_pinned **p = &x->pinned; *p != NULL;) {
    dc_pinned *one = *p;
    if (all || dc_trace_over(one->uses)) {
      *p = one->next;
      release(one);
    } else {
      p = &one->next;
    }
  }
}

void dc_pinned_free(dc_pinned *p, dc_trace *uses) {
  p->uses = uses;
  if (dc_trace_over(uses)) {
    release(p);
    return;
  }
  p->next = p->dev->stream_state->pinned;
  p->dev->stream_state->pinned = p;
}
