/*
** runtime.h - the few things that are one per process: the interrupt flag, counters, the log.
*/
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/line.h"

/* Set by the handler of SIGINT (async-signal-safe), read by everything that can run long. */
extern atomic_int dc_interrupt_flag;
static inline bool dc_interrupted(void) {
  return atomic_load_explicit(&dc_interrupt_flag, memory_order_relaxed) != 0;
}

/* dc.stats(): counters since start. */
typedef struct dc_counters {
  atomic_uint_fast64_t launches, allocations, frees, bytes_allocated, bytes_to_device, bytes_to_host,
      bytes_on_device, compiles, cache_hits, cache_misses;
} dc_counters;
static inline void dc_count(atomic_uint_fast64_t *c, uint64_t n) {
  atomic_fetch_add_explicit(c, n, memory_order_relaxed);
}
/* The same for frequent events. Concurrent increments may be lost; an atomic addition not
** long after a launch waits until the launch's stores to the GPU are complete. */
static inline void dc_count_often(atomic_uint_fast64_t *c, uint64_t n) {
  atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n, memory_order_relaxed);
}

/* Read by every launch. */
extern struct dc_process {
  alignas(DC_CACHE_LINE) atomic_uint log_topics; /* that may be on: all until the variable has been read */
  atomic_int profiling; /* number of Lua states whose launches are timed (kernel/profile.h) */
  dc_counters stats;
} dc_process;
static inline void dc_count_launch(int n) { dc_count_often(&dc_process.stats.launches, (uint64_t)(int64_t)n); }

/* DOTCOMPUTE_LOG=cache,compile,launch,memory (or "all"): dc_log prints one line to stderr when its topic is on. */
#define DC_LOG_TOPICS(X) X(CACHE, "cache", 1) X(COMPILE, "compile", 2) X(LAUNCH, "launch", 4) X(MEMORY, "memory", 8)
typedef enum dc_topic {
#define DC_TOPIC_ID(id, name, bit) DC_LOG_##id = bit,
  DC_LOG_TOPICS(DC_TOPIC_ID)
#undef DC_TOPIC_ID
} dc_topic;
bool dc_log_chosen(dc_topic topic);
static inline bool dc_log_may_be_on(dc_topic topic) {
  return (atomic_load_explicit(&dc_process.log_topics, memory_order_relaxed) & (unsigned)topic) != 0;
}
static inline bool dc_log_on(dc_topic topic) {
  return DC_UNLIKELY(dc_log_may_be_on(topic)) && dc_log_chosen(topic);
}
void dc_log(dc_topic topic, const char *fmt, ...) DC_PRINTF(2, 3);

/* Seconds on a monotonic clock. */
double dc_clock(void);
