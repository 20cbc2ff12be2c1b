/* memory.h for NVRTC. */
#include <string.h>
