-- Two prompts at the same time wrote the history file over each other; a damaged one was overwritten.
local helper = require "spec.helper"
local terminal = require "spec.terminal"
local it = terminal.exists and it or pending

local write, read = helper.write, helper.read_if_there

describe("the prompt's history", function()
  local state
  before_each(function() state = terminal.folder() end)
  after_each(function() os.execute("rm -rf " .. state) end)

  it("keeps the lines of all sessions, in their order", function()
    local lines, want = { "open 1 $D", "see > ", "open 2 $D", "see > ", "open 3 $D", "see > " }, {}
    for i = 1, 40 do
      local text = "x" .. i .. "=" .. math.random(1 << 40)
      want[i] = text
      lines[#lines + 1] = ("use %d\ntype %s\\n\nsee > "):format(math.random(3), text)
    end
    for i = 1, 3 do lines[#lines + 1] = "use " .. i .. "\ntype \\x04\nend" end
    local text, ended, history = terminal.run(table.concat(lines, "\n") .. "\n", { state = state })
    assert.equal("status 0", ended, text)
    assert.equal("_HiStOrY_V2_\n" .. table.concat(want, "\n") .. "\n", history)
  end)

  it("is read again, with lines of any content", function()
    local odd = "s = \"a\\\\tb\\\\\\\\c \195\164 [[x]]\" -- #"
    terminal.run("open 1 $D\nsee > \ntype " .. odd:gsub("\195\164", "\\xc3\\xa4") .. "\\n\nsee > \ntype \\x04\nend\n",
      { state = state })
    local text, ended = terminal.run("open 1 $D\nsee > \ntype \\x1b[A\\n\nsee > \ntype ('%q'):format(s)\\n\nsee b\\\\"
      .. "\nsee > \ntype \\x04\nend\n", { state = state })
    assert.equal("status 0", ended, text)
  end)

  it("stays within its size limit", function()
    local name, long = state .. "/dotcompute/history", ("y"):rep(990)
    local old = { "_HiStOrY_V2_" }
    for i = 1, 1010 do old[#old + 1] = i .. long end
    write(name, table.concat(old, "\n") .. "\n")
    local text, ended, history = terminal.run("open 1 $D\nsee > \ntype newest=1\\n\nsee > \ntype newer=2\\n\nsee > \n"
      .. "type \\x04\nend\n", { state = state })
    assert.equal("status 0", ended, text)
    assert(#history < 600000 and #history > 300000, #history)
    assert.equal("_HiStOrY_V2_\n", history:sub(1, 13))
    assert.equal("\n1010" .. long .. "\nnewest=1\nnewer=2\n", history:sub(-(#long + 23)))
    for line in history:gmatch "\n(%d[^\n]*)" do assert.equal(long, line:match "%d+(.*)") end
  end)

  it("is renamed when it is damaged, and its absence is no error", function()
    local name = state .. "/dotcompute/history"
    local session = "open 1 $D\nsee > \ntype 6 * 7\\n\nsee \\n42\\n\nsee > \ntype \\x04\nend\n"
    write(name, "\0\1\255 rubbish\n\\9\\")
    local text, ended = terminal.run(session, { state = state })
    assert.equal("status 0", ended, text)
    assert.equal("_HiStOrY_V2_\n6\\040*\\0407\n", read(name))
    assert.equal("\0\1\255 rubbish\n\\9\\", read(name .. ".damaged"))
    write(name, "_HiStOrY_V2_\nwhole\ncut of")
    text, ended = terminal.run(session, { state = state })
    assert.equal("status 0", ended, text)
    assert.equal("_HiStOrY_V2_\nwhole\ncut of\n6\\040*\\0407\n", read(name))
    for _, make in ipairs { "mkdir", "mkfifo", "ln -s /nowhere/at/all" } do
      os.execute(("rm -rf '%s'; %s '%s'"):format(name, make, name))
      text, ended = terminal.run(session, { state = state })
      assert.equal("status 0", ended, make .. text)
    end
    os.execute(("rm -rf '%s'; chmod 500 '%s'"):format(name, state .. "/dotcompute"))
    text, ended = terminal.run(session, { state = state })
    assert.equal("status 0", ended, text)
  end)
end)
