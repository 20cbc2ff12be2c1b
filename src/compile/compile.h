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
  bool is_reference;  /* `T &`: counted among the pointers, but nothing that a launch can pass */
  bool is_complex;    /* VECTOR of two that the source calls cuFloatComplex or cuDoubleComplex: a number will do */
  bool is_natural;    /* SCALAR: no negative value is meant (an enumeration without any) */
  int record;         /* STRUCT by value: its layout is image->records[record - 1]; 0 where that is not known */
  size_t size, align; /* of the value (pointers == 0) or of the pointee (pointers == 1), where known; else 0 */
  char *spelling;     /* as C writes it, owned by the image: "const float *" */
} dc_ctype;

/* CUDA aligns vectors of 2 and 4 components to their size, at most 16, and others to a component. */
size_t dc_vector_align(size_t component, int lanes);

/* A field of a struct. */
#define DC_FIELD_DIMS 4
typedef struct dc_field {
  char *name;
  dc_ctype type;                  /* of an element, where it is an array */
  size_t offset;                  /* bytes from the struct's start */
  int ndim;                       /* 0: no array */
  uint32_t extent[DC_FIELD_DIMS]; /* outermost first */
} dc_field;

/* The layout of a struct that is passed by value, its bases' fields among its own. */
typedef struct dc_record {
  char *name;         /* for messages: "Body" */
  size_t size, align; /* align: what its fields ask for */
  char *why_not;      /* why it can only be passed as bytes ("it has bit-fields"); NULL: by its fields */
  int nfields;
  dc_field *fields;
} dc_record;

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

/* A __device__ or __constant__ variable, as an array over it. */
#define DC_VARIABLE_DIMS 8
typedef struct dc_variable {
  char *name;     /* as the source calls it: "ns::coeffs" */
  char *lowered;  /* the symbol's name in the image */
  dc_dtype dtype; /* of its elements; uint8 for what is no number */
  int ndim;       /* 0 for one number */
  int64_t shape[DC_VARIABLE_DIMS];
  size_t size;    /* bytes of the whole */
} dc_variable;

/* A kernel of a file for nvcc that cannot be compiled here: its error comes when it is asked for. */
typedef struct dc_refused {
  char *name; /* of a template: of all its instances */
  int line;   /* where the reason stands */
} dc_refused;

typedef struct dc_image {
  void *bytes;   /* PTX (NUL-terminated) or cubin */
  size_t len;    /* without the NUL */
  bool binary;
  int nkernels;
  dc_signature *kernels; /* in the order of the source; those made by `instantiate` last */
  int nrecords;
  dc_record *records;    /* structs that kernels take by value, and those inside them */
  int nvariables;
  dc_variable *variables; /* those of which the compiler told type and symbol */
  int nrefused;
  dc_refused *refused;
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
  const char *const *launched;     /* instances that the source itself launches: compiled where they can be */
  int nlaunched;
  const char *const *units;      /* several sources to be linked, ready-made ones among them: `text` is then all that
                                 ** are CUDA C, each followed by a newline, so that lines count through them */
  const size_t *unit_lens;
  int nunits;                    /* 0: `text` is one source */
  bool is_file;                  /* read from a file, which may be one for nvcc */
  bool part;                     /* one of those, on its own: compiled to be linked, and may have no kernel */
  const char *const *arg_kernels; /* parameter lists that the caller declares: of which kernel ("": the only one) */
  const char *const *arg_lists;   /* "const float *x, int n" */
  int nargs;
  bool lto;                      /* dc_compile sets it: compiled to be linked and optimized as one (lto.h) */
  bool no_signatures;            /* skip the type queries (array/'s own generated code knows its types) */
} dc_source;

/* The virtual file name under which sources are compiled; NVRTC's messages carry it. */
#define DC_SOURCE_NAME "dotcompute.cu"

/* Compiles for `arch` ("compute_75" gives PTX, "sm_90" with binary gives a cubin).  On a compile
** error: kind DC_COMPILE, code "NVRTC_ERROR_COMPILATION", `log` NVRTC's whole text and source_line
** the first error's line.  The image is the caller's: dc_image_free. */
int dc_compile(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err);
void dc_image_free(dc_image *image);

/* The kernel's entry among those that cannot be compiled; NULL when it is none of them. */
const dc_refused *dc_image_refused(const dc_image *image, const char *name);
/* Its error: DC_COMPILE, with the line. */
int dc_fail_refused(const dc_refused *r, dc_error *err);

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
