/* Thrust's algorithms as kernels call them, with thrust::seq or thrust::device: one thread does the work.  Thrust's own
** headers include what NVRTC refuses. */
#ifndef DC_SHIM_THRUST_SEQUENTIAL
#define DC_SHIM_THRUST_SEQUENTIAL
#define DC_ALGORITHM(...) template <__VA_ARGS__> static __host__ __device__ inline
namespace thrust {
enum dc_policy { seq, device };
struct dc_less {
  template <class A, class B> __host__ __device__ bool operator()(const A &a, const B &b) const { return a < b; }
};
struct dc_plus {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct dc_same {
  template <class A, class B> __host__ __device__ bool operator()(const A &a, const B &b) const { return a == b; }
};

DC_ALGORITHM(class I, class T) void fill(dc_policy, I i, I end, const T &v) { for (; i != end; ++i) *i = v; }
DC_ALGORITHM(class I, class N, class T) I fill_n(dc_policy, I i, N n, const T &v) {
  for (; n > 0; --n, ++i) *i = v;
  return i;
}
DC_ALGORITHM(class I, class O) O copy(dc_policy, I i, I end, O o) {
  for (; i != end; ++i, ++o) *o = *i;
  return o;
}
DC_ALGORITHM(class I, class N, class O) O copy_n(dc_policy, I i, N n, O o) {
  for (; n > 0; --n, ++i, ++o) *o = *i;
  return o;
}
DC_ALGORITHM(class I, class O, class P) O copy_if(dc_policy, I i, I end, O o, P p) {
  for (; i != end; ++i)
    if (p(*i)) *o = *i, ++o;
  return o;
}
DC_ALGORITHM(class I, class T, class S) void sequence(dc_policy, I i, I end, T first, S step) {
  for (; i != end; ++i, first = first + step) *i = first;
}
DC_ALGORITHM(class I, class T) void sequence(dc_policy p, I i, I end, T first) { sequence(p, i, end, first, T(1)); }
DC_ALGORITHM(class I) void sequence(dc_policy p, I i, I end) { sequence(p, i, end, 0); }
DC_ALGORITHM(class I, class F) I for_each(dc_policy, I i, I end, F f) {
  for (; i != end; ++i) f(*i);
  return i;
}
DC_ALGORITHM(class I, class N, class F) I for_each_n(dc_policy, I i, N n, F f) {
  for (; n > 0; --n, ++i) f(*i);
  return i;
}
DC_ALGORITHM(class I, class O, class F) O transform(dc_policy, I i, I end, O o, F f) {
  for (; i != end; ++i, ++o) *o = f(*i);
  return o;
}
DC_ALGORITHM(class I, class J, class O, class F) O transform(dc_policy, I i, I end, J j, O o, F f) {
  for (; i != end; ++i, ++j, ++o) *o = f(*i, *j);
  return o;
}

DC_ALGORITHM(class I, class P) I find_if(dc_policy, I i, I end, P p) {
  while (i != end && !p(*i)) ++i;
  return i;
}
DC_ALGORITHM(class I, class T) I find(dc_policy, I i, I end, const T &v) {
  while (i != end && !(*i == v)) ++i;
  return i;
}
DC_ALGORITHM(class I, class P) long count_if(dc_policy, I i, I end, P p) {
  long n = 0;
  for (; i != end; ++i) n += p(*i) ? 1 : 0;
  return n;
}
DC_ALGORITHM(class I, class T) long count(dc_policy, I i, I end, const T &v) {
  long n = 0;
  for (; i != end; ++i) n += *i == v ? 1 : 0;
  return n;
}
DC_ALGORITHM(class I, class P) bool any_of(dc_policy s, I i, I end, P p) { return find_if(s, i, end, p) != end; }
DC_ALGORITHM(class I, class P) bool none_of(dc_policy s, I i, I end, P p) { return find_if(s, i, end, p) == end; }
DC_ALGORITHM(class I, class P) bool all_of(dc_policy, I i, I end, P p) {
  while (i != end && p(*i)) ++i;
  return i == end;
}
DC_ALGORITHM(class I, class J) bool equal(dc_policy, I i, I end, J j) {
  while (i != end && *i == *j) ++i, ++j;
  return i == end;
}

DC_ALGORITHM(class I, class T, class F) T reduce(dc_policy, I i, I end, T v, F f) {
  for (; i != end; ++i) v = f(v, static_cast<T>(*i));
  return v;
}
DC_ALGORITHM(class I, class T) T reduce(dc_policy p, I i, I end, T v) { return reduce(p, i, end, v, dc_plus()); }
DC_ALGORITHM(class I) auto reduce(dc_policy p, I i, I end) {
  auto zero = *i;
  return reduce(p, i, end, decltype(zero)(0), dc_plus());
}
DC_ALGORITHM(class I, class U, class T, class F) T transform_reduce(dc_policy, I i, I end, U u, T v, F f) {
  for (; i != end; ++i) v = f(v, u(*i));
  return v;
}
DC_ALGORITHM(class I, class J, class T, class F, class G) T inner_product(dc_policy, I i, I end, J j, T v, F f, G g) {
  for (; i != end; ++i, ++j) v = f(v, g(*i, *j));
  return v;
}
DC_ALGORITHM(class I, class J, class T) T inner_product(dc_policy, I i, I end, J j, T v) {
  for (; i != end; ++i, ++j) v = v + static_cast<T>(*i) * static_cast<T>(*j);
  return v;
}
DC_ALGORITHM(class I, class C) I min_element(dc_policy, I i, I end, C less) {
  I best = i;
  for (; i != end; ++i)
    if (less(*i, *best)) best = i;
  return best;
}
DC_ALGORITHM(class I) I min_element(dc_policy p, I i, I end) { return min_element(p, i, end, dc_less()); }
DC_ALGORITHM(class I, class C) I max_element(dc_policy, I i, I end, C less) {
  I best = i;
  for (; i != end; ++i)
    if (less(*best, *i)) best = i;
  return best;
}
DC_ALGORITHM(class I) I max_element(dc_policy p, I i, I end) { return max_element(p, i, end, dc_less()); }
DC_ALGORITHM(class I, class O, class F) O inclusive_scan(dc_policy, I i, I end, O o, F f) {
  if (i == end) return o;
  auto v = *i;
  for (*o = v, ++i, ++o; i != end; ++i, ++o) *o = v = f(v, *i);
  return o;
}
DC_ALGORITHM(class I, class O) O inclusive_scan(dc_policy p, I i, I end, O o) {
  return inclusive_scan(p, i, end, o, dc_plus());
}
DC_ALGORITHM(class I, class O, class T, class F) O exclusive_scan(dc_policy, I i, I end, O o, T v, F f) {
  for (; i != end; ++i, ++o) {
    T next = f(v, static_cast<T>(*i)); /* o may be i */
    *o = v;
    v = next;
  }
  return o;
}
DC_ALGORITHM(class I, class O, class T) O exclusive_scan(dc_policy p, I i, I end, O o, T v) {
  return exclusive_scan(p, i, end, o, v, dc_plus());
}
DC_ALGORITHM(class I, class O) O exclusive_scan(dc_policy p, I i, I end, O o) {
  if (i == end) return o;
  auto zero = *i;
  return exclusive_scan(p, i, end, o, decltype(zero)(0), dc_plus());
}

DC_ALGORITHM(class I, class T, class C) I lower_bound(dc_policy, I i, I end, const T &v, C less) {
  for (auto n = end - i; n > 0;)
    if (less(i[n / 2], v)) i += n / 2 + 1, n -= n / 2 + 1;
    else n /= 2;
  return i;
}
DC_ALGORITHM(class I, class T) I lower_bound(dc_policy p, I i, I end, const T &v) {
  return lower_bound(p, i, end, v, dc_less());
}
DC_ALGORITHM(class I, class T, class C) I upper_bound(dc_policy, I i, I end, const T &v, C less) {
  for (auto n = end - i; n > 0;)
    if (!less(v, i[n / 2])) i += n / 2 + 1, n -= n / 2 + 1;
    else n /= 2;
  return i;
}
DC_ALGORITHM(class I, class T) I upper_bound(dc_policy p, I i, I end, const T &v) {
  return upper_bound(p, i, end, v, dc_less());
}
DC_ALGORITHM(class I, class T) bool binary_search(dc_policy p, I i, I end, const T &v) {
  i = lower_bound(p, i, end, v);
  return i != end && !(v < *i);
}

DC_ALGORITHM(class I, class P) I remove_if(dc_policy s, I i, I end, P p) {
  I o = i;
  for (; i != end; ++i)
    if (!p(*i)) *o = *i, ++o;
  return o;
}
DC_ALGORITHM(class I, class T) I remove(dc_policy, I i, I end, T v) {
  I o = i;
  for (; i != end; ++i)
    if (!(*i == v)) *o = *i, ++o;
  return o;
}
DC_ALGORITHM(class I, class E) I unique(dc_policy, I i, I end, E same) {
  I o = i;
  if (i == end) return end;
  while (++i != end)
    if (!same(*o, *i)) *++o = *i;
  return ++o;
}
DC_ALGORITHM(class I) I unique(dc_policy p, I i, I end) { return unique(p, i, end, dc_same()); }

/* A stable merge sort in place: runs of a few elements by insertion, merged by rotations. */
struct dc_no_values {};
template <class K, class V, class C> struct dc_sorting {
  K keys;
  V values;
  C less;
  template <class I> static __host__ __device__ void exchange(I i, long a, long b) {
    auto t = i[a];
    i[a] = i[b];
    i[b] = t;
  }
  static __host__ __device__ void exchange(dc_no_values, long, long) {}
  __host__ __device__ void swap(long a, long b) {
    exchange(keys, a, b);
    exchange(values, a, b);
  }
  __host__ __device__ void reverse(long a, long b) {
    while (a < --b) swap(a++, b);
  }
  /* [a, m) and [m, b) are in order. */
  __host__ __device__ void merge(long a, long m, long b) {
    while (a < m && m < b) {
      if (!less(keys[m], keys[a])) { /* that one is in its place */
        a++;
        continue;
      }
      long p, q;
      if (m - a > b - m) {
        p = a + (m - a) / 2;
        q = lower_bound(seq, keys + m, keys + b, keys[p], less) - keys;
      } else {
        q = m + (b - m + 1) / 2;
        p = upper_bound(seq, keys + a, keys + m, keys[q - 1], less) - keys;
      }
      reverse(p, m);
      reverse(m, q);
      reverse(p, q);
      const long middle = p + (q - m);
      merge(a, p, middle);
      a = middle;
      m = q;
    }
  }
  __host__ __device__ void sort(long n) {
    const long run = 8;
    for (long first = 0; first < n; first += run)
      for (long i = first + 1; i < first + run && i < n; i++)
        for (long k = i; k > first && less(keys[k], keys[k - 1]); k--) swap(k, k - 1);
    for (long w = run; w < n; w *= 2)
      for (long a = 0; a + w < n; a += 2 * w) merge(a, a + w, a + 2 * w < n ? a + 2 * w : n);
  }
};
DC_ALGORITHM(class I, class C) void stable_sort(dc_policy, I i, I end, C less) {
  dc_sorting<I, dc_no_values, C>{i, {}, less}.sort(end - i);
}
DC_ALGORITHM(class I) void stable_sort(dc_policy p, I i, I end) { stable_sort(p, i, end, dc_less()); }
DC_ALGORITHM(class I, class C) void sort(dc_policy p, I i, I end, C less) { stable_sort(p, i, end, less); }
DC_ALGORITHM(class I) void sort(dc_policy p, I i, I end) { stable_sort(p, i, end, dc_less()); }
DC_ALGORITHM(class K, class V, class C) void stable_sort_by_key(dc_policy, K k, K end, V v, C less) {
  dc_sorting<K, V, C>{k, v, less}.sort(end - k);
}
DC_ALGORITHM(class K, class V) void stable_sort_by_key(dc_policy p, K k, K end, V v) {
  stable_sort_by_key(p, k, end, v, dc_less());
}
DC_ALGORITHM(class K, class V, class C) void sort_by_key(dc_policy p, K k, K end, V v, C less) {
  stable_sort_by_key(p, k, end, v, less);
}
DC_ALGORITHM(class K, class V) void sort_by_key(dc_policy p, K k, K end, V v) {
  stable_sort_by_key(p, k, end, v, dc_less());
}
DC_ALGORITHM(class I, class C) bool is_sorted(dc_policy, I i, I end, C less) {
  for (I last = i; i != end; last = i, ++i)
    if (less(*i, *last)) return false;
  return true;
}
DC_ALGORITHM(class I) bool is_sorted(dc_policy p, I i, I end) { return is_sorted(p, i, end, dc_less()); }
} // namespace thrust
#undef DC_ALGORITHM
#endif
