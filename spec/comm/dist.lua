-- Runs on every rank (spec/comm/dist_spec.lua), or with the word "devices" behind the seed on devices of one process:
-- distributed arrays with random data against arrays of one process and sums in plain Lua. All ranks draw the same data
-- from the seed. Prints "rank R done" at the end.
local dc = require "dotcompute"
local devices = tonumber(arg[2])
local comm = dc.world()
if devices then
  local list = {}
  for k = 1, devices do list[k] = "cpu" end
  comm = dc.comm(list)
end
local rank, size = comm.rank or 0, comm.size
math.randomseed(tonumber(arg[1]))
dc.random.seed(tonumber(arg[1]))
local dist = dc.dist

local function fails(kind, pattern, fn, ...)
  local ok, err = pcall(fn, ...)
  assert(not ok and err.kind == kind and err.message:find(pattern), tostring(err))
end

-- Raises unless the plain array has these elements: equal, or nearly.
local function same(want, got, text, near)
  assert(want.dtype == got.dtype, ("%s: %s, not %s"):format(text, got.dtype, want.dtype))
  assert(table.concat({ want:shape() }, ",") == table.concat({ got:shape() }, ","), text .. ": another shape")
  if near then assert(dc.allclose(got, want, near, near), text .. ": " .. tostring(got) .. tostring(want))
  elseif want.size > 0 then
    local equal = want:eq(got) | (want:ne(want) & got:ne(got))
    assert(equal:all(), text .. ":\n" .. tostring(got) .. "\nnot\n" .. tostring(want))
  end
end

-- Raises unless the distributed array has the elements of `want`, and its blocks the lengths of a block distribution.
local function same_dist(want, d, axis, text, near)
  assert(tostring(d):find "distributed", text)
  assert(d.axis == axis, ("%s: along axis %d, not %d"):format(text, d.axis, axis))
  assert(d.size == want.size and d.ndim == want.ndim and #d == #want, text)
  local k = comm.rank and 1 or math.random(size)
  local first, last = d:bounds(k)
  local n = (select(axis, want:shape()))
  local r = comm.rank or k - 1
  assert(last - first + 1 == n // size + (r < n % size and 1 or 0), text)
  assert(select(axis, d:part(k):shape()) == last - first + 1, text)
  same(want, d:gather(), text, near)
end

local function random_shape(ndim, most)
  local shape = {}
  for a = 1, ndim do shape[a] = math.random(1, most or 9) end
  return shape
end

local floats = { "float32", "float64" }
local all = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint64", "float16", "float32", "float64" }

-- A plain array of small numbers, the same on every rank, and it distributed.
local function pair(shape, dtype, axis)
  local a = dc.random.integers(shape, { low = dtype:find "uint" and 0 or -5, high = 5 }):to(dtype)
  if dtype == "float64" or dtype == "float32" then a = a + dc.random.uniform(shape, { dtype = dtype }) end
  a = a:copy()
  return a, dist.array(a, comm, axis)
end

-- --- constructors, elementwise ------------------------------------------------------------------------------------

for _ = 1, 3 do
  local ndim = math.random(3)
  local shape, axis = random_shape(ndim), math.random(ndim)
  local dtype = all[math.random(#all)]
  local a, d = pair(shape, dtype, axis)
  same_dist(a, d, axis, "array")
  local b, e = pair(shape, dtype, axis)
  same_dist(a + b, d + e, axis, "+")
  same_dist(a * 2 - b, d * 2 - e, axis, "* -")
  same_dist(a * b + a, a * e + d, axis, "an array first")
  same_dist(3 - a, 3 - d, axis, "a number first")
  same_dist(dc.where(a:gt(b), a, b), dc.where(d:gt(e), d, e), axis, "where")
  same_dist(dc.minimum(a, b), dc.minimum(a, e), axis, "minimum of an array and a distributed one")
  same_dist(-a, -d, axis, "unary minus")
  same_dist(a:to "float64", d:to "float64", axis, "to")
  same_dist(a, d:copy():eval(), axis, "copy")
  local row = dc.random.integers({ shape[ndim] }, { low = 0, high = 3 }):to(dtype):copy()
  same_dist(a + row, d + row, axis, "a plain row")
  same_dist(dc.exp(a:to "float64" * 0.1) + 1, dc.exp(d:to "float64" * 0.1) + 1, axis, "a function", 1e-12)
  local kept = d:copy()
  kept:copy_from(e)
  same_dist(b, kept, axis, "copy_from")
  kept:copy_from(row)
  same_dist(a * 0 + row, kept, axis, "copy_from a row")
  same_dist(dc.full(shape, 3, dtype), kept:fill(3), axis, "fill")
  same_dist(dc.zeros(shape, dtype), dist.zeros(shape, { dtype = dtype, comm = comm, axis = axis }), axis, "zeros")
  same_dist(dc.full(shape, 2, dtype), dist.full(shape, 2, dtype, { comm = comm, axis = axis }), axis, "full")
  local to = math.random(ndim)
  same_dist(a, d:redistribute(to), to, "redistribute")
  same_dist(a:transpose(), d:transpose(), ndim + 1 - axis, "transpose")
  local root = math.random(0, size - 1)
  local whole = d:gather(root)
  assert((whole ~= nil) == (rank == root or not comm.rank), "gather to a root")
  if whole then same(a, whole:to(a.device), "gather to a root") end
end

-- --- blocks of other lengths --------------------------------------------------------------------------------------

local lengths, parts, whole = {}, {}, {}
for r = 1, size do lengths[r] = math.random(0, 12) end
for r = 1, size do
  parts[r] = dc.random.uniform({ lengths[r], 3 })
  parts[r] = parts[r]:copy()
  whole[r] = parts[r]
end
local joined = dist.join(comm.rank and parts[rank + 1] or parts, comm)
same_dist(dc.concat(whole), joined, 1, "join")
if comm.rank then
  assert(select(2, dist.bounds(size * 4, comm)) == 4 * rank + 4)
  local mine = dc.full({ 2, 3 }, rank)
  assert(dist.join(mine):part() == mine, "regular blocks are not copied")
end

-- --- reductions ---------------------------------------------------------------------------------------------------

local function reductions(shape, dtype, axis)
  local a, d = pair(shape, dtype, axis)
  local function near(want) return want.dtype == "float16" and 5e-2 or want.dtype == "float32" and 1e-4 or 1e-9 end
  local ndim = #shape
  for name in ("sum min max count mean var std norm argmin argmax any all"):gmatch "%a+" do
    local text = ("%s of %s (%s), axis %d"):format(name, dtype, table.concat(shape, ","), axis)
    local want, got = a[name](a), d[name](d)
    if type(want) == "boolean" then assert(want == got, text) else same(want, got, text, near(want)) end
    for over = 1, ndim do
      local keep = math.random(2) == 1
      want, got = a[name](a, over, { keep = keep }), d[name](d, over, { keep = keep })
      local where = text .. " over " .. over
      if over == axis then same(want, got, where, near(want))
      else same_dist(want, got, (keep or over > axis) and axis or axis - 1, where, near(want)) end
    end
    if ndim == 3 and not name:find "^arg" then
      want = a[name](a, 1, axis == 1 and 3 or axis)
      same(want, d[name](d, 1, axis == 1 and 3 or axis), text, near(want))
    end
  end
end
local ndim = math.random(3)
reductions(random_shape(ndim, 7), all[math.random(#all)], math.random(ndim))
reductions({ 1, 3 }, "float32", 1) -- ranks without elements
local a, d = pair({ 20 * size }, "float64", 1)
local total = 0
for _, v in ipairs(a:to_table()) do total = total + v end
assert(math.abs(d:sum():item() - total) < 1e-9 * (1 + math.abs(total)), "the sum in plain Lua")
assert(math.abs(d:var { ddof = 1 }:item() - a:var { ddof = 1 }:item()) < 1e-9)
assert(math.type(dc.ones(3):count():item()) == math.type(dist.ones(3, { comm = comm }):count():item()))
local holes = dc.ones(4 * size):copy()
holes[3 * size] = 0 / 0
local distributed = dist.array(holes, comm)
for _, name in ipairs { "min", "max", "sum" } do
  local v = distributed[name](distributed):item()
  assert(v ~= v, name .. " keeps NaN")
end
same(holes:argmax(), distributed:argmax(), "argmax of NaN")
local bools = holes:gt(0)
assert(dist.array(bools, comm):all() == bools:all() and dist.array(bools, comm):any() == bools:any())
assert(dc.equal(dist.array(dc.ones(4, 3), comm):any(nil, 2):gather(), dc.ones(4, 3):any(nil, 2)))
local z = dc.array { dc.complex(1, 2), dc.complex(-3, 0.5), dc.complex(0, 1) }
same(z:sum(), dist.array(z, comm):sum(), "sum of complex numbers", 1e-6)
same(z:var(), dist.array(z, comm):var(), "var of complex numbers", 1e-5)
same(z:norm(), dist.array(z, comm):norm(), "norm of complex numbers", 1e-6)

-- --- products -----------------------------------------------------------------------------------------------------

for _, dtype in ipairs(floats) do
  local m, k, n = math.random(1, 20), math.random(1, 20), math.random(1, 20)
  local near = dtype == "float32" and 1e-4 or 1e-10
  local x = dc.random.normal({ m, k }, { dtype = dtype }):copy()
  local y = dc.random.normal({ k, n }, { dtype = dtype }):copy()
  local xs, ys, want = x:to_table(), y:to_table(), {} -- in float64, element by element
  for i = 1, m do
    want[i] = {}
    for j = 1, n do
      want[i][j] = 0
      for l = 1, k do want[i][j] = want[i][j] + xs[i][l] * ys[l][j] end
    end
  end
  want = dc.array(want, dtype)
  for left = 0, 2 do
    for right = 0, 2 do
      if left + right > 0 then
        local p = left > 0 and dist.array(x, comm, left) or x
        local q = right > 0 and dist.array(y, comm, right) or y
        local axis = left == 0 and right == 2 and 2 or 1
        same_dist(want, dist.matmul(p, q), axis, ("matmul %d %d"):format(left, right), near)
      end
    end
  end
  local flags, others = x:gt(0):copy(), y:gt(0):copy()
  same_dist(flags:matmul(others), dist.array(flags, comm, 2):matmul(others), 1, "bool along the inner axis")
  local v = y[{ ":", 1 }]:copy()
  same_dist(x:matmul(v), dist.array(x, comm):matmul(v), 1, "a matrix times a vector", near)
  same_dist(x:matmul(v), dist.array(x, comm, 2):matmul(dist.array(v, comm)), 1, "by a distributed vector", near)
end

-- --- Fourier transforms -------------------------------------------------------------------------------------------

do
  local shape = random_shape(math.random(2, 3), 8)
  local axis = math.random(#shape)
  local x, f = pair(shape, "float64", axis)
  for over = 1, #shape do
    same_dist(dc.fft.fft(x, over), f:fft(over), axis, "fft", 1e-9)
    same_dist(dc.fft.rfft(x, over), f:rfft(over), axis, "rfft", 1e-9)
    same_dist(dc.fft.ifft(x, over, { n = 5 }), f:ifft(over, { n = 5 }), axis, "ifft", 1e-9)
    same_dist(dc.fft.irfft(x, over, { n = 6 }), f:irfft(over, { n = 6 }), axis, "irfft", 1e-9)
    same_dist(dc.fft.rfft(x, over, { norm = "ortho" }), f:rfft(over, { norm = "ortho" }), axis, "ortho", 1e-9)
  end
  same_dist(dc.fft.fftn(x), f:fftn(), axis, "fftn", 1e-9)
  same_dist(dc.fft.ifft2(x), f:ifft2(), axis, "ifft2", 1e-9)
  for _, norm in ipairs { "ortho", "forward" } do
    same_dist(dc.fft.fftn(x, { norm = norm }), f:fftn { norm = norm }, axis, "fftn, " .. norm, 1e-9)
  end
  same_dist(dc.fft.fftn(x, { axes = { axis } }), f:fftn { axes = { axis } }, axis, "fftn of one axis", 1e-9)
end
fails("shape", "one axis", function() dist.ones(8, { comm = comm }):fft() end)

-- --- sorting ------------------------------------------------------------------------------------------------------

for _, n in ipairs { 5, 33 * size, math.random(200, 3000) } do
  for _, dtype in ipairs { "float32", "uint8", math.random(2) == 1 and "int64" or "float64" } do
    for _, kind in ipairs { "random", "few", "one" } do
      local values = {}
      local most = kind == "random" and 255 or kind == "few" and 3 or 0
      for i = 1, n do values[i] = math.random(0, most) end
      if dtype:find "float" and kind ~= "one" then values[math.random(n)], values[math.random(n)] = 0 / 0, math.huge end
      local keys = dc.array(values, dtype)
      local descending = math.random(2) == 1
      same_dist(keys:sort { descending = descending }, dist.array(keys, comm):sort { descending = descending }, 1,
        ("sort of %d %s, %s"):format(n, dtype, kind))
    end
  end
end
for axis = 1, 2 do
  local m, f = pair({ 7, 5 }, "int32", axis)
  for over = 1, 2 do same_dist(m:sort(over), f:sort(over), axis, "sort along an axis") end
end

-- --- margins ------------------------------------------------------------------------------------------------------

for _, periodic in ipairs { false, true } do
  for axis = 1, 2 do
    local shape, width = { 5, 6 }, math.random(0, 2)
    shape[axis] = size * math.random(2, 4) + math.random(0, size - 1)
    local x, f = pair(shape, "float32", axis)
    local n = shape[axis]
    local h = f:halo(width, { periodic = periodic })
    for k = 1, comm.rank and 1 or size do
      local first, last = h:bounds(k)
      local padded = h:padded(k)
      assert(select(axis, padded:shape()) == last - first + 1 + 2 * width)
      for i = first - width, last + width do
        local at = i - first + width + 1
        local got = padded:slice(table.unpack(axis == 1 and { at, ":" } or { ":", at }))
        local want = dc.zeros(shape[3 - axis])
        if periodic or i >= 1 and i <= n then
          local j = (i - 1) % n + 1
          want = x:slice(table.unpack(axis == 1 and { j, ":" } or { ":", j }))
        end
        same(want:copy(), got:copy(), ("margin %d of %s"):format(i, tostring(h)))
      end
    end
    same_dist(x, h, axis, "an array with margins")
    h:copy_from(f * 2)
    h:exchange()
    same_dist(x * 2, h, axis, "an array with margins")
  end
end
fails("shape", "smallest block", function() dist.zeros(2 * size, { comm = comm }):halo(3) end)
fails("argument", "no margins", function() dist.zeros(4, { comm = comm }):exchange() end)

-- --- files --------------------------------------------------------------------------------------------------------

local path = arg[3] .. ".npy"
for _, dtype in ipairs { "float32", math.random(2) == 1 and "bool" or "complex64" } do
  local shape = random_shape(3, 6)
  local x = dc.random.integers(shape, { low = 0, high = 1 }):to(dtype):copy()
  local axis, again = math.random(3), math.random(3)
  dist.array(x, comm, axis):save(path)
  same(x, dc.load(path), "a file written in parts")
  same_dist(x, dist.load(path, { comm = comm, axis = again }), again, "a file read in parts")
  if comm.rank then comm:barrier() end
end
fails("io", "", dist.load, path .. ".missing", { comm = comm })
local bad_path = path .. "." .. rank
for _, case in ipairs {
  { "\2\0" .. ("\0"):rep(math.random(2, 3)), "holds no array" },
  { "\1\0" .. ("<s2"):pack("{'descr': '<f4', 'fortran_order': False, 'shape': (1" .. ("0"):rep(20) .. ", 3), }\n"),
    "has an axis of 10+ elements" },
} do
  local f <close> = io.open(bad_path, "wb")
  f:write("\x93NUMPY", case[1])
  f:close()
  fails("io", case[2], dist.load, bad_path, { comm = comm })
end
os.remove(bad_path)
fails("io", rank == 0 and "cannot be written" or "rank 0 has failed", function()
  dist.ones(4, { comm = comm }):save "/nowhere/x.npy"
end)
fails("argument", "%.npy files", function() dist.ones(4, { comm = comm }):save "x.csv" end)
fails("dtype", "bfloat16", function() dist.ones(4, "bfloat16", { comm = comm }):save(path) end)

-- --- random numbers -----------------------------------------------------------------------------------------------

for _, name in ipairs { "uniform", "normal", "exponential", "integers" } do
  local shape = random_shape(math.random(3))
  local axis, seed, g = math.random(#shape), math.random(1 << 40), dc.random.generator(0)
  for _, dtype in ipairs(name == "integers" and { "uint8" } or { "float32", name == "uniform" and "float64" or nil }) do
    local options = name == "integers" and { low = 1, high = 6, dtype = dtype } or { dtype = dtype }
    g:seed(seed)
    local want = { g[name](g, shape, options):copy(), g[name](g, shape, options):copy() }
    options.comm, options.axis, options.generator = comm, axis, g
    g:seed(seed + rank) -- rank 0's counts
    for i = 1, 2 do same_dist(want[i], dist[name](shape, options), axis, name .. " " .. dtype) end
  end
end
dc.random.seed(rank) -- the default generator, too
same_dist(dc.random.generator(0):uniform(50):copy(), dist.uniform(50, { comm = comm }), 1, "the default generator")

-- --- bad input ----------------------------------------------------------------------------------------------------

local f = dist.ones({ 4, 6 }, { comm = comm })
fails("index", "gather", function() return f[1] end)
fails("index", "has no 'cumsum'.*gather", function() return f.cumsum end)
fails("index", "not set by index", function() f[1] = 2 end)
fails("index", "has no 'median'", function() return dist.median end)
fails("shape", "axis 1.*axis 2.*redistribute", function() return f + dist.ones({ 4, 6 }, { comm = comm, axis = 2 }) end)
fails("shape", "4 and 5 elements", function() return f + dist.ones({ 5, 6 }, { comm = comm }) end)
fails("shape", "4 elements .* with 3", function() return f + dc.ones(3, 6) end)
fails("shape", "", function() return f + dc.ones(7) end)
fails("argument", "takes arrays", function() return f + "x" end)
fails("shape", "without axes", function() dist.array(dc.full({}, 1), comm) end)
fails("index", "axis 3", function() dist.ones(4, 6, { comm = comm, axis = 3 }) end)
fails("argument", "extent 1", function() dist.zeros(-1, { comm = comm }) end)
fails("argument", "extent 2", function() dist.zeros(2, 0 / 0, { comm = comm }) end)
fails("argument", "communicator", function() dist.zeros(2, { comm = 1 }) end)
fails("argument", "axis", function() f:redistribute() end)
fails("argument", "no option", function() f:sum { kep = true } end)
fails("shape", "twice", function() f:sum(1, 1) end)
-- Blocks without elements of an array without elements, which has a minimum along an axis of some.
local none = dc.zeros(0, 3)
local no_blocks = dist.array(none, comm, 2)
for _, name in ipairs { "min", "max", "argmin", "argmax" } do
  same(none[name](none, 2), no_blocks[name](no_blocks, 2), name .. " of shape (0, 3)")
  fails("shape", "%(0, 3%)", function() no_blocks[name](no_blocks, 1) end)
end

fails("shape", "inner extents", function() f:matmul(dc.ones(5, 2)) end)
fails("argument", "dtype", function() f:to "cpu" end)
fails("argument", "generator", function() dist.uniform(4, { comm = comm, generator = 1 }) end)
fails("argument", "an array", function() dist.matmul(f, 2) end)
local closed = f:copy()
closed:close()
closed:close()
fails("argument", "closed", function() return closed + 1 end)
fails("argument", "closed", function() return closed:sum() end)
assert(tostring(closed):find "closed")
if comm.rank and size > 1 then
  fails("shape", "rank 0 has .* rank 1", function() dist.join(dc.zeros(2, rank == 1 and 4 or 3)) end)
  fails("argument", rank == 1 and "an array expected" or "rank 1 refused its block",
    function() dist.join(rank == 1 and 5 or dc.zeros(2)) end)
  fails("dtype", "rank 0 has .* rank 1", function() dist.join(dc.zeros(2, rank == 1 and "int32" or "float32")) end)
  fails("io", rank == 1 and "no .npy file" or "rank 1 has failed", function()
    dist.load(rank == 1 and arg[0] or path)
  end)
  local other = comm:split(0)
  fails("argument", "different communicators", function() return f + dist.ones({ 4, 6 }, { comm = other }) end)
  local g <close> = dist.ones(4, { comm = other })
  other:close()
  fails("argument", "communicator is closed", function() g:sum() end)
  fails("argument", "communicator is closed", function() dist.ones(4, { comm = other }) end)
end
if comm.rank then comm:barrier() end
io.stdout:write(("rank %d done\n"):format(rank))
