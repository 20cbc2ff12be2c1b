/*
** sort.c - see sort.h.
**
** Short rows: as many as a cache line has keys are transposed, sorted as its columns by a network, and transposed back.
** Many others: a thread sorts some of them.  Few long ones: each is cut into chunks, one a thread or a little more,
** which are sorted at once and then merged in pairs; all threads share each merge, by parts of its result, and then
** make numbers of the sorted keys.
*/
#include "cpu/runtime/sort.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/move.h"
#include "cpu/lib/vqsort.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/pool.h"

#define LEAST_CHUNK ((size_t)1 << 15) /* fewer keys are sorted sooner than threads are woken */
#define PARTS 4                       /* of a thread, which balances load */
#define SHORT 1024                    /* the longest rows that a network sorts sooner */
#define FEW 4                         /* rows for which that is quicker than one after another */

typedef struct sorting {
  const dc_sort *p;
  size_t size;       /* of a key */
  size_t n;          /* keys of what is sorted now: a row, or all rows */
  size_t chunk;      /* keys */
  size_t row;        /* keys of a row, of many */
  int parts;         /* of each merge */
  const uint8_t *in;
  uint8_t *from, *to; /* chunks are sorted in `to`; merges alternate */
  atomic_bool odd;   /* there are NaN or -0 in the row that is sorted now */
  const dc_isa *ops;
  atomic_bool fails; /* out of memory */
} sorting;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* A chunk of one long row: sorted keys. */
static void sort_chunk(void *ud, int i) {
  sorting *s = ud;
  const dc_sort *p = s->p;
  const size_t first = (size_t)i * s->chunk, n = least(s->chunk, s->n - first);
  uint8_t *out = s->to + first * s->size;
  if (dc_vqsort_copy(p->dtype, p->descending, out, s->in + first * s->size, n))
    atomic_store_explicit(&s->odd, true, memory_order_relaxed);
  dc_vqsort_run(p->dtype, p->descending, out, n);
}

/* A chunk of whole rows. */
static void sort_rows(void *ud, int i) {
  sorting *s = ud;
  const dc_sort *p = s->p;
  const size_t first = (size_t)i * s->chunk, end = first + least(s->chunk, s->n - first);
  for (size_t k = first; k < end; k += s->row) {
    uint8_t *out = s->to + k * s->size;
    const uint8_t *in = s->in + k * s->size;
    const bool odd = dc_vqsort_copy(p->dtype, p->descending, out, in, s->row);
    dc_vqsort_run(p->dtype, p->descending, out, s->row);
    dc_vqsort_finish(p->dtype, out, s->row);
    if (odd) dc_vqsort_restore(p->dtype, p->descending, out, in, s->row);
  }
}

static void finish_part(void *ud, int i) {
  sorting *s = ud;
  const size_t first = (size_t)i * LEAST_CHUNK;
  dc_vqsort_finish(s->p->dtype, s->to + first * s->size, least(LEAST_CHUNK, s->n - first));
}

/* Merges chunks 2k and 2k + 1 of `from` into `to`: part i % parts of pair i / parts. */
static void merge_part(void *ud, int i) {
  sorting *s = ud;
  const size_t start = (size_t)(i / s->parts) * 2 * s->chunk, part = (size_t)(i % s->parts), parts = (size_t)s->parts;
  const size_t n = least(2 * s->chunk, s->n - start), left = least(s->chunk, n);
  const uint8_t *a = s->from + start * s->size;
  dc_vqsort_merge(s->p->dtype, s->p->descending, s->to + start * s->size, a, left, a + left * s->size, n - left,
                  n / parts * part, part + 1 == parts ? n : n / parts * (part + 1));
}

/* Rows `first` and behind it, `n` of them, as columns of keys. */
static void sort_columns(const sorting *s, uint8_t *keys, size_t first, size_t n) {
  const dc_sort *p = s->p;
  const size_t at = first * s->row * s->size, all = s->row * (DC_SORTED_BYTES / s->size);
  const int64_t line = DC_SORTED_BYTES, row = (int64_t)(s->row * s->size), length = (int64_t)s->row;
  dc_move_transposed((char *)keys, line, (const char *)s->in + at, row, length, (int64_t)n, s->size);
  const bool odd = dc_vqsort_copy(p->dtype, p->descending, keys, keys, all);
  s->ops->sort_columns(keys, s->row, s->size, dc_dtype_kind(p->dtype) != 'u');
  dc_vqsort_finish(p->dtype, keys, all);
  const uint8_t *sorted = p->descending ? keys + (length - 1) * line : keys;
  dc_move_transposed((char *)s->to + at, row, (const char *)sorted, p->descending ? -line : line, (int64_t)n, length,
                     s->size);
  for (size_t i = 0; odd && i < n; i++) {
    const size_t offset = at + i * (size_t)row;
    dc_vqsort_restore(p->dtype, p->descending, s->to + offset, s->in + offset, s->row);
  }
}

/* Some lines of short rows. */
static void sort_short_rows(void *ud, int i) {
  sorting *s = ud;
  const size_t keys_of_line = DC_SORTED_BYTES / s->size, bytes = s->row * DC_SORTED_BYTES;
  const size_t rows = s->n / s->row, chunk = s->chunk / s->row, end = least(rows, ((size_t)i + 1) * chunk);
  uint8_t *keys = aligned_alloc(DC_SORTED_BYTES, bytes);
  if (keys == NULL) {
    atomic_store(&s->fails, true);
    return;
  }
  memset(keys, 0, bytes); /* columns without a row */
  for (size_t k = (size_t)i * chunk; k < end; k += keys_of_line)
    sort_columns(s, keys, k, least(keys_of_line, end - k));
  free(keys);
}

static int count_of(size_t n, size_t chunk) { return (int)((n + chunk - 1) / chunk); }

/* A row by all threads, with `spare` as large as the row. */
static int sort_row(dc_cpu_device *cpu, sorting *s, uint8_t *out, uint8_t *spare, dc_error *err) {
  const int threads = cpu->pool->nthreads;
  int merges = 0;
  while (1 << merges < threads && s->n >> (merges + 1) >= LEAST_CHUNK) merges++;
  s->chunk = (s->n + ((size_t)1 << merges) - 1) >> merges;
  s->odd = false;
  s->to = merges % 2 ? spare : out;
  int rc = dc_pool_each(cpu, count_of(s->n, s->chunk), sort_chunk, s, err);
  for (; s->chunk < s->n && rc == 0; s->chunk *= 2) {
    const int pairs = count_of(s->n, 2 * s->chunk);
    s->parts = (PARTS * threads + pairs - 1) / pairs;
    s->from = s->to;
    s->to = s->from == out ? spare : out;
    rc = dc_pool_each(cpu, pairs * s->parts, merge_part, s, err);
  }
  s->to = out;
  if (rc == 0 && dc_dtype_kind(s->p->dtype) == 'f')
    rc = dc_pool_each(cpu, count_of(s->n, LEAST_CHUNK), finish_part, s, err);
  if (rc == 0 && s->odd) dc_vqsort_restore(s->p->dtype, s->p->descending, out, s->in, s->n);
  return rc;
}

static int sort_long_rows(dc_cpu_device *cpu, sorting *s, dc_error *err) {
  const size_t bytes = (size_t)s->p->length * s->size;
  const dc_ptr spare = dc_memory_alloc(cpu->memory, bytes, err);
  if (spare == 0) return -1;
  int rc = 0;
  s->n = (size_t)s->p->length;
  for (int64_t r = 0; r < s->p->rows && rc == 0; r++) {
    s->in = (const uint8_t *)(uintptr_t)s->p->in + (size_t)r * bytes;
    rc = sort_row(cpu, s, (uint8_t *)(uintptr_t)s->p->out + (size_t)r * bytes, (uint8_t *)(uintptr_t)spare, err);
  }
  dc_memory_free(cpu->memory, spare);
  return rc;
}

/* In parts of a multiple of `group` rows. */
static int sort_many_rows(dc_cpu_device *cpu, sorting *s, size_t group, void (*sort)(void *ud, int i), dc_error *err) {
  const size_t rows = (size_t)s->p->rows, length = (size_t)s->p->length, all = rows * length;
  const size_t parts = least(least(rows, (size_t)(PARTS * cpu->pool->nthreads)), 1 + all / LEAST_CHUNK);
  s->n = all;
  s->row = length;
  s->chunk = ((rows + parts - 1) / parts + group - 1) / group * group * length;
  s->in = (const uint8_t *)(uintptr_t)s->p->in;
  s->to = (uint8_t *)(uintptr_t)s->p->out;
  const int rc = dc_pool_each(cpu, count_of(all, s->chunk), sort, s, err);
  return rc == 0 && s->fails ? dc_fail_oom(err) : rc;
}

/* Integers, and floats, which are sorted as such. */
static bool has_short_rows(const dc_sort *p) {
  const char kind = dc_dtype_kind(p->dtype);
  return (kind == 'i' || kind == 'u' || kind == 'f') && p->length <= SHORT && p->rows >= FEW;
}

int dc_cpu_sort(dc_device *dev, const dc_sort *p, bool *sorted, dc_error *err) {
  dc_cpu_device *cpu = dev->impl;
  dc_error missing = DC_ERROR_INIT;
  sorting s = { .p = p, .size = dc_dtype_size(p->dtype), .ops = cpu->ops };
  if (has_short_rows(p)) {
    *sorted = true;
    return sort_many_rows(cpu, &s, DC_SORTED_BYTES / s.size, sort_short_rows, err);
  }
  if (dc_vqsort_load(&missing) != 0) {
    dc_error_clear(&missing);
    return 0;
  }
  if (!dc_vqsort_prepare(p->dtype)) return 0;
  const bool few = p->rows < cpu->pool->nthreads && (size_t)p->length >= 2 * LEAST_CHUNK;
  const int rc = few ? sort_long_rows(cpu, &s, err) : sort_many_rows(cpu, &s, 1, sort_rows, err);
  *sorted = rc == 0;
  return rc;
}
