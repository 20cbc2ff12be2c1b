-- What the two tables share: peers in Python, kept running and asked by turns; times by turns; a table of them.
local dc = require "dotcompute"
local native = require "native"
local report = require "report"

local M = { folder = os.tmpname() }
os.remove(M.folder)
assert(os.execute("mkdir -m 700 " .. M.folder))

function M.finish() os.execute("rm -rf " .. M.folder) end

-- A peer: rows of the module `rows`, with a library's name, if it takes one. Gives its version and a function that asks
-- (it gives the answer's words), or nil and why not.
local count = 0
function M.python(rows, library)
  count = count + 1
  local fifo <const> = ("%s/%d"):format(M.folder, count)
  assert(os.execute("mkfifo " .. fifo))
  local from = io.popen(("exec '%s' bench/peers_cpu/worker.py %s %s <%s 2>%s.log"):format(
    os.getenv "PYTHON" or "python3", rows, library or "", fifo, fifo))
  local to <const> = io.open(fifo, "r+") -- so that writing never ends us, even if the peer has ended
  local word, rest = (from:read "l" or "none it does not start"):match "^(%S+) ?(.*)"
  if word ~= "there" then return nil, rest end
  return rest, function(...)
    to:write(table.concat({ ... }, "\t"), "\n")
    to:flush()
    local answer = from:read "l" or "none it has ended"
    if answer:find "^none" then return nil, answer:sub(6) end
    return answer
  end
end

-- Times of each side, a list of functions that give seconds, by turns: their minima and medians.
function M.measure(rounds, sides)
  local times = {}
  for i = 1, #sides do times[i] = {} end
  for r = 0, rounds do -- the first does not count
    for i = 1, #sides do
      local k = (i + r) % #sides + 1
      times[k][r] = sides[k]()
    end
  end
  local least, median = {}, {}
  for i, t in ipairs(times) do least[i], median[i] = math.min(table.unpack(t)), report.median(t) end
  return least, median
end

-- How far array `a` is from `b`, both of float64: nil if no more than `within` of |b| + scale.
function M.differs(a, b, scale, within)
  if a.size ~= b.size then return math.huge end
  local off = (dc.abs(a - b) / (dc.abs(b) + (scale or 1))):max():item()
  if off <= (within or 0) then return nil end -- a NaN is not
  return off
end

-- "1.23 (1.30)": the least and the median, in thousandths of a second; `unit` 1e6: in millionths.
function M.cell(least, median, unit)
  local function figure(t)
    t = t * (unit or 1e3)
    return (t < 0.1 and "%.3f" or t < 10 and "%.2f" or t < 100 and "%.1f" or "%.0f"):format(t)
  end
  return figure(least) .. " (" .. figure(median) .. ")"
end

-- What ran where.
function M.machine()
  local load = io.open "/proc/loadavg"
  print(("%s, %s, load %s; ms: the least (the median) of each side's times, by turns"):format(dc.device().name,
    os.date "%Y-%m-%d", load and load:read "a":match "^%S+" or "unknown"))
  if load then load:close() end
end

-- Whether a row is wanted: all, or those with one of the arguments in their names.
function M.wanted(name)
  for _, word in ipairs(arg) do
    if name:find(word, 1, true) then return true end
  end
  return #arg == 0
end

M.now = native.now
return M
