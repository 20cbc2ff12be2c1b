-- Rows of up to 1,024 keys, sorted side by side on the CPU device, against plain Lua: all lengths, NaN, zeros of both
-- signs, ties; with each instruction set.
local dc = require "dotcompute"
local h = require "spec.helper"

local dtypes = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
  "float16", "bfloat16" }

-- Keys that the dtype holds exactly, ties among them.
local function key(dtype)
  if not h.integers[dtype] then
    local special = { 0 / 0, 0.0, -0.0, 1 / 0, -1 / 0 }
    if math.random(6) == 1 then return special[math.random(5)] end
    return math.random(-100, 100) / 4
  end
  if dtype == "uint64" then return math.random(2) == 1 and math.random(9) or h.value(dtype) end
  return math.random(2) == 1 and math.random(0, 9) or h.value(dtype)
end

-- Of a row in its order: NaN last, equal keys as they were.
local function sorted(row, descending)
  local at = {}
  for i = 1, #row do at[i] = i end
  table.sort(at, function(i, j)
    local a, b = row[i], row[j]
    if (a ~= a) ~= (b ~= b) then return a == a end
    if a == b or a ~= a then return i < j end
    if descending then return a > b end
    return a < b
  end)
  return h.map(at, function(i) return row[i] end)
end

local function text_of(v) return v ~= v and "nan" or math.type(v) == "float" and ("%a"):format(v) or v end

local function check(rows, length, dtype)
  local flat, descending = {}, math.random(2) == 1
  for i = 1, rows * length do flat[i] = key(dtype) end
  local a = dc.array(flat, dtype):reshape(rows, length)
  local axis = math.random(2)
  local from = axis == 2 and a or a.T:copy()
  local got = dc.sort(from, axis, { descending = descending })
  got = (axis == 2 and got or got.T):to_table()
  for r = 1, rows do
    local want = sorted(table.move(flat, (r - 1) * length + 1, r * length, 1, {}), descending)
    assert.same(h.map(want, text_of), h.map(got[r], text_of), h.note(("%d x %d %s"):format(rows, length, dtype)))
  end
end

describe("sorts of short rows", function()
  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype, function()
      for _, length in ipairs { 1, 2, 3, math.random(4, 20), math.random(20, 200), 128, 129 } do
        check(math.random(4, 150), length, dtype)
      end
      check(math.random(4, 40), math.random(200, 1024), dtype)
      check(5, 1024, dtype)
      check(5, 1025, dtype)
    end)
  end

  it("are not kernels", function()
    h.with_folder(function(folder)
      local text, code = h.on_cpu("TIER=1 DOTCOMPUTE_DUMP=cuda:" .. folder, [[
local dc = require "dotcompute"
for _, dtype in ipairs { "int8", "uint32", "float64" } do
  local rows = {}
  for r = 1, 100 do rows[r] = { r % 3, r % 5, r % 7 } end
  dc.sort(dc.array(rows, dtype)):to_table()
end]])
      assert.equal(0, code, text)
      assert.equal("", h.shell("ls " .. folder))
    end)
  end)

  local script = [[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
for _, dtype in ipairs { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "float64" } do
  local rows, length = math.random(4, 70), math.random(2, 700)
  local low = dtype:find "u" == 1 and 0 or -100
  local m, want = {}, {}
  for r = 1, rows do
    m[r], want[r] = {}, {}
    for i = 1, length do m[r][i] = math.random(low, 100) end
    for i = 1, length do want[r][i] = m[r][i] end
    table.sort(want[r])
  end
  local got = dc.sort(dc.array(m, dtype)):to_table()
  for r = 1, rows do
    for i = 1, length do
      if got[r][i] ~= want[r][i] then print(dtype, rows, length, r, i, got[r][i], want[r][i]) return end
    end
  end
end]]
  for _, how in ipairs(h.tiers_and_isas) do
    it("with " .. how, function() h.passes_on_cpu(how, script) end)
  end
end)
