-- The wave equation in double precision, fourth order in space, a sponge at the borders, a source and a receiver.
return {
  field = "physics",
  options = { fmad = false },
  cuda = [==[
#define SPONGE 6
__device__ __forceinline__ double laplacian(const double *u, int i, int w) {
  return (16.0 * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w]) - (u[i - 2] + u[i + 2] + u[i - 2 * w] + u[i + 2 * w]) -
          60.0 * u[i]) / 12.0;
}

__device__ __noinline__ double damping(int x, int y, int w, int h) {
  int d = min(min(x, w - 1 - x), min(y, h - 1 - y));
  return d >= SPONGE ? 1.0 : 1.0 - 0.0625 * (SPONGE - d);
}

__global__ void propagate(const double *now, double *past, const double *speed, int w, int h, int sx, int sy,
                          double pulse, double *trace, int step) {
  int x = threadIdx.x + blockDim.x * blockIdx.x + 2;
  int y = threadIdx.y + blockDim.y * blockIdx.y + 2;
  if (x >= w - 2 || y >= h - 2) return;
  int i = y * w + x;
  double d = damping(x, y, w, h), c = speed[i];
  double v = 2.0 * now[i] - d * past[i] + c * c * laplacian(now, i, w);
  if (x == sx && y == sy) v += pulse;
  past[i] = d * v;
  if (x == w / 3 && y == h / 3) trace[step] = past[i];
}]==],
  c = [==[
static double damping(int x, int y, int w, int h) {
  int right = w - 1 - x, bottom = h - 1 - y, d = x;
  if (right < d) d = right;
  if (y < d) d = y;
  if (bottom < d) d = bottom;
  return d < 6 ? 1.0 - (6 - d) / 16.0 : 1.0;
}
void ref(void **p, const double *s) {
  double *now = p[0], *past = p[1], *trace = p[3];
  const double *speed = p[2];
  int w = (int)s[0], h = (int)s[1];
  for (int step = 0; step < (int)s[4]; step++) {
    for (int y = 2; y < h - 2; y++)
      for (int x = 2; x < w - 2; x++) {
        const double *u = now + y * w + x;
        double near = u[-1] + u[1] + u[-w] + u[w], far = u[-2] + u[2] + u[-2 * w] + u[2 * w];
        double curved = (16.0 * near - far - 60.0 * *u) / 12.0, d = damping(x, y, w, h), c = speed[y * w + x];
        double v = 2.0 * *u - d * past[y * w + x] + c * c * curved;
        if (x == (int)s[2] && y == (int)s[3]) v += s[5 + step];
        past[y * w + x] = d * v;
      }
    trace[step] = past[h / 3 * w + w / 3];
    double *t = now;
    now = past;
    past = t;
  }
}]==],
  case = function(h, size)
    local w, height, steps = h.pick(size, 71, 900), h.pick(size, 53, 700), h.pick(size, 7, 12)
    local a, b = h.input("float64", w * height, -0.01, 0.01), h.output("float64", w * height)
    local speed, trace = h.input("float64", w * height, 0.2, 0.6), h.output("float64", steps)
    local now, past, numbers = a, b, { w, height, w // 2, height // 2, steps }
    for i = 0, steps - 1 do
      local pulse = math.sin(i)
      numbers[#numbers + 1] = pulse
      h.launch("propagate", { (w - 4 + 10) // 11, (height - 4 + 8) // 9 }, { 11, 9 }, now, past, speed, w, height,
        w // 2, height // 2, pulse, trace, i)
      now, past = past, now
    end
    h.reference({ a, b, speed, trace }, numbers)
    h.expect(now, 0)
    h.expect(trace, 0)
  end,
}
