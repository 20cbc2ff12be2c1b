-- A row of kernels.lua made ready to run: ours, the C loop (plain and with -ffast-math) and the peer's OpenCL, all on
-- the same memory, each checked against float64 once. A side is a function that gives the seconds of one run.
local dc = require "dotcompute"
local native = require "native"

local M = {}

M.isa = os.getenv "DOTCOMPUTE_CPU_ISA" or native.best_isa()

-- The tier that runs a kernel now; a device without tiers interprets.
function M.tier(k) return k.attributes.tier or 0 end

-- Launches until tier 1 has taken over, 20 seconds at most; where it never will, once.
function M.settle(k, launch)
  local until_when = native.now() + 20
  repeat launch() until M.tier(k) == 1 or not k.attributes.tier or os.getenv "DOTCOMPUTE_CPU_TIER" == "0"
    or native.now() > until_when
end

-- The peer: its name or nil and why not; opened once.
local opencl, peer, peer_why
function M.peer()
  if opencl == nil then
    -- One thread, and its cache of binaries away from the user's.
    native.setenv("POCL_MAX_PTHREAD_COUNT", "1")
    native.setenv("POCL_CACHE_DIR", (os.getenv "DOTCOMPUTE_BUILD" or "build") .. "/bench/pocl")
    opencl = require "opencl"
    local version, device, units = opencl.open "Portable Computing Language"
    peer = version and ("%s on %s, %d thread"):format(version:match "PoCL [%d.]+" or version, device, units)
    peer_why = device
    if version and units ~= 1 then peer, peer_why = nil, "the peer would use " .. units .. " threads" end
  end
  return peer, peer_why
end

-- What makes a row's arrays: output(n [, dtype]) of zeros, input(n, low, high) of uniform random float32 numbers.
function M.makers(seed)
  local function output(n, dtype) return dc.zeros(n, dtype or "float32"):eval() end
  local function input(n, low, high)
    local a = output(n)
    seed = seed + 1
    native.random(a.ptr, n, low, high, seed)
    return a
  end
  return output, input
end

-- A row's arrays, and its arguments in the forms that the sides want.
function M.arguments(row, seed)
  local set = { list = {}, addresses = {}, numbers = {}, buffers = {}, reference = {}, arrays = {} }
  local output, input = M.makers(seed)
  set.list = { row.make(input, output) }
  for i, v in ipairs(set.list) do
    if type(v) == "number" then
      table.insert(set.numbers, v)
    else
      table.insert(set.arrays, v)
      table.insert(set.addresses, v.ptr)
      set.reference[#set.addresses] = v.ptr
    end
    if i == row.result then set.result = v end
  end
  if row.updated then -- the result is read: float64 gets what it was
    set.before = input(set.result.size, -1, 1)
    for k, address in ipairs(set.addresses) do
      if address == set.result.ptr then set.reference[k] = set.before.ptr end
    end
  end
  set.expected = dc.zeros(set.result.size, "float64"):eval()
  table.insert(set.reference, set.expected.ptr)
  native.run("reference", row.loop, set.reference, set.numbers)
  return set
end

-- Runs a side on a fresh result and compares.
local function check(row, set, what, side)
  if set.before then set.result:copy_from(set.before) else set.result:fill(0) end
  dc.synchronize()
  side()
  local n, at, expected = row.checked or set.result.size, set.result.ptr, set.expected.ptr
  local off = row.scale and native.error(at, n, expected, row.scale) or native.differing(at, n, expected)
  if off > row.within then
    error(("%s, %s: wrong by %.3g, %.3g is the limit"):format(row.name, what, off, row.within), 0)
  end
end

local function peer_side(row, set)
  local k, list = opencl.kernel(row.cl, row.kernel), {}
  for i, v in ipairs(set.list) do
    if type(v) ~= "number" then
      v = opencl.buffer(v.ptr, v.nbytes)
      table.insert(set.buffers, v)
    end
    list[i] = v
  end
  opencl.arguments(k, list)
  return function() return opencl.run(k, row.grid, row.block) end
end

-- {ours=, c=, fast=, peer=, kernel=, close=}; `peer` is nil when there is none. `only_ours`: nothing else is made.
function M.prepare(row, seed, only_ours)
  local set = M.arguments(row, seed)
  local k = dc.kernel(row.cuda)
  local sides = { kernel = k, set = set }
  function sides.ours()
    local t = native.now()
    k(row.grid, row.block, table.unpack(set.list))
    dc.synchronize()
    return native.now() - t
  end
  check(row, set, "ours at first", sides.ours)
  M.settle(k, sides.ours)
  check(row, set, "ours", sides.ours)
  if not only_ours then
    function sides.c() return native.run("native", row.loop, set.addresses, set.numbers) end
    function sides.fast() return native.run("fast", row.loop, set.addresses, set.numbers) end
    check(row, set, "C", sides.c)
    check(row, set, "C with -ffast-math", sides.fast)
    if M.peer() then
      sides.peer = peer_side(row, set)
      check(row, set, "the peer", sides.peer)
    end
  end
  function sides.close()
    for _, b in ipairs(set.buffers) do opencl.release(b) end
    for _, a in ipairs(set.arrays) do a:close() end
    set.expected:close()
    if set.before then set.before:close() end
  end
  return sides
end

return M
