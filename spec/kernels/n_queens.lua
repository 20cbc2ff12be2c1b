-- N queens: each thread finishes a start of the first rows, by recursion and again with a stack of its own.
return {
  field = "search",
  cuda = [==[
__device__ __noinline__ int solve(unsigned all, unsigned columns, unsigned left, unsigned right) {
  if (columns == all) return 1;
  int found = 0;
  for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
    unsigned bit = free & -free;
    found += solve(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

__device__ int solve_with_stack(int n, unsigned columns, unsigned left, unsigned right) {
  struct { unsigned free, columns, left, right; } stack[20];
  unsigned all = (1u << n) - 1;
  int depth = 0, found = 0;
  stack[0] = { all & ~(columns | left | right), columns, left, right };
  while (depth >= 0) {
    auto &top = stack[depth];
    if (top.columns == all) found++;
    if (top.free == 0) {
      depth--;
      continue;
    }
    unsigned bit = top.free & -top.free;
    top.free ^= bit;
    unsigned c = top.columns | bit, l = (top.left | bit) << 1, r = (top.right | bit) >> 1;
    stack[++depth] = { all & ~(c | l | r), c, l, r };
  }
  return found;
}

__global__ void queens(int n, int *solutions, int *same, int *total) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, starts = n * n;
  if (t >= starts) return;
  unsigned a = 1u << (t / n), b = 1u << (t % n), all = (1u << n) - 1;
  int by_recursion = 0, by_stack = 0;
  if (!(b & (a | a << 1 | a >> 1))) {
    unsigned columns = a | b, left = ((a << 1) | b) << 1, right = ((a >> 1) | b) >> 1;
    by_recursion = solve(all, columns, left, right);
    by_stack = solve_with_stack(n, columns, left, right);
  }
  solutions[t] = by_recursion;
  same[t] = by_stack;
  atomicAdd(total, by_recursion);
}]==],
  c = [==[
/* Rows one by one, the columns of the queens in an array. */
static int safe(const int *q, int row) {
  for (int i = 0; i < row; i++) {
    int d = q[row] - q[i];
    if (d == 0 || d == row - i || d == i - row) return 0;
  }
  return 1;
}
void ref(void **p, const double *s) {
  int n = (int)s[0], *solutions = p[0], *same = p[1], *total = p[2], q[32], row = 0;
  q[0] = 0;
  while (row >= 0) {
    if (q[row] == n) {
      if (--row >= 0) q[row]++;
    } else if (!safe(q, row)) {
      q[row]++;
    } else if (row + 1 == n) {
      solutions[q[0] * n + q[1]]++;
      same[q[0] * n + q[1]]++;
      ++*total;
      q[row]++;
    } else {
      q[++row] = 0;
    }
  }
}]==],
  case = function(h, size)
    local n = h.pick(size, math.random(4, 8), 11)
    local solutions, same, total = h.output("int32", n * n), h.output("int32", n * n), h.output("int32", 1)
    h.launch("queens", { (n * n + 18) // 19 }, { 19 }, n, solutions, same, total)
    h.reference({ solutions, same, total }, { n })
    h.expect(solutions, 0)
    h.expect(same, 0)
    h.expect(total, 0)
  end,
}
