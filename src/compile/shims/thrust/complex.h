/* thrust/complex.h for NVRTC: Thrust's own, its conversions to the host's std::complex being the device's here. */
#ifndef DC_SHIM_THRUST_COMPLEX
#define DC_SHIM_THRUST_COMPLEX
#include <complex>
#include <sstream>
#include <cuda/std/type_traits>
#pragma push_macro("_CCCL_HOST")
#undef _CCCL_HOST
#define _CCCL_HOST _CCCL_DEVICE
#include <thrust/detail/../complex.h> /* the file: this name is the shim's */
#pragma pop_macro("_CCCL_HOST")
#endif
