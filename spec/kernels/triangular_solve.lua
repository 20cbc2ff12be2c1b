-- Sparse lower triangular solve in one launch: a warp a row, which spins on flags until the rows it needs are done.
return {
  field = "linear algebra",
  cuda = [==[
__global__ void solve(int rows, const int *start, const int *column, const float *value, const float *b, float *x,
                      int *next, volatile int *ready) {
  int lane = threadIdx.x & 31, row;
  if (lane == 0) row = atomicAdd(next, 1); // rows are begun in order, so those needed are under way
  row = __shfl_sync(0xffffffff, row, 0);
  if (row >= rows) return;
  int first = start[row], last = start[row + 1] - 1; // the diagonal is the last entry
  float sum = 0;
  for (int k = first + lane; k < last; k += 32) {
    int c = column[k];
    while (!ready[c]) { }
    __threadfence();
    sum += value[k] * *(volatile float *)(x + c);
  }
  __syncwarp();
#pragma unroll
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) {
    x[row] = (b[row] - sum) / value[last];
    __threadfence();
    ready[row] = 1;
  }
}]==],
  c = [==[
/* Rows of up to most entries left of the diagonal, near it and far; values small beside the diagonal's. */
void lower(void **p, const double *s) {
  int32_t *start = p[0], *column = p[1];
  float *value = p[2];
  int rows = (int)s[0], most = (int)s[1], n = 0;
  uint32_t r = (uint32_t)s[2];
  for (int i = 0; i < rows; i++) {
    start[i] = n;
    int at = i - 1;
    for (int k = 0; k < most && at >= 0; k++) {
      column[n] = at;
      value[n] /= most;
      n++;
      r = r * 1103515245 + 12345;
      at -= 1 + (int)(r >> 16) % (k < 3 ? 4 : i / most + 1);
    }
    column[n] = i;
    value[n] = 1 + fabsf(value[n]);
    n++;
  }
  start[rows] = n;
}
void ref(void **p, const double *s) {
  const int32_t *start = p[0], *column = p[1];
  const float *value = p[2], *b = p[3];
  float *x = p[4];
  for (int i = 0; i < (int)s[0]; i++) {
    double v = b[i];
    int k = start[i];
    for (; column[k] < i; k++) v -= (double)value[k] * x[column[k]];
    x[i] = (float)(v / value[k]);
  }
}]==],
  case = function(h, size)
    local rows, most = h.pick(size, 701, 200000), h.pick(size, 37, 100)
    local start, column = h.output("int32", rows + 1), h.output("int32", rows * (most + 1))
    local value, b = h.input("float32", rows * (most + 1)), h.input("float32", rows)
    h.fill("lower", { start, column, value }, { rows, most, math.random(1 << 30) })
    local x, next_row, ready = h.output("float32", rows), h.output("int32", 1), h.output("int32", rows)
    h.launch("solve", (rows + 4) // 5, 160, rows, start, column, value, b, x, next_row, ready)
    h.reference({ start, column, value, b, x }, { rows })
    h.expect(x, 1e-5)
  end,
}
