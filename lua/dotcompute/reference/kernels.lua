-- Reference: kernels, how they are compiled and launched.
local markdown = require "dotcompute.reference.markdown"

local KERNEL = { "k", "kernel", "the kernel" }
local SOURCE = { "source", "string|string[]", "CUDA C, PTX, a cubin or LTO-IR; or a list of sources that are linked" }
local PATH = { "path", "string|string[]", "the file, or a list of files that are linked" }

local OPTIONS = {
  { "name", "string", 'the kernel that `dc.kernel` returns; may be an instance: `"scale<float>"`' },
  { "define", "table<string, any>", 'macros: `{N = 16, FAST = true, REAL = "float"}`; `true` defines 1, '
    .. "`false` nothing; they hold from the source's first line on, so also in headers that it includes, whose "
    .. "templates often have parameters called `T`" },
  { "include", "string|string[]", "folders for `#include`, searched before CUDA's" },
  { "headers", "table<string, string>", 'headers as text: `{["mine.h"] = "…"}`' },
  { "flags", "string|string[]", "more options for NVRTC, as a list; `-dlto` enables [link-time "
    .. "optimization](#modules); options whose output no device can load (`-optix-ir`) are errors" },
  { "std", '"c++14"|"c++17"|"c++20"', 'the standard of C++: `"c++14"`, `"c++17"`, `"c++20"`' },
  { "arch", "string", '`"sm_90a"`: the architecture in place of the device\'s own, such as one with instructions of '
    .. "its own (`wgmma`). A GPU runs code of its compute capability and, of the same first number, of lower ones "
    .. '(`"sm_80"` on 8.6), and PTX of all lower ones (`"compute_80"`); with `a` of exactly its own. The CPU device '
    .. "takes the PTX of any" },
  { "fast_math", "boolean", "NVRTC's `--use_fast_math`" },
  { "instantiate", "string|string[]", "names of template instances to compile with the module" },
  { "args", "string|table<string, string>", "the parameter list of a kernel whose types are unknown, as C writes it: "
    .. "see [launching](#launching)" },
  { "link", "string|string[]", "more sources that are linked with this one" },
  { "warnings", "boolean", "`true` prints the compiler's warnings to standard error, with lines of the script; so does "
    .. "`DOTCOMPUTE_LOG=compile`. `m:log()` always has them" },
  { "debug", "boolean", "line information in the compiled code" },
}

local LAUNCH_OPTIONS = {
  { "shared", "integer", "`shared = bytes`: dynamic shared memory of a block; more than 48 KB is requested from the "
    .. "device automatically" },
  { "stack", "integer", "`stack = bytes`: every thread has a stack of at least this size. Only kernels with recursive "
    .. "functions, or functions called through pointers, need it: a GPU gives them 1 KiB if the compiler cannot "
    .. "determine the size, and using more is an illegal address. CUDA has one limit for all kernels of a device, "
    .. "which stays raised. The CPU device has 1 MiB by default, up to 16 MiB can be asked for, "
    .. "and functions may call each other as many times deep as the stack has 512 bytes: 2048. Once a kernel has asked "
    .. "for more than 1 MiB, those with recursive functions are interpreted" },
  { "cooperative", "boolean", "`true`: all blocks are resident together, so that they may synchronize "
    .. "(`cooperative_groups::this_grid()`); the default for kernels that do so. A grid with too many blocks is an "
    .. "error that names the limit; `false` makes an ordinary launch" },
  { "cluster", "integer|integer[]", "`n` or `{x, y, z}`: blocks of a thread-block cluster (compute capability 9.0 and "
    .. "newer; up to 8 always, up to 16 if the GPU has the resources). A kernel with `__cluster_dims__` needs no "
    .. "option; its launch is an error on a device without clusters, such as the CPU device" },
  { "pdl", "boolean", "`true`: programmatic dependent launch: the kernel may start before the previous one has ended "
    .. "and waits for it with `cudaGridDependencySynchronize` (compute capability 9.0 and newer)" },
  { "stream", "stream", "the [stream](#streams-events-graphs) of the launch" },
}

local PARAMETERS = {
  { "an integer", "an integer in range, a float with an integer value, a boolean; an unsigned one of 64 bits takes "
    .. "[the bits](#getting-values-back) of an integer" },
  { "`bool`", "a boolean, 0, 1" },
  { "`float`, `double`, `__half`, `__nv_bfloat16`", "any number, rounded once; a finite one that would become "
    .. "infinite is an error" },
  { "`cuFloatComplex`, `cuda::std::complex<double>`, …", "`{real, imaginary}` or `{x = …, y = …}`, or a number" },
  { "`float4`, `int2`, `__half2`, …", "`{1, 2, 3, 4}` or `{x = 1, y = 2, z = 3, w = 4}`: all components and no "
    .. "others" },
  { "an enumeration", "an integer" },
  { "a struct", "a table of all its fields by name, or a string of exactly its bytes: see below" },
  { "a pointer", "an open, contiguous array of the kernel's device with the pointee's dtype; `dc.null` for a null "
    .. "pointer (nil is an error)" },
  { "`char *` of any sign", "int8 or uint8 arrays" },
  { "`float4 *`, `int2 *` …", "arrays of those vectors, `dc.vector(\"float4\"):array(n)`, or of the component's dtype: "
    .. "a whole number of vectors, aligned to one" },
  { "`__half *`, `__nv_bfloat16 *`", "float16, bfloat16 arrays, or uint16 arrays of their bits" },
  { "`cuFloatComplex *`, `cuda::std::complex<float> *`", "complex64 arrays, or float32 arrays of pairs "
    .. "(complex128 and float64 for the double ones)" },
  { "a struct's pointer", "an [array of structs](#structs) of that size, or a uint8 array of whole structs" },
  { "`float **` and other pointers to pointers", "an int64 or uint64 array of addresses: `dc.array({a.ptr, b.ptr}, "
    .. '"uint64")`. Keep `a` and `b` alive while kernels use it' },
  { "`void *`", "any array" },
}

return {
  [==[
## Kernels

```lua
local dc = require "dotcompute"
local saxpy = dc.kernel [[
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]]
local n = 1000
local x, y = dc.arange(1, n), dc.ones(n)
saxpy((n + 255) // 256, 256, n, 2.0, x, y)   -- grid, block, arguments
saxpy:forall(n, n, 2.0, x, y)                -- grid and block chosen for n threads
assert(y[10] == 41)
```
]==],
  {
    "kernel", at = "dc",
    text = "Compiles CUDA C for the current device and returns its kernel; of several kernels, the one of option "
      .. "`name`. `dc.kernel {file = name, …}` and `dc.kernel {files = {…}, …}` compile files, as `dc.kernel_file`. "
      .. "[Tile kernels](tile.md), `__tile_global__`, are launched with a grid alone.",
    args = { SOURCE }, options = OPTIONS,
    returns = { { "kernel", "the kernel, which is called with a grid, a block and its arguments" } },
    errors = { argument = "several kernels and no `name`, no kernel of that name, a template without an instance, a "
      .. "file's name in place of a source", compile = "mistakes in the source, or no kernel in it" },
    example = [==[
local add = dc.kernel [[
__global__ void add(int n, float a, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += a;
}]]
local x = dc.array { 1, 2, 3 }
add(1, 32, #x, 10, x)
x                                          --> {11, 12, 13}
local scale = dc.kernel("template<class T> __global__ void scale(T *x) { *x *= N; }",
  { name = "scale<float>", define = { N = 4 } })
scale(1, 1, x)
x[1]                                       --> 44
]==],
    see = "module kernel_file forall with elementwise",
    words = "cuda compile nvrtc gpu program",
  },
  {
    "module", at = "dc",
    text = "Compiles a source with several kernels, or with variables, and returns a module. The source may also be "
      .. "PTX, a cubin or LTO-IR, or [a list of sources](#modules) to be linked. `dc.module {file = name, …}` and "
      .. "`dc.module {files = {…}, …}` compile files, with the options in the same table, as `dc.module_file`. Of a "
      .. "file for nvcc the instances of templates that its host code launches are compiled, too.",
    args = { SOURCE }, options = OPTIONS,
    returns = { { "module", "the module, whose kernels are `m.name`" } },
    errors = { argument = "a file's name in place of a source, a source that is not a string",
      compile = "mistakes in the source" },
    example = [==[
local m = dc.module [[
__global__ void one(int *x) { *x = 1; }
__global__ void add(int *x, int by) { *x += by; }]]
local x = dc.zeros(1, "int32")
m.one(1, 1, x)
m.add(1, 1, x, 5)
x[1]                                       --> 6
]==],
    see = "kernel module_file kernels global",
  },
  {
    "kernel_file", at = "dc",
    text = "The same as `dc.kernel` from a file, or a list of files. Its folder is searched for `#include`, too.",
    args = { PATH }, options = OPTIONS,
    returns = { { "kernel", "the kernel" } },
    errors = { argument = "as `dc.kernel`", compile = "as `dc.kernel`, with lines of the file",
      io = "a file that cannot be read" },
    example = [==[
local path = os.tmpname()
local f = assert(io.open(path, "w"))
f:write "__global__ void one(int *x) { *x = 1; }"
f:close()
local one = dc.kernel_file(path)
os.remove(path)
local x = dc.zeros(1, "int32")
one(1, 1, x)
x[1]                                       --> 1
]==],
    see = "kernel module_file reload",
  },
  {
    "module_file", at = "dc",
    text = "The same as `dc.module` from a file, or a list of files. Its folder is searched for `#include`, too.",
    args = { PATH }, options = OPTIONS,
    returns = { { "module", "the module" } },
    errors = { argument = "as `dc.module`", compile = "as `dc.module`, with lines of the file",
      io = "a file that cannot be read" },
    example = [==[
local path = os.tmpname()
local f = assert(io.open(path, "w"))
f:write "__global__ void one(int *x) { *x = 1; }"
f:close()
local m = dc.module_file(path)
os.remove(path)
table.concat(m:kernels(), " ")             --> one
]==],
    see = "module kernel_file reload",
  },
  [==[
Fields and methods of modules are [below](#modules).

A file written for nvcc, with its `main`, launches and host functions, is accepted: host code is removed, and template
instances that it launches are compiled, too. Host headers may be missing; names that nvcc defines without an `#include`
(`uint`, `INT_MAX`, `M_PI_2`) are defined, and so are shuffles and votes without `_sync`, and `helper_math.h` of CUDA's
samples. The user's headers are searched in the folders of option `include`, then in the file's folder; host code is
removed from them, too. A missing header is not an error in such a file if its kernels need nothing from it
(`DOTCOMPUTE_LOG=compile` names it). Of PyTorch's C++ library, without its headers, kernels have `c10::Half` (a float16
array), `c10::BFloat16`, `c10::complex`, packed accessors (a table `{data_ = a, sizes_ = {…}, strides_ = {…}}`),
`TensorInfo` (`data`, `sizes` and `strides` of 25, `dims`) and `gpuAtomicAdd`; the instances that `AT_DISPATCH_…`
launches are compiled. Kernels that launch kernels (dynamic parallelism) run on the CPU device and cannot be compiled
for GPUs; nor can some that call what only nvcc has: using one is an error of kind `compile`, with its line; the others
can be used, and `m:left_out()` lists the missing ones with the reasons. If no kernel compiles, or a header is missing,
the errors are raised at once, as those of a script's sources.

Options:

]==] .. markdown.options(OPTIONS) .. [==[

A list of one string may be the string. Compiled code is cached in memory and on disk (`DOTCOMPUTE_CACHE`): the second
run of a script does not load the compiler.

### Launching

`k(grid, block, ...)`: grid and block are an integer or `{x, y, z}` each. With an extent of 0 nothing is launched.
Errors of kind `launch` name the limit: too many threads or blocks, negative or fractional extents, too much shared
memory.

The block may also be `"auto"`: the block that `forall` uses for many threads.
]==],
  {
    class = "kernel", metatable = "dotcompute.kernel",
    call_operator = "(blocks: grid, threads: block, ...: any)",
    text = "A compiled kernel. `k(grid, block, ...)` launches it: grid and block are an integer or `{x, y, z}` each, "
      .. "then the kernel's arguments follow. The block may also be `\"auto\"`. With an extent of 0 nothing is "
      .. "launched. Errors of kind `argument` name the parameter and the signature, those of kind `launch` the limit.",
    example = [==[
local fill = dc.kernel [[
__global__ void fill(int width, int height, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < width && j < height) x[j * width + i] = 10 * j + i;
}]]
local x = dc.zeros(2, 3)
fill({ 1, 1 }, { 32, 4 }, 3, 2, x)
x                                          --> {{0, 1, 2}, {10, 11, 12}}
]==],
  },
  {
    "forall", at = "kernel", call = "k:forall(n, ...)",
    text = "Launches at least `n` threads in one dimension, with the block of the best occupancy; on the CPU device "
      .. "with a smaller one where processors would lack blocks. The kernel must compare its index with `n`.",
    args = { KERNEL, { "n", "integer", "the least number of threads; with 0 nothing is launched" },
      { "...", "any", "the kernel's arguments" } },
    errors = { argument = "arguments that do not fit the kernel's parameters",
      launch = "a negative or fractional number, more threads than the device takes" },
    example = [==[
local square = dc.kernel [[
__global__ void square(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}]]
local x = dc.array { 1, 2, 3 }
square:forall(#x, #x, x)
x                                          --> {1, 4, 9}
]==],
    see = "kernel with occupancy",
    words = "launch threads grid",
  },
  {
    "with", at = "kernel", call = "k:with{shared=, stack=, cooperative=, cluster=, pdl=, stream=}",
    text = "Returns a variant of the kernel with these launch options; create it once, outside loops.",
    args = { KERNEL }, options = LAUNCH_OPTIONS,
    returns = { { "kernel", "the variant; the options of `k` that are not named stay" } },
    errors = { argument = "an unknown option, a flag that is no boolean, a closed stream or one of another device",
      launch = "a size or cluster that is no whole number or negative, a cluster of no block; the launch: more than "
        .. "the device has, and clusters or dependent launches where it has none" },
    example = [==[
local reverse = dc.kernel [[
extern __shared__ float kept[];
__global__ void reverse(float *x) {
  kept[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}]]
local x = dc.array { 1, 2, 3 }
reverse:with { shared = 3 * 4 }(1, 3, x)
x                                          --> {3, 2, 1}
]==],
    see = "kernel forall stream",
    words = "shared memory cooperative cluster launch options",
  },
  {
    "null", at = "dc", type = "userdata",
    text = "The null pointer, for parameters of kernels that are pointers, and for pointers in structs. (nil is an "
      .. "error there.)",
    example = [==[
local k = dc.kernel "__global__ void k(const float *x, int *is_null) { *is_null = x == nullptr; }"
local out = dc.zeros(1, "int32")
k(1, 1, dc.null, out)
out[1]                                     --> 1
]==],
    see = "kernel",
  },
  "Options of `k:with`:\n\n" .. markdown.options(LAUNCH_OPTIONS) .. [==[

Arguments are checked against the kernel's parameters and converted to them; errors of kind `argument` name the kernel,
the parameter, the argument and the signature. Nothing is launched then.

]==] .. markdown.table("parameter", "takes", PARAMETERS) .. [==[

A struct's table has every field, and no other key. Nested structs are tables again, arrays are tables of exactly their
length, pointers take arrays and `dc.null` as parameters do, `bool`s booleans. The bases' fields are the struct's own;
padding is zero. Errors name the field, counting array elements from 1:

```lua
local dc = require "dotcompute"
local sum = dc.kernel [[
struct Ball { float3 at; float radius; };
struct Scene { int n; Ball ball[2]; const float *weight; };
__global__ void sum(Scene s, float *out) {
  float r = 0;
  for (int i = 0; i < s.n; i++) r += s.ball[i].radius * s.weight[i];
  *out = r;
}]]
local out = dc.zeros(1)
sum(1, 1, { n = 2, weight = dc.array { 10, 1 }, ball = {
  { at = { 0, 0, 0 }, radius = 3 }, { at = { x = 1, y = 1, z = 1 }, radius = 4 } } }, out)
print(out[1])  --> 34.0
```

A field that is a struct or an array also takes a string of exactly its bytes. Structs without separate named fields
(bit-fields, unions, members without a name, virtual functions) take only strings of bytes, which `string.pack` makes.
References and function pointers cannot be passed.

The types come from the compiler. For a kernel whose name is not mangled, PTX has little information about parameters
and machine code none: option `args` is the list as in C, `args = "const float *x, int n"`, or one for each kernel of a
module, `args = {scale = "float *x, float a"}`. It also replaces the types of a compiled kernel. Structs in it are
passed as strings of bytes, unless the compiler has described their fields. Sizes must agree with the compiled code.

A kernel's parameters may take 32,764 bytes in all; on a GPU with a driver older than CUDA 12.1, 4,096.

Pending arrays are evaluated first; before a kernel may write to an array (its pointer is not `const`), pending
expressions that read that memory are evaluated.

### A kernel object
]==],
  {
    "name", at = "kernel", type = "string",
    text = 'The kernel\'s name: `"saxpy"`, of an instance `"scale<float>"`.',
    example = [==[
dc.kernel("__global__ void twice(float *x) { *x *= 2; }").name  --> twice
]==],
    see = "signature",
  },
  {
    "signature", at = "kernel", type = "string",
    text = 'Name and parameters: `"saxpy(int n, float a, const float *x, float *y)"`.',
    example = [==[
dc.kernel("__global__ void twice(float *x) { *x *= 2; }").signature  --> twice(float *x)
]==],
    see = "name",
  },
  {
    "device", at = "kernel", type = "device",
    text = "The device that the kernel is compiled for.",
    example = [==[
dc.kernel("__global__ void twice(float *x) { *x *= 2; }").device == dc.device()  --> true
]==],
  },
  {
    "module", at = "kernel", type = "module",
    text = "Its [module](#modules).",
    example = [==[
local k = dc.kernel "__global__ void twice(float *x) { *x *= 2; }"
k.module:kernels()[1]                      --> twice
]==],
    see = "kernels global",
  },
  {
    "attributes", at = "kernel", type = "table<string, integer>",
    text = "A table of the compiled code's properties: `registers`, `local` (bytes a thread), `shared` (static bytes a "
      .. "block), `constant`, `max_threads` (a block), `binary_version`; on the CPU device `tier`: 1 when the last "
      .. "launch's shape runs as native code, else 0.",
    example = [==[
local k = dc.kernel "__global__ void k(float *x) { __shared__ float kept[64]; kept[threadIdx.x] = *x; *x = kept[0]; }"
k.attributes.shared >= 256                 --> true
k.attributes.max_threads                   --> 1024
]==],
    see = "occupancy explain",
  },
  {
    "occupancy", at = "kernel", call = "k:occupancy(block [, shared])",
    text = "Resident blocks a multiprocessor, their share of its warps (0 to 1), and the threads of the block, which "
      .. 'may be `"auto"`.',
    args = { KERNEL, { "block", "block", 'an integer, `{x, y, z}` or `"auto"`' },
      { "shared?", "integer", "bytes of dynamic shared memory; also by name. Default: those of `k:with`" } },
    returns = { { "integer", "resident blocks a multiprocessor" }, { "number", "the share of its warps, 0 to 1" },
      { "integer", "the threads of the block" } },
    errors = { device = "a device that does not report it",
      launch = "a block of no threads or more than the kernel takes, a negative number of bytes" },
    example = [==[
local k = dc.kernel "__global__ void twice(float *x) { *x *= 2; }"
local blocks, share, threads = k:occupancy(128)
blocks >= 1, share > 0 and share <= 1, threads  --> true, true, 128
]==],
    see = "explain attributes forall",
  },
  {
    "explain", at = "kernel", call = "k:explain([block [, shared]])",
    text = "A report: registers, spilling, shared memory, launch bounds, and the occupancy of this block (by default "
      .. '`"auto"`) with its limiting resource; on the CPU device whether the kernel runs as native code, and why not.',
    args = { KERNEL, { "block?", "block", 'an integer, `{x, y, z}` or `"auto"`. Default: "auto"' },
      { "shared?", "integer", "bytes of dynamic shared memory; also by name. Default: 0" } },
    returns = { { "string", "the report, of several lines" } },
    errors = { launch = "a block of no threads or more than the kernel takes, a negative number of bytes" },
    example = [==[
local k = dc.kernel "__global__ void twice(float *x) { *x *= 2; }"
k:explain(128):find "occupancy" ~= nil     --> true
]==],
    see = "occupancy attributes",
  },
}
