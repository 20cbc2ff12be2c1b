/* Shuffles and votes as they were before CUDA 9, without a mask: of the threads of the warp that are there together. */
#ifndef DC_SHIM_WARP_H
#define DC_SHIM_WARP_H
#define DC_SHIM_DEVICE __device__ static __forceinline__
template <class T> DC_SHIM_DEVICE T __shfl(T v, int lane, int width = 32) {
  return __shfl_sync(__activemask(), v, lane, width);
}
template <class T> DC_SHIM_DEVICE T __shfl_up(T v, unsigned by, int width = 32) {
  return __shfl_up_sync(__activemask(), v, by, width);
}
template <class T> DC_SHIM_DEVICE T __shfl_down(T v, unsigned by, int width = 32) {
  return __shfl_down_sync(__activemask(), v, by, width);
}
template <class T> DC_SHIM_DEVICE T __shfl_xor(T v, int with, int width = 32) {
  return __shfl_xor_sync(__activemask(), v, with, width);
}
DC_SHIM_DEVICE int __any(int p) { return __any_sync(__activemask(), p); }
DC_SHIM_DEVICE int __all(int p) { return __all_sync(__activemask(), p); }
DC_SHIM_DEVICE unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }
#undef DC_SHIM_DEVICE
#endif
