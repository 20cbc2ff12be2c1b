-- Sorting distributed arrays of one axis by regular samples (Shi and Schaeffer, "Parallel sorting by regular sampling",
-- 1992): each rank sorts its block and gives SAMPLES elements at equal distances; the sorted samples of all give p - 1
-- splitters, by which each rank divides its block among the ranks; each sorts what it receives. Elements equal to a
-- splitter are divided evenly, so that arrays of few different values stay balanced, too. Then blocks get their regular
-- lengths.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local object = require "dotcompute.dist.object"
local exchange = require "dotcompute.dist.exchange"
core.builtin(debug.getinfo(1, "S").source)

local SAMPLES <const> = 32 -- of each rank; a rank receives at most about n/p * (1 + p/SAMPLES) elements
local methods = object.methods

-- Keys whose ascending order is the descending one of `a`, and back; NaN stays last.
local function reversed(a)
  local kind = core.dtype(a.dtype).kind
  if kind == "b" then return a:logical_not() end
  return kind == "f" and -a or ~a
end

-- Where a sorted block is cut for the ranks: a list of p + 1 counts of elements before, from 0 to all.
local function cuts(sorted, splitters, p)
  local n = sorted.size
  local below, upto = sorted:searchsorted(splitters):to_table(), sorted:searchsorted(splitters, "right"):to_table()
  local list, j = { [0] = 0, [p] = n }, 1
  while j < p do -- a run of splitters with the same two counts shares the elements that are equal to them
    local last = j
    while last + 1 < p and below[last + 1] == below[j] and upto[last + 1] == upto[j] do last = last + 1 end
    for i = j, last do
      list[i] = below[j] - 1 + (upto[j] - below[j]) * (i - j + 1) // (last - j + 2)
    end
    j = last + 1
  end
  return list
end

local function sort_blocks(s)
  local comm, p = s.comm, s.comm.size
  local places, sorted, samples = object.places(comm), {}, {}
  for k, part in ipairs(s.parts) do
    sorted[k] = part:sort()
    local step = part.size // SAMPLES
    samples[k] = sorted[k][{ { step // 2 + 1, step // 2 + 1 + (SAMPLES - 1) * step, step } }]:copy()
  end
  local all = exchange.all_gather(comm, samples):reshape(-1):sort()
  local splitters = all[{ { SAMPLES, (p - 1) * SAMPLES, SAMPLES } }]:copy()
  local cut, counts = {}, {}
  for k, part in ipairs(sorted) do
    cut[k] = cuts(part, object.on_device(splitters, part.device), p)
    counts[k] = {}
    for r = 1, p do counts[k][r] = cut[k][r] - cut[k][r - 1] end
  end
  counts = exchange.integers(comm, counts)
  local out, into, received, lengths = {}, {}, {}, {}
  for r = 1, p do
    lengths[r] = 0
    for from = 1, p do lengths[r] = lengths[r] + counts[from][r] end
  end
  for k, place in ipairs(places) do
    out[k], into[k] = {}, {}
    received[k] = algorithm.empty(place.device, lengths[place.rank + 1], s.dtype)
    local at = 0
    for r = 1, p do
      if cut[k][r] > cut[k][r - 1] then out[k][r] = sorted[k][{ { cut[k][r - 1] + 1, cut[k][r] } }] end
      local n = counts[r][place.rank + 1]
      if n > 0 then into[k][r] = received[k][{ { at + 1, at + n } }] end
      at = at + n
    end
  end
  exchange.run(comm, out, into)
  for k, a in ipairs(received) do received[k] = a:sort() end
  return exchange.balance(comm, 1, s.shape, received, lengths)
end

-- Arrays with fewer elements than samples: each rank sorts all of them.
local function sort_small(d)
  return object.scatter(d.comm, 1, d:gather():sort())
end

local signature = { "d", "axis", list = "axis", known = { axis = "any", descending = "boolean" },
  usage = { "a distributed array", "perhaps an axis (the last) and options" } }

function methods.sort(...)
  local o = arguments.read("sort", signature, ...)
  local s = object.check("sort", o.d)
  algorithm.refuse_complex("sort", s.parts[1], "have no order")
  local axis, d = algorithm.axis("sort", o.axis, s.ndim), o.d
  if s.ndim > 1 then
    local other = axis == s.axis and (axis == 1 and 2 or 1) or s.axis
    return object.map(d:redistribute(other), function(part)
      return part:sort { axis = axis, descending = o.descending }
    end):redistribute(s.axis)
  end
  if o.descending then d = object.map(d, reversed) end
  local sorted = s.shape[1] // s.comm.size < SAMPLES and sort_small(d) or sort_blocks(d.state)
  return o.descending and object.map(sorted, reversed) or sorted
end

return {}
