-- A kernel that nobody has seen: from its source to the result of one block (tier 0), beside NVRTC's own time for
-- such a source, and until its tier 1 is ready. Every source has constants of its own, so that no cache helps; the
-- cache's folder is a new one. Results are checked against the same steps in Lua.
local native = require "native"

local folder = os.tmpname()
os.remove(folder)
native.setenv("DOTCOMPUTE_CACHE", folder)

local dc = require "dotcompute"
local nvrtc = require "nvrtc"
local report = require "report"
local library = require "dotcompute.core".compiler().library
local sides = require "sides"

local WORD <const> = 0xffffffff
local WANTED <const>, THREADS <const>, TURNS <const> = 160, 256, 3
local function word() return math.random(0, WORD) | 1 end

-- Steps on two words and a float, as C and as the same in Lua. All floats are whole and below 2^24: exact.
local steps = {
  function()
    local a, b = word(), word()
    return ("n = n * %du + %du;"):format(a, b), function(s) s.n = s.n * a + b & WORD end
  end,
  function()
    local k = math.random(3, 17)
    return ("n ^= n >> %d;"):format(k), function(s) s.n = s.n ~ s.n >> k end
  end,
  function() return "f += (float)(n & 255);", function(s) s.f = s.f + (s.n & 255) end end,
  function()
    local k, a = math.random(2, 30), word()
    return ("if (n >> %d & 1) m += n ^ %du; else f = fmaxf(f, (float)(n & 4095));"):format(k, a), function(s)
      if s.n >> k & 1 == 1 then s.m = s.m + (s.n ~ a) & WORD else s.f = math.max(s.f, s.n & 4095) end
    end
  end,
  function()
    local k = math.random(3, 29)
    return ("m = m << %d | m >> %d;"):format(k, 32 - k), function(s) s.m = (s.m << k | s.m >> 32 - k) & WORD end
  end,
  function()
    local a = math.random(300, 900)
    return ("f = f > %d.0f ? f - %d.0f : f + 1.0f;"):format(a, a), function(s)
      s.f = s.f > a and s.f - a or s.f + 1
    end
  end,
  function()
    local a = word()
    return ("if (m < %du) n += m;"):format(a), function(s) if s.m < a then s.n = s.n + s.m & WORD end end
  end,
}

-- A new kernel of so many steps: its source, and a function from a thread's input to its output.
local function invent(count)
  local text, run, mask = {}, {}, word()
  for i = 1, count do text[i], run[i] = steps[(i - 1) % #steps + 1]() end
  local source = ([[
__global__ void fresh(const unsigned *in, unsigned *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned n = in[i], m = n ^ %du;
  float f = (float)(n & 63);
  #pragma unroll 1
  for (int turn = 0; turn < %d; turn++) {
    %s
  }
  out[i] = n ^ m ^ (unsigned)f;
}]]):format(mask, TURNS, table.concat(text, "\n    "))
  return source, function(v)
    local s = { n = v, m = v ~ mask, f = v & 63 }
    for _ = 1, TURNS do
      for k = 1, count do run[k](s) end
    end
    return s.n ~ s.m ~ math.tointeger(s.f)
  end
end

local options = { "--gpu-architecture=compute_75", "--std=c++17", "-lineinfo" } -- what the CPU device asks for

local function instructions(ptx)
  local count = 0
  for line in ptx:match "{(.*)}":gmatch "[^\n]+" do
    if line:match "^%s+[@%a].*;%s*$" and not line:match "^%s+%." then count = count + 1 end
  end
  return count
end

-- Our side: source to result, checked; then how long after its launch tier 1 was ready, if there is one.
local function ours(count)
  local source, expected = invent(count)
  local values = {}
  for i = 1, THREADS do values[i] = math.random(0, WORD) end
  local input, output = dc.array(values, "uint32"):eval(), dc.zeros(THREADS, "uint32"):eval()
  local start = native.now()
  local k = dc.kernel(source)
  local launched = native.now()
  k(1, THREADS, input, output, THREADS)
  local got = output:bytes()
  local done = native.now()
  for i, v in ipairs(values) do
    local r = string.unpack("<I4", got, 4 * i - 3)
    local text = "fresh kernel: thread %d gives %d, should be %d\n%s"
    assert(r == expected(v), text:format(i - 1, r, expected(v), source))
  end
  if not k.attributes.tier or os.getenv "DOTCOMPUTE_CPU_TIER" == "0" then return done - start, nil end
  while sides.tier(k) < 1 and native.now() < launched + 20 do native.sleep(0.0005) end
  return done - start, native.now() - launched
end

dc.use "cpu"
ours(8) -- loads NVRTC, makes what later kernels share
local count, length = 7, 0
while length < WANTED do
  count = count + 1
  length = instructions(select(2, nvrtc.compile(library, invent(count), options)))
end

local first, ready, alone = {}, {}, {}
for _ = 1, 15 do
  alone[#alone + 1] = nvrtc.compile(library, invent(count), options)
  first[#first + 1], ready[#ready + 1] = ours(count)
end
os.execute("rm -rf '" .. folder .. "'")

-- The common first kernels, each in a process of its own, whose cache is empty: the least of five, in seconds.
local function of_a_process(name)
  local least = math.huge
  for _ = 1, 5 do
    native.setenv("DOTCOMPUTE_CACHE", folder)
    local pipe = io.popen(("'%s/dclua' bench/first.lua %s"):format(os.getenv "DOTCOMPUTE_BUILD", name))
    least = math.min(least, tonumber(pipe:read "a"))
    pipe:close()
    os.execute("rm -rf '" .. folder .. "'")
  end
  return least
end

local function row(name, t, against, limit)
  local ratio, verdict = report.judge(against and t / against or t, limit)
  return { name, ("%.1f"):format(t * 1e3), against and ratio or "", verdict .. (against and "" or " s") }
end
local nvrtc_alone = report.median(alone)
report.print(("A new kernel of %d PTX instructions, NVRTC loaded, ms, medians of %d by turns"):format(
  length, #alone), { "figure", "time", "ratio", "limit" }, {
  { "NVRTC alone", ("%.1f"):format(nvrtc_alone * 1e3), "", "" },
  row("source to the result of one block", report.median(first), nvrtc_alone, 1.2),
  #ready > 0 and row("from the launch until tier 1 is ready", report.median(ready), nil, 0.15)
    or { "from the launch until tier 1 is ready", "none", "", "" },
})
if os.getenv "DOTCOMPUTE_CPU_TIER" ~= "0" then
  local rows = {}
  for i, name in ipairs { "vecadd", "saxpy", "stencil" } do rows[i] = row(name, of_a_process(name), nil, 0.15) end
  report.print("A process's first kernel, nothing cached: from its launch until tier 1 is ready, ms, the least of 5",
    { "kernel", "time", "ratio", "limit" }, rows)
end
