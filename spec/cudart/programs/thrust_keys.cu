// Algorithms of Thrust over runs of equal keys: reduce_by_key, the scans by key, unique, unique_by_key.
#include "thrust.h"

#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/unique.h>

template <class V> static void by_key(const char *what, const std::vector<int> &keys, const std::vector<V> &values) {
  const size_t n = keys.size();
  std::vector<int> runs;
  std::vector<V> sums, inclusive(n), exclusive(n), firsts;
  for (size_t i = 0; i < n; i++) {
    const bool begins = i == 0 || keys[i] != keys[i - 1];
    if (begins) {
      runs.push_back(keys[i]);
      firsts.push_back(values[i]);
      sums.push_back(V{});
    }
    exclusive[i] = begins ? V{} : inclusive[i - 1];
    inclusive[i] = exclusive[i] + values[i];
    sums.back() = inclusive[i];
  }
  auto k = on_device(keys);
  auto v = on_device(values);
  thrust::device_vector<int> out_keys(n);
  thrust::device_vector<V> out(n);

  auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), out_keys.begin(), out.begin());
  SAME(what, runs, on_host(out_keys, ends.first - out_keys.begin()));
  SAME(what, sums, on_host(out, ends.second - out.begin()));

  thrust::inclusive_scan_by_key(k.begin(), k.end(), v.begin(), out.begin());
  SAME(what, inclusive, on_host(out));
  thrust::exclusive_scan_by_key(k.begin(), k.end(), v.begin(), out.begin(), V{});
  SAME(what, exclusive, on_host(out));

  auto last = thrust::unique_by_key(k.begin(), k.end(), v.begin());
  SAME(what, runs, on_host(k, last.first - k.begin()));
  SAME(what, firsts, on_host(v, last.second - v.begin()));
}

static std::vector<int> keys_of_runs(size_t n, int most) {
  std::vector<int> keys;
  for (int key = 0; keys.size() < n; key++) keys.insert(keys.end(), static_cast<size_t>(number(1, most)), key % 7);
  keys.resize(n);
  return keys;
}

int main() {
  const int n = size_of_inputs();
  for (int most : { 1, 5, 3000, 1000000 }) {
    const auto keys = keys_of_runs(n, most);
    by_key<int>("ints", keys, numbers<int>(n, -1000, 1000));
    by_key<double>("doubles", keys, numbers<double>(n, -1000, 1000)); // whole numbers: sums are exact
    by_key<wide>("16 bytes", keys, wides(n, -1000, 1000));
  }
  auto values = numbers<short>(n, 0, 3);
  auto d = on_device(values);
  auto end = thrust::unique(d.begin(), d.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  SAME("unique", values, on_host(d, end - d.begin()));
  return failures != 0;
}
