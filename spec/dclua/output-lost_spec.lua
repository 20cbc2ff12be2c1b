-- Output that could not be written to standard output was lost with status 0: of print, and of printf in kernels.
local helper = require "spec.helper"
local dclua = helper.quote(helper.dclua)
local quote, shell = helper.quote, helper.shell

describe("standard output that cannot be written", function()
  local kernel = "local k = require 'dotcompute'.kernel '__global__ void k() { printf(\"hello\\\\n\"); }' "

  for _, to in ipairs { ">/dev/full", ">&-" } do
    it("ends the process with a message and status 1: " .. to, function()
      for _, code in ipairs { "print(1)", "io.write 'x'", "print(1) os.exit(0)", "print(1) os.exit(true, true)" } do
        local text, status = shell(("{ %s -e %s; } 2>&1 %s"):format(dclua, quote(code), to))
        assert.equal(1, status, code .. text)
        assert.matches("standard output cannot be written", text)
      end
      local text, status = shell(("{ %s -e 'x = 1'; } 2>&1 %s"):format(dclua, to))
      assert.equal(0, status, text)
    end)

    it("is an error of a kernel's printf on the CPU device: " .. to, function()
      local code = kernel .. "local ok, e = pcall(function() k(1, 1) require 'dotcompute'.synchronize() end) "
        .. "io.stderr:write(tostring(ok), ' ', tostring(e.kind), ' ', tostring(e)) "
      local text, status = shell(("{ DOTCOMPUTE_DEVICE=cpu %s -e %s; } 2>&1 %s"):format(dclua, quote(code), to))
      assert.equal(1, status, text)
      assert.matches("false io .*printf cannot be written", text)
    end)
  end
end)
