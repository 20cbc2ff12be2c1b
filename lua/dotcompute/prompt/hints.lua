-- What may have been meant where an entry named something that is not there.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local require = require -- a script may take the global one away

local hints = {}

-- What does here what a name of NumPy, CuPy, PyTorch, Numba or PyCUDA does there, as a sentence; nil for others.
function hints.elsewhere(name)
  local here = core.elsewhere(name)
  return here and ("'%s' of other libraries is in dotcompute: %s"):format(name, here)
end

-- The names of these tables, sorted.
local function names_of(...)
  local names = {}
  for _, t in ipairs { ... } do
    for k in next, t do
      if type(k) == "string" then names[#names + 1] = k end
    end
  end
  table.sort(names)
  return names
end

local function did_you_mean(word, ...)
  local found = core.closest(word, names_of(...))
  return found and ("did you mean '%s'?"):format(found)
end

-- An unknown global: a name of dotcompute without `dc.`, of another library, or one mistyped.
local function of_global(name, env)
  if name == "exit" or name == "quit" then return "Ctrl-D ends, as does os.exit()" end
  if rawget(require "dotcompute", name) ~= nil then return ("did you mean 'dc.%s'?"):format(name) end
  return hints.elsewhere(name) or did_you_mean(name, env, _G)
end

-- A line for the error's message; nil: nothing is known.
function hints.of(message, env)
  local global = message:match "a nil value %(global '([%w_]+)'%)"
  return global and of_global(global, env)
end

return hints
