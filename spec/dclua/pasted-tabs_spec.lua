-- Tabs in pasted text were taken for requests to complete a name, and changed the code.
local terminal = require "spec.terminal"
local it = terminal.exists and it or pending

local code = "function\\tpasted()\\n\\tstr\\t= 3\\n\\t\\tret\\t= 4\\n\\treturn\\tstr + ret\\t\\nend\\n"

describe("pasted tabs", function()
  it("are text where the terminal brackets pasted text", function()
    local text, ended = terminal.run("open a $D\nsee > \ntype \\x1b[200~" .. code .. "pasted()\\x1b[201~\nwait 0.3\n"
      .. "type \\n\nsee \\n7\\n\nsee > \ntype string.rev\\t\nsee string.reverse\ntype ('abc')\\n\nsee cba\nsee > \n"
      .. "type \\x04\nend\n")
    assert.equal("status 0", ended, text)
  end)

  for _, term in ipairs { "xterm", "dumb" } do
    it("are text in a burst of input on " .. term, function()
      local text, ended = terminal.run("open a $D\nsee > \ntype " .. code .. "pasted()\\n\nsee \\n7\\n\nsee > \n"
        .. "type \\x04\nend\n", { term = term })
      assert.equal("status 0", ended, text)
    end)
  end

  it("are keys again when the end of the paste does not come", function()
    local text, ended = terminal.run("open a $D\nsee > \ntype \\x1b[200~6 * 7\\n\nwait 2.5\n"
      .. "type \\n\nsee \\n42\\n\nsee > \ntype string.rev\\t\nsee string.reverse\ntype \\n\nsee > \ntype \\x04\nend\n")
    assert.equal("status 0", ended, text)
  end)

  it("write no escape sequences to a dumb terminal", function()
    local text = terminal.run("open a TERM=dumb $D\nsee > \ntype 1\\n\nsee > \ntype \\x04\nend\n", { term = "dumb" })
    assert.falsy(text:find "%?2004")
  end)
end)
