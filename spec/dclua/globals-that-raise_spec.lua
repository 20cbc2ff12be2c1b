-- A metamethod of _G that raises an error ended the session when a result was printed or a name was completed.
local terminal = require "spec.terminal"
local it = terminal.exists and it or pending

describe("the prompt", function()
  it("goes on when reading a global raises an error", function()
    local n = math.random(1 << 30)
    local text, ended = terminal.run(([[
open a $D
see >
type setmetatable(_G, { __index = function(_, k) error("no " .. k) end })\n
see >
type p, print = print, nil\n
see >
type %d\n
see no print
see >
type r, require = require, nil\n
see >
type p\t
wait 0.1
type (%d + 1)\n
see \n%d\n
see >
type print = p\n
see >
type %d + 2\n
see \n%d\n
see >
type \x04
end
]]):format(n, n, n + 1, n, n + 2))
    assert.equal("status 0", ended, text)
  end)
end)
