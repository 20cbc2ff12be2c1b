/*
** check_libraries.c - compiled against NVIDIA's own headers where they are found: fails to compile where our
** declarations of cuBLAS, cuSOLVER and cuFFT differ from them.
*/
#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>

#define DC_CUDA_CONST(name, value) _Static_assert(name == value, #name);
#include "cuda/library_const.def"

#define SAME(symbol, result, params) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), result params), #symbol);
#define DC_CUBLAS(name, symbol, params) SAME(symbol, cublasStatus_t, params)
#include "cuda/cublas_api.def"
#define DC_CUSOLVER(name, params) SAME(name, cusolverStatus_t, params)
#include "cuda/cusolver_api.def"
#define DC_CUFFT(name, params) SAME(name, cufftResult, params)
#include "cuda/cufft_api.def"

int main(void) { return 0; }
