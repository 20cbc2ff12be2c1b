-- A short run of spec/hunt-interrupts.lua: interrupts at random moments, after which sessions and scripts go on.
local terminal = require "spec.terminal"
local helper = require "spec.helper"
local it = terminal.exists and it or pending

it("interrupts at random moments end no session and lose no line", function()
  local failures, report = require "spec.hunt-interrupts".run(15, helper.seed)
  assert.equal(0, failures, helper.note(report))
end)
