-- Loads each source of folders written for nvcc as dc.module {file = …} does, and prints what became of its kernels:
--
--   sh tools/with.sh build lua tools/load-files.lua [-I folder]… [-D NAME[=VALUE]]… folder|file…
--
-- A line for each file that defines kernels: seconds, kernels loaded of those defined, instances, the file; below it
-- the kernels that are missing, each with the reason.  A template of which no instance is known is not counted as
-- missing, nor what #if leaves out; it is listed where the file names it besides its definition, since what does so may
-- be host code that was not understood.
-- Each file has a process of its own, so that a crash is that file's.  Include folders that do not begin with / are
-- searched beside the file and in the folders above it.
local templates = require "dotcompute.templates"

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

-- Of "ns::k<float>", "C<int>::k<3>" and the overload "k(float *)" the "k".
local function base(name)
  name = name:gsub("%b()$", "")
  repeat
    local shorter, n = name:gsub("%b<>", "")
    name = shorter
  until n == 0
  return name:match "([%w_]+)%s*$" or name
end

-- Folders of option -I as they are seen from the file.
local function folders_of(path, includes)
  local list = {}
  for _, name in ipairs(includes) do
    if name:sub(1, 1) == "/" then
      list[#list + 1] = name
    else
      local above = path
      while above:find "/" do
        above = above:gsub("/[^/]*$", "")
        local folder = above .. "/" .. name
        local there <close> = io.open(folder)
        if there then list[#list + 1] = folder end
      end
    end
  end
  return list
end

-- In the file's own process: what it has, one fact a line.
local function load_one(path, includes, macros)
  local dc = require "dotcompute"
  local f <close> = assert(io.open(path, "rb"))
  local source = f:read "a"
  local code = templates.code_of(source)
  for _, k in ipairs(templates.defined(source)) do
    local named = code:find("%f[%w_]" .. k.name .. "%f[^%w_]%s*[^%s(]") ~= nil
    print(("defined %s %s %d %s"):format(k.name, k.template, k.line, named))
  end
  local ok, m = pcall(dc.module, { file = path, include = folders_of(path, includes), define = macros })
  if not ok then
    local text = type(m) == "table" and (m.message .. "\n" .. (m.log or "")) or m
    print("error " .. text:gsub("\n", "\\n"))
    return
  end
  for _, name in ipairs(m:kernels()) do
    local usable, k = pcall(m.kernel, m, name)
    print(usable and "loaded " .. name or ("left %s %s"):format(base(name), tostring(k):gsub("\n", "\\n")))
  end
  for _, gone in ipairs(m:left_out()) do print(("left %s %s"):format(gone.name, gone.reason)) end
end

local function run_one(path, includes, macros)
  local words = { "timeout -k 5 300", quote(arg[-1] or "lua"), quote(arg[0]), "--one", quote(path) }
  for _, folder in ipairs(includes) do words[#words + 1] = "-I " .. quote(folder) end
  for name, value in pairs(macros) do words[#words + 1] = "-D " .. quote(name .. "=" .. value) end
  local r = { path = path, defined = {}, loaded = {}, instances = 0, left = {} }
  local pipe = assert(io.popen("date +'began %s.%N'; " .. table.concat(words, " ")
    .. " 2>/dev/null; echo status $?; date +'ended %s.%N'"))
  for line in pipe:lines() do
    local what, rest = line:match "^(%w+) ?(.*)$"
    if what == "defined" then
      local name, template, at, named = rest:match "(%S+) (%S+) (%d+) (%S+)"
      r.defined[#r.defined + 1] = { name = name, template = template == "true", line = at, named = named == "true" }
    elseif what == "loaded" then
      r.loaded[base(rest)], r.instances = true, r.instances + 1
    elseif what == "left" then
      local name, reason = rest:match "(%S+) (.*)"
      r.left[base(name)] = reason
    elseif what == "error" then
      r.error = rest:gsub("\\n", "\n")
    elseif what == "began" or what == "ended" then
      r[what] = tonumber(rest)
    elseif what == "status" then
      if rest ~= "0" then r.error = "the process ended with status " .. rest end
    end
  end
  pipe:close()
  r.seconds = r.ended - r.began
  return r
end

local function report(r, totals)
  local missing, loaded, unused, doubtful = {}, 0, 0, {}
  for _, k in ipairs(r.defined) do
    if r.loaded[k.name] then
      loaded = loaded + 1
    elseif not r.error and ((r.left[k.name] or ""):find "no instance is known"
      or (r.left[k.name] or ""):find "^is left out by #if") then
      unused = unused + 1
      if k.named and r.left[k.name]:find "no instance is known" then doubtful[#doubtful + 1] = k end
    else
      missing[#missing + 1] = k
    end
  end
  print(("%6.2f s %3d of %3d, %4d instances  %s"):format(r.seconds, loaded, #r.defined - unused, r.instances,
    r.path))
  for _, k in ipairs(missing) do
    print(("         %s (line %s): %s"):format(k.name, k.line, r.left[k.name] or r.error and "error" or "no reason"))
  end
  for _, k in ipairs(doubtful) do
    print(("         %s (line %s): named, without an instance"):format(k.name, k.line))
  end
  if r.error then print("         " .. r.error:sub(1, 1500):gsub("\n", "\n         ")) end
  totals.files, totals.doubtful = totals.files + 1, totals.doubtful + #doubtful
  totals.whole = totals.whole + (#missing == 0 and 1 or 0)
  totals.kernels, totals.loaded = totals.kernels + #r.defined - unused, totals.loaded + loaded
  totals.instances, totals.unused = totals.instances + r.instances, totals.unused + unused
  totals.seconds = totals.seconds + (r.seconds)
end

local paths, includes, macros, one = {}, {}, {}, false
local i = 1
while i <= #arg do
  if arg[i] == "--one" then one = true
  elseif arg[i] == "-I" then i = i + 1; includes[#includes + 1] = arg[i]
  elseif arg[i] == "-D" then
    i = i + 1
    local name, value = arg[i]:match "^([^=]*)=?(.*)$"
    macros[name] = value ~= "" and value or 1
  else paths[#paths + 1] = arg[i] end
  i = i + 1
end
if one then
  load_one(paths[1], includes, macros)
  return
end
local totals = { files = 0, whole = 0, kernels = 0, loaded = 0, instances = 0, unused = 0, doubtful = 0, seconds = 0 }
for _, path in ipairs(paths) do
  local list <close> = io.popen("find " .. quote(path) .. " -name '*.cu' -type f | sort")
  for file in list:lines() do
    local f <close> = assert(io.open(file, "rb"))
    if #templates.defined(f:read "a") > 0 then report(run_one(file, includes, macros), totals) end
  end
end
print(("%d files with kernels, %d of them whole (%.1f %%); %d of %d kernels loaded (%.1f %%), %d instances, "
  .. "%d templates without one, %d of them named; %.0f s"):format(
  totals.files, totals.whole, 100 * totals.whole / totals.files,
  totals.loaded, totals.kernels, 100 * totals.loaded / totals.kernels, totals.instances,
  totals.unused, totals.doubtful, totals.seconds))
