// Programs in the forms of public suites of benchmarks, written for this file: nvcc-programs_spec.lua.
// Each begins with its name and with the kernels that it gives.
//== host-templates: reduce0<double>; reduce0<float>; reduce0<int>; reduce6<double, 256, true>; reduce6<double, 512, false>; reduce6<double, 512, true>; reduce6<float, 256, true>; reduce6<float, 512, false>; reduce6<float, 512, true>; reduce6<int, 256, true>; reduce6<int, 512, false>; reduce6<int, 512, true>
#include <cuda_runtime.h>
#include <cstdio>
template <class T> struct SharedMemory { __device__ inline operator T *() { extern __shared__ int __smem[];
  return (T *)__smem; } __device__ inline operator const T *() const { extern __shared__ int __smem[];
  return (T *)__smem; } };
template <> struct SharedMemory<double> { __device__ inline operator double *() {
  extern __shared__ double __smem_d[]; return (double *)__smem_d; } };
template <class T, unsigned int blockSize, bool nIsPow2> __global__ void reduce6(T *g_idata, T *g_odata,
  unsigned int n) {
  T *sdata = SharedMemory<T>(); unsigned tid = threadIdx.x; T s = 0;
  for (unsigned i = blockIdx.x * blockSize * 2 + tid; i < n; i += blockSize * 2 * gridDim.x) { s += g_idata[i];
  if (nIsPow2 || i + blockSize < n) s += g_idata[i + blockSize]; }
  sdata[tid] = s; __syncthreads(); if (tid == 0) { T r = 0; for (int i = 0; i < blockSize; i++) r += sdata[i];
  g_odata[blockIdx.x] = r; } }
template <class T> __global__ void reduce0(T *g_idata, T *g_odata, unsigned int n) { if (threadIdx.x < n)
  g_odata[0] = g_idata[0]; }
extern "C" bool isPow2(unsigned int x) { return ((x & (x - 1)) == 0); }
template <class T> void reduce(int size, int threads, int blocks, int whichKernel, T *d_idata, T *d_odata) {
  dim3 dimBlock(threads, 1, 1); dim3 dimGrid(blocks, 1, 1); int smemSize = (threads <= 32) ? 2 * threads *
  sizeof(T) : threads * sizeof(T);
  switch (whichKernel) {
  case 0: reduce0<T><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size); break;
  case 6: if (isPow2(size)) { switch (threads) { case 512: reduce6<T, 512, true><<<dimGrid, dimBlock,
  smemSize>>>(d_idata, d_odata, size); break; case 256: reduce6<T, 256, true><<<dimGrid, dimBlock,
  smemSize>>>(d_idata, d_odata, size); break; } }
          else { switch (threads) { case 512: reduce6<T, 512, false><<<dimGrid, dimBlock, smemSize>>>(d_idata,
  d_odata, size); break; } } break;
  } }
template void reduce<int>(int size, int threads, int blocks, int whichKernel, int *d_idata, int *d_odata);
template void reduce<float>(int size, int threads, int blocks, int whichKernel, float *d_idata, float *d_odata);
template void reduce<double>(int size, int threads, int blocks, int whichKernel, double *d_idata, double *d_odata);
//==
//== deduced: axpy<double>; axpy<float>; axpy<int>
#include <iostream>
#include <vector>
#include <chrono>
#include <numeric>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", \
  __FILE__, __LINE__, cudaGetErrorString(e_)); exit(EXIT_FAILURE); } } while (0)
template <typename T> __global__ void axpy(T a, const T *__restrict__ x, T *__restrict__ y, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }
template <typename T> double bench(size_t n, int repeat) {
  std::vector<T> hx(n, T(1)), hy(n); std::iota(hy.begin(), hy.end(), T(0));
  T *x, *y; CHECK(cudaMalloc((void **)&x, n * sizeof(T))); CHECK(cudaMalloc(&y, n * sizeof(T)));
  CHECK(cudaMemcpy(x, hx.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeat; i++) axpy<<<(n + 255) / 256, 256>>>(T(2), x, y, n);
  CHECK(cudaDeviceSynchronize());
  auto end = std::chrono::steady_clock::now(); auto time =
  std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
  std::cout << "Average " << (time * 1e-3f) / repeat << " us" << std::endl; cudaFree(x); cudaFree(y); return time; }
int main(int argc, char *argv[]) { if (argc != 3) { printf("Usage: %s <n> <repeat>\n", argv[0]); return 1; }
  const size_t n = std::stoul(argv[1]); int r = atoi(argv[2]);
  bench<float>(n, r); bench<double>(n, r); bench<int>(n, r); return 0; }
//==
//== function-pointers: fill<double>; fill<float>; fill<int>; plain; scale<double>; scale<float>; scale<short>
#include <cstdio>
#include <cuda_runtime.h>
template <typename T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }
template <typename T> __global__ void scale(T *p, T v) { p[threadIdx.x] *= v; }
__global__ void plain(int *p) { *p = 1; }
typedef void (*kernel_t)(float *, float);
template <typename T> cudaError_t go(void (*f)(T *, T), T *p, T v) { void *args[] = {&p, &v};
  return cudaLaunchKernel((const void *)f, dim3(1), dim3(32), args, 0, 0); }
int main() { int *p; cudaMalloc(&p, 128); int v = 3; void *args[] = {(void *)&p, (void *)&v};
  cudaLaunchKernel((void *)fill<int>, dim3(1), dim3(32), args, 0, NULL);
  kernel_t table[2] = {fill<float>, scale<float>}; float *q; for (int i = 0; i < 2; i++) table[i]<<<1, 32>>>(q,
  2.0f); short *s; go(scale<short>, s, (short)2);
  int minGrid, block; cudaOccupancyMaxPotentialBlockSize(&minGrid, &block, fill<double>, 0, 0);
  cudaFuncSetAttribute(scale<double>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); return 0; }
//==
//== gnu-c: pts
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
typedef struct { int x, y; } Point;
typedef struct { float r, g, b; } Color;
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
__device__ Point mk(int a) { return (Point){a, a + 1}; }
__global__ void pts(Point *p, Color *c, int n) { int i = threadIdx.x; if (i < n) { p[i] = (Point){.x = i, .y =
  2 * i}; p[i].x = MAX(p[i].x, 3); c[i] = (Color){1.f, 2.f, (float)i}; p[i] = mk(p[i].y); float2 f =
  (float2){1.f, 2.f}; c[i].g += f.x; } }
double now(void) { struct timeval tv; gettimeofday(&tv, NULL); return tv.tv_sec + tv.tv_usec * 1e-6; }
int main(void) { Point *p = (Point *)malloc(10 * sizeof(Point)); double t = now(); pts<<<1, 32>>>(p, NULL, 10);
  fprintf(stderr, "%f\n", now() - t); return undefined_thing; }
//==
//== integers-of-64-bits: hash
#include <cstdint>
#include <cinttypes>
#include <cstdio>
__device__ __forceinline__ unsigned long rotl(unsigned long x, int r) { return (x << r) | (x >> (64 - r)); }
__device__ void mix(uint64_t &a, uint64_t *b) { a ^= rotl(a, 13); *b += a; }
template <typename T> struct Traits; template <> struct Traits<uint64_t> { static const int k = 1; };
  template <> struct Traits<unsigned long long> { static const int k = 2; };
__global__ void hash(unsigned long *p, uint64_t *q, unsigned long long *c) { unsigned long s = p[threadIdx.x];
  mix(s, q); p[threadIdx.x] = s; atomicAdd(c, (unsigned long long)Traits<uint64_t>::k);
  atomicAdd((unsigned long long *)q, 1ull); size_t n = s; uint64_t *m = &n; *q += *m; }
int main() { uint64_t *p; unsigned long *q; cudaMalloc(&p, 8); q = p; hash<<<1, 1>>>(q, p,
  (unsigned long long *)p); printf("%" PRIu64, *p); }
//==
//== classes: create; onData; test
#include <cmath>
#include <iostream>
#include <string>
#include <ostream>
class Vec3 { public: float e[3]; __host__ __device__ Vec3() {} __host__ __device__ Vec3(float a, float b,
  float c) { e[0] = a; e[1] = b; e[2] = c; } __host__ __device__ inline float x() const { return e[0]; }
  __host__ __device__ inline Vec3 operator-() const { return Vec3(-e[0], -e[1], -e[2]); }
  __host__ __device__ float length() const { return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]); }
  __host__ std::string str() const { return std::to_string(e[0]); } inline Vec3 &operator+=(const Vec3 &o);
  friend std::ostream &operator<<(std::ostream &os, const Vec3 &v); void print() const {
  std::cout << e[0] << std::endl; } };
std::ostream &operator<<(std::ostream &os, const Vec3 &t) { os << t.e[0] << " " << t.e[1]; return os; }
inline std::istream &operator>>(std::istream &is, Vec3 &t) { is >> t.e[0]; return is; }
class Shape { public: __device__ virtual bool hit(const Vec3 &v) const = 0; };
class Sphere : public Shape { public: __device__ Sphere(float r) : radius(r) {}
  __device__ virtual bool hit(const Vec3 &v) const { return v.length() < radius; } float radius; };
__global__ void create(Shape **list) { if (threadIdx.x == 0) list[0] = new Sphere(2.f); }
__global__ void test(Shape **list, bool *out) { out[threadIdx.x] = list[0]->hit(Vec3(threadIdx.x, 0, 0)); }
#define checkCudaErrors(val) check_cuda((val), #val, __FILE__, __LINE__)
void check_cuda(cudaError_t result, char const *const func, const char *const file, int const line) { if (result)
  { std::cerr << "CUDA error = " << static_cast<unsigned int>(result)
  << " at " << file << ":" << line << " '" << func << "' \n"; cudaDeviceReset(); exit(99); } }
struct Managed { void *operator new(size_t len) { void *ptr; cudaMallocManaged(&ptr, len);
  cudaDeviceSynchronize(); return ptr; } void operator delete(void *p) { cudaFree(p); } };
class Data : public Managed { public: int n; float *v; Data(int n) : n(n) { cudaMallocManaged(&v, n *
  sizeof(float)); } ~Data() { cudaFree(v); } };
__global__ void onData(Data *d) { if (threadIdx.x < d->n) d->v[threadIdx.x] += 1; }
int main() { Shape **l; checkCudaErrors(cudaMalloc((void **)&l, sizeof(Shape *))); create<<<1, 1>>>(l); bool *o;
  checkCudaErrors(cudaMallocManaged((void **)&o, 32)); test<<<1, 32>>>(l, o); Data *d = new Data(10); onData<<<1,
  10>>>(d); std::cout << Vec3(1, 2, 3) << o[0]; }
//==
//== extern-c: ka; kb
#include <stdio.h>
__global__ void ka(int *p) { *p = 1; }
__global__ void kb(int *p) { *p = 2; }
extern "C" void launch(int *p, int w) {
  if (w == 0)
    ka<<<1, 1>>>(p);
  else
    kb<<<1, 1>>>(p);
  if (w) { ka<<<1, 1>>>(p); } else { printf("x"); }
}
extern "C" {
int helper(int a) { if (a) return 1; else return 2; }
void launch2(int *p, int w) { if (w) ka<<<1, 1>>>(p); else if (w > 2) kb<<<1, 1>>>(p); else fprintf(stderr,
  "no\n"); }
}
struct node *find(struct node *n) { return n; }
static struct node *insert(struct node *n, int k) { if (!n) { n = (struct node *)malloc(8); } return n; }
//==
//== macros: add_float; add_int; mul_float; unrolled<float, 1>; unrolled<float, 2>; unrolled<float, 4>; unrolled<float, 8>; unrolled<int, 1>; unrolled<int, 2>; unrolled<int, 4>; unrolled<int, 8>
#include <cstdio>
#define DEFINE_KERNEL(NAME, TYPE, OP) __global__ void NAME##_##TYPE(TYPE *a, const TYPE *b, int n) { int i = \
  blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = a[i] OP b[i]; }
DEFINE_KERNEL(add, float, +) DEFINE_KERNEL(mul, float, *) DEFINE_KERNEL(add, int, +)
#define LAUNCH(K, ...) K<<<grid, block>>>(__VA_ARGS__)
template <typename T, int U> __global__ void unrolled(T *p) { for (int i = 0; i < U; i++) p[i] = i; }
#define CASE(N) case N: unrolled<T, N><<<grid, block>>>(p); break;
template <typename T> void dispatch(T *p, int n, dim3 grid, dim3 block) { switch (n) { CASE(1) CASE(2) CASE(4)
  CASE(8) default: printf("bad\n"); } }
int main(int argc, char **argv) { dim3 grid(1), block(32); float *a; int *c; LAUNCH(add_float, a, a, 3);
  LAUNCH(mul_float, a, a, 3); LAUNCH(add_int, c, c, 3); dispatch(a, argc, grid, block); dispatch(c, argc, grid,
  block); return 0; }
//==
//== namespaces: anon<int>; ops::detail::map<__half, ops::Neg>; ops::detail::map<float, ops::Neg>; ops::fptr<&ops::twice>; ops::moded<(ops::Mode)0, (ops::Flag)0, false, 122>; ops::moded<(ops::Mode)1, (ops::Flag)1, true, 97>; ops::pack<int, float, int *>; ops::tt<ops::Box, int>; ops::val<unsigned long, 77>; sanon<float>; stat
#include <cstdio>
#include <cuda_fp16.h>
#include <type_traits>
namespace ops { namespace detail { template <typename T, typename Op> __global__ void map(T *x, int n, Op op) {
  int i = threadIdx.x; if (i < n) x[i] = op(x[i]); } }
struct Neg { template <typename T> __host__ __device__ T operator()(T v) const { return -v; } };
enum class Mode : int { kFast, kSlow }; enum Flag { A, B };
template <Mode M, Flag F = B, bool C = true, char X = 'a'> __global__ void moded(int *p) { *p = (int)M + F + C +
  X; }
template <typename T, T V> __global__ void val(T *p) { *p = V; }
template <typename... Ts> __global__ void pack(Ts... ps) { }
template <template <typename> class C, typename T> __global__ void tt(C<T> c) { }
template <typename T> struct Box { T v; };
template <int (*F)(int)> __global__ void fptr(int *p) { *p = F(*p); }
__device__ int twice(int x) { return 2 * x; }
template <typename T, typename Op> void run(T *p, int n, Op op) { if constexpr (std::is_same<T, half>::value)
  detail::map<half><<<1, 32>>>(p, n, op); else detail::map<<<1, 32>>>(p, n, op); } }
static __global__ void stat(int *p) { *p = 1; } namespace { template <typename T> __global__ void anon(T *p) {
  *p = 1; } template <class T> static __global__ void sanon(T *p) {} struct Hidden { int a; }; }
int main() { float *f; half *h; int *p; ops::run(f, 3, ops::Neg()); ops::run(h, 3, ops::Neg());
  ops::moded<ops::Mode::kSlow><<<1, 1>>>(p); ops::moded<ops::Mode::kFast, ops::A, false, 'z'><<<1, 1>>>(p);
  ops::val<unsigned long, 77ul><<<1, 1>>>((unsigned long *)p); ops::pack<<<1, 1>>>(1, 2.0f, p); ops::tt<<<1,
  1>>>(ops::Box<int>{3}); ops::fptr<ops::twice><<<1, 1>>>(p); stat<<<1, 1>>>(p); anon<<<1, 1>>>(p); anon<<<1,
  1>>>((Hidden *)0 ? p : p); sanon<<<1, 1>>>(f); return 0; }
//==
//== standard-library: k1<double>; k1<float>; k1<short>
#include <iostream>
#include <stdexcept>
#include <memory>
#include <map>
#include <fstream>
#include <sstream>
#include <random>
template <typename T> __global__ void k1(T *a, int n) { a[threadIdx.x] = n; }
template <typename T> class DeviceBuffer { T *p_ = nullptr; size_t n_; public: explicit DeviceBuffer(size_t n)
  : n_(n) { if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc(); } ~DeviceBuffer() {
  cudaFree(p_); } T *get() { return p_; } size_t size() const { return n_; } void fill() { k1<<<1, 32>>>(p_,
  (int)n_); } };
std::map<std::string, int> registry; static std::mt19937 rng(42); std::unique_ptr<int[]> owned;
  const std::string names[] = {"a", "b"};
int parse(const std::string &s) { std::istringstream is(s); int v; is >> v; return v; }
int main(int argc, char **argv) { try { std::ifstream f(argv[1]); if (!f) throw std::runtime_error("open");
  std::uniform_real_distribution<double> d(0, 1); auto buf = std::make_unique<DeviceBuffer<double>>(100);
  buf->fill(); DeviceBuffer<float> b2(10); k1<<<1, 32>>>(b2.get(), 1); std::shared_ptr<short> sp; k1<short><<<1,
  1>>>(sp.get(), 3); for (auto &kv : registry) std::cout << kv.first << kv.second << "\n"; }
  catch (const std::exception &e) { std::cerr << e.what() << std::endl; return EXIT_FAILURE; } catch (...) {
  return 2; } return 0; }
//==
//== opengl: convolutionRowsKernel; simple_vbo_kernel
#include "helper_cuda.h"
#include <helper_functions.h>
#include <helper_timer.h>
#include <GL/glew.h>
#include <GL/freeglut.h>
#include <cuda_gl_interop.h>
#include <stdio.h>
#define KERNEL_RADIUS 8
__constant__ float c_Kernel[2 * KERNEL_RADIUS + 1];
GLuint vbo; struct cudaGraphicsResource *cuda_vbo_resource; StopWatchInterface *timer = NULL;
  void *d_vbo_buffer = NULL;
extern "C" void setConvolutionKernel(float *h_Kernel) { cudaMemcpyToSymbol(c_Kernel, h_Kernel, sizeof(c_Kernel)); }
#define ROWS_BLOCKDIM_X 16
__global__ void convolutionRowsKernel(float *d_Dst, float *d_Src, int w) {
  __shared__ float s_Data[4][ROWS_BLOCKDIM_X + 16]; int x = blockIdx.x * ROWS_BLOCKDIM_X + threadIdx.x;
  s_Data[threadIdx.y][threadIdx.x] = d_Src[x]; __syncthreads(); float sum = 0;
#pragma unroll
  for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) sum += c_Kernel[KERNEL_RADIUS - j]; d_Dst[x] = sum *
  s_Data[threadIdx.y][0]; }
__global__ void simple_vbo_kernel(float4 *pos, unsigned int width, unsigned int height, float time) {
  unsigned int x = blockIdx.x * blockDim.x + threadIdx.x; pos[x] = make_float4(x, time, 0, 1.0f); }
void launch_kernel(float4 *pos, unsigned int w, unsigned int h, float t) { dim3 block(8, 8, 1);
  dim3 grid(w / block.x, h / block.y, 1); simple_vbo_kernel<<<grid, block>>>(pos, w, h, t); }
bool runTest(int argc, char **argv, char *ref_file); void cleanup(); void display() {
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT); sdkStartTimer(&timer); glutSwapBuffers(); }
const char *sSDKsample = "simpleGL (VBO)";
void keyboard(unsigned char key, int, int) { switch (key) { case (27): exit(EXIT_SUCCESS); } }
extern "C" void convolutionRowsGPU(float *d_Dst, float *d_Src, int w, int h) { assert(w % 2 == 0); dim3 blocks(w,
  h); convolutionRowsKernel<<<blocks, dim3(16, 4)>>>(d_Dst, d_Src, w);
  getLastCudaError("convolutionRowsKernel() failed\n"); }
//==
//== declarations: later
#include <stdio.h>
__global__ void later(float *a, int n);
__global__ void elsewhere(float *a);
extern __global__ void elsewhere2(int *);
void run(float *a) { later<<<1, 32>>>(a, 3); }
__global__ void later(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 0; }
//==
//== dependent-launch: clustered; primary; secondary
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void primary(float *a) { a[threadIdx.x] = threadIdx.x; cudaTriggerProgrammaticLaunchCompletion(); }
__global__ void secondary(float *a, float *b) { cudaGridDependencySynchronize(); b[threadIdx.x] =
  a[threadIdx.x] * 2; }
__global__ void __cluster_dims__(2, 1, 1) clustered(int *p) { p[blockIdx.x] = 1; }
int main() { float *a, *b; cudaMalloc(&a, 128); cudaMalloc(&b, 128); primary<<<1, 32>>>(a);
  cudaLaunchAttribute attr[1]; attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attr[0].val.programmaticStreamSerializationAllowed = 1; cudaLaunchConfig_t cfg = {0}; cfg.gridDim = 1;
  cfg.blockDim = 32; cfg.attrs = attr; cfg.numAttrs = 1; cudaLaunchKernelEx(&cfg, secondary, a, b); return 0; }
//==
//== libraries: heat; stencil<double, 16, 8>; stencil<float, 32, 4>
#include <stdio.h>
#include <getopt.h>
#include <omp.h>
#include <mpi.h>
#include <cublas_v2.h>
#include <cusparse.h>
#include <nvtx3/nvToolsExt.h>
#include "cxxopts.hpp"
#include "argparse/argparse.hpp"
using real = double; using ll = long long;
static const char *usage = "x"; static struct option opts[] = {{"n", required_argument, NULL, 'n'}, {0, 0, 0, 0}};
struct Params { int n; FILE *out; std::string name; real dt; }; struct Dev { int n; real dt; };
__host__ __device__ inline int idx(int i, int j, int n) { return i * n + j; }
__global__ void heat(real *u, const real *v, Dev d) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < d.n)
  u[idx(i, 0, d.n)] = v[i] * d.dt; }
template <class T, int BX, int BY> __global__ void stencil(T *u, const T *v, int n) { __shared__ T t[BY][BX];
  t[threadIdx.y][threadIdx.x] = v[threadIdx.x]; __syncthreads(); u[threadIdx.x] = t[0][0]; }
static void step(cublasHandle_t h, real *u, real *v, const Params &p, cudaStream_t st) { real a = 1;
  cublasDaxpy(h, p.n, &a, u, 1, v, 1); Dev d{p.n, p.dt}; heat<<<1, 256, 0, st>>>(u, v, d); stencil<real, 16,
  8><<<dim3(1), dim3(16, 8), 0, st>>>(u, v, p.n); stencil<float, 32, 4><<<1, 128>>>((float *)u, (float *)v, p.n);
  nvtxRangePushA("x"); nvtxRangePop(); }
int main(int argc, char **argv) { MPI_Init(&argc, &argv); int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cublasHandle_t handle; cublasCreate(&handle); Params p{10, stdout, "n", 0.1}; real *u, *v;
  cudaMallocHost((void **)&u, 80);
#pragma omp parallel for
  for (int i = 0; i < 3; i++) step(handle, u, v, p, 0); MPI_Finalize(); }
//==
//== tasks: gemvk<double>; gemvk<float>
#include <cuda_runtime.h>
#include <stdio.h>
#include <pthread.h>
#include <vector>
#include <algorithm>
#include <ctime>
__device__ __managed__ int counter = 0; __managed__ float table[32]; __device__ int flags[4] = {1, 2, 3, 4};
template <typename T> struct Task { unsigned int size, id; T *data; T *result; T *vector; Task() : size(0),
  id(0), data(NULL), result(NULL), vector(NULL) {} ~Task() { cudaDeviceSynchronize(); cudaFree(data); }
  void allocate(const unsigned int s, const unsigned int unique_id) { id = unique_id; size = s;
  cudaMallocManaged(&data, sizeof(T) * size * size); for (unsigned int i = 0; i < size * size; i++) data[i] =
  drand48(); } };
struct threadData_t { int tid; Task<double> *TaskListPtr; cudaStream_t *streams; };
template <typename T> void gemv(int m, int n, T alpha, T *A, T *x, T beta, T *result) { for (int i = 0; i < n;
  i++) result[i] *= beta; }
template <typename T> __global__ void gemvk(T *A, int n) { atomicAdd(&counter, 1); if (threadIdx.x < n)
  A[threadIdx.x] += table[threadIdx.x % 32] + flags[0]; }
void *execute(void *inpArgs) { threadData_t *dataPtr = (threadData_t *)inpArgs; cudaStream_t *stream =
  dataPtr->streams; Task<double> &t = dataPtr->TaskListPtr[0]; gemvk<<<1, 32, 0, stream[0]>>>(t.data, t.size);
  pthread_exit(NULL); return NULL; }
template <typename T> void initialise_tasks(std::vector<Task<T>> &TaskList) { for (unsigned int i = 0;
  i < TaskList.size(); i++) TaskList[i].allocate(10, i); }
int main(int argc, char **argv) { constexpr int NTASKS = 40; std::vector<Task<double>> list(NTASKS);
  initialise_tasks(list); pthread_t threads[4]; float *f; gemvk<<<1, 1>>>(f, 1); exit(EXIT_SUCCESS); }
//==
//== class-templates: computeValue<double>; computeValue<float>; initRNG
#include <stdio.h>
#include <curand_kernel.h>
#include <curand.h>
#include <stdexcept>
#include <string>
#include <iomanip>
#include <typeinfo>
using std::string; using std::runtime_error;
template <typename Real> struct AsianOption { enum CallPut { Call, Put }; Real spot, strike, r, sigma, tenor, dt,
  golden, value; CallPut type; };
__global__ void initRNG(curandState *const rngStates, const unsigned int seed) { unsigned int tid = blockIdx.x *
  blockDim.x + threadIdx.x; curand_init(seed, tid, 0, &rngStates[tid]); }
__device__ inline void getPoint(float &x, float &y, curandState &state) { x = curand_uniform(&state); y =
  curand_uniform(&state); }
__device__ inline void getPoint(double &x, double &y, curandState &state) { x = curand_uniform_double(&state);
  y = curand_uniform_double(&state); }
template <typename Real> __global__ void computeValue(unsigned int *const results, curandState *const rngStates,
  const unsigned int numSims) { unsigned tid = threadIdx.x; curandState s = rngStates[tid]; Real x, y;
  unsigned c = 0; for (unsigned i = 0; i < numSims; i++) { getPoint(x, y, s); if (x * x + y * y <= Real(1)) c++;
  } results[tid] = c; }
template <typename Real> class PiEstimator { public: PiEstimator(unsigned int numSims, unsigned int device,
  unsigned int threadBlockSize, unsigned int seed) : m_seed(seed), m_numSims(numSims), m_device(device),
  m_threadBlockSize(threadBlockSize) {} Real operator()(); private: unsigned int m_seed, m_numSims, m_device,
  m_threadBlockSize; };
template <typename Real> Real PiEstimator<Real>::operator()() { cudaError_t r = cudaSuccess;
  struct cudaDeviceProp deviceProperties; r = cudaGetDeviceProperties(&deviceProperties, m_device); if (r !=
  cudaSuccess) { string msg("Could not get device properties: "); msg += cudaGetErrorString(r);
  throw runtime_error(msg); } if (typeid(Real) == typeid(double)) printf("d"); curandState *d_rngStates = 0; r =
  cudaMalloc((void **)&d_rngStates, 100); unsigned int *d_res = 0; initRNG<<<1, 32>>>(d_rngStates, m_seed);
  computeValue<Real><<<1, 32, 128>>>(d_res, d_rngStates, m_numSims); std::vector<unsigned int> res(32); r =
  cudaMemcpy(&res[0], d_res, 32, cudaMemcpyDeviceToHost); if (r != cudaSuccess) throw runtime_error("bad");
  return Real(0); }
template class PiEstimator<float>; template class PiEstimator<double>;
//==
//== macro-launches: assign<(Metric)0, double>; assign<(Metric)0, float>; assign<(Metric)1, double>; assign<(Metric)1, float>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
enum Metric { L2, Cosine };
static const std::unordered_map<std::string, Metric> metrics = { { "L2", L2 }, { "cos", Cosine } };
#define CHECK(call, ret, ...) do { auto res__ = call; if (res__ != cudaSuccess) { fprintf(stderr, "%s %s\n", #call, \
  cudaGetErrorString(res__)); __VA_ARGS__; return ret; } } while (false)
#define FOR_EACH_DEVICE(...) do { for (size_t i_ = 0; i_ < devices.size(); i_++) { cudaSetDevice(devices[i_]); \
  __VA_ARGS__; } } while (false)
#define SWITCH(f, ...) do { switch (metric) { \
  case L2: if (!wide) { using F = float; f<L2, F>__VA_ARGS__; } else { using F = double; f<L2, F>__VA_ARGS__; } break; \
  case Cosine: if (!wide) { using F = float; f<Cosine, F>__VA_ARGS__; } else { using F = double; \
  f<Cosine, F>__VA_ARGS__; } break; } } while (false)
template <class T> struct device_memory : std::unique_ptr<T, void (*)(T *)> {
  explicit device_memory(T *p) : std::unique_ptr<T, void (*)(T *)>(p, nullptr) {} };
template <Metric M, class F> __global__ void assign(int n, const float *x, F *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = M == L2 ? F(x[i]) : F(1) / F(x[i]); }
int run(Metric metric, bool wide, const std::vector<int> &devices, std::vector<device_memory<float>> &data,
        std::vector<void *> &out, const std::vector<float> &host, int n) {
  FOR_EACH_DEVICE(
    CHECK(cudaMemcpyAsync(data[i_].get(), host.data(),
          n * sizeof(typename std::remove_reference<decltype(data)>::type::value_type::element_type),
          cudaMemcpyHostToDevice), 1);
    CHECK(cudaMemsetAsync(out[i_], 0, n), 2);
    SWITCH(assign, <<<dim3((n + 255) / 256), dim3(256)>>>(n, data[i_].get(), reinterpret_cast<F *>(out[i_])));
  );
  return 0; }
//==
//== static-functions-as-arguments: fold<&larger, 1>; fold<&larger, 2>; fold<&sum, 1>; fold<&sum, 2>
#include <cuda_runtime.h>
#include <stdbool.h>
typedef float (*operation)(float, float);
static _Bool is_small(int n);
static _Bool is_wide(int n) { return n > 1; }
template <operation op, int N> __global__ static void fold(float *x, int n) {
  float s = x[0]; for (int i = N; i < n; i += N) s = op(s, x[i]); x[0] = s; }
static __device__ float sum(float a, float b) { return a + b; }
static __device__ float larger(float a, float b) { return a > b ? a : b; }
template <operation op> static void fold_by(int width, float *x, int n, _Complex float *unused) {
  switch (width) { case 1: fold<op, 1><<<1, 1>>>(x, n); break; case 2: fold<op, 2><<<1, 1>>>(x, n); break; } }
extern "C" void fold_sum(int w, float *x, int n) { fold_by<sum>(w, x, n, NULL); }
extern "C" void fold_max(int w, float *x, int n) { fold_by<larger>(w, x, n, NULL); }
//==
//== barriers-and-tensor-maps: encode
#include <cuda.h>
#include <cuda/barrier>
__global__ void encode(const float *x, unsigned char *out, const CUtensorMap *map) {
  out[threadIdx.x] = (unsigned char)(saturate(x[threadIdx.x]) * 255.0); }
int main() { encode<<<1, 32>>>(0, 0, 0); return 0; }
//==
//== members-of-the-host: classify
#include <cuda_runtime.h>
#include <fstream>
#include <string>
struct feature {
private:
  unsigned bits;
public:
  bool load(const std::string &path) { std::ifstream file(path); return file.good() && parse(file); }
  __device__ __host__ bool is_leaf() const { return bits & 1; }
protected:
  unsigned weight;
public:
  void save(const std::string &path) const { std::ofstream file(path); file << bits << weight; }
  __device__ __host__ unsigned value() const { return bits >> 1; } };
__global__ void classify(const feature *f, unsigned *out, int n) { int i = threadIdx.x;
  if (i < n) out[i] = f[i].is_leaf() ? f[i].value() : 0; }
int main() { feature *f; unsigned *o; classify<<<1, 32>>>(f, o, 3); return 0; }
//==
//== names-of-libraries-and-systems: mine::scale; multiply; read_surface
#include <cufft.h>
#include <cuda.h>
#if defined(__linux__) && defined(__NVCC__)
#include <sys/utsname.h>
#elif defined(_WIN32)
#include <windows.h>
#else
#error unsupported system
#endif
typedef cufftComplex Complex;
static __device__ __host__ inline Complex product(Complex a, Complex b) { Complex c;
  c.x = a.x * b.x - a.y * b.y; c.y = a.x * b.y + a.y * b.x; return c; }
static __global__ void multiply(cufftComplex *a, const Complex *b, int n, cufftReal by) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { a[i] = product(a[i], b[i]); a[i].x *= by; a[i].y *= by; } }
__global__ void read_surface(CUsurfObject s, unsigned *out) { surf2Dread(out, s, 0, 0); }
#define HOST_VERSION(type) void check_##type(type *x, int n) { host_only_##type(x, n); }
HOST_VERSION(float)
HOST_VERSION(double)
const int BLOCK = 128;
namespace mine {
__device__ float dot(const float3 &a, const float3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 operator*(const float3 &a, const float &s) { return make_float3(a.x * s, a.y * s, a.z * s); }
__global__ void scale(float3 *v, float *norm, float by) { __shared__ float all[BLOCK];
  int i = threadIdx.x; v[i] = v[i] * by; float4 w = make_float4(1, 2, 3, 4) * by; all[i] = dot(v[i], v[i]) + w.x;
  norm[i] = all[i]; } }
int main() { float3 *v; float *n; cufftHandle plan; cufftPlan1d(&plan, 16, CUFFT_C2C, 1);
  mine::scale<<<1, BLOCK>>>(v, n, 2.0f); return 0; }
//==
