-- Compiles programs written for the CUDA runtime and runs them on the CPU device: at tiers 0 and 1, with 1, 2 and 4
-- threads each, then once at tier 0 with the kernels that compile/ finds in the file as it is.
--
--   sh tools/with.sh build lua spec/cudart/run.lua [options] PROGRAM.cu...   [-- arguments of the programs]
--
--   --tier=N --threads=N   that one alone
--   --kernels=nvcc|source  only the PTX of nvcc, or only what compile/ makes of the file
--   --arch=compute_80      another than compute_75      -Ifolder      --size=N (programs of ours)      --seconds=N
-- A line for each run; its output where it fails. Ends with 1 if one failed.
local helper = require "spec.helper"
local tool = require "spec.cudart.tool"

local how = { tiers = { 0, 1 }, threads = { 1, 2, 4 }, kernels = { nvcc = true, source = true }, include = {} }
local programs = {}

local function read(args)
  for i, a in ipairs(args) do
    local name, value = a:match "^%-%-(%a+)=(.*)$"
    if a == "--" then
      how.args = table.move(args, i + 1, #args, 1, {})
      return
    elseif name == "tier" then how.tiers = { math.tointeger(value) }
    elseif name == "threads" then how.threads = { math.tointeger(value) }
    elseif name == "kernels" and how.kernels[value] then how.kernels = { [value] = true }
    elseif name == "arch" then how.arch = value
    elseif name == "size" then how.size = value
    elseif name == "seconds" then how.seconds = assert(math.tointeger(value), "--seconds takes a whole number")
    elseif a:match "^%-I." then table.insert(how.include, a:sub(3))
    elseif a:sub(1, 1) == "-" then error("unknown option " .. a, 0)
    else programs[#programs + 1] = a end
  end
end

local function seconds() return tonumber((helper.shell "date +%s.%N")) end

local failed = false

local function try(exe, name, what, tier, threads, source)
  local begin = seconds()
  local text, code = tool.run(exe, { tier = tier, threads = threads, source = source, size = how.size, args = how.args,
    seconds = how.seconds })
  print(("%-9s %s, %s, tier %d, %d threads: %.1f s"):format(code == 0 and "ok" or "status " .. code, name, what, tier,
    threads, seconds() - begin))
  if code ~= 0 then
    failed = true
    io.write((text:gsub("([^\n]*\n?)", "  %1", select(2, text:gsub("\n", "\n")) + 1)))
  end
end

local function drive(path, folder)
  local name = path:match "([^/]+)%.%w+$" or path
  local exe = folder .. "/program"
  local ok, text = tool.compile(path, exe, how)
  if not ok then
    print(("not compiled: %s\n%s"):format(name, text))
    failed = true
    return
  end
  for _, tier in ipairs(how.kernels.nvcc and how.tiers or {}) do
    for _, threads in ipairs(how.threads) do try(exe, name, "nvcc's PTX", tier, threads) end
  end
  if how.kernels.source then try(exe, name, "the file's kernels", how.tiers[1], how.threads[1], path) end
end

local ok, message = pcall(read, arg)
if ok and #programs == 0 then ok, message = false, "no program: run.lua [options] PROGRAM.cu..." end
local nvcc, why = tool.find()
if ok and not nvcc then ok, message = false, why end
if not ok then
  io.stderr:write("cudart: ", message, "\n")
  os.exit(2)
end
helper.with_folder(function(folder)
  for _, path in ipairs(programs) do drive(path, folder) end
end)
os.exit(not failed)
