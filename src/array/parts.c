/*
** parts.c - see parts.h.
**
** A launch takes longer than copying a few MB, so on a GPU one launch copies many parts.  Those to be computed or
** converted, and large ones that are copied faster otherwise, are assigned alone: by kernels for axes that change
** places, and by the driver for rows that are not aligned to 16 bytes.
*/
#include "array/parts.h"

#include <stddef.h>
#include <stdint.h>

#include "array/array.h"
#include "array/codegen/device_text.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/own_kernel.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"

#define MOST 32            /* parts of a launch: 4 KB of parameters are what all GPUs take */
#define FEW 4              /* parts for which there is a kernel with fewer parameters */
#define AXES 3
#define FEW_BYTES (1 << 20) /* of a part whose axes change places */
#define NEAR 64            /* bytes between elements that a cache line still has together */
#define FEW_UNALIGNED (8 << 20) /* bytes of a part of contiguous rows that do not begin at multiples of 16 */
#define THREADS 256
#define ROUNDS 4           /* units that a thread copies together */
#define BLOCKS 8           /* for each multiprocessor: as many as are resident */

/* As in device/parts.cu. */
typedef struct packed_part {
  uint64_t to, from, n, middle, inner;
  int64_t to_step[AXES], from_step[AXES];
  uint64_t size;
} packed_part;

typedef struct packed {
  uint64_t count;
  packed_part of[MOST];
} packed;

static uint64_t bits_of(int64_t n) { return (uint64_t)(n < 0 ? -n : n); }

/* The largest unit, of up to 16 bytes, of which rows of contiguous elements, and what they begin at, are multiples. */
static int64_t unit_of(const dc_joined_axes *x, dc_ptr to, dc_ptr from, int64_t size) {
  const int last = x->ndim - 1;
  if (x->to[last] != size || x->from[last] != size) return size;
  uint64_t all = to | from | (uint64_t)(x->extent[last] * size) | 16;
  for (int d = 0; d < last; d++) all |= bits_of(x->to[d]) | bits_of(x->from[d]);
  return (int64_t)(all & -all);
}

/* False: this part is not for the kernel. */
static bool pack(const dc_array *to, const dc_array *from, packed_part *p) {
  dc_joined_axes x;
  int64_t size = (int64_t)dc_dtype_size(to->dtype);
  if (from->state != DC_ARRAY_READY || from->dtype != to->dtype) return false;
  dc_geometry_join(&to->g, &from->g, &x);
  const int last = x.ndim - 1;
  const bool near = bits_of(x.from[last]) <= NEAR && bits_of(x.to[last]) <= NEAR;
  const bool rows = x.from[last] == size && x.to[last] == size;
  const int64_t unit = unit_of(&x, to->ptr, from->ptr, size), bytes = dc_array_size(to) * size;
  if (x.ndim > AXES || (!near && bytes > FEW_BYTES) || (rows && unit < 16 && bytes > FEW_UNALIGNED)) return false;
  if (unit > size) {
    x.extent[last] = x.extent[last] * size / unit;
    x.to[last] = x.from[last] = unit;
  }
  *p = (packed_part){ .to = to->ptr, .from = from->ptr, .n = 1, .middle = 1, .inner = (uint64_t)x.extent[last],
                      .size = (uint64_t)unit };
  for (int d = 0; d < x.ndim; d++) {
    p->n *= (uint64_t)x.extent[d];
    p->to_step[d + AXES - x.ndim] = x.to[d];
    p->from_step[d + AXES - x.ndim] = x.from[d];
  }
  if (x.ndim > 1) p->middle = (uint64_t)x.extent[last - 1];
  return true;
}

static void write_text(dc_buf *text, const void *ud) {
  dc_buf_printf(text, "#define MOST %d\n", *(const int *)ud);
  dc_emit_device_text(text, "parts/copy");
}

static int launch(dc_device *dev, const packed *p, dc_error *err) {
  static const dc_signature sig = { .name = (char *)"copies of parts" };
  const int room = p->count <= FEW ? FEW : MOST;
  const char key[] = { 'c', 'o', 'p', 'y', (char)room };
  dc_kernel *k = dc_own_kernel(dev, key, sizeof key, "copy_parts", &sig, write_text, &room, err);
  if (k == NULL) return -1;
  uint64_t most = 0;
  for (uint64_t i = 0; i < p->count; i++) most = p->of[i].n > most ? p->of[i].n : most;
  const uint64_t resident = (uint64_t)BLOCKS * (uint64_t)dev->facts.multiprocessors;
  uint64_t blocks = (most + THREADS * ROUNDS - 1) / (THREADS * ROUNDS);
  if (blocks > resident) blocks = resident;
  const dc_dim3 grid = { (uint32_t)(blocks * p->count), 1, 1 };
  return dc_own_kernel_launch(k, grid, (dc_dim3){ THREADS, 1, 1 }, p, offsetof(packed, of[room]), err);
}

/* At most MOST.  Computing may run finalizers, which may close or write arrays, so it comes first. */
static int assign_together(const dc_array_part *part, int n, dc_error *err) {
  packed p;
  bool alone[MOST];
  p.count = 0;
  for (int i = 0; i < n; i++) {
    if (dc_array_check_open(part[i].from, err) != 0 || dc_array_will_write(part[i].to, err) != 0) return -1;
    alone[i] = !pack(part[i].to, part[i].from, &p.of[0]);
    if (alone[i] && dc_array_assign(part[i].to, part[i].from, false, err) != 0) return -1;
  }
  for (int i = 0; i < n; i++) {
    dc_array *to = part[i].to, *from = part[i].from;
    if (alone[i] || dc_array_size(to) == 0) continue;
    if (dc_array_check_open(from, err) != 0 || dc_array_check_open(to, err) != 0) return -1;
    if (dc_buffer_used(to->buffer, true, err) != 0 || dc_buffer_used(from->buffer, false, err) != 0) return -1;
    pack(to, from, &p.of[p.count++]);
  }
  return p.count > 0 ? launch(part->to->dev, &p, err) : 0;
}

int dc_array_assign_parts(const dc_array_part *part, int n, dc_error *err) {
  const bool together = n > 1 && part->to->dev->target.gpu;
  int rc = 0;
  for (int i = 0; i < n && rc == 0; i += together ? MOST : 1)
    rc = together ? assign_together(part + i, n - i < MOST ? n - i : MOST, err)
                  : dc_array_assign(part[i].to, part[i].from, false, err);
  return rc;
}
