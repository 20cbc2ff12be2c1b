-- Thrust's algorithms, called by kernels of files for nvcc.
local dc = require "dotcompute"
local helper = require "spec.helper"

local m = helper.with_file([[
#include <thrust/sort.h>
#include <thrust/scan.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
struct odd { __host__ __device__ bool operator()(int v) const { return v % 2 != 0; } };
__global__ void order(int *keys, int *values, float *down, int n) {
  thrust::stable_sort_by_key(thrust::seq, keys, keys + n, values);
  thrust::sort(thrust::device, down, down + n, [] (float a, float b) { return a > b; });
}
__global__ void fold(const int *x, long *out, int n) {
  *out++ = thrust::reduce(thrust::seq, x, x + n, 0L);
  *out++ = thrust::reduce(thrust::seq, x, x + n, x[0], [] (int a, int b) { return a > b ? a : b; });
  *out++ = thrust::count_if(thrust::device, x, x + n, odd());
  *out++ = thrust::count(thrust::seq, x, x + n, x[n - 1]);
  *out++ = thrust::max_element(thrust::seq, x, x + n) - x;
  *out++ = thrust::min_element(thrust::seq, x, x + n) - x;
  *out++ = thrust::find(thrust::seq, x, x + n, x[n / 2]) - x;
  *out++ = thrust::inner_product(thrust::seq, x, x + n, x, 1L);
  *out++ = thrust::all_of(thrust::seq, x, x + n, odd()) + 2 * thrust::any_of(thrust::seq, x, x + n, odd());
}
__global__ void search(const int *x, const int *v, int *out, int n) {
  const int i = threadIdx.x;
  out[3 * i] = thrust::lower_bound(thrust::seq, x, x + n, v[i]) - x;
  out[3 * i + 1] = thrust::upper_bound(thrust::seq, x, x + n, v[i]) - x;
  out[3 * i + 2] = thrust::binary_search(thrust::seq, x, x + n, v[i]);
}
__global__ void pass(int *x, int *sums, int *before, int *odds, int *once, int *counts, int n) {
  thrust::inclusive_scan(thrust::seq, x, x + n, sums);
  thrust::copy(thrust::seq, x, x + n, before);
  thrust::exclusive_scan(thrust::seq, before, before + n, before, 5);
  counts[0] = thrust::copy_if(thrust::seq, x, x + n, odds, odd()) - odds;
  thrust::copy(thrust::seq, x, x + n, once);
  counts[1] = thrust::unique(thrust::seq, once, once + n) - once;
  thrust::transform(thrust::seq, x, x + n, x, [] (int v) { return -v; });
}
__global__ void turn(int *x, int n) {
  for (int i = threadIdx.x; i < n / 2; i += blockDim.x) thrust::swap(x[i], x[n - 1 - i]);
}
int main() {
  thrust::device_vector<int> v(10);
  thrust::sort(v.begin(), v.end());
  order<<<1, 1>>>(nullptr, nullptr, nullptr, 0);
}
]], dc.module_file)

local function numbers(n, below)
  local t = {}
  for i = 1, n do t[i] = math.random(0, below) end
  return t
end

describe("kernels that call Thrust's algorithms", function()
  it("sort, also by keys and stably", function()
    for _, n in ipairs { 1, 2, 7, 8, 9, math.random(100, 700) } do
      local keys, down, values = numbers(n, 50), numbers(n, 9999), {}
      for i = 1, n do values[i] = i end
      local k, v, d = dc.array(keys, "int32"), dc.array(values, "int32"), dc.array(down, "float32")
      m.order(1, 1, k, v, d, n)
      table.sort(values, function(a, b) return keys[a] < keys[b] or keys[a] == keys[b] and a < b end)
      table.sort(down, function(a, b) return a > b end)
      helper.same(values, v:to_table())
      helper.same(down, d:to_table())
      for i, at in ipairs(values) do values[i] = keys[at] end
      helper.same(values, k:to_table())
    end
  end)

  it("swap", function()
    local x, turned = numbers(math.random(1, 300), 1000), {}
    for i = 1, #x do turned[i] = x[#x + 1 - i] end
    local a = dc.array(x, "int32")
    m.turn(1, 32, a, #x)
    helper.same(turned, a:to_table())
  end)

  it("reduce, count and find", function()
    local n = math.random(5, 300)
    local x, out = numbers(n, 90), dc.zeros(9, "int64")
    m.fold(1, 1, dc.array(x, "int32"), out, n)
    local sum, product, odds, same, most, least, where = 0, 1, 0, 0, 1, 1, nil
    for i, v in ipairs(x) do
      sum, product, odds = sum + v, product + v * v, odds + v % 2
      same = same + (v == x[n] and 1 or 0)
      if v > x[most] then most = i end
      if v < x[least] then least = i end
      if v == x[n // 2 + 1] then where = where or i end
    end
    helper.same({ sum, x[most], odds, same, most - 1, least - 1, where - 1, product,
      (odds == n and 1 or 0) + (odds > 0 and 2 or 0) }, out:to_table())
  end)

  it("search what is sorted", function()
    local n, wanted, expected = math.random(0, 40), numbers(20, 32), {}
    local x = numbers(n, 30)
    table.sort(x)
    for _, v in ipairs(wanted) do
      local below, upto = 0, 0
      for _, w in ipairs(x) do below, upto = below + (w < v and 1 or 0), upto + (w <= v and 1 or 0) end
      table.move({ below, upto, upto > below and 1 or 0 }, 1, 3, #expected + 1, expected)
    end
    local out = dc.zeros(60, "int32")
    m.search(1, 20, dc.array(n > 0 and x or { 0 }, "int32"), dc.array(wanted, "int32"), out, n)
    helper.same(expected, out:to_table())
  end)

  it("scan, copy and transform, in place too", function()
    local n = math.random(1, 99)
    local x = numbers(n, 3)
    local a = {}
    for i = 1, 5 do a[i] = dc.zeros(n, "int32") end
    a[1]:copy_from(dc.array(x, "int32"))
    local counts = dc.zeros(2, "int32")
    m.pass(1, 1, a[1], a[2], a[3], a[4], a[5], counts, n)
    local sum, sums, before, odds, once, negative = 0, {}, {}, {}, {}, {}
    for i, v in ipairs(x) do
      before[i], sum = sum + 5, sum + v
      sums[i], negative[i] = sum, -v
      if v % 2 == 1 then odds[#odds + 1] = v end
      if v ~= x[i - 1] then once[#once + 1] = v end
    end
    helper.same(negative, a[1]:to_table())
    helper.same(sums, a[2]:to_table())
    helper.same(before, a[3]:to_table())
    helper.same({ #odds, #once }, counts:to_table())
    for i, v in ipairs(odds) do assert.equal(v, a[4][i]) end
    for i, v in ipairs(once) do assert.equal(v, a[5][i]) end
  end)
end)
