-- The C unit test spec/c/test_build.c, in a file of its own, since it runs the C compiler for half a minute.
local units = require "spec.units"

it("C unit test test_build", function() units.run "test_build" end)
