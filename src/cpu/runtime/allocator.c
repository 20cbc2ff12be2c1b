/*
** allocator.c - blocks inside one reserved range, cut into chunks of 2 MiB.
**
** A block of 64 KiB or more has a run of chunks to itself, its pages at the start of the run (so that huge pages fit),
** the next page being its guard; the last page of every run stays inaccessible, which guards the next run's start.
** Smaller blocks share chunks ("slabs"), one size class a chunk.  Each slot of a guarded slab has pages of its own and
** a guard.  A slot takes microseconds to make and is therefore kept for reuse; it takes two mappings, of which a
** process may have 65530.  An eighth of that number of slots is made, of single pages an eighth of that; further
** blocks are in packed slabs, without guards.
**
** The bookkeeping is outside of the range, out of reach of a kernel's stray writes.  The device's own spans are in
** zones far from arrays and from each other: a wrong 32-bit index in one does not reach the next.
*/
#include "cpu/runtime/allocator.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limit.h"
#include "cpu/runtime/cgroup.h"

#define CHUNK ((size_t)2 << 20)
#define PAGE ((size_t)4096)       /* the least size of a guard */
#define GRAIN ((size_t)256)
#define ARRAY_GRAIN ((size_t)64)  /* a cache line: vectors that cross lines cost up to 60 % */
#define HEAP_GRAIN ((size_t)16)
#define LARGE ((size_t)64 << 10)
#define TINY_CLASSES 3            /* packed, of blocks of the heap alone: 32, 64 and 128 */
#define TINY ((size_t)128)
#define PACKED_CLASSES (TINY_CLASSES + 28) /* 256 to 2048 in steps of 256, then four a doubling up to 65536 */
#define GUARDED_CLASSES ((int)(LARGE / PAGE)) /* one page, two … */
#define NCLASSES (PACKED_CLASSES + GUARDED_CLASSES)
#define EIGHTHS 512               /* classes of freed large blocks: eight a doubling */
#define LAZY ((size_t)4 << 20)    /* least size of a freed block whose pages the system may reclaim (MADV_FREE) */
#define IDLE_BYTES ((size_t)64 << 20) /* of free slots, beyond which empty slabs are unmapped */

/* Parts of the range, in 64ths, with unused gaps. */
enum { ARRAY_ZONE, SPAN_ZONES, NZONES = SPAN_ZONES + DC_SPAN_FRAMES + 1 };
static const struct { unsigned first, end; } zones[NZONES] = { { 8, 38 }, { 41, 44 }, { 46, 52 }, { 55, 61 } };

typedef enum span_kind { SPAN_LARGE, SPAN_SLAB, SPAN_OWN } span_kind;

/* A block of a slab. */
typedef struct small {
  uint32_t size; /* asked for, 0: free */
  uint32_t at;   /* from the slab's start */
} small;

/* The lists of a span, each newest first: all spans; the cache, or the slabs of a class with room; a size class of the
** cache. */
enum { ALL, LIST, CLASS, NLISTS };

/* A run of chunks in use. */
typedef struct span {
  struct { struct span *next, *prev; } link[NLISTS];
  uint8_t *run;             /* first byte of the first chunk */
  size_t chunks;
  uint8_t *start;           /* of the usable part, */
  size_t bytes;             /* and its length */
  span_kind kind;
  /* SPAN_LARGE */
  size_t size;              /* asked for; 0: free, in the cache */
  size_t room;              /* that with what aligns it */
  /* SPAN_SLAB */
  int cls;
  uint32_t stride;          /* from one slot to the next */
  uint32_t count, used, fresh, nfree; /* slots: all, live, the first never used one, in `free` */
  uint16_t *free;
  small *blocks;
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
  span *cached[EIGHTHS]; /* the newest of each class */
  size_t cache_bytes, cache_count, cache_limit, cache_most;
  span *room[NCLASSES]; /* slabs with a free slot */
  size_t guarded, guarded_limit; /* guarded slots */
  size_t one_page, one_page_limit; /* those of one page among them */
  size_t idle;          /* bytes of free slots */
  size_t in_use, total;
  uint8_t cls_of[LARGE / GRAIN + 1]; /* among the packed ones */
  uint32_t cls_bytes[NCLASSES];
};

/* --- the machine ---------------------------------------------------------------------------------------- */

/* Mappings that this process may have. */
static size_t machine_mappings(void) {
  FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
  if (f == NULL) return 65530;
  unsigned long long n;
  const size_t most = fscanf(f, "%llu", &n) == 1 ? (size_t)n : 65530;
  fclose(f);
  return most;
}

/* Memory that this process may use: the machine's, or the limit of its control group. */
static size_t machine_memory(size_t page) {
  const size_t total = (size_t)sysconf(_SC_PHYS_PAGES) * page;
  const size_t limit = dc_cgroup_own().bytes;
  return limit < total ? limit : total;
}

/* Memory available without swapping; SIZE_MAX when not known. */
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
  for (uint32_t b = 32; b <= TINY; b *= 2) m->cls_bytes[n++] = b;
  for (uint32_t b = 256; b <= 2048; b += 256) m->cls_bytes[n++] = b;
  for (uint32_t b = 2048; b < LARGE; b *= 2)
    for (uint32_t k = 1; k <= 4; k++) m->cls_bytes[n++] = b + b / 4 * k;
  for (size_t pages = 1; n < NCLASSES; pages++) m->cls_bytes[n++] = (uint32_t)(pages * m->page);
  for (size_t units = 1, c = TINY_CLASSES; units <= LARGE / GRAIN; units++) {
    if (units * GRAIN > m->cls_bytes[c]) c++;
    m->cls_of[units] = (uint8_t)c;
  }
}

/* Bytes of address space to reserve. */
#ifdef __SANITIZE_THREAD__ /* which has other uses for most addresses */
#define MOST_RESERVED ((size_t)64 << 30)
#else
#define MOST_RESERVED ((size_t)4 << 40)
#endif
#define LEAST_RESERVED ((size_t)512 << 20)
#define UNIT (64 * CHUNK) /* zones are whole chunks */

/* Where addresses are limited (ulimit -v), half of the rest: the compiler, threads and malloc need some too. */
static size_t reserve_at_most(void) {
  const size_t room = dc_address_room() / 2;
  return room < MOST_RESERVED ? room / UNIT * UNIT : MOST_RESERVED;
}

static int reserve(dc_memory *m, dc_error *err) {
  errno = ENOMEM;
  for (size_t want = reserve_at_most(); want >= LEAST_RESERVED; want = want / 2 / UNIT * UNIT) {
    uint8_t *p = mmap(NULL, want + CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    size_t skip = (CHUNK - (uintptr_t)p % CHUNK) % CHUNK;
    if (skip) munmap(p, skip);
    munmap(p + skip + want, CHUNK - skip);
    m->base = p + skip;
    m->reserved = want;
    return 0;
  }
  return dc_fail(err, DC_MEMORY, NULL,
                 "the CPU device could not reserve 512 MiB of addresses and leave as many to others: %s (ulimit -v)",
                 strerror(errno));
}

/* The zones as free runs. -1: no memory (host). */
static int make_zones(dc_memory *m) {
  size_t unit = m->reserved / CHUNK / 64;
  for (int z = NZONES; z-- > 0;) {
    run *r = malloc(sizeof *r);
    if (r == NULL) return -1;
    *r = (run){ m->runs, zones[z].first * unit, (zones[z].end - zones[z].first) * unit };
    m->runs = r;
  }
  return 0;
}

dc_memory *dc_memory_open(dc_error *err) {
  dc_memory *m = calloc(1, sizeof *m);
  if (m == NULL || reserve(m, err) != 0) {
    if (m == NULL) dc_fail_oom(err);
    free(m);
    return NULL;
  }
  pthread_mutex_init(&m->lock, NULL);
  size_t chunks = m->reserved / CHUNK;
  m->owner = mmap(NULL, chunks * sizeof *m->owner, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (m->owner == MAP_FAILED) m->owner = NULL;
  if (m->owner == NULL || make_zones(m) != 0) {
    dc_memory_close(m);
    dc_fail_oom(err);
    return NULL;
  }
  m->page = (size_t)sysconf(_SC_PAGESIZE);
  if (m->page < PAGE) m->page = PAGE;
  m->total = machine_memory((size_t)sysconf(_SC_PAGESIZE));
  m->cache_limit = dc_bytes_setting("DOTCOMPUTE_POOL", m->total / 8);
  m->guarded_limit = machine_mappings() / 8;
  m->cache_most = m->guarded_limit / 2;
  m->one_page_limit = m->guarded_limit / 8;
  make_classes(m);
  return m;
}

static void free_span(span *s) {
  if (s == NULL) return;
  free(s->free);
  free(s->blocks);
  free(s);
}

void dc_memory_close(dc_memory *m) {
  if (m == NULL) return;
  for (span *sp = m->newest, *older; sp; sp = older) {
    older = sp->link[ALL].next;
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

/* First fit from chunk `from` on. SIZE_MAX: there is none. */
static size_t take_run_from(dc_memory *m, size_t from, size_t count) {
  for (run **at = &m->runs; *at; at = &(*at)->next) {
    run *r = *at;
    if (r->first < from || r->count < count) continue;
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

/* From zone z on if there is room, else anywhere. */
static size_t take_run(dc_memory *m, int z, size_t count) {
  size_t first = take_run_from(m, zones[z].first * (m->reserved / CHUNK / 64), count);
  return first != SIZE_MAX ? first : take_run_from(m, 0, count);
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
    if (r == NULL) return; /* leaks these addresses, a few of 4 TiB */
    *r = (run){ after, first, count };
    *at = r;
  }
}

static size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

static size_t chunk_of(const dc_memory *m, const void *p) { return (size_t)((const uint8_t *)p - m->base) / CHUNK; }

static void push(span **list, span *s, int which) {
  s->link[which].prev = NULL;
  s->link[which].next = *list;
  if (*list) (*list)->link[which].prev = s;
  *list = s;
}

static void unlink_span(span **list, span *s, int which) {
  span *next = s->link[which].next, *prev = s->link[which].prev;
  if (prev) prev->link[which].next = next;
  else *list = next;
  if (next) next->link[which].prev = prev;
  s->link[which].next = s->link[which].prev = NULL;
}

static int make_usable(const dc_memory *m, uint8_t *start, size_t bytes) {
  return mprotect(start, round_up(bytes, m->page), PROT_READ | PROT_WRITE);
}

/* A run with its first or last `bytes` usable (last: up to the run's guard).  NULL with errno. */
static span *new_span(dc_memory *m, span_kind kind, int z, size_t reserve_bytes, size_t bytes, bool at_end) {
  span *s = calloc(1, sizeof *s);
  if (s == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  size_t count = (reserve_bytes + m->page + CHUNK - 1) / CHUNK, first = take_run(m, z, count);
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
  if (bytes && make_usable(m, page, (size_t)(s->start + bytes - page)) != 0) {
    int why = errno;
    give_run(m, first, count);
    free(s);
    errno = why;
    return NULL;
  }
  for (size_t i = 0; i < count; i++) m->owner[first + i] = s;
  push(&m->newest, s, ALL);
  return s;
}

static void end_span(dc_memory *m, span *s) {
  size_t first = chunk_of(m, s->run);
  /* a new mapping in its place: returns the pages and protects them in one call */
  mmap(s->run, s->chunks * CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  for (size_t i = 0; i < s->chunks; i++) m->owner[first + i] = NULL;
  give_run(m, first, s->chunks);
  unlink_span(&m->newest, s, ALL);
  free_span(s);
}

/* --- large blocks --------------------------------------------------------------------------------------- */

/* The size class: the highest bit and the three below it. */
static int eighth_of(size_t bytes) {
  int top = 63 - __builtin_clzll(bytes);
  return top * 8 + (int)(bytes >> (top - 3) & 7);
}

static void cache(dc_memory *m, span *s) {
  if (m->cache == NULL) m->cache_last = s;
  push(&m->cache, s, LIST);
  push(&m->cached[eighth_of(s->bytes)], s, CLASS);
  m->cache_bytes += s->bytes;
  m->cache_count++;
}

static void uncache(dc_memory *m, span *s) {
  if (m->cache_last == s) m->cache_last = s->link[LIST].prev;
  unlink_span(&m->cache, s, LIST);
  unlink_span(&m->cached[eighth_of(s->bytes)], s, CLASS);
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

/* Best fit among up to 16 freed blocks of a class, at most an eighth larger than asked for. */
static span *from_cache(dc_memory *m, size_t bytes) {
  const int cls = eighth_of(bytes);
  span *best = NULL;
  for (int c = cls; c <= cls + 1 && best == NULL; c++) {
    int looks = 16;
    for (span *s = m->cached[c]; s && looks-- > 0 && (best == NULL || best->bytes > bytes); s = s->link[CLASS].next)
      if (s->bytes >= bytes && s->bytes <= bytes + bytes / 8 && (best == NULL || s->bytes < best->bytes)) best = s;
  }
  if (best) uncache(m, best);
  return best;
}

static uint64_t large_address(const span *s) { return (uint64_t)(uintptr_t)(s->start + s->bytes - s->room); }

static uint64_t alloc_large(dc_memory *m, size_t n, size_t align) {
  size_t bytes = round_up(n, m->page);
  span *s = from_cache(m, bytes);
  if (s == NULL) {
    s = new_span(m, SPAN_LARGE, ARRAY_ZONE, bytes, bytes, false);
    if (s == NULL) { /* perhaps too many mappings: gives back those of the cache */
      drop_cache(m, 0, 0);
      s = new_span(m, SPAN_LARGE, ARRAY_ZONE, bytes, bytes, false);
    }
    if (s == NULL) return 0;
#ifdef MADV_HUGEPAGE
    if (bytes >= LAZY) madvise(s->start, bytes, MADV_HUGEPAGE);
#endif
  }
  s->size = n;
  s->room = round_up(n, align);
  m->in_use += s->bytes;
  return large_address(s);
}

static void free_large(dc_memory *m, span *s) {
  m->in_use -= s->bytes;
  s->size = 0;
#ifdef MADV_FREE
  if (s->bytes >= LAZY) madvise(s->start, s->bytes, MADV_FREE); /* the system may take the pages */
#endif
  cache(m, s);
  drop_cache(m, m->cache_limit, m->cache_most);
}

/* --- small blocks --------------------------------------------------------------------------------------- */

static bool guarded(int cls) { return cls >= PACKED_CLASSES; }

static bool may_guard_more(const dc_memory *m, int cls) {
  return m->guarded < m->guarded_limit && (cls != PACKED_CLASSES || m->one_page < m->one_page_limit);
}

/* n slots of a guarded class have been made, or (negative) removed. */
static void count_guarded(dc_memory *m, int cls, int64_t n) {
  m->guarded += (size_t)n;
  if (cls == PACKED_CLASSES) m->one_page += (size_t)n;
}

static span *new_slab(dc_memory *m, int cls) {
  uint32_t bytes = m->cls_bytes[cls], stride = guarded(cls) ? bytes + (uint32_t)m->page : bytes;
  uint32_t count = (uint32_t)((CHUNK - m->page) / stride);
  /* a guarded slot is committed at its first allocation */
  size_t all = (size_t)count * stride;
  span *s = new_span(m, SPAN_SLAB, ARRAY_ZONE, all, guarded(cls) ? 0 : all, !guarded(cls));
  if (s == NULL) return NULL;
  s->cls = cls;
  s->stride = stride;
  s->count = count;
  s->free = malloc(count * sizeof *s->free);
  s->blocks = calloc(count, sizeof *s->blocks);
  if (s->free == NULL || s->blocks == NULL) {
    end_span(m, s);
    errno = ENOMEM;
    return NULL;
  }
  push(&m->room[cls], s, LIST);
  return s;
}

static void end_slab(dc_memory *m, span *s) {
  unlink_span(&m->room[s->cls], s, LIST);
  if (guarded(s->cls)) count_guarded(m, s->cls, -(int64_t)s->fresh);
  m->idle -= (size_t)s->fresh * m->cls_bytes[s->cls];
  end_span(m, s);
}

/* The index of a free slot in a slab with room.  -1: no more may be made, or errno. */
static int64_t take_slot(dc_memory *m, span *s) {
  bool guards = guarded(s->cls);
  if (s->nfree) {
    m->idle -= m->cls_bytes[s->cls];
    return s->free[--s->nfree];
  }
  if (guards) {
    if (!may_guard_more(m, s->cls)) return -1;
    if (make_usable(m, s->start + (size_t)s->fresh * s->stride, m->cls_bytes[s->cls]) != 0) return -1;
    count_guarded(m, s->cls, 1);
  }
  return s->fresh++;
}

static uint64_t alloc_in(dc_memory *m, int cls, size_t n, size_t align) {
  span *s = m->room[cls];
  if (s == NULL && guarded(cls) && !may_guard_more(m, cls)) return 0;
  if (s == NULL && (s = new_slab(m, cls)) == NULL) return 0;
  int64_t i = take_slot(m, s);
  if (i < 0) return 0;
  size_t gap = guarded(cls) ? m->cls_bytes[cls] - round_up(n, align) : 0; /* its end is at the guard */
  s->blocks[i] = (small){ (uint32_t)n, (uint32_t)((size_t)i * s->stride + gap) };
  if (++s->used == s->count) unlink_span(&m->room[cls], s, LIST);
  m->in_use += m->cls_bytes[cls];
  return (uint64_t)(uintptr_t)s->start + s->blocks[i].at;
}

/* The packed class for a block. */
static int packed_class(const dc_memory *m, size_t n, size_t align) {
  if (align != HEAP_GRAIN || n > TINY) return m->cls_of[(n + GRAIN - 1) / GRAIN];
  return n <= 32 ? 0 : n <= 64 ? 1 : 2;
}

/* In a guarded slot, or packed when there are too many of those. */
static uint64_t alloc_small(dc_memory *m, size_t n, size_t align) {
  size_t pages = (n + m->page - 1) / m->page;
  uint64_t p = alloc_in(m, PACKED_CLASSES + (int)pages - 1, n, align);
  return p ? p : alloc_in(m, packed_class(m, n, align), n, align);
}

static bool free_small(dc_memory *m, span *s, uint64_t p) {
  uint64_t offset = p - (uint64_t)(uintptr_t)s->start, i = offset / s->stride; /* wraps when below: then too large */
  if (i >= s->fresh || s->blocks[i].size == 0 || s->blocks[i].at != offset) return false;
  s->blocks[i].size = 0;
  s->free[s->nfree++] = (uint16_t)i;
  m->in_use -= m->cls_bytes[s->cls];
  m->idle += m->cls_bytes[s->cls];
  if (s->used-- == s->count) push(&m->room[s->cls], s, LIST);
  if (s->used == 0 && (s->link[LIST].prev || s->link[LIST].next) && m->idle > IDLE_BYTES)
    end_slab(m, s); /* others have room */
  return true;
}

/* --- public functions ----------------------------------------------------------------------------------- */

static int fail_alloc(dc_memory *m, size_t n, size_t in_use, const char *why, dc_error *err) {
  char text[3][32];
  return dc_fail(err, DC_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
                 "cannot allocate %s on cpu: %s (%s of memory, of which arrays hold %s)",
                 dc_bytes_text(n, text[0], 32), why, dc_bytes_text(m->total, text[1], 32),
                 dc_bytes_text(in_use, text[2], 32));
}

static uint64_t allocate(dc_memory *m, size_t n, size_t align, dc_error *err) {
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
    p = alloc_small(m, n, align);
  } else {
    /* large enough to wake the OOM killer: compares with the available memory first */
    if (n >= (size_t)64 << 20 && n > m->cache_bytes) {
      size_t available = machine_available();
      if (n > available) drop_cache(m, 0, 0), available = machine_available();
      fits = n <= available;
    }
    if (fits) p = alloc_large(m, n, align);
  }
  int why = errno;
  pthread_mutex_unlock(&m->lock);
  if (p == 0) fail_alloc(m, n, in_use, fits ? strerror(why) : "the machine has less than that available", err);
  return p;
}

uint64_t dc_memory_alloc(dc_memory *m, size_t n, dc_error *err) { return allocate(m, n, GRAIN, err); }

uint64_t dc_memory_alloc_array(dc_memory *m, size_t n, dc_error *err) { return allocate(m, n, ARRAY_GRAIN, err); }

uint64_t dc_memory_alloc_heap(dc_memory *m, size_t n, dc_error *err) { return allocate(m, n, HEAP_GRAIN, err); }

size_t dc_memory_page(const dc_memory *m) { return m->page; }

static span *owner_of(const dc_memory *m, uint64_t address) {
  const uint64_t offset = address - (uint64_t)(uintptr_t)m->base; /* wraps when below: then too large */
  return offset < m->reserved ? m->owner[offset / CHUNK] : NULL;
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

size_t dc_memory_reserved(dc_memory *m) {
  pthread_mutex_lock(&m->lock);
  size_t bytes = m->in_use + m->cache_bytes + m->idle;
  pthread_mutex_unlock(&m->lock);
  return bytes;
}

void dc_memory_trim(dc_memory *m) {
  pthread_mutex_lock(&m->lock);
  drop_cache(m, 0, 0);
  for (int cls = 0; cls < NCLASSES; cls++)
    for (span *s = m->room[cls], *next; s; s = next) {
      next = s->link[LIST].next;
      if (s->used == 0) end_slab(m, s);
    }
  pthread_mutex_unlock(&m->lock);
}

/* Of dc_memory_find: the address, and the nearest block so far. */
typedef struct search {
  uint64_t address, distance, base;
  size_t size;
} search;

static void consider(search *q, uint64_t base, size_t size) {
  uint64_t past = q->address - base; /* wraps when before */
  uint64_t distance = q->address < base ? base - q->address : past < size ? 0 : past - size + 1;
  if (size == 0 || distance >= q->distance) return;
  q->distance = distance;
  q->base = base;
  q->size = size;
}

/* The live blocks of `s` around the address. */
static void search_span(search *q, const span *s) {
  uint64_t start = (uint64_t)(uintptr_t)s->start;
  if (s->kind == SPAN_LARGE && s->size) consider(q, large_address(s), s->size);
  if (s->kind != SPAN_SLAB || s->fresh == 0) return;
  uint64_t here = q->address < start ? 0 : (q->address - start) / s->stride;
  if (here >= s->fresh) here = s->fresh - 1;
  uint64_t below = here, above = here;
  while (below > 0 && s->blocks[below].size == 0) below--;
  do above++;
  while (above < s->fresh && s->blocks[above].size == 0);
  consider(q, start + s->blocks[below].at, s->blocks[below].size);
  if (above < s->fresh) consider(q, start + s->blocks[above].at, s->blocks[above].size);
}

bool dc_memory_find(dc_memory *m, uint64_t address, uint64_t *base, size_t *size) {
  search q = { address, CHUNK, 0, 0 };
  pthread_mutex_lock(&m->lock);
  span *last = NULL;
  for (int i = -1; i <= 1; i++) {
    span *s = owner_of(m, address + (uint64_t)((int64_t)i * (int64_t)CHUNK));
    if (s && s != last) search_span(&q, s);
    last = s;
  }
  pthread_mutex_unlock(&m->lock);
  *base = q.base;
  *size = q.size;
  return q.size != 0;
}

size_t dc_memory_share(const dc_memory *m, int n) {
  const unsigned units = zones[SPAN_ZONES + DC_SPAN_LOCAL].end - zones[SPAN_ZONES + DC_SPAN_LOCAL].first;
  const size_t each = m->reserved / 64 * units / (size_t)n / CHUNK * CHUNK;
  return each > CHUNK ? each - CHUNK : 0; /* one for the guard */
}

uint8_t *dc_memory_span(dc_memory *m, dc_span_use use, size_t reserve_bytes, size_t commit, dc_error *err) {
  pthread_mutex_lock(&m->lock);
  commit = round_up(commit, m->page);
  if (reserve_bytes < commit) reserve_bytes = commit;
  span *s = new_span(m, SPAN_OWN, SPAN_ZONES + (int)use, reserve_bytes, commit, false);
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
  commit = round_up(commit, m->page);
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
