/* once.c - see once.h. */
#include "base/once.h"

bool dc_once_until(dc_once *once, bool (*look)(void)) {
  if (atomic_load_explicit(&once->done, memory_order_acquire)) return true;
  pthread_mutex_lock(&once->lock);
  bool done = atomic_load_explicit(&once->done, memory_order_relaxed);
  if (!done && (done = look())) atomic_store_explicit(&once->done, true, memory_order_release);
  pthread_mutex_unlock(&once->lock);
  return done;
}
