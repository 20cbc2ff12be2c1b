-- Runs the specs with busted under this Lua, whichever `busted` the system has on its path.
-- Usage: lua5.4 spec/run.lua [options of busted] [spec files]   (tools/with.sh sets the paths; `make test` does it all)
-- Each file runs in a process of its own, one per processor at a time (DOTCOMPUTE_SPEC_JOBS; 1: all files in this
-- process, one after another). Excluded by default: tests tagged #gpu without a GPU, #multi without two.
-- Ends with "N passed, N failed".

local options, files = {}, {}
local is_child = false -- this process runs one file for another spec/run.lua, which adds up
for _, a in ipairs(arg) do
  local list = a:sub(1, 1) == "-" and options or files
  if a == "--child" then is_child = true else list[#list + 1] = a end
end

-- The lines that a command prints.
local function lines_of(command)
  local list = {}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

-- No file named: all of them. (Lua has no directory listing of its own.)
if #files == 0 then files = lines_of "find spec -name '*_spec.lua' | LC_ALL=C sort" end
assert(#files > 0, "no spec files")

-- What the output handler must know. It is loaded by busted, so it is handed over by name.
local session = { files = files, is_child = is_child }
package.loaded["spec.session"] = session

local ok, dc = pcall(require, "dotcompute")
if ok then
  local seed = math.tointeger(tonumber(os.getenv "DOTCOMPUTE_SPEC_SEED"))
  if seed then dc.random.seed(seed) end -- that a failure is seen again with its seed
  local gpus = 0
  for _, device in ipairs(dc.devices()) do
    if device.backend == "cuda" then gpus = gpus + 1 end
  end
  if gpus < 1 or not dc.available "cuda" then options[#options + 1] = "--exclude-tags=gpu,multi"
  elseif gpus < 2 then options[#options + 1] = "--exclude-tags=multi" end
  session.no_nvrtc = os.getenv "NVRTC" == "off" and not require "dotcompute.core".compiler().available
end
if not is_child then
  if ok then
    local compiler = require "dotcompute.core".compiler()
    print(("specs on %s; NVRTC %s; DOTCOMPUTE_SPEC_SEED=%s"):format(dc.device(),
      compiler.available and compiler.library or "not found", os.getenv "DOTCOMPUTE_SPEC_SEED" or "unset"))
  else
    print("dotcompute cannot be loaded: " .. tostring(dc))
  end
  io.flush()
end

local jobs = math.tointeger(tonumber(os.getenv "DOTCOMPUTE_SPEC_JOBS" or lines_of "nproc"[1])) or 1
if #files > 1 and jobs > 1 then os.exit(require "spec.parallel"(files, options, jobs), true) end

-- busted reads the global `arg`. --helper= keeps a user's own configuration out.
arg = { [0] = "spec/run.lua", "--config-file=.busted", "--output=spec/output.lua" }
table.move(options, 1, #options, #arg + 1, arg)
arg[#arg + 1] = "--"
table.move(files, 1, #files, #arg + 1, arg)

require "busted.runner" { standalone = false }
