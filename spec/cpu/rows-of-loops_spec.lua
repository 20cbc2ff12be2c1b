-- Loops whose lanes access a row in each iteration, a constant number of elements further on: from elements that the
-- lanes of a remainder loop have come to in different numbers of iterations, or that an array names. And loops that
-- only look like these: lanes go on by themselves, start anywhere, leave early or take part in some iterations.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))

-- Of each: the body of a kernel for thread t, with T x[n], int at[threads], int n; and the same for t in Lua, by
-- functions get(i) and put(i, v) of the arrays x and y, which begin at 0; both return a number.
local programs = {
  copy = { "for (int j = t; j < n; j += S) y[j] = x[j] * 3;", function(t, n, S, get, put)
    for j = t, n - 1, S do put(j, get(j) * 3) end
  end },
  sum = { "for (int j = t; j < n; j += S) s += x[j] ^ j;", function(t, n, S, get)
    local s = 0
    for j = t, n - 1, S do s = s + (get(j) ~ j) end
    return s
  end },
  pairs = { "for (int j = t; j < n - 1; j += S) s += x[j] * 5 + x[j + 1];", function(t, n, S, get)
    local s = 0
    for j = t, n - 2, S do s = s + get(j) * 5 + get(j + 1) end
    return s
  end },
  rows = { "for (int r = 0; r < 3; r++) for (int j = t; j < n / 3; j += S) s = s * 3 + x[r * (n / 3) + j];",
    function(t, n, S, get)
      local s = 0
      for r = 0, 2 do for j = t, n // 3 - 1, S do s = s * 3 + get(r * (n // 3) + j) & 0xffffffff end end
      return s
    end },
  started = { "for (int j = at[t]; j < n; j += S) { s = s * 7 + x[j]; y[j] = s; }", function(t, n, S, get, put, at)
    local s = 0
    for j = at[t + 1], n - 1, S do s = s * 7 + get(j) & 0xffffffff; put(j, s) end
    return s
  end, apart = true },
  by_some = { [[const T *p = x + t;
    for (int k = 0; k < 9; k++) {
      s = s * 5 + *p;
      if ((at[t] >> k) & 1) {
        p += S;
        for (int q = 0; q < (at[t] & 7); q++) s = s * 3 + q;
      }
    }]], function(t, _, S, get, _, at)
    local s, p = 0, t
    for k = 0, 8 do
      s = s * 5 + get(p) & 0xffffffff
      if at[t + 1] >> k & 1 == 1 then
        p = p + S
        for q = 0, (at[t + 1] & 7) - 1 do s = s * 3 + q & 0xffffffff end
      end
    end
    return s
  end },
  by_turns = { [[const T *p = x + (t / 32 % 2 ? at[t] % S : t % S);
    #pragma unroll 1
    for (int k = 0; k < 9; k++) {
      s = s * 5 + *p;
      p += S;
      __syncthreads();
    }]], function(t, _, S, get, _, at)
    local s, p = 0, t // 32 % 2 == 1 and at[t + 1] % S or t % S
    for _ = 0, 8 do
      s = s * 5 + get(p) & 0xffffffff
      p = p + S
    end
    return s
  end },
  leave = { "for (int j = t; j < n; j += S) { s += j; if (x[j] % 11 == 3) break; y[j] = s; }",
    function(t, n, S, get, put)
      local s = 0
      for j = t, n - 1, S do
        s = s + j
        if get(j) % 11 == 3 then break end
        put(j, s)
      end
      return s
    end },
  skip = { "for (int j = t; j < n; j += S) { if (x[j] & 1) continue; s += x[j]; y[j] = s; }",
    function(t, n, S, get, put)
      local s = 0
      for j = t, n - 1, S do
        if get(j) & 1 == 0 then s = s + get(j); put(j, s) end
      end
      return s
    end },
  some = { "if (t % 3 == 1 || at[t] % 4 == 2) for (int j = t; j < n; j += S) s = s * 3 + x[j];",
    function(t, n, S, get, _, at)
      local s = 0
      if t % 3 == 1 or at[t + 1] % 4 == 2 then for j = t, n - 1, S do s = s * 3 + get(j) & 0xffffffff end end
      return s
    end },
  down = { "for (int j = n - 1 - t; j >= 0; j -= S) s = s * 3 + x[j];", function(t, n, S, get)
    local s = 0
    for j = n - 1 - t, 0, -S do s = s * 3 + get(j) & 0xffffffff end
    return s
  end },
  own = { "for (int j = t * (n / (int)blockDim.x); j < (t + 1) * (n / (int)blockDim.x); j++) s = s * 3 + x[j];",
    function(t, n, _, get, _, _, threads)
      local s, per = 0, n // threads
      for j = t * per, (t + 1) * per - 1 do s = s * 3 + get(j) & 0xffffffff end
      return s
    end },
  shared = { [[__shared__ int c[1024];
    for (int j = t; j < n / 4; j += blockDim.x) c[j] = x[j] + 1;
    __syncthreads();
    for (int j = t; j < n / 4; j += S) s += c[n / 4 - 1 - j] * (j & 7);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
      for (int j = t; j < n / 4; j += S) y[j] = c[j] + k;
      __syncthreads();
    }]], function(t, n, S, get, put)
    local s = 0
    for j = t, n // 4 - 1, S do
      s = s + (get(n // 4 - 1 - j) + 1) * (j & 7)
      put(j, get(j) + 2)
    end
    return s
  end },
}
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

local types = { { "uint8", "unsigned char", 100 }, { "int16", "short", 9999 }, { "int32", "int", 99999 },
  { "uint32", "unsigned", 99999 }, { "int64", "long long", 99999 } }
for _, name in ipairs(names) do
  local program = programs[name]
  for _ = 1, 3 do
    local dtype, T, most = table.unpack(types[math.random(#types)])
    local threads, S = math.random(1, 150), ({ 32, 64, 96, 128, 256, 33, 16, 1 })[math.random(8)]
    if name ~= "own" and S < threads and math.random(2) == 1 then S = (threads + 31) // 32 * 32 end
    if S < threads then threads = S end -- threads write elements of their own
    local n = math.random(1, 2000)
    if name:find "^by_" then n = threads + 9 * S end
    local x, at, y, want, sums = {}, {}, {}, {}, {}
    for i = 1, n do x[i], want[i] = math.random(0, most), 0 end
    local start = math.random(0, 40)
    for i = 1, threads do
      at[i] = program.apart and (math.random(3) == 1 and start + i + S * math.random(0, 2) or start + i - 1)
        or math.random(0, 511)
    end
    if program.apart then -- each residue once, so that no two threads meet
      local seen = {}
      for i = 1, threads do
        while seen[at[i] % S] do at[i] = at[i] + 1 end
        seen[at[i] % S] = true
      end
    end
    for t = 0, threads - 1 do
      sums[t + 1] = (program[2](t, n, S, function(i) return x[i + 1] end, function(i, v) want[i + 1] = v end, at,
        threads) or 0) & 0xffffffff
    end
    local k = dc.kernel((("typedef TYPE T;\n#define S STEP\n" .. [=[
__global__ void k(const T *x, const int *at, int *y, unsigned *sums, int n) {
  int t = threadIdx.x;
  unsigned s = 0;
  BODY
  sums[t] = s;
}]=]):gsub("TYPE", T):gsub("STEP", S):gsub("BODY", (program[1]:gsub("%%", "%%%%")))))
    local out, result = dc.zeros(n, "int32"), dc.zeros(threads, "uint32")
    k(1, threads, dc.array(x, dtype), dc.array(at, "int32"), out, result, n)
    assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
    local where = ("%s of %s, %d threads, steps of %d, %d elements"):format(name, dtype, threads, S, n)
    for t, v in ipairs(result:to_table()) do
      if v ~= sums[t] then error(("%s: thread %d: %d, not %d"):format(where, t - 1, v, sums[t])) end
    end
    for i, v in ipairs(out:to_table()) do
      if v & 0xffffffff ~= want[i] & 0xffffffff then
        error(("%s: element %d: %d, not %d"):format(where, i - 1, v, want[i]))
      end
    end
  end
end

-- A counter that wraps around, in one lane of a gang after the other.
for _, T in ipairs { "short", "unsigned short", "signed char", "unsigned char" } do
  local size = T:find "char" and 256 or 65536
  local below = T:find "^un" and 0 or size // 2
  local k = dc.kernel((([=[
__global__ void k(const int *x, unsigned *y, int rounds, int start) {
  COUNTER at = threadIdx.x + start;
  unsigned s = 0;
  #pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    s = s * 3 + x[at + BELOW];
    at += 128;
  }
  y[threadIdx.x] = s;
}]=]):gsub("COUNTER", T):gsub("BELOW", below)))
  local x, start, rounds = {}, math.random(1, 40), size // 128 + math.random(20)
  for i = 1, size do x[i] = math.random(0, 9999) end
  local y = dc.zeros(96, "uint32")
  k(1, 96, dc.array(x, "int32"), y, rounds, start)
  for t = 0, 95 do
    local at, s = t + start, 0
    for _ = 1, rounds do
      s = s * 3 + x[(at + below) % size + 1] & 0xffffffff
      at = at + 128
    end
    assert(y[t + 1] == s, ("a counter that is %s, thread %d"):format(T, t))
  end
end
]==]

describe("rows that the lanes of a loop access", function()
  for _, how in ipairs { "TIER=0", "TIER=1" } do
    it("are those of each lane's iteration, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
