/* What the host's containers have in common, so that its code compiles; it does not run on the device, which stops at
** DC_NOT_HERE where that is more than nothing. */
#ifndef DC_SHIM_HOST_SEQUENCE
#define DC_SHIM_HOST_SEQUENCE
#include <cstddef>
#include <initializer_list>
#ifndef DC_NOT_HERE
#define DC_NOT_HERE
#endif
#define DC_BOTH __host__ __device__
namespace std {
/* With bodies, which a class for a type of a function must have. */
template <class T> struct dc_sequence {
  using value_type = T;
  using size_type = size_t;
  using iterator = T *;
  using const_iterator = const T *;
  DC_BOTH constexpr dc_sequence() {}
  DC_BOTH constexpr dc_sequence(initializer_list<T>) {}
  template <class... A> DC_BOTH constexpr dc_sequence(A &&...) {}
  DC_BOTH T *data() const { DC_NOT_HERE; return nullptr; }
  DC_BOTH T *begin() const { return data(); }
  DC_BOTH T *end() const { return data(); }
  DC_BOTH const T *cbegin() const { return data(); }
  DC_BOTH const T *cend() const { return data(); }
  DC_BOTH T &operator[](size_t) const { return *data(); }
  DC_BOTH T &at(size_t) const { return *data(); }
  DC_BOTH T &front() const { return *data(); }
  DC_BOTH T &back() const { return *data(); }
  DC_BOTH size_t size() const { DC_NOT_HERE; return 0; }
  DC_BOTH size_t capacity() const { return size(); }
  DC_BOTH size_t length() const { return size(); }
  DC_BOTH bool empty() const { return size() == 0; }
  template <class V> DC_BOTH iterator find(const V &) const { return data(); }
  template <class V> DC_BOTH size_t count(const V &) const { return size(); }
  template <class... V> DC_BOTH iterator erase(V &&...) { return data(); }
  template <class... A> DC_BOTH void resize(A &&...) { DC_NOT_HERE; }
  template <class... A> DC_BOTH void assign(A &&...) { DC_NOT_HERE; }
  template <class... A> DC_BOTH iterator insert(A &&...) { return data(); }
  template <class... A> DC_BOTH iterator emplace(A &&...) { return data(); }
  template <class... A> DC_BOTH T &emplace_back(A &&...) { return *data(); }
  DC_BOTH void reserve(size_t) { DC_NOT_HERE; }
  DC_BOTH void clear() { DC_NOT_HERE; }
  DC_BOTH void push_front(const T &) { DC_NOT_HERE; }
  DC_BOTH void push_back(const T &) { DC_NOT_HERE; }
  DC_BOTH void pop_front() { DC_NOT_HERE; }
  DC_BOTH void pop_back() { DC_NOT_HERE; }
  template <class V> DC_BOTH void swap(V &) { DC_NOT_HERE; }
};
} // namespace std
#endif
