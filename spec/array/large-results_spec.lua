-- On the CPU device results of 16 MB and more are stored past the caches (schedule.c): the same values as in parts.
local dc = require "dotcompute"
local helper = require "spec.helper"

local function integers(n, dtype) return dc.random.integers(n, { low = -1000, high = 1000 }):to(dtype):eval() end

-- Whether all of `whole` is what `part(first, last)` computes of its elements, 2^20 at a time.
local function in_parts(whole, n, part, note)
  for first = 1, n, 1 << 20 do
    local last = math.min(n, first + (1 << 20) - 1)
    local same = whole[{ { first, last } }]:eq(part(first, last)):all()
    assert.is_true(same, helper.note(("%s, elements %d to %d"):format(note, first, last)))
  end
end

describe("results that are larger than caches", function()
  for _, dtype in ipairs { "float32", "int32", "float64", "int64" } do
    it("are sums of their operands, from any element on, in " .. dtype, function()
      local n = (1 << 22) + math.random(0, 100)
      local skip = math.random(0, 40)
      local a, b = integers(n + skip, dtype), integers(n + skip, dtype)
      local function part(from, to)
        local range = { { from + skip, to + skip } }
        return a[range] + b[range]
      end
      local rest = { { skip + 1, skip + n } }
      in_parts(a[rest] + b[rest], n, part, "a new result")
      local target = dc.zeros({ n + skip }, dtype):eval()
      target[rest] = a[rest] + b[rest]
      in_parts(target[rest], n, part, "into a view")
      assert.is_true(skip == 0 or target[{ { 1, skip } }]:eq(0):all())
      local copy = a:copy()
      copy[rest] = copy[rest] + b[rest]
      in_parts(copy[rest], n, part, "over an operand")
    end)
  end

  it("are transposed matrices of any shape", function()
    local rows, columns = math.random(2000, 2100), math.random(2100, 2200)
    for _, dtype in ipairs { "float32", "float64" } do
      local m = integers(rows * columns, dtype):reshape(rows, columns)
      local t, scale = m.T:copy(), integers(rows, dtype)
      local u = (m.T * 2 + scale):eval()
      for _ = 1, 40 do
        local i, j = math.random(rows), math.random(columns)
        assert.is_true(t[j]:eq(m[{ ":", j }]):all())
        assert.is_true(t[{ ":", i }]:eq(m[i]):all())
        assert.is_true(u[j]:eq(m[{ ":", j }] * 2 + scale):all())
      end
      assert.is_true(t.T:eq(m):all())
    end
  end)

  it("are rows that several passes make", function()
    local rows = 1030
    local x = integers(rows * 4100, "float32"):reshape(rows, 4100) / 1000
    local function centred(y) return y - y:max { 2, keep = true } end
    local whole = centred(x):eval()
    for _ = 1, 20 do
      local i = math.random(1, rows - 3)
      local part = { { i, i + 3 } }
      assert.is_true(whole[part]:eq(centred(x[part])):all())
    end
  end)

  it("are those of users' bodies", function()
    local n = (1 << 22) + 17
    local a = integers(n, "float32")
    local both = dc.elementwise("float a", "float twice, float next", "twice = 2 * a; next = a + 1;")
    local twice, next_one = both(a)
    in_parts(twice, n, function(from, to) return a[{ { from, to } }] * 2 end, "the first")
    in_parts(next_one, n, function(from, to) return a[{ { from, to } }] + 1 end, "the second")
  end)
end)

describe("st.global.cs", function()
  local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
template <typename T> __device__ void put(const T *x, T *y, int n, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __stcs(y + from + i, x[i] + (T)1);
}
extern "C" __global__ void store(const float *x, float *y, const double *u, double *v, int n, int from) {
  put(x, y, n, from);
  put(u, v, n, from);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 == 0) __stcs(y + from + i, -1.0f);
}]]
local n <const> = tonumber(arg[1])
local x, u = dc.arange(1, n, "float32"), dc.arange(1, n, "float64")
for from = 0, 17 do
  local y, v = dc.zeros(n + 20, "float32"), dc.zeros(n + 20, "float64")
  k((n + 127) // 128, 128, x, y, u, v, n, from)
  for i, value in ipairs(y:to_table()) do
    local place = i - 1 - from
    local want = (place < 0 or place >= n) and 0 or place % 3 == 0 and -1 or place + 2
    assert(value == want, ("float %d from %d: %g, not %g"):format(i, from, value, want))
  end
  for i, value in ipairs(v:to_table()) do
    local place = i - 1 - from
    local want = (place < 0 or place >= n) and 0 or place + 2
    assert(value == want, ("double %d from %d: %g, not %g"):format(i, from, value, want))
  end
end
print "good"
]==]

  it("stores what st.global stores, at any alignment", function()
    local set <const> = "TIER=1 DOTCOMPUTE_CPU_ISA="
    for _, how in ipairs { "TIER=0", "TIER=1", set .. "avx2", set .. "baseline" } do
      local n = math.random(300, 500)
      assert.equal("good\n", helper.on_cpu(how, script, tostring(n)), helper.note(("%s, n = %d"):format(how, n)))
    end
  end)
end)
