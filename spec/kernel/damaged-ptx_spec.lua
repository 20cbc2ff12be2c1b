-- PTX given as a source that is damaged, cut short or beyond a device's limits: an error that says what is wrong and
-- where.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fails = helper.fails

local head = ".version 8.0\n.target sm_75\n.address_size 64\n"

local function on_cpu(fn)
  return function() return dc.using("cpu", fn) end
end

local function entry(body, parameters)
  return head .. ".visible .entry k(" .. (parameters or ".param .u64 p") .. ") {\n.reg .b32 %r<9>;\n" .. body
    .. "\nret;\n}\n"
end

-- The message of loading the text and looking up its kernel.
local function message(text)
  local ok, err = pcall(function() return dc.module(text):kernel "k" end)
  assert.is_false(ok, "no error was raised")
  assert.equal("compile", err.kind, tostring(err))
  return err.message
end

describe("damaged PTX", function()
  it("without .version is an error about PTX, not about CUDA C", on_cpu(function()
    assert.matches("no directive .version", message((entry(""):gsub("%.version[^\n]*\n", "// a comment\n"))))
  end))

  it("that is cut short is an error which shows the end", on_cpu(function()
    local text = entry "st.shared.b32 [%r1], %r2;"
    assert.matches("PTX line 6: expected '[^']+', found the end of the text\n  st.shared.b32 %[%%r1%], %%r2\n +%^$",
      message(text:sub(1, (text:find("2;", 1, true)))))
    assert.matches("found the end of the text\n", message(text:sub(1, (text:find("ret;", 1, true)) + 3)))
    assert.matches("found a string that does not end", message(text .. '.file 1 "name'))
  end))

  it("shows a long line around the token, and other bytes than PTX has as question marks", on_cpu(function()
    local line = ("add.s32 %r1, %r1, 1; "):rep(300) .. "add.s32 %r1 \1%r1, 1;" .. (" "):rep(300) .. "ret;"
    local text = message(entry(line))
    assert.matches("no PTX %(byte 0x01%)\n.*add.s32 %%r1 %?%%r1, 1;", text)
    local shown, caret = text:match "\n  ([^\n]*)\n  ([^\n]*)$"
    assert.is_true(#shown <= 120)
    assert.equal("?", shown:sub(#caret, #caret))
  end))

  it("in which a function does not end is an error with its name", on_cpu(function()
    assert.matches("function 'k' has no end: a '}' is missing", message(entry "{ add.s32 %r1, %r1, 1;"
      .. ".visible .entry l() { ret; }"))
  end))

  it("with an offset that is no integer is an error, behind an address and in an initializer", on_cpu(function()
    local at = entry(".reg .b64 %rd<2>;\nmov.u64 %rd1, 0;\nld.global.u32 %r1, [%rd1+0f3F800000];")
    assert.matches("an offset must be an integer", message(at))
    local initial = ".global .u32 g;\n.global .u64 q = generic(g)+0f3F800000;\n"
    assert.matches("an offset must be an integer", message((entry(""):gsub("%.visible", initial .. "%0"))))
  end))

  it("in a file is blamed on the file's line", on_cpu(function()
    helper.with_file(entry "add.s32 %r1 %r1, 1;", function(name)
      local ok, err = pcall(dc.module_file, name)
      assert.is_false(ok)
      assert.equal(name .. ":6", err.at)
    end)
  end))

  it("that was compiled before is blamed on a line of its CUDA C, not on that line of the PTX", on_cpu(function()
    local text = dc.module [[
extern "C" __global__ void k(int *x) {
  asm volatile("add.s32 %0, %0, 1;" : "+r"(x[0]));
}]]:ptx()
    helper.with_file((text:gsub("add%.s32 [^,]*,", "add.s32 ")), function(name)
      local err = select(2, pcall(function() return dc.module_file(name):kernel "k" end))
      assert.equal(name .. ", line 2 of the CUDA C that the PTX was made from", err.at)
    end)
  end))
end)

describe("PTX beyond a device's limits", function()
  it("is an error that names what is too large", on_cpu(function()
    local function variable(space, bytes)
      return message(entry((".%s .b8 large[%d];\nst.%s.b32 [large], %%r1;"):format(space, bytes, space)))
    end
    assert.matches("kernel 'k' has 1000000 bytes of static shared memory, and a block", variable("shared", 1000000))
    assert.matches("shared variable 'large' ends beyond 2 GiB", variable("shared", 3000000000))
    assert.matches("kernel 'k' has 1000000 bytes of local memory, and a thread may have 524288",
      variable("local", 1000000))
    assert.matches("a thread's variables take more than 2 GiB", variable("local", 3000000000))
    assert.matches("larger than 2%^46 bytes", variable("shared", 1 << 60))
    assert.matches("parameters take more than 16 MiB", message(entry("", ".param .b8 p[1000000000]")))
    assert.matches("only 64%-bit addresses", message((entry(""):gsub("size 64", "size 32"))))
  end))

  it("is an error at the launch, where it is the parameters", on_cpu(function()
    local parameters = {}
    for i = 1, 5000 do parameters[i] = ".param .u64 p" .. i end
    local k = dc.module(entry("", table.concat(parameters, ","))):kernel "k"
    fails("launch", "takes 40000 bytes of parameters, .* takes at most", function()
      k(1, 1, table.unpack(parameters, 1, 5000))
    end)
  end))
end)
