-- What the debug library can change of our objects: user values, metatables and C functions' upvalues, and the
-- registry.  Whatever stands there afterwards, calls raise errors or work; they do not end the process.
local helper = require "spec.helper"

-- Objects of every type, hostile values, and uses of the objects; each step is printed before it is taken, so that
-- the last line of a child that crashed names it.
local prelude = [==[
local dc, core = require "dotcompute", require "dotcompute.core"
local said = assert(io.open(arg[1], "w"))
said:setvbuf "no"
local function step(...) said:write(table.concat({ ... }, " "), "\n") end

local source = [[
  struct pair { float2 v; int n; };
  __device__ int total;
  __global__ void add(int *x, pair p) { x[threadIdx.x] += p.n + total; }
]]
local template = "template<class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }"
local x = dc.zeros(32, "int32")

local function objects()
  local m, t = dc.module(source), dc.module(template)
  local s, e = dc.stream(), dc.event()
  local k, scale = m.add, t:kernel "scale<int>"
  local list = {
    array = dc.arange(0, 6), kernel = k, template = scale, module = m, template_module = t, stream = s, event = e,
    with = k:with { stream = dc.stream(), shared = 16 }, device = dc.device(), complex = dc.complex(1, 2),
    null = dc.null, global = m:global "total", random = dc.random.generator(1),
    graph = dc.graph(function() k(1, 32, x, { v = { 1, 2 }, n = 1 }) end),
  }
  return list
end

-- A file-like value, a value of each type, objects of our own, tables with the fields of ours.
local function values()
  local m = dc.module(template)
  return {
    false, 1, 1.5, "text", {}, print, coroutine.create(print), io.stdout, dc.zeros(3), dc.null, m, dc.device(),
    { text = 1, units = { { text = {}, path = 1 } }, path = {}, options = 5, instance = {} },
    { text = "x", units = { {} }, instance = "scale<int>", options = { define = 5 } },
    { x = io.stdout, ["scale<int>"] = io.stdout, ["scale<float>"] = 5, [" total"] = dc.null, add = 3, total = m },
    { io.stdout, io.stdout, [0] = io.stdout },
  }
end
local nvalues = #values() + 1 -- and nil

local function collect() collectgarbage() collectgarbage() end

-- Every use of an object, each of which may fail.
local function use(o)
  local function try(fn, ...) return pcall(fn, ...) end
  try(tostring, o)
  try(function() return #o end)
  try(function() return o + 1 end)
  try(function() return o[1] end)
  try(function() o[1] = 1 end)
  try(function() return o == dc.null end)
  for _, name in ipairs { "name", "signature", "module", "attributes", "device", "dtype", "T", "add", "total", "re",
                          "launches", "recorded", "compute_capability", "scale<float>" } do
    try(function() return o[name] end)
  end
  try(o, 1, 32, x, { v = { 1, 2 }, n = 1 })
  try(o, 1, 32, x, { v = { x = 1, y = 2 }, n = "no" })
  try(o, 1, 32, x)
  try(o, 1, 32, x, 2)
  try(o, 1, "auto", x, 2)
  try(function() return dc.using(o, function() return dc.ones(3):sum():item() end) end)
  for _, call in ipairs {
    { "with", { shared = 8 } }, { "forall", 32, x, { v = { 1, 2 }, n = 1 } }, { "forall", 32, x, 1 },
    { "occupancy", 32 }, { "explain" }, { "reload" }, { "kernels" }, { "kernel", "add" }, { "kernel", "scale<short>" },
    { "kernel", "scale", "uint8" }, { "global", "total" }, { "ptx" }, { "log" }, { "cubin", "sm_80" },
    { "synchronize" }, { "query" }, { "record" }, { "wait" }, { "elapsed", o },
    { "update", function() x:fill(1) end }, { "abs" }, { "sum" }, { "to_table" },
    { "uniform", 3 }, { "normal", 3 }, { "memory_info" }, { "close" } } do
    local ok, method = pcall(function() return o[call[1]] end)
    if ok and method ~= nil then try(method, o, table.unpack(call, 2)) end
  end
  collectgarbage()
  try(o, 1, 32, x, { v = { 1, 2 }, n = 1 })
end
]==]

-- Runs the body in a child, in a folder of its own: with hostile arguments functions may write files.  Objects
-- whose finalizer was taken from them leak, which is no failure here.  The child's last step is shown when it does not
-- come to its end.
local function survives(body, environment)
  local steps = os.tmpname()
  local folder = os.tmpname()
  os.remove(folder)
  local command = "mkdir %s; cd %s; ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" "
    .. "DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=0 %s timeout 300 %s - %s 2>&1 "
    .. "<<'EOF'\n%s\nEOF"
  local lua = os.getenv "LUA" or "lua5.4"
  local text, code = helper.shell(command:format(folder, folder, environment or "", helper.quote(lua),
    helper.quote(steps), prelude .. body .. "\nprint 'the end'"))
  local last = ""
  for line in io.lines(steps) do last = line end
  os.remove(steps)
  os.execute("rm -rf " .. folder)
  assert(code == 0 and text:find "the end", ("status %s after the step: %s\n%s"):format(code, last, text))
end

describe("the debug library and", function()
  it("user values of our objects", function()
    survives [[
      for name in pairs(objects()) do
        local count = 0
        local probe = objects()[name]
        if type(probe) == "userdata" then
          while select(2, debug.getuservalue(probe, count + 1)) do count = count + 1 end
        end
        for n = 1, count do
          for v = 1, nvalues do
            step("user value", n, "of", name, "becomes value", v)
            local o = objects()[name]
            debug.setuservalue(o, values()[v], n)
            collect()
            use(o)
          end
        end
      end]]
  end)

  it("user values of what our objects refer to", function()
    survives [[
      -- all userdata and tables that lead from the object, by the way to them
      local function reached(o, path, found, seen)
        if o == nil or seen[o] then return end
        seen[o] = true
        if type(o) == "userdata" then
          local n = 1
          while true do
            local v, is = debug.getuservalue(o, n)
            if not is then break end
            local way = path .. "/" .. n
            found[#found + 1] = { way, function(new) debug.setuservalue(o, new, n) end }
            reached(v, way, found, seen)
            n = n + 1
          end
        elseif type(o) == "table" and o ~= dc and o ~= core then
          for key, v in pairs(o) do
            if type(v) == "table" or type(v) == "userdata" then
              found[#found + 1] = { path .. "." .. tostring(key), function(new) o[key] = new end }
              reached(v, path .. "." .. tostring(key), found, seen)
            elseif type(v) == "string" then
              found[#found + 1] = { path .. "." .. tostring(key), function(new) o[key] = new end }
            end
          end
        end
      end
      local function places(o)
        local found = {}
        reached(o, "", found, {})
        table.sort(found, function(a, b) return a[1] < b[1] end)
        return found
      end
      for _, name in ipairs { "kernel", "template", "module", "template_module", "with" } do
        for i, place in ipairs(places(objects()[name])) do
          for _, v in ipairs { 4, 5, 11, nvalues } do
            local o = objects()[name]
            local own = places(o)[i]
            if own then
              step(name .. own[1], "becomes value", v)
              own[2](values()[v])
              collect()
              use(o)
            end
          end
        end
      end]]
  end)

  it("metatables of our objects", function()
    survives [[
      local metatables = {}
      for _, o in pairs(objects()) do metatables[#metatables + 1] = getmetatable(o) end
      metatables[#metatables + 1] = {}
      for name in pairs(objects()) do
        for i = 0, #metatables do
          step("the metatable of", name, "becomes number", i)
          local o = objects()[name]
          debug.setmetatable(o, metatables[i])
          use(o)
          for _, p in pairs(objects()) do pcall(function() return o + p, o == p, p(o), p .. o end) end
        end
      end
      for i, meta in ipairs(metatables) do -- our metatables on values of others
        for j, v in ipairs(values()) do
          local t = type(v)
          if (t == "userdata" or t == "table") and v ~= io.stdout then
            step("value", j, "has metatable", i)
            debug.setmetatable(v, meta)
            use(v)
          end
        end
        for _, v in ipairs { 5, true, print } do
          step("a", type(v), "has metatable", i)
          local old = debug.getmetatable(v)
          debug.setmetatable(v, meta)
          use(v)
          debug.setmetatable(v, old)
        end
      end]]
  end)

  it("fields of our metatables", function()
    for _, how in ipairs { "nil", "5", "dc.null" } do
      survives([[
        local list = objects()
        local seen = {}
        for name, o in pairs(list) do
          local meta, keys = getmetatable(o), {}
          for key in pairs(meta) do keys[#keys + 1] = key end
          for _, key in ipairs(keys) do
            local value = meta[key]
            if key ~= "__gc" and not seen[meta] then
              step("field", key, "of the metatable of", name)
              meta[key] = ]] .. how .. [[

              local made, others = pcall(objects)
              for _, p in pairs(made and others or list) do
                if not rawequal(p, o) and getmetatable(p) == meta then use(p) end
              end
              pcall(core.method, "more", print)
              pcall(core.array_method, "more", print)
              meta[key] = value
            end
          end
          seen[meta] = true
        end]])
    end
  end)

  it("upvalues of our C functions", function()
    local body = [[
      local list, functions, seen = objects(), {}, {}
      local function gather(t, path)
        if seen[t] then return end
        seen[t] = true
        for key, v in pairs(t) do
          local way = path .. "." .. tostring(key)
          if type(v) == "function" and not seen[v] then
            seen[v] = true
            if debug.getinfo(v, "S").what == "C" then functions[#functions + 1] = { way, v } end
          elseif type(v) == "table" then
            gather(v, way)
          end
          if type(v) == "userdata" and getmetatable(v) then gather(getmetatable(v), way) end
        end
      end
      gather(core, "core")
      gather(dc, "dc")
      for name, o in pairs(list) do gather(getmetatable(o), name) end
      gather(package.preload, "preload")
      table.sort(functions, function(a, b) return a[1] < b[1] end)
      assert(#functions > 200, #functions)

      local hostile = values()
      local a = dc.arange(0, 6)
      local arguments = {
        {}, { a }, { a, a }, { a, 1 }, { 3 }, { "cpu" }, { list.kernel, 1, 32, x, { v = { 1, 2 }, n = 1 } },
        { list.kernel, "name" }, { list.kernel, 32, x, { v = { 1, 2 }, n = 1 } }, { list.kernel, 1, "auto", x, 1 },
        { list.module, "add" }, { list.template_module, "scale<float>" }, { list.stream, list.event },
        { list.event, list.event }, { list.event, "device" }, { list.stream, "device" }, { list.graph, print },
        { list.graph, "launches" }, { list.device, "name" }, { list.complex, 2 }, { a, "T" }, { a, "device" },
        { a, "sum" }, { a, dc.array({ 1, 2 }, "int32") }, { a, { 1, 2 }, 5 }, { template },
        { source, { name = "add" } }, { print }, { "more", print }, { { a, a }, 2 }, { { 1, 2, 3 } }, { list.device },
        { "dotcompute.core" },
      }
      for _, f in ipairs(functions) do
        local removes = f[1]:find "cache_" -- files that others use
        for n = 1, removes and 0 or 3 do
          local name, old = debug.getupvalue(f[2], n)
          if not name then break end
          for v = PART, #hostile + 1, 8 do
            step("upvalue", n, "of", f[1], "becomes value", v)
            for _, args in ipairs(arguments) do
              debug.setupvalue(f[2], n, hostile[v])
              -- through another function first, so that what it remembers is not the changed one's
              if #args % 2 == 1 then dc.clock() pcall(dc.stats) else pcall(dc.zeros, 1) end
              if not f[1]:find "__gc" or #args == 0 then pcall(f[2], table.unpack(args)) end
              debug.setupvalue(f[2], n, old)
            end
          end
        end
      end
      assert(dc.ones(5):sum():item() == 5)]]
    survives((body:gsub("PART", "1")))
    survives((body:gsub("PART", "3")))
  end)

  it("user values of the state that those functions share", function()
    survives [[
      local _, state = debug.getupvalue(dc.zeros, 1)
      local n = 1
      while select(2, debug.getuservalue(state, n)) do
        local old = debug.getuservalue(state, n)
        for _, v in ipairs { 2, 5, 11, nvalues } do
          step("value", n, "of the state becomes", v)
          local list = objects()
          debug.setuservalue(state, values()[v], n)
          for _, o in pairs(list) do use(o) end
          pcall(objects)
          pcall(dc.zeros)
          pcall(core.own, "source " .. n .. " " .. v)
          debug.setuservalue(state, old, n)
        end
        n = n + 1
      end
      assert(n > 10 and dc.ones(5):sum():item() == 5)]]
  end)

  it("entries of the registry", function()
    survives [[
      local registry = debug.getregistry()
      local _, state = debug.getupvalue(dc.zeros, 1)
      local keys = { 1, package.loaded and "_LOADED", "_PRELOAD", "FILE*" }
      for key, value in pairs(registry) do
        if value == state then keys[#keys + 1] = key end
      end
      assert(#keys == 5)
      for _, key in ipairs(keys) do
        local old = registry[key]
        for v = 1, nvalues do
          step("the registry's", tostring(key), "becomes value", v)
          local list = objects()
          local hostile = values()[v]
          registry[key] = hostile
          pcall(dc.wrap, list.array.ptr, 3, "float32", {})
          for _, o in pairs(list) do use(o) end
          pcall(dc.zeros)
          pcall(dc.module, 5)
          pcall(dc.sum, io.stdout)
          registry[key] = old
        end
      end
      assert(dc.ones(5):sum():item() == 5)]]
  end)
end)
