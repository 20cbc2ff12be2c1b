-- For specs of what the debug library can change of our objects: a process that changes them and goes on using them.
local helper = require "spec.helper"

-- Objects of every type, hostile values, and uses of the objects; each step is printed before it is taken, so that
-- the last line of a child that crashed names it.
local prelude = [==[
local dc, core = require "dotcompute", require "dotcompute.core"
local said = assert(io.open(arg[1], "w"))
said:setvbuf "no"
local function step(...) said:write(table.concat({ ... }, " "), "\n") end

local source = [[
  struct pair { float2 v; int n; };
  __device__ int total;
  __global__ void add(int *x, pair p) { x[threadIdx.x] += p.n + total; }
]]
local template = "template<class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }"
local x = dc.zeros(32, "int32")

local function objects()
  local m, t = dc.module(source), dc.module(template)
  local s, e = dc.stream(), dc.event()
  local k, scale = m.add, t:kernel "scale<int>"
  local list = {
    array = dc.arange(0, 6), kernel = k, template = scale, module = m, template_module = t, stream = s, event = e,
    with = k:with { stream = dc.stream(), shared = 16 }, device = dc.device(), complex = dc.complex(1, 2),
    null = dc.null, global = m:global "total", random = dc.random.generator(1),
    graph = dc.graph(function() k(1, 32, x, { v = { 1, 2 }, n = 1 }) end),
  }
  return list
end

-- A file-like value, a value of each type, objects of our own, tables with the fields of ours.
local function values()
  local m = dc.module(template)
  return {
    false, 1, 1.5, "text", {}, print, coroutine.create(print), io.stdout, dc.zeros(3), dc.null, m, dc.device(),
    { text = 1, units = { { text = {}, path = 1 } }, path = {}, options = 5, instance = {} },
    { text = "x", units = { {} }, instance = "scale<int>", options = { define = 5 } },
    { x = io.stdout, ["scale<int>"] = io.stdout, ["scale<float>"] = 5, [" total"] = dc.null, add = 3, total = m },
    { io.stdout, io.stdout, [0] = io.stdout },
  }
end
local nvalues = #values() + 1 -- and nil

local function collect() collectgarbage() collectgarbage() end

-- Every use of an object, each of which may fail.
local function use(o)
  local function try(fn, ...) return pcall(fn, ...) end
  try(tostring, o)
  try(function() return #o end)
  try(function() return o + 1 end)
  try(function() return o[1] end)
  try(function() o[1] = 1 end)
  try(function() return o == dc.null end)
  for _, name in ipairs { "name", "signature", "module", "attributes", "device", "dtype", "T", "add", "total", "re",
                          "launches", "recorded", "compute_capability", "scale<float>" } do
    try(function() return o[name] end)
  end
  try(o, 1, 32, x, { v = { 1, 2 }, n = 1 })
  try(o, 1, 32, x, { v = { x = 1, y = 2 }, n = "no" })
  try(o, 1, 32, x)
  try(o, 1, 32, x, 2)
  try(o, 1, "auto", x, 2)
  try(function() return dc.using(o, function() return dc.ones(3):sum():item() end) end)
  for _, call in ipairs {
    { "with", { shared = 8 } }, { "forall", 32, x, { v = { 1, 2 }, n = 1 } }, { "forall", 32, x, 1 },
    { "occupancy", 32 }, { "explain" }, { "reload" }, { "kernels" }, { "kernel", "add" }, { "kernel", "scale<short>" },
    { "kernel", "scale", "uint8" }, { "global", "total" }, { "ptx" }, { "log" }, { "cubin", "sm_80" },
    { "synchronize" }, { "query" }, { "record" }, { "wait" }, { "elapsed", o },
    { "update", function() x:fill(1) end }, { "abs" }, { "sum" }, { "to_table" },
    { "uniform", 3 }, { "normal", 3 }, { "memory_info" }, { "close" } } do
    local ok, method = pcall(function() return o[call[1]] end)
    if ok and method ~= nil then try(method, o, table.unpack(call, 2)) end
  end
  collectgarbage()
  try(o, 1, 32, x, { v = { 1, 2 }, n = 1 })
end
]==]

-- Asserts that the body runs to its end in a child process, in a folder of its own, since functions with hostile
-- arguments may write files. Objects whose finalizer was removed leak, which is no failure here. The message names the
-- child's last step.
return function(body, environment)
  local steps, folder = os.tmpname(), helper.folder()
  local command = "cd %s; ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" "
    .. "DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=0 %s timeout 300 %s - %s 2>&1 "
    .. "<<'EOF'\n%s\nEOF"
  local text, code = helper.shell(command:format(folder, environment or "", helper.quote(helper.lua),
    helper.quote(steps), prelude .. body .. "\nprint 'the end'"))
  local last = ""
  for line in io.lines(steps) do last = line end
  os.remove(steps)
  os.execute("rm -rf " .. folder)
  assert(code == 0 and text:find "the end", ("status %s after the step: %s\n%s"):format(code, last, text))
end
