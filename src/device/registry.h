/*
** registry.h - which devices there are.
**
** Backends are added at start-up (lua/core.c does it); nothing is loaded before their devices are first asked for.
** Each Lua state has a set of devices of its own.  The sets of states that have ended are kept, with their streams,
** loaded kernels and cached memory, for states to come.
*/
#pragma once

#include "device/device.h"

/* Adds a backend, best first. Idempotent by pointer. */
void dc_registry_add(const dc_backend *backend);

typedef struct dc_device_set dc_device_set;

/* A set that no other state has, until it is given back; NULL when out of memory.  Its devices are those of the
** backends added so far. */
dc_device_set *dc_device_set_take(dc_error *err);
/* The state has ended; its work may go on.  Calls `reset` for each device.  NULL is fine. */
void dc_device_set_give(dc_device_set *set, void (*reset)(dc_device *dev));

/* Where kernel/profile.c keeps the state's profile; NULL until there was one. */
struct dc_profile **dc_device_set_profile(dc_device_set *set);

/* All devices, in order of backends; discovers on first call. Never fails: a machine has at least
** the CPU device once that backend is added. Pointers stay valid for the life of the process. */
dc_device *const *dc_devices(dc_device_set *set, size_t *count);

/* By "cuda:1", "cuda" (= "cuda:0") or "cpu". NULL with an error that lists what there is and why a
** backend has none. */
dc_device *dc_device_find(dc_device_set *set, const char *id, dc_error *err);

/* Whether the name begins like a device's, "cuda:9" too: with a backend's name. */
bool dc_device_has_backend(const char *id);

/* True when the backend has a usable (openable) device; else false and `err` says why not. */
bool dc_backend_available(dc_device_set *set, const char *name, dc_error *err);

/* The first device whose memory is the host's; NULL with an error when there is none. */
dc_device *dc_device_host(dc_device_set *set, dc_error *err);

/* Loads and describes the backends' drivers, at most `most` of them; returns how many there are. */
size_t dc_drivers(dc_driver_info *list, size_t most);

/* DOTCOMPUTE_DEVICE, else the first device that opens. */
dc_device *dc_device_default(dc_device_set *set, dc_error *err);

/* Opens the device if it is not; fails at once, with the first reason, if it could not be or is lost. */
int dc_device_open(dc_device *dev, dc_error *err);
