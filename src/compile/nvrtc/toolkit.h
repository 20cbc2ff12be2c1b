/*
** toolkit.h - where the headers of CUDA and of CCCL (CUB, libcu++) lie.
*/
#pragma once

/* Folders for -I, found once beside the compiler library and in the usual places; NULL when there is none, or when
** memory was lacking for the search (see dc_toolkit_identity). */
const char *dc_toolkit_include(void); /* holds cuda_fp16.h */
const char *dc_toolkit_cccl(void);    /* holds cub/ and nv/target */
const char *dc_toolkit_curand(void);  /* holds curand_kernel.h, where that is not in dc_toolkit_include's */

/* Tells one installation of the headers from another; "" when there is none, NULL when memory was lacking. */
const char *dc_toolkit_identity(void);
