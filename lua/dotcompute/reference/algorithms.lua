-- Reference: functions of whole arrays (sorting, searching, scatter, joining …).
local AXIS = { "axis?", "integer", "the axis. Default: the last one" }
local ARRAY = { "a", "array|table", "the array" }

-- Options and errors of functions in Lua.
local LESS = { "less", "function", "a comparison in place of the elements' own order: `less(p, q)` says whether p "
  .. "stands before q" }
local KEY = { "key", "function", "what is compared: `key(p)`, a number of each element" }
local OFFSETS = { "offsets", "array|table", "sorts the segments of a 1-d array by themselves: segment k is "
  .. "`a[offsets[k]]` to `a[offsets[k + 1] - 1]`. Ascending integers, from 1 to the number of elements plus 1" }
local VALUES = { "values", "array|table", "an array of the same shape whose elements move along" }
local MAP = { "map", "function", "what is folded: `map(p)`, or `map(p, i)` with the element's number: a number, a "
  .. "boolean or a struct of each element" }
local FUNCTIONS = "mistakes in a function in Lua, one that returns another type"

return {
  [[
## Algorithms

Functions of arrays, called as `dc.sort(a)` or `a:sort()`; tables are accepted as arrays. The default axis is the last
one, unless stated otherwise. They run at once, take views and pending expressions, and give new contiguous arrays.
Indices in results (`int64`) and arguments (any integer dtype) count from 1, in arguments also from the end when
negative. NaN is sorted after all numbers in both orders, and equals itself; -0 equals 0. Complex numbers have no order:
sorting them is an error of kind `dtype`, except in `unique`, which orders them by real part, then by imaginary part.
]],
  {
    "cumsum", at = "dc array",
    text = "Prefix sums along an axis. Integers and bools are added in int64, unsigned ones in uint64, floats in "
      .. "their own dtype (float16 and bfloat16 computed in float32). Combined as a tree of fixed form: the same bits "
      .. "for the same input on every device; the error is that of some 30 to 60 additions, not of n. NaN is "
      .. "propagated. Where sums of neighbours overflow though no prefix does, the CPU device adds one element after "
      .. "another; a GPU gives infinities or NaN there.",
    args = { ARRAY, AXIS },
    returns = { { "array", "the shape of `a`; element k is the sum of elements 1 to k" } },
    errors = { index = "an axis out of range", shape = "a 0-d array" },
    example = [[
dc.cumsum { 3, 1, 2 }                      --> {3, 4, 6}
dc.array { { 1, 2 }, { 3, 4 } }:cumsum(1)  --> {{1, 2}, {4, 6}}
dc.cumsum({ true, false, true }).dtype     --> int64
]],
    see = "cumprod sum scan",
    words = "prefix sum scan running total cumulative",
  },
  {
    "cumprod", at = "dc array",
    text = "Prefix products along an axis. Dtypes and rounding are those of `cumsum`. Products of neighbours overflow "
      .. "and underflow sooner than sums: from the first prefix on that is less in magnitude than 1e-154 or greater "
      .. "than 1e154 (float32: 1e-19 and 1e19), the CPU device multiplies one element after another, as NumPy does. "
      .. "A GPU keeps to the tree, in which 0 times a product that has overflowed is NaN.",
    args = { ARRAY, AXIS },
    returns = { { "array", "the shape of `a`; element k is the product of elements 1 to k" } },
    errors = { index = "an axis out of range", shape = "a 0-d array" },
    example = [[
dc.cumprod { 2, 3, 4 }                     --> {2, 6, 24}
]],
    see = "cumsum prod",
    words = "prefix product scan running cumulative",
  },
  {
    "sort", at = "dc array struct_array",
    call = { "a:sort([axis] [, {descending=false, less=, key=, offsets=, values=}])",
      "dc.sort(a [, axis] [, {descending=false, less=, key=, offsets=, values=}])" },
    text = "The elements along an axis in ascending order, or in that of a function in Lua, `less` or `key` "
      .. "([Algorithms by functions in Lua](jit.md#algorithms)). Stable.",
    args = { ARRAY, AXIS },
    options = { { "descending", "boolean", "the largest first. Default: false" }, LESS, KEY, OFFSETS, VALUES },
    returns = { { "array", "the shape and dtype of `a`" },
      { "array", "with `values`: these, in the order of their elements" } },
    errors = { argument = "`less` with `key` or `descending`, a function with another number of parameters, offsets "
      .. "that descend or do not begin with 1 and end behind the array", compile = FUNCTIONS,
      device = "values or offsets on another device", dtype = "complex numbers", index = "an axis out of range",
      shape = "a 0-d array, values of another shape, segments of an array that is not 1-d" },
    example = [[
local a = dc.array { 3, 1, 2, 0 / 0 }
a:sort():slice { 1, 3 }                    --> {1, 2, 3}
a:sort({ descending = true })[1]           --> 3
dc.isnan(a:sort { descending = true })[4]  --> true
dc.sort({ { 2, 1 }, { 1, 3 } }, 1)         --> {{1, 1}, {2, 3}}
dc.sort({ 5, 2, 8, 3 }, { less = function(p, q) return p % 2 < q % 2 end })  --> {2, 8, 5, 3}
dc.sort({ 5, 2, 8, 3 }, { offsets = { 1, 3, 5 } })  --> {2, 5, 3, 8}
local keys, values = dc.sort({ 3, 1, 2 }, { values = { 30, 10, 20 } })
values                                     --> {10, 20, 30}
]],
    see = "argsort topk unique",
    words = "order ascending descending merge sort comparison segmented",
  },
  {
    "argsort", at = "dc array struct_array",
    call = { "a:argsort([axis] [, {descending=false, less=, key=, offsets=}])",
      "dc.argsort(a [, axis] [, {descending=false, less=, key=, offsets=}])" },
    text = "The indices that sort the elements along an axis. Equal elements keep their order. With `offsets` they "
      .. "count from the array's beginning.",
    args = { ARRAY, AXIS },
    options = { { "descending", "boolean", "the index of the largest first. Default: false" }, LESS, KEY, OFFSETS },
    returns = { { "array", "int64, the shape of `a`" } },
    errors = { argument = "as those of `sort`", compile = FUNCTIONS, dtype = "complex numbers",
      index = "an axis out of range", shape = "a 0-d array, segments of an array that is not 1-d" },
    example = [[
local a = dc.array { 30, 10, 20 }
a:argsort()                                --> {2, 3, 1}
a:take(a:argsort { descending = true })    --> {30, 20, 10}
]],
    see = "sort take",
    words = "order rank indices",
  },
  {
    "topk", at = "dc array",
    call = { "a:topk(k [, axis] [, {smallest=false}])", "dc.topk(a, k [, axis] [, {smallest=false}])" },
    text = "The `k` largest elements along an axis, in descending order, and their indices. With `smallest = true` the "
      .. "`k` smallest, in ascending order.",
    args = { ARRAY, { "k", "integer", "how many, from 0 to the extent of the axis" }, AXIS },
    options = { { "smallest", "boolean", "the smallest elements instead. Default: false" } },
    returns = { { "array", "the elements: the shape of `a` with `k` as the extent of the axis" },
      { "array", "their indices, int64, of the same shape" } },
    errors = { argument = "a `k` below 0 or above the extent", dtype = "complex numbers",
      index = "an axis out of range", shape = "a 0-d array" },
    example = [[
local values, indices = dc.topk({ 1, 5, 3 }, 2)
values                                     --> {5, 3}
indices                                    --> {2, 3}
(dc.topk({ 1, 5, 3 }, 2, { smallest = true }))  --> {1, 3}
]],
    see = "sort max argmax",
    words = "largest smallest elements partition argpartition",
  },
  {
    "quantile", at = "dc array",
    call = { "a:quantile(q [, axis] [, {keep=false}])", "dc.quantile(a, q [, axis] [, {keep=false}])" },
    text = "The value below which the share `q` of the elements lies, from 0 (the smallest) to 1 (the largest): "
      .. "neighbours of position `1 + q * (n - 1)` in ascending order are interpolated. Over all elements, or along an "
      .. "axis. Of a list of `q` the results are along a new first axis. The dtype is that of `mean`; NaN is "
      .. "propagated.",
    args = { ARRAY, { "q", "number|array|table", "a number from 0 to 1, or a list of them" },
      { "axis?", "integer", "the axis. Default: all elements" } },
    options = { { "keep", "boolean", "whether the axis stays, with extent 1. Default: false" } },
    returns = { { "array", "a new array" } },
    errors = { argument = "a `q` that is not from 0 to 1", dtype = "complex numbers", index = "an axis out of range",
      shape = "no elements, `q` of several axes" },
    example = [[
dc.quantile({ 1, 2, 3, 4, 10 }, 0.25)      --> 2.0
dc.quantile({ 1, 2, 3, 4 }, { 0, 0.5, 1 }) --> {1, 2.5, 4}
dc.quantile({ { 1, 2, 6 }, { 5, 5, 5 } }, 0.75, 2) --> {4, 5}
]],
    see = "median sort topk",
    words = "percentile nanpercentile quartile distribution",
  },
  {
    "median", at = "dc array", call = { "a:median([axis] [, {keep=false}])", "dc.median(a [, axis] [, {keep=false}])" },
    text = "The middle element in ascending order, or the mean of the two in the middle: `a:quantile(0.5)`. Over all "
      .. "elements, or along an axis.",
    args = { ARRAY, { "axis?", "integer", "the axis. Default: all elements" } },
    options = { { "keep", "boolean", "whether the axis stays, with extent 1. Default: false" } },
    returns = { { "array", "a new array" } },
    errors = { dtype = "complex numbers", index = "an axis out of range", shape = "no elements" },
    example = [[
dc.median({ 3, 1, 2 })                     --> 2.0
dc.median({ { 1, 4 }, { 3, 8 } }, 1)       --> {2, 6}
]],
    see = "quantile mean sort",
    words = "middle average",
  },
  {
    "unique", at = "dc array struct_array",
    call = { "a:unique([{counts=false, inverse=false, less=, equal=, values=}])",
      "dc.unique(a [, {counts=false, inverse=false, less=, equal=, values=}])" },
    text = "The distinct values of all elements, ascending (complex numbers with a NaN count as one value, the last); "
      .. "then, with `counts = true`, their counts; then, with `inverse = true`, an array of the shape of `a` with the "
      .. "index of each element's value. With `equal` nothing is sorted: of neighbours that are equal the first "
      .. "stays.",
    args = { ARRAY },
    options = { { "counts", "boolean", "also gives how often each value occurs. Default: false" },
      { "inverse", "boolean", "also gives the index of each element's value. Default: false" },
      LESS, { "equal", "function", "compares neighbours: `equal(p, q)`; the array keeps its order" },
      { "values", "array|table", "as many elements as `a` has; those of the first of equal elements are given" } },
    returns = { { "array", "1-d: the distinct values" }, { "array", "int64, 1-d: the counts, if asked for" },
      { "array", "int64, of the shape of `a`: the indices, if asked for" },
      { "array", "1-d: the values of the first of equal elements, with option `values`" } },
    errors = { argument = "an unknown option, `less` with `equal`", compile = FUNCTIONS,
      device = "values on another device", shape = "not one value for each element" },
    example = [[
local values, counts, inverse = dc.unique({ 30, 10, 30 }, { counts = true, inverse = true })
values                                     --> {10, 30}
counts                                     --> {1, 2}
values:take(inverse)                       --> {30, 10, 30}
dc.unique({ 1, 1, 2, 1 }, { equal = function(p, q) return p == q end })  --> {1, 2, 1}
]],
    see = "sort bincount",
    words = "distinct values set duplicates unique_by_key runs",
  },
  {
    "searchsorted", at = "dc array struct_array",
    call = { 's:searchsorted(v [, "left"|"right"] [, {less=}])',
      'dc.searchsorted(s, v [, "left"|"right"] [, {less=}])' },
    text = "For each value its position in the ascending 1-d array `s`, 1 to `#s + 1`: before equal elements, or after "
      .. 'them with side `"right"`.',
    args = { { "s", "array|table", "1-d, in ascending order" },
      { "v", "array|table|number", "the values, of any shape" },
      { "side?", '"left"|"right"', 'before or after equal elements. Default: "left"' } },
    options = { { "less", "function", "the comparison by which `s` is in order: `less(p, q)`" } },
    returns = { { "array", "int64, the shape of `v`" } },
    errors = { argument = "another side", compile = FUNCTIONS, device = "arrays of two devices",
      dtype = "complex numbers",
      shape = "an `s` that is not 1-d" },
    example = [[
local s = dc.array { 1, 2, 2, 3 }
s:searchsorted { 2, 5 }                    --> {2, 5}
s:searchsorted({ 2, 5 }, "right")          --> {4, 5}
s:searchsorted(0):item()                   --> 1
dc.searchsorted({ 3, 2, 1 }, 2, { less = function(p, q) return p > q end }):item()  --> 2
]],
    see = "sort histogram",
    words = "binary search bisect digitize lower_bound upper_bound",
  },
  {
    "select", at = "dc array struct_array",
    text = "The elements where the bool array of the same shape is true: 1-d, in C order. The same as `a[mask]`. In "
      .. "place of the mask stands a predicate, a function in Lua of an element.",
    args = { ARRAY, { "mask", "array|table|function", "bool, the shape of `a`; or a predicate" } },
    returns = { { "array", "1-d, the dtype of `a`" } },
    errors = { argument = "not two arguments", compile = FUNCTIONS, device = "arrays of two devices",
      dtype = "a mask that is not bool",
      shape = "a mask of another shape" },
    example = [[
local a = dc.array { 4, -1, 2 }
a:select(a:gt(0))                          --> {4, 2}
dc.select({ { 1, 2 }, { 3, 4 } }, { { true, false }, { false, true } })  --> {1, 4}
a:select(function(v) return v % 2 == 0 end)  --> {4, 2}
]],
    see = "nonzero take where partition",
    words = "filter mask compress",
  },
  {
    "partition", at = "dc array struct_array", call = { "a:partition(predicate…)", "dc.partition(a, predicate…)" },
    text = "Divides the elements by predicates, functions in Lua: first those for which the first one is true; of the "
      .. "others those for which the second one is true, and so on; last the rest. All parts keep the order of `a`.",
    args = { ARRAY, { "...", "function", "one or more predicates of an element" } },
    returns = { { "array...", "1-d, the dtype of `a`: an array for each predicate, and the rest" } },
    errors = { argument = "no predicate, a function with another number of parameters", compile = FUNCTIONS },
    example = [[
local a = dc.array { 4, -1, 2, 0 }
local negative, rest = a:partition(function(v) return v < 0 end)
rest                                       --> {4, 2, 0}
local _, zero, positive = a:partition(function(v) return v < 0 end, function(v) return v == 0 end)
positive                                   --> {4, 2}
]],
    see = "select",
    words = "split divide three_way_partition",
  },
  {
    "reduce", at = "dc array struct_array",
    call = { "a:reduce(fn [, init] [, {dtype=}])", "dc.reduce(a, fn [, init] [, {dtype=}])" },
    text = "All elements folded by a function in Lua: `fn(p, q)` makes one value of two, associatively and "
      .. "commutatively. `dc.reduction` folds along axes, several arrays, and pending expressions without computing "
      .. "them first.",
    args = { ARRAY, { "fn", "function", "makes one of two elements" },
      { "init?", "any", "a number, boolean or struct that is folded, too; the result of no elements" } },
    options = { { "init", "any", "the same by name" }, MAP,
      { "dtype", "dtype", "in which is folded. Default: that of `a`, or what `map` gives" } },
    returns = { { "array", "0-d; of structs the value" } },
    errors = { argument = "no function, one with another number of parameters, an `init` that is no number",
      compile = FUNCTIONS, dtype = "an `init` that the dtype does not hold, a `dtype` of complex numbers for others",
      shape = "no elements and no `init`" },
    example = [[
dc.reduce({ 3, 9, 4 }, function(p, q) return p > q and p or q end):item()  --> 9
dc.reduce({ 3, -9, 4 }, function(p, q) return p + q end, 0, { map = function(p) return p * p end }):item()  --> 106
dc.array({ 100, 100 }, "int8"):reduce(function(p, q) return p + q end, 5, { dtype = "int32" }):item()  --> 205
]],
    see = "reduction segmented_reduce sum",
    words = "fold accumulate custom operator",
  },
  {
    "segmented_reduce", at = "dc array struct_array",
    call = { "a:segmented_reduce(offsets, fn [, init] [, {dtype=}])",
      "dc.segmented_reduce(a, offsets, fn [, init] [, {dtype=}])" },
    text = "Each segment of a 1-d array folded by a function in Lua. Segment k is `a[offsets[k]]` to "
      .. "`a[offsets[k + 1] - 1]`; it may be empty if there is an `init`.",
    args = { ARRAY, { "offsets", "array|table", "ascending integers, from 1 to the number of elements plus 1" },
      { "fn", "function", "makes one of two elements; associative and commutative" },
      { "init?", "any", "a number, boolean or struct that is folded into each segment, too" } },
    options = { { "init", "any", "the same by name" }, MAP,
      { "dtype", "dtype", "in which is folded. Default: that of `a`, or what `map` gives" } },
    returns = { { "array", "1-d, an element for each segment" } },
    errors = { argument = "offsets that descend or do not begin with 1 and end behind the array, no function",
      compile = FUNCTIONS, device = "offsets on another device",
      dtype = "offsets that are no integers, an `init` that the dtype does not hold",
      shape = "an array that is not 1-d, an empty segment without `init`" },
    example = [[
dc.segmented_reduce({ 1, 2, 3, 4 }, { 1, 3, 3, 5 }, function(p, q) return p + q end, 0)  --> {3, 0, 7}
]],
    see = "reduce scatter_add",
    words = "fold ragged groups offsets CSR",
  },
  {
    "transform", at = "dc",
    text = "A function in Lua of the elements of one or more arrays, which broadcast: `fn(p, q)` may have `if`s and "
      .. "loops; several results give several arrays. `dc.vectorize(dc.jit(fn))` makes the same to be called often, "
      .. "and takes arrays for the results.",
    args = { { "fn", "function", "a function of as many elements as there are arrays" },
      { "...", "array|table|number", "the arrays" } },
    returns = { { "array...", "an array for each result of `fn`, in the broadcast shape" } },
    errors = { argument = "no function, another number of arrays than parameters, a function that returns nothing",
      compile = "mistakes in the function", device = "arrays of two devices",
      shape = "shapes that do not broadcast; beside structs: that are not the same" },
    example = [[
dc.transform(function(p, q) return p > q and p or q end, { 1, 5 }, 3)  --> {3, 5}
]],
    see = "vectorize elementwise jit",
    words = "map apply zip",
  },
  {
    "nonzero", at = "dc array",
    text = "The indices of nonzero elements (NaN is nonzero), in C order: an array for each axis, as several results.",
    args = { ARRAY },
    returns = { { "array", "int64, 1-d: the indices along the first axis; then one such array for each further "
      .. "axis" } },
    errors = { shape = "a 0-d array" },
    example = [[
local rows, columns = dc.nonzero { { 0, 1 }, { 2, 0 } }
rows                                       --> {1, 2}
columns                                    --> {2, 1}
]],
    see = "select count",
    words = "argwhere find indices",
  },
  {
    "take", at = "dc array struct_array",
    text = "The elements at these indices along the axis, in the shape of the indices; without an axis, of all "
      .. "elements in C order.",
    args = { ARRAY,
      { "indices", "array|table|integer", "integers from 1, or negative ones from the end" },
      { "axis?", "integer", "the axis that they count along. Default: all elements in C order, as if 1-d" } },
    returns = { { "array", "the dtype of `a`; the shape of `a` with the axis replaced by the axes of `indices`, "
      .. "or without an axis the shape of `indices`" } },
    errors = { device = "arrays of two devices", dtype = "indices that are no integers",
      index = "an index out of range (the first one is named), an axis out of range" },
    example = [[
local a = dc.array { 10, 20, 30 }
a:take { 3, -3 }                           --> {30, 10}
a:take { { 1, 2 }, { 3, 1 } }              --> {{10, 20}, {30, 10}}
dc.take({ { 1, 2 }, { 3, 4 } }, { 2, 2 }, 1)  --> {{3, 4}, {3, 4}}
]],
    see = "select scatter_add argsort",
    words = "gather pick rows index",
  },
  {
    "scatter_add", at = "dc array", call = { "a:scatter_add(indices, values [, {deterministic=true}])",
      "dc.scatter_add(a, indices, values [, {deterministic=true}])" },
    text = "Adds `values[k]` to `a[indices[k]]`, in place, and returns `a`; for arrays of several axes whole rows. "
      .. "Values broadcast. Equal indices add up. Integers of 32 and 64 bits are added atomically. Values of "
      .. "other dtypes are added in a fixed order: the same bits for the same input on a device. On a GPU, and where "
      .. "the array is more than four times as large as the values, the indices are sorted first and the values of "
      .. "each index summed as a tree (rows of 32 and more elements one after another); on the CPU device, and on a "
      .. "GPU where `a` has up to 1,536 floats, chunks of the values are added one after another, in float64. Option "
      .. "`deterministic = false` lets a GPU add float32, float64 and complex values atomically, in any order: faster "
      .. "for a million values (7 times), but the last bits differ from run to run.",
    args = { { "a", "array", "the array that is changed; a view, too" },
      { "indices", "array|table|integer", "integers from 1, or negative ones from the end, along the first axis" },
      { "values", "array|table|number", "broadcast to the shape of `indices` followed by that of a row of `a`" } },
    options = { { "deterministic", "boolean", "whether the order of the additions is fixed. Default: true" } },
    returns = { { "array", "`a`" } },
    errors = { argument = "not three arguments and perhaps options, a table in place of `a`, a view of `broadcast_to`",
      device = "arrays of two devices",
      dtype = "indices that are no integers, an array of bools, values whose dtype does not promote to that of `a`",
      index = "an index out of range (the first one is named)", shape = "values that do not broadcast, a 0-d `a`" },
    example = [[
local a = dc.zeros(3)
a:scatter_add({ 1, 1, 3 }, { 1, 2, 4 })    --> {3, 0, 4}
a:scatter_add(-1, 1)                       --> {3, 0, 5}
dc.zeros(2, 2):scatter_add({ 2, 2 }, { { 1, 2 }, { 3, 4 } })  --> {{0, 0}, {4, 6}}
]],
    see = "take bincount",
    words = "scatter accumulate segment sum",
  },
  {
    "bincount", at = "dc array struct_array",
    call = { "a:bincount([{minlength=0, weights=, key=}])", "dc.bincount(a [, {minlength=0, weights=, key=}])" },
    text = "Counts integers: `c[v + 1]` is the count of the integer `v`, from 0 to the largest value (int64). With "
      .. "option `weights`: their sums instead of counts (float64, in a fixed order). Option `minlength`: the result "
      .. "has at least this length.",
    args = { { "a", "array|table", "integers from 0 on, or bools, of any shape" } },
    options = { { "minlength", "integer", "the least length of the result. Default: 0" },
      { "weights", "array|table", "a number for each element, summed in place of 1" },
      { "key", "function", "a function in Lua: `key(p)` is counted in place of element p" } },
    returns = { { "array", "1-d: int64 counts, or float64 sums of weights" } },
    errors = { argument = "negative values, a negative `minlength`", device = "weights on another device",
      dtype = "not integers, complex weights", shape = "not one weight for each element" },
    example = [[
dc.bincount { 0, 1, 1, 3 }                 --> {1, 2, 0, 1}
dc.bincount({ 0, 1, 1 }, { weights = { 0.5, 1, 2 }, minlength = 4 })  --> {0.5, 3, 0, 0}
]],
    see = "histogram unique scatter_add",
    words = "count occurrences",
  },
  {
    "histogram", at = "dc array struct_array",
    call = { "a:histogram([bins] [, {range=, weights=, key=}])",
      "dc.histogram(a [, bins] [, {range=, weights=, key=}])" },
    text = "The number of elements in each of `bins` (10) bins of equal width from the smallest to the largest "
      .. "element, and the float64 edges; or in bins between ascending edges, if `bins` is an array or table. A bin "
      .. "includes its lower edge, the last one both. Elements outside, and NaN, are not counted. Options `range = "
      .. "{low, high}`, `weights`.",
    args = { { "a", "array|table", "the elements, of any shape" },
      { "bins?", "integer|array|table", "the number of bins, or their edges, one more than bins. Default: 10" } },
    options = { { "range", "number[]", "`{low, high}`: the outer edges. Default: the smallest and the largest "
      .. "element" },
      { "weights", "array|table", "a number for each element, summed in place of 1" },
      { "key", "function", "a function in Lua: `key(p)` is counted in place of element p" } },
    returns = { { "array", "1-d, one for each bin: int64 counts, or float64 sums of weights" },
      { "array", "float64, 1-d: the edges, one more than bins" } },
    errors = { argument = "no bins, edges that do not ascend, elements that are not finite without `range`, a `range` "
        .. "that is not finite, or descends, or is given with edges",
      device = "edges or weights on another device", dtype = "complex numbers",
      shape = "fewer than two edges, edges that are not 1-d, not one weight for each element" },
    example = [[
local counts, edges = dc.histogram({ 1, 2, 2, 5 }, 4)
counts                                     --> {1, 2, 0, 1}
edges                                      --> {1, 2, 3, 4, 5}
(dc.histogram({ 1, 0 / 0, 3, 9 }, 2, { range = { 0, 4 } }))  --> {1, 1}
(dc.histogram({ 1, 2, 2, 5 }, { 0, 2, 6 }))     --> {1, 3}
]],
    see = "bincount searchsorted",
    words = "bins distribution",
  },
  {
    "concat", at = "dc", call = "dc.concat({a, b, …} [, axis])",
    text = "Arrays joined along an axis, by default the first.",
    args = { { "list", "table", "arrays, or tables, that agree in all other extents" },
      { "axis?", "integer", "the axis. Default: 1" } },
    returns = { { "array", "in the promoted dtype; the extents of the axis add up" } },
    errors = { argument = "not a list, or an empty one", device = "arrays of two devices",
      index = "an axis out of range", shape = "extents that differ along another axis, 0-d arrays" },
    example = [[
dc.concat { { 1 }, { 2, 3 } }              --> {1, 2, 3}
dc.concat({ { { 1 }, { 2 } }, { { 3 }, { 4 } } }, 2)  --> {{1, 3}, {2, 4}}
]],
    see = "stack tile",
    words = "join arrays append concatenate",
  },
  {
    "stack", at = "dc", call = "dc.stack({a, b, …} [, axis])",
    text = "Arrays of one shape joined along a new axis, by default the first.",
    args = { { "list", "table", "arrays, tables or numbers of the same shape" },
      { "axis?", "integer", "where the new axis stands in the result. Default: 1" } },
    returns = { { "array", "in the promoted dtype, with one axis more, whose extent is the number of arrays" } },
    errors = { argument = "not a list, or an empty one", device = "arrays of two devices",
      index = "an axis out of range", shape = "arrays of different shapes" },
    example = [[
dc.stack { { 1, 2 }, { 3, 4 } }            --> {{1, 2}, {3, 4}}
dc.stack({ { 1, 2 }, { 3, 4 } }, 2)        --> {{1, 3}, {2, 4}}
]],
    see = "concat",
    words = "join arrays",
  },
  {
    "tile", at = "dc array", call = { "a:tile(n1, n2, …)", "dc.tile(a, n1, n2, …)" },
    text = "The array repeated n1, n2, … times along its last axes. With more numbers than axes it gets axes in front.",
    args = { ARRAY, { "...", "integer|integer[]", "how often along each axis: integers, or one table of them" } },
    returns = { { "array", "each extent multiplied by its number" } },
    errors = { argument = "no number, a negative one, a fraction" },
    example = [[
dc.tile({ 1, 2 }, 2)                       --> {1, 2, 1, 2}
dc.array({ 1, 2 }):tile(2, 1)              --> {{1, 2}, {1, 2}}
]],
    see = "repeat_ concat broadcast_to",
    words = "repeat",
  },
  {
    "repeat_", at = "dc array",
    text = "Each element repeated n times along the axis; without an axis, of all elements in C order, 1-d. The "
      .. "name `repeat` is a keyword of Lua.",
    args = { ARRAY, { "n", "integer", "how often, not negative" },
      { "axis?", "integer", "the axis. Default: all elements in C order, as if 1-d" } },
    returns = { { "array", "the extent of the axis multiplied by n" } },
    errors = { argument = "a negative number, a fraction", index = "an axis out of range" },
    example = [[
dc.repeat_({ 1, 2 }, 2)                    --> {1, 1, 2, 2}
dc.array({ { 1, 2 } }):repeat_(2, 1)       --> {{1, 2}, {1, 2}}
]],
    see = "tile",
  },
  {
    "flip", at = "dc array", call = { "a:flip(axes…)", "dc.flip(a, axes…)" },
    text = "A *view* with these axes reversed, by default all.",
    args = { ARRAY, { "...", "axes", "the axes: integers, or one table of them. Default: all axes" } },
    returns = { { "array", "a view: it shares the memory of `a`" } },
    errors = { argument = "an axis named twice, or no integer", index = "an axis out of range" },
    example = [[
local a = dc.array { { 1, 2 }, { 3, 4 } }
a:flip()                                   --> {{4, 3}, {2, 1}}
a:flip(2)                                  --> {{2, 1}, {4, 3}}
]],
    see = "roll transpose slice",
    words = "reverse mirror",
  },
  {
    "diagonal", at = "dc array",
    text = "A *view* of the diagonal of the last two axes: the elements with two equal indices. The trace is its sum, "
      .. "`a:diagonal():sum(-1)`.",
    args = { ARRAY, { "offset?", "integer", "the number of columns from the main diagonal to the right, or, "
      .. "negative, of rows below it. Default: 0" } },
    returns = { { "array", "a view: it shares the memory of `a`; the last two axes are one, without elements where "
      .. "there is no such diagonal" } },
    errors = { argument = "a fraction", shape = "fewer than 2 axes" },
    example = [[
local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
a:diagonal()                               --> {1, 5}
a:diagonal(1)                              --> {2, 6}
a:diagonal():fill(0)
a                                          --> {{0, 2, 3}, {4, 0, 6}}
]],
    see = "eye flip",
    words = "trace diag",
  },
  {
    "roll", at = "dc array",
    text = "Elements moved cyclically by n positions along the axis; without an axis, in C order.",
    args = { ARRAY, { "n", "integer", "how far; negative toward the beginning" },
      { "axis?", "integer", "the axis. Default: all elements in C order" } },
    returns = { { "array", "the shape of `a`" } },
    errors = { argument = "a fraction", index = "an axis out of range" },
    example = [[
dc.roll({ 1, 2, 3 }, 1)                    --> {3, 1, 2}
dc.array({ { 1, 2 }, { 3, 4 } }):roll(-1, 2)    --> {{2, 1}, {4, 3}}
]],
    see = "flip",
    words = "shift rotate cyclic",
  },
  {
    "pad", at = "dc array",
    call = { 'a:pad(widths [, {mode="constant", value=0}])', 'dc.pad(a, widths [, {mode="constant", value=0}])' },
    text = "Padded: `{{before, after}, …}`, an entry for each axis, or an integer for all sides. Options `mode`: "
      .. '`"constant"` (with `value`, else 0), `"edge"`, `"reflect"` (mirrored without repeating the end elements), '
      .. '`"wrap"`.',
    args = { ARRAY, { "widths", "integer|table", "an entry for each axis, `{before, after}` or an integer for both "
      .. "sides; or an integer for all sides" } },
    options = { { "mode", '"constant"|"edge"|"reflect"|"wrap"', "what stands in the new elements. Default: "
      .. '"constant"' },
      { "value", "number|boolean|complex", "with constant mode, the new elements. Default: 0, of bools false" } },
    returns = { { "array", "each extent grows by both its widths" } },
    errors = { argument = "a negative width, another mode, a `value` with another mode than constant",
      dtype = "a `value` that the dtype cannot hold",
      shape = "not an entry for each axis, an axis without elements in another mode than constant" },
    example = [[
dc.pad({ 1, 2, 3 }, { { 1, 2 } }, { value = 9 })          --> {9, 1, 2, 3, 9, 9}
dc.pad({ 1, 2, 3 }, 2, { mode = "edge" })      --> {1, 1, 1, 2, 3, 3, 3}
dc.pad({ 1, 2, 3 }, 2, { mode = "reflect" })   --> {3, 2, 1, 2, 3, 2, 1}
dc.pad({ 1, 2, 3 }, 2, { mode = "wrap" })      --> {2, 3, 1, 2, 3, 1, 2}
]],
    see = "concat",
    words = "border padding margin",
  },
  [[
`concat` and `stack` promote dtypes as operators do. Errors: `index` for an index or axis out of range (the first wrong
index is named), `shape` for shapes that do not fit, `dtype`, `argument` for options and counts. `unique`, `select`,
`partition`, `nonzero`, `take`, `scatter_add`, `bincount`, `histogram` without a range, whatever has offsets, `choice`
of less than a sixteenth without replacement, and `topk` of more than 32 of one long row wait for the device, since they
read back a count or a check; they cannot be captured in a graph. The others can.

```lua
local dc = require "dotcompute"
local a = dc.array { 3, 1, 2, 3 }
assert(a:sort()[1] == 1 and a:argsort()[1] == 2 and a:cumsum()[4] == 9)
local values, counts = a:unique { counts = true }
assert(values[3] == 3 and counts[3] == 2)
local rows = dc.arange(1, 12):reshape(3, 4):take({ 3, 1 }, 1)
assert(rows[{ 1, 1 }] == 9 and rows[{ 2, 1 }] == 1)
local counted, edges = dc.histogram({ 1, 2, 2, 5 }, 4)
assert(counted[2] == 2 and edges[5] == 5)
assert(dc.concat({ a, { 7 } })[5] == 7 and a:pad(1, { mode = "wrap" })[1] == 3)
```
]],
}
