-- The cheapest order to multiply a chain of matrices: diagonals of the table one after the other inside one block,
-- each cell's minimum found by a sub-warp; and the parentheses counted back with an explicit stack.
return {
  field = "dynamic programming",
  cuda = [==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void chain(const int *size, long long *cost, int *split, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto eight = cg::tiled_partition<8>(block);
  for (int i = block.thread_rank(); i < n; i += block.size()) cost[i * n + i] = 0;
  block.sync();
  for (int length = 1; length < n; length++) {
    for (int i = eight.meta_group_rank(); i + length < n; i += eight.meta_group_size()) {
      int j = i + length, best_k = -1;
      long long best = 0x7fffffffffffffffll;
      for (int k = i + eight.thread_rank(); k < j; k += 8) {
        long long c = cost[i * n + k] + cost[(k + 1) * n + j] + (long long)size[i] * size[k + 1] * size[j + 1];
        if (c < best) {
          best = c;
          best_k = k;
        }
      }
      for (int d = 4; d; d /= 2) {
        long long c = eight.shfl_down(best, d);
        int k = eight.shfl_down(best_k, d);
        if (c < best || (c == best && (unsigned)k < (unsigned)best_k)) {
          best = c;
          best_k = k;
        }
      }
      if (eight.thread_rank() == 0) {
        cost[i * n + j] = best;
        split[i * n + j] = best_k;
      }
    }
    block.sync();
  }
}

/* How deep each matrix stands in the parentheses. */
__global__ void depths(const int *split, int *depth, int n) {
  short stack[256][3];
  int top = 0;
  stack[0][0] = 0;
  stack[0][1] = (short)(n - 1);
  stack[0][2] = 0;
  while (top >= 0) {
    int i = stack[top][0], j = stack[top][1], d = stack[top][2];
    top--;
    if (i == j) {
      depth[i] = d;
      continue;
    }
    int k = split[i * n + j];
    for (int side = 0; side < 2; side++) {
      top++;
      stack[top][0] = (short)(side ? k + 1 : i);
      stack[top][1] = (short)(side ? j : k);
      stack[top][2] = (short)(d + 1);
    }
  }
}]==],
  c = [==[
static const int *S;
static int *cut, *depth, n;
static void descend(int i, int j, int d) {
  if (i == j) { depth[i] = d; return; }
  descend(i, cut[i * n + j], d + 1);
  descend(cut[i * n + j] + 1, j, d + 1);
}
void ref(void **p, const double *s) {
  long long *cost = p[1];
  S = p[0];
  cut = p[2];
  depth = p[3];
  n = (int)s[0];
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = j - 1; k >= i; k--) {
        long long c = cost[i * n + k] + cost[(k + 1) * n + j] + (long long)S[i] * S[k + 1] * S[j + 1];
        if (k == j - 1 || c <= cost[i * n + j]) { cost[i * n + j] = c; cut[i * n + j] = k; }
      }
  descend(0, n - 1, 0);
}]==],
  case = function(h, size)
    local n = h.pick(size, math.random(2, 60), 250)
    local sizes, cost = h.input("int32", n + 1, 1, 5000), h.output("int64", n * n)
    local split, depth = h.output("int32", n * n), h.output("int32", n)
    h.launch("chain", { 1 }, { h.pick(size, 72, 256) }, sizes, cost, split, n)
    h.launch("depths", { 1 }, { 1 }, split, depth, n)
    h.reference({ sizes, cost, split, depth }, { n })
    h.expect(cost, 0)
    h.expect(split, 0)
    h.expect(depth, 0)
  end,
}
