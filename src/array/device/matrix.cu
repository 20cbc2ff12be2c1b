// matrix.cu - kernels of array/linalg/matrix_kernels.c.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

// A tile of 64 by 64 of the result is a block's, 4 by 4 elements a thread's. Of the next 16 columns of a and rows of b
// the block's part is in shared memory, so that a thread reads its four elements of each at once; what follows is read
// meanwhile, by neighbouring threads along the axis on which elements are neighbours. Sums wrap, so they are made of
// unsigned numbers.
//: product
struct __align__(sizeof(T) < 4 ? 4 * sizeof(T) : 16) four { T v[4]; };

// A thread's four elements of a part of 64 (`along`) by 16 (`across`, the axis of k).
struct part {
  const T *from;
  long long next, step; // between its elements, and to the next part
  int along, across, more_along, more_across;

  __device__ part(const T *first, long long along_step, long long across_step, int t) {
    const bool neighbours = along_step == 1;
    along = neighbours ? t % 64 : t / 16;
    across = neighbours ? t / 64 : t % 16;
    more_along = neighbours ? 0 : 16;
    more_across = neighbours ? 4 : 0;
    from = first + along * along_step + across * across_step;
    next = more_along * along_step + more_across * across_step;
    step = 16 * across_step;
  }

  __device__ void read(T (&v)[4], long long inside_along, long long inside_across) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      v[j] = along + j * more_along < inside_along && across + j * more_across < inside_across ? from[j * next] : T(0);
    from += step;
  }

  __device__ void store(four (*to)[17], const T (&v)[4]) const {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int i = along + j * more_along;
      to[across + j * more_across][i / 4].v[i % 4] = v[j];
    }
  }
};

extern "C" __global__ void __launch_bounds__(256) product(T *c, const T *a, const T *b, long long m,
    long long n, long long k, long long a_row, long long a_column, long long b_row, long long b_column,
    long long step_a, long long step_b, long long step_c, long long batch) {
  __shared__ four ta[16][17], tb[16][17];
  const int t = threadIdx.y * 32 + threadIdx.x, x = t % 16, y = t / 16;
  for (long long z = blockIdx.z; z < batch; z += gridDim.z)
    for (long long row = blockIdx.y * 64ll; row < m; row += gridDim.y * 64ll)
      for (long long column = blockIdx.x * 64ll; column < n; column += gridDim.x * 64ll) {
        U sum[4][4] = {};
        T va[4], vb[4];
        part pa(a + z * step_a + row * a_row, a_row, a_column, t);
        part pb(b + z * step_b + column * b_column, b_column, b_row, t);
        pa.read(va, m - row, k);
        pb.read(vb, n - column, k);
        for (long long first = 0; first < k; first += 16) {
          pa.store(ta, va);
          pb.store(tb, vb);
          __syncthreads();
          pa.read(va, m - row, k - first - 16);
          pb.read(vb, n - column, k - first - 16);
#pragma unroll
          for (int l = 0; l < 16; l++) {
            const four u = ta[l][y], v = tb[l][x];
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
              for (int q = 0; q < 4; q++) ADD(sum[p][q], (U)u.v[p], (U)v.v[q]);
          }
          __syncthreads();
        }
#pragma unroll
        for (int p = 0; p < 4; p++)
#pragma unroll
          for (int q = 0; q < 4; q++)
            if (row + 4 * y + p < m && column + 4 * x + q < n)
              c[z * step_c + (row + 4 * y + p) * n + column + 4 * x + q] = (T)sum[p][q];
      }
}

// The same for a device that computes 32 neighbouring threads as a vector: a thread has ROWS elements below each other,
// so that each vector of b is used ROWS times, and elements of a are the same for all lanes. b's columns are neighbours.
//: product_rows
extern "C" __global__ void __launch_bounds__(256) product(T *__restrict__ c, const T *__restrict__ a,
    const T *__restrict__ b, long long m, long long n, long long k, long long a_row, long long a_column,
    long long b_row, long long, long long step_a, long long step_b, long long step_c, long long batch) {
  const int x = threadIdx.x;
  for (long long z = blockIdx.z; z < batch; z += gridDim.z)
    for (long long block = blockIdx.y; block * (8 * ROWS) < m; block += gridDim.y)
      for (long long column = blockIdx.x * 32ll; column < n; column += gridDim.x * 32ll) {
        const long long row = block * (8 * ROWS) + threadIdx.y * ROWS;
        const T *from[ROWS], *v = b + z * step_b + column;
        U sum[ROWS] = {};
#pragma unroll
        for (int q = 0; q < ROWS; q++)
          from[q] = a + z * step_a + (row + q < m ? row + q : m - 1) * a_row;
        for (long long first = 0; first < k; first += 64) {
          const long long last = first + 64 < k ? first + 64 : k;
          for (long long l = first; l < last; l++, v += b_row) {
            const U u = column + x < n ? (U)v[x] : U{};
#pragma unroll
            for (int q = 0; q < ROWS; q++) ADD(sum[q], (U)from[q][l * a_column], u);
          }
          __syncthreads(); // the block's threads take turns, and find these rows of b in the cache
        }
#pragma unroll
        for (int q = 0; q < ROWS; q++)
          if (row + q < m && column + x < n) c[z * step_c + (row + q) * n + column + x] = (T)sum[q];
      }
}

//: triangle
extern "C" __global__ void triangle(T *out, const T *in, long long n, long long rows, long long columns,
    long long row, long long column, long long step, long long upper) {
  const T zero = {};
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
       i += (long long)gridDim.x * blockDim.x) {
    const long long c = i % columns, r = i / columns % rows, z = i / columns / rows;
    const bool inside = upper ? c >= r : c <= r;
    out[i] = inside ? in[z * step + r * row + c * column] : zero;
  }
}
