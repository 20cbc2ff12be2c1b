-- A cache of the analyses of kernels in Lua, which give their CUDA C, in memory and on disk: the next process neither
-- infers types nor writes CUDA C again.
--
-- The key is a hash of the chunk's text, the function in it, the types of the arguments, the facts of the launch that
-- are known before the analysis, the options, and our own code. An entry also describes the captured values that the
-- analysis has read: types of numbers and arrays, names of functions of `dc` and `math`, strings, texts of functions of
-- the script. It is used only where their descriptions are the same in this process; then the analysis would give the
-- same text. Entries are data: strings, integers and booleans.
--
-- Kernels that capture structs or constant arrays are not cached.
local core = require "dotcompute.core"
local builtins = require "dotcompute.jit.builtins"
local constant = require "dotcompute.jit.constant"
local names = require "dotcompute.jit.names"
local source = require "dotcompute.jit.source"
local struct = require "dotcompute.struct"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local analysis_cache = {}

local MAGIC <const> = core.cache_magic()

-- --- bytes ------------------------------------------------------------------------------------------------------

local function bit(v) return v and 1 or 0 end

-- Writes strings, integers and booleans one after the other; nil and false are one.
local Writer = {}
Writer.__index = Writer

function Writer:put(format, ...) self[#self + 1] = string.pack(format, ...) end
function Writer:string(v) self:put("<s4", v) end
function Writer:integer(v) self:put("<i8", v) end
function Writer:boolean(v) self:put("B", bit(v)) end

function Writer:integers(list)
  self:integer(#list)
  self[#self + 1] = string.pack("<" .. ("i8"):rep(#list), table.unpack(list))
end

-- Reads them in the same order; raises an error where the bytes are damaged.
local Reader = {}
Reader.__index = Reader

function Reader:get(format)
  local v
  v, self.at = string.unpack(format, self.bytes, self.at)
  return v
end
function Reader:string() return self:get "<s4" end
function Reader:integer() return self:get "<i8" end
function Reader:boolean() return self:get "B" == 1 end

-- The length of a list whose items have at least `size` bytes.
function Reader:count(size)
  local n = self:integer()
  assert(n >= 0 and n <= (#self.bytes - self.at + 1) // size, "the entry is too short")
  return n
end

function Reader:integers()
  local n = self:count(8)
  local list = table.pack(string.unpack("<" .. ("i8"):rep(n), self.bytes, self.at))
  self.at = list[n + 1]
  list[n + 1], list.n = nil, nil
  return list
end

function Reader:type() return assert(types.named(self:string()), "an unknown type") end

-- --- what is compared -------------------------------------------------------------------------------------------

-- Whether the name of a type says all about it, so that an entry can have it; structs and tuples need more.
local function is_plain(t) return not (t.composite or t.ndim and t.element.composite) end

-- The functions that an analysis reads: the kernel, and in order of the first read those of the script that it calls,
-- whose texts are `found`. `variables`: id of an upvalue -> its first place in these functions.
local Functions = {}
Functions.__index = Functions

-- Adds a function. Gives a string: for each upvalue the first place of the same variable.
function Functions:add(fn, found)
  self[#self + 1] = { fn = fn, found = found }
  self.number[fn], self.number[found] = #self, #self
  local list = {}
  while debug.getupvalue(fn, #list + 1) do
    local id = debug.upvalueid(fn, #list + 1)
    self.variables[id] = self.variables[id] or ("%d.%d"):format(#self, #list + 1)
    list[#list + 1] = self.variables[id]
  end
  return table.concat(list, ",")
end

local function functions_of(root)
  local functions = setmetatable({ number = {}, variables = {} }, Functions)
  return functions, functions:add(root.fn, root.found)
end

-- Describes a function of the script: by its number where it is among those that were read before, else by its text,
-- its place, and the variables that it shares with them.
function Functions:describe(fn)
  if self.number[fn] then return ("function %d"):format(self.number[fn]) end
  local found = source.find(fn)
  local same = found.chunk.text == self[1].found.chunk.text
  return "function " .. core.cache_key(same and "the kernel's text" or found.chunk.text, found.shown,
    source.body_of(fn), tostring(found.node.at), self:add(fn, found))
end

-- Describes, as a string, what an analysis depends on of a captured value: the type of a number or an array, the name
-- of a function or library of ours, a string itself, "table" for a table of which it reads fields, the text of a
-- function of the script. `fixed`: it depends on the values of numbers and booleans, too, which the string then has.
-- nil: the kernel is not cached.
local function describe(functions, value, fixed)
  local t = names.type_of(value)
  if t then
    if not is_plain(t) or fixed and t.kind == "c" then return nil end
    if not fixed or t.ndim then return t.name end
    if math.type(value) == "float" then return "float " .. string.pack("<d", value) end
    return ("%s %s"):format(t.name, value)
  end
  if type(value) == "function" then
    local builtin = builtins.by_function[value]
    if not builtin then return functions:describe(value) end
    return builtins.by_name[builtin.name] == builtin and "builtin " .. builtin.name or nil
  elseif type(value) == "string" then
    return "string " .. value
  elseif type(value) == "table" then
    if constant.type_of(value) or struct.is_struct(value) then return nil end
    local inner = builtins.function_of(value) -- of an object of dc.jit
    if inner then return functions:describe(inner) end
    for name, library in pairs(builtins.library) do
      if rawequal(value, library) then return "library " .. name end
    end
    return "table"
  end
end

-- The key of a kernel's analysis; nil where it is not cached. `root`: { fn =, found = its text }; `facts`: of the
-- launch, a list of numbers and booleans.
function analysis_cache.key(root, argument_types, name, checked, facts)
  local _, variables = functions_of(root)
  local words, found = { name, tostring(checked or false), variables }, root.found
  for _, fact in ipairs(facts) do words[#words + 1] = tostring(fact) end
  words[#words + 1] = "types"
  for _, t in ipairs(argument_types) do
    if not is_plain(t) then return nil end
    words[#words + 1] = t.name
  end
  return core.cache_key(MAGIC, found.chunk.text, source.body_of(root.fn), tostring(found.node.at), found.shown,
    table.unpack(words))
end

-- --- entries ----------------------------------------------------------------------------------------------------

-- Writes the captured values that the analysis has read: their paths and descriptions. Gives the functions that it has
-- read; nil where a value has no description or has changed during the analysis.
local function put_reads(w, tree)
  local functions = functions_of(tree.kernel.root)
  w:integer(#tree.reads)
  for _, one in ipairs(tree.reads) do
    local path = one.path
    local number, fixed = functions.number[path.fn], one.fixed or tree.guards[path.id]
    local text = describe(functions, one.value, fixed)
    if not text or one.varies or not number then return nil end
    w:put("<i8i8s4i8", number, path.upvalue, path.text, #path)
    for _, key in ipairs(path) do w:string(key) end
    w:put("<Bs4", bit(fixed), text)
  end
  return functions
end

-- The functions, paths and values of an entry in this process; nil where one of these has another description.
local function get_reads(r, root)
  local functions, paths, values = functions_of(root), {}, {}
  for k = 1, r:count(8) do
    local path = { fn = assert(functions[r:integer()]).fn, upvalue = r:integer(), text = r:string() }
    for j = 1, r:count(4) do path[j] = r:string() end
    local fixed, text = r:boolean(), r:string()
    local value = names.read(path)
    if describe(functions, value, fixed) ~= text then return nil end
    paths[k], values[k] = path, value
  end
  return functions, paths, values
end

local function put_params(w, params)
  w:integer(#params)
  for _, param in ipairs(params) do
    w:put("<i8s4BB", param.argument or 0, param.type.name, bit(param.fits), bit(param.written))
  end
end

local function get_params(r)
  local params, inputs = {}, 0
  for k = 1, r:count(14) do
    local argument = r:integer()
    local input = argument == 0 and inputs + 1 or nil
    inputs = input or inputs
    params[k] = { argument = argument > 0 and argument or nil, input = input, type = r:type(), fits = r:boolean(),
      written = r:boolean() }
  end
  return params
end

-- Whether no line has a newline in it, so that split finds the same lines in their text.
local function have_no_newline(lines)
  for _, line in ipairs(lines) do
    if line:find("\n", 1, true) then return false end
  end
  return true
end

local function split(text)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

-- The places in the functions' texts of the n lines of CUDA C, as numbers of bytes, 0 for lines without one, and the
-- numbers of the functions.
local function put_places(w, functions, places, n)
  local list, numbers = {}, {}
  for k = 1, n do
    list[k] = places[k] and places[k].at or 0
    numbers[k] = places[k] and functions.number[places[k].found] or 1
  end
  w:integers(list)
  w:integers(numbers)
end

local function get_places(r, functions)
  local places, numbers = r:integers(), r:integers()
  for k, at in ipairs(places) do
    places[k] = at > 0 and { found = assert(functions[numbers[k]]).found, at = at } or nil
  end
  return places
end

-- Stores an analysis (init.lua), which was made of the tree, under the key, unless an entry cannot have all of it.
function analysis_cache.put(key, tree, analysis)
  local emitted, w = analysis.emitted, setmetatable({}, Writer)
  if tree.uses.dynamic or tree.uses.modules or #tree.constants > 0 then return end
  local functions = put_reads(w, tree)
  if not functions or not have_no_newline(emitted.lines) then return end
  for _, places in ipairs { emitted.places, emitted.sites } do
    for _, place in pairs(places) do
      if not functions.number[place.found] then return end
    end
  end
  w:string(emitted.text)
  put_places(w, functions, emitted.places, #emitted.lines)
  put_params(w, emitted.params)
  w:integer(#emitted.sites)
  for _, site in ipairs(emitted.sites) do
    local is_number = math.type(site.text) ~= nil
    w:put(is_number and "<i8i8s4Bi8" or "<i8i8s4Bs4", functions.number[site.found], site.at, site.kind, bit(is_number),
      site.text)
  end
  w:integer(#analysis.guards)
  for _, guard in ipairs(analysis.guards) do w:integer(tree.reads[guard.path.id].number) end
  w:integer(#analysis.inputs)
  for _, input in ipairs(analysis.inputs) do
    if not is_plain(input.type) then return end
    w:put("<i8s4B", tree.reads[input.path.id].number, input.type.name, bit(input.fits))
  end
  for _, flag in ipairs { "small", "disjoint" } do w:boolean(analysis.facts[flag]) end
  for _, flag in ipairs { "sync_grid", "recursion" } do w:boolean(analysis[flag]) end
  core.cache_put(key, MAGIC .. string.pack("<s8", table.concat(w)))
end

local function decode(bytes, root)
  assert(bytes:sub(1, #MAGIC) == MAGIC, "no entry")
  local body, after = string.unpack("<s8", bytes, #MAGIC + 1)
  assert(after == #bytes + 1, "the entry has another length than it says")
  local r = setmetatable({ bytes = body, at = 1 }, Reader)
  local functions, paths, values = get_reads(r, root)
  if not functions then return nil end
  local emitted = { text = r:string(), places = get_places(r, functions), params = get_params(r), sites = {} }
  emitted.lines = split(emitted.text)
  for k = 1, r:count(22) do
    emitted.sites[k] = { found = assert(functions[r:integer()]).found, at = r:integer(), kind = r:string(),
      text = r:boolean() and r:integer() or r:string() }
  end
  local analysis = { emitted = emitted, guards = {}, inputs = {} }
  for k = 1, r:count(8) do
    local number = r:integer()
    analysis.guards[k] = { path = assert(paths[number]), value = values[number] }
  end
  for k = 1, r:count(13) do
    analysis.inputs[k] = { path = assert(paths[r:integer()]), type = r:type(), fits = r:boolean() }
  end
  analysis.facts = { small = r:boolean(), disjoint = r:boolean() }
  analysis.sync_grid, analysis.recursion = r:boolean(), r:boolean()
  assert(r.at == #body + 1, "the entry is too long")
  return analysis
end

-- The analysis under the key; nil where there is none, or the captured values have other descriptions.
function analysis_cache.get(key, root)
  local bytes = core.cache_get(key)
  local ok, analysis = pcall(decode, bytes or "", root)
  return ok and analysis or nil
end

return analysis_cache
