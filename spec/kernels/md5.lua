-- MD5 of many messages of different lengths, one to a thread; the rounds are unrolled by macros as usual.
return {
  field = "hashing",
  cuda = [==[
__constant__ unsigned char shifts[16] = { 7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21 };
__device__ unsigned sines[64];

__global__ void fill_sines() {  /* floor(2^32 |sin(i + 1)|) */
  int i = threadIdx.x;
  if (i < 64) sines[i] = (unsigned)(long long)(fabs(sin((double)(i + 1))) * 4294967296.0);
}

__device__ __forceinline__ unsigned rotate(unsigned v, unsigned by) { return __funnelshift_l(v, v, by); }

struct state { unsigned a, b, c, d; };

__device__ void transform(state &h, const unsigned *m) {
  unsigned a = h.a, b = h.b, c = h.c, d = h.d;
  for (int i = 0; i < 64; i++) {
    unsigned f;
    int g;
    switch (i >> 4) {
      case 0: f = (b & c) | (~b & d); g = i; break;
      case 1: f = (d & b) | (~d & c); g = (5 * i + 1) & 15; break;
      case 2: f = b ^ c ^ d; g = (3 * i + 5) & 15; break;
      default: f = c ^ (b | ~d); g = (7 * i) & 15; break;
    }
    unsigned next = b + rotate(a + f + sines[i] + m[g], shifts[(i >> 4) * 4 + (i & 3)]);
    a = d;
    d = c;
    c = b;
    b = next;
  }
  h.a += a;
  h.b += b;
  h.c += c;
  h.d += d;
}

__global__ void md5(const unsigned char *text, const unsigned *start, uint4 *digest, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const unsigned char *p = text + start[t];
  unsigned long long length = start[t + 1] - start[t];
  state h = { 0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u };
  union { unsigned words[16]; unsigned char bytes[64]; } m;
  unsigned long long at = 0;
  bool ended = false;
  for (bool last = false; !last;) {
    int k = 0;
    while (k < 64 && at < length) m.bytes[k++] = p[at++];
    if (k < 64 && !ended) {
      m.bytes[k++] = 0x80;
      ended = true;
    }
    last = ended && k <= 56;
    while (k < 64) m.bytes[k++] = 0;
    if (last) {
      m.words[14] = (unsigned)(length << 3);
      m.words[15] = (unsigned)(length >> 29);
    }
    transform(h, m.words);
  }
  digest[t] = make_uint4(h.a, h.b, h.c, h.d);
}]==],
  c = [==[
#include <stdlib.h>
#include <string.h>
#include <math.h>
static unsigned left(unsigned v, int k) { return v << k | v >> (32 - k); }
void ref(void **p, const double *s) {
  static const int turn[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };
  const unsigned char *text = p[0];
  const unsigned *start = p[1];
  unsigned *digest = p[2], K[64];
  int n = (int)s[0];
  for (int i = 0; i < 64; i++) K[i] = (unsigned)(long long)(fabs(sin(i + 1.0)) * 4294967296.0);
  for (int t = 0; t < n; t++) {
    size_t length = start[t + 1] - start[t], padded = (length + 8) / 64 * 64 + 64;
    unsigned char *m = calloc(padded, 1);
    unsigned long long bits = 8ull * length;
    unsigned h[4] = { 0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u };
    memcpy(m, text + start[t], length);
    m[length] = 0x80;
    memcpy(m + padded - 8, &bits, 8);
    for (size_t at = 0; at < padded; at += 64) {
      unsigned w[16], v[4];
      memcpy(w, m + at, 64);
      memcpy(v, h, 16);
      for (int r = 0; r < 4; r++)
        for (int i = 0; i < 16; i++) {
          unsigned x = v[1], y = v[2], z = v[3], f;
          int g;
          if (r == 0) { f = z ^ (x & (y ^ z)); g = i; }
          else if (r == 1) { f = y ^ (z & (x ^ y)); g = (1 + 5 * i) % 16; }
          else if (r == 2) { f = x ^ y ^ z; g = (5 + 3 * i) % 16; }
          else { f = y ^ (x | ~z); g = 7 * i % 16; }
          unsigned u = x + left(v[0] + f + K[16 * r + i] + w[g], turn[r][i % 4]);
          v[0] = z; v[3] = y; v[2] = x; v[1] = u;
        }
      for (int i = 0; i < 4; i++) h[i] += v[i];
    }
    memcpy(digest + 4 * t, h, 16);
    free(m);
  }
}]==],
  case = function(h, size)
    local n, most = h.pick(size, 211, 50000), h.pick(size, 200, 300)
    local start = { 0 }
    for i = 1, n do start[i + 1] = start[i] + math.random(0, most) end
    local text, starts, digest = h.input("uint8", start[n + 1] + 1), h.data("uint32", start), h.output("uint32", 4 * n)
    h.launch("fill_sines", { 1 }, { 64 })
    h.launch("md5", { (n + 39) // 40 }, { 40 }, text, starts, digest, n)
    h.reference({ text, starts, digest }, { n })
    h.expect(digest, 0)
  end,
}
