-- Loads of bytes, or halves of words, that lie side by side in each lane are one of a word in native code. Their values
-- are those of loads one by one: in any order, signed or not, with a store to one of them in between, in some lanes
-- only, and up to an array's last byte, behind which a load is an error.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local n, size, order = tonumber(arg[1]), tonumber(arg[2]), {}
for digit in arg[3]:gmatch "%d" do order[#order + 1] = tonumber(digit) end
local function ints(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = math.tointeger(word) end
  return list
end
local at, bytes = ints(arg[4]), ints(arg[5])
local source = ([=[
#define WORD(p) ((unsigned)p[E] << 8 * E | (unsigned)p[F] << 8 * F | (unsigned)p[G] << 8 * G | (unsigned)p[H] << 8 * H)
#define THREAD int t = blockIdx.x * blockDim.x + threadIdx.x; if (t >= n || at[t] < 0) return
extern "C" {
__global__ void pointer(const unsigned char *x, const int *at, unsigned *out, int n) {
  THREAD;
  const unsigned char *p = x + at[t];
  out[t] = WORD(p);
}
__global__ void index(const unsigned char *x, const int *at, unsigned *out, int n) {
  THREAD;
  out[t] = x[at[t] + E] * 3u + x[at[t] + F] * 5u + x[at[t] + G] * 7u + x[at[t] + H] * 11u;
}
__global__ void halves(const unsigned char *x, const int *at, unsigned *out, int n) {
  THREAD;
  const short *p = (const short *)x + (at[t] >> 1);
  out[t] = p[E & 1] + 3 * p[~E & 1];
}
__global__ void mixed(const unsigned char *x, const int *at, unsigned *out, int n) {
  THREAD;
  const signed char *p = (const signed char *)x + at[t];
  unsigned h = 0;
  for (int k = 0; k < (t & 3); k++, p += 4)
    h = h * 31 + p[E] + 3 * (unsigned char)p[F] + 5 * p[G] + 7 * (unsigned char)p[H];
  out[t] = h;
}
__global__ void rows(const unsigned char *x, const int *at, unsigned *out, int n) {
  THREAD;
  const unsigned char *p = x + 4 * t, *q = x + 6 * t + 1;
  out[t] = WORD(p) ^ WORD(q) * 3;
}
__global__ void between(unsigned char *x, const int *at, unsigned *out, int n) {
  THREAD;
  unsigned char *p = x + 8 * t + (at[t] & 3), *q = x + 8 * t + (at[t] >> 2 & 7);
  unsigned w = (unsigned)p[E] << 8 * E | (unsigned)p[F] << 8 * F;
  *q = (unsigned char)t;
  out[t] = w | (unsigned)p[G] << 8 * G | (unsigned)p[H] << 8 * H;
}
}]=]):gsub("%f[%w][EFGH]%f[%W]", function(l) return order[l:byte() - 68] end)
local m = dc.module(source)
for _, name in ipairs { "pointer", "index", "halves", "mixed", "rows", "between" } do
  local x, out = dc.array(bytes, "uint8"), dc.zeros(n, "uint32")
  local k = m:kernel(name)
  k((n + 95) // 96, 96, x, dc.array(at, "int32"), out, n)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  print(name, table.concat(out:to_table(), " "))
end
for _, name in ipairs { "pointer", "index" } do
  local last = {}
  for t = 1, n do last[t] = size - 4 end
  for over = 0, 1 do
    last[n // 2] = size - 4 + over
    local ok, e = pcall(function()
      m:kernel(name)((n + 95) // 96, 96, dc.array(bytes, "uint8"), dc.array(last, "int32"), dc.zeros(n, "uint32"), n)
      dc.synchronize()
    end)
    print(name, ok and "right" or tostring(e):match "thread %b()")
  end
end
]==]

local function signed(x, bits) return x >> (bits - 1) == 1 and x - (1 << bits) or x end

describe("bytes side by side", function()
  local n, size, order, at, bytes = math.random(150, 300), 8192, {}, {}, {}
  for j = 0, 3 do table.insert(order, math.random(j + 1), j) end
  for i = 1, size do bytes[i] = math.random(0, 255) end
  for t = 1, n do at[t] = math.random(5) == 1 and -1 or math.random(0, size - 16) end
  at[n], at[n - 1] = size - 16, 0

  local function expected()
    local function x(i) return bytes[i + 1] end
    local function word(i) return x(i) | x(i + 1) << 8 | x(i + 2) << 16 | x(i + 3) << 24 end
    local function half(i) return signed(x(2 * i) | x(2 * i + 1) << 8, 16) end
    local A, B, C, D = table.unpack(order)
    local of = {
      pointer = function(_, a) return word(a) end,
      index = function(_, a) return x(a + A) * 3 + x(a + B) * 5 + x(a + C) * 7 + x(a + D) * 11 end,
      halves = function(_, a) return half((a >> 1) + (A & 1)) + 3 * half((a >> 1) + (~A & 1)) end,
      mixed = function(t, a)
        local h = 0
        for k = a, a + 4 * (t & 3) - 4, 4 do
          h = h * 31 + signed(x(k + A), 8) + 3 * x(k + B) + 5 * signed(x(k + C), 8) + 7 * x(k + D)
        end
        return h
      end,
      rows = function(t) return word(4 * t) ~ word(6 * t + 1) * 3 end,
      between = function(t, a)
        local p, q = 8 * t + (a & 3), 8 * t + (a >> 2 & 7)
        local function late(i) return q == p + i and t & 255 or x(p + i) end
        return x(p + A) << 8 * A | x(p + B) << 8 * B | late(C) << 8 * C | late(D) << 8 * D
      end,
    }
    local lines = {}
    for _, name in ipairs { "pointer", "index", "halves", "mixed", "rows", "between" } do
      local out = {}
      for t = 0, n - 1 do out[t + 1] = at[t + 1] < 0 and 0 or of[name](t, at[t + 1]) & 0xffffffff end
      lines[#lines + 1] = name .. "\t" .. table.concat(out, " ") .. "\n"
    end
    return table.concat(lines)
  end

  for _, how in ipairs(helper.tiers_and_isas) do
    it("are as one by one, " .. how, function()
      local text = helper.on_cpu(how, script, n, size, table.concat(order), table.concat(at, " "),
        table.concat(bytes, " "))
      local want = expected()
      for _, name in ipairs { "pointer", "index" } do
        want = want .. ("%s\tright\n%s\tthread (%d,0,0)\n"):format(name, name, (n // 2 - 1) % 96)
      end
      local i = 1
      while i <= #want and text:byte(i) == want:byte(i) do i = i + 1 end
      assert.is_true(text == want, helper.note(("%s wanted at %q"):format(text:sub(i, i + 99), want:sub(i, i + 99))))
    end)
  end
end)
