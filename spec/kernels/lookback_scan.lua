-- An inclusive scan in a single pass: blocks take numbers from a counter, publish their sums, and look back at those
-- before them until one knows its whole prefix.
return {
  field = "scan",
  cuda = [==[
#define THREADS 128
#define ITEMS 5
enum : unsigned { NOTHING = 0, SUM = 1, PREFIX = 2 };

/* Flag and value travel in one 64-bit word. */
__device__ void publish(unsigned long long *state, unsigned flag, unsigned value) {
  atomicExch(state, (unsigned long long)flag << 32 | value);
}

__global__ void scan(const unsigned *in, unsigned *out, unsigned long long *states, unsigned *ticket, int n) {
  __shared__ unsigned tile, before;
  __shared__ unsigned warp_sums[THREADS / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  int first = (tile * THREADS + threadIdx.x) * ITEMS;
  unsigned v[ITEMS], sum = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    v[k] = first + k < n ? in[first + k] : 0;
    v[k] = sum += v[k];
  }
  unsigned inclusive = sum;
  for (int d = 1; d < 32; d *= 2) {
    unsigned o = __shfl_up_sync(~0u, inclusive, d);
    if (lane >= d) inclusive += o;
  }
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  unsigned in_front = inclusive - sum, whole = 0;
  for (int w = 0; w < THREADS / 32; w++) {
    if (w < warp) in_front += warp_sums[w];
    whole += warp_sums[w];
  }
  if (warp == 0) {
    unsigned prefix = 0;
    if (tile == 0) {
      if (lane == 0) publish(&states[0], PREFIX, whole);
    } else {
      if (lane == 0) publish(&states[tile], SUM, whole);
      int at = (int)tile - 1 - lane;  /* 32 tiles at a time, the nearest by lane 0 */
      for (;;) {
        unsigned long long s;
        do {
          s = at < 0 ? (unsigned long long)PREFIX << 32 : *(volatile unsigned long long *)&states[at];
        } while (__any_sync(~0u, (unsigned)(s >> 32) == NOTHING));
        unsigned known = __ballot_sync(~0u, (unsigned)(s >> 32) == PREFIX);
        int stop = known ? __ffs(known) - 1 : 31;
        unsigned part = lane <= stop ? (unsigned)s : 0;
        for (int d = 16; d; d /= 2) part += __shfl_xor_sync(~0u, part, d);
        prefix += part;
        if (known) break;
        at -= 32;
      }
      if (lane == 0) publish(&states[tile], PREFIX, prefix + whole);
    }
    if (lane == 0) before = prefix;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++)
    if (first + k < n) out[first + k] = before + in_front + v[k];
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const unsigned *in = p[0];
  unsigned *out = p[1], sum = 0;
  for (int i = 0; i < (int)s[0]; i++) out[i] = sum += in[i];
}]==],
  case = function(h, size)
    local n = h.pick(size, math.random(9000, 60000), 3000000)
    local tiles = (n + 639) // 640
    local x, y = h.input("uint32", n), h.output("uint32", n)
    local states, ticket = h.output("uint64", tiles), h.output("uint32", 1)
    h.launch("scan", { tiles }, { 128 }, x, y, states, ticket, n)
    h.reference({ x, y }, { n })
    h.expect(y, 0)
  end,
}
