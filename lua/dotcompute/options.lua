-- The options of dc.kernel and dc.module.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local function fail(text, ...) core.fail("argument", text:format(...)) end

local function fail_option(option, wanted, v) fail("option '%s' is %s, got %s", option, wanted, core.describe(v)) end

-- Appends a string, or a list of them.
local function add_strings(list, option, v)
  if type(v) == "string" then v = { v } end
  if type(v) ~= "table" then fail_option(option, "a list of strings", v) end
  for key in next, v do
    if math.type(key) ~= "integer" or key < 1 or key > #v then
      fail("option '%s' is a list of strings; got the key %s", option, core.describe(key))
    end
  end
  for i = 1, #v do
    if type(v[i]) ~= "string" then fail_option(option, "a list of strings", v[i]) end
    list[#list + 1] = v[i]
  end
end

-- Appends keys and values of a table of strings, in the order of the keys: the cache's key depends on it.
local function add_pairs(keys, values, option, v, wanted)
  if type(v) ~= "table" then fail_option(option, wanted, v) end
  for key, value in next, v do
    if type(key) ~= "string" or type(value) ~= "string" then
      fail_option(option, wanted, type(key) == "string" and value or key)
    end
    keys[#keys + 1] = key
  end
  table.sort(keys)
  for i, key in ipairs(keys) do values[i] = v[key] end
end

-- The text of a macro's value; false: no definition.
local function macro_value(v)
  if type(v) == "boolean" then return v and "1" end
  if type(v) == "string" then return v end
  if math.type(v) == "integer" then return ("%d"):format(v) end
  if type(v) ~= "number" then
    fail("option 'define': a macro is a number, a string or a boolean, got %s", core.describe(v))
  end
  if v ~= v or v - v ~= 0 then fail("option 'define': %s cannot be written as a macro", v) end
  local text = ("%.17g"):format(v) -- a double again, not an int
  return text:find "[.e]" and text or text .. ".0"
end

local function definitions(v)
  if type(v) ~= "table" then fail_option("define", "a table {NAME = value}", v) end
  local list = {}
  for name, value in next, v do
    if type(name) ~= "string" then fail("option 'define': names are strings, got %s", core.describe(name)) end
    if not name:find "^[%a_][%w_]*$" and not name:find "^[%a_][%w_]*%b()$" then
      fail("option 'define': '%s' is no name of a macro, N or F(x)", name)
    end
    local text = macro_value(value)
    if text then list[#list + 1] = ("-D%s=%s"):format(name, text) end
  end
  table.sort(list)
  return list
end

local function check_type(option, v, wanted, text)
  if v ~= nil and type(v) ~= wanted then fail_option(option, text, v) end
end

local option_names = { "name", "define", "include", "headers", "flags", "std", "arch", "fast_math", "instantiate",
  "args", "link", "warnings", "debug" }
local known = {}
for _, name in ipairs(option_names) do known[name] = true end

local function check_options(options)
  if type(options) ~= "table" then fail("options are a table, got %s", core.describe(options)) end
  for name in next, options do
    if type(name) ~= "string" then fail("options are named, got the key %s", core.describe(name)) end
    if not known[name] then core.fail_option("", name, option_names) end
  end
  check_type("name", options.name, "string", "a string")
  check_type("arch", options.arch, "string", 'an architecture such as "sm_90a"')
  if options.arch and not (options.arch:match "^sm_%d%d+[af]?$" or options.arch:match "^compute_%d%d+[af]?$") then
    fail("option 'arch': %q is no architecture such as \"sm_90a\" or \"compute_80\"", options.arch)
  end
  check_type("std", options.std, "string", 'a string such as "c++17"')
  for _, name in ipairs { "fast_math", "debug", "warnings" } do
    check_type(name, options[name], "boolean", "true or false")
  end
end

-- Fills the lists of a source (module.lua).
local function read(options, lists)
  check_options(options)
  if options.define ~= nil then lists.options = definitions(options.define) end
  if options.flags ~= nil then add_strings(lists.options, "flags", options.flags) end
  if options.std then table.insert(lists.options, "-std=" .. options.std) end
  lists.arch[1] = options.arch
  if options.fast_math then table.insert(lists.options, "--use_fast_math") end
  if options.debug then table.insert(lists.options, "--generate-line-info") end
  if options.include ~= nil then add_strings(lists.include_dirs, "include", options.include) end
  if options.instantiate ~= nil then add_strings(lists.instantiate, "instantiate", options.instantiate) end
  if options.headers ~= nil then
    add_pairs(lists.header_names, lists.header_texts, "headers", options.headers, 'a table {["name.h"] = text}')
  end
  if options.args ~= nil then -- the parameter list of the only kernel, or of each by its name
    local args = type(options.args) == "string" and { [""] = options.args } or options.args
    add_pairs(lists.arg_kernels, lists.arg_lists, "args", args,
      'a kernel\'s parameter list such as "const float *x, int n", or a table {kernel = list}')
  end
end

return read
