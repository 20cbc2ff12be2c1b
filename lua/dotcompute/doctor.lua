-- `dclua --doctor`: a report of the libraries, compilers and devices found, whether they work, and what to install.
-- require "dotcompute.doctor"() prints it and returns true when kernels run on at least one device.
local core = require "dotcompute.core"
local dc = require "dotcompute"

local function row(name, text) print(("  %-10s %s"):format(name, text)) end

local function rows(name, text)
  for line in text:gmatch "[^\n]+" do
    row(name, line)
    name = ""
  end
end

-- Prints the reasons, one a line, for which libraries could not be loaded. For a missing file its path is enough.
local function reasons(text)
  local absent = {}
  for line in text:gmatch "[^\n]+" do
    local path = line:match "^(%S+): cannot open shared object.*No such file" or line:match "^(%S+): no lib"
    if path then absent[#absent + 1] = path
    else row("missing", line) end
  end
  for k, path in ipairs(absent) do row(k == 1 and "not in" or "", path) end
end

local function gib(bytes) return ("%.1f GiB"):format(bytes / 2 ^ 30) end

-- CUDA's version numbers: 13000 is 13.0.
local function version(n) return ("%d.%d"):format(n // 1000, n % 1000 // 10) end

local function drivers()
  for _, d in ipairs(core.drivers()) do
    print(d.name .. " driver")
    if d.available then
      row("version", d.name .. " " .. version(d.version))
      row("library", d.library)
    else
      reasons(d.why_not or "unknown")
      row("", "Only machines with an NVIDIA GPU need it; the CPU device works without it.")
    end
  end
end

local function compiler()
  print "CUDA compiler (NVRTC)"
  local c = core.compiler()
  if c.available then
    row("version", ("%d.%d"):format(c.major, c.minor))
    row("library", c.library)
    row("headers", c.include_dir or "not found: #include <cuda_fp16.h> and other headers of CUDA will fail")
    row("CCCL", c.cccl_dir or "not found: #include <cub/...> and <cuda/std/...> will fail")
  else
    reasons(c.why_not or "unknown")
    row("", "Without it only kernels in the cache can run. `make demo` in dotcompute's folder downloads it from PyPI;")
    row("", "or install NVIDIA's CUDA toolkit and set CUDA_PATH.")
  end
  print "Compilers of tile kernels (tileiras)"
  if c.tile then row("folder", c.tile)
  else rows("missing", c.why_no_tile) end
  print "Cache of compiled kernels"
  row("folder", c.cache_dir or "off")
  if c.cache_note then rows("note", c.cache_note) end
end

local function c_compiler()
  print "C compiler (native kernels of the CPU device)"
  local c = core.c_compiler()
  if not c.path then
    row("missing", c.why_not)
    row("", "Without it the CPU device interprets kernels, which is slower.")
    if not os.getenv "DOTCOMPUTE_CC" then row("", "Debian: apt install gcc libc6-dev") end
    return false
  end
  row("program", table.concat({ c.path, table.unpack(c.options) }, " "))
  if c.works then row("", "works: a library was compiled and loaded")
  else rows("fails", c.why_not ~= "" and c.why_not or "it built no library and printed no reason") end
  return c.works
end

-- Prints whether a kernel of the CPU device is compiled to native code within 10 seconds.
local function native(device, compiles)
  if os.getenv "DOTCOMPUTE_CPU_TIER" == "0" then return row("", "native code: off (DOTCOMPUTE_CPU_TIER=0)") end
  if not compiles then return row("", "native code: none without a C compiler; kernels are interpreted") end
  local tier = dc.using(device, function()
    local k = dc.kernel "__global__ void native(int n, int *x) { for (int i = 0; i < n; i++) x[0] += i; }"
    local x, start = dc.zeros(1, "int32"), dc.clock()
    repeat
      for _ = 1, 50 do k(1, 32, 100, x) end
    until k.attributes.tier == 1 or dc.clock() - start > 10
    return k.attributes.tier
  end)
  row("", tier == 1 and "native code: works" or "native code: not built within 10 seconds; kernels are interpreted")
end

-- The files of loaded libraries whose names begin with one of the words of `names`.
local function loaded(names)
  local found, seen = {}, {}
  local maps = io.open "/proc/self/maps"
  for line in maps and maps:lines() or function() end do
    local path = line:match "%s(/.*)$"
    for name in names:gmatch "%S+" do
      if path and not seen[path] and path:match "[^/]*$":find(name, 1, true) == 1 then
        seen[path] = true
        found[#found + 1] = path
      end
    end
  end
  if maps then maps:close() end
  return table.concat(found, ", ")
end

-- Prints the file of a library that `use` loads when it writes a file with that ending, or what to install.
local function file_library(name, soname, package, ending, use)
  local path, host = os.tmpname(), nil
  for _, device in ipairs(dc.devices()) do if device.host_memory then host = host or device end end
  local ok, err = pcall(dc.using, host, use, path .. ending)
  os.remove(path)
  os.remove(path .. ending)
  if ok then row(name, loaded(soname))
  else
    rows(name == "library" and "missing" or name, type(err) == "table" and err.message or tostring(err))
    row("", "Debian: apt install " .. package)
  end
end

local function zlib()
  print "Compressed files (zlib)"
  file_library("library", "libz.", "zlib1g", ".npz", function(path)
    dc.save(path, { a = dc.zeros(100) }, { compress = true })
  end)
end

local function pictures()
  print "Pictures and plots"
  file_library("JPEG", "libturbojpeg.", "libturbojpeg0", ".jpg", function(path)
    dc.image.write(path, dc.zeros(1, 1, "uint8"))
  end)
  local there, why = core.chafa()
  if there then row("terminal", loaded "libchafa.")
  else
    row("terminal", "half blocks and our own sixels: " .. why)
  end
  local pipe = io.popen "command -v gnuplot"
  local path = pipe and pipe:read "l"
  if pipe then pipe:close() end
  row("PNG, SVG", path or "no gnuplot: plots are text only. Debian: apt install gnuplot-nox")
end

-- Compiles and runs a kernel on the device; returns true, or false and the error.
local function try(device)
  return pcall(function()
    dc.using(device, function()
      local k = dc.kernel "__global__ void square(int n, int *x) { int i = threadIdx.x; if (i < n) x[i] = i * i; }"
      local x = dc.zeros(100, "int32")
      k(1, 128, 100, x)
      for i = 1, 100 do assert(x[i] == (i - 1) ^ 2, "a kernel gave a wrong result") end
    end)
  end)
end

-- Prints the device's libraries: their files, or why they cannot be used and what to install.
local function libraries(device)
  local facts = core.libraries(device)
  for _, name in ipairs { "blas", "lapack", "fft", "sort" } do
    local ok, why = dc.using(device, dc.available, name)
    if not facts[name].files then goto next end
    if ok then row("", ("%s: %s"):format(name, loaded(facts[name].files or "")))
    else
      row("", "no " .. name .. ": " .. why)
      if facts[name].packages then row("", "  Debian: apt install " .. facts[name].packages) end
    end
    ::next::
  end
end

-- Prints the library by which processes that use the device communicate.
local function communication(device)
  local facts = core.comm_library(device)
  if not facts then return end
  if facts.why_not then
    row("", "no " .. facts.name .. ": " .. facts.why_not)
    for line in (facts.log or ""):gmatch "[^\n]+" do row("", "  " .. line) end
  else
    row("", ("%s: %s%s"):format(facts.name, facts.path or loaded "libnccl",
      facts.version and (" (%s)"):format(facts.version) or ""))
  end
end

local function devices(compiles)
  print "Devices"
  local working = 0
  for _, device in ipairs(dc.devices()) do
    row(device.id, device.name)
    local ok, err = pcall(function()
      local free, total = device:memory_info()
      row("", ("compute capability %s, %d multiprocessors, memory %s, free %s"):format(device.compute_capability,
        device.multiprocessors, gib(total), gib(free)))
    end)
    if ok then ok, err = try(device) end
    if ok then
      working = working + 1
      row("", "works: a kernel was compiled and run")
      if core.has_tiers(device) then native(device, compiles) end
      libraries(device)
      communication(device)
    else
      rows("", "does not work: " .. (type(err) == "table" and err.message or tostring(err)))
    end
  end
  local default, device = pcall(dc.device)
  row("default", default and device.id or tostring(device))
  return working > 0
end

return function()
  print(("dotcompute %s, %s, Linux"):format(dc.version, _VERSION))
  drivers()
  compiler()
  local compiles = c_compiler()
  zlib()
  pictures()
  local works = devices(compiles)
  print(works and "Kernels can be run." or "No device can run kernels: see above.")
  return works
end
