-- The module's table: the functions of the C core, and those written in Lua, whose files are read on first use.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local dc = core.api

-- Metatable of a to-be-closed variable that restores the current device and stream.
local restore = { __close = function(before) core.restore(before[1], before[2], before[3]) end }

-- Calls fn(...) with a device, or a stream and its device, as the current one.
function dc.using(what, fn, ...)
  local before <close> = setmetatable({ core.switch(what, fn) }, restore)
  return fn(...)
end

local interface = require "dotcompute.interface"
local results = interface.results

-- A function whose file is read at the first call. The file returns a table of functions. `object`: 1 for methods.
local function at_first_call(file, name, object)
  local fn
  return function(...)
    fn = fn or interface.exact(require("dotcompute." .. file)[name], object)
    return results(fn(...))
  end
end

-- A script's `return dc.kernel(…)` must not lose the line at which the source stands.
for _, name in ipairs { "module", "kernel", "module_file", "kernel_file" } do
  dc[name] = core.entry(at_first_call("module", name))
end

local function lazy(file, ...)
  for _, name in ipairs { ... } do dc[name] = at_first_call(file, name) end
end
lazy("elementwise", "elementwise")
lazy("reduction", "reduction")
lazy("scan", "scan")
lazy("vectorize", "vectorize")
lazy("transform", "transform")
lazy("time", "time", "range")
lazy("files", "load", "save", "load_raw", "save_raw", "load_csv", "save_csv")
lazy("linalg", "outer")
lazy("progress", "progress")
lazy("memory", "memory", "memory_limit")
lazy("help", "help")
lazy("struct", "struct")
lazy("vector", "vector")
for name in ([[
  char2 char3 char4 uchar2 uchar3 uchar4 short2 short3 short4 ushort2 ushort3 ushort4 int2 int3 int4 uint2 uint3 uint4
  longlong2 longlong3 longlong4 ulonglong2 ulonglong3 ulonglong4 float2 float3 float4 double2 double3 double4
  ]]):gmatch "%S+" do
  lazy("vector", name)
end
lazy("jit", "jit")
lazy("jit.guvectorize", "guvectorize")
-- Functions for kernels in Lua.
for name in ([[
  index index2 index3 thread_index block_index block_size grid_size warp_size lane_index cluster_index cluster_size
  cluster_rank sync_threads sync_warp sync_grid sync_cluster thread_fence thread_fence_block thread_fence_system
  sync_threads_count sync_threads_and sync_threads_or
  vote_all vote_any vote_ballot match_any match_all shuffle shuffle_up shuffle_down shuffle_xor active_mask
  lane_mask_equal lane_mask_less lane_mask_less_equal lane_mask_greater lane_mask_greater_equal
  reduce_add reduce_min reduce_max reduce_and reduce_or reduce_xor
  shared dynamic_shared local_array cluster_shared atomic_add atomic_sub atomic_min atomic_max
  atomic_and atomic_or atomic_xor atomic_exchange atomic_cas atomic_inc atomic_dec atomic_load atomic_store
  cycles global_timer nanosleep
  sincos sincospi frexp remquo clz popc ffs brev mulhi mul24 hadd rhadd sad dp4a byte_perm funnelshift_l funnelshift_r
  bitcast add_rn add_rz add_ru add_rd sub_rn sub_rz sub_ru sub_rd mul_rn mul_rz mul_ru mul_rd div_rn div_rz div_ru
  div_rd fma_rn fma_rz fma_ru fma_rd rcp_rn rcp_rz rcp_ru rcp_rd sqrt_rn sqrt_rz sqrt_ru sqrt_rd
  unroll cuda extern constant random_uniform random_normal random_exponential random_integers random_bits
  fast_sin fast_cos fast_tan fast_exp fast_exp10 fast_log fast_log2 fast_log10 fast_pow fast_divide saturate
  view_as bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64
  complex64 complex128]]):gmatch "%S+" do
  lazy("jit.device", name)
end

-- A table of functions whose file is read when a name is first looked up. core.lazy: of each of these tables the
-- function that reads its file, for completion.
core.lazy = setmetatable({}, { __mode = "k" })
local function lazy_table(name)
  local function functions()
    dc[name] = require("dotcompute." .. name)
    return dc[name]
  end
  dc[name] = setmetatable({}, {
    __name = "dc." .. name,
    __index = function(_, key) return functions()[key] end,
    __newindex = function(_, key, v) functions()[key] = v end,
  })
  core.lazy[dc[name]] = functions
end
lazy_table "random"
lazy_table "image"
lazy_table "plot"
lazy_table "linalg"
lazy_table "fft"
lazy_table "testing"
lazy_table "dist"
lazy_table "profile"
lazy_table "tiles"

-- Like `lazy`, for functions whose first argument is an array; they are methods of arrays, too.
local function lazy_methods(file, ...)
  lazy(file, ...)
  for _, name in ipairs { ... } do
    core.array_method(name, dc[name])
  end
end
lazy_methods("cumulative", "cumsum", "cumprod")
lazy_methods("sort", "sort", "argsort")
lazy_methods("select", "select", "nonzero")
lazy_methods("take", "take", "scatter_add")
lazy_methods("topk", "topk")
lazy_methods("quantile", "quantile", "median")
lazy_methods("order", "unique", "searchsorted")
lazy_methods("fold", "reduce", "segmented_reduce")
lazy_methods("partition", "partition")
lazy_methods("histogram", "bincount", "histogram")
lazy("rearrange", "concat", "stack")
lazy_methods("distribute", "scatter")
lazy("distribute", "gather", "parallel")
lazy("comm", "world", "rank", "comm")
lazy_methods("rearrange", "tile", "repeat_", "flip", "diagonal", "roll", "pad")
lazy("texture", "texture", "surface")
lazy("tensor_map", "tensor_map")
for _, type in ipairs { "texture", "surface" } do
  for _, name in ipairs { "update", "array", "shape" } do
    core.texture_method(type, name, at_first_call("texture", name, 1))
  end
end
core.method("explain", at_first_call("explain", "explain", 1))
interface.module(dc)

core.modules["dotcompute.api"] = dc -- this file may be read before core has its searcher (src/lua/bytecode.c)
return dc
