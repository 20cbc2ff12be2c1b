-- Releases: the version is the same wherever it stands; `make install` and `make uninstall` (tools/install.sh).
local helper = require "spec.helper"
local quote, shell = helper.quote, helper.shell
local build = helper.build

local stock_lua = os.getenv "DOTCOMPUTE_STOCK_LUA" or helper.lua
local version = helper.read "src/base/version.h":match 'DC_VERSION "(%d+%.%d+%.%d+)"'

local folder
before_each(function() folder = helper.folder() end)
after_each(function() os.execute("rm -rf " .. folder) end)

local function loaded(path)
  local t = {}
  assert(loadfile(path, "t", t))()
  return t
end

describe("the version", function()
  it("is that of the binary and of `dc.version` in the documentation", function()
    assert.equal(version, require "dotcompute".version)
    local text = shell(quote(build .. "/dclua") .. " --version")
    assert.equal(version, text:match "dotcompute (%S+),")
    for path in shell "grep -rl 'dc.version' docs":gmatch "[^\n]+" do
      for other in helper.read(path):gmatch 'dc%.version[^\n]-(%d+%.%d+%.%d+)' do assert.equal(version, other, path) end
    end
  end)

  it("is that of the newest entry in the list of changes", function()
    local newest
    for heading in helper.read "CHANGELOG.md":gmatch "\n## ([^\n]+)" do
      if not newest and heading ~= "Unreleased" then newest = heading end
    end
    assert.equal(version, newest:match "^(%S+) — %d%d%d%d%-%d%d%-%d%d$", newest)
  end)

  it("is that of the rockspec, which is the one of checkouts besides", function()
    local rock = loaded(("rockspec/dotcompute-%s-1.rockspec"):format(version))
    assert.equal(version .. "-1", rock.version)
    assert.equal(("dotcompute-%s.tar.gz"):format(version), rock.source.url)
    local scm = loaded "rockspec/dotcompute-scm-1.rockspec"
    assert.equal("scm-1", scm.version)
    rock.version, rock.source, scm.version, scm.source = nil, nil, nil, nil
    assert.same(scm, rock)
    assert.equal("2\n", shell "ls rockspec | wc -l")
  end)

  it("is that of the man page", function()
    for path in shell "ls docs/*.1 2>/dev/null":gmatch "[^\n]+" do
      assert.equal(version, helper.read(path):match '\n%.TH [^\n]*"dotcompute ([^"]+)"', path)
    end
  end)
end)

describe("make install", function()
  -- The script that the Makefile calls; `make` itself would build.
  local function install(command, prefix, set)
    return shell(([[PREFIX=%s
      env -u LUA_PATH -u LUA_CPATH -u LUA_PATH_5_4 -u LUA_CPATH_5_4 DESTDIR= VERSION=1.2.3 BUILD=%s LUA=%s \
      PREFIX="$PREFIX" BINDIR="$PREFIX/bin" LIBDIR="$PREFIX/lib/lua/5.4" LUADIR="$PREFIX/share/lua/5.4" \
      DATADIR="$PREFIX/share" MANDIR="$PREFIX/share/man" DOCDIR="$PREFIX/share/doc/dotcompute" \
      PKGCONFIGDIR="$PREFIX/lib/pkgconfig" %s sh tools/install.sh %s]])
      :format(quote(prefix), quote(build), quote(stock_lua), set or "", command))
  end
  local function found(where) return (shell(("cd %s && find . | LC_ALL=C sort"):format(quote(where)))) end

  it("installs what uninstall removes, and uninstall leaves files and folders of others", function()
    local prefix = folder .. "/a prefix"
    shell(("mkdir -p %s/share/man %s/bin && echo 1 > %s/bin/other"):format(quote(prefix), quote(prefix), quote(prefix)))
    local before = found(prefix)
    local text, code = install("all", prefix)
    assert.equal(0, code, text)
    local after = found(prefix)
    for _, path in ipairs {
      "bin/dclua", "lib/lua/5.4/dotcompute/core.so", "lib/lua/5.4/dotcompute/compiler",
      "share/lua/5.4/dotcompute/prompt/init.lua", "lib/pkgconfig/dotcompute.pc", "share/doc/dotcompute/docs/api.md",
      "share/doc/dotcompute/examples/saxpy.lua", "share/doc/dotcompute/LICENSE",
    } do
      assert.matches("\n./" .. path .. "\n", after, 1, true)
    end
    assert.matches("\nVersion: 1.2.3\n", helper.read(prefix .. "/lib/pkgconfig/dotcompute.pc"), 1, true)
    assert.equal(0, select(2, install("all", prefix))) -- again, over itself
    assert.equal(after, found(prefix))
    helper.write(prefix .. "/share/doc/dotcompute/examples/mine.lua", "")
    assert.equal(0, select(2, install("remove", prefix)))
    assert.equal("./mine.lua", shell(("cd %s/share/doc/dotcompute/examples && find . -type f"):format(quote(prefix)))
      :match "%S+")
    shell(("rm -r %s/share/doc"):format(quote(prefix)))
    assert.equal(before, found(prefix))
    text, code = install("remove", prefix) -- there is nothing any more
    assert.equal("", text)
    assert.equal(0, code)
  end)

  it("removes what an older version installed, with and without a list", function()
    local prefix = folder .. "/usr"
    assert.equal(0, select(2, install("all", prefix)))
    local expected = found(prefix)
    -- as if there had been one more file, noted in the list
    helper.write(prefix .. "/share/lua/5.4/dotcompute/gone.lua", "")
    shell(("echo %s/share/lua/5.4/dotcompute/gone.lua >> %s/share/dotcompute/installed"):format(prefix, prefix))
    assert.equal(0, select(2, install("all", prefix)))
    assert.equal(expected, found(prefix))
    -- version 0.1
    shell(("rm -r %s/share/dotcompute"):format(prefix))
    helper.write(prefix .. "/share/lua/5.4/dotcompute/gone.lua", "")
    assert.equal(0, select(2, install("all", prefix)))
    assert.equal(expected, found(prefix))
    shell(("rm -r %s/share/dotcompute"):format(prefix))
    assert.equal(0, select(2, install("remove", prefix)))
    assert.not_matches("/dotcompute/core.so", found(prefix), 1, true)
    assert.not_matches("dclua\n", found(prefix), 1, true)
  end)

  it("prints the two lines with which a stock Lua finds the module, if it needs them", function()
    local prefix = folder .. "/a prefix"
    local lines, code = install("all", prefix, "2>/dev/null")
    assert.equal(0, code)
    local path, cpath, rest = lines:match "^(export LUA_PATH=[^\n]+)\n(export LUA_CPATH=[^\n]+)\n(.*)$"
    assert.equal("", rest, lines)
    local script = 'print(package.searchpath("dotcompute", package.path))\n'
      .. 'print(package.searchpath("dotcompute.core", package.cpath))\nprint(package.path)'
    local function run(settings, code_of_lua)
      return shell(("cd /\nunset LUA_PATH LUA_CPATH LUA_PATH_5_4 LUA_CPATH_5_4\n%s\n%s -e %s")
        :format(settings, quote(stock_lua), quote(code_of_lua)))
    end
    local default = run("", "io.write(package.path)")
    for _, earlier in ipairs { "", "export LUA_PATH='/nowhere/?.lua;;'" } do
      local text, status = run(table.concat({ earlier, path, cpath }, "\n"), script)
      assert.equal(0, status, text)
      assert.matches(prefix .. "/share/lua/5.4/dotcompute/init.lua\n", text, 1, true)
      assert.matches(prefix .. "/lib/lua/5.4/dotcompute/core.so\n", text, 1, true)
      assert.matches(default, text, 1, true)
      if earlier:find "nowhere" then assert.matches("/nowhere/?.lua", text, 1, true) end
    end
    -- where Lua looks already, in a package's root folder, and where Lua prefers other names
    assert.equal("", (install("all", prefix, ("LUA_PATH=%s LUA_CPATH=%s 2>/dev/null"):format(
      quote(prefix .. "/share/lua/5.4/?.lua;" .. prefix .. "/share/lua/5.4/?/init.lua"),
      quote(prefix .. "/lib/lua/5.4/?.so")))))
    assert.equal("", (install("all", "/opt/x", "DESTDIR=" .. quote(folder .. "/root"))))
    lines = install("all", prefix, "LUA_PATH_5_4=';;' 2>/dev/null")
    assert.matches("^export LUA_PATH_5_4=.*\nexport LUA_CPATH_5_4=", lines)
  end)

  it("refuses folders that are not absolute or that Lua cannot search, before it changes anything", function()
    for _, prefix in ipairs { "", "usr", "~/.local", folder .. "/a;b", folder .. "/a?b", folder .. "/$a" } do
      for _, command in ipairs { "all", "rock", "remove" } do
        local text, code = install(command, prefix)
        assert.equal(1, code, text)
        assert.matches("make: %u+ ", text)
      end
    end
    assert.equal(".\n", found(folder))
    assert.equal(2, select(2, install("nonsense", folder)))
  end)

  it("can be undone after it failed in the middle", function()
    local prefix = folder .. "/usr"
    shell(("mkdir -p %s/share && echo > %s/share/doc"):format(prefix, prefix)) -- a file where a folder should be
    local before = found(prefix)
    local text, code = install("all", prefix)
    assert.not_equal(0, code, text)
    assert.matches("core.so", found(prefix), 1, true)
    assert.equal(0, select(2, install("remove", prefix)))
    assert.equal(before, found(prefix))
  end)

  it("keeps the documentation's links", function()
    assert.equal(0, select(2, install("all", folder .. "/usr")))
    local root = folder .. "/usr/share/doc/dotcompute/"
    local links = 0
    for path in shell(("find %s -name '*.md'"):format(root)):gmatch "[^\n]+" do
      local text = helper.read(path):gsub("\n```.-\n```", ""):gsub("`[^`\n]*`", "")
      for target in text:gmatch "%]%(([^)#%s]+)" do
        if not target:match "^%a+:" then
          links = links + 1
          assert(os.execute(("test -e '%s%s'"):format(path:match "^(.*/)", target)), path .. " links to " .. target)
        end
      end
    end
    assert(links > 10)
  end)
end)
