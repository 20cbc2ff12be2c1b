-- The cache of compiled code: its commands, concurrent processes, unwritable disks, bundles beside scripts.
local h = require "spec.helper"
local shell, write, read, dclua, with_folder = h.shell, h.write, h.read, h.dclua, h.with_folder
local cpu = "DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=0 "

local script = [[
local dc = require "dotcompute"
local x = dc.from_bytes(("\0"):rep(4), { 1 }, "int32")
dc.kernel "__global__ void answer(int *x) { x[0] = %d; }"(1, 1, x)
local s = dc.stats()
print(x[1], s.compiles, s.cache_hits)
]]

local function run(dir, path, extra, arguments)
  return shell(("%s DOTCOMPUTE_CACHE='%s/cache' %s '%s' %s %s")
    :format(cpu, dir, extra or "", dclua, arguments or "", path))
end

local function tool(dir, command)
  return shell(("DOTCOMPUTE_CACHE='%s/cache' '%s' --cache %s"):format(dir, dclua, command))
end

local function files(dir) return tonumber((shell(("ls %s/cache | wc -l"):format(dir)))) end

describe("dclua --cache", function()
  it("lists, verifies, prunes and clears", function()
    with_folder(function(dir)
      local path = dir .. "/s.lua"
      for n = 1, 3 do
        write(path, script:format(n))
        assert.equal(("%d\t1\t0\n"):format(n), run(dir, path))
      end
      assert.equal("3\t0\t1\n", run(dir, path))
      local text, code = tool(dir, "list")
      assert.equal(0, code)
      assert.equal(3, select(2, text:gsub("PTX: answer", "")), text)
      assert.matches("3 entries, %d+ B\n$", text)
      text, code = tool(dir, "verify")
      assert.matches("3 entries, 0 damaged", text)
      assert.equal(0, code)

      shell(("f=$(ls -t %s/cache/* | tail -1); printf x | dd of=$f bs=1 seek=120 conv=notrunc status=none"):format(dir))
      text, code = tool(dir, "verify")
      assert.matches("3 entries, 1 damaged", text)
      assert.equal(1, code)
      assert.matches("DAMAGED", (tool(dir, "list")))

      assert.equal("3\t0\t1\n", run(dir, path)) -- used now, after the damage was done
      local size = tonumber((shell(("stat -c %%s %s/cache/* | sort -n | tail -1"):format(dir))))
      assert.matches("removed 2 files", (tool(dir, ("prune %fK"):format((size + 1) / 1024))))
      assert.equal("3\t0\t1\n", run(dir, path), "the one used last is kept")
      write(dir .. "/cache/" .. ("0"):rep(64) .. ".bin.tmp.1234", "left by a killed writer")
      assert.matches("removed 2 files", (tool(dir, "clear")))
      assert.equal(0, files(dir))
      assert.matches("0 entries, 0 B", (tool(dir, "list")))
    end)
  end)

  it("refuses unknown commands", function()
    with_folder(function(dir)
      local text, code = tool(dir, "burn")
      assert.matches("no command 'burn'; there are list, verify, clear, prune", text)
      assert.equal(1, code)
      text, code = tool(dir, "prune lots")
      assert.matches("'lots' is no size", text)
      assert.equal(1, code)
      text, code = tool(dir, "")
      assert.matches("needs argument", text)
      assert.equal(1, code)
      text, code = shell(("DOTCOMPUTE_CACHE=off '%s' --cache list"):format(dclua))
      assert.matches("switched off", text)
      assert.equal(1, code)
    end)
  end)
end)

describe("the cache", function()
  it("logs hits and misses on request", function()
    with_folder(function(dir)
      write(dir .. "/s.lua", script:format(5))
      assert.matches("cache: miss %x+: answer, %d+ bytes", run(dir, dir .. "/s.lua", "DOTCOMPUTE_LOG=cache"))
      assert.matches("cache: hit %x+: answer, %d+ bytes", run(dir, dir .. "/s.lua", "DOTCOMPUTE_LOG=cache"))
    end)
  end)

  it("serves 32 processes that start at once with an empty cache", function()
    with_folder(function(dir)
      write(dir .. "/s.lua", (script:gsub("print%(.*", "print(x[1])")):format(6))
      local text = shell(("for i in $(seq 32); do %s DOTCOMPUTE_CACHE=%s/cache '%s' %s/s.lua & done; wait")
        :format(cpu, dir, dclua, dir))
      assert.equal(("6\n"):rep(32), text)
      assert.equal(1, files(dir), "one entry, and nothing half written")
      assert.matches("1 entry, 0 damaged", (tool(dir, "verify")))
    end)
  end)

  it("is scanned after many writes, and then kept within its size limit", function()
    with_folder(function(dir)
      write(dir .. "/s.lua", script:format(10))
      run(dir, dir .. "/s.lua")
      local old = ("0"):rep(63)
      for i = 1, 9 do write(("%s/cache/%s%d.bin"):format(dir, old, i), ("x"):rep(200000)) end
      shell(("touch -d yesterday %s/cache/%s*"):format(dir, old))
      local body = {}
      for i = 1, 600 do body[i] = ("x[%d] = x[%d] * %d + %d;"):format(i, i + 1, i + 2, i) end
      write(dir .. "/s.lua", ('require "dotcompute".kernel [[__global__ void many(int *x) { %s }]]')
        :format(table.concat(body, " ")))
      run(dir, dir .. "/s.lua", "DOTCOMPUTE_CACHE_SIZE=1")
      local bytes = 0
      for size in shell(("stat -c %%s %s/cache/*"):format(dir)):gmatch "%d+" do bytes = bytes + tonumber(size) end
      assert.is_true(bytes <= 1 << 20, bytes)
      local list = tool(dir, "list")
      assert.matches("PTX: many", list)
      assert.matches("PTX: answer", list, 1, false, "used after those of yesterday")
    end)
  end)

  -- Addresses of variables and functions differ from process to process; text with them was compiled in each.
  it("keeps native code of kernels with variables and pointers to functions for other processes", function()
    with_folder(function(dir)
      local n, which = math.random(2, 500), math.random(0, 1)
      local script_of_variables = ([[
local dc = require "dotcompute"
local m = dc.module [=[
__device__ int table[512], count;
__constant__ int offset = 7;
__device__ int *middle = table + 256;
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__global__ void fill() { table[threadIdx.x] = threadIdx.x; }
__global__ void use(int *y, int which) {
  int (*f)(int) = which ? twice : thrice;
  y[threadIdx.x] = f(table[threadIdx.x]) + offset + middle[0];
  atomicAdd(&count, 1);
  atomicMax(table + 1, y[threadIdx.x]);
}
__global__ void last(int *y) { y[0] = count; y[1] = table[1]; }]=]
local y, z = dc.zeros(512, "int32"), dc.zeros(2, "int32")
m.fill(1, 512)
m.use(1, 512, y, %d)
m.last(1, 1, z)
print(y[%d], z[1], z[2])]]):format(which, n + 1)
      write(dir .. "/s.lua", script_of_variables)
      local factor = which == 1 and 2 or 3
      local expected = ("%d\t512\t%d\n"):format(factor * n + 263, factor * 511 + 263)
      local function once() return run(dir, dir .. "/s.lua", "DOTCOMPUTE_CPU_TIER=1") end
      assert.equal(expected, once())
      local before = files(dir)
      assert.is_true(before > 1, "native code is kept")
      assert.equal(expected, once())
      assert.equal(before, files(dir), "and found")
    end)
  end)

  it("works without a writable disk, and warns once", function()
    with_folder(function(dir)
      write(dir .. "/s.lua", script:format(7) .. 'dc.kernel "__global__ void second() {}"(1, 1)\n')
      local text = shell(("trap '' XFSZ; ulimit -f 0; %s DOTCOMPUTE_CACHE=%s/cache '%s' %s/s.lua 2>&1 | cat")
        :format(cpu, dir, dclua, dir))
      assert.matches("7\t1\t0\n", text)
      assert.equal(1, select(2, text:gsub("the cache cannot be written", "")), text)
      assert.equal(0, files(dir))
    end)
  end)

  it("is read from a folder that cannot be written", function()
    with_folder(function(dir)
      write(dir .. "/s.lua", script:format(8))
      run(dir, dir .. "/s.lua")
      os.execute("chmod 500 " .. dir .. "/cache")
      assert.equal("8\t0\t1\n", run(dir, dir .. "/s.lua"))
      write(dir .. "/s.lua", script:format(9))
      assert.matches("9\t1\t0\n", run(dir, dir .. "/s.lua"))
      os.execute("chmod 700 " .. dir .. "/cache")
    end)
  end)
end)

describe("dclua --bundle", function()
  local rich = [[
local dc = require "dotcompute"
local m = dc.module("#include <mine.h>\ntemplate<class T> __global__ void k(T *x) { *x = MINE; }",
  { headers = { ["mine.h"] = "#define MINE 12\n" } })
local x = dc.zeros(1, "int32")
m:kernel("k", "int32")(1, 1, x)
local linked = dc.module { "extern __device__ int f();\n__global__ void k(int *x) { *x += f(); }",
  "__device__ int f() { return 30; }" }
linked.k(1, 1, x)
print(x[1], (dc.arange(1, 4) * 2):sum():item(), dc.stats().compiles)
]]
  local without = "DOTCOMPUTE_NVRTC=off DOTCOMPUTE_CACHE=off "

  it("lets a script run without the compiler", function()
    with_folder(function(dir)
      local path = dir .. "/s.lua"
      write(path, rich)
      local text, code = run(dir, path, "", "--bundle")
      assert.matches("42\t20.0\t%d+\n", text)
      assert.matches("s%.lua%.dcb: %d+ images, ", text)
      assert.equal(0, code)
      assert.equal("42\t20.0\t0\n", run(dir, path, without))
      local moved = dir .. "/elsewhere"
      os.execute(("mkdir %s; cp %s %s.dcb %s"):format(moved, path, path, moved))
      assert.equal("42\t20.0\t0\n", shell(("cd %s && %s %s '%s' s.lua"):format(moved, cpu, without, dclua)))
      assert.equal("42\t20.0\t0\n", shell(("%s %s %s %s"):format(cpu, without, h.lua, path)), "stock Lua uses it too")
      assert.matches("NVIDIA's compiler", run(dir, path, without .. "DOTCOMPUTE_BUNDLE=off"))
      os.rename(path .. ".dcb", dir .. "/other.dcb")
      assert.matches("NVIDIA's compiler", run(dir, path, without))
      assert.equal("42\t20.0\t0\n", run(dir, path, without .. "DOTCOMPUTE_BUNDLE=" .. dir .. "/other.dcb"))
    end)
  end)

  it("is not used for kernels edited since", function()
    with_folder(function(dir)
      local path = dir .. "/s.lua"
      write(path, rich)
      run(dir, path, "", "--bundle")
      write(path, (rich:gsub("return 30", "return 31")))
      local text = run(dir, path, without)
      assert.matches("the bundle '.-s%.lua%.dcb' %(compute_75%) does not hold this source", text)
      assert.matches("^43\t20.0\t[1-9]", run(dir, path), "with the compiler it is compiled")
      write(path, (rich:gsub("MINE 12", "MINE 13")))
      assert.matches("does not hold this source", run(dir, path, without))
    end)
  end)

  it("is refused when damaged, truncated, or writable by others than the script's owner", function()
    with_folder(function(dir)
      local path = dir .. "/s.lua"
      local bundle = path .. ".dcb"
      write(path, rich)
      run(dir, path, "", "--bundle")
      local good = read(bundle)
      for _ = 1, 8 do
        local at = math.random(21, #good)
        local bad = good:sub(1, at - 1) .. string.char(good:byte(at) ~ (1 << math.random(0, 7))) .. good:sub(at + 1)
        write(bundle, bad)
        local text, code = run(dir, path, without)
        assert.is_true(code == 1 and text:find("compile", 1, true) ~= nil or text == "42\t20.0\t0\n", h.note(text))
      end
      for _, cut in ipairs { 0, 10, 30, 100, #good // 2, #good - 1 } do
        write(bundle, good:sub(1, cut))
        assert.matches("the bundle '.-s%.lua%.dcb' is damaged.*NVIDIA's compiler", run(dir, path, without),
          h.note("cut at " .. cut))
        assert.matches("^42\t20.0\t", run(dir, path))
      end
      write(bundle, good:sub(1, -2) .. string.char(good:byte(-1) ~ 1))
      assert.matches("the bundle '.-s%.lua%.dcb' is damaged.*NVIDIA's compiler", run(dir, path, without))
      write(bundle, good)
      os.execute("chmod 666 " .. bundle)
      assert.matches("the bundle '.-' is not used.*NVIDIA's compiler", run(dir, path, without))
      assert.matches("the bundle .- is not used", run(dir, path, without .. "DOTCOMPUTE_LOG=cache"))
      os.execute("chmod 644 " .. bundle)
      assert.equal("42\t20.0\t0\n", run(dir, path, without))
    end)
  end)

  it("serves GPUs, and keeps its images of other architectures", function()
    local fake = require "spec.fake"
    fake.build()
    with_folder(function(dir)
      local path = dir .. "/s.lua"
      write(path, 'local dc = require "dotcompute"\nlocal k = dc.kernel "__global__ void k(int n) {}"\nk(1, 1, 5)\n'
        .. "print(k.device.backend, dc.stats().compiles, #k.module:kernels())\n")
      local gpu = ("DOTCOMPUTE_DEVICE= DOTCOMPUTE_LIBCUDA='%s/spec/libfake_cuda.so' FAKE_CUDA_REPORT=%s/report ")
        :format(h.build, dir)
      assert.matches("cuda\t1\t1\n.*s%.lua%.dcb: 2 images", run(dir, path, gpu, "--bundle"))
      assert.matches("cpu\t1\t1\n.*s%.lua%.dcb: 3 images", run(dir, path, "", "--bundle"))
      assert.equal("cuda\t0\t1\n", run(dir, path, gpu .. without))
      assert.equal("cpu\t0\t1\n", run(dir, path, without))
    end)
  end)

  it("is not written when the script fails", function()
    with_folder(function(dir)
      local text, code = shell(("'%s' --bundle"):format(dclua))
      assert.matches("needs a script", text)
      assert.equal(1, code)
      write(dir .. "/s.lua", rich .. "error 'no'")
      text, code = run(dir, dir .. "/s.lua", "", "--bundle")
      assert.matches("no\n", text)
      assert.equal(1, code)
      assert.is_nil(io.open(dir .. "/s.lua.dcb"))
    end)
  end)
end)
