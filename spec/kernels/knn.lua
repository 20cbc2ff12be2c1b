-- The k nearest of a set for each query: data in tiles of shared memory, the list kept sorted in local memory.
return {
  field = "machine learning",
  options = { fmad = false },
  cuda = [==[
struct candidate { float distance; int index; };

template <int K> struct nearest_list {
  candidate item[K];
  __device__ void clear() { for (int i = 0; i < K; i++) item[i] = candidate{ 3.4e38f, -1 }; }
  __device__ void offer(candidate c) {
    if (!(c.distance < item[K - 1].distance)) return;
    int at = K - 1;
    while (at > 0 && item[at - 1].distance > c.distance) {
      item[at] = item[at - 1];
      at--;
    }
    item[at] = c;
  }
};

template <int K, int TILE>
__global__ void knn(const float3 *data, int n, const float3 *queries, int m, int *index, float *distance) {
  __shared__ float3 tile[TILE];
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  float3 me = q < m ? queries[q] : make_float3(0, 0, 0);
  nearest_list<K> list;
  list.clear();
  for (int first = 0; first < n; first += TILE) {
    int have = min(TILE, n - first);
    for (int i = threadIdx.x; i < have; i += blockDim.x) tile[i] = data[first + i];
    __syncthreads();
    for (int i = 0; q < m && i < have; i++) {
      float dx = tile[i].x - me.x, dy = tile[i].y - me.y, dz = tile[i].z - me.z;
      list.offer(candidate{ dx * dx + dy * dy + dz * dz, first + i });
    }
    __syncthreads();
  }
  if (q >= m) return;
  for (int i = 0; i < K; i++) {
    index[i * m + q] = list.item[i].index;
    distance[i * m + q] = sqrtf(list.item[i].distance);
  }
}]==],
  c = [==[
#include <math.h>
#include <stdlib.h>
static const float *D;
static int order(const void *a, const void *b) {
  int i = *(const int *)a, j = *(const int *)b;
  return D[i] < D[j] ? -1 : D[i] > D[j] ? 1 : i < j ? -1 : i > j;
}
void ref(void **p, const double *s) {
  const float *data = p[0], *queries = p[1];
  int *index = p[2], n = (int)s[0], m = (int)s[1], k = (int)s[2], *list = malloc(sizeof(int) * (size_t)n);
  float *distance = p[3], *square = malloc(sizeof(float) * (size_t)n);
  D = square;
  for (int q = 0; q < m; q++) {
    for (int i = 0; i < n; i++) {
      float x = data[3 * i] - queries[3 * q], y = data[3 * i + 1] - queries[3 * q + 1],
            z = data[3 * i + 2] - queries[3 * q + 2];
      square[i] = x * x + y * y + z * z;
      list[i] = i;
    }
    qsort(list, (size_t)n, sizeof(int), order);
    for (int i = 0; i < k; i++) {
      index[i * m + q] = list[i];
      distance[i * m + q] = sqrtf(square[list[i]]);
    }
  }
  free(list); free(square);
}]==],
  case = function(h, size)
    local n, m = h.pick(size, 517, 3000), h.pick(size, 201, 200)
    local k, tile = h.pick(size, math.random(1, 9), 8), 96
    local data, queries = h.input("float32", 3 * n, 0, 10), h.input("float32", 3 * m, 0, 10)
    local index, distance = h.output("int32", k * m), h.output("float32", k * m)
    h.launch(("knn<%d, %d>"):format(k, tile), { (m + 52) // 53 }, { 53 }, data, n, queries, m, index, distance)
    h.reference({ data, queries, index, distance }, { n, m, k })
    h.expect(index, 0)
    h.expect(distance, 0)
  end,
}
