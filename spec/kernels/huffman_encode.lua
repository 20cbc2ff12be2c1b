-- Huffman coding: a histogram with a copy for each warp, the code lengths by one thread over shared memory, canonical
-- codes, the bits of every symbol or-ed into place after a scan of their lengths, and decoding from many places.
return {
  field = "compression",
  cuda = [==[
#define SYMBOLS 64
__global__ void histogram(const unsigned char *in, int n, unsigned *counts) {
  __shared__ unsigned local[4][SYMBOLS];
  unsigned *mine = local[threadIdx.x / 32];
  for (int i = threadIdx.x; i < 4 * SYMBOLS; i += blockDim.x) (&local[0][0])[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < SYMBOLS; i += blockDim.x)
    atomicAdd(&counts[i], local[0][i] + local[1][i] + local[2][i] + local[3][i]);
}

/* Of the trees that are as short as can be, the sum of lengths by counts is the same for all. */
__global__ void make_codes(const unsigned *counts, unsigned char *lengths, unsigned *codes) {
  __shared__ unsigned weight[2 * SYMBOLS];
  __shared__ short parent[2 * SYMBOLS];
  if (threadIdx.x == 0) {
    int nodes = SYMBOLS;
    for (int i = 0; i < SYMBOLS; i++) {
      weight[i] = counts[i] ? counts[i] : 0xffffffffu;
      parent[i] = -1;
    }
    for (;;) {
      int a = -1, b = -1;
      for (int i = 0; i < nodes; i++) {
        if (parent[i] >= 0 || weight[i] == 0xffffffffu) continue;
        if (a < 0 || weight[i] < weight[a]) {
          b = a;
          a = i;
        } else if (b < 0 || weight[i] < weight[b]) {
          b = i;
        }
      }
      if (b < 0) break;
      weight[nodes] = weight[a] + weight[b];
      parent[nodes] = -1;
      parent[a] = parent[b] = (short)nodes;
      nodes++;
    }
  }
  __syncthreads();
  int s = threadIdx.x, length = 0;
  for (int i = s; parent[i] >= 0; i = parent[i]) length++;
  lengths[s] = (unsigned char)length;
  __syncthreads();
  __threadfence_block();
  unsigned code = 0;  /* canonical: shorter codes first, then by symbol */
  if (length)
    for (int o = 0; o < SYMBOLS; o++)
      if (lengths[o] && (lengths[o] < length || (lengths[o] == length && o < s))) code += 1u << (length - lengths[o]);
  codes[s] = code;
}

__global__ void bit_offsets(const unsigned char *in, const unsigned char *lengths, unsigned *offset, int n, int each) {
  extern __shared__ unsigned sums[];
  int t = threadIdx.x, first = t * each, last = min(first + each, n);
  unsigned sum = 0;
  for (int i = first; i < last; i++) sum += lengths[in[i]];
  sums[t] = sum;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    unsigned v = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += v;
    __syncthreads();
  }
  unsigned at = sums[t] - sum;
  for (int i = first; i < last; i++) {
    offset[i] = at;
    at += lengths[in[i]];
  }
  if (t == blockDim.x - 1) offset[n] = at;
}

__global__ void pack(const unsigned char *in, const unsigned char *lengths, const unsigned *codes,
                     const unsigned *offset, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = offset[i], length = lengths[in[i]], shift = at & 31;
  unsigned long long bits = (unsigned long long)codes[in[i]] << (64 - length) >> shift;  /* from the highest bit */
  atomicOr(&out[at >> 5], (unsigned)(bits >> 32));
  if (shift + length > 32) atomicOr(&out[(at >> 5) + 1], (unsigned)bits);
}

/* Threads decode from many places. Of canonical codes of one length only the first is needed. */
__global__ void decode(const unsigned *packed, const unsigned char *lengths, const unsigned *offset, unsigned *total,
                       unsigned char *back, int n, int each) {
  __shared__ unsigned char sorted[SYMBOLS];
  __shared__ int of_length[SYMBOLS];
  if (threadIdx.x < SYMBOLS) {
    int s = threadIdx.x, rank = 0, same = 0;
    for (int o = 0; o < SYMBOLS; o++) {
      rank += lengths[o] && (lengths[o] < lengths[s] || (lengths[o] == lengths[s] && o < s));
      same += s && lengths[o] == s;
    }
    of_length[s] = same;
    if (lengths[s]) sorted[rank] = (unsigned char)s;
  }
  __syncthreads();
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * each, end = min(first + each, n);
  if (first >= n) return;
  unsigned at = offset[first];
  for (int i = first; i < end; i++) {
    int code = 0, start = 0, rank = 0, length = 1;
    for (; length < SYMBOLS; length++) {
      code |= packed[at >> 5] >> (31 - (at & 31)) & 1;
      at++;
      if (code - of_length[length] < start) break;
      rank += of_length[length];
      start = (start + of_length[length]) << 1;
      code <<= 1;
    }
    back[i] = sorted[rank + code - start];
  }
  if (end == n) *total = at;
}]==],
  c = [==[
#include <stdlib.h>
#include <string.h>
static unsigned weight[128];
static int order(const void *a, const void *b) {
  unsigned x = weight[*(const int *)a], y = weight[*(const int *)b];
  return (x > y) - (x < y);
}
/* Two queues of weights make the tree, whose paths are the codes. Trees differ, but not in the number of bits; the
** symbols must come back. */
void ref(void **p, const double *s) {
  const unsigned char *in = p[0];
  unsigned *counts = p[1], *total = p[2];
  unsigned char *back = p[3], path[64][64], *bits = malloc((size_t)s[0] * 64);
  int n = (int)s[0], leaf[64], child[128][2], up[128], length[64] = { 0 }, leaves = 0, a = 0, b = 64, made = 64;
  size_t have = 0, at = 0;
  for (int i = 0; i < n; i++) counts[in[i]]++;
  for (int i = 0; i < 64; i++)
    if ((weight[i] = counts[i]) != 0) leaf[leaves++] = i;
  qsort(leaf, (size_t)leaves, sizeof *leaf, order);
  for (; made < 64 + leaves - 1; made++) {
    weight[made] = 0;
    for (int k = 0; k < 2; k++) {
      int one = a < leaves && (b == made || weight[leaf[a]] <= weight[b]) ? leaf[a++] : b++;
      child[made][k] = one;
      up[one] = 2 * made + k;
      weight[made] += weight[one];
    }
  }
  for (int i = 0; i < leaves; i++)
    for (int v = leaf[i]; v != made - 1; v = up[v] / 2) path[leaf[i]][length[leaf[i]]++] = (unsigned char)(up[v] & 1);
  for (int i = 0; i < n; i++)
    for (int k = length[in[i]]; k-- > 0;) bits[have++] = path[in[i]][k];
  for (int i = 0; i < n; i++) {
    int v = made - 1;
    while (v >= 64) v = child[v][bits[at++]];
    back[i] = (unsigned char)v;
  }
  *total = (unsigned)at;
  free(bits);
}]==],
  case = function(h, size)
    local n = h.pick(size, 3001, 1000000)
    local t, used = {}, math.random(2, 64)
    for i = 1, n do t[i] = math.floor((used - 1) * math.random() ^ 3 + 0.5) end
    t[1], t[2] = 0, 1 -- two symbols at the least
    local x, counts = h.data("uint8", t), h.output("uint32", 64)
    local lengths, codes = h.output("uint8", 64), h.output("uint32", 64)
    local offset, packed, back = h.output("uint32", n + 1), h.output("uint32", n), h.output("uint8", n)
    local total = h.output("uint32", 1)
    h.launch("histogram", { 5 }, { 128 }, x, n, counts)
    h.launch("make_codes", { 1 }, { 64 }, counts, lengths, codes)
    h.shared(4 * 100)
    h.launch("bit_offsets", { 1 }, { 100 }, x, lengths, offset, n, (n + 99) // 100)
    h.launch("pack", { (n + 127) // 128 }, { 128 }, x, lengths, codes, offset, packed, n)
    h.launch("decode", { 3 }, { 67 }, packed, lengths, offset, total, back, n, (n + 200) // 201)
    h.reference({ x, counts, total, back }, { n })
    h.expect(counts, 0)
    h.expect(total, 0)
    h.expect(back, 0)
  end,
}
