-- dc.vectorize of an object of dc.jit: the function of numbers, with its control flow, is compiled as a function of
-- CUDA C for the dtypes of each call, and becomes the body of an elementwise kernel.
--
-- What the function captures is compiled in. So the values are compared before each call, and where one has changed the
-- elementwise function is made anew.
local core = require "dotcompute.core"
local builder = require "dotcompute.builder"
local device_function = require "dotcompute.jit.device_function"
local elementwise = require "dotcompute.elementwise"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail

-- The number of values of the first return statement of a block; nil where there is none.
local function count_results(block)
  for _, n in ipairs(block) do
    if n.op == "return" then return #n.values end
    for _, inner in ipairs { n.body or false, n.otherwise or false } do
      local count = inner and count_results(inner)
      if count then return count end
    end
    for _, clause in ipairs(n.clauses or {}) do
      local count = count_results(clause.body)
      if count then return count end
    end
  end
end

-- The type of argument k: an element of an array, or a number.
local function argument_type(bound, args, k)
  local v = args[k]
  if type(v) == "number" then return types[math.type(v)], math.type(v) == "integer" and "int64" or "float64" end
  local name = bound.types["T" .. k].dtype.name
  local t = types.dtype(name)
  if t.kind == "c" then fail("dtype", "complex arrays are not possible in a function of dc.jit") end
  return t, name
end

-- Called when the dtypes of a call are known: sets those of the results, and the body.
local function infer(f, bound, args)
  local argument_types, texts = {}, {}
  for k = 1, #f.params do
    local t, name = argument_type(bound, args, k)
    bound.types["T" .. k].dtype = types.dtype(name)
    argument_types[k], texts[k] = t, "x" .. k
  end
  local made = device_function.compile(f, argument_types, "dc_vectorized")
  local returns = made.results
  f.made[#f.made + 1] = made
  if #returns ~= f.results then
    fail("argument", "the function returns %d values, its first return statement has %d: write the values there",
      #returns, f.results)
  end
  bound.front = made.text
  local lines = { ("const auto dc_value = %s(%s);"):format(made.call, table.concat(texts, ", ")) }
  for k, t in ipairs(returns) do
    local name = "R" .. k
    bound.types[name] = bound.types[name] or { dtype = device_function.strong(t), by = "the function" }
    local d = bound.types[name].dtype
    lines[#lines + 1] = ("result%d = (%s)dc_value%s;"):format(k, d.ctype, #returns > 1 and ".v" .. k or "")
  end
  bound.body_text = table.concat(lines, "\n")
end

-- What dc.vectorize gives for an object of dc.jit.
local function vectorize(value, options)
  local f = device_function.of(value, "'vectorize'")
  f.results, f.made = count_results(f.found.node.body), {}
  if #f.params == 0 then fail("argument", "'vectorize': the function needs parameters with names") end
  if not f.results or f.results == 0 then fail("argument", "'vectorize': the function returns nothing") end
  local inputs, outputs = {}, {}
  for k = 1, #f.params do inputs[k] = ("T%d x%d"):format(k, k) end
  for k = 1, f.results do outputs[k] = ("R%d result%d"):format(k, k) end
  local call

  local function make()
    f.made = {}
    call = elementwise.make(table.concat(inputs, ", "), table.concat(outputs, ", "), nil,
      { name = options.name or "vectorized", fast_math = options.fast_math, flags = { "--fmad=false" },
        shown = table.concat(f.params, ", ") },
      function(bound, args) infer(f, bound, args) end)
  end

  make()
  return function(...)
    for _, made in ipairs(f.made) do
      if not device_function.is_current(made) then
        make()
        break
      end
    end
    return call(...)
  end
end

return { vectorize = vectorize }
