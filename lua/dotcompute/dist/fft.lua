-- Fourier transforms of distributed arrays. Along axes that each rank has whole they are those of dc.fft for each
-- block; for the axis of distribution the array is redistributed along another one and back.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local object = require "dotcompute.dist.object"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local methods = object.methods

-- A transform along the axis of distribution: the array is distributed along its longest other axis meanwhile.
local function redistributed(fname, d, fn)
  local s, other = d.state, nil
  for a = 1, s.ndim do
    if a ~= s.axis and (not other or s.shape[a] > s.shape[other]) then other = a end
  end
  if not other then
    fail("shape", "%s: an array of one axis cannot be transformed along it while it is distributed; gather it "
      .. "(x:gather()), or transform a matrix", fname)
  end
  return object.map(d:redistribute(other), fn):redistribute(s.axis)
end

local one_axis = { "d", "axis", list = "axis", known = { axis = "any", n = "any", norm = "any" },
  usage = { "a distributed array", "perhaps an axis (the last) and options" } }

for _, name in ipairs { "fft", "ifft", "rfft", "irfft" } do
  methods[name] = function(...)
    local o = arguments.read(name, one_axis, ...)
    local s = object.check(name, o.d)
    local axis = algorithm.axis(name, o.axis, s.ndim)
    local function transform(part) return dc.fft[name](part, { axis = axis, n = o.n, norm = o.norm }) end
    if axis ~= s.axis then return object.map(o.d, transform) end
    return redistributed(name, o.d, transform)
  end
end

-- Along several axes: those that each rank has whole together, then the axis of distribution.
for name, single in pairs { fft2 = "fft", ifft2 = "ifft", fftn = "fft", ifftn = "ifft" } do
  methods[name] = function(d, ...)
    local s = object.check(name, d)
    local list, options = arguments.list(name, { axes = "any", axis = "any", norm = "any" }, ...)
    list = arguments.axes(name, list, options)
    if #list == 0 then
      for a = name:find "2" and s.ndim - 1 or 1, s.ndim do list[#list + 1] = a end
    end
    local inside, across, seen = {}, false, {}
    for _, a in ipairs(list) do
      local axis = algorithm.axis(name, a, s.ndim)
      if seen[axis] then fail("argument", "%s: axis %d is named twice", name, axis) end
      seen[axis] = true
      if axis == s.axis then across = true else inside[#inside + 1] = axis end
    end
    local several = single .. "n"
    if #inside > 0 then
      d = object.map(d, function(part) return dc.fft[several](part, { axes = inside, norm = options.norm }) end)
    end
    if not across then return d end
    return redistributed(name, d, function(part) return dc.fft[single](part, s.axis, { norm = options.norm }) end)
  end
end

return {}
