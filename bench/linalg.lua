-- Matrix products, solvers and Fourier transforms of the CPU device beside NumPy's, with as many threads each, by turns
-- of whole rounds. PYTHON names the interpreter that has NumPy (python3); without one our own times are printed alone.
-- The libraries do the work on both sides: what is measured here is what we add, and that operands are not copied.
local dc = require "dotcompute"
local report = require "report"

dc.use "cpu"
local threads = dc.device().multiprocessors
local ROUNDS, REPEATS = 3, 7

-- name, ours (a function that gives the one to be timed), NumPy's set-up and expression, limit of the ratio
local rows = {
  { "matmul 1024 float32", function(a) return function() return a:matmul(a) end end, { 1024, 1024, "float32" },
    "a @ a", 1.1 },
  { "a.T matmul a, 1024 float32", function(a) return function() return a.T:matmul(a) end end,
    { 1024, 1024, "float32" }, "a.T @ a", 1.1 },
  { "matmul 512 float64", function(a) return function() return a:matmul(a) end end, { 512, 512, "float64" }, "a @ a",
    1.1 },
  { "matrix by vector, 4096 float32", function(a) return function() return a:matmul(a[1]) end end,
    { 4096, 4096, "float32" }, "a @ a[0]", 1.1 },
  { "64 times matmul 64 float32", function(a)
    a = a:reshape(64, 64, 64)
    return function() return a:matmul(a) end
  end, { 512, 512, "float32" }, "a.reshape(64, 64, 64) @ a.reshape(64, 64, 64)", 1.1 },
  { "solve 512 float64", function(a) return function() return dc.linalg.solve(a, a[1]) end end,
    { 512, 512, "float64" }, "np.linalg.solve(a, a[0])", 1.1 },
  { "svd 256 float64", function(a) return function() return dc.linalg.svd(a) end end, { 256, 256, "float64" },
    "np.linalg.svd(a)", 1.1 },
  { "eigh 256 float64", function(a) return function() return dc.linalg.eigh(a) end end, { 256, 256, "float64" },
    "np.linalg.eigh(a)", 1.1 },
  { "fft 2^20 complex128", function(a)
    a = a:reshape(1 << 20):to "complex128":eval()
    return function() return dc.fft.fft(a) end
  end, { 1024, 1024, "float64" }, "np.fft.fft(c.reshape(1 << 20))", 1.0 },
  { "rfft of 1024 rows of 1024 float64", function(a) return function() return dc.fft.rfft(a) end end,
    { 1024, 1024, "float64" }, "np.fft.rfft(a)", 1.0 },
  { "fft of 1024 columns of 1024 complex128", function(a)
    a = a:to "complex128":eval()
    return function() return dc.fft.fft(a, { axis = 1 }) end
  end, { 1024, 1024, "float64" }, "np.fft.fft(c, axis=0)", 1.0 },
}

local function python_script()
  local lines = { "import time, statistics, numpy as np" }
  for _, row in ipairs(rows) do
    local m, n, dtype = table.unpack(row[3])
    lines[#lines + 1] = ("a = np.random.default_rng(1).random((%d, %d)).astype('%s')"):format(m, n, dtype)
    lines[#lines + 1] = "c = a.astype('complex128')"
    lines[#lines + 1] = ("f = lambda: %s\nf()\nt = []"):format(row[4])
    lines[#lines + 1] = ("for _ in range(%d):\n    s = time.perf_counter(); f(); t.append(time.perf_counter() - s)")
      :format(REPEATS)
    lines[#lines + 1] = "print(statistics.median(t))"
  end
  lines[#lines + 1] = "print(np.__version__)"
  return table.concat(lines, "\n")
end

-- The medians of one round, and NumPy's version; nil and why not.
local function numpy()
  local lines, ok = report.python(python_script(),
    ("OPENBLAS_NUM_THREADS=%d OMP_NUM_THREADS=%d"):format(threads, threads), true)
  local times, last = {}, lines[#lines]
  for _, line in ipairs(lines) do times[#times + 1] = tonumber(line) end
  if not ok then return nil, last or "python3 cannot be run" end
  return times, last
end

local function ours()
  local times = {}
  for i, row in ipairs(rows) do
    local m, n, dtype = table.unpack(row[3])
    local f = row[2](dc.random.uniform(m, n, { dtype = dtype }):eval())
    f():close()
    local t = {}
    for k = 1, REPEATS do
      local start = dc.clock()
      local result = f()
      dc.synchronize()
      t[k] = dc.clock() - start
      result:close()
    end
    times[i] = report.median(t)
    collectgarbage()
  end
  return times
end

local mine, theirs, version, why = {}, {}, nil, nil
for round = 1, ROUNDS do
  mine[round] = ours()
  theirs[round], version = numpy()
  if not theirs[round] then
    why, version = version, nil
    break
  end
end

local function middle(rounds, i)
  local list = {}
  for k, times in ipairs(rounds) do list[k] = times[i] end
  return report.median(list)
end

local cells = {}
for i, row in ipairs(rows) do
  local a = middle(mine, i)
  cells[i] = { row[1], ("%.2f"):format(a * 1e3), "-", "-", "-" }
  if version then
    local b = middle(theirs, i)
    cells[i][3] = ("%.2f"):format(b * 1e3)
    cells[i][4], cells[i][5] = report.judge(a / b, row[5])
  end
end
report.print(("CPU device (%s), ms, medians of %d rounds"):format(dc.device().name, ROUNDS),
  { "", "ours", "NumPy", "ours/NumPy", "limit" }, cells)
print("NumPy: " .. (version or "left out: " .. tostring(why)) .. ".\n")
