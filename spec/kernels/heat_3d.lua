-- Heat in a box: a 7-point stencil marching in z: planes in registers, one in shared memory; 3-d blocks at the end.
return {
  field = "physics",
  options = { fmad = false },
  cuda = [==[
#define BX 18
#define BY 6
__global__ void step(const float *u, float *next, int nx, int ny, int nz, float k) {
  __shared__ float plane[BY + 2][BX + 2];
  int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  bool in = x < nx && y < ny, edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
  size_t area = (size_t)nx * ny, at = (size_t)y * nx + x;
  float below = 0, here = in ? u[at] : 0, above = 0;
  for (int z = 0; z < nz; z++, at += area) {
    above = in && z + 1 < nz ? u[at + area] : 0;
    __syncthreads();
    plane[ty][tx] = here;
    if (threadIdx.x == 0) plane[ty][0] = in && x > 0 ? u[at - 1] : 0;
    if (threadIdx.x == BX - 1) plane[ty][BX + 1] = in && x + 1 < nx ? u[at + 1] : 0;
    if (threadIdx.y == 0) plane[0][tx] = in && y > 0 ? u[at - nx] : 0;
    if (threadIdx.y == BY - 1) plane[BY + 1][tx] = in && y + 1 < ny ? u[at + nx] : 0;
    __syncthreads();
    if (in) {
      float v = here;
      if (!edge && z > 0 && z < nz - 1)
        v = here + k * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + below + above -
                        6.0f * here);
      next[at] = v;
    }
    below = here;
    here = above;
  }
}

__global__ void hottest(const float *u, int nx, int ny, int nz, float limit, unsigned long long *count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  bool hot = x < nx && y < ny && z < nz && u[((size_t)z * ny + y) * nx + x] > limit;
  int n = __syncthreads_count(hot);
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0 && n) atomicAdd(count, (unsigned long long)n);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  float *u = p[0], *v = p[1], k = (float)s[4];
  uint64_t *count = p[2];
  int nx = (int)s[0], ny = (int)s[1], nz = (int)s[2], area = nx * ny;
  for (int step = 0; step < (int)s[3]; step++) {
    memcpy(v, u, sizeof(float) * area * nz);
    for (int z = 1; z < nz - 1; z++)
      for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++) {
          int i = z * area + y * nx + x;
          float around = u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - area] + u[i + area];
          v[i] = u[i] + k * (around - 6.0f * u[i]);
        }
    float *t = u;
    u = v;
    v = t;
  }
  for (int i = 0; i < area * nz; i++) *count += u[i] > 0.25f;
}]==],
  case = function(h, size)
    local nx, ny, nz = h.pick(size, 37, 200), h.pick(size, 23, 180), h.pick(size, 11, 90)
    local steps = h.pick(size, 3, 10)
    local u, v, count = h.input("float32", nx * ny * nz), h.output("float32", nx * ny * nz), h.output("uint64", 1)
    local from, to = u, v
    for _ = 1, steps do
      h.launch("step", { (nx + 17) // 18, (ny + 5) // 6 }, { 18, 6 }, from, to, nx, ny, nz, 0.125)
      from, to = to, from
    end
    h.launch("hottest", { (nx + 6) // 7, (ny + 2) // 3, (nz + 4) // 5 }, { 7, 3, 5 }, from, nx, ny, nz, 0.25, count)
    h.reference({ u, v, count }, { nx, ny, nz, steps, 0.125 })
    h.expect(u, 0)
    h.expect(v, 0)
    h.expect(count, 0)
  end,
}
