-- Where the elements of distributed arrays are: gather, redistribute, transpose, and blocks with margins for the
-- neighbours' elements.
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local object = require "dotcompute.dist.object"
local exchange = require "dotcompute.dist.exchange"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local methods = object.methods

-- --- the whole ----------------------------------------------------------------------------------------------------

local gather_signature = { "d", "root", known = { root = "any" },
  usage = { "a distributed array", "perhaps the rank that gets the whole (all)" } }

function methods.gather(...)
  local o = arguments.read("gather", gather_signature, ...)
  local s = object.check("gather", o.d)
  local comm, n = s.comm, s.shape[s.axis]
  local root = o.root ~= nil and algorithm.integer("gather", "the root", o.root, 0, comm.size - 1) or nil
  if root == nil and not comm.parts and n % comm.size == 0 and s.axis == 1 then return comm:all_gather(s.parts[1]) end
  local out, into, whole = {}, {}, nil
  for k, place in ipairs(object.places(comm)) do
    out[k], into[k] = {}, {}
    for r = 1, comm.size do
      if root == nil or root == r - 1 then out[k][r] = s.parts[k] end
    end
    -- of dc.comm(devices) one array, on the first device or that of the root
    if place.rank == (root or (comm.parts and 0 or place.rank)) then
      whole = algorithm.empty(place.device, s.shape, s.dtype)
      for r = 1, comm.size do
        local first, last = object.bounds(n, r, comm.size)
        into[k][r] = algorithm.range(whole, s.axis, first, last)
      end
    end
  end
  exchange.run(comm, out, into)
  return whole
end

-- --- another axis -------------------------------------------------------------------------------------------------

-- The same array distributed along another axis: each rank sends each other one a block, n/p^2 elements.
function methods.redistribute(d, axis)
  local s = object.check("redistribute", d)
  if axis == nil then fail("argument", "redistribute takes the axis of the new distribution") end
  local to = algorithm.axis("redistribute", axis, s.ndim)
  if to == s.axis then return d end
  local comm, out, into = s.comm, {}, {}
  local result = object.empty(comm, to, s.shape, s.dtype)
  for k in ipairs(s.parts) do
    out[k], into[k] = {}, {}
    for r = 1, comm.size do
      local first, last = object.bounds(s.shape[to], r, comm.size)
      out[k][r] = algorithm.range(s.parts[k], to, first, last)
      first, last = object.bounds(s.shape[s.axis], r, comm.size)
      into[k][r] = algorithm.range(result.state.parts[k], s.axis, first, last)
    end
  end
  exchange.run(comm, out, into)
  return result
end

-- The axes in another order (by default reversed): views of the blocks; nothing is communicated.
function methods.transpose(d, ...)
  local s = object.check("transpose", d)
  local list = arguments.list("transpose", {}, ...)
  if #list == 0 then
    for a = 1, s.ndim do list[a] = s.ndim + 1 - a end
  end
  local parts, shape, axis = {}, {}, nil
  for k, part in ipairs(s.parts) do parts[k] = part:transpose(list) end -- raises for wrong axes
  for to, from in ipairs(list) do
    from = algorithm.axis("transpose", from, s.ndim)
    shape[to] = s.shape[from]
    if from == s.axis then axis = to end
  end
  return object.new(s.comm, axis, shape, parts)
end
function methods.t(d)
  if object.check("t", d).ndim ~= 2 then fail("shape", "t: a matrix expected; d:transpose(axes) takes any array") end
  return (methods.transpose(d))
end

-- --- margins ------------------------------------------------------------------------------------------------------

local halo_signature = { "d", "width", required = 2, known = { periodic = "boolean" },
  usage = { "a distributed array", "a width", "perhaps options" } }

-- halo(width [, {periodic = true}]): a copy whose blocks lie in larger arrays, padded(k), with `width` more elements
-- at both ends of the axis for those of the neighbours, which exchange() fills. At the ends of the whole array the
-- margins are 0 until the script writes them, or with `periodic` those of the other end.
function methods.halo(...)
  local o = arguments.read("halo", halo_signature, ...)
  local s = object.check("halo", o.d)
  local n, width = s.shape[s.axis], algorithm.integer("halo", "the width", o.width, 0)
  if n // s.comm.size < width then
    fail("shape", "halo: a margin of %d, but the smallest block has %d elements along axis %d", width,
      n // s.comm.size, s.axis)
  end
  local padded = {}
  local h = object.make(s.comm, s.axis, s.shape, function(place, first, last, own)
    own[s.axis] = own[s.axis] + 2 * width
    local k = place.k
    padded[k] = algorithm.zeros(place.device, own, s.dtype)
    local inner = algorithm.range(padded[k], s.axis, width + 1, width + last - first + 1)
    if inner.size > 0 then inner:copy_from(s.parts[k]) end
    return inner
  end)
  local state = h.state
  state.padded, state.width, state.periodic = padded, width, o.periodic or false
  return methods.exchange(h)
end

local function with_margins(fname, d)
  local s = object.check(fname, d)
  if not s.padded then fail("argument", "%s: the distributed array has no margins; x:halo(width) makes one", fname) end
  return s
end

function methods.padded(d, k)
  return (object.pick("padded", with_margins("padded", d).padded, k))
end

local function add(lists, r, a)
  lists[r] = lists[r] or {}
  table.insert(lists[r], a)
end

-- Writes the neighbours' elements into the margins.
function methods.exchange(d)
  local s = with_margins("exchange", d)
  local comm, w, p = s.comm, s.width, s.comm.size
  if w == 0 then return d end
  local out, into = {}, {}
  for k, place in ipairs(object.places(comm)) do
    local part, whole, n = s.parts[k], s.padded[k], (select(s.axis, s.parts[k]:shape()))
    out[k], into[k] = {}, {}
    -- First the end of each block to the margin before the next one, then the beginnings, since with two periodic ranks
    -- both are messages between the same two.
    for _, up in ipairs { 1, -1 } do
      local to, from = place.rank + up, place.rank - up
      if s.periodic then to, from = to % p, from % p end
      local sent, margin = up == 1 and n - w or 0, up == 1 and 0 or w + n -- elements before them
      if to >= 0 and to < p then add(out[k], to + 1, algorithm.range(part, s.axis, sent + 1, sent + w)) end
      if from >= 0 and from < p then add(into[k], from + 1, algorithm.range(whole, s.axis, margin + 1, margin + w)) end
    end
  end
  exchange.run(comm, out, into)
  return d
end

return {}
