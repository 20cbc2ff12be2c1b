-- Structs by value and pointers in structs: random structs against layouts that are computed here again by the rules of
-- C, fields by name and by position, and the second compilation that finds their layouts.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

local random = math.random

-- Random structs: their C text, a value for each field, and the values in order.  The layout is computed
-- here again, by the rules of C.
local scalars = {
  { "char", "int8" }, { "unsigned char", "uint8" }, { "short", "int16" }, { "unsigned short", "uint16" },
  { "int", "int32" }, { "unsigned", "uint32" }, { "long long", "int64" }, { "size_t", "uint64" },
  { "float", "float32" }, { "double", "float64" }, { "bool", "bool" },
}
local made = 0

local function pack(dtype, v)
  if dtype == "bool" then v = v and 1 or 0 end
  return string.pack(h.pack[dtype], v)
end

local function round_up(n, to) return (n + to - 1) // to * to end

-- A type: how to declare it, its size and alignment, and `fill(path, leaves, offset)`, which gives a random Lua value
-- and appends to `leaves` what it consists of: {path, C type, bytes, offset}.
local function random_type(depth, texts)
  local kind = random(depth < 3 and 10 or 6)
  if kind <= 6 then
    local T = scalars[random(#scalars)]
    local size = h.itemsize[T[2]]
    return { name = T[1], size = size, align = size, fill = function(path, leaves, offset)
      local v = h.value(T[2])
      leaves[#leaves + 1] = { path, T[1], pack(T[2], v), offset }
      return v
    end }
  elseif kind == 7 then
    local axes, n = { "x", "y", "z", "w" }, random(2, 4)
    local align = n == 3 and 4 or n == 2 and 8 or 16
    return { name = "float" .. n, size = 4 * n, align = align, fill = function(path, leaves, offset)
      local t = h.values(n, "float32")
      for i = 1, n do
        leaves[#leaves + 1] = { path .. "." .. axes[i], "float", pack("float32", t[i]), offset + 4 * (i - 1) }
      end
      return t
    end }
  end
  made = made + 1
  local name, fields, size, align = "S" .. made, {}, 0, 1
  local lines = { "struct " .. name .. " {" }
  for i = 1, random(1, 6) do
    local T = random_type(depth + 1, texts)
    local extents, count, text = {}, 1, ""
    for d = 1, random(4) == 1 and random(2) or 0 do
      extents[d] = random(1, 3)
      count, text = count * extents[d], ("%s[%d]"):format(text, extents[d])
    end
    size = round_up(size, T.align)
    fields[i] = { name = "f" .. i, type = T, extents = extents, offset = size }
    size, align = size + T.size * count, math.max(align, T.align)
    lines[#lines + 1] = ("  %s f%d%s;"):format(T.name, i, text)
  end
  lines[#lines + 1] = "};"
  texts[#texts + 1] = table.concat(lines, "\n")
  local function fill_array(f, d, path, leaves, offset)
    if d > #f.extents then return f.type.fill(path, leaves, offset), f.type.size end
    local t, at = {}, 0
    for i = 1, f.extents[d] do
      local bytes
      t[i], bytes = fill_array(f, d + 1, ("%s[%d]"):format(path, i - 1), leaves, offset + at)
      at = at + bytes
    end
    return t, at
  end
  return { name = name, size = round_up(size, align), align = align, fill = function(path, leaves, offset)
    local t = {}
    for _, f in ipairs(fields) do t[f.name] = fill_array(f, 1, path .. "." .. f.name, leaves, offset + f.offset) end
    return t
  end }
end

describe("a struct by value", function()
  it("passes every field of random structs, and zeros between them", function()
    for _ = 1, 8 do
      local texts, T = {}
      repeat T = random_type(0, texts) until T.name:find "^S" and T.size < 3000
      local leaves = {}
      local v = T.fill("s", leaves, 0)
      local source, bytes, want = { table.concat(texts, "\n") }, {}, ("\0"):rep(T.size)
      source[#source + 1] = "typedef unsigned char Byte;"
      source[#source + 1] = ("__global__ void f(char pad, const __grid_constant__ %s s, Byte *raw, Byte *out) {")
        :format(T.name)
      source[#source + 1] = "  for (int i = 0; i < sizeof s; i++) raw[i] = ((const Byte *)&s)[i];"
      for i, leaf in ipairs(leaves) do
        source[#source + 1] = ("  *(%s *)(out + %d) = %s;"):format(leaf[2], 8 * (i - 1), leaf[1])
        bytes[i] = leaf[3] .. ("\0"):rep(8 - #leaf[3])
        want = want:sub(1, leaf[4]) .. leaf[3] .. want:sub(leaf[4] + #leaf[3] + 1)
      end
      local k = dc.kernel(table.concat(source, "\n") .. "\n}")
      local raw, out = dc.full({ T.size }, 170, "uint8"), dc.zeros(8 * #leaves, "uint8")
      local function check(s, what)
        raw:fill(170)
        out:fill(0)
        k(1, 1, 0, s, raw, out)
        assert.equal(want, raw:bytes(), note(what .. "\n" .. source[1]))
        assert.equal(table.concat(bytes), out:bytes(), note(what .. "\n" .. source[1]))
      end
      check(v, "as a table")
      coroutine.wrap(check)(v, "on a stack that has to grow")
      check(want, "as a string")
    end
  end)

  it("may have 32 fields, none, an alignment of 16, a base class, and be a template or a typedef", function()
    local fields, t, want = {}, {}, 0
    for i = 1, 32 do
      fields[i], t["field_" .. i] = ("%s field_%d;"):format(i % 2 == 0 and "int" or "double", i), i * 3
      want = want + i * 3
    end
    local sum = {}
    for i = 1, 32 do sum[i] = "s.field_" .. i end
    local m = dc.module([[
#include "shape.h"
struct Many { ]] .. table.concat(fields, " ") .. [[ };
struct Empty {};
struct alignas(16) Wide { int a; };
struct Tail { double d; char c; };
struct Base { int a; static constexpr int limit = 3; __device__ int get() const { return a; } };
class Derived : public Base { int b; public: short c; __device__ int all() const { return a + b + c; } };
template <class T, int N> struct Row { T v[N]; };
typedef struct { int x, y; } Plain;
__global__ void many(const Many s, double *out) { *out = ]] .. table.concat(sum, " + ") .. [[; }
__global__ void empty(Empty e, int n, int *out) { *out = n; }
__global__ void wide(int n, Wide w, Tail t, int *out) { *out = n + w.a + (int)t.d + t.c; }
__global__ void derived(Derived d, int *out) { *out = d.all(); }
__global__ void row(Row<short, 3> r, int *out) { *out = r.v[0] * 100 + r.v[1] * 10 + r.v[2]; }
__global__ void plain(Plain p, int *out) { *out = p.x - p.y; }
__global__ void grid(const __grid_constant__ Tail t, int *out) { *out = (int)t.d * t.c; }
__global__ void shape(Shape s, int *out) { *out = s.width * s.height; }]], { headers = { ["shape.h"] = [[
#define FIELD(T, name) T name;
struct Shape { FIELD(int, width) FIELD(long long, height) };]] } })
    local out, sums = dc.zeros(1, "int32"), dc.zeros(1, "float64")
    m.many(1, 1, t, sums)
    assert.equal(want, sums[1])
    m.empty(1, 1, {}, 5, out)
    assert.equal(5, out[1])
    m.empty(1, 1, "\0", 6, out)
    assert.equal(6, out[1])
    fails("argument", "'e'.*Empty has no field 'a'; it has none", function() m.empty(1, 1, { a = 1 }, 1, out) end)
    m.wide(1, 1, 1, { a = 20 }, { d = 300, c = 4 }, out)
    assert.equal(325, out[1])
    m.derived(1, 1, { a = 1, b = 20, c = 300 }, out)
    assert.equal(321, out[1])
    m.row(1, 1, { v = { 4, 5, 6 } }, out)
    assert.equal(456, out[1])
    m.row(1, 1, { v = string.pack("<i2i2i2", 7, 8, 9) }, out)
    assert.equal(789, out[1])
    m.plain(1, 1, { x = 50, y = 8 }, out)
    assert.equal(42, out[1])
    m.grid(1, 1, { d = 6, c = 7 }, out)
    assert.equal(42, out[1])
    m.shape(1, 1, { width = 6, height = 8 }, out)
    assert.equal(48, out[1])
  end)

  local m = dc.module [[
enum Mode : unsigned char { OFF, ON };
enum class Sign { minus = -1, plus = 1 };
enum Large : unsigned { SMALL, HUGE_ = 4000000000u };
struct Inner { float v[2]; int n; };
struct Body { float mass; Inner in[2]; bool on; Mode mode; Sign sign; Large large; float3 at; };
struct Bits { int a : 3, b : 5; };
struct Anonymous { int a; union { int i; float f; }; };
union Either { int i; float f; };
struct Outer { int a; Bits bits; Either either; };
struct Virtual { int a; __device__ virtual int get() { return a; } };
struct Callback { void (*f)(int); int n; };
__global__ void body(Body b, int *out) {
  *out = (int)b.mass + (int)b.in[1].v[1] + b.in[0].n + b.on + b.mode + (int)b.sign + (b.large == HUGE_) + (int)b.at.z;
}
__global__ void bits(Bits b, int *out) { *out = b.a * 100 + b.b; }
__global__ void anonymous(Anonymous a, int *out) { *out = a.a + a.i; }
__global__ void either(Either e, int *out) { *out = e.i; }
__global__ void outer(Outer o, int *out) { *out = o.a + o.bits.b + o.either.i; }
__global__ void virtual_(Virtual v, int *out) { *out = v.a; }
__global__ void callback(Callback c, int *out) { *out = c.n; }
__global__ void mode(Mode mode, Sign sign, int *out) { *out = mode * 10 + (int)sign; }
__global__ void reference(int &r) {}
__global__ void function(void (*f)(int), int *out) {}]]
  local out = dc.zeros(1, "int32")
  local function body()
    return { mass = 1.5, ["in"] = { { v = { 1, 2 }, n = 10 }, { v = { 3, 4 }, n = 20 } }, on = true, mode = 1,
             sign = -1, large = 4000000000, at = { x = 1, y = 2, z = 3 } }
  end

  it("may have long arrays, arrays of those, and a long name for a field", function()
    local long = ("a_name_"):rep(6) .. "of_more_than_forty_bytes"
    local k = dc.kernel(([[
struct Inner { float v[17]; bool on[18]; };
struct Long { short row[35]; double grid[3][20]; Inner inner[2]; int %s; };
__global__ void copy(Long s, unsigned char *out) {
  for (int i = 0; i < sizeof s; i++) out[i] = ((const unsigned char *)&s)[i];
}]]):format(long))
    local function list(n, value)
      local t = {}
      for i = 1, n do t[i] = value(i) end
      return t
    end
    local function put(format, t) return string.pack("<" .. format:rep(#t), table.unpack(t)) end
    local s, want = { inner = {}, grid = {}, [long] = -7 }, {}
    s.row = list(35, function(i) return i - 17 end)
    want[1] = put("h", s.row) .. "\0\0"
    for g = 1, 3 do
      s.grid[g] = list(20, function(i) return g == 1 and i or g == 2 and i / 8 or 2.0 ^ (40 + i) end)
      want[#want + 1] = put("d", s.grid[g])
    end
    for g = 1, 2 do
      s.inner[g] = { v = list(17, function(i) return i / g end), on = list(18, function(i) return i * g % 3 == 0 end) }
      want[#want + 1] = put("f", s.inner[g].v) .. put("B", list(18, function(i) return i * g % 3 == 0 and 1 or 0 end))
        .. "\0\0"
    end
    want[#want + 1] = string.pack("<i4", -7)
    want = table.concat(want)
    local copied = dc.zeros(#want + 8, "uint8")
    local function check()
      copied:fill(0)
      k(1, 1, s, copied)
      assert.equal(want, copied:bytes():sub(1, #want))
    end
    check()
    coroutine.wrap(check)() -- its stack has to grow
    s.row[35] = 1 << 15
    fails("argument", "field 'row%[35%]': 32768 is out of range", function() k(1, 1, s, copied) end)
    s.row[35] = 18
    s.inner[2].on[18] = 3
    fails("argument", "field 'inner%[2%]%.on%[18%]': 3 is neither", function() k(1, 1, s, copied) end)
    s.inner[2].on[18] = true
    check()
  end)

  it("may be given in tables filled in any order", function()
    local k = dc.kernel [[
struct Filled { float v[5]; short w[5]; float2 pair; int n; const float *p; };
__global__ void copy(Filled s, float *out) {
  for (int i = 0; i < 5; i++) { out[i] = s.v[i]; out[5 + i] = s.w[i]; }
  out[10] = s.pair.x;
  out[11] = s.pair.y;
  out[12] = s.n;
  out[13] = s.p ? *s.p : -1;
}]]
    local function up(n, t)
      for i = 1, n do t[i] = i end
      return t
    end
    local function down(n, t)
      for i = n, 1, -1 do t[i] = i end
      return t
    end
    local function shrunk(n, t)
      local most = n + random(200)
      for i = 1, most do t[i] = i end
      for i = most, n + 1, -1 do t[i] = nil end
      return t
    end
    local ways = {
      function(n) return { table.unpack({ 1, 2, 3, 4, 5, 6 }, 1, n) } end,
      function(n) return up(n, {}) end,
      function(n) return down(n, {}) end,
      function(n) return shrunk(n, {}) end,
      function(n)
        local t = up(n, {})
        assert(#t == n) -- which Lua remembers
        return t
      end,
      function(n)
        local t = up(n + 1, { extra = 1 })
        t.extra, t[n + 1] = nil, nil
        return t
      end,
      function(n) return table.pack(table.unpack({ 1, 2, 3, 4, 5, 6 }, 1, n)) end, -- with a field n
      function(n)
        return setmetatable(up(n, {}), { __index = function() return 7 end, __len = function() return 9 end })
      end,
    }
    local got, p = dc.zeros(14), dc.full(1, 17)
    local function launch(s) k(1, 1, s, got) end
    for i, way in ipairs(ways) do
      for j, other in ipairs(ways) do
        local s = { v = way(5), w = other(5), pair = random(2) == 1 and { 8, 9 } or { y = 9, x = 8 }, n = 3 }
        s.gone = 1
        s.gone = nil
        s.p = random(2) == 1 and p or dc.null
        launch(s)
        for n = 1, 5 do
          assert.equal(n, got[n], note(i .. " " .. j))
          assert.equal(n, got[5 + n], note(i .. " " .. j))
        end
        assert.same({ 8, 9, 3, s.p == p and 17 or -1 }, { got[11], got[12], got[13], got[14] })
      end
      for _, n in ipairs { 4, 6 } do
        local five, bad = { 1, 2, 3, 4, 5 }, way(n)
        local why = "a table of 5 values is wanted, got one of " .. n
        local function refused(v, w, pair, pattern)
          fails("argument", pattern, function() launch { v = v, w = w, pair = pair, n = 1, p = p } end)
        end
        refused(bad, five, { 1, 2 }, "field 'v': " .. why)
        refused(five, bad, { 1, 2 }, "field 'w': " .. why)
        refused(five, five, bad, "field 'pair': a table of 2 numbers is wanted")
      end
    end

    local five = { 1, 2, 3, 4, 5 }
    local function refused(pattern, change)
      local s = { v = five, w = five, pair = { 1, 2 }, n = 1, p = p }
      launch(s)
      change(s)
      fails("argument", pattern, function() launch(s) end)
    end
    refused("has no field 'the number 1'", function(s) s[1] = 7 end)
    refused("has no field 'q'", function(s) s.q = 7 end)
    refused("field 'p': it is missing", function(s) s.p, s[p] = nil, p end)
    refused("field 'v%[3%]'.*got the string '3'", function(s) s.v = { 1, 2, "3", 4, 5 } end)
    refused("field 'v%[2%]'.*got nil", function(s) s.v = { 1, nil, 3, 4, 5 } end)
    refused("field 'pair': a table of 2 numbers", function(s) s.pair = { x = 1, y = 2, z = 3 } end)
    refused("field 'pair': a table of 2 numbers", function(s) s.pair = { x = 1, z = 3 } end)
  end)

  it("may have its fields in any order, which may change from launch to launch", function()
    local k = dc.kernel [[
struct Box { float low[3], high[3]; int kind; double weight; };
struct Pair { Box first, second, more[2]; double d[3]; short n; };
__device__ unsigned char *copy(unsigned char *to, const void *from, int n) {
  for (int i = 0; i < n; i++) to[i] = ((const unsigned char *)from)[i];
  return to + n;
}
__global__ void f(Box a, Pair p, Box b, unsigned char *out) {
  copy(copy(copy(out, &a, sizeof a), &p, sizeof p), &b, sizeof b);
}]]
    local bytes = dc.zeros(40 + 192 + 40, "uint8")
    local function number()
      local v = ({ random(-9, 9), random(-1 << 40, 1 << 40), random(), 0, -0.0, math.huge })[random(6)]
      return random(2) == 1 and v or v + 0.0
    end
    -- A table of these fields that had other keys before.
    local function table_of(fields)
      local names, t = {}, {}
      for name in pairs(fields) do table.insert(names, random(#names + 1), name) end
      local others = random(0, 9)
      for i = 1, others do t["other" .. i] = i end
      for i = 1, others do t["other" .. i] = nil end
      for _, name in ipairs(names) do t[name] = fields[name] end
      return t
    end
    local function three()
      local t = { number(), number(), number() }
      return t, t[1], t[2], t[3]
    end
    local function box(packed)
      local low, l1, l2, l3 = three()
      local high, h1, h2, h3 = three()
      local kind, weight = random(-1 << 31, (1 << 31) - 1), number()
      packed[#packed + 1] = string.pack("<ffffffi4xxxxd", l1, l2, l3, h1, h2, h3, kind, weight)
      return table_of { low = low, high = high, kind = kind, weight = weight }
    end
    local function pair(packed)
      local t = { first = box(packed), second = box(packed), more = { box(packed), box(packed) } }
      local d, d1, d2, d3 = three()
      t.d, t.n = d, random(-1 << 15, (1 << 15) - 1)
      packed[#packed + 1] = string.pack("<dddhxxxxxx", d1, d2, d3, t.n)
      return table_of(t)
    end
    local wrong = {
      { "%s': it is missing", function(b, name) b[name] = nil end },
      { "%s': it is missing", function(b, name) b[name], b.other = nil, b[name] end },
      { "Box has no field 'other'", function(b) b.other = 1 end },
      { "Box has no field 'the number 1'", function(b) b[1] = 1 end },
      { "low': a table of 3 values is wanted, got one of 4", function(b) b.low[4] = 1 end },
      { "high': a table of 3 values is wanted, got one of 2", function(b) b.high[3] = nil end },
      { "high%%[2%%]': a number expected, got the string '1'", function(b) b.high[2] = "1" end },
      { "low%%[3%%]': 1e%%+40 is too large", function(b) b.low[3] = 1e40 end },
      { "kind': 0%%.5 has no integer", function(b) b.kind = 0.5 end },
      { "kind': 2147483648 is out of range", function(b) b.kind = 1 << 31 end },
      { "weight': a number expected, got true", function(b) b.weight = true end },
      { "low", function(b)
        b.low = setmetatable({ 1, nil, 3 }, { __index = function() error("asked for an element") end })
      end },
    }
    for _ = 1, 60 do
      local packed = {}
      local a, p, b = box(packed), pair(packed), box(packed)
      if random(3) == 1 then
        local bad, name = wrong[random(#wrong)], ({ "low", "high", "kind", "weight" })[random(4)]
        bad[2](({ a, p.first, p.second, p.more[2], b })[random(5)], name)
        fails("argument", bad[1]:format(name), function() k(1, 1, a, p, b, bytes) end)
      else
        k(1, 1, a, p, b, bytes)
        assert.equal(table.concat(packed), bytes:bytes(), note())
      end
    end
  end)

  it("names missing, unknown and wrong fields", function()
    m.body(1, 1, body(), out)
    assert.equal(1 + 4 + 10 + 1 + 1 - 1 + 1 + 3, out[1])
    local launches = dc.stats().launches
    local function wrong(pattern, change)
      local b = body()
      change(b)
      local text = "kernel 'body', parameter 1 'b' %(Body%): " .. pattern .. ".*body%(Body b, int %*out%)"
      fails("argument", text, function() m.body(1, 1, b, out) end)
    end
    wrong("field 'mass': it is missing", function(b) b.mass = nil end)
    wrong("field 'in%[2%]%.n': it is missing", function(b) b["in"][2].n = nil end)
    wrong("Body has no field 'weight'; it has mass, in, on", function(b) b.weight = 1 end)
    wrong("Body has no field 'the number 1'", function(b) b[1] = 1 end)
    wrong("field 'in%[1%]': Inner has no field 'm'; it has v, n", function(b) b["in"][1].m = 1 end)
    wrong("field 'in': a table of 2 values is wanted, got one of 3", function(b) b["in"][3] = b["in"][1] end)
    wrong("field 'in': a table of 2 values is wanted, got one of 1", function(b) b["in"][2] = nil end)
    wrong("field 'in%[2%]%.v%[1%]': a number expected, got the string 'x'", function(b) b["in"][2].v[1] = "x" end)
    wrong("field 'in%[2%]%.v%[2%]': 1e%+40 is too large for float32", function(b) b["in"][2].v[2] = 1e40 end)
    wrong("field 'in%[1%]%.n': 2%.5 has no integer", function(b) b["in"][1].n = 2.5 end)
    wrong("field 'in%[1%]%.n': 2147483648 is out of range for int32", function(b) b["in"][1].n = 1 << 31 end)
    wrong("field 'in%[1%]': a string of 12 bytes", function(b) b["in"][1] = "short" end)
    wrong("field 'in': a table of 2 values expected, got the number 5", function(b) b["in"] = 5 end)
    wrong("field 'on': 2 is neither a boolean nor 0 or 1", function(b) b.on = 2 end)
    wrong("field 'mode': 256 is out of range", function(b) b.mode = 256 end)
    wrong("field 'mode': %-1 is out of range", function(b) b.mode = -1 end)
    wrong("field 'sign': .*out of range for int32", function(b) b.sign = 1 << 31 end)
    wrong("field 'large': %-1 is out of range", function(b) b.large = -1 end)
    wrong("field 'at': a table of 3 numbers", function(b) b.at = { 1, 2 } end)
    wrong("field 'at%.y': a number expected", function(b) b.at = { x = 1, y = "", z = 1 } end)
    local function refused(pattern, v)
      fails("argument", "parameter 1 'b' %(Body%): " .. pattern, function() m.body(1, 1, v, out) end)
    end
    refused("a string of %d+ bytes is wanted, got one of 3", "abc")
    refused("5 is no table", 5)
    refused("an array is no table", out)
    refused("a table of its fields or a string of %d+ bytes expected, got nil", nil)
    refused("a table of its fields or a string of %d+ bytes expected, got a dotcompute.null", dc.null)
    assert.equal(launches, dc.stats().launches)
  end)

  it("with fields of the same name takes bytes only", function()
    m.bits(1, 1, string.pack("<I4", 2 | 9 << 3), out)
    assert.equal(209, out[1])
    fails("argument", "'bits', parameter 1 'b' %(Bits%): a string of 4 bytes expected %(it has bit%-fields%), got a t",
      function() m.bits(1, 1, { a = 1, b = 2 }, out) end)
    m.anonymous(1, 1, string.pack("<i4i4", 5, 6), out)
    assert.equal(11, out[1])
    fails("argument", "member without a name", function() m.anonymous(1, 1, { a = 1, i = 2 }, out) end)
    m.either(1, 1, string.pack("<i4", 77), out)
    assert.equal(77, out[1])
    fails("argument", "it is a union", function() m.either(1, 1, { i = 2 }, out) end)
    fails("argument", "virtual functions", function() m.virtual_(1, 1, { a = 2 }, out) end)
    m.outer(1, 1, { a = 1, bits = string.pack("<I4", 4 << 3), either = string.pack("<i4", 100) }, out)
    assert.equal(105, out[1])
    fails("argument", "field 'bits': a string of 4 bytes expected %(it has bit%-fields%), got a table",
      function() m.outer(1, 1, { a = 1, bits = { a = 1, b = 2 }, either = "1234" }, out) end)
    fails("argument", "field 'f': a function pointer cannot be passed",
      function() m.callback(1, 1, { f = dc.null, n = 1 }, out) end)
    m.callback(1, 1, string.pack("<i8i4i4", 0, 9, 0), out)
    assert.equal(9, out[1])
  end)

  it("may be an enumeration's integer; references and functions are refused", function()
    m.mode(1, 1, 1, -1, out)
    assert.equal(9, out[1])
    fails("argument", "parameter 1 'mode' %(Mode%): 256 is out of range for uint8", function()
      m.mode(1, 1, 256, 0, out)
    end)
    fails("argument", "parameter 2 'sign'.*out of range for int32", function() m.mode(1, 1, 0, 1 << 31, out) end)
    fails("argument", "parameter 1 'r' %(int &%): a reference cannot be passed", function() m.reference(1, 1, out) end)
    fails("argument", "parameter 1 'f'.*function pointer", function() m["function"](1, 1, dc.null, out) end)
  end)
end)

describe("pointers in a struct", function()
  local k = dc.kernel [[
struct Span { const float *from; float *to[2]; int n; };
__global__ void add(Span s) {
  int i = threadIdx.x;
  if (i < s.n) {
    s.to[0][i] = s.from ? s.from[i] + 1 : -1;
    if (s.to[1]) s.to[1][i] = 2 * s.to[0][i];
  }
}]]

  it("take arrays and dc.null, after pending expressions are evaluated", function()
    local x, y, z = dc.arange(1, 4), dc.zeros(4), dc.zeros(4)
    local before = y + z * 10
    k(1, 32, { from = x * 2, to = { y, z }, n = 4 })
    assert.same({ 3, 5, 7, 9 }, y:to_table())
    assert.same({ 6, 10, 14, 18 }, z:to_table())
    assert.same({ 0, 0, 0, 0 }, before:to_table())
    local e = x + y -- reads what is written through, and is written itself
    k(1, 32, { from = dc.null, to = { e, dc.null }, n = 4 })
    assert.same({ -1, -1, -1, -1 }, e:to_table())
    local same = y + 0
    k(1, 32, { from = y, to = { y, dc.null }, n = 4 })
    assert.same({ 3, 5, 7, 9 }, same:to_table())
    assert.same({ 4, 6, 8, 10 }, y:to_table())
  end)

  it("are checked like pointer parameters", function()
    local y = dc.zeros(4)
    local function wrong(pattern, from, to)
      fails("argument", "kernel 'add', parameter 1 's' %(Span%): " .. pattern, function()
        k(1, 32, { from = from, to = { to, dc.null }, n = 4 })
      end)
    end
    local closed = dc.zeros(4)
    closed:close()
    wrong("field 'from': it takes a float32 array, not an int32 one", dc.zeros(4, "int32"), y)
    wrong("field 'from': the array is closed", closed, y)
    wrong("field 'to%[1%]': got a view.*not contiguous", y, dc.zeros(4, 4).T)
    wrong("field 'to%[1%]': 5 is no array", y, 5)
    wrong("field 'from': an array expected, got the string", "x", y)
    wrong("field 'from': it is missing", nil, y)
  end)

  it("may be given as bytes that hold addresses", function()
    local x, y = dc.ones(3), dc.zeros(3)
    local e = y + 5
    k(1, 32, string.pack("<i8i8i8i4i4", x.ptr, y.ptr, 0, 3, 0))
    assert.same({ 2, 2, 2 }, y:to_table())
    assert.same({ 5, 5, 5 }, e:to_table())
  end)
end)

describe("layouts of structs", function()
  it("are cached with the code: a warm start does not load the compiler", function()
    local build, cache = assert(os.getenv "DOTCOMPUTE_BUILD"), os.tmpname()
    os.remove(cache)
    local script = [[
local dc = require "dotcompute"
local k = dc.kernel("struct P { short a; float4 v; struct Q { double d[2]; const float *x; } q; };\n" ..
  "__global__ void f(P p, float *y) { *y = p.a + p.v.w + (float)p.q.d[1] + p.q.x[0]; }")
local y = dc.zeros(1)
k(1, 1, { a = 1, v = { x = 0, y = 0, z = 0, w = 20 }, q = { d = { 0, 300 }, x = dc.full(2, 4000) } }, y)
print(y[1])]]
    local command = ("DOTCOMPUTE_LOG=compile DOTCOMPUTE_CACHE='%s' '%s/dclua' -e %s")
      :format(cache, build, h.quote(script))
    local cold, warm = h.shell(command), h.shell(command)
    assert.matches("loaded NVRTC", cold)
    assert.matches("\n4321%.0\n", "\n" .. cold)
    assert.equal("4321.0\n", warm)
    h.shell(("rm -r '%s'"):format(cache))
  end)
end)
