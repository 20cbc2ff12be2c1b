/* time.h for NVRTC, where clock_t and clock are built in. */
