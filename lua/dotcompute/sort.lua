-- sort and argsort: a stable radix sort by digits of 8 bits, the least significant first (after Adinets and Merrill,
-- "Onesweep", 2022).
--
--   rows of up to 128:      a thread for each element counts the elements before it; on the CPU device, of many rows, a
--                           lane sorts a row by a network
--   rows that fit a block:  a block sorts a row in shared memory, one digit after another
--   longer rows:            one pass counts all digits; then in a pass for each digit each block sorts a tile in shared
--                           memory, finds the positions of its digits by decoupled look-back, and writes runs of keys
--                           there. Each pass reads and writes every key once
--   on the CPU device:      without indices by the device's own sort, where that has the keys' dtype; else all but
--                           short rows by sort_serial.lua, once that is native code
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local text = require "dotcompute.sort_text"
local serial = require "dotcompute.sort_serial"
core.builtin(debug.getinfo(1, "S").source)

local empty, zeros = algorithm.empty, algorithm.zeros
local SHORT, MANY = 128, 64
local LEAST_BINS, MOST_BINS = 8192, 65536 -- keys counted by a block

-- Elements of a thread: a tile's keys and indices must fit into shared memory.
local function items_for(bytes) return bytes > 4 and 10 or 20 end

local function kernel_for(device, what, v)
  local key = ("%s %s %s %s %s %s %s %s %s"):format(v.dtype.name, v.descending, v.items, v.wide, v.pay, v.first,
    v.last, v.keys, v.width)
  return algorithm.kernel(device, "dc_sort_" .. what, key, text[what == "rows" and "block" or what], v)
end

-- --- the three algorithms ---------------------------------------------------------------------------------------

local function short_rows(job, v)
  v.width = 32
  while v.width < job.total do v.width = v.width * 2 end
  v.pay = job.index and "int" or nil
  if not algorithm.is_gpu(job.device) and job.rows >= MANY then
    kernel_for(job.device, "network", v)((job.rows + 31) // 32, 32, job.to or dc.null, job.from, job.index or dc.null,
      job.total, job.rows)
    return
  end
  kernel_for(job.device, "short", v)((job.rows * v.width + 255) // 256, 256, job.to or dc.null, job.from,
    job.index or dc.null, job.total, job.rows)
end

local function block_rows(job, v)
  v.items = 1
  while v.items * text.THREADS < job.total do v.items = v.items * 2 end
  v.items = math.min(v.items, items_for(job.dtype.size))
  v.pay = job.index and "unsigned short" or nil
  kernel_for(job.device, "rows", v)(job.rows, text.THREADS, job.to or dc.null, job.from, job.index or dc.null,
    job.total)
end

-- The first position of each digit, for all rows and passes.
local function count_digits(job, wide)
  local bins = zeros(job.device, job.rows * job.dtype.size * 256, "uint64")
  local even = job.rows * job.total // (2 * job.device.multiprocessors)
  local length = math.max(LEAST_BINS, math.min(MOST_BINS, even))
  local pieces = (job.total + length - 1) // length
  local v = { dtype = job.dtype, descending = job.descending, wide = wide }
  kernel_for(job.device, "bins", v)(job.rows * pieces, 256, bins, job.from, job.total, pieces, length)
  algorithm.kernel(job.device, "dc_sort_starts", "", text.starts)(job.rows * job.dtype.size, 256, bins)
  return bins
end

local function long_rows(job, v)
  local device, size, passes, n = job.device, job.dtype.size, job.passes, job.rows * job.total
  v.wide = n > algorithm.narrow // 2 -- two bits of a word are flags
  v.pay = job.index and (v.wide and "unsigned long long" or "unsigned int") or nil
  v.items = items_for(math.max(size, v.pay and v.wide and 8 or 0))
  local bins = count_digits(job, v.wide)
  local tile = text.THREADS * v.items
  local pieces = (job.total + tile - 1) // tile
  local blocks = job.rows * pieces
  local state = zeros(device, 8 + passes * blocks * (v.wide and 256 or 128), "uint64")
  local function memory(count, dtype) return count > 0 and empty(device, n, dtype) or dc.null end
  local key_type, pay_type = "uint" .. 8 * size, v.wide and "uint64" or "uint32"
  -- keys alternate between two buffers, so that the last pass writes the result; argsort's last pass writes no keys
  local spare = { memory(passes - 1, key_type), job.to or memory(passes - 2, key_type) }
  local pays = { memory(v.pay and passes - 1 or 0, pay_type), memory(v.pay and passes - 2 or 0, pay_type) }
  local from, pay_from = job.from, dc.null
  for pass = 0, passes - 1 do
    local left = passes - 1 - pass
    local to, pay_to = spare[2 - left % 2], v.pay and pays[2 - left % 2] or dc.null
    if left == 0 and v.pay then pay_to = job.index end
    local w = setmetatable({ first = pass == 0, last = left == 0, keys = left > 0 or job.to ~= nil }, { __index = v })
    kernel_for(device, "pass", w)(blocks, text.THREADS, w.keys and to or dc.null, from, pay_to, pay_from, bins, state,
      job.total, pieces, 8 * pass, pass, size)
    from, pay_from = to, pay_to
  end
  algorithm.free(job.to, bins, state, spare[1], spare[2], pays[1], pays[2])
end

-- --- calls ------------------------------------------------------------------------------------------------------

local sort = {}

-- Sorts the rows, of `total` elements, of a contiguous array. Returns sorted keys and indices, nil for those not
-- wanted. `passes`: for ascending unsigned keys the number of low bytes that may be nonzero; nil: all.
function sort.rows(from, total, descending, want_keys, want_index, passes)
  local dtype, device, shape = algorithm.dtype(from), from.device, { from:shape() }
  if from.size > 0 and algorithm.by_host() then
    local to, index = core.host_sort(from, total, descending, want_keys, want_index)
    if to or index then return to, index end
  end
  local job = { from = from, device = device, dtype = dtype, total = total, descending = descending,
    rows = total > 0 and from.size // total or 0, passes = passes or dtype.size }
  job.to = want_keys and empty(device, shape, dtype.name) or nil
  job.index = want_index and empty(device, shape, "int64") or nil
  local by_library = not want_index and not algorithm.as_gpu and not algorithm.serial
  if from.size == 0 or (by_library and core.sort_rows(from, job.to, descending)) then
    return job.to, job.index
  end
  local v = { dtype = dtype, descending = descending, keys = want_keys, wide = from.size > algorithm.narrow }
  if total <= SHORT then short_rows(job, v)
  elseif not algorithm.is_gpu(device) and serial.rows(job) then return job.to, job.index
  elseif total <= text.THREADS * items_for(dtype.size) then block_rows(job, v)
  else long_rows(job, v) end
  return job.to, job.index
end

local signatures = {
  argsort = { "a", "axis", list = "axis", usage = { "an array", "perhaps an axis and options" },
    known = { axis = "any", descending = "boolean", less = "any", key = "any", offsets = "any" } },
  sort = { "a", "axis", list = "axis", usage = { "an array", "perhaps an axis and options" },
    known = { axis = "any", descending = "boolean", less = "any", key = "any", offsets = "any", values = "any" } },
}

local function sorted(fname, keys, index, ...)
  if select("#", ...) == 1 and algorithm.by_host() then
    local few, places = core.host_sort((...), nil, false, keys, index)
    if few or places then return few or places end
  end
  local o = arguments.read(fname, signatures[fname], ...)
  local by = o.less ~= nil or o.key ~= nil or o.offsets ~= nil or o.values ~= nil
  local is_struct = algorithm.is_struct_array(o.a)
  by = (by or is_struct) and require "dotcompute.sort_by"
  local a = is_struct and o.a or algorithm.array(fname, "the first argument", o.a)
  if o.less == nil and o.key == nil and not is_struct then algorithm.refuse_complex(fname, a, "have no order") end
  local axis = algorithm.axis(fname, o.axis, a.ndim)
  if by then return by.sort(fname, a, axis, index, o) end
  local total = select(axis, a:shape())
  local from, order = algorithm.axis_last(a, axis)
  local to, places = sort.rows(from, total, o.descending or false, keys, index)
  local sorted_rows = keys and to or core.index_promise(places, total, places.size == total)
  local result = algorithm.axis_back(sorted_rows, order)
  algorithm.free(a, from)
  algorithm.free(result, sorted_rows)
  return result
end

function sort.sort(...) return sorted("sort", true, false, ...) end
function sort.argsort(...) return sorted("argsort", false, true, ...) end

return sort
