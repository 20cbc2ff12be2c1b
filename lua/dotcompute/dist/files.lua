-- Distributed arrays in .npy files: each rank reads and writes its own part of the file, which all of them see.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local object = require "dotcompute.dist.object"
local exchange = require "dotcompute.dist.exchange"
local check_path = require "dotcompute.files".check_path
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local files = {}

local codes = { bool = "b1", int8 = "i1", int16 = "i2", int32 = "i4", int64 = "i8", uint8 = "u1", uint16 = "u2",
  uint32 = "u4", uint64 = "u8", float16 = "f2", float32 = "f4", float64 = "f8", complex64 = "c8", complex128 = "c16" }
local dtypes = {}
for dtype, code in pairs(codes) do dtypes[code] = dtype end

-- --- the header (numpy.lib.format) --------------------------------------------------------------------------------

-- dtype, byte order, whether it is in Fortran's order, shape, and where the elements begin.
local function read_header(path)
  local f <close>, err, errno = io.open(path, "rb")
  if not f then fail(core.kind_of_errno(errno), "dc.dist.load: %s", err) end
  local head = f:read(10) or ""
  if head:sub(1, 6) ~= "\x93NUMPY" or #head < 10 then
    fail("io", "dc.dist.load: '%s' is no .npy file, which alone is read in parts", path)
  end
  local length, begin = ("<I2"):unpack(head, 9), 10
  if head:byte(7) > 1 then
    local more = f:read(2) or ""
    length, begin = ("<I4"):unpack(head:sub(9, 10) .. more .. ("\0"):rep(2 - #more)), 12
  end
  local text = f:read(length) or ""
  local order, code = text:match "'descr'%s*:%s*'([<>|=])(%w+)'"
  local fortran, list = text:match "'fortran_order'%s*:%s*(%a+)", text:match "'shape'%s*:%s*%(([%d%s,L]*)%)"
  if not code or not fortran or not list or not dtypes[code] then
    fail("io", "dc.dist.load: '%s' holds no array of a dtype that is read in parts", path)
  end
  local shape = {}
  for extent in list:gmatch "%d+" do
    local n = math.tointeger(tonumber(extent))
    if not n then fail("io", "dc.dist.load: '%s' has an axis of %s elements; the most is 2^63 - 1", path, extent) end
    shape[#shape + 1] = n
  end
  return { dtype = dtypes[code], endian = order == ">" and "big" or "little", fortran = fortran == "True",
    shape = shape, begin = begin + length }
end

-- The beginning of a .npy file in C's order, a multiple of 64 bytes.
local function header(dtype, shape)
  local code = codes[dtype]
  local text = ("{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }"):format(
    core.dtype(dtype).size == 1 and "|" or "<", code, object.shape_text(shape))
  text = text .. (" "):rep(-(#text + 11) % 64) .. "\n"
  return "\x93NUMPY\1\0" .. ("<I2"):pack(#text) .. text
end

-- --- reading ------------------------------------------------------------------------------------------------------

-- The array of C's order in the file, distributed along its first axis: a block is one piece of the file.
local function read_blocks(path, h, comm, shape)
  local row = algorithm.product(shape, 2) * core.dtype(h.dtype).size
  return object.make(comm, 1, shape, function(place, first, _, own)
    if algorithm.product(own) == 0 then return algorithm.empty(place.device, own, h.dtype) end
    return algorithm.on(place.device, dc.load_raw, path, h.dtype, own,
      { offset = h.begin + (first - 1) * row, endian = h.endian })
  end)
end

-- load(path [, {comm =, axis =}])
local load_signature = { "path", known = { comm = "any", axis = "any" }, usage = { "a path", "perhaps options" } }

function files.load(...)
  local fname, path = "dc.dist.load", ...
  check_path(fname, path)
  local o = arguments.read(fname, load_signature, ...)
  local comm = object.layout(fname, o.comm, 1, 1)
  local h, blocks, axis
  local ok, err = pcall(function()
    h = read_header(path)
    axis = select(2, object.layout(fname, comm, o.axis, #h.shape))
    local shape = h.shape
    if h.fortran then -- the same bytes in C's order are the transposed array
      shape = {}
      for k = 1, #h.shape do shape[k] = h.shape[#h.shape + 1 - k] end
    end
    blocks = read_blocks(path, h, comm, shape)
  end)
  exchange.agree(fname, comm, not ok and err or nil)
  if h.fortran then blocks = blocks:transpose() end
  return blocks:redistribute(axis)
end

-- --- writing ------------------------------------------------------------------------------------------------------

local CHUNK <const> = 1 << 26 -- bytes written at once

local function write_block(f, part, at)
  local flat = algorithm.flat(part):reshape(-1)
  local size = core.dtype(part.dtype).size
  local step, ok, err = CHUNK // size, f:seek("set", at)
  for first = 1, ok and flat.size or 0, step do
    ok, err = f:write(flat[{ { first, math.min(first + step - 1, flat.size) } }]:bytes())
    if not ok then break end
  end
  return ok, err
end

-- Runs fn, which gives nil, a message and perhaps errno where a file cannot be written; then all ranks continue or all
-- fail.
local function together(comm, path, fn)
  local ok, done, err, errno = pcall(fn)
  local failed
  if not ok then failed = done
  elseif not done then
    failed = select(2, pcall(fail, core.kind_of_errno(errno), "save: '%s' cannot be written: %s", path, tostring(err)))
  end
  exchange.agree("save", comm, failed)
end

-- Each rank writes its rows to a new file, which then takes the place of `path`.
function object.methods.save(d, path)
  local s = object.check("save", d)
  check_path("save", path)
  if not path:lower():match "%.npy$" then
    fail("argument", "save: '%s': distributed arrays are saved in .npy files; d:gather(0) for others", path)
  end
  if not codes[s.dtype] then
    fail("dtype", "save: %s, which NumPy's files do not have; save d:to \"float32\"", s.dtype)
  end
  local comm, rows, temporary = s.comm, d:redistribute(1), path .. ".part"
  local head, first_rank = header(s.dtype, s.shape), comm.parts or comm.rank == 0
  local bytes = algorithm.product(s.shape, 2) * core.dtype(s.dtype).size
  local function write_header()
    if not first_rank then return true end
    local f <close>, err, errno = io.open(temporary, "wb")
    if not f then return nil, err, errno end
    local ok, why = f:write(head)
    local closed, reason = f:close()
    return ok and closed, why or reason
  end
  local function write_rows()
    local f <close>, why, errno = io.open(temporary, "r+b")
    if not f then return nil, why, errno end
    local written = true
    for k in ipairs(rows.state.parts) do
      local first = rows:bounds(k)
      if written then written, why = write_block(f, rows.state.parts[k], #head + (first - 1) * bytes) end
    end
    local closed, reason = f:close()
    return written and closed, why or reason
  end
  local function rename() return not first_rank or os.rename(temporary, path) end
  local ok, err = pcall(function()
    for _, step in ipairs { write_header, write_rows, rename } do together(comm, path, step) end
  end)
  if ok then return end
  if first_rank then os.remove(temporary) end
  error(err, 0)
end

return files
