-- The number of a warp, of its block and of the grid, which is the same in all lanes where rows of threads are whole
-- warps and nowhere else; a value that the lanes of a warp take from one place by it.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void k(const int *x, int *o) {
  unsigned in_grid = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, in_block = t >> 5;
  unsigned at = 2 * (blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t), sum = 0;
  for (int i = x[in_block]; i < x[in_block + 1]; i++) sum += i * (t & ~31u) + x[in_grid];
  o[at] = sum;
  o[at + 1] = x[((blockIdx.x * blockDim.x + threadIdx.x) & ~31u) / 16] + x[(threadIdx.x + 32) >> 5];
}]]
local function list(i) return load("return " .. arg[i])() end
local b, x = list(1), dc.array(list(2), "int32")
local o = dc.zeros(6 * b[1] * b[2] * b[3], "int32")
k(3, b, x, o)
assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
print(table.concat(o:to_table(), " "))
]==]

describe("the number of a warp", function()
  it("belongs to its threads in blocks of any shape", function()
    local blocks = { { 64, 1, 1 }, { 40, 1, 1 }, { 32, 3, 1 }, { 8, 6, 1 }, { 20, 3, 2 }, { 96, 2, 2 }, { 16, 4, 1 } }
    for _, b in ipairs(blocks) do
      local x, want = {}, {}
      for i = 1, 64 do x[i] = math.random(0, 9) end
      local threads = b[1] * b[2] * b[3]
      for block = 0, 2 do
        for t = 0, threads - 1 do
          local line = block * b[1] + t % b[1]
          local warp, sum = t // 32, 0
          for i = x[warp + 1], x[warp + 2] - 1 do sum = sum + i * (warp * 32) + x[line // 32 + 1] end
          want[#want + 1] = sum
          want[#want + 1] = x[line // 32 * 2 + 1] + x[(t % b[1] + 32) // 32 + 1]
        end
      end
      for tier = 0, 1 do
        local text = helper.on_cpu("TIER=" .. tier, script, "{" .. table.concat(b, ",") .. "}",
          "{" .. table.concat(x, ",") .. "}")
        assert.equal(table.concat(want, " ") .. "\n", text, helper.note(table.concat(b, "x") .. " tier " .. tier))
      end
    end
  end)
end)
