-- What the debug library can change of our objects: user values, metatables and C functions' upvalues, and the
-- registry. Afterwards calls work or raise errors; they do not end the process. (Upvalues: the file beside this one.)
local survives = require "spec.survives"

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

  it("user values of objects that ours refer to", function()
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

  it("user values of the state that our C functions share", function()
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
          pcall(core.builtin, "source " .. n .. " " .. v)
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
