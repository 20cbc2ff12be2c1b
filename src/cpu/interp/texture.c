/* texture.c - see texture.h. */
#include "cpu/interp/texture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Slots stand in chunks, which are never moved or freed; each but the first is as large as all before it together. */
#define FIRST 64 /* slots of the first chunk */
#define CHUNKS 20

typedef struct slot {
  _Atomic uint64_t handle; /* 0: free */
  uint32_t serial;         /* of the last handle */
  uint32_t next_free;      /* number of the next free slot + 1; 0: none */
  dc_cpu_texture texture;
} slot;

static _Atomic(slot *) chunks[CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for what follows, and for making handles */
static uint32_t nslots, first_free;

/* The chunk of slot i, and where it is there. */
static uint32_t chunk_of(uint32_t i, uint32_t *at) {
  uint32_t chunk = 0, begin = 0, size = FIRST;
  while (i - begin >= size) begin += size, size = begin, chunk++;
  *at = i - begin;
  return chunk;
}

static slot *slot_of(uint32_t i) {
  uint32_t at, chunk = chunk_of(i, &at);
  slot *slots = chunk < CHUNKS ? atomic_load_explicit(&chunks[chunk], memory_order_acquire) : NULL;
  return slots != NULL ? slots + at : NULL;
}

/* A handle: the slot's number in the lower half, the serial number, which is not 0, in the upper one. */
const dc_cpu_texture *dc_cpu_texture_find(uint64_t handle) {
  const slot *s = handle != 0 ? slot_of((uint32_t)handle) : NULL;
  return s != NULL && atomic_load_explicit(&s->handle, memory_order_acquire) == handle ? &s->texture : NULL;
}

/* Under the lock: a free slot and its number; NULL when there is no memory. */
static slot *take_slot(uint32_t *number) {
  if (first_free != 0) {
    *number = first_free - 1;
    slot *s = slot_of(*number);
    first_free = s->next_free;
    return s;
  }
  uint32_t at, chunk = chunk_of(nslots, &at);
  if (chunk >= CHUNKS) return NULL;
  if (at == 0) {
    slot *slots = calloc(chunk == 0 ? FIRST : nslots, sizeof *slots);
    if (slots == NULL) return NULL;
    atomic_store_explicit(&chunks[chunk], slots, memory_order_release);
  }
  *number = nslots++;
  return slot_of(*number);
}

uint64_t dc_cpu_texture_add(const dc_cpu_texture *t, dc_error *err) {
  uint32_t number;
  uint64_t handle = 0;
  pthread_mutex_lock(&lock);
  slot *s = take_slot(&number);
  if (s != NULL) {
    s->serial = s->serial == INT32_MAX ? 1 : s->serial + 1; /* not 0, and handles are positive integers */
    s->texture = *t;
    handle = (uint64_t)s->serial << 32 | number;
    atomic_store_explicit(&s->handle, handle, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  if (handle == 0) dc_fail_oom(err);
  return handle;
}

void dc_cpu_texture_remove(uint64_t handle) {
  pthread_mutex_lock(&lock);
  slot *s = handle != 0 ? slot_of((uint32_t)handle) : NULL;
  if (s != NULL && atomic_load_explicit(&s->handle, memory_order_relaxed) == handle) {
    atomic_store_explicit(&s->handle, 0, memory_order_release);
    s->next_free = first_free;
    first_free = (uint32_t)handle + 1;
  }
  pthread_mutex_unlock(&lock);
}

/* --- instructions ---------------------------------------------------------------------------------------- */

/* On a GPU an instruction of another geometry, or of the other kind of object, gives undefined values. */
bool dc_texture_suits(const dc_cpu_texture *t, const ptx_ins *ins) {
  if (t == NULL) return false;
  const int kind = t->shape.kind, wanted = ins->geometry - PTX_GEOM_1D;
  switch (ins->op) {
    case PTX_OP_TXQ: return !t->surface;
    case PTX_OP_SUQ: return t->surface;
    case PTX_OP_TEX: case PTX_OP_TLD4:
      if (t->surface || kind != wanted) return false;
      return !(t->linear && kind == DC_TEXTURE_1D) || ins->type2 == PTX_S32;
    default: /* surfaces of cubes are layers to kernels */
      if (!t->surface) return false;
      return kind == wanted || (wanted == DC_TEXTURE_2D_LAYERED && kind >= DC_TEXTURE_CUBE);
  }
}

void dc_texture_misuse(uint64_t handle, const ptx_ins *ins, char *text, size_t size) {
  static const char *const kinds[] = {"1-d", "2-d", "3-d", "1-d layered", "2-d layered", "cube", "cube layered"};
  const dc_cpu_texture *t = dc_cpu_texture_find(handle);
  const char *object = t && t->surface ? "surface" : "texture";
  if (t == NULL)
    snprintf(text, size, "%.60s of 0x%" PRIx64 ", which is no texture or surface that is open", ins->text, handle);
  else if (t->linear && t->shape.kind == DC_TEXTURE_1D && ins->geometry == PTX_GEOM_1D && !t->surface)
    snprintf(text, size, "%.60s of a 1-d texture over linear memory, which tex1Dfetch alone reads", ins->text);
  else
    snprintf(text, size, "%.60s of a %s %s", ins->text, kinds[t->shape.kind], object);
}
