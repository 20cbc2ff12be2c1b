-- dc.image: pictures as arrays, h x w for grey ones, h x w x channels for others: files here, colours and terminals in
-- the folder image.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local files = require "dotcompute.files"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local image = {}

function image.read(path)
  files.check_path("dc.image.read", path)
  return core.image_read(path)
end

-- What each ending stands for: the format, the channels that it may have (`only` one number of them), its options.
local formats = {
  png = { format = "png", channels = { true, true, true, true }, options = { compression = "integer" } },
  jpg = { format = "jpeg", channels = { true, [3] = true },
    options = { quality = "integer", subsampling = "string" } },
  pgm = { format = "pnm", channels = { true }, only = 1, options = {} },
  ppm = { format = "pnm", channels = { [3] = true }, only = 3, options = {} },
  pnm = { format = "pnm", channels = { true, [3] = true }, options = {} },
}
formats.jpeg = formats.jpg

local channel_names = { "1 grey", "2 grey and alpha", "3 RGB", "4 RGBA" }

local function channels_text(channels)
  local list = {}
  for k = 1, 4 do if channels[k] then list[#list + 1] = channel_names[k] end end
  return table.concat(list, ", ")
end

-- Raises unless the array is a picture for that ending.
local function check_picture(fname, a, ending)
  local f = formats[ending]
  if a.dtype ~= "uint8" and (a.dtype ~= "uint16" or f.format == "jpeg") then
    fail("dtype", "%s: %s are uint8%s, the array is %s; numbers from 0 to 1 become bytes by "
      .. "(dc.clip(a, 0, 1) * 255 + 0.5):to \"uint8\", others by dc.image.colormap", fname,
      f.format == "jpeg" and "JPEG pictures" or "pictures", f.format == "jpeg" and "" or " or uint16", a.dtype)
  end
  local shape = { a:shape() }
  local channels = #shape == 2 and 1 or #shape == 3 and shape[3] or 0
  if f.only and channels > 0 and channels ~= f.only then
    fail("shape", "%s: a .%s file has %d channel%s, the array has %d", fname, ending, f.only, f.only == 1 and "" or "s",
      channels)
  end
  if not f.channels[channels] then
    fail("shape", "%s: a .%s picture is h x w, or h x w x channels (%s); the array is %s", fname, ending,
      channels_text(f.channels), #shape == 0 and "a single value" or table.concat(shape, " x "))
  end
  if a.size == 0 then fail("shape", "%s: a picture has pixels, the array has none", fname) end
  local most = f.format == "jpeg" and 65500 or (1 << 31) - 1
  if shape[1] > most or shape[2] > most then
    fail("shape", "%s: a .%s picture has at most %d rows and columns, not %d x %d", fname, ending, most, shape[1],
      shape[2])
  end
end

local subsamplings = { ["4:4:4"] = true, ["4:2:2"] = true, ["4:2:0"] = true }

-- write(path, array [, {compression = 0 to 9}]), for .jpg {quality = 1 to 100, subsampling = "4:2:0"}
function image.write(path, a, options)
  local fname = "dc.image.write"
  files.check_path(fname, path)
  files.check_array(fname, a)
  local ending = path:lower():match "%.(%w+)$"
  local f = formats[ending]
  if not f then
    fail("argument", "%s: '%s' ends in none of .png, .jpg, .jpeg, .pgm, .ppm, .pnm", fname, path)
  end
  local o = arguments.check(fname, options, f.options)
  local level = o.compression or o.quality or f.format == "jpeg" and 90 or 6
  if f.format == "png" and (level < 0 or level > 9) then
    fail("argument", "%s: option 'compression' is 0 to 9, got %d", fname, level)
  elseif f.format == "jpeg" and (level < 1 or level > 100) then
    fail("argument", "%s: option 'quality' is 1 to 100, got %d", fname, level)
  end
  if o.subsampling and not subsamplings[o.subsampling] then
    fail("argument", "%s: option 'subsampling' is \"4:4:4\", \"4:2:2\" or \"4:2:0\", got %s", fname,
      core.describe(o.subsampling))
  end
  check_picture(fname, a, ending)
  return core.image_write(path, a, f.format, level, o.subsampling)
end

local results = interface.results

function image.colormap(...) return results(require "dotcompute.image.colormap".colormap(...)) end
function image.colormaps() return require "dotcompute.image.colormap".names() end
function image.show(...) require "dotcompute.image.show".show(...) end

return interface.library("dc.image", image)
