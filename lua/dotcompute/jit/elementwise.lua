-- dc.vectorize of an object of dc.jit: the function of numbers, with its control flow, is compiled as a function of
-- CUDA C for the dtypes of each call, and becomes the body of an elementwise kernel.
--
-- What the function captures is compiled in. So the values are compared before each call, and where one has changed the
-- elementwise function is made anew.
local core = require "dotcompute.core"
local builder = require "dotcompute.builder"
local check = require "dotcompute.jit.check"
local elementwise = require "dotcompute.elementwise"
local emit = require "dotcompute.jit.emit"
local names = require "dotcompute.jit.names"
local source = require "dotcompute.jit.source"
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
  for k = 1, #f.found.node.params do
    local t, name = argument_type(bound, args, k)
    bound.types["T" .. k].dtype = types.dtype(name)
    argument_types[k], texts[k] = t, "x" .. k
  end
  local tree = check.callable({ fn = f.fn, found = f.found }, argument_types)
  for _, guard in ipairs(tree.guards) do f.guards[#f.guards + 1] = guard end
  local text, called, returns = emit.callable(tree)
  if #returns ~= f.results then
    fail("argument", "the function returns %d values, its first return statement has %d: write the values there",
      #returns, f.results)
  end
  local lines = { text, ("const auto dc_value = dc_jit::%s(%s);"):format(called, table.concat(texts, ", ")) }
  for k, t in ipairs(returns) do
    local name = "R" .. k
    local own = types.dtype(t.weak == "i" and "int64" or t.weak == "f" and "float64" or t.name)
    bound.types[name] = bound.types[name] or { dtype = own, by = "the function" }
    local d = bound.types[name].dtype
    lines[#lines + 1] = ("result%d = (%s)dc_value%s;"):format(k, d.ctype, #returns > 1 and ".v" .. k or "")
  end
  bound.body_text = table.concat(lines, "\n")
end

-- What dc.vectorize gives for the Lua function `fn`.
local function vectorize(fn, options)
  local found = source.find(fn)
  local count, results = #found.node.params, count_results(found.node.body)
  if count == 0 or found.node.vararg then fail("argument", "'vectorize': the function needs parameters with names") end
  if not results or results == 0 then fail("argument", "'vectorize': the function returns nothing") end
  local inputs, outputs, shown = {}, {}, {}
  for k = 1, count do inputs[k], shown[k] = ("T%d x%d"):format(k, k), found.node.params[k].name end
  for k = 1, results do outputs[k] = ("R%d result%d"):format(k, k) end
  local f

  local function make()
    f = { fn = fn, found = found, results = results, guards = {} }
    local current = f
    f.call = elementwise.make(table.concat(inputs, ", "), table.concat(outputs, ", "), nil,
      { name = options.name or "vectorized", fast_math = options.fast_math, flags = { "--fmad=false" },
        shown = table.concat(shown, ", ") },
      function(bound, args) infer(current, bound, args) end)
  end

  make()
  return function(...)
    for _, guard in ipairs(f.guards) do
      if not rawequal(names.read(guard.path), guard.value) then
        make()
        break
      end
    end
    return f.call(...)
  end
end

return { vectorize = vectorize }
