/* stddef.h for NVRTC, where size_t, ptrdiff_t and NULL are built in. */
#ifndef DC_SHIM_STDDEF_H
#define DC_SHIM_STDDEF_H
#ifndef offsetof
#define offsetof(type, member) ((size_t) & ((type *)0)->member)
#endif
#endif
