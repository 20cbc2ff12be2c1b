// Device-wide algorithms in Thrust's manner, of CUB's block and warp parts: one pass over tiles with decoupled
// look-back (Merrill and Garland, 2016), merge path for merges and set operations.
#include <cub/cub.cuh>
#include <cub/agent/single_pass_scan_operators.cuh>

constexpr int THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS;
typedef long long i64;
typedef unsigned long long u64;

struct Pair {
  i64 x, y;
};
__device__ inline Pair operator+(const Pair &a, const Pair &b) { return {a.x + b.x, a.y + b.y}; }
__device__ inline bool operator<(const Pair &a, const Pair &b) { return a.x < b.x; }

struct Add {
  template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct Less {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};
struct Differ {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a != b; }
};
// Sums within segments; key counts the heads of segments.
struct BySegment {
  template <class T> __device__ T operator()(const T &a, const T &b) const {
    T r;
    r.key = a.key + b.key;
    r.value = b.key ? b.value : a.value + b.value;
    return r;
  }
};

template <class State> __device__ State state_of(char *memory, int tiles) {
  State state;
  size_t bytes = 0;
  State::AllocationSize(tiles, bytes);
  state.Init(tiles, memory, bytes);
  return state;
}

template <class State> __device__ void clear(char *memory, int tiles, unsigned *counter) {
  state_of<State>(memory, tiles).InitializeStatus(tiles);
  if (blockIdx.x == 0 && threadIdx.x == 0) *counter = 0;
}

// Tiles are numbered in the order in which blocks start, so that a block waits for started ones only.
__device__ int next_tile(unsigned *counter) {
  __shared__ int id;
  if (threadIdx.x == 0) id = atomicAdd(counter, 1u);
  __syncthreads();
  return id;
}

template <class State, class T, class Op>
__device__ void scan_tile(State state, int tile, T (&in)[ITEMS], T (&out)[ITEMS], Op op) {
  using Prefix = cub::TilePrefixCallbackOp<T, Op, State>;
  using Scan = cub::BlockScan<T, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Prefix::TempStorage of_prefix;
  __shared__ typename Scan::TempStorage of_scan;
  if (tile == 0) {
    T all;
    Scan(of_scan).InclusiveScan(in, out, op, all);
    if (threadIdx.x == 0) state.SetInclusive(0, all);
  } else {
    Prefix prefix(state, of_prefix, op, tile);
    Scan(of_scan).InclusiveScan(in, out, op, prefix);
  }
}

template <class T> __device__ void load_tile(const T *from, T (&items)[ITEMS], int tile, int n, T other) {
  using Load = cub::BlockLoad<T, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  __shared__ typename Load::TempStorage storage;
  Load(storage).Load(from + tile * TILE, items, min(TILE, n - tile * TILE), other);
  __syncthreads();
}

template <class T> __device__ void store_tile(T *to, T (&items)[ITEMS], int tile, int n) {
  using Store = cub::BlockStore<T, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ typename Store::TempStorage storage;
  Store(storage).Store(to + tile * TILE, items, min(TILE, n - tile * TILE));
  __syncthreads();
}

template <class T> __device__ void head_flags(const T *keys, T (&mine)[ITEMS], int (&flags)[ITEMS], int tile) {
  using Flags = cub::BlockDiscontinuity<T, THREADS>;
  __shared__ typename Flags::TempStorage storage;
  if (tile == 0) Flags(storage).FlagHeads(flags, mine, Differ());
  else Flags(storage).FlagHeads(flags, mine, Differ(), keys[tile * TILE - 1]);
  __syncthreads();
}

template <class T> __device__ void scan(T *out, const T *in, int n, char *memory, unsigned *counter) {
  auto state = state_of<cub::ScanTileState<T>>(memory, (n + TILE - 1) / TILE);
  int tile = next_tile(counter);
  T items[ITEMS], sums[ITEMS];
  load_tile(in, items, tile, n, T{});
  scan_tile(state, tile, items, sums, Add());
  store_tile(out, sums, tile, n);
}

template <class V, class K>
__device__ void by_key(V *out, K *keys_out, int *count, const K *keys, const V *in, int n, char *memory,
                       unsigned *counter, bool reduce) {
  using T = cub::KeyValuePair<int, V>;
  auto state = state_of<cub::ReduceByKeyScanTileState<V, int>>(memory, (n + TILE - 1) / TILE);
  int tile = next_tile(counter), flags[ITEMS];
  K mine[ITEMS];
  V values[ITEMS];
  T items[ITEMS], sums[ITEMS];
  load_tile(keys, mine, tile, n, K{});
  load_tile(in, values, tile, n, V{});
  head_flags(keys, mine, flags, tile);
  for (int k = 0; k < ITEMS; k++) items[k].key = flags[k], items[k].value = values[k];
  scan_tile(state, tile, items, sums, BySegment());
  if (!reduce) {
    for (int k = 0; k < ITEMS; k++) values[k] = sums[k].value;
    store_tile(out, values, tile, n);
    return;
  }
  for (int k = 0; k < ITEMS; k++) {
    int i = tile * TILE + threadIdx.x * ITEMS + k;
    if (i < n && (i == n - 1 || keys[i + 1] != mine[k])) {
      keys_out[sums[k].key - 1] = mine[k];
      out[sums[k].key - 1] = sums[k].value;
      if (i == n - 1) *count = sums[k].key;
    }
  }
}

// Keeps heads of runs (unique) or multiples of 3 first and the others after them (stable partition). C counts.
template <class T, class C>
__device__ void select(T *out, int *count, const T *in, int n, char *memory, unsigned *counter, bool unique, T *rest) {
  auto state = state_of<cub::ScanTileState<C>>(memory, (n + TILE - 1) / TILE);
  int tile = next_tile(counter), flags[ITEMS];
  T mine[ITEMS];
  C ones[ITEMS], sums[ITEMS];
  load_tile(in, mine, tile, n, T{});
  if (unique) head_flags(in, mine, flags, tile);
  for (int k = 0; k < ITEMS; k++) {
    int i = tile * TILE + threadIdx.x * ITEMS + k;
    if (!unique) flags[k] = (i64)mine[k] % 3 == 0;
    ones[k] = flags[k] = flags[k] && i < n;
  }
  scan_tile(state, tile, ones, sums, Add());
  for (int k = 0; k < ITEMS; k++) {
    int i = tile * TILE + threadIdx.x * ITEMS + k;
    if (i >= n) break;
    if (flags[k]) out[sums[k] - 1] = mine[k];
    else if (!unique) rest[i - sums[k]] = mine[k];
    if (i == n - 1) *count = sums[k];
  }
}

// How many of the first `diagonal` merged elements come from a; equal ones of a come first.
template <class T> __device__ int merge_path(const T *a, int na, const T *b, int nb, int diagonal) {
  int low = max(0, diagonal - nb), high = min(diagonal, na);
  while (low < high) {
    int middle = (low + high) / 2;
    if (b[diagonal - 1 - middle] < a[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The tile of the merged a and b that begins at `first`, through shared memory.
template <class T> __device__ void merge_tile(T *to, const T *a, int na, const T *b, int nb, int first) {
  __shared__ T part[TILE];
  __shared__ int bounds[2];
  int size = min(TILE, na + nb - first);
  if (threadIdx.x < 2) bounds[threadIdx.x] = merge_path(a, na, b, nb, first + (threadIdx.x ? size : 0));
  __syncthreads();
  int from_a = bounds[0], ma = bounds[1] - from_a, from_b = first - from_a, mb = size - ma;
  for (int i = threadIdx.x; i < size; i += THREADS) part[i] = i < ma ? a[from_a + i] : b[from_b + i - ma];
  __syncthreads();
  int diagonal = min((int)threadIdx.x * ITEMS, size);
  int i = merge_path(part, ma, part + ma, mb, diagonal), j = diagonal - i;
  T items[ITEMS];
  for (int k = 0; k < ITEMS; k++) {
    if (i + j >= size) items[k] = T{};
    else if (j >= mb || (i < ma && !(part[ma + j] < part[i]))) items[k] = part[i++];
    else items[k] = part[ma + j++];
  }
  __syncthreads();
  store_tile(to + first, items, 0, size);
}

template <class T> __device__ void merge_pass(T *to, const T *from, int n, int width) {
  int first = blockIdx.x * TILE, start = first / (2 * width) * (2 * width);
  int na = min(width, n - start), nb = min(width, n - start - na);
  merge_tile(to + start, from + start, na, from + start + na, nb, first - start);
}

template <class T> __device__ int lower(const T *v, int n, T x) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (v[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
template <class T> __device__ int upper(const T *v, int n, T x) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (x < v[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Set operations on sorted multisets: 0 union, 1 intersection, 2 difference, 3 symmetric difference.
template <class T, class C>
__device__ void set_operation(T *out, int *count, const T *a, int na, const T *b, int nb, int kind, char *memory,
                              unsigned *counter) {
  int n = na + nb;
  auto state = state_of<cub::ScanTileState<C>>(memory, (n + TILE - 1) / TILE);
  int tile = next_tile(counter), diagonal = min(tile * TILE + (int)threadIdx.x * ITEMS, n);
  int i = merge_path(a, na, b, nb, diagonal), j = diagonal - i;
  T items[ITEMS];
  C kept[ITEMS], sums[ITEMS];
  for (int k = 0; k < ITEMS; k++) {
    kept[k] = 0;
    if (i + j >= n) continue;
    bool of_a = j >= nb || (i < na && !(b[j] < a[i]));
    T x = items[k] = of_a ? a[i] : b[j];
    const T *other = of_a ? b : a;
    int nother = of_a ? nb : na, rank = of_a ? i - lower(a, na, x) : j - lower(b, nb, x);
    int there = upper(other, nother, x) - lower(other, nother, x);
    if (kind == 0) kept[k] = of_a || rank >= there;
    else if (kind == 1) kept[k] = of_a && rank < there;
    else kept[k] = (of_a || kind == 3) && rank >= there;
    if (of_a) i++;
    else j++;
  }
  scan_tile(state, tile, kept, sums, Add());
  for (int k = 0; k < ITEMS; k++)
    if (kept[k]) out[sums[k] - 1] = items[k];
  if ((tile + 1) * TILE >= n && threadIdx.x == THREADS - 1) *count = sums[ITEMS - 1];
}

template <class T> __device__ void radix_tiles(T *to, const T *from, int n, T most) {
  using Sort = cub::BlockRadixSort<T, THREADS, ITEMS>;
  __shared__ typename Sort::TempStorage storage;
  T items[ITEMS];
  load_tile(from, items, blockIdx.x, n, most);
  Sort(storage).Sort(items);
  __syncthreads();
  store_tile(to, items, blockIdx.x, n);
}

template <class T> __device__ void merge_tiles(T *to, const T *from, int n, T most) {
  using Sort = cub::BlockMergeSort<T, THREADS, ITEMS>;
  __shared__ typename Sort::TempStorage storage;
  T items[ITEMS];
  load_tile(from, items, blockIdx.x, n, most);
  Sort(storage).StableSort(items, Less());
  __syncthreads();
  store_tile(to, items, blockIdx.x, n);
}

// A sum in one launch: strides over the grid, shuffles with full and partial warps, the last block adds the rest.
template <class T> __device__ void reduce(T *out, const T *in, int n, T *partial, unsigned *counter) {
  __shared__ T sums[32];
  __shared__ bool last;
  T sum = T{};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  unsigned warps = blockDim.x / 32, active = __ballot_sync(0xffffffff, threadIdx.x < warps);
  if (threadIdx.x < warps) {
    sum = sums[threadIdx.x];
    for (int d = warps / 2; d > 0; d /= 2) sum += __shfl_down_sync(active, sum, d);
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  using Reduce = cub::BlockReduce<T, THREADS>;
  __shared__ typename Reduce::TempStorage storage;
  sum = T{};
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += ((volatile T *)partial)[i];
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) *out = sum;
}

// Descriptors of 16 bytes in plain PTX: status (1 aggregate, 2 inclusive prefix) and value in one access.
__device__ void put(ulonglong2 *p, u64 status, u64 value) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(status), "l"(value) : "memory");
}
__device__ ulonglong2 get(const ulonglong2 *p) {
  ulonglong2 v;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(v.x), "=l"(v.y) : "l"(p) : "memory");
  return v;
}

extern "C" __global__ void clear_ptx(char *memory, int tiles, unsigned *counter) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < tiles) put((ulonglong2 *)memory + i, 0, 0);
  if (i == 0) *counter = 0;
}

extern "C" __global__ void scan_ptx(i64 *out, const i64 *in, int n, char *memory, unsigned *counter) {
  using Warp = cub::WarpScan<i64>;
  __shared__ typename Warp::TempStorage storage[THREADS / 32];
  __shared__ i64 sums[THREADS / 32], before;
  ulonglong2 *states = (ulonglong2 *)memory;
  int tile = next_tile(counter), i = tile * THREADS + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  i64 v = i < n ? in[i] : 0, sum, all;
  Warp(storage[warp]).InclusiveSum(v, sum, all);
  if (lane == 0) sums[warp] = all;
  __syncthreads();
  for (int w = 0; w < warp; w++) sum += sums[w];
  if (warp == 0) {
    i64 mine = 0, prefix = 0;
    for (int w = 0; w < THREADS / 32; w++) mine += sums[w];
    if (lane == 0) put(states + tile, tile ? 1 : 2, mine);
    for (int at = tile - 1 - lane; tile > 0; at -= 32) {
      ulonglong2 d = {2, 0};
      if (at >= 0)
        do d = get(states + at);
        while (d.x == 0);
      unsigned whole = __ballot_sync(0xffffffff, d.x == 2);
      i64 part = whole == 0 || lane <= __ffs(whole) - 1 ? d.y : 0;
      for (int k = 16; k > 0; k /= 2) part += __shfl_xor_sync(0xffffffff, part, k);
      prefix += part;
      if (whole) break;
    }
    if (lane == 0) {
      before = prefix;
      if (tile > 0) put(states + tile, 2, mine + prefix);
    }
  }
  __syncthreads();
  if (i < n) out[i] = sum + before;
}

#define OF_STATE(name, ...)                                                                                            \
  extern "C" __global__ void clear_##name(char *memory, int tiles, unsigned *counter) {                                \
    clear<__VA_ARGS__>(memory, tiles, counter);                                                                        \
  }
OF_STATE(int32, cub::ScanTileState<int>)
OF_STATE(int64, cub::ScanTileState<i64>)
OF_STATE(float64, cub::ScanTileState<double>)
OF_STATE(pair, cub::ScanTileState<Pair>)
OF_STATE(key_int32, cub::ReduceByKeyScanTileState<int, int>)
OF_STATE(key_int64, cub::ReduceByKeyScanTileState<i64, int>)
OF_STATE(key_float64, cub::ReduceByKeyScanTileState<double, int>)

#define OF_NUMBER(name, T, K, C, most)                                                                                 \
  extern "C" __global__ void scan_##name(T *out, const T *in, int n, char *memory, unsigned *counter) {                \
    scan(out, in, n, memory, counter);                                                                                 \
  }                                                                                                                    \
  extern "C" __global__ void key_##name(T *out, K *keys_out, int *count, const K *keys, const T *in, int n,            \
                                        char *memory, unsigned *counter, int reduce) {                                 \
    by_key(out, keys_out, count, keys, in, n, memory, counter, reduce);                                                \
  }                                                                                                                    \
  extern "C" __global__ void select_##name(T *out, int *count, const T *in, int n, char *memory, unsigned *counter,    \
                                           int unique, T *rest) {                                                      \
    select<T, C>(out, count, in, n, memory, counter, unique, rest);                                                    \
  }                                                                                                                    \
  extern "C" __global__ void set_##name(T *out, int *count, const T *a, int na, const T *b, int nb, int kind,          \
                                        char *memory, unsigned *counter) {                                             \
    set_operation<T, C>(out, count, a, na, b, nb, kind, memory, counter);                                              \
  }                                                                                                                    \
  extern "C" __global__ void merge_##name(T *out, const T *a, int na, const T *b, int nb) {                            \
    merge_tile(out, a, na, b, nb, blockIdx.x *TILE);                                                                   \
  }                                                                                                                    \
  extern "C" __global__ void tiles_##name(T *out, const T *in, int n) { radix_tiles<T>(out, in, n, most); }            \
  extern "C" __global__ void pass_##name(T *out, const T *in, int n, int width) { merge_pass(out, in, n, width); }     \
  extern "C" __global__ void reduce_##name(T *out, const T *in, int n, T *partial, unsigned *counter) {                \
    reduce(out, in, n, partial, counter);                                                                              \
  }
OF_NUMBER(int32, int, int, int, 0x7fffffff)
OF_NUMBER(int64, i64, i64, i64, 0x7fffffffffffffffll)
OF_NUMBER(float64, double, int, i64, 1e300)

extern "C" __global__ void scan_pair(i64 *out, const i64 *in, int n, char *memory, unsigned *counter) {
  scan((Pair *)out, (const Pair *)in, n, memory, counter);
}
extern "C" __global__ void tiles_pair(i64 *out, const i64 *in, int n) {
  merge_tiles<Pair>((Pair *)out, (const Pair *)in, n, {0x7fffffffffffffffll, 0});
}
extern "C" __global__ void pass_pair(i64 *out, const i64 *in, int n, int width) {
  merge_pass((Pair *)out, (const Pair *)in, n, width);
}
