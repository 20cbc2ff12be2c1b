// Sorts of Thrust: radix sorts of keys that are numbers, merge sorts of others and by other orders, with values.
#include "thrust.h"

#include <thrust/sort.h>

template <class T> static void keys(const char *what, const std::vector<T> &input) {
  auto d = on_device(input);
  auto expected = input;
  thrust::sort(d.begin(), d.end());
  std::sort(expected.begin(), expected.end());
  SAME(what, expected, on_host(d));
}

// Sorted by key; equal keys keep their order.
template <class K, class V, class Less> static void pairs(const char *what, const std::vector<K> &input, Less less) {
  std::vector<V> values(input.size());
  std::vector<size_t> order(input.size());
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<V>(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return less(input[a], input[b]); });
  auto k = on_device(input);
  auto v = on_device(values);
  thrust::stable_sort_by_key(k.begin(), k.end(), v.begin(), less);
  std::vector<K> expected_keys;
  std::vector<V> expected_values;
  for (size_t i : order) {
    expected_keys.push_back(input[i]);
    expected_values.push_back(values[i]);
  }
  SAME(what, expected_keys, on_host(k));
  SAME(what, expected_values, on_host(v));
}

struct by_last_digit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

int main() {
  const int n = size_of_inputs();
  keys("int", numbers<int>(n, -2147483648LL, 2147483647));
  keys("few different ints", numbers<int>(n, -3, 3));
  keys("uint64", numbers<unsigned long long>(n, 0, 9223372036854775807LL));
  keys("uint8", numbers<unsigned char>(n, 0, 255));
  keys("double", numbers<double>(n, -1000000, 1000000));
  keys("one int", numbers<int>(1, 0, 9));
  pairs<int, double>("int to double", numbers<int>(n, 0, 1000), thrust::less<int>());
  pairs<float, unsigned char>("float to bytes, descending", numbers<float>(n, -500, 500), thrust::greater<float>());
  pairs<int, long long>("by the last digit", numbers<int>(n, 0, 1000), by_last_digit());
  pairs<wide, int>("16 bytes", wides(n, 0, 500), thrust::less<wide>());
  return failures != 0;
}
