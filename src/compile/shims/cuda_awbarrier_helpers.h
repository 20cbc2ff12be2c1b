/* cuda_awbarrier_helpers.h, which for NVRTC alone declares types of its own: here it takes those of stdint.h. */
#ifndef DC_SHIM_CUDA_AWBARRIER_HELPERS
#define DC_SHIM_CUDA_AWBARRIER_HELPERS
#include <stdint.h>
#include <nv/target>
#undef __CUDACC_RTC__
#include <crt/../cuda_awbarrier_helpers.h> /* the file: this name is the shim's */
#define __CUDACC_RTC__ 1
#endif
