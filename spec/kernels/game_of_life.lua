-- Life on a torus, 32 cells a word: neighbours added bit-parallel by half and full adders in lop3 style.
return {
  field = "cellular automata",
  cuda = [==[
struct sum2 { unsigned low, high; };

__device__ __forceinline__ sum2 add3(unsigned a, unsigned b, unsigned c) {
  return { a ^ b ^ c, (a & b) | (c & (a | b)) };
}

__global__ void life(const unsigned *from, unsigned *to, int words, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= height) return;
  sum2 row[3];
  unsigned me = 0, sides_low = 0, sides_high = 0;
#pragma unroll
  for (int k = 0; k < 3; k++) {
    const unsigned *line = from + (size_t)((y + k + height - 1) % height) * words;
    unsigned here = line[x], left = line[(x + words - 1) % words], right = line[(x + 1) % words];
    unsigned west = __funnelshift_l(left, here, 1), east = __funnelshift_r(here, right, 1);
    if (k == 1) {
      me = here;
      sides_low = west ^ east;
      sides_high = west & east;
    } else {
      row[k] = add3(west, here, east);
    }
  }
  sum2 ones = add3(row[0].low, row[2].low, sides_low);     /* ones.high counts twos */
  sum2 twos = add3(row[0].high, row[2].high, sides_high);  /* twos.high counts fours */
  unsigned two = twos.low ^ ones.high, four = twos.high | (twos.low & ones.high);
  to[(size_t)y * words + x] = two & ~four & (ones.low | me);
}]==],
  c = [==[
#include <stdlib.h>
void ref(void **p, const double *s) {
  unsigned *bits = p[0];
  int words = (int)s[0], h = (int)s[1], steps = (int)s[2], w = 32 * words;
  unsigned char *a = malloc((size_t)(w * h)), *b = malloc((size_t)(w * h)), *t;
  for (int i = 0; i < w * h; i++) a[i] = bits[i / 32] >> i % 32 & 1;
  for (int k = 0; k < steps; k++) {
    for (int y = 0; y < h; y++) {
      const unsigned char *up = a + (y + h - 1) % h * w, *row = a + y * w, *down = a + (y + 1) % h * w;
      for (int x = 0; x < w; x++) {
        int l = x ? x - 1 : w - 1, r = x + 1 < w ? x + 1 : 0;
        int n = up[l] + up[x] + up[r] + row[l] + row[r] + down[l] + down[x] + down[r];
        b[y * w + x] = n == 3 || (n == 2 && row[x]);
      }
    }
    t = a; a = b; b = t;
  }
  for (int i = 0; i < words * h; i++) bits[i] = 0;
  for (int i = 0; i < w * h; i++) bits[i / 32] |= (unsigned)a[i] << i % 32;
  free(a); free(b);
}]==],
  case = function(h, size)
    local words, height = h.pick(size, math.random(1, 5), 32), h.pick(size, math.random(3, 50), 1024)
    local steps = 2 * h.pick(size, 4, 5)
    local a, b = h.input("uint32", words * height), h.output("uint32", words * height)
    local start = a
    for _ = 1, steps do
      h.launch("life", { (words + 6) // 7, (height + 8) // 9 }, { 7, 9 }, a, b, words, height)
      a, b = b, a
    end
    assert(a == start)
    h.reference({ start }, { words, height, steps })
    h.expect(start, 0)
  end,
}
