-- Runs the programs of kernels.cu: run.lua SEED N INPUTS RUNS [PATTERN]. Prints a line for each program: its name, the
-- runs that went wrong, the runs made, and where the first wrong one differs from the reference in plain Lua.
local dc = require "dotcompute"
local seed, n, inputs, runs, pattern = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4]), arg[5]
math.randomseed(seed)

local TILE <const>, THREADS <const> = 512, 128
local file = assert(io.open "spec/lookback/kernels.cu")
local module = dc.module(file:read "a")
file:close()
local kernels = setmetatable({}, { __index = function(t, name)
  t[name] = module:kernel(name)
  return t[name]
end })
local counter = dc.zeros(1, "uint32")
local dtypes = { "int32", "int64", "float64" }

-- Launches a kernel of one block a tile. Its arguments are those of `before`, the cleared descriptors, the counter and
-- `...`.
local function one_pass(name, state, tiles, before, ...)
  local memory = dc.zeros((tiles + 64) * 48 + 2048, "int8")
  kernels["clear_" .. state]((tiles + 32 + THREADS - 1) // THREADS, THREADS, memory, tiles, counter)
  before[#before + 1], before[#before + 2] = memory, counter
  for i = 1, select("#", ...) do before[#before + 1] = (select(i, ...)) end
  kernels[name](tiles, THREADS, table.unpack(before))
end

local function tiles_of(count) return (count + TILE - 1) // TILE end

-- Integers that a double holds, their sums too; more than 32 bits where the dtype has them, so that a torn descriptor
-- shows in either half.
local function numbers(count, dtype)
  local most, t = dtype == "int32" and 10000 or 1 << 34, {}
  for i = 1, count do t[i] = math.random(-most, most) end
  return t
end

local function few(count, high)
  local t = {}
  for i = 1, count do t[i] = math.random(-high, high) end
  return t
end

-- Keys in runs of random lengths.
local function runs_of_keys(count)
  local t, longest = {}, 2 ^ math.random(1, 11) // 1 | 0
  local key = 0
  while #t < count do
    key = key + math.random(1, 3)
    for _ = 1, math.min(math.random(longest), count - #t) do t[#t + 1] = key end
  end
  return t
end

local function array(values, dtype) return dc.array(values, dtype) end

-- `values` in an array of `count` elements, the others 0.
local function padded(values, count, dtype)
  local t = {}
  for i = 1, count do t[i] = values[i] or 0 end
  return dc.array(t, dtype):bytes()
end

-- Each gives the inputs and the expected bytes by name of an output; and the function that makes these outputs.
local programs = {}
local function program(name, make) programs[#programs + 1] = { name = name, make = make } end

local function sums(t)
  local r, s = {}, 0
  for i, v in ipairs(t) do
    s = s + v
    r[i] = s
  end
  return r
end

for _, dtype in ipairs(dtypes) do
  program("scan_" .. dtype, function()
    local t = numbers(n, dtype)
    local x = array(t, dtype)
    return { padded(sums(t), n, dtype) }, function()
      local out = dc.zeros(n, dtype)
      one_pass("scan_" .. dtype, dtype, tiles_of(n), { out, x, n })
      return { out }
    end
  end)

  local of_key = dtype == "int64" and "int64" or "int32"
  for reduce = 0, 1 do
    program((reduce == 1 and "reduce_by_key_" or "scan_by_key_") .. dtype, function()
      local keys, t = runs_of_keys(n), numbers(n, dtype)
      local out, kept, s = {}, {}, 0
      for i = 1, n do
        s = keys[i] == keys[i - 1] and s + t[i] or t[i]
        if reduce == 0 then
          out[i] = s
        elseif keys[i] ~= keys[i + 1] then
          out[#out + 1], kept[#kept + 1] = s, keys[i]
        end
      end
      local k, x = array(keys, of_key), array(t, dtype)
      return { padded(out, n, dtype), padded(kept, n, of_key), padded({ #kept }, 1, "int32") }, function()
        local o, ko, c = dc.zeros(n, dtype), dc.zeros(n, of_key), dc.zeros(1, "int32")
        one_pass("key_" .. dtype, "key_" .. dtype, tiles_of(n), { o, ko, c, k, x, n }, reduce)
        return { o, ko, c }
      end
    end)
  end

  local count_of = dtype == "int32" and "int32" or "int64"
  for unique = 0, 1 do
    program((unique == 1 and "unique_" or "partition_") .. dtype, function()
      local t = unique == 1 and runs_of_keys(n) or numbers(n, dtype)
      local front, back = {}, {}
      for i = 1, n do
        local keep
        if unique == 1 then keep = t[i] ~= t[i - 1] else keep = t[i] % 3 == 0 end
        if keep then front[#front + 1] = t[i] elseif unique == 0 then back[#back + 1] = t[i] end
      end
      local x = array(t, dtype)
      return { padded(front, n, dtype), padded({ #front }, 1, "int32"), padded(back, n, dtype) }, function()
        local o, c, r = dc.zeros(n, dtype), dc.zeros(1, "int32"), dc.zeros(n, dtype)
        one_pass("select_" .. dtype, count_of, tiles_of(n), { o, c, x, n }, unique, r)
        return { o, c, r }
      end
    end)
  end

  program("merge_" .. dtype, function()
    local na = math.random(0, n)
    local a, b, all = few(na, n // 2), few(n - na, n // 2), {}
    table.sort(a)
    table.sort(b)
    table.move(a, 1, #a, 1, all)
    table.move(b, 1, #b, #a + 1, all)
    table.sort(all)
    local xa, xb = array(na > 0 and a or { 0 }, dtype), array(na < n and b or { 0 }, dtype)
    return { padded(all, n, dtype) }, function()
      local out = dc.zeros(n, dtype)
      kernels["merge_" .. dtype](tiles_of(n), THREADS, out, xa, na, xb, n - na)
      return { out }
    end
  end)

  for kind, name in ipairs { "union", "intersection", "difference", "symmetric_difference" } do
    program("set_" .. name .. "_" .. dtype, function()
      local na = math.random(1, n - 1)
      local high = math.random(n // 20, n)
      local a, b, times, keys = few(na, high), few(n - na, high), { {}, {} }, {}
      for which, t in ipairs { a, b } do
        table.sort(t)
        for _, v in ipairs(t) do
          if not times[1][v] and not times[2][v] then keys[#keys + 1] = v end
          times[which][v] = (times[which][v] or 0) + 1
        end
      end
      table.sort(keys)
      local want = {}
      for _, v in ipairs(keys) do
        local p, q = times[1][v] or 0, times[2][v] or 0
        local c = ({ math.max(p, q), math.min(p, q), math.max(p - q, 0), math.abs(p - q) })[kind]
        for _ = 1, c do want[#want + 1] = v end
      end
      local xa, xb = array(a, dtype), array(b, dtype)
      return { padded(want, n, dtype), padded({ #want }, 1, "int32") }, function()
        local o, c = dc.zeros(n, dtype), dc.zeros(1, "int32")
        one_pass("set_" .. dtype, count_of, tiles_of(n), { o, c, xa, na, xb, n - na, kind - 1 })
        return { o, c }
      end
    end)
  end

  program("sort_" .. dtype, function()
    local t = numbers(n, dtype)
    local x = array(t, dtype)
    table.sort(t)
    return { padded(t, n, dtype) }, function()
      local from, to = dc.zeros(n, dtype), dc.zeros(n, dtype)
      kernels["tiles_" .. dtype](tiles_of(n), THREADS, from, x, n)
      local width = TILE
      while width < n do
        kernels["pass_" .. dtype](tiles_of(n), THREADS, to, from, n, width)
        from, to, width = to, from, 2 * width
      end
      return { from }
    end
  end)

  program("reduce_" .. dtype, function()
    local t = numbers(n, dtype)
    local x, grid = array(t, dtype), math.random(1, 150)
    local all = sums(t)
    return { padded({ all[n] }, 1, dtype) }, function()
      local out, partial = dc.zeros(1, dtype), dc.zeros(grid, dtype)
      counter:fill(0)
      kernels["reduce_" .. dtype](grid, THREADS, out, x, n, partial, counter)
      return { out }
    end
  end)
end

program("scan_ptx", function()
  local t = numbers(n, "int64")
  local x = array(t, "int64")
  return { padded(sums(t), n, "int64") }, function()
    local out = dc.zeros(n, "int64")
    one_pass("scan_ptx", "ptx", (n + THREADS - 1) // THREADS, { out, x, n })
    return { out }
  end
end)

program("scan_pair", function()
  local t = numbers(2 * n, "int64")
  local x, want = array(t, "int64"), { t[1], t[2] }
  for i = 3, 2 * n do want[i] = want[i - 2] + t[i] end
  return { padded(want, 2 * n, "int64") }, function()
    local out = dc.zeros(2 * n, "int64")
    one_pass("scan_pair", "pair", tiles_of(n), { out, x, n })
    return { out }
  end
end)

-- Few different keys, and the index as value: the sort is stable.
program("sort_pair", function()
  local t, order, want = {}, {}, {}
  for i = 1, n do t[2 * i - 1], t[2 * i], order[i] = math.random(n // 8), i, i end
  table.sort(order, function(i, j)
    local a, b = t[2 * i - 1], t[2 * j - 1]
    return a < b or a == b and i < j
  end)
  for i, at in ipairs(order) do want[2 * i - 1], want[2 * i] = t[2 * at - 1], at end
  local x = array(t, "int64")
  return { padded(want, 2 * n, "int64") }, function()
    local from, to = dc.zeros(2 * n, "int64"), dc.zeros(2 * n, "int64")
    kernels.tiles_pair(tiles_of(n), THREADS, from, x, n)
    local width = TILE
    while width < n do
      kernels.pass_pair(tiles_of(n), THREADS, to, from, n, width)
      from, to, width = to, from, 2 * width
    end
    return { from }
  end
end)

-- The first element in which two strings of bytes differ.
local function difference(want, got, dtype, output)
  local format = ({ int32 = "<i4", int64 = "<i8", float64 = "<d" })[dtype]
  local size = string.packsize(format)
  for at = 1, #want, size do
    if want:sub(at, at + size - 1) ~= got:sub(at, at + size - 1) then
      return ("output %d, element %d: %s, should be %s"):format(output, at // size + 1,
        (string.unpack(format, got, at)), (string.unpack(format, want, at)))
    end
  end
end

-- What went wrong in one run: an error of a launch, or the first element that differs. Nothing when it was right.
local function failure(want, run)
  local ok, outs = pcall(function()
    local list = run()
    for i, out in ipairs(list) do list[i] = { bytes = out:bytes(), dtype = out.dtype } end
    return list
  end)
  if not ok then return (tostring(outs):gsub("\n.*", "")) end
  for i, out in ipairs(outs) do
    if out.bytes ~= want[i] then return difference(want[i], out.bytes, out.dtype, i) end
  end
end

io.stdout:setvbuf "line"
for _, p in ipairs(programs) do
  if not pattern or p.name:match(pattern) then
    local wrong, made, first = 0, 0, ""
    for input = 1, inputs do
      math.randomseed(seed, input)
      local want, run = p.make()
      for r = 1, runs do
        made = made + 1
        local text = failure(want, run)
        if text then
          if wrong == 0 then first = ("input %d, run %d, %s"):format(input, r, text) end
          wrong = wrong + 1
        end
      end
    end
    print(p.name, wrong, made, first)
  end
end
print("end", dc.device().backend)
