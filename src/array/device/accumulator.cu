// accumulator.cu - what kernels that reduce share.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

// A value of any type from another lane or, past the first-level cache, from memory that other blocks wrote.
//: words
template <typename T> static __device__ __forceinline__ T below(T v, int d, int width) {
  union words { T v; unsigned int w[sizeof(T) / 4]; __device__ words() {} } u;
  u.v = v;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / 4); i++) u.w[i] = __shfl_down_sync(0xffffffffu, u.w[i], d, width);
  return u.v;
}
template <typename T> static __device__ __forceinline__ T first_of(T v, int width) {
  union words { T v; unsigned int w[sizeof(T) / 4]; __device__ words() {} } u;
  u.v = v;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / 4); i++) u.w[i] = __shfl_sync(0xffffffffu, u.w[i], 0, width);
  return u.v;
}
template <typename T> static __device__ __forceinline__ T fetch(const T *p) {
  union words { T v; unsigned int w[sizeof(T) / 4]; __device__ words() {} } u;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / 4); i++) u.w[i] = ((const volatile unsigned int *)p)[i];
  return u.v;
}

// A barrier of the cluster's blocks; a value in the shared memory of one of them.
//: cluster
static __device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}
template <typename T> static __device__ __forceinline__ T of_block(const T *p, int block) {
  union words { T v; unsigned int w[sizeof(T) / 4]; __device__ words() {} } u;
  unsigned int at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) :
               "r"((unsigned int)__cvta_generic_to_shared(p)), "r"(block));
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / 4); i++)
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(u.w[i]) : "r"(at + 4 * i) : "memory");
  return u.v;
}
