-- Sends interrupts at random moments to prompts and to scripts that catch errors, and reports those that do not go on.
-- Usage: lua5.4 spec/hunt-interrupts.lua [count [seed]]   (from the repository's root; the prompts run on the selected
-- device).  After each interrupt the session must answer a question with a random number; if it does not, what was
-- running is printed.  When it is required it returns run(count, seed): the number of failures and a report.
package.path = "./?.lua;" .. package.path
local terminal = require "spec.terminal"
local helper = require "spec.helper"

local prelude = [[dc = require "dotcompute" f, n = nil, 0; x = dc.zeros(1000, "float32"); ]]
  .. [[k = dc.kernel("__global__ void k(float *x) { x[threadIdx.x] += 1; }"); print("rea" .. "dy")]]

-- Statements, or keys of one, and the environment of their session. %d: a fresh number.
local activities = {
  { "typing", "xyz" },
  { "an idle prompt", "" },
  { "a loop", "while true do end\n" },
  { "strings", "while true do n = #tostring(n):rep(100) end\n" },
  { "launches at tier 0", "while true do k(8, 64, x) end\n", "DOTCOMPUTE_CPU_TIER=0" },
  { "launches at tier 1", "while true do k(8, 64, x) end\n", "DOTCOMPUTE_CPU_TIER=1" },
  { "array expressions", "while true do n = (x * 2 + dc.arange(1, 1000)):sum():item() end\n" },
  { "io.read", "io.read()\n" },
  { "printing", "while true do print(('p'):rep(50)) end\n" },
  { "sorting", "while true do dc.sort(dc.random.uniform(300000)) end\n" },
  { "loading files", "while true do dc.save(NAME, x) dc.load(NAME) dofile(LUA) end\n" },
  { "compiling", "i = %d "
    .. "while true do i = i + 1 f = dc.kernel('__global__ void k(int *x) { *x = ' .. i .. '; }') end\n" },
  { "the start", nil },
}

-- One session: some interrupts during one activity. Gives its lines for spec/terminal.py.
local function session(activity, count, folder)
  local name, text, environment = table.unpack(activity)
  local lines = { ("open a env DOTCOMPUTE_CACHE=%s/cache %s $D"):format(folder, environment or "") }
  local function add(...) lines[#lines + 1] = string.format(...) end
  local function interrupt() add(math.random(2) == 1 and "type \\x03" or "signal 2") end
  local function ask()
    local number = math.random(1 << 40)
    add("see > \ntype ('%%d!'):format(%d + 1)\\n\nsee \\n%d!\\n", number, number + 1)
  end
  if name ~= "the start" then
    add("see > \ntype %s\\n\nsee ready\\n\nsee > ", prelude:gsub("NAME", "'x'"))
    add("type NAME, LUA = '%s/a.npy', '%s/a.lua'\\n\nsee > ", folder, folder)
  end
  for _ = 1, count do
    if name == "the start" then add("wait %.3f", 0.15 + math.random() * 0.6)
    else
      local number = math.random(1 << 29)
      local keys = text:gsub("%%d", number):gsub("\n", "\\n")
      -- a signal that comes before the statement has begun would leave it to be run after that
      if text:find "\n" then add("type print(%d .. 'go') %s\nsee \\n%dgo\\n", number, keys, number)
      else add("type %s", keys) end
      add("wait %.3f", math.random() ^ 2 * (name == "printing" and 0.05 or 0.4))
    end
    interrupt()
    if text and text:find "\n" then add "see interrupted" end
    add "type \\n"
    ask()
  end
  add("see > \ntype \\x04\nend")
  return table.concat(lines, "\n") .. "\n"
end

-- Sends `count` interrupts to a script that catches its errors and must then end without another signal.
local script = [[
local dc = require "dotcompute"
local x, n, i = dc.zeros(1000, "float32"), 0, ...
local k = dc.kernel "__global__ void k(float *x) { x[threadIdx.x] += 1; }"
local work = {
  function() k(8, 64, x) end, function() n = dc.sort(dc.random.uniform(100000)) end,
  function() i = i + 1 dc.kernel(("__global__ void k(int *x) { *x = %d; }"):format(i)) end,
  function() for _ = 1, 100 do n = (x * 2 + 1):sum():item() end end,
}
io.stdout:setvbuf "no"
local seen, want = 0, math.tointeger(select(2, ...))
print "ready"
while seen < want do
  local ok, err = pcall(function() while true do work[math.random(#work)]() end end)
  local text = tostring(err)
  if ok or not (err.kind == "interrupted" or text:find "interrupted!") then print("WRONG", text) os.exit(3) end
  seen = seen + 1
  print("caught " .. seen)
end
print("end", dc.arange(1, 100):sum():item())
]]

local function script_session(host, count, folder)
  local lines = { ("open a env DOTCOMPUTE_CACHE=%s/cache %s %s/script.lua %d %d"):format(folder, host, folder,
    math.random(1 << 29), count), "see ready" }
  for i = 1, count do lines[#lines + 1] = ("wait %.3f\nsignal 2\nsee caught %d\\n"):format(math.random() * 0.3, i) end
  return table.concat(lines, "\n") .. "\nsee end\\t5050\nend\n"
end

local function run(count, seed)
  math.randomseed(seed)
  local folder, failures, report = os.tmpname(), 0, {}
  os.remove(folder)
  assert(os.execute("mkdir -m 700 " .. folder .. " " .. folder .. "/cache"))
  for name, text in pairs { script = script, a = "for i = 1, 1000 do local t = {} end" } do
    local f = assert(io.open(folder .. "/" .. name .. ".lua", "w"))
    f:write(text)
    f:close()
  end
  local stock = os.getenv "LUA" or "lua5.4"
  local hosts = { { "a script in dclua", "$D" }, { "a script in stock Lua", stock } }
  -- the host of a sanitizer's build (tools/host.c) has no handler for SIGINT, and ends
  if stock ~= (os.getenv "DOTCOMPUTE_STOCK_LUA" or stock) then hosts[2] = { "a script in dclua, again", "$D" } end
  local kinds, done, at = #activities + #hosts, 0, 0
  while done < count do
    at = at % kinds + 1
    local once = at == #activities or at == kinds -- stock Lua lets a second SIGINT end it
    local n = once and 1 or math.min(math.ceil(count / kinds), count - done, 8)
    local activity = activities[at] or hosts[at - #activities]
    local lines = activities[at] and session(activity, n, folder) or script_session(activity[2], n, folder)
    local text, ended = terminal.run(lines)
    done = done + n
    if ended ~= "status 0" then
      failures = failures + 1
      report[#report + 1] = ("%s: %s\n%s"):format(activity[1], ended, text:sub(-1200))
    end
  end
  os.execute("rm -rf " .. helper.quote(folder))
  return failures, table.concat(report, "\n--\n")
end

if arg and arg[0] and arg[0]:find "hunt%-interrupts%.lua$" then
  local seed = tonumber(arg[2]) or os.time()
  local failures, report = run(tonumber(arg[1]) or 400, seed)
  print(("%s\n%d sessions lost (seed %d)"):format(report, failures, seed))
  os.exit(failures == 0)
end
return { run = run }
