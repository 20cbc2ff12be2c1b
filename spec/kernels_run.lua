-- Runs kernels of the suite in this process and prints for each its name and a word for each array that it makes,
-- so that two runs can be compared: of two tiers (DOTCOMPUTE_CPU_TIER), two devices, two builds.
-- Usage: lua5.4 spec/kernels_run.lua [NAME ...] [SEED]     default: all kernels, seed 1
-- A kernel that fails prints its name and "failed:" with the reason, and the others go on.
local kernels = require "spec.kernels"

local names, seed = {}, 1
for _, word in ipairs(arg) do
  if math.tointeger(tonumber(word)) then seed = math.tointeger(tonumber(word))
  else names[#names + 1] = word end
end
if #names == 0 then names = kernels.names() end

local failed = false
for _, name in ipairs(names) do
  local why = kernels.unsuited(name)
  if why then
    print(name, "left out: " .. why)
    goto continue
  end
  local ok, words = pcall(kernels.fingerprint, name, seed)
  if ok then print(name, table.concat(words, " "))
  else print(name, "failed: " .. tostring(words):gsub("\n", " ")) end
  io.flush()
  failed = failed or not ok
  ::continue::
end
print("#", ("%d launches, %d interpreted: %s"):format(kernels.launches, #kernels.interpreted,
  table.concat(kernels.interpreted, " ", 1, math.min(20, #kernels.interpreted))))
os.exit(not failed, true)
