-- Ising model: spins of one colour of the checkerboard flip together; a generator for each site and step without state.
return {
  field = "physics",
  cuda = [==[
__device__ unsigned hash(unsigned v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  return v ^ v >> 16;
}

// chance[k]: a flip that costs k is taken when a random number is at most this.
__global__ void sweep(signed char *spins, int side, int colour, unsigned step, const unsigned *chance) {
  __shared__ unsigned table[9];
  if (threadIdx.y == 0 && threadIdx.x < 9) table[threadIdx.x] = chance[threadIdx.x];
  __syncthreads();
  int y = blockIdx.y * blockDim.y + threadIdx.y, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1);
  if (x >= side || y >= side) return;
  int up = y ? y - 1 : side - 1, down = y + 1 < side ? y + 1 : 0, left = x ? x - 1 : side - 1;
  int right = x + 1 < side ? x + 1 : 0;
  signed char s = spins[y * side + x];
  int around = spins[up * side + x] + spins[down * side + x] + spins[y * side + left] + spins[y * side + right];
  if (hash(hash(step) ^ (unsigned)(y * side + x)) <= table[s * around + 4]) spins[y * side + x] = -s;
}

// Magnetisation and energy, by a vote a warp.
__global__ void measure(const signed char *spins, int side, int *magnet, int *energy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = side * side;
  bool inside = i < n;
  int s = inside ? spins[i] : 0, x = i % side, y = i / side;
  bool right = inside && s != spins[y * side + (x + 1) % side], down = inside && s != spins[(y + 1) % side * side + x];
  unsigned live = __ballot_sync(0xffffffffu, inside), ups = __ballot_sync(0xffffffffu, s > 0);
  int walls = __popc(__ballot_sync(0xffffffffu, right)) + __popc(__ballot_sync(0xffffffffu, down));
  if (threadIdx.x % warpSize == 0) {
    atomicAdd(magnet, 2 * __popc(ups) - __popc(live));
    atomicSub(energy, 2 * __popc(live) - 2 * walls);
  }
}]==],
  c = [==[
void start(void **p, const double *s) {
  int8_t *spins = p[0];
  for (int i = 0; i < (int)s[0]; i++) spins[i] = spins[i] & 1 ? 1 : -1;
}
static uint32_t mix(uint32_t v) {
  v = (v ^ v >> 16) * 0x7feb352du;
  v = (v ^ v >> 15) * 0x846ca68bu;
  return v ^ v >> 16;
}
void ref(void **p, const double *s) {
  int8_t *spins = p[0];
  const uint32_t *chance = p[1];
  int32_t *magnet = p[2], *energy = p[3];
  int n = (int)s[0];
  for (int step = 0; step < (int)s[1]; step++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        if ((x + y + step) % 2) continue;
        int a = spins[y * n + (x + 1) % n] + spins[y * n + (x + n - 1) % n] + spins[(y + 1) % n * n + x] +
                spins[(y + n - 1) % n * n + x];
        if (mix(mix((uint32_t)step) ^ (uint32_t)(y * n + x)) <= chance[spins[y * n + x] * a + 4])
          spins[y * n + x] = (int8_t)-spins[y * n + x];
      }
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      *magnet += spins[y * n + x];
      *energy -= spins[y * n + x] * (spins[y * n + (x + 1) % n] + spins[(y + 1) % n * n + x]);
    }
}]==],
  case = function(h, size)
    local side, steps = h.pick(size, 58, 2000), h.pick(size, 8, 4)
    local chance = {}
    for k = -4, 4 do chance[k + 5] = math.min(4294967295, math.exp(-2 * k / 2.27) * 4294967295 // 1 | 0) end
    local spins, chances = h.input("int8", side * side), h.data("uint32", chance)
    h.fill("start", { spins }, { side * side })
    local magnet, energy = h.output("int32", 1), h.output("int32", 1)
    for step = 0, steps - 1 do
      h.launch("sweep", { (side // 2 + 12) // 13, (side + 4) // 5 }, { 13, 5 }, spins, side, step % 2, step, chances)
    end
    h.launch("measure", (side * side + 95) // 96, 96, spins, side, magnet, energy)
    h.reference({ spins, chances, magnet, energy }, { side, steps })
    for _, array in ipairs { spins, magnet, energy } do h.expect(array, 0) end
  end,
}
