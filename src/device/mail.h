/*
** mail.h - single values that kernels hand to the host without a copy (dc_device_ops' mail and mail_wait).
**
** A value goes in words of 32 bits, each written together with the letter's number by one store of 8 bytes.  Such a
** store is there as a whole or not at all, so that no fence has to keep the value before the number: a fence for the
** whole system waits for what goes over the bus.  (NVIDIA's NCCL hands over small messages in this way, "LL".)
*/
#ifndef DC_DEVICE_MAIL_H
#define DC_DEVICE_MAIL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DC_MAIL_MOST 16 /* bytes of a value */

/* A letter where it arrives: each word, and in its upper half the number's lower one. */
typedef struct dc_letter {
  _Atomic uint64_t word[DC_MAIL_MOST / 4];
} dc_letter;

/* CUDA C of  dc_tell(at, letter, value),  which one thread calls with any value of up to 16 bytes; nothing is told
** where `at` is 0. */
extern const char dc_mail_text[];

/* Whether a value of n bytes has come under that number: then it is in value[n]. */
bool dc_mail_read(const dc_letter *l, uint64_t number, void *value, size_t n);

#endif
