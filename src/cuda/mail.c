/*
** mail.c - where the letters of device/mail.h arrive, and waiting for them.
**
** The host looks at the letter, which is there earlier than the driver knows of the kernel's end.  Page-locked memory
** has the same address on both sides (unified addressing, which 64-bit systems have).
*/
#include "device/mail.h"

#include "base/runtime.h"
#include "cuda/driver.h"

#define PATIENCE 30e-6 /* seconds of looking at the letter, before the driver is asked */

_Static_assert(sizeof(dc_letter) <= DC_CUDA_MAIL, "a letter has its place behind the staging memory");

static dc_letter *letter_of(const dc_cuda *d) { return (dc_letter *)(void *)(d->pinned + DC_CUDA_MAIL_AT); }

bool dc_cuda_mail(dc_device *dev, dc_ptr *at, uint64_t *number) {
  dc_cuda *d = dev->impl;
  if (d->pinned == NULL || dev->tracking != 0) return false;
  *at = (dc_ptr)(uintptr_t)letter_of(d);
  *number = ++d->letters;
  return true;
}

typedef struct expected {
  const dc_letter *letter;
  uint64_t number;
  void *value;
  size_t n;
} expected;

static bool has_come(void *ud) {
  const expected *e = ud;
  return dc_mail_read(e->letter, e->number, e->value, e->n);
}

int dc_cuda_mail_wait(dc_device *dev, uint64_t number, void *value, size_t n, dc_error *err) {
  dc_cuda *d = dev->impl;
  expected e = { letter_of(d), number, value, n };
  if (dc_cuda_enter(d, err) != 0) return -1;
  const double begun = dc_clock();
  bool come = false;
  do
    for (int i = 0; i < 64 && !come; i++) come = has_come(&e);
  while (!come && dc_clock() - begun < PATIENCE);
  if (!come && dc_cuda_wait_or_see(d, dc_cuda_now(d), has_come, &e, err) != 0) return -1;
  return come || has_come(&e) ? 0 : 1;
}
