-- Kernels that read arrays which they write: no load of one is taken for a load of read-only memory (ld.global.nc).
local dc = require "dotcompute"

-- The CUDA C of a kernel for these arguments, and its PTX for GPUs.
local function compiled(fn, ...)
  local source = dc.jit(fn):source(...)
  return source, dc.module(source):ptx "sm_90"
end

-- The accesses of global memory in PTX: a list of { kind = "nc", "load" or "store", with the kernel's parameters that
-- its address may come from }.
local function accesses_of(ptx)
  local from, pointers, list = {}, {}, {}
  local function origins(register, seen, found)
    if seen[register] then return found end
    seen[register] = true
    found[#found + 1] = pointers[register]
    for other in pairs(from[register] or {}) do origins(other, seen, found) end
    return found
  end
  for line in ptx:gmatch "[^\n]+" do
    local op, rest = line:gsub("@!?%%p%d+%s+", ""):match "^%s*([%w_.]+)%s+(.*)"
    if op and op:find "^ld%.param" then
      local register, param = rest:match "(%%%w+), %[([%w_]+)%]"
      pointers[register or ""] = op:find "64" and param
    elseif op and (op:find "^ld%.global" or op:find "^st%.global" or op:find "^atom" or op:find "^red") then
      list[#list + 1] = { kind = op:find "%.nc" and "nc" or op:find "^ld" and "load" or "store",
        register = rest:match "%[(%%%w+)" }
    elseif op and op:find "64$" then
      local to, operands = rest:match "^(%%rd%d+),(.*)"
      from[to or ""] = from[to or ""] or {}
      for register in (operands or ""):gmatch "%%rd%d+" do from[to][register] = true end
    end
  end
  for _, access in ipairs(list) do origins(access.register, {}, access) end
  return list
end

-- How many loads of read-only memory the PTX has, and how many of them may be of memory that the kernel writes.
local function count(ptx)
  local written, loads, wrong = {}, 0, 0
  local list = accesses_of(ptx)
  for _, access in ipairs(list) do
    for _, param in ipairs(access) do written[param] = written[param] or access.kind == "store" end
  end
  for _, access in ipairs(list) do
    local of_written = false
    for _, param in ipairs(access) do of_written = of_written or written[param] end
    loads = loads + (access.kind == "nc" and 1 or 0)
    wrong = wrong + (access.kind == "nc" and of_written and 1 or 0)
  end
  return loads, wrong
end

-- What NVVM (CUDA 13.0) makes of `w[1] = 0  out[1] = c and x[1] or w[2]` where x is restricted: one load of both.
local merged = [[
  ld.param.u64   %rd1, [kernel_param_0];
  ld.param.u64   %rd2, [kernel_param_1];
  cvta.to.global.u64   %rd3, %rd1;
  cvta.to.global.u64   %rd4, %rd2;
  st.global.u32   [%rd3], %r1;
  add.s64   %rd5, %rd3, 4;
  selp.b64   %rd6, %rd4, %rd5, %p1;
  ld.global.nc.u32   %r2, [%rd6];
]]

-- Kernels that choose between elements of x and y, which they only read, and of w, which they write. `V1`, `V2`: the
-- values; `C`: the condition.
local shapes = {
  "w[i + 1] = k  local v = V1  out[i] = dc.where(C, V2, v)",
  "w[i + 1] = k  out[i] = C and V1 or V2",
  "w[i + 1] = k  local v = V1  if C then v = V2 end  out[i] = v",
  "w[i + 1] = k  local v  if C then v = V1 * 3 + 1 else v = V2 * 3 + 1 end  out[i] = v",
  "local v = V1  for j = 1, k do out[i] = v  w[j] = j  v = V2 end",
  "w[i + 1] = k  local a = A1  if C then a = A2 end  out[i] = a[k]",
  "w[i + 1] = k  local function f() if C then return V1 end return V2 end  out[i] = f() + 1",
  "local function f(a, j) return a[j] end  w[i + 1] = k  out[i] = C and f(A1, i) or f(A2, k)",
  "local v = V1  if C then v = V2 end  w[i] = k  out[i] = v",
  "w[i + 1] = k  local v  if i > 7 then v = V1 elseif C then v = V2 else v = y[k] end  out[i] = v",
}

describe("a kernel that reads an array which it writes", function()
  it("never loads it as read-only memory, whatever its loads are merged with", function()
    assert.same({ 1, 1 }, { count(merged) })
    local dtypes = { "int32", "float32", "uint64", "int16", "uint8", "float64" }
    for _, shape in ipairs(shapes) do
      local arrays = { "x", "w" }
      if math.random(2) == 1 then arrays = { "w", "x" } end
      local text = shape:gsub("%u%d?", function(word)
        if word == "C" then return "i > " .. math.random(2, 9) end
        local array = arrays[tonumber(word:sub(2))]
        return word:find "A" and array or ("%s[%s]"):format(array, ({ "i", "k", "33 - i", "2 * i" })[math.random(4)])
      end)
      text = "local dc = ... return function(out, w, x, y, k) local i = dc.index() " .. text .. " end"
      local dtype = dtypes[math.random(#dtypes)]
      local function array() return dc.zeros(64, dtype) end
      local _, ptx = compiled(load(text, text)(dc), array(), array(), array(), array(), 3)
      local _, wrong = count(ptx)
      assert.equal(0, wrong, text .. "\n" .. ptx)
    end
  end)

  it("loads other arrays as read-only memory", function()
    local function saxpy(x, y, a)
      local i = dc.index()
      if i <= #x then y[i] = a * x[i] + y[i] end
    end
    local x, y = dc.zeros(64, "float32"), dc.zeros(64, "float32")
    local source, ptx = compiled(saxpy, x, y, 2.0)
    assert.is_true(source:find("float *__restrict__ y", 1, true) ~= nil, source)
    assert.same({ 1, 0 }, { count(ptx) })
  end)
end)

describe("a parameter for an array that a kernel only reads", function()
  -- Whether x is restricted in the kernel `body` of out, w, x and i.
  local function restricted(body, w)
    local text = "local dc = ... return function(out, w, x, i) " .. body .. " end"
    local function zeros() return dc.zeros(8, "int32") end
    local source = dc.jit(load(text, text)(dc)):source(zeros(), w or zeros(), zeros(), 1)
    return source:match "const [%w_ ]+%*(__restrict__ )x" ~= nil, source
  end
  local function is(expected, ...)
    local got, source = restricted(...)
    assert.equal(expected, got, source)
  end

  it("is restricted where the kernel reads no array that it writes", function()
    is(true, "out[i] = x[i]")
    is(true, "out[i] = x[i] w[i] = x[i + 1] if x[i] > 3 then w[i] = #w + #out end")
    is(true, "local t = dc.shared('int32', 8) t[i] = x[i] dc.sync_threads() out[i] = t[i + 1]")
    is(true, "dc.atomic_add(out, i, x[i]) local a = w a[i] = x[i]")
    is(true, "local function put(a, v) a[i] = v end put(out, x[i]) put(w, 2)")
    is(true, "local a = i > 3 and x or w out[i] = a[i]")
  end)

  it("is not where the kernel may read one, by whatever name", function()
    is(false, "w[i] = x[i] + w[i]")
    is(false, "w[i] = x[i] out[i] = w[i + 1]")
    is(false, "w[i] = x[i] local a = w out[i] = a[i]")
    is(false, "w[i] = 1 local a = i > 3 and x or w out[i] = a[i] + x[i]")
    is(false, "local a = x if i > 3 then a = w end w[i] = 1 out[i] = a[i] + x[i]")
    is(false, "local function get(a) return a[i] end w[i] = 1 out[i] = get(x) + get(w)")
    is(false, "local function get(a) local b = a return b[i] end w[i] = x[1] out[i] = get(w)")
    is(false, "w[i] = x[i] + dc.atomic_add(out, i, 1) out[w[i]] = 3")
    is(false, "out[i] = x[i] + dc.cuda('int32', '$1[0]', w)")
    is(false, "w[1][i] = x[i] local row = w[2] out[i] = row[i]", dc.zeros(8, 8, "int32"))
    is(false, "w[i] = x[i] out[i] = dc.view_as(w, 'int2')[1].y")
  end)

  it("is restricted where the fields of elements are written and not read", function()
    local S = dc.struct("S", { { "a", "int32" }, { "b", "int32" } })
    is(true, "w[i].a = x[i]", S:array(8))
    is(false, "w[i].a = x[i] out[i] = w[i].b", S:array(8))
  end)
end)
