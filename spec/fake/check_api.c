/*
** check_api.c - compiled against NVIDIA's own cuda.h where one is found: fails to compile where our
** declarations differ from it, fails to run where a plain name is mapped to another symbol than ours.
*/
#include <cuda.h>
#include <stdio.h>
#include <string.h>

#define DC_CUDA_CONST(name, value) _Static_assert(name == value, #name);
#include "cuda/cuda_const.def"
#undef cuEventElapsedTime /* newer headers map it to a successor, which drivers of CUDA 12.0 lack */
CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
_Static_assert(CU_LAUNCH_PARAM_END_AS_INT == 0 && CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT == 1 &&
                   CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT == 2,
               "launch parameters");

#define DC_CUDA_OFFSET(type, field, at) _Static_assert(__builtin_offsetof(type, field) == (at), #type);
#define DC_CUDA_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type);
#include "cuda/cuda_layout.def"
#undef DC_CUDA_OFFSET
#undef DC_CUDA_SIZE

#define DC_CUDA(need, name, symbol, params) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), CUresult params), #name);
#include "cuda/cuda_api.def"
#undef DC_CUDA

#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)

int main(void) {
  int bad = 0;
#define DC_CUDA(need, name, symbol, params) \
  if (strcmp(EXPANDED(cu##name), #symbol) != 0) bad = printf("%s is %s, not %s\n", #name, EXPANDED(cu##name), #symbol);
#include "cuda/cuda_api.def"
  return bad != 0;
}
