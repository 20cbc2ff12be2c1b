-- DOTCOMPUTE_DUMP: the stages of a kernel, from an expression to the CPU device's C.
local fake = require "spec.fake"
local helper = require "spec.helper"
local shell, quote = helper.shell, helper.quote
local build = helper.build

-- A number that makes the text of these kernels new, so that no cache has them.
local salt = helper.seed % 100000

local expression = [[
local dc = require "dotcompute"
local a, b = dc.array({ 1, 2, 3, 4 }, "float32"), dc.array({ 5, 6, 7, 8 }, "float32")
print((a + b)[4])
]]

local function run(script, dump)
  local name = helper.temporary(script)
  local text = shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=1 %s %s %s 2>&1"):format(
    dump and "DOTCOMPUTE_DUMP=" .. quote(dump) or "", quote(build .. "/dclua"), name))
  os.remove(name)
  return text
end

-- The text of a stage in what a run printed, and the kernel's name.
local function stage(text, name)
  local kernel, from = text:match("== " .. name .. " of (%x+)\n()")
  assert.truthy(kernel, ("no stage '%s' in: %s"):format(name, text))
  return text:sub(from, (text:find("\n== ", from, true) or #text + 1) - 1), kernel
end

describe("DOTCOMPUTE_DUMP", function()
  it("writes nothing when it is not set", function()
    assert.equal("12.0\n", run(expression))
    assert.equal("12.0\n", run(expression, ""))
  end)

  it("shows the IR of an expression", function()
    local text = stage(run(expression, "ir"), "ir")
    assert.matches("^elements on cpu\n", text)
    assert.matches("x0: float32\nx1: float32\nt0 = float32 %+ v0, v1\nout: float32 = t0\n", text)
  end)

  it("shows each reduction in the pass that computes it, and the schedule of rows", function()
    local text = run([[
local dc = require "dotcompute"
local x = dc.array({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } }, "float32")
print((x - x:max(2, { keep = true }))[{ 3, 1 }])
]], "ir,schedule")
    local ir, schedule = stage(text, "ir"), stage(text, "schedule")
    assert.matches("^rows on cpu\n", ir)
    assert.matches("t%d = float32 max v0; reduced in pass 1\n", ir)
    assert.matches("t%d = float32 %- v0, t%d; for each element in pass 2\n", ir)
    assert.matches("3 rows of 4 elements, 1 segment of 4\n", schedule)
    assert.matches("-3.0\n$", text)
  end)

  it("shows the schedule of an expression", function()
    local text = stage(run(expression, "schedule"), "schedule")
    assert.matches("^elements: ", text)
    assert.matches("4 elements, axes 4; 32%-bit indices\n", text)
    assert.matches("x0: flat\nx1: flat\nout: flat", text)
  end)

  it("shows the arguments of a user's body", function()
    local text = stage(run([[
local dc = require "dotcompute"
local f = dc.elementwise("T x, float s", "T y", "y = x * s;")
print(f(dc.array({ 1, 2 }, "float32"), 2.5)[2])
]], "ir"), "ir")
    assert.matches("x0: float32, written by the body\nx1: float32\ns0: float32\nbody elementwise%(x0, x1, s0%)\n", text)
  end)

  it("shows the schedules of tiles, of rows that warps share and of values cached between passes", function()
    local tiles = fake.run("dc.empty({ 100, 200 }, \"float32\").T:copy()", { DOTCOMPUTE_DUMP = "schedule" })
    assert.matches("\ntiles: squares of %d+ x %d+ of axes 1 and 2, 256 threads a block\n", tiles)
    local rows = run([[
local dc = require "dotcompute"
local m = dc.zeros({ 300, 300 }, "float32")
local e = m[{ ":", { 1, 299 } }] + 1
print(e[{ 300, 299 }])
]], "schedule")
    assert.matches("\nwarp rows: %d+ parts a row, of 128 elements, a warp each", rows)
    local cached = fake.run([[
local m = dc.empty({ 9000, 2200 }, "float32")
local e = dc.exp(m - m:max { 1, keep = true });
(e / e:sum { 1, keep = true }):eval()
]], { DOTCOMPUTE_DUMP = "schedule" })
    assert.matches("in two levels; threads: ", cached)
    assert.matches("8 rows a block, 4 blocks a cluster\n4 bytes an element cached between passes, "
      .. "72000 bytes of shared memory a block\n", cached)
    assert.matches("x0: strided, strides 1 2200, in vector accesses, cached at byte 0 of an element's slots\n", cached)
    local few = fake.run([[
local m = dc.empty({ 128, 50257 }, "float32")
local e = dc.exp(m - m:max { 2, keep = true });
(e / e:sum { 2, keep = true }):eval()
]], { DOTCOMPUTE_DUMP = "schedule" })
    assert.matches("128 rows of 50257 elements, 13 segments of 4096\n", few)
    assert.matches("2 segments a block, 7 blocks a cluster\n4 bytes an element cached between passes, "
      .. "32768 bytes of shared memory a block\n", few)
    local _, kernels = few:gsub("== schedule of", "")
    assert.equal(1, kernels)
    local packs = fake.run([[
local m = dc.empty({ 128, 1024 }, "bfloat16"):to "float32"
local y = (m - m:mean { 2, keep = true }):to "bfloat16":eval()
]], { DOTCOMPUTE_DUMP = "schedule,ptx" })
    assert.matches("threads: 64 a segment; .*\n8 elements in one access of the last pass\n2 bytes an element cached",
      packs)
    assert.matches("cvt%.rn%.bf16%.f32", packs) -- the instruction that rounds to bfloat16
  end)

  it("shows the CUDA C and the PTX of a kernel, an expression's and a user's, cached or not", function()
    for _ = 1, 2 do
      local text = run(expression, "cuda,ptx")
      local cuda, name = stage(text, "cuda")
      local ptx, same = stage(text, "ptx")
      assert.matches("__global__ .* expression%(", cuda)
      assert.matches("%.visible %.entry expression", ptx)
      assert.equal(name, same)
    end
    local source = ("__global__ void answer%d(int *x) { x[0] = 42; }"):format(salt)
    local text = run(([[
local dc = require "dotcompute"
local x = dc.zeros({ 1 }, "int32")
dc.kernel "%s"(1, 1, x)
print(x:item())
]]):format(source), "cuda, ptx")
    assert.truthy(stage(text, "cuda"):find(source, 1, true), text)
    assert.matches("%.entry [%w_]*answer" .. salt, stage(text, "ptx"))
    assert.matches("42\n", text)
  end)

  it("shows the C that the CPU device makes of a kernel", function()
    assert.matches("dc_run", stage(run(expression, "c"), "c"))
  end)

  it("shows only the stages that it lists", function()
    local text = run(expression, "schedule,ir")
    assert.truthy(stage(text, "ir"))
    assert.truthy(stage(text, "schedule"))
    assert.is_nil(text:find("== cuda", 1, true) or text:find("== ptx", 1, true) or text:find("== c of", 1, true))
  end)

  it("writes files to a folder, which it creates", function()
    local top = os.tmpname()
    os.remove(top)
    local folder = top .. "/stages"
    assert.equal("12.0\n", run(expression, "ir,schedule,cuda,ptx,c:" .. folder))
    local kernel = shell(("cd %s && ls *.ir"):format(quote(folder))):match "^(%x+)%.ir\n$"
    assert.truthy(kernel)
    local function read(name)
      local f <close> = assert(io.open(folder .. "/" .. name))
      return f:read "a"
    end
    assert.matches("^elements on cpu\n", read(kernel .. ".ir"))
    assert.matches("out: flat\n$", read(kernel .. ".schedule"))
    assert.matches("expression%(", read(kernel .. ".cu"))
    assert.matches("%.entry expression", read(kernel .. ".ptx"))
    assert.matches("%f[%w]%x+%.c\n", shell(("ls %s"):format(quote(folder))))
    shell("rm -r " .. quote(top))
  end)

  it("refuses an unknown stage and lists the known ones", function()
    for _, script in ipairs { expression, [[
local dc = require "dotcompute"
dc.kernel "__global__ void k(int *x) { x[0] = 1; }"(1, 1, dc.zeros({ 1 }, "int32"))
]] } do
      local text = run(script, "ir,sass")
      assert.matches("DOTCOMPUTE_DUMP has no stage 'sass': the stages are ir, schedule, cuda, ptx and c", text)
      assert.not_matches("12%.0", text) -- the result; os.tmpname may have a 12
    end
  end)

  it("reports a folder that it cannot create", function()
    assert.matches("cannot make the folder '/dev/null", run(expression, "ir:/dev/null/x"))
  end)
end)
