-- Loops that load one byte after another load words in native code. Their values are those of loads one by one: signed
-- or not, in steps of one or two, where what follows was stored before the loop was entered again, by this thread or
-- behind a barrier by another, and up to an array's last byte, behind which a load is an error.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local n, bytes, at = tonumber(arg[1]), {}, {}
for word in arg[2]:gmatch "%S+" do bytes[#bytes + 1] = math.tointeger(word) end
for word in arg[3]:gmatch "%S+" do at[#at + 1] = math.tointeger(word) end
local m = dc.module [=[
#define THREAD int t = blockIdx.x * blockDim.x + threadIdx.x; if (t >= n) return
#define TOGETHER(v) __shfl_sync(0xffffffff, v, threadIdx.x & 31) /* else native code may run lanes one by one */
extern "C" {
__global__ void length(unsigned char *x, const int *at, int *out, int n) {
  THREAD;
  const unsigned char *s = x + at[t], *p = s;
  while (*p) p++;
  out[t] = TOGETHER((int)(p - s));
}
__global__ void sum(unsigned char *x, const int *at, int *out, int n) {
  THREAD;
  int sum = 0;
#pragma unroll 1
  for (const signed char *p = (const signed char *)x + at[t]; *p; p++)
    if (*p != 7) sum = 3 * sum + *p;
  out[t] = TOGETHER(sum);
}
__global__ void others(unsigned char *x, const int *at, int *out, int n) {
  THREAD;
  int sum = 0;
  const unsigned char *end = x + at[t + 1] - 1;
#pragma unroll 1
  for (const unsigned char *p = x + at[t]; p < end; p += 2) sum = 3 * sum + *p;
  out[t] = TOGETHER(sum);
}
/* Behind each ascending run of letters two are changed, and the second may end the run that begins with the first. */
__global__ void again(unsigned char *x, const int *at, int *out, int n) {
  THREAD;
  unsigned char *p = x + at[t];
  int sum = 0;
  while (*p) {
    unsigned last = 0;
    while (*p > last) last = *p++;
    if (*p == 0) break;
    sum = 5 * sum + last;
    if (p[1]) p[1] = 2 + 2 * (last & 1);
    *p = 3;
    if (p[1] == 0) p++;
  }
  out[t] = TOGETHER(sum);
}
__global__ void turns(unsigned char *x, const int *at, int *out, int n) {
  int t = threadIdx.x, sum = 0;
  const unsigned char *p = x + at[t];
#pragma unroll 1
  for (int k = 1; k < 4; k++) {
    for (int i = at[t] + k + t % 3; i < at[t + 1] - 1; i += 5) x[i] = 1 + (31 * i + k) % 255;
    __syncthreads();
    const unsigned char *q = x + at[(t + 1) % n];
    while (*q) sum = 3 * sum + *q++;
    while (*p > 64) p++;
    __syncthreads();
  }
  out[t] = TOGETHER(sum + (int)(p - x));
}
}]=]
for _, name in ipairs { "length", "sum", "others", "again", "turns" } do
  local k, x, out = m:kernel(name), dc.array(bytes, "uint8"), dc.zeros(n, "int32")
  k(name == "turns" and 1 or (n + 95) // 96, name == "turns" and n or 96, x, dc.array(at, "int32"), out, n)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  print(name, table.concat(out:to_table(), " "))
end
bytes[#bytes] = 1
local ok, e = pcall(function()
  m:kernel "length"((n + 95) // 96, 96, dc.array(bytes, "uint8"), dc.array(at, "int32"), dc.zeros(n, "int32"), n)
  dc.synchronize()
end)
print(ok and "right" or tostring(e):match "thread %b()")
]==]

describe("strings", function()
  local n, bytes, at = 32 * math.random(5, 9), {}, {}
  for t = 1, n do
    at[t] = #bytes
    for _ = 1, math.random(0, 3) == 0 and math.random(0, 3) or math.random(0, 40) do
      bytes[#bytes + 1] = math.random(1, 255)
    end
    if t == n then
      while (#bytes + 1) % 4096 ~= 0 do bytes[#bytes + 1] = math.random(1, 255) end
    end
    bytes[#bytes + 1] = 0
  end
  at[n + 1] = #bytes

  local function lengths_and_sums()
    local length, sum, others = {}, {}, {}
    for t = 1, n do
      local s, o = 0, 0
      length[t] = at[t + 1] - at[t] - 1
      for i = at[t] + 1, at[t + 1] - 1 do
        local v = bytes[i] > 127 and bytes[i] - 256 or bytes[i]
        if v ~= 7 then s = 3 * s + v end
      end
      for i = at[t] + 1, at[t + 1] - 1, 2 do o = 3 * o + bytes[i] end
      sum[t], others[t] = s << 32 >> 32, o << 32 >> 32
      for _, list in ipairs { sum, others } do list[t] = list[t] - (list[t] >> 31 << 32) end
    end
    return ("length\t%s\nsum\t%s\nothers\t%s\n"):format(table.concat(length, " "), table.concat(sum, " "),
      table.concat(others, " "))
  end

  it("are as byte by byte", function()
    local first
    for _, how in ipairs(helper.tiers_and_isas) do
      local text = helper.on_cpu(how, script, n, table.concat(bytes, " "), table.concat(at, " "))
      first = first or text
      assert.is_true(text == first, helper.note(how .. ": " .. text:sub(1, 300)))
    end
    local want = lengths_and_sums()
    assert.equal(want, first:sub(1, #want))
    assert.matches(("\nthread %%(%d,0,0%%)\n$"):format((n - 1) % 96), first)
  end)
end)
