-- The prompt's session: compiles entries, keeps their locals and the last result, shows results, runs commands.
--
-- dclua reads lines and calls `compile` with what has been entered so far, then the chunk, then `show` with its
-- results. Nothing here reads _G without need, since a script may have changed everything there.
local core = require "dotcompute.core"
local commands = require "dotcompute.prompt.commands"
local complete = require "dotcompute.prompt.complete"
local hints = require "dotcompute.prompt.hints"
local locals = require "dotcompute.prompt.locals"
local show = require "dotcompute.prompt.show"
core.builtin(debug.getinfo(1, "S").source)

local prompt = {}
local load, type, select, getenv, require = load, type, select, os.getenv, require
local rawget, rawset, pcall = rawget, rawset, pcall

local env, declare = locals.environment {
  dc = function() return require "dotcompute" end,
  help = function() return commands.helper(prompt) end,
}
prompt.env = env

-- The value of a variable of the session or a global, read without running the user's code.
function prompt.lookup(name)
  local value = rawget(env, name)
  if value == nil then value = rawget(_G, name) end
  return value
end

-- --- compiling ----------------------------------------------------------------------------------------------------

-- The texts of entries with functions in them: dc.jit finds kernels' texts there.
core.prompt_texts = {}

local function compile(text)
  local chunk, message = load(text, "=stdin", "t", env)
  if chunk and text:find("function", 1, true) then table.insert(core.prompt_texts, text) end
  return chunk, message
end

-- Of each chunk that is no command: `names`, the locals that it declares, and `text`, what a script has in its place.
local facts = setmetatable({}, { __mode = "k" })

local noted = false -- whether the entry that runs is in the session for %save

-- An expression's values are `_`, and are printed unless it is a call, which may have printed something itself.
local function as_statement(expression)
  if not expression:find "%S" then return nil end
  if compile(expression) then return "_ = " .. expression end
  local one = ("_ = (%s); print(_)"):format(expression:match "^%s*(.-)%s*;?%s*$")
  return compile(one) and one or ("_ = %s\nprint(_)"):format(expression) -- a list, or with a comment behind it
end

local function is_incomplete(message) return type(message) == "string" and message:sub(-5) == "<eof>" end

-- What has been entered so far, complete or not: the chunk, for prompt.run; or nil and the message, or nil alone where
-- more is expected. A chunk that is an expression returns its values.
function prompt.compile(text)
  noted = false
  local command = commands.find(text, prompt)
  if command then return command end
  local expression = text:match "^%s*=(.*)" or text -- "=x" as Lua 5.1 had it
  local chunk = compile("return " .. expression)
  if chunk then
    facts[chunk] = { names = {}, text = not commands.is_help(expression, prompt) and as_statement(expression) }
    return chunk
  end
  local plain, names = locals.take_out(text)
  local message
  chunk, message = compile(plain)
  if chunk then
    facts[chunk] = { names = names, text = text }
    return chunk
  end
  if is_incomplete(message) then return nil end
  return nil, message
end

-- The entries of a text, if they were typed line by line, and how many characters stand before the last one; nil and
-- the message where one is wrong, nil alone where the last is not complete.
local function split(text)
  local entries, open, at, before = {}, nil, 1, 0
  for line, behind in (text .. "\n"):gmatch "(.-)\n()" do
    if open or line:find "%S" then
      if not open then before = at - 1 end
      open = open and open .. "\n" .. line or line
      local entry, wrong = prompt.compile(open)
      if wrong then return nil, wrong end
      if entry then
        entries[#entries + 1] = entry
        open = nil
      end
    end
    at = behind
  end
  if open then return nil end
  return entries, before
end

-- A paste of several lines, complete: one chunk, which returns the values of an expression at its end. Where it is no
-- chunk, since there are expressions before: the entries one after another, as if typed.
function prompt.compile_paste(text)
  local entries, before = split(text)
  local last = entries and before > 0 and text:sub(before + 1)
  if last and not last:find "^%s*[%%!]" and compile("return " .. last) then
    local plain, names = locals.take_out(text:sub(1, before))
    local chunk = compile(plain .. "return " .. last)
    if chunk then
      facts[chunk] = { names = names, text = text:sub(1, before) .. as_statement(last) }
      return chunk
    end
  end
  local chunk, message = prompt.compile(text)
  if chunk then return chunk end
  if not entries then return nil, message or before end
  return function()
    for k = 1, #entries - 1 do prompt.show(prompt.run(entries[k])) end
    return prompt.run(entries[#entries])
  end
end

-- Before a chunk runs: declares its locals, and notes it for %save.
function prompt.begin(chunk)
  local known = facts[chunk]
  noted = known ~= nil and known.text and true or false
  if not known then return end
  declare(known.names)
  if noted then commands.note(known.text) end
end

function prompt.run(chunk)
  prompt.begin(chunk)
  return chunk()
end

-- --- results ------------------------------------------------------------------------------------------------------

-- Shows the values of an entry; the first one is `_` in the next.
function prompt.show(...)
  local n = select("#", ...)
  if n == 0 then return end
  local first = ...
  if first ~= nil or n > 1 then rawset(env, "_", first) end
  local texts = {}
  for k = 1, n do texts[k] = show.value((select(k, ...)), prompt.columns, prompt.colours) end
  _G.print(table.unpack(texts, 1, n))
end

prompt.columns = 80

-- The next entry's terminal: its width, and whether results and errors are written to it, which then have colours.
function prompt.set_terminal(columns, shows_results, shows_errors)
  prompt.columns = columns
  core.columns(columns)
  local term = getenv "TERM"
  local none = getenv "NO_COLOR"
  local has_colours = term ~= nil and term ~= "" and term ~= "dumb" and (none == nil or none == "")
  prompt.colours, prompt.error_colours = shows_results and has_colours, shows_errors and has_colours
end

-- The text to insert at the end of `line`, and the candidates in columns.
function prompt.complete(line, columns) return complete(line, columns, env) end

-- --- errors -------------------------------------------------------------------------------------------------------

-- The message in red, the traceback faint.
local function paint_error(text)
  local first, traceback = text:match "^(.-)(\nstack traceback:\n.*)$"
  if not first then return "\27[31m" .. text .. "\27[0m" end
  return "\27[31m" .. first .. "\27[0;2m" .. traceback .. "\27[0m"
end

-- What is shown of an error: its message, the script's frames, and a line with what may have been meant. The entry that
-- failed is not saved.
function prompt.error_text(message)
  if noted then commands.forget() end
  noted = false
  local text = message:gsub("\n\t%[C%]: in %?$", ""):gsub("\nstack traceback:$", "") -- the host's call of the entry
  if prompt.error_colours then text = paint_error(text) end
  local ok, hint = pcall(hints.of, message, env)
  return ok and hint and text .. "\n" .. hint or text
end

-- The text of an error object that is neither a string nor has one.
function prompt.describe(value)
  return "error object: " .. show.value(value, prompt.columns, prompt.colours)
end

return prompt
