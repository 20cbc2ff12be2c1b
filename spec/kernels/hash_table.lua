-- An open-addressing hash table of 64-bit slots: insertion by atomicCAS with linear probing, values summed by key.
return {
  field = "hashing",
  cuda = [==[
struct slot { unsigned key, value; };
#define EMPTY 0xffffffffu

__device__ unsigned place(unsigned k, unsigned mask) {
  k ^= k >> 16;
  k *= 0x7feb352du;
  k ^= k >> 15;
  return k & mask;
}

__global__ void clear(slot *table, int capacity) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < capacity; i += gridDim.x * blockDim.x)
    table[i] = slot{ EMPTY, 0 };
}

__global__ void insert(slot *table, unsigned mask, const unsigned *keys, const unsigned *values, int n, int *distinct) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i];
  for (unsigned at = place(key, mask);; at = (at + 1) & mask) {
    unsigned old = atomicCAS(&table[at].key, EMPTY, key);
    if (old != EMPTY && old != key) continue;
    if (old == EMPTY) atomicAdd(distinct, 1);
    atomicAdd(&table[at].value, values[i]);
    return;
  }
}

__global__ void lookup(const slot *table, unsigned mask, const unsigned *keys, long long *found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i], at = place(key, mask);
  long long result = -1;
  while (true) {
    slot s = table[at];
    if (s.key == key) {
      result = s.value;
      break;
    }
    if (s.key == EMPTY) break;
    at = (at + 1) & mask;
  }
  found[i] = result;
}]==],
  c = [==[
#include <stdlib.h>
/* Sums in an array indexed by the key. */
void ref(void **p, const double *s) {
  const unsigned *keys = p[0], *values = p[1], *asked = p[2];
  long long *found = p[3];
  int n = (int)s[0], m = (int)s[1], *distinct = p[4];
  size_t range = (size_t)s[2];
  unsigned *sum = calloc(range, sizeof *sum);
  char *there = calloc(range, 1);
  for (int i = 0; i < n; i++) {
    *distinct += !there[keys[i]];
    there[keys[i]] = 1;
    sum[keys[i]] += values[i];
  }
  for (int i = 0; i < m; i++) found[i] = there[asked[i]] ? (long long)sum[asked[i]] : -1;
  free(sum); free(there);
}]==],
  case = function(h, size)
    local n, m, range = h.pick(size, 1500, 2000000), h.pick(size, 1111, 2000000), h.pick(size, 1301, 1600000)
    local capacity = h.pick(size, 1024, 1 << 21)
    range = math.min(range, capacity) -- nearly full at worst
    local keys, values = h.input("uint32", n, 0, range - range // 8), h.input("uint32", n)
    local asked, found = h.input("uint32", m, 0, range), h.output("int64", m)
    local slots, distinct = h.output("uint8", 8 * capacity), h.output("int32", 1)
    h.launch("clear", { 4 }, { 130 }, slots, capacity)
    h.launch("insert", { (n + 127) // 128 }, { 128 }, slots, capacity - 1, keys, values, n, distinct)
    h.launch("lookup", { (m + 49) // 50 }, { 50 }, slots, capacity - 1, asked, found, m)
    h.reference({ keys, values, asked, found, distinct }, { n, m, range })
    h.expect(found, 0)
    h.expect(distinct, 0)
  end,
}
