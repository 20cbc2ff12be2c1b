// matrix.cu - kernels of array/linalg/matrix_kernels.c.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

// A tile of 32 by 32 of the result is a block's, eight rows of threads with four elements each. Sums wrap, so they are
// made of unsigned numbers.
//: product
extern "C" __global__ void __launch_bounds__(256) product(T *c, const T *a, const T *b, long long m,
    long long n, long long k, long long a_row, long long a_column, long long b_row, long long b_column,
    long long step_a, long long step_b, long long step_c, long long batch) {
  __shared__ T ta[32][33], tb[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  for (long long z = blockIdx.z; z < batch; z += gridDim.z)
    for (long long row = blockIdx.y * 32ll; row < m; row += gridDim.y * 32ll)
      for (long long column = blockIdx.x * 32ll; column < n; column += gridDim.x * 32ll) {
        U sum[4] = {0, 0, 0, 0};
        for (long long l = 0; l < k; l += 32) {
          for (int r = y; r < 32; r += 8) {
            ta[r][x] = row + r < m && l + x < k ? a[z * step_a + (row + r) * a_row + (l + x) * a_column] : T(0);
            tb[r][x] = l + r < k && column + x < n
                           ? b[z * step_b + (l + r) * b_row + (column + x) * b_column] : T(0);
          }
          __syncthreads();
          for (int i = 0; i < 32; i++) {
            const U v = (U)tb[i][x];
            for (int q = 0; q < 4; q++) ADD(sum[q], (U)ta[y + 8 * q][i], v);
          }
          __syncthreads();
        }
        for (int q = 0; q < 4; q++)
          if (row + y + 8 * q < m && column + x < n)
            c[z * step_c + (row + y + 8 * q) * n + column + x] = (T)sum[q];
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
