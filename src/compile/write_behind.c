/*
** write_behind.c - see write_behind.h.
*/
#include "compile/write_behind.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct pending {
  struct pending *next;
  dc_entry_writer *write;
  size_t len;
  char key[65];
  unsigned char data[];
} pending;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  pending *first, *last;
  bool runs;   /* there is a thread */
  bool closed; /* the process exits: other threads' entries are written at once */
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

static void *write_all(void *unused) {
  (void)unused;
  pthread_mutex_lock(&queue.lock);
  for (pending *p; (p = queue.first) != NULL;) {
    queue.first = p->next;
    pthread_mutex_unlock(&queue.lock);
    p->write(p->key, p->data, p->len);
    free(p);
    pthread_mutex_lock(&queue.lock);
  }
  queue.runs = false;
  pthread_cond_broadcast(&queue.ended);
  pthread_mutex_unlock(&queue.lock);
  return NULL;
}

void dc_write_behind_wait(void) {
  pthread_mutex_lock(&queue.lock);
  while (queue.runs) pthread_cond_wait(&queue.ended, &queue.lock);
  pthread_mutex_unlock(&queue.lock);
}

static void at_exit(void) {
  pthread_mutex_lock(&queue.lock);
  queue.closed = true;
  pthread_mutex_unlock(&queue.lock);
  dc_write_behind_wait();
}

static void before_fork(void) { pthread_mutex_lock(&queue.lock); }
static void after_fork(void) { pthread_mutex_unlock(&queue.lock); }

/* The thread exists in the parent only, which writes what is queued. */
static void in_child(void) {
  while (queue.first) {
    pending *p = queue.first;
    queue.first = p->next;
    free(p);
  }
  queue.runs = false;
  pthread_cond_init(&queue.ended, NULL);
  pthread_mutex_unlock(&queue.lock);
}

static void prepare(void) {
  pthread_atfork(before_fork, after_fork, in_child);
  atexit(at_exit);
}

/* A thread that takes no signals: they are for the program's own threads. */
static bool start_thread(void) {
  pthread_attr_t attr;
  pthread_t thread;
  sigset_t all, before;
  if (pthread_attr_init(&attr) != 0) return false;
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&thread, &attr, write_all, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return started;
}

void dc_write_behind(dc_entry_writer *write, const char *key, const void *data, size_t len) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
  pending *p = malloc(sizeof *p + len);
  if (!p) return; /* merely not kept */
  p->next = NULL;
  p->write = write;
  p->len = len;
  strncpy(p->key, key, sizeof p->key - 1);
  p->key[sizeof p->key - 1] = '\0';
  memcpy(p->data, data, len);
  pthread_mutex_lock(&queue.lock);
  if (queue.first) queue.last->next = p;
  else queue.first = p;
  queue.last = p;
  const bool alone = !queue.runs && (queue.closed || !(queue.runs = start_thread()));
  if (alone) queue.first = NULL;
  pthread_mutex_unlock(&queue.lock);
  if (alone) {
    write(key, data, len);
    free(p);
  }
}
