-- Loads in loops by an index that each iteration makes from the last one's: native code guesses where the next row or
-- the next words are, and reads whole vectors there. Searches in sorted lists of any length, walks forwards with steps
-- that differ and change, and both while the loop stores, in arrays that end with their last list.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local types = { uint8 = "unsigned char", int16 = "short", int32 = "int", int64 = "long long" }
for dtype, c in pairs(types) do
  local m = dc.module((([[
extern "C" __global__ void search(const T *x, const int *row, const int *of, const int *key, int *found, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n || of[t] < 0) return;
  const int first = row[of[t] ];
  int low = 0, high = row[of[t] + 1] - first - 1;
  while (low <= high) {
    const int middle = (low + high) >> 1;
    const T at = x[first + middle];
    if (at == (T)key[t]) { found[t] = first + middle; return; }
    if (at < (T)key[t]) low = middle + 1;
    else high = middle - 1;
  }
}
extern "C" __global__ void list(const T *x, const int *row, const int *key, int *found, int lists) {
  for (int l = blockIdx.x; l < lists; l += gridDim.x) {
    const T *p = x + row[l];
    const int n = row[l + 1] - row[l], k = key[l * blockDim.x + threadIdx.x];
    if (k % 3 == 0) continue;
    int low = 0, high = n;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (p[middle] < (T)k) low = middle + 1;
      else high = middle;
    }
    found[l * blockDim.x + threadIdx.x] = low;
  }
}
extern "C" __global__ void walk(T *x, const int *from, const int *step, long long *sum, int n, int stores) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int s = step[t], k = from[t];
  long long h = 0;
  if (stores) {
    for (; k < n && x[k] % 7 != 0; k += s) {
      h = (h * 3 + x[k]) & 0xffff;
      x[n + t] = (T)h;
    }
  } else {
    for (; k < n && x[k] % 7 != 0; k += s) {
      h = (h * 3 + x[k]) & 0xffff;
      if (h % 11 == 5) s = 1 + (int)h % 4;
    }
  }
  sum[t] = h;
}]]):gsub("T ", c .. " "):gsub("%(T%)", "(" .. c .. ")")))

  for _ = 1, 6 do -- lists one behind another
    local x, row, lists, most = {}, { 0 }, math.random(1, 40), math.random(1, 60) * math.random(1, 2)
    for l = 1, lists do
      local value = math.random(0, 3)
      for _ = 1, math.random(0, most) do
        if value <= 120 then x[#x + 1] = value end
        value = value + math.random(1, 3)
      end
      row[l + 1] = #x
    end
    if #x == 0 then x[1], row[lists + 1] = 5, 1 end
    local n, of, key, want = 3 * 64 - math.random(0, 40), {}, {}, {}
    local together = math.random(2) == 1
    for t = 1, n do
      of[t] = math.random(9) == 1 and -1 or together and 32 * ((t - 1) // 32) % lists or math.random(0, lists - 1)
      key[t], want[t] = math.random(0, 120), -7
      for i = row[of[t] + 1] or 0, of[t] >= 0 and row[of[t] + 2] - 1 or -1 do
        if x[i + 1] == key[t] then want[t] = i end
      end
    end
    local a, rows = dc.array(x, dtype), dc.array(row, "int32")
    local found = dc.full(n, -7, "int32")
    local search = m:kernel "search"
    search(3, 64, a, rows, dc.array(of, "int32"), dc.array(key, "int32"), found, n)
    assert(search.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
    local got = found:to_table()
    for t = 1, n do assert(got[t] == want[t], ("search of %s, thread %d"):format(dtype, t)) end

    local keys, lower = {}, {}
    for i = 1, lists * 32 do
      keys[i], lower[i] = math.random(0, 125), -7
      if keys[i] % 3 ~= 0 then
        local l = (i - 1) // 32 + 1
        lower[i] = row[l + 1] - row[l]
        for j = row[l + 1], row[l] + 1, -1 do
          if x[j] >= keys[i] then lower[i] = j - row[l] - 1 end
        end
      end
    end
    found = dc.full(lists * 32, -7, "int32")
    m:kernel "list"(2, 32, a, rows, dc.array(keys, "int32"), found, lists)
    got = found:to_table()
    for i = 1, #lower do assert(got[i] == lower[i], ("list of %s, element %d"):format(dtype, i)) end
  end

  local bits = ({ uint8 = 8, int16 = 16, int32 = 32, int64 = 64 })[dtype]
  for round = 1, 6 do -- walks; the array's second half is for what they store
    local n, stores = math.random(1, 700), round % 2
    local x, from, step, want, left = {}, {}, {}, {}, {}
    for i = 1, n do x[i] = math.random(9) == 1 and 14 or math.random(1, 100) end
    for t = 1, 64 do x[n + t] = 1 end
    for t = 1, 64 do
      from[t] = math.random(3) == 1 and math.random(0, n) or math.min(n, t + round)
      step[t] = math.random(8) == 1 and math.random(1, 9) or 1
      local k, s, h = from[t], step[t], 0
      left[t] = 1
      while k < n and x[k + 1] % 7 ~= 0 do
        h = h * 3 + x[k + 1] & 0xffff
        if stores == 1 then
          left[t] = h & (1 << bits) - 1
        elseif h % 11 == 5 then
          s = 1 + h % 4
        end
        k = k + s
      end
      want[t] = h
    end
    local a, sum = dc.array(x, dtype), dc.zeros(64, "int64")
    m:kernel "walk"(2, 32, a, dc.array(from, "int32"), dc.array(step, "int32"), sum, n, stores)
    local got, after = sum:to_table(), a:to_table()
    for t = 1, 64 do
      assert(got[t] == want[t], ("walk over %s, thread %d"):format(dtype, t))
      assert(bits == 64 or after[n + t] & (1 << bits) - 1 == left[t], ("store of %s, thread %d"):format(dtype, t))
    end
  end
end
]==]

describe("indices that a loop carries from iteration to iteration", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("load what is there: " .. how, function()
      helper.passes_on_cpu(how, script)
    end)
  end
end)
