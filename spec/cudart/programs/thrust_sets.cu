// Algorithms of Thrust on sorted ranges: merge, the four set operations, with values, and searches.
#include "thrust.h"

#include <thrust/binary_search.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>

template <class T> static std::vector<T> sorted(std::vector<T> v) {
  std::stable_sort(v.begin(), v.end());
  return v;
}

template <class T> static void sets(const char *what, const std::vector<T> &a, const std::vector<T> &b) {
  auto da = on_device(a), db = on_device(b);
  thrust::device_vector<T> out(a.size() + b.size());
  std::vector<T> expected(out.size());
#define SET(name) \
  { \
    auto end = thrust::name(da.begin(), da.end(), db.begin(), db.end(), out.begin()); \
    auto host_end = std::name(a.begin(), a.end(), b.begin(), b.end(), expected.begin()); \
    SAME(what, std::vector<T>(expected.begin(), host_end), on_host(out, end - out.begin())); \
  }
  SET(merge)
  SET(set_union)
  SET(set_intersection)
  SET(set_difference)
  SET(set_symmetric_difference)
#undef SET
}

int main() {
  const int n = size_of_inputs();
  for (int range : { 10, 1000, 10000000 }) {
    const auto a = sorted(numbers<int>(n, 0, range)), b = sorted(numbers<int>(n - n / 3, 0, range));
    sets("ints", a, b);
    thrust::device_vector<int> positions(b.size());
    auto da = on_device(a), db = on_device(b);
    std::vector<int> lower, upper;
    for (int x : b) lower.push_back(int(std::lower_bound(a.begin(), a.end(), x) - a.begin()));
    for (int x : b) upper.push_back(int(std::upper_bound(a.begin(), a.end(), x) - a.begin()));
    thrust::lower_bound(da.begin(), da.end(), db.begin(), db.end(), positions.begin());
    SAME("lower_bound", lower, on_host(positions));
    thrust::upper_bound(da.begin(), da.end(), db.begin(), db.end(), positions.begin());
    SAME("upper_bound", upper, on_host(positions));
  }
  sets("16 bytes", sorted(wides(n, 0, 5000)), sorted(wides(n / 2, 0, 5000)));
  sets("doubles, one of them empty", sorted(numbers<double>(n, -10, 10)), std::vector<double>());

  const auto k1 = sorted(numbers<int>(n, 0, 100000)), k2 = sorted(numbers<int>(n, 0, 100000));
  std::vector<long long> v1(k1.size()), v2(k2.size());
  std::iota(v1.begin(), v1.end(), 0LL);
  std::iota(v2.begin(), v2.end(), 1LL << 33);
  auto d1 = on_device(k1), d2 = on_device(k2);
  auto e1 = on_device(v1), e2 = on_device(v2);
  thrust::device_vector<int> keys(k1.size() + k2.size());
  thrust::device_vector<long long> values(keys.size());
  std::vector<int> all_keys;
  std::vector<long long> all_values;
  for (size_t i = 0, j = 0; i < k1.size() || j < k2.size();) {
    const bool first = j == k2.size() || (i < k1.size() && k1[i] <= k2[j]);
    all_keys.push_back(first ? k1[i] : k2[j]);
    all_values.push_back(first ? v1[i] : v2[j]);
    first ? i++ : j++;
  }
  thrust::merge_by_key(d1.begin(), d1.end(), d2.begin(), d2.end(), e1.begin(), e2.begin(), keys.begin(),
                       values.begin());
  SAME("merge_by_key", all_keys, on_host(keys));
  SAME("merge_by_key", all_values, on_host(values));
  return failures != 0;
}
