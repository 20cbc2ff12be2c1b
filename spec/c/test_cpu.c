/*
** test_cpu.c - what Lua specs do not reach of the CPU device: its allocator against a record of what it gave,
** fork between launches, copies from wrong addresses, printf's formats, PTX forms no compiler writes.
** Prints "N passed, N failed".
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cpu/runtime/device.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/builtin.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/registry.h"

static int passed, failed;
static dc_error err = DC_ERROR_INIT;
static dc_device *dev;

static void check(bool ok, const char *what) {
  if (ok) {
    passed++;
    return;
  }
  failed++;
  fprintf(stderr, "FAILED: %s (%s)\n", what, dc_error_text(&err));
  dc_error_clear(&err);
}

/* --- memory ------------------------------------------------------------------------------------------- */

typedef struct block {
  uint64_t p;
  size_t n;
  uint8_t mark;
} block;

static size_t random_size(void) {
  switch (rand() % 4) {
    case 0: return 1 + (size_t)rand() % 256;
    case 1: return 1 + (size_t)rand() % 70000;
    case 2: return 1 + (size_t)rand() % (3 << 20);
    default: return 1 + (size_t)rand() % 4096;
  }
}

/* A block of n bytes; what it is aligned to, to *align. */
static uint64_t random_block(dc_memory *m, size_t n, size_t *align) {
  switch (rand() % 3) {
    case 0: *align = 16; return dc_memory_alloc_heap(m, n, &err);
    case 1: *align = 64; return dc_memory_alloc_array(m, n, &err);
    default: *align = 256; return dc_memory_alloc(m, n, &err);
  }
}

static bool marked(const block *b) {
  const uint8_t *bytes = (const uint8_t *)(uintptr_t)b->p;
  return bytes[0] == b->mark && bytes[b->n - 1] == b->mark && bytes[b->n / 2] == b->mark;
}

/* Random blocks come and go; each keeps what was written to it, so no two overlap. */
static void test_memory(void) {
  enum { LIVE = 300 };
  static block blocks[LIVE];
  dc_memory *m = dc_memory_open(&err);
  check(m != NULL, "memory opens");
  if (m == NULL) return;
  bool aligned = true, kept = true, found = true;
  size_t before, after, total;
  dc_memory_info(m, &before, &total);
  for (int i = 0; i < 20000; i++) {
    block *b = &blocks[rand() % LIVE];
    if (b->p) {
      kept = kept && marked(b);
      kept = kept && dc_memory_free(m, b->p) && !dc_memory_free(m, b->p);
    }
    b->n = random_size();
    b->mark = (uint8_t)rand();
    uint64_t base;
    size_t size, align;
    b->p = random_block(m, b->n, &align);
    if (b->p == 0) break;
    aligned = aligned && b->p % align == 0;
    found = found && dc_memory_find(m, b->p + b->n - 1, &base, &size) && base == b->p && size == b->n;
    uint8_t *bytes = (uint8_t *)(uintptr_t)b->p;
    bytes[0] = bytes[b->n / 2] = bytes[b->n - 1] = b->mark;
  }
  check(err.kind == DC_OK, "allocations succeed");
  check(aligned, "blocks are aligned to 256 bytes, arrays to 64, those of malloc to 16");
  check(kept, "blocks keep their contents, and are freed once");
  check(found, "a block is found by an address inside it");
  for (int i = 0; i < LIVE; i++) dc_memory_free(m, blocks[i].p);
  dc_memory_info(m, &after, &total);
  check(after + (64u << 20) >= before, "freed memory is free again");
  check(dc_memory_alloc(m, (size_t)1 << 50, &err) == 0 && err.kind == DC_MEMORY, "too much is an error");
  dc_error_clear(&err);
  check(!dc_memory_free(m, (uint64_t)(uintptr_t)&m), "an address from elsewhere is not freed");
  dc_memory_close(m);
}

static void read_byte(void *ud) {
  volatile uint8_t byte = *(const volatile uint8_t *)ud;
  (void)byte;
}

static bool readable(dc_memory *m, uint64_t p) {
  bool ok = dc_fault_guard(read_byte, (void *)(uintptr_t)p, m, &err) == 0;
  dc_error_clear(&err);
  return ok;
}

/* Whether reading downwards from a block faults when it leaves the block's first page, or `slack` bytes later. */
static bool guarded_before(dc_memory *m, uint64_t p, size_t slack) {
  uint64_t step = dc_memory_page(m), page = p / step * step, last = page - slack;
  while (page > last && readable(m, page - 1)) page -= step;
  return !readable(m, page - 1);
}

/* The byte behind a block, its size rounded up to what aligns it, faults; so does the page before its first, or,
** where a larger block may have been reused, what lies an eighth of its size further. */
static void test_guards(void) {
  dc_memory *m = dc_memory_open(&err);
  check(m != NULL, "memory opens");
  if (m == NULL) return;
  size_t page = dc_memory_page(m);
  bool inside = true, behind = true, before = true, nearest = true;
  for (int i = 0; i < 3000; i++) {
    size_t n = random_size(), align, size;
    uint64_t p = random_block(m, n, &align), base;
    uint64_t end = p + (n + align - 1) / align * align;
    inside = inside && readable(m, p) && readable(m, end - 1);
    behind = behind && !readable(m, end) && !readable(m, end + page - 1);
    before = before && guarded_before(m, p, n < 65536 ? 0 : n / 8 + page);
    nearest = nearest && dc_memory_find(m, end, &base, &size) && base == p && size == n;
    nearest = nearest && (p % page || (dc_memory_find(m, p - 1, &base, &size) && base == p && size == n));
    if (rand() % 3) dc_memory_free(m, p);
  }
  check(inside, "a block can be read to its end");
  check(behind, "the page behind a block cannot be touched");
  check(before, "what lies before a block cannot be touched");
  check(nearest, "the block nearest to an address is found");
  dc_memory_close(m);
}

/* More blocks than the system would give mappings for: arrays, and those of malloc, up to 200 bytes. */
static void test_many(void) {
  enum { MANY = 200000 };
  static uint64_t p[MANY];
  dc_memory *m = dc_memory_open(&err);
  check(m != NULL, "memory opens");
  if (m == NULL) return;
  bool kept = true, freed = true;
  for (int i = 0; i < MANY; i++) {
    const size_t n = sizeof i + (size_t)i % 197;
    p[i] = i & 1 ? dc_memory_alloc_array(m, sizeof i, &err) : dc_memory_alloc_heap(m, n, &err);
    if (p[i] && !(i & 1)) memset((void *)(uintptr_t)p[i], i, n);
    if (p[i]) *(int *)(uintptr_t)p[i] = i;
  }
  check(err.kind == DC_OK, "there is room for many small blocks");
  for (int i = 0; i < MANY; i++) {
    kept = kept && p[i] && *(int *)(uintptr_t)p[i] == i;
    freed = freed && dc_memory_free(m, p[i]);
  }
  check(kept && freed, "many small blocks keep their contents and are freed");
  check(dc_memory_reserved(m) < (72u << 20), "not many of them are kept");
  dc_memory_trim(m);
  check(dc_memory_reserved(m) == 0, "none are kept after a trim");
  check(!readable(m, dc_memory_alloc_array(m, 64, &err) + 64), "blocks that come after many have guards again");
  dc_memory_close(m);
}

/* --- printf --------------------------------------------------------------------------------------------- */

static void test_printf(void) {
  static const struct { uint32_t i; uint32_t pad; double d; uint64_t q; const char *s; uint32_t c; } args = {
    (uint32_t)-7, 0, 2.5, (uint64_t)1 << 40, "text", 'z' };
  dc_buf b = DC_BUF_INIT;
  int n = dc_printf_lane(&b, "%5d|%-8.2f|%llx|%.2s|%c|%%|%y", (const uint8_t *)&args);
  check(n == 5 && strcmp(dc_buf_str(&b), "   -7|2.50    |10000000000|te|z|%|%y") == 0, dc_buf_str(&b));
  dc_buf_reset(&b);
  static const struct { uint32_t w, v; uint64_t p; uint32_t c, pad; } more = { (uint32_t)-6, 255, 0, 511, 0 };
  dc_printf_lane(&b, "%*u|%p|%hhd", (const uint8_t *)&more);
  check(strcmp(dc_buf_str(&b), "255   |(nil)|-1") == 0, dc_buf_str(&b));
  dc_buf_free(&b);
}

/* --- launches ----------------------------------------------------------------------------------------------- */

static const char ptx[] =
  ".version 7.0\n.target sm_75\n.address_size 64\n"
  ".visible .entry add(.param .u64 p, .param .u32 n) {\n"
  " .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %q;\n"
  " ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
  " mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;\n"
  " setp.ge.u32 %q, %r5, %r1;\n"
  " @%q exit;\n"
  " mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2;\n"
  " ld.global.u32 %r4, [%d3]; add.u32 %r4, %r4, 1; st.global.u32 [%d3], %r4;\n"
  " ret; }\n"
  ".visible .entry table(.param .u64 p) {\n"
  " .reg .b32 %r<5>; .reg .b64 %d<4>; .reg .pred %q<3>;\n"
  " ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3;\n"
  " mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
  " list: .branchtargets A, B, C, A;\n"
  " brx.idx %r2, list;\n"
  "A: mov.u32 %r3, 100; bra D;\n"
  "B: mov.u32 %r3, 200; setp.gt.u32 %q1, %r1, 40; @%q1 ret; bra D;\n"
  "C: mov.u32 %r3, 300;\n"
  "D: mov.pred %q2, 1; @!%q2 mov.u32 %r3, 0; @%q2 add.u32 %r3, %r3, %r1; st.global.u32 [%d3], %r3; ret; }\n";

static int launch(dc_code *code, const char *name, uint32_t blocks, uint32_t threads, dc_ptr p, uint32_t n) {
  struct { dc_ptr p; uint64_t n; } params = { p, n };
  dc_function *fn;
  if (dev->code->function(dev, code, name, &fn, &err) != 0) return -1;
  dc_launch l = { .grid = { blocks, 1, 1 }, .block = { threads, 1, 1 } };
  l.params = &params;
  l.params_size = sizeof params;
  return dev->code->launch(dev, fn, &l, &err);
}

/* Adds 1 everywhere, in a launch long enough for all threads; true when that is what is there. */
static bool add_one(dc_code *code, uint32_t *x, uint32_t n, uint32_t want) {
  bool fine = launch(code, "add", (n + 255) / 256, 256, (dc_ptr)(uintptr_t)x, n) == 0;
  for (uint32_t i = 0; i < n; i++) fine = fine && x[i] == want;
  return fine;
}

static void test_fork(dc_code *code, uint32_t *x, uint32_t n) {
  memset(x, 0, n * sizeof *x);
  check(add_one(code, x, n, 1), "a launch before fork");
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit(add_one(code, x, n, 2) && add_one(code, x, n, 3) ? 0 : 1);
  int status = 1;
  check(waitpid(child, &status, 0) == child && status == 0, "launches in a child");
  check(add_one(code, x, n, 2), "a launch after fork");
}

static void test_launches(void) {
  enum { N = 1000003 };
  dc_registry_add(&dc_cpu_backend);
  dc_device_set *set = dc_device_set_take(&err);
  dev = set != NULL ? dc_device_find(set, "cpu", &err) : NULL;
  check(dev != NULL && dc_device_open(dev, &err) == 0, "the device opens");
  dc_code *code = NULL;
  dc_ptr p = 0;
  if (dev == NULL || dev->code->load(dev, ptx, sizeof ptx - 1, &code, &err) != 0 ||
      dc_device_alloc(dev, N * 4, &p, &err) != 0) {
    check(false, "code and memory");
    return;
  }
  uint32_t *x = (uint32_t *)(uintptr_t)p;
  test_fork(code, x, N);
  for (int i = 0; i < 64; i++) x[i] = 7;
  check(launch(code, "table", 1, 64, p, 0) == 0, "brx.idx runs");
  bool right = true;
  for (uint32_t i = 0; i < 64; i++) {
    static const uint32_t base[] = { 100, 200, 300, 100 };
    right = right && x[i] == (i % 4 == 1 && i > 40 ? 7 : base[i % 4] + i);
  }
  check(right, "brx.idx goes where its table says");
  uint32_t v;
  check(dc_device_to_host(dev, &v, 64, 4, &err) != 0 && strcmp(err.code, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0,
        "a copy from a wrong address is an error");
  dc_error_clear(&err);
  dev->code->unload(dev, code);
  dc_device_free(dev, p, N * 4);
}

int main(void) {
  const char *seed = getenv("DOTCOMPUTE_SPEC_SEED");
  srand(seed ? (unsigned)atoi(seed) : 1);
  test_memory();
  dc_fault_open();
  test_guards();
  test_many();
  dc_fault_close();
  test_printf();
  test_launches();
  dc_error_clear(&err);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
