-- Assignments to fields that nothing reads (dc.default_dtype = "float64", kernel.shared = 1024, figure.title = "x")
-- were kept, or Lua's own error about an index; generators, dc.tiles and the memory in use gave nil for misspelled
-- names.
local dc = require "dotcompute"
local fails = require "spec.helper".fails

local function set(object, name) return function() object[name] = 1 end end
local function get(object, name) return function() return object[name] end end

describe("a name that is not there", function()
  it("cannot be set in dc and its tables", function()
    fails("index", "dotcompute has no 'defaultdtype' to set", set(dc, "defaultdtype"))
    fails("index", "dotcompute has no 'zerso' to set %(did you mean 'zeros'%?%)", set(dc, "zerso"))
    for _, name in ipairs { "random", "image", "plot", "linalg", "fft", "testing", "dist", "profile", "tiles" } do
      fails("index", "dc." .. name .. " has no 'qwerty' to set", set(dc[name], "qwerty"))
      fails("index", "dc." .. name .. " has no 'qwerty'$", get(dc[name], "qwerty"))
      fails("index", "dc." .. name .. " has no %[1%]$", get(dc[name], 1))
    end
  end)

  it("cannot be set in objects", function()
    local k = dc.kernel "__global__ void k() {}"
    for what, object in pairs {
      ["a kernel"] = k, ["a module"] = k.module, ["a device"] = dc.device(), ["a stream"] = dc.stream(),
      ["an event"] = dc.event(), ["a graph"] = dc.graph(function() end), ["a texture"] = dc.texture(dc.zeros(2, 2)),
      ["a surface"] = dc.surface(dc.zeros(2, 2)), ["an array"] = dc.zeros(2),
    } do fails("index", "the field 'shared' of " .. what .. " cannot be set", set(object, "shared")) end
    fails("index", "the field 'name' of a device", set(dc.device(), "name"))
    fails("index", "a generator's 'seed' cannot be set", set(dc.random.generator(), "seed"))
    fails("index", "a figure's 'title' cannot be set", set(dc.plot.figure(), "title"))
    fails("index", "a progress's 'finished' cannot be set", function()
      local p <close> = dc.progress(3)
      p.finished = 1
    end)
  end)

  it("and is one of another library's is an error that says what does it here", function()
    fails("index", "field or method 'astype' %(in dotcompute: a:to%(dtype%)%)$", get(dc.zeros(2), "astype"))
    fails("index", "field or method 'numel' %(in dotcompute: a.size%)$", get(dc.zeros(2), "numel"))
    fails("index", "dotcompute has no 'concatenate' %(in dotcompute: dc.concat{a, b}%)$", get(dc, "concatenate"))
    fails("index", "dc.random has no 'randn' %(in dotcompute: dc.random.normal%(shape%)%)$", get(dc.random, "randn"))
    fails("index", "a graph has no 'replay' %(in dotcompute: g%(%)%)$", get(dc.graph(function() end), "replay"))
    fails("compile", "dc has no 'grid' %(in dotcompute: dc.index%(%)", function()
      dc.jit(function(x) x[dc.grid(1)] = 1 end)(1, 1, dc.zeros(1))
    end)
  end)

  it("is an error among attributes", function()
    local k = dc.kernel "__global__ void k() {}"
    fails("index", "a kernel has no attribute 'regsters' %(did you mean 'registers'%?%)", get(k.attributes, "regsters"))
    fails("index", "a kernel has no attribute 'qwerty'$", get(k.attributes, "qwerty"))
    fails("index", "a kernel has no attribute %[1%]$", get(k.attributes, 1))
    local names = {}
    for name, v in pairs(k.attributes) do names[name] = v end
    assert.equal(names.registers, k.attributes.registers)
    assert.equal(names.tier, k.attributes.tier) -- nil on GPUs
  end)

  it("is an error with a key that is no name", function()
    local k = dc.kernel "__global__ void k() {}"
    fails("index", "a kernel has no %[1%]$", get(k, 1))
    fails("index", "a stream has no %[2.5%]$", get(dc.stream(), 2.5))
    fails("index", "a texture has no %[true%]$", get(dc.texture(dc.zeros(2, 2)), true))
    fails("index", "a complex number has no %[1%]$", get(dc.complex(1, 2), 1))
  end)

  it("is an error that suggests one", function()
    fails("index", "dotcompute has no 'zeroes' %(did you mean 'zeros'%?%)", get(dc, "zeroes"))
    fails("index", "dc.linalg has no 'slove' %(did you mean 'solve'%?%)", get(dc.linalg, "slove"))
    fails("index", "dc.tiles has no 'sofmax' %(did you mean 'softmax'%?%)", get(dc.tiles, "sofmax"))
    fails("index", "no field or method 'reshap' %(did you mean 'reshape'%?%)", get(dc.zeros(2), "reshap"))
    fails("index", "a generator has no 'unifrom' %(did you mean 'uniform'%?%)", get(dc.random.generator(), "unifrom"))
    fails("index", "a figure has no 'lne' %(did you mean 'line'%?%)", get(dc.plot.figure(), "lne"))
    fails("index", "the memory in use has no 'inuse' %(did you mean 'in_use'%?%)", get(dc.memory(), "inuse"))
    fails("index", "a device has no 'synchronise' %(did you mean 'synchronize'%?%)", get(dc.device(), "synchronise"))
    fails("index", "a device has no 'nmae' %(did you mean 'name'%?%)", get(dc.device(), "nmae"))
    fails("index", "a stream has no 'synchronise' %(did you mean 'synchronize'%?%)", get(dc.stream(), "synchronise"))
    fails("index", "a stream has no 'devise' %(did you mean 'device'%?%)", get(dc.stream(), "devise"))
    fails("index", "an event has no 'elapse' %(did you mean 'elapsed'%?%)", get(dc.event(), "elapse"))
    fails("index", "an event has no 'recoded' %(did you mean 'recorded'%?%)", get(dc.event(), "recoded"))
    fails("index", "a graph has no 'launchs' %(did you mean 'launches'%?%)", get(dc.graph(function() end), "launchs"))
    fails("index", "a graph has no 'updat' %(did you mean 'update'%?%)", get(dc.graph(function() end), "updat"))
    local k = dc.kernel "__global__ void k() {}"
    fails("index", "a kernel has no 'wiht' %(did you mean 'with'%?%)", get(k, "wiht"))
    fails("index", "a kernel has no 'atributes' %(did you mean 'attributes'%?%)", get(k, "atributes"))
    fails("index", "a kernel has no 'qwerty'$", get(k, "qwerty"))
    fails("index", "a kernel of dc.jit has no 'soruce' %(did you mean 'source'%?%)", get(dc.jit(function(x)
      x[1] = 1
    end), "soruce"))
    fails("index", "a complex number has no 'angel' %(did you mean 'angle'%?%)", get(dc.complex(1, 2), "angel"))
    local S = dc.struct("S", { { "x", "int32" } })
    fails("index", "a struct has no 'siez' %(did you mean 'size'%?%)", get(S, "siez"))
    fails("index", "a struct has no 'ofset' %(did you mean 'offset'%?%)", get(S, "ofset"))
    fails("index", "an array of structs has no 'bites' %(did you mean 'bytes'%?%)", get(S:array(2), "bites"))
    fails("index", "a constant array has no 'shaep' %(did you mean 'shape'%?%)", get(dc.constant { 1 }, "shaep"))
    fails("index", "a symbolic value has no 'sqrtt' %(did you mean 'sqrt'%?%)", function()
      dc.vectorize(function(x) return x:sqrtt() end)
    end)
    fails("index", "a distributed array has no 'sise' %(did you mean 'size'%?%); x:part%(%)",
      get(dc.dist.zeros(2), "sise"))
    fails("index", "a kernel of dc.jit has no 'occupancy': .*:kernel%(…%).occupancy", get(dc.jit(function(x)
      x[1] = 1
    end), "occupancy"))
    local texture = dc.texture(dc.zeros(2, 2))
    fails("index", "a texture has no 'handel' %(did you mean 'handle'%?%)", get(texture, "handel"))
    fails("index", "a texture has no 'chanels' %(did you mean 'channels'%?%)", get(texture, "chanels"))
    fails("index", "a surface has no 'clos' %(did you mean 'close'%?%)", get(dc.surface(dc.zeros(2, 2)), "clos"))
    fails("index", "a communicator has no 'barier' %(did you mean 'barrier'%?%)", get(dc.comm { "cpu" }, "barier"))
    local attributes = dc.device().attributes
    fails("index", "a device has no attribute 'warpsize' %(did you mean 'warp_size'%?%)", get(attributes, "warpsize"))
    fails("index", "a device has no attribute %[1%]$", get(attributes, 1))
    local names = 0
    for _, v in pairs(attributes) do names = names + (v ~= nil and 1 or 0) end
    assert(names >= 14)
    local p <close> = dc.progress()
    fails("index", "a progress has no 'stp' %(did you mean 'step'%?%)", get(p, "stp"))
    assert.is_nil(dc.memory().limit) -- may be nil
  end)

  it("is an error among launch options, of kernels in Lua at once", function()
    local k = dc.kernel "__global__ void k() {}"
    local j = dc.jit(function(x) x[1] = 1 end)
    fails("argument", "launch options are named, as in {shared = 1024}; got the key the number 1", function()
      k:with { 1024 }
    end)
    fails("argument", "launch options are named, as in {shared = 1024}; got the key the number 1", function()
      j:with { 1024 }
    end)
    for _, kernel in ipairs { k, j } do
      fails("argument", "there is no launch option 'shard' %(did you mean 'shared'%?%)", function()
        kernel:with { shard = 1 }
      end)
    end
  end)
end)

describe("an axis that may have any sign", function()
  it("is called an integer, without the smallest one", function()
    fails("argument", "flip: an axis is an integer, got the string '1'", function() dc.flip({ 1, 2 }, "1") end)
    fails("argument", "roll: how far is an integer, got the number 1.5", function() dc.roll({ 1, 2 }, 1.5) end)
  end)
end)

describe("a method called with a dot", function()
  it("says how a generator's and a progress's are called", function()
    local g, p <close> = dc.random.generator(), dc.progress(3)
    fails("argument", "'seed': a generator expected, got the number 3 .*with a colon: g:seed", function() g.seed(3) end)
    fails("argument", "'uniform': a generator expected, got the number 3 .*: g:uniform", function() g.uniform(3, 3) end)
    fails("argument", "'step' is a method of a progress: p:step", function() p.step(1) end)
  end)
end)
