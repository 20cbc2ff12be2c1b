-- The project itself: make, the set-up, the spec runner, the checks of `make lint`.
local helper = require "spec.helper"
local quote, shell = helper.quote, helper.shell
local build = helper.build
local dclua = build .. "/dclua"
local lua = helper.lua

local folder
before_each(function() folder = helper.folder() end)
after_each(function() os.execute("rm -rf " .. folder) end)

local function write(name, text)
  local path = folder .. "/" .. name
  os.execute("mkdir -p " .. quote(path:match "^(.*)/"))
  return helper.write(path, text)
end

describe("make", function()
  -- as it was built: rules and header lists hold the folder's name as it was given
  local here = shell "pwd":gsub("\n", "")
  local relative = build:sub(1, #here + 1) == here .. "/" and build:sub(#here + 2) or build
  local flags = io.open(build .. "/flags")
  local werror = flags and flags:read "a":find("-Werror", 1, true)
  local make = ("make --no-print-directory BUILD=%s%s%s"):format(quote(relative),
    build:match "%-san$" and " SAN=1" or "", werror and " WERROR=1" or "")
  if flags then flags:close() end

  -- What make would do besides if the file were newer; sources edited meanwhile must not count.
  local function because_of(file)
    local function steps(options)
      local text, code = shell(("%s -n %s all"):format(make, options))
      assert.equal(0, code, text)
      local set = {}
      for line in text:gmatch "[^\n]+" do set[line:match 'echo "  (%u%u [^"]+)"' or line] = true end
      return set
    end
    local before, list = steps "", {}
    for step in pairs(steps("-W " .. file)) do
      if not before[step] then list[#list + 1] = step end
    end
    return "\n" .. table.concat(list, "\n") .. "\n", next(before) == nil
  end

  it("rebuilds the objects that include a changed header", function()
    local text, settled = because_of "src/base/hash.h"
    assert.matches("\nCC src/base/hash.c\n", text, 1, true)
    if settled then assert.matches("\nLD ", text, 1, true) end
    assert.not_matches("CC src/base/file.c", text, 1, true)
    assert.not_matches("CC tools/embed.c", text, 1, true)
  end)

  it("embeds a Lua file again when it changes", function()
    local text, settled = because_of "lua/dotcompute/init.lua"
    if settled then assert.matches("embedded", text, 1, true) end
    assert.not_matches("CC src/", text, 1, true)
  end)

  it("help names every target", function()
    local text = shell "make help"
    for target in ("demo test bench lint install uninstall dist clean SAN=1 NVRTC=off"):gmatch "%S+" do
      assert.matches(target, text, 1, true)
    end
  end)

  it("dclua starts in 10 ms", function()
    if build:match "%-san$" then return pending "the sanitizers take their time" end
    local best = math.huge
    for _ = 1, 10 do
      local text = shell("a=$(date +%s%N); " .. quote(dclua) .. " -e ''; b=$(date +%s%N); echo $((b - a))")
      best = math.min(best, tonumber(text) / 1e6)
    end
    assert(best <= 10, ("took %.1f ms"):format(best))
  end)

  it("require takes less than 10 ms and loads no library of NVIDIA's", function()
    if build:match "%-san$" then return pending "the sanitizers take their time" end
    local text, code = shell(quote(dclua) .. [[ -e '
local clock, dc = os.clock(), require "dotcompute"
print((os.clock() - clock) * 1000)
for line in io.lines "/proc/self/maps" do assert(not line:find "nvrtc" and not line:find "libcuda", line) end
local threads = 0
for line in io.lines "/proc/self/status" do threads = tonumber(line:match "^Threads:%s*(%d+)") or threads end
print(threads)']])
    assert.equal(0, code, text)
    local ms, threads = text:match "^(%S+)\n(%d+)\n$"
    assert(tonumber(ms) < 10, text)
    assert.equal("1", threads)
  end)
end)

describe("the set-up", function()
  it("prints nothing and does nothing when nothing is missing", function()
    local text, code = shell "sh tools/setup.sh packages test"
    assert.equal("", text)
    assert.equal(0, code)
  end)

  it("names missing packages where it cannot install", function()
    -- a PATH with a few tools and nothing else
    os.execute("mkdir " .. folder .. "/bin")
    for tool in ("sh sed tr cat id head cut"):gmatch "%S+" do
      os.execute(("ln -s $(command -v %s) %s/bin/%s"):format(tool, folder, tool))
    end
    local text, code = shell(("env -u LD_PRELOAD PATH=%s/bin LUA=no-lua CC=no-cc sh tools/setup.sh packages test")
      :format(folder))
    assert.equal(1, code, text)
    for name in ("gcc lua5.4 libedit-dev lua-busted make"):gmatch "%S+" do assert.matches(name, text, 1, true) end
    assert.matches("no apt-get", text, 1, true)
  end)

  it("NVRTC=off neither searches nor downloads", function()
    local text, code = shell("NVRTC=off sh tools/setup.sh nvrtc " .. quote(dclua))
    assert.equal(0, code)
    assert.matches("NVRTC=off", text, 1, true)
  end)

  it("refuses wheels of an unknown CUDA, and unknown commands", function()
    local text, code = shell("sh tools/setup.sh wheels " .. folder .. " 11")
    assert.equal(1, code)
    assert.matches("not 11", text, 1, true)
    assert.equal(2, select(2, shell "sh tools/setup.sh nonsense"))
  end)
end)

describe("the spec runner", function()
  local function run(files)
    local names = {}
    for name, text in pairs(files) do names[#names + 1] = write("spec/" .. name, text) end
    table.sort(names)
    local text, code = shell(("DOTCOMPUTE_BUILD=%s DOTCOMPUTE_DEVICE=cpu %s spec/run.lua %s")
      :format(folder, lua, table.concat(names, " ")))
    return text:match "([^\n]*)\n$", code, text
  end

  it("ends with the count", function()
    local last, code = run { ["a_spec.lua"] = "it('one', function() end) it('two', function() end)" }
    assert.equal("2 passed, 0 failed", last)
    assert.equal(0, code)
  end)

  it("counts failures and errors wherever they are raised, shows them, and fails", function()
    local last, code, text = run {
      ["a_spec.lua"] = "it('one', function() end) it('bad', function() assert.equal(1, 2) end) "
        .. "it('broken', function() error('thrown') end) pending('later')",
      ["b_spec.lua"] = "describe('b', function() error('in describe') end)",
      ["c_spec.lua"] = "x = = 1",
      ["d_spec.lua"] = "describe('d', function() setup(function() error('in setup') end) it('x', function() end) end)",
    }
    assert.matches("^1 passed, %d failed$", last)
    assert(tonumber(last:match ", (%d+)") >= 5, last)
    assert.equal(1, code)
    for _, part in ipairs { "thrown", "in describe", "in setup", "1 skipped", "Expected objects" } do
      assert.matches(part, text, 1, true)
    end
  end)

  it("fails with 256 failures too", function()
    local last, code = run { ["a_spec.lua"] = "for i = 1, 256 do it('n' .. i, function() error 'x' end) end" }
    assert.equal("0 passed, 256 failed", last)
    assert.equal(1, code)
  end)

  it("fails without tests, and for a missing file", function()
    assert.equal(1, select(2, run { ["a_spec.lua"] = "" }))
    local text, code = shell(("DOTCOMPUTE_BUILD=%s %s spec/run.lua %s/none_spec.lua"):format(folder, lua, folder))
    assert.equal(1, code)
    assert.matches("did not run", text, 1, true)
  end)
end)

describe("the structure of src/", function()
  local files = "$(find src -name '*.[ch]' -not -path '*/shims/*' | LC_ALL=C sort)"

  it("is refused by the check, which prints the offending edge", function()
    local here = shell "pwd":gsub("\n", "")
    local function check(sources)
      shell(("rm -rf %s/src"):format(folder))
      for name, text in pairs(sources) do
        shell(("mkdir -p %s/src/%s"):format(folder, name:match "^(.*)/"))
        write("src/" .. name, text)
      end
      return shell(("cd %s && %s %s/tools/check-includes.lua %s"):format(folder, lua, here, files))
    end
    for complaint, sources in pairs {
      ["base/ is below lua/: base/x.c includes lua/y.h"] = { ["base/x.c"] = '#include "lua/y.h"\n' },
      ["cpu/ptx is below cpu/runtime: cpu/ptx/x.c includes cpu/runtime/y.h"] =
        { ["cpu/ptx/x.c"] = '#include "cpu/runtime/y.h"\n' },
      ["an include names the room: base/error.h"] = { ["base/x.c"] = '#include "error.h"\n' },
      ["only lua/ and dclua/ know Lua"] = { ["base/x.c"] = "#include <lua.h>\n" },
      ["a cycle of includes: "] =
        { ["base/x.c"] = '#include "base/y.h"\n', ["base/x.h"] = "", ["base/y.h"] = '#include "base/x.h"\n' },
      ["dc_f is defined in base/y.c, whose header it belongs in"] =
        { ["base/x.h"] = "int dc_f(int a);\n", ["base/y.c"] = "int dc_f(int a) { return a; }\n" },
    } do
      local output, code = check(sources)
      assert.matches(complaint, output, 1, true)
      assert.equal(1, code)
    end
    local output, code = check {
      ["lua/x.c"] = '#include "lua/x.h"\n#include <lua.h>\n#include "base/error.h"\nint dc_f(void) { return 0; }\n',
      ["lua/x.h"] = "int dc_f(void);\n",
      ["base/error.h"] = "typedef struct dc_error { int kind; } dc_error;\n",
    }
    assert.equal("", output)
    assert.equal(0, code)
  end)
end)

describe("lines", function()
  it("with tabs, blanks at the end or over 120 columns are reported", function()
    for text, complaint in pairs {
      ["int x;\ty\n"] = "a tab", ["int x; \n"] = "blanks at the end", [("x"):rep(121) .. "\n"] = "121 columns",
    } do
      local output, code = shell(("%s tools/check-lines.lua %s"):format(lua, write("x.c", text)))
      assert.equal(1, code)
      assert.matches(complaint, output, 1, true)
    end
    assert.equal(0, select(2, shell(("%s tools/check-lines.lua %s"):format(lua, write("y.c", ("x"):rep(120) .. "\n")))))
  end)
end)

describe("this tree", function()
  it("keeps the rules of includes, lines, tables and generated pages", function()
    local output, code = shell "sh tools/lint.sh rules"
    assert.equal(0, code, output)
  end)
end)

describe("embedding", function()
  it("keeps every byte", function()
    local bytes = {}
    for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
    local text = table.concat(bytes):rep(3) .. "\\\"??/\r\n"
    write("root/sub/a.txt", text)
    write("root/empty.txt", "")
    write("main.c", [[
#include <stdio.h>
#include "out.c"
int main(void) {
  for (int i = 0; all[i].name; i++) printf("%s %zu\n", all[i].name, all[i].len);
  fwrite(all[0].text, 1, all[0].len, stdout);
  return 0;
}]])
    local output, code = shell(("'%s/embed' all %s/root %s/root/sub/a.txt %s/root/empty.txt > %s/out.c"
      .. " && ${CC:-cc} -o %s/main %s/main.c && %s/main"):format(build, folder, folder, folder, folder, folder, folder,
      folder))
    assert.equal(0, code, output)
    assert.equal(("sub/a.txt %d\nempty.txt 0\n"):format(#text) .. text, output)
  end)
end)

describe("files", function()
  -- The anchors of a page's headings, as GitHub makes them; nil: there is no such page.
  local known = {}
  local function anchors_of(path)
    if known[path] then return known[path] end
    local seen, text = {}, helper.read_if_there(path)
    if not text then return nil end
    for heading in ("\n" .. text):gsub("\n```.-\n```", ""):gmatch "\n#+ ([^\n]*)" do
      local anchor = heading:gsub("%[([^%]]*)%]%b()", "%1"):lower():gsub("[^%w%-_ \x80-\xff]", ""):gsub(" ", "-")
      while seen[anchor] do anchor = anchor .. "-1" end
      seen[anchor] = true
    end
    known[path] = seen
    return seen
  end

  -- Whether a link of a page in the folder `dir` leads to a file, and to a heading of it.
  local function leads(path, dir, target)
    local file, anchor = target:match "^([^#]*)#?(.*)$"
    local full = file == "" and path or dir .. file
    while full:find "[^/]+/%.%./" do full = full:gsub("[^/]+/%.%./", "", 1) end
    local anchors = full:find "%.md$" and anchors_of(full)
    if anchors then return anchor == "" or anchors[anchor] end
    return os.execute("test -e " .. helper.quote(full))
  end

  it("links of the documentation lead to files and headings", function()
    local broken = {}
    for path in shell "ls *.md docs/*.md docs/reference/*.md":gmatch "[^\n]+" do
      local text = helper.read(path):gsub("\n```.-\n```", ""):gsub("`[^`\n]*`", "")
      for target in text:gmatch "%]%(([^%)%s]+)%)" do
        if not target:find "^%a+:" and not leads(path, path:match "^(.*/)" or "", target) then
          broken[#broken + 1] = path .. ": " .. target
        end
      end
    end
    assert.equal("", table.concat(broken, "\n"))
  end)
end)
