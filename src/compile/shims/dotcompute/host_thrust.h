/* Thrust's vectors, as host.h has those of the standard library. */
#ifndef DC_SHIM_HOST_THRUST
#define DC_SHIM_HOST_THRUST
#include <dotcompute/host.h>
namespace thrust {
template <class T> struct device_ptr {
  device_ptr(T * = nullptr);
  T *get() const;
  T &operator[](size_t) const;
  T &operator*() const;
  device_ptr operator+(long) const;
  long operator-(device_ptr) const;
};
template <class T> struct dc_element {
  operator T() const;
  template <class U> dc_element &operator=(const U &);
  device_ptr<T> operator&() const;
};
template <class T, class A = int> struct host_vector : std::dc_sequence<T> {
  using std::dc_sequence<T>::dc_sequence;
  template <class U> host_vector(const U &);
};
template <class T, class A = int> struct device_vector {
  using value_type = T;
  using iterator = device_ptr<T>;
  device_vector();
  template <class... U> device_vector(U &&...);
  dc_element<T> operator[](size_t) const;
  device_ptr<T> data() const, begin() const, end() const;
  size_t size() const;
  template <class... U> void resize(U &&...);
  template <class U> device_vector &operator=(const U &);
};
template <class T, class A = int> struct universal_vector : host_vector<T> { using host_vector<T>::host_vector; };
template <class T> T *raw_pointer_cast(device_ptr<T>);
template <class T> T *raw_pointer_cast(T *);
template <class T> device_ptr<T> device_pointer_cast(T *);
} // namespace thrust
#endif
