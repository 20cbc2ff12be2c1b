/*
** test_cache.c - that the cache's entries get to the disk from several threads, at the process's exit, and from a child
** process that fork has made while its parent was writing.
*/
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "compile/cache.h"
#include "compile/write_behind.h"

enum { THREADS = 4, ENTRIES = 40, SIZE = 9000 };

static void key_of(char key[65], int writer, int number) {
  snprintf(key, 65, "%032d%032d", writer, number);
}

static unsigned char byte_of(int writer, int number, int at) {
  return (unsigned char)(at * 7 + number * 31 + writer * 101 + at * at % 13);
}

static void *put_all(void *number) {
  const int writer = *(const int *)number;
  unsigned char data[SIZE];
  char key[65];
  for (int k = 0; k < ENTRIES; k++) {
    for (int i = 0; i < SIZE; i++) data[i] = byte_of(writer, k, i);
    key_of(key, writer, k);
    dc_cache_put(key, data, SIZE - (size_t)k);
  }
  return NULL;
}

/* In a process that has put nothing: what is on the disk. */
static void check_all(int writer) {
  char key[65];
  for (int k = 0; k < ENTRIES; k++) {
    void *data = NULL;
    size_t len = 0, wrong = 0;
    key_of(key, writer, k);
    const bool there = dc_cache_get(key, &data, &len);
    CHECK(there && len == SIZE - (size_t)k, "entry %d of writer %d: length %zu", k, writer, len);
    for (int i = 0; there && i < (int)len; i++) wrong += ((unsigned char *)data)[i] != byte_of(writer, k, i);
    CHECK(wrong == 0, "entry %d of writer %d: %zu bytes differ", k, writer, wrong);
    free(data);
  }
}

/* AddressSanitizer's allocator keeps its locks as they were in a child of fork(): one that another thread held stays
** locked for ever. With it the child is made before there are other threads. */
#ifdef __SANITIZE_ADDRESS__
static const bool forks_first = true;
#else
static const bool forks_first = false;
#endif

static pid_t fork_writer(void) {
  int number = THREADS;
  const pid_t child = fork();
  if (child == 0) {
    put_all(&number);
    exit(0);
  }
  return child;
}

/* The process that writes: exits at once, without waiting. */
static void write_and_exit(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  pid_t child = forks_first ? fork_writer() : 0;
  for (int t = 0; t < THREADS; t++) {
    numbers[t] = t;
    if (pthread_create(&threads[t], NULL, put_all, &numbers[t]) != 0) exit(2);
  }
  if (!forks_first) child = fork_writer(); /* while the entries are being written */
  int status = -1;
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  waitpid(child, &status, 0);
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
}

int main(void) {
  char folder[] = "/tmp/dotcompute-test-XXXXXX", command[64];
  if (!mkdtemp(folder)) return 1;
  setenv("DOTCOMPUTE_CACHE", folder, 1);
  const pid_t child = fork();
  if (child == 0) write_and_exit();
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the writing process: status %d", status);
  for (int writer = 0; writer <= THREADS; writer++) check_all(writer);
  int n = 0;
  free(dc_cache_list(&n));
  CHECK(n == (THREADS + 1) * ENTRIES, "%d files", n);
  CHECK(dc_cache_clear().files == n, "files left");
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0) return 1;
  printf("%d checks, %d failures\n", checks, failures);
  return failures > 0;
}
