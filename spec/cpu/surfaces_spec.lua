-- Surfaces on the CPU device: reads, writes and reductions of every kind and size of texel, inside and outside.
local dc = require "dotcompute"
local helper = require "spec.helper"

local function on_cpu(fn)
  return function() return dc.using("cpu", fn) end
end

local kinds = { [0] = "1d", "2d", "3d", "1d layered", "2d layered", "cube", "cube layered" }
local formats = {
  { "uint8", 1, "unsigned char" }, { "uint8", 2, "uchar2" }, { "uint8", 4, "uchar4" }, { "int16", 1, "short" },
  { "uint16", 2, "ushort2" }, { "int16", 4, "short4" }, { "float32", 1, "float" }, { "int32", 2, "int2" },
  { "uint32", 4, "uint4" },
}

-- Thread i reads or writes the texel of coordinates c[4 i ..]: x, y, z and layer, with boundary mode `mode`.
local source = [[
template <class T> __device__ void get(cudaSurfaceObject_t s, int kind, int x, int y, int z, int l,
                                       cudaSurfaceBoundaryMode mode, T *v) {
  switch (kind) {
    case 0: surf1Dread(v, s, x, mode); return;
    case 1: surf2Dread(v, s, x, y, mode); return;
    case 2: surf3Dread(v, s, x, y, z, mode); return;
    case 3: surf1DLayeredread(v, s, x, l, mode); return;
    case 4: surf2DLayeredread(v, s, x, y, l, mode); return;
    case 5: surfCubemapread(v, s, x, y, l, mode); return;
    default: surfCubemapLayeredread(v, s, x, y, l, mode);
  }
}
template <class T> __device__ void set(cudaSurfaceObject_t s, int kind, int x, int y, int z, int l,
                                       cudaSurfaceBoundaryMode mode, T v) {
  switch (kind) {
    case 0: surf1Dwrite(v, s, x, mode); return;
    case 1: surf2Dwrite(v, s, x, y, mode); return;
    case 2: surf3Dwrite(v, s, x, y, z, mode); return;
    case 3: surf1DLayeredwrite(v, s, x, l, mode); return;
    case 4: surf2DLayeredwrite(v, s, x, y, l, mode); return;
    case 5: surfCubemapwrite(v, s, x, y, l, mode); return;
    default: surfCubemapLayeredwrite(v, s, x, y, l, mode);
  }
}
extern "C" __global__ void access(cudaSurfaceObject_t s, int kind, const int *c, int mode, TYPE *v, int n, int write) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = c[4 * i] * (int)sizeof(TYPE), y = c[4 * i + 1], z = c[4 * i + 2], l = c[4 * i + 3];
  if (write) set(s, kind, x, y, z, l, (cudaSurfaceBoundaryMode)mode, v[i]);
  else get(s, kind, x, y, z, l, (cudaSurfaceBoundaryMode)mode, v + i);
}
]]
local modes = { trap = 2, clamp = 1, zero = 0 }

-- Values of the texel by its number, which starts anew.
local function values_of(n, dtype)
  local list = {}
  for k = 1, n do list[k] = dtype == "float32" and math.random(-4096, 4096) / 64 or helper.value(dtype) end
  return list
end

-- A random surface of the kind, with its extents and values.
local function random_surface(kind, format)
  local layered, cube = kind:find "layered" ~= nil, kind:find "cube" ~= nil
  local s = { w = math.random(1, 9), h = 1, d = 1, layers = 1, values = {} }
  if kind:find "2d" or kind:find "3d" then s.h = math.random(1, 9) end
  if kind:find "3d" then s.d = math.random(1, 4) end
  if cube then s.h, s.layers = s.w, layered and 6 * math.random(1, 2) or 6 end
  if layered and not cube then s.layers = math.random(1, 4) end
  local shape = kind == "1d" and { s.w } or kind == "2d" and { s.h, s.w } or kind == "3d" and { s.d, s.h, s.w }
    or kind == "1d layered" and { s.layers, s.w } or kind == "2d layered" and { s.layers, s.h, s.w }
    or kind == "cube" and { 6, s.h, s.w } or { s.layers // 6, 6, s.h, s.w }
  if format[2] > 1 then shape[#shape + 1] = format[2] end
  s.values = values_of(s.layers * s.d * s.h * s.w * format[2], format[1])
  s.object = dc.surface(dc.array(s.values, format[1]):reshape(table.unpack(shape)),
    { channels = format[2], layered = layered, cube = cube })
  return s
end

-- The number of the texel that an access means, nil: none.
local function place(s, c, mode)
  local sizes, at = { s.w, s.h, s.d, s.layers }, {}
  for k = 1, 4 do
    if c[k] < 0 or c[k] >= sizes[k] then
      if mode ~= "clamp" then return nil end
    end
    at[k] = math.max(0, math.min(sizes[k] - 1, c[k]))
  end
  return ((at[4] * s.d + at[3]) * s.h + at[2]) * s.w + at[1]
end

local function random_place(s, kind, mode)
  local out = mode == "trap" and 0 or 2
  local function upto(n) return math.random(-out, n - 1 + out) end
  local flat = kind:find "1d"
  return { upto(s.w), flat and 0 or upto(s.h), kind == "3d" and upto(s.d) or 0, s.layers > 1 and upto(s.layers) or 0 }
end

describe("surfaces on the CPU device", function()
  -- Lanes that read texels side by side, all of a warp and some of it, of a texture and of a surface.
  for _, format in ipairs { { "uint8", "unsigned char" }, { "uint16", "unsigned short" }, { "float32", "float" } } do
    it(("of rows of %s are read and written"):format(format[1]), on_cpu(function()
      local text = ([[
extern "C" __global__ void rows(cudaTextureObject_t t, cudaSurfaceObject_t s, int shift, int n) {
  const int x = threadIdx.x, y = threadIdx.y;
  TYPE v;
  surf2Dread(&v, s, x * (int)sizeof(TYPE), y);
  v = tex2D<TYPE>(t, x + shift, y) + (TYPE)2 * v;
  if (x < n) surf2Dwrite(v, s, x * (int)sizeof(TYPE), y);
}
]]):gsub("TYPE", format[2])
      local rows = dc.kernel(text)
      for _ = 1, 4 do
        local w, h, shift = 64, 4, math.random(-3, 3)
        local n, before, others, want = math.random(1, w), {}, {}, {}
        for i = 1, w * h do before[i], others[i] = math.random(0, 60), math.random(0, 60) end
        for y = 0, h - 1 do
          for x = 0, w - 1 do
            local i, at = y * w + x + 1, math.max(0, math.min(w - 1, x + shift))
            want[i] = x < n and others[y * w + at + 1] + 2 * before[i] or before[i]
          end
        end
        local s = dc.surface(dc.array(before, format[1]):reshape(h, w))
        rows(1, { w, h }, dc.texture(dc.array(others, format[1]):reshape(h, w), { address = "clamp" }), s, shift, n)
        assert.same(want, s:array():reshape(w * h):to_table(), helper.note())
      end
    end))
  end

  for _, format in ipairs(formats) do
    it(("of %d %s are read and written"):format(format[2], format[1]), on_cpu(function()
      local access = dc.kernel((source:gsub("TYPE", format[3])))
      local channels = format[2]
      for number = 0, 6 do
        for mode, code in pairs(modes) do
          local kind = kinds[number]
          local s, n = random_surface(kind, format), math.random(1, 70)
          local c, places, flat, used = {}, {}, {}, {}
          for i = 1, n do
            local at
            repeat -- nothing is written twice
              at = random_place(s, kind, mode)
              places[i] = place(s, at, mode)
            until places[i] == nil or not used[places[i]] or #c >= 4 * s.w
            if places[i] and used[places[i]] then n = i - 1 break end
            if places[i] then used[places[i]] = true end
            table.move(at, 1, 4, #c + 1, c)
          end
          if n > 0 then
            table.move(values_of(n * channels, format[1]), 1, n * channels, 1, flat)
            local written, got = dc.array(flat, format[1]), dc.zeros(n * channels, format[1])
            access(n // 32 + 1, 32, s.object, number, dc.array(c, "int32"), code, got, n, 0)
            access(n // 32 + 1, 32, s.object, number, dc.array(c, "int32"), code, written, n, 1)
            got = got:to_table()
            for i = 1, n do
              for e = 1, channels do
                local want = places[i] and s.values[places[i] * channels + e] or 0
                assert.equal(want, got[(i - 1) * channels + e], helper.note(kind .. " read, " .. mode))
                if places[i] then s.values[places[i] * channels + e] = flat[(i - 1) * channels + e] end
              end
            end
            local now = s.object:array():reshape(#s.values):to_table()
            assert.same(s.values, now, helper.note(kind .. " written, " .. mode))
          end
        end
      end
    end))
  end

  it("are reduced to by many threads at once", on_cpu(function()
    local k = dc.kernel [[
#define REDUCE(op, type, y, x) \
  asm volatile("sured.b." op ".2d." type ".trap [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "r"(v[i]) : "memory")
__global__ void reduce(cudaSurfaceObject_t s, const int *v, int w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = i % w * 4;
  REDUCE("add", "u32", 0, x);
  REDUCE("min", "s32", 1, x);
  REDUCE("max", "u32", 2, x);
  REDUCE("and", "b32", 3, x);
  REDUCE("or", "b32", 4, x);
  asm volatile("sured.p.max.2d.b32.trap [%0, {%1, %2}], %3;" :: "l"(s), "r"(i % w), "r"(5), "r"(v[i]) : "memory");
}]]
    local w, n = math.random(1, 20), 5000
    local v, start, want = helper.values(n, "int32"), helper.values(6 * w, "int32"), {}
    for x = 0, w - 1 do
      local function at(y) return y * w + x + 1 end
      local sum, least, top, all, any, most = start[at(0)], start[at(1)], start[at(2)] & 0xffffffff, start[at(3)],
        start[at(4)], start[at(5)]
      for i = x + 1, n, w do
        sum, least, top = sum + v[i], math.min(least, v[i]), math.max(top, v[i] & 0xffffffff)
        all, any, most = all & v[i], any | v[i], math.max(most, v[i])
      end
      for y, r in ipairs { sum, least, top, all, any, most } do
        want[at(y - 1)] = string.unpack("i4", string.pack("I4", r & 0xffffffff))
      end
    end
    local s = dc.surface(dc.array(start, "int32"):reshape(6, w))
    k(n // 128 + 1, 128, s, dc.array(v, "int32"), w, n)
    assert.same(want, s:array():reshape(6 * w):to_table(), helper.note())
  end))

  it("convert what sust.p writes to their texels", on_cpu(function()
    local k = dc.kernel [[
__global__ void put(cudaSurfaceObject_t s, const int *v) {
  const int x = threadIdx.x;
  asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%2, %3, %2, %3};" :: "l"(s), "r"(x), "r"(v[2 * x]), "r"(v[2 * x + 1])
               : "memory");
}]]
    local n = 40
    for _, dtype in ipairs { "int8", "uint16", "int32", "float16", "float32" } do
      local v, want = {}, {}
      for e = 1, 2 * n do
        if dtype:find "float" then
          local x = math.random(-2048, 2048) / 32
          v[e], want[e] = string.unpack("i4", string.pack("f", x)), x
        else
          v[e] = math.random(-70000, 70000)
          local limits = helper.integers[dtype]
          want[e] = dtype == "uint16" and math.min(v[e] & 0xffffffff, 65535)
            or math.max(limits[1], math.min(limits[2], v[e]))
        end
      end
      local s = dc.surface(dc.zeros({ n, 2 }, dtype), { channels = 2 })
      k(1, n, s, dc.array(v, "int32"))
      assert.same(want, s:array():reshape(2 * n):to_table(), helper.note(dtype))
    end
  end))

  it("end the launch where .trap meets their edge, naming coordinates and extents", on_cpu(function()
    local line = debug.getinfo(1, "l").currentline + 4
    local k = dc.kernel [[
__global__ void edge(cudaSurfaceObject_t s, int bad, int x, int y) {
  if (threadIdx.x == bad) {
    surf2Dwrite(1.0f, s, x, y);
  }
}]]
    local w, h = math.random(1, 9), math.random(1, 9)
    local s = dc.surface(dc.zeros(h, w))
    local function fails(x, y, ...)
      local bad = math.random(0, 63)
      local ok, err = pcall(function() k(1, 64, s, bad, x, y) dc.synchronize() end)
      assert.is_false(ok)
      assert.equal("launch", err.kind)
      for _, pattern in ipairs { "kernel 'edge'", "surfaces_spec%.lua:" .. line, ("thread %%(%d,"):format(bad), ... } do
        assert.matches(pattern, tostring(err), helper.note())
      end
    end
    fails(4 * w, 0, "byte " .. 4 * w, ("%dx%d"):format(w, h))
    fails(-4, 0, "byte %-4")
    fails(0, h, "row " .. h)
    fails(0, -1, "row %-1")
    fails(2147483644, 0, "illegal address")
    if w > 1 then fails(2, 0, "misaligned") end
    k(1, 64, s, 0, 4 * w - 4, h - 1)
    assert.equal(1, s:array():sum():item())
  end))
end)
