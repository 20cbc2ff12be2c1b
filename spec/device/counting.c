/*
** counting.c - a third device: it counts the calls of each slot and delegates them to the CPU device.
**
** It is an example of a backend from outside of the library: the tables, a dc_backend and one call of
** dc_registry_add are all that it needs.  `make units` links it with the library into a core.so of its own, which specs
** use by DOTCOMPUTE_DEVICE=counting.  At its end each process appends its counts to the file that COUNTING_FILE names:
** in each line a slot's name and the number of its calls.
**
** The CPU device's slots read dev->stream and dev->capture, so both are copied to it before each call.
*/
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/runtime/device.h"
#include "device/registry.h"
#include "device/texture.h"

/* --- counts ------------------------------------------------------------------------------------------ */

#define SLOTS(X) \
  X(alloc) X(free) X(info) X(reserved) X(trim) X(to_device) X(to_host) X(copy) X(fill) \
  X(load) X(unload) X(function) X(entries) X(param) X(facts) X(launch) X(global) X(occupancy) X(tier) \
  X(set_shared_limit) X(set_stack) \
  X(synchronize) X(stream_open) X(stream_close) X(done) X(wait) X(event_open) X(event_close) X(event_record) \
  X(event_done) X(event_synchronize) X(event_elapsed) \
  X(begin) X(fork_capture) X(end) X(graph_launch) X(graph_close) \
  X(library_load) X(product) X(dense) X(fft) X(sort) X(open) \
  X(texture_limits) X(storage_open) X(storage_close) X(storage_write) X(storage_read) X(texture_open) X(texture_close) \
  X(surface_open) X(surface_close)

enum slot {
#define X(name) COUNT_##name,
  SLOTS(X)
#undef X
  NSLOTS
};
static const char *const names[NSLOTS] = {
#define X(name) #name,
  SLOTS(X)
#undef X
};
static atomic_ullong counts[NSLOTS];

static void count(enum slot slot) { atomic_fetch_add_explicit(&counts[slot], 1, memory_order_relaxed); }

static void __attribute__((destructor)) write_counts(void) {
  const char *path = getenv("COUNTING_FILE");
  FILE *f = path != NULL ? fopen(path, "a") : NULL;
  if (f == NULL) return;
  for (int i = 0; i < NSLOTS; i++) fprintf(f, "%s %llu\n", names[i], atomic_load(&counts[i]));
  fclose(f);
}

/* --- delegation -------------------------------------------------------------------------------------- */

/* Counts the call, and gives the CPU device that is to do the work, with the current stream and capture of `dev`. */
static dc_device *cpu_of(dc_device *dev, enum slot slot) {
  dc_device *cpu = dev->impl;
  count(slot);
  cpu->stream = dev->stream;
  cpu->capture = dev->capture;
  return cpu;
}

/* The same for slots that take a function alone. */
static const dc_code_ops *cpu_code(enum slot slot) {
  count(slot);
  return dc_cpu_backend.code;
}

/* A slot that takes (dev, ...) and returns what the CPU device's returns. */
#define DELEGATE(type, name, table, slot, params, args) \
  static type name params { \
    dc_device *cpu = cpu_of(dev, COUNT_##name); \
    return cpu->table->slot args; \
  }

DELEGATE(int, alloc, memory, alloc, (dc_device *dev, size_t n, dc_ptr *out, dc_error *err), (cpu, n, out, err))
DELEGATE(size_t, reserved, memory, reserved, (dc_device *dev), (cpu))
DELEGATE(int, info, memory, info, (dc_device *dev, size_t *left, size_t *total, dc_error *err),
         (cpu, left, total, err))
DELEGATE(int, to_device, memory, to_device, (dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err),
         (cpu, dst, src, n, err))
DELEGATE(int, to_host, memory, to_host, (dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err),
         (cpu, dst, src, n, err))
DELEGATE(int, copy, memory, copy, (dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err),
         (cpu, dst, src, n, err))
DELEGATE(int, fill, memory, fill,
         (dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err),
         (cpu, dst, pattern, size, n, err))

static void free_memory(dc_device *dev, dc_ptr p, size_t n) {
  dc_device *cpu = cpu_of(dev, COUNT_free);
  cpu->memory->free(cpu, p, n);
}

static void trim(dc_device *dev) {
  dc_device *cpu = cpu_of(dev, COUNT_trim);
  cpu->memory->trim(cpu);
}

static const dc_memory_ops memory_ops = {
  .alloc = alloc,
  .free = free_memory,
  .info = info,
  .reserved = reserved,
  .trim = trim,
  .to_device = to_device,
  .to_host = to_host,
  .copy = copy,
  .fill = fill,
};

/* --- code -------------------------------------------------------------------------------------------- */

DELEGATE(int, load, code, load, (dc_device *dev, const void *image, size_t len, dc_code **out, dc_error *err),
         (cpu, image, len, out, err))
DELEGATE(int, function, code, function,
         (dc_device *dev, dc_code *code, const char *name, dc_function **out, dc_error *err),
         (cpu, code, name, out, err))
DELEGATE(int, entries, code, entries,
         (dc_device *dev, dc_code *code, int (*visit)(void *ud, const char *name), void *ud, dc_error *err),
         (cpu, code, visit, ud, err))
DELEGATE(int, launch, code, launch, (dc_device *dev, dc_function *fn, dc_launch *l, dc_error *err), (cpu, fn, l, err))
DELEGATE(int, global, code, global,
         (dc_device *dev, dc_code *code, const char *name, dc_ptr *ptr, size_t *size, dc_error *err),
         (cpu, code, name, ptr, size, err))
DELEGATE(int, set_stack, code, set_stack, (dc_device *dev, size_t bytes, dc_error *err), (cpu, bytes, err))

static void unload(dc_device *dev, dc_code *code) {
  dc_device *cpu = cpu_of(dev, COUNT_unload);
  cpu->code->unload(cpu, code);
}

static int param(dc_function *fn, int i, size_t *offset, size_t *size) {
  return cpu_code(COUNT_param)->param(fn, i, offset, size);
}

static int facts(dc_function *fn, dc_function_facts *out, dc_error *err) {
  return cpu_code(COUNT_facts)->facts(fn, out, err);
}

static int occupancy(dc_function *fn, uint32_t threads, size_t shared, int *blocks, dc_error *err) {
  return cpu_code(COUNT_occupancy)->occupancy(fn, threads, shared, blocks, err);
}

static int tier(dc_function *fn, const char **why) { return cpu_code(COUNT_tier)->tier(fn, why); }

static int set_shared_limit(dc_function *fn, size_t bytes, dc_error *err) {
  return cpu_code(COUNT_set_shared_limit)->set_shared_limit(fn, bytes, err);
}

static const dc_code_ops code_ops = {
  .load = load,
  .unload = unload,
  .function = function,
  .entries = entries,
  .param = param,
  .facts = facts,
  .launch = launch,
  .global = global,
  .occupancy = occupancy,
  .tier = tier,
  .set_shared_limit = set_shared_limit,
  .set_stack = set_stack,
};

/* --- streams ----------------------------------------------------------------------------------------- */

DELEGATE(int, synchronize, streams, synchronize, (dc_device *dev, void *s, dc_error *err), (cpu, s, err))
DELEGATE(int, stream_open, streams, open, (dc_device *dev, void **s, dc_error *err), (cpu, s, err))
DELEGATE(int, done, streams, done, (dc_device *dev, void *s, dc_error *err), (cpu, s, err))
DELEGATE(int, wait, streams, wait, (dc_device *dev, void *s, void *event, dc_error *err), (cpu, s, event, err))
DELEGATE(int, event_open, streams, event_open, (dc_device *dev, bool timed, void **event, dc_error *err),
         (cpu, timed, event, err))
DELEGATE(int, event_record, streams, event_record, (dc_device *dev, void *event, void *s, dc_error *err),
         (cpu, event, s, err))
DELEGATE(int, event_done, streams, event_done, (dc_device *dev, void *event, dc_error *err), (cpu, event, err))
DELEGATE(int, event_synchronize, streams, event_synchronize, (dc_device *dev, void *event, dc_error *err),
         (cpu, event, err))
DELEGATE(int, event_elapsed, streams, event_elapsed,
         (dc_device *dev, void *from, void *to, double *seconds, dc_error *err), (cpu, from, to, seconds, err))

static void stream_close(dc_device *dev, void *s) {
  dc_device *cpu = cpu_of(dev, COUNT_stream_close);
  cpu->streams->close(cpu, s);
}

static void event_close(dc_device *dev, void *event) {
  dc_device *cpu = cpu_of(dev, COUNT_event_close);
  cpu->streams->event_close(cpu, event);
}

static const dc_stream_ops stream_ops = {
  .synchronize = synchronize,
  .open = stream_open,
  .close = stream_close,
  .done = done,
  .wait = wait,
  .event_open = event_open,
  .event_close = event_close,
  .event_record = event_record,
  .event_done = event_done,
  .event_synchronize = event_synchronize,
  .event_elapsed = event_elapsed,
};

/* --- graphs and libraries ---------------------------------------------------------------------------- */

DELEGATE(int, begin, graphs, begin, (dc_device *dev, void **s, dc_error *err), (cpu, s, err))
DELEGATE(int, fork_capture, graphs, fork, (dc_device *dev, void **s, dc_error *err), (cpu, s, err))
DELEGATE(int, end, graphs, end, (dc_device *dev, void *old, void **graph, dc_error *err), (cpu, old, graph, err))
DELEGATE(int, graph_launch, graphs, launch, (dc_device *dev, void *graph, void *s, dc_error *err),
         (cpu, graph, s, err))

static void graph_close(dc_device *dev, void *graph) {
  dc_device *cpu = cpu_of(dev, COUNT_graph_close);
  cpu->graphs->close(cpu, graph);
}

static const dc_graph_ops graph_ops = {
  .begin = begin, .fork = fork_capture, .end = end, .launch = graph_launch, .close = graph_close
};

DELEGATE(int, library_load, libraries, load, (dc_device *dev, dc_library which, dc_error *err), (cpu, which, err))
DELEGATE(int, product, libraries, product, (dc_device *dev, const dc_product *p, dc_error *err), (cpu, p, err))
DELEGATE(int, dense, libraries, dense, (dc_device *dev, const dc_dense *p, dc_error *err), (cpu, p, err))
DELEGATE(int, fft, libraries, fft, (dc_device *dev, const dc_fft *p, dc_error *err), (cpu, p, err))
DELEGATE(int, sort, libraries, sort, (dc_device *dev, const dc_sort *p, bool *sorted, dc_error *err),
         (cpu, p, sorted, err))

static const dc_library_ops library_ops = {
  .products_in_graphs = true,
  .fft_points = 4096,
  .load = library_load,
  .product = product,
  .dense = dense,
  .fft = fft,
  .sort = sort,
};

DELEGATE(int, texture_limits, textures, limits, (dc_device *dev, dc_texture_limits *out, dc_error *err),
         (cpu, out, err))
DELEGATE(int, storage_open, textures, storage_open,
         (dc_device *dev, const dc_texture_shape *shape, bool surface, dc_storage **out, dc_error *err),
         (cpu, shape, surface, out, err))
DELEGATE(int, storage_write, textures, write,
         (dc_device *dev, dc_storage *s, uint32_t level, dc_ptr src, dc_error *err), (cpu, s, level, src, err))
DELEGATE(int, storage_read, textures, read,
         (dc_device *dev, dc_storage *s, uint32_t level, dc_ptr dst, dc_error *err), (cpu, s, level, dst, err))
DELEGATE(int, texture_open, textures, texture_open,
         (dc_device *dev, const dc_texture_desc *desc, uint64_t *handle, dc_error *err), (cpu, desc, handle, err))
DELEGATE(int, surface_open, textures, surface_open,
         (dc_device *dev, dc_storage *s, uint32_t level, uint64_t *handle, dc_error *err), (cpu, s, level, handle, err))

static void storage_close(dc_device *dev, dc_storage *s) {
  dc_device *cpu = cpu_of(dev, COUNT_storage_close);
  cpu->textures->storage_close(cpu, s);
}

static void texture_close(dc_device *dev, uint64_t handle) {
  dc_device *cpu = cpu_of(dev, COUNT_texture_close);
  cpu->textures->texture_close(cpu, handle);
}

static void surface_close(dc_device *dev, uint64_t handle) {
  dc_device *cpu = cpu_of(dev, COUNT_surface_close);
  cpu->textures->surface_close(cpu, handle);
}

static const dc_texture_ops texture_ops = {
  .limits = texture_limits,
  .storage_open = storage_open,
  .storage_close = storage_close,
  .write = storage_write,
  .read = storage_read,
  .texture_open = texture_open,
  .texture_close = texture_close,
  .surface_open = surface_open,
  .surface_close = surface_close,
};

/* --- the backend ------------------------------------------------------------------------------------- */

/* A second CPU device, beside the registry's own, is the device's part. */
static int open_device(dc_device *dev, dc_error *err) {
  dc_device *cpu = dev->impl;
  count(COUNT_open);
  if (dc_cpu_backend.open(cpu, err) != 0) return -1;
  cpu->state = DC_DEVICE_OPEN;
  dev->facts = cpu->facts;
  dev->target = cpu->target;
  return 0;
}

static int discover(dc_device *(*add)(void *ud), void *ud, dc_error *err) {
  dc_device *cpu = dc_calloc_lines(sizeof *cpu), *dev = cpu != NULL ? add(ud) : NULL;
  if (dev == NULL) {
    free(cpu);
    return dc_fail_oom(err);
  }
  cpu->memory = dc_cpu_backend.memory;
  cpu->code = dc_cpu_backend.code;
  cpu->backend = &dc_cpu_backend;
  cpu->streams = dc_cpu_backend.streams;
  cpu->graphs = dc_cpu_backend.graphs;
  cpu->libraries = dc_cpu_backend.libraries;
  cpu->textures = dc_cpu_backend.textures;
  snprintf(cpu->id, sizeof cpu->id, "counting:0");
  dev->impl = cpu;
  snprintf(dev->id, sizeof dev->id, "counting:0");
  snprintf(dev->name, sizeof dev->name, "CPU device that counts");
  return 0;
}

static const dc_backend counting_backend = {
  .name = "counting",
  .blocking = true,
  .host_memory = true,
  .memory = &memory_ops,
  .code = &code_ops,
  .streams = &stream_ops,
  .graphs = &graph_ops,
  .libraries = &library_ops,
  .textures = &texture_ops,
  .discover = discover,
  .open = open_device,
};

/* Before the module adds its own backends. */
static void __attribute__((constructor)) add_backend(void) { dc_registry_add(&counting_backend); }
