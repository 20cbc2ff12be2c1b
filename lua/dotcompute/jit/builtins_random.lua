-- Random numbers in kernels in Lua: those of dc.random, by seed, call and position, from the same text
-- (src/array/device/random.cu).
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local pieces = { "philox", "pairs", "log", "circle", "log64", "circle64", "values" }

-- One number of the two that a pair of draws gives. `i` counts from 0.
local functions_text = [[
  typedef unsigned long long word;
  static __device__ __forceinline__ unsigned int bits32(word seed, word call, word i) {
    const uint2 p = pair32(seed, call, i);
    return i & 1 ? p.y : p.x;
  }
  static __device__ __forceinline__ word bits64(word seed, word call, word i) {
    const ulonglong2 p = pair64(seed, call, i);
    return i & 1 ? p.y : p.x;
  }
  static __device__ __forceinline__ float normal32_at(word seed, word call, word i) {
    const uint2 p = pair32(seed, call, i);
    const float2 n = normal32(p.x, p.y);
    return i & 1 ? n.y : n.x;
  }
  static __device__ __forceinline__ double normal64_at(word seed, word call, word i) {
    const ulonglong2 p = pair64(seed, call, i);
    const double2 n = normal64(p.x, p.y);
    return i & 1 ? n.y : n.x;
  }
]]

-- The texts as members of a struct, whose names no other text has.
local function struct_text()
  local parts = { "struct dc_random {" }
  for _, piece in ipairs(pieces) do parts[#parts + 1] = core.device_text("random/" .. piece) end
  parts[#parts + 1] = functions_text
  parts[#parts + 1] = "};"
  return table.concat(parts, "\n")
end

return function(builtins)
  local add, count, text = builtins.add, builtins.count, builtins.text

  -- Seed and position, and the call at argument `at`; nil while a type is not known.
  local function stream(self, n, b, at)
    local args = { self:integer(n.args[1], ("the seed of %s"):format(b.name)),
      self:integer(n.args[2], ("the position of %s"):format(b.name)) }
    local position = args[2]
    if position.op == "const" and position.value < 1 then
      self:fail(n.args[2].at, "%s: positions count from 1, got %d", b.name, position.value)
    end
    local call = n.args[at]
    args[3] = call and self:integer(call, ("the call of %s"):format(b.name))
      or { op = "const", type = types.integer, value = 0, at = n.at }
    if args[3].op == "const" and args[3].value < 0 then
      self:fail(call.at, "%s: the number of calls before is not negative, got %d", b.name, args[3].value)
    end
    for k, e in ipairs(args) do
      if e.type == types.unknown then return nil end
      args[k] = { op = "convert", type = types.integer, a = e, at = e.at, n = e.n }
    end
    builtins.need(self, "random", struct_text())
    return args
  end

  local STREAM <const> = "(unsigned long long)$1, (unsigned long long)$3, (unsigned long long)$2 - 1"

  -- A number of a floating dtype: made in single or double precision and rounded.
  local function floating(name, c32, c64)
    add("dc.random_" .. name, function(self, n, b)
      count(self, n, b, 2, 4)
      local t = types.dtype "float32"
      local last = n.args[#n.args]
      local has_dtype = #n.args > 2 and self:expr(last).type.static == "string"
      if #n.args == 4 or has_dtype then
        t = builtins.dtype_argument(self, last, b)
        if t.kind ~= "f" then
          self:fail(last.at, "%s makes floating numbers, and %s is none: dc.random_integers makes integers", b.name,
            t.name)
        end
      end
      local args = stream(self, n, b, #n.args > (has_dtype and 3 or 2) and 3 or 0)
      if not args then return text(n, types.unknown, "0") end
      local c = (t.size == 8 and c64 or c32):format(STREAM)
      if t.size == 2 and name == "uniform" then -- truncated, so that no number rounds up to 1
        local steps = 1 << t.significand
        c = ("truncf(%s * %d.0f) * %.17gf"):format(c, steps, 1 / steps)
      end
      return text(n, t, ("((%s)(%s))"):format(t.ctype, c), args)
    end)
  end
  floating("uniform", "dc_random::uniform32(dc_random::bits32(%s))", "dc_random::uniform64(dc_random::bits64(%s))")
  floating("normal", "dc_random::normal32_at(%s)", "dc_random::normal64_at(%s)")
  floating("exponential", "dc_random::exponential32(dc_random::bits32(%s))",
    "dc_random::exponential64(dc_random::bits64(%s))")

  -- dc.random_integers(seed, position, low, high [, call]): from low to high, both included.
  add("dc.random_integers", function(self, n, b)
    count(self, n, b, 4, 5)
    local args = stream(self, n, b, 5)
    local low, high = self:integer(n.args[3], "the least integer"), self:integer(n.args[4], "the greatest integer")
    if not args or low.type == types.unknown or high.type == types.unknown then return text(n, types.unknown, "0") end
    if low.op == "const" and high.op == "const" and low.value > high.value then
      self:fail(n.args[3].at, "%s: %d is above %d", b.name, low.value, high.value)
    end
    args[4] = { op = "convert", type = types.integer, a = low, at = low.at }
    args[5] = { op = "convert", type = types.integer, a = high, at = high.at }
    return text(n, types.integer, ("(long long)((unsigned long long)$4 + (unsigned long long)dc_random::integer64("
      .. "dc_random::bits64(%s), (unsigned long long)$5 - (unsigned long long)$4 + 1))"):format(STREAM), args,
      { twice = true })
  end)

  -- 32 random bits.
  add("dc.random_bits", function(self, n, b)
    count(self, n, b, 2, 3)
    local args = stream(self, n, b, 3)
    if not args then return text(n, types.unknown, "0") end
    return text(n, types.dtype "uint32", ("dc_random::bits32(%s)"):format(STREAM), args)
  end)
end
