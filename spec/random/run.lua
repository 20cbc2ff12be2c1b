-- Runs random kernels on the default device and prints for each seed a word for each launch, made of all outputs,
-- so that two runs can be compared: of two tiers (DOTCOMPUTE_CPU_TIER), instruction sets, devices.
-- Usage: lua5.4 spec/random/run.lua SEED [COUNT]           COUNT seeds from SEED on (default 1)
--        lua5.4 spec/random/run.lua --source SEED          prints the kernel's source (prelude.lua left out)
--        lua5.4 spec/random/run.lua --arrays SEED [COUNT]  a word for each output of each launch
--        lua5.4 spec/random/run.lua --file=PATH SEED       with this text as the kernel's source
--        lua5.4 spec/random/run.lua --tiers SEED [COUNT]   the tier at which each launch ran, too
--        lua5.4 spec/random/run.lua --ieee SEED [COUNT]    nothing by machine: the same on a GPU
local generate = require "spec.random.generate"
local prelude = require "spec.random.prelude" .. require "spec.random.instructions".source
  .. require "spec.random.helpers"
local expressions = require "spec.random.expressions"

local show, numbers = {}, {}
for _, word in ipairs(arg) do
  if word:find "^%-%-file=" then show.file = word:sub(8)
  elseif math.tointeger(tonumber(word)) then numbers[#numbers + 1] = math.tointeger(tonumber(word))
  else show[word] = true end
end
local first, count = numbers[1] or 1, numbers[2] or 1
generate.ieee = show["--ieee"]
local GROUP = 6 -- kernels of one module: compiled together

if show["--source"] then
  local g = generate.kernel(first)
  io.write(g.source)
  os.exit(true)
end

local dc = require "dotcompute"

local inputs = {
  { "xi", "<i4", "int32" }, { "xu", "<I4", "uint32" }, { "xl", "<i8", "int64" }, { "xq", "<I8", "uint64" },
  { "xf", "<f", "float32" }, { "xd", "<d", "float64" }, { "xs", "<i2", "int16" }, { "xc", "<i1", "int8" },
}
local outputs = {
  { "o", "uint64", 8 }, { "oi", "int32", 4 }, { "of", "float32", 4 }, { "od", "float64", 8 }, { "os", "int16", 2 },
  { "oc", "uint8", 1 },
}
local collected = { { "ai", "<i4", "int32" }, { "au", "<I4", "uint32" }, { "aq", "<I8", "uint64" } }

-- A word of the bytes, with one NaN for all.
local function word(bytes, dtype)
  local step = dtype == "float32" and "<I4" or "<I8"
  local size = string.packsize(step)
  bytes = bytes .. ("\0"):rep(-#bytes % size)
  local h = 0xcbf29ce484222325
  for at = 1, #bytes, size do
    local v = string.unpack(step, bytes, at)
    if dtype == "float32" and v & 0x7fffffff > 0x7f800000 then v = 0x7fc00000
    elseif dtype == "float64" and v & 0x7fffffffffffffff > 0x7ff0000000000000 then v = 0x7ff8000000000000 end
    h = (h ~ v) * 0x100000001b3
    h = h ~ (h >> 29)
  end
  return h
end

local function run(module, g)
  local words = {}
  math.randomseed(g.seed, 1)
  local args = {}
  for i, x in ipairs(inputs) do
    args[i] = dc.from_bytes(generate.bytes(x[2], expressions.size), expressions.size, x[3])
  end
  local start = {}
  for i, x in ipairs(collected) do start[i] = generate.bytes(x[2], 192) .. string.pack(x[2] .. x[2], 0, 0) end
  local kernel = module:kernel(g.name)
  for _, block in ipairs(g.blocks) do
    local list = table.move(args, 1, #args, 1, {})
    local n = block[1] * block[2] * block[3] * g.grid[1] * g.grid[2] * g.slots
    for _, x in ipairs(outputs) do list[#list + 1] = dc.zeros(n, x[2]) end
    for i, x in ipairs(collected) do list[#list + 1] = dc.from_bytes(start[i], 194, x[3]) end
    local made = #args + 1
    local made_end = #list
    for _, name in ipairs { "pn", "pu", "pl", "ps", "pz", "pf", "pd" } do list[#list + 1] = g.scalars[name] end
    local launched = g.dynamic and kernel:with { shared = 8 * block[1] * block[2] * block[3] } or kernel
    launched(g.grid, block, table.unpack(list))
    local all = 0
    for i = made, made_end do
      local w = word(list[i]:bytes(), list[i].dtype)
      if show["--arrays"] then
        words[#words + 1] = ("%s=%08x"):format((outputs[i - made + 1] or collected[i - made - #outputs + 1])[1],
          (w ~ (w >> 32)) & 0xffffffff)
      end
      all = all * 31 + w
      list[i]:close()
    end
    words[#words + 1] = ("%016x"):format(all)
    if show["--tiers"] then words[#words + 1] = "tier=" .. tostring(kernel.attributes.tier) end
  end
  for i = 1, #args do args[i]:close() end
  return table.concat(words, " ")
end

for from = first, first + count - 1, GROUP do
  local list, text = {}, { prelude }
  for seed = from, math.min(from + GROUP, first + count) - 1 do
    list[#list + 1] = generate.kernel(seed)
    if show.file then list[#list].slots = 40 end
    text[#text + 1] = show.file and assert(io.open(show.file)):read "a" or list[#list].source
  end
  local ok, module = pcall(dc.module, table.concat(text), { flags = { "--fmad=false", "--disable-warnings" } })
  for _, g in ipairs(list) do
    local done, words
    if ok then done, words = pcall(run, module, g) else done, words = false, module end
    print(g.seed, done and words or "failed: " .. tostring(words):gsub("\n", " "):sub(1, 600))
    io.flush()
  end
end
os.exit(true, true)
