/*
** main.c - the program "compiler" that stands beside core.so: NVIDIA's compiler in a process of its own, for hosts
** other than dclua.
*/
#include "compile/nvrtc/server.h"

int main(void) { return dc_compiler_serve(); }
