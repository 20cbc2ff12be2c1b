-- Reference: modules, their kernels, variables and code.
local MODULE = { "m", "module", "the module" }
local EITHER = { "m", "module|kernel", "the module, or a kernel of it" }
local ARCH = { "arch?", "string", 'the architecture, `"sm_90"` or `"compute_90"`. Default: that of the current device' }
local CLOSED = "a closed module"

return {
  [[
### Modules
]],
  {
    class = "module", metatable = "dotcompute.module", index = { { "string", "kernel" } },
    text = "A compiled source with its kernels and variables, made by `dc.module` and `dc.module_file`. `m.name` is "
      .. "the kernel of that name.",
    example = [==[
local m = dc.module [[
__global__ void add(int *x, int by) { *x += by; }
__global__ void twice(int *x) { *x *= 2; }]]
local x = dc.zeros(1, "int32")
m.add(1, 1, x, 3)
m.twice(1, 1, x)
x[1]                                       --> 6
]==],
  },
  {
    "kernel", at = "module", call = { "m.name", "m:kernel(name)", "m:kernel(template, argument, …)" },
    text = 'A kernel of the module. `m:kernel "scale<float, 4>"` is an instance of a template; blanks do not matter. '
      .. 'With arguments it is the instance for these template arguments: a dtype (`"float32"`, also as an array of '
      .. 'it), a C++ type as text, an integer, a boolean: `m:kernel("scale", "float32", 4)`.',
    args = { MODULE, { "name", "string", "the kernel, its instance, or the template" },
      { "...", "string|integer|boolean|array", "template arguments" } },
    returns = { { "kernel", "the kernel" } },
    errors = { argument = "there is none (the message lists the kernels), a template without arguments, an instance "
      .. "of a module with variables that was not named beforehand, " .. CLOSED,
      compile = "an instance that cannot be compiled", index = "`m[key]` of a key that is not a string" },
    example = [==[
local m = dc.module "template<class T, int N> __global__ void scale(T *x) { *x *= N; }"
local x = dc.array({ 1.5 }, "float64")
m:kernel("scale", "float64", 4)(1, 1, x)
m:kernel "scale<double, 2>"(1, 1, x)
x[1]                                       --> 12
local ok, err = pcall(m.kernel, m, "shift")
ok, err.kind                               --> false, argument
]==],
    see = "kernels global module",
  },
  {
    "kernels", at = "module",
    text = "The names of its kernels. Instances that were compiled on first use are not among them.",
    args = { MODULE },
    returns = { { "string[]", "the names" } },
    errors = { argument = CLOSED },
    example = [==[
local m = dc.module "__global__ void a(int *x) { *x = 1; } __global__ void b(int *x) { *x = 2; }"
table.concat(m:kernels(), " ")             --> a b
]==],
    see = "kernel",
  },
  {
    "global", at = "module",
    text = "An array over the `__device__`, `__constant__` or `__managed__` variable, for reading and writing: "
      .. '`m:global "ns::coeffs"`. The variable of a template, `m:global "table<float>"`, must be used by a kernel of '
      .. "the module or be named in `instantiate`.",
    args = { MODULE, { "name", "string", "the variable, with its namespaces" } },
    returns = { { "array", "dtype and shape of the declaration; the same array each time" } },
    errors = { argument = "there is none (the message lists the variables), " .. CLOSED },
    example = [==[
local m = dc.module [[
__constant__ float weights[2][2];
__global__ void first(float *y) { *y = weights[0][1]; }]]
local w = m:global "weights"
w:shape()                                  --> 2, 2
w[{ 1, 2 }] = 5
local y = dc.zeros(1)
m.first(1, 1, y)
y[1]                                       --> 5
]==],
    see = "module kernel",
    words = "variable constant memory",
  },
  {
    "ptx", at = "module",
    text = "Its PTX as a string: for the current device, or compiled for another architecture (`\"sm_90\"`).",
    args = { MODULE, ARCH },
    returns = { { "string", "PTX" } },
    errors = { argument = "no name of an architecture, a module that came as machine code, " .. CLOSED,
      compile = "an architecture that the compiler does not know" },
    example = [==[
local m = dc.module "__global__ void one(int *x) { *x = 1; }"
m:ptx():find ".visible .entry" ~= nil      --> true
m:ptx("sm_90"):find ".target sm_90" ~= nil --> true
]==],
    see = "cubin sass source",
  },
  {
    "cubin", at = "module",
    text = 'Its machine code as a string: for the current device, or compiled for another architecture (`"sm_90"`), '
      .. "which must be given on the CPU device.",
    args = { MODULE, { ARCH[1], ARCH[2], ARCH[3] .. "; none on the CPU device" } },
    returns = { { "string", "an ELF file with machine code" } },
    errors = { argument = "no architecture on the CPU device, no name of an architecture, " .. CLOSED,
      compile = "an architecture that the compiler does not know" },
    example = [==[
local m = dc.module "__global__ void one(int *x) { *x = 1; }"
m:cubin("sm_90"):sub(2, 4)                 --> ELF
]==],
    see = "ptx sass",
  },
  {
    "sass", at = "module",
    text = "Its machine code as text, by NVIDIA's `nvdisasm` or `cuobjdump`.",
    args = { MODULE, { ARCH[1], ARCH[2], ARCH[3] .. "; none on the CPU device" } },
    returns = { { "string", "the disassembly" } },
    errors = { argument = "no architecture on the CPU device, no name of an architecture, " .. CLOSED,
      compile = "neither program is found (the message says what to install), or the source does not compile" },
    example = [==[
local m = dc.module "__global__ void one(int *x) { *x = 1; }"
local ok, text = pcall(m.sass, m, "sm_90")
ok and text:find "EXIT" ~= nil or text.kind == "compile"  --> true
]==],
    see = "cubin ptx",
  },
  {
    "left_out", at = "module",
    text = "The kernels that a file for nvcc defines and the module does not have: those that launch kernels or do not "
      .. "compile, where others do, those that `#if` leaves out, and templates of which no instance is known.",
    returns = { { "table[]", "for each fields `name`, `line`, to which the reason belongs (0: one of a "
      .. "header), and `reason`, as in the error that using the kernel raises" } },
    example = [==[
local m = dc.module "template <class T> __global__ void one(T *x) { *x = 1; }"
m:left_out()[1].name                       --> one
]==],
    see = "kernels module",
  },
  {
    "log", at = "module",
    text = "The compiler's warnings, with lines of the script; `\"\"` when there are none.",
    args = { MODULE },
    returns = { { "string", "the warnings" } },
    errors = { argument = CLOSED },
    example = [==[
local m = dc.module "__global__ void one(int *x) { int unused; *x = 1; }"
m:log():find "never referenced" ~= nil     --> true
]==],
    see = "module",
  },
  {
    "source", at = "module kernel",
    text = "The text that was compiled: CUDA C, or PTX.",
    args = { EITHER },
    returns = { { "string", "the text; of linked sources one after another" } },
    errors = { argument = CLOSED },
    example = [==[
local text = "__global__ void one(int *x) { *x = 1; }"
dc.kernel(text):source() == text           --> true
]==],
    see = "ptx",
  },
  {
    "reload", at = "module kernel",
    text = "Recompiles its file if that, or a header, has changed. Returns whether it had. Kernel objects are the new "
      .. "kernels from the next launch on. After an error nothing has changed.",
    args = { EITHER },
    returns = { { "boolean", "whether it had changed" } },
    errors = { argument = "a module that does not come from a file, " .. CLOSED, compile = "mistakes in the new text",
      io = "a file that cannot be read" },
    example = [==[
local path = os.tmpname()
local function write(text)
  local f <close> = assert(io.open(path, "w"))
  f:write(text)
end
write "__global__ void k(int *x) { *x = 1; }"
local k, x = dc.kernel_file(path), dc.zeros(1, "int32")
k:reload()                                 --> false
write "__global__ void k(int *x) { *x = 2; }"
k:reload()                                 --> true
os.remove(path)
k(1, 1, x)
x[1]                                       --> 2
]==],
    see = "kernel_file module_file",
  },
  {
    "close", at = "module", call = { "m:close()", "local m <close> = …" },
    text = "Closes it: using its kernels, and arrays over its variables, is an error of kind `argument`. Closing "
      .. "twice is fine.",
    args = { MODULE },
    example = [==[
local m = dc.module "__global__ void one(int *x) { *x = 1; }"
local one = m.one
m:close()
local ok, err = pcall(one, 1, 1, dc.zeros(1, "int32"))
ok, err.kind                               --> false, argument
]==],
  },
  [==[
**Instances** that were not named in `instantiate` (or option `name`) are compiled on first use, each as a separate
module. A module with variables is one image, so its instances must be named beforehand; another one is an error that
says so.

**Variables** have the dtype and shape of their declaration: `float coeffs[3][4]` is a float32 array of 3×4, `int n` a
0-d one, `float4 v[7]` one of 7×4, a pointer an `uint64`. Structs, and other types without a dtype, are `uint8` with an
axis for the bytes of one element; so are variables declared by a macro. The same variable gives the same array. Before
a kernel of the module runs, pending expressions that read its variables are evaluated, since the kernel may write them.
The compiler may have put the value of a `const` variable into the code; writing it has no effect then.

**Linked sources**, `dc.module { source1, source2 }` or option `link`, are compiled separately and share `extern`
functions and variables; `static` ones belong to their source. They may include PTX and cubins. On a GPU NVIDIA's
`libnvJitLink` links them (if it is missing, error `compile` says what to install); for the CPU device PTX is joined. A
name that two sources define, or that is declared and defined nowhere, is an error of kind `compile`.

**Link-time optimization**, `dc.module({a, b}, {flags = "-dlto"})`, compiles the sources (or one) to intermediate code,
LTO-IR, which `libnvJitLink` links and optimizes together: functions of one source are inlined in another. On the CPU
device, and for `m:ptx()`, the result is PTX. Flags about arithmetic, registers, lines and the assembler (`--fmad`,
`--use_fast_math`, `--maxrregcount`, `-G`, `-Xptxas` …) have their usual meaning. Kernels, templates and variables are
as in other modules. LTO-IR of other programs (`nvcc -dlto -ltoir`, NVRTC) may be a source, with or without the flag;
types of its kernels are known as for PTX or machine code. If the result is PTX and a source is PTX, the flag has no
effect, and LTO-IR as another source is an error.

**Edited files** are recompiled by `reload` only, never automatically. After an error nothing has changed. Kernel
objects, also variants of `k:with`, are the new kernels from the next launch on; arrays over variables are closed, since
the variables are new.

```lua
local dc = require "dotcompute"
local m = dc.module([[
__constant__ float weights[3];
template<class T, int N> __global__ void weigh(const T *x, T *y) {
  T sum = 0;
  for (int i = 0; i < N; i++) sum += weights[i] * x[i];
  *y = sum;
}]], { instantiate = { "weigh<double, 3>" } })
m:global "weights"[":"] = { 0.25, 0.5, 0.25 }
local y = dc.zeros(1, "float64")
m:kernel("weigh", "float64", 3)(1, 1, dc.array({ 1, 2, 5 }, "float64"), y)
assert(y[1] == 2.5)

local linked = dc.module {
  "extern __device__ int twice(int x);\n__global__ void k(int *x) { *x = twice(*x); }",
  "__device__ int twice(int x) { return 2 * x; }" }
local x = dc.full(1, 21, "int32")
linked.k(1, 1, x)
assert(x[1] == 42)
```
]==],
}
