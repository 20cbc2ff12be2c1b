-- Arrays handed from one Lua state to another: dc.share, dc.open.
local dc = require "dotcompute"
local states = require "spec.states"
local fake = require "spec.fake"
local h = require "spec.helper"

local function run(chunk, threads)
  local results = states.run(chunk, 1, threads or 1)
  for _, r in ipairs(results) do assert.is_true(r[1], r[2]) end
  return results
end

describe("an array that Lua states share", function()
  it("is the same memory, of the same dtype, shape and strides", function()
    for _, dtype in ipairs { "bool", "int8", "uint16", "float32", "float64", "complex64" } do
      local rows, columns = math.random(1, 20), math.random(2, 20)
      local a = dc.zeros(rows, columns, "int32") + dc.arange(1, rows * columns, "int32"):reshape(rows, columns)
      a = a:to(dtype):eval()
      local odd = { 1, columns, 2 }
      local view = a[{ ":", odd }]
      states.put("whole", dc.share(a))
      states.put("view", dc.share(view))
      run [[
        local dc, states = require "dotcompute", require "spec.states"
        local a, view = dc.open(states.get "whole"), dc.open(states.get "view")
        states.put("said", ("%s %s %s"):format(a, view, view.dtype))
        view[1]:fill(0)
        states.put("back", dc.share(view))]]
      dc.open(states.get "back") -- what follows comes behind its write
      -- what it saw: before its own write
      local before = a:copy()
      before[{ ":", odd }] = (dc.arange(1, rows * columns, "int32"):reshape(rows, columns))[{ ":", odd }]:to(dtype)
      assert.equal(("%s %s %s"):format(before, before[{ ":", odd }], dtype), states.get("said", 1), h.note())
      assert.is_false(a[{ 1, odd }]:any()) -- and what it wrote
    end
  end)

  it("goes round eight states, each of which adds to it", function()
    local n = math.random(1, 5000)
    local a = dc.zeros(n, "int64")
    states.put("to 1", dc.share(a))
    run([[
      local i = ...
      local dc, states = require "dotcompute", require "spec.states"
      for round = 1, 10 do
        local a = dc.open(states.get("to " .. i))
        a[":"] = a * 3 + i + round
        states.put(i == 8 and round == 10 and "back" or "to " .. i % 8 + 1, dc.share(a))
      end]], 8)
    dc.open(states.get "back") -- what follows comes behind the last one's write
    local expected = 0
    for round = 1, 10 do for i = 1, 8 do expected = expected * 3 + i + round end end
    assert.equal(expected, a[1])
    assert.is_false((a - expected):any())
  end)

  it("outlives the state that has made it where another holds it, or it is kept", function()
    local before = h.bytes_live()
    local results = run([[
      local i = ...
      local dc = require "dotcompute"
      return dc.share(dc.full({ 100 }, i), { keep = true })]], 4)
    for i, r in ipairs(results) do
      local a = dc.open(r[2])
      assert.equal(100.0 * i, a:sum():item())
      local b = dc.open(r[2])
      a:close()
      h.fails("argument", "closed", function() return b:sum() end) -- closed for this state as a whole
      h.fails("argument", "no Lua state holds it any more", function() return dc.open(r[2]) end)
    end
    assert.equal(before, h.bytes_live())
  end)

  it("is gone when no state holds it", function()
    local token = run([[return require "dotcompute".share(require "dotcompute".ones(3))]])[1][2]
    h.fails("argument", "no Lua state holds it any more", function() return dc.open(token) end)
    local a = dc.ones(3)
    token = dc.share(a)
    a:close()
    h.fails("argument", "no Lua state holds it any more", function() return dc.open(token) end)
    h.fails("argument", "closed", function() return dc.share(a) end)
  end)

  it("is one array in a state that opens it again: what reads it is computed before it is written", function()
    local a = dc.arange(1, 4)
    local b = dc.open(dc.share(a))
    local pending = a * 10
    b[1] = 100
    assert.same({ 10, 20, 30, 40 }, pending:to_table())
    assert.equal(100.0, a[1])
  end)

  it("has its pending readers computed when it is shared", function()
    local a = dc.arange(1, 4)
    local pending = a * 10
    states.put("token", dc.share(a))
    run [[require "dotcompute".open(require "spec.states".get "token"):fill(0)]]
    assert.same({ 10, 20, 30, 40 }, pending:to_table())
    assert.same({ 0, 0, 0, 0 }, a:to_table())
  end)

  it("cannot be had by a wrong token", function()
    local a = dc.ones(3, 4)
    local token = dc.share(a)
    for _ = 1, 200 do
      local at = math.random(#token)
      local c = string.char(math.random(0, 255))
      local wrong = token:sub(1, at - 1) .. c .. token:sub(at + 1)
      if wrong ~= token then h.fails("argument", "token", function() return dc.open(wrong) end) end
    end
    for _, wrong in ipairs { "", "x", token:sub(1, -2), token .. " ", token:sub(2), ("dotcompute array "):rep(9) } do
      h.fails("argument", "token", function() return dc.open(wrong) end)
    end
    for _, wrong in ipairs { 1, true, {}, a } do
      h.fails("argument", "token", function() return dc.open(wrong) end)
    end
    h.fails("argument", "token", function() return dc.open() end)
    h.fails("argument", "array", function() return dc.share() end)
    h.fails("argument", "array", function() return dc.share(token) end)
    h.fails("argument", "no option 'kep'", function() return dc.share(a, { kep = true }) end)
    h.fails("argument", "keep", function() return dc.share(a, { keep = 1 }) end)
    h.fails("launch", "captured", function() return dc.graph(function() return dc.share(a) end) end)
    h.fails("launch", "captured", function() return dc.graph(function() return dc.open(token) end) end)
    local script = [[local dc = require "dotcompute" io.write(dc.share(dc.ones(3)))]]
    local pipe = io.popen(h.quote(h.lua) .. " -e " .. h.quote(script))
    local other = pipe:read "a"
    pipe:close()
    h.fails("argument", "made by another process", function() return dc.open(other) end)
    assert.equal(12.0, dc.open(token):sum():item())
  end)

  it("is not of memory that was not allocated here", function()
    local host = dc.using("cpu", dc.ones, 4)
    local wrapped = dc.using("cpu", dc.wrap, host.ptr, 4)
    h.fails("argument", "share a copy", function() return dc.share(wrapped) end)
    assert.equal(4.0, dc.open(dc.share(wrapped:copy())):sum():item())
  end)

  it("may be empty, or of one number", function()
    assert.same({ 0 }, { dc.open(dc.share(dc.zeros(0))):shape() })
    assert.same({ 3, 0 }, { dc.open(dc.share(dc.zeros(3, 0))):shape() })
    assert.equal(6.0, dc.open(dc.share(dc.arange(1, 3):sum())):item())
  end)
end)

describe("an array that states share on a GPU", function()
  setup(fake.build)

  local function go(chunk, env)
    local settings = { DOTCOMPUTE_DEVICE = "cuda" }
    for k, v in pairs(env or {}) do settings[k] = v end
    return fake.run(([[
      for i, r in ipairs(require "spec.states".run(%q, 1, 4)) do print(i, r[1], r[2]) end]]):format(chunk), settings,
      h.lua)
  end
  local head = [[
    local i, n = ...
    local dc, states = require "dotcompute", require "spec.states"
    local write = dc.kernel "__global__ void use_w(int *x) { *x = 1; }"
    local read = dc.kernel "__global__ void use_r(const int *x) {}"]]
  local all = "1\ttrue\tdone\n2\ttrue\tdone\n3\ttrue\tdone\n4\ttrue\tdone\n"

  it("is used in order by all, and freed once, after all uses", function()
    for _, lazy in ipairs { "0", "1" } do
      local out, report = go(head .. [[
        local a = i == 1 and dc.zeros(100, "int32")
        for round = 1, 6 do
          if i == 1 and round == 1 then
            write(1, 1, a)
          else
            a = dc.open(states.get("to " .. i))
            local s <close> = dc.stream()
            dc.using(s, read, 1, 1, a)
            if round % 2 == 0 then dc.using(s, write, 1, 1, a) else write(1, 1, a) end
          end
          if not (i == 4 and round == 6) then states.put("to " .. i % 4 + 1, dc.share(a)) end
        end
        if i % 2 == 0 then a:close() end
        return "done"]], { FAKE_CUDA_LAZY = lazy })
      assert.equal(all, out)
      for _, kind in ipairs { "memory", "pool memory" } do assert.equal(0, fake.held(report, kind)) end
    end
  end)

  it("is used out of order by a state that does not open the new token, which the driver's watch sees", function()
    local ok, err = pcall(go, head .. [[
      if i == 1 then
        local a = dc.zeros(100, "int32")
        for k = 2, n do states.put("to " .. k, dc.share(a)) end
        for k = 2, n do states.get("opened " .. k) end
        write(1, 1, a)
        for k = 2, n do states.put("written " .. k, "") end
        for k = 2, n do states.get("read " .. k) end
      else
        local a = dc.open(states.get("to " .. i))
        states.put("opened " .. i, "")
        states.get("written " .. i)
        read(1, 1, a)
        states.put("read " .. i, "")
      end
      return "done"]])
    assert.is_false(ok)
    assert.matches("race", tostring(err.message or err))
  end)
end)
