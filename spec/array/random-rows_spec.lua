-- Random expressions of rows and what they are reduced to, of several dtypes: fused, by kernels of several passes, they
-- give the bits of one step after the other; on this device, and by kernels as they are written for a GPU.
local helper = require "spec.helper"

-- Prints each expression that differs.
local script = [==[
  local dc = require "dotcompute"
  local dtypes = { "float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "bool" }
  local reductions = { "sum", "sum", "max", "max", "min", "mean", "std", "count", "any", "argmax" }
  local function any(list) return list[math.random(#list)] end
  local function number(x) return x.dtype == "bool" and x:to "int32" or x end
  local function floating(x) return x.dtype:find "float" and x or x:to "float32" end

  local function random_shape()
    return any {
      { math.random(9), math.random(300) }, { math.random(32, 130), math.random(130) },
      { math.random(2, 5), math.random(300, 3000) }, { math.random(2, 3), math.random(4097, 6000) },
    }
  end

  local function random_operand(rows, columns)
    local dtype, kind = any(dtypes), math.random(7)
    local function values(r, c)
      local x = dc.random.normal(r, c) * 9
      if dtype == "bool" then return x:gt(0):eval() end
      return (dtype == "uint8" and dc.abs(x) or x):to(dtype):eval()
    end
    if kind == 1 then return values(columns, rows).T end
    if kind == 2 then return values(1, columns) end
    if kind == 3 then return values(rows, 1) end
    if kind == 4 then return values(rows, columns + 3)[{ ":", { 2, columns + 1 } }] end
    return values(rows, columns)
  end

  -- A function of the list of values so far, and its text; of the values number a and b.
  local function random_step(a, b, keep)
    local what, dtype, reduction = math.random(11), any(dtypes), any(reductions)
    if what <= 3 then
      local of = (reduction == "mean" or reduction == "std") and floating or function(x) return x end
      return function(v) return of(v[a])[reduction](of(v[a]), keep) end, ("%s of %d"):format(reduction, a)
    end
    if what == 4 then return function(v) return v[a]:gt(v[b]) end, ("%d > %d"):format(a, b) end
    if what == 5 then return function(v) return dc.exp(number(v[a]) * 0.125) end, "exp of " .. a end
    if what == 6 then return function(v) return dc.sqrt(dc.abs(v[a])) end, "root of " .. a end
    if what == 7 then
      return function(v) return dc.where(v[a]:gt(1), v[b], v[a]) end, ("%d or %d"):format(a, b)
    end
    if what == 8 and dtype ~= "bool" then
      return function(v) return v[a]:to(dtype) end, ("%d to %s"):format(a, dtype)
    end
    if what == 9 then return function(v) return number(v[a]) - number(v[b]) end, ("%d - %d"):format(a, b) end
    if what == 10 then return function(v) return v[a] * v[b] end, ("%d * %d"):format(a, b) end
    return function(v) return v[a] + v[b] end, ("%d + %d"):format(a, b)
  end

  local function compare(seed)
    math.randomseed(seed)
    dc.random.seed(seed)
    local rows, columns = table.unpack(random_shape())
    local operands, steps, texts = { (dc.random.normal(rows, columns) * 5):to(any(dtypes)):eval() }, {}, {}
    for i = 2, math.random(3) do operands[i] = random_operand(rows, columns) end
    local keep = { math.random(4) == 1 and 1 or 2, keep = true }
    for i = 1, math.random(4, 11) do
      local last = #operands + i - 1
      local a = math.random(3) == 1 and math.random(last) or last
      steps[i], texts[i] = random_step(a, math.random(last), keep)
      texts[i] = ("%d = %s"):format(last + 1, texts[i])
    end
    local function compute(each)
      local v = table.move(operands, 1, #operands, 1, {})
      for _, step in ipairs(steps) do v[#v + 1] = each(step(v)) end
      return v[#v]:eval()
    end
    local want, got = compute(function(e) return e:eval() end), compute(function(e) return e end)
    if want.dtype == got.dtype and want:copy():bytes() == got:copy():bytes() then return end
    print(("seed %d, %d x %d, axis %d, %s"):format(seed, rows, columns, keep[1], got.dtype))
    for i, x in ipairs(operands) do print(i, x.dtype, x:shape()) end
    print(table.concat(texts, "\n"))
  end

  local first, n = table.unpack(arg)
  for seed = tonumber(first) % 1000000007, tonumber(first) % 1000000007 + (tonumber(n) or 40) do compare(seed) end]==]

describe("random expressions of rows give the bits of single steps,", function()
  it("on this device", function()
    local text = {}
    local function collect(...)
      for _, v in ipairs { ... } do text[#text + 1] = tostring(v) end
    end
    local env = setmetatable({ print = collect, arg = { helper.seed, 25 } }, { __index = _G })
    assert(load(script, "=script", "t", env))()
    assert.equal("", table.concat(text, "\n"))
  end)

  it("by kernels as written for a GPU", function()
    helper.passes_on_cpu("AS_GPU=1 DOTCOMPUTE_CPU_TIER=0", script)
  end)
end)
