-- The place in the text of a failed kernel assert had a '/' too many in front: NVRTC makes __FILE__ absolute.
local dc = require "dotcompute"
local helper = require "spec.helper"

describe("a failed assert", function()
  it("names the script's file unchanged, with the line", function()
    local cpu = dc.device "cpu"
    local line = helper.line()
    local k = dc.using(cpu, dc.kernel, [[
#include <assert.h>
__global__ void asserts(int *o) {
  assert(o == nullptr);
}]])
    local o = dc.using(cpu, dc.zeros, 1, "int32")
    local err = helper.fails("launch", "Assertion", function()
      k(1, 1, o)
      cpu:synchronize()
    end)
    assert.is_truthy(err.message:find(": " .. debug.getinfo(1, "S").short_src .. ":" .. line + 4 .. ":", 1, true),
      err.message)
  end)
end)
