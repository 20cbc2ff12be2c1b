/*
** profile.c - see profile.h.
**
** Events are taken from a small ring: when it has gone round, the oldest launch is waited for and read.  What goes
** wrong with events only costs the time of a launch, never the launch.
*/
#include "kernel/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/runtime.h"

#define RING 1024 /* launches that may be under way */

typedef struct pair {
  dc_device *dev; /* of the events; NULL: none made yet */
  void *from, *to;
  dc_profile_launched launch; /* between them; entry NULL: none */
} pair;

/* A device's clock beside ours: an event, and when it was reached. Drivers give the time between two events as float32
** milliseconds: 10 s after it starts are known to a microsecond. */
typedef struct origin {
  dc_device *dev;
  void *event;
  double at;
  struct origin *next;
} origin;

static dc_profile_place place_of;
static dc_profile_entry *entries;
static dc_map by_key;
static pair ring[RING];
static unsigned next_pair;
static double coming_bytes = -1;

/* Launches that are kept one by one. */
static struct {
  dc_profile_launched *list;
  size_t n, cap, most;
  uint64_t dropped;
  double begin; /* dc_clock() at the start */
  origin *origins;
} kept;

void dc_profile_bytes(double bytes) { coming_bytes = bytes; }

/* --- entries --------------------------------------------------------------------------------------- */

static void free_entry(dc_profile_entry *e) {
  free(e->kernel);
  free(e->site);
  free(e);
}

static void forget(void) {
  while (entries != NULL) {
    dc_profile_entry *e = entries;
    entries = e->next;
    free_entry(e);
  }
  dc_map_free(&by_key);
  by_key = (dc_map)DC_MAP_INIT;
}

/* The entry for a launch from here; NULL when there is no memory for a new one. */
static dc_profile_entry *entry_for(const dc_device *dev, const char *name) {
  char site[256] = "", key[512];
  if (place_of != NULL) place_of(site, sizeof site);
  const int n = snprintf(key, sizeof key, "%llu|%s|%s", (unsigned long long)dev->serial, site, name);
  const size_t len = n < 0 ? 0 : (size_t)n < sizeof key ? (size_t)n : sizeof key - 1;
  dc_profile_entry *e = dc_map_get(&by_key, key, len);
  if (e != NULL) return e;
  e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->dev = dev;
  e->kernel = strdup(name);
  e->site = strdup(site);
  if (e->kernel == NULL || e->site == NULL || dc_map_set(&by_key, key, len, e) != 0) {
    free_entry(e);
    return NULL;
  }
  e->next = entries;
  entries = e;
  return e;
}

static bool make_room(void) {
  if (kept.n < kept.cap) return true;
  const size_t cap = kept.cap == 0 ? 256 : 2 * kept.cap;
  dc_profile_launched *more = realloc(kept.list, cap * sizeof *more);
  if (more == NULL) return false;
  kept.list = more;
  kept.cap = cap;
  return true;
}

/* A launch has been timed. `known`: its start is known too. */
static void add_launch(const dc_profile_launched *l, dc_profile_entry *e, bool known) {
  e->seconds += l->seconds;
  e->timed++;
  if (kept.most == 0) return;
  if (!known || kept.n >= kept.most || !make_room()) kept.dropped++;
  else kept.list[kept.n++] = *l;
}

/* --- events ---------------------------------------------------------------------------------------- */

static const origin *find_origin(const dc_device *dev) {
  const origin *o = kept.origins;
  while (o != NULL && o->dev != dev) o = o->next;
  return o;
}

/* Makes the device's origin; where that fails, its launches are only summed. */
static void make_origin(dc_device *dev) {
  dc_error err = DC_ERROR_INIT;
  origin *o = calloc(1, sizeof *o);
  if (o == NULL) return;
  if (dev->streams->event_open(dev, true, &o->event, &err) == 0) {
    if (dev->streams->event_record(dev, o->event, dev->stream, &err) == 0 &&
        dev->streams->event_synchronize(dev, o->event, &err) == 0) {
      o->dev = dev;
      o->at = dc_clock() - kept.begin;
      o->next = kept.origins;
      kept.origins = o;
      o = NULL;
    } else {
      dev->streams->event_close(dev, o->event);
    }
  }
  free(o);
  dc_error_clear(&err);
}

static void close_origins(void) {
  for (origin *o; (o = kept.origins) != NULL;) {
    kept.origins = o->next;
    if (o->dev->state == DC_DEVICE_OPEN) o->dev->streams->event_close(o->dev, o->event);
    free(o);
  }
}

/* Reads the time of the launch between the pair, waiting for it. */
static void read_pair(pair *p) {
  dc_error err = DC_ERROR_INIT;
  dc_profile_launched l = p->launch;
  dc_profile_entry *e = (dc_profile_entry *)(uintptr_t)l.entry;
  p->launch.entry = NULL;
  if (e == NULL || p->dev->state != DC_DEVICE_OPEN) return;
  const dc_stream_ops *s = p->dev->streams;
  const origin *o = find_origin(p->dev);
  double since = 0;
  if (s->event_synchronize(p->dev, p->to, &err) == 0 &&
      s->event_elapsed(p->dev, p->from, p->to, &l.seconds, &err) == 0) {
    const bool known = o != NULL && s->event_elapsed(p->dev, o->event, p->from, &since, &err) == 0;
    l.start = known ? o->at + since : 0;
    add_launch(&l, e, known);
  }
  dc_error_clear(&err);
}

static void close_pair(pair *p) {
  read_pair(p);
  if (p->dev != NULL && p->dev->state == DC_DEVICE_OPEN) {
    if (p->from != NULL) p->dev->streams->event_close(p->dev, p->from);
    if (p->to != NULL) p->dev->streams->event_close(p->dev, p->to);
  }
  *p = (pair){ .dev = NULL };
}

/* The next pair, free and of this device; NULL when events cannot be made. */
static pair *take_pair(dc_device *dev) {
  dc_error err = DC_ERROR_INIT;
  pair *p = &ring[next_pair++ % RING];
  if (p->dev == dev) {
    read_pair(p);
    return p;
  }
  close_pair(p);
  p->dev = dev;
  if (dev->streams->event_open(dev, true, &p->from, &err) == 0 &&
      dev->streams->event_open(dev, true, &p->to, &err) == 0)
    return p;
  dc_error_clear(&err);
  close_pair(p);
  return NULL;
}

static int issue_between_events(dc_device *dev, void *stream, const dc_profile_launched *l, dc_profile_issue *issue,
                                void *ud, dc_error *err) {
  dc_error lost = DC_ERROR_INIT;
  if (kept.most > 0 && find_origin(dev) == NULL) make_origin(dev);
  pair *p = take_pair(dev);
  if (p != NULL && dev->streams->event_record(dev, p->from, stream, &lost) != 0) p = NULL;
  const int rc = issue(ud, err);
  if (rc == 0 && p != NULL && dev->streams->event_record(dev, p->to, stream, &lost) == 0) p->launch = *l;
  dc_error_clear(&lost);
  return rc;
}

/* --- launches -------------------------------------------------------------------------------------- */

/* Work in `stream`, timed for the entry, which may be NULL. `how`: the launch's extents, or NULL. */
static int timed(dc_device *dev, void *stream, dc_profile_entry *e, const dc_launch *how, dc_profile_issue *issue,
                 void *ud, dc_error *err) {
  dc_profile_launched l = { .entry = e, .stream = stream };
  int rc;
  if (how != NULL) {
    l.grid = how->grid;
    l.block = how->block;
  }
  if (e == NULL || dev->capture != NULL || (!dev->blocking && dev->streams->event_elapsed == NULL)) {
    rc = issue(ud, err);
  } else if (dev->blocking) {
    const double start = dc_clock();
    rc = issue(ud, err);
    l.start = start - kept.begin;
    l.seconds = dc_clock() - start;
    if (rc == 0) add_launch(&l, e, true);
  } else {
    rc = issue_between_events(dev, stream, &l, issue, ud, err);
  }
  if (e != NULL && rc == 0) e->calls++;
  return rc;
}

typedef struct coming {
  dc_kernel *k;
  dc_launch *l;
} coming;

static int issue_launch(void *ud, dc_error *err) {
  const coming *c = ud;
  dc_device *dev = c->k->dev;
  return dev->code->launch(dev, c->k->fn, c->l, err);
}

int dc_profile_launch(dc_kernel *k, dc_launch *l, dc_error *err) {
  dc_device *dev = k->dev;
  dc_profile_entry *e = entry_for(dev, k->sig->name);
  coming c = { k, l };
  const int rc = timed(dev, l->stream != NULL ? l->stream : dev->stream, e, l, issue_launch, &c, err);
  if (e != NULL && rc == 0) {
    if (coming_bytes < 0) e->bytes = -1;
    else if (e->bytes >= 0) e->bytes += coming_bytes;
  }
  coming_bytes = -1;
  return rc;
}

int dc_profile_work(dc_device *dev, const char *name, dc_profile_issue *issue, void *ud, dc_error *err) {
  dc_profile_entry *e = entry_for(dev, name);
  if (e != NULL) e->bytes = -1;
  return timed(dev, dev->stream, e, NULL, issue, ud, err);
}

/* --- beginning and end ----------------------------------------------------------------------------- */

void dc_profile_start(dc_profile_place place, size_t most) {
  dc_profile_stop();
  forget();
  free(kept.list);
  kept.list = NULL;
  kept.n = kept.cap = 0;
  kept.most = most;
  kept.dropped = 0;
  kept.begin = dc_clock();
  place_of = place;
  coming_bytes = -1;
  dc_process.profiling = true;
}

/* Slowest first; the lists are short. */
static void sort_entries(void) {
  dc_profile_entry *sorted = NULL;
  while (entries != NULL) {
    dc_profile_entry *e = entries, **at = &sorted;
    entries = e->next;
    while (*at != NULL && (*at)->seconds >= e->seconds) at = &(*at)->next;
    e->next = *at;
    *at = e;
  }
  entries = sorted;
  unsigned n = 0;
  for (dc_profile_entry *e = entries; e != NULL; e = e->next) e->index = ++n;
}

const dc_profile_entry *dc_profile_stop(void) {
  dc_process.profiling = false;
  for (unsigned i = 0; i < RING; i++) close_pair(&ring[(next_pair + i) % RING]); /* oldest first */
  close_origins();
  sort_entries();
  return entries;
}

const dc_profile_launched *dc_profile_launches(size_t *n, uint64_t *dropped) {
  *n = kept.n;
  *dropped = kept.dropped;
  return kept.list;
}
