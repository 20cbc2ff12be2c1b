/*
** kernel.h - types: a module (a compiled source loaded on a device), its kernels, and the launch plan of each.
*/
#pragma once

#include "compile/compile.h"
#include "device/device.h"

/* How one parameter is converted: decided once, when the plan is made. */
typedef enum dc_conv {
  DC_CONV_INT,     /* integers of `size` bytes, signed or not as dtype says; range-checked */
  DC_CONV_BOOL,
  DC_CONV_FLOAT,   /* float16, bfloat16, float32, float64 */
  DC_CONV_POINTER,
  DC_CONV_WORD,    /* of ready-made PTX: an integer of either sign; with 8 bytes also any array's address */
  DC_CONV_NATURAL, /* as INT, and not negative */
  DC_CONV_COMPLEX, /* two components of dtype: a number, or as VECTOR */
  DC_CONV_VECTOR,  /* `lanes` components of dtype: a table of them */
  DC_CONV_STRUCT,  /* by `fields`: a table of them, or a string of its bytes */
  DC_CONV_RECORD,  /* a struct, or PTX's array, whose fields are unknown: a string of its bytes */
  DC_CONV_UNSUPPORTED /* `why` says what is not possible */
} dc_conv;

/* Whether a launch may reach memory besides the arrays among its arguments. */
typedef enum dc_alias {
  DC_ALIAS_NONE,
  DC_ALIAS_VALUE,    /* by a value: 64-bit integers or bytes may be an array's address that the script has read */
  DC_ALIAS_INDIRECT, /* the memory that it points to may hold an address that the script has read */
  DC_ALIAS_OPAQUE    /* the memory that it points to may hold any address */
} dc_alias;

typedef struct dc_struct_plan dc_struct_plan;
#define DC_TENSOR_MAP_TYPE "CUtensorMap_st" /* the struct that tensor maps are passed for, of <cuda.h> */

typedef struct dc_plan_param {
  dc_conv conv;
  uint32_t offset, size;   /* in the parameter buffer; of a field: in its struct */
  dc_dtype dtype;      /* of the scalar, of a component, or of the pointee; DC_DTYPE_NONE for void * and opaque ones */
  uint8_t lanes;       /* components of a vector, or of the pointee; else 1 */
  bool plain;          /* pointer to scalars of `dtype` alone: an array of that dtype, aligned, fits */
  bool is_const;       /* pointer to const: the kernel does not write through it */
  bool any_char;
  bool any_word;       /* pointee is itself a pointer: an array of addresses, of 64-bit integers of either sign */
  bool record;         /* pointee is a struct (or a type that cannot be spelled): passed as whole records of bytes */
  uint8_t alias;       /* a dc_alias */
  uint8_t named;       /* a dc_named: what the source calls it, a texture or a surface */
  uint32_t align;      /* of the pointee or of a struct, in bytes; 1 when unknown */
  uint32_t pointee;    /* the pointee's size in bytes, for struct pointers; 0 unknown */
  const dc_struct_plan *fields; /* DC_CONV_STRUCT: as long as its module lives */
  const char *why;     /* UNSUPPORTED: what is not supported; RECORD: why it takes bytes alone; else NULL. Not owned */
} dc_plan_param;

/* The conversion of a parameter of a common type, for values of the usual kind, in 8 bytes: a launch reads few cache
** lines.  What it does not convert takes the dc_plan_param. */
typedef enum dc_common_kind {
  DC_COMMON_NONE,
  DC_COMMON_ARRAY, /* a pointer that is `plain` */
  DC_COMMON_INT32,
  DC_COMMON_INT64, /* signed or not */
  DC_COMMON_FLOAT32,
  DC_COMMON_FLOAT64
} dc_common_kind;

typedef struct dc_common_param {
  uint8_t kind;    /* a dc_common_kind */
  uint8_t dtype;   /* ARRAY: of the elements, a dc_dtype */
  uint8_t unaligned; /* ARRAY: the bits of an address that must be 0 */
  bool written;    /* ARRAY: the kernel may write it */
  uint32_t offset; /* in the parameter buffer */
} dc_common_param;

/* A field of a struct: of an array, `value` is the first element, and the others follow. */
typedef struct dc_plan_field {
  const dc_field *field;
  dc_common_param common; /* of `value`; the offset is in the struct */
  dc_plan_param value;
} dc_plan_field;

struct dc_struct_plan {
  const dc_struct_layout *record;
  dc_plan_field *fields; /* record->nfields of them; NULL: not made yet */
  dc_alias alias;
};

typedef struct dc_module dc_module;

typedef struct dc_kernel {
  /* the cache line that every launch reads, the first fact included */
  alignas(DC_CACHE_LINE) dc_module *module; /* kept alive by dc_module_ref */
  dc_device *dev;              /* the module's */
  dc_function *fn;
  int nparams;
  uint32_t params_size;
  uint32_t shared_limit;       /* dynamic shared memory allowed so far */
  uint32_t most_blocks;        /* of a grid, in its first direction: the device's limit */
  uint8_t grid_sync;           /* 2: it synchronizes its whole grid; 1: something in its module does; 0: nothing */
  dc_function_facts facts;
  const dc_signature *sig;
  dc_plan_param *params;
  dc_common_param *common;     /* one for each of params, in the same block of memory */
  char label[40];              /* the name, cut to fit, for notes of launches */
  char *place;                 /* of its function in a script, "script.lua:12", for profiles; NULL: it has none */
  struct {
    uint32_t threads, shared;
    uint64_t blocks;
  } resident;                  /* the last count of resident blocks; threads 0: none yet */
} dc_kernel;

/* How a kernel is launched, beyond grid and block.  Zeroed: plainly, on the device's own stream. */
typedef enum dc_choice { DC_AUTO, DC_YES, DC_NO } dc_choice;
typedef struct dc_launch_options {
  uint32_t shared;       /* dynamic shared memory, bytes */
  dc_choice cooperative; /* DC_AUTO: where the kernel synchronizes its grid, or may and the grid fits */
  bool dependent;        /* programmatic dependent launch */
  dc_dim3 cluster;       /* blocks of a cluster; x 0: as the kernel was compiled */
  void *stream;          /* the backend's; NULL: the device's own */
} dc_launch_options;

struct dc_module {
  dc_device *dev;
  dc_code *code;
  dc_image *image;
  char arch[24]; /* that it was compiled for */
  int refs;
  dc_kernel *kernels; /* image->nkernels of them, resolved when first asked for (fn == NULL before) */
  dc_struct_plan *records; /* image->nrecords of them; NULL: none asked for yet */
};
