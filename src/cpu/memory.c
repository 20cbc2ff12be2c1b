/*
** memory.c - blocks inside one reserved range, cut into chunks of 2 MiB.
**
** A block of 64 KiB or more has a run of chunks to itself, its pages at the start of the run (so that huge
** pages fit) and its end at the first page left untouchable; the last page of every run stays so, which
** guards the next run's start.  Smaller blocks share chunks ("slabs"), one size class a chunk.  What is
** known about blocks lies outside of the range, where a kernel that runs wild cannot write.
*/
#include "cpu/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK ((size_t)2 << 20)
#define PAGE ((size_t)4096)       /* guards; a host's larger pages are seen to in dc_memory_open */
#define GRAIN ((size_t)256)
#define LARGE ((size_t)64 << 10)
#define NCLASSES 28               /* 256 to 2048 in steps of 256, then four a doubling up to 65536 */
#define CACHED_SPANS 64

typedef enum span_kind { SPAN_LARGE, SPAN_SLAB, SPAN_OWN } span_kind;

/* A run of chunks in use. */
typedef struct span {
  struct span *prev, *next; /* in the cache (newest first), or among the slabs of a class with room */
  struct span *older, *newer; /* among all */
  uint8_t *run;             /* first byte of the first chunk */
  size_t chunks;
  uint8_t *start;           /* of the usable part, */
  size_t bytes;             /* and its length */
  span_kind kind;
  /* SPAN_LARGE */
  size_t size;              /* asked for; 0: free, in the cache */
  /* SPAN_SLAB */
  int cls;
  uint32_t count, used, fresh, nfree; /* blocks: all, live, never given out from here on, in `free` */
  uint16_t *free;
  uint32_t *sizes;          /* asked for, 0: free */
} span;

/* Chunks not in use. */
typedef struct run {
  struct run *next; /* in order of address */
  size_t first, count;
} run;

struct dc_memory {
  pthread_mutex_t lock;
  uint8_t *base;
  size_t reserved, page;
  span **owner;         /* of each chunk */
  span *newest;         /* all spans */
  run *runs;
  span *cache, *cache_last;
  size_t cache_bytes, cache_count, cache_limit;
  span *room[NCLASSES]; /* slabs with a free block */
  size_t in_use, total;
  uint8_t cls_of[LARGE / GRAIN + 1];
  uint32_t cls_bytes[NCLASSES];
};

/* --- the machine ---------------------------------------------------------------------------------------- */

/* The number in a file, or `otherwise`. */
static size_t number_in(const char *path, size_t otherwise) {
  FILE *f = fopen(path, "re");
  if (f == NULL) return otherwise;
  unsigned long long v;
  size_t n = fscanf(f, "%llu", &v) == 1 ? (size_t)v : otherwise; /* "max" is no number */
  fclose(f);
  return n;
}

/* Memory that this process may have: the machine's, or its container's. */
static size_t machine_memory(size_t page) {
  size_t total = (size_t)sysconf(_SC_PHYS_PAGES) * page;
  size_t v2 = number_in("/sys/fs/cgroup/memory.max", SIZE_MAX);
  size_t v1 = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", SIZE_MAX);
  if (v2 < total) total = v2;
  return v1 < total ? v1 : total;
}

/* What the machine could still give without swapping; SIZE_MAX when it does not say. */
static size_t machine_available(void) {
  FILE *f = fopen("/proc/meminfo", "re");
  if (f == NULL) return SIZE_MAX;
  char line[128];
  unsigned long long kib;
  size_t available = SIZE_MAX;
  while (available == SIZE_MAX && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %llu", &kib) == 1) available = (size_t)kib << 10;
  fclose(f);
  return available;
}

/* --- opening and closing -------------------------------------------------------------------------------- */

static void make_classes(dc_memory *m) {
  int n = 0;
  for (uint32_t b = 256; b <= 2048; b += 256) m->cls_bytes[n++] = b;
  for (uint32_t b = 2048; b < LARGE; b *= 2)
    for (uint32_t k = 1; k <= 4; k++) m->cls_bytes[n++] = b + b / 4 * k;
  for (size_t units = 1, c = 0; units <= LARGE / GRAIN; units++) {
    if (units * GRAIN > m->cls_bytes[c]) c++;
    m->cls_of[units] = (uint8_t)c;
  }
}

/* As much of the address space as the process may have, at a multiple of the chunk. */
static int reserve(dc_memory *m, dc_error *err) {
  for (size_t want = (size_t)4 << 40; want >= (size_t)1 << 30; want /= 2) {
    uint8_t *p = mmap(NULL, want + CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    size_t skip = (CHUNK - (uintptr_t)p % CHUNK) % CHUNK;
    if (skip) munmap(p, skip);
    munmap(p + skip + want, CHUNK - skip);
    m->base = p + skip;
    m->reserved = want;
    return 0;
  }
  return dc_fail(err, DC_MEMORY, NULL, "the CPU device could not reserve 1 GiB of addresses: %s (see ulimit -v)",
                 strerror(errno));
}

dc_memory *dc_memory_open(dc_error *err) {
  dc_memory *m = calloc(1, sizeof *m);
  run *all = calloc(1, sizeof *all);
  if (m == NULL || all == NULL || reserve(m, err) != 0) {
    if (m == NULL || all == NULL) dc_fail_oom(err);
    free(m);
    free(all);
    return NULL;
  }
  pthread_mutex_init(&m->lock, NULL);
  size_t chunks = m->reserved / CHUNK;
  m->owner = mmap(NULL, chunks * sizeof *m->owner, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *all = (run){ NULL, chunks / 8, chunks - chunks / 4 }; /* an eighth at each end stays out of reach of wild indices */
  m->runs = all;
  if (m->owner == MAP_FAILED) {
    m->owner = NULL;
    dc_memory_close(m);
    dc_fail_oom(err);
    return NULL;
  }
  m->page = (size_t)sysconf(_SC_PAGESIZE);
  if (m->page < PAGE) m->page = PAGE;
  m->total = machine_memory((size_t)sysconf(_SC_PAGESIZE));
  m->cache_limit = m->total / 8 < (size_t)1 << 30 ? m->total / 8 : (size_t)1 << 30;
  make_classes(m);
  return m;
}

static void free_span(span *s) {
  if (s == NULL) return;
  free(s->free);
  free(s->sizes);
  free(s);
}

void dc_memory_close(dc_memory *m) {
  if (m == NULL) return;
  for (span *sp = m->newest, *older; sp; sp = older) {
    older = sp->older;
    free_span(sp);
  }
  if (m->owner != NULL) munmap(m->owner, m->reserved / CHUNK * sizeof *m->owner);
  for (run *r = m->runs, *next; r; r = next) {
    next = r->next;
    free(r);
  }
  munmap(m->base, m->reserved);
  pthread_mutex_destroy(&m->lock);
  free(m);
}

void dc_memory_lock(dc_memory *m) { pthread_mutex_lock(&m->lock); }
void dc_memory_unlock(dc_memory *m) { pthread_mutex_unlock(&m->lock); }

/* --- runs of chunks; the lock is held from here on ------------------------------------------------------ */

/* First fit. SIZE_MAX: there is none. */
static size_t take_run(dc_memory *m, size_t count) {
  for (run **at = &m->runs; *at; at = &(*at)->next) {
    run *r = *at;
    if (r->count < count) continue;
    size_t first = r->first;
    r->first += count;
    r->count -= count;
    if (r->count == 0) {
      *at = r->next;
      free(r);
    }
    return first;
  }
  return SIZE_MAX;
}

static void give_run(dc_memory *m, size_t first, size_t count) {
  run **at = &m->runs, *before = NULL;
  while (*at && (*at)->first < first) {
    before = *at;
    at = &before->next;
  }
  run *after = *at;
  if (before && before->first + before->count == first) {
    before->count += count;
    if (after && before->first + before->count == after->first) {
      before->count += after->count;
      before->next = after->next;
      free(after);
    }
  } else if (after && first + count == after->first) {
    after->first = first;
    after->count += count;
  } else {
    run *r = malloc(sizeof *r);
    if (r == NULL) return; /* these addresses are lost; there are many */
    *r = (run){ after, first, count };
    *at = r;
  }
}

static size_t chunk_of(const dc_memory *m, const void *p) { return (size_t)((const uint8_t *)p - m->base) / CHUNK; }

/* A run with its first or last `bytes` usable (last: the end at the run's untouchable page). NULL with errno. */
static span *new_span(dc_memory *m, span_kind kind, size_t reserve_bytes, size_t bytes, bool at_end) {
  span *s = calloc(1, sizeof *s);
  if (s == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  size_t count = (reserve_bytes + m->page + CHUNK - 1) / CHUNK, first = take_run(m, count);
  if (first == SIZE_MAX) {
    free(s);
    errno = ENOMEM;
    return NULL;
  }
  s->run = m->base + first * CHUNK;
  s->chunks = count;
  s->kind = kind;
  s->bytes = bytes;
  s->start = at_end ? s->run + count * CHUNK - m->page - bytes : s->run;
  uint8_t *page = s->start - (uintptr_t)s->start % m->page;
  size_t length = (size_t)(s->start + bytes - page);
  if (bytes && mprotect(page, (length + m->page - 1) / m->page * m->page, PROT_READ | PROT_WRITE) != 0) {
    int why = errno;
    give_run(m, first, count);
    free(s);
    errno = why;
    return NULL;
  }
  for (size_t i = 0; i < count; i++) m->owner[first + i] = s;
  s->older = m->newest;
  if (s->older) s->older->newer = s;
  m->newest = s;
  return s;
}

static void end_span(dc_memory *m, span *s) {
  size_t first = chunk_of(m, s->run);
  /* a new mapping over it: pages back to the system and untouchable in one call */
  mmap(s->run, s->chunks * CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  for (size_t i = 0; i < s->chunks; i++) m->owner[first + i] = NULL;
  give_run(m, first, s->chunks);
  if (s->newer) s->newer->older = s->older;
  else m->newest = s->older;
  if (s->older) s->older->newer = s->newer;
  free_span(s);
}

/* --- large blocks --------------------------------------------------------------------------------------- */

static void uncache(dc_memory *m, span *s) {
  if (s->prev) s->prev->next = s->next;
  else m->cache = s->next;
  if (s->next) s->next->prev = s->prev;
  else m->cache_last = s->prev;
  s->prev = s->next = NULL;
  m->cache_bytes -= s->bytes;
  m->cache_count--;
}

static void drop_cache(dc_memory *m, size_t keep_bytes, size_t keep_count) {
  while (m->cache_last && (m->cache_bytes > keep_bytes || m->cache_count > keep_count)) {
    span *s = m->cache_last;
    uncache(m, s);
    end_span(m, s);
  }
}

/* The smallest freed block that fits with at most an eighth to spare. */
static span *from_cache(dc_memory *m, size_t bytes) {
  span *best = NULL;
  for (span *s = m->cache; s; s = s->next)
    if (s->bytes >= bytes && s->bytes <= bytes + bytes / 8 && (best == NULL || s->bytes < best->bytes)) best = s;
  if (best) uncache(m, best);
  return best;
}

static uint64_t large_address(const span *s) {
  return (uint64_t)(uintptr_t)(s->start + s->bytes - (s->size + GRAIN - 1) / GRAIN * GRAIN);
}

static uint64_t alloc_large(dc_memory *m, size_t n) {
  size_t bytes = (n + m->page - 1) / m->page * m->page;
  span *s = from_cache(m, bytes);
  if (s == NULL) {
    s = new_span(m, SPAN_LARGE, bytes, bytes, false);
    if (s == NULL) { /* perhaps too many mappings: those of the cache can go */
      drop_cache(m, 0, 0);
      s = new_span(m, SPAN_LARGE, bytes, bytes, false);
    }
    if (s == NULL) return 0;
#ifdef MADV_HUGEPAGE
    if (bytes >= 2 * CHUNK) madvise(s->start, bytes, MADV_HUGEPAGE);
#endif
  }
  s->size = n;
  m->in_use += s->bytes;
  return large_address(s);
}

static void free_large(dc_memory *m, span *s) {
  m->in_use -= s->bytes;
  s->size = 0;
  s->prev = NULL;
  s->next = m->cache;
  if (m->cache) m->cache->prev = s;
  else m->cache_last = s;
  m->cache = s;
  m->cache_bytes += s->bytes;
  m->cache_count++;
  drop_cache(m, m->cache_limit, CACHED_SPANS);
}

/* --- small blocks --------------------------------------------------------------------------------------- */

static void link_room(dc_memory *m, span *s) {
  s->prev = NULL;
  s->next = m->room[s->cls];
  if (s->next) s->next->prev = s;
  m->room[s->cls] = s;
}

static void unlink_room(dc_memory *m, span *s) {
  if (s->prev) s->prev->next = s->next;
  else m->room[s->cls] = s->next;
  if (s->next) s->next->prev = s->prev;
  s->prev = s->next = NULL;
}

static span *new_slab(dc_memory *m, int cls) {
  uint32_t count = (uint32_t)((CHUNK - m->page) / m->cls_bytes[cls]);
  size_t bytes = (size_t)count * m->cls_bytes[cls];
  span *s = new_span(m, SPAN_SLAB, bytes, bytes, true);
  if (s == NULL) return NULL;
  s->cls = cls;
  s->count = count;
  s->free = malloc(count * sizeof *s->free);
  s->sizes = calloc(count, sizeof *s->sizes);
  if (s->free == NULL || s->sizes == NULL) {
    end_span(m, s);
    return NULL;
  }
  link_room(m, s);
  return s;
}

static uint64_t alloc_small(dc_memory *m, size_t n) {
  int cls = m->cls_of[(n + GRAIN - 1) / GRAIN];
  span *s = m->room[cls];
  if (s == NULL && (s = new_slab(m, cls)) == NULL) return 0;
  uint32_t i = s->nfree ? s->free[--s->nfree] : s->fresh++;
  s->sizes[i] = (uint32_t)n;
  if (++s->used == s->count) unlink_room(m, s);
  m->in_use += m->cls_bytes[cls];
  return (uint64_t)(uintptr_t)s->start + (uint64_t)i * m->cls_bytes[cls];
}

static bool free_small(dc_memory *m, span *s, uint64_t p) {
  uint32_t size = m->cls_bytes[s->cls];
  uint64_t offset = p - (uint64_t)(uintptr_t)s->start; /* wraps when below: then too large */
  if (offset % size != 0 || offset / size >= s->fresh || s->sizes[offset / size] == 0) return false;
  uint32_t i = (uint32_t)(offset / size);
  s->sizes[i] = 0;
  s->free[s->nfree++] = (uint16_t)i;
  m->in_use -= size;
  if (s->used-- == s->count) link_room(m, s);
  if (s->used == 0 && (s->prev || s->next)) { /* others have room: this one can go */
    unlink_room(m, s);
    end_span(m, s);
  }
  return true;
}

/* --- the face ------------------------------------------------------------------------------------------- */

static int fail_alloc(dc_memory *m, size_t n, size_t in_use, const char *why, dc_error *err) {
  return dc_fail(err, DC_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
                 "%zu bytes cannot be allocated on the CPU device: %s (memory %zu bytes, of which arrays hold %zu)", n,
                 why, m->total, in_use);
}

uint64_t dc_memory_alloc(dc_memory *m, size_t n, dc_error *err) {
  pthread_mutex_lock(&m->lock);
  size_t in_use = m->in_use;
  if (n > m->total || n > m->total - in_use) {
    pthread_mutex_unlock(&m->lock);
    fail_alloc(m, n, in_use, n > m->total ? "that is more than it has" : "that is more than is free", err);
    return 0;
  }
  uint64_t p = 0;
  bool fits = true;
  if (n < LARGE) {
    p = alloc_small(m, n);
  } else {
    /* large enough to make the system kill somebody: ask it first */
    if (n >= (size_t)64 << 20 && n > m->cache_bytes) {
      size_t available = machine_available();
      if (n > available) drop_cache(m, 0, 0), available = machine_available();
      fits = n <= available;
    }
    if (fits) p = alloc_large(m, n);
  }
  int why = errno;
  pthread_mutex_unlock(&m->lock);
  if (p == 0) fail_alloc(m, n, in_use, fits ? strerror(why) : "the machine has less than that available", err);
  return p;
}

bool dc_memory_within(const dc_memory *m, uint64_t address) {
  return address - (uint64_t)(uintptr_t)m->base < m->reserved;
}

static span *owner_of(const dc_memory *m, uint64_t address) {
  return dc_memory_within(m, address) ? m->owner[(address - (uint64_t)(uintptr_t)m->base) / CHUNK] : NULL;
}

bool dc_memory_free(dc_memory *m, uint64_t p) {
  if (p == 0) return true;
  pthread_mutex_lock(&m->lock);
  span *s = owner_of(m, p);
  bool known = false;
  if (s && s->kind == SPAN_SLAB) {
    known = free_small(m, s, p);
  } else if (s && s->kind == SPAN_LARGE && s->size && p == large_address(s)) {
    free_large(m, s);
    known = true;
  }
  pthread_mutex_unlock(&m->lock);
  return known;
}

void dc_memory_info(dc_memory *m, size_t *free_bytes, size_t *total_bytes) {
  size_t available = machine_available();
  pthread_mutex_lock(&m->lock);
  size_t left = m->total > m->in_use ? m->total - m->in_use : 0;
  if (available != SIZE_MAX && available + m->cache_bytes < left) left = available + m->cache_bytes;
  *free_bytes = left;
  *total_bytes = m->total;
  pthread_mutex_unlock(&m->lock);
}

/* The live block of `s` that holds the address or lies nearest below it. */
static bool find_in(const dc_memory *m, const span *s, uint64_t address, uint64_t *base, size_t *size) {
  uint64_t start = (uint64_t)(uintptr_t)s->start;
  if (s->kind == SPAN_LARGE && s->size && address >= large_address(s)) {
    *base = large_address(s);
    *size = s->size;
    return true;
  }
  if (s->kind != SPAN_SLAB || address < start || s->fresh == 0) return false;
  uint64_t i = (address - start) / m->cls_bytes[s->cls];
  if (i >= s->fresh) i = s->fresh - 1;
  while (i > 0 && s->sizes[i] == 0) i--;
  *base = start + i * m->cls_bytes[s->cls];
  *size = s->sizes[i];
  return s->sizes[i] != 0;
}

bool dc_memory_find(dc_memory *m, uint64_t address, uint64_t *base, size_t *size) {
  pthread_mutex_lock(&m->lock);
  span *s = owner_of(m, address);
  bool found = s && find_in(m, s, address, base, size);
  if (!found && (s = owner_of(m, address - CHUNK)) != NULL) found = find_in(m, s, address, base, size);
  pthread_mutex_unlock(&m->lock);
  return found;
}

uint8_t *dc_memory_span(dc_memory *m, size_t reserve_bytes, size_t commit, dc_error *err) {
  pthread_mutex_lock(&m->lock);
  commit = (commit + m->page - 1) / m->page * m->page;
  span *s = new_span(m, SPAN_OWN, reserve_bytes < commit ? commit : reserve_bytes, commit, false);
  int why = errno;
  pthread_mutex_unlock(&m->lock);
  if (s == NULL) {
    fail_alloc(m, commit, m->in_use, strerror(why), err);
    return NULL;
  }
  return s->start;
}

int dc_memory_commit(dc_memory *m, uint8_t *start, size_t commit, dc_error *err) {
  pthread_mutex_lock(&m->lock);
  span *s = owner_of(m, (uint64_t)(uintptr_t)start);
  commit = (commit + m->page - 1) / m->page * m->page;
  int rc = 0, why = 0;
  if (commit > s->bytes) {
    rc = mprotect(s->start, commit, PROT_READ | PROT_WRITE);
    why = errno;
    if (rc == 0) s->bytes = commit;
  }
  pthread_mutex_unlock(&m->lock);
  return rc == 0 ? 0 : fail_alloc(m, commit, m->in_use, strerror(why), err);
}

void dc_memory_span_free(dc_memory *m, uint8_t *start) {
  if (start == NULL) return;
  pthread_mutex_lock(&m->lock);
  end_span(m, owner_of(m, (uint64_t)(uintptr_t)start));
  pthread_mutex_unlock(&m->lock);
}
