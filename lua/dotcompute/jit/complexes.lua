-- Parts and methods of complex numbers: methods of the checker (check.lua).
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local complexes = {}

local function text(n, t, c, e, twice)
  return { op = "text", type = t, text = c, args = { e }, at = n.at, twice = twice }
end

-- The kernel's text calls the function of that name of complex.cu.
function complexes:use_complex(name)
  self.uses.complex = self.uses.complex or {}
  self.uses.complex[name] = true
end

-- The real or imaginary part, "x" or "y".
function complexes.complex_part(_, n, e, axis) return text(n, e.type.part, "$1." .. axis, e) end

function complexes.complex_conj(_, n, e) return text(n, e.type, e.type.ctype .. "{$1.x, -$1.y}", e, true) end
function complexes.complex_angle(_, n, e) return text(n, e.type.part, "atan2($1.y, $1.x)", e, true) end

function complexes:complex_abs(n, e)
  self:use_complex "abs"
  return text(n, e.type.part, "c_abs($1)", e)
end

-- --- fields and methods of dc.complex ---------------------------------------------------------------------------

local parts = { re = "x", im = "y" }

-- z.re, z.im
function complexes:complex_field(n, e)
  local axis = n.key.op == "string" and parts[n.key.value]
  if not axis then
    self:fail(n.key.at, "'%s' is %s, which has the fields 're' and 'im' alone", self:shown(n.object), self:why(e))
  end
  return self:complex_part(n, e, axis)
end

local methods = { abs = "complex_abs", angle = "complex_angle", conj = "complex_conj" }

-- z:abs(), z:angle(), z:conj(); nil for other methods and values.
function complexes:complex_method(n)
  local name = methods[n.name]
  if not name then return nil end
  local e = self:expr(n.object)
  if e.type == types.unknown then return text(n, types.unknown, "0", e) end
  if e.type.kind ~= "c" then return nil end
  if #n.args > 0 then self:fail(n.at, "'%s' of a complex number takes no arguments", n.name) end
  return self[name](self, n, e)
end

return complexes
