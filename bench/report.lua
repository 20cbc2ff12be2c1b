-- Rows of figures as an aligned table, and medians.
local dc = require "dotcompute"
local M = {}

function M.median(t)
  local s = table.move(t, 1, #t, 1, {})
  table.sort(s)
  return #s % 2 == 1 and s[#s // 2 + 1] or (s[#s // 2] + s[#s // 2 + 1]) / 2
end

-- Calls each of the functions by turns, another first each time; puts what each returned into its list, under r.
local function turn(r, fns, values)
  for i = 1, #fns do
    local k = (i + r) % #fns + 1
    values[k][r] = fns[k]()
  end
end

-- Calls each of the functions `rounds` times by turns, after one turn that does not count; returns the median of what
-- each returned.
function M.alternate(rounds, ...)
  local fns, values = { ... }, {}
  for k = 1, #fns do values[k] = {} end
  for r = 0, rounds do turn(r, fns, values) end
  for k = 1, #fns do values[k] = M.median(values[k]) end -- which begins at 1
  return table.unpack(values)
end

-- The same for each of several pairs of functions: a list of both medians, and the median of the rounds' differences,
-- which a machine that is faster at one time than at another disturbs less than the difference of the medians.  A round
-- goes through all pairs, so that each is measured all the while and none in a bad moment alone.
function M.compare(rounds, pairs)
  local values, results = {}, {}
  for i = 1, #pairs do values[i] = { {}, {} } end
  for r = 0, rounds do
    for i, pair in ipairs(pairs) do turn(r, pair, values[i]) end
  end
  for i, value in ipairs(values) do
    local differences = {}
    for r = 1, rounds do differences[r] = value[1][r] - value[2][r] end
    results[i] = { M.median(value[1]), M.median(value[2]), M.median(differences) }
  end
  return results
end

function M.geometric_mean(t)
  local sum = 0
  for _, v in ipairs(t) do sum = sum + math.log(v) end
  return math.exp(sum / #t)
end

-- A ratio and its limit as two cells: the limit with whether it is met.
function M.judge(ratio, limit)
  return ("%.2f"):format(ratio), ("%s %g"):format(ratio <= limit and "met" or "MISSED", limit)
end

-- One line: the first cell to the left, the others to the right of their columns.
local function print_line(cells, width)
  local out = {}
  for c, cell in ipairs(cells) do
    local pad = (" "):rep(width[c] - (utf8.len(cell) or #cell))
    out[c] = c == 1 and cell .. pad or pad .. cell
  end
  print((table.concat(out, "  "):gsub("%s+$", "")))
end

-- Begins a table whose rows are printed as they come: gives the function that prints one. The first column has `first`
-- characters, others those of their header and no less than `least`.
function M.stream(title, header, first, least)
  local width = { first }
  for c = 2, #header do width[c] = math.max(least, utf8.len(header[c]) or #header[c]) end
  print(title)
  print_line(header, width)
  return function(row)
    print_line(row, width)
    io.stdout:flush()
  end
end

function M.print(title, header, rows)
  local width = {}
  for _, row in ipairs { header, table.unpack(rows) } do
    for c, cell in ipairs(row) do width[c] = math.max(width[c] or 0, utf8.len(cell) or #cell) end
  end
  print(title)
  print_line(header, width)
  for _, row in ipairs(rows) do print_line(row, width) end
  print()
end

-- What a Python script, given as text, prints, line by line (on stderr too, if `all`); and whether it ended well.
-- PYTHON in the environment names the interpreter, `before` stands in front of it.
function M.python(script, before, all)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(script, "\n")
  file:close()
  local pipe = assert(io.popen(("%s '%s' %s %s"):format(before or "", os.getenv "PYTHON" or "python3", path,
    all and "2>&1" or "2>/dev/null")))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  local ok = pipe:close()
  os.remove(path)
  return lines, ok
end

-- Makes the first GPU the current device; where there is none, says that `what` is left out, and gives false.
function M.use_gpu(what)
  local ok, why = dc.available "cuda"
  if not ok then
    print(what .. " rows left out: " .. why)
    return false
  end
  dc.use "cuda:0"
  return true
end

return M
