-- Communication of distributed arrays, by the communicator: the same for one rank a process and for the devices of one.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local object = require "dotcompute.dist.object"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local exchange = {}

-- An entry of exchange.run as a list of arrays with elements.
local function arrays(entry)
  local list = {}
  for _, a in ipairs(core.is_array(entry) and { entry } or entry or {}) do
    if a.size > 0 then list[#list + 1] = a end
  end
  return list
end

-- Blocks of any size from each rank to each, together. out[k][r + 1] is the array, or the list of arrays, that place k
-- sends to rank r, into[k][r + 1] those, of the same shapes, that receive what rank r sends to place k; nil: none.
function exchange.run(comm, out, into)
  if comm.parts then
    for k, targets in ipairs(into) do
      for r = 1, comm.size do
        local sources = arrays(out[r][k])
        for i, target in ipairs(arrays(targets[r])) do target:copy_from(sources[i]) end
      end
    end
    return
  end
  local mine = comm.rank + 1
  if comm.size > 1 then
    comm:group(function()
      for r = 1, comm.size do
        if r ~= mine then
          for _, a in ipairs(arrays(out[1][r])) do comm:send(a, r - 1) end
          for _, a in ipairs(arrays(into[1][r])) do comm:recv(a, r - 1) end
        end
      end
    end)
  end
  local sources = arrays(out[1][mine])
  for i, target in ipairs(arrays(into[1][mine])) do target:copy_from(sources[i]) end
end

-- The arrays in a dtype that every library reduces, and their own dtype. NCCL does not reduce 16-bit integers.
function exchange.reducible(list)
  local dtype, given = list[1].dtype, {}
  if dtype ~= "int16" and dtype ~= "uint16" then return list, dtype end
  for k, a in ipairs(list) do given[k] = a:to "int32" end
  return given, dtype
end

-- The reduction of one array for each place: on each process one array, of dc.comm(devices) on the first device.
function exchange.all_reduce(comm, list, op)
  local given, dtype = exchange.reducible(list)
  local result
  if comm.parts then result = comm:all_reduce(given, op)[1] else result = comm:all_reduce(given[1], op) end
  return result:to(dtype)
end

-- The arrays of all ranks, which have one shape, beside each other along a new first axis.
function exchange.all_gather(comm, list)
  local given = {}
  for k, a in ipairs(list) do given[k] = a:reshape(1, a:shape()) end
  if comm.parts then return comm:all_gather(given)[1] end
  return comm:all_gather(given[1])
end

-- Lists of n integers, one list for each place, as a list of those of all ranks.
function exchange.integers(comm, lists)
  if comm.parts or comm.size == 1 then return lists end
  local mine = algorithm.on(comm.device, dc.array, lists[1], "int64")
  return comm:all_gather(mine:reshape(1, #lists[1])):to_table()
end

-- Raises the error on all ranks where one of them has one: `err` is that of this process, or nil. The ranks without
-- one name the first that has.
function exchange.agree(fname, comm, err)
  local failed = exchange.integers(comm, { { err and 1 or 0 } })
  if err then error(err, 0) end
  for r, list in ipairs(failed) do
    if list[1] ~= 0 then fail("io", "%s: rank %d has failed; its message says why", fname, r - 1) end
  end
end

-- An array of `shape` from blocks of other lengths along the axis: lengths[r + 1] of rank r, parts[k] of place k.
function exchange.balance(comm, axis, shape, parts, lengths)
  local before, n = { 0 }, shape[axis]
  for r = 1, comm.size do before[r + 1] = before[r] + lengths[r] end
  -- The elements that old block `a` and new block `b` have in common: first and last in the whole.
  local function common(a, b)
    local first, last = object.bounds(n, b, comm.size)
    return math.max(first, before[a] + 1), math.min(last, before[a + 1])
  end
  local out, into = {}, {}
  local d = object.empty(comm, axis, shape, parts[1].dtype)
  for k, place in ipairs(object.places(comm)) do
    local mine = place.rank + 1
    local start = object.bounds(n, mine, comm.size)
    out[k], into[k] = {}, {}
    for r = 1, comm.size do
      local first, last = common(mine, r)
      if first <= last then out[k][r] = algorithm.range(parts[k], axis, first - before[mine], last - before[mine]) end
      first, last = common(r, mine)
      if first <= last then
        into[k][r] = algorithm.range(d.state.parts[k], axis, first - start + 1, last - start + 1)
      end
    end
  end
  exchange.run(comm, out, into)
  return d
end

return exchange
