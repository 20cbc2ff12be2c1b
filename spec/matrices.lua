-- Matrices in plain Lua, as references: {shape =, [i] = value in C order}; arrays of these values in random memory
-- layouts; products as loops.
local dc = require "dotcompute"
local helper = require "spec.helper"
local check = require "luassert"
local matrices = {}

local note, random = helper.note, math.random

local function plus(x, y) return x + y end
local function times(x, y) return x * y end

-- A dense array in plain Lua: {shape =, [i] = value in C order}.
function matrices.plain(shape, fn)
  local t = { shape = shape }
  for i = 1, helper.product(shape) do t[i] = fn(i) end
  return t
end

function matrices.shaped(t, shape)
  t.shape = shape
  return t
end

function matrices.shape_text(t) return "(" .. table.concat(t.shape, ", ") .. ")" end

function matrices.nested(t, axis, at)
  axis, at = axis or 1, at or 0
  if axis > #t.shape then return t[at + 1] end
  local list = {}
  for i = 1, t.shape[axis] do list[i] = matrices.nested(t, axis + 1, at * t.shape[axis] + i - 1) end
  return list
end

function matrices.flatten(v, list)
  if type(v) ~= "table" then list[#list + 1] = v
  else for _, x in ipairs(v) do matrices.flatten(x, list) end end
  return list
end

-- The values of an array in C order.
function matrices.values(a) return a.size == 0 and {} or matrices.flatten(a:to_table(), {}) end

function matrices.of_array(a) return matrices.shaped(matrices.values(a), { a:shape() }) end

function matrices.permuted(t, axes) -- the result's axis i is t's axes[i]
  local shape, strides, step = {}, {}, 1
  for d = #t.shape, 1, -1 do
    strides[d] = step
    step = step * t.shape[d]
  end
  for i, d in ipairs(axes) do shape[i] = t.shape[d] end
  local result = { shape = shape }
  for i = 1, #t do
    local rest, at = i - 1, 0
    for k = #axes, 1, -1 do
      at = at + rest % shape[k] * strides[axes[k]]
      rest = rest // shape[k]
    end
    result[i] = t[at + 1]
  end
  return result
end

function matrices.transposed(t) return matrices.permuted(t, { 2, 1 }) end

function matrices.from_plain(t, dtype)
  if #t == 0 then return dc.zeros(t.shape, dtype) end
  return dc.array(matrices.nested(t), dtype)
end

-- An array of these values in a random memory layout.
function matrices.lay(t, dtype)
  local n, kind = #t.shape, random(6)
  if #t == 0 or kind == 1 then return matrices.from_plain(t, dtype), "plain" end
  if kind == 2 then -- some order of the axes
    local axes, back = {}, {}
    for d = 1, n do table.insert(axes, random(#axes + 1), d) end
    for i, d in ipairs(axes) do back[d] = i end
    return matrices.from_plain(matrices.permuted(t, axes), dtype):transpose(table.unpack(back)), "permuted"
  end
  if kind == 3 then
    local a = matrices.from_plain(t, dtype)
    return dtype == "bool" and a:to "int8":to "bool" or a * 1, "pending"
  end
  local shape, block = {}, {} -- part of a larger array, perhaps with steps, perhaps backwards
  for d, e in ipairs(t.shape) do
    local step, first = random(kind == 4 and 1 or 2), random(3)
    shape[d] = first + e * step + random(0, 2)
    block[d] = { first, first + (e - 1) * step, step }
    if kind == 6 and random(2) == 1 then block[d] = { first + (e - 1) * step, first, -step } end
  end
  local whole = dtype == "bool" and dc.zeros(shape, dtype) or dc.full(shape, 77, dtype)
  local part = whole:slice(table.unpack(block))
  part:copy_from(matrices.from_plain(t, dtype))
  return part, kind == 6 and "backwards" or "strided"
end

-- The reference: NumPy's rules, written out.
function matrices.product(a, b, add, multiply, zero)
  add, multiply = add or plus, multiply or times
  if zero == nil then zero = 0.0 end
  local sa, sb = table.move(a.shape, 1, #a.shape, 1, {}), table.move(b.shape, 1, #b.shape, 1, {})
  local row, column = #sa == 1, #sb == 1
  if row then table.insert(sa, 1, 1) end
  if column then table.insert(sb, 1) end
  local m, k, n = sa[#sa - 1], sa[#sa], sb[#sb]
  assert(sb[#sb - 1] == k)
  local nb = math.max(#sa, #sb) - 2
  local batch, ea, eb = {}, {}, {}
  for d = 1, nb do
    ea[d], eb[d] = sa[d - nb + #sa - 2] or 1, sb[d - nb + #sb - 2] or 1
    batch[d] = ea[d] == 1 and eb[d] or ea[d]
  end
  local shape = table.move(batch, 1, nb, 1, {})
  if not row then shape[#shape + 1] = m end
  if not column then shape[#shape + 1] = n end
  local c = { shape = shape }
  for z = 0, helper.product(batch) - 1 do
    local rest, at_a, at_b, step_a, step_b = z, 0, 0, 1, 1
    for d = nb, 1, -1 do
      local i = rest % batch[d]
      rest = rest // batch[d]
      at_a, at_b = at_a + (ea[d] == 1 and 0 or i) * step_a, at_b + (eb[d] == 1 and 0 or i) * step_b
      step_a, step_b = step_a * ea[d], step_b * eb[d]
    end
    for i = 0, m - 1 do
      for j = 0, n - 1 do
        local sum = zero
        for l = 0, k - 1 do
          sum = add(sum, multiply(a[at_a * m * k + i * k + l + 1], b[at_b * k * n + l * n + j + 1]))
        end
        c[#c + 1] = sum
      end
    end
  end
  return c
end

function matrices.times(a, b) return matrices.product(a, b) end

function matrices.identity(n)
  return matrices.plain({ n, n }, function(i) return (i - 1) // n == (i - 1) % n and 1.0 or 0.0 end)
end

-- Multiples of 1/8 whose products and sums all dtypes here hold exactly.
function matrices.eighths() return random(-32, 32) / 8 end

function matrices.any() return helper.f32(random() * 2 - 1) end

function matrices.check_values(want, got, text)
  check.same(want.shape, { got:shape() }, note(text))
  helper.same(table.move(want, 1, #want, 1, {}), matrices.values(got), text)
end

function matrices.close(want, got, most, text)
  check.equal(#want, #got, text)
  for i = 1, #want do
    local ok = math.abs(want[i] - got[i]) <= most
    check.is_true(ok, ok or note(("%s: element %d is %s, should be %s"):format(text, i, got[i], want[i])))
  end
end

return matrices
