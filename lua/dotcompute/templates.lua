-- Templates of kernels: instances by their arguments, and what the text of a source says of them and of variables,
-- without a compiler.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local templates = {}

local function fail(text, ...) core.fail("argument", text:format(...)) end

-- The text with blanks for what comments and literals hold, so that positions and lines stay.
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
    if last then out[#out + 1] = text:sub(first, last):gsub("[^\n]", " ") end
    at = (last or first) + 1
  end
  return table.concat(out) .. text:sub(at)
end
templates.code_of = code_of

-- Whether CUDA C declares __constant__, __managed__, __device__ or __tile__ variables: the latter two have no
-- parenthesis before their first of ; = { [.
function templates.has_variables(text)
  local code = code_of(text)
  if code:find "%f[%w_]__constant__%f[^%w_]" or code:find "%f[%w_]__managed__%f[^%w_]" then return true end
  if code:find "%f[%w_]texture%s*<" or code:find "%f[%w_]surface%s*<" then return true end -- references
  for _, word in ipairs { "__device__", "__tile__" } do
    for stop in code:gmatch("%f[%w_]" .. word .. "%f[^%w_][^;={%[(]*(.?)") do
      if stop ~= "(" and stop ~= "" then return true end
    end
  end
  return false
end

-- The kernels that the text defines: a list of {name=, template=, line=}, names without their namespace.
function templates.defined(text)
  local code = code_of(text):gsub("#%s*define[^\n]*", function(m)
    return (" "):rep(#m)
  end)
  local found, seen = {}, {}
  for first in code:gmatch "()%f[%w_]__global__%f[^%w_]" do
    local at, name = first + #"__global__", nil
    while true do
      local word, open = code:match("^[^({;]-([%w_]+)%s*()%(", at)
      if not word then break end
      name, at = word, select(2, code:find("^%b()", open))
      if not at then break end
      at = at + 1
      local attribute = word:find "^__[%w_]+__$" or word == "alignas" or word == "__launch_bounds__"
      if not attribute then break end
      name = nil
    end
    if name and at and code:find("^[^;{]*{", at) and not seen[name] then
      local head = code:sub(1, first - 1):match "[^;{}]*$"
      seen[name] = true
      found[#found + 1] = { name = name, template = head:find "%f[%w_]template%f[^%w_]" ~= nil,
        line = select(2, text:sub(1, first):gsub("\n", "")) + 1 }
    end
  end
  return found
end

-- The templates of kernels that the text defines: a list of {name=, line=}, names without their namespace.
function templates.kernels(text)
  local found, code = {}, code_of(text)
  for head, at in code:gmatch "%f[%w_]template%f[^%w_]([^{;]*)(){" do
    local first = head:find "%f[%w_]__global__%f[^%w_]"
    local list = first and head:sub(first):gsub("%f[%w_]__[%w_]*%s*%b()", "") -- __launch_bounds__(…)
    local name, behind = (list or ""):match "([%w_]+)%s*(%(.*)"
    if name then
      local lines = select(2, code:sub(1, at - 1):gsub("\n", "")) - select(2, behind:gsub("\n", ""))
      found[#found + 1] = { name = name, line = lines + 1 }
    end
  end
  return found
end

-- The name of the text's first template of a kernel, or `name` if one is called so; nil when there is none.
local function find_template(text, name)
  for _, one in ipairs(templates.kernels(text)) do
    if (name or one.name) == one.name then return one.name end
  end
end

-- Whether the kernel of that name calls one of its parameters.
local function calls_parameter(code, name)
  for list, body in code:gmatch("%f[%w_]__global__%f[^%w_][^;{}]*%f[%w_]" .. name .. "%s*(%b())%s*(%b{})") do
    for parameter in list:gmatch "([%w_]+)%s*[,)]" do
      for before in body:gmatch("(.)%f[%w_]" .. parameter .. "%s*%(") do
        if not before:find "[.>:]" then return true end
      end
    end
  end
  return false
end

-- Whether the code launches the kernel with a lambda, or has extended lambdas and the kernel calls what it is given.
local function takes_lambda(code, name)
  local extended = code:find "%]%s*__device__%f[^%w_]" or code:find "%]%s*__host__%f[^%w_]"
  if extended and calls_parameter(code, name) then return true end
  for at in code:gmatch("%f[%w_]" .. name .. "%s*<<<()") do
    local behind = select(2, code:find(">>>", at, true))
    local arguments = behind and code:match("^%s*(%b())", behind + 1)
    if arguments and arguments:find "[(,]%s*%[[^%[%]]*%]" then return true end
  end
  return false
end

-- Why a module of the text has no instance of the template, as the rest of a sentence that begins with its name.
function templates.reason(text, name)
  if takes_lambda(code_of(text), name) then
    return ('is a template of which no instance can be named, since lambdas have no names: pass a struct with '
      .. 'operator(), m:kernel "%s<functor>"'):format(name)
  end
  return ('is a template of which no instance is known: m:kernel "%s<float>" makes one'):format(name)
end

-- Raises where `name` (nil: any) is a template of a kernel in the text.
function templates.refuse(text, name)
  local found = find_template(text, name)
  if not found then return end
  if takes_lambda(code_of(text), found) then fail("the kernel '%s' %s", found, templates.reason(text, found)) end
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

-- The name of the instance with these arguments.
function templates.instance(name, ...)
  local n, words = select("#", ...), {}
  if name:find("<", 1, true) then core.bad_argument(2, ("'%s' has its template arguments already"):format(name)) end
  for i = 1, n do words[i] = template_argument(i + 2, (select(i, ...))) end
  return ("%s<%s>"):format(name, table.concat(words, ", "))
end

return templates
