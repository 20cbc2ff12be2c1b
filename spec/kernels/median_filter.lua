-- Median of 3x3 and of 5x5 neighbourhoods: a sorting network of macros, and insertion into a local array.
return {
  field = "image",
  cuda = [==[
#define SWAP(a, b) { unsigned short lo = min(a, b), hi = max(a, b); a = lo; b = hi; }

__device__ unsigned short pixel(const unsigned short *in, int x, int y, int w, int h) {
  return in[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
}

__global__ void median3(const unsigned short *in, unsigned short *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned short v[9];
#pragma unroll
  for (int i = 0; i < 9; i++) v[i] = pixel(in, x + i % 3 - 1, y + i / 3 - 1, w, h);
  SWAP(v[1], v[2]) SWAP(v[4], v[5]) SWAP(v[7], v[8]) SWAP(v[0], v[1]) SWAP(v[3], v[4]) SWAP(v[6], v[7])
  SWAP(v[1], v[2]) SWAP(v[4], v[5]) SWAP(v[7], v[8]) SWAP(v[0], v[3]) SWAP(v[5], v[8]) SWAP(v[4], v[7])
  SWAP(v[3], v[6]) SWAP(v[1], v[4]) SWAP(v[2], v[5]) SWAP(v[4], v[7]) SWAP(v[4], v[2]) SWAP(v[6], v[4])
  SWAP(v[4], v[2])
  out[y * w + x] = v[4];
}

__global__ void median5(const unsigned short *in, unsigned short *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned short sorted[25];
  int n = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      unsigned short v = pixel(in, x + dx, y + dy, w, h);
      int k = n++;
      while (k > 0 && sorted[k - 1] > v) {
        sorted[k] = sorted[k - 1];
        k--;
      }
      sorted[k] = v;
    }
  out[y * w + x] = sorted[12];
}]==],
  c = [==[
static int compare(const void *a, const void *b) { return *(const uint16_t *)a - *(const uint16_t *)b; }
static void median(const uint16_t *in, uint16_t *out, int w, int h, int r) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      uint16_t v[25];
      int n = 0;
      for (int j = y - r; j <= y + r; j++)
        for (int i = x - r; i <= x + r; i++) {
          int u = i < 0 ? 0 : i >= w ? w - 1 : i, t = j < 0 ? 0 : j >= h ? h - 1 : j;
          v[n++] = in[t * w + u];
        }
      qsort(v, n, sizeof *v, compare);
      out[y * w + x] = v[n / 2];
    }
}
void ref(void **p, const double *s) {
  median(p[0], p[1], (int)s[0], (int)s[1], 1);
  median(p[0], p[2], (int)s[0], (int)s[1], 2);
}]==],
  case = function(h, size)
    local w, height = h.pick(size, 77, 400), h.pick(size, 43, 300)
    local a = h.input("uint16", w * height)
    local b, c = h.output("uint16", w * height), h.output("uint16", w * height)
    h.launch("median3", { (w + 15) // 16, (height + 15) // 16 }, { 16, 16 }, a, b, w, height)
    h.launch("median5", { (w + 32) // 33, (height + 2) // 3 }, { 33, 3 }, a, c, w, height)
    h.reference({ a, b, c }, { w, height })
    h.expect(b, 0)
    h.expect(c, 0)
  end,
}
