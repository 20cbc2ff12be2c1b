-- The kernels that expressions become on a GPU: the compiler accepts each form of kernel in each dtype. They are not
-- run here (the driver is a stand-in); spec/array/gpu-bits_spec.lua compares values.
local fake = require "spec.fake"
local helper = require "spec.helper"

local script = [==[
  local dtypes, what = {%s}, %q
  local n, failed = 5000, 0
  local work = {
    elements = function(x, y, m)
      (x + y):eval();                               -- packs
      (x[{ { 2, n } }] + y[{ { 2, n } }]):eval();   -- not aligned
      (m + m[1]):eval();                            -- a row for all rows
      (m * m[{ ":", { 1, 1 } }]):eval();            -- a value a row
      m.T:copy();                                   -- across
      local square = m[{ { 1, 64 } }];
      (square + square.T):eval();
      (x[{ { 1, n, 3 } }] * 2):eval();
    end,
    compare = function(x, y)
      x:eq(y):eval();
      dc.where(x:ne(y), x, y):eval();
      x:to "bool":eval();
      x:to "complex128":eval();
    end,
    order = function(x, y, m)
      x:lt(y):eval();
      x:ge(0.5):eval();
      dc.clip(x, 0, 1):eval();
      dc.maximum(x, y):eval();
      x:max():eval();
      m:min(1):eval();
      m:argmax(2):eval();
      x:argmin():eval();
      local e = dc.exp(m - m:max { 2, keep = true });
      (e / e:sum { 2, keep = true }):eval();
      local apart = m[{ ":", { 2, 64 } }];          -- copied to shared memory one by one, not in packs
      e = dc.exp(apart - apart:max { 2, keep = true });
      (e / e:sum { 2, keep = true }):eval();
      e = dc.exp(m - m:max { 1, keep = true });
      (e / e:sum { 1, keep = true }):eval();
    end,
    sums = function(x, _, m)
      x:sum():eval();
      m:sum(1):eval();
      m:prod(2):eval();
      m:any(1):eval();
      x:var():eval();
      m:std(2):eval();
      x:norm():eval();
      (m - m:mean(1)):eval();
      (dc.abs(m - m:mean { 2, keep = true }) - m:std { 2, keep = true }):eval();
      local y = m * m:sum { 2, keep = true };
      (y * y - y:sum { 2, keep = true } * m):eval();
      m:count():eval();
    end,
    random = function(x, _, m)
      local t = x.dtype
      for _, kind in ipairs { "uniform", "normal", "exponential" } do
        dc.random[kind](n):to(t):eval();            -- packs of 2 to 16 numbers
        if t ~= "bool" then
          (dc.random[kind](n) * x):sum():eval();
          (dc.random[kind](70, 64) + m[{ ":", { 1, 1 } }]):eval();
        end;
      end;
      dc.random.integers(n, { high = 9 }):to(t):eval();
      dc.random.uniform(n, { dtype = "float64" }):to(t):eval();
      dc.random.normal(n, { dtype = "float64" }):eval();
      (dc.random.integers(70, 64, { low = 0 }) + dc.random.integers(64, { low = 0 })):sum(2):eval();
      dc.random.uniform(n):lt(0.5):sum():eval();
      dc.random.normal(n):var():eval();
    end,
    long = function(x) -- rows in two levels, rows and columns of clusters of blocks, bodies with few accumulators
      local t = x.dtype
      local m = dc.empty({ 9000, 2200 }, t);
      dc.empty(1 << 25, t):sum():eval();
      m:sum(1):eval();
      if t:find "complex" then return end;
      m:argmax(1):eval();
      local e = dc.exp(m - m:max { 1, keep = true });
      (e / e:sum { 1, keep = true }):eval();
      ((m - m:mean { 1, keep = true }) / m:std { 1, keep = true }):eval();
      local few = dc.empty({ 7, 50257 }, t);
      e = dc.exp(few - few:max { 2, keep = true });
      (e / e:sum { 2, keep = true }):eval();
      ((few - few:mean { 2, keep = true }) / few:std { 2, keep = true }):eval();
      (dc.abs(few - few:min { 2, keep = true })):sum { 2, keep = true }:eval();
      local eight = dc.reduction { inputs = "T x", output = "T", acc = "sums", identity = "sums{}",
        preamble = "struct sums { double v[8]; };", map = "[&] { sums s = {}; s.v[i %% 8] = x; return s; }()",
        reduce = "[&] { sums s = a; for (int k = 0; k < 8; k++) s.v[k] += b.v[k]; return s; }()", post = "a.v[0]" };
      eight(m, 1):eval();
    end,
    running = function(x, y, m) -- a selection's count is that of a kernel that does not run here
      x:cumsum():eval();
      m:cumsum(1):eval();
      local many = dc.empty(1 << 23, x.dtype);
      many:cumsum():eval();
      local function counted(...)
        local ok, err = pcall(...)
        if not ok and err.kind ~= "index" then error(err, 0) end
      end
      counted(x.select, x, x:ne(0));
      counted(x.select, x, y:eq(0):eval());
      counted(x.nonzero, x);
    end,
  }
  for _, t in ipairs(dtypes) do
    local x, y, m = dc.empty(n, t), dc.empty(n, t), dc.empty({ 70, 64 }, t)
    local big = what == "sums" and dc.empty(1 << 19, t)
    local ok, err = pcall(work[what], x, y, m)
    if ok and big then ok, err = pcall(function() big:sum():eval(); big:var():eval() end) end
    if not ok then print(t, err) end
  end
  print("done", dc.device())]==]

local all = { '"bool", "int8", "int16"', '"int32", "int64", "uint8"', '"uint16", "uint32", "uint64"',
  '"float16", "bfloat16"', '"float32", "float64"' }
local complex = '"complex64", "complex128"'

describe("on a GPU the kernels of expressions compile:", function()
  for _, what in ipairs { "elements", "compare", "order", "sums", "long", "random", "running" } do
    it(what, function()
      local lists = { table.unpack(all) }
      if what ~= "order" then lists[#lists + 1] = complex end
      for _, list in ipairs { lists[math.random(#lists)], '"float32"' } do -- the commonest always, some others
        assert.equal("done\tcuda:0\n", (fake.run(script:format(list, what))), helper.note(list))
      end
    end)
  end
end)
