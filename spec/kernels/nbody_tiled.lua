-- Gravity among all bodies: tiles of bodies in dynamic shared memory, rsqrtf, then a leapfrog step of positions.
return {
  field = "physics",
  cuda = [==[
__device__ float3 pull(float4 a, float4 b, float3 sum, float soft) {
  float3 d = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  float r2 = d.x * d.x + d.y * d.y + d.z * d.z + soft, inv = rsqrtf(r2), s = b.w * inv * inv * inv;
  sum.x += d.x * s;
  sum.y += d.y * s;
  sum.z += d.z * s;
  return sum;
}

__global__ void accelerate(const float4 *bodies, float4 *velocity, int n, float soft, float dt) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += blockDim.x) {
    int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0); // no mass, no pull
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < blockDim.x; k++) sum = pull(me, tile[k], sum, soft);
    __syncthreads();
  }
  if (i >= n) return;
  float4 v = velocity[i];
  velocity[i] = make_float4(v.x + dt * sum.x, v.y + dt * sum.y, v.z + dt * sum.z, v.w);
}

__global__ void advance(float4 *bodies, const float4 *velocity, int n, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 p = bodies[i], v = velocity[i];
    p.x += dt * v.x;
    p.y += dt * v.y;
    p.z += dt * v.z;
    bodies[i] = p;
  }
}]==],
  c = [==[
void ref(void **p, const double *s) {
  float *b = p[0], *v = p[1];
  int n = (int)s[0];
  float soft = (float)s[1], dt = (float)s[2];
  for (int i = 0; i < n; i++) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      float x = b[4 * j] - b[4 * i], y = b[4 * j + 1] - b[4 * i + 1], z = b[4 * j + 2] - b[4 * i + 2];
      float r2 = x * x + y * y + z * z + soft, f = b[4 * j + 3] / (r2 * sqrtf(r2));
      ax += f * x, ay += f * y, az += f * z;
    }
    v[4 * i] += dt * ax, v[4 * i + 1] += dt * ay, v[4 * i + 2] += dt * az;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) b[4 * i + k] += dt * v[4 * i + k];
}]==],
  case = function(h, size)
    local n, block = h.pick(size, 331, 8192), h.pick(size, 75, 128)
    local bodies, velocity = h.input("float32", 4 * n), h.input("float32", 4 * n)
    h.shared(16 * block)
    h.launch("accelerate", (n + block - 1) // block, block, bodies, velocity, n, 0.02, 0.01)
    h.launch("advance", 3, 50, bodies, velocity, n, 0.01)
    h.reference({ bodies, velocity }, { n, 0.02, 0.01 })
    h.expect(bodies, 1e-4)
    h.expect(velocity, 2e-4)
  end,
}
