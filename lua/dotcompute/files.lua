-- Arrays in files: .npy and .npz, raw bytes, CSV.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local files = {}

-- --- arguments --------------------------------------------------------------------------------------------------

local function check_path(fname, path)
  if type(path) ~= "string" then
    fail("argument", "%s: the name of a file (a string) expected, got %s", fname, core.describe(path))
  end
end

local function check_array(fname, a)
  if not core.is_array(a) then fail("argument", "%s: an array expected, got %s", fname, core.describe(a)) end
end

local function check_dtype(fname, dtype)
  if type(dtype) ~= "string" then
    fail("argument", "%s: the name of a dtype expected, got %s", fname, core.describe(dtype))
  end
end

-- --- .npy and .npz ----------------------------------------------------------------------------------------------

-- load(path [, {mmap = true, name = "x"}])
local load_signature = { "path", known = { mmap = "boolean", name = "string" },
  usage = { "a path", "perhaps options" } }

function files.load(...)
  local path = ...
  check_path("dc.load", path)
  local o = arguments.read("dc.load", load_signature, ...)
  return core.file_load(path, o.mmap, o.name)
end

-- The names and arrays of a table, sorted by name.
local function members(t)
  local names, arrays = {}, {}
  for name, a in pairs(t) do
    if type(name) ~= "string" or name == "" or name:find "\0" then
      fail("argument", "dc.save: an archive's arrays have names, as in {x = a, y = b}; got the key %s",
        core.describe(name))
    end
    if not core.is_array(a) then
      fail("argument", "dc.save: an array expected as '%s', got %s", name, core.describe(a))
    end
    if a.dtype == "bfloat16" then
      fail("dtype", "dc.save: '%s' is bfloat16, which NumPy's files do not have; save a:to \"float32\", which holds "
        .. "every bfloat16 exactly, or use dc.save_raw", name)
    end
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do arrays[i] = t[name] end
  return names, arrays
end

-- save(path, array) for .npy, save(path, {name = array, …} [, {compress = true}]) for .npz
function files.save(path, value, options)
  check_path("dc.save", path)
  local ending = path:lower():match "%.(%w+)$"
  if ending == "npy" then
    arguments.check("dc.save", options, {})
    if type(value) == "table" then
      fail("argument", "dc.save: a .npy file holds one array; a table of arrays goes into a .npz file")
    end
    check_array("dc.save", value)
    return core.npy_save(path, value)
  elseif ending == "npz" then
    local o = arguments.check("dc.save", options, { compress = "boolean" })
    if type(value) ~= "table" then
      fail("argument", "dc.save: a .npz file holds a table of arrays, as in {x = a}; got %s", core.describe(value))
    end
    local names, arrays = members(value)
    return core.npz_save(path, names, arrays, o.compress and 6 or 0)
  end
  fail("argument", "dc.save: '%s' ends in neither .npy nor .npz; dc.save_raw, dc.save_csv and dc.image.write "
    .. "write other files", path)
end

-- --- raw bytes --------------------------------------------------------------------------------------------------

-- load_raw(path, dtype [, shape] [, {offset = bytes, endian = "big", mmap = true}])
local raw_signature = { "path", "dtype", "shape", tables = { shape = true }, list = "shape",
  known = { dtype = "any", shape = "any", offset = "integer", endian = "string", mmap = "boolean" },
  usage = { "a path", "a dtype", "perhaps a shape and options" } }

function files.load_raw(...)
  local fname, path = "dc.load_raw", ...
  check_path(fname, path)
  local o = arguments.read(fname, raw_signature, ...)
  local dtype, shape = o.dtype, o.shape
  check_dtype(fname, dtype)
  if math.tointeger(shape) and type(shape) == "number" then shape = { shape } end
  if shape ~= nil and type(shape) ~= "table" then
    fail("argument", "%s: a shape expected: an integer or a table of them, got %s", fname, core.describe(shape))
  end
  if o.endian ~= nil and o.endian ~= "little" and o.endian ~= "big" then
    fail("argument", "%s: option 'endian' is \"little\" or \"big\", got '%s'", fname, o.endian)
  end
  if o.offset and o.offset < 0 then fail("argument", "%s: option 'offset' is negative: %d", fname, o.offset) end
  return core.raw_load(path, dtype, shape, o.offset, o.endian == "big", o.mmap)
end

function files.save_raw(path, a)
  check_path("dc.save_raw", path)
  check_array("dc.save_raw", a)
  return core.raw_save(path, a)
end

-- --- CSV --------------------------------------------------------------------------------------------------------

-- The delimiter, "," by default: a character that numbers do not contain.
local function check_delimiter(fname, delimiter)
  if delimiter == nil then return "," end
  if #delimiter ~= 1 or delimiter:find '[%w%.%+%-"\n\r%z]' or delimiter:byte() > 126 then
    fail("argument", "%s: option 'delimiter' is one character that numbers do not contain, got '%s'", fname, delimiter)
  end
  return delimiter
end

-- load_csv(path [, {dtype, delimiter, header, skip, comment, missing}])
local csv_signature = { "path", usage = { "a path", "perhaps options" }, known = { dtype = "string",
  delimiter = "string", header = "boolean", skip = "integer", comment = "string", missing = "any" } }

function files.load_csv(...)
  local fname, path = "dc.load_csv", ...
  check_path(fname, path)
  local o = arguments.read(fname, csv_signature, ...)
  local delimiter, comment = check_delimiter(fname, o.delimiter), o.comment or "#"
  if #comment > 1 or comment == delimiter or comment:find '[%w%.%+%-"%s%z]' then
    fail("argument", "%s: option 'comment' is one character that numbers do not contain, or \"\", got '%s'", fname,
      comment)
  end
  if o.skip and o.skip < 0 then fail("argument", "%s: option 'skip' is negative: %d", fname, o.skip) end
  return core.csv_load(path, o.dtype or "float32", delimiter, comment, o.header, o.skip or 0, o.missing)
end

-- The header line of a CSV file, of the names of its columns.
local function header_line(names, columns, delimiter)
  if #names ~= columns then
    fail("argument", "dc.save_csv: option 'header' has %d names, the array has %d columns", #names, columns)
  end
  local quoted = {}
  for i, name in ipairs(names) do
    if type(name) ~= "string" or name:find "[\n\r%z]" then
      fail("argument", "dc.save_csv: name %d of option 'header' is not a string of one line", i)
    end
    local plain = not name:find('[%s"#]') and not name:find(delimiter, 1, true) and name ~= ""
    quoted[i] = plain and name or '"' .. name:gsub('"', '""') .. '"'
  end
  return table.concat(quoted, delimiter) .. "\n"
end

-- save_csv(path, array [, {delimiter, header = names}])
function files.save_csv(path, a, options)
  local fname = "dc.save_csv"
  check_path(fname, path)
  check_array(fname, a)
  local o = arguments.check(fname, options, { delimiter = "string", header = "table" })
  local delimiter = check_delimiter(fname, o.delimiter)
  if a.ndim > 2 then
    fail("shape", "%s: a table has at most 2 axes, the array has %d; reshape it first", fname, a.ndim)
  end
  local columns = a.ndim == 2 and select(2, a:shape()) or 1
  return core.csv_save(path, a, columns, delimiter, o.header and header_line(o.header, columns, delimiter))
end

files.check_path, files.check_array = check_path, check_array

return files
