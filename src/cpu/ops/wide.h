/*
** wide.h - single-copy atomic memory accesses of up to 16 bytes, as a GPU has them for vectors that are volatile,
** relaxed or ordered.
**
** x86-64: aligned 16-byte moves are atomic on every processor with AVX (Intel SDM volume 3, 9.1.1; AMD64 APM volume 2,
** 7.3.2); elsewhere cmpxchg16b, which AVX-less processors have too, serves loads as well.  AArch64: exclusive pairs.
*/
#pragma once

#include "cpu/ops/address.h"

/* Compare and exchange: the old value. */
#if defined(__aarch64__)
static inline u128 swap_128(u128 *p, u128 expected, u128 now) { return __sync_val_compare_and_swap(p, expected, now); }
#elif defined(__x86_64__)
/* Every processor that runs this has the instruction, but compilers must not use it elsewhere in the baseline build,
** and clang calls a library for it then. */
static inline u128 swap_128(u128 *p, u128 expected, u128 now) {
  u64 low = (u64)expected, high = (u64)(expected >> 64);
  __asm__ volatile("lock cmpxchg16b %0"
                   : "+m"(*p), "+a"(low), "+d"(high)
                   : "b"((u64)now), "c"((u64)(now >> 64))
                   : "cc", "memory");
  return (u128)high << 64 | low;
}
#else
/* One lock for all: exclusive among accesses of 16 bytes. */
__attribute__((weak)) char dc_wide_lock;
static inline u128 swap_128(u128 *p, u128 expected, u128 now) {
  (void)*(volatile u128 *)p; /* a wrong address faults here, not with the lock held */
  while (__atomic_test_and_set(&dc_wide_lock, __ATOMIC_ACQUIRE)) {
  }
  const u128 old = *p;
  if (old == expected) *p = now;
  __atomic_clear(&dc_wide_lock, __ATOMIC_RELEASE);
  return old;
}
#endif

#if defined(__x86_64__)
#if defined(__AVX__)
#define MOVE_128 "vmovdqa %1, %0"
#define HAS_MOVE_128 true
#else
#define MOVE_128 "movdqa %1, %0"
#define HAS_MOVE_128 __builtin_cpu_supports("avx")
#endif
typedef long long __attribute__((vector_size(16))) v128;
INLINE u128 move_in_128(const u128 *p) {
  v128 v;
  u128 x;
  __asm__ volatile(MOVE_128 : "=x"(v) : "m"(*p));
  memcpy(&x, &v, sizeof x);
  return x;
}
INLINE void move_out_128(u128 *p, u128 x) {
  v128 v;
  memcpy(&v, &x, sizeof v);
  __asm__ volatile(MOVE_128 : "=m"(*p) : "x"(v));
}
#else
#define HAS_MOVE_128 false
INLINE u128 move_in_128(const u128 *p) { return *p; }
INLINE void move_out_128(u128 *p, u128 x) { *p = x; }
#endif

INLINE u128 load_128(u128 *p) { return HAS_MOVE_128 ? move_in_128(p) : swap_128(p, 0, 0); }
INLINE void store_128(u128 *p, u128 x) {
  if (HAS_MOVE_128) {
    move_out_128(p, x);
    return;
  }
  for (u128 seen = x, old; (old = swap_128(p, seen, x)) != seen;) seen = old;
}

/* `bytes` (a power of two) between memory and a buffer; atomic up to 16, more by 16.  Memory that is not aligned to
** that (parameters) is accessed by elements of `element` bytes. */
INLINE void read_whole(void *to, u64 from, u32 bytes, u32 element) {
  const u32 step = from & (bytes - 1) ? element : bytes < 16 ? bytes : 16;
  for (u32 i = 0; i < bytes; i += step) {
    u8 *d = (u8 *)to + i;
    switch (step) {
      case 1: *d = __atomic_load_n(HOST(u8, from + i), __ATOMIC_RELAXED); break;
      case 2: *(u16 *)(void *)d = __atomic_load_n(HOST(u16, from + i), __ATOMIC_RELAXED); break;
      case 4: *(u32 *)(void *)d = __atomic_load_n(HOST(u32, from + i), __ATOMIC_RELAXED); break;
      case 8: *(u64 *)(void *)d = __atomic_load_n(HOST(u64, from + i), __ATOMIC_RELAXED); break;
      default: *(u128 *)(void *)d = load_128(HOST(u128, from + i)); break;
    }
  }
}
INLINE void write_whole(u64 to, const void *from, u32 bytes, u32 element) {
  const u32 step = to & (bytes - 1) ? element : bytes < 16 ? bytes : 16;
  for (u32 i = 0; i < bytes; i += step) {
    const u8 *s = (const u8 *)from + i;
    switch (step) {
      case 1: __atomic_store_n(HOST(u8, to + i), *s, __ATOMIC_RELAXED); break;
      case 2: __atomic_store_n(HOST(u16, to + i), *(const u16 *)(const void *)s, __ATOMIC_RELAXED); break;
      case 4: __atomic_store_n(HOST(u32, to + i), *(const u32 *)(const void *)s, __ATOMIC_RELAXED); break;
      case 8: __atomic_store_n(HOST(u64, to + i), *(const u64 *)(const void *)s, __ATOMIC_RELAXED); break;
      default: store_128(HOST(u128, to + i), *(const u128 *)(const void *)s); break;
    }
  }
}
