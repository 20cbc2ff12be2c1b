-- NVIDIA's compiler runs in a process of its own, whose crashes, signals and files do not affect the host.
-- The host is dclua or a stock Lua; the compiler mostly spec/fake/fake_nvrtc.c, whose head documents its commands.
local helper = require "spec.helper"
local quote, shell, write, build = helper.quote, helper.shell, helper.write, helper.build
local hosts = { dclua = build .. "/dclua", ["a stock Lua"] = helper.lua }

local function read(path) return helper.read_if_there(path) or "" end

local function lines_of(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

-- A folder for one test's files, with the script in it, and the command that runs the script.
local function prepare(host, script, library)
  local folder = helper.folder()
  write(folder .. "/script.lua", [[
local dc = require "dotcompute"
io.stdout:setvbuf "no"
local function put(name, text)
  local f = assert(io.open(FOLDER .. name, "w"))
  f:write(text)
  f:close()
end
local function try(text)
  local ok, err = pcall(dc.kernel, "/* " .. text .. " */ __global__ void k(int *x) {}")
  print(ok and "compiled" or err.kind, ok or err.code, ok or (tostring(err):gsub("\n.*", "")))
end
put("/host", io.open "/proc/self/stat":read "n")
]] .. script)
  library = library or build .. "/spec/libfake_nvrtc.so"
  return folder, ("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=off DOTCOMPUTE_NVRTC=%s FAKE_NVRTC_PID=%s/compiler "
    .. "timeout -s KILL 60 %s -e 'FOLDER=\"%s\"' %s/script.lua"):format(quote(library), folder, quote(hosts[host]),
    folder, folder)
end

local function run(host, script, before)
  local folder, command = prepare(host, script)
  local text, code = shell((before or "") .. command)
  os.execute("rm -r " .. folder)
  return text, code
end

-- Runs a script that makes the compiler hang, and sends its host a signal then.  Gives what the script printed, the
-- status, and the numbers of the compiler processes, of which the first one hung.
local function run_and_signal(host, signal, script)
  local folder, command = prepare(host, script)
  local text, code = shell(([[
%s & shell=$!
for i in $(seq 400); do [ -s %s/compiler ] && break; sleep 0.05; done
kill -%s $(cat %s/host)
wait $shell]]):format(command, folder, signal, folder))
  local compiler = math.tointeger(tonumber(read(folder .. "/compiler")))
  os.execute("rm -r " .. folder)
  return text, code, compiler
end

-- Whether a process has ended (a zombie has); waits for that for some seconds.
local function has_ended(pid)
  for _ = 1, 100 do
    local state = read("/proc/" .. pid .. "/stat"):match "%) (%a)"
    if not state or state == "Z" or state == "X" then return true end
    os.execute "sleep 0.05"
  end
  return false
end

for host in pairs(hosts) do
  describe("the compiler process of " .. host, function()
    it("may crash or exit: an error, and the next source gets a new process", function()
      local text, code = run(host, [[for _, word in ipairs { "CRASH", "fine", "EXIT", "fine" } do try(word) end]])
      local lines = lines_of(text)
      assert.equal(4, #lines, text)
      assert.matches("^compile\tCOMPILER_CRASHED\t.*script.lua:9: NVIDIA's compiler crashed %(Segmentation fault%)",
        lines[1])
      assert.matches("^compile\tCOMPILER_CRASHED\t.*ended with status 4", lines[3])
      for i = 2, 4, 2 do assert.matches("^compile\tNVRTC_ERROR_COMPILATION\t.*stand%-in", lines[i]) end
      assert.equal(0, code)
    end)

    it("may fail without a source position: its reason is the error", function()
      local text, code = run(host, [[try "GIVEUP" try "fine"]])
      local lines = lines_of(text)
      assert.equal(2, #lines, text)
      assert.matches("^compile\tNVRTC_ERROR_COMPILATION\t.*script.lua:9: .*"
        .. "the compiler gave up: catastrophic error: out of memory$", lines[1])
      assert.matches("^compile\tNVRTC_ERROR_COMPILATION\t.*stand%-in", lines[2])
      assert.equal(0, code)
    end)

    it("is ended by Ctrl-C, which is an error of kind interrupted", function()
      -- the host of a sanitizer's build (tools/host.c) has no handler, and ends
      if host ~= "dclua" and hosts[host] ~= os.getenv "DOTCOMPUTE_STOCK_LUA" then return end
      local text, code, compiler = run_and_signal(host, "INT", [[try "HANG" try "fine"]])
      local lines = lines_of(text)
      assert.equal(2, #lines, text)
      assert.matches("^interrupted\tnil\t.*interrupted while compiling", lines[1])
      assert.matches("^compile\tNVRTC_ERROR_COMPILATION\t", lines[2])
      assert.equal(0, code)
      assert.is_true(has_ended(compiler))
    end)

    it("ends with its host, which is ended by a signal", function()
      for name, number in pairs { TERM = 15, KILL = 9, HUP = 1 } do
        local text, code, compiler = run_and_signal(host, name, [[try "HANG"]])
        assert.equal("", (text:gsub("%a+\n", "")), name) -- the shell's "Killed"
        assert.equal(128 + number, code, name)
        assert.is_true(has_ended(compiler), name)
      end
    end)

    it("does not change what signals do to the host", function()
      local text, code = run(host, [[
local function caught() -- the masks of signals that are caught and ignored
  local status = io.open "/proc/self/status":read "a"
  return status:match "SigCgt:%s*(%x+)" .. status:match "SigIgn:%s*(%x+)"
end
dc.zeros(1)
local before = caught()
try "HANDLERS"
print(caught() == before)]])
      assert.matches("^compile\t[^\n]+\ntrue\n$", text)
      assert.equal(0, code)
    end)

    it("holds no file of the host open", function()
      local text, code = run(host, [[
local pipe = io.popen("cat >" .. FOLDER .. "/copied", "w")
try "fine"
pipe:write "all of it"
print(pipe:close()) -- waits for cat, which waits for the last writer
print(io.open(FOLDER .. "/copied"):read "a")]])
      assert.matches("\ntrue\texit\t0\nall of it\n$", text)
      assert.equal(0, code)
    end)

    it("is replaced when the system has killed it while idle", function()
      local text = run(host, [[
try "fine"
local own = io.open "/proc/self/stat":read "n"
local children = io.popen("grep -l '^PPid:." .. own .. "$' /proc/[0-9]*/status 2>/dev/null"):read "a"
local killed = 0
for pid in children:gmatch "%d+" do
  local name = io.open("/proc/" .. pid .. "/cmdline")
  if name and name:read "a":find "compiler%-process" and os.execute("kill -KILL " .. pid) then killed = killed + 1 end
end
print(killed)
try "fine"]])
      assert.matches("^compile\tNVRTC_ERROR_COMPILATION[^\n]+\n1\ncompile\tNVRTC_ERROR_COMPILATION", text)
    end)

    it("a library that crashes when it is loaded counts as missing", function()
      local text, code = run(host, [[try "fine"]], "FAKE_NVRTC_LOAD=crash ")
      assert.matches("^compile\tNVRTC_NOT_FOUND\t[^\n]+ was not found or cannot be loaded", text)
      assert.equal(0, code)
    end)
  end)
end

describe("the compiler process", function()
  it("is named when it is not installed", function()
    local folder = os.tmpname()
    os.remove(folder)
    local text = shell(([[mkdir -p %s/dotcompute && cp '%s/dotcompute/core.so' %s/dotcompute &&
LUA_CPATH=%s/?.so DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=off DOTCOMPUTE_NVRTC='%s/spec/libfake_nvrtc.so' %s -e '
print(select(2, pcall(require "dotcompute".kernel, "__global__ void k() {}")).message)' ]]):format(folder, build,
      folder, folder, build, quote(hosts["a stock Lua"])))
    assert.matches("^the compiler process /[^ ]+/dotcompute/compiler cannot be started %(No such file", text)
    os.execute("rm -r " .. folder)
  end)

  it("explains itself when it is started by hand", function()
    for _, program in ipairs { build .. "/dotcompute/compiler", build .. "/dclua --compiler-process" } do
      local text, code = shell(program .. " 3>&-")
      assert.matches("started by programs that use dotcompute", text)
      assert.equal(1, code)
    end
  end)
end)

describe("NVIDIA's compiler", function()
  local dc = require "dotcompute"

  it("given parentheses a million deep raises an error of kind compile, and goes on", function()
    local n = 1000000
    local deep = ("("):rep(n) .. "1" .. (")"):rep(n)
    local ok, err = pcall(dc.kernel, "__global__ void k(int *x) { x[0] = " .. deep .. "; }")
    assert.is_false(ok)
    assert.equal("compile", err.kind)
    local x = dc.zeros(1, "int32")
    dc.kernel "__global__ void k(int *x) { x[0] = 7; }" (1, 1, x)
    assert.equal(7, x[1])
  end)

  it("keeps reads of the host interruptible", function()
    local folder = os.tmpname()
    os.remove(folder)
    local text = shell(([[
mkdir %s; cd %s; mkfifo input; sleep 60 >input & writer=$!
DOTCOMPUTE_CACHE=off timeout -s KILL 50 %s -e '
local dc = require "dotcompute"
dc.kernel "__global__ void k(int *x) { x[0] = 7; }"
local f = io.open("host", "w")
f:write((io.open "/proc/self/stat":read "n"))
f:close()
local ok, err = pcall(function() io.read() while true do end end)
print(ok, err.kind)' <input & host=$!
for i in $(seq 400); do [ -s host ] && break; sleep 0.05; done
sleep 0.3; kill -INT $(cat host); wait $host; kill $writer; cd /; rm -r %s]]):format(folder, folder,
      quote(hosts.dclua), folder))
    assert.equal("false\tinterrupted\n", text)
  end)

  it("works with a small stack limit", function()
    local text = shell(("ulimit -s 64; DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=off %s -e '%s'"):format(
      quote(hosts.dclua), [[
local dc = require "dotcompute"
local x = dc.zeros(1, "int32")
dc.kernel "__global__ void k(int *x) { x[0] = 7; }" (1, 1, x)
print(x[1])]]))
    assert.equal("7\n", text)
  end)
end)
