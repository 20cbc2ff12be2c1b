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
  DC_CONV_FLOAT,   /* float32, float64 (float16, bfloat16 later) */
  DC_CONV_POINTER,
  DC_CONV_WORD,    /* of ready-made PTX: an integer of either sign; with 8 bytes also any array's address */
  DC_CONV_RECORD,  /* of ready-made PTX: a struct or an array by value, as a string of its bytes */
  DC_CONV_UNSUPPORTED /* structs and vectors by value, T **: launching says so */
} dc_conv;

typedef struct dc_plan_param {
  dc_conv conv;
  dc_dtype dtype;      /* of the scalar, or of the pointee; DC_DTYPE_NONE for void * and opaque pointees */
  uint8_t lanes;       /* pointee is a vector type of so many components; else 1 */
  bool is_const;       /* pointer to const: the kernel does not write through it */
  bool any_char;
  bool record;         /* pointee is a struct (or a type that cannot be spelled): passed as whole records of bytes */
  uint32_t offset, size;   /* in the parameter buffer */
  uint32_t align;      /* the pointee's alignment in bytes; 1 when unknown */
  uint32_t pointee;    /* the pointee's size in bytes, for struct pointers; 0 unknown */
  const char *why;     /* DC_CONV_UNSUPPORTED: a static text that says what is not supported; else NULL */
} dc_plan_param;

typedef struct dc_module dc_module;

typedef struct dc_kernel {
  dc_module *module;           /* kept alive by dc_module_ref */
  dc_function *fn;
  const dc_signature *sig;
  int nparams;
  dc_plan_param *params;
  uint32_t params_size;
  dc_function_facts facts;
  uint32_t shared_limit;       /* dynamic shared memory allowed so far */
} dc_kernel;

struct dc_module {
  dc_device *dev;
  dc_code *code;
  dc_image *image;
  int refs;
  dc_kernel *kernels; /* image->nkernels of them, resolved when first asked for (fn == NULL before) */
};

/* Compiles (or takes from the cache) for `dev`, loads, and gives a module with one reference. */
int dc_module_build(dc_device *dev, const dc_source *src, dc_module **out, dc_error *err);
void dc_module_ref(dc_module *m);
void dc_module_unref(dc_module *m); /* unloads at zero */

/* A kernel by its name as written ("saxpy", "scale<float>") or its lowered name. NULL with DC_ARGUMENT
** and the list of what there is.  Lives as long as the module. */
dc_kernel *dc_module_kernel(dc_module *m, const char *name, dc_error *err);

/* Checked conversions into the parameter buffer `params` at p->offset.  They return 0, or -1 with a
** DC_ARGUMENT error that says what was wrong with the value alone ("2.5 has no integer representation",
** "300 is out of range for uint8 (0 to 255)"): the caller prefixes kernel, parameter and signature. */
int dc_plan_put_int(const dc_plan_param *p, int64_t v, void *params, dc_error *err);
int dc_plan_put_float(const dc_plan_param *p, double v, void *params, dc_error *err);
int dc_plan_put_bool(const dc_plan_param *p, bool v, void *params, dc_error *err);
void dc_plan_put_ptr(const dc_plan_param *p, dc_ptr v, void *params); /* already checked, or null */
/* A string of `n` bytes for a DC_CONV_RECORD. */
int dc_plan_put_bytes(const dc_plan_param *p, const char *bytes, size_t n, void *params, dc_error *err);
/* Whether an array of `dtype`, `count` elements at `addr` may be passed for this pointer parameter. */
int dc_plan_check_pointer(const dc_plan_param *p, dc_dtype dtype, dc_ptr addr, uint64_t count, dc_error *err);

/* Prefixes the error with "kernel 'saxpy', parameter 2 'a' (float): " and appends the signature.
** `param` counts from 0 here; negative blames the kernel alone. Always returns -1. */
int dc_kernel_blame(const dc_kernel *k, int param, dc_error *err);

/* Checks the grid and block against the device and the kernel, then launches.  Zero threads is no
** launch and succeeds.  DC_LAUNCH errors name the limit.  `params` holds k->params_size bytes. */
int dc_kernel_launch(dc_kernel *k, dc_dim3 grid, dc_dim3 block, uint32_t shared, const void *params, dc_error *err);

#endif
