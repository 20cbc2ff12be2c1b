-- What statements.lua and features.lua write random kernels with: lines, names, variables, places in the outputs.
local expressions = require "spec.random.expressions"

local writer = {}
local random, pick, chance = math.random, expressions.pick, expressions.chance

function writer.put(g, text, ...)
  g.lines[#g.lines + 1] = ("  "):rep(g.indent) .. (select("#", ...) > 0 and text:format(...) or text)
end

function writer.fresh(g, letter)
  g.count = g.count + 1
  return letter .. g.count
end

-- A context like this one but for some entries; "none" takes an entry away.
function writer.with(ctx, changes)
  local new = {}
  for key, value in pairs(ctx) do new[key] = value end
  for key, value in pairs(changes) do if value == "none" then new[key] = nil else new[key] = value end end
  return new
end

function writer.add_variable(g, v)
  g.vars[#g.vars + 1] = v
  return v
end

-- A variable that may be written; nil: there is none.
function writer.assignable(g)
  local list = {}
  for _, v in ipairs(g.vars) do if not v.fixed then list[#list + 1] = v end end
  return #list > 0 and pick(list) or nil
end

-- The mask of the threads of this warp that come here together, if that is known.
function writer.mask(g, ctx) return not g.masks_gone and ctx.mask or nil end

-- Each thread has four places of its own in each output: the number of this thread's among all.
function writer.own(g)
  if g.most[2] == 1 and g.most[3] == 1 and g.grid[2] == 1 and chance(60) then
    return pick { "(int)(blockIdx.x * blockDim.x + threadIdx.x)", "(blockIdx.x * blockDim.x + threadIdx.x)" }
  end
  return chance(30) and "gid" or "((int)(blockIdx.y * gridDim.x + blockIdx.x) * nt + lt)"
end

-- One of the four places.
function writer.place(g, name)
  local slot = tostring(random(0, 3))
  for _, v in ipairs(g.vars) do if v.low and chance(25) then slot = "(" .. v.name .. " & 3)" end end
  return ({
    "%s + all * %s", "%s * 4 + %s", "all - 1 - %s + all * %s", "(all - 1 - %s) * 4 + %s",
  })[g.place[name]]:format(writer.own(g), slot)
end

return writer
