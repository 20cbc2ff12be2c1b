/*
** mailbox.c - a GPU's mailbox (device/mailbox.h): its slot in page-locked memory, and waiting for a value.
**
** The host polls the slot, where the value arrives earlier than the driver knows of the kernel's end.  Page-locked
** memory has the same address on both sides (unified addressing, which 64-bit systems have).
*/
#include "cuda/mailbox.h"

#include "cuda/context.h"
#include "cuda/stream.h"

#define SPIN_SECONDS 30e-6 /* polling the slot alone; then the driver is asked too */

_Static_assert(sizeof(dc_mailbox_slot) <= DC_CUDA_MAILBOX_SIZE, "the slot lies behind the staging memory");

static dc_mailbox_slot *slot_of(const dc_cuda *d) {
  return (dc_mailbox_slot *)(void *)(d->pinned + DC_CUDA_MAILBOX_AT);
}

bool dc_cuda_mailbox(dc_device *dev, dc_ptr *at, uint64_t *sequence) {
  dc_cuda *d = dev->impl;
  if (d->pinned == NULL || dev->tracking != 0) return false;
  *at = (dc_ptr)(uintptr_t)slot_of(d);
  *sequence = ++d->sequence;
  return true;
}

typedef struct message {
  const dc_mailbox_slot *slot;
  uint64_t sequence;
  void *value;
  size_t n;
} message;

static bool has_arrived(void *ud) {
  const message *m = ud;
  return dc_mailbox_read(m->slot, m->sequence, m->value, m->n);
}

int dc_cuda_mailbox_wait(dc_device *dev, uint64_t sequence, void *value, size_t n, dc_error *err) {
  dc_cuda *d = dev->impl;
  message m = { slot_of(d), sequence, value, n };
  if (dc_cuda_enter(d, err) != 0) return -1;
  const double start = dc_clock();
  bool arrived = false;
  do
    for (int i = 0; i < 64 && !arrived; i++) arrived = has_arrived(&m);
  while (!arrived && dc_clock() - start < SPIN_SECONDS);
  if (!arrived && dc_cuda_wait_or_arrived(d, dc_cuda_now(d), has_arrived, &m, err) != 0) return -1;
  return arrived || has_arrived(&m) ? 0 : 1;
}
