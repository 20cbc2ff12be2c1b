-- Frame-of-reference packing: 32 integers become their minimum and as many words as the widest difference has bits,
-- transposed by ballots; and unpacking.
return {
  field = "compression",
  cuda = [==[
#define FULL 0xffffffffu
__global__ void pack(const int *in, int n, int *least, unsigned char *widths, unsigned *words) {
  int lane = threadIdx.x, group = blockIdx.x * blockDim.y + threadIdx.y;
  if (group * 32 >= n) return;
  int i = group * 32 + lane;
  int v = i < n ? in[i] : in[n - 1], low = v;
#pragma unroll
  for (int d = 16; d; d >>= 1) low = min(low, __shfl_xor_sync(FULL, low, d));
  unsigned difference = (unsigned)v - (unsigned)low, any = difference;
#pragma unroll
  for (int d = 16; d; d >>= 1) any |= __shfl_xor_sync(FULL, any, d);
  int width = 32 - __clz(any);
  unsigned mine = 0;
  for (int b = 0; b < width; b++) {
    unsigned plane = __ballot_sync(FULL, (difference >> b) & 1);
    if (lane == b) mine = plane;
  }
  words[i] = mine;
  if (lane == 0) {
    least[group] = low;
    widths[group] = (unsigned char)width;
  }
}

__global__ void unpack(const int *least, const unsigned char *widths, const unsigned *words, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, group = i / 32, lane = threadIdx.x & 31;
  unsigned plane = group * 32 < n ? words[i] : 0, v = 0;
  int width = group * 32 < n ? widths[group] : 0;
  for (int b = 0; b < width; b++) {
    unsigned p = __shfl_sync(FULL, plane, b);
    asm("bfi.b32 %0, %1, %0, %2, 1;" : "+r"(v) : "r"(p >> lane), "r"(b));
  }
  if (i < n) out[i] = least[group] + (int)v;
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const int *in = p[0];
  int *least = p[1], *back = p[4], n = (int)s[0];
  unsigned char *widths = p[2];
  unsigned *words = p[3];
  for (int g = 0; g * 32 < n; g++) {
    int low = in[32 * g];
    for (int k = 0; k < 32 && 32 * g + k < n; k++) if (in[32 * g + k] < low) low = in[32 * g + k];
    if (n - 1 < 32 * g + 31 && in[n - 1] < low) low = in[n - 1];
    unsigned widest = 0;
    for (int k = 0; k < 32; k++) {
      unsigned d = (unsigned)in[32 * g + k < n ? 32 * g + k : n - 1] - (unsigned)low;
      if (d > widest) widest = d;
      for (int b = 0; b < 32; b++) words[32 * g + b] |= (d >> b & 1) << k;
    }
    least[g] = low;
    while (widest) { widths[g]++; widest >>= 1; }
  }
  for (int i = 0; i < n; i++) back[i] = in[i];
}]==],
  case = function(h, size)
    local n = h.pick(size, math.random(3000, 3100), 600000)
    local groups = (n + 31) // 32
    local t = {}
    for g = 0, groups - 1 do
      local base, width = math.random(-1000000, 1000000), math.random(0, 3) == 0 and 0 or math.random(0, 20)
      for k = 1, 32 do t[32 * g + k] = base + math.random(0, (1 << width) - 1) end
    end
    for i = #t, n + 1, -1 do t[i] = nil end
    t[7], t[8] = 2147483647, -2147483648
    local x, least, widths = h.data("int32", t), h.output("int32", groups), h.output("uint8", groups)
    local words, back = h.output("uint32", 32 * groups), h.output("int32", n)
    h.launch("pack", { (groups + 2) // 3 }, { 32, 3 }, x, n, least, widths, words)
    h.launch("unpack", { (n + 159) // 160 }, { 160 }, least, widths, words, n, back)
    h.reference({ x, least, widths, words, back }, { n })
    h.expect(least, 0)
    h.expect(widths, 0)
    h.expect(words, 0)
    h.expect(back, 0)
  end,
}
