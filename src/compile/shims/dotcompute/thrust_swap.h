/* thrust::swap in kernels, without the algorithms of thrust/swap.h, which NVRTC refuses. */
#ifndef DC_SHIM_THRUST_SWAP
#define DC_SHIM_THRUST_SWAP
#include <cuda/std/utility>
namespace thrust {
using ::cuda::std::swap;
}
#endif
