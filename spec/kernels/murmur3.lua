-- MurmurHash3 (32 bits) of NUL-terminated strings in a pool, and a histogram of the buckets that they fall into.
return {
  field = "hashing",
  cuda = [==[
__device__ __noinline__ unsigned length_of(const char *s) {
  const char *p = s;
  while (*p) p++;
  return (unsigned)(p - s);
}

__device__ unsigned murmur(const unsigned char *key, unsigned length, unsigned h) {
  const unsigned c1 = 0xcc9e2d51u, c2 = 0x1b873593u;
  unsigned k, i = 0;
  for (; i + 4 <= length; i += 4) {
    k = key[i] | key[i + 1] << 8 | key[i + 2] << 16 | (unsigned)key[i + 3] << 24;
    k *= c1;
    k = k << 15 | k >> 17;
    h ^= k * c2;
    h = h << 13 | h >> 19;
    h = h * 5 + 0xe6546b64u;
  }
  k = 0;
  switch (length & 3) {
    case 3: k ^= key[i + 2] << 16; /* fall through */
    case 2: k ^= key[i + 1] << 8; /* fall through */
    case 1:
      k ^= key[i];
      k *= c1;
      k = k << 15 | k >> 17;
      h ^= k * c2;
  }
  h ^= length;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

__global__ void hash_strings(const char *pool, const int *start, unsigned *hash, unsigned *buckets, int nbuckets,
                             unsigned seed, int n) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < nbuckets; i += blockDim.x) local[i] = 0;
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) {
    const char *s = pool + start[t];
    unsigned h = murmur((const unsigned char *)s, length_of(s), seed);
    hash[t] = h;
    atomicInc(&local[h % (unsigned)nbuckets], 0xffffffffu);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < nbuckets; i += blockDim.x)
    if (local[i]) atomicAdd(&buckets[i], local[i]);
}]==],
  c = [==[
#include <string.h>
static unsigned scramble(unsigned k) { k *= 0xcc9e2d51u; k = k << 15 | k >> 17; return k * 0x1b873593u; }
void ref(void **p, const double *s) {
  const char *pool = p[0];
  const int *start = p[1];
  unsigned *hash = p[2], *buckets = p[3], nbuckets = (unsigned)s[0], seed = (unsigned)s[1];
  int n = (int)s[2];
  for (int t = 0; t < n; t++) {
    const char *q = pool + start[t];
    size_t length = strlen(q), left = length;
    unsigned h = seed, k = 0;
    for (; left >= 4; left -= 4, q += 4) {
      memcpy(&k, q, 4);
      h ^= scramble(k);
      h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
    }
    k = 0;
    memcpy(&k, q, left);
    h ^= scramble(k) ^ (unsigned)length;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    hash[t] = h ^ h >> 16;
    buckets[hash[t] % nbuckets]++;
  }
}]==],
  case = function(h, size)
    local n, nbuckets, seed = h.pick(size, 603, 100000), h.pick(size, 37, 257), math.random(0, 1 << 31)
    local words, start, at = {}, {}, 0
    for i = 1, n do
      local length = math.random(0, 40)
      words[i] = string.char(math.random(1, 255), math.random(1, 255)):rep(20):sub(1, length - 4) ..
        ("%04x"):format(math.random(0, 65535)):sub(1, length)
      start[i] = at
      at = at + #words[i] + 1
    end
    local pool = h.raw("uint8", table.concat(words, "\0") .. "\0")
    local starts, hash, buckets = h.data("int32", start), h.output("uint32", n), h.output("uint32", nbuckets)
    h.shared(4 * nbuckets)
    h.launch("hash_strings", { (n + 100) // 101 }, { 101 }, pool, starts, hash, buckets, nbuckets, seed, n)
    h.reference({ pool, starts, hash, buckets }, { nbuckets, seed, n })
    h.expect(hash, 0)
    h.expect(buckets, 0)
  end,
}
