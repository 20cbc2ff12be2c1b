-- Random expressions of a few forms, whose operands differ in address, alignment, extent and dtype: Lua text, since
-- child processes run it too.
local same_form = {}

-- Functions of arrays x and y and a number v. Where arithmetic is exact they compute the reference, too, from numbers.
same_form.shapes = [==[{
  function(x, y) return x + y end,
  function(x, y, v) return x * v + y end,
  function(x, y, v) return v - (x * y) end,
  function(x, y) local z = x * y; return z + z - x end,
  function(x, y) local a, b = x * y, x + y; return a - b + a end,
  function(x, y, v) return (x + v) * (y + v) end,
  function(x, y) return x - y - x end,
  function(x, y) return x - y - y end,
  function(x, y) local a, b = x * y, x + y; return a - b + b end,
  function(x, _, v) return x + v end,
  function(x, y, v) return -x * v - y * v end,
}]==]

-- An operand of n elements of `base`, from a random place on: by itself, one value that is broadcast, or with an axis
-- more. Now and then it is the operand drawn before, `last`, itself or as another array of the same memory.
same_form.operand = [==[function(base, n, last)
  local at = ({ 0, 0, 1, 2, 4, 3 })[math.random(6)]
  local kind = math.random(8)
  if kind == 1 and last then return last end
  if kind == 2 and last and last.size == n then return last[":"] end
  if kind <= 4 then return base[{ { at + 1, at + 1 } }] end
  local x = base[{ { at + 1, at + n } }]
  return kind == 5 and x:reshape(1, n) or x
end]==]

return same_form
