/*
** server.h - the compiler process's own side: serves requests until the connection ends.
*/
#ifndef DC_COMPILE_NVRTC_SERVER_H
#define DC_COMPILE_NVRTC_SERVER_H

/* To be called by main when the only argument is DC_COMPILER_ARGUMENT (process.h).  Gives main's result, when this was
** no host that started it; otherwise the process ends with its host. */
int dc_compiler_serve(void);

#endif
