-- Our own Lua files are loaded as bytecode that was made when the program was built: by dclua, and by a stock Lua for
-- files that are those of the build; an edited file is loaded as it is. Names and lines are those of the texts.
local h = require "spec.helper"
local quote = h.quote

local files = {} -- "dotcompute/jit/lexer.lua"
for file in h.shell "cd lua && find dotcompute -name '*.lua' | LC_ALL=C sort":gmatch "[^\n]+" do
  files[#files + 1] = file
end

local function module_of(file) return (file:gsub("/init%.lua$", ""):gsub("%.lua$", ""):gsub("/", ".")) end

-- What a script prints, by dclua or `host`, with modules from that folder.
local function run(script, folder, host)
  return h.with_file(script, function(path)
    return (h.shell(("LUA_PATH='%s/?.lua;%s/?/init.lua' DOTCOMPUTE_DEVICE=cpu %s %s"):format(folder, folder,
      quote(host or h.lua), quote(path))))
  end)
end

-- Prints, for each module, whether the searcher's loader has a main function whose code is that of the file's text, or
-- was compiled from the file.
local compare = [[
require "dotcompute"
local search = package.searchers[2]
for file, name in io.lines(LIST, "l", "l") do
  local loader = search(name)
  local path = package.searchpath(name, package.path)
  local f <close> = io.open(path)
  local text = f:read "a"
  local _, main = debug.getupvalue(loader or print, 1)
  local same = main and string.dump(main) == string.dump(assert(load(text, "@" .. file)))
  local compiled = not main or debug.getinfo(main, "S").source == "@" .. path
  print(file, same and "same" or compiled and "text" or "DIFFERENT")
end
]]

-- A function of ours: where it is, and whether it has the names of its locals.
local places = [[
local dc = require "dotcompute"
local jit = require "dotcompute.jit"
local info = debug.getinfo(jit.compile, "S")
print(info.source, info.linedefined, debug.getlocal(jit.compile, 1))
local ok, err = xpcall(function() require "dotcompute.jit.lexer".tokens() end, debug.traceback)
print(err)
]]

-- The line of the file in which the text is.
local function line_of(file, text)
  local number = 0
  for line in io.lines("lua/" .. file) do
    number = number + 1
    if line:find(text, 1, true) then return number end
  end
end

describe("our Lua files", function()
  it("are the bytecode of their texts", function()
    local list = {}
    for _, file in ipairs(files) do list[#list + 1] = ("%s\n%s\n"):format(file, module_of(file)) end
    local text = h.with_file(table.concat(list), function(path)
      return run((compare:gsub("LIST", ("%q"):format(path))), "lua")
    end)
    local same = 0
    for file, how in text:gmatch "(%S+)\t(%S+)\n" do
      local is_page = file:find "^dotcompute/reference/" or file == "dotcompute/init.lua"
      assert.equal(is_page and "text" or "same", how, file)
      same = same + (how == "same" and 1 or 0)
    end
    assert.is_true(same > 100, text)
  end)

  it("have names and lines", function()
    local line = line_of("dotcompute/jit/init.lua", "local function compile(")
    local want = "^@dotcompute/jit/init.lua\t" .. line .. "\tstate\n.*dotcompute/jit/lexer.lua:%d+: .*'text'"
    assert.matches(want, run(places, "lua"))
    assert.matches(want, run(places, "lua", h.dclua))
  end)

  it("are loaded once, whatever becomes of package.loaded", function()
    local script = [[
      local dc = require "dotcompute"
      local g = dc.random.generator(1)
      for name in pairs(package.loaded) do
        if name:find "^dotcompute" then package.loaded[name] = nil end
      end
      print(require "dotcompute" == dc, dc.dist.uniform(3, { generator = g }):gather().size)
      local a = dc.array { 1, 0, 3 }
      print(dc.nonzero(a).size, a[a:gt(0)].size, select(2, pcall(function() return a + dc.ones(2) end)))
    ]]
    local want = "^true\t3\n2\t2\t[^\n]+:8: shapes %(3,%) and %(2,%) do not broadcast\n$"
    assert.matches(want, run(script, "lua"))
    assert.matches(want, run(script, "lua", h.dclua))
    h.with_folder(function(folder) -- texts, too
      assert(os.execute("cp -R lua/dotcompute " .. quote(folder)))
      assert(os.execute(("find %s -name '*.lua' -exec sed -i '$ a\\ ' {} +"):format(quote(folder))))
      assert.matches(want, run(script, folder))
    end)
  end)

  it("are read as they are where they were edited", function()
    h.with_folder(function(folder)
      assert(os.execute("cp -R lua/dotcompute " .. quote(folder)))
      local path = folder .. "/dotcompute/jit/init.lua"
      h.write(path, "\n\n", h.read(path))
      local line = line_of("dotcompute/jit/init.lua", "local function compile(") + 2
      assert.matches(("^@%s\t%d\tstate\n"):format(path:gsub("%p", "%%%0"), line), run(places, folder))
    end)
  end)
end)
