-- Communication among devices of one process (dc.comm): by NCCL where they are GPUs, else by copies and sums.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local copies = {}

-- The library's handle of these devices; false where they have none in common.
function copies.handle(devices)
  local seen, alike = {}, true
  for _, d in ipairs(devices) do
    alike = alike and not seen[d.id] and d.host_memory == devices[1].host_memory
    seen[d.id] = true
  end
  return alike and #devices > 1 and core.comm_devices(devices) or false
end

local binary = {
  sum = function(a, b) return a + b end,
  prod = function(a, b) return a * b end,
  min = function(a, b) return dc.minimum(a, b) end,
  max = function(a, b) return dc.maximum(a, b) end,
}
binary.mean = binary.sum

-- The reduction of all arrays, on the device of the first.
local function fold_all(list, fold)
  local device, dtype = list[1].device, list[1].dtype
  local total = list[1]
  for k = 2, #list do total = binary[fold](total, list[k]:to(device)) end
  if fold == "mean" then total = total / #list end
  if total.dtype ~= dtype then total = total:to(dtype) end
  return total:eval()
end

-- Block k of n along the first axis.
local function block(a, k, n)
  local each = select(1, a:shape()) // n
  return a[{ { (k - 1) * each + 1, k * each } }]
end

local by_copies = {}
function by_copies.all_reduce(list, out, fold)
  local total = fold_all(list, fold)
  for k, o in ipairs(out) do o:copy_from(total:to(list[k].device)) end
end
function by_copies.reduce(list, out, fold, root)
  out[root + 1]:copy_from(fold_all(list, fold):to(list[root + 1].device))
end
function by_copies.broadcast(list, out, _, root)
  for k, o in ipairs(out) do
    if k ~= root + 1 then o:copy_from(list[root + 1]:to(o.device)) end
  end
end
function by_copies.all_gather(list, out)
  local flat = {}
  for k, a in ipairs(list) do flat[k] = a.ndim == 0 and a:reshape(1) or a end
  for _, o in ipairs(out) do
    for k, a in ipairs(flat) do block(o, k, #list):copy_from(a:to(o.device)) end
  end
end
function by_copies.reduce_scatter(list, out, fold)
  local total = fold_all(list, fold)
  for k, o in ipairs(out) do o:copy_from(block(total, k, #list):to(o.device)) end
end
function by_copies.all_to_all(list, out)
  for k, o in ipairs(out) do
    for i, a in ipairs(list) do block(o, i, #list):copy_from(block(a, k, #list):to(o.device)) end
  end
end

-- By the library: one row for each device. Strided arrays are packed.
local function by_library(c, name, list, out, fold, root, shared)
  local rows, after = {}, {}
  for k, a in ipairs(list) do
    local src, dst = a, out[k] or false
    if dst and not dst.contiguous then
      local packed = algorithm.empty(dst.device, { dst:shape() }, dst.dtype)
      if src == dst then
        packed:copy_from(dst)
        src = packed
      end
      after[#after + 1], dst = { dst, packed }, packed
    end
    if src ~= dst and (not src.contiguous or dst and core.shares(src, dst)) then src = src:copy() end
    local count = name == "reduce_scatter" and dst.size or name == "all_to_all" and a.size // c.size or a.size
    rows[k] = { k, shared.ops[name], shared.folds[fold or "sum"], src, dst, count, root }
  end
  core.comm_run(c.handle, rows)
  for _, a in ipairs(after) do a[1]:copy_from(a[2]) end
end

local function check_lists(c, name, o)
  local given = { o.a, o.out }
  for i = 1, 2 do
    local list = given[i]
    if (list ~= nil or i == 1) and (type(list) ~= "table" or getmetatable(list) or #list ~= c.size) then
      fail("argument", "%s: a table of %d arrays expected, one for each device, got %s", name, c.size,
        type(list) == "table" and ("one with %d"):format(#list) or core.describe(list))
    end
    for k = 1, list and c.size or 0 do
      if list[k] == nil then fail("argument", "%s: the table of arrays has nil in place of number %d", name, k) end
    end
  end
end

-- Checks the arguments: the arrays to write, made where they are not given, and the operation of a reduction. `shared`:
-- of comm.lua, the operations' numbers and functions that check one rank's arguments.
function copies.check(c, name, o, root, shared)
  check_lists(c, name, o)
  local list, out = o.a, {}
  for k, a in ipairs(list) do
    shared.check_array(name, a, c.devices[k])
    if a.dtype ~= list[1].dtype then
      fail("dtype", "%s: array %d is %s, array 1 %s", name, k, a.dtype, list[1].dtype)
    end
    if table.concat({ a:shape() }, ",") ~= table.concat({ list[1]:shape() }, ",") then
      fail("shape", "%s: array %d has the shape (%s), array 1 (%s)", name, k, table.concat({ a:shape() }, ", "),
        table.concat({ list[1]:shape() }, ", "))
    end
  end
  local fold = shared.reduces[name] and shared.check_fold(name, o.op, list[1].dtype)
  for k, a in ipairs(list) do
    if name == "broadcast" then out[k] = a
    elseif name ~= "reduce" or k == root + 1 then
      out[k] = shared.target(name, o.out and o.out[k], c.devices[k], a.dtype,
        shared.result_shape(name, { a:shape() }, c.size))
    end
  end
  return out, fold
end

function copies.run(c, name, o, root, shared)
  local out, fold = copies.check(c, name, o, root, shared)
  local list = o.a
  if name == "all_gather" or name == "reduce_scatter" or name == "all_to_all" then -- these cannot work in place
    list = table.move(list, 1, #list, 1, {})
    for k, a in ipairs(list) do
      for _, b in ipairs(out) do
        if core.shares(list[k], b) then list[k] = a:copy() end
      end
    end
  end
  local dst = out[root + 1]
  if dst.size > 0 then
    if c.handle then by_library(c, name, list, out, fold, root, shared)
    else by_copies[name](list, out, fold, root) end
  end
  if name == "reduce" then return dst end
  if name == "broadcast" then return o.a end
  return o.out or out
end

return copies
