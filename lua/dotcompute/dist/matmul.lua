-- Products of matrices of which one or both are distributed. With the letters of (m, k) times (k, n):
--
--   both along k, or one along k and the other whole: each rank multiplies its columns of a by its rows of b; the sum
--     over ranks is distributed along m (comm:reduce_scatter)
--   a along m, b whole: no communication; the result is distributed along m
--   a whole, b along n: no communication; the result is distributed along n
--   a along m, b along n: a ring: the blocks of b go from rank to rank, and each rank writes the columns of its rows
--     that belong to the block it has. The next block travels, in a stream of its own, while a product is computed
--   a along m, b along k, or a along k, b along n: the operand divided along k is redistributed, then the ring
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local object = require "dotcompute.dist.object"
local exchange = require "dotcompute.dist.exchange"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

-- --- along k ------------------------------------------------------------------------------------------------------

-- The elements first..last of axis `axis` that a rank has of an operand, whole or distributed.
local function slice_of(v, k, axis, first, last, device)
  if object.is(v) then return v.state.parts[k] end
  return object.on_device(algorithm.range(v, axis, first, last), device)
end

local function along_k(comm, a, b, shape, length)
  local partial = {}
  for k, place in ipairs(object.places(comm)) do
    local first, last = object.bounds(length, place.rank + 1, comm.size)
    local left, right = slice_of(a, k, 2, first, last, place.device), slice_of(b, k, 1, first, last, place.device)
    partial[k] = left:matmul(right)
  end
  local dtype
  partial, dtype = exchange.reducible(partial)
  local op = dtype == "bool" and "max" or "sum" -- a product of bool is whether any pair of elements is true
  if shape[1] % comm.size == 0 then
    local parts = comm.parts and comm:reduce_scatter(partial, op) or { comm:reduce_scatter(partial[1], op) }
    for k, part in ipairs(parts) do parts[k] = part:to(dtype) end
    return object.new(comm, 1, shape, parts)
  end
  local sums = comm.parts and comm:all_reduce(partial, op, { out = partial })
    or { comm:all_reduce(partial[1], op, { out = partial[1] }) }
  return object.make(comm, 1, shape, function(place, first, last)
    return algorithm.range(sums[place.k], 1, first, last):to(dtype):copy()
  end)
end

-- --- the ring -----------------------------------------------------------------------------------------------------

local streams = setmetatable({}, { __mode = "k" }) -- by communicator: of each place the stream in which blocks travel

local function streams_of(comm)
  local list = streams[comm]
  if not list then
    list = {}
    for k, place in ipairs(object.places(comm)) do list[k] = dc.stream(place.device) end
    streams[comm] = list
  end
  return list
end

-- Sends block[k] to the rank before and receives the block of the rank behind, which in turn `turn` has the columns of
-- rank (place + turn) % p. Issued on each device's second stream.
local function pass_on(comm, blocks, b, turn)
  local s, p, received = b.state, comm.size, {}
  local list = streams_of(comm)
  for k, place in ipairs(object.places(comm)) do
    local first, last = object.bounds(s.shape[2], (place.rank + turn) % p + 1, p)
    received[k] = algorithm.empty(place.device, { s.shape[1], last - first + 1 }, s.dtype)
  end
  if comm.parts then
    for k, target in ipairs(received) do
      dc.using(list[k], function() target:copy_from(blocks[k % p + 1]) end)
    end
  else
    local before, behind = (comm.rank - 1) % p + 1, (comm.rank + 1) % p + 1
    dc.using(list[1], exchange.run, comm, { { [before] = blocks[1] } }, { { [behind] = received[1] } })
  end
  return received
end

local function ring(comm, a, b, shape)
  local p, n = comm.size, b.state.shape[2]
  local blocks = {}
  for k, part in ipairs(b.state.parts) do blocks[k] = algorithm.flat(part) end
  local c
  for turn = 0, p - 1 do
    local coming = turn < p - 1 and pass_on(comm, blocks, b, turn + 1) or nil
    for k, place in ipairs(object.places(comm)) do
      local product = a.state.parts[k]:matmul(blocks[k])
      c = c or object.empty(comm, 1, shape, product.dtype)
      local first, last = object.bounds(n, (place.rank + turn) % p + 1, p)
      local columns = algorithm.range(c.state.parts[k], 2, first, last)
      if columns.size > 0 then columns:copy_from(product) end
      product:close()
      if turn > 0 then blocks[k]:close() end
    end
    blocks = coming
  end
  return c
end

-- --- all ----------------------------------------------------------------------------------------------------------

local function operand(v, what)
  if object.is(v) then
    object.check("matmul", v)
  elseif not core.is_array(v) then
    fail("argument", "matmul: %s is an array or a distributed array, got %s", what, core.describe(v))
  end
  return v
end

local function matmul(a, b)
  operand(a, "the first operand")
  operand(b, "the second operand")
  local left, right = object.is(a) and a.axis, object.is(b) and b.axis -- axes; false: a plain array
  if not left and not right then return a:matmul(b) end
  local comm = left and a.comm or b.comm
  if left and right and a.comm ~= b.comm then
    fail("argument", "matmul: the operands are distributed by different communicators")
  end
  if a.ndim ~= 2 or b.ndim < 1 or b.ndim > 2 then
    fail("shape", "matmul: a matrix times a matrix or a vector, got arrays of %d and %d axes", a.ndim, b.ndim)
  end
  local sa, sb = { a:shape() }, { b:shape() }
  if sa[2] ~= sb[1] then
    fail("shape", "matmul: (%d, %d) times (%s): the inner extents differ", sa[1], sa[2], table.concat(sb, ", "))
  end
  local shape = { sa[1], sb[2] }
  if (left == 2 and right ~= 2) or (right == 1 and not left) then return along_k(comm, a, b, shape, sa[2]) end
  if not right then -- a along m
    return object.make(comm, 1, shape, function(place)
      return a.state.parts[place.k]:matmul(object.on_device(b, place.device))
    end)
  end
  if not left then -- b along n
    return object.make(comm, 2, shape, function(place)
      return object.on_device(a, place.device):matmul(b.state.parts[place.k])
    end)
  end
  if b.ndim == 1 then
    fail("shape", "matmul: a matrix distributed along axis 1 times a distributed vector: gather the vector "
      .. "(v:gather()), or distribute the matrix along axis 2")
  end
  if left == 2 then a = a:redistribute(1) end
  if right == 1 then b = b:redistribute(2) end
  return ring(comm, a, b, shape)
end
object.methods.matmul = matmul

return { matmul = matmul }
