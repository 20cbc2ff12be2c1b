-- Runs on every rank (spec/comm/ranks_spec.lua): each operation with random data against plain Lua. All ranks draw the
-- same data, those of all ranks, from the seed. Prints "rank R done" at the end.
local dc = require "dotcompute"
local comm = dc.world()
local rank, size = comm.rank, comm.size
math.randomseed(tonumber(arg[1]))

local function fails(kind, pattern, fn)
  local ok, err = pcall(fn)
  assert(not ok and err.kind == kind and err.message:find(pattern), tostring(err))
end

local dtypes = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
  "float32", "float64", "complex64", "complex128", "bool" }

-- Small whole numbers, of which sums and products are exact in every dtype; wrapped integers are tried apart.
local function number(dtype)
  if dtype == "bool" then return math.random(2) == 1 end
  local low = (dtype:find "uint" and 0) or -3
  return math.random(low, 3)
end
local function data(n, dtype)
  local all = {}
  for r = 1, size do
    all[r] = {}
    for i = 1, n do all[r][i] = number(dtype) end
  end
  return all
end

local fold = {
  sum = function(a, b) return a + b end,
  prod = function(a, b) return a * b end,
  min = function(a, b) if type(a) == "boolean" then return a and b end return math.min(a, b) end,
  max = function(a, b) if type(a) == "boolean" then return a or b end return math.max(a, b) end,
}
local function reduced(all, op)
  local want = {}
  for i = 1, #all[1] do
    want[i] = all[1][i]
    for r = 2, size do want[i] = fold[op](want[i], all[r][i]) end
  end
  return want
end

local function same(want, got, text)
  assert(got.size == #want, ("%s: %d elements, not %d"):format(text, got.size, #want))
  local flat = got:reshape(-1)
  for i = 1, #want do
    local v = flat[i]
    if type(v) ~= "number" and type(v) ~= "boolean" then
      assert(v.im == 0, text)
      v = v.re
    end
    assert(v == want[i], ("%s: element %d is %s, not %s"):format(text, i, tostring(v), tostring(want[i])))
  end
end

-- An array of these numbers: contiguous, every second element of another, or a pending expression.
local function array(values, dtype)
  local a = dc.array(values, dtype)
  local how = math.random(3)
  if how == 1 or dtype == "bool" then return a end
  if how == 2 then
    local wide = dc.zeros(2 * #values, dtype)
    local view = wide[{ { 1, 2 * #values, 2 } }]
    view:copy_from(a)
    return view
  end
  return a + dc.zeros(#values, dtype)
end

local function ops_of(dtype)
  if dtype == "bool" then return { "min", "max" } end
  if dtype:find "complex" then return { "sum", "prod" } end
  return { "sum", "prod", "min", "max" }
end

for _, dtype in ipairs(dtypes) do
  local n = math.random(1, 300)
  for _, op in ipairs(ops_of(dtype)) do
    local all = data(n, dtype)
    local mine, want, text = all[rank + 1], reduced(all, op), op .. " of " .. dtype
    local a = array(mine, dtype)
    same(want, comm:all_reduce(a, op), "all_reduce, " .. text)
    same(mine, a, "the source, " .. text)
    same(want, comm:all_reduce(a, { op = op, out = a }), "all_reduce in place, " .. text)
    same(want, a, "all_reduce in place, " .. text)
    local root = math.random(0, size - 1)
    local got = comm:reduce(array(mine, dtype), root, op)
    assert((got ~= nil) == (rank == root), "reduce gives the root a result")
    if got then same(want, got, "reduce, " .. text) end
    local blocks = data(n * size, dtype)
    local whole = reduced(blocks, op)
    same(table.move(whole, rank * n + 1, (rank + 1) * n, 1, {}),
      comm:reduce_scatter(array(blocks[rank + 1], dtype), op), "reduce_scatter, " .. text)
  end

  local all = data(n, dtype)
  local root = math.random(0, size - 1)
  local a = array(all[rank + 1], dtype)
  assert(comm:broadcast(a, root) == a)
  same(all[root + 1], a, "broadcast of " .. dtype)
  local want = {}
  for r = 1, size do table.move(all[r], 1, n, #want + 1, want) end
  same(want, comm:all_gather(array(all[rank + 1], dtype)), "all_gather of " .. dtype)
  local blocks = data(n * size, dtype)
  want = {}
  for r = 1, size do table.move(blocks[r], rank * n + 1, (rank + 1) * n, #want + 1, want) end
  same(want, comm:all_to_all(array(blocks[rank + 1], dtype)), "all_to_all of " .. dtype)
  local target = dc.zeros(2 * n, dtype)[{ { 2, 2 * n, 2 } }]
  local own = array(all[rank + 1], dtype)
  comm:group(function()
    comm:send(own, (rank + 1) % size)
    comm:recv(target, (rank - 1) % size)
  end)
  same(all[(rank - 1) % size + 1], target, "messages around, " .. dtype)
end

-- Pending expressions that read what an operation overwrites keep its old values; in a group, too.
for _, grouped in ipairs { false, true } do
  local n <const> = math.random(1, 300)
  local all, other = data(n, "float32"), data(n, "float32")[rank + 1]
  local source, own, out = dc.array(all[rank + 1]), dc.array(all[rank + 1]), dc.array(other)
  local read_own, read_out = own + 0, out + 0
  local function run()
    comm:all_reduce(source, { out = out })
    comm:all_reduce(own, { out = own })
  end
  if grouped then comm:group(run) else run() end
  same(all[rank + 1], read_own, "what was read before an operation in place")
  same(other, read_out, "what was read before an operation with a target")
  same(reduced(all, "sum"), own, "in place of what was read")
  same(reduced(all, "sum"), out, "over what was read")
end

-- Prepared operations give what the arrays hold at each call; strided targets and pending sources, too.
local function part_of(values, r, n) return table.move(values, r * n + 1, (r + 1) * n, 1, {}) end
for _, dtype in ipairs { "float32", "int16", "complex64", "bool" } do
  local op, root, n = ops_of(dtype)[1], math.random(0, size - 1), math.random(1, 60)
  local function target(elements)
    if math.random(2) == 1 then return dc.zeros(elements, dtype) end
    return dc.zeros(2 * elements, dtype)[{ { 1, 2 * elements, 2 } }]
  end
  local a, one, all = array(data(n * size, dtype)[rank + 1], dtype), target(n * size), target(n * size * size)
  local part, own = target(n), dc.zeros(n * size, dtype)
  local mine = rank == root and { out = one } or {}
  local steps = {
    all_reduce = comm:prepare("all_reduce", a, op, { out = one }), reduce = comm:prepare("reduce", a, root, op, mine),
    all_gather = comm:prepare("all_gather", a, { out = all }), broadcast = comm:prepare("broadcast", own, root),
    reduce_scatter = comm:prepare("reduce_scatter", a, { op = op, out = part }),
    all_to_all = comm:prepare("all_to_all", a, { out = one }),
  }
  for _ = 1, 3 do
    local values = data(n * size, dtype)
    local whole, gathered, exchanged = reduced(values, op), {}, {}
    for r = 1, size do
      table.move(values[r], 1, n * size, #gathered + 1, gathered)
      table.move(part_of(values[r], rank, n), 1, n, #exchanged + 1, exchanged)
    end
    a:copy_from(dc.array(values[rank + 1], dtype))
    own:copy_from(a)
    assert(steps.all_reduce() == one and steps.all_gather() == all and steps.reduce_scatter() == part)
    same(whole, one, "a prepared all_reduce of " .. dtype)
    same(gathered, all, "a prepared all_gather of " .. dtype)
    same(part_of(whole, rank, n), part, "a prepared reduce_scatter of " .. dtype)
    assert(steps.all_to_all() == one)
    same(exchanged, one, "a prepared all_to_all of " .. dtype)
    assert(steps.reduce() == mine.out)
    if mine.out then same(whole, one, "a prepared reduce of " .. dtype) end
    assert(steps.broadcast() == own)
    same(values[root + 1], own, "a prepared broadcast of " .. dtype)
  end
end
do -- in groups, over what pending expressions read, and with wrong arguments
  local a, b = dc.full({ 100 }, rank), dc.full({ 100 }, 1)
  local sum, count = comm:prepare("all_reduce", a, { out = a }), comm:prepare("all_reduce", b, { out = b })
  local before = a + 0.5
  comm:group(function()
    sum()
    count()
    comm:all_reduce(dc.ones(7))
  end)
  assert(before[100] == rank + 0.5 and a[1] == size * (size - 1) / 2 and b[100] == size)
  fails("argument", "takes no arguments", function() sum(a) end)
  fails("argument", "needs the option 'out'", function() comm:prepare("all_reduce", a) end)
  fails("argument", "operation on arrays of all ranks", function() comm:prepare("send", a, 0) end)
  fails("argument", "operation on arrays of all ranks", function() comm:prepare() end)
  fails("argument", "takes an array here", function() comm:prepare("broadcast", 1) end)
  fails("argument", "rank of 0 to", function() comm:prepare("broadcast", a, size) end)
  fails("argument", "there is no option", function() comm:prepare("all_reduce", a, { output = a }) end)
  fails("shape", "out", function() comm:prepare("all_reduce", a, { out = dc.zeros(3) }) end)
  fails("argument", "array expected", function() comm:prepare("all_gather", "x", { out = a }) end)
  local part = comm:split(0)
  local closed = part:prepare("all_reduce", a, { out = a })
  part:close()
  fails("argument", "closed", closed)
  b:close()
  fails("argument", "closed", count)
end

-- Shapes, numbers, NaN, wrapped integers, empty arrays.
local m = dc.full({ 2, 3 }, rank)
assert(select("#", comm:all_gather(m):shape()) == 2 and select(1, comm:all_gather(m):shape()) == 2 * size)
assert(comm:all_gather(dc.full({}, rank))[size] == size - 1)
assert(comm:all_reduce(rank + 0.25, "max") == size - 0.75)
assert(comm:broadcast(rank * 1.5, size - 1) == (size - 1) * 1.5)
for dtype, bits in ("int8=8 uint8=8 int16=16 uint16=16 int32=32 uint32=32 "):gmatch "(%w+)=(%d+) " do
  local n, half = 64 * size + math.random(0, 99) * size, 1 << (math.tointeger(bits) - 1)
  local low, all, want = dtype:find "uint" and 0 or -half, {}, {}
  for r = 1, size do
    all[r] = {}
    for i = 1, n do
      all[r][i] = math.random(low, low + 2 * half - 1)
      want[i] = ((want[i] or 0) + all[r][i] - low) % (2 * half) + low
    end
  end
  local mine = dc.array(all[rank + 1], dtype)
  same(want, comm:all_reduce(mine), dtype .. " that wraps around")
  local block = comm:reduce_scatter(mine)
  same(table.move(want, rank * n // size + 1, (rank + 1) * n // size, 1, {}), block, dtype .. " scattered")
end
local x = dc.full({ 2 }, rank == 0 and 0 / 0 or 1)
for _, op in ipairs { "min", "max", "sum" } do
  local v = comm:all_reduce(x, op)[1]
  assert(v ~= v, op .. " keeps NaN")
end
local mean = comm:all_reduce(dc.full({ 5 }, rank, "float16"), "mean")
assert(mean[5] == (size - 1) / 2)
assert(comm:all_reduce(dc.zeros(0)).size == 0)

-- Two streams at once.
local s1, s2 = dc.stream(), dc.stream()
for k = 1, 3 do
  local a, b = dc.full({ 100 }, rank + k), dc.full({ 100 }, 2 * rank)
  local sum, most = dc.using(s1, comm.all_reduce, comm, a * 2), dc.using(s2, comm.all_reduce, comm, b + k, "max")
  local again = dc.using(s1, comm.all_reduce, comm, most)
  assert(sum[100] == size * (size - 1) + 2 * k * size and again[1] == size * (2 * (size - 1) + k))
end

-- Random streams of ranks: apart by a jump, and the same in each run.
dc.random.seed(5)
dc.random.jump(rank << 40)
local drawn = comm:all_gather(dc.random.uniform(50):copy())
for r = 0, size - 1 do
  local g = dc.random.generator(5)
  g:jump(r << 40)
  assert(dc.equal(drawn[{ { 50 * r + 1, 50 * r + 50 } }], g:uniform(50)))
  if r > 0 then assert(not dc.equal(drawn[{ { 50 * r + 1, 50 * r + 50 } }], drawn[{ { 1, 50 } }])) end
end

-- Parts.
local half = comm:split(rank % 2, size - rank)
local members = (size + 1 - rank % 2) // 2
assert(half.size == members)
assert(half.rank == members - 1 - rank // 2, "ordered by key")
assert(half:all_reduce(1) == members)
half:close()
fails("argument", "closed", function() half:barrier() end)
assert((comm:split(rank == 0 and 0 or nil) == nil) == (rank ~= 0))

-- Bad input raises an error on its own rank, before anything is sent to other ranks.
fails("argument", "an array expected", function() comm:all_reduce "x" end)
fails("argument", "the operation is", function() comm:all_reduce(dc.zeros(2), "xor") end)
fails("dtype", "no sum of bool", function() comm:all_reduce(dc.zeros(2, "bool")) end)
fails("dtype", "no max of complex64", function() comm:all_reduce(dc.zeros(2, "complex64"), "max") end)
fails("dtype", "mean", function() comm:all_reduce(dc.zeros(2, "int32"), "mean") end)
fails("argument", "rank of 0 to", function() comm:broadcast(dc.zeros(2), size) end)
fails("argument", "rank of 0 to", function() comm:send(dc.zeros(2), 0 / 0) end)
fails("argument", "is this one", function() comm:recv(dc.zeros(2), rank) end)
if size > 1 then -- and does not wait for a message
  fails("argument", "broadcast view", function() comm:recv(dc.zeros(1):broadcast_to(2), (rank + 1) % size) end)
end
fails("shape", "out", function() comm:all_reduce(dc.zeros(2), { out = dc.zeros(3) }) end)
fails("dtype", "out", function() comm:all_reduce(dc.zeros(2), { out = dc.zeros(2, "float64") }) end)
fails("shape", "divided", function() comm:all_to_all(dc.zeros(size + 1, 2)) end)
fails("argument", "color", function() comm:split(-1) end)
fails("argument", "group takes a function", function() comm:group(1) end)
fails("argument", "group takes arrays", function() comm:group(comm.all_reduce, comm, 1) end)
fails("argument", "open already", function() comm:group(comm.group, comm, function() end) end)
fails("index", "has no 'sum'", function() return comm.sum end)
fails("launch", "MPI", function() dc.graph(function() comm:all_reduce(dc.zeros(2)) end) end)
local gone = dc.zeros(2)
gone:close()
fails("argument", "closed", function() comm:all_reduce(gone) end)

comm:barrier()
io.stdout:write(("rank %d done\n"):format(rank))
