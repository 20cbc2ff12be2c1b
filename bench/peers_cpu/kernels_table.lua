-- Kernels on the CPU device beside C with OpenMP, OpenCL's CPU runtimes and Numba: the same work, by turns in one run.
-- All sides but Numba's work in the same memory.  C's result is what the others must give.
local dc = require "dotcompute"
local native = require "native"
local opencl = require "opencl"
local report = require "report"
local row_sides = require "sides"
local turns = require "turns"

local platforms, notes = {}, { "C: -O3 -march=native -fopenmp" }
for _, p in ipairs { { "Intel", "Intel OpenCL" }, { "Portable", "PoCL" } } do
  local version, device, units, number = opencl.open(p[1])
  if version then
    platforms[#platforms + 1] = { name = p[2], number = number }
    notes[#notes + 1] = ("%s: %s, %d threads"):format(p[2], version:match "PoCL [%d.]+" or version, units)
  else
    notes[#notes + 1] = p[2] .. " left out: " .. device
  end
end
local numba, ask = turns.python "numba_rows"
notes[#notes + 1] = numba or "Numba left out: " .. ask
if not numba then ask = nil end

local header = { "kernel", "ours", "C, OpenMP" }
for _, p in ipairs(platforms) do header[#header + 1] = p.name end
if ask then header[#header + 1] = "Numba" end
table.move({ "ours/best", "ours/Intel" }, 1, 2, #header + 1, header)

-- The arguments of a row, the places of its arrays, and what its result was.
local function arguments(row, seed)
  local output, input = row_sides.makers(seed)
  local function whole(n, below, dtype) return dc.floor(input(n, 0, below)):to(dtype):eval() end
  local set = { list = { row.make(input, output, whole) }, addresses = {}, numbers = {} }
  for _, v in ipairs(set.list) do
    if type(v) == "number" then set.numbers[#set.numbers + 1] = v
    else set.addresses[#set.addresses + 1] = v.ptr end
  end
  set.result = set.list[row.result]
  set.before = row.loop == "saxpy" and input(set.result.size, -1, 1) or set.result:copy():eval()
  return set
end

local function ours(row, set)
  local module = dc.module(row.cuda)
  local launches <const> = row.steps(table.unpack(set.list))
  local kernels, seen = {}, {}
  for i, s in ipairs(launches) do
    seen[s[1]] = seen[s[1]] or module[s[1]]
    kernels[i] = seen[s[1]]
  end
  local function run()
    local begun = native.now()
    for i, s in ipairs(launches) do kernels[i](s[2], s[3], table.unpack(s, 4)) end
    dc.synchronize()
    return native.now() - begun
  end
  for _, k in pairs(seen) do row_sides.settle(k, run) end
  return run
end

local function theirs(row, set, platform)
  opencl.use(platform.number)
  local buffers, work = {}, {}
  for _, s in ipairs(row.steps(table.unpack(set.list))) do
    local k, list = opencl.kernel(row.cl, s[1], "-cl-std=CL1.2"), {}
    for i = 4, #s do
      local v = s[i]
      if type(v) ~= "number" then
        buffers[v.ptr] = buffers[v.ptr] or opencl.buffer(v.ptr, v.nbytes)
        v = buffers[v.ptr]
      end
      list[i - 3] = v
    end
    opencl.arguments(k, list)
    table.move({ k, type(s[2]) == "table" and s[2] or { s[2] }, type(s[3]) == "table" and s[3] or { s[3] } }, 1, 3,
      #work + 1, work)
  end
  return function()
    opencl.use(platform.number)
    return opencl.run(table.unpack(work))
  end, function()
    for _, b in pairs(buffers) do opencl.release(b) end
  end
end

local function in_numba(row, set)
  local words = {}
  for i, v in ipairs(set.list) do
    if type(v) == "number" then
      words[i] = (math.type(v) == "integer" and "i:" or "f:") .. v
    else
      local path = ("%s/%s-%d.npy"):format(turns.folder, row.loop, i)
      dc.save(path, v == set.result and set.before or v)
      words[i] = "a:" .. path
    end
  end
  local ok, why = ask("prepare", row.loop, table.unpack(words))
  if not ok then error(why, 0) end
  return function()
    local seconds, what = ask "run"
    return seconds and tonumber(seconds) or error(what, 0)
  end, function(path)
    local done, what = ask("check", path)
    if not done then error(what, 0) end
    for _, w in ipairs(words) do
      if w:find "^a:" then os.remove(w:sub(3)) end
    end
    return dc.load(path)
  end
end

local function compared(row, a)
  local n = row.checked or a.size
  return a:reshape(a.size)[{ { 1, n } }]:to("float64"):eval()
end

-- nil, or what is wrong with a result. Chaos at the edge of Mandelbrot's set: the share of differing elements counts.
local function wrong(row, got, expected)
  if row.loop == "mandelbrot" then
    local share = got:ne(expected):to("float64"):sum():item() / got.size
    return share > row.within and ("differs in %.2g of all elements"):format(share)
  end
  local off = turns.differs(got, expected, row.scale, row.within)
  return off and ("wrong by %.2g"):format(off)
end

local function measure(row, seed)
  local set = arguments(row, seed)
  local closing, sides, failures = {}, {}, {}
  local function c() return native.run(row.loops, row.loop, set.addresses, set.numbers) end
  local function result_of(run)
    set.result:copy_from(set.before)
    dc.synchronize()
    run()
    return compared(row, set.result)
  end
  local expected = result_of(c)
  -- A side that fails is left out of its row, with its reason.
  local function add(name, make)
    local ok, run, check, close = pcall(make)
    local bad = not ok and run
    if ok then
      local done, got = pcall(check or result_of, run)
      bad = not done and got or wrong(row, got, expected)
    end
    if close then closing[#closing + 1] = close end
    if bad then failures[#failures + 1] = name .. ": " .. tostring(bad)
    else sides[#sides + 1] = { name, run } end
  end
  add("ours", function() return ours(row, set) end)
  sides[#sides + 1] = { "C, OpenMP", c }
  for _, p in ipairs(platforms) do
    add(p.name, function()
      local run, close = theirs(row, set, p)
      return run, nil, close
    end)
  end
  if ask then
    add("Numba", function()
      local run, check = in_numba(row, set)
      return run, function()
        local path = turns.folder .. "/result.npy"
        local got = compared(row, check(path))
        os.remove(path)
        return got
      end
    end)
  end
  local functions = {}
  for i, s in ipairs(sides) do functions[i] = s[2] end
  local least, median = turns.measure(row.rounds or 9, functions)
  local cells, best, by = { row.name }, math.huge, {}
  for i, s in ipairs(sides) do
    by[s[1]] = least[i]
    if s[1] ~= "ours" then best = math.min(best, least[i]) end
    for c2, title in ipairs(header) do
      if title == s[1] then cells[c2] = turns.cell(least[i], median[i]) end
    end
  end
  for c2 = 2, #header - 2 do cells[c2] = cells[c2] or "-" end
  cells[#header - 1] = by.ours and ("%.2f"):format(by.ours / best) or "-"
  cells[#header] = by.ours and by["Intel OpenCL"] and ("%.2f"):format(by.ours / by["Intel OpenCL"]) or "-"
  for _, close in ipairs(closing) do close() end
  return cells, failures
end

turns.machine()
for _, note in ipairs(notes) do print(note) end
local show = report.stream("Kernels on the CPU device", header, 50, 11)
for _, row in ipairs(require "peer_kernels") do
  if turns.wanted(row.name) then
    local ok, cells, failures = pcall(measure, row, os.time())
    show(ok and cells or { row.name .. " failed: " .. tostring(cells) })
    for _, failure in ipairs(ok and failures or {}) do print("  " .. failure) end
    collectgarbage()
  end
end
print()
turns.finish()
