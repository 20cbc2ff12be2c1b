-- Lanes whose 32-bit indices overflow do not address consecutive memory, nor do their values form a range: emitted C
-- leaves such accesses to the library and compares such values lane by lane.
local helper = require "spec.helper"
local TYPES <const> = { "uint8", "int8", "uint16", "int16", "uint32", "uint64" }
local BITS <const> = { uint8 = 8, int8 = 8, uint16 = 16, int16 = 16, uint32 = 32, int32 = 32, uint64 = 64 }

-- The lower bits of a number, as a value of the type.
local function as(type, v)
  local bits = BITS[type]
  if bits == 64 then return v end
  v = v & (1 << bits) - 1
  return type:sub(1, 1) == "i" and v >> bits - 1 == 1 and v - (1 << bits) or v
end

local script = [==[
local dc = require "dotcompute"
local names = { uint8 = "unsigned char", int8 = "signed char", uint16 = "unsigned short", int16 = "short",
  uint32 = "unsigned", uint64 = "unsigned long long" }
local text = { [[
__global__ void compare(unsigned *o, unsigned start, unsigned c) {
  unsigned u = start + threadIdx.x;
  int s = (int)u, d = (int)c;
  o[threadIdx.x] = (u < c) | (u <= c) << 1 | (u > c) << 2 | (u >= c) << 3 | (s < d) << 4 | (s <= d) << 5 | (s > d) << 6
    | (s >= d) << 7;
}]] }
for name, T in pairs(names) do
  text[#text + 1] = ([[
__global__ void up_NAME(const TYPE *x, TYPE *y, unsigned *wide, unsigned start, unsigned n) {
  unsigned i = start + threadIdx.x;
  if (i < n) {
    y[i] = x[i] + 3;
    wide[i] = (unsigned)(int)x[i];
  }
}
__global__ void down_NAME(const TYPE *x, TYPE *y, unsigned *wide, unsigned start, unsigned n) {
  int i = (int)(start + threadIdx.x);
  if (i >= 0) {
    unsigned long long back = 0x80000000ull - n; /* the arrays lie at the end of the numbers */
    (y - back)[i] = (x - back)[i] + 3;
    (wide - back)[i] = (unsigned)(int)(x - back)[i];
  }
}]]):gsub("NAME", name):gsub("TYPE", T)
end
local k = dc.module(table.concat(text, "\n"))
local line = io.lines(arg[1])
local threads, n, c = line():match "(%d+) (%d+) (%d+)"
threads, n, c = tonumber(threads), tonumber(n), tonumber(c)
for name, list in line():gmatch "(%w+):([^;]*);" do
  local values = {}
  for word in list:gmatch "%S+" do values[#values + 1] = math.tointeger(word) end
  local x = dc.array(values, name)
  for way, start in pairs { up = n - threads & 0xffffffff, down = 0x80000000 - n } do
    local y, wide = dc.zeros(n, name), dc.zeros(n, "uint32")
    k[way .. "_" .. name](1, threads, x, y, wide, start, n)
    local tier = k[way .. "_" .. name].attributes.tier
    print(way, name, tier, table.concat(y:to_table(), " "), table.concat(wide:to_table(), " "))
  end
end
local o = dc.zeros(threads, "uint32")
for _, start in ipairs { -n & 0xffffffff, 0x80000000 - n, c } do
  for _, against in ipairs { c, start + n // 2 & 0xffffffff, start + n & 0xffffffff, start } do
    k.compare(1, threads, o, start, against)
    print(table.concat(o:to_table(), " "))
  end
end
]==]

local function sorted(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  table.sort(lines)
  return table.concat(lines, "\n")
end

-- What compare gives for one lane.
local function compared(u, c)
  local s, d = as("int32", u), as("int32", c)
  local bits = { u < c, u <= c, u > c, u >= c, s < d, s <= d, s > d, s >= d }
  local word = 0
  for i, bit in ipairs(bits) do word = word | (bit and 1 << i - 1 or 0) end
  return word
end

describe("consecutive addresses of lanes that wrap around", function()
  it("are loaded, stored and compared lane by lane", function()
    local threads, n, c = math.random(70, 256), math.random(5, 60), math.random(0, 0xffffffff)
    local given, want = { ("%d %d %d\n"):format(threads, n, c) }, {}
    for _, name in ipairs(TYPES) do
      local x, y, wide = {}, {}, {}
      for i = 1, n do
        x[i] = as(name, math.random(0, math.maxinteger - 3))
        y[i], wide[i] = as(name, x[i] + 3), x[i] & 0xffffffff
      end
      given[#given + 1] = ("%s:%s;"):format(name, table.concat(x, " "))
      for _, way in ipairs { "up", "down" } do
        want[#want + 1] = ("%s\t%s\tTIER\t%s\t%s"):format(way, name, table.concat(y, " "), table.concat(wide, " "))
      end
    end
    for _, start in ipairs { -n & 0xffffffff, 0x80000000 - n, c } do
      for _, against in ipairs { c, start + n // 2 & 0xffffffff, start + n & 0xffffffff, start } do
        local words = {}
        for l = 0, threads - 1 do words[l + 1] = compared(start + l & 0xffffffff, against) end
        want[#want + 1] = table.concat(words, " ")
      end
    end
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "w"))
    file:write(table.concat(given), "\n")
    file:flush()
    local sets = "TIER=1 DOTCOMPUTE_CPU_ISA="
    for _, how in ipairs { "TIER=0", "TIER=1", sets .. "avx2", sets .. "baseline" } do
      local text = helper.on_cpu(how, script, path)
      local expected = table.concat(want, "\n"):gsub("TIER", how:match "%d")
      assert.equal(sorted(expected), sorted(text), helper.note(how))
    end
    os.remove(path)
  end)
end)
