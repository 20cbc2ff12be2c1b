// Selections of Thrust: copy_if, remove_if, the partitions, and counts and places of elements.
#include "thrust.h"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/partition.h>
#include <thrust/remove.h>

struct odd {
  __host__ __device__ bool operator()(long long x) const { return (x & 1) != 0; }
  __host__ __device__ bool operator()(const wide &x) const { return (x.key & 1) != 0; }
};

template <class T> static void select(const char *what, const std::vector<T> &input) {
  std::vector<T> odds, evens;
  for (const T &x : input) (odd()(x) ? odds : evens).push_back(x);
  thrust::device_vector<T> a(input.size()), b(input.size());
  auto d = on_device(input);

  auto end = thrust::copy_if(d.begin(), d.end(), a.begin(), odd());
  SAME(what, odds, on_host(a, end - a.begin()));
  auto ends = thrust::stable_partition_copy(d.begin(), d.end(), a.begin(), b.begin(), odd());
  SAME(what, odds, on_host(a, ends.first - a.begin()));
  SAME(what, evens, on_host(b, ends.second - b.begin()));
  TRUE(size_t(thrust::count_if(d.begin(), d.end(), odd())) == odds.size());
  auto all = odds;
  all.insert(all.end(), evens.begin(), evens.end());
  a = d;
  TRUE(size_t(thrust::stable_partition(a.begin(), a.end(), odd()) - a.begin()) == odds.size());
  SAME(what, all, on_host(a));
  a = d;
  SAME(what, evens, on_host(a, thrust::remove_if(a.begin(), a.end(), odd()) - a.begin()));
}

int main() {
  const int n = size_of_inputs();
  select("ints", numbers<int>(n, -1000, 1000));
  select("int64", numbers<long long>(n, 0, 1LL << 40));
  select("bytes", numbers<signed char>(n, -100, 100));
  select("16 bytes", wides(n, 0, 1000));
  auto v = numbers<int>(n, -1000000000, 1000000000);
  auto d = on_device(v);
  const auto ends = std::minmax_element(v.begin(), v.end());
  TRUE(thrust::min_element(d.begin(), d.end()) - d.begin() == std::min_element(v.begin(), v.end()) - v.begin());
  TRUE(thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(v.begin(), v.end()) - v.begin());
  TRUE(*thrust::minmax_element(d.begin(), d.end()).first == *ends.first);
  TRUE(size_t(thrust::find(d.begin(), d.end(), v[size_t(n) * 3 / 4]) - d.begin()) ==
       size_t(std::find(v.begin(), v.end(), v[size_t(n) * 3 / 4]) - v.begin()));
  return failures != 0;
}
