/*
** isa_name.h - names of what is compiled once for each instruction set: DC_ISA is the one that a file is compiled for.
*/
#pragma once

#ifndef DC_ISA
#define DC_ISA baseline
#endif
#define DC_PASTE_(a, b) a##_##b
#define DC_PASTE(a, b) DC_PASTE_(a, b)
#define PER_ISA(name) DC_PASTE(name, DC_ISA)
