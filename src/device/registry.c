/*
** registry.c - the list of backends, and the sets of devices.
**
** A backend is asked for its devices once, when one of them is first needed: asking for "cpu" does not start a GPU
** driver.  What a backend answers, devices or a reason, is remembered in the set; but for a lack of memory, which may
** pass.
*/
#include "device/registry.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/launcher.h"
#include "base/runtime.h"
#include "base/settings.h"

#define MAX_BACKENDS 8
#define MAX_DEVICES 128

typedef struct entry {
  const dc_backend *backend;
  struct dc_device_set *set;
  bool asked;
  dc_error why_not; /* why it has no device; DC_OK when it has */
  dc_device *devices[MAX_DEVICES];
  size_t ndevices;
} entry;

struct dc_device_set {
  entry entries[MAX_BACKENDS];
  size_t nentries;
  dc_device *all[MAX_BACKENDS * MAX_DEVICES];
  struct dc_profile *profile;
  struct dc_device_set *next; /* of those that no state has */
};

static const dc_backend *backends[MAX_BACKENDS];
static size_t nbackends;
static dc_device_set *unused;
static uint64_t last_serial;
/* Guards all of the above, and the discovery and opening of devices, in which backends use what is one for the process.
** Backends never call back into this file. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- backends and sets ---------------------------------------------------------------------- */

void dc_registry_add(const dc_backend *backend) {
  pthread_mutex_lock(&lock);
  size_t i = 0;
  while (i < nbackends && backends[i] != backend) i++;
  if (i == nbackends && nbackends < MAX_BACKENDS) backends[nbackends++] = backend;
  pthread_mutex_unlock(&lock);
}

dc_device_set *dc_device_set_take(dc_error *err) {
  pthread_mutex_lock(&lock);
  dc_device_set *set = unused;
  if (set != NULL) unused = set->next;
  else if ((set = calloc(1, sizeof *set)) == NULL) dc_fail_oom(err);
  for (; set != NULL && set->nentries < nbackends; set->nentries++) {
    set->entries[set->nentries].backend = backends[set->nentries];
    set->entries[set->nentries].set = set;
  }
  pthread_mutex_unlock(&lock);
  return set;
}

void dc_device_set_give(dc_device_set *set, void (*reset)(dc_device *dev)) {
  if (set == NULL) return;
  for (size_t i = 0; i < set->nentries; i++)
    for (size_t k = 0; k < set->entries[i].ndevices; k++) reset(set->entries[i].devices[k]);
  pthread_mutex_lock(&lock);
  set->next = unused;
  unused = set;
  pthread_mutex_unlock(&lock);
}

struct dc_profile **dc_device_set_profile(dc_device_set *set) { return &set->profile; }

/* --- devices -------------------------------------------------------------------------------- */

/* dc_backend.discover's `add`: a zeroed device at the end of the entry's list, NULL when that is full. */
static dc_device *add_device(void *ud) {
  entry *e = ud;
  if (e->ndevices == MAX_DEVICES) return NULL;
  dc_device *dev = dc_calloc_lines(sizeof *dev);
  if (dev == NULL) return NULL;
  static const dc_graph_ops no_graphs;
  static const dc_library_ops no_libraries;
  const dc_backend *b = e->backend;
  dev->backend = b;
  dev->blocking = b->blocking;
  dev->host_memory = b->host_memory;
  dev->simt = b->simt;
  dev->memory = b->memory;
  dev->code = b->code;
  dev->streams = b->streams;
  dev->graphs = b->graphs != NULL ? b->graphs : &no_graphs;
  dev->libraries = b->libraries != NULL ? b->libraries : &no_libraries;
  dev->comms = b->comms;
  dev->textures = b->textures;
  dev->serial = ++last_serial;
  dev->set = e->set;
  e->devices[e->ndevices++] = dev;
  return dev;
}

/* Asks the backend, until it has answered. The lock is held. */
static void discover(entry *e) {
  if (e->asked) return;
  e->asked = true;
  if (e->backend->discover(add_device, e, &e->why_not) == 0) {
    dc_error_clear(&e->why_not);
    if (e->ndevices == 0) dc_fail(&e->why_not, DC_DEVICE, NULL, "no %s device was found", e->backend->name);
    return;
  }
  while (e->ndevices > 0) free(e->devices[--e->ndevices]);
  e->asked = e->why_not.kind != DC_MEMORY;
}

/* Devices of all backends in order; the lock is held. */
static size_t discover_all(dc_device_set *set) {
  size_t n = 0;
  for (size_t i = 0; i < set->nentries; i++) {
    discover(&set->entries[i]);
    for (size_t k = 0; k < set->entries[i].ndevices; k++) set->all[n++] = set->entries[i].devices[k];
  }
  return n;
}

dc_device *const *dc_devices(dc_device_set *set, size_t *count) {
  pthread_mutex_lock(&lock);
  *count = discover_all(set);
  pthread_mutex_unlock(&lock);
  return set->all;
}

/* err = a copy of the remembered one. */
static int fail_as(dc_error *err, const dc_error *remembered) {
  if (remembered->kind == DC_OK) return dc_fail(err, DC_DEVICE, NULL, "the device is not usable");
  dc_fail(err, remembered->kind, remembered->code, "%s", dc_error_text(remembered));
  dc_error_set_log(err, remembered->log);
  return -1;
}

/* "cuda:0 (NVIDIA H200), cpu (…); cuda has none: no driver" */
static void list_devices(dc_device_set *set, dc_buf *b) {
  size_t n = discover_all(set);
  for (size_t i = 0; i < n; i++)
    dc_buf_printf(b, "%s%s (%s)", i > 0 ? ", " : "", set->all[i]->id, set->all[i]->name);
  if (n == 0) dc_buf_puts(b, "none");
  for (size_t i = 0; i < set->nentries; i++)
    if (set->entries[i].ndevices == 0)
      dc_buf_printf(b, "; no %s: %s", set->entries[i].backend->name, dc_error_text(&set->entries[i].why_not));
}

/* The number of the backend with that name; nbackends: there is none. */
static size_t backend_named(const char *name, size_t len) {
  size_t i = 0;
  while (i < nbackends && (strlen(backends[i]->name) != len || memcmp(backends[i]->name, name, len) != 0)) i++;
  return i;
}

static entry *entry_named(dc_device_set *set, const char *name, size_t len) {
  const size_t i = backend_named(name, len);
  return i < set->nentries ? &set->entries[i] : NULL;
}

/* Where a lack of memory has kept the backend's devices from being found, -1 and the error. */
static int check_found(const entry *e, dc_error *err) {
  return e != NULL && e->why_not.kind == DC_MEMORY ? fail_as(err, &e->why_not) : 0;
}

/* The device of a well-formed "backend" or "backend:number" that exists, else NULL. The lock is held. */
static dc_device *find(dc_device_set *set, const char *id) {
  size_t len = strcspn(id, ":");
  entry *e = entry_named(set, id, len);
  if (e == NULL) return NULL;
  discover(e);
  if (id[len] == '\0') return e->ndevices > 0 ? e->devices[0] : NULL;
  const char *digits = id + len + 1;
  if (!isdigit((unsigned char)digits[0])) return NULL;
  char *end;
  long index = strtol(digits, &end, 10);
  if (*end != '\0') return NULL;
  for (size_t i = 0; i < e->ndevices; i++)
    if (e->devices[i]->index == index) return e->devices[i];
  return NULL;
}

bool dc_device_has_backend(const char *id) {
  pthread_mutex_lock(&lock);
  const bool has = backend_named(id, strcspn(id, ":")) < nbackends;
  pthread_mutex_unlock(&lock);
  return has;
}

dc_device *dc_device_find(dc_device_set *set, const char *id, dc_error *err) {
  pthread_mutex_lock(&lock);
  dc_device *dev = find(set, id);
  if (dev == NULL && check_found(entry_named(set, id, strcspn(id, ":")), err) == 0) {
    dc_buf b = DC_BUF_INIT;
    list_devices(set, &b);
    dc_fail(err, DC_DEVICE, NULL, "there is no device '%s'; the devices are: %s", id, dc_buf_str(&b));
    dc_buf_free(&b);
  }
  pthread_mutex_unlock(&lock);
  return dev;
}

/* --- opening -------------------------------------------------------------------------------- */

static int open_locked(dc_device *dev, dc_error *err) {
  if (dev->state == DC_DEVICE_OPEN) return 0;
  if (dev->state != DC_DEVICE_CLOSED) return fail_as(err, &dev->open_error);
  if (dc_settings_check(err) == 0 && dev->backend->open(dev, err) == 0) {
    dev->state = DC_DEVICE_OPEN;
    return 0;
  }
  /* Else a lack of memory may pass, or the backend has set the state and its reason. */
  if (dev->state == DC_DEVICE_CLOSED && err->kind != DC_MEMORY) {
    dev->state = DC_DEVICE_BROKEN;
    fail_as(&dev->open_error, err);
  }
  return -1;
}

DC_HOT int dc_device_open(dc_device *dev, dc_error *err) {
  if (dev->state == DC_DEVICE_OPEN) return 0;
  pthread_mutex_lock(&lock);
  int rc = open_locked(dev, err);
  pthread_mutex_unlock(&lock);
  return rc;
}

bool dc_backend_available(dc_device_set *set, const char *name, dc_error *err) {
  pthread_mutex_lock(&lock);
  entry *e = entry_named(set, name, strlen(name));
  bool usable = false;
  if (e == NULL) {
    dc_fail(err, DC_DEVICE, NULL, "'%s' is no kind of device that this build knows", name);
  } else {
    discover(e);
    if (e->ndevices == 0) fail_as(err, &e->why_not);
    for (size_t i = 0; i < e->ndevices && !usable; i++) {
      dc_error later = DC_ERROR_INIT; /* the reason that counts is the first device's */
      usable = open_locked(e->devices[i], i == 0 ? err : &later) == 0;
      dc_error_clear(&later);
    }
    if (usable) dc_error_clear(err);
  }
  pthread_mutex_unlock(&lock);
  return usable;
}

/* The first device that opens; NULL with every device's reason. The lock is held. */
static dc_device *first_usable(dc_device_set *set, dc_error *err) {
  const int local_rank = dc_launcher_find().local_rank; /* each process of a machine begins with another device */
  const size_t first = local_rank > 0 ? (size_t)local_rank : 0;
  dc_buf why = DC_BUF_INIT;
  dc_device *found = NULL;
  dc_kind kind = DC_DEVICE;
  for (size_t i = 0; i < set->nentries && found == NULL; i++) {
    entry *e = &set->entries[i];
    discover(e);
    if (e->why_not.kind == DC_MEMORY) kind = DC_MEMORY;
    if (e->ndevices == 0) dc_buf_printf(&why, "; no %s: %s", e->backend->name, dc_error_text(&e->why_not));
    for (size_t k = 0; k < e->ndevices && found == NULL; k++) {
      dc_error one = DC_ERROR_INIT;
      dc_device *dev = e->devices[(first + k) % e->ndevices];
      if (open_locked(dev, &one) == 0) found = dev;
      else dc_buf_printf(&why, "; %s: %s", dev->id, dc_error_text(&one));
      if (one.kind == DC_MEMORY) kind = DC_MEMORY;
      dc_error_clear(&one);
    }
  }
  if (found == NULL) dc_fail(err, kind, NULL, "there is no usable device%s", dc_buf_str(&why));
  dc_buf_free(&why);
  return found;
}

dc_device *dc_device_host(dc_device_set *set, dc_error *err) {
  size_t n;
  dc_device *const *list = dc_devices(set, &n);
  for (size_t i = 0; i < n; i++)
    if (list[i]->host_memory) return list[i];
  dc_fail(err, DC_DEVICE, NULL, "there is no device in the host's memory");
  return NULL;
}

size_t dc_drivers(dc_driver_info *list, size_t most) {
  size_t n = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < nbackends && n < most; i++)
    if (backends[i]->driver != NULL) backends[i]->driver(&list[n++]);
  pthread_mutex_unlock(&lock);
  return n;
}

dc_device *dc_device_default(dc_device_set *set, dc_error *err) {
  const char *wanted = getenv("DOTCOMPUTE_DEVICE");
  if (wanted != NULL && wanted[0] != '\0') {
    dc_device *dev = dc_device_find(set, wanted, err);
    if (dev != NULL && dc_device_open(dev, err) == 0) return dev;
    dc_error_prefix(err, "DOTCOMPUTE_DEVICE=%s: ", wanted);
    return NULL;
  }
  pthread_mutex_lock(&lock);
  dc_device *dev = first_usable(set, err);
  pthread_mutex_unlock(&lock);
  return dev;
}
