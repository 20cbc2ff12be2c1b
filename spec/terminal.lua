-- Terminals for specs: runs a session described for spec/terminal.py. Returns the screens' text, the exit statuses and
-- the history file.
local helper = require "spec.helper"
local quote = helper.quote
local terminal = { dclua = helper.dclua }

terminal.exists = os.execute "python3 -c 'import pty' 2>/dev/null" == true

function terminal.folder()
  local name = helper.folder()
  assert(os.execute("mkdir " .. quote(name .. "/dotcompute")))
  return name
end

-- What a terminal shows in the end that was sent this text (of a program that only writes lines, saves and restores the
-- cursor, and erases to the end of the line): its lines without trailing blanks.
function terminal.screen(text)
  local rows, row, column, saved = { {} }, 1, 1, { 1, 1 }
  local at = 1
  while at <= #text do
    local sequence, last = text:match("^(\27%[[%?%d;]*(%a))", at)
    local short = text:match("^\27([78])", at)
    local c = text:match("^" .. utf8.charpattern, at)
    if sequence then
      if last == "K" then
        for k = #rows[row], column, -1 do rows[row][k] = nil end
      end
      at = at + #sequence
    elseif short then
      if short == "7" then saved = { row, column } else row, column = saved[1], saved[2] end
      at = at + 2
    else
      if c == "\n" then
        row, column = row + 1, 1
        rows[row] = rows[row] or {}
      else
        for k = #rows[row] + 1, column - 1 do rows[row][k] = " " end
        rows[row][column] = c
        column = column + 1
      end
      at = at + #c
    end
  end
  local lines = {}
  for k, cells in ipairs(rows) do lines[k] = (table.concat(cells):gsub("%s+$", "")) end
  return table.concat(lines, "\n")
end

-- `lines` may name $D, the interpreter. options: term (xterm), state (a folder for the history, kept), raw (the text
-- with its escape sequences).
function terminal.run(lines, options)
  options = options or {}
  local state, name = options.state or terminal.folder(), os.tmpname()
  helper.write(name, (lines:gsub("%$D", function() return quote(terminal.dclua) end):gsub("%f[^\n\0] +", "")))
  local text = helper.shell(("XDG_STATE_HOME=%s TERM=%s python3 spec/terminal.py < %s"):format(quote(state),
    options.term or "xterm", name))
  os.remove(name)
  local history = helper.shell(("f=%s/dotcompute/history; [ ! -f $f ] || cat $f"):format(quote(state)))
  if not options.state then os.execute("rm -rf " .. quote(state)) end
  local shown = options.raw and text or text:gsub("\27%[[%?%d;]*%a", ""):gsub("\27[78]", "")
  return shown, text:match "\n([^\n]*)\n$", history
end

return terminal
