/*
** mailbox.h - single values that kernels post to the host without a copy.
**
** A device that has a mailbox gives a launch the address of the mailbox's slot and a sequence number; the kernel posts
** its value there with dc_post, and the host waits for it.  A value goes in words of 32 bits, each written together
** with the sequence number by one store of 8 bytes.  That store arrives as a whole or not at all, so no fence has to
** keep the value before the number: a fence for the whole system waits for what goes over the bus.  (NVIDIA's NCCL
** sends small messages in this way, its "LL" protocol.)
*/
#pragma once

#include <stdatomic.h>

#include "device/device.h"

#define DC_MAILBOX_MOST 16 /* bytes of a value */

/* Where a value arrives, in host memory that the device can write: each word, the sequence number in its upper half. */
typedef struct dc_mailbox_slot {
  _Atomic uint64_t word[DC_MAILBOX_MOST / 4];
} dc_mailbox_slot;

/* CUDA C of  dc_post(mailbox, sequence, value),  which one thread calls with any value of up to 16 bytes; it does
** nothing where `mailbox` is 0. */
extern const char dc_mailbox_text[];

/* For callers: whether the next kernel in the device's current stream can post its value; then the two arguments for
** it.  False where the device, which is open, has no mailbox or cannot use it now. */
bool dc_device_mailbox(dc_device *dev, dc_ptr *at, uint64_t *sequence);
/* Waits for that value, of n bytes: 0 with value[n], 1 when the kernel has ended without posting it, -1. */
int dc_device_mailbox_wait(dc_device *dev, uint64_t sequence, void *value, size_t n, dc_error *err);

/* For backends: whether a value of n bytes has arrived under that number; then it is in value[n]. */
bool dc_mailbox_read(const dc_mailbox_slot *slot, uint64_t sequence, void *value, size_t n);
