-- The reference is complete: everything public is documented, everything documented exists, and the pages that are made
-- from it are up to date.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local helper = require "spec.helper"
local reference = require "dotcompute.reference"

-- place -> name -> entry
local documented = {}
for _, entry in ipairs(reference.entries()) do
  for _, place in ipairs(entry.places) do
    documented[place] = documented[place] or {}
    documented[place][entry.name] = entry
  end
end

-- --- the live module ----------------------------------------------------------------------------------------------

-- The tables of functions of dc, by their names, with their files read.
local function tables()
  local list = {}
  for name, value in pairs(dc) do
    if type(value) == "table" then
      local load_it = core.lazy[value]
      list["dc." .. name] = load_it and load_it() or value
    end
  end
  return list
end

local function names_of(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- An object of each type.
local function objects()
  local kernel = dc.kernel "__global__ void k(int *x) { *x = 1; }"
  local _, err = pcall(dc.zeros, -1)
  return {
    array = dc.zeros(2), kernel = kernel, module = kernel.module, device = dc.device(), stream = dc.stream(),
    event = dc.event(), graph = dc.graph(function() end), complex = dc.complex(1, 2),
    generator = dc.random.generator(1), error = err, memory = dc.memory(), progress = dc.progress(1),
    figure = dc.plot.figure(), jit = dc.jit(function(x) x[1] = 1 end),
    comm = dc.world(), distributed = dc.dist.ones(2), struct = dc.struct("S", { { "x", "int8" } }),
    struct_array = dc.struct("S", { { "x", "int8" } }):array(1),
    texture = dc.texture(dc.zeros(2)), surface = dc.surface(dc.zeros(2)),
  }
end

-- All identifiers in strings of the C code of types: whatever a type's __index compares with is among them.
local function words()
  local seen, sources = {}, helper.shell "cat src/lua/*.c"
  for word in sources:gmatch '"([%a_][%w_]*)"' do seen[word] = true end
  return names_of(seen)
end

-- The fields of an object that can be read, and are no methods of it. What a table holds itself is its own affair. The
-- coroutine keeps the errors' tracebacks short.
local function fields_of(object, methods, candidates)
  return coroutine.wrap(function()
    local fields = {}
    for _, name in ipairs(candidates) do
      local ok, value = pcall(function() return object[name] end)
      local own = type(object) == "table" and rawget(object, name) ~= nil
      if ok and value ~= nil and not own and not methods[name] then fields[name] = true end
    end
    return fields
  end)()
end

-- Methods by type: of types in C, and of those of these objects that are tables.
local function methods_by_type(things)
  local list = {}
  for name, object in pairs(things) do
    local meta = debug.getmetatable(object)
    local index = rawget(meta, "__index")
    list[name] = rawget(meta, "__methods") or type(index) == "table" and index or {}
  end
  for name, methods in pairs(core.types()) do list[name:match "^dotcompute%.(%w+)"] = methods end
  return list
end

local function missing_from(known, names, place)
  local missing = {}
  for _, name in ipairs(names) do
    if not (known and known[name]) then missing[#missing + 1] = place .. "." .. name end
  end
  return missing
end

local function listed(list) return table.concat(list, " ") end

describe("the reference", function()
  it("has every function and value of dc", function()
    local libraries = tables()
    local names = {}
    for _, name in ipairs(names_of(dc)) do
      if not libraries["dc." .. name] then names[#names + 1] = name end
    end
    assert.equal("", listed(missing_from(documented.dc, names, "dc")))
  end)

  it("has every function of the tables in dc", function()
    for place, functions in pairs(tables()) do
      assert.equal("", listed(missing_from(documented[place], names_of(functions), place)))
    end
  end)

  it("has every type, its methods and its fields", function()
    local candidates, things = words(), objects()
    for _, entry in ipairs(reference.entries()) do candidates[#candidates + 1] = entry.name end
    for class, methods in pairs(methods_by_type(things)) do
      assert.is_truthy(documented.type[class], "type " .. class)
      local known = documented[class]
      if class == "distributed" then -- functions of elements have the entries of arrays
        known = setmetatable({}, { __index = function(_, name)
          return documented[class][name] or core.functions()[name] and documented.array[name]
        end })
      end
      assert.equal("", listed(missing_from(known, names_of(methods), class)))
      assert(things[class], "no object of type " .. class)
      assert.equal(documented.type[class].metatable, rawget(debug.getmetatable(things[class]), "__name"))
      local fields = fields_of(things[class], methods, candidates)
      if class == "module" then fields.k = nil end -- its kernel
      assert.equal("", listed(missing_from(documented[class], names_of(fields), class)))
    end
  end)

  it("has every field of objects that are tables", function()
    local errors = { objects().error, select(2, pcall(dc.kernel, "no C")) }
    for _, err in ipairs(errors) do
      assert.equal("", listed(missing_from(documented.error, names_of(err), "error")))
    end
    assert.equal("", listed(missing_from(documented.memory, names_of(dc.memory()), "memory")))
  end)

  it("has nothing that does not exist", function()
    local libraries, things = tables(), objects()
    local methods = methods_by_type(things)
    local errors = { things.error, select(2, pcall(dc.kernel, "no C")), select(2, pcall(dc.load, "/nowhere")) }
    local wrong = {}
    local function exists(place, entry)
      local name = entry.name
      if place == "dc" then return rawget(dc, name) ~= nil end
      if libraries[place] then return rawget(libraries[place], name) ~= nil end
      if place == "error" then
        for _, err in ipairs(errors) do
          if err[name] ~= nil then return true end
        end
        return false
      end
      if not entry.type then return methods[place] ~= nil and methods[place][name] ~= nil end
      return things[place] ~= nil and (pcall(function() return things[place][name] end))
    end
    for place, entries in pairs(documented) do
      for name, entry in pairs(entries) do
        if place == "type" then
          if not things[name] then wrong[#wrong + 1] = "type " .. name end
        elseif not exists(place, entry) then
          wrong[#wrong + 1] = place .. "." .. name
        end
      end
    end
    table.sort(wrong)
    assert.equal("", listed(wrong))
  end)
end)

-- --- the entries --------------------------------------------------------------------------------------------------

-- The names in a type's text that are neither Lua's nor declared.
local function unknown_types(text)
  local known = {}
  for word in ("nil true false any boolean number integer string table function fun userdata"):gmatch "%a+" do
    known[word] = true
  end
  for _, alias in ipairs(reference.aliases) do known[alias[1]] = true end
  local unknown = {}
  for word in text:gsub('"[^"]*"', ""):gsub("[%a_][%w_]*%??%s*:", ""):gmatch "[%a_][%w_]*" do
    if not known[word] and not documented.type[word] then unknown[#unknown + 1] = word end
  end
  return unknown
end

describe("an entry of the reference", function()
  local kinds = {}
  for kind in ("compile launch argument shape dtype index memory device io interrupted"):gmatch "%a+" do
    kinds[kind] = true
  end

  it("says what it is, with types that exist and an example", function()
    local wrong = {}
    for _, entry in ipairs(reference.entries()) do
      local name = entry.places[1] .. "." .. entry.name
      local function complain(text) wrong[#wrong + 1] = name .. ": " .. text end
      if not entry.text:find "%S" then complain "no text" end
      local types = { entry.type }
      for _, list in ipairs { entry.args or {}, entry.options or {}, entry.returns or {} } do
        for _, row in ipairs(list) do
          types[#types + 1] = row[#row - 1]
          if type(row[#row]) ~= "string" then complain("no text of " .. tostring(row[1])) end
        end
      end
      for _, text in ipairs(types) do
        for _, word in ipairs(unknown_types(text)) do complain("the type " .. word) end
      end
      for kind in pairs(entry.errors or {}) do
        if not kinds[kind] then complain("the kind of error " .. kind) end
      end
      if not entry.example and not entry.type and not entry.class then complain "no example" end
      for other in (entry.see or ""):gmatch "%S+" do
        local place, last = other:match "^(.*)[%.:]([%w_]+)$"
        local found = false
        for at, entries in pairs(documented) do
          if entries[last or other] and (not place or at == place or at == "dc." .. place) then found = true end
        end
        if not found then complain("refers to " .. other) end
      end
    end
    assert.equal("", table.concat(wrong, "\n"))
  end)

  it("stands once at each place", function()
    local seen, twice = {}, {}
    for _, entry in ipairs(reference.entries()) do
      for _, place in ipairs(entry.places) do
        local name = place .. "." .. entry.name
        if seen[name] then twice[#twice + 1] = name end
        seen[name] = true
      end
    end
    assert.equal("", listed(twice))
  end)
end)

describe("the reference of dclua", function()
  local dclua = require "dotcompute.reference.dclua"
  local function all_names(rows)
    local names = {}
    for _, row in ipairs(rows) do
      for _, name in ipairs(type(row[1]) == "table" and row[1] or { row[1] }) do names[#names + 1] = name end
    end
    return " " .. table.concat(names, " ")
  end

  it("has the options that --help lists, and no others", function()
    local text, options = helper.shell(helper.quote(helper.dclua) .. " --help"), all_names(dclua.options)
    local there = {}
    for option in text:gmatch "\n  (%-[%-%w]*)" do
      there[option] = true
      assert.is_truthy(options:find(" " .. option:gsub("%-", "%%-") .. "%f[^%w%-]"), option)
    end
    for option in options:gmatch " (%-[%-%w]*)" do assert.is_true(there[option], option) end
  end)

  it("has every variable of the environment that is read", function()
    local names = all_names(dclua.environment) .. helper.read "docs/cpu-device.md"
    local sources = helper.shell "cat $(find src lua -name '*.[ch]' -o -name '*.lua')"
    local count = 0
    for name in sources:gmatch '"(DOTCOMPUTE_[%w_]+)"' do
      assert.is_truthy(names:find(name .. "%f[^%w_]"), name)
      count = count + 1
    end
    assert.is_true(count > 20)
  end)
end)

-- --- the pages ----------------------------------------------------------------------------------------------------

describe("the pages made from the reference", function()
  it("are up to date", function()
    local text, code = helper.shell(helper.lua .. " tools/docs.lua --check")
    assert.equal(0, code, text .. "run: make docs")
  end)

  it("have every function, field and type in the file for LuaLS", function()
    local text, missing = helper.read "docs/luals/dotcompute.lua", {}
    for place, entries in pairs(documented) do
      local holder = place:find "^dc" and place .. "." or "c_" .. place .. ":"
      local class = text:match("%-%-%-@class dotcompute" .. (place == "dc" and "" or "%." .. place:gsub("^dc%.", ""))
        .. "\n(.-)\n\n")
      for name, entry in pairs(entries) do
        local found
        if place == "type" then found = text:find("---@class dotcompute." .. name .. "\n", 1, true)
        elseif entry.type then found = class and class:find("@field " .. name .. "%f[^%w_]")
        else found = text:find("\nfunction " .. holder .. name .. "(", 1, true)
        end
        if not found then missing[#missing + 1] = place .. "." .. name end
      end
    end
    assert.equal("", listed(missing))
  end)

  it("are valid for Lua and for man", function()
    local file = assert(loadfile "docs/luals/dotcompute.lua")
    assert.equal("table", type(file()))
    if os.execute "command -v groff >/dev/null" then
      assert.equal("", (helper.shell "groff -man -ww -Tutf8 docs/dclua.1 2>&1 >/dev/null"))
    end
  end)
end)
