-- Native code gathers elements of 8 and 16 bits at irregular indices by the aligned words that they are in.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local n, first = math.tointeger(arg[1]), math.tointeger(arg[2])
local m = dc.module [=[
template <class T> __global__ void at(const T *x, const int *index, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && index[i] != 77) y[i] = x[index[i]];
}
template <class T> __global__ void apart(const T *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[3 * i];
}]=]
local index = {}
for word in arg[3]:gmatch "%S+" do index[#index + 1] = math.tointeger(word) end
for dtype, c in arg[4]:gmatch "(%w+)=([^;]+);" do
  local values = {}
  for i = 0, n - 1 do values[i + 1] = (i * 40503 + 17) % 65536 end
  for i = 1, n do
    if dtype:find "8" then values[i] = values[i] & 255 end
    if dtype == "int8" and values[i] > 127 then values[i] = values[i] - 256 end
    if dtype == "int16" and values[i] > 32767 then values[i] = values[i] - 65536 end
  end
  local x, y, z = dc.array(values, dtype), dc.zeros(#index, "int32"), dc.zeros(n, "int32")
  local rest = x:slice { first + 1, n }
  m["at<" .. c .. ">"]((#index + 95) // 96, 96, rest, dc.array(index, "int32"), y, #index)
  m["apart<" .. c .. ">"](2, 160, rest, z, (n - first) // 3)
  print(dtype, table.concat(y:to_table(), " "), table.concat(z:to_table(), " "))
end
]==]

local types = "int8=signed char;uint8=unsigned char;int16=short;uint16=unsigned short;"

describe("bytes and halves at irregular indices", function()
  it("are those of the array, up to its ends", function()
    local n, first, index = 512, math.random(0, 7), {}
    for i = 1, 300 do index[i] = math.random(0, n - first - 1) end
    index[2], index[3], index[130] = 0, n - first - 1, n - first - 1
    local function all(dtype)
      local bits = math.tointeger(tonumber(dtype:match "%d+"))
      local function element(i)
        local v = (((i + first) * 40503 + 17) % 65536) & ((1 << bits) - 1)
        return dtype:sub(1, 1) == "i" and v >> (bits - 1) == 1 and v - (1 << bits) or v
      end
      local y, z = {}, {}
      for i = 1, #index do y[i] = index[i] == 77 and 0 or element(index[i]) end
      for i = 0, n - 1 do z[i + 1] = i < (n - first) // 3 and element(3 * i) or 0 end
      return dtype .. "\t" .. table.concat(y, " ") .. "\t" .. table.concat(z, " ") .. "\n"
    end
    local want = all "int8" .. all "uint8" .. all "int16" .. all "uint16"
    local sets = "TIER=1 DOTCOMPUTE_CPU_ISA="
    for _, how in ipairs { "TIER=0", "TIER=1", sets .. "avx2", sets .. "baseline" } do
      local text = helper.on_cpu(how, script, n, first, table.concat(index, " "), types)
      assert.is_true(text == want, helper.note(how .. ": " .. text:sub(1, 300)))
    end
  end)
end)
