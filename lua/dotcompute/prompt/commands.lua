-- What the prompt takes besides Lua: %time, %timeit, %load, %save, %edit, !command, ?name, name??.
--
-- A command is a whole entry. It becomes a function that is called as a chunk is; its results are shown.
local core = require "dotcompute.core"
local locals = require "dotcompute.prompt.locals"
core.builtin(debug.getinfo(1, "S").source)

local require = require -- a script may take the global one away

local commands = {}
local session = {} -- the entries so far as a script has them, for %save

-- Errors of commands have no traceback: it would be that of this file.
local message = { __tostring = function(e) return e.text end }
local function fail(text, ...) error(setmetatable({ text = text:format(...) }, message)) end

-- The chunk of a text, which must be complete.
local function compile(text, prompt)
  local chunk, wrong = prompt.compile_paste(text)
  return chunk or fail("%s", wrong or "the text is not complete")
end

-- One word of the shell's.
local function quote(text) return "'" .. text:gsub("'", [['\'']]) .. "'" end
commands.quote = quote

-- --- time ---------------------------------------------------------------------------------------------------------

local function seconds_text(s)
  if s < 1e-6 then return ("%.3g ns"):format(s * 1e9) end
  if s < 1e-3 then return ("%.3g µs"):format(s * 1e6) end
  if s < 1 then return ("%.3g ms"):format(s * 1e3) end
  return ("%.3g s"):format(s)
end

-- One run, the device's work included.
local function time(text, prompt)
  local dc, chunk = require "dotcompute", compile(text, prompt)
  dc.synchronize()
  local before = dc.clock()
  local results = table.pack(prompt.run(chunk))
  local returned = dc.clock()
  for k = 1, results.n do
    if core.is_array(results[k]) then results[k]:eval() end
  end
  dc.synchronize()
  local done = dc.clock()
  print(("%s, of which %s until the call returned"):format(seconds_text(done - before),
    seconds_text(returned - before)))
  return table.unpack(results, 1, results.n)
end

-- Runs for some tenths of a second: the best and the median time of a run, and the device's share of it.
local function timeit(text, prompt)
  local dc, chunk = require "dotcompute", compile(text, prompt)
  prompt.begin(chunk)
  local function once()
    local v = chunk()
    if core.is_array(v) then v:eval() end
  end
  once()
  dc.synchronize()
  local count = 1
  repeat
    local before = dc.clock()
    for _ = 1, count do once() end
    dc.synchronize()
    local enough = dc.clock() - before > 0.02 or count >= 1 << 24
    if not enough then count = count * 4 end
  until enough
  local times = {}
  for k = 1, 7 do
    local before = dc.clock()
    for _ = 1, count do once() end
    dc.synchronize()
    times[k] = (dc.clock() - before) / count
  end
  table.sort(times)
  local device = dc.time(once, math.min(count, 20))
  print(("%s a run (best of 7 times %d; median %s), %s of it on %s"):format(seconds_text(times[1]), count,
    seconds_text(times[4]), seconds_text(device), tostring(dc.device())))
end

-- --- files --------------------------------------------------------------------------------------------------------

local function run_file(path, prompt)
  local chunk, wrong = loadfile(path, "t", prompt.env)
  if not chunk then fail("%s", wrong) end
  return chunk()
end

local function save(path)
  local f, wrong = io.open(path, "w")
  if not f then fail("%s", wrong) end
  f:write(table.concat(session, "\n"), "\n")
  f:close()
  print(("%d entries written to %s"):format(#session, path))
end

-- A file's text; nil and the reason.
local function contents(path)
  local f, wrong = io.open(path)
  if not f then return nil, wrong end
  local text
  text, wrong = f:read "a"
  f:close()
  return text, wrong
end

-- An editor on the text of the last entry, or a file; what it leaves is run.
local function edit(path, prompt)
  local file = path ~= "" and path or os.tmpname()
  if path == "" then
    local f = assert(io.open(file, "w"))
    f:write(session[#session] or "", "\n")
    f:close()
  end
  local editor = os.getenv "VISUAL" or os.getenv "EDITOR" or "vi"
  local ok = os.execute(editor .. " " .. quote(file))
  local text, wrong = contents(file)
  if path == "" then os.remove(file) end
  if not ok then fail("the editor '%s' did not end well; $VISUAL or $EDITOR names another", editor) end
  if not text then fail("%s", wrong) end
  print(text)
  return prompt.run(compile(text, prompt))
end

-- --- sources ------------------------------------------------------------------------------------------------------

local function lines_of(path, first, last)
  local f = io.open(path)
  if not f then return nil end
  local out, n = {}, 0
  for line in f:lines() do
    n = n + 1
    if n >= first and n <= last then out[#out + 1] = line end
  end
  f:close()
  return table.concat(out, "\n")
end

-- The text of a function that was typed: its lines of the newest entry in which its code is.
local function typed(fn, info)
  local texts = require "dotcompute.jit.source"
  local bytes = texts.body_of(fn)
  for k = #session, 1, -1 do
    if texts.contains(locals.take_out(session[k]), bytes) then
      local lines = {}
      for line in (session[k] .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
      return table.concat(lines, "\n", info.linedefined, info.lastlinedefined)
    end
  end
end

-- The text of a function, a kernel or a module, or of an array's expression.
local function source(text, prompt)
  local v = compile(text, prompt)()
  if type(v) == "function" then
    local info = debug.getinfo(v, "S")
    local code = info.source:sub(1, 1) == "@" and lines_of(info.source:sub(2), info.linedefined, info.lastlinedefined)
      or info.source == "=stdin" and typed(v, info)
    if not code then fail("%s is not in a file that can be read", text) end
    return code
  end
  local meta = debug.getmetatable(v)
  local object = type(v) == "userdata" or type(meta) == "table" and rawget(meta, "__name") == "dotcompute.jit"
  local method = object and v.source
  if not method then fail("%s has no source", text) end
  return v:source()
end

-- --- help ---------------------------------------------------------------------------------------------------------

local function print_help(what, prompt)
  local ok, text = pcall(require "dotcompute.help".text, what, prompt.columns, prompt.colours)
  if not ok then fail("%s", type(text) == "table" and text.message or text) end
  print(text)
end

-- The session's `help`: called it is dc.help, with the terminal's colours; its value says how it is called.
function commands.helper(prompt)
  return setmetatable({}, {
    __call = function(_, what, ...)
      if select("#", ...) > 0 then fail("help: one name, object or text expected") end
      print_help(what, prompt)
    end,
    __tostring = function() return 'help(): an overview; help "sort" or ?sort, help(x) or ?x; ?largest elements' end,
  })
end

-- Whether an expression is a call of the session's `help`, which scripts do not have.
function commands.is_help(expression, prompt)
  return expression:find "^%s*help%f[^%w_]" ~= nil and prompt.lookup "help" == nil
end

-- The value of "x", "t.x", "t.x.y" among the session's names, read without running the user's code, and the name of a
-- method of ours at its end.
local function value_of(text, prompt)
  if not text:find "^[%a_][%w_%.:]*$" then return nil end
  local value, method
  for name in text:gmatch "[%w_]+" do
    if value == nil then value = prompt.lookup(name)
    elseif type(value) == "table" then value = rawget(value, name)
    elseif type(value) == "userdata" and not method then method = name
    else return nil
    end
    if value == nil then return nil end
  end
  return value, method
end

-- ?name: the value of a variable, if it is one of dotcompute's, or a method of it; else a name or words.
local function explain(text, prompt)
  local help = require "dotcompute.help"
  local value, method = value_of(text, prompt)
  local class = method and help.type_of(value)
  if class then return print_help(class .. "." .. method, prompt) end
  if value ~= nil and not method and help.knows(value) then return print_help(value, prompt) end
  print_help(text ~= "" and text or nil, prompt)
end

-- --- entries that are commands ------------------------------------------------------------------------------------

local named = { time = time, timeit = timeit, load = run_file, save = save, edit = edit }

local function needs_argument(name, rest)
  if rest == "" and name ~= "edit" then
    fail("%%%s %s", name, (name == "time" or name == "timeit") and "EXPRESSION" or "FILE")
  end
end

-- The function of an entry that is a command of the session `prompt`; nil where it is none.
function commands.find(text, prompt)
  local name, rest = text:match "^%s*%%(%a+)%s*(.-)%s*$"
  if name then
    return function()
      if not named[name] then fail("no command %%%s: there are %%time, %%timeit, %%load, %%save and %%edit", name) end
      needs_argument(name, rest)
      return named[name](rest, prompt)
    end
  end
  local command = text:match "^%s*!(.*)$"
  if command then
    return function()
      io.stdout:flush()
      local ok, how, code = os.execute(command)
      if not ok then print(("%s %d"):format(how, code)) end
    end
  end
  local topic = text:match "^%s*%?([^%?\n]*)$" or text:match "^%s*([%w_%.: ]*[%w_])%s*%?%s*$"
  if topic then
    return function() explain(topic:match "^%s*(.-)%s*$", prompt) end
  end
  local object = text:match "^%s*(.-)%s*%?%?%s*$"
  if object and object ~= "" and load("return " .. object) then
    return function() return source(object, prompt) end
  end
end

-- Notes an entry, as a script has it.
function commands.note(text) session[#session + 1] = text end

-- Leaves the entry that was noted last out of the session: it has failed.
function commands.forget() session[#session] = nil end

return commands
