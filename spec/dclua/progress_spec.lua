-- Status lines: dc.progress and what is shown while something compiles, on a terminal; nothing elsewhere.
local dc = require "dotcompute"
local helper = require "spec.helper"
local terminal = require "spec.terminal"

-- Runs the script on a terminal. Returns all it was sent, and what it shows in the end, without the exit status.
local function on_terminal(script, options, commands)
  local raw, status
  helper.with_file(script, function(name)
    local command = ("open a env %s $D %s\n%send"):format(options.env or "", name, commands or "")
    raw, status = terminal.run(command, { raw = true, term = options.term })
  end)
  local screen = terminal.screen((raw:gsub("\n[^\n]*\n$", ""))):gsub("\n$", "")
  return raw, screen, status
end

-- A loop of 6 steps, each of which takes 0.2 s and then runs `body`.
local function slow_loop(body, header)
  return ([[
  local dc = require "dotcompute"
  local function wait()
    local from = dc.clock()
    while dc.clock() < from + 0.2 do end
  end
  for i in %s do
    wait()
    %s
  end]]):format(header or "dc.progress(1, 6)", body)
end

describe("dc.progress", function()
  it("gives a loop the values of Lua's own", function()
    for _ = 1, 50 do
      local first, last, step = math.random(-20, 20), math.random(-20, 20), math.random(-4, 4)
      if step == 0 then step = 1 end
      local want, got = {}, {}
      for i = first, last, step do want[#want + 1] = i end
      for i in dc.progress(first, last, step) do got[#got + 1] = i end
      assert.are.same(want, got, helper.note(("%d, %d, %d"):format(first, last, step)))
    end
    local got = {}
    for i in dc.progress(math.maxinteger - 2, math.maxinteger) do got[#got + 1] = i end
    assert.are.same({ math.maxinteger - 2, math.maxinteger - 1, math.maxinteger }, got)
    for i in dc.progress(1, 1 << 62, { title = "x" }) do
      if i == 3 then break end
    end
  end)

  it("counts steps", function()
    local p <close> = dc.progress(10, { title = "rows" })
    p:step():step(4)
    assert.equal("progress (5 of 10)", tostring(p))
    p:step(0.5)
    assert.equal("progress (5.5 of 10)", tostring(p))
    p:close()
    p:close()
    assert.equal("progress (5.5 of 10, closed)", tostring(p))
    helper.fails("argument", "closed", function() p:step() end)
    local q <close> = dc.progress()
    q:step(3)
    assert.equal("progress (3)", tostring(q))
  end)

  it("raises errors for bad input", function()
    local function bad(pattern, ...)
      local args = table.pack(...)
      helper.fails("argument", pattern, function() local _ <close> = dc.progress(table.unpack(args, 1, args.n)) end)
    end
    bad("number of steps is an integer, got the number 2.5", 2.5)
    bad("number of steps is an integer, got the string", "10")
    bad("not negative", -1)
    bad("first value is an integer", 1.5, 2)
    bad("last value is an integer", 1, 0 / 0)
    bad("step is not 0", 1, 2, 0)
    bad("step is an integer", 1, 2, true)
    bad("too many steps", math.mininteger, math.maxinteger)
    bad("at most", 1, 2, 3, 4)
    bad("no option 'titel'", 5, { titel = "x" })
    bad("'title' is a string", 5, { title = 5 })
    local p <close> = dc.progress(3)
    for _, k in ipairs { -1, 0 / 0, math.huge, "1" } do
      helper.fails("argument", "a step is a number from 0 on", function() p:step(k) end)
    end
  end)

  it("writes nothing where standard error is no terminal", function()
    helper.with_file(slow_loop "print(i)", function(name)
      assert.equal("1\n2\n3\n4\n5\n6\n", (helper.shell(("TERM=xterm %s %s"):format(helper.dclua, name))))
    end)
  end)

  if not terminal.exists then
    pending "is drawn on a terminal (python3 is needed)"
    return
  end

  it("shows share, count and time left, and is erased in the end", function()
    local script = slow_loop("", 'dc.progress(1, 6, { title = "rows" })') .. "\nprint 'done'"
    local raw, screen, status = on_terminal(script, {})
    assert(raw:find("rows  50%% %[##########%.%.%.%.%.%.%.%.%.%.%] 3/6, [%d.]+/s, 1 s left"), raw)
    assert.equal("done", screen)
    assert.equal("status 0", status)
  end)

  it("leaves what the script writes in between as it is", function()
    local raw, screen = on_terminal(slow_loop [[
      if i % 2 == 0 then print("line " .. i)
      elseif i % 3 == 0 then io.write("word ", i, "; ") io.stdout:flush()
      else io.stderr:write("error ", i, "\n") end]], {})
    assert(raw:find("%", 1, true), raw)
    assert.equal("error 1\nline 2\nword 3; line 4\nerror 5\nline 6", screen)
  end)

  it("leaves the functions as it found them", function()
    local script = "local p, w, f = print, io.write, io.stdout.write\n" .. slow_loop "" .. [[

    local function mine() end
    local q <close> = dc.progress(6)
    for _ = 1, 4 do wait() q:step() end
    local before = print
    print = mine   -- of the script's, while a line is on the screen
    q:close()
    before "still a function"
    w(tostring(print == mine and w == io.write and f == io.stdout.write), "\n")]]
    local _, screen = on_terminal("local wait = ... " .. script:gsub("local function wait", "function wait"), {})
    assert.equal("still a function\ntrue", screen)
  end)

  it("is erased when an error ends the loop", function()
    local _, screen = on_terminal(slow_loop "if i == 5 then error('no more', 0) end", {})
    assert(screen:find "^%S*dclua: no more\nstack traceback", screen)
    assert(not screen:find("%", 1, true), screen)
  end)

  it("draws nothing on a dumb terminal, or where it is switched off", function()
    for _, options in ipairs { { term = "dumb" }, { env = "DOTCOMPUTE_PROGRESS=off" } } do
      local raw = on_terminal(slow_loop "print(i)", options)
      assert.equal("1\n2\n3\n4\n5\n6\n\nstatus 0\n", raw)
    end
  end)

  it("shows control characters of a title as question marks", function()
    local raw = on_terminal(slow_loop("", [[dc.progress(1, 6, { title = "a\27[2Jb" })]]), {})
    assert(raw:find "a%?%[2Jb" and not raw:find "\27%[2J", raw)
  end)
end)

describe("a wait for the compiler", function()
  if not terminal.exists then
    pending "is shown on a terminal (python3 is needed)"
    return
  end
  local env = ("DOTCOMPUTE_CACHE=off DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_NVRTC=%s/spec/libfake_nvrtc.so"):format(
    helper.build)
  -- A source with the word HANG compiles for ever.
  local script = [==[
  local dc = require "dotcompute"
  io.write "before: "
  print(select(2, pcall(dc.kernel, [[__global__ void tortoise(int *x) { HANG; }]])).kind)]==]

  it("is a status line that names the kernel, and is erased", function()
    local raw, screen = on_terminal(script, { env = env }, "see compiling tortoise\ntype \\x03\n")
    assert(raw:find("\0277\27[?7lcompiling tortoise …", 1, true), raw)
    assert.equal("before: ^Cinterrupted", screen)
  end)

  it("is not shown where it is switched off, or in a pipe", function()
    local raw = on_terminal(script, { env = env .. " DOTCOMPUTE_PROGRESS=off" }, "wait 1.5\ntype \\x03\n")
    assert(not raw:find "compiling" and raw:find "interrupted", raw)
    helper.with_file(script, function(name)
      local text = helper.shell(("TERM=xterm %s timeout -s INT 1.5 %s %s"):format(env, helper.dclua, name))
      assert(text:find "before: interrupted" and not text:find "compiling", text)
    end)
  end)
end)
