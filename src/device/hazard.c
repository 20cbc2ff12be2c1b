/* hazard.c - see hazard.h. */
#include "device/hazard.h"

#include <stdlib.h>

typedef struct last_use {
  dc_stream *stream;
  uint64_t read, written; /* timeline values; 0: never */
} last_use;

struct dc_hazards {
  int n, room;
  last_use use[];
};

static uint64_t last_value(const last_use *u) { return u->read > u->written ? u->read : u->written; }

static void remove_use(dc_hazards *h, int i) {
  dc_stream_unref(h->use[i].stream);
  h->use[i] = h->use[--h->n];
}

void dc_hazards_drop(dc_hazards **h) {
  while (*h != NULL && (*h)->n > 0) remove_use(*h, 0);
  free(*h);
  *h = NULL;
}

bool dc_hazards_over(const dc_hazards *h) {
  for (int i = 0; h != NULL && i < h->n; i++)
    if (!dc_timeline_passed(h->use[i].stream, last_value(&h->use[i]))) return false;
  return true;
}

/* Waits for what conflicts, and removes what is over. */
static int wait_for(dc_hazards *h, dc_stream *by, bool writes, dc_error *err) {
  for (int i = 0; h != NULL && i < h->n;) {
    const last_use *u = &h->use[i];
    if (dc_timeline_ended(u->stream)) {
      remove_use(h, i);
      continue;
    }
    if (dc_timeline_wait(by, u->stream, writes ? last_value(u) : u->written, err) != 0) return -1;
    i++;
  }
  return 0;
}

/* The last use by that stream, made if there is none. NULL when out of memory. */
static last_use *use_of(dc_hazards **h, dc_stream *by) {
  const int n = *h != NULL ? (*h)->n : 0;
  for (int i = 0; i < n; i++)
    if ((*h)->use[i].stream == by) return &(*h)->use[i];
  if (*h == NULL || n == (*h)->room) {
    const int room = n == 0 ? 2 : 2 * n;
    dc_hazards *more = realloc(*h, sizeof *more + (size_t)room * sizeof more->use[0]);
    if (more == NULL) return NULL;
    more->n = n;
    more->room = room;
    *h = more;
  }
  dc_stream_ref(by);
  (*h)->use[n] = (last_use){ .stream = by };
  (*h)->n++;
  return &(*h)->use[n];
}

int dc_hazards_note(dc_hazards **h, dc_stream *by, bool writes, dc_error *err) {
  if (writes)
    while (*h != NULL && (*h)->n > 0) remove_use(*h, 0);
  last_use *u = use_of(h, by);
  if (u == NULL) return dc_fail_oom(err);
  if (writes) u->written = by->next;
  else u->read = by->next;
  return 0;
}

int dc_hazards_use(dc_hazards **h, dc_hazards *barrier, dc_stream *by, bool writes, dc_error *err) {
  if (wait_for(*h, by, writes, err) != 0 || wait_for(barrier, by, false, err) != 0) return -1;
  if (by != NULL) return dc_hazards_note(h, by, writes, err);
  if (writes) dc_hazards_drop(h);
  return 0;
}

dc_stream *dc_hazards_last(const dc_hazards *h, const dc_device *dev) {
  for (int i = h != NULL ? h->n : 0; i-- > 0;)
    if (h->use[i].stream->dev == dev && !dc_timeline_ended(h->use[i].stream)) return h->use[i].stream;
  return NULL;
}

void dc_hazards_finish(const dc_hazards *h, dc_stream *by) {
  for (int i = 0; h != NULL && i < h->n; i++) {
    dc_error ignored = DC_ERROR_INIT;
    dc_stream *s = h->use[i].stream;
    if (dc_timeline_wait(by, s, last_value(&h->use[i]), &ignored) != 0 && !dc_timeline_ended(s))
      s->dev->streams->synchronize(s->dev, s->handle, &ignored);
    dc_error_clear(&ignored);
  }
}
