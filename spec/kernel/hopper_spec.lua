-- examples/hopper/matmul.cu without a GPU: it compiles to the instructions that it is about, and those of its functions
-- that every architecture compiles are right.
local dc = require "dotcompute"
local h = require "spec.helper"
local note = h.note

local text = h.read "examples/hopper/matmul.cu"
local constants = {}
for name, value in text:gmatch "(%u+) = (%d+)" do constants[name] = tonumber(value) end
local BM, BN, BK, CLUSTER, ROWS = constants.BM, constants.BN, constants.BK, constants.CLUSTER, constants.ROWS

local m = dc.module(text .. [[
__global__ void places(int count, int down, int across, int *out) {
  for (int i = 0; i < count; i++) place_tile(i, down, across, out[2 * i], out[2 * i + 1]);
}
__global__ void descriptors(int count, const unsigned *address, unsigned long long *out) {
  for (int i = 0; i < count; i++) out[i] = descriptor(address[i]);
}
__global__ void store(int m, int n, int row, int column, const float *values, __nv_bfloat16 *c) {
  float d[BN / 2];
  for (int i = 0; i < BN / 2; i++) d[i] = values[threadIdx.x * (BN / 2) + i];
  store_tile(d, c, m, n, row, column);
}]])

describe("the matrix product for Hopper", function()
  it("compiles to tensor core instructions and copies by hardware", function()
    local ptx = m:ptx "compute_90a"
    local _, products = ptx:gsub("wgmma%.mma_async%.sync%.aligned%.m64n256k16%.f32%.bf16%.bf16", "")
    assert.equal(BK // 16, products)
    assert.matches("cp.async.bulk.tensor.2d.shared::cluster.global.tile", ptx, 1, true)
    assert.matches(".multicast::cluster", ptx, 1, true)
    assert.is_nil(m:log():find "warning")
    local ok, sass = pcall(m.sass, m, "sm_90a")
    if not ok then return end -- there is no disassembler
    assert.matches("HGMMA.64x256x16.F32.BF16", sass, 1, true)
    assert.matches("UTMALDG.2D.MULTICAST", sass, 1, true)
    assert.is_nil(sass:find "STL")
  end)

  it("does each tile once, those of few rows at a time", function()
    for _ = 1, 20 do
      local down, across = math.random(1, 70), math.random(1, 40)
      local out = dc.zeros(down * across, 2, "int32")
      m.places(1, 1, down * across, down, across, out)
      local seen = {}
      for i, place in ipairs(out:to_table()) do
        local row, column = place[1], place[2]
        assert(row >= 0 and row < down and column >= 0 and column < across, note())
        assert.equal((i - 1) // (ROWS * across), row // ROWS, note())
        assert.is_nil(seen[row * across + column], note())
        seen[row * across + column] = true
      end
    end
  end)

  -- Shared memory as TMA fills it (piece of 16 bytes p of row r of 128 bytes goes to piece p xor r mod 8), read as the
  -- PTX ISA says that wgmma does: core matrices of 8 rows, `stride` bytes apart, address bits 4 to 6 xor bits 7 to 9.
  it("describes operands to wgmma as TMA leaves them in shared memory", function()
    local memory, base = {}, 1024 * math.random(0, 40)
    for row = 0, BN - 1 do
      for column = 0, BK - 1 do
        local piece, within = column * 2 // 16, column * 2 % 16
        memory[base + row * 128 + ((piece ~ (row % 8)) << 4) + within] = row * BK + column
      end
    end
    local addresses = {}
    for i = 0, BK // 16 - 1 do addresses[i + 1] = base end
    local out = dc.zeros(#addresses, "uint64")
    m.descriptors(1, 1, #addresses, dc.array(addresses, "uint32"), out)
    for i, bits in ipairs(out:to_table()) do
      bits = bits + 2 * (i - 1) -- as the kernel's loop adds
      assert.equal(1, bits >> 62 & 3) -- 128 bytes
      assert.equal(0, bits >> 49 & 7)
      local start, stride = (bits & 0x3fff) << 4, (bits >> 32 & 0x3fff) << 4
      for row = 0, BN - 1 do
        for column = 0, 15 do
          local at = start + row // 8 * stride + row % 8 * 128 + column * 2
          at = at ~ (at >> 7 & 7) << 4
          assert.equal(row * BK + 16 * (i - 1) + column, memory[at])
        end
      end
    end
    assert.equal(BM * 64 % 1024, 0) -- the second consumer's rows begin at such a multiple, too
  end)

  it("stores a warpgroup's registers where the elements belong, and nothing outside", function()
    local down, across = math.random(20, 130), 8 * math.random(10, 70)
    for _, corner in ipairs { { 0, 0 }, { 64, 0 }, { 0, 256 }, { 64, 256 } } do
      local values, want, c = {}, {}, dc.zeros(down, across, "bfloat16")
      for thread = 0, 127 do
        for i = 0, BN // 2 - 1 do
          local v = math.random(-128, 127)
          values[#values + 1] = v
          local row = corner[1] + thread // 32 * 16 + thread % 32 // 4 + i % 4 // 2 * 8
          local column = corner[2] + i // 4 * 8 + thread % 4 * 2 + i % 2
          if row < down and column < across then want[row * across + column + 1] = v end
        end
      end
      for i = 1, down * across do want[i] = want[i] or 0 end
      m.store(1, 128, down, across, corner[1], corner[2], dc.array(values), c)
      assert.same(want, c:reshape(-1):to_table(), note())
    end
  end)

  it("has the sizes that its script passes", function()
    local script = h.read "examples/hopper/matmul.lua"
    local list = { script:match "BM <const>, BK <const>, STAGES <const>, CLUSTER <const> = (%d+), (%d+), (%d+), (%d+)" }
    assert.same({ BM, BK, constants.STAGES, CLUSTER }, { tonumber(list[1]), tonumber(list[2]), tonumber(list[3]),
      tonumber(list[4]) })
    assert.equal(256, BN)
    assert.equal(128, BN // CLUSTER) -- the box's rows
  end)
end)
