-- The nearest of many 256-bit descriptors by Hamming distance: a half-warp a query, packed distance and index
-- reduced by shuffles.
return {
  field = "genetics",
  cuda = [==[
__global__ void nearest(const uint4 *queries, const uint4 *data, int nq, int n, unsigned *distance, unsigned *index) {
  int lane = threadIdx.x % 16, q = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  unsigned mask = 0xffffu << (threadIdx.x & 16);
  if (q >= nq) return;
  const uint4 a = queries[2 * q], b = queries[2 * q + 1];
  unsigned best = 0xffffffffu, best2 = 0xffffffffu;
  for (int i = lane; i < n; i += 16) {
    uint4 x = data[2 * i], y = data[2 * i + 1];
    unsigned d = __popc(a.x ^ x.x) + __popc(a.y ^ x.y) + __popc(a.z ^ x.z) + __popc(a.w ^ x.w) +
                 __popcll((unsigned long long)(b.x ^ y.x) << 32 | (b.y ^ y.y)) + __popc(b.z ^ y.z) + __popc(b.w ^ y.w);
    unsigned key = d << 20 | (unsigned)i;
    best2 = min(best2, max(best, key));
    best = min(best, key);
  }
  for (int d = 8; d; d >>= 1) {
    unsigned o = __shfl_xor_sync(mask, best, d, 16), o2 = __shfl_xor_sync(mask, best2, d, 16);
    best2 = min(max(best, o), min(best2, o2));
    best = min(best, o);
  }
  if (lane < 2) {
    unsigned key = lane ? best2 : best;
    distance[2 * q + lane] = key >> 20;
    index[2 * q + lane] = key & 0xfffffu;
  }
}]==],
  c = [==[
#include <string.h>
void ref(void **p, const double *s) {
  const unsigned char *queries = p[0], *data = p[1];
  unsigned *distance = p[2], *index = p[3];
  int nq = (int)s[0], n = (int)s[1];
  for (int q = 0; q < nq; q++) {
    unsigned d1 = 1000, d2 = 1000, i1 = 0, i2 = 0;
    for (int i = 0; i < n; i++) {
      unsigned d = 0;
      for (int w = 0; w < 4; w++) {
        unsigned long long x, y;
        memcpy(&x, queries + 32 * q + 8 * w, 8);
        memcpy(&y, data + 32 * i + 8 * w, 8);
        d += (unsigned)__builtin_popcountll(x ^ y);
      }
      if (d < d1) { d2 = d1; i2 = i1; d1 = d; i1 = (unsigned)i; }
      else if (d < d2) { d2 = d; i2 = (unsigned)i; }
    }
    distance[2 * q] = d1; distance[2 * q + 1] = d2;
    index[2 * q] = i1; index[2 * q + 1] = i2;
  }
}]==],
  case = function(h, size)
    local nq, n = h.pick(size, 37, 1000), h.pick(size, 501, 16000)
    local queries, data = h.input("uint32", 8 * nq), h.input("uint32", 8 * n)
    local distance, index = h.output("uint32", 2 * nq), h.output("uint32", 2 * nq)
    h.launch("nearest", { (16 * nq + 47) // 48 }, { 48 }, queries, data, nq, n, distance, index)
    h.reference({ queries, data, distance, index }, { nq, n })
    h.expect(distance, 0)
    h.expect(index, 0)
  end,
}
