/* sys/types.h for NVRTC: the short names, which nvcc has without any #include. */
#ifndef DC_SHIM_SYS_TYPES_H
#define DC_SHIM_SYS_TYPES_H
#include <stddef.h>
#include <stdint.h>
typedef unsigned char u_char;
typedef unsigned short u_short, ushort;
typedef unsigned int u_int, uint;
typedef unsigned long u_long, ulong;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;
typedef long ssize_t;
typedef long long time_t; /* as CCCL has it for NVRTC */
#endif
