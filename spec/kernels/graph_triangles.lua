-- Triangles: for each edge a < b a warp looks the neighbours of a, above b, up in the list of b by binary search.
return {
  field = "graph",
  cuda = [==[
__device__ bool contains(const unsigned short *list, int n, unsigned short key) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int middle = (low + high) >> 1;
    unsigned short at = list[middle];
    if (at == key) return true;
    if (at < key) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

__global__ void triangles(const int *row, const unsigned short *col, const ushort2 *edges, int m, int *of_vertex,
                          unsigned long long *total) {
  __shared__ unsigned long long sum;
  if (threadIdx.x + threadIdx.y == 0) sum = 0;
  __syncthreads();
  int e = blockIdx.x * blockDim.y + threadIdx.y;
  int found = 0;
  if (e < m) {
    int a = edges[e].x, b = edges[e].y;
    for (int i = row[a] + threadIdx.x; i < row[a + 1]; i += 32) {
      unsigned short w = col[i];
      if (w <= b || !contains(col + row[b], row[b + 1] - row[b], w)) continue;
      found++;
      atomicAdd(&of_vertex[w], 1);
    }
    int in_warp = found;
    for (int d = 16; d; d >>= 1) in_warp += __shfl_xor_sync(0xffffffff, in_warp, d);
    if (threadIdx.x == 0 && in_warp) {
      atomicAdd(&of_vertex[a], in_warp);
      atomicAdd(&of_vertex[b], in_warp);
      atomicAdd(&sum, (unsigned long long)in_warp);
    }
  }
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0 && sum) atomicAdd(total, sum);
}]==],
  c = [==[
#include <stdlib.h>
#include <string.h>
/* Rows of a bit matrix, intersected word by word. */
void ref(void **p, const double *s) {
  const unsigned short *edges = p[0];
  int m = (int)s[0], n = (int)s[1], words = (n + 63) / 64, *of = p[1];
  unsigned long long *bits = calloc((size_t)n * (size_t)words, 8), *total = p[2];
  for (int i = 0; i < m; i++) {
    int a = edges[2 * i], b = edges[2 * i + 1];
    bits[(size_t)a * words + b / 64] |= 1ull << (b % 64);  /* only towards the larger */
  }
  for (int i = 0; i < m; i++) {
    int a = edges[2 * i], b = edges[2 * i + 1];
    for (int w = 0; w < words; w++) {
      unsigned long long both = bits[(size_t)a * words + w] & bits[(size_t)b * words + w];
      while (both) {
        int c = 64 * w + __builtin_ctzll(both);
        both &= both - 1;
        of[a]++; of[b]++; of[c]++; ++*total;
      }
    }
  }
  free(bits);
}]==],
  case = function(h, size)
    local n, degree = h.pick(size, 333, 3000), h.pick(size, 9, 60)
    local row, col, edges = { 0 }, {}, {}
    for a = 0, n - 1 do -- neighbours above a, ascending; denser near a, so that there are triangles
      local seen, list = {}, {}
      for _ = 1, math.random(0, 2 * degree) do
        local b = math.random() < 0.7 and a + math.random(1, 3 * degree) or math.random(0, n - 1)
        if b > a and b < n and not seen[b] then
          seen[b] = true
          list[#list + 1] = b
        end
      end
      table.sort(list)
      for _, b in ipairs(list) do
        col[#col + 1] = b
        edges[#edges + 1], edges[#edges + 2] = a, b
      end
      row[a + 2] = #col
    end
    local m = #col
    local rows, cols, pairs_ = h.data("int32", row), h.data("uint16", col), h.data("uint16", edges)
    local of, total = h.output("int32", n), h.output("uint64", 1)
    h.launch("triangles", { (m + 6) // 7 }, { 32, 7 }, rows, cols, pairs_, m, of, total)
    h.reference({ pairs_, of, total }, { m, n })
    h.expect(of, 0)
    h.expect(total, 0)
  end,
}
