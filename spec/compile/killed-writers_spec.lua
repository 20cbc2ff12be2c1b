-- Temporary files and folders of killed processes stayed for good where the process number was in use again, in all
-- folders but the first, and beside saved files.
local helper = require "spec.helper"
local terminal = require "spec.terminal"
local quote, shell, write = helper.quote, helper.shell, helper.write
local dclua = quote(helper.dclua)

local function list(folder)
  local names = {}
  for name in shell(("ls -A %s"):format(quote(folder))):gmatch "[^\n]+" do names[#names + 1] = name end
  return names
end

local function with_folder(fn)
  return function() helper.with_folder(fn) end
end

-- Starts the command, waits until the condition (of the shell) holds, and kills the command's process.
local function kill_when(command, condition)
  return shell(([[
%s & pid=$!
for i in $(seq 400); do %s && break; sleep 0.02; done
kill -KILL $pid; wait $pid 2>/dev/null; echo $pid]]):format(command, condition)):match "(%d+)\n$"
end

-- Names of our pattern: of a dead process, of one whose number is in use again, of living ones, and of no process.
local function plant(folder, make, begin, finish, place)
  local number = math.tointeger(tonumber((shell "sh -c 'echo $$'"))) -- ended
  local function start(pid)
    local text = helper.read("/proc/" .. pid .. "/stat")
    local fields = {}
    for word in text:match "%) (.*)":gmatch "%S+" do fields[#fields + 1] = word end
    return math.tointeger(tonumber(fields[20])) -- the 22nd of all
  end
  local own = math.tointeger(io.open "/proc/self/stat":read "n")
  local function name(pid, since) return ("%s%d-%d-%s-%s"):format(begin, pid, since, place, finish) end
  local gone = { name(number, start(own)), name(own, start(own) - 1), name(1, start(1) + 7) }
  local kept = {
    name(own, start(own)), name(1, start(1)), name(number, 7) .. "x", "a" .. name(number, 7),
    begin .. "notes" .. finish, begin .. number .. "-" .. finish,
  }
  for _, n in ipairs(gone) do os.execute(make .. " " .. quote(folder .. "/" .. n)) end
  for _, n in ipairs(kept) do os.execute(make .. " " .. quote(folder .. "/" .. n)) end
  return kept
end

local function has_kept(folder, kept, ...)
  local want = { ... }
  table.move(kept, 1, #kept, #want + 1, want)
  local names = list(folder)
  table.sort(names)
  table.sort(want)
  assert.same(want, names)
end

describe("temporary files of a killed process", function()
  it("of a native build are removed by the next process's build", with_folder(function(folder)
    if not os.execute "command -v gcc >/dev/null" then return pending "no gcc" end
    os.execute(("mkdir %s/tmp %s/other"):format(folder, folder))
    write(folder .. "/cc", ([[
#!/bin/sh
case "$*" in *kernel.c) [ -f %s/wait ] && echo $$ >%s/waits && exec sleep 60;; esac
exec gcc "$@"
]]):format(folder, folder))
    write(folder .. "/script.lua", ([[
local dc = require "dotcompute"
local x = dc.zeros(1, "int32")
dc.kernel("__global__ void k(int *x) { x[0] = %d; }")(1, 1, x)
print(x[1])
]]):format(math.random(1 << 30)))
    os.execute(("chmod +x %s/cc; touch %s/wait"):format(folder, folder))
    local command = ("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=1 DOTCOMPUTE_CC=%s/cc DOTCOMPUTE_CACHE=%s/cache "
      .. "TMPDIR=%s/tmp exec %s %s/script.lua"):format(folder, folder, folder, dclua, folder)
    local pid = kill_when("(" .. command .. ")", ("[ -s %s/waits ]"):format(folder))
    shell(("kill -KILL $(cat %s/waits); rm %s/wait"):format(folder, folder))
    local left = list(folder .. "/tmp")
    local place
    assert.is_true(#left > 0)
    for _, name in ipairs(left) do
      place = name:match("^dotcompute%-" .. pid .. "%-%d+%-(%x+)%-%w+$")
      assert.truthy(place, name)
    end
    local kept = plant(folder .. "/tmp", "mkdir", "dotcompute-", "abcDEF", place)
    write(folder .. "/tmp/" .. left[1] .. "/more", "")
    assert.matches("^%d+\n$", (shell("(" .. command .. ")")))
    has_kept(folder .. "/tmp", kept)
  end))

  it("beside a saved file are removed when the next file is saved there", with_folder(function(folder)
    local place
    for _ = 1, 20 do
      os.remove(folder .. "/a.npy")
      kill_when(("DOTCOMPUTE_DEVICE=cpu %s -e 'local dc = require \"dotcompute\" local a = dc.zeros(5000000) "
        .. "while true do dc.save(\"%s/a.npy\", a) end'"):format(dclua, folder), ("[ -e %s/a.npy ]"):format(folder))
      place = table.concat(list(folder), "\n"):match "%.dotcompute%-%d+%-%d+%-(%x+)%-%d+%.tmp"
      if place then break end
    end
    assert.truthy(place)
    local kept = plant(folder, "touch", ".dotcompute-", "3.tmp", place)
    os.execute("touch " .. folder .. "/.dotcompute-1.tmp")
    for _ = 1, 2 do
      assert.equal("", (shell(("dclua=$(realpath %s); cd %s; DOTCOMPUTE_DEVICE=cpu $dclua -e 'local dc = "
        .. "require \"dotcompute\" dc.save(\"b.npy\", dc.zeros(3))'"):format(dclua, folder))))
    end
    has_kept(folder, kept, "a.npy", "b.npy", ".dotcompute-1.tmp")
    -- the cache's files, and the history's, are written in the same way
    os.execute(("mkdir -m 700 %s/cache %s/state %s/state/dotcompute"):format(folder, folder, folder))
    kept = plant(folder .. "/cache", "touch", ".dotcompute-", "12.tmp", place)
    shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=%s/cache %s -e 'require \"dotcompute\".kernel "
      .. "\"__global__ void k(int *x) { x[0] = 1; }\"'"):format(folder, dclua))
    local names = list(folder .. "/cache")
    for i = #names, 1, -1 do if names[i]:find "%.bin$" then table.remove(names, i) end end
    table.sort(names)
    table.sort(kept)
    assert.same(kept, names)
    if not terminal.exists then return end
    kept = plant(folder .. "/state/dotcompute", "touch", ".dotcompute-", "0.tmp", place)
    write(folder .. "/state/dotcompute/history", "_HiStOrY_V2_\n" .. (("z"):rep(999) .. "\n"):rep(1001))
    local text, ended = terminal.run("open 1 $D\nsee > \ntype last=1\\n\nsee > \ntype \\x04\nend\n",
      { state = folder .. "/state" })
    assert.equal("status 0", ended, text)
    has_kept(folder .. "/state/dotcompute", kept, "history")
  end))
end)
