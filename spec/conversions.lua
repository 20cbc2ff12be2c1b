-- Kernels of conversions beside their reference, with all tiers and instruction sets of the CPU device.
local assert = require "luassert"
local helper = require "spec.helper"

-- Defines, by busted's `it`, the specs of the conversions `forms`. The script gets `values` as the Lua expressions
-- `numbers`, and prints a line of results, integers, for each form. want(form, value): the expected result; with
-- `may_be_undefined` nil for one that is not compared. `word`: a pattern that the native code matches.
return function(it, forms, script, values, numbers, want, word, may_be_undefined)
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are exact: " .. how, function()
      local text, code = helper.on_cpu(how, script, table.concat(numbers, ","))
      assert.equal(0, code, text)
      local number = 0
      for line in text:gmatch "[^\n]+" do
        number = number + 1
        local form, at = forms[number], 0
        for result in line:gmatch "%S+" do
          at = at + 1
          local expected = want(form, values[at])
          local compared = expected ~= nil or not may_be_undefined
          if compared and expected ~= math.tointeger(result) then
            error(helper.note(("%s of 0x%08x gives %s, not %s"):format(form, values[at], result, expected)))
          end
        end
        assert.equal(#values, at)
      end
      assert.equal(#forms, number)
    end)
  end

  it("are native code", function()
    helper.with_folder(function(folder)
      helper.on_cpu("TIER=1 DOTCOMPUTE_DUMP=c:" .. folder, script, numbers[1])
      local code = helper.shell("cat " .. folder .. "/*.c")
      assert.matches(word, code)
      assert.falsy(code:find("->operate(", 1, true))
    end)
  end)
end
