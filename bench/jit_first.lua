-- First calls of kernels in Lua in a new process: prints milliseconds. First of loading dc.jit's own files; then, for
-- each of two kernels of examples/jit, of its first call, and of the first call of another function of the same text,
-- for which there is code already: what dc.jit itself takes. The argument is the folder with the examples.
local dc = require "dotcompute"

local folder <const> = arg[1]

-- The example's text up to the end of its kernel in Lua.
local function text_of(name)
  local f <close> = assert(io.open(("%s/%s.lua"):format(folder, name)))
  return assert(f:read "a":match "^(.-\nend%))\n", name) .. ("\nreturn %s"):format(name)
end
local texts = { saxpy = text_of "saxpy", matmul = text_of "matmul" }

local x, y, m = dc.zeros(256):eval(), dc.zeros(256):eval(), dc.zeros(16, 16):eval()
local function milliseconds(fn)
  local t = dc.clock()
  fn()
  return (dc.clock() - t) * 1e3
end

local times = { milliseconds(function() require "dotcompute.jit" end) }
dc.jit(function(v) v[1] = 1.0 end)(1, 1, x)
dc.synchronize()

local function first_call(name, comment, ...)
  local chunk, args = assert(load(texts[name] .. " -- " .. comment)), table.pack(...)
  return milliseconds(function() chunk()(table.unpack(args, 1, args.n)) end)
end

for k, comment in ipairs { "not compiled yet", "compiled before" } do
  times[k + 1] = first_call("saxpy", comment, 1, 256, x, y, 0.5)
  times[k + 3] = first_call("matmul", comment, 1, { 16, 16 }, m, m, m)
end
print(table.unpack(times))
