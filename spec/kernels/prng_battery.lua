-- A battery of generators, one class each under one template: LCG, xorshift128+, PCG32, Philox; and of each the bits
-- set, the longest run, and the sum of squares that a chi-square over nibbles needs.
return {
  field = "random numbers",
  cuda = [==[
typedef unsigned long long u64;

struct lcg {
  u64 x;
  __device__ void seed(u64 s) { x = s; }
  __device__ unsigned next() {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(x >> 32);
  }
};

struct xorshift {
  u64 a, b;
  __device__ void seed(u64 s) {
    a = s | 1;
    b = ~s;
  }
  __device__ unsigned next() {
    u64 t = a, r = b;
    a = r;
    t ^= t << 23;
    b = t ^ r ^ (t >> 18) ^ (r >> 5);
    return (unsigned)((b + r) >> 32);
  }
};

struct pcg {
  u64 x;
  __device__ void seed(u64 s) {
    x = s + 1442695040888963407ull;
    next();
  }
  __device__ unsigned next() {
    u64 old = x;
    x = old * 6364136223846793005ull + 1442695040888963407ull;
    unsigned v = (unsigned)(((old >> 18) ^ old) >> 27), by = (unsigned)(old >> 59);
    return __funnelshift_r(v, v, by);
  }
};

struct philox {
  uint4 counter, out;
  uint2 key;
  int left;
  __device__ void seed(u64 s) {
    key = make_uint2((unsigned)s, (unsigned)(s >> 32));
    counter = make_uint4(0, 0, 0, 0);
    left = 0;
  }
  __device__ unsigned next() {
    if (left == 0) {
      uint4 c = counter;
      uint2 k = key;
#pragma unroll
      for (int i = 0; i < 10; i++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
        unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
      }
      out = c;
      left = 4;
      if (++counter.x == 0) counter.y++;
    }
    switch (left--) {
      case 4: return out.x;
      case 3: return out.y;
      case 2: return out.z;
      default: return out.w;
    }
  }
};

/* Results: xor of all, bits set, longest run of falling numbers, sum of squared nibble counts. */
template <class G> __global__ void battery(u64 seed, int draws, uint4 *result, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  G g;
  g.seed(seed + 0x9e3779b97f4a7c15ull * t);
  unsigned all = 0, bits = 0, run = 1, longest = 1, last = 0, nibbles[16];
  for (int i = 0; i < 16; i++) nibbles[i] = 0;
  for (int i = 0; i < draws; i++) {
    unsigned v = g.next();
    all ^= __brev(v) + i;
    bits += __popc(v);
    run = i && v < last ? run + 1 : 1;
    longest = max(longest, run);
    last = v;
    for (int k = 0; k < 8; k++) nibbles[v >> (4 * k) & 15]++;
  }
  unsigned squares = 0;
  for (int i = 0; i < 16; i++) squares += nibbles[i] * nibbles[i];
  result[t] = make_uint4(all, bits, longest, squares);
}]==],
  c = [==[
#include <string.h>
typedef unsigned long long u64;
static int kind;
static u64 state[2];
static unsigned words[4], key[2], at;
static void start(u64 s) {
  state[0] = kind == 1 ? s | 1 : s;
  state[1] = ~s;
  if (kind == 2) state[0] = (s + 1442695040888963407u) * 6364136223846793005u + 1442695040888963407u;
  key[0] = (unsigned)s;
  key[1] = (unsigned)(s >> 32);
  at = 0;
}
static unsigned draw(void) {
  u64 x = state[0], y = state[1];
  if (kind == 0) return (unsigned)((state[0] = x * 6364136223846793005u + 1442695040888963407u) >> 32);
  if (kind == 1) {
    x ^= x << 23;
    x ^= x >> 18 ^ y ^ y >> 5;
    state[0] = y;
    state[1] = x;
    return (unsigned)((x + y) >> 32);
  }
  if (kind == 2) {
    unsigned v = (unsigned)((x >> 18 ^ x) >> 27), by = (unsigned)(x >> 59);
    state[0] = x * 6364136223846793005u + 1442695040888963407u;
    return v >> by | v << (-by & 31);
  }
  if (at % 4 == 0) {
    unsigned c[4] = { at / 4, 0, 0, 0 }, k0 = key[0], k1 = key[1];
    for (int i = 0; i < 10; i++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      u64 a = (u64)c[0] * 0xD2511F53u, b = (u64)c[2] * 0xCD9E8D57u;
      c[0] = (unsigned)(b >> 32) ^ c[1] ^ k0;
      c[2] = (unsigned)(a >> 32) ^ c[3] ^ k1;
      c[1] = (unsigned)b;
      c[3] = (unsigned)a;
    }
    memcpy(words, c, sizeof words);
  }
  return words[at++ % 4];
}
void ref(void **p, const double *s) {
  u64 seed = (u64)s[0];
  int draws = (int)s[1], n = (int)s[2];
  for (kind = 0; kind < 4; kind++) {
    unsigned *r = p[kind];
    for (int t = 0; t < n; t++, r += 4) {
      unsigned count[16] = { 0 }, last = 0, run = 0;
      start(seed + 0x9e3779b97f4a7c15u * (u64)t);
      for (int i = 0; i < draws; i++) {
        unsigned v = draw(), turned = 0;
        for (int b = 0; b < 32; b++) turned |= (v >> b & 1) << (31 - b);
        r[0] ^= turned + (unsigned)i;
        for (unsigned u = v; u; u &= u - 1) r[1]++;
        run = i > 0 && v < last ? run + 1 : 1;
        if (run > r[2]) r[2] = run;
        last = v;
        for (int k = 0; k < 8; k++, v /= 16) count[v % 16]++;
      }
      for (int i = 0; i < 16; i++) r[3] += count[i] * count[i];
    }
  }
}]==],
  case = function(h, size)
    local n, draws, seed = h.pick(size, 131, 2048), h.pick(size, math.random(1, 90), 100), math.random(0, 1 << 50)
    local results = {}
    for i, generator in ipairs { "lcg", "xorshift", "pcg", "philox" } do
      results[i] = h.output("uint32", 4 * n)
      h.launch(("battery<%s>"):format(generator), { (n + 46) // 47 }, { 47 }, seed, draws, results[i], n)
    end
    h.reference(results, { seed, draws, n })
    for i = 1, 4 do h.expect(results[i], 0) end
  end,
}
