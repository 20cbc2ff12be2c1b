-- Jones-Plassmann colouring: a vertex takes the smallest free colour once all neighbours that go before it have theirs.
-- That is what a greedy colouring in the order of the same priorities gives.
return {
  field = "graph",
  cuda = [==[
__device__ __forceinline__ unsigned priority(unsigned v) {
  v = (v ^ 61u) ^ (v >> 16);
  v *= 9u;
  v ^= v >> 4;
  v *= 0x27d4eb2du;
  return v ^ (v >> 15);
}

__device__ __forceinline__ bool before(unsigned a, unsigned b) {
  unsigned p = priority(a), q = priority(b);
  return p > q || (p == q && a < b);
}

/* True when v must wait for another round. */
__device__ bool color_one(const int *row, const int *col, volatile signed char *color, int v) {
  if (color[v] >= 0) return false;
  unsigned long long taken = 0;
  for (int e = row[v]; e < row[v + 1]; e++) {
    int w = col[e];
    if (w == v) continue;
    signed char c = color[w];
    if (c >= 0) taken |= 1ull << c;
    else if (before(w, v)) return true;
  }
  color[v] = (signed char)(__ffsll((long long)~taken) - 1);
  return false;
}

__global__ void reset(signed char *color, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) color[i] = -1;
}

__global__ void color_round(const int *row, const int *col, signed char *color, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) color_one(row, col, color, v);
}

__global__ void color_rest(const int *row, const int *col, signed char *color, int n) {
  int waiting;
  do {
    waiting = 0;
    for (int v = threadIdx.x; v < n; v += blockDim.x) waiting += color_one(row, col, color, v);
  } while (__syncthreads_count(waiting));
}]==],
  c = [==[
#include <stdlib.h>
static unsigned rank_of(unsigned v) {
  v = (v ^ 61u) ^ (v >> 16); v *= 9u; v ^= v >> 4; v *= 0x27d4eb2du;
  return v ^ (v >> 15);
}
static int order(const void *x, const void *y) {
  int a = *(const int *)x, b = *(const int *)y;
  unsigned p = rank_of((unsigned)a), q = rank_of((unsigned)b);
  return p != q ? (p > q ? -1 : 1) : (a < b ? -1 : a > b);
}
void ref(void **p, const double *s) {
  const int *row = p[0], *col = p[1];
  signed char *color = p[2];
  int n = (int)s[0], *list = malloc(sizeof(int) * (size_t)n);
  for (int i = 0; i < n; i++) { list[i] = i; color[i] = -1; }
  qsort(list, (size_t)n, sizeof(int), order);
  for (int i = 0; i < n; i++) {
    char used[128] = { 0 };
    int v = list[i], c = 0;
    for (int e = row[v]; e < row[v + 1]; e++)
      if (col[e] != v && color[col[e]] >= 0) used[(int)color[col[e]]] = 1;
    while (used[c]) c++;
    color[v] = (signed char)c;
  }
  free(list);
}]==],
  case = function(h, size)
    local n, m = h.pick(size, 1203, 60000), h.pick(size, 4001, 240000)
    local lists = {}
    for i = 1, n do lists[i] = {} end
    for _ = 1, m do
      local a, b = math.random(0, n - 1), math.random(0, n - 1)
      table.insert(lists[a + 1], b)
      table.insert(lists[b + 1], a)
    end
    local row, col = { 0 }, {}
    for i = 1, n do
      table.move(lists[i], 1, #lists[i], #col + 1, col)
      row[i + 1] = #col
    end
    local rows, cols, color = h.data("int32", row), h.data("int32", col), h.output("int8", n)
    h.launch("reset", { (n + 63) // 64 }, { 64 }, color, n)
    for _ = 1, 5 do h.launch("color_round", { (n + 95) // 96 }, { 96 }, rows, cols, color, n) end
    h.launch("color_rest", { 1 }, { 480 }, rows, cols, color, n)
    h.reference({ rows, cols, color }, { n })
    h.expect(color, 0)
  end,
}
