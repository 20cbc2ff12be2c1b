-- Dilation of a picture of bits, 64 pixels a word, by a cross-shaped element; words come through dynamic shared memory.
return {
  field = "image",
  cuda = [==[
typedef unsigned long long word;

// The word with its neighbours' edge bits shifted in, left or right by k.
__device__ word shifted(word left, word mid, word right, int k) {
  if (k == 0) return mid;
  return k > 0 ? (mid << k) | (left >> (64 - k)) : (mid >> -k) | (right << (64 + k));
}

__global__ void dilate(const word *in, word *out, int words, int h, int radius, unsigned *population) {
  extern __shared__ word rows[];
  int pitch = blockDim.x + 2, x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * blockDim.y;
  int lines = blockDim.y + 2 * radius;
  for (int r = threadIdx.y; r < lines; r += blockDim.y) {
    int y = y0 + r - radius;
    for (int c = threadIdx.x; c < pitch; c += blockDim.x) {
      int column = (int)(blockIdx.x * blockDim.x) + c - 1;
      bool inside = y >= 0 && y < h && column >= 0 && column < words;
      rows[r * pitch + c] = inside ? in[y * words + column] : 0ull;
    }
  }
  __syncthreads();
  int y = y0 + threadIdx.y;
  word result = 0;
  if (x < words && y < h) {
    const word *here = rows + (threadIdx.y + radius) * pitch + threadIdx.x + 1;
    for (int d = -radius; d <= radius; d++) {
      result |= here[d * pitch];
      result |= shifted(here[-1], here[0], here[1], d);
    }
    out[y * words + x] = result;
  }
  int bits = __popcll(result);
  if (bits) atomicAdd(population, bits);
}]==],
  c = [==[
/* A few pixels only: each bit stays where three shifted copies of its word agree. */
void thin(void **p, const double *s) {
  uint64_t *v = p[0];
  for (int i = 0; i < (int)s[0]; i++) v[i] &= v[i] >> 7 & v[i] << 23 & (v[i] >> 31 | v[i] << 33);
}
void ref(void **p, const double *s) {
  const uint64_t *in = p[0];
  uint64_t *out = p[1];
  uint32_t *population = p[2];
  int words = (int)s[0], w = words * 64, h = (int)s[1], r = (int)s[2];
  uint8_t *plain = calloc((size_t)w * h, 1);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      if (!(in[y * words + x / 64] >> x % 64 & 1)) continue;
      for (int d = -r; d <= r; d++) {
        if (x + d >= 0 && x + d < w) plain[y * w + x + d] = 1;
        if (y + d >= 0 && y + d < h) plain[(y + d) * w + x] = 1;
      }
    }
  for (int i = 0; i < w * h; i++)
    if (plain[i]) out[i / 64] |= (uint64_t)1 << i % 64, ++*population;
  free(plain);
}]==],
  case = function(h, size)
    local words, height, radius = h.pick(size, 7, 64), h.pick(size, 75, 3000), h.pick(size, 3, 5)
    local a, b, n = h.input("uint64", words * height), h.output("uint64", words * height), h.output("uint32", 1)
    h.fill("thin", { a }, { words * height })
    local bx, by = 5, 12
    h.shared((bx + 2) * (by + 2 * radius) * 8)
    h.launch("dilate", { (words + bx - 1) // bx, (height + by - 1) // by }, { bx, by }, a, b, words, height, radius, n)
    h.reference({ a, b, n }, { words, height, radius })
    h.expect(b, 0)
    h.expect(n, 0)
  end,
}
