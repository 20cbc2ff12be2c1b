-- Runs each spec file in a process of its own (spec/run.lua again), several at a time. Prints a line when a file
-- begins, and the file's output in one piece when it has ended. A process that ends without a count, or with a status
-- that contradicts it (a sanitizer's report at exit, a crash), or does not end, counts as a failure.
local helper = require "spec.helper"
local quote = helper.quote

-- The longest files begin first, so that none of them is left over at the end: by the times of the last run in this
-- build folder, else by this list. One worker begins with a few of the shortest, so that results show within seconds.
local slow = {
  "spec/c/native_spec.lua", "spec/cpu/lookback_spec.lua", "spec/cpu/random-branches_spec.lua",
  "spec/cpu/tiers_spec.lua", "spec/c/build_spec.lua", "spec/device/debug-library-upvalues_spec.lua",
  "spec/device/process-limits_spec.lua", "spec/cpu/deep-programs_spec.lua", "spec/dclua/dclua_spec.lua",
  "spec/array/gpu-text_spec.lua", "spec/array/sort_spec.lua", "spec/cpu/rows-that-wrap_spec.lua",
  "spec/cpu/random-kernels_spec.lua", "spec/cpu/ptx-forms_spec.lua", "spec/array/random-expressions_spec.lua",
  "spec/cpu/kernels_spec.lua", "spec/array/reductions_spec.lua", "spec/array/cumulative_spec.lua",
}

local EARLY = 8
local LIMIT = 1200 -- seconds for one file: one that hangs is named, and the others still count
local TIMED_OUT = 124 -- exit status of timeout(1)

-- Of the last run here: seconds and number of tests of each file that still exists.
local function last_run()
  local seconds, tests = {}, {}
  local f = io.open(helper.build .. "/specs-seconds.txt")
  if not f then return seconds, tests end
  for line in f:lines() do
    local s, n, name = line:match "^(%d+) (%d+) (.+)$"
    local spec = name and io.open(name)
    if spec then
      spec:close()
      seconds[name], tests[name] = tonumber(s), tonumber(n)
    end
  end
  f:close()
  return seconds, tests
end

local function write_lines(path, lines)
  local f = io.open(path, "w")
  if not f then return end
  f:write(table.concat(lines, "\n"), "\n")
  f:close()
end

-- A shell command that runs the files named in `list`, `jobs` at a time. Of each it prints two lines, short enough for
-- one write to a pipe: "@begin FILE", and "@end STATUS SECONDS OUTPUT FILE", where OUTPUT is a temporary file.
local function command(options, jobs, list)
  local words = {}
  for i, o in ipairs(options) do words[i] = quote(o) end
  local one = ([[echo "@begin $0"; out=$(mktemp); began=$(date +%%s)
case "$0" in *tile_spec.lua|*tiles_spec.lua|*reference-examples_spec.lua|\
  *nvcc-overloads_spec.lua|*nvcc-host-frameworks_spec.lua)
  # NVRTC copies what it has freed: see spec/kernel/tile_spec.lua and these files
  export ASAN_OPTIONS="${ASAN_OPTIONS:-}:replace_intrin=0" ;;
esac
timeout --foreground -k 10 %d %s spec/run.lua --child %s "$0" >"$out" 2>&1
echo "@end $? $(($(date +%%s) - began)) $out $0"]]):format(LIMIT, quote(helper.lua), table.concat(words, " "))
  return ("xargs -P %d -n 1 sh -c %s <%s"):format(jobs, quote(one), quote(list))
end

-- The lines of a file, without blank ones at its end; the file is removed.
local function take_lines(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  while lines[#lines] == "" do lines[#lines] = nil end
  os.remove(path)
  return lines
end

-- Runs the files; returns whether all tests passed.
return function(files, options, jobs)
  local passed, failed, skipped = 0, 0, 0
  local list = os.tmpname()
  local seconds, tests = last_run()
  local ran = {}
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

  local function begin(file)
    local before = tests[file] and (" (%d tests, %d s in the last run)"):format(tests[file], seconds[file]) or ""
    print("begins: " .. file .. before)
    io.flush()
  end

  local function finish(lines, status, file)
    local count = lines[#lines] or ""
    local p, f = count:match "^(%d+) passed, (%d+) failed$"
    if p then lines[#lines] = nil end
    local s = p and (lines[#lines] or ""):match "^(%d+) skipped$"
    if s then lines[#lines] = nil end
    for _, line in ipairs(lines) do print(line) end
    if not p or (status ~= 0 and f == "0") then
      failed = failed + 1
      print(status == TIMED_OUT and ("FAILED: %s was stopped after %d seconds"):format(file, LIMIT)
        or ("FAILED: %s ended with status %d%s"):format(file, status, p and "" or " and without a count"))
    end
    p, f, s = tonumber(p or 0), tonumber(f or 0), tonumber(s or 0)
    passed, failed, skipped = passed + p, failed + f, skipped + s
    tests[file] = p + f + s
    io.flush()
  end

  local pipe = assert(io.popen(command(options, jobs, list)))
  for line in pipe:lines() do
    local begun = line:match "^@begin (.+)$"
    local status, took, output, file = line:match "^@end (%d+) (%d+) (%S+) (.+)$"
    if begun then
      begin(begun)
    elseif status then
      finish(take_lines(output), tonumber(status), file)
      ran[file], seconds[file] = true, tonumber(took)
    else
      print(line) -- of the shell or xargs
    end
  end
  pipe:close()
  os.remove(list)

  local lines, times = {}, {}
  for _, file in ipairs(files) do
    lines[#lines + 1] = ("%d %s"):format(ran[file] and 1 or 0, file)
    if not ran[file] then
      failed = failed + 1
      print("FAILED: " .. file .. " did not run")
    end
  end
  write_lines(helper.build .. "/specs-ran.txt", lines) -- .ci/run compares it with the files of spec/
  for file, s in pairs(seconds) do times[#times + 1] = ("%d %d %s"):format(s, tests[file], file) end
  table.sort(times)
  write_lines(helper.build .. "/specs-seconds.txt", times)
  if skipped > 0 then print(("%d skipped"):format(skipped)) end
  print(("%d passed, %d failed"):format(passed, failed))
  io.flush()
  return failed == 0 and passed > 0
end
