-- Reference: kernels written in Lua.
local mask = { "mask?", "integer", "the lanes that call it, bit 0 is lane 1's. Default: all" }

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
      .. "`k(grid, block, ...)` or `k:forall(n, ...)`.",
    args = { { "fn", "function", "the kernel; a signature, a string, may stand before it" } },
    options = {
      { "check", "boolean", "checks of indices, integer division, assert and error. Default: false" },
      { "name", "string", "the name in messages and profiles. Default: that of its local" },
      { "source", "string", "the text of the function's chunk, where it cannot be found" },
      { "structs", "table", "a list of the structs that the signature names" },
      { "flags", "string|string[]", "more options for NVRTC" },
      { "fast_math", "boolean", "NVRTC's `--use_fast_math`" },
      { "debug", "boolean", "line information in the compiled code" },
      { "std", "string", 'the standard of C++, `"c++17"`' },
    },
    returns = { { "jit", "the kernel" } },
    errors = {
      argument = "no Lua function, a function whose text is not found or has been edited; of launches: a wrong count "
        .. "or type of arguments",
      compile = "of the first launch with arguments of these types: mistakes in the kernel, with line and column",
      dtype = "of launches: arguments that are not of the signature", shape = "of launches: 0-d arrays",
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
    class = "jit", metatable = "dotcompute.jit", call_operator = "(blocks: grid, threads: block, ...: any)",
    index = { { "stream", "jit" } },
    text = "A kernel made of a Lua function. `k(grid, block, ...)` launches it as a [kernel](#kernels) is launched, "
      .. "and compiles it for arguments of new types. `k[stream]` is the kernel whose launches go to the stream.",
    example = [[
local double = dc.jit(function(x) x[dc.index()] = 2 * x[dc.index()] end)
local x = dc.array { 1, 2, 3 }
double(1, 3, x)
double[dc.stream()](1, 3, x)
x                                          --> {4, 8, 12}
]],
  },
  {
    "forall", at = "jit", call = "k:forall(n or {rows, columns}, ...)",
    text = "Launches at least `n` threads, or a thread for each pair of `dc.index2()`, each triple of `dc.index3()`; "
      .. "the kernel compares its index with the extents.",
    args = { { "k", "jit", "the kernel" }, { "n", "integer|integer[]", "the number of threads, or 1 to 3 extents" },
      { "...", "any", "the kernel's arguments" } },
    returns = {},
    errors = { launch = "extents that are no integers, or negative; more than three",
      argument = "arguments that the function does not take" },
    example = [[
local fill = dc.jit(function(a)
  local i, j = dc.index2()
  if i <= a:shape(1) and j <= a:shape(2) then a[i][j] = 10 * i + j end
end)
local a = dc.zeros(2, 3)
fill:forall({ 2, 3 }, a)
a                                          --> {{11, 12, 13}, {21, 22, 23}}
]],
    see = "jit index2",
  },
  {
    "with", at = "jit", call = "k:with(options)", text = "The kernel with launch options: those of a kernel's `with`.",
    args = { { "k", "jit", "the kernel" }, { "options", "table", "`stream`, `shared`, `cluster` …" } },
    returns = { { "jit", "a variant, which shares what is compiled" } },
    errors = { argument = "no table, an unknown option" },
    example = [[
local one = dc.jit(function(x) x[dc.index()] = 1 end)
local x = dc.zeros(2)
one:with { stream = dc.stream() }(1, 2, x)
x                                          --> {1, 1}
]],
    see = "jit",
  },
  {
    "source", at = "jit", call = "k:source([...])",
    text = "The CUDA C of the variant that was compiled last, or of the one for these arguments of a launch, with the "
      .. "lines of Lua as comments.",
    args = { { "k", "jit", "the kernel" }, { "...", "any", "arguments of a launch" } },
    returns = { { "string", "the text" } }, errors = { argument = "nothing has been compiled yet" },
    example = [[
local one = dc.jit(function(x) x[dc.index()] = 1 end)
one:source(dc.zeros(2)):find "__global__" ~= nil   --> true
]],
    see = "jit",
  },
  {
    "kernel", at = "jit", call = "k:kernel(...)",
    text = "The kernel object that a launch with these arguments uses, for its attributes, `explain` and `occupancy`.",
    args = { { "k", "jit", "the kernel" }, { "...", "any", "arguments of a launch" } },
    returns = { { "kernel", "its parameters: the function's, the extents behind each array, then what is captured" } },
    errors = { compile = "mistakes in the kernel" },
    example = [[
local one = dc.jit(function(x) x[dc.index()] = 1 end)
one:kernel(dc.zeros(2)).attributes.registers > 0   --> true
]],
    see = "jit",
  },
  {
    "name", at = "jit", call = "k.name", type = "string",
    text = "The name in messages and profiles: that of the local that it is assigned to, or option `name`.",
    example = [[
local one = dc.jit(function(x) x[dc.index()] = 1 end)
one.name                                   --> one
]],
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
    at = "dc", text = "Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's "
      .. "indices: row, column. The functions of CUDA's variables give x, y and z, x first.", args = {},
    returns = { { "integer", "the first; some have more" } },
    errors = { argument = "outside of kernels" }, see = "jit", words = "threadIdx blockIdx blockDim gridDim grid",
    example = [[
local number = dc.jit(function(out)
  local i = dc.index()
  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
end)
local out = dc.zeros(4, "int32")
number(2, 2, out)
out                                        --> {101, 102, 201, 202}
local transpose = dc.jit(function(a, b)
  local i, j = dc.index2()
  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
end)
local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
transpose:forall({ 2, 3 }, a, b)
b                                          --> {{1, 4}, {2, 5}, {3, 6}}
]],
  },
  {
    names = {
      { "sync_threads", "A barrier of the block's threads." },
      { "sync_grid", "A barrier of the whole grid; the launch is cooperative." },
      { "sync_cluster", "A barrier of the cluster's threads." },
      { "thread_fence", "Writes before it are seen by the device's other threads before those after it." },
      { "thread_fence_block", "Like `dc.thread_fence`, for the block's threads." },
      { "thread_fence_system", "Like `dc.thread_fence`, for the host and other devices too." },
    },
    at = "dc", text = "Barriers must be reached by all threads of the block, of the grid, of the cluster.", args = {},
    returns = {}, errors = { argument = "outside of kernels" }, see = "jit",
    words = "syncthreads syncwarp threadfence barrier",
    example = [[
local reverse = dc.jit(function(x)
  local t, n = dc.thread_index(), dc.block_size()
  local tile = dc.shared("float32", 256)
  tile[t] = x[t]
  dc.sync_threads()
  x[t] = tile[n - t + 1]
end)
local x = dc.array { 1, 2, 3, 4 }
reverse(1, 4, x)
x                                          --> {4, 3, 2, 1}
]],
  },
  {
    names = {
      { "sync_threads_count", "A barrier of the block; for how many of its threads the value is true." },
      { "sync_threads_and", "A barrier of the block; whether the value is true for all its threads." },
      { "sync_threads_or", "A barrier of the block; whether the value is true for any of its threads." },
    },
    at = "dc", text = "All threads of the block must call it.",
    args = { { "b", "boolean", "the thread's value" } },
    returns = { { "boolean|integer", "the same for all threads" } }, errors = { argument = "outside of kernels" },
    see = "jit", words = "syncthreads_count",
    example = [[
local count = dc.jit(function(x, out)
  local i = dc.index()
  out[i] = dc.sync_threads_count(x[i] > 1)
end)
local out = dc.zeros(4, "int32")
count(1, 4, dc.array { 1, 2, 3, 4 }, out)
out                                        --> {3, 3, 3, 3}
]],
  },
  {
    "sync_warp", at = "dc", text = "A barrier of the warp's threads, or of those of a mask.",
    args = { mask },
    returns = {}, errors = { argument = "outside of kernels" }, see = "sync_threads", words = "syncwarp",
    example = [[
local swap = dc.jit(function(x)
  local t = dc.thread_index()
  local pair = dc.shared("float32", 32)
  pair[t] = x[t]
  dc.sync_warp()
  x[t] = pair[33 - t]
end)
local x = dc.arange(1, 32)
swap(1, 32, x)
x[1]                                       --> 32.0
]],
  },
  {
    names = {
      { "vote_all", "Whether the value is true for all threads of the warp." },
      { "vote_any", "Whether the value is true for any thread of the warp." },
      { "vote_ballot", "An integer of the warp's values; bit 0 is lane 1's." },
    },
    at = "dc", text = "All threads of the warp, or of the mask, must call it.",
    args = { { "b", "boolean", "the thread's value" }, mask },
    returns = { { "boolean|integer", "the same for all threads" } }, errors = { argument = "outside of kernels" },
    see = "jit", words = "ballot_sync all_sync any_sync vote",
    example = [[
local count = dc.jit(function(x, out)
  local i = dc.index()
  out[i] = dc.popc(dc.vote_ballot(x[i] > 1))
end)
local out = dc.zeros(32, "int32")
count(1, 32, dc.arange(1, 32), out)
out[1]                                     --> 31
]],
  },
  {
    names = {
      { "match_any", "The lanes of the warp whose value is the same, as an integer; bit 0 is lane 1's." },
      { "match_all", "The lanes of the warp, if their values are all the same, else 0." },
    },
    at = "dc", text = "Values are compared by their bits. All threads of the warp, or of the mask, must call it.",
    args = { { "v", "number", "the thread's value" }, mask },
    returns = { { "integer", "the lanes" } }, errors = { argument = "outside of kernels" }, see = "vote_ballot",
    words = "match_any_sync match_all_sync",
    example = [[
local equal = dc.jit(function(x, out)
  local i = dc.index()
  out[i] = dc.match_any(x[i])
end)
local x, out = dc.arange(1, 32, "int32") % 2, dc.zeros(32, "uint32")
equal(1, 32, x:eval(), out)
out[1], out[2]                             --> 1431655765, 2863311530
]],
  },
  {
    names = {
      { "reduce_add", "The sum of the warp's values." }, { "reduce_min", "The least of the warp's values." },
      { "reduce_max", "The greatest of the warp's values." }, { "reduce_and", "Bitwise and of the warp's values." },
      { "reduce_or", "Bitwise or of the warp's values." },
      { "reduce_xor", "Bitwise exclusive or of the warp's values." },
    },
    at = "dc", text = "Of numbers of any dtype, of integers for `and`, `or` and `xor`. All threads of the warp, or of "
      .. "the mask, must call it; those that have ended are left out. NaN is ignored by `min` and `max`.",
    args = { { "v", "number", "the thread's value" }, mask },
    returns = { { "number", "the result, the same bits for all threads" } },
    errors = { argument = "outside of kernels" }, see = "shuffle", words = "reduce_sync warp sum redux",
    example = [[
local sum = dc.jit(function(x, out)
  local total = dc.reduce_add(x[dc.index()])
  if dc.lane_index() == 1 then out[1] = total end
end)
local out = dc.zeros(1)
sum(1, 32, dc.arange(1, 32), out)
out[1]                                     --> 528.0
]],
  },
  {
    names = {
      { "active_mask", "The lanes of the warp that are executing this, as an integer; bit 0 is lane 1's." },
      { "lane_mask_equal", "The bit of the thread's own lane." },
      { "lane_mask_less", "The bits of the lanes below the thread's own." },
      { "lane_mask_less_equal", "The bits of the thread's own lane and of those below." },
      { "lane_mask_greater", "The bits of the lanes above the thread's own." },
      { "lane_mask_greater_equal", "The bits of the thread's own lane and of those above." },
    },
    at = "dc", text = "", args = {}, returns = { { "integer", "a mask of lanes" } },
    errors = { argument = "outside of kernels" }, see = "vote_ballot", words = "activemask lanemask_lt",
    example = [[
local place = dc.jit(function(x, out) -- the number of each positive element among them
  local i = dc.index()
  local positive = dc.vote_ballot(x[i] > 0)
  out[i] = dc.popc(positive & dc.lane_mask_less_equal())
end)
local x = dc.full(32, -1)
x[3], x[5] = 1, 1
local out = dc.zeros(32, "int32")
place(1, 32, x, out)
out[3], out[5]                             --> 1, 2
]],
  },
  {
    names = {
      { "shuffle", "The value of lane `n` of the warp." },
      { "shuffle_up", "The value of the lane `n` below." },
      { "shuffle_down", "The value of the lane `n` above." },
      { "shuffle_xor", "The value of the lane whose number from 0 differs by the bits of `n`." },
    },
    at = "dc", text = "All threads of the warp, or of the mask, must call it.",
    args = { { "v", "any", "the thread's value: a number, a boolean, a struct or a tuple" },
      { "n", "integer", "a lane, from 1; a distance; a mask" },
      { "width?", "integer", "lanes of the groups within which values are passed, a power of 2. Default: 32" },
      mask },
    returns = { { "any", "a value of another thread, of the same type" } },
    errors = { argument = "outside of kernels" }, see = "reduce_add", words = "shfl_sync warp shuffle",
    example = [[
local shift = dc.jit(function(x)
  local i = dc.index()
  x[i] = dc.shuffle_down(x[i], 1)
end)
local x = dc.arange(1, 32)
shift(1, 32, x)
x[1], x[31]                                --> 2.0, 32.0
]],
  },
  {
    names = {
      { "cluster_index", "x, y and z of the block's cluster in the grid, from 1." },
      { "cluster_size", "x, y and z of the cluster: its blocks." },
      { "cluster_rank", "The number of the block in its cluster, from 1." },
    },
    at = "dc", text = "Clusters are those of the launch option `cluster`; without it each block is one.", args = {},
    returns = { { "integer", "the first; some have more" } }, errors = { argument = "outside of kernels" },
    see = "cluster_shared", words = "cluster clusterDim distributed shared memory",
    example = [[
local ranks = dc.jit(function(out) out[dc.block_index()] = dc.cluster_rank() end)
local out = dc.zeros(3, "int32")
ranks(3, 1, out)
out                                        --> {1, 1, 1}
]],
  },
  {
    "dynamic_shared", at = "dc", text = "An array in the block's shared memory whose extents are computed at run time, "
      .. "contents undefined; the value of a local of the kernel itself. The launch gives the bytes: where the extents "
      .. "follow from arguments, captured numbers, extents and the launch's sizes by themselves, else by launch option "
      .. "`shared`, of which each array takes a multiple of 16.",
    args = { { "dtype", "dtype", "its dtype" }, { "...", "integer", "extents" } },
    returns = { { "array", "for the kernel alone" } },
    errors = { argument = "outside of kernels", launch = "of a launch: negative extents, too many bytes, or too few in "
      .. "option `shared`; extents that are known in the kernel alone without it" },
    see = "shared with", words = "extern __shared__ dynamic shared memory",
    example = [[
local reverse = dc.jit(function(x)
  local t, n = dc.thread_index(), dc.block_size()
  local tile = dc.dynamic_shared("float32", n)
  tile[t] = x[t]
  dc.sync_threads()
  x[t] = tile[n - t + 1]
end)
local x = dc.array { 1, 2, 3, 4 }
reverse(1, 4, x)
x                                          --> {4, 3, 2, 1}
]],
  },
  {
    "cluster_shared", at = "dc", text = "The array that another block of the cluster has in place of one of this "
      .. "block's. `dc.sync_cluster()` stands before, and after the last use: a block's memory ends with it.",
    args = { { "a", "array", "an array of `dc.shared`" }, { "rank", "integer", "the block's number in the cluster" } },
    returns = { { "array", "for the kernel alone" } }, errors = { argument = "outside of kernels" },
    see = "cluster_rank sync_cluster", words = "map_shared_rank distributed shared memory",
    example = [[
local first = dc.jit(function(out)
  local mine = dc.shared("float32", 1)
  mine[1] = dc.block_index()
  dc.sync_cluster()
  out[dc.block_index()] = dc.cluster_shared(mine, 1)[1]
  dc.sync_cluster()
end)
local out = dc.zeros(2)
first(2, 1, out)
out                                        --> {1, 2}
]],
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
    example = [[
local sort2 = dc.jit(function(x)
  local i = dc.index()
  local pair = dc.local_array("float32", 2)
  pair[1], pair[2] = dc.min(x[2 * i - 1], x[2 * i]), dc.max(x[2 * i - 1], x[2 * i])
  x[2 * i - 1], x[2 * i] = pair[1], pair[2]
end)
local x = dc.array { 2, 1, 3, 4 }
sort2(1, 2, x)
x                                          --> {1, 2, 3, 4}
]],
  },
  {
    names = {
      { "atomic_add", "Adds to an element." }, { "atomic_sub", "Subtracts from an element." },
      { "atomic_min", "The smaller of an element and the value." },
      { "atomic_max", "The larger of an element and the value." }, { "atomic_and", "Bitwise and of an element." },
      { "atomic_or", "Bitwise or of an element." }, { "atomic_xor", "Bitwise exclusive or of an element." },
      { "atomic_exchange", "Replaces an element." },
    },
    at = "dc", text = "Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of "
      .. "numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.",
    args = { { "a", "array", "the array, or an element that is a struct" },
      { "i", "integer|integer[]|string", "the element's index, or {i, j}; of a struct a field's name" },
      { "v", "number", "the value" } },
    returns = { { "number", "the element before" } }, errors = { argument = "outside of kernels" }, see = "jit",
    words = "atomicAdd atomicMin atomicMax atomicExch",
    example = [[
local sum = dc.jit(function(x, total)
  local i = dc.index()
  if i <= #x then dc.atomic_add(total, 1, x[i]) end
end)
local total = dc.zeros(1)
sum:forall(100, dc.ones(100), total)
total[1]                                   --> 100.0
]],
  },
  {
    names = {
      { "atomic_inc", "Adds 1 to an element, which after the limit is 0 again." },
      { "atomic_dec", "Subtracts 1 from an element, which after 0, or above the limit, is the limit." },
    },
    at = "dc", text = "Of arrays of integers.",
    args = { { "a", "array", "the array" }, { "i", "integer|integer[]", "the element's index, or {i, j}" },
      { "v", "number", "the limit" } },
    returns = { { "number", "the element before" } }, errors = { argument = "outside of kernels" }, see = "atomic_add",
    words = "atomicInc atomicDec",
    example = [[
local turn = dc.jit(function(x) dc.atomic_inc(x, 1, 2) end)
local x = dc.zeros(1, "uint32")
turn(1, 4, x)
x[1]                                       --> 1
]],
  },
  {
    "atomic_cas", at = "dc", text = "Writes a value to an element if that has the bits of `expected`.",
    args = { { "a", "array", "the array, of any dtype" },
      { "i", "integer|integer[]", "the element's index, or {i, j}" },
      { "expected", "number", "what it is compared with" }, { "v", "number", "the value" } },
    returns = { { "number", "the element before" } }, errors = { argument = "outside of kernels" }, see = "jit",
    words = "atomicCAS compare and swap",
    example = [[
local claim = dc.jit(function(flag, winners)
  if dc.atomic_cas(flag, 1, 0, 1) == 0 then dc.atomic_add(winners, 1, 1) end
end)
local winners = dc.zeros(1, "int32")
claim(2, 32, dc.zeros(1, "int32"), winners)
winners[1]                                 --> 1
]],
  },
  {
    "atomic_load", at = "dc", text = "An element as it is in memory; what the thread reads afterwards is not older "
      .. "(acquire).",
    args = { { "a", "array", "the array" }, { "i", "integer|integer[]", "the element's index, or {i, j}" } },
    returns = { { "number", "the element" } }, errors = { argument = "outside of kernels" }, see = "atomic_store",
    words = "volatile acquire load",
    example = [[
local wait = dc.jit(function(flag, x)
  if dc.block_index() == 1 then
    x[1] = 5
    dc.atomic_store(flag, 1, 1)
  else
    while dc.atomic_load(flag, 1) == 0 do end
    x[2] = x[1] + 1
  end
end)
local x = dc.zeros(2)
wait:with { cooperative = true }(2, 1, dc.zeros(1, "int32"), x)
x                                          --> {5, 6}
]],
  },
  {
    "atomic_store", at = "dc", text = "Writes an element; what the thread has written before is seen by a thread that "
      .. "sees this (release).",
    args = { { "a", "array", "the array" }, { "i", "integer|integer[]", "the element's index, or {i, j}" },
      { "v", "number", "the value" } },
    returns = {}, errors = { argument = "outside of kernels" }, see = "atomic_load", words = "volatile release store",
    example = [[
local set = dc.jit(function(flag) dc.atomic_store(flag, 1, 1) end)
local flag = dc.zeros(1, "int32")
set(1, 1, flag)
flag[1]                                    --> 1
]],
  },
  {
    names = {
      { "cycles", "The multiprocessor's count of cycles." },
      { "global_timer", "The device's time in nanoseconds." },
    },
    at = "dc", text = "", args = {}, returns = { { "integer", "the count" } },
    errors = { argument = "outside of kernels" }, see = "nanosleep", words = "clock64 globaltimer",
    example = [[
local measure = dc.jit(function(out)
  local before = dc.global_timer()
  dc.nanosleep(100)
  out[1] = dc.global_timer() - before
end)
local out = dc.zeros(1, "int64")
measure(1, 1, out)
out[1] >= 0                                --> true
]],
  },
  {
    "nanosleep", at = "dc", text = "Suspends the thread for about this time.",
    args = { { "ns", "integer", "nanoseconds, at most 1000000" } }, returns = {},
    errors = { argument = "outside of kernels" }, see = "cycles",
    example = [[
local pause = dc.jit(function() dc.nanosleep(10) end)
pause(1, 1)
]],
  },
  {
    names = {
      { "clz", "The number of zero bits above the highest one." }, { "popc", "The number of one bits." },
      { "ffs", "The place of the lowest one bit, from 1; 0 of 0." }, { "brev", "The bits in reverse order." },
    },
    at = "dc", text = "Of the integer's own size.", args = { { "v", "integer", "the integer" } },
    returns = { { "integer", "of `brev` it has the dtype of `v`" } }, errors = { argument = "outside of kernels" },
    see = "mulhi", words = "count leading zeros popcount find first set reverse bits",
    example = [[
local bits = dc.jit(function(x, out)
  out[1], out[2], out[3], out[4] = dc.clz(x[1]), dc.popc(x[1]), dc.ffs(x[1]), dc.brev(x[1])
end)
local out = dc.zeros(4, "int64")
bits(1, 1, dc.array({ 6 }, "uint8"), out)
out                                        --> {5, 2, 2, 96}
]],
  },
  {
    names = {
      { "mulhi", "The upper half of a product." },
      { "mul24", "The product of the lowest 24 bits, of 32-bit integers." },
      { "hadd", "The mean of two 32-bit integers, rounded down." },
      { "rhadd", "The mean of two 32-bit integers, rounded up." },
    },
    at = "dc", text = "", args = { { "a", "integer", "the first" }, { "b", "integer", "the second" } },
    returns = { { "integer", "the result" } }, errors = { argument = "outside of kernels" }, see = "clz",
    words = "mulhi umulhi mul64hi",
    example = [[
local high = dc.jit(function(x) x[1] = dc.mulhi(x[1], 6) end)
local x = dc.array({ 1 << 31 }, "uint32")
high(1, 1, x)
x[1]                                       --> 3
]],
  },
  {
    names = {
      { "sad", "`|a - b| + c`, of 32-bit integers." },
      { "dp4a", "`c` and the sum of the products of four 8-bit integers in `a` and `b`." },
      { "byte_perm", "Four of the eight bytes of `a` and `b`, chosen by the digits of `c`." },
      { "funnelshift_l", "The upper 32 bits of `b` and `a` shifted to the left by `c`." },
      { "funnelshift_r", "The lower 32 bits of `b` and `a` shifted to the right by `c`." },
    },
    at = "dc", text = "", args = { { "a", "integer", "of 32 bits" }, { "b", "integer", "of 32 bits" },
      { "c", "integer", "of 32 bits" } },
    returns = { { "integer", "of 32 bits" } }, errors = { argument = "outside of kernels" }, see = "clz",
    words = "rotate prmt shf",
    example = [[
local rotate = dc.jit(function(x) x[1] = dc.funnelshift_l(x[1], x[1], 8) end)
local x = dc.array({ 0x12345678 }, "uint32")
rotate(1, 1, x)
("%x"):format(x[1])                        --> 34567812
]],
  },
  {
    "bitcast", at = "dc", text = "The bits of a number as a number of another dtype of the same size.",
    args = { { "v", "number", "the number" }, { "dtype", "dtype", "the dtype" } },
    returns = { { "number", "of that dtype" } }, errors = { argument = "outside of kernels" }, see = "cast",
    words = "float_as_int int_as_float reinterpret",
    example = [[
local bits = dc.jit(function(x, out) out[1] = dc.bitcast(x[1], "uint32") end)
local out = dc.zeros(1, "uint32")
bits(1, 1, dc.ones(1), out)
("%x"):format(out[1])                      --> 3f800000
]],
  },
  {
    names = {
      { "sincos", "Sine and cosine." }, { "sincospi", "Sine and cosine of pi times the number." },
      { "frexp", "A fraction of 0.5 to 1 and an exponent of 2, an integer." },
    },
    at = "dc", text = "", args = { { "v", "number", "the number" } },
    returns = { { "number", "the first" }, { "number", "the second" } }, errors = { argument = "outside of kernels" },
    see = "remquo", words = "sin cos mantissa exponent",
    example = [[
local parts = dc.jit(function(x) x[1], x[2] = dc.frexp(x[1]) end)
local x = dc.array { 12, 0 }
parts(1, 1, x)
x                                          --> {0.75, 4}
]],
  },
  {
    "remquo", at = "dc", text = "The rest of a division whose quotient is rounded to the nearest integer, and the last "
      .. "bits of that.",
    args = { { "a", "number", "the dividend" }, { "b", "number", "the divisor" } },
    returns = { { "number", "the rest" }, { "integer", "the quotient's bits, with its sign" } },
    errors = { argument = "outside of kernels" }, see = "remainder",
    example = [[
local parts = dc.jit(function(x) x[1], x[2] = dc.remquo(x[1], 4) end)
local x = dc.array { 7, 0 }
parts(1, 1, x)
x                                          --> {-1, 2}
]],
  },
  {
    names = {
      { "add_rn", "A sum to nearest." }, { "add_rz", "A sum toward zero." },
      { "add_ru", "A sum up." }, { "add_rd", "A sum down." },
      { "sub_rn", "A difference to nearest." }, { "sub_rz", "A difference toward zero." },
      { "sub_ru", "A difference up." }, { "sub_rd", "A difference down." },
      { "mul_rn", "A product to nearest." }, { "mul_rz", "A product toward zero." },
      { "mul_ru", "A product up." }, { "mul_rd", "A product down." },
      { "div_rn", "A quotient to nearest." }, { "div_rz", "A quotient toward zero." },
      { "div_ru", "A quotient up." }, { "div_rd", "A quotient down." },
    },
    at = "dc", text = "A floating result, rounded so.", args = { { "a", "number", "the first" },
      { "b", "number", "the second" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "fma_rn",
    words = "rounding mode interval __fadd_ru __dmul_rd",
    example = [[
local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
local x = dc.ones(2)
third(1, 1, x)
x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
]],
  },
  {
    names = {
      { "rcp_rn", "1 / a to nearest." }, { "rcp_rz", "1 / a toward zero." },
      { "rcp_ru", "1 / a up." }, { "rcp_rd", "1 / a down." },
      { "sqrt_rn", "The square root to nearest." }, { "sqrt_rz", "The square root toward zero." },
      { "sqrt_ru", "The square root up." }, { "sqrt_rd", "The square root down." },
    },
    at = "dc", text = "Rounded so.", args = { { "a", "number", "the number" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "add_rn",
    words = "rounding mode __frcp_rn __dsqrt_rn",
    example = [[
local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
local x = dc.full(2, 2)
root(1, 1, x)
x[1] < x[2]                                --> true
]],
  },
  {
    names = {
      { "fma_rn", "`a * b + c` to nearest." }, { "fma_rz", "`a * b + c` toward zero." },
      { "fma_ru", "`a * b + c` up." }, { "fma_rd", "`a * b + c` down." },
    },
    at = "dc", text = "Rounded once, so.", args = { { "a", "number", "a factor" }, { "b", "number", "a factor" },
      { "c", "number", "what is added" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "add_rn fma",
    words = "rounding mode __fmaf_rn",
    example = [[
local up = dc.jit(function(x) x[1] = dc.fma_ru(x[1], x[1], 1e-20) end)
local x = dc.ones(1)
up(1, 1, x)
x[1] > 1                                   --> true
]],
  },
  {
    names = {
      { "fast_sin", "`__sinf`." }, { "fast_cos", "`__cosf`." }, { "fast_tan", "`__tanf`." },
      { "fast_exp", "`__expf`." }, { "fast_exp10", "`__exp10f`." }, { "fast_log", "`__logf`." },
      { "fast_log2", "`__log2f`." }, { "fast_log10", "`__log10f`." },
      { "saturate", "`__saturatef`: the number between 0 and 1 that is nearest." },
    },
    at = "dc", text = "CUDA's less accurate, faster functions, of float32 and 16-bit floats.",
    args = { { "v", "number", "the number" } }, returns = { { "number", "the result" } },
    errors = { argument = "outside of kernels" }, see = "fast_pow", words = "intrinsic approximate fast math",
    example = [[
local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
local x = dc.zeros(1)
softplus(1, 1, x)
math.abs(x[1] - math.log(2)) < 1e-5        --> true
]],
  },
  {
    names = {
      { "fast_pow", "`__powf`." }, { "fast_divide", "`__fdividef`." },
    },
    at = "dc", text = "CUDA's less accurate, faster functions, of float32 and 16-bit floats.",
    args = { { "a", "number", "the first" }, { "b", "number", "the second" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "fast_exp",
    words = "intrinsic approximate fast math",
    example = [[
local cube = dc.jit(function(x) x[1] = dc.fast_pow(x[1], 3) end)
local x = dc.full(1, 2)
cube(1, 1, x)
math.abs(x[1] - 8) < 1e-4                  --> true
]],
  },
  {
    names = {
      { "random_uniform", "A random number in [0, 1)." }, { "random_normal", "A normally distributed random number." },
      { "random_exponential", "An exponentially distributed random number, of mean 1." },
    },
    at = "dc", text = "The number that `dc.random` gives for a seed, a call and a position: element `i` of the array "
      .. "that a generator of the seed makes after `calls` others.",
    args = { { "seed", "integer", "the seed" }, { "i", "integer", "the position, from 1" },
      { "calls?", "integer", "the number of calls before, or of the stream. Default: 0" },
      { "dtype?", "dtype", 'a floating dtype. Default: "float32"' } },
    returns = { { "number", "of that dtype" } }, errors = { argument = "outside of kernels" },
    see = "random_integers random.uniform", words = "philox curand monte carlo rng",
    example = [[
local noise = dc.jit(function(x)
  local i = dc.index()
  if i <= #x then x[i] = dc.random_uniform(42, i) end
end)
local x = dc.zeros(100)
noise:forall(100, x)
dc.equal(x, dc.random.generator(42):uniform(100))  --> true
]],
  },
  {
    "random_integers", at = "dc", text = "A random integer from `low` to `high`, both included, as of `dc.random`.",
    args = { { "seed", "integer", "the seed" }, { "i", "integer", "the position, from 1" },
      { "low", "integer", "the least" }, { "high", "integer", "the greatest" },
      { "calls?", "integer", "the number of calls before, or of the stream. Default: 0" } },
    returns = { { "integer", "the number" } }, errors = { argument = "outside of kernels" },
    see = "random_uniform random.integers", words = "philox curand dice",
    example = [[
local throw = dc.jit(function(x) x[dc.index()] = dc.random_integers(1, dc.index(), 1, 6) end)
local x = dc.zeros(10, "int64")
throw(1, 10, x)
dc.equal(x, dc.random.generator(1):integers(10, { low = 1, high = 6 }))  --> true
]],
  },
  {
    "random_bits", at = "dc", text = "32 random bits: Philox4x32-10, of which one counter serves four positions.",
    args = { { "seed", "integer", "the seed" }, { "i", "integer", "the position, from 1" },
      { "calls?", "integer", "the number of calls before, or of the stream. Default: 0" } },
    returns = { { "integer", "a uint32" } }, errors = { argument = "outside of kernels" }, see = "random_uniform",
    words = "philox",
    example = [[
local flip = dc.jit(function(x) x[dc.index()] = dc.random_bits(9, dc.index()) & 1 end)
local x = dc.zeros(20, "int32")
flip(1, 20, x)
x:max():item() <= 1                        --> true
]],
  },
  {
    "constant", at = "dc", call = "dc.constant(values [, dtype])",
    text = "An array that kernels in Lua capture and are compiled with, in CUDA's constant memory. It is read as an "
      .. "array, in kernels and outside.",
    args = { { "values", "table|array", "real numbers, at most 64 KB" }, { "dtype?", "dtype", "its dtype, as of "
      .. "`dc.array`" } },
    returns = { { "table", "the array; `#c`, `c:shape()`, `c:to_table()`, `c.dtype`, `c.ndim`, `c.size`" } },
    errors = { argument = "no table and no array; more than 64 KB; writing it", shape = "no elements",
      dtype = "complex numbers", compile = "of a kernel: writing it; more than 64 KB together" },
    see = "jit shared", words = "__constant__ constant memory table lookup",
    example = [[
local weights = dc.constant { 1, 2, 1 }
local smooth = dc.jit(function(x, y)
  local i = dc.index() + 1
  if i < #x then
    local sum = 0
    for k = 1, dc.unroll(3) do sum = sum + weights[k] * x[i + k - 2] end
    y[i] = sum / 4
  end
end)
local y = dc.zeros(4)
smooth(1, 4, dc.array { 0, 4, 8, 0 }, y)
y                                          --> {0, 4, 5, 0}
]],
  },
  {
    "unroll", at = "dc", call = "for i = 1, dc.unroll(limit [, factor]) do",
    text = "Unrolls a numeric loop of a kernel, whole or by a factor; 1 leaves it as it is. Outside of kernels it "
      .. "gives the limit.",
    args = { { "limit", "number", "the loop's limit" },
      { "factor?", "integer", "how often the body stands in the code, a constant from 1 to 1024. Default: always" } },
    returns = { { "number", "the limit" } },
    errors = { argument = "no number; a factor that is no positive integer",
      compile = "in a kernel anywhere else than in place of a loop's limit" },
    see = "jit", words = "#pragma unroll loop",
    example = [[
local polynomial = dc.jit(function(x)
  local i = dc.index()
  local sum = 0
  for k = 1, dc.unroll(4) do sum = sum * x[i] + k end
  x[i] = sum
end)
local x = dc.array { 1, 2 }
polynomial(1, 2, x)
x                                          --> {10, 26}
]],
  },
  {
    "cuda", at = "dc", call = "dc.cuda(dtype, text, ...)",
    text = "CUDA C in a kernel. `$1`, `$2` … stand for the values, arrays among them as pointers. The text is an "
      .. "expression, converted to the dtype, or statements that set `$0`; with \"void\" statements alone. `$$` is a "
      .. "dollar; lines of `#include <…>` go to the head of the source.",
    args = { { "dtype", "dtype", 'of the result, or "void"' }, { "text", "string", "CUDA C, known when the kernel is "
      .. "compiled" }, { "...", "any", "numbers, booleans, structs and arrays" } },
    returns = { { "number", "the result" } },
    errors = { argument = "outside of kernels", compile = "CUDA C that does not compile, with the line in Lua" },
    see = "extern", words = "inline cuda c asm ptx",
    example = [[
local lane = dc.jit(function(out)
  out[dc.index()] = dc.cuda("uint32", 'asm("mov.u32 %0, %%laneid;" : "=r"($0));')
end)
local out = dc.zeros(3, "int32")
lane(1, 3, out)
out                                        --> {0, 1, 2}
]],
  },
  {
    "extern", at = "dc", call = { "dc.extern(module, function)", "dc.extern(text, function [, options])" },
    text = "A `__device__` function in CUDA C as a function that kernels in Lua call. The text is compiled with the "
      .. "kernel, so that the function is inlined.",
    args = { { "module", "module|string", "a module, or the text of CUDA C" },
      { "function", "string", 'its name, if the text has one of that name, or its declaration, `"float f(float)"`' },
    },
    options = { { "define", "table", "as of `dc.module`" }, { "include", "string|string[]", "as of `dc.module`" },
      { "headers", "table", "as of `dc.module`" }, { "flags", "string|string[]", "as of `dc.module`" },
      { "std", "string", "as of `dc.module`" } },
    returns = { { "function", "for kernels: takes numbers, booleans, and arrays for pointers" } },
    errors = {
      argument = "no open module, no such function, types other than numbers and pointers to them, variables "
      .. "in the text; the function called outside of a kernel", compile = "of the kernel: arguments that the function "
      .. "does not take, a declaration that is not the function's" },
    see = "cuda module", words = "extern device function link",
    example = [[
local square = dc.extern("__device__ float square(float x) { return x * x; }", "square")
local squares = dc.jit(function(x) x[dc.index()] = square(x[dc.index()]) end)
local x = dc.array { 1, 2, 3 }
squares(1, 3, x)
x                                          --> {1, 4, 9}
]],
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
    example = [[
dc.int32(2.75)                             --> 2
dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
]],
  },
  {
    "view_as", at = "dc", call = "dc.view_as(a, type)",
    text = "The memory of an array as vectors of its dtype, or of a uint8 array as vectors or structs: the last "
      .. "extent is divided by the number of elements of one. In kernels alone.",
    args = { { "a", "array", "an array of the vector's dtype, or of uint8" },
      { "type", "string|struct", 'a vector\'s name, `"float4"`, or a struct' } },
    returns = { { "array", "the view, whose elements are read and written" } },
    errors = { compile = "an array of another dtype", launch = "with `check`: an array that is not aligned, or no "
      .. "whole number of vectors" },
    example = [[
local double = dc.jit(function(x)
  local v = dc.view_as(x, "float2")
  v[dc.index()] = v[dc.index()] * 2
end)
local x = dc.array { 1, 2, 3, 4 }
double(1, 2, x)
x                                          --> {2, 4, 6, 8}
]],
    see = "vector float4 jit", words = "reinterpret cast vectorized load store float4",
  },
  {
    names = {
      { "complex64", "A complex number of two float32." }, { "complex128", "A complex number of two float64." },
    },
    at = "dc", text = "Of a real and an imaginary part, or of a number, boolean or array that is converted. In kernels "
      .. "and outside.",
    args = { { "v", "number|boolean|complex|array", "the value, or the real part" },
      { "im?", "number", "the imaginary part" } },
    returns = { { "complex|array", "the result" } },
    errors = { argument = "values that are no numbers" }, see = "complex jit cast", words = "cast convert complex",
    example = [[
dc.complex64(1, 2)                         --> 1+2i
dc.complex128(dc.ones(1)).dtype            --> complex128
]],
  },
}
