/*
** verify.h - what the programs share: random inputs, comparisons, and how they end.
**
** A program prints what is wrong, at most a few lines of it, and ends with 1 then; else it ends with 0 and prints
** nothing.  DOTCOMPUTE_SPEC_SEED seeds its numbers; CUDART_SIZE is the number of elements, instead of 100,000.
*/
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <cuda_runtime.h>

inline int failures = 0;

inline std::mt19937_64 &generator() {
  static const char *const seed = std::getenv("DOTCOMPUTE_SPEC_SEED");
  static std::mt19937_64 g(seed ? std::strtoull(seed, nullptr, 10) : 1);
  return g;
}

inline int size_of_inputs() {
  const char *text = std::getenv("CUDART_SIZE");
  return text ? std::atoi(text) : 100000;
}

/* An integer from low to high. */
inline long long number(long long low, long long high) {
  return std::uniform_int_distribution<long long>(low, high)(generator());
}

template <class T> std::vector<T> numbers(size_t n, long long low, long long high) {
  std::vector<T> v(n);
  for (auto &x : v) x = static_cast<T>(number(low, high));
  return v;
}

inline void wrong(const char *what, const char *file, int line) {
  if (failures++ < 20) std::printf("%s:%d: %s\n", file, line, what);
}

/* Elements, and how many there are. */
template <class A, class B>
void same(const char *what, const A &expected, const B &actual, const char *file, int line) {
  if (expected.size() != actual.size()) {
    if (failures++ < 20)
      std::printf("%s:%d: %s: %zu elements, should be %zu\n", file, line, what, actual.size(), expected.size());
    return;
  }
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < expected.size(); i++)
    if (!(expected[i] == actual[i]) && bad++ == 0) first = i;
  if (bad != 0 && failures++ < 20)
    std::printf("%s:%d: %s: %zu of %zu elements are wrong, the first at %zu\n", file, line, what, bad, expected.size(),
                first);
}

#define TRUE(condition) ((condition) ? (void)0 : wrong("not true: " #condition, __FILE__, __LINE__))
#define SAME(what, expected, actual) same(what, expected, actual, __FILE__, __LINE__)
/* A call of the runtime, which must succeed. */
#define OK(call) \
  do { \
    const cudaError_t code = (call); \
    if (code != cudaSuccess) { \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(code)); \
      std::exit(1); \
    } \
  } while (0)
