-- Files for nvcc that launch no kernel themselves: a class of a header does; what it is given tells which instances
-- of templates there are, also where the rest of the statement is beyond the device's compiler.
local dc = require "dotcompute"
local helper = require "spec.helper"
local sorted = helper.sorted

-- The module of a file that includes the header.
local function module_of(header, text)
  return helper.with_header(header, text, function(path) return dc.module { file = path } end)
end

local launcher = [[
#include <vector>
#include <cuda_runtime.h>
struct launcher {
  dim3 grid, block;
  launcher(dim3 g, dim3 b) : grid{g}, block{b} {}
  template <class K, class... A> void operator()(K kernel, A... a) { kernel<<<grid, block>>>(a...); }
};
]]

describe("a kernel launched by a class of a header", function()
  it("has the instances that functions of the host give it", function()
    local m = module_of(launcher, [[
namespace ns {
template <int N, class T> __global__ void fill(T *x) { x[threadIdx.x] = N + threadIdx.x; }
template <class T> void go(std::vector<T> &v) {
  constexpr int twice = 2 * sizeof(T);
  launcher{dim3(1), dim3(8)}(fill<twice, T>, v.data());
}
void all(std::vector<float> &a, std::vector<short> &b) { go(a); go(b); }
}
]])
    assert.equal("ns::fill<4, short>; ns::fill<8, float>", sorted(m:kernels()))
    local x = dc.zeros(8, "float32")
    m:kernel "ns::fill<8, float>"(1, 8, x)
    assert.same({ 8, 9, 10, 11, 12, 13, 14, 15 }, x:to_table())
  end)

  it("has them where the other arguments do not compile", function()
    local m = module_of(launcher, [[
template <int N> __global__ void put(int *x) { *x = N; }
void go(bool wide, lost *l) {
  auto view = l->nothing();
  if (wide) launcher{dim3(1), dim3(1)}(put<5>, view.of(l), wide ? put<(6 > 5)> : put<7>); else l->wrong(put<9>, view);
}
]])
    assert.equal("put<1>; put<5>; put<7>; put<9>", sorted(m:kernels()))
    local n, x = math.random(3) * 2 + 3, dc.zeros(1, "int32")
    m:kernel(("put<%d>"):format(n))(1, 1, x)
    assert.same({ n }, x:to_table())
  end)

  it("is told of where nothing names an instance", function()
    local ok, e = pcall(module_of, launcher, "template <class T> __global__ void k(T *x) { *x = 1; }\nvoid go() {}\n")
    assert.is_false(ok)
    assert.matches("k, and the instances that it launches cannot be told", e.message, 1, true)
  end)
end)

describe("host code that is left out", function()
  it("leaves the names of types of a class of which all else is the host's", function()
    local m = module_of(launcher .. [[
class partitioner {
 public:
  using index = unsigned short;
 private:
  lost::pool<index> pool_;
  lost::table table() const;
};
]], [[
__global__ void measure(int *x) {
  partitioner::index i = 65536 + threadIdx.x;
  x[threadIdx.x] = i + sizeof i;
}
void go(int *x) { measure<<<1, 4>>>(x); }
]])
    local x = dc.zeros(4, "int32")
    m.measure(1, 4, x)
    assert.same({ 2, 3, 4, 5 }, x:to_table())
  end)

  it("is told from the device's by macros that stand for others", function()
    local m = module_of(launcher .. [[
#define BOTH __host__ __device__
#define BOTH_INLINE BOTH __forceinline__
struct view {
  float *p;
  void print(lost::stream &s) const { s << p; }
  explicit view(lost::map const &m) { m.find(p); }
  BOTH_INLINE view(float *q) : p(q) {}
  template <class I> BOTH_INLINE float operator()(I i) const { return p[i] * 2; }
};
]], [[
__global__ void read(view v, float *y) { y[threadIdx.x] = v(threadIdx.x); }
void go(view v, float *y) { read<<<1, 4>>>(v, y); }
]])
    assert.equal("read", sorted(m:kernels()))
  end)

  it("leaves thrust::device_ptr, a pointer in kernels, too", function()
    local m = module_of("#include <thrust/device_ptr.h>\n#include <thrust/device_vector.h>\n" .. launcher, [[
__host__ __device__ inline thrust::device_ptr<const int> begin_of(const int *p) {
  return thrust::device_ptr<const int>(p);
}
__global__ void sum(const int *x, int n, long *out) {
  auto b = begin_of(x), e = b + n;
  out[0] = e - b;
  for (out[1] = 0; b != e; ++b) out[1] += *b;
}
void go(thrust::device_vector<int> &v, long *out) {
  sum<<<1, 1>>>(thrust::raw_pointer_cast(v.data()), (int)v.size(), out);
}
]])
    local t, total = {}, 0
    for i = 1, 20 do
      t[i] = math.random(-1000, 1000)
      total = total + t[i]
    end
    local out = dc.zeros(2, "int64")
    m.sum(1, 1, dc.array(t, "int32"), 20, out)
    assert.same({ 20, total }, out:to_table())
  end)
end)
