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

/* Launches that are kept one by one. */
typedef struct kept_launches {
  dc_profile_launched *list;
  size_t n, cap, most;
  uint64_t dropped;
  double begin; /* dc_clock() at the start */
  origin *origins;
} kept_launches;

/* A Lua state's profile, made when its first one starts. */
typedef struct dc_profile {
  bool on;
  dc_profile_place place_of;
  dc_profile_entry *entries;
  dc_map by_key;
  unsigned next_pair;
  double coming_bytes;
  kept_launches kept;
  pair ring[RING];
} dc_profile;

static dc_profile *profile_of(dc_device_set *set) { return *dc_device_set_profile(set); }

bool dc_profile_runs(dc_device_set *set) {
  const dc_profile *t = profile_of(set);
  return t != NULL && t->on;
}

void dc_profile_bytes(dc_device *dev, double bytes) { profile_of(dev->set)->coming_bytes = bytes; }

/* --- entries --------------------------------------------------------------------------------------- */

static void free_entry(dc_profile_entry *e) {
  free(e->kernel);
  free(e->site);
  free(e->place);
  free(e);
}

static void forget(dc_profile *t) {
  while (t->entries != NULL) {
    dc_profile_entry *e = t->entries;
    t->entries = e->next;
    free_entry(e);
  }
  dc_map_free(&t->by_key);
  t->by_key = (dc_map)DC_MAP_INIT;
}

/* The entry for a launch from here; NULL when there is no memory for a new one. */
static dc_profile_entry *entry_for(dc_profile *t, const dc_device *dev, const char *name, const char *place) {
  char site[256] = "", key[768];
  if (t->place_of != NULL) t->place_of(site, sizeof site);
  const int n = snprintf(key, sizeof key, "%llu|%s|%s|%s", (unsigned long long)dev->serial, site,
                         place != NULL ? place : "", name);
  const size_t len = n < 0 ? 0 : (size_t)n < sizeof key ? (size_t)n : sizeof key - 1;
  dc_profile_entry *e = dc_map_get(&t->by_key, key, len);
  if (e != NULL) return e;
  e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->dev = dev;
  e->kernel = strdup(name);
  e->site = strdup(site);
  e->place = place != NULL ? strdup(place) : NULL;
  const bool whole = e->kernel != NULL && e->site != NULL && (place == NULL || e->place != NULL);
  if (!whole || dc_map_set(&t->by_key, key, len, e) != 0) {
    free_entry(e);
    return NULL;
  }
  e->next = t->entries;
  t->entries = e;
  return e;
}

static bool make_room(kept_launches *kept) {
  if (kept->n < kept->cap) return true;
  const size_t cap = kept->cap == 0 ? 256 : 2 * kept->cap;
  dc_profile_launched *more = realloc(kept->list, cap * sizeof *more);
  if (more == NULL) return false;
  kept->list = more;
  kept->cap = cap;
  return true;
}

/* A launch has been timed. `known`: its start is known too. */
static void add_launch(kept_launches *kept, const dc_profile_launched *l, dc_profile_entry *e, bool known) {
  e->seconds += l->seconds;
  e->timed++;
  if (kept->most == 0) return;
  if (!known || kept->n >= kept->most || !make_room(kept)) kept->dropped++;
  else kept->list[kept->n++] = *l;
}

/* --- events ---------------------------------------------------------------------------------------- */

static const origin *find_origin(const kept_launches *kept, const dc_device *dev) {
  const origin *o = kept->origins;
  while (o != NULL && o->dev != dev) o = o->next;
  return o;
}

/* Makes the device's origin; where that fails, its launches are only summed. */
static void make_origin(kept_launches *kept, dc_device *dev) {
  dc_error err = DC_ERROR_INIT;
  origin *o = calloc(1, sizeof *o);
  if (o == NULL) return;
  if (dev->streams->event_open(dev, true, &o->event, &err) == 0) {
    if (dev->streams->event_record(dev, o->event, dev->stream, &err) == 0 &&
        dev->streams->event_synchronize(dev, o->event, &err) == 0) {
      o->dev = dev;
      o->at = dc_clock() - kept->begin;
      o->next = kept->origins;
      kept->origins = o;
      o = NULL;
    } else {
      dev->streams->event_close(dev, o->event);
    }
  }
  free(o);
  dc_error_clear(&err);
}

static void close_origins(kept_launches *kept) {
  for (origin *o; (o = kept->origins) != NULL;) {
    kept->origins = o->next;
    if (o->dev->state == DC_DEVICE_OPEN) o->dev->streams->event_close(o->dev, o->event);
    free(o);
  }
}

/* Reads the time of the launch between the pair, waiting for it. */
static void read_pair(kept_launches *kept, pair *p) {
  dc_error err = DC_ERROR_INIT;
  dc_profile_launched l = p->launch;
  dc_profile_entry *e = (dc_profile_entry *)(uintptr_t)l.entry;
  p->launch.entry = NULL;
  if (e == NULL || p->dev->state != DC_DEVICE_OPEN) return;
  const dc_stream_ops *s = p->dev->streams;
  const origin *o = find_origin(kept, p->dev);
  double since = 0;
  if (s->event_synchronize(p->dev, p->to, &err) == 0 &&
      s->event_elapsed(p->dev, p->from, p->to, &l.seconds, &err) == 0) {
    const bool known = o != NULL && s->event_elapsed(p->dev, o->event, p->from, &since, &err) == 0;
    l.start = known ? o->at + since : 0;
    add_launch(kept, &l, e, known);
  }
  dc_error_clear(&err);
}

static void close_pair(kept_launches *kept, pair *p) {
  read_pair(kept, p);
  if (p->dev != NULL && p->dev->state == DC_DEVICE_OPEN) {
    if (p->from != NULL) p->dev->streams->event_close(p->dev, p->from);
    if (p->to != NULL) p->dev->streams->event_close(p->dev, p->to);
  }
  *p = (pair){ .dev = NULL };
}

/* The next pair, free and of this device; NULL when events cannot be made. */
static pair *take_pair(dc_profile *t, dc_device *dev) {
  dc_error err = DC_ERROR_INIT;
  pair *p = &t->ring[t->next_pair++ % RING];
  if (p->dev == dev) {
    read_pair(&t->kept, p);
    return p;
  }
  close_pair(&t->kept, p);
  p->dev = dev;
  if (dev->streams->event_open(dev, true, &p->from, &err) == 0 &&
      dev->streams->event_open(dev, true, &p->to, &err) == 0)
    return p;
  dc_error_clear(&err);
  close_pair(&t->kept, p);
  return NULL;
}

static int issue_between_events(dc_profile *t, dc_device *dev, void *stream, const dc_profile_launched *l,
                                dc_profile_issue *issue, void *ud, dc_error *err) {
  dc_error lost = DC_ERROR_INIT;
  if (t->kept.most > 0 && find_origin(&t->kept, dev) == NULL) make_origin(&t->kept, dev);
  pair *p = take_pair(t, dev);
  if (p != NULL && dev->streams->event_record(dev, p->from, stream, &lost) != 0) p = NULL;
  const int rc = issue(ud, err);
  if (rc == 0 && p != NULL && dev->streams->event_record(dev, p->to, stream, &lost) == 0) p->launch = *l;
  dc_error_clear(&lost);
  return rc;
}

/* --- launches -------------------------------------------------------------------------------------- */

/* Work in `stream`, timed for the entry, which may be NULL. `how`: the launch's extents, or NULL. */
static int timed(dc_profile *t, dc_device *dev, void *stream, dc_profile_entry *e, const dc_launch *how,
                 dc_profile_issue *issue, void *ud, dc_error *err) {
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
    l.start = start - t->kept.begin;
    l.seconds = dc_clock() - start;
    if (rc == 0) add_launch(&t->kept, &l, e, true);
  } else {
    rc = issue_between_events(t, dev, stream, &l, issue, ud, err);
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
  dc_profile *t = profile_of(dev->set);
  dc_profile_entry *e = entry_for(t, dev, k->sig->name, k->place);
  coming c = { k, l };
  const int rc = timed(t, dev, l->stream != NULL ? l->stream : dev->stream, e, l, issue_launch, &c, err);
  if (e != NULL && rc == 0) {
    if (t->coming_bytes < 0) e->bytes = -1;
    else if (e->bytes >= 0) e->bytes += t->coming_bytes;
  }
  t->coming_bytes = -1;
  return rc;
}

int dc_profile_work(dc_device *dev, const char *name, dc_profile_issue *issue, void *ud, dc_error *err) {
  dc_profile *t = profile_of(dev->set);
  dc_profile_entry *e = entry_for(t, dev, name, NULL);
  if (e != NULL) e->bytes = -1;
  return timed(t, dev, dev->stream, e, NULL, issue, ud, err);
}

/* --- beginning and end ----------------------------------------------------------------------------- */

int dc_profile_start(dc_device_set *set, dc_profile_place place, size_t most, dc_error *err) {
  dc_profile **made = dc_device_set_profile(set), *t = *made;
  if (t == NULL && (t = *made = calloc(1, sizeof *t)) == NULL) return dc_fail_oom(err);
  dc_profile_stop(set);
  forget(t);
  free(t->kept.list);
  t->kept.list = NULL;
  t->kept.n = t->kept.cap = 0;
  t->kept.most = most;
  t->kept.dropped = 0;
  t->kept.begin = dc_clock();
  t->place_of = place;
  t->coming_bytes = -1;
  t->on = true;
  atomic_fetch_add(&dc_process.profiling, 1);
  return 0;
}

/* Slowest first; the lists are short. */
static void sort_entries(dc_profile *t) {
  dc_profile_entry *sorted = NULL;
  while (t->entries != NULL) {
    dc_profile_entry *e = t->entries, **at = &sorted;
    t->entries = e->next;
    while (*at != NULL && (*at)->seconds >= e->seconds) at = &(*at)->next;
    e->next = *at;
    *at = e;
  }
  t->entries = sorted;
  unsigned n = 0;
  for (dc_profile_entry *e = t->entries; e != NULL; e = e->next) e->index = ++n;
}

const dc_profile_entry *dc_profile_stop(dc_device_set *set) {
  dc_profile *t = profile_of(set);
  if (t == NULL) return NULL;
  if (t->on) atomic_fetch_sub(&dc_process.profiling, 1);
  t->on = false;
  for (unsigned i = 0; i < RING; i++) close_pair(&t->kept, &t->ring[(t->next_pair + i) % RING]); /* oldest first */
  close_origins(&t->kept);
  sort_entries(t);
  return t->entries;
}

const dc_profile_launched *dc_profile_launches(dc_device_set *set, size_t *n, uint64_t *dropped) {
  static const kept_launches none;
  const dc_profile *t = profile_of(set);
  const kept_launches *kept = t != NULL ? &t->kept : &none;
  *n = kept->n;
  *dropped = kept->dropped;
  return kept->list;
}
