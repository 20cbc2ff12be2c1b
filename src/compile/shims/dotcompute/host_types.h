/* Classes of the host's standard library, as headers that kernels share with host code name them: their sizes are
** those of GCC's library, so that structs that hold them have the host's layout; a function that uses their members is
** the host's, and does not compile. */
#ifndef DC_SHIM_HOST_TYPES
#define DC_SHIM_HOST_TYPES
#include <cstddef>
#include <initializer_list>
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
#define DC_ELEMENTS(name, bytes) \
  template <class T, class... A> struct name \
  DC_BODY(name, bytes, typedef T value_type; typedef size_t size_type; typedef T *iterator; \
          typedef const T *const_iterator;)
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
DC_ELEMENTS(unique_ptr, 8)
DC_ELEMENTS(shared_ptr, 16)
DC_ELEMENTS(weak_ptr, 16)
DC_ELEMENTS(function, 32)
DC_ELEMENTS(future, 16)
DC_ELEMENTS(shared_future, 16)
DC_ELEMENTS(promise, 24)
DC_ELEMENTS(lock_guard, 8)
DC_ELEMENTS(unique_lock, 16)
template <class... A> struct vector<bool, A...> DC_BODY(vector, 40, )
typedef basic_string<char> string;
typedef basic_string<wchar_t> wstring;
typedef basic_string_view<char> string_view;
DC_TYPE(any, 16)
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
} // namespace std
#undef DC_BODY
#undef DC_TYPE
#undef DC_ELEMENTS
#undef DC_TABLE
#undef DC_EXCEPTION
#endif
