-- Ten kernels written in Lua and in CUDA C, the pairs of examples/jit, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"

local function near(want, got, tolerance)
  assert.equal(#want, #got)
  for k = 1, #want do
    local limit = tolerance * math.max(1, math.abs(want[k]))
    assert(math.abs(want[k] - got[k]) <= limit,
      h.note(("element %d is %.9g, should be %.9g"):format(k, got[k], want[k])))
  end
end

local function flat(a) return a:reshape(a.size):to_table() end

-- Runs both kernels of a pair for each size; `reference(case, size)` gives the values that the result has to have.
local function both(name, sizes, tolerance, reference)
  it(name, function()
    local pair = dofile(("examples/jit/%s.lua"):format(name))
    for _, size in ipairs(sizes) do
      local case = pair.prepare(size)
      local want = reference(case, size, pair)
      for _, language in ipairs { "lua", "cuda" } do
        case.reset()
        case[language]()
        local got = flat(case.result)
        if tolerance then near(want, got, tolerance) else h.same(want, got, name) end
      end
    end
  end)
end

local function n_of(...)
  local list = {}
  for k, n in ipairs { ... } do list[k] = { n = n } end
  return list
end

describe("kernels in Lua and in CUDA C:", function()
  both("saxpy", n_of(1, 255, 256, 1000, math.random(5000)), 1e-6, function(case, size)
    local x, y, want = case.x:to_table(), case.y:to_table(), {}
    for i = 1, size.n do want[i] = case.a * x[i] + y[i] end
    return want
  end)

  both("matmul", { { m = 16, n = 16, p = 16 }, { m = 1, n = 1, p = 1 }, { m = 33, n = 21, p = 50 } }, 1e-5,
    function(case, size)
      local a, b, want = case.a:to_table(), case.b:to_table(), {}
      for i = 1, size.m do
        for j = 1, size.p do
          local sum = 0
          for k = 1, size.n do sum = sum + a[i][k] * b[k][j] end
          want[#want + 1] = sum
        end
      end
      return want
    end)

  both("stencil", { { rows = 1, columns = 1 }, { rows = math.random(40), columns = math.random(300) } }, 1e-6,
    function(case, size)
      local image, want = case.image:to_table(), {}
      local function pixel(i, j)
        return image[math.max(1, math.min(i, size.rows))][math.max(1, math.min(j, size.columns))]
      end
      for i = 1, size.rows do
        for j = 1, size.columns do
          want[#want + 1] = 0.5 * pixel(i, j)
            + 0.125 * (pixel(i - 1, j) + pixel(i + 1, j) + pixel(i, j - 1) + pixel(i, j + 1))
        end
      end
      return want
    end)

  both("reduction", { { n = 1, blocks = 1 }, { n = 4096, blocks = 3 }, { n = math.random(20000), blocks = 40 } }, 1e-5,
    function(case)
      local sum = 0
      for _, v in ipairs(case.x:to_table()) do sum = sum + v end
      return { sum }
    end)

  both("histogram", { { n = 1, blocks = 1 }, { n = math.random(10000), blocks = 5 } }, nil, function(case, _, pair)
    local want = {}
    for k = 1, pair.bins do want[k] = 0 end
    for _, v in ipairs(case.x:to_table()) do want[v % pair.bins + 1] = want[v % pair.bins + 1] + 1 end
    return want
  end)

  both("mandelbrot", { { rows = math.random(5, 40), columns = math.random(5, 60), limit = 60 } }, nil,
    function(_, size)
      local f32, want = h.f32, {}
      for i = 0, size.rows - 1 do
        for j = 0, size.columns - 1 do
          local cr = f32(-2 + f32(f32(3 * j) / size.columns))
          local ci = f32(-1.5 + f32(f32(3 * i) / size.rows))
          local zr, zi, steps = 0.0, 0.0, size.limit
          for k = 1, size.limit do
            zr, zi = f32(f32(f32(zr * zr) - f32(zi * zi)) + cr), f32(f32(f32(2 * zr) * zi) + ci)
            if f32(f32(zr * zr) + f32(zi * zi)) > 4 then
              steps = k
              break
            end
          end
          want[#want + 1] = steps
        end
      end
      return want
    end)

  both("pi", { { n = 200, points = 100 } }, nil, function(_, size, pair)
    local want, sum = {}, 0
    for i = 1, size.n do
      want[i] = pair.count_hits(i, size.points)
      sum = sum + want[i]
    end
    assert(math.abs(4 * sum / (size.n * size.points) - math.pi) < 0.1)
    return want
  end)

  both("nbody", { { n = 1 }, { n = math.random(2, 60) }, { n = 300, softening = 0.25 } }, 1e-3, function(case, size)
    local bodies, want = case.bodies:to_table(), {}
    for i = 1, size.n do
      local sums = { 0, 0, 0 }
      for j = 1, size.n do
        local d, r2 = {}, case.softening -- captured by the kernel, which reads it at each launch
        for axis = 1, 3 do
          d[axis] = bodies[j][axis] - bodies[i][axis]
          r2 = r2 + d[axis] * d[axis]
        end
        for axis = 1, 3 do sums[axis] = sums[axis] + d[axis] * bodies[j][4] / r2 ^ 1.5 end
      end
      table.move(sums, 1, 3, #want + 1, want)
    end
    return want
  end)

  both("bitonic_sort", n_of(1, 2, 1 << math.random(2, 9)), nil, function(case)
    local want = case.x:to_table()
    table.sort(want)
    return want
  end)

  both("prefix_sum", n_of(1, 256, 257, math.random(1000), 70000), nil, function(case)
    local want, sum = {}, 0
    for i, v in ipairs(case.x:to_table()) do
      sum = sum + v
      want[i] = sum
    end
    return want
  end)

  it("a sum of integers of 64 bits by shuffles and an atomic addition", function()
    local function warp_sum(v)
      local step = dc.warp_size() // 2
      while step > 0 do
        v = v + dc.shuffle_down(v, step)
        step = step // 2
      end
      return v
    end
    local sum = dc.jit(function(x, out)
      local total = dc.int64(0)
      local stride = dc.block_size() * dc.grid_size()
      for i = dc.index(), #x, stride do total = total + x[i] end
      total = warp_sum(total)
      local partial = dc.shared("int64", 32)
      local lane, warp = dc.lane_index(), (dc.thread_index() - 1) // dc.warp_size() + 1
      if lane == 1 then partial[warp] = total end
      dc.sync_threads()
      if warp == 1 then
        total = lane <= dc.block_size() // dc.warp_size() and partial[lane] or 0
        total = warp_sum(total)
        if lane == 1 then dc.atomic_add(out, 1, total) end
      end
    end)
    for _, n in ipairs { 1, 33, 4096, math.random(20000) } do
      local x, want = {}, 0
      for i = 1, n do
        x[i] = math.random(-2147483648, 2147483647)
        want = want + x[i]
      end
      local out = dc.zeros(1, "int64")
      sum(3, 128, dc.array(x, "int32"), out)
      assert.equal(want, out[1])
    end
  end)

  it("arrays of several axes in shared and local memory, by names that stand for one or for several", function()
    local A, B, C = math.random(2, 4), math.random(2, 5), math.random(2, 6)
    local function body(x, out, rows)
      local s = dc.shared("int32", A, B, C)
      local left, right = dc.shared("int32", B, C), dc.shared("int32", B, C)
      local t = dc.local_array("int64", C, B)
      for a = 1, A do for b = 1, B do for c = 1, C do s[a][b][c] = x[((a - 1) * B + b - 1) * C + c] end end end
      for b = 1, B do
        for c = 1, C do left[b][c], right[b][c], t[c][b] = s[1][b][c], -s[A][b][c], s[A][b][c] * 3 end
      end
      for r = 1, rows do
        left, right = right, left
        right[r % B + 1][C] = right[r % B + 1][C] + r
      end
      local k = 0
      for b = 1, B do
        for c = 1, C do
          k = k + 1
          out[k] = left[b][c] * 2 + right[b][c] + t[c][b]
        end
      end
    end
    local x, rows, want = {}, math.random(0, 5), {}
    for i = 1, A * B * C do x[i] = math.random(-1000, 1000) end
    local first, left, right = {}, {}, {}
    for b = 1, B do
      left[b], right[b] = {}, {}
      for c = 1, C do
        local at = (b - 1) * C + c
        left[b][c], right[b][c], first[at] = x[at], -x[(A - 1) * B * C + at], 3 * x[(A - 1) * B * C + at]
      end
    end
    for r = 1, rows do
      left, right = right, left
      right[r % B + 1][C] = right[r % B + 1][C] + r
    end
    for b = 1, B do
      for c = 1, C do want[#want + 1] = left[b][c] * 2 + right[b][c] + first[(b - 1) * C + c] end
    end
    for _, check in ipairs { false, true } do
      local out = dc.zeros(B * C, "int64")
      dc.jit(body, { check = check })(1, 1, dc.array(x, "int32"), out, rows)
      assert.same(want, out:to_table())
    end
  end)

  it("a histogram whose number of bins is captured and changes", function()
    local BINS = 64
    local histogram = dc.jit(function(x, bins)
      local counts = dc.shared("int32", BINS)
      local thread = dc.thread_index()
      for k = thread, BINS, dc.block_size() do counts[k] = 0 end
      dc.sync_threads()
      for i = dc.index(), #x, dc.block_size() * dc.grid_size() do
        dc.atomic_add(counts, x[i] % BINS + 1, 1)
      end
      dc.sync_threads()
      for k = thread, BINS, dc.block_size() do
        if counts[k] > 0 then dc.atomic_add(bins, k, counts[k]) end
      end
    end)
    local function check()
      local n = math.random(10000)
      local x, want = {}, {}
      for k = 1, BINS do want[k] = 0 end
      for i = 1, n do
        x[i] = math.random(-1000, 1000)
        want[x[i] % BINS + 1] = want[x[i] % BINS + 1] + 1
      end
      local bins = dc.zeros(BINS, "int32")
      histogram(5, 96, dc.array(x, "int16"), bins)
      h.same(want, bins:to_table(), "histogram")
    end
    check()
    BINS = 10 -- a captured constant that changes compiles the kernel again
    check()
  end)

  it("n-body of float64, with a captured number that changes between launches", function()
    local softening = 0.01
    local forces = dc.jit(function(position, mass, force)
      local i = dc.index()
      local n = #position
      if i > n then return end
      local fx, fy, fz = 0.0, 0.0, 0.0
      for j = 1, n do
        local dx = position[j][1] - position[i][1]
        local dy = position[j][2] - position[i][2]
        local dz = position[j][3] - position[i][3]
        local r2 = dx * dx + dy * dy + dz * dz + softening
        local s = mass[j] / (r2 * math.sqrt(r2))
        fx, fy, fz = fx + dx * s, fy + dy * s, fz + dz * s
      end
      force[i][1], force[i][2], force[i][3] = fx, fy, fz
    end)
    local n = math.random(2, 60)
    local position, mass = {}, {}
    for i = 1, n do position[i], mass[i] = { math.random(), math.random(), math.random() }, math.random() end
    local p, m, f = dc.array(position, "float64"), dc.array(mass, "float64"), dc.zeros({ n, 3 }, "float64")
    for _ = 1, 2 do
      forces:forall(n, p, m, f)
      local want = {}
      for i = 1, n do
        local sums = { 0, 0, 0 }
        for j = 1, n do
          local d, r2 = {}, softening
          for axis = 1, 3 do
            d[axis] = position[j][axis] - position[i][axis]
            r2 = r2 + d[axis] * d[axis]
          end
          for axis = 1, 3 do sums[axis] = sums[axis] + d[axis] * mass[j] / r2 ^ 1.5 end
        end
        table.move(sums, 1, 3, #want + 1, want)
      end
      near(want, f:reshape(n * 3):to_table(), 1e-11)
      softening = 0.25 -- a captured number is read at each launch
    end
  end)
end)
