-- C functions' upvalues that the debug library has changed: calls work or raise errors; they do not end the process.
local survives = require "spec.survives"

describe("the debug library and", function()
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
end)
