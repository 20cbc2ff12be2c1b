-- D2Q9 lattice Boltzmann flow round obstacles: stream and collide in one kernel, a switch over kinds of cells,
-- direction tables in constant memory, structure of arrays.
return {
  field = "physics",
  options = { fmad = false },
  cuda = [==[
enum Kind { FLUID, WALL, INLET };
__constant__ int ex[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
__constant__ int ey[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
__constant__ int opposite[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
__constant__ float weight[9] = { 4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };

__device__ float equilibrium(int q, float rho, float ux, float uy) {
  float eu = ex[q] * ux + ey[q] * uy;
  return weight[q] * rho * (1.0f + 3.0f * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy));
}

__global__ void step(const float *in, float *out, const unsigned char *kind, int w, int h, float omega, float inflow) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int cells = w * h, cell = y * w + x;
  float f[9];
#pragma unroll
  for (int q = 0; q < 9; q++) {
    int sx = (x - ex[q] + w) % w, sy = (y - ey[q] + h) % h;
    f[q] = in[q * cells + sy * w + sx];
  }
  switch (kind[cell]) {
    case WALL:
      for (int q = 0; q < 9; q++) out[opposite[q] * cells + cell] = f[q];
      break;
    case INLET:
      for (int q = 0; q < 9; q++) out[q * cells + cell] = equilibrium(q, 1.0f, inflow, 0.0f);
      break;
    default: {
      float rho = 0, ux = 0, uy = 0;
#pragma unroll
      for (int q = 0; q < 9; q++) {
        rho += f[q];
        ux += ex[q] * f[q];
        uy += ey[q] * f[q];
      }
      ux /= rho;
      uy /= rho;
#pragma unroll
      for (int q = 0; q < 9; q++) out[q * cells + cell] = f[q] + omega * (equilibrium(q, rho, ux, uy) - f[q]);
    }
  }
}

__global__ void start(float *f, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cells)
    for (int q = 0; q < 9; q++) f[q * cells + i] = equilibrium(q, 1.0f + 0.01f * (i % 7), 0.02f, -0.01f);
}]==],
  c = [==[
static const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static float weight(int q) { return q == 0 ? 4.f / 9 : q < 5 ? 1.f / 9 : 1.f / 36; }
static float equilibrium(int q, float rho, float ux, float uy) {
  float eu = cx[q] * ux + cy[q] * uy;
  return weight(q) * rho * (1.0f + 3.0f * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy));
}
/* Push instead of pull: stream all, then collide all. */
void ref(void **p, const double *s) {
  float *f = p[0], *g = p[1], omega = (float)s[3], inflow = (float)s[4];
  const uint8_t *kind = p[2];
  int w = (int)s[0], h = (int)s[1], cells = w * h;
  for (int i = 0; i < cells; i++)
    for (int q = 0; q < 9; q++) f[q * cells + i] = equilibrium(q, 1.0f + 0.01f * (i % 7), 0.02f, -0.01f);
  for (int step = 0; step < (int)s[2]; step++) {
    for (int q = 0; q < 9; q++)
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
          g[q * cells + (y + cy[q] + h) % h * w + (x + cx[q] + w) % w] = f[q * cells + y * w + x];
    for (int i = 0; i < cells; i++) {
      float v[9], rho = 0, ux = 0, uy = 0;
      for (int q = 0; q < 9; q++) {
        v[q] = g[q * cells + i];
        rho += v[q];
        ux += cx[q] * v[q];
        uy += cy[q] * v[q];
      }
      ux /= rho;
      uy /= rho;
      for (int q = 0; q < 9; q++) {
        int back = q == 0 ? 0 : q < 5 ? (q + 1) % 4 + 1 : (q - 5 + 2) % 4 + 5;
        g[q * cells + i] = kind[i] == 1 ? v[back] : kind[i] == 2 ? equilibrium(q, 1.0f, inflow, 0.0f)
                           : v[q] + omega * (equilibrium(q, rho, ux, uy) - v[q]);
      }
    }
    float *t = f;
    f = g;
    g = t;
  }
}]==],
  case = function(h, size)
    local w, height, steps = h.pick(size, 43, 700), h.pick(size, 29, 400), h.pick(size, 6, 10)
    local cells = w * height
    local kind = {}
    for i = 1, cells do kind[i] = (i - 1) % w == 0 and 2 or math.random(9) == 1 and 1 or 0 end
    local f, g, kinds = h.output("float32", 9 * cells), h.output("float32", 9 * cells), h.data("uint8", kind)
    h.launch("start", (cells + 95) // 96, 96, f, cells)
    local from, to = f, g
    for _ = 1, steps do
      h.launch("step", { (w + 20) // 21, (height + 4) // 5 }, { 21, 5 }, from, to, kinds, w, height, 1.25, 0.0625)
      from, to = to, from
    end
    h.reference({ f, g, kinds }, { w, height, steps, 1.25, 0.0625 })
    h.expect(from, 0)
  end,
}
