/* What a launch by a kernel calls: the CPU device has both. */
#ifndef DC_SHIM_DEVICE_LAUNCH
#define DC_SHIM_DEVICE_LAUNCH
extern "C" __device__ void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream);
#endif
