-- Arrays on the CPU device beside NumPy, PyTorch, torch.compile and JAX: the same work on the same arrays, by turns in
-- one run. Ours is evaluated within the time, and its garbage left to the collector, as in a script.
local dc = require "dotcompute"
local native = require "native"
local report = require "report"
local turns = require "turns"

local N <const>, SMALL <const> = 1 << 24, 1000
local x, y = dc.random.uniform(N):eval(), dc.random.uniform(N):eval()
local m = x:reshape(4096, 4096)
local h = (x * 256):to("int32"):eval()
local p = dc.random.uniform(1024, 1024):eval()
local s, t = x[{ { 1, SMALL } }]:copy():eval(), y[{ { 1, SMALL } }]:copy():eval()
-- Each number below 2^22 once, so that there is one order: an odd factor permutes them.
local distinct = ((dc.arange(0, (1 << 22) - 1, "int64") * 2654435761) % (1 << 22)):to("float32"):eval()
local wave = x[{ { 1, 1 << 20 } }]:to("complex64"):eval()

local function trig(a, b) return dc.exp(0.5 * dc.sin(a) + dc.cos(b)) end
local function softmax(a)
  local e = dc.exp(a - a:max { 2, keep = true })
  return e / e:sum { 2, keep = true }
end
local function repeated(f)
  return function(a, b)
    local r
    for _ = 1, SMALL do r = f(a, b):eval() end
    return r
  end
end
local function zero_based(r) return r - 1 end

-- name of the function, title, ours, arrays; within: of the deviation; random: only the mean is compared; adjust: what
-- makes of ours what the others give.
local rows <const> = {
  { "add", "add 2^24", function(a, b) return a + b end, { x, y }, within = 1e-6 },
  { "trig", "trig 2^24", trig, { x, y }, within = 1e-5 },
  { "sum", "sum 2^24", function(a) return a:sum() end, { x }, within = 1e-4 },
  { "softmax", "softmax of rows 4096^2", softmax, { m }, within = 1e-5 },
  { "transpose", "transpose 4096^2", function(a) return a.T:copy() end, { m }, within = 0 },
  { "cumsum", "cumsum 2^24", function(a) return a:cumsum() end, { x }, within = 1e-3 },
  { "select", "select 2^24", function(a) return a[a:gt(0.5)] end, { x }, within = 0 },
  { "bincount", "bincount 2^24", function(a) return a:bincount { minlength = 256 } end, { h }, within = 0 },
  { "sort", "sort 2^24", function(a) return a:sort() end, { x }, within = 0 },
  { "argsort", "argsort 2^22", function(a) return a:argsort() end, { distinct }, within = 0, adjust = zero_based },
  { "fft", "fft 2^20", function(a) return dc.fft.fft(a) end, { wave }, within = 1e-3 },
  { "matmul", "matmul 1024", function(a) return a:matmul(a) end, { p }, within = 1e-4 },
  { "uniform", "uniform 2^24", function() return dc.random.uniform(N) end, {}, within = 1e-2, random = true },
  { "normal", "normal 2^24", function() return dc.random.normal(N) end, {}, within = 1e-2, random = true },
  { "small add", "1,000 elements: a + b, µs", repeated(function(a, b) return a + b end), { s, t }, within = 1e-6 },
  { "small trig", "1,000 elements: trig, µs", repeated(trig), { s, t }, within = 1e-5 },
}

local header, peers = { "arrays", "ours" }, {}
turns.machine()
local libraries <const> = {
  { "numpy", "NumPy" }, { "torch", "PyTorch" }, { "compile", "torch.compile" }, { "jax", "JAX" },
}
for _, library in ipairs(libraries) do
  local version, ask = turns.python("array_rows", library[1])
  if version then
    peers[#peers + 1] = { title = library[2], ask = ask }
    header[#header + 1] = library[2]
  end
  print(version and version .. (library[1] == "compile" and ", torch.compile" or "")
    or library[2] .. " left out: " .. ask)
end
header[#header + 1] = "ours/best"

local function comparable(a, row)
  if row.random then return a:to("float64"):mean():reshape(1):eval() end
  if a.dtype:find "complex" then a = dc.abs(a) end
  return a:to("float64"):reshape(math.max(a.size, 1)):eval()
end

local function measure(row)
  local title, ours, arrays = row[2], row[3], row[4]
  local words, failures = {}, {}
  for i, a in ipairs(arrays) do
    words[i] = ("a:%s/input-%d.npy"):format(turns.folder, i)
    dc.save(words[i]:sub(3), a)
  end
  local function run()
    local begun = native.now()
    local r = ours(table.unpack(arrays))
    if type(r) == "userdata" then r:eval() end
    dc.synchronize()
    return native.now() - begun
  end
  local result = ours(table.unpack(arrays))
  local expected = comparable(row.adjust and row.adjust(result) or result, row)
  local sides, places = { run }, { 2 }
  for k, peer in ipairs(peers) do
    local file <const> = turns.folder .. "/result.npy"
    local answer, why = peer.ask("prepare", row[1], table.unpack(words))
    if answer then answer, why = peer.ask("check", file) end
    if answer then
      local off = turns.differs(comparable(dc.load(file), row), expected, nil, row.within)
      answer, why = not off, off and ("differs by %.2g"):format(off)
    end
    os.remove(file)
    if answer then
      sides[#sides + 1] = function() return tonumber((assert(peer.ask "run"))) end
      places[#places + 1] = k + 2
    elseif why ~= "no such function" then
      failures[#failures + 1] = peer.title .. ": " .. why
    end
  end
  local least, median = turns.measure(9, sides)
  local cells, best = { title }, math.huge
  for i, place in ipairs(places) do
    cells[place] = turns.cell(least[i], median[i])
    if i > 1 then best = math.min(best, least[i]) end
  end
  for c = 2, #header - 1 do cells[c] = cells[c] or "-" end
  cells[#header] = best < math.huge and ("%.2f"):format(least[1] / best) or "-"
  return cells, failures
end

local show = report.stream("Arrays on the CPU device", header, 27, 13)
for _, row in ipairs(rows) do
  if turns.wanted(row[2]) then
    local ok, cells, failures = pcall(measure, row)
    show(ok and cells or { row[2] .. " failed: " .. tostring(cells) })
    for _, failure in ipairs(ok and failures or {}) do print("  " .. failure) end
  end
end
print()
turns.finish()
