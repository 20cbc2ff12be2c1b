-- Messages of the set-up and the doctor about a system that lacks something.
local helper = require "spec.helper"
local shell, quote = helper.shell, helper.quote
local build = helper.build
local dclua = build .. "/dclua"

local folder
before_each(function()
  folder = helper.folder()
  assert(os.execute("mkdir " .. folder .. "/bin"))
end)
after_each(function() os.execute("rm -rf " .. folder) end)

-- A program of that name, in shell.
local function program(name, text)
  local path = folder .. "/bin/" .. name
  helper.write(path, "#!/bin/sh\n", text, "\n")
  os.execute("chmod +x " .. path)
  return path
end

local function link(names)
  for name in names:gmatch "%S+" do
    os.execute(("ln -s $(command -v %s) %s/bin/%s"):format(name, folder, name))
  end
end

describe("the set-up", function()
  it("lists the packages for root to install where there is no sudo", function()
    link "sh sed tr cat head cut env"
    program("id", "echo 1000")
    program("apt-get", "echo ran; exit 1")
    local text, code = shell(("env -u LD_PRELOAD PATH=%s/bin LUA=no-lua CC=no-cc sh tools/setup.sh packages test")
      :format(folder))
    assert.equal(1, code, text)
    local list = text:match "As root: apt%-get update && apt%-get install ([^\n]*)"
    assert.truthy(list, text)
    for name in ("gcc lua5.4 libedit-dev lua-busted make"):gmatch "%S+" do assert.matches(name, list, 1, true) end
    assert.falsy(text:find "\nran")
  end)

  it("shows the last lines of a failed pip", function()
    local number = math.random(1000, 9999)
    program("python3", ([[case "$*" in *--version*) exit 0 ;; esac
i=0
while [ $i -lt 20 ]; do i=$((i + 1)); echo "line $i"; done
echo "ERROR: the disk has %d inodes too few" >&2
exit 1]]):format(number))
    local text, code = shell(("PATH=%s/bin:$PATH sh tools/setup.sh wheels %s/wheels 13"):format(folder, folder))
    assert.equal(1, code, text)
    assert.matches(("ERROR: the disk has %d inodes too few"):format(number), text, 1, true)
    assert.matches("line 20", text, 1, true)
    assert.falsy(text:find "line 5\n")
    assert.falsy(text:find "No network")
    assert.equal("", (shell(("ls -d %s/wheels* 2>/dev/null"):format(folder))))
  end)
end)

describe("the doctor", function()
  local function doctor(environment)
    local text, code = shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=0 %s %s --doctor"):format(environment or "",
      quote(dclua)))
    assert.truthy(code == 0 or code == 1, text)
    return text
  end

  it("reports the C compiler and whether it works", function()
    local compiler = shell "command -v cc || command -v gcc || command -v clang":gsub("\n", "")
    if compiler == "" then return pending "no C compiler here" end
    assert.matches("C compiler[^\n]*\n  program    " .. compiler:gsub("%p", "%%%0") .. "\n%s+works",
      doctor "env -u DOTCOMPUTE_CC")
    local failing = program("fails", "echo the licence has expired >&2; exit 1")
    local text = doctor("DOTCOMPUTE_CC=" .. quote(failing))
    assert.matches("  program    " .. failing, text, 1, true)
    assert.matches("  fails      the licence has expired", text, 1, true)
  end)

  it("reports a DOTCOMPUTE_CC that names no program", function()
    local text = doctor "DOTCOMPUTE_CC='no-such-cc -O3'"
    assert.matches("  missing    DOTCOMPUTE_CC names no program: 'no-such-cc -O3'", text, 1, true)
    assert.matches("  missing    it is switched off by DOTCOMPUTE_CC", doctor "DOTCOMPUTE_CC=off", 1, true)
  end)

  it("names the files of zlib and of the device's libraries, or the packages to install", function()
    local text = doctor()
    assert.truthy(text:find "zlib%)\n  library    /[^\n]*libz%.so" or text:find "apt install zlib1g", text)
    assert.truthy(text:find "JPEG       /[^\n]*libturbojpeg%.so" or text:find "apt install libturbojpeg0", text)
    assert.truthy(text:find "terminal   /[^\n]*libchafa%.so" or text:find "Debian: libchafa0", text)
    assert.truthy(text:find "PNG, SVG   /[^\n]*gnuplot" or text:find "apt install gnuplot%-nox", text)
    for name, file in pairs { blas = "blas", lapack = "[bl]", fft = "fftw3" } do
      assert.truthy(text:find("\n%s+" .. name .. ": /[^\n]*lib[^\n]*" .. file) or
        text:find("\n%s+no " .. name .. ": [^\n]*\n%s+Debian: apt install lib"), text)
    end
  end)
end)

describe("a DOTCOMPUTE_CC that names no program", function()
  it("is reported once, at the first native build", function()
    local text, code = shell(([[DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=1 DOTCOMPUTE_CC=no-such-cc %s -e '
      local dc = require "dotcompute"
      for i = 1, 3 do
        local x = dc.zeros(1, "int32")
        dc.kernel("__global__ void f(int *x) { x[0] = " .. i .. "; }")(1, 1, x)
        print(x[1])
      end']]):format(quote(dclua)))
    assert.equal(0, code, text)
    local _, count = text:gsub("DOTCOMPUTE_CC names no program: 'no%-such%-cc'", "")
    assert.equal(1, count, text)
    assert.matches("1\n2\n3\n", text:gsub("dotcompute:[^\n]*\n", ""), 1, true)
  end)
end)

-- A PATH without any compiler: the program runs by its absolute name.
describe("a machine without a C compiler", function()
  local script = [[
    local dc = require "dotcompute"
    for i = 1, 3 do
      local x = dc.zeros(1, "int32")
      dc.kernel("__global__ void f(int *x) { x[0] = " .. i .. "; }")(1, 1, x)
      print(x[1])
    end]]
  local function run(set)
    return shell(("PATH=/nowhere DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=%s %s -e '%s'"):format(set, quote(dclua),
      script))
  end

  it("is told once a process that kernels are interpreted, and what to install", function()
    local text, code = run "1"
    assert.equal(0, code, text)
    assert.matches("none of cc, gcc and clang is on PATH: the CPU device interprets kernels[^\n]*apt install gcc", text)
    assert.equal("1\n2\n3\n", (text:gsub("dotcompute:[^\n]*\n", "", 1)))
  end)

  it("is told nothing where native code is switched off", function()
    assert.equal("1\n2\n3\n", (run "1 DOTCOMPUTE_CC=off"))
    assert.equal("1\n2\n3\n", (run "0"))
  end)
end)
