-- Breadth-first search by levels: a queue for each level, a vertex enters the next one through one atomicCAS.
-- A block collects what it found in shared memory and reserves room in the queue once.
return {
  field = "graph",
  cuda = [==[
#define ROOM 512
__device__ void spill(int *queue, int *count, const int *found, int have) {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(count, have);
  __syncthreads();
  for (int i = threadIdx.x; i < have; i += blockDim.x) queue[base + i] = found[i];
  __syncthreads();
}

__global__ void bfs_level(const int *row, const int *col, int *dist, const int *from, int *to, int *counts, int level) {
  __shared__ int found[ROOM];
  __shared__ int have;
  const int total = counts[level];
  for (int first = blockIdx.x * blockDim.x; first < total; first += gridDim.x * blockDim.x) {
    if (threadIdx.x == 0) have = 0;
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < total) {
      int v = from[i];
      for (int e = row[v]; e < row[v + 1]; e++) {
        int w = col[e];
        if (dist[w] != -1 || atomicCAS(&dist[w], -1, level + 1) != -1) continue;
        int at = atomicAdd(&have, 1);
        if (at < ROOM) found[at] = w;
        else to[atomicAdd(&counts[level + 1], 1)] = w;
      }
    }
    __syncthreads();
    spill(to, &counts[level + 1], found, min(have, ROOM));
  }
}

__global__ void bfs_start(int *dist, int *queue, int *counts, int source, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  dist[i] = i == source ? 0 : -1;
  if (i == 0) {
    queue[0] = source;
    counts[0] = 1;
  }
}]==],
  c = [==[
#include <stdlib.h>
/* Distances by a first-in first-out queue, up to a number of levels; how many vertices are on each level. */
void ref(void **p, const double *s) {
  const int *row = p[0], *col = p[1];
  int *dist = p[2], *counts = p[3];
  int n = (int)s[0], source = (int)s[1], levels = (int)s[2];
  int *fifo = malloc(sizeof(int) * (size_t)n), head = 0, tail = 0;
  for (int i = 0; i < n; i++) dist[i] = -1;
  dist[source] = 0;
  fifo[tail++] = source;
  while (head < tail) {
    int v = fifo[head++];
    counts[dist[v]]++;
    if (dist[v] == levels) continue;
    for (int e = row[v]; e < row[v + 1]; e++)
      if (dist[col[e]] < 0) {
        dist[col[e]] = dist[v] + 1;
        fifo[tail++] = col[e];
      }
  }
  free(fifo);
}]==],
  case = function(h, size)
    local n, levels = h.pick(size, 2311, 200000), 12
    local row, edges = { 0 }, 0
    for i = 1, n do
      edges = edges + math.random(0, i % 97 == 0 and 40 or 6)
      row[i + 1] = edges
    end
    local rows, cols = h.data("int32", row), h.input("int32", edges, 0, n)
    local dist, a, b = h.output("int32", n), h.output("int32", n), h.output("int32", n)
    local counts = h.output("int32", levels + 1)
    local source
    repeat source = math.random(0, n - 1) until row[source + 1] < row[source + 2]
    h.launch("bfs_start", { (n + 127) // 128 }, { 128 }, dist, a, counts, source, n)
    for level = 0, levels - 1 do
      h.launch("bfs_level", { 5 }, { 96 }, rows, cols, dist, a, b, counts, level)
      a, b = b, a
    end
    h.reference({ rows, cols, dist, counts }, { n, source, levels })
    h.expect(dist, 0)
    h.expect(counts, 0)
  end,
}
