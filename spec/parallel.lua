-- Spec files side by side: each in a process of its own (spec/run.lua again), its output printed in one piece when it
-- has ended.  A file whose process ends without a count, or with a status that does not fit it (a sanitizer's report at
-- the end, a crash), counts as a failure.
local quote = require "spec.helper".quote

-- Files that take longest begin first, so that none of them is left over at the end: by the times of the last run here,
-- else by this list.  One worker begins with a few of the shortest instead, so that results show within seconds.
local slow = {
  "spec/array/cumulative_spec.lua", "spec/cpu/tiers_spec.lua", "spec/c/units_spec.lua", "spec/cpu/kernels_spec.lua",
  "spec/regress/061-deep-programs_spec.lua", "spec/array/gpu-text_spec.lua", "spec/array/sort_spec.lua",
  "spec/array/reductions_spec.lua", "spec/array/alike_spec.lua", "spec/array/row-passes_spec.lua",
  "spec/cpu/lookback_spec.lua", "spec/cpu/ptx-forms_spec.lua", "spec/regress/100-debug-library_spec.lua",
  "spec/array/random-expressions_spec.lua", "spec/cpu/semantics_spec.lua", "spec/device/streams-driver_spec.lua",
}

local EARLY = 8

local build = os.getenv "DOTCOMPUTE_BUILD" or "build"

local function seconds_of_last_run()
  local seconds = {}
  local f = io.open(build .. "/specs-seconds.txt")
  if not f then return seconds end
  for line in f:lines() do
    local s, name = line:match "^(%d+) (.+)$"
    if s then seconds[name] = tonumber(s) end
  end
  f:close()
  return seconds
end

local function write_lines(path, lines)
  local f = io.open(path, "w")
  if not f then return end
  f:write(table.concat(lines, "\n"), "\n")
  f:close()
end

-- For each file named on standard input, `jobs` at a time: its output, and a line "@@ STATUS SECONDS FILE".
local function command(options, jobs, list, lock)
  local words = {}
  for i, o in ipairs(options) do words[i] = quote(o) end
  local one = ([[out=$(mktemp); began=$(date +%%s)
%s spec/run.lua --child %s "$0" >"$out" 2>&1
status=$?
{ flock 9; cat "$out"; echo; echo "@@ $status $(($(date +%%s) - began)) $0"; } 9>%s
rm -f "$out"; exit 0]]):format(quote(os.getenv "LUA" or "lua5.4"), table.concat(words, " "), quote(lock))
  return ("xargs -P %d -n 1 sh -c %s <%s"):format(jobs, quote(one), quote(list))
end

-- Runs the files; gives whether all is well.
return function(files, options, jobs)
  local passed, failed, skipped = 0, 0, 0
  local list, lock = os.tmpname(), os.tmpname()
  local seconds, ran = seconds_of_last_run(), {}
  local order, rank = table.move(files, 1, #files, 1, {}), {}
  for i, name in ipairs(slow) do rank[name] = 1000 - i end
  table.sort(order, function(a, b)
    local x, y = seconds[a] or rank[a] or 0, seconds[b] or rank[b] or 0
    if x ~= y then return x > y end
    return a < b
  end)
  local last = #order
  for place = jobs, math.min(jobs + EARLY - 1, last) do table.insert(order, place, table.remove(order, last)) end
  write_lines(list, order)

  local function finish(block, status, file)
    local count = block[#block] or ""
    local p, f = count:match "^(%d+) passed, (%d+) failed$"
    if p then block[#block] = nil end
    local s = p and (block[#block] or ""):match "^(%d+) skipped$"
    if s then block[#block] = nil end
    for _, line in ipairs(block) do print(line) end
    if not p or (status ~= 0 and f == "0") then
      failed = failed + 1
      print(("FAILED: %s ended with status %d%s"):format(file, status, p and "" or " and without a count"))
    end
    passed, failed, skipped = passed + (p or 0), failed + (f or 0), skipped + (s or 0)
    io.flush()
  end

  local pipe, block, times = assert(io.popen(command(options, jobs, list, lock))), {}, {}
  for line in pipe:lines() do
    local status, took, file = line:match "^@@ (%d+) (%d+) (.+)$"
    if status then
      while block[#block] == "" do block[#block] = nil end
      finish(block, tonumber(status), file)
      ran[file], seconds[file] = true, tonumber(took)
      block = {}
    else
      block[#block + 1] = line
    end
  end
  pipe:close()
  os.remove(list)
  os.remove(lock)

  local lines = {}
  for _, file in ipairs(files) do
    lines[#lines + 1] = ("%d %s"):format(ran[file] and 1 or 0, file)
    if not ran[file] then
      failed = failed + 1
      print("FAILED: " .. file .. " did not run")
    end
  end
  write_lines(build .. "/specs-ran.txt", lines) -- .ci/run compares it with what there is
  for file, s in pairs(seconds) do times[#times + 1] = ("%d %s"):format(s, file) end
  table.sort(times)
  write_lines(build .. "/specs-seconds.txt", times)
  if skipped > 0 then print(("%d skipped"):format(skipped)) end
  print(("%d passed, %d failed"):format(passed, failed))
  io.flush()
  return failed == 0 and passed > 0
end
