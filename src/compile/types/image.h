/*
** image.h - compiled code: its bytes, and what the compiler says of its kernels, structs and variables.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"

/* Typedefs whose name says more than the type that they stand for. */
typedef enum dc_named {
  DC_NAMED_PLAIN,
  DC_NAMED_COMPLEX, /* cuFloatComplex, cuDoubleComplex: vectors of two */
  DC_NAMED_TEXTURE, /* cudaTextureObject_t, CUtexObject: integers of 64 bits */
  DC_NAMED_SURFACE  /* cudaSurfaceObject_t, CUsurfObject */
} dc_named;
dc_named dc_named_by(const char *name, size_t n);

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
  bool is_natural;    /* SCALAR: no negative value is meant (an enumeration without any) */
  dc_named named;     /* what the source calls it: for COMPLEX a number will do, for the others an object */
  int record;         /* STRUCT by value: its layout is image->records[record - 1]; 0 where that is not known */
  size_t size, align; /* of the value (pointers == 0) or of the pointee (pointers == 1), where known; else 0 */
  char *spelling;     /* as C writes it, owned by the image: "const float *" */
} dc_ctype;

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
typedef struct dc_struct_layout {
  char *name;         /* for messages: "Body" */
  size_t size, align; /* align: what its fields ask for */
  char *why_not;      /* why it can only be passed as bytes ("it has bit-fields"); NULL: by its fields */
  int nfields;
  dc_field *fields;
} dc_struct_layout;

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
  bool tile;     /* a tile kernel: the compiler chooses its threads */
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
  char *name;   /* of a template: of all its instances */
  char *reason; /* behind its name in a sentence: "launches kernels itself" */
  int line;     /* where the reason stands; 0 in a header */
  bool failed;  /* it has errors, or what it uses */
} dc_refused;

typedef struct dc_image {
  void *bytes;   /* PTX (NUL-terminated) or cubin */
  size_t len;    /* without the NUL */
  bool binary;
  int nkernels;
  dc_signature *kernels; /* in the order of the source; those made by `instantiate` last */
  int nrecords;
  dc_struct_layout *records; /* structs that kernels take by value, and those inside them */
  int nvariables;
  dc_variable *variables; /* those whose type and symbol the compiler has reported */
  int nrefused;
  dc_refused *refused;
  char *log;     /* compiler's warnings, "" when none */
  bool cached;   /* came from the cache */
} dc_image;

void dc_image_free(dc_image *image);         /* NULL too */
void dc_params_free(dc_cparam *params, int n);
void dc_signature_free(dc_signature *sig);   /* what it holds, not itself */

/* Alignment in bytes of a vector: CUDA aligns those of 2 and 4 components to their size, at most 16, and others to a
** component. */
size_t dc_vector_align(size_t component, int lanes);

/* The kernel's entry among those that cannot be compiled; NULL when it is none of them. */
const dc_refused *dc_image_refused(const dc_image *image, const char *name);
/* Its error: DC_COMPILE, with the line. */
int dc_fail_refused(const dc_refused *r, dc_error *err);
