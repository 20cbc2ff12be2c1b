-- PTX programs of great depth or length: functions that call each other in a chain overflowed the C stack at load,
-- nested loops and calls took quadratic time, and Ctrl-C was ignored while loading.
local dc = require "dotcompute"
local helper = require "spec.helper"
local quote, build = helper.quote, helper.build
local on_cpu = dc.device().backend == "cpu"

-- Lua text that generates deep programs, also run by child processes.
local generators = [==[
local programs = {}
local head = ".version 8.4\n.target sm_75\n.address_size 64\n"
local function entry(registers)
  return ([[
.visible .entry k(.param .u64 out) {
.reg .b64 %%rd<4>; .reg .b32 %%r<%d>; .reg .pred %%p<4>;
ld.param.u64 %%rd1, [out]; cvta.to.global.u64 %%rd2, %%rd1; mov.u32 %%r1, 0; mov.u32 %%r2, %%tid.x;
]]):format(registers or 8)
end
local tail = "st.global.u32 [%rd2], %r1;\nret;\n}\n"
local function call(name)
  return "{ .param .b32 p; st.param.b32 [p], %r1; .param .b32 q; call (q), " .. name ..
    ", (p); ld.param.b32 %r1, [q]; }\n"
end
-- A function that adds 1, around `more`.
local function func(name, more)
  return ".func (.param .b32 r) " .. name .. [[
(.param .b32 a) {
.reg .b32 %r<4>; ld.param.u32 %r1, [a]; add.u32 %r1, %r1, 1;
]] .. (more or "") .. "st.param.b32 [r], %r1;\nret;\n}\n"
end
local function join(...)
  local t = {}
  for _, part in ipairs { ... } do t[#t + 1] = type(part) == "table" and table.concat(part) or part end
  return table.concat(t)
end
local function each(n, f)
  local t = {}
  for i = 1, n do t[i] = f(i) end
  return t
end
-- A program of size n, and what it stores.
function programs.chain(n)
  local functions = each(n, function(i) return func("f" .. i, i > 1 and call("f" .. i - 1)) end)
  return join(head, functions, entry(), call("f" .. n), tail), n
end
function programs.calls(n)
  return join(head, func "f", entry(), each(n, function() return call "f" end), tail), n
end
function programs.callees(n)
  return join(head, each(n, function(i) return func("f" .. i) end), entry(),
    each(n, function(i) return call("f" .. i) end), tail), n
end
function programs.loops(n)
  return join(head, entry(n + 8),
    each(n, function(i) return ("mov.u32 %%r%d, 0;\nL%d:\n"):format(i + 2, i) end), "add.u32 %r1, %r1, 1;\n",
    each(n, function(i)
      i = n + 1 - i
      return ("add.u32 %%r%d, %%r%d, 1;\nsetp.lt.u32 %%p1, %%r%d, %d;\n@%%p1 bra L%d;\n"):format(i + 2, i + 2, i + 2,
        i % (n // 4) == 1 and 2 or 1, i)
    end), tail), 1 << (n - 1) // (n // 4) + 1
end
function programs.parting_loops(n) -- by a condition that differs between threads
  return join(head, entry(), each(n, function(i) return ("L%d:\n"):format(i) end), "add.u32 %r1, %r1, 1;\n",
    each(n, function(i)
      return ("setp.gt.u32 %%p1, %%r2, %d;\n@%%p1 bra L%d;\n"):format(5000 + i, n + 1 - i)
    end), tail), 1
end
function programs.nested_conditions(n)
  return join(head, entry(),
    each(n, function(i)
      return ("setp.gt.u32 %%p1, %%r2, %d;\n@%%p1 bra L%d;\nadd.u32 %%r1, %%r1, 1;\n"):format(i, i)
    end),
    each(n, function(i) return ("L%d:\nadd.u32 %%r1, %%r1, 1;\n"):format(n + 1 - i) end), tail), 2 * n
end
function programs.conditions(n)
  return join(head, entry(), each(n, function(i)
    return ("setp.gt.u32 %%p1, %%r2, %d;\n@%%p1 bra L%d;\nadd.u32 %%r1, %%r1, 1;\nL%d:\n"):format(i, i, i)
  end), tail), n
end
function programs.jumps_into_loops(n) -- no structured program has these
  return join(head, entry(),
    each(n, function(i) return ("setp.gt.u32 %%p1, %%r2, %d;\n@%%p1 bra M%d;\nL%d:\n"):format(i, i, i) end),
    each(n, function(i)
      i = n + 1 - i
      return ("M%d: setp.gt.u32 %%p1, %%r2, %d;\n@%%p1 bra L%d;\nadd.u32 %%r1, %%r1, 1;\n"):format(i, i, i)
    end), tail), n
end
function programs.straight(n)
  local v = 0
  for i = 1, n do v = (v * i + i * 7) & 0xffffffff end
  return join(head, entry(), each(n, function(i) return ("mad.lo.u32 %%r1, %%r1, %d, %d;\n"):format(i, i * 7) end),
    tail), v
end
function programs.live_registers(n) -- across as many blocks
  return join(head, entry(n + 8), each(n, function(i)
    return ("add.u32 %%r%d, %%r2, %d;\nsetp.gt.u32 %%p1, %%r%d, %d;\n@%%p1 bra L%d;\nadd.u32 %%r1, %%r1, 1;\nL%d:\n")
      :format(i + 2, i, i + 2, 1 << 30, i, i)
  end), each(n, function(i) return ("add.u32 %%r1, %%r1, %%r%d;\n"):format(i + 2) end), tail), n + n * (n + 1) // 2
end
function programs.variables(n)
  return join(head, each(n, function(i) return (".global .align 4 .b32 g%d = %d;\n"):format(i, i) end), entry(),
    each(n, function(i) return ("ld.global.u32 %%r3, [g%d];\nadd.u32 %%r1, %%r1, %%r3;\n"):format(i) end), tail),
    n * (n + 1) // 2 & 0xffffffff
end
function programs.entries(n) -- each reaches a chain of functions
  return join(head, each(n, function(i) return func("f" .. i, i > 1 and call("f" .. i - 1)) end),
    each(n, function(i) return (entry():gsub("entry k", "entry k" .. i)) .. call("f" .. i) .. tail end),
    entry(), call "f5", tail), 5
end
function programs.switch(n)
  return join(head, entry(), "ts: .branchtargets L1", each(n - 1, function(i) return ", L" .. i + 1 end),
    ";\nbrx.idx %r2, ts;\n",
    each(n, function(i) return ("L%d:\nadd.u32 %%r1, %%r1, %d;\nbra.uni E;\n"):format(i, i) end), "E:\n", tail), 1
end
]==]
local programs = load(generators .. "return programs")()

local function names()
  local list = {}
  for name in pairs(programs) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- Sizes at which time by the square would be minutes; what is called deeper than 2000 is refused when it runs.
local sizes = { loops = 40000, chain = 20000, calls = 10000, switch = 20000 }

describe("a long or deep program", function()
  for _, name in ipairs(names()) do
    it("of " .. name .. " computes the right value", function()
      -- A driver compiles each of `entries` with all that it reaches: 350 take four minutes.
      local far = name == "entries" and not on_cpu and math.random(100, 120) or math.random(300, 400)
      for _, n in ipairs { math.random(40, 60), far } do
        if not (name == "loops" and n > 100) then
          local text, want = programs[name](n)
          local out = dc.zeros(1, "uint32")
          dc.module(text).k(1, 1, out)
          assert.equal(want, out[1], name .. " " .. n)
        end
      end
    end)

    if on_cpu then
      it("of " .. name .. " loads at any size", function()
        local text = programs[name](sizes[name] or 20000)
        local k = dc.module(text).k
        local out = dc.zeros(1, "uint32")
        local ok, err = pcall(k, 1, 1, out)
        assert.truthy(ok or name == "chain" and err.kind == "launch" and tostring(err):find "2000 deep", tostring(err))
      end)
    end
  end
end)

if not on_cpu then return end

-- Runs Lua text after the generators in a process of its own; returns its output.
local function run(text, before)
  local path = helper.temporary('local dc = require "dotcompute"\n', generators, text)
  local p = io.popen(("%s; DOTCOMPUTE_DEVICE=cpu timeout 300 %s %s 2>&1; echo status $?"):format(before or "true",
    quote(build .. "/dclua"), path))
  local out = p:read "a"
  p:close()
  os.remove(path)
  return out
end

it("deep programs load with a stack of 1 MiB", function()
  local out = run([[
for _, name in ipairs { "chain", "loops", "jumps_into_loops", "nested_conditions", "entries" } do
  local k = dc.module((programs[name](20000))).k
  print(name, k.name)
end]], "ulimit -s 1024")
  assert.equal("chain\tk\nloops\tk\njumps_into_loops\tk\nnested_conditions\tk\nentries\tk\nstatus 0\n", out)
end)

it("Ctrl-C interrupts loading, and the device stays usable", function()
  local out = run [[
local text = programs.callees(60000)
local function clock()
  local f = io.open "/proc/uptime"
  local t = f:read "n"
  f:close()
  return t
end
local began = clock()
dc.module(text)
local seconds = clock() - began
local pid = io.open "/proc/self/stat":read "n"
for _ = 1, 20 do -- until the signal comes while the program is being loaded
  os.execute(("(sleep %.2f; kill -INT %d) >/dev/null 2>&1 &"):format(seconds / 4, pid))
  local loading = true
  local ok, err = pcall(function()
    dc.module(text)
    loading = false
    while true do end
  end)
  if loading then
    print(ok, err.kind)
    break
  end
end
local small, want = programs.calls(7)
local out = dc.zeros(1, "uint32")
dc.module(small).k(1, 1, out)
print(out[1] == want)
]]
  assert.equal("false\tinterrupted\ntrue\nstatus 0\n", out)
end)
