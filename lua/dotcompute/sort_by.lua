-- sort and argsort by a comparison or a key of the script's, of segments, of structs, and with values that travel
-- along.
--
--   less, offsets   merge sort (merge_sort.lua)
--   key             the keys are computed, sorted by radix with their indices, and the elements gathered
--   values alone    elements and indices are sorted by radix, and the values gathered
--
-- And what unique and searchsorted (order.lua) do with comparisons.
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local elements = require "dotcompute.elements"
local merge_sort = require "dotcompute.merge_sort"
local operators = require "dotcompute.operators"
local segments = require "dotcompute.segments"
local sort = require "dotcompute.sort"
local sort_text = require "dotcompute.sort_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

-- --- orders -----------------------------------------------------------------------------------------------------

-- The order by the function `less`, for elements of a type.
local function order_by(fname, less, t)
  local f = operators.of(fname, "option 'less'", less, "two elements")
  return { type = t, header = elements.header(t), element = elements.ctype(t),
    less = operators.predicate(f, "dc_less", "a comparison", t, t) }
end

-- The order of sort without a comparison, on the elements' bits.
local function natural_order(t, descending)
  local bits = sort_text.order(t, descending):gsub("typedef ([%w ]+) dc_key;", "typedef %1 dc_bits;")
    :gsub("dc_key", "dc_bits")
  return { type = t, header = "", element = sort_text.unsigned[t.size], less = bits .. sort_text.less }
end

-- --- calls ------------------------------------------------------------------------------------------------------

local function check_options(fname, a, axis, o)
  local s = elements.struct_of(a)
  if o.less ~= nil and o.key ~= nil then fail("argument", "%s: give one of the options 'less' and 'key'", fname) end
  if o.less ~= nil and o.descending then
    fail("argument", "%s: option 'descending' has no meaning with option 'less', which has the order", fname)
  end
  if o.offsets ~= nil and a.ndim ~= 1 then
    fail("shape", "%s: segments are those of a 1-d array, this one has %d axes", fname, a.ndim)
  end
  if not s then return end
  if o.less == nil and o.key == nil then
    fail("dtype", "%s: structs have no order of their own; give option 'less' or 'key'", fname)
  end
  if axis ~= a.ndim then
    fail("shape", "%s: structs are sorted along the last axis, %d, not along axis %d", fname, a.ndim, axis)
  end
  if o.less ~= nil and s.size > merge_sort.LARGEST then
    fail("dtype", "%s: %s has %d bytes; structs of up to %d are sorted by a comparison, larger ones by option 'key'",
      fname, s.name, s.size, merge_sort.LARGEST)
  end
end

local function values_of(fname, values, a, axis)
  values = elements.array(fname, "option 'values'", values, nil, a.device)
  algorithm.check_device(fname, "the array of values", values, a.device)
  local shape, other = { a:shape() }, { values:shape() }
  if table.concat(shape, ",") ~= table.concat(other, ",") then
    fail("shape", "%s: the values have the shape (%s), the array (%s); they must be the same", fname,
      table.concat(other, ", "), table.concat(shape, ", "))
  end
  if elements.struct_of(values) and axis ~= a.ndim then
    fail("shape", "%s: values that are structs are moved along the last axis", fname)
  end
  return values
end

-- The keys of an array of numbers or structs by the function `key`, contiguous.
local function keys_of(fname, key, a)
  operators.of(fname, "option 'key'", key, "an element")
  local keys = operators.map(fname, key, a)
  if elements.struct_of(keys) then
    fail("dtype", "%s: option 'key' gives structs, which have no order; it must give numbers", fname)
  end
  algorithm.refuse_complex(fname, keys, "have no order")
  return keys
end

-- The memory of an array with an axis last, and what axis_back needs.
local function rows_of(a, axis)
  if elements.struct_of(a) then return elements.memory(a) end
  return algorithm.axis_last(a, axis)
end

-- The array whose rows are in memory.
local function result_of(memory, t, back)
  return t.struct and elements.wrap(t, memory) or algorithm.axis_back(memory, back)
end

local sort_by = {}

-- a:sort or a:argsort (`want_index`) along an axis, with options.
function sort_by.sort(fname, a, axis, want_index, o)
  check_options(fname, a, axis, o)
  local values = o.values ~= nil and values_of(fname, o.values, a, axis) or nil
  local t, shape = elements.type(a), { a:shape() }
  local total = shape[axis]
  table.insert(shape, table.remove(shape, axis))
  local from, back = rows_of(a, axis)
  local given = {}
  if values then given.pays, given.pay_type = rows_of(values, axis), elements.type(values) end
  if o.offsets ~= nil then
    local _
    given.offsets, _, given.longest = segments.check(fname, o.offsets, total, a.device)
  end
  local keys, index, moved
  if o.less ~= nil or (o.offsets ~= nil and o.key == nil) then
    local order = o.less ~= nil and order_by(fname, o.less, t) or natural_order(t, o.descending)
    keys, index, moved = merge_sort.rows(from, shape, total, order, not want_index, want_index, given)
  else
    local by = o.key ~= nil and keys_of(fname, o.key, t.struct and a or from) or from
    if given.offsets then
      keys, index = merge_sort.rows(by, shape, total, natural_order(algorithm.dtype(by), o.descending), false, true,
        { offsets = given.offsets, longest = given.longest })
    else
      keys, index = sort.rows(by, total, o.descending or false, not want_index and by == from, true)
    end
    if not want_index and not keys then keys = elements.gather(from, t, index, total, total, shape) end
    moved = values and elements.gather(given.pays, given.pay_type, index, total, total, shape)
    if by ~= from then algorithm.free(nil, by) end
  end
  local rows = want_index and index or keys
  local result = want_index and algorithm.axis_back(index, back) or result_of(keys, t, back)
  local along = moved and result_of(moved, given.pay_type, back)
  if not t.struct then
    algorithm.free(a, from)
    algorithm.free(result, rows)
  end
  if values and not given.pay_type.struct then
    algorithm.free(values, given.pays)
    algorithm.free(along, moved)
  end
  if not want_index then algorithm.free(nil, index) end
  if along then return result, along end
  return result
end

-- --- unique and searchsorted ------------------------------------------------------------------------------------

-- Memory of `count` elements sorted by `less`, and their indices.
function sort_by.sorted(fname, less, memory, t, count, want_index)
  return merge_sort.rows(memory, { count }, count, order_by(fname, less, t), true, want_index, {})
end

local heads_text = [[
__global__ void dc_unique_heads(void *first, const void *x, long long n) {
  const dc_key *const k = (const dc_key *)x;
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((bool *)first)[i] = i == 0 || DIFFER;
}
]]

-- Where values begin (bool) among `count` elements in memory: those that are not equal to the one before, by option
-- 'equal' or, in ascending order, by option 'less'.
function sort_by.heads(fname, o, memory, t, count)
  local device, first = memory.device, algorithm.empty(memory.device, count, "bool")
  local option = o.equal ~= nil and "equal" or "less"
  local f = operators.of(fname, ("option '%s'"):format(option), o[option], "two elements")
  local text = operators.predicate(f, "dc_compare", "a comparison", t, t)
  if count == 0 then return first end
  operators.kernel(device, "dc_unique_heads", ("%s %s"):format(t.name, option), text, function()
    return table.concat { elements.header(t), ("typedef %s dc_key;\n"):format(elements.ctype(t)), text,
      algorithm.fill(heads_text, { DIFFER = option == "equal" and "!dc_compare(k[i - 1], k[i])"
        or "dc_compare(k[i - 1], k[i])" }) }
  end)((count + 255) // 256, 256, first, memory, count)
  return first
end

-- The kernel of searchsorted (`source`, in order.lua) for the order by `less`.
function sort_by.search_kernel(device, t, less, right, source)
  local order = order_by("searchsorted", less, t)
  local definitions = ("%stypedef %s dc_key;\n%s"):format(order.header, order.element, order.less)
  return operators.kernel(device, "dc_searchsorted", ("%s %s"):format(t.name, right), order.less, source, definitions,
    right)
end

-- searchsorted of structs: values are an array of the same struct.
function sort_by.search_structs(sorted, values, less, right, source)
  local s = elements.struct_of(sorted)
  if less == nil then fail("dtype", "searchsorted: structs have no order of their own; give option 'less'") end
  if sorted.ndim ~= 1 then
    fail("shape", "searchsorted: the sorted array has 1 axis, this one has %d", sorted.ndim)
  end
  if elements.struct_of(values) ~= s then
    fail("dtype", "searchsorted: the values are an array of %s, as the sorted array is, got %s", s.name,
      core.describe(values))
  end
  algorithm.check_device("searchsorted", "the array of values", values, sorted.device)
  local device = sorted.device
  local out = algorithm.empty(device, { values:shape() }, "int64")
  if out.size > 0 then
    sort_by.search_kernel(device, elements.type(sorted), less, right, source)((out.size + 255) // 256, 256, out,
      elements.memory(sorted), elements.memory(values), sorted.size, out.size)
  end
  return out
end

sort_by.type = types.dtype

return sort_by
