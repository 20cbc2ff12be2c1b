---@meta dotcompute
-- Made by tools/docs.lua from lua/dotcompute/reference/. For LuaLS: the setting workspace.library names the folder of this file.

---@alias dotcompute.dtype "bool"|"int8"|"int16"|"int32"|"int64"|"uint8"|"uint16"|"uint32"|"uint64"|"float16"|"bfloat16"|"float32"|"float64"|"complex64"|"complex128"|string
---@alias dotcompute.shape integer|integer[]
---@alias dotcompute.axes integer|integer[]
---@alias dotcompute.grid integer|integer[]
---@alias dotcompute.block integer|integer[]|"auto"
---@alias dotcompute.operand dotcompute.array|number|table

---A stream of random numbers of its own, made by `dc.random.generator`.
---@class dotcompute.generator
local c_generator = {}

---@class dotcompute.random.uniform.options
---@field low? number the smallest number. Default: 0
---@field high? number the bound that is not reached. Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Numbers in [low, high), all equally likely: multiples of 2^-24 (float64: 2^-53) of the range.
---```lua
---dc.random.seed(1)
---local x = dc.random.uniform(3, 4, { low = -1 })
---x:shape()                                  --> 3, 4
---x:ge(-1):all() and x:lt(1):all()           --> true
---```
---@param ... dotcompute.shape|dotcompute.random.uniform.options the shape: integers, or one table of them
---@return array # the numbers, pending: they are computed when they are used
function c_generator:uniform(...) end

---@class dotcompute.random.normal.options
---@field mean? number the mean. Default: 0
---@field std? number the standard deviation, not negative. Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Normally distributed numbers, by Box and Muller: `sqrt(-2 ln u)` times cosine and sine of `2 pi v`.
---```lua
---local x = dc.random.generator(7):normal(100000, { mean = 5, std = 2, dtype = "float64" })
---math.abs(x:mean():item() - 5) < 0.05       --> true
---math.abs(x:std():item() - 2) < 0.05        --> true
---```
---@param ... dotcompute.shape|dotcompute.random.normal.options the shape: integers, or one table of them
---@return array # the numbers, pending: they are computed when they are used
function c_generator:normal(...) end

---@class dotcompute.random.exponential.options
---@field mean? number the mean. Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Exponentially distributed numbers: `-mean * ln u`.
---```lua
---dc.random.exponential(1000):ge(0):all()    --> true
---```
---@param ... dotcompute.shape|dotcompute.random.exponential.options the shape: integers, or one table of them
---@return array # the numbers, pending: they are computed when they are used
function c_generator:exponential(...) end

---@class dotcompute.random.integers.options
---@field low? integer the smallest. Default: 0
---@field high? integer the largest, included. Default: the dtype's largest
---@field dtype? dotcompute.dtype an integer dtype. Default: int64

---Integers from `low` to `high`, both included, all equally likely. At least one of the three options is given; without `high` it is the dtype's largest.
---```lua
---local dice = dc.random.integers(10, { low = 1, high = 6 })
---dice.dtype, dice:ge(1):all(), dice:le(6):all()   --> int64, true, true
---```
---@param ... dotcompute.shape|dotcompute.random.integers.options the shape: integers, or one table of them
---@return array # the integers, pending: they are computed when they are used
function c_generator:integers(...) end

---1 to n in random order; or the rows of `a` in random order.
---```lua
---dc.random.permutation(5):sort()            --> {1, 2, 3, 4, 5}
---```
---@param n integer|array|table how many numbers, or the array whose first axis is shuffled
---@return array # int64, or a copy of `a` with its rows in another order
function c_generator:permutation(n) end

---@class dotcompute.random.choice.options
---@field replace? boolean whether a value may be chosen more than once. Default: true
---@field p? array|table a probability for each value; their sum is 1. Default: all are equal

---Integers from 1 to n, or rows of `a`, chosen at random; none twice with `replace = false`; with probabilities `p`.
---```lua
---dc.random.choice(5, 5, { replace = false }):sort()     --> {1, 2, 3, 4, 5}
---dc.random.choice({ 10, 20 }, 3, { p = { 0, 1 } })      --> {20, 20, 20}
---```
---@param n integer|array|table 1 to n, or the rows of this array
---@param ... dotcompute.shape|dotcompute.random.choice.options the shape of the choice: integers, or one table of them. Default: one value
---@return array # int64 of that shape, or rows of `a`
function c_generator:choice(n, ...) end

---Starts the stream of numbers of seed `n`. The first seed comes from the system.
---```lua
---dc.random.seed(42)
---local x = dc.random.uniform(1000):eval()
---dc.random.seed(42)
---dc.equal(x, dc.random.uniform(1000))       --> true
---```
---@param n integer the seed
function c_generator:seed(n) end

---Skips the numbers of `n` calls.
---```lua
---local g, h = dc.random.generator(1), dc.random.generator(1)
---g:uniform(5)
---h:jump(1)
---dc.equal(g:normal(4), h:normal(4))         --> true
---```
---@param n integer the number of calls, not negative
function c_generator:jump(n) end

---@class dotcompute.random
dc.random = {}

---Numbers in [low, high), all equally likely: multiples of 2^-24 (float64: 2^-53) of the range.
---```lua
---dc.random.seed(1)
---local x = dc.random.uniform(3, 4, { low = -1 })
---x:shape()                                  --> 3, 4
---x:ge(-1):all() and x:lt(1):all()           --> true
---```
---@param ... dotcompute.shape|dotcompute.random.uniform.options the shape: integers, or one table of them
---@return array # the numbers, pending: they are computed when they are used
function dc.random.uniform(...) end

---Normally distributed numbers, by Box and Muller: `sqrt(-2 ln u)` times cosine and sine of `2 pi v`.
---```lua
---local x = dc.random.generator(7):normal(100000, { mean = 5, std = 2, dtype = "float64" })
---math.abs(x:mean():item() - 5) < 0.05       --> true
---math.abs(x:std():item() - 2) < 0.05        --> true
---```
---@param ... dotcompute.shape|dotcompute.random.normal.options the shape: integers, or one table of them
---@return array # the numbers, pending: they are computed when they are used
function dc.random.normal(...) end

---Exponentially distributed numbers: `-mean * ln u`.
---```lua
---dc.random.exponential(1000):ge(0):all()    --> true
---```
---@param ... dotcompute.shape|dotcompute.random.exponential.options the shape: integers, or one table of them
---@return array # the numbers, pending: they are computed when they are used
function dc.random.exponential(...) end

---Integers from `low` to `high`, both included, all equally likely. At least one of the three options is given; without `high` it is the dtype's largest.
---```lua
---local dice = dc.random.integers(10, { low = 1, high = 6 })
---dice.dtype, dice:ge(1):all(), dice:le(6):all()   --> int64, true, true
---```
---@param ... dotcompute.shape|dotcompute.random.integers.options the shape: integers, or one table of them
---@return array # the integers, pending: they are computed when they are used
function dc.random.integers(...) end

---1 to n in random order; or the rows of `a` in random order.
---```lua
---dc.random.permutation(5):sort()            --> {1, 2, 3, 4, 5}
---```
---@param n integer|array|table how many numbers, or the array whose first axis is shuffled
---@return array # int64, or a copy of `a` with its rows in another order
function dc.random.permutation(n) end

---Integers from 1 to n, or rows of `a`, chosen at random; none twice with `replace = false`; with probabilities `p`.
---```lua
---dc.random.choice(5, 5, { replace = false }):sort()     --> {1, 2, 3, 4, 5}
---dc.random.choice({ 10, 20 }, 3, { p = { 0, 1 } })      --> {20, 20, 20}
---```
---@param n integer|array|table 1 to n, or the rows of this array
---@param ... dotcompute.shape|dotcompute.random.choice.options the shape of the choice: integers, or one table of them. Default: one value
---@return array # int64 of that shape, or rows of `a`
function dc.random.choice(n, ...) end

---Starts the stream of numbers of seed `n`. The first seed comes from the system.
---```lua
---dc.random.seed(42)
---local x = dc.random.uniform(1000):eval()
---dc.random.seed(42)
---dc.equal(x, dc.random.uniform(1000))       --> true
---```
---@param n integer the seed
function dc.random.seed(n) end

---Skips the numbers of `n` calls.
---```lua
---local g, h = dc.random.generator(1), dc.random.generator(1)
---g:uniform(5)
---h:jump(1)
---dc.equal(g:normal(4), h:normal(4))         --> true
---```
---@param n integer the number of calls, not negative
function dc.random.jump(n) end

---A generator with its own stream of numbers, and the same functions as methods.
---```lua
---local g = dc.random.generator(42)
---g:integers(100, { low = 1, high = 6 }):max():item() <= 6    --> true
---```
---@param seed? integer the seed. Default: one from the system
---@return dotcompute.generator # the generator
function dc.random.generator(seed) end

return dc
