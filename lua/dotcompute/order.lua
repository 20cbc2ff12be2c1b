-- unique and searchsorted, by sorting, or by a comparison of the script's (sort_by.lua). Without one NaN is greater
-- than all numbers and equal to itself; complex numbers have an order in unique only.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local sort = require "dotcompute.sort"
local sort_text = require "dotcompute.sort_text"
local select_ = require "dotcompute.select"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

-- --- unique -----------------------------------------------------------------------------------------------------

local function heads_source(dtype)
  return sort_text.order(dtype) .. [[
__global__ void dc_unique_heads(bool *first, const void *x, long long n) {
  const dc_key *const k = (const dc_key *)x;
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) first[i] = i == 0 || dc_order(k[i]) != dc_order(k[i - 1]);
}
]]
end

-- The counts of values, from the positions where they begin.
local function counts_source()
  return [[
__global__ void dc_unique_counts(long long *counts, const long long *starts, long long m, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) counts[i] = (i + 1 < m ? starts[i + 1] : n + 1) - starts[i];
}
]]
end

-- The values themselves, the positions (from 1) where they begin and the number of each element's value, from the
-- numbers of the elements in ascending order; without starts or inverse where these are null.
local function spread_source(size)
  return algorithm.opaque_text .. ("typedef %s dc_element;\n"):format(algorithm.opaque[size]) .. [[
__global__ void dc_unique_spread(void *found, long long *starts, long long *inverse, const void *keys,
                                 const long long *order, const long long *number, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long k = number[i];
  if (i == 0 || number[i - 1] != k) {
    ((dc_element *)found)[k - 1] = ((const dc_element *)keys)[i];
    if (starts) starts[k - 1] = i + 1;
  }
  if (inverse) inverse[order[i] - 1] = k;
}
]]
end

local function blocks(n) return (n + 255) // 256 end

-- The elements of the 1-d array in ascending order, where each value begins (bool) and, if requested, their indices.
local function in_order(flat, count, want_places)
  local keys, order = sort.rows(flat, count, false, true, want_places)
  local first = algorithm.empty(flat.device, count, "bool")
  if count > 0 then
    local dtype = algorithm.dtype(flat)
    algorithm.kernel(flat.device, "dc_unique_heads", dtype.name, heads_source, dtype)(blocks(count), 256, first, keys,
      count)
  end
  return keys, first, order
end

-- The same for complex numbers, in NumPy's order: by real part, then by imaginary part; last those with a NaN, in the
-- imaginary part, then in the real part, then in both. All with a NaN count as one value. Sorting by the least
-- significant key comes first, since it is stable.
local function complex_in_order(flat, count)
  local function sorted_by(order, key)
    local _, places = sort.rows(algorithm.flat(order and key:take(order) or key), count, false, false, true)
    return order and order:take(places) or places
  end
  local re, im = dc.real(flat), dc.imag(flat)
  local order = sorted_by(sorted_by(nil, im), re)
  if dc.isnan(flat):any() then
    order = sorted_by(order, dc.isnan(im):to "uint8" + dc.isnan(re):to "uint8" * 2)
  end
  local keys, first = flat:take(order), algorithm.empty(flat.device, count, "bool")
  if count > 0 then first[1] = true end
  if count > 1 then
    local now, before = keys:slice { 2, -1 }, keys:slice { 1, -2 }
    first[{ { 2, -1 } }] = dc.logical_and(now:ne(before),
      dc.logical_not(dc.logical_and(dc.isnan(now), dc.isnan(before))))
  end
  return keys, first, order
end

-- The same by the script's functions, of numbers or structs: `equal` compares neighbours, in the order of the array;
-- `less` sorts.
local function in_order_by(options, a, count, want_places)
  local by, elements = require "dotcompute.sort_by", require "dotcompute.elements"
  local t = elements.type(a)
  local keys, order = elements.line(elements.memory(a), t), nil
  if options.less ~= nil then keys, order = by.sorted("unique", options.less, keys, t, count, want_places) end
  return elements.wrap(t, keys), by.heads("unique", options, keys, t, count), order
end

-- The array of values, of one axis, numbers or structs.
local function values_of(values, count, device)
  local elements = require "dotcompute.elements"
  values = elements.array("unique", "option 'values'", values, nil, device)
  algorithm.check_device("unique", "the array of values", values, device)
  if values.size ~= count then fail("shape", "unique: %d values for %d elements", values.size, count) end
  local t = elements.type(values)
  return elements.wrap(t, elements.line(elements.memory(values), t))
end

-- The values at the places of `order`, where there is one, for which `first` is true.
local function first_values(values, order, first)
  if order then
    local elements = require "dotcompute.elements"
    local t, n = elements.type(values), order.size
    values = elements.wrap(t, elements.gather(elements.memory(values), t, order, n, math.max(1, n), { n }))
  end
  return select_.where(values, first)
end

-- The counts of values, from the positions where they begin; nil where there are none.
local function counts_of(starts, count)
  if not starts then return end
  local m = starts.size
  local counts = algorithm.empty(starts.device, m, "int64")
  if m > 0 then
    algorithm.kernel(starts.device, "dc_unique_counts", "", counts_source)(blocks(m), 256, counts, starts, m, count)
  end
  algorithm.free(nil, starts)
  return counts
end

-- The values of `keys`, in which those begin where `first` is true, and what the options ask for: their counts, and the
-- number of each element's value, in the shape given.
local function by_selection(options, keys, first, order, shape)
  local found, inverse = select_.where(keys, first), nil
  if options.inverse then
    inverse = dc.cumsum(first)
    if order then
      local number <close> = inverse
      inverse = algorithm.empty(first.device, first.size, "int64")
      inverse[order] = number
    end
    inverse = inverse:reshape(shape)
  end
  local counts = counts_of(options.counts and select_.flat(nil, first), first.size)
  return found, counts, inverse
end

-- The same of an array, by the numbers of the values: one pass instead of two selections and a permutation.
local function by_numbers(options, keys, first, order, shape)
  local device, count, dtype = keys.device, keys.size, algorithm.dtype(keys)
  local number <close> = dc.cumsum(first)
  local m = number[count]
  local found = algorithm.empty(device, m, dtype.name)
  local starts = options.counts and algorithm.empty(device, m, "int64") or nil
  local inverse = options.inverse and algorithm.empty(device, shape, "int64") or nil
  local kernel = algorithm.kernel(device, "dc_unique_spread", tostring(dtype.size), spread_source, dtype.size)
  kernel(blocks(count), 256, found, starts or dc.null, inverse or dc.null, keys, order or dc.null, number, count)
  return found, counts_of(starts, count), inverse
end

local unique_signature = { "a", known = { counts = "boolean", inverse = "boolean", less = "any", equal = "any",
  values = "any" }, usage = { "an array", "perhaps options" } }

local function unique(...)
  local few = select("#", ...) == 1 and algorithm.by_host() and core.host_unique((...), false, false)
  if few then return few end
  local options = arguments.read("unique", unique_signature, ...)
  local by = options.less ~= nil or options.equal ~= nil
  local is_struct = algorithm.is_struct_array(options.a)
  if is_struct and not by then
    fail("dtype", "unique: structs have no order of their own; give option 'less' or 'equal'")
  end
  local a = is_struct and options.a or algorithm.array("unique", "the first argument", options.a)
  local device, count = a.device, a.size
  local flat = is_struct and a or algorithm.flat(a):reshape(count)
  if options.less ~= nil and options.equal ~= nil then
    fail("argument", "unique: give one of the options 'less' and 'equal'")
  end
  if not by and options.values == nil and count > 0 and algorithm.by_host() then
    local found, counts, inverse = core.host_unique(flat, options.counts or false, options.inverse or false)
    if found then
      inverse = inverse and core.index_promise(inverse:reshape { a:shape() }, #found)
      if counts then return found, counts, inverse end
      return found, inverse
    end
  end
  local values = options.values ~= nil and values_of(options.values, count, device) or nil
  local want_places = options.inverse == true or values ~= nil
  local keys, first, order
  if by then keys, first, order = in_order_by(options, flat, count, want_places)
  elseif algorithm.dtype(a).kind == "c" then keys, first, order = complex_in_order(flat, count)
  else keys, first, order = in_order(flat, count, want_places) end
  local numbers = not by and count > 0 and (options.inverse or options.counts and algorithm.is_gpu(device))
  local found, counts, inverse = (numbers and by_numbers or by_selection)(options, keys, first, order, { a:shape() })
  local results = { found }
  results[#results + 1] = counts
  results[#results + 1] = inverse and core.index_promise(inverse, #found)
  if values ~= nil then results[#results + 1] = first_values(values, order, first) end
  if keys ~= flat and (options.less ~= nil or not by) then
    if is_struct then keys:close() elseif keys ~= results[1] then core.discard(keys) end
  end
  algorithm.free(nil, order, first)
  return table.unpack(results)
end

-- --- searchsorted -----------------------------------------------------------------------------------------------

-- Binary search for the first key that is not less than the value ("left"), or that is greater ("right").
-- `definitions`: of dc_key and dc_less(a, b).
local function search_source(definitions, right)
  return definitions .. ([[
__global__ void dc_searchsorted(long long *to, const void *sorted, const void *values, long long n, long long count) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const dc_key wanted = ((const dc_key *)values)[i];
  long long low = 0, high = n;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    const dc_key k = ((const dc_key *)sorted)[middle];
    if (%s) low = middle + 1;
    else high = middle;
  }
  to[i] = low + 1;
}
]]):format(right and "!dc_less(wanted, k)" or "dc_less(k, wanted)")
end

local function natural_source(dtype, right)
  return search_source(sort_text.order(dtype) .. sort_text.less, right)
end

-- Values that are not an array, in the sorted array's dtype if that holds them, else in float64.
local function values_array(values, sorted)
  if core.is_array(values) then return values end
  local ok, array = pcall(algorithm.array, "searchsorted", "the second argument", values, sorted.dtype, sorted.device)
  if ok then return array end
  if type(array) ~= "table" or array.kind ~= "dtype" then error(array, 0) end
  return algorithm.array("searchsorted", "the second argument", values, "float64", sorted.device)
end

local search_signature = { "sorted", "values", "side", required = 2, known = { side = "any", less = "any" },
  usage = { "a sorted array", "values", "perhaps 'left' or 'right'" } }

local function searchsorted(...)
  local few = select("#", ...) == 2 and algorithm.by_host() and core.host_search(...)
  if few then return few end
  local o = arguments.read("searchsorted", search_signature, ...)
  local sorted, values, side = o.sorted, o.values, o.side
  if side ~= nil and side ~= "left" and side ~= "right" then
    fail("argument", "searchsorted: the side is \"left\" or \"right\", got %s", core.describe(side))
  end
  if algorithm.is_struct_array(sorted) then
    return require "dotcompute.sort_by".search_structs(sorted, values, o.less, side == "right", search_source)
  end
  sorted = algorithm.array("searchsorted", "the first argument", sorted)
  if sorted.ndim ~= 1 then
    fail("shape", "searchsorted: the sorted array has 1 axis, this one has %d", sorted.ndim)
  end
  values = values_array(values, sorted)
  algorithm.check_device("searchsorted", "the array of values", values, sorted.device)
  if o.less == nil then
    algorithm.refuse_complex("searchsorted", sorted, "have no order")
    algorithm.refuse_complex("searchsorted", values, "have no order")
  end
  local device, dtype = sorted.device, algorithm.dtype(core.promote(sorted.dtype, values.dtype))
  local from, wanted = algorithm.flat(sorted:to(dtype.name)), algorithm.flat(values:to(dtype.name))
  local right = side == "right"
  local found = o.less == nil and algorithm.by_host() and core.host_search(from, wanted, right)
  if found then return found end
  local out = algorithm.empty(device, { values:shape() }, "int64")
  if out.size > 0 then
    local kernel
    if o.less ~= nil then
      local by = require "dotcompute.sort_by"
      kernel = by.search_kernel(device, by.type(dtype.name), o.less, right, search_source)
    else
      kernel = algorithm.kernel(device, "dc_searchsorted", dtype.name .. tostring(right), natural_source, dtype, right)
    end
    kernel(blocks(out.size), 256, out, from, wanted, from.size, out.size)
  end
  return out
end

return { unique = unique, searchsorted = searchsorted }
