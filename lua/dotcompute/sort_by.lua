-- sort and argsort by a comparison or a key of the script's, of segments, and with values that travel along.
--
--   less, offsets   merge sort (merge_sort.lua)
--   key             the keys are computed, sorted by radix with their indices, and the elements gathered
--   values alone    elements and indices are sorted by radix, and the values gathered
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local merge_sort = require "dotcompute.merge_sort"
local operators = require "dotcompute.operators"
local segments = require "dotcompute.segments"
local sort = require "dotcompute.sort"
local sort_text = require "dotcompute.sort_text"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

-- --- orders -----------------------------------------------------------------------------------------------------

-- An order by the function `less`, for elements of a dtype.
local function order_by(fname, less, dtype)
  local f = operators.of(fname, "option 'less'", less, "two elements")
  return { header = operators.header(dtype), element = operators.element(dtype),
    less = operators.predicate(f, "dc_less", "a comparison", dtype, dtype) }
end

-- The order of sort without a comparison, on the elements' bits.
local function natural_order(dtype, descending)
  local bits = sort_text.order(dtype, descending):gsub("typedef ([%w ]+) dc_key;", "typedef %1 dc_bits;")
    :gsub("dc_key", "dc_bits")
  return { header = "", element = sort_text.unsigned[dtype.size], less = bits .. sort_text.less }
end

-- --- gathering --------------------------------------------------------------------------------------------------

local gather_text = [[
__global__ void dc_gather_rows(void *to, const void *from, const long long *places, long long total, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((VALUE *)to)[i] = ((const VALUE *)from)[i / total * total + places[i] - 1];
}
]]

-- The elements of rows of `total` elements at these places of their row, counted from 1.
local function gather_rows(from, places, total)
  local device, dtype = from.device, algorithm.dtype(from)
  local to = algorithm.empty(device, { from:shape() }, from.dtype)
  if from.size == 0 then return to end
  local value = algorithm.opaque[dtype.size]
  algorithm.kernel(device, "dc_gather_rows", value, function()
    return algorithm.opaque_text .. algorithm.fill(gather_text, { VALUE = value })
  end)((from.size + 255) // 256, 256, to, from, places, total, from.size)
  return to
end

-- --- calls ------------------------------------------------------------------------------------------------------

local function check_options(fname, a, o)
  if o.less ~= nil and o.key ~= nil then fail("argument", "%s: give one of the options 'less' and 'key'", fname) end
  if o.less ~= nil and o.descending then
    fail("argument", "%s: option 'descending' has no meaning with option 'less', which has the order", fname)
  end
  if o.offsets ~= nil and a.ndim ~= 1 then
    fail("shape", "%s: segments are those of a 1-d array, this one has %d axes", fname, a.ndim)
  end
end

local function values_of(fname, values, a)
  values = algorithm.array(fname, "option 'values'", values, nil, a.device)
  algorithm.check_device(fname, "the array of values", values, a.device)
  local shape, other = { a:shape() }, { values:shape() }
  if table.concat(shape, ",") ~= table.concat(other, ",") then
    fail("shape", "%s: the values have the shape (%s), the array (%s); they must be the same", fname,
      table.concat(other, ", "), table.concat(shape, ", "))
  end
  return values
end

-- The keys of an array by the function `key`.
local function keys_of(fname, key, a)
  operators.of(fname, "option 'key'", key, "an element")
  local keys = operators.map(fname, key, a)
  algorithm.refuse_complex(fname, keys, "have no order")
  return keys
end

local sort_by = {}

-- a:sort or a:argsort (`want_index`) along an axis, with options.
function sort_by.sort(fname, a, axis, want_index, o)
  check_options(fname, a, o)
  local values = o.values ~= nil and values_of(fname, o.values, a) or nil
  local total = select(axis, a:shape())
  local from, back = algorithm.axis_last(a, axis)
  local travels = values and algorithm.axis_last(values, axis) or nil
  local keys, index, moved
  if o.less ~= nil or (o.offsets ~= nil and o.key == nil) then
    local dtype, given = algorithm.dtype(a), { pays = travels }
    if o.offsets ~= nil then
      local _
      given.offsets, _, given.longest = segments.check(fname, o.offsets, total, a.device)
    end
    local order = o.less ~= nil and order_by(fname, o.less, dtype) or natural_order(dtype, o.descending)
    keys, index, moved = merge_sort.rows(from, total, order, not want_index, want_index, given)
  else
    local by = o.key ~= nil and keys_of(fname, o.key, from) or from
    if o.offsets ~= nil then
      local offsets, _, longest = segments.check(fname, o.offsets, total, a.device)
      keys, index = merge_sort.rows(by, total, natural_order(algorithm.dtype(by), o.descending), false, true,
        { offsets = offsets, longest = longest })
    else
      keys, index = sort.rows(by, total, o.descending or false, not want_index and by == from, true)
    end
    if not want_index and not keys then keys = gather_rows(from, index, total) end
    moved = travels and gather_rows(travels, index, total)
    if by ~= from then algorithm.free(nil, by) end
  end
  local rows = want_index and index or keys
  local result, along = algorithm.axis_back(rows, back), moved and algorithm.axis_back(moved, back) or nil
  algorithm.free(a, from)
  algorithm.free(result, rows)
  algorithm.free(values, travels)
  algorithm.free(along, moved)
  if not want_index then algorithm.free(nil, index) end
  if along then return result, along end
  return result
end

-- --- unique and searchsorted ------------------------------------------------------------------------------------

-- The elements of a 1-d array sorted by `less`, and their indices.
function sort_by.sorted(fname, less, flat, count, want_index)
  return merge_sort.rows(flat, count, order_by(fname, less, algorithm.dtype(flat)), true, want_index, {})
end

local heads_text = [[
__global__ void dc_unique_heads(void *first, const void *x, long long n) {
  const dc_key *const k = (const dc_key *)x;
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((bool *)first)[i] = i == 0 || DIFFER;
}
]]

-- Where values begin (bool) in a 1-d array: the elements that are not equal to the one before, by option 'equal' or,
-- in ascending order, by option 'less'.
function sort_by.heads(fname, o, keys, count)
  local device, dtype = keys.device, algorithm.dtype(keys)
  local first = algorithm.empty(device, count, "bool")
  local option, what = o.equal ~= nil and "equal" or "less", "a comparison"
  local f = operators.of(fname, ("option '%s'"):format(option), o[option], "two elements")
  local text = operators.predicate(f, "dc_compare", what, dtype, dtype)
  if count == 0 then return first end
  operators.kernel(device, "dc_unique_heads", dtype.name .. option, text, function()
    return table.concat { operators.header(dtype), ("typedef %s dc_key;\n"):format(operators.element(dtype)), text,
      algorithm.fill(heads_text, { DIFFER = option == "equal" and "!dc_compare(k[i - 1], k[i])"
        or "dc_compare(k[i - 1], k[i])" }) }
  end)((count + 255) // 256, 256, first, keys, count)
  return first
end

-- The kernel of searchsorted (`source`, in order.lua) for the order by `less`.
function sort_by.search_kernel(device, dtype, less, right, source)
  local order = order_by("searchsorted", less, dtype)
  local definitions = ("%stypedef %s dc_key;\n%s"):format(order.header, order.element, order.less)
  return operators.kernel(device, "dc_searchsorted", ("%s %s"):format(dtype.name, right), order.less, source,
    definitions, right)
end

return sort_by
