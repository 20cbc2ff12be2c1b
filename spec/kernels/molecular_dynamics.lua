-- Lennard-Jones forces and energies, shifted to 0 at a cutoff, by cell lists in a periodic box: slots taken by atomics,
-- each cell then sorted so that the result has no order of chance; the energy is summed in fixed point.
return {
  field = "physics",
  cuda = [==[
#define ROOM 32 /* a cell has at most 3 places of the lattice along each axis */

struct Box { float side, cutoff; int cells; };

__device__ int cell_of(float v, const Box &b) { return min((int)(v * b.cells / b.side), b.cells - 1); }

__global__ void fill_cells(const float *pos, int n, const Box *box, int *count, int *slots, int *lost) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Box b = *box;
  int c = (cell_of(pos[3 * i + 2], b) * b.cells + cell_of(pos[3 * i + 1], b)) * b.cells + cell_of(pos[3 * i], b);
  int at = atomicAdd(count + c, 1);
  if (at < ROOM) slots[c * ROOM + at] = i;
  else atomicExch(lost, 1);
}

__global__ void sort_cells(const int *count, int *slots, int cells) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cells) return;
  int *p = slots + c * ROOM, n = min(count[c], ROOM);
  for (int i = 1; i < n; i++) {
    int v = p[i], j = i;
    for (; j > 0 && p[j - 1] > v; j--) p[j] = p[j - 1];
    p[j] = v;
  }
}

__device__ float nearest(float d, float side) { return d - side * rintf(d / side); }

/* The force of a pair by its distance, as a product with the difference of the positions. */
__device__ float strength(float i2, float i6) { return 24.0f * i6 * (2.0f * i6 - 1.0f) * i2; }

__global__ void forces(const float *pos, const Box *box, const int *count, const int *slots, float *force,
                       unsigned long long *energy) {
  Box b = *box;
  int c = blockIdx.x, cx = c % b.cells, cy = c / b.cells % b.cells, cz = c / (b.cells * b.cells);
  /* shifted to 0 at the cutoff, where a pair may be taken for near or far by a rounding */
  float mine = 0, c2 = 1.0f / (b.cutoff * b.cutoff), c6 = c2 * c2 * c2, shift = strength(c2, c6);
  if (threadIdx.x < min(count[c], ROOM)) {
    int i = slots[c * ROOM + threadIdx.x];
    float x = pos[3 * i], y = pos[3 * i + 1], z = pos[3 * i + 2], fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < 27; k++) {
      int nx = (cx + k % 3 - 1 + b.cells) % b.cells, ny = (cy + k / 3 % 3 - 1 + b.cells) % b.cells;
      int nz = (cz + k / 9 - 1 + b.cells) % b.cells, other = (nz * b.cells + ny) * b.cells + nx;
      for (int s = 0, m = min(count[other], ROOM); s < m; s++) {
        int j = slots[other * ROOM + s];
        if (j == i) continue;
        float dx = nearest(x - pos[3 * j], b.side), dy = nearest(y - pos[3 * j + 1], b.side);
        float dz = nearest(z - pos[3 * j + 2], b.side), r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= b.cutoff * b.cutoff) continue;
        float i2 = 1.0f / r2, i6 = i2 * i2 * i2, f = strength(i2, i6) - shift;
        fx += f * dx, fy += f * dy, fz += f * dz;
        mine += 2.0f * (i6 * (i6 - 1.0f) - c6 * (c6 - 1.0f));
      }
    }
    force[3 * i] = fx, force[3 * i + 1] = fy, force[3 * i + 2] = fz;
  }
  long long fixed = __float2ll_rn(mine * 16777216.0f);
  for (int d = 16; d; d >>= 1) fixed += __shfl_down_sync(0xffffffffu, fixed, d);
  if (threadIdx.x == 0) atomicAdd(energy, (unsigned long long)fixed);
}

__global__ void to_float(const unsigned long long *energy, double *out) {
  *out = (double)(long long)*energy / 16777216.0;
}]==],
  c = [==[
/* Points of a lattice, moved a little. */
void jitter(void **p, const double *s) {
  float *v = p[0];
  int per = (int)s[0];
  float gap = (float)(s[1] / per);
  for (int i = 0; i < per * per * per; i++) {
    int k[3] = { i % per, i / per % per, i / (per * per) };
    for (int d = 0; d < 3; d++) v[3 * i + d] = gap * (k[d] + 0.5f + 0.15f * v[3 * i + d]);
  }
}
static double wrap(double d, double side) { return d > side / 2 ? d - side : d < -side / 2 ? d + side : d; }
static double strength(double r2) {
  double i6 = 1 / (r2 * r2 * r2);
  return 24 * i6 * (2 * i6 - 1) / r2;
}
/* All pairs, in double. */
void ref(void **p, const double *s) {
  const float *v = p[0];
  float *force = p[1];
  double *energy = p[2], side = s[1], limit = s[2] * s[2], shift = strength(limit), e = 0;
  double c6 = 1 / (limit * limit * limit);
  int n = (int)s[0];
  double *f = calloc(3 * n, sizeof *f);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double d[3], r2 = 0;
      for (int k = 0; k < 3; k++) d[k] = wrap((double)v[3 * i + k] - v[3 * j + k], side), r2 += d[k] * d[k];
      if (r2 >= limit) continue;
      double i6 = 1 / (r2 * r2 * r2);
      e += 4 * (i6 * (i6 - 1) - c6 * (c6 - 1));
      for (int k = 0; k < 3; k++) {
        f[3 * i + k] += (strength(r2) - shift) * d[k];
        f[3 * j + k] -= (strength(r2) - shift) * d[k];
      }
    }
  for (int i = 0; i < 3 * n; i++) force[i] = (float)f[i];
  *energy = e;
  free(f);
}]==],
  case = function(h, size)
    local per = h.pick(size, 9, 20)
    local n, side, cutoff = per ^ 3 // 1 | 0, per * 1.125, 2.5
    local cells = side // cutoff | 0
    local pos, force, energy = h.input("float32", 3 * n), h.output("float32", 3 * n), h.output("float64", 1)
    h.fill("jitter", { pos }, { per, side })
    local box = h.raw("uint8", string.pack("<ffi4", side, cutoff, cells))
    local count, slots = h.output("int32", cells ^ 3 // 1 | 0), h.output("int32", 32 * cells ^ 3 // 1 | 0)
    local lost, fixed = h.output("int32", 1), h.output("uint64", 1)
    h.launch("fill_cells", (n + 127) // 128, 128, pos, n, box, count, slots, lost)
    h.launch("sort_cells", (cells ^ 3 // 1 | 0) // 32 + 1, 32, count, slots, cells ^ 3 // 1 | 0)
    h.launch("forces", cells ^ 3 // 1 | 0, 32, pos, box, count, slots, force, fixed)
    h.launch("to_float", 1, 1, fixed, energy)
    h.reference({ pos, force, energy, lost }, { n, side, cutoff })
    h.expect(force, 1e-4, { absolute = 2e-3 })
    h.expect(energy, 1e-5)
    h.expect(lost, 0)
  end,
}
