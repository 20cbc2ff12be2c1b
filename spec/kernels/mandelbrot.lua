-- Escape times in double: a loop that every point leaves at another time, with a test for the two large bulbs and
-- a check for cycles; a histogram of the times in shared memory.
return {
  field = "geometry",
  options = { fmad = false },
  cuda = [==[
__device__ int escape(double cx, double cy, int limit) {
  double q = (cx - 0.25) * (cx - 0.25) + cy * cy;
  if (q * (q + (cx - 0.25)) < 0.25 * cy * cy) return limit;
  if ((cx + 1) * (cx + 1) + cy * cy < 0.0625) return limit;
  double x = 0, y = 0, keptx = 0, kepty = 0;
  int period = 0;
  for (int i = 0; i < limit; i++) {
    double xx = x * x, yy = y * y;
    if (xx + yy > 4.0) return i;
    y = (x + x) * y + cy;
    x = xx - yy + cx;
    if (x == keptx && y == kepty) break;
    if (++period == 20) {
      period = 0;
      keptx = x;
      kepty = y;
    }
  }
  return limit;
}

__global__ void mandelbrot(int *times, int *histogram, int width, int height, double left, double top, double step,
                           int limit) {
  extern __shared__ int counts[];
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i <= limit; i += blockDim.x * blockDim.y) counts[i] = 0;
  __syncthreads();
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x) {
      int t = escape(left + x * step, top - y * step, limit);
      times[y * width + x] = t;
      atomicAdd(&counts[t], 1);
    }
  __syncthreads();
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i <= limit; i += blockDim.x * blockDim.y)
    if (counts[i]) atomicAdd(&histogram[i], counts[i]);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  int *times = p[0], *histogram = p[1], w = (int)s[0], h = (int)s[1], limit = (int)s[5];
  for (int j = 0; j < h; j++)
    for (int i = 0; i < w; i++) {
      double a = s[2] + i * s[4], b = s[3] - j * s[4], x = 0, y = 0;
      int t = 0;
      while (t < limit && !(x * x + y * y > 4)) {
        double r = x * x - y * y + a;
        y = (x + x) * y + b;
        x = r;
        t++;
      }
      times[j * w + i] = t;
      histogram[t]++;
    }
}]==],
  case = function(h, size)
    local w, hh, limit = h.pick(size, 61, 400), h.pick(size, 43, 300), h.pick(size, 100, 256)
    local left, top, step = -2.2 + 0.1 * math.random(), 1.2 + 0.1 * math.random(), 3.1 / w
    local times, histogram = h.output("int32", w * hh), h.output("int32", limit + 1)
    h.shared(4 * (limit + 1))
    h.launch("mandelbrot", { 2, 3 }, { 7, 9 }, times, histogram, w, hh, left, top, step, limit)
    h.reference({ times, histogram }, { w, hh, left, top, step, limit })
    h.expect(times, 0, { share = h.pick(size, 0, 1e-2) }) -- a contracted reference rounds otherwise
    if size == "small" then h.expect(histogram, 0) end
  end,
}
