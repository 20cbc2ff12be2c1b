-- Helpers of specs: the seed, expected errors, references in plain Lua, files, commands for the shell.
local check = require "luassert"
local helper = {}

helper.seed = tonumber(os.getenv "DOTCOMPUTE_SPEC_SEED") or os.time()
math.randomseed(helper.seed)

helper.build = os.getenv "DOTCOMPUTE_BUILD" or "build" -- the build folder
helper.dclua = helper.build .. "/dclua"
helper.lua = os.getenv "LUA" or "lua5.4"

-- For messages of assertions on random data.
function helper.note(text) return ("%s (DOTCOMPUTE_SPEC_SEED=%d)"):format(text or "", helper.seed) end

-- Calls fn, which must raise an error object of ours: of `kind`, with `pattern` in its text and the line of a
-- script in front. Gives the object.
function helper.fails(kind, pattern, fn)
  local ok, err = pcall(fn)
  assert(not ok, "no error was raised; expected one of kind " .. kind .. " with " .. pattern)
  assert(type(err) == "table" and err.kind, "no error object: " .. tostring(err))
  local text = tostring(err)
  assert(err.kind == kind, ("kind is %s, should be %s: %s"):format(err.kind, kind, text))
  assert(text:find(pattern), ("%q does not match %q"):format(text, pattern))
  assert(type(err.message) == "string" and #err.message > 0)
  assert(type(err.traceback) == "string" and err.traceback:find "stack traceback")
  local line = err.where and err.where:gsub(" %(%.%.%.tail calls%.%.%.%)$", "") -- of a spec's `return dc.f(...)`
  assert(line and line:match "_spec%.lua:%d+$", "where is " .. tostring(err.where))
  local place = err.at or err.where -- of what does not compile, the line in the source
  assert(text:sub(1, #place + 2) == place .. ": ", text)
  return err
end

-- The line after the one that calls it, plus `more`.
function helper.line(more) return debug.getinfo(2, "l").currentline + (more or 0) end

function helper.f32(v) return (string.unpack("f", string.pack("f", v))) end

helper.integers = {
  int8 = { -128, 127 }, int16 = { -32768, 32767 }, int32 = { -2147483648, 2147483647 },
  int64 = { math.mininteger, math.maxinteger },
  uint8 = { 0, 255 }, uint16 = { 0, 65535 }, uint32 = { 0, 4294967295 }, uint64 = { 0, math.maxinteger },
}
helper.dtypes = {
  "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
}
helper.itemsize = {
  bool = 1, int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8, float32 = 4,
  float64 = 8,
}
helper.pack = {
  int8 = "<i1", int16 = "<i2", int32 = "<i4", int64 = "<i8", uint8 = "<I1", uint16 = "<I2", uint32 = "<I4",
  uint64 = "<I8", float32 = "<f", float64 = "<d", bool = "<I1",
}

-- A random value that the dtype holds exactly, limits among them.
function helper.value(dtype)
  if dtype == "bool" then return math.random(2) == 1 end
  local limits = helper.integers[dtype]
  if limits then
    if math.random(8) == 1 then return limits[math.random(2)] end
    return math.random(limits[1], limits[2])
  end
  local v = (math.random() - 0.5) * 2.0 ^ math.random(-10, 10)
  if dtype == "float32" then v = helper.f32(v) end
  return v
end

-- n random values.
function helper.values(n, dtype)
  local t = {}
  for i = 1, n do t[i] = helper.value(dtype) end
  return t
end

-- A random nested table of this shape, and its values in C order.
function helper.nested(shape, dtype, flat, axis)
  axis, flat = axis or 1, flat or {}
  if axis > #shape then
    local v = helper.value(dtype)
    flat[#flat + 1] = v
    return v, flat
  end
  local t = {}
  for i = 1, shape[axis] do t[i] = helper.nested(shape, dtype, flat, axis + 1) end
  return t, flat
end

function helper.shape(ndim, most)
  local shape = {}
  for i = 1, ndim do shape[i] = math.random(1, most or 5) end
  return shape
end

function helper.product(shape)
  local n = 1
  for _, v in ipairs(shape) do n = n * v end
  return n
end

-- The text as one word of the shell's.
function helper.quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

-- Runs a shell command; its output (both streams) and its status.
function helper.shell(command)
  local pipe = assert(io.popen("{ " .. command .. "\n} 2>&1"))
  local text = pipe:read "a"
  local _, _, code = pipe:close()
  return text, code
end

-- Writes a file, of these strings; returns its name.
function helper.write(path, ...)
  local f = assert(io.open(path, "wb"))
  f:write(...)
  assert(f:close())
  return path
end

-- A file's bytes, or nil where there is no such file.
function helper.read_if_there(path)
  local f = io.open(path, "rb")
  local text = f and f:read "a"
  if f then f:close() end
  return text
end

-- A file's bytes; a missing file is an error.
function helper.read(path) return (assert(helper.read_if_there(path), "no file " .. path)) end

-- A new temporary file, of these strings; returns its name.
function helper.temporary(...) return helper.write(os.tmpname(), ...) end

-- A new temporary folder, which its owner alone may enter; returns its name.
function helper.folder()
  local name = os.tmpname()
  os.remove(name)
  assert(os.execute("mkdir -m 700 " .. helper.quote(name)))
  return name
end

-- Calls fn with a temporary file of this text, which is removed afterwards; returns fn's result.
function helper.with_file(text, fn)
  local name = helper.temporary(text)
  local ok, result = pcall(fn, name)
  os.remove(name)
  if not ok then error(result, 0) end
  return result
end

-- The programs of a file of spec/data, by name: {text =, kernels = a list of the names that it gives, sorted}.
function helper.programs(path)
  local f <close> = assert(io.open(path))
  local list = {}
  for name, kernels, text in f:read "a":gmatch "//== (%S+): ([^\n]*)\n(.-)\n//==%f[\n]" do
    list[name] = { text = text, kernels = {} }
    for kernel in (kernels .. "; "):gmatch "(.-); " do table.insert(list[name].kernels, kernel) end
    table.sort(list[name].kernels)
  end
  return list
end

-- Calls fn with a temporary folder, which is removed afterwards.
function helper.with_folder(fn)
  local name = helper.folder()
  local ok, err = pcall(fn, name)
  os.execute("chmod -R u+w " .. name .. "; rm -rf " .. name)
  if not ok then error(err, 0) end
end

-- with(library, name, fn): an `it` of the spec file that is pending where the device has no such library.
function helper.with_library(it, pending)
  local dc = require "dotcompute"
  return function(library, name, fn)
    it(name, function()
      local there, why = dc.available(library)
      if not there then return pending(why) end
      fn()
    end)
  end
end

-- A device other than the current one, or nil.
function helper.other_device()
  local dc = require "dotcompute"
  for _, d in ipairs(dc.devices()) do if d ~= dc.device() then return d end end
end

-- Calls fn with the path of a file for nvcc, `text`, that includes a header, and gives its result.
function helper.with_header(header, text, fn)
  local result
  helper.with_folder(function(folder)
    helper.write(folder .. "/shared.h", header)
    result = fn(helper.write(folder .. "/main.cu", '#include "shared.h"\n' .. text))
  end)
  return result
end

-- The strings of a list in order, separated by semicolons.
function helper.sorted(list)
  table.sort(list)
  return table.concat(list, "; ")
end

-- For helper.on_cpu: the interpreter, and native code by each of the sets of instructions.
helper.tiers_and_isas = { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" }

-- Runs a Lua script, given as text, with these arguments in a process of its own on the CPU device; `how` is appended
-- to DOTCOMPUTE_CPU_ in the environment ("TIER=1"). Returns its output, followed by stderr (where a sanitizer may
-- remark on signals) if it failed, and the status. C of a kernel that does not compile, which users see as slowness
-- only, is reported in the output.
function helper.on_cpu(how, script, ...)
  local words = { helper.quote(helper.lua), "-" }
  for i = 1, select("#", ...) do words[i + 2] = helper.quote(tostring((select(i, ...)))) end
  local stderr = os.tmpname()
  local command = "DOTCOMPUTE_LOG=compile DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_%s %s 2>%s <<'EOF'\n%s\nEOF"
  local text, code = helper.shell(command:format(how, table.concat(words, " "), helper.quote(stderr), script))
  local log = helper.read(stderr)
  os.remove(stderr)
  local wrong = log:find("error:", 1, true) or log:find("undefined symbol", 1, true) -- else a build was stopped
  for line in (wrong and log or ""):gmatch "[^\n]*native: [^\n]+" do
    if line:find(" failed in ", 1, true) or line:find("headers are included", 1, true) then text = text .. line end
  end
  if code ~= 0 then text = text .. log end
  return text, code
end

-- Asserts that the script, run so with the seed, prints nothing and ends with status 0; `runs` times with the seed and
-- those that follow it, once if not given.
function helper.passes_on_cpu(how, script, runs)
  for i = 0, (runs or 1) - 1 do
    local text, code = helper.on_cpu(how, script, helper.seed + i)
    check.equal("", text, helper.note(how))
    check.equal(0, code)
  end
end

-- Asserts that the script prints the same lines in both of these settings, with the same arguments.
function helper.prints_the_same(how, other, script, ...)
  local want, code = helper.on_cpu(how, script, ...)
  check.equal(0, code, want)
  local lines, i = {}, 0
  for line in want:gmatch "[^\n]+" do lines[#lines + 1] = line end
  for line in helper.on_cpu(other, script, ...):gmatch "[^\n]+" do
    i = i + 1
    check.equal(lines[i], line, helper.note())
  end
  check.equal(#lines, i)
end

-- The device memory in use once garbage is collected.
function helper.bytes_live()
  collectgarbage()
  collectgarbage()
  return require "dotcompute".stats().bytes_live
end

-- Asserts that the device memory in use is the same after `work` has run a few times as after its first run.
function helper.gives_back(work)
  work()
  local before = helper.bytes_live()
  for _ = 1, 3 do work() end
  check.equal(before, helper.bytes_live())
end

-- What an integer dtype makes of an integer: its lowest bits.
function helper.wrapped(v, dtype)
  local bits = helper.itemsize[dtype] * 8
  if bits == 64 then return v end
  v = v & ((1 << bits) - 1)
  return dtype:sub(1, 1) == "i" and v >= 1 << (bits - 1) and v - (1 << bits) or v
end

function helper.int32(v) return helper.wrapped(v, "int32") end

-- n random integers, of -1000 to 1000 if nothing else is said.
function helper.ints(n, low, high)
  local t = {}
  for i = 1, n do t[i] = math.random(low or -1000, high or 1000) end
  return t
end

-- Calls fn(at) with the indices of each element of that shape, from 1, in C order; the table is the same each time.
function helper.each_place(shape, fn)
  local at = {}
  local function walk(d)
    if d > #shape then return fn(at) end
    for k = 1, shape[d] do
      at[d] = k
      walk(d + 1)
    end
  end
  walk(1)
end

-- The table of fn(t[i], i).
function helper.map(t, fn)
  local r = {}
  for i = 1, #t do r[i] = fn(t[i], i) end
  return r
end

-- Asserts that two tables hold the same; the first element that differs is named.
function helper.same(want, got, text)
  check.equal(#want, #got, helper.note(text))
  for i = 1, #want do
    if want[i] ~= got[i] then
      check.equal(want[i], got[i], helper.note(("%s, element %d"):format(text or "", i)))
    end
  end
end

-- An algorithm in all ways in which its kernels are written: the one that the device and its tier choose, as for a GPU,
-- and as for native code, which interpreted kernels can do as well; or these `ways` beside the first.
function helper.each_way(fn, ways)
  local dc, algorithm = require "dotcompute", require "dotcompute.algorithm"
  fn()
  for _, way in ipairs(dc.device().backend == "cuda" and {} or ways or { "as_gpu", "serial" }) do
    algorithm[way] = true
    local ok, err = pcall(fn)
    algorithm[way] = nil
    if not ok then error(err, 0) end
  end
end

return helper
