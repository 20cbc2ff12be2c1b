-- dclua --cache and --bundle: commands on the cache of compiled code, and files of compiled code beside scripts.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local cache = {}

local function size_text(bytes)
  if bytes < 10240 then return ("%d B"):format(bytes) end
  if bytes < 10 << 20 then return ("%.0f KiB"):format(bytes / 1024) end
  return ("%.0f MiB"):format(bytes / 1024 / 1024)
end

local function age_text(seconds)
  if seconds < 120 then return ("%.0f s"):format(math.max(seconds, 0)) end
  if seconds < 7200 then return ("%.0f min"):format(seconds / 60) end
  if seconds < 172800 then return ("%.0f h"):format(seconds / 3600) end
  return ("%.0f days"):format(seconds / 86400)
end

local function count_text(n, what) return ("%d %s"):format(n, n == 1 and what or what:gsub("y$", "ie") .. "s") end

-- A size in bytes from a text like "64M"; a number without a letter is in MiB. Nil for other texts.
local function parse_size(text)
  local number, unit = text:match "^(%d+%.?%d*)([kKmMgG]?)[iI]?[bB]?$"
  local factors = { k = 1 << 10, m = 1 << 20, g = 1 << 30 }
  local bytes = number and tonumber(number) * factors[unit == "" and "m" or unit:lower()]
  return bytes and bytes >= 1 and bytes < 2 ^ 53 and math.floor(bytes) or nil
end

local commands = {}

function commands.list()
  local total, entries = 0, core.cache_list()
  for _, e in ipairs(entries) do
    total = total + e.size
    print(("%s  %9s  %8s  %s"):format(e.key:sub(1, 16), size_text(e.size), age_text(e.age),
      e.good and e.about or "DAMAGED"))
  end
  print(("%s, %s"):format(count_text(#entries, "entry"), size_text(total)))
  return true
end

-- Returns true when all entries match their checksums.
function commands.verify()
  local bad, entries = 0, core.cache_list()
  for _, e in ipairs(entries) do
    if not e.good then
      bad = bad + 1
      print(("%s.bin is damaged: it will be rebuilt"):format(e.key))
    end
  end
  print(("%s, %d damaged"):format(count_text(#entries, "entry"), bad))
  return bad == 0
end

function commands.clear()
  local files, bytes = core.cache_clear()
  print(("removed %s, %s"):format(count_text(files, "file"), size_text(bytes)))
  return true
end

function commands.prune(size)
  local bytes = size and parse_size(size)
  if size and not bytes then
    io.stderr:write(("'%s' is no size: give a number of MiB, or one with K, M or G\n"):format(size))
    return false
  end
  local files, freed = core.cache_prune(bytes)
  print(("removed %s, %s"):format(count_text(files, "file"), size_text(freed)))
  return true
end

-- Runs a command; returns whether it succeeded.
function cache.command(name, size)
  local run = commands[name]
  if not run then
    io.stderr:write(("there is no command '%s'; there are list, verify, clear, prune [size]\n"):format(name))
    return false
  end
  local folder, why_not = core.cache_folder()
  if not folder then
    io.stderr:write(why_not, "\n")
    return false
  end
  print(folder)
  return run(size)
end

-- Writes the images compiled since cache.record() to a file beside the script.
function cache.bundle(script)
  local path = script .. ".dcb"
  local images, bytes = core.bundle_write(path)
  print(("%s: %s, %s"):format(path, count_text(images, "image"), size_text(bytes)))
  return images > 0
end

cache.record = core.bundle_record

return cache
