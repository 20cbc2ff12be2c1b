-- Inline assembly that is no PTX, or none for the CPU device: the error names the script's line of it and shows it.
-- What does not parse fails with the module, as on a GPU; a well-formed instruction that the device does not take makes
-- its own kernel unusable alone.
local dc = require "dotcompute"
local helper = require "spec.helper"

local function on_cpu(fn)
  return function() return dc.using("cpu", fn) end
end

-- The compile error of fn.
local function refused(fn)
  local ok, err = pcall(fn)
  assert.is_false(ok, "no error was raised")
  assert.equal("table", type(err), tostring(err))
  assert.equal("compile", err.kind, tostring(err))
  return err
end

describe("inline assembly on the CPU device", function()
  it("without a comma is an error with the script's line, the text and a caret", on_cpu(function()
    local line = helper.line(5)
    local err = refused(function()
      dc.module [[
__global__ void good(int *x) { x[0] = 1; }
__global__ void bad(int *x) {
  asm volatile("add.s32 %0 %0, 1;" : "+r"(x[0]));
}]]
    end)
    assert.matches("^[^\n]*faulty%-assembly_spec.lua:" .. line .. ": PTX line %d+: expected ';', found '%%r%d+'\n"
      .. "  add.s32 %%r%d+ %%r%d+, 1;\n +%^$", tostring(err))
    assert.matches(":" .. line .. "$", err.at)
    assert.matches("spec.lua:" .. line - 3 .. "$", err.where)
  end))

  it("of an inlined function is blamed on that function's line", on_cpu(function()
    local line = helper.line(4)
    local err = refused(function()
      dc.module [[
__device__ __forceinline__ int twice(int v) {
  asm("add.s32 %0, %0, %missing;" : "+r"(v));
  return v;
}
__global__ void bad(int *x) { x[0] = twice(x[0]); }]]
    end)
    assert.matches("spec.lua:" .. line .. ": PTX line %d+: '%%missing' is not declared\n"
      .. "  add.s32 %%r%d+, %%r%d+, %%missing;\n +%^$", tostring(err))
  end))

  it("of one of several sources is blamed on that source's line", on_cpu(function()
    local line = helper.line(4)
    local err = refused(function()
      dc.module { "__global__ void good(int *x) {\n  x[0] = 1;\n}\n\n", [[
__global__ void bad(int *x) {
  asm volatile("add.s32 %0 %0, 1;" : "+r"(x[0]));
}]] }
    end)
    assert.matches("spec.lua:" .. line .. "$", err.at)
  end))

  -- Each a text and what the message says of it, on the same line of the same kernel.
  for text, says in pairs {
    ["add.s32 %0, %0, 1"] = "';' is missing at the end of the line\n  add.s32 %%r%d+, %%r%d+, 1\n +%^$",
    ["mov.b32 %0, [%0"] = "']' is missing at the end of the line\n",
    ["{ add.s32 %0, %0, 1;"] = "inline assembly has a '{' without its '}'\n  { add.s32",
    ["add.s32 %0, %0, 1; }"] = "inline assembly has a '}' without its '{'\n  add.s32",
    ["bra nowhere;"] = "there is no label 'nowhere' in this function\n  bra nowhere;\n      %^$",
    ["call missing, (%0);"] = "'missing' is not declared\n",
    ["/* begins"] = "found a comment that does not end",
  } do
    it(("'%s' is an error with its line"):format(text), on_cpu(function()
      local source = [[
__global__ void bad(int *x) {
  if (x[1]) x[2] = 3;
  asm volatile("]] .. text .. [[" : "+r"(x[0]));
  for (int i = 0; i < x[3]; i++) x[i + 5] += x[i];
}]]
      local err = refused(function() dc.kernel(source) end)
      assert.matches(says, tostring(err))
      if text:find "begins" then return end -- which hides the directives behind it
      assert.matches("spec.lua:%d+, line 3 of the source: PTX line", tostring(err))
    end))
  end

  it("whose braces match in two statements is allowed", on_cpu(function()
    local k = dc.kernel [[
__global__ void two(int *x) {
  asm volatile("{ .reg .b32 t; mov.b32 t, %0;" :: "r"(x[0]));
  asm volatile("add.s32 %0, t, 1; }" : "=r"(x[1]));
}]]
    local x = dc.array({ 41, 0 }, "int32")
    k(1, 1, x)
    assert.equal(42, x[2])
  end))

  -- A text and what the message of the kernel says.
  for text, says in pairs {
    ["add.s32 %0, %0;"] = "the CPU device does not take these operands: 'add.s32 %%r%d+, %%r%d+'",
    ["add.s99 %0, %0, 1;"] = "the CPU device has no instruction 'add.s99'",
    ["{ .reg .pred p; .reg .b16 h; setp.bf16 p, h, h; }"] = "the CPU device has no instruction 'setp.bf16'",
    ["new.kind %0, <4>, %0;"] = "the CPU device has no instruction 'new.kind'",
    ["selp.b32 %0, %0, 1, %0;"] = "operand 4 is of the wrong kind: 'selp.b32 %%r%d+, %%r%d+, 1, %%r%d+'",
    ["cp.async.ca.shared.global [%0], [%0], 5;"] = "copies 4, 8 or 16 bytes: 'cp.async",
    ["ld.shared.b32 %0, [variable];"] = "'variable' does not lie in the space of 'ld.shared.b32",
  } do
    it(("'%s' makes its own kernel unusable alone"):format(text), on_cpu(function()
      local m = dc.module([[
extern "C" __device__ int variable = 1;
__global__ void good(int *x) { x[0] = variable; }
__global__ void bad(int *x) {
  asm volatile("]] .. text .. [[" : "+r"(x[0]));
}]])
      local x = dc.zeros(1, "int32")
      m.good(1, 1, x)
      assert.equal(1, x[1])
      local err = refused(function() m.bad(1, 1, x) end)
      assert.matches("spec.lua:%d+, line 4 of the source: .*" .. says .. ".* %(PTX line %d+%)", tostring(err))
    end))
  end

  it("that calls a function with too little makes its own kernel unusable alone", on_cpu(function()
    local m = dc.module [[
extern "C" __device__ __noinline__ int callee(int a, int b) { return a + b; }
__global__ void good(int *x) { x[0] = callee(x[1], x[2]); }
__global__ void bad(int *x) {
  asm volatile("{ .param .b32 a; .param .b32 r; call.uni (r), callee, (a); }");
}]]
    local x = dc.array({ 0, 1, 2 }, "int32")
    m.good(1, 1, x)
    assert.equal(3, x[1])
    assert.matches("arguments or result do not fit function 'callee'", tostring(refused(function() m.bad(1, 1, x) end)))
  end))
end)
