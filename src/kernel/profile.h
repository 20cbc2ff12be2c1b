/*
** profile.h - how long each kernel ran (dc.profile, `dclua --profile`), and when.
**
** While it is on, every launch is timed: by two events around it, read later, or on a blocking device by the clock.
** Launches are summed by device, kernel and launch site; the first ones are kept one by one, too.  Each Lua state,
** which is a set of devices here, has a profile of its own launches.  While none is on it costs one test of
** dc_process.profiling.
*/
#pragma once

#include "base/runtime.h"
#include "device/registry.h"
#include "kernel/kernel.h"

/* All launches of one kernel from one line on one device. */
typedef struct dc_profile_entry {
  const dc_device *dev;
  char *kernel, *site; /* site: of its launches, "script.lua:17" */
  char *place;         /* the kernel's (dc_kernel), or NULL */
  uint64_t calls, timed; /* timed: those whose time is known (inside a graph it is not) */
  double seconds;        /* of the timed ones, together */
  double bytes;          /* of their array arguments, together; negative when one is unknown */
  unsigned index;        /* its place in the list, from 1, after the end */
  struct dc_profile_entry *next;
} dc_profile_entry;

/* One timed launch. */
typedef struct dc_profile_launched {
  const dc_profile_entry *entry;
  double start, seconds;  /* start: since dc_profile_start */
  const void *stream;     /* the backend's handle; tells streams of a device apart */
  dc_dim3 grid, block;    /* 0 for work that is no kernel */
} dc_profile_launched;

/* Writes the launch site, "script.lua:17", or "" when there is none. */
typedef void (*dc_profile_place)(char *text, size_t n);

static inline bool dc_profile_may_be_on(void) {
  return DC_UNLIKELY(atomic_load_explicit(&dc_process.profiling, memory_order_relaxed) != 0);
}
bool dc_profile_runs(dc_device_set *set);
/* Whether launches on the device are timed. */
static inline bool dc_profile_is_on(const dc_device *dev) {
  return dc_profile_may_be_on() && dc_profile_runs(dev->set);
}

/* Drops the entries, and begins; `most` launches are kept one by one. */
int dc_profile_start(dc_device_set *set, dc_profile_place place, size_t most, dc_error *err);
/* Ends, waits for what is still running and gives the list, slowest first; valid until the next start. */
const dc_profile_entry *dc_profile_stop(dc_device_set *set);
/* After the end: the launches that were kept, and how many timed ones were not. */
const dc_profile_launched *dc_profile_launches(dc_device_set *set, size_t *n, uint64_t *dropped);

/* The following are for devices whose profile is on.  Before a launch: the bytes of its array arguments. */
void dc_profile_bytes(dc_device *dev, double bytes);
/* In place of dev->code->launch. */
int dc_profile_launch(dc_kernel *k, dc_launch *l, dc_error *err);
/* Other work of the device's current stream, under the name that the table shall have for it: calls `issue`. */
typedef int dc_profile_issue(void *ud, dc_error *err);
int dc_profile_work(dc_device *dev, const char *name, dc_profile_issue *issue, void *ud, dc_error *err);
