/*
** registry.h - which devices there are, and checked calls on them.
**
** Backends are named in one list at start-up (lua/ does it); nothing is loaded before the first
** question is asked.
*/
#ifndef DC_DEVICE_REGISTRY_H
#define DC_DEVICE_REGISTRY_H

#include "device/device.h"

/* Adds a backend, best first. Idempotent by pointer. */
void dc_registry_add(const dc_backend *backend);

/* All devices, in order of backends; discovers on first call. Never fails: a machine has at least
** the CPU device once that backend is added. Pointers stay valid for the life of the process. */
dc_device *const *dc_devices(size_t *count);

/* By "cuda:1", "cuda" (= "cuda:0") or "cpu". NULL with an error that lists what there is and why a
** backend has none. */
dc_device *dc_device_find(const char *id, dc_error *err);

/* Whether the name begins like a device's, "cuda:9" too: with a backend's name. */
bool dc_device_has_backend(const char *id);

/* True when the backend has a usable (openable) device; else false and `err` says why not. */
bool dc_backend_available(const char *name, dc_error *err);

/* The first device whose memory is the host's; NULL with an error when there is none. */
dc_device *dc_device_host(dc_error *err);

/* Loads and describes the backends' drivers, at most `most` of them; returns how many there are. */
size_t dc_drivers(dc_driver_info *list, size_t most);

/* DOTCOMPUTE_DEVICE, else the first device that opens. */
dc_device *dc_device_default(dc_error *err);

/* Opens the device if it is not; fails at once, with the first reason, if it could not be or is lost. */
int dc_device_open(dc_device *dev, dc_error *err);

/* Closes every open device; each opens again at its next use. For an orderly end of the process. */
void dc_devices_close(void);

/* Thin checked layer over the slots: open first, count, refuse n == 0 gracefully. */
int dc_device_alloc(dc_device *dev, size_t n, dc_ptr *out, dc_error *err); /* n == 0 gives 0 */
void dc_device_free(dc_device *dev, dc_ptr p, size_t n);
/* Whether n bytes could be allocated if nothing else were in use. */
bool dc_device_may_hold(const dc_device *dev, size_t n);
int dc_device_to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
int dc_device_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);
/* The same without waiting; the host memory is page-locked (dc_pinned_new) and stays until the stream has got there. */
int dc_device_to_device_async(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
int dc_device_to_host_async(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);
int dc_device_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err);
int dc_device_copy_across(dc_device *dd, dc_ptr dst, dc_device *sd, dc_ptr src, size_t n, dc_error *err);
int dc_device_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err);
int dc_device_synchronize(dc_device *dev, dc_error *err); /* all its streams */
int dc_device_memory_info(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err);

/* Called by the memory layer when an allocation fails, before it is tried once more: the Lua side
** collects garbage here.  NULL for none.  Returns nonzero if it may have freed something. */
extern int (*dc_memory_pressure)(dc_device *dev, size_t wanted);

#endif
