/*
** registry.h - which devices there are.
**
** Backends are added at start-up (lua/core.c does it); nothing is loaded before their devices are first asked for.
*/
#pragma once

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
