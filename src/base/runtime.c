/*
** runtime.c - the few things that are one per process: the interrupt flag, counters, the log, the clock.
*/
#include "base/runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

atomic_int dc_interrupt_flag;
struct dc_process dc_process = { .log_topics = ~0u };

static pthread_once_t topics_once = PTHREAD_ONCE_INIT;

static const struct { const char *name; unsigned bits; } topics[] = {
#define TOPIC(id, name, bit) { name, bit },
  DC_LOG_TOPICS(TOPIC)
#undef TOPIC
  { "all", ~0u },
};
enum { NTOPICS = sizeof topics / sizeof *topics };

static unsigned topic_named(const char *name, size_t len) {
  for (int i = 0; i < NTOPICS; i++)
    if (strlen(topics[i].name) == len && memcmp(topics[i].name, name, len) == 0) return topics[i].bits;
  return 0;
}

static void read_topics(void) {
  const char *list = getenv("DOTCOMPUTE_LOG");
  unsigned on = 0;
  while (list && *list) {
    size_t n = strcspn(list, ", ");
    on |= topic_named(list, n);
    list += n + strspn(list + n, ", ");
  }
  atomic_store(&dc_process.log_topics, on);
}

bool dc_log_chosen(dc_topic topic) {
  pthread_once(&topics_once, read_topics);
  return (atomic_load(&dc_process.log_topics) & (unsigned)topic) != 0;
}

void dc_log(dc_topic topic, const char *fmt, ...) {
  if (!dc_log_on(topic)) return;
  int t = 0;
  while (!(topics[t].bits & (unsigned)topic)) t++;
  char line[1024]; /* one write, so that threads do not mix within a line; longer ones are cut */
  int n = snprintf(line, sizeof line, "dotcompute: %s: ", topics[t].name);
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
  va_end(ap);
  fprintf(stderr, "%s\n", line);
}

double dc_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
