/* Classes of the host's standard library, as headers that kernels share with host code name them: their sizes are
** those of GCC's library, so that structs that hold them have the host's layout; a function that uses other members
** than those here is the host's, and does not compile. */
#ifndef DC_SHIM_HOST_TYPES
#define DC_SHIM_HOST_TYPES
#include <iosfwd>
#define DC_NOT_HERE __trap()
#include <dotcompute/host_sequence.h>
struct FILE;
struct timeval { long tv_sec, tv_usec; };
struct timespec { long tv_sec, tv_nsec; };
#define DC_BODY(name, bytes, ...) \
  { \
    long dc_bytes[bytes / sizeof(long)] = {}; \
    __host__ __device__ constexpr name() {} \
    template <class... B> __host__ __device__ constexpr name(B &&...) {} \
    __VA_ARGS__ \
  };
#define DC_TYPE(name, bytes) struct name DC_BODY(name, bytes, )
#define DC_ELEMENTS(name, bytes) template <class T, class... A> struct name : std::dc_sequence<T> DC_BODY(name, bytes, )
#define DC_POINTER(name, bytes) template <class T, class... A> struct name DC_BODY(name, bytes, typedef T element_type;)
#define DC_TABLE(name, bytes) \
  template <class K, class V, class... A> struct name \
  DC_BODY(name, bytes, typedef K key_type; typedef V mapped_type; typedef void *iterator; \
          typedef void *const_iterator;)
#define DC_EXCEPTION(name, base, ...) \
  struct name : base { \
    __VA_ARGS__ \
    template <class... A> __host__ __device__ name(A &&...) {} \
  };
namespace std {
DC_ELEMENTS(vector, 24)
DC_ELEMENTS(list, 24)
DC_ELEMENTS(forward_list, 8)
DC_ELEMENTS(deque, 80)
DC_ELEMENTS(queue, 80)
DC_ELEMENTS(stack, 80)
DC_ELEMENTS(priority_queue, 32)
DC_ELEMENTS(set, 48)
DC_ELEMENTS(multiset, 48)
DC_ELEMENTS(unordered_set, 56)
DC_ELEMENTS(unordered_multiset, 56)
DC_TABLE(map, 48)
DC_TABLE(multimap, 48)
DC_TABLE(unordered_map, 56)
DC_TABLE(unordered_multimap, 56)
DC_ELEMENTS(basic_string, 32)
DC_ELEMENTS(basic_string_view, 16)
DC_POINTER(unique_ptr, 8)
DC_POINTER(shared_ptr, 16)
DC_POINTER(weak_ptr, 16)
DC_POINTER(function, 32)
DC_POINTER(future, 16)
DC_POINTER(shared_future, 16)
DC_POINTER(promise, 24)
DC_POINTER(lock_guard, 8)
DC_POINTER(unique_lock, 16)
template <class... A> struct vector<bool, A...> DC_BODY(vector, 40, )
typedef basic_string<char> string;
typedef basic_string<wchar_t> wstring;
typedef basic_string_view<char> string_view;
DC_TYPE(any, 16)
DC_TYPE(type_index, 8)
DC_TYPE(mutex, 40)
DC_TYPE(recursive_mutex, 40)
DC_TYPE(condition_variable, 48)
DC_TYPE(thread, 8)
DC_TYPE(random_device, 5000)
DC_TYPE(mt19937, 5000)
DC_TYPE(mt19937_64, 2504)
DC_TYPE(default_random_engine, 8)
struct exception {
  template <class... A> __host__ __device__ exception(A &&...) {}
  virtual ~exception() {} /* as the classes that override them say it: for neither side */
  virtual const char *what() const noexcept { return ""; }
};
DC_EXCEPTION(bad_alloc, exception, )
DC_EXCEPTION(bad_cast, exception, )
DC_EXCEPTION(logic_error, exception, void *dc_text = nullptr;)
DC_EXCEPTION(runtime_error, exception, void *dc_text = nullptr;)
DC_EXCEPTION(invalid_argument, logic_error, )
DC_EXCEPTION(domain_error, logic_error, )
DC_EXCEPTION(length_error, logic_error, )
DC_EXCEPTION(out_of_range, logic_error, )
DC_EXCEPTION(range_error, runtime_error, )
DC_EXCEPTION(overflow_error, runtime_error, )
DC_EXCEPTION(underflow_error, runtime_error, )
enum dc_manipulator { endl, flush, hex, dec, oct, fixed, scientific, boolalpha };
template <class V> DC_BOTH dc_manipulator setw(V) { return dec; }
template <class V> DC_BOTH dc_manipulator setprecision(V) { return dec; }
template <class V> DC_BOTH dc_manipulator setfill(V) { return dec; }
template <class C, class T> struct basic_ostream {
  long dc_bytes[34] = {};
  template <class V> DC_BOTH basic_ostream &operator<<(const V &) { DC_NOT_HERE; return *this; }
  template <class... A> DC_BOTH basic_ostream &write(A &&...) { DC_NOT_HERE; return *this; }
};
template <class C, class T> struct basic_istream {
  long dc_bytes[35] = {};
  template <class V> DC_BOTH basic_istream &operator>>(V &) { DC_NOT_HERE; return *this; }
  template <class... A> DC_BOTH basic_istream &read(A &&...) { DC_NOT_HERE; return *this; }
  DC_BOTH explicit operator bool() const { DC_NOT_HERE; return false; }
};
template <class C, class T = char_traits<C>> struct basic_iostream : basic_istream<C, T> {
  long dc_more[1] = {};
  DC_BOTH operator basic_ostream<C, T> &() const { DC_NOT_HERE; return *(basic_ostream<C, T> *)nullptr; }
  template <class V> DC_BOTH basic_ostream<C, T> &operator<<(const V &v) {
    return static_cast<basic_ostream<C, T> &>(*this) << v;
  }
};
#define DC_STREAM(basic, name, base, more) \
  template <class C, class T = char_traits<C>> struct basic : base<C, T> { \
    long dc_rest[more / sizeof(long)] = {}; \
    template <class... A> DC_BOTH basic(A &&...) {} \
    template <class... A> DC_BOTH basic_string<C> str(A &&...) const { DC_NOT_HERE; return {}; } \
    template <class... A> DC_BOTH void open(A &&...) { DC_NOT_HERE; } \
    DC_BOTH void close() { DC_NOT_HERE; } \
  }; \
  typedef basic<char> name;
typedef basic_iostream<char> iostream;
DC_STREAM(basic_ostringstream, ostringstream, basic_ostream, 104)
DC_STREAM(basic_istringstream, istringstream, basic_istream, 104)
DC_STREAM(basic_stringstream, stringstream, basic_iostream, 104)
DC_STREAM(basic_ofstream, ofstream, basic_ostream, 240)
DC_STREAM(basic_ifstream, ifstream, basic_istream, 240)
DC_STREAM(basic_fstream, fstream, basic_iostream, 240)
} // namespace std
namespace thrust {
DC_ELEMENTS(device_vector, 32)
DC_ELEMENTS(host_vector, 32)
DC_ELEMENTS(universal_vector, 32)
template <class T> struct device_ptr { /* kernels use it, too */
  typedef T element_type, value_type, &reference, *pointer;
  typedef long difference_type;
  T *dc_at;
  DC_BOTH constexpr device_ptr(T *p = nullptr) : dc_at(p) {}
  template <class U> DC_BOTH constexpr device_ptr(const device_ptr<U> &o) : dc_at(o.dc_at) {}
  DC_BOTH constexpr T *get() const { return dc_at; }
  DC_BOTH constexpr T &operator*() const { return *dc_at; }
  DC_BOTH constexpr T *operator->() const { return dc_at; }
  DC_BOTH constexpr T &operator[](long i) const { return dc_at[i]; }
  DC_BOTH constexpr device_ptr operator+(long n) const { return dc_at + n; }
  DC_BOTH constexpr device_ptr operator-(long n) const { return dc_at - n; }
  DC_BOTH constexpr long operator-(const device_ptr &o) const { return dc_at - o.dc_at; }
  DC_BOTH constexpr device_ptr &operator+=(long n) { dc_at += n; return *this; }
  DC_BOTH constexpr device_ptr &operator-=(long n) { dc_at -= n; return *this; }
  DC_BOTH constexpr device_ptr &operator++() { ++dc_at; return *this; }
  DC_BOTH constexpr device_ptr &operator--() { --dc_at; return *this; }
  DC_BOTH constexpr device_ptr operator++(int) { return dc_at++; }
  DC_BOTH constexpr device_ptr operator--(int) { return dc_at--; }
  DC_BOTH constexpr bool operator==(const device_ptr &o) const { return dc_at == o.dc_at; }
  DC_BOTH constexpr bool operator!=(const device_ptr &o) const { return dc_at != o.dc_at; }
  DC_BOTH constexpr bool operator<(const device_ptr &o) const { return dc_at < o.dc_at; }
};
template <class T> DC_BOTH constexpr device_ptr<T> device_pointer_cast(T *p) { return p; }
template <class T> DC_BOTH constexpr T *raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T> DC_BOTH constexpr T *raw_pointer_cast(T *p) { return p; }
DC_POINTER(device_reference, 8)
template <class T> struct device_allocator { long dc_bytes[1]; };
template <class T> struct device_malloc_allocator {};
} // namespace thrust
#undef DC_BODY
#undef DC_TYPE
#undef DC_ELEMENTS
#undef DC_POINTER
#undef DC_STREAM
#undef DC_TABLE
#undef DC_EXCEPTION
#endif
