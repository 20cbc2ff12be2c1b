-- Elements that pass a test, packed: places within a warp by ballot and popc, one atomicAdd a warp, aggregated by hand;
-- the order is free, so what is kept is put back at its place for the comparison.
return {
  field = "stream compaction",
  cuda = [==[
#define KEEP(v) ((((v) * 2654435761u) >> 28) < 5)

__device__ __forceinline__ int lane_id() {
  int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

/* Among the lanes that call it. */
__device__ unsigned place(unsigned *counter) {
  unsigned active = __activemask();
  int leader = __ffs(active) - 1;
  unsigned before = __popc(active & ((1u << lane_id()) - 1)), base;
  if (lane_id() == leader) base = atomicAdd(counter, __popc(active));
  return __shfl_sync(active, base, leader) + before;
}

__global__ void compact(const unsigned *in, unsigned *out, unsigned *index, unsigned *count, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = in[i];
    if (!KEEP(v)) continue;
    unsigned at = place(count);
    out[at] = v;
    index[at] = i;
  }
}

/* In order: a block's places by a ballot of each warp, blocks one after the other. */
__global__ void compact_in_order(const unsigned *in, unsigned *out, unsigned *count, int n) {
  __shared__ int of_warp[32];
  unsigned base = 0;
  int warps = (blockDim.x + 31) / 32, warp = threadIdx.x / 32;
  for (int first = 0; first < n; first += blockDim.x) {
    int i = first + threadIdx.x;
    unsigned v = i < n ? in[i] : 0;
    bool keep = i < n && KEEP(v);
    unsigned votes = __ballot_sync(__activemask(), keep);
    if (threadIdx.x % 32 == 0) of_warp[warp] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ~(0xffffffffu << (threadIdx.x % 32))), all = 0;
    for (int w = 0; w < warps; w++) {
      if (w < warp) before += of_warp[w];
      all += of_warp[w];
    }
    if (keep) out[base + before] = v;
    base += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = base;
}

/* What came out of order is put back at its index, for the comparison. */
__global__ void spread(const unsigned *out, const unsigned *index, const unsigned *count, unsigned *back) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x)
    atomicAdd(&back[index[i]], out[i]);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const unsigned *in = p[0];
  unsigned *back = p[1], *count = p[2], *ordered = p[3], *same = p[4];
  for (int i = 0; i < (int)s[0]; i++) {
    if ((in[i] * 2654435761u) >> 28 >= 5) continue;
    back[i] = in[i];
    ordered[(*count)++] = in[i];
  }
  *same = *count;
}]==],
  case = function(h, size)
    local n = h.pick(size, math.random(3000, 9000), 3000000)
    local x, out, index = h.input("uint32", n), h.output("uint32", n), h.output("uint32", n)
    local count, back = h.output("uint32", 1), h.output("uint32", n)
    local ordered, same = h.output("uint32", n), h.output("uint32", 1)
    h.launch("compact", { 5 }, { 75 }, x, out, index, count, n)
    h.launch("spread", { 3 }, { 64 }, out, index, count, back)
    h.launch("compact_in_order", { 1 }, { 250 }, x, ordered, same, n)
    h.reference({ x, back, count, ordered, same }, { n })
    h.expect(count, 0)
    h.expect(back, 0)
    h.expect(ordered, 0)
    h.expect(same, 0)
  end,
}
