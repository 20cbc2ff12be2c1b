// Algorithms of CUB over the whole device, in every type of key, with segments, run lengths, and sums in one pass; and
// those of a block.
#include "verify.h"

#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

template <class T> struct memory {
  T *at;
  explicit memory(size_t n) { OK(cudaMalloc(&at, (n ? n : 1) * sizeof(T))); }
  explicit memory(const std::vector<T> &v) : memory(v.size()) {
    OK(cudaMemcpy(at, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  memory(const memory &) = delete;
  ~memory() { OK(cudaFree(at)); }
  std::vector<T> get(size_t n) const {
    std::vector<T> v(n);
    OK(cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
};

// Calls f twice, as CUB's functions are: for the size of what they work in, and with it.
template <class F> static void in_two_calls(F f) {
  size_t bytes = 0;
  OK(f(nullptr, bytes));
  memory<char> work(bytes);
  OK(f(work.at, bytes));
  OK(cudaDeviceSynchronize());
}

template <class T> static void sort(const char *what, const std::vector<T> &input, int from, int to) {
  const int n = int(input.size());
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  memory<T> keys(input), sorted(n);
  memory<int> values(places), moved(n);
  in_two_calls([&](void *w, size_t &b) {
    return cub::DeviceRadixSort::SortPairs(w, b, keys.at, sorted.at, values.at, moved.at, n, from, to);
  });
  const T mask = T(T(~T(0)) << from) & (to == int(8 * sizeof(T)) ? T(~T(0)) : T((T(1) << to) - 1));
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return (input[a] & mask) < (input[b] & mask); });
  SAME(what, places, moved.get(n));
}

template <int threads, int items> __global__ void blocks_of(const int *in, int *sorted, int *sums) {
  using sort_t = cub::BlockRadixSort<int, threads, items>;
  using scan_t = cub::BlockScan<int, threads>;
  using load_t = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
  __shared__ union {
    typename sort_t::TempStorage sort;
    typename scan_t::TempStorage scan;
    typename load_t::TempStorage load;
  } s;
  int x[items];
  const int base = blockIdx.x * threads * items;
  load_t(s.load).Load(in + base, x);
  __syncthreads();
  sort_t(s.sort).Sort(x);
  __syncthreads();
  for (int i = 0; i < items; i++) sorted[base + threadIdx.x * items + i] = x[i];
  scan_t(s.scan).InclusiveSum(x, x);
  for (int i = 0; i < items; i++) sums[base + threadIdx.x * items + i] = x[i];
}

int main() {
  const int n = size_of_inputs();
  sort("bytes", numbers<unsigned char>(n, 0, 255), 0, 8);
  sort("16 bits, some of them", numbers<unsigned short>(n, 0, 65535), 3, 13);
  sort("32 bits", numbers<unsigned>(n, 0, 4294967295LL), 0, 32);
  sort("64 bits, some of them", numbers<unsigned long long>(n, 0, 9223372036854775807LL), 5, 61);

  const auto in = numbers<int>(n, -1000, 1000);
  memory<int> d(in), out(n), lengths(n), count(1);
  in_two_calls([&](void *w, size_t &b) { return cub::DeviceScan::InclusiveSum(w, b, d.at, out.at, n); });
  std::vector<int> expected(n);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  SAME("InclusiveSum", expected, out.get(n));

  const auto few = numbers<int>(n, 0, 1);
  memory<int> d_few(few);
  std::vector<int> values, runs;
  for (int i = 0; i < n; i++) {
    if (i == 0 || few[i] != few[i - 1]) values.push_back(few[i]), runs.push_back(0);
    runs.back()++;
  }
  in_two_calls([&](void *w, size_t &b) {
    return cub::DeviceRunLengthEncode::Encode(w, b, d_few.at, out.at, lengths.at, count.at, n);
  });
  TRUE(count.get(1)[0] == int(runs.size()));
  SAME("values of runs", values, out.get(values.size()));
  SAME("lengths of runs", runs, lengths.get(runs.size()));

  std::vector<int> ends = numbers<int>(300, 0, n);
  ends.push_back(0);
  ends.push_back(n);
  std::sort(ends.begin(), ends.end());
  const int segments = int(ends.size()) - 1;
  memory<int> d_ends(ends), largest(segments);
  in_two_calls([&](void *w, size_t &b) {
    return cub::DeviceSegmentedReduce::Sum(w, b, d.at, largest.at, segments, d_ends.at, d_ends.at + 1);
  });
  std::vector<int> sums;
  for (int i = 0; i < segments; i++) sums.push_back(std::accumulate(in.begin() + ends[i], in.begin() + ends[i + 1], 0));
  SAME("sums of segments", sums, largest.get(segments));

  memory<int> bins(64);
  in_two_calls([&](void *w, size_t &b) {
    return cub::DeviceHistogram::HistogramEven(w, b, d.at, bins.at, 65, -1000, 920, n);
  });
  std::vector<int> counts(64);
  for (int x : in)
    if (x < 920) counts[(x + 1000) / 30]++;
  SAME("histogram", counts, bins.get(64));

  const int each = 96 * 7, whole = n / each;
  memory<int> block_sums(n);
  blocks_of<96, 7><<<whole, 96>>>(d.at, out.at, block_sums.at);
  std::vector<int> sorted(in.begin(), in.begin() + whole * each), scanned(sorted.size());
  for (int b = 0; b < whole; b++) {
    std::sort(sorted.begin() + b * each, sorted.begin() + (b + 1) * each);
    std::partial_sum(sorted.begin() + b * each, sorted.begin() + (b + 1) * each, scanned.begin() + b * each);
  }
  SAME("sorted blocks", sorted, out.get(sorted.size()));
  SAME("scanned blocks", scanned, block_sums.get(scanned.size()));
  return failures != 0;
}
