-- dc.image: images as arrays, h x w for grey ones, h x w x channels for others.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local files = require "dotcompute.files"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local image = {}

function image.read(path)
  files.check_path("dc.image.read", path)
  return core.image_read(path)
end

local endings = { png = true, pgm = true, ppm = true, pnm = true }

-- write(path, array [, {compression = 0 to 9}])
function image.write(path, a, options)
  local fname = "dc.image.write"
  files.check_path(fname, path)
  files.check_array(fname, a)
  local ending = path:lower():match "%.(%w+)$"
  if not endings[ending] then
    fail("argument", "%s: '%s' ends in neither .png nor .pgm, .ppm, .pnm", fname, path)
  end
  local png = ending == "png"
  local o = arguments.check(fname, options, png and { compression = "integer" } or {})
  local level = o.compression or 6
  if level < 0 or level > 9 then fail("argument", "%s: option 'compression' is 0 to 9, got %d", fname, level) end
  if a.dtype ~= "uint8" and a.dtype ~= "uint16" then
    fail("dtype", "%s: pictures are uint8 or uint16, the array is %s; numbers from 0 to 1 become bytes by "
      .. "(dc.clip(a, 0, 1) * 255 + 0.5):to \"uint8\"", fname, a.dtype)
  end
  local shape = { a:shape() }
  local channels = #shape == 2 and 1 or #shape == 3 and shape[3] or 0
  local most = png and 4 or 3
  if channels < 1 or channels > most or (not png and channels == 2) then
    fail("shape", "%s: a picture is h x w, or h x w x %s; the array is %s", fname,
      png and "channels (1 grey, 2 grey and alpha, 3 RGB, 4 RGBA)" or "channels (1 grey, 3 RGB)",
      #shape == 0 and "a single value" or table.concat(shape, " x "))
  end
  if a.size == 0 then fail("shape", "%s: a picture has pixels, the array has none", fname) end
  if shape[1] >= 1 << 31 or shape[2] >= 1 << 31 then
    fail("shape", "%s: a picture has fewer than 2^31 rows and columns, not %d x %d", fname, shape[1], shape[2])
  end
  if (ending == "pgm" and channels ~= 1) or (ending == "ppm" and channels ~= 3) then
    fail("shape", "%s: a .%s file has %d channel%s, the array has %d", fname, ending, ending == "pgm" and 1 or 3,
      ending == "pgm" and "" or "s", channels)
  end
  return core.image_write(path, a, png, level)
end

return setmetatable(image, { __index = function(_, name) fail("index", "dc.image has no '%s'", tostring(name)) end })
