-- dclua is a Lua interpreter that behaves as the stock one with the same arguments; its own options, Ctrl-C, prompt.
local helper = require "spec.helper"
local quote, shell, temporary, dclua = helper.quote, helper.shell, helper.temporary, helper.dclua
local stock = os.getenv "DOTCOMPUTE_STOCK_LUA" or "lua5.4"


local function command_line(program, arguments)
  local words = { quote(program) }
  for k, a in ipairs(arguments) do words[k + 1] = quote(a) end
  return table.concat(words, " ")
end

local function plain(s) return (s:gsub("[%^%$%(%)%%%.%[%]%*%+%-%?]", "%%%0")) end

-- Where the program's name is one: at the begin of a line, and as an argument.
local function without_name(text, program)
  local name = "([\n=])" .. plain(program) .. "([:%s])"
  return (("\n" .. text .. "\n"):gsub(name, "%1PROGRAM%2"):sub(2, -2))
end

local function run(program, arguments, before, after)
  local text, code = shell((before or "") .. " " .. command_line(program, arguments) .. " " .. (after or "</dev/null"))
  text = without_name(text, program):gsub("0x%x+", "0xADDRESS")
  return text:gsub("\nusage: .*", "\nusage") .. "\nstatus " .. code
end

-- Both must answer the same; a shared text or nil.
local function same(arguments, before, after)
  assert.equal(run(stock, arguments, before, after), run(dclua, arguments, before, after))
end

describe("dclua behaves as lua", function()
  local script = temporary [[
#!/usr/bin/env lua
print(select("#", ...), ...)
local list = {}
for k, v in pairs(arg) do list[#list + 1] = k .. "=" .. v end
table.sort(list)
print(table.concat(list, " "))
]]
  teardown(function() os.remove(script) end)

  for name, arguments in pairs {
    ["a script with arguments"] = { script, "a", "-b", "", "c d" },
    ["options before a script"] = { "-e", "x = 1", "-W", script, "1" },
    ["--"] = { "--", script, "x" },
    ["-e joined"] = { "-eprint(1)" },
    ["several -e"] = { "-e", "x = 1", "-e", "print(x)" },
    ["-e without text"] = { "-e" },
    ["-e before an option"] = { "-e", "-l" },
    ["an unknown option"] = { "-x" },
    ["an option with a tail"] = { "-vv" },
    ["-l"] = { "-l", "string", "-e", "print(string.len 'x')" },
    ["-l into a name"] = { "-l", "s=string", "-e", "print(s.len 'x')" },
    ["-l of nothing there"] = { "-l", "nonexistent.module" },
    ["a script that is not there"] = { "nonexistent.lua" },
    ["a syntax error"] = { "-e", "x =" },
    ["warnings off"] = { "-e", "warn 'hi'" },
    ["warnings on"] = { "-W", "-e", "warn('hi', '!')" },
    ["-E"] = { "-E", "-e", "print(package.path, package.cpath)" },
    ["an exit code"] = { "-e", "os.exit(7)" },
    ["an exit with closing"] = { "-e", "local x <close> = setmetatable({}, {__close = print}) os.exit(true, true)" },
    ["arg is not a table"] = { "-e", "arg = 1", script },
    ["an error with a traceback"] = { "-e", "local function f() error('deep') end local function g() f() end g()" },
    ["an error table"] = { "-e", "error {}" },
    ["an error nil"] = { "-e", "error()" },
    ["an error number"] = { "-e", "error(42)" },
    ["an error object with __tostring"] =
      { "-e", "error(setmetatable({}, {__tostring = function() return 'told' end}))" },
    ["a __tostring that gives no string"] =
      { "-e", "error(setmetatable({}, {__tostring = function() return {} end}))" },
    ["a stack overflow"] = { "-e", "local function f() return 1 + f() end f()" },
    ["finalizers at the end"] = { "-e", "setmetatable({}, {__gc = function() print 'gc' end})" },
    ["no argument, empty input"] = {},
  } do
    it("with " .. name, function() same(arguments) end)
  end

  it("reading stdin", function()
    local input = temporary "print('from stdin', ...)"
    for _, arguments in ipairs { {}, { "-" }, { "-", "a", "b" }, { "-e", "print(1)", "-", "c" } } do
      same(arguments, nil, "<" .. input)
    end
    os.remove(input)
  end)

  it("with LUA_INIT", function()
    same({ "-e", "print(2)" }, "LUA_INIT='print(1)'")
    same({ "-e", "print(2)" }, "LUA_INIT='print(1)' LUA_INIT_5_4='print(54)'")
    same({ "-e", "print(2)" }, "LUA_INIT='error [[bad]]'")
    same({ "-E", "-e", "print(2)" }, "LUA_INIT='error [[bad]]'")
    same({ "-e", "print(2)" }, "LUA_INIT=@" .. script)
    same({ "-e", "print(2)" }, "LUA_INIT=@nonexistent.lua")
  end)

  it("in coroutines", function()
    local program = temporary [[
local function p(...)
  local t = table.pack(...)
  for i = 1, t.n do t[i] = tostring(t[i]) end
  print(table.concat(t, " | "))
end
local co = coroutine.create(function(a) local b = coroutine.yield(a) return b, 9 end)
p(coroutine.resume(co, 1)) p(coroutine.status(co)) p(coroutine.resume(co, 2)) p(coroutine.resume(co))
p(coroutine.status(co)) p(coroutine.close(co)) p(coroutine.resume(co))
p(pcall(coroutine.resume, 1)) p(pcall(coroutine.wrap, 1)) p(pcall(coroutine.close, 1)) p(pcall(coroutine.resume))
p(pcall(coroutine.close, coroutine.running()))
local outer
outer = coroutine.create(function() return coroutine.wrap(function() return pcall(coroutine.close, outer) end)() end)
p(coroutine.resume(outer))
local function closing(body)
  return function()
    local x <close> = setmetatable({}, { __close = function(_, e) p("close", e) error("from close") end })
    body()
  end
end
local w = coroutine.wrap(closing(function() error("first") end))
p(pcall(w)) p(pcall(w))
local c4 = coroutine.create(closing(coroutine.yield))
p(coroutine.resume(c4)) p(coroutine.close(c4)) p(coroutine.status(c4)) p(coroutine.close(c4))
local again
again = coroutine.wrap(function() return pcall(again) end)
p(again()) p(pcall(again))
p(pcall(coroutine.wrap(function() error() end)))
p(pcall(coroutine.wrap(function() error("position") end)))
p(select("#", coroutine.resume(coroutine.create(function() return table.unpack({}, 1, 1000) end))))
p(coroutine.resume(coroutine.create(function() return table.unpack({}, 1, 1e6) end)))
local function deep(n) if n == 0 then return coroutine.isyieldable() end return coroutine.wrap(deep)(n - 1) end
p(deep(150)) p((pcall(deep, 250)))
for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i, nil) end end) do p(v) end
p(coroutine.wrap(function() return pcall(function() coroutine.yield(5) error("after") end) end)())
coroutine.wrap(function() print(debug.traceback("tb")) end)()
coroutine.wrap(function() error("uncaught") end)()
]]
    same { program }
    os.remove(program)
  end)
end)

describe("dclua's own options", function()
  it("--version and --help succeed", function()
    assert.matches("dotcompute %d+%.%d+%.%d+, Lua 5%.4", (run(dclua, { "--version" })))
    assert.matches("status 0$", (run(dclua, { "--version" })))
    local text, code = shell(quote(dclua) .. " --help </dev/null")
    assert.equal(0, code)
    assert.matches("%-%-doctor", text)
  end)

  it("unknown long options and a missing device name are refused with the usage", function()
    for _, arguments in ipairs { { "--nonsense" }, { "--device" } } do
      local text, code = shell(command_line(dclua, arguments) .. " </dev/null")
      assert.equal(1, code)
      assert.matches("usage: ", text)
      assert.matches(plain(arguments[1]), text)
    end
  end)

  it("--device chooses, and an unknown one is an error", function()
    local program = "print(require 'dotcompute'.device().id)"
    assert.equal("cpu\n", (shell(command_line(dclua, { "--device", "cpu", "-e", program }))))
    assert.equal("cpu\n", (shell(command_line(dclua, { "--device=cpu", "-e", program }))))
    local text, code = shell(command_line(dclua, { "--device", "abacus", "-e", program }))
    assert.equal(1, code)
    assert.matches("abacus", text)
  end)

  it("--doctor reports and succeeds where kernels run", function()
    local text, code = shell(quote(dclua) .. " --device cpu --doctor")
    assert.equal(0, code, text)
    assert.matches("NVRTC", text)
    assert.matches("works: a kernel was compiled and run", text)
  end)

  it("the module is inside: no file is read", function()
    local text, code = shell("cd / && LUA_PATH=/nowhere LUA_CPATH=/nowhere " .. quote(dclua)
      .. [[ -e 'local dc, from = require "dotcompute" print(type(dc.kernel), from)']])
    assert.equal(0, code, text)
    assert.equal("function\t:preload:\n", text)
  end)

  it("errors of dotcompute are shown with their traceback", function()
    local text, code = shell(quote(dclua) .. [[ -e 'local function f() require "dotcompute".device "abacus" end f()']])
    assert.equal(1, code)
    assert.matches("abacus", text)
    assert.matches("stack traceback:\n.*upvalue 'f'", (text:gsub("local 'f'", "upvalue 'f'")))
  end)

  it("tracebacks have the script's frames, not dotcompute's", function()
    local script = temporary [[
      local dc = require "dotcompute"
      local k = dc.jit(function(a) a[1] = a[1] & 2 end)
      local function launch() k(1, 1, dc.ones(3)) return 1 end
      launch()]]
    local text, code = shell(quote(dclua) .. " " .. quote(script))
    assert.equal(1, code)
    assert.matches(":2: column 43: operator '&'.*\nstack traceback:\n\t%[C%]: in %a+ 'k'\n\t[^\n]*:3: in %a+ 'launch'\n"
      .. "\t[^\n]*:4: in main chunk\n\t%[C%]: in %?\n$", text)
    text = shell(quote(dclua) .. [[ -e 'local dc = require "dotcompute"
      dc.jit(function(a) error("in a text\nstack traceback:") end)(1, 1)']])
    assert.matches("takes 1 argument", text)
  end)
end)

-- Starts a script in the background, sends it SIGINT after it has written a line, waits for it.
local function interrupt(program, signals)
  local name, ready = temporary(program), os.tmpname()
  local text, code = shell(([[
%s %s %s >&2 & pid=$!
n=0; while [ ! -s %s ] && [ $n -lt 200 ]; do sleep 0.05; n=$((n+1)); done
sleep 0.2
%s
wait $pid; exit $?]]):format(quote(dclua), name, ready, ready, signals or "kill -INT $pid"))
  os.remove(name)
  os.remove(ready)
  return text, code
end

local start = "local f = io.open(arg[1], 'w') f:write 'ready' f:close()\n"

describe("Ctrl-C", function()
  for name, body in pairs {
    ["a Lua loop"] = "while true do end",
    ["a loop of calls"] = "local function f() return f() end f()",
    ["a loop in a coroutine"] = "coroutine.wrap(function() while true do end end)()",
    ["a loop in a coroutine in a coroutine"] =
      "coroutine.wrap(function() local c = coroutine.create(function() while true do end end) "
      .. "error((select(2, coroutine.resume(c)))) end)()",
    ["coroutines that take turns"] =
      "local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end",
    ["a sort"] = "local t = {} for i = 1, 2e7 do t[i] = i end table.sort(t, function(a, b) return b < a end)",
    ["a read from a pipe"] = "io.popen('sleep 3'):read()",
  } do
    it("stops " .. name .. " with an error and a traceback", function()
      local text, code = interrupt(start .. body)
      assert.equal(1, code, text)
      assert.matches("interrupted", text)
    end)
  end

  it("is an error of kind interrupted, which pcall catches, and the script goes on", function()
    local text, code = interrupt(start .. [[
local ok, err = pcall(function() while true do end end)
print(ok, type(err), err.kind, err.where ~= nil)
for i = 1, 1e6 do end
print "went on"]])
    assert.equal(0, code, text)
    assert.equal("false\ttable\tinterrupted\ttrue\nwent on\n", text)
  end)

  it("twice within a second ends a process that does not react", function()
    -- a C function that never looks: string.rep with a pattern that backtracks for ages
    local text, code = interrupt(start .. "string.find(('a'):rep(40), ('a*'):rep(30) .. 'b')",
      "kill -INT $pid; sleep 0.7; kill -INT $pid")
    assert.equal(130, code, text)
  end)

  it("many times at once is one interrupt", function()
    for _ = 1, 5 do
      local text, code = interrupt(start .. "while true do end", ("kill -INT $pid; "):rep(20))
      assert.equal(1, code, text)
      assert.matches("interrupted", text)
    end
  end)

  it("stops a kernel that never ends on the CPU device", function()
    local text, code = interrupt([[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel "__global__ void forever(volatile int *x) { while (*x == 0) ; }"
local x = dc.zeros(1, "int32")
x:eval()
]] .. start .. [[
local ok, err = pcall(function() k(1, 1, x) dc.synchronize() end)
print(ok, err.kind)
local y = dc.ones(3) + 1
print(y[3])]])
    assert.equal(0, code, text)
    assert.equal("false\tinterrupted\n2.0\n", text)
  end)
end)

-- Types into the prompt on a terminal (util-linux's script makes one); what the screen got, without escapes.
local function prompt(...)
  local state = os.tmpname()
  os.remove(state)
  local typing = {}
  for _, keys in ipairs { ... } do typing[#typing + 1] = "printf " .. quote(keys) .. "; sleep 0.3" end
  -- the status is printed inside: script's own differs from version to version after a Ctrl-C
  local text = shell(("(sleep 0.6; %s) | XDG_STATE_HOME=%s TERM=dumb timeout 60 script -qec %s /dev/null")
    :format(table.concat(typing, "; "), state, quote("trap : INT; " .. quote(dclua) .. "; echo status $?")))
  local code = math.tointeger(text:match "status (%d+)%s*$")
  local history = helper.read_if_there(state .. "/dotcompute/history") or ""
  os.execute("rm -rf " .. state)
  return (text:gsub("\27%[[%d;?]*%a", ""):gsub("\r", "")), code, history
end

-- Arrays have finalizers in dclua as under a stock Lua.
describe("arrays in dclua", function()
  local function on_cpu(script)
    local name = temporary(script)
    local text, code = shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=0 %s %s"):format(quote(dclua), quote(name)))
    os.remove(name)
    assert.equal(0, code, text)
    return text
  end

  it("release their memory with their objects", function()
    assert.equal("0\ttrue\n0\n", on_cpu [[
      local dc = require "dotcompute"
      collectgarbage()
      local before, kept = dc.memory().in_use, {}
      for i = 1, 200 do
        local a = dc.full(1000, i)
        kept[i] = { a, a:reshape(10, 100).T, a + 1, (a * 2):eval(), dc.sqrt(a):sum() }
      end
      local most = dc.memory().in_use
      kept = nil
      collectgarbage()
      print(dc.memory().in_use - before, most > before + 200 * 3000)
      local x = dc.ones(1000)
      x:close()
      x = nil
      collectgarbage()
      print(dc.memory().in_use - before)]])
  end)

  it("release the objects that they wrap", function()
    assert.equal("table: true\n3.0\nnil\nnil\n", on_cpu [[
      local dc = require "dotcompute"
      local weak = setmetatable({}, { __mode = "v" })
      local memory = dc.arange(1, 6)
      local function wrap() -- no owner may stay in a register
        weak[1] = { memory }
        return dc.wrap(memory.ptr, { 2, 3 }, "float32", weak[1]):row(1)
      end
      local view = wrap()
      collectgarbage()
      collectgarbage()
      print("table: " .. tostring(weak[1] ~= nil))
      print(view[3])
      view = nil
      collectgarbage()
      collectgarbage()
      print(weak[1])
      for i = 1, 10 do
        weak[i] = { i }
        dc.wrap(memory.ptr, 6, "float32", weak[i])
      end
      collectgarbage()
      collectgarbage()
      print(next(weak))]])
  end)

  it("may be finalized last when the interpreter ends, with the objects that they wrap", function()
    assert.equal("closed\n21.0\n", on_cpu [[
      local dc = require "dotcompute"
      memory = dc.arange(1, 6)
      setmetatable({ memory }, { __gc = function() print "closed" end })
      owner = setmetatable({ memory }, { __gc = function(t) print(t[1]:sum():item()) end })
      whole = dc.wrap(memory.ptr, { 2, 3 }, "float32", owner)
      view, sum = whole:row(1), whole + dc.wrap(memory.ptr, { 2, 3 }, "float32", owner)
      collectgarbage()]])
  end)

  it("release their memory where a finalizer was the first to require the module", function()
    assert.equal("0\n", on_cpu [[
      local dc
      setmetatable({}, { __gc = function() dc = require "dotcompute" end })
      collectgarbage()
      local before = dc.memory().in_use
      for i = 1, 100 do dc.full(1000, i):eval() end
      collectgarbage()
      collectgarbage()
      print(dc.memory().in_use - before)]])
  end)

  for _, mode in ipairs { "incremental", "generational" } do
    it(("keep their values amid garbage of all kinds (%s)"):format(mode), function()
      assert.equal("30000\n", on_cpu(("math.randomseed(%d) collectgarbage %q\n"):format(helper.seed, mode) .. [[
        local dc = require "dotcompute"
        local slots, values, junk = {}, {}, {}
        local function fresh(k)
          values[k] = math.random(-50, 50)
          slots[k] = dc.full(3, values[k])
        end
        for k = 1, 40 do fresh(k) end
        local acts = {
          fresh,
          function(k, i, j) slots[k], values[k] = slots[i] + slots[j], values[i] + values[j] end,
          function(k, i, j) slots[k], values[k] = slots[i] - slots[j], values[i] - values[j] end,
          function(k, i) slots[k], values[k] = -slots[i], -values[i] end,
          function(k, i) slots[k], values[k] = slots[i][":"] + 0, values[i] end,
          function(k, i) slots[k]:copy_from(slots[i]) values[k] = values[i] end,
          function(k) slots[k]:eval() end,
          function(k) slots[k]:close() fresh(k) end,
          function(k) junk[k] = { k } end,
          function(k) junk[k] = ("x"):rep(k) .. math.random() end,
          function(k) local a, b, c, d = k, k, k, k junk[k] = function() return a, b, c, d end end,
          function(k) junk[k] = coroutine.create(function() local a = slots[k] coroutine.yield(a) end) end,
          function(k) junk[k] = setmetatable({}, { __gc = function() junk[k] = dc.ones(2) + k end }) end,
          function() if math.random(50) == 1 then collectgarbage() else collectgarbage("step", 1) end end,
        }
        for n = 1, 30000 do
          local k, i, j = math.random(40), math.random(40), math.random(40)
          if i ~= k and j ~= k then acts[math.random(#acts)](k, i, j) end
          if math.abs(values[k]) > 1e6 then fresh(k) end
          if n % 10 == 0 and slots[k][math.random(3)] ~= values[k] then print(n, slots[k][1], values[k]) end
        end
        for k = 1, 40 do assert(slots[k][2] == values[k]) end
        print(30000)]]))
    end)
  end
end)

local terminals = shell "script -qec 'echo there' /dev/null </dev/null":find "^there" ~= nil

describe("the prompt", function()
  if not terminals then return pending "needs pseudo-terminals (/dev/pts) and util-linux's script" end
  it("prints expressions, keeps globals, takes several lines, ends with Ctrl-D", function()
    local text, code, history = prompt("x = 20\\n", "x + 1, \"two\"\\n", "for i = 1, 2 do\\n", "print(i * 111)\\n",
      "end\\n", "=x // 3\\n", "\\004")
    assert.equal(0, code, text)
    assert.matches("\n21\ttwo\n", text)
    assert.matches("\n111\n222\n", text)
    assert.matches("\n6\n", text)
    assert.matches("print", history)
  end)

  it("reports errors and goes on", function()
    local text, code = prompt("error \"boo\"\\n", "x = = 1\\n", "nothing.field\\n", "\"still \" .. \"here\"\\n",
      "\\004")
    assert.equal(0, code, text)
    assert.matches("stdin:1: boo\nstack traceback:", text)
    assert.matches("unexpected symbol", text)
    assert.matches("attempt to index a nil value", text)
    assert.matches("\nstill here\n", text)
  end)

  it("Ctrl-C drops the line, or stops the running statement, and keeps the session", function()
    local text, code = prompt("kept = 5\\n", "function half(\\n", "\\003", "kept\\n", "while true do end\\n", "\\003",
      "kept + 1\\n", "\\004")
    assert.equal(0, code, text)
    assert.matches("\n5\n", text)
    assert.matches("interrupted", text)
    assert.matches("\n6\n", text)
  end)

  it("Tab completes names", function()
    local text, code = prompt("string.rev\\t\\n", "dc = require \"dotcompute\"\\n", "dc.kern\\t\\n", "\\004")
    assert.equal(0, code, text)
    assert.matches("function: builtin", (text:gsub("function: 0x%x+", "function: builtin")))
    assert.matches("string%.reverse", text)
  end)

  it("without a terminal, -i shows prompts and reads plain lines", function()
    local text, code = shell("printf '1 + 1\\nif true then\\nprint(3)\\nend\\n' | " .. quote(dclua) .. " -i")
    assert.equal(0, code, text)
    assert.matches("> 2\n> >> >> 3\n> \n$", text)
  end)
end)

describe("completion", function()
  local complete = require "dotcompute.prompt.complete"

  it("inserts the common prefix and lists candidates", function()
    assert.equal("nd", (complete "x = string.fi"))
    local insert, list = complete "math.f"
    assert.equal("", insert)
    assert.matches("floor", list)
    assert.matches("fmod", list)
    assert.equal("tion", (complete "func"))
    assert.equal("  ", (complete ""))
  end)

  it("completes methods of strings and tables with __index, and runs no code", function()
    _G.completed = setmetatable({ apple = 1 }, { __index = { apricot = function() end } })
    _G.trap = setmetatable({}, { __index = function() error "must not run" end })
    local _, list = complete "completed.ap"
    assert.matches("apple", list)
    assert.matches("apricot", list)
    assert.equal("ricot", (complete "completed:ap"))
    assert.equal("", (complete "trap.x.y"))
    assert.equal("", (complete "nowhere.to.be.f"))
    _G.completed, _G.trap = nil, nil
  end)
end)
