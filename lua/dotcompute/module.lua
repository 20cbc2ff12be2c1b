-- dc.module, dc.kernel and their _file forms: sources and options; names of kernels, instances of templates, edited
-- files.
--
-- A module keeps its source and options: its PTX is made from them on request, and so are instances of templates that
-- it was not compiled with. An instance is an image of its own, so it is refused for sources with variables, of which
-- each image would have its own copy.
local core = require "dotcompute.core"
local places = require "dotcompute.places"
core.builtin(debug.getinfo(1, "S").source)

local module, methods = {}, {}

local function fail(text, ...) core.fail("argument", text:format(...)) end

-- --- options ----------------------------------------------------------------------------------------------------

local function fail_option(option, wanted, v) fail("option '%s' is %s, got %s", option, wanted, core.describe(v)) end

-- Appends a string, or a list of them.
local function add_strings(list, option, v)
  if type(v) == "string" then v = { v } end
  if type(v) ~= "table" then fail_option(option, "a list of strings", v) end
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
    local text = macro_value(value)
    if text then list[#list + 1] = ("-D%s=%s"):format(name, text) end
  end
  table.sort(list)
  return list
end

local function check_type(option, v, wanted, text)
  if v ~= nil and type(v) ~= wanted then fail_option(option, text, v) end
end

local option_names = { "name", "define", "include", "headers", "flags", "std", "fast_math", "instantiate", "args",
  "link", "warnings", "debug" }
local known = {}
for _, name in ipairs(option_names) do known[name] = true end

local function check_options(options)
  if type(options) ~= "table" then fail("options are a table, got %s", core.describe(options)) end
  for name in next, options do
    if type(name) ~= "string" then fail("options are named, got the key %s", core.describe(name)) end
    if not known[name] then core.fail_option("", name, option_names) end
  end
  check_type("name", options.name, "string", "a string")
  check_type("std", options.std, "string", 'a string such as "c++17"')
  for _, name in ipairs { "fast_math", "debug", "warnings" } do
    check_type(name, options[name], "boolean", "true or false")
  end
end

-- What an image is compiled from, as lists of strings (dc_source in src/compile/types/source.h).
local function read_options(options)
  local lists = { options = {}, include_dirs = {}, header_names = {}, header_texts = {}, instantiate = {},
    arg_kernels = {}, arg_lists = {}, units = {} }
  if options == nil then return lists end
  check_options(options)
  if options.define ~= nil then lists.options = definitions(options.define) end
  if options.flags ~= nil then add_strings(lists.options, "flags", options.flags) end
  if options.std then table.insert(lists.options, "-std=" .. options.std) end
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
  return lists
end

-- --- sources ----------------------------------------------------------------------------------------------------

-- Appends a string, or the strings of a list; `what` they are.
local function append(list, fname, what, v)
  local n = type(v) == "string" and 1 or type(v) == "table" and #v or 0
  if n == 0 then fail("'%s': %s: a string or a list of them, got %s", fname, what, core.describe(v)) end
  if type(v) == "string" then v = { v } end
  for i = 1, n do
    if type(v[i]) ~= "string" then fail("%s: source %d is no string but %s", what, i, core.describe(v[i])) end
    list[#list + 1] = v[i]
  end
end

-- The folder of a source's file: what it includes is searched there, after the user's folders.
local function add_folder(lists, origin)
  local path = origin.path
  if path then table.insert(lists.include_dirs, path:match "^(/)[^/]*$" or path:match "^(.*)/" or ".") end
end

-- The origin of the texts, with all that they are compiled from. `paths`: a list of their files.
local function new_origin(texts, paths, options)
  local origin = #texts > 1 and places.linked(texts, paths) or places.origin(texts[1], paths[1])
  local lists = read_options(options)
  add_folder(lists, origin)
  for i, unit in ipairs(origin.units or {}) do
    add_folder(lists, unit)
    lists.units[i] = unit.text
  end
  local name = options and options.name
  origin.options, origin.source = options, lists
  origin.instance = name and name:find("<", 1, true) and name -- of dc.kernel's option `name`
  return origin
end

-- Compiles for the device of a module, or the current one, and shows warnings where they are asked for.
local function build(where, origin, instance)
  local m = core.build(where, origin, instance or nil)
  local log, wanted = core.module_log(m)
  if log and (wanted or origin.options and origin.options.warnings) then
    io.stderr:write(places.map_lines(origin, log), "\n")
  end
  return m
end

-- `text`: a source or a list of them; `paths`: a list of the files they came from.
local function compile(fname, text, options, paths)
  local texts = {}
  if type(text) ~= "string" and (type(text) ~= "table" or #text == 0) then core.expected(1, "CUDA C source", text) end
  append(texts, fname, "linked sources", text)
  if type(options) == "table" and options.link ~= nil then append(texts, fname, "option 'link'", options.link) end
  local origin = new_origin(texts, paths, options)
  return build(nil, origin, origin.instance), origin
end

local endings = {}
for ending in ("cu cuh h hpp c cc cpp ptx cubin fatbin"):gmatch "%a+" do endings[ending] = true end

-- The text is source, and not the name of a file of source or machine code: no source is one line that ends in ".cu".
local function refuse_file_name(fname, text)
  if type(text) ~= "string" or #text > 4096 or text:find "[\r\n;{}()#\0]" or not endings[text:match "..*%.(%a+)$"] then
    return
  end
  fail('dc.%s takes the text of the source, got the name of a file: dc.%s_file "%s" reads it', fname, fname, text)
end

-- The texts and names of the files.
local function read_files(fname, path)
  local paths, texts = {}, {}
  if type(path) ~= "string" and type(path) ~= "table" then core.expected(1, "a file name", path) end
  append(paths, fname, "file names", path)
  for i, name in ipairs(paths) do texts[i] = core.read_file(name) end
  return texts, paths
end

-- --- names of kernels -------------------------------------------------------------------------------------------

-- A name without the blanks that do not matter, by which kernels are remembered.
local function canonical(name)
  return (name:gsub("%s+", " "):gsub(" ?([^%w_\x80-\xff ]) ?", "%1"):gsub("^ ", ""):gsub(" $", ""))
end

-- The text without what comments and literals hold.
local function code_of(text)
  local out, at = {}, 1
  while true do
    local first = text:find("[\"'/]", at)
    if not first then break end
    local opening, last = text:sub(first, first + 1), nil
    if opening == "//" then last = (text:find("\n", first, true) or #text + 1) - 1
    elseif opening == "/*" then last = select(2, text:find("*/", first + 2, true)) or #text
    elseif opening:sub(1, 1) ~= "/" then
      last = first + 1
      while last <= #text and text:sub(last, last) ~= opening:sub(1, 1) do
        last = last + (text:sub(last, last) == "\\" and 2 or 1)
      end
    end
    out[#out + 1] = text:sub(at, (last and first or first + 1) - 1)
    if last then out[#out + 1] = " " end
    at = (last or first) + 1
  end
  return table.concat(out) .. text:sub(at)
end

-- Whether CUDA C declares __constant__, __managed__ or __device__ variables: these have no parenthesis before their
-- first of ; = { [.
local function has_variables(text)
  local code = code_of(text)
  if code:find "%f[%w_]__constant__%f[^%w_]" or code:find "%f[%w_]__managed__%f[^%w_]" then return true end
  for stop in code:gmatch "%f[%w_]__device__%f[^%w_][^;={%[(]*(.?)" do
    if stop ~= "(" and stop ~= "" then return true end
  end
  return false
end

-- The name of the text's first template of a kernel, or `name` if one is called so; nil when there is none.
local function find_template(text, name)
  for head in code_of(text):gmatch "%f[%w_]template%f[^%w_]([^{;]*)" do
    local at = head:find "%f[%w_]__global__%f[^%w_]"
    local list = at and head:sub(at):gsub("%f[%w_]__[%w_]*%s*%b()", "") -- __launch_bounds__(…)
    local found = list and list:match "([%w_]+)%s*%("
    if found and (name or found) == found then return found end
  end
end

local function refuse_template(origin, name)
  local found = find_template(origin.text, name)
  if not found then return end
  fail('the kernel \'%s\' is a template: name an instance, m:kernel "%s<float>" of a module m or name = "%s<float>" '
    .. "among the options of dc.kernel", found, found, found)
end

-- How C++ spells the argument of a template. Names of dtypes that are not C's own end in digits.
local function template_argument(place, v)
  if core.is_array(v) then return core.dtype(v.dtype).ctype end
  if type(v) == "boolean" then return tostring(v) end
  if type(v) == "string" then
    if v == "" or v:find "\0" then core.bad_argument(place, "a template argument is empty or holds a NUL byte") end
    local dtype = v:find "%d$" and core.dtype(v)
    return dtype and dtype.ctype or v
  end
  local n = type(v) == "number" and math.tointeger(v)
  if not n then core.expected(place, "a dtype, a C++ type, an integer, a boolean or an array", v) end
  return ("%d"):format(n)
end

local function instance_name(name, ...)
  local n, words = select("#", ...), {}
  if n == 0 then return name end
  if name:find("<", 1, true) then core.bad_argument(2, ("'%s' has its template arguments already"):format(name)) end
  for i = 1, n do words[i] = template_argument(i + 2, (select(i, ...))) end
  return ("%s<%s>"):format(name, table.concat(words, ", "))
end

-- --- kernels of a module ----------------------------------------------------------------------------------------

-- The kernel of an instance that the module was not compiled with: the module compiled again with that one.
local function compile_instance(m, origin, instances, name)
  if has_variables(origin.text) then
    fail("the module has variables and so is one image: name '%s' beforehand, in its option instantiate = {…}", name)
  end
  local made = build(m, origin, name)
  local kernel = core.find_kernel(made, name)
  instances[name] = made
  return kernel
end

-- m:kernel(name), m:kernel(template, argument, …); also m[name], for a name not seen before.
function methods.kernel(m, name, ...)
  local origin, kernels, instances = core.module_parts(m)
  if type(name) ~= "string" then core.expected(2, "a kernel's name", name) end
  if name:find "\0" then core.bad_argument(2, "the name holds a NUL byte") end
  name = instance_name(name, ...)
  local key = canonical(name)
  local kernel = kernels[key] or core.find_kernel(m, name, true)
  if not kernel then
    if name:find("<", 1, true) then
      kernel = compile_instance(m, origin, instances, name)
    else
      refuse_template(origin, name)
      kernel = core.find_kernel(m, name) -- raises
    end
  end
  kernels[key] = kernel
  return kernel
end

-- The names of all kernels.
function methods.kernels(m) return (core.kernel_names(m)) end

-- The text that was compiled.
function methods.source(m) return core.module_parts(m).text end

-- The compiler's warnings, with places of the script.
function methods.log(m)
  local origin = core.module_parts(m)
  return places.map_lines(origin, core.module_log(m) or "")
end

-- The origin of the same files as they are now.
local function reread(origin)
  local texts, paths, any = {}, {}, false
  for i, unit in ipairs(origin.units or { origin }) do
    any = any or unit.path
    texts[i] = unit.path and core.read_file(unit.path) or unit.text
    paths[i] = unit.path or false
  end
  if not any then fail "the module does not come from a file (dc.kernel_file, dc.module_file)" end
  return new_origin(texts, paths, origin.options)
end

-- Compiles the files that the module came from again; gives whether anything has changed. All is compiled before
-- anything is replaced, so that an error leaves the module as it was.
function methods.reload(m)
  local origin, _, instances = core.module_parts(m)
  local now = reread(origin)
  local old, new, changed = { m }, { build(m, now, now.instance) }, false
  for name, instance in pairs(instances) do
    old[#old + 1] = instance
    new[#new + 1] = build(m, now, name)
  end
  for i = 1, #old do changed = changed or not core.same_image(old[i], new[i]) end
  if changed then core.exchange_modules(old, new) end
  return changed
end

for name, fn in pairs(methods) do core.module_method(name, core.entry(fn)) end

-- --- functions of dc --------------------------------------------------------------------------------------------

-- The kernel that dc.kernel returns: that of option `name`, or the only one.
local function choose(m, origin)
  local name = origin.options and origin.options.name
  if name then return core.find_kernel(m, name) end
  local names, refused = core.kernel_names(m)
  table.move(refused, 1, #refused, #names + 1, names)
  if #names == 0 then
    refuse_template(origin)
    fail "the source has no kernel: no __global__ function that is no template was found"
  end
  if #names > 1 then
    fail("the source has %d kernels (%s): say which in the option 'name', or use dc.module", #names,
      table.concat(names, ", "))
  end
  return core.find_kernel(m, names[1])
end

function module.module(text, options)
  refuse_file_name("module", text)
  return (compile("module", text, options, {}))
end

function module.kernel(text, options)
  refuse_file_name("kernel", text)
  return choose(compile("kernel", text, options, {}))
end

function module.module_file(path, options)
  local texts, paths = read_files("module_file", path)
  return (compile("module_file", texts, options, paths))
end

function module.kernel_file(path, options)
  local texts, paths = read_files("kernel_file", path)
  return choose(compile("kernel_file", texts, options, paths))
end

return module
