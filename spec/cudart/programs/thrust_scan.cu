// Reductions, scans and elementwise algorithms of Thrust.
#include "thrust.h"

#include <thrust/adjacent_difference.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>

struct square {
  __host__ __device__ long long operator()(long long x) const { return x * x; }
};
template <class T> struct larger {
  __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct product_of_two {
  __host__ __device__ long long operator()(const thrust::tuple<int, int> &t) const {
    return static_cast<long long>(thrust::get<0>(t)) * thrust::get<1>(t);
  }
};

template <class T> static void scans(const char *what, const std::vector<T> &v) {
  auto d = on_device(v);
  thrust::device_vector<T> out(v.size());
  std::vector<T> expected(v.size());
  thrust::inclusive_scan(d.begin(), d.end(), out.begin());
  std::inclusive_scan(v.begin(), v.end(), expected.begin());
  SAME(what, expected, on_host(out));
  thrust::exclusive_scan(d.begin(), d.end(), out.begin(), T{});
  std::exclusive_scan(v.begin(), v.end(), expected.begin(), T{});
  SAME(what, expected, on_host(out));
  thrust::inclusive_scan(d.begin(), d.end(), out.begin(), larger<T>());
  std::inclusive_scan(v.begin(), v.end(), expected.begin(), larger<T>());
  SAME(what, expected, on_host(out));
  TRUE(thrust::reduce(d.begin(), d.end(), T{}) == std::accumulate(v.begin(), v.end(), T{}));
}

int main() {
  const int n = size_of_inputs();
  scans("ints", numbers<int>(n, -1000, 1000));
  scans("doubles", numbers<double>(n, -1000, 1000));
  scans("16 bytes", wides(n, 0, 1000));
  scans("bytes", numbers<unsigned char>(n, 0, 255));

  const auto a = numbers<int>(n, -1000, 1000), b = numbers<int>(n, -1000, 1000);
  auto da = on_device(a), db = on_device(b);
  long long dot = 0, squares = 0;
  std::vector<long long> products(n);
  for (int i = 0; i < n; i++) {
    dot += products[i] = static_cast<long long>(a[i]) * b[i];
    squares += static_cast<long long>(a[i]) * a[i];
  }
  TRUE(thrust::inner_product(da.begin(), da.end(), db.begin(), 0LL) == dot);
  TRUE(thrust::transform_reduce(da.begin(), da.end(), square(), 0LL, thrust::plus<long long>()) == squares);
  auto pairs = thrust::make_zip_iterator(thrust::make_tuple(da.begin(), db.begin()));
  thrust::device_vector<long long> out(n);
  thrust::transform(pairs, pairs + n, out.begin(), product_of_two());
  SAME("transform of pairs", products, on_host(out));
  std::vector<long long> sums(n);
  std::partial_sum(products.begin(), products.end(), sums.begin());
  thrust::transform_inclusive_scan(pairs, pairs + n, out.begin(), product_of_two(), thrust::plus<long long>());
  SAME("transform_inclusive_scan", sums, on_host(out));

  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), generator());
  auto dorder = on_device(order);
  thrust::device_vector<int> moved(n), back(n);
  std::vector<int> expected(n);
  for (int i = 0; i < n; i++) expected[i] = a[order[i]];
  thrust::gather(dorder.begin(), dorder.end(), da.begin(), moved.begin());
  SAME("gather", expected, on_host(moved));
  thrust::scatter(moved.begin(), moved.end(), dorder.begin(), back.begin());
  SAME("scatter", a, on_host(back));
  thrust::adjacent_difference(da.begin(), da.end(), moved.begin());
  std::adjacent_difference(a.begin(), a.end(), expected.begin());
  SAME("adjacent_difference", expected, on_host(moved));
  thrust::reverse(moved.begin(), moved.end());
  std::reverse(expected.begin(), expected.end());
  SAME("reverse", expected, on_host(moved));
  thrust::sequence(moved.begin(), moved.end(), 5, 3);
  for (int i = 0; i < n; i++) expected[i] = 5 + 3 * i;
  SAME("sequence", expected, on_host(moved));
  return failures != 0;
}
