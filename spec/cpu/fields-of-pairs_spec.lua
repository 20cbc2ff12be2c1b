-- Fields of structs of two words and halves of words, read and written by lanes at indices that are consecutive, at
-- constant distances, or anywhere; of lanes with one place the last one's value stays.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local m = dc.module [[
struct Pair { int key; unsigned value; };
__global__ void by_list(const int *in_words, int *out_words, const int *from, const int *to, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  const Pair *in = (const Pair *)in_words;
  Pair *out = (Pair *)out_words;
  const int f = t < n ? from[t] : -1, o = t < n ? to[t] : 0;
  if (f >= 0) {
    out[o].value = in[f].key;
    if (f % 3) out[o].key = in[f].value;
  }
}
__global__ void exchanged(int *words, int d, long long *sums) {
  __shared__ Pair own[256];
  __shared__ long long wide[384];
  int t = threadIdx.x, low = 2 * t - (t & (d - 1));
  Pair *mine = (Pair *)words + blockIdx.x * 256;
  own[t] = mine[t], own[t + 128] = mine[t + 128];
  wide[3 * t] = t, wide[3 * t + 1] = own[t].key, wide[3 * t + 2] = own[t].value;
  __syncthreads();
  if (own[low].key > own[low + d].key) {
    Pair p = own[low];
    own[low] = own[low + d], own[low + d] = p;
  }
  if (t < 64) wide[6 * t] += wide[6 * t + 5];
  __syncthreads();
  if (t < 64) wide[low] -= 5;
  __syncthreads();
  mine[t] = own[t], mine[t + 128] = own[t + 128];
  for (int i = t; i < 384; i += 128) sums[blockIdx.x * 384 + i] = wide[i];
}
__global__ void in_order(short *x, const unsigned short *y, int first, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + first;
  if (i + 1 >= n) return;
  const int a = x[i] + y[i], b = x[i + 1] - y[i + 1];
  if (a <= b) return;
  x[i] = b, x[i + 1] = a;
}
__global__ void walked(const int *words, const int *from, int *sums, int n) { // those with odd keys have no value
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const Pair *p = (const Pair *)words;
  int sum = 0;
  for (int k = 0, i = from[t]; k < 20 && i >= 0; k++) {
    int key = p[i].key;
    if (key & 1) {
      sum += key;
      i = from[(t + k) % n];
      continue;
    }
    sum = 3 * sum + p[i].value;
    if (sum & 4) sums[t] = sum;
    i = from[key / 2 % n] ^ (sum & 1);
  }
  sums[t] ^= sum;
}]]
local function list(i) return load("return " .. arg[i])() end
local data, from, to, d = list(1), list(2), list(3), tonumber(arg[4])
local x, out = dc.array(data, "int32"), dc.zeros(#data, "int32")
m.by_list((#from + 63) // 64, 64, x, out, dc.array(from, "int32"), dc.array(to, "int32"), #from)
assert(m.by_list.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
local sums = dc.zeros(384 * #data // 512, "int64")
m.exchanged(#data // 512, 128, x, d, sums)
local n <const> = tonumber(arg[5])
local bytes = x:to "int16"
m.in_order((n + 63) // 64, 32, bytes, out:to "uint16", n & 1, n)
io.write(table.concat(bytes:to_table(), " "), " ")
local walks = dc.zeros(#from, "int32")
local ends = dc.array(list(6), "int32") -- elements that are aligned, or not: the last one has a key alone
for first = 1, 2 do
  m.walked((#from + 31) // 32, 32, ends:slice { first, ends.size }, dc.array(from, "int32"), walks, #from)
end
io.write(table.concat(walks:to_table(), " "), " ")
print(table.concat(out:to_table(), " "), table.concat(x:to_table(), " "), table.concat(sums:to_table(), " "))
]==]

-- What threads sum up that walk from element to element.
local function walk(words, first, from, sums)
  for t = 0, #from - 1 do
    local sum, i, k = 0, from[t + 1], 0
    while k < 20 and i >= 0 do
      local key, value = words[first + 2 * i], words[first + 2 * i + 1]
      if key & 1 ~= 0 then
        sum, i = sum + key, from[(t + k) % #from + 1]
      else
        sum = (3 * sum + value + 0x80000000 & 0xffffffff) - 0x80000000
        if sum & 4 ~= 0 then sums[t + 1] = sum end
        i = from[key // 2 % #from + 1] ~ (sum & 1)
      end
      k = k + 1
    end
    sums[t + 1] = sums[t + 1] ~ sum
  end
end

local function expected(data, from, to, d, n, ends)
  local out, x, sums = {}, table.move(data, 1, #data, 1, {}), {}
  for i = 1, #data do out[i] = 0 end
  for t = 1, #from do
    local f, o = from[t], to[t]
    if f >= 0 then
      out[2 * o + 2] = data[2 * f + 1]
      if f % 3 ~= 0 then out[2 * o + 1] = data[2 * f + 2] end
    end
  end
  for b = 0, #data // 512 - 1 do
    local function word(i, field) return 512 * b + 2 * i + field end
    local wide = {}
    for t = 0, 127 do
      wide[3 * t], wide[3 * t + 1], wide[3 * t + 2] = t, x[word(t, 1)], x[word(t, 2)] & 0xffffffff
    end
    for t = 0, 127 do
      local low = 2 * t - (t & (d - 1))
      if x[word(low, 1)] > x[word(low + d, 1)] then
        for field = 1, 2 do
          local i, j = word(low, field), word(low + d, field)
          x[i], x[j] = x[j], x[i]
        end
      end
    end
    for t = 0, 63 do wide[6 * t] = wide[6 * t] + wide[6 * t + 5] end
    for t = 0, 63 do wide[2 * t - (t & (d - 1))] = wide[2 * t - (t & (d - 1))] - 5 end
    for i = 0, 383 do sums[384 * b + i + 1] = wide[i] end
  end
  local shorts = {}
  for i = 1, #x do shorts[i] = x[i] end
  for i = n & 1, n - 2, 2 do
    local a, b = shorts[i + 1] + (out[i + 1] & 0xffff), shorts[i + 2] - (out[i + 2] & 0xffff)
    if a > b then
      for j, v in pairs { b, a } do shorts[i + j] = ((v + 0x8000) & 0xffff) - 0x8000 end
    end
  end
  local walks = {}
  for t = 1, #from do walks[t] = 0 end
  for first = 1, 2 do walk(ends, first, from, walks) end
  return ("%s %s %s\t%s\t%s\n"):format(table.concat(shorts, " "), table.concat(walks, " "), table.concat(out, " "),
    table.concat(x, " "), table.concat(sums, " "))
end

describe("fields of structs of two words", function()
  it("are those of each lane's element", function()
    local data, from, to = {}, {}, {}
    for i = 1, 1024 do data[i] = math.random(-1000, 1000) end
    for i = 1, 300 do
      local row, lane = (i - 1) // 32, (i - 1) % 32
      local first = 48 * row -- where the row's lanes write; each row is another warp's
      if row % 3 == 0 then from[i], to[i] = 32 * row + lane, first + lane
      elseif row % 3 == 1 then from[i], to[i] = math.random(-200, 511), first + math.random(0, 47)
      else from[i], to[i] = 2 * lane + row, first + 47 - lane end
    end
    local d, n = 1 << math.random(0, 6), math.random(900, 1024)
    local ends = {}
    for i = 1, 1024 do ends[i] = math.random(0, 1000) end
    ends[1024] = ends[1024] | 1
    local want = expected(data, from, to, d, n, ends)
    local function text(list) return "{" .. table.concat(list, ",") .. "}" end
    for _, how in ipairs(helper.tiers_and_isas) do
      local got = helper.on_cpu(how, script, text(data), text(from), text(to), d, n, text(ends))
      assert.equal(want, got, helper.note(how))
    end
  end)
end)
