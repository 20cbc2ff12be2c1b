-- The prompt of dclua: entries, locals, results, completion, commands, hints; pastes and history on a terminal.
local helper = require "spec.helper"
local quote, dclua = helper.quote, helper.dclua

local function shell(command) return (helper.shell(command .. " 2>&1")) end

-- What `dclua -i` prints for these lines, without the version and the prompts.
local function session(text, before)
  local name = helper.temporary(text)
  local out = shell(("%s DOTCOMPUTE_DEVICE=cpu %s -i < %s"):format(before or "", quote(dclua), quote(name)))
  os.remove(name)
  return (out:gsub("^[^\n]*\n", ""):gsub("> ", ""))
end

describe("an entry at the prompt", function()
  it("keeps its locals for the next ones", function()
    assert.equal("6\n120\n1\t2\n4\n", (session [[
local x = 5
x + 1
local function fact(n) if n < 2 then return 1 end return n * fact(n - 1) end
fact(5)
local a <const>, b = 1, 2
a, b
do local x = 4 print(x) end
]]:gsub("\n$", "")))
  end)

  it("keeps locals out of _G, so that they hide a global from entries alone", function()
    assert.equal("3\ntrue\nnil\n1,2\n", (session [[
local print_, table = print, 3
table
_G.table ~= nil
rawget(_G, "print_")
_G.table.concat({1, 2}, ",")
]]:gsub("\n$", "")))
  end)

  it("reads the global in the line that declares a local of its name", function()
    local text = session "local pairs = pairs\npairs == _G.pairs\nlocal pairs = 3\npairs\n"
    assert.equal("true\n3\n", (text:gsub("\n$", "")))
  end)

  it("gives a local without a value nil, whatever the global", function()
    assert.equal("nil\n", (session "local math\nmath\n":gsub("\n$", "")))
  end)

  it("leaves `local` in strings, comments and blocks alone", function()
    assert.equal("local y = 1\n2\nnil\n", (session [[
print "local y = 1" -- local z = 2
if true then local q = 2; print(q) end
q
]]:gsub("\n$", "")))
  end)

  it("has dc, unless the script names something else so", function()
    assert.matches("^float32 array %(2,%)", (session "dc.ones(2)\n"))
    assert.equal("7\n", (session "dc = 7\ndc\n":gsub("\n$", "")))
  end)

  it("has the last result in _", function()
    assert.equal("5\n10\n11\n", (session "2 + 3\n_ * 2\n_ + 1\n":gsub("\n$", "")))
  end)

  it("shows tables nested, sorted, cut, and once where they contain themselves", function()
    local text = session "{ 1, 'a', x = { y = { 2 } }, [true] = 3, ['end'] = {} }\n"
    assert.equal('{ 1, "a", ["end"] = {}, x = { y = { 2 } }, [true] = 3 }\n', (text:gsub("\n$", "")))
    assert.matches("the table above", session "local t = {} t.t = t\nt\n")
    assert.matches("… 400 more", session "local t = {} for k = 1, 500 do t[k] = k end\nt\n")
    local text_with_index = session "setmetatable({ 1 }, { __index = function() error 'no' end })\n"
    assert.matches("^{ 1 }\n", text_with_index)
    assert.matches("its __tostring fails", session "setmetatable({}, { __tostring = function() error 'no' end })\n")
  end)

  it("shows the source of kernels in Lua", function()
    local text = session("k = dc.jit(function(a) a[dc.index()] = 2 end)\nk??\nk(1, 3, dc.zeros(3))\nk??\n")
    assert.matches("has not been compiled yet", text)
    assert.matches("// stdin:1: k = dc.jit", text)
    assert.matches("__global__", text)
  end)

  it("shows devices with their names, and functions without addresses", function()
    local name = require "dotcompute".device "cpu".name
    assert.equal(("cpu (%s)\n{ cpu (%s) }\n"):format(name, name), (session(
      "dc.device 'cpu'\n{ dc.device 'cpu' }\n"):gsub("\n$", "")))
    assert.equal("{ builtin, builtin }\n", (session "{ print, dc.sort }\n":gsub("\n$", "")))
    assert.matches("fft2 = builtin", session "dc.fft\n")
  end)

  it("that fails keeps the session, and says what may have been meant", function()
    local text = session "dc.onse(3)\ndc.percentile\ndc.ones(3):astype 'int8'\nstrin.rep\n1 + 1\n"
    assert.matches("did you mean 'ones'%?", text)
    assert.matches("%(in dotcompute: a:quantile%(p / 100%)%)", text)
    assert.matches("%(in dotcompute: a:to%(dtype%)%)", text)
    assert.matches("did you mean 'string'%?", text)
    assert.matches("\n2\n", text)
    text = session "sort({})\npercentile({})\ndc.linalg.svdd\nexit()\n1 + 1\n"
    assert.matches("did you mean 'dc.sort'%?", text)
    assert.matches("'percentile' of other libraries is in dotcompute: a:quantile", text)
    assert.matches("did you mean 'svd'%?", text)
    assert.matches("Ctrl%-D ends", text)
    assert.matches("\n2\n", text)
  end)

  it("that fails shows the script's frames, not dotcompute's", function()
    local text = session("local function f() return dc.linalg.nothing end\nfor k = 1, 1 do f() end\n"
      .. "%time dc.linalg.no\n")
    assert.matches("stack traceback:\n\tstdin:1: in %l+ [^\n]+\n\tstdin:1: in main chunk\n", text)
    assert.is_nil(text:find "dotcompute/")
    assert.is_nil(text:find("[C]: in ?", 1, true))
  end)

  it("that raises an object shows what is in it", function()
    local text = session("error{ code = 7, why = 'none' }\n"
      .. "error(setmetatable({}, { __tostring = function() return 'own' end }))\n")
    assert.matches('error object: { code = 7, why = "none" }', text)
    assert.matches("\nown\n", text)
    assert.matches("error object: nil\n", session "error()\n")
  end)
end)

describe("a command of the prompt", function()
  it("times an expression, and repeats it", function()
    assert.matches("of which .* until the call returned\n42\n", session "%time 6 * 7\n")
    assert.matches("a run %(best of 7 times %d+; median .*%), .* of it on cpu\n", session "%timeit dc.ones(10) + 1\n")
  end)

  it("runs a file among the session's names, saves entries, runs programs", function()
    local file, saved = helper.temporary "y = x + 1\nprint('in the file', dc ~= nil)\n", os.tmpname()
    local text = session(("local x = 5\n%%load %s\ny\n!echo from a shell\nx * 2\n%%save %s\n"):format(file, saved))
    assert.matches("in the file\ttrue\n6\nfrom a shell\n", text)
    assert.equal("local x = 5\n_ = (y); print(_)\n_ = (x * 2); print(_)\n", helper.read(saved))
    os.remove(file)
    os.remove(saved)
  end)

  it("saves no entries that failed", function()
    local saved = os.tmpname()
    session(("x = 2\nx:nothing()\nx = = 3\nlocal y = nil + 1\nx + 1\n%%time x.y.z\n%%save %s\n"):format(saved))
    assert.equal("x = 2\n_ = (x + 1); print(_)\n", helper.read(saved))
    os.remove(saved)
  end)

  it("saves lists of expressions, comments and calls as statements", function()
    local saved = os.tmpname()
    session(("local a, b = 1, 2\na, b\na + b -- a comment\nprint(a)\n%%time local c = 3\n%%save %s\n"):format(saved))
    assert.equal("1\n3\n1\n", (shell(helper.lua .. " " .. quote(saved))))
    os.remove(saved)
  end)

  it("shows the source of a function in a file, of a kernel", function()
    local file = helper.temporary "function twice(x)\n  return 2 * x -- here\nend\n"
    assert.matches("return 2 %* x %-%- here", session(("%%load %s\ntwice??\n"):format(file)))
    os.remove(file)
    assert.matches("int alpha = 1;", session 'k = dc.kernel("__global__ void f() { int alpha = 1; }")\nk??\n')
    local text = session "k = dc.jit(function(x) x[1] = 1 end)\nk??\n"
    assert.matches("k has not been compiled yet", text)
    assert.is_nil(text:find "traceback") -- of which no frame is the script's
    assert.matches("3%?%?? has no source", (session "3??\n":gsub("3 has", "3? has")))
  end)

  it("shows the source of the function that is asked for, of all that were typed", function()
    local first, second = math.random(1000, 9999), math.random(10000, 99999)
    local text = session(([[
function one(x) return x + %d end
local function two(x) return x + %d end
local other = 5
three = { function(x)
  return x * other, "three" -- its second line
end }
one??
two??
three[1]??
print(one(1))
function one(x) return x - %d end
one??
string.format??
]]):format(first, second, first))
    assert.equal(("function one(x) return x + %d end\nlocal function two(x) return x + %d end\n"
      .. "three = { function(x)\n  return x * other, \"three\" -- its second line\nend }\n%d\n"
      .. "function one(x) return x - %d end\n"):format(first, second, first + 1, first),
      (text:match "^>*(function.-\n)[^\n]*string%.format is not"))
  end)

  it("edits the last entry, or a file, and runs what the editor leaves", function()
    local folder = helper.folder()
    local editor = folder .. "/editor"
    -- an editor that notes which file it gets, doubles every 4 in it, and fails where there is an 8
    helper.write(editor, ('echo "$1" > %s/name; sed -i s/4/44/g "$1"; ! grep -q 8 "$1"\n'):format(folder))
    local before = ("unset VISUAL; EDITOR='sh %s'"):format(editor)
    assert.equal("4\nx = 44\n\n44\n", (session("y = 4\ny\nx = 4\n%edit\nx\n", before):gsub("\n$", "")))
    local edited = helper.read(folder .. "/name"):gsub("\n$", "")
    assert.is_nil(io.open(edited), "a temporary file is left")
    helper.write(folder .. "/four.lua", "print(4)\n4 + 1\n")
    assert.equal("print(44)\n44 + 1\n\n44\n45\n",
      (session(("%%edit %s/four.lua\n"):format(folder), before):gsub("\n$", "")))
    assert.matches("^" .. folder .. "/none: No such file or directory\n",
      session(("%%edit %s/none\n"):format(folder), "VISUAL=true"))
    assert.matches("^the editor 'sh .*/editor' did not end well; %$VISUAL or %$EDITOR names another\n",
      session("x = 8\n%edit\n", before))
    edited = helper.read(folder .. "/name"):gsub("\n$", "")
    assert.is_nil(io.open(edited), "a temporary file is left")
    os.execute("rm -rf " .. quote(folder))
  end)

  it("that is none, or lacks its argument, says so", function()
    assert.matches("no command %%nope: there are %%time", session "%nope\n")
    assert.matches("%%load FILE", session "%load\n")
    assert.matches("No such file", session "%load /nowhere/at/all\n")
  end)
end)

describe("completion", function()
  local prompt = require "dotcompute.prompt"
  local function candidates(line)
    local insert, list = prompt.complete(line, 80)
    return insert, list
  end

  it("knows the session's names, lazy libraries, fields, kernels of a module", function()
    prompt.compile "local arr = dc.ones(3)" ()
    prompt.compile 'm = dc.module("__global__ void alpha(int n) {} __global__ void beta(int n) {}")' ()
    assert.equal("form", (candidates "dc.random.uni"))
    assert.equal("pe", (candidates "arr.dty"))
    assert.equal("pha", (candidates "m.al"))
    assert.equal("", (candidates "arr:dty"))
    assert.matches("exponential", select(2, candidates "dc.random."))
    _G.m = nil
  end)

  it("knows dtypes, devices and files in strings", function()
    assert.matches("float16 +float32 +float64", select(2, candidates 'dc.zeros(3, "fl'))
    assert.equal("u", (candidates "dc.device('cp"))
    local folder = helper.folder()
    helper.write(folder .. "/numbers.npy", "x")
    assert.equal("bers.npy", (candidates('dc.load("' .. folder .. "/num")))
    assert.equal("bers.npy", (candidates("%load " .. folder .. "/num")))
    os.execute("rm -rf " .. quote(folder))
    assert.equal("", (candidates 'print("closed") fl'))
  end)
end)

local terminals = shell "script -qec 'echo there' /dev/null </dev/null":find "^there" ~= nil

describe("the prompt on a terminal", function()
  if not terminals then return pending "needs pseudo-terminals (/dev/pts) and util-linux's script" end

  -- Types keys; what the screen got, and the history.
  local function typed(environment, ...)
    local state, typing = os.tmpname(), {}
    os.remove(state)
    for _, keys in ipairs { ... } do typing[#typing + 1] = "printf " .. quote(keys) .. "; sleep 0.4" end
    local text = shell(("(sleep 0.7; %s) | XDG_STATE_HOME=%s %s timeout 60 script -qec %s /dev/null")
      :format(table.concat(typing, "; "), state, environment, quote(quote(dclua))))
    local history = helper.read_if_there(state .. "/dotcompute/history") or ""
    os.execute("rm -rf " .. quote(state))
    return text:gsub("\r", ""), history
  end
  local function plain(text) return (text:gsub("\27%[[%d;?]*%a", "")) end

  it("takes a paste as one entry of the history, and runs it when it ends", function()
    local text, history = typed("TERM=xterm", "\\033[200~for i = 1, 2 do\\n  print(i * 37)\\nend\\n\\033[201~",
      "\\033[200~local p = 5\\np + 1\\np + 2\\n\\033[201~", "p * 100\\n", "\\004")
    assert.matches("\n37\n74\n", plain(text))
    assert.matches("\n6\n7\n", plain(text))
    assert.matches("\n500\n", plain(text))
    assert.matches("for\\040i\\040=\\0401,\\0402\\040do\\012\\040\\040print%(i\\040%*\\04037%)\\012end\n", history)
  end)

  it("keeps an entry of several lines as one in the history", function()
    local text, history = typed("TERM=xterm", "if true then\\n", "print(11 * 11)\\n", "end\\n", "\\033[A\\n", "\\004")
    assert.matches("if\\040true\\040then\\012print%(11\\040%*\\04011%)\\012end\n", history)
    assert.equal(2, select(2, plain(text):gsub("\n121\n", "")))
  end)

  it("uses colours where the terminal has them and NO_COLOR is not set", function()
    assert.matches("\27%[36m1\27%[0m", (typed("TERM=xterm", "{ 1 }\\n", "\\004")))
    assert.is_nil((typed("TERM=dumb", "{ 1 }\\n", "\\004")):find "\27%[36m")
    assert.is_nil((typed("TERM=xterm NO_COLOR=1", "{ 1 }\\n", "\\004")):find "\27%[36m")
  end)
end)
