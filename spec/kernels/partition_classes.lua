-- Records go to their class's segment: lanes of one class meet as a coalesced group and take room with one atomic.
return {
  field = "sorting",
  cuda = [==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int class_of(unsigned v) {
  int zeros = __clz(v), ones = __popc(v);
  return zeros >= 4 ? 0 : ones & 1 ? 1 + (v % 3 == 0) : 3 + (__brev(v) > v);
}

__device__ int take(int *counter) {
  cg::coalesced_group g = cg::coalesced_threads();
  int first;
  if (g.thread_rank() == 0) first = atomicAdd(counter, (int)g.size());
  return g.shfl(first, 0) + g.thread_rank();
}

__global__ void count_classes(const unsigned *v, int n, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (class_of(v[i])) {
    case 0: take(counts); break;
    case 1: take(counts + 1); break;
    case 2: take(counts + 2); break;
    case 3: take(counts + 3); break;
    default: take(counts + 4);
  }
}

__global__ void partition(const unsigned *v, int n, const int *counts, int *used, int *where) {
  __shared__ int start[5];
  if (threadIdx.x == 0)
    for (int c = 0, at = 0; c < 5; at += counts[c++]) start[c] = at;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int mine = class_of(v[i]);
  for (int c = 0; c < 5; c++)
    if (c == mine) where[start[c] + take(used + c)] = i;
}

// What has no order of chance: the class of each place, the records seen, and sums of each class.
__global__ void inspect(const unsigned *v, const int *where, int n, unsigned char *place, unsigned char *seen,
                        unsigned long long *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = v[where[i]];
  place[i] = class_of(x);
  seen[where[i]] = 1;
  atomicAdd(sums + class_of(x), (unsigned long long)x);
}]==],
  c = [==[
static int class_of(uint32_t v) {
  int ones = 0;
  uint32_t reversed = 0;
  for (int b = 0; b < 32; b++) {
    ones += v >> b & 1;
    reversed |= (v >> b & 1) << (31 - b);
  }
  if (v < 1u << 28) return 0;
  if (ones % 2) return v % 3 ? 1 : 2;
  return reversed > v ? 4 : 3;
}
void ref(void **p, const double *s) {
  const uint32_t *v = p[0];
  int32_t *counts = p[1];
  uint8_t *place = p[2], *seen = p[3];
  uint64_t *sums = p[4];
  int n = (int)s[0], at = 0;
  for (int i = 0; i < n; i++) {
    int c = class_of(v[i]);
    counts[c]++;
    sums[c] += v[i];
  }
  for (int c = 0; c < 5; c++)
    for (int k = 0; k < counts[c]; k++) place[at++] = (uint8_t)c;
  memset(seen, 1, n);
}]==],
  case = function(h, size)
    local n = h.pick(size, 2777, 2000000)
    local v, where = h.input("uint32", n), h.output("int32", n)
    local counts, used = h.output("int32", 5), h.output("int32", 5)
    local place, seen, sums = h.output("uint8", n), h.output("uint8", n), h.output("uint64", 5)
    local grid, block = (n + 110) // 111, 111
    h.launch("count_classes", grid, block, v, n, counts)
    h.launch("partition", grid, block, v, n, counts, used, where)
    h.launch("inspect", grid, block, v, where, n, place, seen, sums)
    h.reference({ v, counts, place, seen, sums, used }, { n })
    for _, array in ipairs { counts, place, seen, sums } do h.expect(array, 0) end
  end,
}
