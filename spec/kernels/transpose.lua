-- Transposition through padded tiles, each thread several rows; of floats and of pairs of doubles; and in place.
return {
  field = "linear algebra",
  options = { instantiate = { "transpose<float, 32, 8>", "transpose<double2, 16, 4>" } },
  cuda = [==[
template <typename T, int TILE, int ROWS>
__global__ void transpose(const T *in, T *out, int w, int h) {
  __shared__ T tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

// A square matrix of 16-bit words: each block below the diagonal swaps a pair of tiles.
extern "C" __global__ void transpose_in_place(short *a, int n) {
  __shared__ short lower[8][9], upper[8][9];
  int bi = blockIdx.y, bj = blockIdx.x, i = threadIdx.y, j = threadIdx.x;
  if (bj > bi) return;
  int r = bi * 8 + i, c = bj * 8 + j, r2 = bj * 8 + i, c2 = bi * 8 + j;
  if (r < n && c < n) lower[i][j] = a[r * n + c];
  if (r2 < n && c2 < n) upper[i][j] = a[r2 * n + c2];
  __syncthreads();
  if (r < n && c < n) a[r * n + c] = upper[j][i];
  if (r2 < n && c2 < n) a[r2 * n + c2] = lower[j][i];
}]==],
  c = [==[
void ref(void **p, const double *s) {
  int w = (int)s[0], h = (int)s[1], n = (int)s[2];
  const float *a = p[0];
  const double *c = p[2];
  float *b = p[1];
  double *d = p[3];
  int16_t *e = p[4];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      b[x * h + y] = a[y * w + x];
      for (int k = 0; k < 2; k++) d[2 * (x * h + y) + k] = c[2 * (y * w + x) + k];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      int16_t t = e[i * n + j];
      e[i * n + j] = e[j * n + i];
      e[j * n + i] = t;
    }
}]==],
  case = function(h, size)
    local w, height, n = h.pick(size, 91, 2300), h.pick(size, 45, 1700), h.pick(size, 59, 1000)
    local a, b = h.input("float32", w * height), h.output("float32", w * height)
    local c, d = h.input("float64", 2 * w * height), h.output("float64", 2 * w * height)
    local e = h.input("int16", n * n)
    h.launch("transpose<float, 32, 8>", { (w + 31) // 32, (height + 31) // 32 }, { 32, 8 }, a, b, w, height)
    h.launch("transpose<double2, 16, 4>", { (w + 15) // 16, (height + 15) // 16 }, { 16, 4 }, c, d, w, height)
    h.launch("transpose_in_place", { (n + 7) // 8, (n + 7) // 8 }, { 8, 8 }, e, n)
    h.reference({ a, b, c, d, e }, { w, height, n })
    for _, array in ipairs { b, d, e } do h.expect(array, 0) end
  end,
}
