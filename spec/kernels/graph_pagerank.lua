-- PageRank by pulling: a warp sums a vertex's incoming ranks with shuffles; what dangling vertices hold is spread
-- evenly.
return {
  field = "graph",
  unordered = true,
  cuda = [==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ float warp_sum(cg::thread_block_tile<32> warp, float v) {
  for (int d = warp.size() / 2; d > 0; d /= 2) v += warp.shfl_down(v, d);
  return v;
}

__global__ void dangling(const int *outs, const float *rank, float *spare, int n) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (outs[i] == 0) sum += rank[i];
  sum = warp_sum(warp, sum);
  if (warp.thread_rank() == 0) atomicAdd(spare, sum);
}

__global__ void pull(const int *row, const int *source, const int *outs, const float *rank, const float *spare,
                     float *next, float damping, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (v >= n) return;
  float sum = 0;
  for (int e = row[v] + warp.thread_rank(); e < row[v + 1]; e += warp.size()) {
    int u = source[e];
    sum += rank[u] / (float)outs[u];
  }
  sum = warp_sum(warp, sum);
  if (warp.thread_rank() == 0) next[v] = (1 - damping) / n + damping * (sum + *spare / n);
}]==],
  c = [==[
#include <stdlib.h>
#include <string.h>
/* The same sums in double, pushed along the edges. */
void ref(void **p, const double *s) {
  const int *row = p[0], *source = p[1], *outs = p[2];
  float *rank = p[3];
  int n = (int)s[0], rounds = (int)s[1];
  double damping = s[2], *now = malloc(sizeof(double) * (size_t)n), *next = malloc(sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++) now[i] = rank[i];
  for (int r = 0; r < rounds; r++) {
    double spare = 0;
    memset(next, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) if (!outs[i]) spare += now[i];
    for (int v = 0; v < n; v++)
      for (int e = row[v]; e < row[v + 1]; e++) next[v] += now[source[e]] / outs[source[e]];
    for (int i = 0; i < n; i++) now[i] = (1 - damping) / n + damping * (next[i] + spare / n);
  }
  for (int i = 0; i < n; i++) rank[i] = (float)now[i];
  free(now); free(next);
}]==],
  case = function(h, size)
    local n, rounds = h.pick(size, 701, 30000), 6
    local row, source, outs = { 0 }, {}, {}
    for i = 1, n do outs[i] = 0 end
    for i = 1, n do
      for _ = 1, math.random(0, 9) * (i % 50 == 0 and 12 or 1) do
        local u = math.random(0, n - 1)
        if u % 11 ~= 5 then
          source[#source + 1] = u
          outs[u + 1] = outs[u + 1] + 1
        end
      end
      row[i + 1] = #source
    end
    local start = {}
    for i = 1, n do start[i] = 1 / n end
    local a, b, spare = h.data("float32", start), h.output("float32", n), h.output("float32", rounds)
    local rows, sources, out = h.data("int32", row), h.data("int32", source), h.data("int32", outs)
    local rank = a
    for r = 1, rounds do
      local s = spare:slice({ r, r })
      h.launch("dangling", { 3 }, { 192 }, out, a, s, n)
      h.launch("pull", { (n + 4) // 5 }, { 160 }, rows, sources, out, a, s, b, 0.85, n)
      a, b = b, a
    end
    assert(a == rank) -- an even number of rounds: the result is where it began
    h.reference({ rows, sources, out, rank }, { n, rounds, 0.85 })
    h.expect(rank, 2e-5)
  end,
}
