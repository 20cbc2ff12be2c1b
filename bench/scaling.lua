-- Strong and weak scaling of examples/ranks/ over ranks on the CPU device, one thread each, beside a model from the
-- latency and bandwidth of messages, measured first; then what the model says of up to 1024 ranks.
-- Usage: dclua bench/scaling.lua [rounds]        Child: scaling.lua link, under dclua -n 2
local dc = require "dotcompute"
local report = require "report"

-- --- messages -----------------------------------------------------------------------------------------------------

-- A message there and back between two ranks, half of the least time of many: what others do on the machine only adds.
local function link()
  local comm = dc.world()
  for _, n in ipairs { 1, 256, 4096, 65536, 262144, 1048576 } do
    local a, least = dc.zeros(n):eval(), math.huge
    for _ = 1, n > 100000 and 100 or 1000 do
      local began = dc.clock()
      for turn = 0, 1 do
        if comm.rank == turn then comm:send(a, 1 - turn) else comm:recv(a, turn) end
      end
      least = math.min(least, (dc.clock() - began) / 2)
    end
    if comm.rank == 0 then print(("%d %.9f"):format(4 * n, least)) end
  end
end

if arg[1] == "link" then
  link()
  os.exit(true, true)
end

-- --- children -----------------------------------------------------------------------------------------------------

local dclua = arg[-1]
local function output(ranks, words)
  local set = "DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_THREADS=1 DOTCOMPUTE_CPU_TIER=1"
  local pipe = assert(io.popen(("%s '%s' -n %d %s"):format(set, dclua, ranks, words)))
  local text = pipe:read "a"
  assert(pipe:close(), "a child process failed: " .. text)
  return text
end

local rounds = math.tointeger(arg[1] and tonumber(arg[1]) or 3)

-- Seconds a step, of the slowest rank: elapsed, and of the processor.
local function step_of(ranks, words)
  local text = output(ranks, "examples/ranks/" .. words)
  local elapsed, processor = text:match "([%d.]+) ms a step.*processor ([%d.]+)"
  assert(elapsed, text)
  return tonumber(elapsed) / 1e3, tonumber(processor) / 1e3
end

-- Medians of one and two ranks by turns: elapsed and processor's seconds of each.
local function compare(one_words, two_words)
  local processor = { {}, {} }
  local function run(ranks, words)
    return function()
      local elapsed, used = step_of(ranks, words)
      table.insert(processor[ranks], used)
      return elapsed
    end
  end
  local one, two = report.alternate(rounds, run(1, one_words), run(2, two_words))
  return one, two, report.median(processor[1]), report.median(processor[2])
end

-- --- the model ----------------------------------------------------------------------------------------------------

-- Latency (s) and time of a byte (s): that of the smallest message, and the least of the larger ones.
local function measure_link()
  local sizes, times = {}, {}
  for bytes, seconds in output(2, "bench/scaling.lua link"):gmatch "(%d+) ([%d.]+)" do
    sizes[#sizes + 1], times[#times + 1] = tonumber(bytes), tonumber(seconds)
  end
  local rows = {}
  for i, n in ipairs(sizes) do
    rows[i] = { n, ("%.1f"):format(times[i] * 1e6), ("%.2f"):format(n / times[i] / 1e9) }
  end
  report.print("messages between 2 ranks, least of many", { "bytes", "us", "GB/s" }, rows)
  local each = math.huge
  for i = 4, #sizes do each = math.min(each, (times[i] - times[1]) / sizes[i]) end
  return times[1], each
end

-- Seconds of communication in a step by p ranks. Rows of `heat` go to both neighbours together;
-- `nbody` gathers all positions, by a ring; `matmul` passes the columns of a matrix around one.
local function exchange_rows(p, columns, alpha, beta)
  return p == 1 and 0 or alpha + (p == 2 and 1 or 2) * 4 * columns * beta
end
local function gather_bodies(p, n, alpha, beta)
  return p == 1 and 0 or (p - 1) * (alpha + 16 * n / p * beta)
end

local function pass_columns(p, n, alpha, beta)
  return p == 1 and 0 or (p - 1) * (alpha + 4 * n * n / p * beta)
end

local alpha, beta = measure_link()
print(("alpha %.1f us, 1/beta %.2f GB/s\n"):format(alpha * 1e6, 1 / beta / 1e9))

-- --- measured -----------------------------------------------------------------------------------------------------

local steps, edge, bodies, order = 10, 4096, 16384, 1024
local wide, large = math.floor(bodies * math.sqrt(2) + 0.5), math.floor(order * 2 ^ (1 / 3) + 0.5) -- twice the work
local heat, nbody, matmul = "heat.lua %d %d " .. steps, "nbody.lua %d " .. steps, "matmul.lua %d " .. steps
local rows = {}

-- Adds a row; `work`: that of two ranks over that of one. Returns the processor's seconds of one.
local function row(name, one_words, two_words, work, modelled)
  local one, two, used_one, used_two = compare(one_words, two_words)
  local model = work * used_one / (work * used_one / 2 + modelled)
  rows[#rows + 1] = { name, ("%.2f"):format(one * 1e3), ("%.2f"):format(two * 1e3), ("%.2f"):format(work * one / two),
    ("%.2f"):format(used_one * 1e3), ("%.2f"):format(used_two * 1e3), ("%.2f"):format(work * used_one / used_two),
    ("%.2f"):format(model) }
  return used_one
end

local single = {}
single.heat = row("heat, strong", heat:format(edge, edge), heat:format(edge, edge), 1,
  exchange_rows(2, edge, alpha, beta))
row("heat, weak", heat:format(edge, edge), heat:format(2 * edge, edge), 2, exchange_rows(2, edge, alpha, beta))
single.nbody = row("n-body, strong", nbody:format(bodies), nbody:format(bodies), 1,
  gather_bodies(2, bodies, alpha, beta))
row("n-body, weak", nbody:format(bodies), nbody:format(wide), (wide / bodies) ^ 2, gather_bodies(2, wide, alpha, beta))
single.matmul = row("matmul, strong", matmul:format(order), matmul:format(order), 1,
  pass_columns(2, order, alpha, beta))
row("matmul, weak", matmul:format(order), matmul:format(large), (large / order) ^ 3,
  pass_columns(2, large, alpha, beta))
report.print(("one and two ranks, ms a step, medians of %d by turns; speed-up: work in a second, over one rank's")
  :format(rounds), { "example", "1 rank", "2 ranks", "speed-up", "processor, 1", "2 (slowest)", "speed-up", "model" },
  rows)

-- --- simulated ----------------------------------------------------------------------------------------------------

-- Efficiencies of p = 1, 2, 4 … 1024 by the model. `of`: seconds of a step on one; sizes; alpha; beta(p).
local function simulate(title, of)
  local list = {}
  local function efficiency(work, communication) return ("%.1f"):format(100 * work / (work + communication)) end
  local function ring(p, work, n, a, b) -- the part of the time beside which nothing is computed
    local passing = pass_columns(p, n, a, b)
    return efficiency(work, of.overlap and math.max(0, passing - work * (p - 1) / p) or passing)
  end
  for k = 0, 10 do
    local p = 1 << k
    local a, b, n, m = of.alpha, of.beta(p), of.bodies * math.sqrt(p), of.order * p ^ (1 / 3)
    list[#list + 1] = { p,
      efficiency(of.heat / p, exchange_rows(p, of.edge, a, b)), efficiency(of.heat, exchange_rows(p, of.edge, a, b)),
      efficiency(of.nbody / p, gather_bodies(p, of.bodies, a, b)), efficiency(of.nbody, gather_bodies(p, n, a, b)),
      ring(p, of.matmul / p, of.order, a, b), ring(p, of.matmul, m, a, b) }
  end
  report.print(title, { "ranks", "heat, strong", "weak", "n-body, strong", "weak", "matmul, strong", "weak" }, list)
end

simulate(("efficiency by the model, %%: ranks on processors, plate of %d x %d, %d bodies, matrices of %d"):format(edge,
  edge, bodies, order), { heat = single.heat, nbody = single.nbody, matmul = single.matmul, edge = edge,
  bodies = bodies, order = order, alpha = alpha, beta = function() return beta end })

-- H100s: latency and bandwidth of NCCL between two, measured (docs/performance.md); beyond a host's 8 the 50 GB/s of
-- its network. One GPU by its data sheet: 3.35 TB/s of which 0.9 are reached, 67 Tflop/s of float32, of which n-body
-- (20 flop a pair) reaches half, and products in TF32 400 Tflop/s. Only the ring of products overlaps with
-- them.
local plate, stars, matrix = 16384, 262144, 16384
simulate(("the same for H100s, plate of %d x %d, %d bodies, matrices of %d"):format(plate, plate, stars, matrix), {
  heat = 8 * plate ^ 2 / (0.9 * 3.35e12), nbody = 20 * stars ^ 2 / 33.5e12, matmul = 2 * matrix ^ 3 / 400e12,
  edge = plate, bodies = stars, order = matrix, alpha = 15.5e-6, overlap = true,
  beta = function(p) return p <= 8 and 1 / 294e9 or 1 / 50e9 end })
