-- Functions that take tuples, structs and complex numbers apart: table.unpack, and shuffles of each part.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

return function(builtins)
  local text = builtins.text

  -- The items of a tuple, as results.
  builtins.add("table.unpack", function(self, n, b)
    builtins.count(self, n, b, 1)
    local e = self:expr(n.args[1])
    if e.type == types.unknown then return { op = "values", text(n, types.unknown, "0"), open = true } end
    if e.type.composite ~= "tuple" then
      self:fail(n.args[1].at, "%s takes a tuple, but '%s' is %s", b.name, self:shown(n.args[1]), self:why(e))
    end
    return { op = "values", table.unpack(self:parts(e)) }
  end)

  -- Each number of a value through `fn`, and the value of the results.
  local function each(self, n, e, fn)
    local t = e.type
    if t.kind == "c" then
      local x, y = fn(self:complex_part(n, e, "x")), fn(self:complex_part(n, e, "y"))
      return text(n, t, t.ctype .. "{$1, $2}", { x, y })
    elseif t == types.bool then
      return { op = "convert", type = t, a = fn { op = "convert", type = types.dtype "int32", a = e, at = e.at },
        at = n.at }
    elseif not t.composite then
      return fn(e)
    end
    local args = self:parts(e)
    for k, part in ipairs(args) do args[k] = each(self, n, part, fn) end
    return { op = "build", type = t, args = args, at = n.at }
  end

  -- Shuffles take a lane, and perhaps a width and a mask, which are computed once.
  for _, name in ipairs { "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor" } do
    local b = builtins.by_name["dc." .. name]
    local of_numbers = b.check
    b.check = function(self, n)
      local args, again = builtins.check_arguments(self, n)
      local value = args[1]
      local function shuffled(list)
        return of_numbers(self, setmetatable({ args = list }, { __index = n }), b)
      end
      if not value or not (value.type.composite or value.type.kind == "c" or value.type == types.bool) then
        return shuffled(again)
      end
      for k = 2, #again do
        if args[k].op ~= "const" then again[k].e = { op = "once", type = args[k].type, a = args[k], at = n.at } end
      end
      local once = { op = "once", type = value.type, a = value, at = n.at, n = n.args[1] }
      return each(self, n, once, function(part)
        local node = { op = "checked", e = part, at = n.args[1].at, last = n.args[1].last }
        return shuffled(table.move(again, 2, #again, 2, { node }))
      end)
    end
  end
end
