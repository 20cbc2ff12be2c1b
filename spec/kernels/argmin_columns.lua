-- The smallest element of each column and where it is, NaNs aside: pairs reduced by shuffles in each warp, then by the
-- first warp.
return {
  field = "reduction",
  cuda = [==[
struct best { float value; int at; };

__device__ __forceinline__ best lesser(best a, best b) {
  if (b.at < 0) return a;
  if (a.at < 0 || b.value < a.value || (b.value == a.value && b.at < a.at)) return b;
  return a;
}

__device__ best warp_least(best v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    best o;
    o.value = __shfl_down_sync(0xffffffffu, v.value, d);
    o.at = __shfl_down_sync(0xffffffffu, v.at, d);
    v = lesser(v, o);
  }
  return v;
}

__global__ void argmin(const float *x, int rows, int columns, float *least, int *at) {
  __shared__ best of_warp[32];
  int c = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
  best b = { 0, -1 };
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    float v = x[r * columns + c];
    if (!isnan(v)) b = lesser(b, best{ v, r });
  }
  b = warp_least(b);
  if (lane == 0) of_warp[warp] = b;
  __syncthreads();
  if (warp > 0) return;
  b = lane < warps ? of_warp[lane] : best{ 0, -1 };
  b = warp_least(b);
  if (lane) return;
  least[c] = b.value;
  at[c] = b.at;
}]==],
  c = [==[
#include <math.h>
void ref(void **p, const double *s) {
  const float *x = p[0];
  float *least = p[1];
  int *at = p[2], rows = (int)s[0], columns = (int)s[1];
  for (int c = 0; c < columns; c++) at[c] = -1;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      float v = x[r * columns + c];
      if (isnan(v) || (at[c] >= 0 && !(v < least[c]))) continue;
      least[c] = v;
      at[c] = r;
    }
}]==],
  case = function(h, size)
    local rows, columns = h.pick(size, math.random(1, 700), 16000), h.pick(size, 13, 500)
    local t, special = {}, { 0 / 0, math.huge, -0.0, 0.0 }
    if size == "small" then
      for i = 1, rows * columns do
        t[i] = math.random(40) == 1 and special[math.random(4)] or math.floor(math.random() * 1000) / 8
      end
      for r = 0, rows - 1 do t[r * columns + 3] = 0 / 0 end -- a column of nothing else
    end
    local x = size == "small" and h.data("float32", t) or h.input("float32", rows * columns)
    local least, at = h.output("float32", columns), h.output("int32", columns)
    h.launch("argmin", { columns }, { h.pick(size, 32 * math.random(1, 7), 128) }, x, rows, columns, least, at)
    h.reference({ x, least, at }, { rows, columns })
    h.expect(least, 0)
    h.expect(at, 0)
  end,
}
