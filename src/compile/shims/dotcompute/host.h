/* What programs call on the host, declared for the compiler to see which kernels they launch; nothing of it runs. */
#ifndef DC_SHIM_HOST
#define DC_SHIM_HOST
#include <cstddef>
#include <initializer_list>
#include <dotcompute/host_any.h>
#include <dotcompute/host_libraries.h>
#include <dotcompute/host_sequence.h>
#define _Complex /* of C: host code only passes pointers to them on */
struct dc_any_t : dc_any { /* a parameter of a type that does not compile */
  template <class T> dc_any_t(T &&);
};
extern dc_any dc_x; /* what stands for an initializer that does not compile, of "auto x" and of a reference */
struct dc_object {
  template <class T> operator T &() const { return *(T *)0; } /* defined, for types without linkage */
};
extern dc_object dc_v;
struct FILE;
extern FILE *stdin, *stdout, *stderr;
struct timeval { long tv_sec, tv_usec; };
struct timespec { long tv_sec, tv_nsec; };
struct timezone;
int gettimeofday(timeval *, void *);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
int rand();
void srand(unsigned);
/* Declared by the compiler itself, and never defined. */
template <class T> static inline __device__ cudaError_t cudaMalloc(T **, size_t) { return cudaSuccess; }
template <class T> static inline __device__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, T *) {
  return cudaSuccess;
}
/* Declared by the compiler itself without the host's defaults. */
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *);
cudaError_t cudaMemsetAsync(void *, int, size_t);
cudaError_t cudaMemset2DAsync(void *, size_t, int, size_t, size_t);
cudaError_t cudaEventRecord(cudaEvent_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t);
template <class T>
static inline __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, T, int, size_t) {
  return cudaSuccess;
}

namespace thrust {}
namespace std {
template <class T, class A = int> struct vector : dc_sequence<T> { using dc_sequence<T>::dc_sequence; };
struct string : dc_sequence<char> {
  constexpr string() {}
  constexpr string(const char *) {}
  const char *c_str() const;
  template <class... A> string substr(A &&...) const;
  template <class... A> size_t find(A &&...) const;
  template <class T> string operator+(const T &) const;
  template <class T> bool operator==(const T &) const;
  template <class T> bool operator!=(const T &) const;
};
template <class F, class S> struct dc_entry { F first; S second; };
template <class K, class V, class... A> struct map : dc_sequence<dc_entry<K, V>> {
  using dc_sequence<dc_entry<K, V>>::dc_sequence;
  V &operator[](const K &) const, &at(const K &) const;
};
template <class K, class V, class... A> struct unordered_map : map<K, V> { using map<K, V>::map; };
template <class K, class... A> struct set : dc_sequence<K> { using dc_sequence<K>::dc_sequence; };
template <class K, class... A> struct unordered_set : set<K> { using set<K>::set; };
template <class T, class... A> struct queue : dc_sequence<T> { void push(const T &), pop(); };
template <class T, class... A> struct stack : dc_sequence<T> { T &top(); void push(const T &), pop(); };
template <class T, class... A> struct deque : dc_sequence<T> { using dc_sequence<T>::dc_sequence; };
template <class T, class... A> struct list : dc_sequence<T> { using dc_sequence<T>::dc_sequence; };
template <class T, class... A> struct unique_ptr {
  using element_type = T;
  using pointer = T *;
  unique_ptr();
  template <class... B> unique_ptr(B &&...);
  T *get() const, *release(), *operator->() const, &operator*() const;
  template <class... B> void reset(B &&...);
  operator bool() const;
  T &operator[](size_t) const;
};
template <class T> struct unique_ptr<T[]> : unique_ptr<T> { using unique_ptr<T>::unique_ptr; };
template <class T> struct shared_ptr : unique_ptr<T> { using unique_ptr<T>::unique_ptr; };
template <class T, class... A> unique_ptr<T> make_unique(A &&...);
template <class T, class... A> shared_ptr<T> make_shared(A &&...);
struct exception {
  template <class... A> exception(A &&...);
  virtual const char *what() const;
};
using runtime_error = exception;
using logic_error = exception;
using invalid_argument = exception;
using out_of_range = exception;
using bad_alloc = exception;
struct dc_stream {
  dc_stream();
  template <class... A> dc_stream(A &&...);
  template <class T> dc_stream &operator<<(const T &);
  template <class T> dc_stream &operator>>(T &);
  string str() const;
};
extern dc_stream cout, cerr, clog, cin;
extern char endl;
using ifstream = dc_stream;
using ofstream = dc_stream;
using stringstream = dc_stream;
using ostringstream = dc_stream;
template <class F> struct function {
  template <class... A> function(A &&...);
  template <class... A> dc_any operator()(A &&...) const;
  operator bool() const;
};
template <class R, class... P> struct function<R(P...)> {
  template <class... A> function(A &&...);
  R operator()(P...) const;
  operator bool() const;
};
struct dc_generator {
  template <class... A> dc_generator(A &&...);
  unsigned operator()();
};
using mt19937 = dc_generator;
using mt19937_64 = dc_generator;
using default_random_engine = dc_generator;
using random_device = dc_generator;
template <class T = double> struct uniform_real_distribution {
  template <class... A> uniform_real_distribution(A &&...);
  template <class G> T operator()(G &&);
};
template <class T = int> struct uniform_int_distribution : uniform_real_distribution<T> {
  using uniform_real_distribution<T>::uniform_real_distribution;
};
template <class T = double> struct normal_distribution : uniform_real_distribution<T> {
  using uniform_real_distribution<T>::uniform_real_distribution;
};
} // namespace std
#endif
