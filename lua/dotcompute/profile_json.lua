-- A profile's launches in the Trace Event Format, which Chrome (chrome://tracing) and Perfetto (ui.perfetto.dev) show:
-- a process for each device, a thread for each of its streams, a complete event ("X") for each launch.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

-- --- JSON ---------------------------------------------------------------------------------------------------------

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

-- Bytes that are no UTF-8, which JSON must be, become U+FFFD.
local function valid(text)
  local out, at = {}, 1
  while true do
    local n, bad = utf8.len(text, at)
    if n then break end
    out[#out + 1] = text:sub(at, bad - 1)
    out[#out + 1] = "\u{FFFD}"
    at = bad + 1
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

local function string_text(text)
  return '"' .. valid(text):gsub('[%c"\\]', function(c)
    return escapes[c] or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

-- Microseconds, with a decimal point in every locale.
local function microseconds(s) return (("%.3f"):format(s * 1e6):gsub(",", ".")) end

local function extents_text(v) return ("[%d,%d,%d]"):format(v[1], v[2], v[3]) end

-- --- events -------------------------------------------------------------------------------------------------------

-- Numbers of devices and streams in order of their first launch; `named` is called for each new one.
local function numbering(named)
  local numbers, count = {}, 0
  return function(key, ...)
    if not numbers[key] then
      count = count + 1
      numbers[key] = count
      named(count, ...)
    end
    return numbers[key]
  end
end

local function metadata(what, pid, tid, name)
  return ('{"name":"%s","ph":"M","pid":%d,"tid":%d,"args":{"name":%s}}'):format(what, pid, tid, string_text(name))
end

local function events_of(list)
  local out, streams = {}, {}
  local process = numbering(function(pid, device)
    out[#out + 1] = metadata("process_name", pid, 0, ("%s (%s)"):format(device.id, device.name))
    streams[pid] = numbering(function(tid) out[#out + 1] = metadata("thread_name", pid, tid, "stream " .. tid) end)
  end)
  local launches = table.move(list.launches, 1, #list.launches, 1, {})
  table.sort(launches, function(a, b) return a.start < b.start end)
  for _, l in ipairs(launches) do
    local e = list[l.entry]
    local pid = process(e.device.id, e.device)
    local tid = streams[pid](l.stream)
    local more = l.grid and (',"grid":%s,"block":%s'):format(extents_text(l.grid), extents_text(l.block)) or ""
    if e.place then more = more .. (',"function":%s'):format(string_text(e.place)) end
    out[#out + 1] = ('{"name":%s,"cat":"kernel","ph":"X","ts":%s,"dur":%s,"pid":%d,"tid":%d,"args":{"line":%s%s}}')
      :format(string_text(e.kernel), microseconds(l.start), microseconds(l.seconds), pid, tid, string_text(e.site),
        more)
  end
  return out
end

-- --- the file -----------------------------------------------------------------------------------------------------

local json = {}

-- Raises what a function of the io library says, in the name of `path`.
local function fail_io(path, why, errno)
  local text = tostring(why)
  if text:sub(1, #path) ~= path then text = path .. ": " .. text end
  core.fail(core.kind_of_errno(errno), text)
end

-- Raises unless a file can be written there.
function json.check(path)
  local part = path .. ".part"
  local file, why, errno = io.open(part, "w")
  if not file then fail_io(path, (why:gsub("^.-: ", "", 1)), errno) end
  file:close()
  os.remove(part)
end

-- Writes under another name first: what fails leaves an older file as it was.
function json.write(path, list)
  local part = path .. ".part"
  local file, why, errno = io.open(part, "w")
  if not file then fail_io(path, (why:gsub("^.-: ", "", 1)), errno) end
  local ok
  ok, why = file:write('{"displayTimeUnit":"ms","otherData":{"dropped":', ("%d"):format(list.dropped),
    '},"traceEvents":[\n', table.concat(events_of(list), ",\n"), "\n]}\n")
  local closed, why_not = file:close()
  if ok and closed then ok, why = os.rename(part, path) end
  if ok and closed then return end
  os.remove(part)
  fail_io(path, (tostring(why or why_not):gsub("^.-: ", "", 1)))
end

return json
