-- Functions of complex numbers that kernels in Lua can call: those of arrays, by the same text
-- (array/device/complex.cu), parts, and casts.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

return function(builtins)
  local add, count, text = builtins.add, builtins.count, builtins.text
  local by_name = builtins.by_name

  local function unknown(n) return text(n, types.unknown, "0") end

  -- The builtin of that name for real numbers is one for complex ones too: `check` gives their node.
  local function also(name, operands, check)
    local b = by_name["dc." .. name]
    local of_reals = b.check
    b.check = function(self, n, ...)
      local args, again = builtins.check_arguments(self, n)
      local complex = false
      for _, e in ipairs(args) do complex = complex or e.type.kind == "c" end
      local copy = setmetatable({ args = again }, { __index = n })
      if not complex then return of_reals(self, copy, ...) end
      count(self, n, b, operands)
      for k, e in ipairs(args) do self:need_scalar(e, n.args[k], b.name) end
      local t = builtins.met(self, args)
      return t and check(self, n, t, args, copy) or unknown(n)
    end
  end

  for name in ([[sqrt log log2 log10 log1p exp expm1 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh
    reciprocal sign rint]]):gmatch "%S+" do
    also(name, 1, function(self, n, t, args)
      self:use_complex(name)
      return text(n, t, ("c_%s($1)"):format(name), args)
    end)
  end

  also("abs", 1, function(self, n, _, args) return self:complex_abs(n, args[1]) end)
  also("square", 1, function(_, n, t, args) return text(n, t, "($1 * $1)", args, { twice = true }) end)
  also("pow", 2, function(self, n, _, args, copy)
    return self:arith({ a = copy.args[1], b = copy.args[2], at = n.at }, "^", args[1], args[2])
  end)
  for name, sign in pairs { isnan = "||", isinf = "||", isfinite = "&&" } do
    also(name, 1, function(_, n, _, args)
      return text(n, types.bool, ("(%s($1.x) %s %s($1.y))"):format(name, sign, name), args, { twice = true })
    end)
  end

  -- --- parts of complex and real numbers ---------------------------------------------------------------------------

  -- A function of one number: `of_complex` and `of_real` give its node.
  local function of_scalar(name, of_complex, of_real)
    add("dc." .. name, function(self, n, b)
      count(self, n, b, 1)
      local e = self:need_scalar(self:expr(n.args[1]), n.args[1], b.name)
      if e.type == types.unknown then return unknown(n) end
      if e.type.kind == "c" then return of_complex(self, n, e) end
      return of_real(self, n, e.type, e)
    end)
  end

  local function same(_, _, _, e) return e end

  of_scalar("real", function(self, n, e) return self:complex_part(n, e, "x") end, same)
  of_scalar("imag", function(self, n, e) return self:complex_part(n, e, "y") end,
    function(_, n, t, e) return text(n, t, ("((%s)0)"):format(t.ctype), { e }) end)
  of_scalar("conj", function(self, n, e) return self:complex_conj(n, e) end, same)
  of_scalar("angle", function(self, n, e) return self:complex_angle(n, e) end, function(self, n, t, e)
    local f = types.floating({ t }, t, 8)
    local wide = f.size == 2 and types.dtype "float32" or f
    return self:convert(text(n, wide, ("atan2((%s)0, $1)"):format(wide.ctype), { self:convert(e, wide, e.n) }), f, n)
  end)

  -- --- making them --------------------------------------------------------------------------------------------------

  -- Real and imaginary part as a complex number of type t.
  local function of_parts(self, n, b, t)
    local args = {}
    for k, one in ipairs(n.args) do
      args[k] = self:number(one, b.name)
      if args[k].type == types.unknown then return unknown(n) end
      args[k] = self:convert(args[k], t.part, one)
    end
    return text(n, t, #args == 2 and t.ctype .. "{$1, $2}" or t.ctype .. "{$1, 0}", args)
  end

  add("dc.complex", function(self, n, b)
    count(self, n, b, 1, 2)
    return of_parts(self, n, b, types.complex)
  end)

  for _, name in ipairs { "complex64", "complex128" } do
    local t = types.dtype(name)
    add("dc." .. name, function(self, n, b)
      count(self, n, b, 1, 2)
      if #n.args == 2 then return of_parts(self, n, b, t) end
      return builtins.cast(self, n.args[1], self:expr(n.args[1]), t, b)
    end)
  end
end
