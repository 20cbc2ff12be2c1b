-- Ten kernels written in Lua, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"

-- Numbers whose products and small sums float32 holds.
local function floats(n)
  local t = {}
  for k = 1, n do t[k] = math.random(-64, 64) / 8 end
  return t
end

local function near(want, got, tolerance)
  for k = 1, #want do
    local limit = tolerance * math.max(1, math.abs(want[k]))
    assert(math.abs(want[k] - got[k]) <= limit,
      h.note(("element %d is %.9g, should be %.9g"):format(k, got[k], want[k])))
  end
end

describe("kernels in Lua", function()
  it("saxpy", function()
    local saxpy = dc.jit(function(x, y, a)
      local i = dc.index()
      if i <= #x then y[i] = a * x[i] + y[i] end
    end)
    for _, n in ipairs { 1, 255, 256, 1000, math.random(5000) } do
      local x, y, want = floats(n), floats(n), {}
      local a = math.random(-8, 8) / 2
      for i = 1, n do want[i] = a * x[i] + y[i] end -- exact in float32
      local result = dc.array(y)
      saxpy:forall(n, dc.array(x), result, a)
      h.same(want, result:to_table(), "saxpy")
    end
  end)

  it("matmul, tiled in shared memory", function()
    local TILE <const> = 8
    local matmul = dc.jit(function(a, b, c)
      local row, column = dc.index2()
      local tx, ty = dc.thread_index()
      local left, right = dc.shared("float32", TILE, TILE), dc.shared("float32", TILE, TILE)
      local n = a:shape(2)
      local sum = 0.0
      for tile = 0, (n - 1) // TILE do
        local k = tile * TILE
        left[{ ty, tx }] = (row <= #a and k + tx <= n) and a[{ row, k + tx }] or 0.0
        right[{ ty, tx }] = (k + ty <= n and column <= b:shape(2)) and b[{ k + ty, column }] or 0.0
        dc.sync_threads()
        for j = 1, TILE do sum = sum + left[{ ty, j }] * right[{ j, tx }] end
        dc.sync_threads()
      end
      if row <= #a and column <= b:shape(2) then c[{ row, column }] = sum end
    end)
    for _, shape in ipairs { { 8, 8, 8 }, { 1, 1, 1 }, { 17, 9, 30 } } do
      local m, n, p = shape[1], shape[2], shape[3]
      local a, b, want = {}, {}, {}
      for i = 1, m do a[i] = floats(n) end
      for i = 1, n do b[i] = floats(p) end
      for i = 1, m do
        for j = 1, p do
          local sum = 0
          for k = 1, n do sum = sum + a[i][k] * b[k][j] end
          want[#want + 1] = sum
        end
      end
      local c = dc.zeros(m, p)
      matmul({ (p + TILE - 1) // TILE, (m + TILE - 1) // TILE }, { TILE, TILE }, dc.array(a), dc.array(b), c)
      near(want, c:reshape(m * p):to_table(), 1e-5)
    end
  end)

  it("a 2-d stencil", function()
    local function at(image, i, j) -- the edge's value outside
      local rows, columns = image:shape()
      return image[{ math.max(1, math.min(i, rows)), math.max(1, math.min(j, columns)) }]
    end
    local blur = dc.jit(function(image, out)
      local i, j = dc.index2()
      if i > #out or j > out:shape(2) then return end
      out[i][j] = (4 * at(image, i, j) + at(image, i - 1, j) + at(image, i + 1, j) + at(image, i, j - 1)
        + at(image, i, j + 1)) / 8
    end)
    local rows, columns = math.random(1, 40), math.random(1, 70)
    local image, want = {}, {}
    for i = 1, rows do image[i] = floats(columns) end
    local function pixel(i, j)
      return image[math.max(1, math.min(i, rows))][math.max(1, math.min(j, columns))]
    end
    for i = 1, rows do
      for j = 1, columns do
        want[#want + 1] = (4 * pixel(i, j) + pixel(i - 1, j) + pixel(i + 1, j) + pixel(i, j - 1) + pixel(i, j + 1)) / 8
      end
    end
    local out = dc.zeros(rows, columns)
    blur:forall({ rows, columns }, dc.array(image), out)
    h.same(want, out:reshape(rows * columns):to_table(), "blur")
  end)

  it("a reduction by shuffles", function()
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

  it("a histogram, in shared memory and by atomics", function()
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

  it("Mandelbrot", function()
    local function escape(cr, ci, limit)
      local zr, zi = 0.0, 0.0
      for k = 1, limit do
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
        if zr * zr + zi * zi > 4 then return k end
      end
      return 0
    end
    local mandelbrot = dc.jit(function(out, limit)
      local i, j = dc.index2()
      local rows, columns = out:shape()
      if i <= rows and j <= columns then
        out[{ i, j }] = escape(-2 + 3 * (j - 1) / columns, -1.5 + 3 * (i - 1) / rows, limit)
      end
    end, { flags = "--fmad=false" })
    local rows, columns = math.random(5, 40), math.random(5, 60)
    local out, want = dc.zeros({ rows, columns }, "int32"), {}
    mandelbrot:forall({ rows, columns }, out, 60)
    for i = 1, rows do
      for j = 1, columns do
        want[#want + 1] = escape(-2 + 3 * (j - 1) / columns, -1.5 + 3 * (i - 1) / rows, 60) -- the same doubles
      end
    end
    h.same(want, out:reshape(rows * columns):to_table(), "Mandelbrot")
  end)

  it("Monte Carlo pi", function()
    local function next_random(state) -- xorshift64*
      state = state ~ (state >> 12)
      state = state ~ (state << 25)
      state = state ~ (state >> 27)
      return state, ((state * 0x2545F4914F6CDD1D) >> 11) * (1 / 9007199254740992)
    end
    local function count_hits(seed, points)
      local hits = 0
      local state = seed * 0x9E3779B97F4A7C15 | 1
      local x, y
      for _ = 1, points do
        state, x = next_random(state)
        state, y = next_random(state)
        if x * x + y * y <= 1 then hits = hits + 1 end
      end
      return hits
    end
    local throw = dc.jit(function(hits, points)
      local i = dc.index()
      if i <= #hits then hits[i] = count_hits(i, points) end
    end, { flags = "--fmad=false" })
    local n, points = 200, 100
    local hits, want, sum = dc.zeros(n, "int64"), {}, 0
    throw:forall(n, hits, points)
    for i = 1, n do
      want[i] = count_hits(i, points)
      sum = sum + want[i]
    end
    h.same(want, hits:to_table(), "hits")
    assert(math.abs(4 * sum / (n * points) - math.pi) < 0.1)
  end)

  it("n-body", function()
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

  it("bitonic sort", function()
    local pass = dc.jit(function(x, size, distance)
      local i = dc.index() - 1
      local other = i ~ distance
      if other > i and i < #x then
        local up = i & size == 0
        local a, b = x[i + 1], x[other + 1]
        if (a > b) == up then x[i + 1], x[other + 1] = b, a end
      end
    end)
    local n = 1 << math.random(1, 9)
    local t = floats(n)
    local x = dc.array(t)
    local size = 2
    while size <= n do
      local distance = size // 2
      while distance > 0 do
        pass:forall(n, x, size, distance)
        distance = distance // 2
      end
      size = size * 2
    end
    table.sort(t)
    h.same(t, x:to_table(), "sorted")
  end)

  it("a prefix sum in shared memory", function()
    local BLOCK <const> = 64
    local scan = dc.jit(function(x, sums)
      local values = dc.shared("int32", 2, BLOCK)
      local t = dc.thread_index()
      local i = dc.index()
      local from, to = 1, 2
      values[{ from, t }] = i <= #x and x[i] or 0
      dc.sync_threads()
      local distance = 1
      while distance < BLOCK do
        local v = values[{ from, t }]
        if t > distance then v = v + values[{ from, t - distance }] end
        values[{ to, t }] = v
        from, to = to, from
        distance = distance * 2
        dc.sync_threads()
      end
      if i <= #x then sums[i] = values[{ from, t }] end
    end)
    local n = math.random(1, BLOCK)
    local x, want, sum = {}, {}, 0
    for i = 1, n do
      x[i] = math.random(-100, 100)
      sum = sum + x[i]
      want[i] = sum
    end
    local sums = dc.zeros(n, "int32")
    scan(1, BLOCK, dc.array(x, "int32"), sums)
    h.same(want, sums:to_table(), "sums")
  end)
end)
