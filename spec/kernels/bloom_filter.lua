-- A Bloom filter: bits set by atomicOr, asked by a cooperative group whose threads test one hash function each.
return {
  field = "hashing",
  cuda = [==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned bit_of(unsigned long long key, unsigned k, unsigned bits) {
  unsigned long long x = key + (k + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return __umulhi((unsigned)(x >> 32) ^ (unsigned)x, bits);  /* into [0, bits) */
}

__global__ void add(const unsigned long long *keys, int n, unsigned *filter, unsigned bits) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n * 4) return;
  unsigned b = bit_of(keys[t / 4], t % 4, bits);
  atomicOr(&filter[b / 32], 1u << (b % 32));
}

__global__ void ask(const unsigned long long *keys, int n, const unsigned *filter, unsigned bits, unsigned char *in) {
  auto four = cg::tiled_partition<4>(cg::this_thread_block());
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
  if (i >= n) return;  /* whole groups leave */
  unsigned b = bit_of(keys[i], four.thread_rank(), bits);
  bool maybe = four.all((filter[b / 32] >> (b % 32)) & 1);
  if (four.thread_rank() == 3) in[i] = maybe;
}]==],
  c = [==[
typedef unsigned long long u64;
static unsigned where(u64 key, unsigned k, unsigned bits) {
  u64 x = key + (k + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (unsigned)((u64)((unsigned)(x >> 32) ^ (unsigned)x) * bits >> 32);
}
void ref(void **p, const double *s) {
  const u64 *keys = p[0], *asked = p[1];
  unsigned char *filter = p[2], *in = p[3];  /* bytes: the same bits on a little-endian machine */
  int n = (int)s[0], m = (int)s[1];
  unsigned bits = (unsigned)s[2];
  for (int i = 0; i < n; i++)
    for (unsigned k = 0; k < 4; k++) {
      unsigned b = where(keys[i], k, bits);
      filter[b >> 3] |= (unsigned char)(1 << (b & 7));
    }
  for (int i = 0; i < m; i++) {
    unsigned k = 0;
    for (; k < 4; k++) {
      unsigned b = where(asked[i], k, bits);
      if (!(filter[b >> 3] >> (b & 7) & 1)) break;
    }
    in[i] = k == 4;
  }
}]==],
  case = function(h, size)
    local n, m = h.pick(size, 500, 500000), h.pick(size, 2003, 1000000)
    local bits = h.pick(size, 4001, 5000011)
    local keys, asked = h.input("uint64", n, 0, 3 * n), h.input("uint64", m, 0, 9 * n)
    local filter, found = h.output("uint32", (bits + 31) // 32), h.output("uint8", m)
    h.launch("add", { (4 * n + 159) // 160 }, { 160 }, keys, n, filter, bits)
    h.launch("ask", { (4 * m + 35) // 36 }, { 36 }, asked, m, filter, bits, found)
    h.reference({ keys, asked, filter, found }, { n, m, bits })
    h.expect(filter, 0)
    h.expect(found, 0)
  end,
}
