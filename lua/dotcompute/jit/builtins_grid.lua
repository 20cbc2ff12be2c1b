-- Functions of CUDA beyond the block that kernels in Lua can call: the barrier of the grid, clusters of blocks, clocks.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

return function(builtins)
  local add, act, count, values = builtins.add, builtins.act, builtins.count, builtins.values

  -- --- the grid -----------------------------------------------------------------------------------------------------

  -- emit.lua has its text; the launch of the kernel is cooperative.
  add("dc.sync_grid", function(self, n, b)
    count(self, n, b, 0)
    builtins.include(self, "cooperative_groups.h")
    self.uses.sync_grid = true
    return act(self, n, types.unknown, "dc_sync_grid()")
  end)

  -- --- clusters -----------------------------------------------------------------------------------------------------

  -- Before compute capability 9.0 each block is a cluster of its own.
  local cluster_text = [[
#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ dim3 dc_cluster_index() { return __clusterIdx(); }
static __device__ __forceinline__ dim3 dc_cluster_size() { return __clusterDim(); }
static __device__ __forceinline__ unsigned int dc_cluster_rank() { return __clusterRelativeBlockRank(); }
static __device__ __forceinline__ void dc_sync_cluster() { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
template <class T> static __device__ __forceinline__ T *dc_cluster_shared(T *p, long long rank) {
  return (T *)__cluster_map_shared_rank(p, (unsigned int)rank);
}
#else
static __device__ __forceinline__ dim3 dc_cluster_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
static __device__ __forceinline__ dim3 dc_cluster_size() { return dim3(1, 1, 1); }
static __device__ __forceinline__ unsigned int dc_cluster_rank() { return 0; }
static __device__ __forceinline__ void dc_sync_cluster() { __syncthreads(); }
template <class T> static __device__ __forceinline__ T *dc_cluster_shared(T *p, long long) { return p; }
#endif
]]

  local function of_cluster(check)
    return function(self, n, b)
      builtins.need(self, "cluster", cluster_text)
      return check(self, n, b)
    end
  end

  local some = { 1, 2147483647 }
  add("dc.cluster_index", of_cluster(values({ text = "((long long)dc_cluster_index().x + 1)" },
    { text = "((long long)dc_cluster_index().y + 1)" }, { text = "((long long)dc_cluster_index().z + 1)" })))
  add("dc.cluster_size", of_cluster(values({ text = "(long long)(int)dc_cluster_size().x", range = some },
    { text = "(long long)(int)dc_cluster_size().y", range = some },
    { text = "(long long)(int)dc_cluster_size().z", range = some })))
  add("dc.cluster_rank", of_cluster(values { text = "(long long)(int)(dc_cluster_rank() + 1)", range = some }))
  add("dc.sync_cluster", of_cluster(function(self, n, b)
    count(self, n, b, 0)
    return act(self, n, types.unknown, "dc_sync_cluster()")
  end))

  -- Whether a node may be an array in shared memory: of a function's parameter it is not known.
  local function may_be_shared(e)
    if e.op == "memory" then return e.space == "shared" end
    return e.symbol ~= nil and (e.symbol.space == nil or e.symbol.space == "shared")
  end

  -- The array of another block of the cluster that stands where this block's own does.
  add("dc.cluster_shared", of_cluster(function(self, n, b)
    count(self, n, b, 2)
    local a = self:expr(n.args[1])
    if a.type ~= types.unknown and not a.type.ndim then
      self:fail(n.args[1].at, "%s takes an array of dc.shared, but '%s' is %s", b.name, self:shown(n.args[1]),
        self:why(a))
    end
    if a.type ~= types.unknown and not may_be_shared(a) then
      self:fail(n.args[1].at, "%s takes an array of dc.shared; '%s' is not in shared memory", b.name,
        self:shown(n.args[1]))
    end
    local rank = self:integer(n.args[2], ("the rank of %s"):format(b.name))
    if rank.op == "const" and (rank.value < 1 or rank.value > 16) then
      self:fail(n.args[2].at, "%s: the rank %d is not in 1 to 16", b.name, rank.value)
    end
    return { op = "cluster_shared", type = a.type, a = a, b = rank, symbol = a.symbol, at = n.at }
  end))

  -- --- clocks -------------------------------------------------------------------------------------------------------

  add("dc.cycles", function(self, n, b)
    count(self, n, b, 0)
    return act(self, n, types.integer, "(long long)clock64()")
  end)

  add("dc.global_timer", function(self, n, b)
    count(self, n, b, 0)
    builtins.need(self, b.name, [[
static __device__ __forceinline__ long long dc_global_timer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) :: "memory");
  return (long long)now;
}
]])
    return act(self, n, types.integer, "dc_global_timer()")
  end)

  add("dc.nanosleep", function(self, n, b)
    count(self, n, b, 1)
    local e = self:integer(n.args[1], b.name)
    if e.op == "const" and (e.value < 0 or e.value > 1000000) then
      self:fail(n.args[1].at, "%s takes 0 to 1000000 nanoseconds, got %d", b.name, e.value)
    end
    return act(self, n, types.unknown, "__nanosleep((unsigned int)$1)", { e })
  end)
end
