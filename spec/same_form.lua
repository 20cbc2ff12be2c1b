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

-- An operand of an expression over r x c elements of `base`: a matrix whose rows are contiguous or not, a row, a column
-- or one value; from a random place on. Now and then it is the one drawn before, `last`, or that transposed.
same_form.matrix_operand = [==[function(base, r, c, last)
  local at, kind = ({ 0, 0, 1, 4 })[math.random(4)], math.random(11)
  local function matrix(rows, columns) return base[{ { at + 1, at + rows * columns } }]:reshape(rows, columns) end
  if kind == 1 and last then return last end
  if kind == 2 and last and last.ndim == 2 and r == c then return last.T end
  if kind == 3 then return base[{ { at + 1, at + c } }] end
  if kind == 4 then return matrix(r, 1) end
  if kind == 5 then return base[{ { at + 1, at + 1 } }] end
  if kind == 6 then return matrix(c, r).T end
  if kind == 7 then return matrix(r, 2 * c)[{ ":", { 1, -1, 2 } }] end
  if kind == 8 then return matrix(r, c)[{ { -1, 1, -1 } }] end
  if kind == 9 then return matrix(r, c + 3)[{ ":", { 2, c + 1 } }] end
  return matrix(r, c)
end]==]

-- What is done with an expression e of r x c elements, a number v and an axis. `sum` and `join` are those of arrays, or
-- of the reference: the sum along the axis, which stays, and of all; and a function of elements that are broadcast.
same_form.reductions = [==[{
  function(e) return e end,
  function(e, _, axis, sum) return sum(e, axis) end,
  function(e, v, axis, sum, join) return join(sum(e, axis), e, function(s, x) return s * v - x end) end,
  function(e, v, axis, sum, join) return join(sum(e, axis), sum(e, axis), function(s, t) return s * v + t end) end,
  function(e, v, _, sum, join) return join(sum(e), sum(e), function(s) return s - v end) end,
  function(e, v, axis, sum, join)
    local d = join(sum(e, axis), e, function(s, x) return x * 3 - s end)
    return join(sum(d, axis), e, function(s, x) return s + x * v end)
  end,
}]==]

return same_form
