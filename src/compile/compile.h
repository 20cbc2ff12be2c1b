/*
** compile.h - from CUDA C text to a loadable image with typed kernels.  The room's whole face.
**
** dc_compile does all of it: toolkit search, include resolution, disk and memory cache, NVRTC,
** signatures.  NVRTC is loaded only when an image is not in the cache.
*/
#ifndef DC_COMPILE_COMPILE_H
#define DC_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"

/* A C type of a kernel parameter. */
typedef enum dc_ctype_class {
  DC_CT_SCALAR,  /* `dtype` says which; C's char/long/size_t … are mapped to fixed-width dtypes */
  DC_CT_VECTOR,  /* CUDA's float4, int2, …: `dtype` the component, `lanes` 1..4 */
  DC_CT_STRUCT,  /* any other class type by its name */
  DC_CT_VOID,    /* only behind a pointer */
  DC_CT_OPAQUE,  /* function pointers, enums' odd cases, things we cannot spell: only by size */
  DC_CT_WORD     /* a parameter of ready-made PTX: bits of `dtype`'s size, of either sign; 8 bytes may be an address */
} dc_ctype_class;

typedef struct dc_ctype {
  dc_ctype_class cls;
  dc_dtype dtype;     /* for SCALAR and VECTOR (float2 as pointee: FLOAT32 with lanes 2) */
  int lanes;          /* 1 unless VECTOR */
  int pointers;       /* 0: by value; 1: T *; 2: T ** … */
  bool is_const;      /* the pointee of the last pointer is const (`const T *`) */
  bool any_char;      /* pointee is a char of any sign: int8 or uint8 or bool arrays of bytes fit */
  size_t size, align; /* of the value (pointers == 0) or of the pointee (pointers == 1), where known; else 0 */
  char *spelling;     /* as C writes it, owned by the image: "const float *" */
} dc_ctype;

typedef struct dc_cparam {
  char *name;    /* from the source text; "arg3" where the scan found none */
  dc_ctype type;
} dc_cparam;

typedef struct dc_signature {
  char *name;    /* as the user wrote it: "saxpy", "scale<float>" */
  char *lowered; /* the entry's name in the image */
  bool typed;    /* params are known; false: ready-made PTX or cubin, or types that could not be had */
  int nparams;
  dc_cparam *params;
  char *text;    /* "saxpy(int n, float a, const float *x, float *y)" for messages */
  int line;      /* of the kernel in the source, from 1; 0 unknown */
} dc_signature;

typedef struct dc_image {
  void *bytes;   /* PTX (NUL-terminated) or cubin */
  size_t len;    /* without the NUL */
  bool binary;
  int nkernels;
  dc_signature *kernels; /* in the order of the source; those made by `instantiate` last */
  char *log;     /* compiler's warnings, "" when none */
  bool cached;   /* came from the cache */
} dc_image;

typedef struct dc_source {
  const char *text;              /* NUL-terminated CUDA C, as the user wrote it */
  size_t len;
  const char *const *options;    /* NVRTC's, in order ("-DN=16", "--fmad=false", "-std=c++17"), without -arch, -I */
  int noptions;
  const char *const *include_dirs; /* the user's, searched before the toolkit's */
  int ninclude_dirs;
  const char *const *header_names; /* in-memory headers: names and texts */
  const char *const *header_texts;
  int nheaders;
  const char *const *instantiate;  /* name expressions of template instances wanted ("scale<float>") */
  int ninstantiate;
  bool no_signatures;            /* skip the type queries (array/'s own generated code knows its types) */
} dc_source;

/* The virtual file name under which sources are compiled; NVRTC's messages carry it. */
#define DC_SOURCE_NAME "dotcompute.cu"

/* Compiles for `arch` ("compute_75" gives PTX, "sm_90" with binary gives a cubin).  On a compile
** error: kind DC_COMPILE, code "NVRTC_ERROR_COMPILATION", `log` NVRTC's whole text and source_line
** the first error's line.  The image is the caller's: dc_image_free. */
int dc_compile(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err);
void dc_image_free(dc_image *image);

/* Picks the newest architecture NVRTC supports that runs on compute capability major.minor: sets
** arch to "sm_90" with *binary true, or "compute_NN" with *binary false when NVRTC does not know the
** device's own.  Answers without loading NVRTC where the cache or the library's name settle it. */
int dc_compile_target(int major, int minor, char arch[24], bool *binary, dc_error *err);

/* What `--doctor`, dc.available and messages tell about the compiler. Loads NVRTC. */
typedef struct dc_compiler_info {
  bool available;
  int major, minor;
  const char *library;     /* the file loaded */
  const char *include_dir; /* CUDA's headers, or NULL */
  const char *cccl_dir;    /* CCCL's, or NULL */
  const char *cache_dir;   /* or NULL when the disk cache is off */
  const char *why_not;     /* reasons, one a line, when not available */
  const char *cache_note;  /* why the cache is off, or NULL */
} dc_compiler_info;
const dc_compiler_info *dc_compiler(void);

#endif
