/*
** mailbox.h - inside cuda/: a GPU's mailbox (device/mailbox.h).
*/
#pragma once

#include "device/mailbox.h"

#define DC_CUDA_MAILBOX_AT ((size_t)17 << 16) /* its offset in dc_cuda.pinned, behind copy.c's parts */
#define DC_CUDA_MAILBOX_SIZE ((size_t)64)

/* Slots of dc_memory_ops. */
bool dc_cuda_mailbox(dc_device *dev, dc_ptr *at, uint64_t *sequence);
int dc_cuda_mailbox_wait(dc_device *dev, uint64_t sequence, void *value, size_t n, dc_error *err);
