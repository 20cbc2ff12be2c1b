-- Ctrl-C at the prompt is a key like others: lines typed after it are kept, and no number of them ends the session.
local terminal = require "spec.terminal"
local it = terminal.exists and it or pending

describe("Ctrl-C at the prompt", function()
  for _, term in ipairs { "xterm", "dumb" } do
    it("keeps its place among typed keys on " .. term, function()
      local lines = { "open a $D", "see > " }
      for i = 1, 30 do
        local n = math.random(1 << 20)
        lines[#lines + 1] = ("type %s\\x03%d + 1\\n"):format(("x"):rep(math.random(0, 3)), n)
        lines[#lines + 1] = ("see \\n%d\\n"):format(n + 1)
        if i % 3 == 0 then lines[#lines + 1] = "type yy\nwait 0.00" .. math.random(0, 9) .. "\ntype \\x03" end
        if i % 5 == 0 then lines[#lines + 1] = "type function half(\\n\\x03\\x03" end
      end
      lines[#lines + 1] = "type \\x04\nend\n"
      local text, ended = terminal.run(table.concat(lines, "\n"), { term = term })
      assert.equal("status 0", ended, text)
    end)
  end

  it("may arrive as signals, any number at once, without ending the session", function()
    local lines = { "open a $D", "see > " }
    for _ = 1, 20 do
      for _ = 1, math.random(4) do
        lines[#lines + 1] = math.random(2) == 1 and "signal 2" or "type q"
        lines[#lines + 1] = "wait 0.00" .. math.random(0, 5)
      end
      lines[#lines + 1] = "wait 0.05\nsignal 2\nwait 0.05\nsee > \ntype #\"four\"\\n\nsee \\n4\\n"
    end
    lines[#lines + 1] = "see > \ntype \\x04\nend\n"
    local text, ended = terminal.run(table.concat(lines, "\n"))
    assert.equal("status 0", ended, text)
  end)

  it("loses no line typed after it while a loop runs", function()
    local lines = { "open a $D", "see > " }
    for i = 1, 10 do
      lines[#lines + 1] = ("type print(%d .. 'r') while true do end\\n\nsee %dr\ntype \\x03%d * 3\\n\nsee \\n%d\\n")
        :format(i, i, i + 1000, 3 * (i + 1000))
    end
    lines[#lines + 1] = "see > \ntype \\x04\nend\n"
    local text, ended = terminal.run(table.concat(lines, "\n"))
    assert.equal("status 0", ended, text)
  end)

  it("keeps a Ctrl-D typed while a statement runs as the end of input", function()
    for _ = 1, 3 do
      local text, ended = terminal.run("open a $D\nsee > \ntype print 'on' local t = os.clock() "
        .. "while os.clock() < t + 0.2 do end\\n\nsee \\non\\n\ntype \\x04\nend\n")
      assert.equal("status 0", ended, text)
    end
  end)

  it("does not change other signals: SIGTERM ends, SIGWINCH and SIGCONT do not", function()
    local text, ended = terminal.run("open a $D\nsee > \ntype 11\nsignal 28\nwait 0.1\nsignal 18\nwait 0.1\n"
      .. "type 1 + 1\\n\nsee \\n112\\n\nsee > \nsignal 15\nend\n")
    assert.equal("signal 15", ended, text)
  end)
end)
