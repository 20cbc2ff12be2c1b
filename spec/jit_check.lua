-- Runs batches of random programs (spec/jit_programs.lua) as kernels and as plain Lua, and compares what they write.
local dc = require "dotcompute"
local programs = require "spec.jit_programs"
local reference = require "spec.jit_reference"

local check = {}

local N <const> = programs.threads

local special = {
  i = { 0, 1, -1, "low", "high", 2, -7 }, u = { 0, 1, "high", 2, 255 },
  f = { 0.0, -0.0, 1.0, -1.5, 1 / 0, -1 / 0, 0 / 0, 1e-3, 65519.0 },
}

-- A random value of a dtype: special ones among them.
local function random_value(t)
  if t.kind == "b" then return math.random(2) == 1 end
  if math.random(3) == 1 then
    local v = special[t.kind][math.random(#special[t.kind])]
    if v == "low" then return t.bits == 64 and math.mininteger or -(1 << (t.bits - 1)) end
    if v == "high" then return t.name == "uint64" and -1 or (1 << (t.kind == "i" and t.bits - 1 or t.bits)) - 1 end
    return v
  end
  if t.kind == "f" then
    if math.random(3) == 1 then return (math.random() - 0.5) * 10.0 ^ math.random(-5, 20) end
    return math.random(-40, 40) / 4
  end
  local v = math.random(4) == 1 and math.random(0) or math.random(-20, 20)
  return reference.as(t.name, v).v
end

-- Random captured values: two integers, a float, a zero, a boolean.
local function captured()
  local function integer()
    local kind = math.random(4)
    return kind == 1 and math.random(0) or kind == 2 and math.random(0) >> 33 or math.random(-9, 9)
  end
  return { math.random(-9, 9), integer(), random_value(reference.types.float64),
    math.random(2) == 1 and 0.0 or -0.0, math.random(2) == 1 }
end

-- The arrays of a batch of n programs: ours and the reference's, by name.
local function make_arrays(n)
  local ours, theirs = {}, {}
  for _, name in ipairs(programs.arrays) do
    local kind, dtype = name:match "^(.)_(.*)$"
    local extents = kind == "x" and { N } or kind == "m" and { 2, N } or { n, N, programs.slots }
    if kind == "w" then
      ours[name], theirs[name] = dc.zeros(extents, dtype), reference.array(dtype, extents)
    else
      local t, values = reference.types[dtype], {}
      for k = 1, kind == "x" and N or 2 * N do
        local v = random_value(t)
        if t.kind == "f" then v = reference.as(dtype, v).v end
        values[k] = v
      end
      theirs[name] = reference.array(dtype, extents, values)
      ours[name] = dc.array(values, dtype):reshape(extents)
    end
  end
  return ours, theirs
end

local function same(a, b)
  if a ~= a and b ~= b then return true end
  return a == b and (a ~= 0 or math.type(a) == "integer" or 1 / a == 1 / b)
end

local function flatten(t, list)
  for _, v in ipairs(t) do
    if type(v) == "table" then flatten(v, list) else list[#list + 1] = v end
  end
  return list
end

local functions = { reference.eq, reference.idiv, reference.mod, reference.as, reference.range }

-- The places of programs whose values in an array of ours differ from the reference's: place -> a text.
local function compare(name, array, want, wrong)
  local got, extents = flatten(array:to_table(), {}), want.extents
  local size = #want.data // extents[1]
  for k, v in ipairs(want.data) do
    if not same(got[k], v) then
      local place = (k - 1) // size + 1
      local thread = (k - 1) % size // (size // N) + 1
      wrong[place] = wrong[place] or ("%s of thread %d (element %d) is %s, should be %s"):format(name, thread,
        (k - 1) % size + 1, math.type(v) == "float" and ("%a"):format(got[k]) or tostring(got[k]),
        math.type(v) == "float" and ("%a"):format(v) or tostring(v))
    end
  end
end

-- The levels of NVRTC's option --Ofast-compile, by batch. On GPUs kernels are compiled as users' are, with all
-- optimizations ("0", the default): nothing of ours uses the others. On the CPU device, where the compiler takes most
-- of the time, most batches are compiled fast. At level "mid" it, or the CPU device, gets programs wrong that are right
-- at all others (601001999, 601004874); at "max" functions like __shfl_sync are not inlined, and the CPU device gets
-- some wrong.
local levels = dc.device().simt and { "0" } or { "max", "max", "max", "0" }

-- Runs the programs of these numbers as one kernel, and as plain Lua. Gives a list of { number =, text = } of those
-- that differ; or nil and a text where there is an error. `flag`: one more of NVRTC's.
local function run_batch(numbers, flag)
  local text, plain = programs.texts(numbers)
  math.randomseed(numbers[1] // programs.batch, 314159) -- inputs and options of a batch, also for one of its programs
  local level = programs.is_together(numbers[1]) and "0" or levels[math.random(#levels)]
  local checked = math.random(10) == 1
  local first, second = captured(), math.random(3) == 1 and captured()
  local ours, theirs = make_arrays(#numbers)
  local kernel, set = assert(load(text, text))(dc, math, {}, ours, table.unpack(first))
  local body, set_body = assert(load(plain, "=plain"))(reference.dc, reference.math, functions, theirs,
    table.unpack(first))
  local wrong, k = {}, nil
  reference.divided_by_zero, reference.either_zero = false, false
  for run = 1, second and 2 or 1 do
    if run == 2 then
      set(table.unpack(second))
      set_body(table.unpack(second))
    end
    local out, sums = dc.zeros(#numbers, N, "int64"), dc.zeros(#numbers, N, "float64")
    local want, want_sums = reference.array("int64", { #numbers, N }), reference.array("float64", { #numbers, N })
    reference.run(N, function() body(want, want_sums) end)
    if reference.divided_by_zero and checked then k, checked = nil, false end -- an error with checks
    k = k or dc.jit(kernel, { flags = { "--fmad=false", "--Ofast-compile=" .. level, flag }, check = checked })
    local ok, err = pcall(k, 1, N, out, sums)
    if not ok then return nil, tostring(err) end
    compare("the integer", out, want, wrong)
    compare("the float", sums, want_sums, wrong)
    for _, name in ipairs(programs.arrays) do
      if name:find "^w" then compare(name, ours[name], theirs[name], wrong) end
    end
  end
  local list = {}
  for place, what in pairs(wrong) do list[#list + 1] = { number = numbers[place], text = what } end
  return list
end

-- What is wrong with one program: a text, or nil.
local function alone(number)
  local ok, list, err = xpcall(run_batch, debug.traceback, { number })
  if not ok then return list end
  if not list then return err end
  return list[1] and list[1].text
end

local function describe(number, what, more)
  return ("program %d: %s%s\n%s"):format(number, what, more or "", (programs.texts({ number }):match
    "(local function body.*)local function kernel"))
end

-- Runs `count` programs from number `first` on. Calls report(text) for each that differs, and for each that does not
-- compile or raises an error; and progress(done), if there is one. `together`: number of programs in one kernel. Gives
-- the number of reports.
function check.run(first, count, report, progress, together)
  local number, reports = first, 0
  together = together or programs.batch
  while number < first + count do
    local numbers = {}
    repeat
      numbers[#numbers + 1] = number
      number = number + 1
    until number % together == 0 or number == first + count
    local ok, list, err = xpcall(run_batch, debug.traceback, numbers)
    if not ok or not list then -- which of them is it?
      local found = {}
      for _, one in ipairs(numbers) do
        local what = alone(one)
        if what then found[#found + 1] = { number = one, text = what } end
      end
      if #found == 0 then
        found[1] = { number = numbers[1], text = "with the others of its batch: " .. (ok and err or list) }
      end
      list = found
    end
    -- The same PTX, assembled without optimizations for a GPU: is it the assembler that gets the batch wrong?
    local assembler = false
    if #list > 0 and dc.device().simt then
      local ran, others = pcall(run_batch, numbers, "--ptxas-options=-O0")
      assembler = ran and others and #others == 0
    end
    for _, one in ipairs(list) do
      local what = alone(one.number)
      if not (what and reference.either_zero) then
        reports = reports + 1
        report(describe(one.number, one.text, (#numbers > 1 and not what and " (not alone)" or "")
          .. (assembler and " (not with ptxas -O0)" or "")))
      end
    end
    collectgarbage()
    if progress then progress(number - first) end
  end
  return reports
end

return check
