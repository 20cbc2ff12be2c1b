/*
** missing_headers.c - see missing_headers.h.
*/
#include "compile/nvcc_compat/missing_headers.h"

#include <string.h>

typedef struct known {
  const char *space;
  const char *names; /* words with blanks between; a * at the end of one stands for anything */
  const char *header;
} known;

static const known table[] = {
  {"", "__shfl __shfl_up __shfl_down __shfl_xor __any __all __ballot", "dotcompute/warp.h"},
  {"", "uint ushort ulong u_char u_short u_int u_long u_int8_t u_int16_t u_int32_t u_int64_t ssize_t time_t",
   "sys/types.h"},
  {"", "M_* HUGE_VAL HUGE_VALF isnormal fpclassify isgreater isless isunordered FP_*", "math.h"},
  {"", "FLT_* DBL_* DECIMAL_DIG", "float.h"},
  {"", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t "
       "INT8_* INT16_* INT32_* INT64_* UINT8_* UINT16_* UINT32_* UINT64_* SIZE_MAX int_fast* uint_fast* int_least* "
       "uint_least*", "stdint.h"},
  {"", "CHAR_* SCHAR_* UCHAR_MAX SHRT_* USHRT_MAX INT_MAX INT_MIN UINT_MAX LONG_* ULONG_MAX LLONG_* ULLONG_MAX",
   "limits.h"},
  {"", "EXIT_SUCCESS EXIT_FAILURE RAND_MAX", "stdlib.h"},
  {"", "EOF", "stdio.h"},
  {"", "strlen strcmp strncmp strcpy memcmp memmove", "string.h"},
  {"", "CUDART_*", "math_constants.h"},
  {"", "half half2 __half* __float2half* __float22half* __low2* __high2* __lows2half* __highs2half* __h* __int2half* "
       "__uint2half* __short2half* __ushort2half* hexp* hlog* hsqrt hrsqrt h2*", "cuda_fp16.h"},
  {"", "__nv_bfloat16* nv_bfloat16* __bfloat16* __float2bfloat16* __float22bfloat162* __bfloat162* __bfloat1622*",
   "cuda_bf16.h"},
  {"", "__nv_fp8* __nv_cvt_fp8* __nv_cvt_float_to_fp8*", "cuda_fp8.h"},
  {"", "cuComplex cuFloatComplex cuDoubleComplex make_cu* cuC*", "cuComplex.h"},
  {"", "curandState* curandStatePhilox* curand_* curand", "curand_kernel.h"},
  {"", "cudaError_t cudaStream_t cudaEvent_t cudaSuccess", "driver_types.h"},
  {"", "cg", "dotcompute/groups.h"},
  {"", "cooperative_groups", "cooperative_groups.h"},
  {"", "cub", "cub/cub.cuh"},
  {"", "thrust", "thrust/complex.h"},
  {"", "std", "cstddef"},
  {"cub", "Sum Difference Division Max Min Equality Inequality", "dotcompute/cub.h"},
  {"std", "abs fabs sqrt exp log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil round "
          "trunc rint fmod fma fmin fmax hypot cbrt copysign erf erfc isnan isinf isfinite signbit tgamma lgamma sqrtf "
          "expf logf powf sinf cosf fabsf fmaxf fminf floorf ceilf", "cmath"},
  {"std", "min max swap", "algorithm"},
  {"std", "move forward pair make_pair", "utility"},
  {"std", "numeric_limits", "limits"},
  {"std", "size_t ptrdiff_t", "cstddef"},
  {"std", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t", "cstdint"},
  {"std", "array", "array"},
  {"std", "tuple make_tuple tie", "tuple"},
  {"std", "complex", "complex"},
  {"std", "plus less greater multiplies", "functional"},
  {"std", "is_* enable_if* conditional* decay* remove_* make_unsigned* make_signed* integral_constant true_type "
          "false_type common_type*", "type_traits"},
};

/* Libraries of the host's and of CUDA's that kernels do not call, the headers that left CUDA, and helpers of CUDA's
** samples that hold nothing for kernels. */
static const char host_headers[] =
  "vector string map set list deque queue stack unordered_map unordered_set fstream iomanip random memory thread mutex "
  "atomic condition_variable future exception stdexcept typeinfo locale regex system_error string_view strstream ios "
  "filesystem cerrno cctype csignal cstdarg cwchar clocale csetjmp streambuf valarray forward_list iostream.h "
  "omp.h mpi.h pthread.h unistd.h getopt.h errno.h ctype.h signal.h stdarg.h locale.h setjmp.h fcntl.h strings.h "
  "dirent.h libgen.h sched.h values.h windows.h sys/* GL/* GLFW/* "
  "cublas.h cublas_v2.h cublasLt.h cufft.h cufftXt.h curand.h cusparse.h cusparse_v2.h cusolver* cudnn.h nccl.h nvml.h "
  "nvrtc.h npp.h nppi.h cuda_profiler_api.h cudaProfiler.h nvToolsExt.h nvtx3/* cuda_gl_interop.h cudaGL.h "
  "cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h device_functions.h math_functions.h "
  "surface_functions.h texture_fetch_functions.h sm_* host_defines.h "
  "helper_cuda.h helper_functions.h helper_timer.h helper_string.h helper_image.h helper_gl.h helper_cuda_gl.h "
  "helper_multiprocess.h drvapi_error_string.h exception.h cutil.h cutil_inline.h cutil_gl_inline.h sdkHelper.h "
  "shrUtils.h shrQATest.h multithreading.h timer.h nvrtc_helper.h";

/* Those that are there, and that NVRTC refuses or takes a second for. */
const char dc_missing_heavy_headers[] =
  "chrono cublas.h cublas_v2.h cublasXt.h cublasLt.h cusparse.h cusparse_v2.h cusolverDn.h cusolverSp.h "
  "cusolver_common.h cuda_profiler_api.h cudaProfiler.h npp.h nppi.h nvml.h nccl.h cudnn.h "
  "thrust/device_vector.h thrust/host_vector.h thrust/device_ptr.h thrust/device_malloc.h thrust/device_free.h "
  "thrust/device_malloc_allocator.h thrust/device_allocator.h thrust/universal_vector.h thrust/universal_allocator.h "
  "thrust/sort.h thrust/reduce.h thrust/scan.h thrust/copy.h thrust/fill.h thrust/sequence.h thrust/transform.h "
  "thrust/extrema.h thrust/execution_policy.h thrust/generate.h thrust/count.h thrust/unique.h thrust/inner_product.h "
  "thrust/transform_reduce.h thrust/transform_scan.h thrust/for_each.h thrust/gather.h thrust/scatter.h thrust/merge.h "
  "thrust/remove.h thrust/partition.h thrust/replace.h thrust/equal.h thrust/find.h thrust/logical.h "
  "thrust/binary_search.h thrust/adjacent_difference.h thrust/set_operations.h "
  "thrust/iterator/counting_iterator.h thrust/iterator/constant_iterator.h thrust/iterator/transform_iterator.h "
  "thrust/iterator/zip_iterator.h thrust/iterator/permutation_iterator.h thrust/iterator/discard_iterator.h "
  "thrust/iterator/reverse_iterator.h thrust/system/cuda/execution_policy.h thrust/system/cuda/vector.h";

static bool among(const char *words, const char *name, size_t n) {
  for (const char *w = words; *w; w += strspn(w, " ")) {
    size_t m = strcspn(w, " ");
    bool open = w[m - 1] == '*';
    if (open ? n >= m - 1 && memcmp(w, name, m - 1) == 0 : n == m && memcmp(w, name, m) == 0) return true;
    w += m;
  }
  return false;
}

const char *dc_missing_header(const char *space, const char *name, size_t n) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].space, space) == 0 && among(table[i].names, name, n)) return table[i].header;
  return NULL;
}

bool dc_missing_host_header(const char *name, size_t n) { return among(host_headers, name, n); }
