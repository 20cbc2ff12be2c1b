-- All pairs of boxes that overlap, by a uniform grid of cells: lists made with atomicExch, sums of
-- the lanes that found any by a coalesced group.
return {
  field = "geometry",
  cuda = [==[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

struct box { float min[3], max[3]; };

__device__ bool overlap(const box &a, const box &b) {
  bool apart = false;
#pragma unroll
  for (int k = 0; k < 3; k++) apart |= a.max[k] < b.min[k] || b.max[k] < a.min[k];
  return !apart;
}

__device__ int cell_of(float v, int cells) { return min(max((int)floorf(v * cells), 0), cells - 1); }

/* A box hangs in the list of the cell of its lower corner. */
__global__ void link(const box *boxes, int n, int cells, int *head, int *next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int c = 0;
  for (int k = 0; k < 3; k++) c = c * cells + cell_of(boxes[i].min[k], cells);
  next[i] = atomicExch(&head[c], i);
}

/* Boxes are no larger than a cell: partners hang in the same cell or in those around it. */
__global__ void count_pairs(const box *boxes, int n, int cells, const int *head, const int *next, int *partners,
                            unsigned long long *total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int found = 0;
  if (i < n) {
    const box me = boxes[i];
    int at[3], d[3];
    for (int k = 0; k < 3; k++) at[k] = cell_of(me.min[k], cells);
    for (d[0] = -1; d[0] <= 1; d[0]++)
      for (d[1] = -1; d[1] <= 1; d[1]++)
        for (d[2] = -1; d[2] <= 1; d[2]++) {
          int c = 0;
          bool inside = true;
          for (int k = 0; k < 3; k++) {
            int v = at[k] + d[k];
            inside = inside && v >= 0 && v < cells;
            c = c * cells + v;
          }
          if (!inside) continue;
          for (int j = head[c]; j >= 0; j = next[j]) found += j != i && overlap(me, boxes[j]);
        }
    partners[i] = found;
  }
  /* One addition for the lanes that found any: they stand together here. */
  if (found) {
    cg::coalesced_group some = cg::coalesced_threads();
    int sum = cg::reduce(some, found, cg::plus<int>());
    if (some.thread_rank() == 0) atomicAdd(total, (unsigned long long)sum);
  }
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const float *b = p[0];
  int n = (int)s[0], *partners = p[1];
  unsigned long long *total = p[2];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const float *x = b + 6 * i, *y = b + 6 * j;
      if (x[0] <= y[3] && y[0] <= x[3] && x[1] <= y[4] && y[1] <= x[4] && x[2] <= y[5] && y[2] <= x[5]) {
        partners[i]++;
        partners[j]++;
        *total += 2;
      }
    }
}]==],
  case = function(h, size)
    local n, cells = h.pick(size, 901, 5000), h.pick(size, 6, 16)
    local t = {}
    for i = 1, n do
      local corner, far = {}, {}
      for k = 1, 3 do
        corner[k] = math.random()
        far[k] = corner[k] + 0.99 * math.random() / cells
      end
      t[i] = string.pack("<ffffff", corner[1], corner[2], corner[3], far[1], far[2], far[3])
    end
    local boxes = h.raw("uint8", table.concat(t))
    local head, next_ = h.raw("int32", ("\xff"):rep(4 * cells * cells * cells)), h.output("int32", n)
    local partners, total = h.output("int32", n), h.output("uint64", 1)
    h.launch("link", { (n + 90) // 91 }, { 91 }, boxes, n, cells, head, next_)
    h.launch("count_pairs", { (n + 63) // 64 }, { 64 }, boxes, n, cells, head, next_, partners, total)
    h.reference({ boxes, partners, total }, { n })
    h.expect(partners, 0)
    h.expect(total, 0)
  end,
}
