-- NCCL among a process's GPUs, over stand-ins for the driver and NCCL (spec/fake). Kernels compute nothing there, so
-- arrays come from the host and are contiguous.
local helper = require "spec.helper"
local fake = require "spec.fake"
local quote, build = helper.quote, helper.build
local library = build .. "/spec/libfake_nccl.so"

setup(function()
  fake.build()
  assert(os.execute(("%s -std=gnu11 -O1 -g -shared -fPIC -Isrc -o %s spec/fake/fake_nccl.c -ldl"):format(
    os.getenv "CC" or "cc", quote(library))))
end)

local function run(script, env)
  env = env or {}
  env.DOTCOMPUTE_NCCL = env.DOTCOMPUTE_NCCL or library
  env.FAKE_CUDA_DEVICES = "2"
  return (fake.run(script, env))
end

describe("dc.comm over NCCL", function()
  it("runs each operation for all devices together", function()
    math.randomseed(helper.seed)
    local a, b = {}, {}
    for i = 1, 6 do a[i], b[i] = math.random(-99, 99), math.random(-99, 99) end
    local text = run(([[
local function on(d, t) return dc.using(d, dc.array, t, "int32") end
local comm = dc.comm { "cuda:0", "cuda:1" }
local parts = { on("cuda:0", {%s}), on("cuda:1", {%s}) }
local function show(list) for _, p in ipairs(list) do print(table.concat(p:to_table(), " ")) end end
show(comm:all_reduce(parts))
show(comm:all_reduce(parts, "min"))
show(comm:reduce_scatter(parts, "max"))
show(comm:all_gather(parts))
show(comm:all_to_all(parts))
print(table.concat(comm:reduce(parts, 1, "prod"):to_table(), " "))
show(comm:broadcast(parts, 1))
show(comm:all_reduce(parts, { out = parts }))
comm:close()]]):format(table.concat(a, ","), table.concat(b, ",")))
    local function each(fn)
      local t = {}
      for i = 1, 6 do t[i] = math.tointeger(fn(a[i], b[i])) end
      return t
    end
    local sum, min = each(function(x, y) return x + y end), each(math.min)
    local max, prod = each(math.max), each(function(x, y) return x * y end)
    local twice = each(function(_, y) return 2 * y end)
    local join = function(...)
      local t = {}
      for _, l in ipairs { ... } do table.move(l, 1, #l, #t + 1, t) end
      return table.concat(t, " ")
    end
    local part = function(t, from, to) return table.move(t, from, to, 1, {}) end
    local want = { join(sum), join(sum), join(min), join(min), join(part(max, 1, 3)), join(part(max, 4, 6)), join(a, b),
      join(a, b), join(part(a, 1, 3), part(b, 1, 3)), join(part(a, 4, 6), part(b, 4, 6)), join(prod), join(b), join(b),
      join(twice), join(twice) }
    assert.equal(table.concat(want, "\n") .. "\n", text)
  end)

  it("takes arguments by position and by name, contiguous arrays and views, and tells mistakes in each form", function()
    math.randomseed(helper.seed)
    local a, b = {}, {}
    for i = 1, 8 do a[i], b[i] = math.random(-99, 99), math.random(-99, 99) end
    local text = run(([[
local function on(d, t, dtype) return dc.using(d, dc.array, t, dtype or "int32") end
local comm = dc.comm { "cuda:0", "cuda:1" }
local function parts() return { on("cuda:0", {%s}), on("cuda:1", {%s}) } end
local function zeros(n) return { on("cuda:0", dc.zeros(n):to_table()), on("cuda:1", dc.zeros(n):to_table()) } end
local function show(list) print(table.concat(list[1]:to_table(), " "), table.concat(list[2]:to_table(), " ")) end
local function halves(list, first) -- contiguous views
  return { list[1][{ { first, first + 3 } }], list[2][{ { first, first + 3 } }] }
end
local p, out = parts(), zeros(8)
for _, list in ipairs { comm:all_reduce(p, "max"), comm:all_reduce(p, { op = "max" }), comm:all_reduce(p, "max", {}),
  comm:all_reduce(p, { op = "max", out = out }), comm:all_reduce(p, "max", { out = out }), out } do show(list) end
show(comm:all_reduce(p, "max", { out = p }))
p = parts()
print(comm:reduce(p, 1, "max") == nil, comm:reduce(p, { root = 1, op = "max", out = out }) == out[2])
show { comm:reduce(p, 0, { op = "max" }), comm:reduce(p, { root = 1, op = "max" }) }
print(comm:broadcast(p, { root = 1 }) == p)
show(p)
p = parts()
show(comm:reduce_scatter(p, "max", { out = halves(out, 3) }))
show(comm:reduce_scatter(p, { op = "max", out = halves(p, 3) })) -- overlaps the source
p = parts()
local x = on("cuda:0", {1, 2})
try(comm.all_reduce, comm, p, "xor")
try(comm.all_reduce, comm, p, "max", { op = "max" })
try(comm.all_reduce, comm, p, { outt = p })
try(comm.all_reduce, comm, p, { out = zeros(7) })
try(comm.all_reduce, comm, p, { out = { p[2], p[1] } })
try(comm.all_reduce, comm, { p[1], x })
try(comm.all_reduce, comm, { p[1] })
try(comm.all_reduce, comm, { p[2], p[1] })
try(comm.all_reduce, comm, { p[1], 5 })
try(comm.all_reduce, comm, p, "mean")
try(comm.broadcast, comm, p, 2)
try(comm.reduce_scatter, comm, { x, on("cuda:1", {1, 2, 3}) })
try(comm.send, comm, p, 1)
try(comm.all_reduce, 5, p)
try(comm.all_reduce)
x:close()
try(comm.all_gather, comm, { x, p[2] })
comm:close()
try(comm.all_reduce, comm, p, { out = p })]]):format(table.concat(a, ","), table.concat(b, ",")))
    local most = {}
    for i = 1, 8 do most[i] = math.max(a[i], b[i]) end
    local whole, half = table.concat(most, " "), table.concat(most, " ", 1, 4) .. "\t" .. table.concat(most, " ", 5, 8)
    local both = whole .. "\t" .. whole .. "\n"
    local last = table.concat(b, " ")
    local results = both:rep(7) .. "false\ttrue\n" .. both .. "true\n" .. last .. "\t" .. last .. "\n"
      .. (half .. "\n"):rep(2)
    assert.equal(results, text:sub(1, #results))
    local kinds = ""
    for kind in text:sub(#results + 1):gmatch "(%l+)\t[^\n]*\n" do kinds = kinds .. kind .. " " end
    assert.equal("argument argument argument shape device device argument device argument dtype argument shape "
      .. "argument argument argument argument argument ", kinds)
    assert.matches("'out' %(7%)", text)
    assert.matches("did you mean 'out'", text)
  end)

  it("prepares operations, which run on what the arrays hold, also in streams", function()
    math.randomseed(helper.seed)
    local function numbers()
      local t = {}
      for i = 1, 5 do t[i] = math.random(-99, 99) end
      return t
    end
    local lists = { numbers(), numbers(), numbers(), numbers() }
    local text = {}
    for k, list in ipairs(lists) do text[k] = "{" .. table.concat(list, ",") .. "}" end
    local out = run(([[
local function on(d, t) return dc.using(d, dc.array, t, "int32") end
local comm = dc.comm { "cuda:0", "cuda:1" }
local p, out = { on("cuda:0", %s), on("cuda:1", %s) }, { on("cuda:0", {0,0,0,0,0}), on("cuda:1", {0,0,0,0,0}) }
local most, sum = comm:prepare("all_reduce", p, "max", { out = out }), comm:prepare("all_reduce", p, { out = p })
local root = comm:prepare("reduce", out, { root = 1, out = out })
local stream = dc.stream "cuda:0"
local function show(list) print(table.concat(list[1]:to_table(), " "), table.concat(list[2]:to_table(), " ")) end
show(most())
p[1]:copy_from(on("cuda:0", %s))
p[2]:copy_from(on("cuda:1", %s))
show(dc.using(stream, most))
print(root() == out[2], dc.using(stream, sum) == p)
stream:synchronize()
show(out)
show(p)
try(most, 1)
try(comm.prepare, comm, "all_reduce", p, { out = { p[1] } })
out[2]:close()
try(most)
comm:close()
try(sum)]]):format(table.unpack(text)))
    local function both(a, b, fn)
      local t = {}
      for i = 1, 5 do t[i] = math.tointeger(fn(a[i], b[i])) end
      local line = table.concat(t, " ")
      return line .. "\t" .. line .. "\n", t
    end
    local function add(x, y) return x + y end
    local first, second, most = both(lists[1], lists[2], math.max), both(lists[3], lists[4], math.max)
    local twice = both(most, most, add):match "\t(.*)"
    local want = first .. second .. "true\ttrue\n" .. table.concat(most, " ") .. "\t" .. twice
      .. both(lists[3], lists[4], add)
    assert.equal(want, out:sub(1, #want))
    local mistakes = {}
    for message in out:sub(#want + 1):gmatch "argument\t\t([^\n]*)\n" do mistakes[#mistakes + 1] = message end
    assert.equal(4, #mistakes)
    for k, part in ipairs { "takes no arguments", "all_reduce: a table of 2 arrays", "array is closed",
      "communicator is closed" } do
      assert.matches(part, mistakes[k])
    end
  end)

  it("runs small prepared operations as graphs from the second time on, and any otherwise where it cannot", function()
    math.randomseed(helper.seed)
    local a, b = {}, {}
    for i = 1, 4 do a[i], b[i] = math.random(-99, 99), math.random(-99, 99) end
    local script = ([[
local function on(d, t) return dc.using(d, dc.array, t, "int32") end
local comm = dc.comm { "cuda:0", "cuda:1" }
local p = { on("cuda:0", {%s}), on("cuda:1", {%s}) }
local sum, gathered = comm:prepare("all_reduce", p, { out = p }), { on("cuda:0", dc.zeros(8):to_table()),
  on("cuda:1", dc.zeros(8):to_table()) }
local gather = comm:prepare("all_gather", p, { out = gathered })
local function show(list) for _, x in ipairs(list) do print(table.concat(x:to_table(), " ")) end end
for _ = 1, 4 do sum() end
show(p)
comm:all_reduce(p, { out = p })
local stream = dc.stream "cuda:1"
for _ = 1, 3 do dc.using(stream, gather) end
stream:synchronize()
show(gathered)
try(dc.using, "cuda:0", dc.graph, function() sum() end)
comm:close()
try(sum)]]):format(table.concat(a, ","), table.concat(b, ","))
    local function line(factor, times)
      local t = {}
      for i = 1, 4 do t[i] = math.tointeger((a[i] + b[i]) * factor) end
      return table.concat(table.move(t, 1, times == 2 and 4 or 0, 5, t), " ") .. "\n"
    end
    local want = line(8):rep(2) .. line(16, 2):rep(2)
    local function graphs(env)
      env = env or {}
      env.DOTCOMPUTE_NCCL, env.FAKE_CUDA_DEVICES = library, "2"
      local text, report = fake.run(script, env)
      assert.equal(want, text:sub(1, #want))
      assert.matches("^launch\t[^\n]*\nargument\t\t[^\n]*the communicator is closed\n$", text:sub(#want + 1))
      assert.equal(0, fake.held(report, "graph"))
      assert.equal(0, fake.held(report, "executable graph"))
      local _, n = report.text:gsub("graph launch\n", "")
      return n, text
    end
    local n, text = graphs()
    assert.equal(2 * 3 + 2 * 2, n)
    assert.matches("cannot be captured in a graph: it runs on several devices", text)
    for _, failure in ipairs { "StreamBeginCapture:900", "StreamEndCapture:901:2", "GraphInstantiate:999" } do
      assert.equal(2 * 2, (graphs { FAKE_CUDA_FAIL = failure }), failure) -- of the operation that comes second
    end
    assert.equal(0, (graphs { FAKE_CUDA_FAIL = "StreamBeginCapture:900:*" }))
  end)

  it("has distributed arrays, whose blocks and margins go from device to device", function()
    math.randomseed(helper.seed)
    local rows, columns, values = math.random(4, 7), math.random(1, 5), {}
    for i = 1, rows * columns do values[i] = math.random(-99, 99) end
    local text = run(([[
local comm = dc.comm { "cuda:0", "cuda:1" }
local x = dc.dist.array(dc.using("cuda:0", dc.array, {%s}, "int32"):reshape(%d, %d), comm)
local h = x:halo(1, { periodic = true })
print(x:part(2).device.id, x:gather(1).device.id)
for _, a in ipairs { x:gather(), h:padded(1), h:padded(2) } do print(table.concat(a:reshape(-1):to_table(), " ")) end
]]):format(table.concat(values, ","), rows, columns))
    local function part(first, last) -- rows, around the ends
      local list = {}
      for i = first, last do
        local row = (i - 1) % rows
        table.move(values, row * columns + 1, (row + 1) * columns, #list + 1, list)
      end
      return table.concat(list, " ")
    end
    local half = (rows + 1) // 2
    assert.equal(("cuda:1\tcuda:1\n%s\n%s\n%s\n"):format(part(1, rows), part(0, half + 1), part(half, rows + 1)), text)
  end)

  it("says what NCCL says, and what it does not have", function()
    local script = [[
local comm = dc.comm { "cuda:0", "cuda:1" }
local function on(d, ...) return dc.using(d, dc.array, ...) end
local function two(dtype) return { on("cuda:0", { 1, 2 }, dtype), on("cuda:1", { 3, 4 }, dtype) } end
try(comm.all_reduce, comm, two "int16")
try(comm.all_reduce, comm, two "complex64", "prod")
try(comm.all_reduce, comm, two "float32")
]]
    local text = run(script)
    assert.matches("^dtype[^\n]*int16[^\n]*\ndtype[^\n]*complex numbers\nok", text)
    text = run(script, { FAKE_NCCL_FAIL = "ncclGroupEnd:3" })
    assert.matches("\ndevice\tncclInternalError\t[^\n]*all_reduce: NCCL says ncclInternalError", text)
    text = run('try(dc.comm, { "cuda:0", "cuda:1" })', { FAKE_NCCL_FAIL = "ncclCommInitAll:5" })
    assert.matches("^device\tncclInvalidUsage", text)
  end)

  it("tells of an operation that does not end while operations, prepared ones, graphs or kernels are issued", function()
    local script = [[
local comm = dc.comm { "cuda:0", "cuda:1" }
local function on(d) return dc.using(d, dc.array, { 1, 2 }, "int32") end
local p = { on "cuda:0", on "cuda:1" }
local sum = comm:prepare("all_reduce", p, { out = p })
for _ = 1, 3 do sum() end
local x = dc.zeros(2)
local g = dc.graph(function() x[":"] = x + 1 end)
comm:all_reduce(p, { out = p })
local kernel = dc.kernel "__global__ void endless(int n) {}"
kernel(1, 1, 1)
local calls = { function() comm:all_reduce(p, { out = p }) end, sum, g, function() kernel(1, 1, 1) end }
local count = 0
try(function() for k = 1, 1000 do calls[%d]() count = k end end)
print(count > 0 and count < 600)
os.exit(true, false)]]
    for k = 1, 4 do
      local text = run(script:format(k), { FAKE_CUDA_HANG = "1", DOTCOMPUTE_COMM_TIMEOUT = "0.3" })
      assert.matches("^launch\t[^\n]*rank 0 waits since 0%.3 s [^\n]* in all_reduce[^\n]*\ntrue\n$", text)
    end
  end)

  it("is told where it is missing, with what to install", function()
    for _, name in ipairs { "off", "/nowhere/libnccl.so.2", library:gsub("nccl", "cuda") } do
      local text = run('try(dc.comm, { "cuda:0", "cuda:1" })', { DOTCOMPUTE_NCCL = name })
      assert.matches("^device\t[^\n]*pip install nvidia%-nccl%-cu13", text)
    end
  end)

  it("agrees with NVIDIA's header, where that is", function()
    local found = helper.shell "ls /usr/include/nccl.h /usr/local/include/nccl.h /usr/local/cuda*/include/nccl.h 2>&-"
    local header = found:match "[^\n]+"
    if not header or not helper.read_if_there(header):find "NCCL_MAJOR" then return pending "no nccl.h" end
    local text = helper.read(header)
    for name, value in helper.read("src/cuda/nccl_api.h"):gmatch "(nccl%u%w*) = (%d+)" do
      local theirs = text:match("%f[%w]" .. name .. "%s*=%s*(%d+)")
      assert.equal(value, theirs, name)
    end
  end)
end)
