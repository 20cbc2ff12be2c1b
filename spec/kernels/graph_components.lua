-- Connected components by a lock-free union of trees: each edge hooks the larger root under the smaller by atomicCAS.
return {
  field = "graph",
  cuda = [==[
__device__ int root_of(int *parent, int v) {
  int p = parent[v];
  while (p != parent[p]) {  /* halve the path on the way */
    int g = parent[p];
    parent[v] = g;
    v = g;
    p = parent[v];
  }
  return p;
}

__global__ void singletons(int *parent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) parent[i] = i;
}

__global__ void unite(const int2 *edges, int *parent, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int a = edges[i].x, b = edges[i].y;
  while (true) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) break;
    int high = max(a, b), low = min(a, b);
    int old = atomicCAS(&parent[high], high, low);
    if (old == high) break;
    a = old;
    b = low;
  }
}

__global__ void flatten(int *parent, int *label, int *sizes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = i;
  while (parent[r] != r) r = parent[r];
  label[i] = r;
  atomicAdd(&sizes[r], 1);
}]==],
  c = [==[
/* Labels are lowered to the smaller of an edge's two until a round changes nothing. */
void ref(void **p, const double *s) {
  const int *e = p[0];
  int *label = p[1], *sizes = p[2], n = (int)s[0], m = (int)s[1], changed = 1;
  for (int i = 0; i < n; i++) label[i] = i;
  while (changed) {
    changed = 0;
    for (int i = 0; i < 2 * m; i++) {
      int k = i < m ? i : 2 * m - 1 - i, a = label[e[2 * k]], b = label[e[2 * k + 1]];
      if (a < b) { label[e[2 * k + 1]] = a; changed = 1; }
      if (b < a) { label[e[2 * k]] = b; changed = 1; }
    }
  }
  for (int i = 0; i < n; i++) sizes[label[i]]++;
}]==],
  case = function(h, size)
    local n, m = h.pick(size, 1999, 200000), h.pick(size, 1301, 150000)
    local t = {}
    for i = 1, m do t[2 * i - 1], t[2 * i] = math.random(0, n - 1), math.random(0, n - 1) end
    local edges, parent = h.data("int32", t), h.output("int32", n)
    local label, sizes = h.output("int32", n), h.output("int32", n)
    h.launch("singletons", { (n + 255) // 256 }, { 256 }, parent, n)
    h.launch("unite", { (m + 98) // 99 }, { 99 }, edges, parent, m)
    h.launch("flatten", { (n + 127) // 128 }, { 128 }, parent, label, sizes, n)
    h.reference({ edges, label, sizes }, { n, m })
    h.expect(label, 0)
    h.expect(sizes, 0)
  end,
}
