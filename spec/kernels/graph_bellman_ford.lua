-- Shortest paths by relaxing every edge with atomicMin until a whole round changes nothing.
return {
  field = "graph",
  cuda = [==[
struct edge { int from, to; unsigned weight; };
static const unsigned FAR = 0xffffffffu;

__device__ bool relax(const edge &e, unsigned *dist) {
  unsigned d = dist[e.from];
  if (d == FAR) return false;
  d += e.weight;
  return d < dist[e.to] && d < atomicMin(&dist[e.to], d);
}

__global__ void clear(unsigned *dist, int source, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dist[i] = i == source ? 0 : FAR;
}

__global__ void relax_all(const edge *edges, unsigned *dist, int m) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) relax(edges[i], dist);
}

/* One block goes on until nothing changes any more. */
__global__ void finish(const edge *edges, unsigned *dist, int *rounds, int m) {
  int changed, round = 0;
  do {
    changed = 0;
    for (int i = threadIdx.x; i < m; i += blockDim.x) changed |= relax(edges[i], dist);
    round++;
  } while (__syncthreads_or(changed));
  if (threadIdx.x == 0) *rounds = round;
}]==],
  c = [==[
#include <stdlib.h>
/* Dijkstra with a binary heap. */
struct item { unsigned d; int v; };
static void push(struct item *h, int *n, struct item x) {
  int i = (*n)++;
  while (i && h[(i - 1) / 2].d > x.d) { h[i] = h[(i - 1) / 2]; i = (i - 1) / 2; }
  h[i] = x;
}
static struct item pop(struct item *h, int *n) {
  struct item top = h[0], x = h[--*n];
  int i = 0;
  for (;;) {
    int c = 2 * i + 1;
    if (c >= *n) break;
    if (c + 1 < *n && h[c + 1].d < h[c].d) c++;
    if (h[c].d >= x.d) break;
    h[i] = h[c];
    i = c;
  }
  h[i] = x;
  return top;
}
void ref(void **p, const double *s) {
  const int *edges = p[0];
  unsigned *dist = p[1];
  int n = (int)s[0], m = (int)s[1], source = (int)s[2], have = 0;
  int *head = malloc(sizeof(int) * (size_t)n), *next = malloc(sizeof(int) * (size_t)(m + 1));
  struct item *heap = malloc(sizeof(struct item) * (size_t)(m + 1));
  for (int i = 0; i < n; i++) { head[i] = -1; dist[i] = 0xffffffffu; }
  for (int e = 0; e < m; e++) { next[e] = head[edges[3 * e]]; head[edges[3 * e]] = e; }
  dist[source] = 0;
  push(heap, &have, (struct item){ 0, source });
  while (have) {
    struct item t = pop(heap, &have);
    if (t.d > dist[t.v]) continue;
    for (int e = head[t.v]; e >= 0; e = next[e]) {
      unsigned d = t.d + (unsigned)edges[3 * e + 2];
      int w = edges[3 * e + 1];
      if (d < dist[w]) { dist[w] = d; push(heap, &have, (struct item){ d, w }); }
    }
  }
  free(head); free(next); free(heap);
}]==],
  case = function(h, size)
    local n, m = h.pick(size, 907, 40000), h.pick(size, 3203, 160000)
    local parts, source = {}, math.random(0, n - 1)
    for i = 1, m do -- the first edge leaves the source, so that there is a way
      local from = i == 1 and source or math.random(0, n - 1)
      parts[i] = string.pack("<i4i4I4", from, math.random(0, n - 1), math.random(1, 1000))
    end
    local edges = h.raw("uint8", table.concat(parts))
    local dist, rounds = h.output("uint32", n), h.output("int32", 1)
    h.launch("clear", { (n + 63) // 64 }, { 64 }, dist, source, n)
    for _ = 1, 6 do h.launch("relax_all", { 7 }, { 160 }, edges, dist, m) end
    h.launch("finish", { 1 }, { 352 }, edges, dist, rounds, m)
    h.reference({ edges, dist }, { n, m, source })
    h.expect(dist, 0)
  end,
}
