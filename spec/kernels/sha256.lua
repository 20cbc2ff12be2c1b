-- SHA-256, twice, of block headers of 80 bytes that differ in a counter; the smallest hash wins by atomicMin.
return {
  field = "hashing",
  cuda = [==[
__device__ unsigned constants[64 + 8];

/* The first 32 bits of the fractions of cube roots and square roots of primes. */
__device__ unsigned fraction(double root) { return (unsigned)((root - floor(root)) * 4294967296.0); }

__global__ void prepare() {
  if (threadIdx.x || blockIdx.x) return;
  int found = 0;
  for (int candidate = 2; found < 64; candidate++) {
    bool prime = true;
    for (int d = 2; d * d <= candidate && prime; d++) prime = candidate % d != 0;
    if (!prime) continue;
    constants[found] = fraction(cbrt((double)candidate));
    if (found < 8) constants[64 + found] = fraction(sqrt((double)candidate));
    found++;
  }
}

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

template <int WORDS> __device__ void sha(const unsigned (&message)[WORDS], unsigned *out) {
  unsigned h[8], w[16];
  for (int i = 0; i < 8; i++) h[i] = constants[64 + i];
  const int blocks = (WORDS + 2) / 16 + 1;
  for (int block = 0; block < blocks; block++) {
#pragma unroll
    for (int i = 0; i < 16; i++) {
      int at = block * 16 + i;
      w[i] = at < WORDS ? message[at] : at == WORDS ? 0x80000000u : at == blocks * 16 - 1 ? WORDS * 32 : 0;
    }
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], x = h[7];
#pragma unroll 16
    for (int i = 0; i < 64; i++) {
      if (i >= 16) {
        unsigned s0 = w[(i + 1) & 15], s1 = w[(i + 14) & 15];
        s0 = ROTR(s0, 7) ^ ROTR(s0, 18) ^ (s0 >> 3);
        s1 = ROTR(s1, 17) ^ ROTR(s1, 19) ^ (s1 >> 10);
        w[i & 15] += s0 + w[(i + 9) & 15] + s1;
      }
      unsigned t1 = x + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i & 15];
      unsigned t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      x = g; g = f; f = e; e = d + t1;
      d = c; c = b; b = a; a = t1 + t2;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += x;
  }
  for (int i = 0; i < 8; i++) out[i] = h[i];
}

__global__ void mine(const unsigned *header, unsigned first, int n, unsigned *hashes, unsigned long long *best) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned message[20], once[8], twice[8];
  for (int i = 0; i < 19; i++) message[i] = header[i];
  message[19] = first + t;
  sha(message, once);
  sha(once, twice);
  for (int i = 0; i < 8; i++) hashes[8 * t + i] = twice[i];
  atomicMin(best, (unsigned long long)twice[0] << 32 | (first + t));
}]==],
  c = [==[
#include <string.h>
#include <math.h>
static unsigned K[64], H[8];
static void constants(void) {
  static const unsigned char primes[64] = {
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
    113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239,
    241, 251 };
  static const unsigned short larger[10] = { 257, 263, 269, 271, 277, 281, 283, 293, 307, 311 };
  for (int i = 0; i < 64; i++) {
    long double prime = i < 54 ? primes[i] : larger[i - 54], c = cbrtl(prime), q = sqrtl(prime);
    K[i] = (unsigned)((c - floorl(c)) * 4294967296.0L);
    if (i < 8) H[i] = (unsigned)((q - floorl(q)) * 4294967296.0L);
  }
}
static unsigned ror(unsigned x, int n) { return x >> n | x << (32 - n); }
static void sha(const unsigned char *m, size_t length, unsigned char *out) {
  unsigned char block[128] = { 0 };
  unsigned h[8];
  size_t padded = length + 9 > 64 ? 128 : 64;
  memcpy(block, m, length);
  block[length] = 0x80;
  for (int i = 0; i < 8; i++) block[padded - 1 - i] = (unsigned char)((8ull * length) >> 8 * i);
  memcpy(h, H, sizeof h);
  for (size_t at = 0; at < padded; at += 64) {
    unsigned w[64], v[8];
    for (int i = 0; i < 16; i++) {
      const unsigned char *q = block + at + 4 * i;
      w[i] = (unsigned)q[0] << 24 | (unsigned)q[1] << 16 | (unsigned)q[2] << 8 | q[3];
    }
    for (int i = 16; i < 64; i++)
      w[i] = w[i - 16] + w[i - 7] + (ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3) +
             (ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
      unsigned t = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) + K[i] + w[i];
      t += v[6] ^ (v[4] & (v[5] ^ v[6]));
      unsigned u = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) + ((v[0] & v[1]) | (v[2] & (v[0] | v[1])));
      memmove(v + 1, v, 28);
      v[4] += t;
      v[0] = t + u;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
  }
  for (int i = 0; i < 32; i++) out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}
void ref(void **p, const double *s) {
  const unsigned *header = p[0];
  unsigned *hashes = p[1], first = (unsigned)s[0];
  unsigned long long *best = p[2];
  int n = (int)s[1];
  constants();
  for (int t = 0; t < n; t++) {
    unsigned char m[80], once[32], twice[32];
    for (int i = 0; i < 20; i++) {
      unsigned v = i < 19 ? header[i] : first + (unsigned)t;
      for (int k = 0; k < 4; k++) m[4 * i + k] = (unsigned char)(v >> (24 - 8 * k));
    }
    sha(m, 80, once);
    sha(once, 32, twice);
    for (int i = 0; i < 8; i++) {
      const unsigned char *q = twice + 4 * i;
      hashes[8 * t + i] = (unsigned)q[0] << 24 | (unsigned)q[1] << 16 | (unsigned)q[2] << 8 | q[3];
    }
    unsigned long long key = (unsigned long long)hashes[8 * t] << 32 | (first + (unsigned)t);
    if (key < *best) *best = key;
  }
}]==],
  case = function(h, size)
    local n, first = h.pick(size, 777, 40000), math.random(0, 1 << 31)
    local header, hashes, best = h.input("uint32", 19), h.output("uint32", 8 * n), h.raw("uint64", ("\xff"):rep(8))
    h.launch("prepare", { 1 }, { 1 })
    h.launch("mine", { (n + 63) // 64 }, { 64 }, header, first, n, hashes, best)
    h.reference({ header, hashes, best }, { first, n })
    h.expect(hashes, 0)
    h.expect(best, 0)
  end,
}
