/* malloc.h for NVRTC. */
#include <stdlib.h>
