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

-- `lines` may name $D, the interpreter. options: term (xterm), state (a folder for the history, kept).
function terminal.run(lines, options)
  options = options or {}
  local state, name = options.state or terminal.folder(), os.tmpname()
  helper.write(name, (lines:gsub("%$D", function() return quote(terminal.dclua) end):gsub("%f[^\n\0] +", "")))
  local text = helper.shell(("XDG_STATE_HOME=%s TERM=%s python3 spec/terminal.py < %s"):format(quote(state),
    options.term or "xterm", name))
  os.remove(name)
  local history = helper.shell(("f=%s/dotcompute/history; [ ! -f $f ] || cat $f"):format(quote(state)))
  if not options.state then os.execute("rm -rf " .. quote(state)) end
  return text:gsub("\27%[[?%d;]*%a", ""), text:match "\n([^\n]*)\n$", history
end

return terminal
