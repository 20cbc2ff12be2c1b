-- Merge sort, for orders that are given by a comparison: stable, of rows or of segments, with numbers or other elements
-- that travel along.
--
--   tiles:     a block sorts a tile in shared memory; rows of up to half a tile share one
--   passes:    each merges pairs of sorted runs, which double in length: log2(row / tile) passes, each of which reads
--              and writes every element once
--   segments:  passes end when runs are twice as long as the longest segment. A segment then crosses at most one border
--              of runs, and a last pass, whose groups are shifted by half a group, merges at all borders
--   on the CPU device: merge_serial.lua, once that is native code
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local elements = require "dotcompute.elements"
local operators = require "dotcompute.operators"
local serial = require "dotcompute.merge_serial"
local text = require "dotcompute.merge_text"
core.builtin(debug.getinfo(1, "S").source)

local empty = algorithm.empty

local segment_texts = {
  -- the last offset that is not above i + 1
  offsets = [[
static __device__ __forceinline__ void dc_segment(const long long *offsets, const long long count, const dc_index i,
                                                  dc_index &first, dc_index &end) {
  long long low = 0, high = count;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (offsets[middle] <= (long long)i + 1) low = middle + 1;
    else high = middle;
  }
  first = (dc_index)(offsets[low - 1] - 1);
  end = (dc_index)(offsets[low] - 1);
}
]],
  rows = [[
static __device__ __forceinline__ void dc_segment(const long long *, const long long count, const dc_index i,
                                                  dc_index &first, dc_index &end) {
  first = i / (dc_index)count * (dc_index)count;
  end = first + (dc_index)count;
}
]],
}
segment_texts[false] = segment_texts.rows

-- The halves and shifts of the passes after tiles have been sorted.
local function passes_of(tile, total, longest)
  local list, half = {}, tile
  while half < total do
    list[#list + 1] = { half = half, shift = 0 }
    half = 2 * half
  end
  if not longest then return list end
  local few, whole = {}, tile
  while whole < 2 * longest do
    few[#few + 1] = { half = whole, shift = 0 }
    whole = 2 * whole
  end
  few[#few + 1] = { half = whole // 2, shift = whole // 2 }
  return #few < #list and few or list
end

local function run_on_gpu(job)
  local device, null = job.device, dc.null
  local threads, items = text.shape(job.size_of_key)
  local tile = threads * items
  local segments, rows, total, stride, count = false, job.rows, job.total, tile, 0
  if job.offsets then
    segments, count = "offsets", #job.offsets
  elseif rows > 1 and 2 * total <= tile then
    segments, count, stride = "rows", total, tile // total * total
    rows, total = 1, job.size
  end
  local passes = segments == "rows" and {} or passes_of(tile, total, job.longest)
  local pay = job.index and (job.wide and "unsigned long long" or "unsigned int") or nil
  local definitions = job.define(segments, pay)
  local pays = job.index ~= nil or job.pays ~= nil

  local function kernel(what, last)
    local v = { threads = threads, items = items, segments = segments, keys = not last or job.to ~= nil, pays = pays,
      numbered = job.index ~= nil, index = last and job.index ~= nil, definitions = definitions }
    if what == "cuts" then v.keys, v.pays, v.numbered, v.index = true, false, false, false end
    local key = ("%s %s %d %s %s %s %s"):format(job.name, segments, items, v.keys, v.pays, v.numbered, v.index)
    return operators.kernel(device, "dc_merge_" .. what, key, definitions, text.source, what, v)
  end

  local function memory(wanted, dtype, like)
    return wanted and empty(device, like and { like:shape() } or job.size, dtype) or null
  end
  local pay_type = job.index and (job.wide and "uint64" or "uint32") or job.pays and job.pays.dtype
  local many = #passes
  local result = job.to or memory(many > 1, job.from.dtype, job.from)
  local keys = { result, memory(many > 0, job.from.dtype, job.from) }
  local pay_result = job.pay_to or memory(job.index and many > 1, pay_type)
  local travels = { pay_result, memory(pays and many > 0, pay_type, job.pays) }
  local at = 1 + many % 2 -- of the buffers; the last pass writes the first ones
  local function target(last) return last and job.index or travels[at] end
  local offsets = job.offsets or null
  local function pieces_of(pass) return (total + pass.shift + tile - 1) // tile end
  local cuts = many > 0 and empty(device, rows * pieces_of(passes[many]), job.wide and "int64" or "int32") or nil
  local pieces = (total + stride - 1) // stride
  kernel("tiles", many == 0)(rows * pieces, threads, keys[at], target(many == 0), job.from, job.pays or null, offsets,
    count, total, pieces, stride)
  for k, pass in ipairs(passes) do
    pieces = pieces_of(pass)
    local from, pay_from = keys[at], travels[at]
    kernel("cuts", false)((rows * pieces + 255) // 256, 256, cuts, from, offsets, count, total, pieces, pass.half,
      pass.shift, rows * pieces)
    at = 3 - at
    kernel("pass", k == many)(rows * pieces, threads, keys[at], target(k == many), from, pay_from, cuts, offsets, count,
      total, pieces, pass.half, pass.shift)
  end
  algorithm.free(job.to, keys[1], keys[2], cuts)
  algorithm.free(job.pay_to, travels[1], travels[2])
end

-- --- calls ------------------------------------------------------------------------------------------------------

local merge_sort = {}

merge_sort.LARGEST = 128 -- bytes of an element

-- Sorts the rows, of `total` elements, of `from`, or its segments. `from` is memory of elements (elements.lua) of
-- order.type, `shape` theirs. `order`:
--   type     the elements' type
--   element  the C type of elements
--   header   text in front
--   less     text of dc_less(a, b)
-- `given` may have offsets and longest (segments.lua), pays (memory of elements that travel along) and pay_type.
-- Returns memory of sorted elements, indices, memory of travelled elements; nil for those not wanted.
function merge_sort.rows(from, shape, total, order, want_keys, want_index, given)
  local device, size = from.device, algorithm.product(shape)
  local job = { device = device, from = from, size = size, total = total, rows = total > 0 and size // total or 0,
    name = order.type.name, size_of_key = order.type.size, offsets = given.offsets, longest = given.longest,
    pays = given.pays }
  job.wide = size > algorithm.narrow // 2 -- the greatest number is that of the end of a pair of runs
  job.to = want_keys and elements.space(device, shape, order.type) or nil
  job.index = want_index and empty(device, shape, "int64") or nil
  local pay_type = given.pay_type
  job.pay_to = pay_type and elements.space(device, shape, pay_type) or nil
  if size == 0 then return job.to, job.index, job.pay_to end
  function job.define(segments, pay)
    return table.concat { order.header, pay_type and elements.header(pay_type) or "",
      ("typedef %s dc_index;\ntypedef %s dc_key;\ntypedef %s dc_pay;\n"):format(job.wide and "long long" or "int",
        order.element, pay or (pay_type and elements.ctype(pay_type)) or "int"), order.less,
      segment_texts[segments] }
  end
  if algorithm.is_gpu(device) or not serial.run(job) then run_on_gpu(job) end
  return job.to, job.index, job.pay_to
end

return merge_sort
