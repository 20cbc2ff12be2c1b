-- CRC-32 (zlib's): a thread hashes a slice with a table in shared memory; slices are joined by matrices over GF(2).
return {
  field = "hashing",
  cuda = [==[
#define POLY 0xedb88320u
__device__ unsigned times(const unsigned *matrix, unsigned v) {
  unsigned sum = 0;
  while (v) {
    if (v & 1) sum ^= *matrix;
    v >>= 1;
    matrix++;
  }
  return sum;
}

__device__ void square(unsigned *out, const unsigned *in) {
  for (int i = 0; i < 32; i++) out[i] = times(in, in[i]);
}

/* The checksum of A followed by B, from both checksums and B's length. */
__device__ unsigned joined(unsigned a, unsigned b, unsigned length) {
  unsigned even[32], odd[32], row = 1;
  if (length == 0) return a;
  odd[0] = POLY;
  for (int i = 1; i < 32; i++, row <<= 1) odd[i] = row;
  square(even, odd);
  square(odd, even);
  do {
    square(even, odd);
    if (length & 1) a = times(even, a);
    length >>= 1;
    if (length == 0) break;
    square(odd, even);
    if (length & 1) a = times(odd, a);
    length >>= 1;
  } while (length != 0);
  return a ^ b;
}

__global__ void crc_slices(const unsigned char *data, unsigned n, unsigned slice, unsigned *crc) {
  __shared__ unsigned table[256];
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
    unsigned c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? POLY ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  __syncthreads();
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, first = t * slice;
  if (first >= n) return;
  unsigned last = min(first + slice, n), c = 0xffffffffu;
  for (unsigned i = first; i < last; i++) c = table[(c ^ data[i]) & 0xff] ^ (c >> 8);
  crc[t] = ~c;
}

__global__ void crc_join(const unsigned *crc, unsigned n, unsigned slice, unsigned slices, unsigned *result) {
  extern __shared__ unsigned part[];  /* checksum and length of each thread's run of slices */
  unsigned each = (slices + blockDim.x - 1) / blockDim.x, t = threadIdx.x;
  unsigned c = 0, length = 0;
  for (unsigned i = t * each; i < min((t + 1) * each, slices); i++) {
    unsigned l = min(slice, n - i * slice);
    c = joined(c, crc[i], l);
    length += l;
  }
  part[2 * t] = c;
  part[2 * t + 1] = length;
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    if (t % (2 * d) == 0 && t + d < blockDim.x) {
      part[2 * t] = joined(part[2 * t], part[2 * (t + d)], part[2 * (t + d) + 1]);
      part[2 * t + 1] += part[2 * (t + d) + 1];
    }
  }
  if (t == 0) *result = part[0];
}]==],
  c = [==[
/* Bit by bit. */
void ref(void **p, const double *s) {
  const unsigned char *data = p[0];
  unsigned n = (unsigned)s[0], c = 0xffffffffu;
  for (unsigned i = 0; i < n; i++) {
    c ^= data[i];
    for (int k = 0; k < 8; k++) c = (c >> 1) ^ (0xedb88320u & -(c & 1));
  }
  *(unsigned *)p[1] = ~c;
}]==],
  case = function(h, size)
    local n, slice = h.pick(size, math.random(9000, 11000), 3000000), h.pick(size, 67, 1024)
    local slices = (n + slice - 1) // slice
    local data, crc, result = h.input("uint8", n), h.output("uint32", slices), h.output("uint32", 1)
    h.launch("crc_slices", { (slices + 95) // 96 }, { 96 }, data, n, slice, crc)
    h.shared(2 * 4 * 45)
    h.launch("crc_join", { 1 }, { 45 }, crc, n, slice, slices, result)
    h.reference({ data, result }, { n })
    h.expect(result, 0)
  end,
}
