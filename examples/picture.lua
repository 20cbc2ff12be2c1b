-- A black-and-white print of a picture: brightness, an S-shaped curve, darker corners.
-- Usage: picture.lua [IN OUT], PNG, PGM or PPM.  Without IN: a picture of its own, and no file.
local dc = require "dotcompute"

local input, output = arg and arg[1], arg and arg[2]

-- 120x160 pixels, RGB: a sunset of sorts.
local function own_picture()
  local h, w = 120, 160
  local y, x = dc.linspace(0, 1, h):reshape(h, 1), dc.linspace(0, 1, w)
  local picture = dc.empty(h, w, 3, "uint8")
  local sun = dc.exp(((x - 0.6) * (x - 0.6) + (y - 0.5) * (y - 0.5)) * -30)
  picture[{ ":", ":", 1 }] = y * 120 + sun * 130
  picture[{ ":", ":", 2 }] = y * 40 + sun * 110
  picture[{ ":", ":", 3 }] = (1 - y) * 100 + x * 20
  return picture
end

local picture = input and dc.image.read(input) or own_picture()
if picture.ndim == 2 then picture = picture:reshape(#picture, -1, 1) end
local h, w, channels = picture:shape()
local full = picture.dtype == "uint16" and 65535 or 255

-- Brightness from 0 to 1: grey as it is, or what ITU-R BT.709 gives red, green and blue. Alpha is left out.
local function channel(k) return picture[{ ":", ":", k }] * (1 / full) end
local light = channels < 3 and channel(1) or channel(1) * 0.2126 + channel(2) * 0.7152 + channel(3) * 0.0722
local curve = light * light * (light * -2 + 3)
local y, x = dc.linspace(-1, 1, h):reshape(h, 1), dc.linspace(-1, 1, w)
local print_ = curve * (1 - (x * x + y * y) * 0.25)
local result = (print_ * 255 + 0.5):to "uint8" -- everything above is one kernel

-- Check some pixels in plain Lua.
for _ = 1, 100 do
  local i, j = math.random(h), math.random(w)
  local function sample(k) return picture[{ i, j, k }] / full end
  local v = channels < 3 and sample(1) or sample(1) * 0.2126 + sample(2) * 0.7152 + sample(3) * 0.0722
  local px, py = w > 1 and 2 * (j - 1) / (w - 1) - 1 or -1, h > 1 and 2 * (i - 1) / (h - 1) - 1 or -1
  v = v * v * (3 - 2 * v) * (1 - (px * px + py * py) * 0.25) * 255
  assert(math.abs(result[{ i, j }] - v) < 0.51, ("pixel %d,%d is %d, should be %.2f"):format(i, j, result[{ i, j }], v))
end
if output then dc.image.write(output, result) end
print(("picture: %dx%d, %d channel%s, 100 pixels checked%s, on %s"):format(w, h, channels, channels == 1 and "" or "s",
  output and ", written to " .. output or "", dc.device().name))
