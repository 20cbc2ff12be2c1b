// parts.cu - the kernel of array/parts.c.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

// Copies each part's `n` units of `size` bytes (1, 2, 4, 8 or 16), which lie along three axes. Neighbouring blocks are of
// different parts, so that parts that alternate in memory are written at about the same time.
//: copy
struct part {
  char *to;
  const char *from;
  unsigned long long n, middle, inner; // the extents of the axes, but of the first one
  long long to_step[3], from_step[3];  // bytes
  unsigned long long size;
};
struct parts {
  unsigned long long count;
  part of[MOST];
};
struct __align__(16) wide { unsigned long long x, y; };

static __device__ __forceinline__ char *at(char *base, const long long *step, unsigned long long plane,
                                           unsigned long long line, unsigned long long place) {
  return base + plane * step[0] + line * step[1] + place * step[2];
}

// Long rows: a block copies 1024 units of a row, another 1024 of this one or another, ...
template <typename T>
static __device__ void copy_rows(const part &p, unsigned long long block, unsigned long long blocks) {
  const unsigned long long chunks = (p.inner + 1023) / 1024, all = p.n / p.inner * chunks;
  for (unsigned long long i = block; i < all; i += blocks) {
    const unsigned long long row = i / chunks, plane = row / p.middle, line = row - plane * p.middle;
    const unsigned long long first = (i - row * chunks) * 1024 + threadIdx.x;
    const char *from = at((char *)p.from, p.from_step, plane, line, first);
    char *to = at(p.to, p.to_step, plane, line, first);
    T v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
      if (first + k * 256 < p.inner) v[k] = *(const T *)(from + k * 256 * p.from_step[2]);
#pragma unroll
    for (int k = 0; k < 4; k++)
      if (first + k * 256 < p.inner) *(T *)(to + k * 256 * p.to_step[2]) = v[k];
  }
}

// Short rows: a thread finds the place of each of its units.
template <typename T, typename I>
static __device__ void copy_units(const part &p, unsigned long long block, unsigned long long blocks) {
  const I middle = (I)p.middle, inner = (I)p.inner;
  const unsigned long long step = blocks * 256;
  for (unsigned long long begin = block * 256 + threadIdx.x; begin < p.n; begin += 4 * step) {
    T v[4];
    char *to[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const unsigned long long i = begin + k * step;
      if (i >= p.n) break;
      const I row = (I)i / inner, place = (I)i - row * inner, plane = row / middle, line = row - plane * middle;
      to[k] = at(p.to, p.to_step, plane, line, place);
      v[k] = *(const T *)at((char *)p.from, p.from_step, plane, line, place);
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
      if (begin + k * step < p.n) *(T *)to[k] = v[k];
  }
}

template <typename T>
static __device__ void copy(const part &p, unsigned long long block, unsigned long long blocks) {
  if (p.inner >= 512) copy_rows<T>(p, block, blocks);
  else if (p.n < 1ull << 31) copy_units<T, unsigned>(p, block, blocks);
  else copy_units<T, unsigned long long>(p, block, blocks);
}

extern "C" __global__ void __launch_bounds__(256) copy_parts(const __grid_constant__ parts all) {
  const unsigned count = (unsigned)all.count;
  const part &p = all.of[blockIdx.x % count];
  const unsigned long long block = blockIdx.x / count, blocks = gridDim.x / count;
  switch (p.size) {
    case 1: copy<unsigned char>(p, block, blocks); break;
    case 2: copy<unsigned short>(p, block, blocks); break;
    case 4: copy<unsigned>(p, block, blocks); break;
    case 8: copy<unsigned long long>(p, block, blocks); break;
    default: copy<wide>(p, block, blocks);
  }
}
