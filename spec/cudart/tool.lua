-- Programs written for the CUDA runtime, on the CPU device: nvcc compiles their host code with g++ and their kernels to
-- PTX, and they are linked with runtime.h's functions in place of NVIDIA's. run.lua is its command.
local helper = require "spec.helper"
local tool = {}

local function is_file(path)
  local f = io.open(path)
  if f then f:close() end
  return f ~= nil
end

-- nvcc, or nil and a sentence that says what is missing.
function tool.find()
  local library = helper.build .. "/spec/cudart/cudart.so"
  for _, root in ipairs { os.getenv "CUDA_PATH" or "", os.getenv "CUDA_HOME" or "", "/usr/local/cuda" } do
    local nvcc = root .. "/bin/nvcc"
    if is_file(nvcc) then
      if helper.shell "command -v g++" == "" then return nil, "there is no g++, which nvcc compiles host code with" end
      if not is_file(library) then
        return nil, ("there is no %s: `make units` builds it, without SAN and TSAN"):format(library)
      end
      return nvcc
    end
  end
  return nil, "there is no CUDA toolkit with nvcc (CUDA_PATH, CUDA_HOME, /usr/local/cuda)"
end

-- Compiles a program into the file `out`; options: `arch` ("compute_75"), `include`, a list of folders. True, or false
-- with what nvcc and g++ have said.
function tool.compile(source, out, options)
  local nvcc = assert(tool.find())
  local arch = options and options.arch or "compute_75"
  local words = { helper.quote(nvcc), "-std=c++17 -lineinfo --cudart none --no-compress -Wno-deprecated-gpu-targets",
    ("-arch=%s -code=%s"):format(arch, arch), "-o", helper.quote(out), helper.quote(source) }
  for _, folder in ipairs(options and options.include or {}) do words[#words + 1] = "-I" .. helper.quote(folder) end
  local folder = helper.shell("cd " .. helper.quote(helper.build .. "/spec/cudart") .. " && pwd"):gsub("\n", "")
  words[#words + 1] = ("%s -Xlinker %s"):format(helper.quote(folder .. "/cudart.so"), helper.quote("-rpath=" .. folder))
  local text, code = helper.shell(table.concat(words, " "))
  return code == 0, text
end

-- Runs a compiled program. how: `tier`, `threads`, `source` (the program's file: its kernels are what compile/ makes of
-- it), `size` (elements), `seconds` (its limit), `args`. Gives what it printed, and its status.
function tool.run(program, how)
  local words = { "DOTCOMPUTE_SPEC_SEED=" .. helper.seed }
  local function set(name, value) if value then words[#words + 1] = name .. "=" .. helper.quote(tostring(value)) end end
  set("DOTCOMPUTE_CPU_TIER", how.tier)
  set("DOTCOMPUTE_CPU_THREADS", how.threads)
  set("CUDART_SOURCE", how.source)
  set("CUDART_SIZE", how.size)
  words[#words + 1] = ("timeout %d %s"):format(how.seconds or 300, helper.quote(program))
  for _, a in ipairs(how.args or {}) do words[#words + 1] = helper.quote(a) end
  return helper.shell(table.concat(words, " "))
end

-- Programs of ours that NVRTC does not compile, since it has Thrust's and CUB's headers without their host code alone.
tool.long = { "cub_device", "thrust_keys", "thrust_scan", "thrust_select", "thrust_sets", "thrust_sort" }

-- Compiles a program of programs/ and runs it: at both tiers with 1, 2 and 4 threads, and with the kernels that
-- compile/ finds in the file. Raises what it printed where it is wrong.
function tool.verify(name)
  local source = ("spec/cudart/programs/%s.cu"):format(name)
  local is_long = false
  for _, long in ipairs(tool.long) do is_long = is_long or name == long end
  helper.with_folder(function(folder)
    local program = folder .. "/" .. name
    local function check(how)
      how.seconds = is_long and 1800 or 300
      local text, code = tool.run(program, how)
      local kernels = how.source and "the file's kernels" or "nvcc's PTX"
      assert(code == 0, helper.note(("%s, tier %d, %d threads: status %d\n%s"):format(kernels, how.tier, how.threads,
        code, text)))
    end
    assert(tool.compile(source, program))
    for tier = 0, 1 do
      for _, threads in ipairs { 1, 2, 4 } do
        check { tier = tier, threads = threads }
      end
    end
    if not is_long then check { tier = 0, threads = 2, source = source } end
  end)
end

return tool
