-- What `require "dotcompute"` gives: the functions of the C core, and those that are better said in Lua.
local core = require "dotcompute.core"
core.own(debug.getinfo(1, "S").source)

local dc = core.api

-- A variable that is closed when its function is left, in whichever way: switches back.
local restore = { __close = function(before) core.restore(before[1], before[2], before[3]) end }

-- Calls fn(...) with a device, or a stream and its device, as the current one.
function dc.using(what, fn, ...)
  local before <close> = setmetatable({ core.switch(what, fn) }, restore)
  return fn(...)
end

-- `return results(f(...))` is no tail call of f: the function that the script called stays on the stack, and errors
-- know its name and its caller's line.
local function results(...) return ... end

-- Functions whose files are read when they are first called. `file` gives a table of functions.
local function later(file, ...)
  for _, name in ipairs { ... } do
    local fn
    dc[name] = function(...)
      fn = fn or require("dotcompute." .. file)[name]
      return results(fn(...))
    end
  end
end
later("elementwise", "elementwise")
later("reduction", "reduction")
later("scan", "scan")
later("vectorize", "vectorize")
later("time", "time", "range")
later("files", "load", "save", "load_raw", "save_raw", "load_csv", "save_csv")
later("linalg", "outer")
later("memory", "memory", "memory_limit")

-- Tables of functions whose file is read when a name is first looked up.
local function later_table(name)
  dc[name] = setmetatable({}, { __index = function(_, key)
    local functions = require("dotcompute." .. name)
    dc[name] = functions
    return functions[key]
  end })
end
later_table "random"
later_table "image"
later_table "linalg"
later_table "fft"

-- The same, for functions whose first argument is an array: methods of arrays too.
local function later_methods(file, ...)
  later(file, ...)
  for _, name in ipairs { ... } do
    core.array_method(name, dc[name])
  end
end
later_methods("cumulative", "cumsum", "cumprod")
later_methods("sort", "sort", "argsort")
later_methods("select", "select", "nonzero")
later_methods("take", "take", "scatter_add")
later_methods("topk", "topk")
later_methods("order", "unique", "searchsorted")
later_methods("histogram", "bincount", "histogram")
later("rearrange", "concat", "stack")
later_methods("rearrange", "tile", "repeat_", "flip", "roll", "pad")
core.method("explain", function(...) return require "dotcompute.explain".explain(...) end)

return dc
