/* assert.h for NVRTC, where assert is a built-in macro that NDEBUG does not switch off. */
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
