/*
** mail.c - single values that a kernel writes straight into memory of the host, so that nobody copies them.
**
** The kernel stores the value, makes that visible to the whole system, and stores the letter's number behind it
** (generate_reduce.c).  The host looks at the number, which is there earlier than the driver knows of the kernel's end.
** Page-locked memory has the same address on both sides (unified addressing, which 64-bit systems have).
*/
#include <stdatomic.h>
#include <string.h>

#include "base/runtime.h"
#include "cuda/driver.h"

#define PATIENCE 30e-6 /* seconds of looking at the number, before the driver is asked */

typedef struct letter {
  unsigned char value[16];
  _Atomic uint64_t number;
} letter;

_Static_assert(sizeof(letter) <= DC_CUDA_MAIL, "a letter has its place behind the staging memory");

static letter *letter_of(const dc_cuda *d) { return (letter *)(void *)(d->pinned + DC_CUDA_MAIL_AT); }

bool dc_cuda_mail(dc_device *dev, dc_ptr *at, uint64_t *number) {
  dc_cuda *d = dev->impl;
  if (d->pinned == NULL || dev->tracking != 0) return false;
  *at = (dc_ptr)(uintptr_t)letter_of(d);
  *number = ++d->letters;
  return true;
}

int dc_cuda_mail_wait(dc_device *dev, uint64_t number, void *value, size_t n, dc_error *err) {
  dc_cuda *d = dev->impl;
  letter *l = letter_of(d);
  if (dc_cuda_enter(d, err) != 0) return -1;
  const double begun = dc_clock();
  bool come = false;
  do
    for (int i = 0; i < 64 && !come; i++) come = atomic_load_explicit(&l->number, memory_order_acquire) == number;
  while (!come && dc_clock() - begun < PATIENCE);
  if (!come && dc_cuda_wait_or_see(d, dc_cuda_now(d), &l->number, number, err) != 0) return -1;
  if (!come && atomic_load_explicit(&l->number, memory_order_acquire) != number) return 1;
  memcpy(value, l->value, n);
  return 0;
}
