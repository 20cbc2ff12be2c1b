/* stdio.h for NVRTC, where printf is built in: nothing else of it exists in device code. */
#ifndef DC_SHIM_STDIO_H
#define DC_SHIM_STDIO_H
#include <stddef.h>
#ifndef EOF
#define EOF (-1)
#endif
#endif
