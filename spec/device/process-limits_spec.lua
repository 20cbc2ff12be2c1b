-- Limits of the process: small address space (kernels did not run, although the device opened), small files (SIGXFSZ
-- ended the process), small stacks, few descriptors, no more threads. Each works or is one clear error.
local helper = require "spec.helper"
local quote, build = helper.quote, helper.build

-- Runs Lua text in a process with these limits and a cache of its own, which the same text has filled if `warm`: its
-- output, and how it ended.
local function run(limits, text, env, warm)
  local folder = helper.folder()
  helper.write(folder .. "/script.lua", 'local dc = require "dotcompute"\n', text)
  local program = (build:sub(1, 1) == "/" and "" or os.getenv "PWD" .. "/") .. build .. "/dclua"
  local call = ("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=%s %s timeout 120 %s script.lua"):format(
    quote(folder .. "/cache"), env or "", quote(program))
  local command = ("cd %s; %s%s; %s; echo status $?"):format(quote(folder),
    warm and call .. " >/dev/null 2>&1; " or "", limits, call)
  local p = io.popen(("sh -c %s 2>&1"):format(quote(command)))
  local out = p:read "a"
  p:close()
  os.execute("rm -rf " .. quote(folder))
  return out
end

local work = [==[
local k = dc.kernel [[
__device__ __noinline__ int more(int n) { return n > 0 ? more(n - 1) + 2 : 1; }
__global__ void f(int *o, int n) { o[threadIdx.x] = n * 2 + threadIdx.x + more(n % 5); }]]
local o = dc.zeros(4, "int32")
k(1, 4, o, 21)
print(o[1], o[4], (dc.arange(0, 999) * 2):sum():item())
]==]
local worked = "45\t48\t999000.0\nstatus 0\n"

-- Whether limits of addresses mean what they say: not where a sanitizer has reserved terabytes.
local sanitized = os.getenv "SAN" == "1" or build:find "san"

describe("a process with an address space", function()
  if sanitized then return end
  for _, mib in ipairs { 300, 600, 900, 1200, 1600, 2400, 4200, 8400, math.random(300, 9000), 40000 } do
    it(("of %d MiB runs kernels, or reports what it lacks"):format(mib), function()
      local out = run(("ulimit -v %d"):format(mib << 10), work)
      if mib >= 1600 then return assert.equal(worked, out) end
      assert.truthy(out == worked or out:find "status 1\n$" and (out:find "ulimit %-v" or out:find "memory" or
        out:find "cannot be loaded" or out:find "cannot be started"), out)
    end)
  end
end)

describe("a process limited to small files", function()
  it("reports larger ones as errors of kind io, and computes", function()
    local out = run("ulimit -f 8", [==[
local a = dc.arange(0, 99999)
local function save(name, f, what)
  local ok, err = pcall(f, name, what)
  print(name, ok, err and err.kind, io.open(name))
end
save("a.npy", dc.save, a)
save("a.npz", dc.save, { a = a })
save("a.csv", dc.save_csv, a)
save("a.raw", dc.save_raw, a)
]==] .. work)
    local lines = {}
    for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
    for i, name in ipairs { "a.npy", "a.npz", "a.csv", "a.raw" } do
      assert.matches(name:gsub("%p", "%%%0") .. "\tfalse\tio\tnil", lines[i], out)
    end
    -- The cache is written by a thread of its own: its complaint comes at any time.
    assert.equal(worked, (out:gsub("dotcompute: the cache cannot be written[^\n]*\n", "")):sub(-#worked), out)
  end)

  for _, tier in ipairs { 0, 1 } do
    it("runs kernels although nothing can be cached, tier " .. tier, function()
      for _, blocks in ipairs { 0, 1, 64 } do
        local out = run("ulimit -f " .. blocks, work, "DOTCOMPUTE_CPU_TIER=" .. tier)
        assert.equal(worked, (out:gsub("dotcompute: the cache cannot be written[^\n]*\n", "")))
      end
    end)
  end

  it("reports output beyond the limit", function()
    local out = run("ulimit -f 8", 'print(("x"):rep(100000))', "sh -c 'exec \"$0\" \"$@\" >out' ")
    assert.matches("output cannot be written.*status 1\n$", out)
    out = run("ulimit -f 8", [[
local f = io.open("large", "w")
f:setvbuf "no"
print(f:write(("x"):rep(100000)))]])
    assert.matches("^nil\tFile too large", out)
  end)
end)

it("a small stack is enough for the CPU device", function()
  if sanitized then return end -- its frames are several times as large
  for _, tier in ipairs { 0, 1 } do
    for _, kib in ipairs { 64, 128, 1024 } do -- NVRTC needs more than 128 KiB
      assert.equal(worked, run("ulimit -s " .. kib, work, "DOTCOMPUTE_CPU_TIER=" .. tier, kib < 1024), kib)
    end
  end
end)

it("few file descriptors or threads are enough, or one clear error", function()
  for _, tier in ipairs { 0, 1 } do
    for n = 5, 16, tier == 0 and 1 or 3 do
      local out = run("ulimit -n " .. n, work, "DOTCOMPUTE_CPU_TIER=" .. tier)
      assert.truthy(out == worked or out:find "status 1\n$", n .. out)
    end
    local out = run("{ ulimit -u 1 || ulimit -p 1; } 2>/dev/null", work,
      "DOTCOMPUTE_CPU_THREADS=4 DOTCOMPUTE_CPU_TIER=" .. tier)
    assert.truthy(out == worked or out:find "status 1\n$", out)
  end
end)
