/*
** kernel.h - a compiled source loaded on a device, and the launch plan of each of its kernels.
** Knows compile/ and device/; knows neither Lua nor arrays.
*/
#ifndef DC_KERNEL_KERNEL_H
#define DC_KERNEL_KERNEL_H

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

/* Whether a launch may reach memory that its arguments do not show. */
typedef enum dc_reach {
  DC_REACH_SHOWN,  /* no */
  DC_REACH_VALUE,  /* where somebody has read an array's address, and its 64-bit integers or bytes are that */
  DC_REACH_TABLE,  /* where somebody has, and memory that it points to holds it */
  DC_REACH_HIDDEN  /* memory that it points to may hold addresses */
} dc_reach;

typedef struct dc_plan_record dc_plan_record;

/* Parameters whose usual values are put by a few instructions, without a call. */
typedef enum dc_quick {
  DC_QUICK_NONE,
  DC_QUICK_I32,
  DC_QUICK_I64,
  DC_QUICK_F32,
  DC_QUICK_F64,
  DC_QUICK_ARRAY
} dc_quick;

/* What such a parameter needs: few bytes, because a launch finds the processor's cache full of the driver's. */
typedef struct dc_quick_param {
  uint8_t quick;    /* a dc_quick */
  uint8_t dtype;    /* the pointee's, */
  uint8_t mask;     /* the bits of its address that must be 0, */
  bool written;     /* and whether the kernel may write it */
  uint32_t offset;  /* as dc_plan_param's */
} dc_quick_param;

typedef struct dc_plan_param {
  dc_conv conv;
  uint32_t offset, size;   /* in the parameter buffer; of a field: in its struct */
  dc_quick_param quick;
  dc_dtype dtype;      /* of the scalar, of a component, or of the pointee; DC_DTYPE_NONE for void * and opaque ones */
  uint8_t lanes;       /* a vector, or the pointee is one, of so many components; else 1 */
  bool is_const;       /* pointer to const: the kernel does not write through it */
  bool any_char;
  bool any_word;       /* pointee is itself a pointer: an array of addresses, of 64-bit integers of either sign */
  bool record;         /* pointee is a struct (or a type that cannot be spelled): passed as whole records of bytes */
  uint8_t reach;       /* a dc_reach */
  uint32_t align;      /* the pointee's alignment in bytes; 1 when unknown */
  uint32_t pointee;    /* the pointee's size in bytes, for struct pointers; 0 unknown */
  const dc_plan_record *fields; /* DC_CONV_STRUCT: as long as its module lives */
  const char *why;     /* UNSUPPORTED: what is not supported; RECORD: why it takes bytes alone; else NULL. Not owned */
} dc_plan_param;

/* A field of a struct: of an array, `value` is the first element, and the others follow. */
typedef struct dc_plan_field {
  const dc_field *field;
  uint32_t key;        /* its name's number among the keys of the image (dc_plan_keys) */
  int ndim;            /* as the field's, */
  uint32_t extent;     /* and its outermost extent; 0 where it is no array */
  dc_plan_param value;
} dc_plan_field;

struct dc_plan_record {
  const dc_record *record;
  dc_plan_field *fields; /* record->nfields of them; NULL: not made yet */
  dc_reach reach;
};

/* Every name that a table may be asked for has a number from 1: "x" "y" "z" "w" of vectors, then those of all fields
** of the image's structs in order.  Calls `visit` with each in turn. */
void dc_plan_keys(const dc_image *image, void (*visit)(void *ud, const char *name), void *ud);

typedef struct dc_module dc_module;

typedef struct dc_kernel {
  /* what every launch looks at: a line of the cache, the first fact included */
  alignas(DC_CACHE_LINE) dc_module *module; /* kept alive by dc_module_ref */
  dc_device *dev;              /* the module's */
  dc_function *fn;
  dc_quick_param *quick;       /* those of `params`, close together, in the same block; behind them one that is NONE */
  int nparams;
  uint32_t params_size;
  uint32_t shared_limit;       /* dynamic shared memory allowed so far */
  uint32_t most_blocks;        /* of a grid, in its first direction: the device's limit */
  uint8_t grid_sync;           /* 2: it synchronizes its whole grid; 1: something in its module does; 0: nothing */
  dc_function_facts facts;
  const dc_signature *sig;
  dc_plan_param *params;
  char label[40];              /* the name, cut where it is longer: for notes of who was launched */
  struct {
    uint32_t threads, shared;
    uint64_t blocks;
  } resident;                  /* the last answer of dc_kernel_resident; threads 0: none yet */
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
  int refs;
  dc_kernel *kernels; /* image->nkernels of them, resolved when first asked for (fn == NULL before) */
  dc_plan_record *records; /* image->nrecords of them; NULL: none asked for yet */
};

/* Compiles (or takes from the cache) for `dev`, loads, and gives a module with one reference. */
int dc_module_build(dc_device *dev, const dc_source *src, dc_module **out, dc_error *err);
void dc_module_ref(dc_module *m);
void dc_module_unref(dc_module *m); /* unloads at zero */

/* Whether two names of kernels differ in blanks at most: "scale<float, 4>", "scale< float,4 >". */
bool dc_name_same(const char *a, const char *b);

/* A kernel by its name as written ("saxpy", "scale<float>") or its lowered name. NULL with DC_ARGUMENT
** and the list of what there is.  Lives as long as the module. */
dc_kernel *dc_module_kernel(dc_module *m, const char *name, dc_error *err);

/* Fills *k with the entry of that lowered name, whose parameters the caller packs by himself: no plan is made.  `sig`
** (its name is for messages) lives as long as *k. */
int dc_kernel_take(dc_module *m, const char *entry, const dc_signature *sig, dc_kernel *k, dc_error *err);

/* Checked conversions into the parameter buffer `params` at p->offset.  They return 0, or -1 with a
** DC_ARGUMENT error that says what was wrong with the value alone ("2.5 has no integer representation",
** "300 is out of range for uint8 (0 to 255)"): the caller prefixes kernel, parameter and signature. */
int dc_plan_put_int(const dc_plan_param *p, int64_t v, void *params, dc_error *err);
int dc_plan_put_float(const dc_plan_param *p, double v, void *params, dc_error *err);
int dc_plan_put_bool(const dc_plan_param *p, bool v, void *params, dc_error *err);
void dc_plan_put_ptr(const dc_plan_param *p, dc_ptr v, void *params); /* already checked, or null */
/* A string of `n` bytes for a DC_CONV_RECORD or a DC_CONV_STRUCT. */
int dc_plan_put_bytes(const dc_plan_param *p, const char *bytes, size_t n, void *params, dc_error *err);
/* Component i of a DC_CONV_VECTOR or DC_CONV_COMPLEX as a parameter of its own. */
dc_plan_param dc_plan_lane(const dc_plan_param *p, int i);
/* Whether an array of `dtype`, `count` elements at `addr` may be passed for this pointer parameter. */
int dc_plan_check_pointer(const dc_plan_param *p, dc_dtype dtype, dc_ptr addr, uint64_t count, dc_error *err);

/* Prefixes the error with "kernel 'saxpy', parameter 2 'a' (float): " and appends the signature.
** `param` counts from 0 here; negative blames the kernel alone. Always returns -1. */
int dc_kernel_blame(const dc_kernel *k, int param, dc_error *err);

/* Checks l's grid and block against the device and the kernel, then launches.  Zero threads is no launch and succeeds.
** DC_LAUNCH errors name the limit.  l->params holds k->params_size bytes; what else `l` has is set here. */
int dc_kernel_launch(dc_kernel *k, dc_launch *l, const dc_launch_options *how, dc_error *err);

/* Blocks of so many threads and bytes of dynamic shared memory that the whole device keeps resident at once, which is
** the largest grid of a cooperative launch.  The last answer is kept. */
int dc_kernel_resident(dc_kernel *k, uint32_t threads, uint32_t shared, uint64_t *blocks, dc_error *err);

#endif
