-- Reference: kernels written in Lua.
local mask = { "mask?", "integer", "the lanes that call it, bit 0 is lane 1's. Default: all" }

return {
  [[
## Kernels in Lua

`dc.jit` compiles a Lua function to a kernel. [Kernels in Lua](jit.md) has the language, its types, and the functions of
CUDA in full. The functions of this chapter but `dc.jit` are called in such kernels alone: indices count
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
}
