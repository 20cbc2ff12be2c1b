/*
** server.h - the compiler process's own side: serves requests until the connection ends.
*/
#pragma once

/* To be called by main when the only argument is DC_COMPILER_ARGUMENT (process.h).  Gives main's result, when this was
** no host that started it; otherwise the process ends with its host. */
int dc_compiler_serve(void);
