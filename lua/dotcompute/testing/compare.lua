-- dc.testing.compare: a kernel or a function, and a reference, on the same random inputs. Every trial has a seed of its
-- own, which all its sizes and values come from, so that a failing one is repeated alone.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
core.builtin(debug.getinfo(1, "S").source)
local difference = require "dotcompute.testing.difference"

local fail = builder.fail
local WHO = "dc.testing.compare"
local MOST = 1000 -- elements of an array whose extents are chosen freely

local known = {
  inputs = "table", trials = "integer", seed = "integer", devices = "any", sizes = "table", arrays = "boolean",
  launch = "function", rtol = "number", atol = "number", equal_nan = "boolean", same_dtype = "boolean",
}

-- --- random numbers -----------------------------------------------------------------------------------------------

-- random(low, high): integers by SplitMix64 (Steele, Lea, Flood 2014); without bounds a float in [0, 1). The state of
-- math.random is the script's.
local function generator(seed)
  local state = seed
  local function bits()
    state = state + 0x9e3779b97f4a7c15
    local z = state
    z = (z ~ z >> 30) * 0xbf58476d1ce4e5b9
    z = (z ~ z >> 27) * 0x94d049bb133111eb
    return z ~ z >> 31
  end
  return function(low, high)
    if not low then return (bits() >> 11) * 2.0 ^ -53 end
    local range = high - low + 1
    if range <= 0 then return bits() end -- as for low = math.mininteger, high = math.maxinteger
    return low + (bits() >> 1) % range
  end
end

-- An integer of the range, its ends more often than others.
local function extent(random, range)
  local which = random(1, 8)
  if which == 1 then return range[1] end
  if which == 2 then return range[2] end
  return random(range[1], range[2])
end

-- --- specifications -----------------------------------------------------------------------------------------------

local array_options = { dtype = "string", shape = "any", low = "number", high = "number" }

local function check_range(range, what)
  local low, high = math.tointeger(range[1]), math.tointeger(range[2])
  if #range ~= 2 or not low or not high or low < 0 or high < low then
    fail("argument", "%s: %s is a range {low, high} of integers from 0 on", WHO, what)
  end
  return { low, high }
end

-- { kind = "array", shape =, dtype =, low =, high = }, { kind = "scalar", … }, { kind = "size", name = },
-- { kind = "value", value = } or { kind = "function", fn = }.
local function parse_input(k, v, parameter)
  local t = type(v)
  if t == "function" then return { kind = "function", fn = v } end
  if t == "string" then
    if not v:find "^[%a_][%w_]*$" then fail("argument", "%s: input %d, '%s', is no name of a size", WHO, k, v) end
    return { kind = "size", name = v }
  end
  if t == "nil" then fail("argument", "%s: input %d is nil", WHO, k) end
  if t ~= "table" then return { kind = "value", value = v } end
  arguments.check(("%s: input %d"):format(WHO, k), v, array_options, true)
  local shape = v.shape
  if type(shape) ~= "table" and shape ~= nil then shape = { shape } end
  if shape and #v > 0 then fail("argument", "%s: input %d has its shape twice", WHO, k) end
  if #v > 0 then shape = v end
  local dtype = v.dtype or parameter and parameter.dtype or "float32"
  local info = core.dtype(dtype)
  if not info then fail("dtype", "%s: input %d: there is no dtype '%s'", WHO, k, dtype) end
  local low, high = v.low, v.high
  if info.kind == "b" then low, high = 0, 1
  elseif info.kind == "i" then low, high = low or -100, high or 100
  elseif info.kind == "u" then low, high = low or 0, high or 100
  else low, high = low or -1, high or 1 end
  if low ~= low or high ~= high or high < low then
    fail("argument", "%s: input %d: low, %s, is above high, %s", WHO, k, low, high)
  end
  if info.kind:find "[iub]" then
    local first, last = math.tointeger(low), math.tointeger(high)
    if not first or not last then fail("dtype", "%s: input %d: bounds of %s are integers", WHO, k, info.name) end
    low, high = first, last
  end
  return { kind = shape and "array" or "scalar", shape = shape, dtype = info.name, type = info.kind, low = low,
    high = high }
end

-- The range of each named size: given, or such that arrays have MOST elements.
local function size_ranges(inputs, sizes)
  local ranges = {}
  for name, range in pairs(sizes or {}) do
    if type(name) ~= "string" then fail("argument", "%s: sizes are named, as in {n = {1, 1000}}", WHO) end
    if math.type(range) == "integer" then range = { range, range } end
    if type(range) ~= "table" then
      fail("argument", "%s: size '%s' is an integer or a range {low, high}, got %s", WHO, name, core.describe(range))
    end
    ranges[name] = check_range(range, ("size '%s'"):format(name))
  end
  local free = {}
  local function meet(name, ndim)
    if not ranges[name] then free[name] = math.max(free[name] or 1, ndim) end
  end
  for k, input in ipairs(inputs) do
    if input.kind == "size" then meet(input.name, 1) end
    for axis, n in ipairs(input.shape or {}) do
      if type(n) == "string" then meet(n, #input.shape)
      elseif type(n) == "table" then check_range(n, ("axis %d of input %d"):format(axis, k))
      elseif not math.tointeger(n) or n < 0 then
        fail("shape", "%s: axis %d of input %d is an integer from 0 on, a name, or a range {low, high}, got %s", WHO,
          axis, k, core.describe(n))
      end
    end
  end
  for name, ndim in pairs(free) do ranges[name] = { 1, math.floor(MOST ^ (1 / ndim) + 1e-9) } end
  return ranges
end

-- --- kernels ------------------------------------------------------------------------------------------------------

local function is_kernel(v) return type(v) == "userdata" and (getmetatable(v) or {}).__name == "dotcompute.kernel" end

-- The parameters of a signature, "f(int n, const float *x)": a list of {dtype = of the elements, const =}.
local function parameters(kernel)
  local list = {}
  local inside = kernel.signature:match "%((.*)%)$":gsub("%b<>", function(s) return (s:gsub(",", " ")) end)
  for text in (inside .. ","):gmatch "%s*(.-)," do
    if text ~= "" then
      local pointee = text:match "^([^*]*)%*" -- nil: no pointer
      local base = (pointee or text:gsub("[%w_]+%s*$", "")):gsub("%f[%w_]const%f[^%w_]", "")
      local info = core.dtype((base:match "^%s*(.-)%s*$"))
      list[#list + 1] = { dtype = info and info.name, const = pointee and pointee:find "%f[%w_]const%f[^%w_]" ~= nil }
    end
  end
  return list
end

-- The kernel for the current device: itself, or compiled anew from its source and options.
local function kernel_here(kernel)
  if kernel.device == dc.device() then return kernel end
  return core.recompiled(kernel.module):kernel(kernel.name)
end

-- By default as many threads as the largest array has elements.
local function launch_all(kernel, ...)
  local n = 1
  for k = 1, select("#", ...) do
    local v = select(k, ...)
    if core.is_array(v) then n = math.max(n, v.size) end
  end
  kernel:forall(n, ...)
end

-- --- one trial ----------------------------------------------------------------------------------------------------

local function random_array(input, shape, g)
  local bounds = { dtype = input.dtype, low = input.low, high = input.high }
  if input.type == "f" then return g:uniform(shape, bounds):eval() end
  if input.type ~= "c" then return g:integers(shape, bounds):eval() end
  bounds.dtype = input.dtype == "complex64" and "float32" or "float64"
  local re, im = g:uniform(shape, bounds), g:uniform(shape, bounds)
  return (re + im * dc.complex(0, 1)):to(input.dtype):eval()
end

local function random_scalar(input, random)
  if input.type == "b" then return random(0, 1) == 1 end
  if input.type == "i" or input.type == "u" then return random(input.low, input.high) end
  local function draw() return input.low + (input.high - input.low) * random() end
  if input.type == "c" then return dc.complex(draw(), draw()) end
  local v = draw()
  return input.dtype == "float64" and v or string.unpack("f", string.pack("f", v)) -- as a kernel's parameter has it
end

-- The sizes of a trial, and a function that makes its inputs on the current device, each time the same values.
local function trial_inputs(inputs, ranges, seed)
  local random, sizes, names = generator(seed), {}, {}
  for name in pairs(ranges) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do sizes[name] = extent(random, ranges[name]) end
  local shapes = {}
  for k, input in ipairs(inputs) do
    local shape = {}
    for axis, n in ipairs(input.shape or {}) do
      shape[axis] = type(n) == "string" and sizes[n] or type(n) == "table" and extent(random, n) or n
    end
    shapes[k] = shape
  end
  local rest = random(0, math.maxinteger - 1)
  return sizes, function()
    local draw, g, list = generator(rest), dc.random.generator(seed), { n = #inputs }
    for k, input in ipairs(inputs) do
      if input.kind == "array" then list[k] = random_array(input, shapes[k], g)
      elseif input.kind == "scalar" then list[k] = random_scalar(input, draw)
      elseif input.kind == "size" then list[k] = sizes[input.name]
      elseif input.kind == "function" then list[k] = input.fn(sizes, draw)
      else list[k] = input.value end
    end
    return list
  end
end

local function to_tables(list)
  local out = { n = list.n }
  for k = 1, list.n do out[k] = core.is_array(list[k]) and list[k]:to_table() or list[k] end
  return out
end

local function copies(list)
  local out = { n = list.n }
  for k = 1, list.n do out[k] = core.is_array(list[k]) and list[k]:copy() or list[k] end
  return out
end

-- Where a kernel returns nothing and its reference returns values, these are what it writes: arrays whose parameters
-- are not const. A list of { name, actual, expected }.
local function pair(subject, list, got, expected_list, expected)
  local pairs_ = {}
  if expected.n > 0 then
    local actual = got
    if subject.kernel and got.n == 0 then
      actual = { n = 0 }
      for k = 1, list.n do
        local p = subject.parameters[k]
        if core.is_array(list[k]) and not (p and p.const) then
          actual.n = actual.n + 1
          actual[actual.n] = list[k]
        end
      end
    end
    if actual.n ~= expected.n then
      fail("argument", "%s: the reference returned %d value%s, but %s %d", WHO, expected.n,
        expected.n == 1 and "" or "s",
        subject.kernel and got.n == 0 and "the arrays that the kernel may write are" or "the function returned",
        actual.n)
    end
    for k = 1, expected.n do pairs_[k] = { ("result %d"):format(k), actual[k], expected[k] } end
    return pairs_
  end
  if got.n > 0 then fail("argument", "%s: the function returned %d values, the reference none", WHO, got.n) end
  for k = 1, list.n do
    if core.is_array(list[k]) then
      pairs_[#pairs_ + 1] = { ("argument %d"):format(k), list[k], expected_list[k] }
    end
  end
  if #pairs_ == 0 then
    fail("argument", "%s: there is nothing to compare: no input is an array, and nothing was returned", WHO)
  end
  return pairs_
end

-- The text of the first difference on the current device, or nil.
local function run_once(subject, reference, make, options)
  local list = make()
  local expected_list = options.arrays and copies(list) or to_tables(list)
  local got
  if subject.kernel then
    got = table.pack((options.launch or launch_all)(kernel_here(subject.kernel), table.unpack(list, 1, list.n)))
  else
    got = table.pack(subject.fn(table.unpack(list, 1, list.n)))
  end
  local expected = table.pack(reference(table.unpack(expected_list, 1, expected_list.n)))
  for _, p in ipairs(pair(subject, list, got, expected_list, expected)) do
    local text = difference(WHO, p[3], p[2], options)
    if text then return p[1] .. ": " .. text end
  end
end

local function sizes_text(sizes)
  local list = {}
  for name, n in pairs(sizes) do list[#list + 1] = ("%s = %d"):format(name, n) end
  table.sort(list)
  return #list == 0 and "" or ", with " .. table.concat(list, ", ")
end

-- --- all of it ----------------------------------------------------------------------------------------------------

local function chosen_devices(devices)
  if devices == nil then
    local list, gpu = {}, nil
    for _, d in ipairs(dc.devices()) do
      if d.host_memory then list[#list + 1] = d
      elseif not gpu and dc.available(d.id) then gpu = d end
    end
    list[#list + 1] = gpu
    return list
  end
  if type(devices) ~= "table" then devices = { devices } end
  if #devices == 0 then fail("argument", "%s: option 'devices' is a list of devices, got an empty one", WHO) end
  local list = {}
  for k, d in ipairs(devices) do list[k] = type(d) == "string" and dc.device(d) or d end
  return list
end

local function check_callable(what, v)
  if type(v) ~= "function" and not (getmetatable(v) or {}).__call then
    fail("argument", "%s: the %s is a function, got %s", WHO, what, core.describe(v))
  end
end

-- Whether an error does not come from the values of a trial: it is raised as it is.
local function is_misuse(err, trial)
  if type(err) ~= "table" then return false end
  return err.kind == "interrupted" or trial == 1 and err.kind ~= nil and err.kind ~= "launch"
end

-- compare(fn, reference, {inputs =, …}): the first seed, and the text of the first difference or nil.
return function(fn, reference, options)
  local kernel = is_kernel(fn) and fn or nil
  if not kernel then check_callable("first argument, unless a kernel,", fn) end
  check_callable("reference", reference)
  arguments.need(WHO, options, known)
  if not options.inputs then fail("argument", "%s: option 'inputs' is a list of what is passed", WHO) end
  local subject = { kernel = kernel, fn = fn, parameters = kernel and parameters(kernel) or {} }
  local inputs = {}
  for k = 1, #options.inputs do inputs[k] = parse_input(k, options.inputs[k], subject.parameters[k]) end
  if options.launch and not kernel then fail("argument", "%s: option 'launch' is for kernels", WHO) end
  local trials = options.trials or 10
  if trials < 1 then fail("argument", "%s: option 'trials' is an integer from 1 on, got %d", WHO, trials) end
  local ranges = size_ranges(inputs, options.sizes)
  local seed = options.seed or dc.random.generator():integers(1, { low = 0, high = (1 << 31) - 1 })[1]
  local devices = chosen_devices(options.devices)
  for trial = 1, trials do
    local own = seed + trial - 1
    local sizes, make = trial_inputs(inputs, ranges, own)
    for _, device in ipairs(devices) do
      local ok, text = pcall(dc.using, device, run_once, subject, reference, make, options)
      if not ok and is_misuse(text, trial) then error(text, 0) end
      if text then
        return seed, ("%s\n  in trial %d of %d on %s%s; {seed = %d, trials = 1} repeats it"):format(tostring(text),
          trial, trials, device.id, sizes_text(sizes), own)
      end
    end
  end
  return seed
end
