-- A step of quickhull: the farthest point on each side of a line, by a 64-bit atomicMax on area and index after
-- a reduction in the warp; then for each point whether it lies outside of the four new lines.
return {
  field = "geometry",
  cuda = [==[
typedef unsigned long long u64;
__device__ __forceinline__ long long area(int2 a, int2 b, int2 c) {
  return (long long)(b.x - a.x) * (c.y - a.y) - (long long)(b.y - a.y) * (c.x - a.x);
}

/* 40 bits of area, 24 of index: the lower index wins. */
__device__ u64 key_of(long long d, int i) { return (u64)d << 24 | (u64)(0xffffff - i); }
__device__ int index_of(u64 key) { return 0xffffff - (int)(key & 0xffffff); }

__global__ void farthest(const int2 *points, int n, const int2 *ends, u64 *keys) {
  int2 a = ends[0], b = ends[1];
  u64 left = 0, right = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    long long d = area(a, b, points[i]);
    if (d > 0) left = max(left, key_of(d, i));
    else if (d < 0) right = max(right, key_of(-d, i));
  }
  for (int d = 16; d; d >>= 1) {
    left = max(left, __shfl_xor_sync(0xffffffffu, left, d));
    right = max(right, __shfl_xor_sync(0xffffffffu, right, d));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(&keys[0], left);
    atomicMax(&keys[1], right);
  }
}

__global__ void outside(const int2 *points, int n, const int2 *ends, const u64 *keys, unsigned char *side,
                        int *corners) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 2) corners[i] = keys[i] ? index_of(keys[i]) : -1;
  if (i >= n) return;
  unsigned char bits = 0;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    if (keys[k] == 0) continue;
    int2 a = ends[k], b = ends[1 - k], c = points[index_of(keys[k])];
    bits |= (unsigned char)((area(a, c, points[i]) > 0) << (2 * k) | (area(c, b, points[i]) > 0) << (2 * k + 1));
  }
  side[i] = bits;
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const int *q = p[0], *ends = p[1];
  unsigned char *side = p[2];
  int *corners = p[3], n = (int)s[0];
  for (int k = 0; k < 2; k++) {
    long ax = ends[2 * k], ay = ends[2 * k + 1], bx = ends[2 - 2 * k], by = ends[3 - 2 * k], most = 0;
    corners[k] = -1;
    for (int i = 0; i < n; i++) {
      long d = (bx - ax) * (q[2 * i + 1] - ay) - (by - ay) * (q[2 * i] - ax);
      if (d > most) { most = d; corners[k] = i; }
    }
    if (corners[k] < 0) continue;
    long cx = q[2 * corners[k]], cy = q[2 * corners[k] + 1];
    for (int i = 0; i < n; i++) {
      long x = q[2 * i], y = q[2 * i + 1];
      if ((cx - ax) * (y - ay) > (cy - ay) * (x - ax)) side[i] |= (unsigned char)(1 << 2 * k);
      if ((bx - cx) * (y - cy) > (by - cy) * (x - cx)) side[i] |= (unsigned char)(2 << 2 * k);
    }
  }
}]==],
  case = function(h, size)
    local n, range = h.pick(size, 3001, 1000000), h.pick(size, 60, 100000)
    local points, ends = h.input("int32", 2 * n, -range, range), h.input("int32", 4, -range, range)
    local keys, side, corners = h.output("uint64", 2), h.output("uint8", n), h.output("int32", 2)
    h.launch("farthest", { 7 }, { 96 }, points, n, ends, keys)
    h.launch("outside", { (n + 127) // 128 }, { 128 }, points, n, ends, keys, side, corners)
    h.reference({ points, ends, side, corners }, { n })
    h.expect(corners, 0)
    h.expect(side, 0)
  end,
}
