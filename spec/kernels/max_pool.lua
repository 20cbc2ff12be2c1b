-- Max pooling 3x3 with stride 2 and the index of each maximum, and the pass back, which adds to those places.
return {
  field = "machine learning",
  unordered = true,
  cuda = [==[
__global__ void pool(const float *in, float *out, int *where, int w, int h, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
  if (x >= ow || y >= oh) return;
  int x0 = max(2 * x - 1, 0), x1 = min(2 * x + 2, w), y0 = max(2 * y - 1, 0), y1 = min(2 * y + 2, h), at = -1;
  float top = -3.402823466e+38f;
  for (int i = y0; i < y1; ++i)
    for (int j = x0; j < x1; ++j) {
      float v = in[(c * h + i) * w + j];
      if (v > top || isnan(v)) {
        top = v;
        at = i * w + j;
      }
    }
  out[(c * oh + y) * ow + x] = top;
  where[(c * oh + y) * ow + x] = at;
}

__global__ void pool_back(const float *gradient, const int *where, float *back, int per_plane, int planes, int area) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= per_plane * planes) return;
  int at = where[i];
  if (at >= 0) atomicAdd(back + i / per_plane * area + at, gradient[i]);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const float *in = p[0], *gradient = p[1];
  float *out = p[2], *back = p[4];
  int *where = p[3], w = (int)s[0], h = (int)s[1], planes = (int)s[2], ow = (w + 1) / 2, oh = (h + 1) / 2;
  for (int c = 0; c < planes; c++)
    for (int y = 0; y < oh; y++)
      for (int x = 0; x < ow; x++) {
        int best = -1, o = (c * oh + y) * ow + x;
        for (int k = 0; k < 9; k++) {
          int i = 2 * y + k / 3 - 1, j = 2 * x + k % 3 - 1;
          if (i < 0 || j < 0 || i >= h || j >= w) continue;
          if (best < 0 || in[c * h * w + i * w + j] > in[c * h * w + best]) best = i * w + j;
        }
        out[o] = in[c * h * w + best];
        where[o] = best;
        back[c * h * w + best] += gradient[o];
      }
}]==],
  case = function(h, size)
    local w, hh = h.pick(size, math.random(3, 60), 400), h.pick(size, math.random(3, 60), 300)
    local planes = h.pick(size, 3, 12)
    local ow, oh = (w + 1) // 2, (hh + 1) // 2
    local n = ow * oh * planes
    local x, gradient = h.input("float32", w * hh * planes), h.input("float32", n, 0, 1)
    local y, where, back = h.output("float32", n), h.output("int32", n), h.output("float32", w * hh * planes)
    h.launch("pool", { (ow + 8) // 9, (oh + 6) // 7, planes }, { 9, 7 }, x, y, where, w, hh, ow, oh)
    h.launch("pool_back", { (n + 127) // 128 }, { 128 }, gradient, where, back, ow * oh, planes, w * hh)
    h.reference({ x, gradient, y, where, back }, { w, hh, planes })
    h.expect(y, 0)
    h.expect(where, 0)
    h.expect(back, 1e-6)
  end,
}
