-- XXH64 of records of a common length, with 64-bit multiplications and rotations; unaligned tails byte by byte.
return {
  field = "hashing",
  cuda = [==[
typedef unsigned long long u64;
static const u64 P1 = 11400714785074694791ULL, P2 = 14029467366897019727ULL, P3 = 1609587929392839161ULL,
                 P4 = 9650029242287828579ULL, P5 = 2870177450012600261ULL;

__device__ __forceinline__ u64 rotl(u64 v, int r) { return (v << r) | (v >> (64 - r)); }
__device__ __forceinline__ u64 mix(u64 sum, u64 input) { return rotl(sum + input * P2, 31) * P1; }
__device__ __forceinline__ u64 merge(u64 sum, u64 v) { return (sum ^ mix(0, v)) * P1 + P4; }

template <typename T> __device__ T load(const unsigned char *p) {
  T v = 0;
  for (int i = sizeof(T) - 1; i >= 0; i--) v = (T)(v << 8) | p[i];
  return v;
}

__global__ void xxh64(const unsigned char *data, int length, u64 seed, u64 *out, int n) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += gridDim.x * blockDim.x) {
    const unsigned char *p = data + (size_t)r * length, *end = p + length;
    u64 h;
    if (length >= 32) {
      u64 v[4] = { seed + P1 + P2, seed + P2, seed, seed - P1 };
      do {
        for (int i = 0; i < 4; i++, p += 8) v[i] = mix(v[i], load<u64>(p));
      } while (p <= end - 32);
      h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
      for (int i = 0; i < 4; i++) h = merge(h, v[i]);
    } else {
      h = seed + P5;
    }
    h += (u64)length;
    for (; p + 8 <= end; p += 8) h = rotl(h ^ mix(0, load<u64>(p)), 27) * P1 + P4;
    if (p + 4 <= end) {
      h = rotl(h ^ load<unsigned>(p) * P1, 23) * P2 + P3;
      p += 4;
    }
    for (; p < end; p++) h = rotl(h ^ *p * P5, 11) * P1;
    h = (h ^ (h >> 33)) * P2;
    h = (h ^ (h >> 29)) * P3;
    out[r] = h ^ (h >> 32);
  }
}]==],
  c = [==[
#include <string.h>
typedef unsigned long long u64;
static u64 spin(u64 x, unsigned k) { return x << k | x >> (64 - k); }
void ref(void **p, const double *s) {
  const u64 A = 0x9e3779b185ebca87u, B = 0xc2b2ae3d27d4eb4fu, C = 0x165667b19e3779f9u, D = 0x85ebca77c2b2ae63u,
            E = 0x27d4eb2f165667c5u;
  const unsigned char *data = p[0];
  u64 *out = p[1], seed = (u64)s[2];
  size_t length = (size_t)s[0], n = (size_t)s[1];
  for (size_t r = 0; r < n; r++) {
    const unsigned char *q = data + r * length;
    size_t at = 0;
    u64 h = seed + E, word;
    if (length >= 32) {
      u64 lanes[4] = { seed + A + B, seed + B, seed, seed - A };
      for (; at + 32 <= length; at += 32)
        for (size_t i = 0; i < 4; i++) {
          memcpy(&word, q + at + 8 * i, 8);
          lanes[i] = A * spin(lanes[i] + B * word, 31);
        }
      h = spin(lanes[0], 1) + spin(lanes[1], 7) + spin(lanes[2], 12) + spin(lanes[3], 18);
      for (int i = 0; i < 4; i++) h = D + A * (h ^ A * spin(B * lanes[i], 31));
    }
    h += length;
    while (length - at >= 8) {
      memcpy(&word, q + at, 8);
      h ^= A * spin(B * word, 31);
      h = D + A * spin(h, 27);
      at += 8;
    }
    if (length - at >= 4) {
      unsigned half;
      memcpy(&half, q + at, 4);
      h = C + B * spin(h ^ A * half, 23);
      at += 4;
    }
    while (at < length) h = A * spin(h ^ E * q[at++], 11);
    h ^= h >> 33; h *= B; h ^= h >> 29; h *= C; h ^= h >> 32;
    out[r] = h;
  }
}]==],
  case = function(h, size)
    local n = h.pick(size, 401, 400000)
    local length, seed = h.pick(size, math.random(0, 110), 131), math.random(0, 1 << 40)
    local data, out = h.input("uint8", n * length + 1), h.output("uint64", n)
    h.launch("xxh64", { 3 }, { 75 }, data, length, seed, out, n)
    h.reference({ data, out }, { length, n, seed })
    h.expect(out, 0)
  end,
}
