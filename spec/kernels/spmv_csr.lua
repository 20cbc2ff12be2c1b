-- Sparse matrix times vector: rows by tiles of eight lanes, and the same matrix in ELLPACK form by threads.
return {
  field = "linear algebra",
  cuda = [==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void spmv_csr(int rows, const int *start, const int *column, const float *value, const float *x, float *y) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int tiles = gridDim.x * (blockDim.x / 8);
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8; row < rows; row += tiles) {
    float sum = 0;
    for (int k = start[row] + tile.thread_rank(); k < start[row + 1]; k += 8) sum += value[k] * __ldg(x + column[k]);
    for (int d = 4; d; d >>= 1) sum += tile.shfl_down(sum, d);
    if (tile.thread_rank() == 0) y[row] = sum;
  }
}

// Column-major, as many entries a row as the longest has; -1 ends a row.
__global__ void to_ell(int rows, int width, const int *start, const int *column, const float *value, int *ecolumn,
                       float *evalue) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int k = start[row], end = start[row + 1];
  for (int j = 0; j < width; j++, k++) {
    ecolumn[j * rows + row] = k < end ? column[k] : -1;
    evalue[j * rows + row] = k < end ? value[k] : 0.0f;
  }
}

__global__ void spmv_ell(int rows, int width, const int *ecolumn, const float *evalue, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int j = 0; j < width; j++) {
    int c = ecolumn[j * rows + row];
    if (c < 0) break;
    sum = fmaf(evalue[j * rows + row], x[c], sum);
  }
  y[row] = sum;
}]==],
  c = [==[
/* Rows of 0 to most entries, with increasing columns. */
void sparse(void **p, const double *s) {
  int32_t *start = p[0], *column = p[1];
  int rows = (int)s[0], columns = (int)s[1], most = (int)s[2];
  uint32_t r = (uint32_t)s[3] | 1;
  int n = 0;
  for (int i = 0; i < rows; i++) {
    start[i] = n;
    r = r * 1664525 + 1013904223;
    int count = (int)(r >> 8) % (most + 1), at = 0;
    for (int k = 0; k < count; k++) {
      r = r * 1664525 + 1013904223;
      at += 1 + (int)(r >> 8) % (columns / most);
      if (at > columns) break;
      column[n++] = at - 1;
    }
  }
  start[rows] = n;
}
void ref(void **p, const double *s) {
  const int32_t *start = p[0], *column = p[1];
  const float *value = p[2], *x = p[3];
  float *y = p[4], *z = p[5], *evalue = p[7];
  int32_t *ecolumn = p[6];
  const int rows = (int)s[0], width = (int)s[1];
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += (double)value[k] * x[column[k]];
    y[i] = (float)sum;
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < width; j++) {
      const int k = start[i] + j, in = k < start[i + 1];
      ecolumn[j * rows + i] = in ? column[k] : -1;
      evalue[j * rows + i] = in ? value[k] : 0;
    }
  for (int j = 0; j < width; j++)
    for (int i = 0; i < rows; i++)
      if (ecolumn[j * rows + i] >= 0) z[i] += evalue[j * rows + i] * x[ecolumn[j * rows + i]];
}]==],
  case = function(h, size)
    local rows, columns, most = h.pick(size, 1203, 600000), h.pick(size, 997, 100000), h.pick(size, 21, 50)
    local start, column = h.output("int32", rows + 1), h.output("int32", rows * most)
    h.fill("sparse", { start, column }, { rows, columns, most, math.random(1 << 30) })
    local value, x = h.input("float32", rows * most), h.input("float32", columns)
    local y, z = h.output("float32", rows), h.output("float32", rows)
    local ecolumn, evalue = h.output("int32", rows * most), h.output("float32", rows * most)
    h.launch("spmv_csr", h.pick(size, 5, 1000), 120, rows, start, column, value, x, y)
    h.launch("to_ell", (rows + 127) // 128, 128, rows, most, start, column, value, ecolumn, evalue)
    h.launch("spmv_ell", (rows + 99) // 100, 100, rows, most, ecolumn, evalue, x, z)
    h.reference({ start, column, value, x, y, z, ecolumn, evalue }, { rows, most })
    h.expect(y, 1e-5)
    h.expect(z, 1e-5)
    h.expect(ecolumn, 0)
    h.expect(evalue, 0)
  end,
}
