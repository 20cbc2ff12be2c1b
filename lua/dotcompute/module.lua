-- dc.module, dc.kernel and their _file forms: sources, kernels by name, edited files. Rarer needs are files of their
-- own (options, templates), which a script's first kernel does not wait for.
--
-- A module keeps its source and options: its PTX is made from them on request, and so are instances of templates that
-- it was not compiled with. An instance is an image of its own, so it is refused for sources with variables, of which
-- each image would have its own copy.
local core = require "dotcompute.core"
local script_lines = require "dotcompute.script_lines"
local interface = require "dotcompute.interface"
local arguments = require "dotcompute.arguments"
core.builtin(debug.getinfo(1, "S").source)

local module, methods = {}, {}

local function fail(text, ...) core.fail("argument", text:format(...)) end

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

-- The lists of strings that a text with these options is compiled from: dc_source in src/compile/types/source.h.
function module.source_lists(options)
  local lists = { options = {}, include_dirs = {}, header_names = {}, header_texts = {}, instantiate = {},
    arg_kernels = {}, arg_lists = {}, units = {}, arch = {} }
  if options ~= nil then require "dotcompute.options"(options, lists) end
  return lists
end

-- The origin of the texts, with all that they are compiled from. `paths`: a list of their files.
local function new_origin(texts, paths, options)
  for i, text in ipairs(texts) do texts[i] = text:gsub("^\xef\xbb\xbf", "") end -- a byte order mark
  local origin = #texts > 1 and script_lines.linked(texts, paths) or script_lines.origin(texts[1], paths[1])
  local lists = module.source_lists(options)
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
    io.stderr:write(script_lines.map_lines(origin, log), "\n")
  end
  return m
end

-- A module has all kernels of its source: option 'name' would have no effect.
local function refuse_name(fname, options)
  if type(options) ~= "table" or options.name == nil then return end
  fail("dc.%s: option 'name' is one of dc.kernel; a module has all kernels, as m.name, and instances of templates that "
    .. "option 'instantiate' names", fname)
end

-- `text`: a source or a list of them; `paths`: a list of the files they came from; `whole`: for a module.
local function compile(fname, whole, text, options, paths)
  local texts = {}
  if type(text) ~= "string" and (type(text) ~= "table" or #text == 0) then core.expected(1, "CUDA C source", text) end
  append(texts, fname, "linked sources", text)
  if whole then refuse_name(fname, options) end
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

-- A name without the blanks that do not matter, by which kernels are remembered.
local function canonical(name)
  return (name:gsub("%s+", " "):gsub(" ?([^%w_\x80-\xff ]) ?", "%1"):gsub("^ ", ""):gsub(" $", ""))
end

-- --- kernels of a module ----------------------------------------------------------------------------------------

-- The kernel of an instance that the module was not compiled with: the module compiled again with that one.
local function compile_instance(m, origin, instances, name)
  if require "dotcompute.templates".has_variables(origin.text) then
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
  if select("#", ...) > 0 then name = require "dotcompute.templates".instance(name, ...) end
  local key = canonical(name)
  local kernel = kernels[key] or core.find_kernel(m, name, true)
  if not kernel then
    if name:find("<", 1, true) then
      kernel = compile_instance(m, origin, instances, name)
    else
      require "dotcompute.templates".refuse(origin.text, name)
      kernel = core.find_kernel(m, name) -- raises
    end
  end
  kernels[key] = kernel
  return kernel
end

-- The names of all kernels.
function methods.kernels(m) return (core.kernel_names(m)) end

-- The kernels of a file for nvcc that the module does not have, and why: a list of {name=, line=, reason=}.
function methods.left_out(m)
  local names, list = core.kernel_names(m)
  local there = {}
  for _, one in ipairs(list) do
    names[#names + 1], one.failed = one.name, nil
  end
  for _, name in ipairs(names) do there[name:match("^[^<(]*"):match "[%w_]+ ?$" or name] = true end
  local templates, text = require "dotcompute.templates", core.module_parts(m).text
  for _, one in ipairs(templates.kernels(text)) do
    if not there[one.name] then
      one.reason = templates.reason(text, one.name)
      list[#list + 1] = one
      there[one.name] = true
    end
  end
  for _, one in ipairs(core.module_parts(m).path and templates.defined(text) or {}) do
    if not there[one.name] and not text:find("#%s*define%s+" .. one.name .. "%(") then
      list[#list + 1] = { name = one.name, line = one.line,
        reason = "is left out by #if: give the macros that its build does, define = {NAME = 1}" }
    end
  end
  return list
end

-- The text that was compiled.
function methods.source(m) return core.module_parts(m).text end

-- The compiler's warnings, with places of the script.
function methods.log(m)
  local origin = core.module_parts(m)
  return script_lines.map_lines(origin, core.module_log(m) or "")
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

for name, fn in pairs(interface.methods(methods)) do core.module_method(name, core.entry(fn)) end

-- --- functions of dc --------------------------------------------------------------------------------------------

-- The kernel that dc.kernel returns: that of option `name`, or the only one.
local function choose(m, origin)
  local name = origin.options and origin.options.name
  if name then return core.find_kernel(m, name) end
  local names, left_out = core.kernel_names(m)
  for _, one in ipairs(left_out) do
    if one.failed then return core.find_kernel(m, one.name) end -- raises
    names[#names + 1] = one.name
  end
  if #names == 0 then
    require "dotcompute.templates".refuse(origin.text)
    fail "the source has no kernel: no __global__ function that is no template was found"
  end
  if #names > 1 then
    fail("the source has %d kernels (%s): say which in the option 'name', or use dc.module", #names,
      table.concat(names, ", "))
  end
  return core.find_kernel(m, names[1])
end

-- A tile kernel compiled again for parameters that are multiples of 16; nothing where that does not compile.
core.on_tile_launch(function(kernel, multiples)
  local origin, again = core.module_parts(kernel.module), {}
  if require "dotcompute.templates".has_variables(origin.text) then return end -- a variant would have its own ones
  for key, v in pairs(origin) do again[key] = v end
  again.text = require "dotcompute.tile".assuming(origin.text, kernel, multiples)
  if not again.text then return end
  local name = kernel.name
  local ok, made = pcall(build, kernel.module, again, name:find("<", 1, true) and name)
  if ok then return core.find_kernel(made, name, true) end -- what does not compile may have been left out
  if type(made) ~= "table" or made.kind ~= "compile" then error(made, 0) end
end)

-- A table of options alone, which does not say what is compiled.
local function refuse_options_alone(fname, text)
  if type(text) ~= "table" or #text > 0 then return end
  local name = next(text)
  if type(name) == "string" then
    fail("dc.%s: the table names no source: it has '%s'%s, and neither 'file' nor 'files'; a text stands in front of "
      .. "the options: dc.%s(text, {…})", fname, name, core.suggest({ file = true, files = true }, name), fname)
  end
end

-- Compiles a source, or for dc.module { file = name, … } and { files = {name, …}, … } files with the other options.
local function compile_any(fname, whole, text, options)
  if type(text) ~= "table" or (rawget(text, "file") == nil and rawget(text, "files") == nil) then
    refuse_options_alone(fname, text)
    arguments.plain("dc." .. fname, "the list of sources", text)
    refuse_file_name(fname, text)
    return compile(fname, whole, text, options, {})
  end
  if options ~= nil or #text > 0 then
    fail("dc.%s: the options stand in the table that names the files: dc.%s {files = {…}, name = …}", fname, fname)
  end
  if text.file ~= nil and text.files ~= nil then fail("dc.%s: 'file' and 'files' are both given", fname) end
  if text.file ~= nil and type(text.file) ~= "string" then
    fail("option 'file' is a file's name, got %s", core.describe(text.file))
  end
  local rest = {}
  for name, value in next, text do
    if name ~= "file" and name ~= "files" then rest[name] = value end
  end
  local texts, paths = read_files(fname, text.file or text.files)
  return compile(fname, whole, texts, next(rest) ~= nil and rest or nil, paths)
end

function module.module(text, options) return (compile_any("module", true, text, options)) end

function module.kernel(text, options) return choose(compile_any("kernel", false, text, options)) end

function module.module_file(path, options)
  local texts, paths = read_files("module_file", path)
  return (compile("module_file", true, texts, options, paths))
end

function module.kernel_file(path, options)
  local texts, paths = read_files("kernel_file", path)
  return choose(compile("kernel_file", false, texts, options, paths))
end

return module
