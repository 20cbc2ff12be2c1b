-- Runs scripts on a driver library without a GPU (spec/fake/fake_cuda.c), in child processes, and reads its report.
local check = require "luassert"
local helper = require "spec.helper"
local quote, build = helper.quote, helper.build
local fake = {}

local library = build .. "/spec/libfake_cuda.so"

-- Rebuilds the library, under a temporary name first, since other spec files use it at the same time.
function fake.build()
  os.execute("mkdir -p " .. quote(build .. "/spec"))
  local cc, name = os.getenv "CC" or "cc", os.tmpname()
  local new = quote(library .. name:gsub("/", "."))
  assert(os.execute(("%s -std=gnu11 -O1 -g -shared -fPIC -Isrc -o %s spec/fake/fake_cuda.c && mv %s %s"):format(cc, new,
    new, quote(library))))
  os.remove(name)
end

-- Runs Lua text by dclua, or by `host`. Returns its output, and what the driver reports: {launch=, held=, misuse=,
-- calls=}.
function fake.run(script, env, host)
  local source, rep, out = os.tmpname(), os.tmpname(), os.tmpname()
  local f = assert(io.open(source, "w"))
  f:write [[
local dc = require "dotcompute"
-- Small blocks that are kept for the next array are given back: when the script has ended and its arrays are gone, and,
-- where it never gets there, by the last object to go.
local function trim()
  for _, d in ipairs(dc.devices()) do if d.backend == "cuda" then pcall(dc.memory, "trim", d) end end
end
local ended = false
local last = setmetatable({}, { __gc = function() return ended or trim() end })
local function try(...)
  local ok, err = pcall(...)
  if ok then print("ok", err) else print(err.kind, err.code or "", (tostring(err):gsub("\n.*", ""))) end
  return ok
end
local function counting(n, dtype) -- 1, 2, … n, from the host: kernels compute nothing here
  local t = {}
  for i = 1, n do t[i] = i end
  return dc.array(t, dtype)
end
local function script()
]]
  f:write(script)
  f:write "\nend\nscript()\nscript = nil\ncollectgarbage()\ncollectgarbage()\ntrim()\nended = true\n"
  f:close()
  local words = { "env", "-u", "LD_PRELOAD", "DOTCOMPUTE_DEVICE=", "DOTCOMPUTE_LIBCUDA=" .. library,
                  "FAKE_CUDA_REPORT=" .. rep }
  for name, value in pairs(env or {}) do words[#words + 1] = name .. "=" .. value end
  for i, w in ipairs(words) do words[i] = quote(w) end
  local ok, how, code = os.execute(("%s timeout 300 %s %s >%s 2>&1"):format(table.concat(words, " "),
    quote(host or build .. "/dclua"), source, out))
  local text = helper.read(out)
  check.is_true(ok == true, ("%s %s: %s"):format(how, code, text))
  local report = { launch = {}, held = {}, misuse = {}, calls = {}, text = helper.read(rep) }
  for what, rest in report.text:gmatch "(%l+) ?([^\n]*)\n" do
    if what == "calls" then report.calls[rest:match "%S+"] = math.tointeger(rest:match "%d+$")
    elseif report[what] then table.insert(report[what], rest) end
  end
  check.matches("end\n$", report.text, 1, false, "no report: " .. text)
  check.same({}, report.misuse)
  os.remove(source) os.remove(rep) os.remove(out)
  return text, report
end

-- How many of a kind were not released.
function fake.held(report, kind)
  for _, line in ipairs(report.held) do
    local n = line:match("^" .. kind .. " (%d+)$")
    if n then return math.tointeger(n) end
  end
  return 0
end

-- What Lua's end leaves to the end of the process: a context, a stream, … a device; nothing that scripts make.
function fake.assert_released(report)
  for _, kind in ipairs { "module", "memory", "pool memory" } do
    check.equal(0, fake.held(report, kind), kind .. " not released")
  end
end

-- The functions of the driver that are used.
function fake.functions()
  local names = {}
  for name in helper.read "src/cuda/cuda_api.def":gmatch "\nDC_CUDA%(%u+, (%w+)," do names[#names + 1] = name end
  return names
end

return fake
