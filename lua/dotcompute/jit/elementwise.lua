-- dc.vectorize of an object of dc.jit: the function of numbers, with its control flow, is compiled as a function of
-- CUDA C for the dtypes of each call, and becomes the body of an elementwise kernel.
local core = require "dotcompute.core"
local builder = require "dotcompute.builder"
local device_function = require "dotcompute.jit.device_function"
local depends_on_values = require "dotcompute.jit.control_flow"
local elementwise = require "dotcompute.elementwise"
local lua_functions = require "dotcompute.jit.lua_functions"
local source = require "dotcompute.jit.source"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail

-- Whether a function that takes `count` values can be compiled, which needs its text, and whether it has to be, since
-- its control flow depends on them.
local function inspect(fn, count)
  local ok, found = pcall(source.find, fn)
  if not ok or found.node.vararg or #found.node.params ~= count then return false, false end
  return true, depends_on_values(found)
end

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

-- What dc.vectorize gives for an object of dc.jit, or a Lua function whose text is known.
local function vectorize(value, options)
  local f = device_function.of(value, "'vectorize'")
  local results = count_results(f.found.node.body)
  if #f.params == 0 then fail("argument", "'vectorize': the function needs parameters with names") end
  if not results or results == 0 then fail("argument", "'vectorize': the function returns nothing") end
  local outputs = {}
  for k = 1, results do
    outputs[k] = { placeholder = "R" .. k, name = "result" .. k, text = "result " .. k, own = true }
  end
  return elementwise.make(lua_functions.inputs(f), outputs, nil,
    { name = options.name or "vectorized", fast_math = options.fast_math, flags = { "--fmad=false" },
      shown = table.concat(f.params, ", "), operation = f }, lua_functions.operation)
end

return { vectorize = vectorize, inspect = inspect }
