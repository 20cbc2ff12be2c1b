/* stdlib.h for NVRTC, where malloc, free and abs are built in. */
#ifndef DC_SHIM_STDLIB_H
#define DC_SHIM_STDLIB_H
#include <stddef.h>
#ifndef EXIT_SUCCESS
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
#ifndef RAND_MAX
#define RAND_MAX 2147483647
#endif
#endif
