/*
** vqsort.c - see vqsort.h.
**
** The library is C++: its functions are bound by their mangled names, which its soname keeps.  They are members of a
** class without state that is used, and their last parameter, an empty struct, takes no register: the System V ABI for
** x86-64 and AArch64's procedure call standard agree on that.
**
** Floats are sorted as signed integers of the same order: the library's functions for floats (of version 1.0.3) may
** give the least finite number in place of -inf.  In that form zeros are one number, and so are NaN, which come last.
** Zeros and NaN of a row that has -0 or NaN are then written again from the input, in its order: so the sort is stable.
**
** The library chooses an instruction set for all its functions.  Its code for AVX-512 partitions keys of 32 bits by
** storing parts of vectors to memory (vpcompressd), which takes Zen 4 some 20 ns: sorting then takes ten times as long
** as with AVX2.  Keys of 64 and 16 bits are sorted faster with AVX-512 there, too.
*/
#include "cpu/lib/vqsort.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/library.h"

typedef void sort_fn(const void *sorter, void *keys, size_t n);

/* X(dtype, C type of its keys, C++'s mangled name of that type) */
#define SORTED(X)                                                                                                      \
  X(DC_INT16, int16_t, s)                                                                                              \
  X(DC_UINT16, uint16_t, t)                                                                                            \
  X(DC_INT32, int32_t, i)                                                                                              \
  X(DC_UINT32, uint32_t, j)                                                                                            \
  X(DC_INT64, int64_t, l)                                                                                              \
  X(DC_UINT64, uint64_t, m)                                                                                            \
  X(DC_FLOAT16, int16_t, s)                                                                                            \
  X(DC_BFLOAT16, int16_t, s)                                                                                           \
  X(DC_FLOAT32, int32_t, i)                                                                                            \
  X(DC_FLOAT64, int64_t, l)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static dc_buf why;
static bool loaded;
static void *sorter[8]; /* the class's object: one unused pointer */
static sort_fn *functions[DC_NDTYPES][2]; /* ascending, descending */

#define AVX512_TARGETS (INT64_C(1) << 7 | INT64_C(1) << 8) /* HWY_AVX3_DL, HWY_AVX3 */
static void (*disable_targets)(int64_t targets); /* NULL where all are fast */

static bool stores_parts_slowly(void) {
#if defined(__x86_64__)
  return __builtin_cpu_is("amdfam19h") && __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

static void load(void) {
  static const char *const sonames[] = { "libhwy_contrib.so.1", NULL };
  void (*construct)(void *self);
  void *lib = dc_library_open("DOTCOMPUTE_HIGHWAY", false, sonames, NULL, &why);
  loaded = lib != NULL && dc_library_bind(lib, "_ZN3hwy6SorterC1Ev", &construct);
#define BIND(dtype, type, letter)                                                                                      \
  loaded = loaded &&                                                                                                   \
           dc_library_bind(lib, "_ZNK3hwy6SorterclEP" #letter "mNS_13SortAscendingE", &functions[dtype][0]) &&         \
           dc_library_bind(lib, "_ZNK3hwy6SorterclEP" #letter "mNS_14SortDescendingE", &functions[dtype][1]);
  SORTED(BIND)
  if (lib != NULL && !loaded) dc_buf_puts(&why, "the library found lacks hwy::Sorter\n");
  if (loaded) construct(sorter);
  if (loaded && stores_parts_slowly()) dc_library_bind(lib, "_ZN3hwy14DisableTargetsEl", &disable_targets);
}

int dc_vqsort_load(dc_error *err) {
  pthread_once(&once, load);
  if (loaded) return 0;
  return dc_library_missing(err, &why, "vectorized sorting on the CPU device needs Highway's libhwy_contrib, which was "
                            "not found: install it (Debian: apt install libhwy1), or set DOTCOMPUTE_HIGHWAY to its "
                            "file; without it sorting takes longer");
}

bool dc_vqsort_prepare(dc_dtype t) {
  if (functions[t][0] == NULL) return false;
  /* Threads that sort keys of other widths meanwhile have either instruction set, which gives the same keys. */
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int64_t disabled;
  const int64_t targets = dc_dtype_size(t) == 4 ? AVX512_TARGETS : 0;
  pthread_mutex_lock(&lock);
  if (disable_targets != NULL && disabled != targets) disable_targets(disabled = targets);
  pthread_mutex_unlock(&lock);
  return true;
}

/* --- floats and keys ------------------------------------------------------------------------------------- */

/* keys_*: the bits of floats as signed integers of the same order, 16 bytes at a time (of 64 bits one by one, for which
** SSE2 has no comparisons), by turning negative numbers round.  -0 becomes 0 and NaN becomes `last`; true: there are
** some.  floats_*: and back; that is its own inverse.  restore_*: writes the zeros and NaN of a sorted row again, in
** the order of the input. */
#define FLOATS(bits, lanes)                                                                                            \
  typedef int##bits##_t row##bits __attribute__((vector_size(16), aligned(bits / 8), may_alias));                      \
  static bool keys_##bits(int##bits##_t *out, const int##bits##_t *in, size_t n, int##bits##_t infinity,               \
                          int##bits##_t last) {                                                                        \
    const int##bits##_t zero = INT##bits##_MIN, size = INT##bits##_MAX;                                                \
    row##bits odd = { 0 };                                                                                             \
    size_t i = 0;                                                                                                      \
    for (; lanes > 2 && i + lanes <= n; i += lanes) {                                                                  \
      const row##bits k = *(const row##bits *)(in + i), nan = (k & size) > infinity, negative_zero = k == zero;        \
      odd |= nan | negative_zero;                                                                                      \
      *(row##bits *)(out + i) = ((k ^ ((k < 0) & size)) & ~(nan | negative_zero)) | (nan & last);                      \
    }                                                                                                                  \
    bool any = false;                                                                                                  \
    for (int l = 0; l < lanes; l++) any = any || odd[l] != 0;                                                          \
    for (; i < n; i++) {                                                                                               \
      const int##bits##_t k = in[i];                                                                                   \
      const int64_t nan = -(int64_t)((k & size) > infinity), strange = nan | -(int64_t)(k == zero);                    \
      any |= strange != 0;                                                                                             \
      out[i] = (int##bits##_t)(((k ^ (k >> (bits - 1) & size)) & ~strange) | (nan & last));                            \
    }                                                                                                                  \
    return any;                                                                                                        \
  }                                                                                                                    \
  static void floats_##bits(int##bits##_t *keys, size_t n) {                                                           \
    const int##bits##_t size = INT##bits##_MAX;                                                                        \
    size_t i = 0;                                                                                                      \
    for (; lanes > 2 && i + lanes <= n; i += lanes) {                                                                  \
      const row##bits k = *(const row##bits *)(keys + i);                                                              \
      *(row##bits *)(keys + i) = k ^ ((k < 0) & size);                                                                 \
    }                                                                                                                  \
    for (; i < n; i++) keys[i] ^= (int##bits##_t)(keys[i] >> (bits - 1) & size);                                       \
  }                                                                                                                    \
  static void restore_##bits(int##bits##_t *out, const int##bits##_t *in, size_t n, int##bits##_t infinity,            \
                             bool descending) {                                                                        \
    const int##bits##_t size = INT##bits##_MAX;                                                                        \
    size_t nans = n, zeros = 0;                                                                                        \
    while (nans > 0 && (out[nans - 1] & size) > infinity) nans--;                                                      \
    for (size_t high = nans; zeros < high;) {                                                                          \
      const size_t middle = zeros + (high - zeros) / 2;                                                                \
      if (descending ? out[middle] > 0 : out[middle] < 0) zeros = middle + 1;                                          \
      else high = middle;                                                                                              \
    }                                                                                                                  \
    for (size_t i = 0; i < n; i++) {                                                                                   \
      const int##bits##_t k = in[i] & size;                                                                            \
      if (k == 0) out[zeros++] = in[i];                                                                                \
      else if (k > infinity) out[nans++] = in[i];                                                                      \
    }                                                                                                                  \
  }
FLOATS(16, 8)
FLOATS(32, 4)
FLOATS(64, 2)

/* The bits of infinity. */
static int64_t infinity_of(dc_dtype t) {
  return t == DC_FLOAT16 ? 0x7c00 : t == DC_BFLOAT16 ? 0x7f80 : t == DC_FLOAT32 ? 0x7f800000 : INT64_C(0x7ff) << 52;
}

bool dc_vqsort_copy(dc_dtype t, bool descending, void *out, const void *in, size_t n) {
  const int64_t infinity = infinity_of(t);
  if (dc_dtype_kind(t) == 'f') {
    switch (dc_dtype_size(t)) {
    case 2: return keys_16(out, in, n, (int16_t)infinity, descending ? INT16_MIN : INT16_MAX);
    case 4: return keys_32(out, in, n, (int32_t)infinity, descending ? INT32_MIN : INT32_MAX);
    default: return keys_64(out, in, n, infinity, descending ? INT64_MIN : INT64_MAX);
    }
  }
  if (out != in) memcpy(out, in, n * dc_dtype_size(t));
  return false;
}

void dc_vqsort_run(dc_dtype t, bool descending, void *keys, size_t n) { functions[t][descending](sorter, keys, n); }

void dc_vqsort_finish(dc_dtype t, void *keys, size_t n) {
  if (dc_dtype_kind(t) != 'f') return;
  switch (dc_dtype_size(t)) {
  case 2: floats_16(keys, n); break;
  case 4: floats_32(keys, n); break;
  default: floats_64(keys, n); break;
  }
}

void dc_vqsort_restore(dc_dtype t, bool descending, void *out, const void *in, size_t n) {
  const int64_t infinity = infinity_of(t);
  switch (dc_dtype_size(t)) {
  case 2: restore_16(out, in, n, (int16_t)infinity, descending); break;
  case 4: restore_32(out, in, n, (int32_t)infinity, descending); break;
  default: restore_64(out, in, n, infinity, descending); break;
  }
}

/* --- merging ------------------------------------------------------------------------------------------ */

/* Where a merged list begins and ends in a and b: by bisection (Odeh et al., "Merge Path", 2012).  It is written from
** both ends at once, two chains of dependences that the processor overlaps, without branches on keys: as many steps at
** a time as exhaust neither list. */
#define MERGE(dtype, type, letter)                                                                                     \
  static inline __attribute__((always_inline)) size_t path_##dtype(const type *a, size_t na, const type *b,            \
                                                                    size_t nb, size_t d, bool down) {                  \
    size_t low = d > nb ? d - nb : 0, high = d < na ? d : na;                                                          \
    while (low < high) {                                                                                               \
      const size_t i = low + (high - low) / 2;                                                                         \
      if (down ? b[d - 1 - i] > a[i] : b[d - 1 - i] < a[i]) high = i;                                                  \
      else low = i + 1;                                                                                                \
    }                                                                                                                  \
    return low;                                                                                                        \
  }                                                                                                                    \
  static inline __attribute__((always_inline)) void merge_##dtype(type *out, const type *a, size_t na, const type *b,  \
                                                                   size_t nb, size_t first, size_t last, bool down) {  \
    size_t i = path_##dtype(a, na, b, nb, first, down), j = first - i;                                                 \
    size_t iend = path_##dtype(a, na, b, nb, last, down), jend = last - iend;                                          \
    type *end = out + last;                                                                                            \
    out += first;                                                                                                      \
    for (size_t n; (n = (iend - i < jend - j ? iend - i : jend - j)) > 0;) {                                           \
      for (n = (n + 1) / 2; n > 1; n--) {                                                                              \
        const bool right = down ? b[j] > a[i] : b[j] < a[i];                                                           \
        const bool left = down ? b[jend - 1] > a[iend - 1] : b[jend - 1] < a[iend - 1];                                \
        *out++ = *(right ? b + j : a + i);                                                                             \
        i += !right;                                                                                                   \
        j += right;                                                                                                    \
        *--end = *(left ? a + iend - 1 : b + jend - 1);                                                                \
        iend -= left;                                                                                                  \
        jend -= !left;                                                                                                 \
      }                                                                                                                \
      const bool right = down ? b[j] > a[i] : b[j] < a[i];                                                             \
      *out++ = *(right ? b + j : a + i);                                                                               \
      i += !right;                                                                                                     \
      j += right;                                                                                                      \
    }                                                                                                                  \
    memcpy(out, a + i, (iend - i) * sizeof *out);                                                                      \
    memcpy(out + (iend - i), b + j, (jend - j) * sizeof *out);                                                         \
  }
SORTED(MERGE)

void dc_vqsort_merge(dc_dtype t, bool descending, void *out, const void *a, size_t na, const void *b, size_t nb,
                     size_t first, size_t last) {
  switch (t) {
#define CASE(dtype, type, letter)                                                                                      \
  case dtype:                                                                                                          \
    if (descending) merge_##dtype(out, a, na, b, nb, first, last, true);                                               \
    else merge_##dtype(out, a, na, b, nb, first, last, false);                                                         \
    break;
  SORTED(CASE)
  default: break;
  }
}
