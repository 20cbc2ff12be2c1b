/* copy.c - see copy.h. */
#include "cuda/copy.h"

#include <string.h>

#include "cuda/fault.h"
#include "cuda/staging.h"
#include "cuda/stream.h"

#define SMALL_COPY ((size_t)64 << 10)  /* up to this size through dc_cuda.pinned */
#define UPLOAD_SIZE ((size_t)1 << 20)  /* its part for writes; SMALL_COPY bytes for reads follow, then the mailbox */

_Static_assert(UPLOAD_SIZE + SMALL_COPY == DC_CUDA_MAILBOX_AT, "the mailbox lies behind both");

/* The bytes are taken at once; the device gets them in the order of the stream. */
static int upload_small(dc_cuda *d, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  if (d->upload_at + n > UPLOAD_SIZE) { /* wrapped around: what lies there must have been copied */
    if (dc_cuda_wait_all(d, err) != 0) return -1;
    d->upload_at = 0;
  }
  char *staged = d->pinned + d->upload_at;
  memcpy(staged, src, n);
  d->upload_at += (n + 63) & ~(size_t)63;
  CUresult r = dc_cu.MemcpyHtoDAsync(dst, staged, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes to %s failed", n, d->dev->id);
}

/* After a large copy to or from ordinary memory, which the driver has mostly done by now. */
static int finish_copy(dc_cuda *d, CUresult r, dc_error *err) {
  if (r == CUDA_SUCCESS) r = dc_cu.StreamSynchronize(dc_cuda_handle(d));
  if (r == CUDA_SUCCESS) return 0;
  return dc_cuda_fail(r, DC_DEVICE, err, "copying between the host and %s failed", d->dev->id);
}

int dc_cuda_to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  if (n <= SMALL_COPY && d->pinned != NULL) return upload_small(d, dst, src, n, err);
  if (dc_cuda_wait(d, dc_cuda_now(d), err) != 0) return -1;
  if (dc_cuda_staged(d, n)) return dc_cuda_staged_copy(d, (void *)(uintptr_t)src, dst, n, true, err); /* only read */
  return finish_copy(d, dc_cu.MemcpyHtoDAsync(dst, src, n, dc_cuda_handle(d)), err);
}

int dc_cuda_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  if (n > SMALL_COPY || d->pinned == NULL) {
    if (dc_cuda_wait(d, dc_cuda_now(d), err) != 0) return -1;
    if (dc_cuda_staged(d, n)) return dc_cuda_staged_copy(d, dst, src, n, false, err);
    return finish_copy(d, dc_cu.MemcpyDtoHAsync(dst, src, n, dc_cuda_handle(d)), err);
  }
  if (d->reading && dc_cuda_wait_all(d, err) != 0) return -1;
  char *staged = d->pinned + UPLOAD_SIZE;
  CUresult r = dc_cu.MemcpyDtoHAsync(staged, src, n, dc_cuda_handle(d));
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes from %s failed", n, dev->id);
  d->reading = true;
  if (dc_cuda_wait(d, dc_cuda_now(d), err) != 0) return -1;
  d->reading = false;
  memcpy(dst, staged, n);
  return 0;
}

int dc_cuda_to_device_async(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemcpyHtoDAsync(dst, src, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes to %s failed", n, dev->id);
}

int dc_cuda_to_host_async(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemcpyDtoHAsync(dst, src, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes from %s failed", n, dev->id);
}

int dc_cuda_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemcpyDtoDAsync(dst, src, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes on %s failed", n, dev->id);
}

/* Makes `waiter`'s current stream wait for all that is in `first`'s now. The context of `first` is current. */
static CUresult order(dc_cuda *first, dc_cuda *waiter) {
  CUresult r = dc_cu.EventRecord(first->event, dc_cuda_handle(first));
  return r != CUDA_SUCCESS ? r : dc_cu.StreamWaitEvent(dc_cuda_handle(waiter), first->event, 0);
}

static bool is_in(const uint64_t set[2], int i) { return (set[i / 64] >> i % 64 & 1) != 0; }
static void put_in(uint64_t set[2], int i) { set[i / 64] |= (uint64_t)1 << i % 64; }

/* Gives `user` direct access to the memory of `owner`, once, where the hardware can: whether `user` has it.  Elsewhere
** the driver copies by way of the host.  The context of `user` is current. */
static bool enable_peer(dc_cuda *user, dc_cuda *owner) {
  int can = 0;
  const int i = user->dev->index;
  if (i >= 128) return false;
  if (is_in(owner->asked, i)) return is_in(owner->peers, i);
  put_in(owner->asked, i);
  CUresult r = dc_cu.DeviceCanAccessPeer(&can, user->handle, owner->handle);
  if (r == CUDA_SUCCESS && can) {
    CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, user->handle }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    r = owner->pool != NULL ? dc_cu.MemPoolSetAccess(owner->pool, &access, 1)
                            : dc_cu.CtxEnablePeerAccess(owner->context, 0);
    if (r == CUDA_SUCCESS || r == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) put_in(owner->peers, i);
  }
  dc_cuda_note(r);
  return is_in(owner->peers, i);
}

int dc_cuda_reach(dc_device *dev, dc_device *owner, dc_error *err) {
  dc_cuda *user = dc_cuda_of(dev);
  if (dc_cuda_enter(user, err) != 0) return -1;
  if (enable_peer(user, dc_cuda_of(owner))) return 0;
  return dc_fail(err, DC_DEVICE, NULL, "kernels of %s cannot access memory of %s: the GPUs have no peer access",
                 dev->id, owner->id);
}

int dc_cuda_order(dc_device *first, dc_device *waiter, dc_error *err) {
  dc_cuda *d = dc_cuda_of(first);
  if (dc_cuda_enter(d, err) != 0) return -1;
  const CUresult r = order(d, dc_cuda_of(waiter));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "%s cannot wait for %s", waiter->id, first->id);
}

/* Runs in the target's stream, after the source's work so far; the source's later work (which may
** overwrite or free what is copied) waits for it. */
int dc_cuda_peer_copy(dc_device *dst_dev, dc_ptr dst, dc_device *src_dev, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *to = dc_cuda_of(dst_dev), *from = dc_cuda_of(src_dev);
  if (dc_cuda_enter(from, err) != 0) return -1;
  enable_peer(from, to);
  CUresult r = order(from, to);
  if (r == CUDA_SUCCESS) {
    if (dc_cuda_enter(to, err) != 0) return -1;
    enable_peer(to, from);
    r = dc_cu.MemcpyPeerAsync(dst, to->context, src, from->context, n, dc_cuda_handle(to));
  }
  if (r == CUDA_SUCCESS) r = order(to, from);
  if (r == CUDA_SUCCESS) return 0;
  return dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes from %s to %s failed", n, src_dev->id, dst_dev->id);
}

/* Eight-byte patterns, which the driver has no memset for: a first piece from the host, then doubled. */
static int fill_by_doubling(dc_cuda *d, dc_ptr dst, uint64_t pattern, size_t n, dc_error *err) {
  uint64_t piece[512];
  size_t total = n * sizeof pattern, done = total < sizeof piece ? total : sizeof piece;
  for (size_t i = 0; i < done / sizeof pattern; i++) piece[i] = pattern;
  if (dc_cuda_to_device(d->dev, dst, piece, done, err) != 0) return -1;
  while (done < total) {
    size_t k = total - done < done ? total - done : done;
    if (dc_cuda_copy(d->dev, dst + done, dst, k, err) != 0) return -1;
    done += k;
  }
  return 0;
}

int dc_cuda_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  uint64_t v = 0;
  CUresult r;
  if (dc_cuda_enter(d, err) != 0) return -1;
  memcpy(&v, pattern, size);
  if (size == 8 && (v >> 32) == (v & UINT32_MAX)) { /* both halves alike, as in 0.0 and -1 */
    size = 4;
    n *= 2;
  }
  switch (size) {
  case 1: r = dc_cu.MemsetD8Async(dst, (unsigned char)v, n, dc_cuda_handle(d)); break;
  case 2: r = dc_cu.MemsetD16Async(dst, (unsigned short)v, n, dc_cuda_handle(d)); break;
  case 4: r = dc_cu.MemsetD32Async(dst, (unsigned int)v, n, dc_cuda_handle(d)); break;
  default: return fill_by_doubling(d, dst, v, n, err);
  }
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "filling %zu elements on %s failed", n, dev->id);
}

/* --- the mailbox --------------------------------------------------------------------------------- */
/* device/mailbox.h.  The host polls the slot, where the value arrives earlier than the driver knows of the kernel's
** end.  Page-locked memory has the same address on both sides (unified addressing, which 64-bit systems have). */

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
