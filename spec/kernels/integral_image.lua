-- Summed-area table in 64 bits: rows by warps with shuffles and a running carry, columns by threads.
return {
  field = "image",
  cuda = [==[
__global__ void scan_rows(const unsigned char *in, unsigned long long *out, int w, int h) {
  int lane = threadIdx.x & 31, y = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (y >= h) return;
  unsigned carry = 0;
  for (int x0 = 0; x0 < w; x0 += 32) {
    int x = x0 + lane;
    unsigned v = x < w ? in[y * w + x] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      unsigned left = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v += left;
    }
    v += carry;
    if (x < w) out[(long long)y * w + x] = v;
    carry = __shfl_sync(0xffffffffu, v, 31);
  }
}

__global__ void scan_columns(unsigned long long *table, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  unsigned long long sum = 0, *p = table + x;
  for (int y = 0; y < h; y++, p += w) *p = sum += *p;
}

// Means of boxes, from four corners each.
__global__ void box_means(const unsigned long long *table, float *means, int w, int h, int r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int x0 = max(x - r, 0) - 1, y0 = max(y - r, 0) - 1, x1 = min(x + r, w - 1), y1 = min(y + r, h - 1);
  unsigned long long sum = table[y1 * w + x1];
  if (x0 >= 0) sum -= table[y1 * w + x0];
  if (y0 >= 0) sum -= table[y0 * w + x1];
  if (x0 >= 0 && y0 >= 0) sum += table[y0 * w + x0];
  means[y * w + x] = (float)sum / (float)((x1 - x0) * (y1 - y0));
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const uint8_t *in = p[0];
  uint64_t *table = p[1];
  float *means = p[2];
  int w = (int)s[0], h = (int)s[1], r = (int)s[2];
  for (int y = 0; y < h; y++) {
    uint64_t row = 0;
    for (int x = 0; x < w; x++) {
      row += in[y * w + x];
      table[y * w + x] = row + (y ? table[(y - 1) * w + x] : 0);
    }
  }
  /* the means by sliding sums, without the table */
  uint32_t *column = calloc(w, sizeof *column);
  for (int y = -r; y < h; y++) {
    for (int x = 0; x < w; x++) {
      if (y + r < h) column[x] += in[(y + r) * w + x];
      if (y - r - 1 >= 0) column[x] -= in[(y - r - 1) * w + x];
    }
    if (y < 0) continue;
    int lines = (y + r < h ? y + r : h - 1) - (y - r > 0 ? y - r : 0) + 1;
    uint32_t sum = 0;
    for (int x = -r; x < w; x++) {
      if (x + r < w) sum += column[x + r];
      if (x - r - 1 >= 0) sum -= column[x - r - 1];
      if (x < 0) continue;
      int columns = (x + r < w ? x + r : w - 1) - (x - r > 0 ? x - r : 0) + 1;
      means[y * w + x] = (float)sum / (float)(lines * columns);
    }
  }
  free(column);
}]==],
  case = function(h, size)
    local w, height, r = h.pick(size, 143, 3900), h.pick(size, 81, 2700), h.pick(size, 4, 9)
    local a, b, c = h.input("uint8", w * height), h.output("uint64", w * height), h.output("float32", w * height)
    h.launch("scan_rows", (height + 2) // 3, 96, a, b, w, height)
    h.launch("scan_columns", (w + 63) // 64, 64, b, w, height)
    h.launch("box_means", { (w + 31) // 32, (height + 6) // 7 }, { 32, 7 }, b, c, w, height, r)
    h.reference({ a, b, c }, { w, height, r })
    h.expect(b, 0)
    h.expect(c, 0)
  end,
}
