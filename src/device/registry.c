/*
** registry.c - the list of backends and devices, and the checked layer over a device's slots.
**
** A backend is asked for its devices once, when somebody first wants one of them: asking for "cpu"
** does not start a GPU driver.  What a backend answers, devices or a reason, is remembered.
*/
#include "device/registry.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/runtime.h"
#include "device/streams.h"

#define MAX_BACKENDS 8
#define MAX_DEVICES 128

typedef struct dc_entry {
  const dc_backend *backend;
  bool asked;
  dc_error why_not; /* why it has no device; DC_OK when it has */
  dc_device *devices[MAX_DEVICES];
  size_t ndevices;
} dc_entry;

static dc_entry entries[MAX_BACKENDS];
static size_t nentries;
static dc_device *all_devices[MAX_BACKENDS * MAX_DEVICES];
static uint64_t last_serial;
/* Guards all of the above and the opening of devices; backends never call back into this file. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int (*dc_memory_pressure)(dc_device *dev, size_t wanted) = NULL;

/* --- backends and devices ------------------------------------------------------------------ */

void dc_registry_add(const dc_backend *backend) {
  pthread_mutex_lock(&lock);
  size_t i = 0;
  while (i < nentries && entries[i].backend != backend) i++;
  if (i == nentries && nentries < MAX_BACKENDS) entries[nentries++].backend = backend;
  pthread_mutex_unlock(&lock);
}

/* dc_backend.discover's `add`: a zeroed device at the end of the entry's list, NULL when that is full. */
static dc_device *add_device(void *ud) {
  dc_entry *e = ud;
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
  dev->serial = ++last_serial;
  e->devices[e->ndevices++] = dev;
  return dev;
}

/* Asks the backend once. The lock is held. */
static void discover(dc_entry *e) {
  if (e->asked) return;
  e->asked = true;
  if (e->backend->discover(add_device, e, &e->why_not) == 0) {
    dc_error_clear(&e->why_not);
    if (e->ndevices == 0) dc_fail(&e->why_not, DC_DEVICE, NULL, "no %s device was found", e->backend->name);
    return;
  }
  while (e->ndevices > 0) free(e->devices[--e->ndevices]);
}

/* Devices of all backends in order; the lock is held. */
static size_t discover_all(void) {
  size_t n = 0;
  for (size_t i = 0; i < nentries; i++) {
    discover(&entries[i]);
    for (size_t k = 0; k < entries[i].ndevices; k++) all_devices[n++] = entries[i].devices[k];
  }
  return n;
}

dc_device *const *dc_devices(size_t *count) {
  pthread_mutex_lock(&lock);
  *count = discover_all();
  pthread_mutex_unlock(&lock);
  return all_devices;
}

/* err = a copy of the remembered one. */
static int fail_as(dc_error *err, const dc_error *remembered) {
  if (remembered->kind == DC_OK) return dc_fail(err, DC_DEVICE, NULL, "the device is not usable");
  dc_fail(err, remembered->kind, remembered->code, "%s", dc_error_text(remembered));
  dc_error_set_log(err, remembered->log);
  return -1;
}

/* "cuda:0 (NVIDIA H200), cpu (…); cuda has none: no driver" */
static void list_devices(dc_buf *b) {
  size_t n = discover_all();
  for (size_t i = 0; i < n; i++)
    dc_buf_printf(b, "%s%s (%s)", i > 0 ? ", " : "", all_devices[i]->id, all_devices[i]->name);
  if (n == 0) dc_buf_puts(b, "none");
  for (size_t i = 0; i < nentries; i++)
    if (entries[i].ndevices == 0)
      dc_buf_printf(b, "; no %s: %s", entries[i].backend->name, dc_error_text(&entries[i].why_not));
}

static dc_entry *entry_named(const char *name, size_t len) {
  for (size_t i = 0; i < nentries; i++)
    if (strlen(entries[i].backend->name) == len && memcmp(entries[i].backend->name, name, len) == 0)
      return &entries[i];
  return NULL;
}

/* The device of a well-formed "backend" or "backend:number" that exists, else NULL. The lock is held. */
static dc_device *find(const char *id) {
  size_t len = strcspn(id, ":");
  dc_entry *e = entry_named(id, len);
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
  const bool has = entry_named(id, strcspn(id, ":")) != NULL;
  pthread_mutex_unlock(&lock);
  return has;
}

dc_device *dc_device_find(const char *id, dc_error *err) {
  pthread_mutex_lock(&lock);
  dc_device *dev = find(id);
  if (dev == NULL) {
    dc_buf b = DC_BUF_INIT;
    list_devices(&b);
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
  if (dev->backend->open(dev, err) == 0) {
    dev->state = DC_DEVICE_OPEN;
    return 0;
  }
  if (dev->state == DC_DEVICE_CLOSED) { /* else the backend has said more than that already */
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

void dc_devices_close(void) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < nentries; i++)
    for (size_t k = 0; k < entries[i].ndevices; k++) {
      dc_device *dev = entries[i].devices[k];
      if (dev->state != DC_DEVICE_OPEN) continue;
      dc_streams_shut(dev);
      dev->backend->close(dev);
      if (dev->state == DC_DEVICE_OPEN) dev->state = DC_DEVICE_CLOSED;
    }
  pthread_mutex_unlock(&lock);
}

bool dc_backend_available(const char *name, dc_error *err) {
  pthread_mutex_lock(&lock);
  dc_entry *e = entry_named(name, strlen(name));
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
static dc_device *first_usable(dc_error *err) {
  dc_buf why = DC_BUF_INIT;
  dc_device *found = NULL;
  for (size_t i = 0; i < nentries && found == NULL; i++) {
    dc_entry *e = &entries[i];
    discover(e);
    if (e->ndevices == 0) dc_buf_printf(&why, "; no %s: %s", e->backend->name, dc_error_text(&e->why_not));
    for (size_t k = 0; k < e->ndevices && found == NULL; k++) {
      dc_error one = DC_ERROR_INIT;
      if (open_locked(e->devices[k], &one) == 0) found = e->devices[k];
      else dc_buf_printf(&why, "; %s: %s", e->devices[k]->id, dc_error_text(&one));
      dc_error_clear(&one);
    }
  }
  if (found == NULL) dc_fail(err, DC_DEVICE, NULL, "there is no usable device%s", dc_buf_str(&why));
  dc_buf_free(&why);
  return found;
}

dc_device *dc_device_host(dc_error *err) {
  size_t n;
  dc_device *const *list = dc_devices(&n);
  for (size_t i = 0; i < n; i++)
    if (list[i]->host_memory) return list[i];
  dc_fail(err, DC_DEVICE, NULL, "there is no device in the host's memory");
  return NULL;
}

size_t dc_drivers(dc_driver_info *list, size_t most) {
  size_t n = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < nentries && n < most; i++)
    if (entries[i].backend->driver != NULL) entries[i].backend->driver(&list[n++]);
  pthread_mutex_unlock(&lock);
  return n;
}

dc_device *dc_device_default(dc_error *err) {
  const char *wanted = getenv("DOTCOMPUTE_DEVICE");
  if (wanted != NULL && wanted[0] != '\0') {
    dc_device *dev = dc_device_find(wanted, err);
    if (dev != NULL && dc_device_open(dev, err) == 0) return dev;
    dc_error_prefix(err, "DOTCOMPUTE_DEVICE=%s: ", wanted);
    return NULL;
  }
  pthread_mutex_lock(&lock);
  dc_device *dev = first_usable(err);
  pthread_mutex_unlock(&lock);
  return dev;
}

/* --- checked calls --------------------------------------------------------------------------- */

static DC_RARELY int fail_limit(const dc_device *dev, size_t n, dc_error *err) {
  char text[3][32];
  return dc_fail(err, DC_MEMORY, NULL,
                 "cannot allocate %s on %s: its limit (dc.memory_limit) is %s, of which %s are in use",
                 dc_bytes_text(n, text[0], 32), dev->id, dc_bytes_text(dev->bytes_limit, text[1], 32),
                 dc_bytes_text(dev->bytes_live, text[2], 32));
}

static inline int alloc_within(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  const size_t limit = dev->bytes_limit;
  if (limit != 0 && (n > limit || dev->bytes_live > limit - n)) return fail_limit(dev, n, err);
  return dev->memory->alloc(dev, n, out, err);
}

bool dc_device_may_hold(const dc_device *dev, size_t n) {
  return (dev->facts.total_memory == 0 || n <= dev->facts.total_memory) &&
         (dev->bytes_limit == 0 || n <= dev->bytes_limit);
}

/* After a failure. */
static DC_RARELY int alloc_again(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  if (err->kind != DC_MEMORY || !dc_device_may_hold(dev, n)) return -1;
  if (dc_memory_pressure == NULL || !dc_memory_pressure(dev, n)) return -1;
  dc_log(DC_LOG_MEMORY, "%s: trying again to allocate %zu bytes after a collection", dev->id, n);
  dc_error_clear(err);
  return alloc_within(dev, n, out, err);
}

/* While a graph is captured, memory is made in the device's own stream: it is no part of the graph. */
static inline int alloc_outside(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  void *stream = dev->stream;
  if (dev->capture != NULL) dev->stream = NULL;
  int rc = alloc_within(dev, n, out, err);
  if (rc != 0) rc = alloc_again(dev, n, out, err);
  dev->stream = stream;
  return rc;
}

static DC_RARELY int fail_too_much(const dc_device *dev, size_t n, dc_error *err) {
  char text[2][32];
  return dc_fail(err, DC_MEMORY, NULL, "cannot allocate %s on %s (%s): it has %s of memory in all",
                 dc_bytes_text(n, text[0], 32), dev->id, dev->name,
                 dc_bytes_text(dev->facts.total_memory, text[1], 32));
}

/* A copy went into the current stream that nobody waits for: it gets a mark of its own. */
static void issued_async(dc_device *dev) {
  dc_error ignored = DC_ERROR_INIT; /* a mark that fails is recorded when somebody asks for it */
  dc_stream *s = dc_stream_current(dev, &ignored);
  if (s != NULL) dc_stream_mark(s, &ignored);
  dc_error_clear(&ignored);
}

/* Work went into the current stream. */
static inline void issued(dc_device *dev) {
  if (DC_UNLIKELY(dev->tracking != 0)) dc_stream_issued(dev, dev->stream);
}

DC_HOT int dc_device_alloc(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  *out = 0;
  if (dc_device_open(dev, err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->facts.total_memory != 0 && n > dev->facts.total_memory) return fail_too_much(dev, n, err);
  if (alloc_outside(dev, n, out, err) != 0) {
    *out = 0;
    return -1;
  }
  dev->bytes_live += n;
  if (dev->bytes_live > dev->bytes_peak) dev->bytes_peak = dev->bytes_live;
  dc_count_often(&dc_process.stats.allocations, 1);
  dc_count_often(&dc_process.stats.bytes_allocated, n);
  if (dc_log_on(DC_LOG_MEMORY))
    dc_log(DC_LOG_MEMORY, "%s: %zu bytes at 0x%llx, %zu live", dev->id, n, (unsigned long long)*out, dev->bytes_live);
  return 0;
}

DC_HOT void dc_device_free(dc_device *dev, dc_ptr p, size_t n) {
  if (p == 0) return;
  dev->bytes_live -= n;
  dc_count_often(&dc_process.stats.frees, 1);
  if (dev->state == DC_DEVICE_OPEN) dev->memory->free(dev, p, n);
}

int dc_device_to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (dc_capture_refuse(dev, "copies values from the host", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_device(dev, dst, src, n, err) != 0) return -1;
  issued(dev);
  dc_count(&dc_process.stats.bytes_to_device, n);
  return 0;
}

int dc_device_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (dc_capture_refuse(dev, "reads values, which will be there only when the graph runs", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_host(dev, dst, src, n, err) != 0) return -1;
  dc_count(&dc_process.stats.bytes_to_host, n);
  return 0;
}

int dc_device_to_device_async(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (dc_capture_refuse(dev, "copies values from the host", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_device_async(dev, dst, src, n, err) != 0) return -1;
  issued_async(dev);
  dc_count(&dc_process.stats.bytes_to_device, n);
  return 0;
}

int dc_device_to_host_async(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (dc_capture_refuse(dev, "copies values to the host", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_host_async(dev, dst, src, n, err) != 0) return -1;
  issued_async(dev);
  dc_count(&dc_process.stats.bytes_to_host, n);
  return 0;
}

int dc_device_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (n == 0 || dst == src) return 0;
  if (dev->memory->copy(dev, dst, src, n, err) != 0) return -1;
  issued(dev);
  dc_count(&dc_process.stats.bytes_on_device, n);
  return 0;
}

int dc_device_copy_across(dc_device *dd, dc_ptr dst, dc_device *sd, dc_ptr src, size_t n, dc_error *err) {
  if (dd == sd) return dc_device_copy(dd, dst, src, n, err);
  if (dc_device_open(dd, err) != 0 || dc_device_open(sd, err) != 0) return -1;
  if (dc_capture_refuse(dd, "copies between devices", err) != 0) return -1;
  if (dc_capture_refuse(sd, "copies between devices", err) != 0) return -1;
  if (n == 0) return 0;
  if (sd->host_memory) return dc_device_to_device(dd, dst, (const void *)(uintptr_t)src, n, err);
  if (dd->host_memory) return dc_device_to_host(sd, (void *)(uintptr_t)dst, src, n, err);
  if (dd->memory->peer_copy(dd, dst, sd, src, n, err) != 0) return -1;
  issued(dd);
  dc_count(&dc_process.stats.bytes_on_device, n);
  return 0;
}

int dc_device_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (n > 0 && dev->memory->fill(dev, dst, pattern, size, n, err) != 0) return -1;
  issued(dev);
  return 0;
}

int dc_device_synchronize(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "waits", err) != 0) return -1;
  return dc_streams_synchronize(dev, err);
}

int dc_device_memory_info(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err) {
  *free_bytes = *total_bytes = 0;
  if (dc_device_open(dev, err) != 0) return -1;
  return dev->memory->info(dev, free_bytes, total_bytes, err);
}
