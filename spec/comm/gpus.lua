-- By hand, on two or more GPUs with NCCL (spec/comm/ranks_spec.lua tests the CPU device):
--   dclua spec/comm/gpus.lua                 the GPUs of one process
--   dclua -n 2 spec/comm/gpus.lua            one rank a GPU
--   DOTCOMPUTE_COMM_TIMEOUT=3 dclua -n 2 spec/comm/gpus.lua late     ends with the error of a rank that waits
-- Checks operations by dtype against plain Lua, in streams and graphs; prints all_reduce's bus bandwidth and latency.
local dc = require "dotcompute"
local comm = dc.world()
local together = comm.size == 1 -- no launcher
local devices = {}
for _, d in ipairs(dc.devices()) do if d.backend == "cuda" then devices[#devices + 1] = d end end
if together then
  assert(#devices >= 2, "two GPUs are needed")
  comm = dc.comm(devices)
else
  assert(dc.device().backend == "cuda", "GPUs are needed; this rank is on " .. dc.device().id)
end
local size = comm.size
math.randomseed(42) -- the same numbers on each rank

-- The arrays of this process: of rank r the elements all[r].
local function arrays(all, dtype)
  if not together then return dc.array(all[comm.rank + 1], dtype) end
  local parts = {}
  for r = 1, size do parts[r] = dc.using(devices[r], dc.array, all[r], dtype) end
  return parts
end

-- Calls fn(array, rank from 1 on) for each array of this process.
local function each(result, fn)
  if not together then return fn(result, comm.rank + 1) end
  for r = 1, size do fn(result[r], r) end
end

local function same(want, a, text)
  assert(a.size == #want, text)
  local got = a:to_table()
  for i = 1, #want do
    local v = got[i]
    if type(v) ~= "number" and type(v) ~= "boolean" then v = v.re end
    assert(v == want[i], ("%s: element %d is %s, not %s"):format(text, i, tostring(v), tostring(want[i])))
  end
end

local folds = { -- in one order on all ranks, which pairs() of names would not give
  { "sum", function(a, b) return a + b end }, { "prod", function(a, b) return a * b end }, { "min", math.min },
  { "max", math.max },
}
local dtypes = { "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
  "complex64", "complex128" }
for _, dtype in ipairs(dtypes) do
  local n, all = math.random(1, 2000), {}
  for r = 1, size do
    all[r] = {}
    for i = 1, n * size do all[r][i] = math.random(dtype:find "uint" and 0 or -3, 3) end
  end
  for _, entry in ipairs(folds) do
    local op, fold = entry[1], entry[2]
    if not dtype:find "complex" or op == "sum" then
      local want = {}
      for i = 1, n * size do
        want[i] = all[1][i]
        for r = 2, size do want[i] = fold(want[i], all[r][i]) end
      end
      each(comm:all_reduce(arrays(all, dtype), op), function(a) same(want, a, "all_reduce " .. op .. " " .. dtype) end)
      each(comm:reduce_scatter(arrays(all, dtype), op), function(a, r)
        same(table.move(want, (r - 1) * n + 1, r * n, 1, {}), a, "reduce_scatter " .. op .. " " .. dtype)
      end)
    end
  end
  local whole = {}
  for r = 1, size do table.move(all[r], 1, n * size, #whole + 1, whole) end
  each(comm:all_gather(arrays(all, dtype)), function(a) same(whole, a, "all_gather " .. dtype) end)
  each(comm:broadcast(arrays(all, dtype), size - 1), function(a) same(all[size], a, "broadcast " .. dtype) end)
  each(comm:all_to_all(arrays(all, dtype)), function(a, r)
    local want = {}
    for s = 1, size do table.move(all[s], (r - 1) * n + 1, r * n, #want + 1, want) end
    same(want, a, "all_to_all " .. dtype)
  end)
  print("ok", dtype)
end

-- Prepared operations, of which the second is captured in a graph where there are ranks. In one process they become
-- graphs themselves when they are run again.
do
  local a = together and {} or dc.full({ 1000 }, comm.rank + 1)
  for r = 1, together and size or 0 do a[r] = dc.using(devices[r], dc.full, { 1000 }, r) end
  local step = comm:prepare("all_reduce", a, "max", { out = a })
  local double = comm:prepare("all_reduce", a, { out = a })
  for _ = 1, 4 do assert(step() == a) end
  if together then double() else dc.graph(function() double() end)() end
  each(a, function(one) same({ size * size }, one[{ { 1000, 1000 } }], "prepared all_reduce") end)
  for _ = 1, 3 do double() end
  each(a, function(one) same({ size ^ 5 }, one[{ { 1000, 1000 } }], "prepared all_reduce again") end)
  comm:all_reduce(a, { out = a })
  each(a, function(one) same({ size ^ 6 }, one[{ { 1000, 1000 } }], "all_reduce behind prepared ones") end)
  print("ok", "prepared")
end

-- Communicators that are closed while there are graphs of their operations.
do
  local part = together and dc.comm(devices) or comm:split(0)
  local a = together and {} or dc.ones(1000)
  for r = 1, together and size or 0 do a[r] = dc.using(devices[r], dc.ones, 1000) end
  local step = part:prepare("all_reduce", a, { out = a })
  for _ = 1, 3 do step() end
  local graph = not together and dc.graph(function() part:all_reduce(a, { out = a }) end)
  if together then
    local ok, err = pcall(dc.using, devices[1], dc.graph, function() part:all_reduce(a, { out = a }) end)
    assert(not ok and err.message:find "prepared", err)
  else
    graph()
  end
  part:close()
  each(a, function(one) same({ size ^ (together and 3 or 4) }, one[{ { 1000, 1000 } }], "closed") end)
  for _, run in ipairs { step, graph or nil } do
    local ok, err = pcall(run)
    assert(not ok and err.message:find "closed", err)
  end
  print("ok", "closed")
end

if not together then
  -- A message around, from a stream; then a graph whose runs add up.
  local s = dc.stream()
  local got = dc.zeros(1000)
  dc.using(s, function()
    local mine = dc.full({ 1000 }, comm.rank) + 0
    comm:group(function()
      comm:send(mine, (comm.rank + 1) % size)
      comm:recv(got, (comm.rank - 1) % size)
    end)
  end)
  assert(got[1000] == (comm.rank - 1) % size)
  local x = dc.ones(1000)
  local g = dc.graph(function() comm:all_reduce(x, { out = x }) end)
  for _ = 1, 3 do g() end
  assert(x[1000] == size ^ 3, "a graph's runs: " .. x[1000])
  local half = comm:split(comm.rank % 2)
  assert(half:all_reduce(dc.ones(4))[4] == half.size)
  half:close()
  print("ok", "streams, graphs, split")
end

-- Bus bandwidth as nccl-tests counts it, and the time of a small one.
for _, bytes in ipairs { 1024, 256 * 2 ^ 20 } do
  local a
  if together then
    a = {}
    for r = 1, size do a[r] = dc.using(devices[r], dc.zeros, bytes // 4) end
  else
    a = dc.zeros(bytes // 4)
  end
  local function wait()
    if together then for _, d in ipairs(devices) do d:synchronize() end else dc.synchronize() end
  end
  local times, seconds = bytes > 1e6 and 20 or 1000, math.huge
  for round = 0, 5 do -- the least of five rounds, after one to warm up
    wait()
    local start = dc.clock()
    for _ = 1, times do comm:all_reduce(a, { out = a }) end
    wait()
    if round > 0 then seconds = math.min(seconds, (dc.clock() - start) / times) end
  end
  print(("all_reduce of %d bytes: %.2f us, bus %.1f GB/s"):format(bytes, seconds * 1e6,
    2 * (size - 1) / size * bytes / seconds / 1e9))
end

-- A rank that is late, where a graph has operations of the communicator.
if arg[1] == "late" then
  local x = dc.ones(10)
  local g = dc.graph(function() comm:all_reduce(x, { out = x }) end)
  g()
  dc.synchronize()
  if comm.rank == 1 then os.execute "sleep 20" end
  g()
  dc.synchronize()
end
