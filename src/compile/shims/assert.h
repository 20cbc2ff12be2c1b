/* assert.h for NVRTC, where assert is a built-in macro that NDEBUG does not switch off. */
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
/* glibc's, which files call themselves. */
#ifndef DC_SHIM_ASSERT
#define DC_SHIM_ASSERT
static inline __host__ __device__ void __assert_fail(const char *text, const char *file, unsigned line,
                                                     const char *function) {
  __assertfail(text, file, line, function, 1);
}
#endif
