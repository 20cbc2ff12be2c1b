/* Programmatic dependent launch, which NVRTC does not declare; devices before sm_90 have none, and need not wait. */
#ifndef DC_SHIM_DEPENDENT_LAUNCH
#define DC_SHIM_DEPENDENT_LAUNCH
static __device__ inline void cudaGridDependencySynchronize() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
static __device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#endif
