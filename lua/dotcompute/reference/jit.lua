-- Reference: kernels written in Lua.
return {
  [[
## Kernels in Lua

`dc.jit` compiles a Lua function to a kernel. [Kernels in Lua](jit.md) has the language, its types, and the functions of
CUDA in full. The functions of this chapter but `dc.jit` and the casts are called in such kernels alone: indices count
from 1, and calls outside are errors of kind `argument`.
]],
  {
    "jit", at = "dc",
    call = { "dc.jit(fn [, options])", 'dc.jit("void(float32[:], int32)", fn [, options])' },
    text = "A kernel made of a Lua function, compiled for the types of each launch's arguments. It is launched as "
      .. "`k(grid, block, ...)` or `k:forall(n, ...)`; `k:forall({rows, columns}, ...)` is for `dc.index2`. Other "
      .. "methods: `k:with{...}`, `k[stream]`, `k:source([...])`, `k:kernel(...)`.",
    args = { { "fn", "function", "the kernel; a signature, a string, may stand before it" } },
    options = {
      { "check", "boolean", "checks of indices, integer division, assert and error. Default: false" },
      { "name", "string", "the name in messages and profiles. Default: that of its local" },
      { "source", "string", "the text of the function's chunk, where it cannot be found" },
      { "flags", "string|string[]", "more options for NVRTC" },
      { "fast_math", "boolean", "NVRTC's `--use_fast_math`" },
      { "debug", "boolean", "line information in the compiled code" },
      { "std", "string", 'the standard of C++, `"c++17"`' },
    },
    returns = { { "dotcompute.jit", "the kernel" } },
    errors = {
      argument = "no Lua function, a function whose text is not found or has been edited; of launches: a wrong count "
        .. "or type of arguments",
      compile = "of the first launch with arguments of these types: mistakes in the kernel, with line and column",
      dtype = "of launches: complex arrays, arguments that are not of the signature", shape = "of launches: 0-d arrays",
      index = "with `check`: an index out of range", launch = "with `check`: integer division by 0, assert, error",
    },
    example = [[
local saxpy = dc.jit(function(x, y, a)
  local i = dc.index()
  if i <= #x then y[i] = a * x[i] + y[i] end
end)
local x, y = dc.array { 1, 2, 3 }, dc.ones(3)
saxpy:forall(#x, x, y, 10)
y                                          --> {11, 21, 31}
]],
    see = "kernel vectorize elementwise",
    words = "numba taichi warp triton lua kernel compile",
  },
  {
    names = {
      { "index", "The number of the thread in its grid, along x." },
      { "index2", "Row and column of the thread: its numbers in the grid along y and x." },
      { "index3", "Numbers of the thread in its grid along z, y and x, in the order of an array's indices." },
      { "thread_index", "x, y and z of `threadIdx`, from 1." },
      { "block_index", "x, y and z of `blockIdx`, from 1." },
      { "block_size", "x, y and z of `blockDim`." },
      { "grid_size", "x, y and z of `gridDim`." },
      { "lane_index", "The number of the thread in its warp, from 1." },
      { "warp_size", "The number of threads of a warp, 32." },
    },
    at = "dc", text = "", args = {}, returns = { { "integer", "the first; some have more" } },
    errors = { argument = "outside of kernels" }, see = "jit", words = "threadIdx blockIdx blockDim gridDim grid",
  },
  {
    names = {
      { "sync_threads", "A barrier of the block's threads." },
      { "sync_warp", "A barrier of the warp's threads." },
      { "thread_fence", "Writes before it are seen by the device's other threads before those after it." },
      { "thread_fence_block", "Like `dc.thread_fence`, for the block's threads." },
      { "thread_fence_system", "Like `dc.thread_fence`, for the host and other devices too." },
    },
    at = "dc", text = "", args = {}, returns = {}, errors = { argument = "outside of kernels" }, see = "jit",
    words = "syncthreads syncwarp threadfence barrier",
  },
  {
    names = {
      { "sync_threads_count", "A barrier of the block; for how many of its threads the value is true." },
      { "sync_threads_and", "A barrier of the block; whether the value is true for all its threads." },
      { "sync_threads_or", "A barrier of the block; whether the value is true for any of its threads." },
      { "vote_all", "Whether the value is true for all threads of the warp." },
      { "vote_any", "Whether the value is true for any thread of the warp." },
      { "vote_ballot", "An integer of the warp's values; bit 0 is lane 1's." },
    },
    at = "dc", text = "", args = { { "b", "boolean", "the thread's value" } },
    returns = { { "boolean|integer", "the same for all threads" } }, errors = { argument = "outside of kernels" },
    see = "jit", words = "ballot_sync all_sync any_sync vote",
  },
  {
    "match_any", at = "dc", text = "The lanes of the warp whose value is the same, as an integer; bit 0 is lane 1's.",
    args = { { "v", "integer", "the thread's value" } }, returns = { { "integer", "the lanes" } },
    errors = { argument = "outside of kernels" }, see = "vote_ballot", words = "match_any_sync",
  },
  {
    names = {
      { "shuffle", "The value of lane `n` of the warp." },
      { "shuffle_up", "The value of the lane `n` below." },
      { "shuffle_down", "The value of the lane `n` above." },
      { "shuffle_xor", "The value of the lane whose number from 0 differs by the bits of `n`." },
    },
    at = "dc", text = "All threads of the warp must call it.",
    args = { { "v", "number", "the thread's value" }, { "n", "integer", "a lane, from 1; a distance; a mask" } },
    returns = { { "number", "a value of another thread, of the same type" } },
    errors = { argument = "outside of kernels" }, see = "jit", words = "shfl_sync warp shuffle",
  },
  {
    names = {
      { "shared", "An array in the block's shared memory, contents undefined." },
      { "local_array", "An array of the thread, filled with 0." },
    },
    at = "dc", text = "",
    args = { { "dtype", "dtype", "its dtype" }, { "...", "integer", "extents: constants, or captured integers" } },
    returns = { { "array", "for the kernel alone" } }, errors = { argument = "outside of kernels" }, see = "jit",
    words = "__shared__ shared memory local memory",
  },
  {
    names = {
      { "atomic_add", "Adds to an element." }, { "atomic_min", "The smaller of an element and the value." },
      { "atomic_max", "The larger of an element and the value." }, { "atomic_and", "Bitwise and of an element." },
      { "atomic_or", "Bitwise or of an element." }, { "atomic_xor", "Bitwise exclusive or of an element." },
      { "atomic_exchange", "Replaces an element." },
    },
    at = "dc", text = "Of integers of 32 and 64 bits; `atomic_add` of floats too, `atomic_exchange` of float32.",
    args = { { "a", "array", "the array" }, { "i", "integer|integer[]", "the element's index, or {i, j}" },
      { "v", "number", "the value" } },
    returns = { { "number", "the element before" } }, errors = { argument = "outside of kernels" }, see = "jit",
    words = "atomicAdd atomicMin atomicMax atomicExch",
  },
  {
    "atomic_cas", at = "dc", text = "Writes a value to an element if that is equal to `expected`.",
    args = { { "a", "array", "the array, of integers of 32 or 64 bits" },
      { "i", "integer|integer[]", "the element's index, or {i, j}" },
      { "expected", "integer", "what it is compared with" }, { "v", "integer", "the value" } },
    returns = { { "integer", "the element before" } }, errors = { argument = "outside of kernels" }, see = "jit",
    words = "atomicCAS compare and swap",
  },
  {
    names = {
      { "bool", "Converts to a boolean: whether it is not 0." }, { "int8", "Converts to int8." },
      { "int16", "Converts to int16." }, { "int32", "Converts to int32." }, { "int64", "Converts to int64." },
      { "uint8", "Converts to uint8.", "dc.uint8(300)   --> 44" }, { "uint16", "Converts to uint16." },
      { "uint32", "Converts to uint32." }, { "uint64", "Converts to uint64." },
      { "float16", "Rounds to float16." }, { "bfloat16", "Rounds to bfloat16." },
      { "float32", "Rounds to float32.", "dc.float32(0.1) == 0.1   --> false" }, { "float64", "Converts to float64." },
    },
    at = "dc", text = "As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; "
      .. "integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.",
    args = { { "v", "number|boolean|array", "the value" } }, returns = { { "number|boolean|array", "the result" } },
    errors = { argument = "a value that is no number, boolean or array" }, see = "jit cast", words = "cast convert",
  },
}
