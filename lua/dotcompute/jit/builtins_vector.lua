-- Vectors of CUDA that kernels in Lua make, and views of arrays as vectors and structs.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
local vector = require "dotcompute.vector"
core.builtin(debug.getinfo(1, "S").source)

return function(builtins)
  for _, name in ipairs(vector.names()) do
    builtins.add("dc." .. name, function(self, n) return self:construct_vector(n, types.vector(name)) end)
  end

  builtins.add("dc.view_as", function(self, n, b)
    builtins.count(self, n, b, 2)
    local array = self:expr(n.args[1])
    local t = builtins.dtype_argument(self, n.args[2], b, "struct")
    if array.type == types.unknown then return array end
    if not array.type.ndim then
      self:fail(n.args[1].at, "%s needs an array, but '%s' is %s", b.name, self:shown(n.args[1]), self:why(array))
    elseif not t.composite then
      self:fail(n.args[2].at, "%s takes a vector's name or a struct, got '%s'", b.name, self:shown(n.args[2]))
    end
    return self:view_as(n, array, t)
  end)
end
