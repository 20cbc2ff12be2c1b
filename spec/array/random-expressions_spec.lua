-- Random programs (spec/programs.lua) against an eager model in plain Lua.
--   DOTCOMPUTE_SPEC_PROGRAMS=100000   that number of programs, without a time limit
--   DOTCOMPUTE_SPEC_PROGRAM=123       only this one, and prints its text (L123: with large arrays)
local dc = require "dotcompute"
local h = require "spec.helper"
local programs = require "spec.programs"

local function failure(number, err, text, options)
  return ("program %d%s of %s, again with DOTCOMPUTE_SPEC_PROGRAM=%s%d\n\n%s\n\n%s"):format(number,
    options.scale and ", large," or "", table.concat(options.dtypes, ", "), options.scale and "L" or "", number, text,
    tostring(err))
end

-- The dtypes and the depth of a program follow from its number, too. Few different ones a run: kernels compile once
-- for a form, so that a run is mostly running.
local sets = {
  { "int32", "float32" }, { "int8", "uint8", "bool" }, { "float16", "float32" }, { "int64", "float64" },
  { "uint64", "uint32", "int16" }, { "bfloat16", "int32" }, { "bool", "float64" }, { "uint16", "int64" },
}
local large_sets = { { "int32" }, { "int64", "uint8" }, { "float32", "int16" } }
local function options_of(number, large)
  if large then return { dtypes = large_sets[number % #large_sets + 1], depth = 2, scale = 12, statements = 20 } end
  return { dtypes = sets[number // 1000 % #sets + 1], depth = 2 }
end

local function run(number, large)
  local options = options_of(number, large)
  local ok, err, text = programs.run(number, options)
  if not ok then error(failure(number, err, text, options), 0) end
  return text
end

describe("random programs", function()
  local only, count = os.getenv "DOTCOMPUTE_SPEC_PROGRAM", tonumber(os.getenv "DOTCOMPUTE_SPEC_PROGRAMS")

  it("give the results of plain Lua", function()
    if only then
      local large, number = only:match "^(L?)(%d+)$"
      number = math.tointeger(number)
      local ok, err, text = programs.run(number, options_of(number, large == "L"))
      io.stderr:write(text, "\n")
      assert(ok, err)
      return
    end
    -- Without a count: up to 300, and no new one after ten seconds (compiling takes most of them).
    local first, started, done = h.seed % 1000000 * 1000, dc.clock(), 0
    repeat
      run(first + done)
      done = done + 1
      if not count and done >= 10 and dc.clock() - started > 10 then break end
    until done == (count or 300)
    math.randomseed(h.seed)
  end)

  it("on arrays of many blocks, too", function()
    if only then return end
    local started = dc.clock()
    for i = 1, count or 6 do
      run(h.seed % 1000000 * 1000 + i, true)
      if not count and dc.clock() - started > 4 then break end
    end
    math.randomseed(h.seed)
  end)

  it("leak no memory", function()
    local before = h.bytes_live()
    for i = 1, 5 do run(i) end -- always the same: their kernels may be in the cache
    assert.equal(before, h.bytes_live())
    math.randomseed(h.seed)
  end)

  it("detect a wrong value, dtype or shape", function()
    local wrong = 0
    for i = 1, 6 do
      local ok = programs.run(i, { dtypes = { "int32" }, depth = 1, statements = 5, spoil = true })
      if not ok then wrong = wrong + 1 end
    end
    assert.equal(6, wrong)
    math.randomseed(h.seed)
  end)
end)
