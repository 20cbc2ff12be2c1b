/* thrust.h - what the programs about Thrust share: vectors in both memories. */
#pragma once

#include "verify.h"

#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>

template <class T> thrust::device_vector<T> on_device(const std::vector<T> &v) {
  return thrust::device_vector<T>(v.begin(), v.end());
}

template <class T> std::vector<T> on_host(const thrust::device_vector<T> &v) {
  std::vector<T> out(v.size());
  thrust::copy(v.begin(), v.end(), out.begin());
  return out;
}

/* The first n elements. */
template <class T> std::vector<T> on_host(const thrust::device_vector<T> &v, size_t n) {
  std::vector<T> out = on_host(v);
  out.resize(n);
  return out;
}

/* 16 bytes, which are read and written at once. */
struct alignas(16) wide {
  long long key, value;
  __host__ __device__ bool operator==(const wide &o) const { return key == o.key && value == o.value; }
  __host__ __device__ bool operator<(const wide &o) const { return key < o.key; }
  __host__ __device__ wide operator+(const wide &o) const { return { key + o.key, value + o.value }; }
};

inline std::vector<wide> wides(size_t n, long long low, long long high) {
  std::vector<wide> v(n);
  for (size_t i = 0; i < n; i++) v[i] = { number(low, high), static_cast<long long>(i) };
  return v;
}
