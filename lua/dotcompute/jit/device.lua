-- What the functions of kernels in Lua (dc.jit) are outside of them: casts convert numbers and arrays, so that a kernel
-- can be run as plain Lua; the others are errors.
local core = require "dotcompute.core"
local dc = require "dotcompute"
core.builtin(debug.getinfo(1, "S").source)

local device = {}

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

for name in ([[index index2 index3 thread_index block_index block_size grid_size warp_size lane_index sync_threads
  sync_warp thread_fence thread_fence_block thread_fence_system vote_all vote_any vote_ballot match_any
  sync_threads_count
  sync_threads_and sync_threads_or shuffle shuffle_up shuffle_down shuffle_xor shared local_array atomic_add atomic_min
  atomic_max atomic_and atomic_or atomic_xor atomic_exchange atomic_cas]]):gmatch "%S+" do
  device[name] = function()
    fail("argument", "dc.%s is called in kernels alone: functions that are given to dc.jit", name)
  end
end

-- A number or boolean converted as a kernel does: floats to integers drop the fraction, saturate, and NaN becomes 0;
-- integers wrap.
for _, name in ipairs(core.dtypes()) do
  local d = core.dtype(name)
  if d.kind ~= "c" then
    device[name] = function(...)
      local x = ...
      if select("#", ...) ~= 1 then fail("argument", "dc.%s takes one value, got %d", name, select("#", ...)) end
      if core.is_array(x) then return x:to(name) end
      if type(x) ~= "number" and type(x) ~= "boolean" then
        fail("argument", "dc.%s takes a number, a boolean or an array, got %s", name, core.describe(x))
      end
      local from = type(x) == "boolean" and "bool" or math.type(x) == "integer" and "int64" or "float64"
      return dc.using("cpu", function() return dc.array(x, from):to(name):item() end)
    end
  end
end

return device
