-- concat, stack, roll and pad by the kernel that copies many parts on a GPU, run on the CPU device, against the copies
-- of the CPU device, which spec/array/parts_spec.lua compares with plain Lua.
local helper = require "spec.helper"

local script = [==[
  local dc = require "dotcompute"
  dc.random.seed(tonumber(arg[1]))
  math.randomseed(tonumber(arg[1]))
  local dtypes = { "uint8", "int16", "float32", "float64", "complex128" }

  -- Values of a random layout: in C order, transposed, reversed, with gaps, broadcast; pending; of another dtype.
  local function array(shape, dtype)
    local function fresh(s) return dc.random.integers(s, { low = 0, high = 200 }):to(dtype):eval() end
    local ndim, kind = #shape, math.random(9)
    if kind == 1 then
      local order, back, other = {}, {}, {}
      for d = 1, ndim do table.insert(order, math.random(d), d) end
      for d = 1, ndim do other[d], back[order[d]] = shape[order[d]], d end
      return fresh(other):transpose(table.unpack(back))
    elseif kind == 2 then
      return dc.flip(fresh(shape))
    elseif kind == 3 then
      local wide, every = {}, {}
      for d = 1, ndim do
        local step = d > 1 and math.random(2) or 1
        wide[d], every[d] = step * shape[d] + 1, { 2, 1 + step * shape[d], step }
      end
      return fresh(wide)[every]
    elseif kind == 4 then
      local one = table.move(shape, 1, ndim, 1, {})
      one[math.random(ndim)] = 1
      return fresh(one):broadcast_to(shape)
    elseif kind == 5 then
      return fresh(shape) + 1
    elseif kind == 6 then
      return dc.random.integers(shape, { low = 0, high = 200 }):to "uint8":eval()
    end
    return fresh(shape)
  end

  local function show(text, a)
    local bytes, hash = a.size > 0 and a:bytes() or "", 0
    for at = 1, #bytes - 7, 8 do hash = hash * 31 + string.unpack("<I8", bytes, at) end
    for at = #bytes // 8 * 8 + 1, #bytes do hash = hash * 31 + bytes:byte(at) end
    print(text, a.dtype, table.concat({ a:shape() }, "x"), ("%016x"):format(hash))
  end

  for round = 1, 60 do
    local dtype, ndim = dtypes[math.random(#dtypes)], math.random(5)
    local shape, arrays, axis = {}, {}, math.random(ndim)
    for d = 1, ndim do shape[d] = math.random(ndim < 3 and 40 or 5) end
    if math.random(3) == 1 then shape[ndim] = math.random(500, 1500) end
    for k = 1, math.random(4) == 1 and math.random(30, 40) or math.random(2, 6) do
      local own = table.move(shape, 1, ndim, 1, {})
      own[axis] = math.random(0, 6)
      arrays[k] = array(own, dtype)
    end
    show(round .. " concat", dc.concat(arrays, axis))
    for k = 1, 3 do arrays[k] = array(shape, dtype) end
    show(round .. " stack", dc.stack({ arrays[1], arrays[2], arrays[3] }, math.random(ndim + 1)))
    show(round .. " roll", dc.roll(arrays[1], math.random(-9, 9), axis))
    show(round .. " pad", dc.pad(arrays[2], 1, { mode = "edge" }))
  end
  -- Units of 1 to 16 bytes: whatever the addresses, the lengths and the strides are multiples of.
  for by = 1, 40 do
    local line, plane = array({ 4000 }, "uint8"):copy(), array({ 5, 4000 }, "uint8"):copy()
    local n = 16 * by + math.random(0, 3) * 4
    show("bytes " .. by, dc.concat { line[{ { by, by + n - 1 } }], line[{ { 33, 33 + n - 1 } }], line })
    show("rows " .. by, dc.concat({ plane[{ ":", { 1, n } }], plane[{ ":", { 17, 48 } }] }, 2))
  end]==]

it("many parts by the kernel of a GPU have the values of single copies", function()
  helper.prints_the_same("TIER=0", "TIER=0 DOTCOMPUTE_CPU_AS_GPU=1", script, helper.seed % 100000)
end)
