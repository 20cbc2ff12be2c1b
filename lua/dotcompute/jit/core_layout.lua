-- The layout of dc.guvectorize, "(m,k),(k,n)->(m,n)": which axes of each array belong to one item, its core axes. Those
-- before them are loop axes, which broadcast.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local core_layout = {}

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

-- --- reading one ------------------------------------------------------------------------------------------------

local function fail_layout(text, why)
  fail("argument", "'guvectorize': the layout '%s' %s; layouts look like (m,k),(k,n)->(m,n) and (n)->()", text, why)
end

-- "(m,3),()" as a list of lists of names and numbers.
local function parse_side(whole, side)
  local list, at = {}, 1
  if not side:find "%S" then return list end
  while true do
    local inside, after = side:match("^%s*%(([^()]*)%)%s*()", at)
    if not inside then fail_layout(whole, ("has no parenthesis at '%s'"):format(side:sub(at):match "^%s*(.-)%s*$")) end
    local axes = {}
    if inside:find "%S" then
      for word in (inside .. ","):gmatch "%s*(.-)%s*," do
        local number = word:match "^%d+$" and math.tointeger(tonumber(word))
        if word:find "%?" then
          fail_layout(whole, ("has the optional axis '%s', which is not possible"):format(word))
        elseif not number and not word:match "^[%a_][%w_]*$" then
          fail_layout(whole, ("has '%s' in place of the name or extent of an axis"):format(word))
        end
        axes[#axes + 1] = number or word
      end
    end
    list[#list + 1] = axes
    if after > #side then return list end
    if side:sub(after, after) ~= "," then
      fail_layout(whole, ("has no comma at '%s'"):format(side:sub(after)))
    end
    at = after + 1
  end
end

local function shown(axes) return ("(%s)"):format(table.concat(axes, ",")) end

-- { text =, operands = a list of { axes =, shown = "(m,k)", output =, name = set by the caller }, inputs = how many }
function core_layout.parse(text)
  if type(text) ~= "string" then
    fail("argument", "bad argument #1 to 'guvectorize': a layout expected, as in \"(m,k),(k,n)->(m,n)\", got %s",
      core.describe(text))
  end
  local left, right = text:match "^(.-)%->(.*)$"
  if not left then fail_layout(text, "has no '->'") end
  local inputs, outputs = parse_side(text, left), parse_side(text, right)
  if #inputs == 0 then fail_layout(text, "has no inputs") end
  if #outputs == 0 then fail_layout(text, "has no outputs") end
  local layout = { text = text, operands = {}, inputs = #inputs }
  for _, axes in ipairs(inputs) do layout.operands[#layout.operands + 1] = { axes = axes, shown = shown(axes) } end
  for _, axes in ipairs(outputs) do
    layout.operands[#layout.operands + 1] = { axes = axes, shown = shown(axes), output = true }
  end
  return layout
end

-- --- shapes of a call -------------------------------------------------------------------------------------------

local function shape_text(shape)
  return ("(%s%s)"):format(table.concat(shape, ", "), #shape == 1 and "," or "")
end

-- Notes the extents of an operand's core axes in `extents`: name -> { extent =, of = the operand }. Gives its loop
-- axes.
local function read_core(who, operand, shape, extents)
  local before = #shape - #operand.axes
  if before < 0 then
    fail("shape", "%s: '%s' has the core axes %s, and an array with %d ax%s was passed", who, operand.name,
      operand.shown, #shape, #shape == 1 and "is" or "es")
  end
  for k, axis in ipairs(operand.axes) do
    local extent, known = shape[before + k], extents[axis]
    if math.type(axis) and extent ~= axis then
      fail("shape", "%s: the core axis %d of '%s' %s has the extent %d, the layout says %d", who, k, operand.name,
        operand.shown, extent, axis)
    elseif known and known.extent ~= extent then
      fail("shape", "%s: the core axis '%s' has the extent %d in '%s' %s and %d in '%s' %s", who, axis, known.extent,
        known.of.name, known.of.shown, extent, operand.name, operand.shown)
    elseif not math.type(axis) then
      extents[axis] = known or { extent = extent, of = operand }
    end
  end
  return table.move(shape, 1, before, 1, {})
end

-- The shape to which loop axes broadcast. `from`: the operand that gave the extents so far.
local function broadcast(who, loop, axes, operand, from)
  local result, n = {}, math.max(#loop, #axes)
  for k = 1, n do
    local a, b = loop[k - n + #loop] or 1, axes[k - n + #axes] or 1
    if a ~= b and a ~= 1 and b ~= 1 then
      fail("shape", "%s: the loop axes %s of '%s' do not broadcast with %s of %s", who, shape_text(axes), operand.name,
        shape_text(loop), from)
    end
    result[k] = a == 1 and b or a
  end
  return result
end

-- The shapes of a call: `shapes` of the operands, {} for numbers, nil for results that are to be made. Gives the loop
-- axes, the shape of each operand once its loop axes are broadcast, and the extents by axis.
function core_layout.shapes(layout, who, shapes)
  local extents, loop, loops, from = {}, {}, {}, {}
  for k, operand in ipairs(layout.operands) do
    if shapes[k] then
      loops[k] = read_core(who, operand, shapes[k], extents)
      loop = broadcast(who, loop, loops[k], operand, table.concat(from, ", "))
      from[#from + 1] = ("'%s'"):format(operand.name)
    end
  end
  local all = {}
  for k, operand in ipairs(layout.operands) do
    local shape = table.move(loop, 1, #loop, 1, {})
    for _, axis in ipairs(operand.axes) do
      local known = math.type(axis) and { extent = axis } or extents[axis]
      if not known then
        fail("shape", "%s: no input tells the extent of the core axis '%s' of '%s' %s: pass the result", who, axis,
          operand.name, operand.shown)
      end
      shape[#shape + 1] = known.extent
    end
    if operand.output and loops[k] then
      local same = #loops[k] == #loop
      for d, extent in ipairs(loop) do same = same and loops[k][d] == extent end
      if not same then
        fail("shape", "%s: the result '%s' has the loop axes %s, and the arguments broadcast to %s", who, operand.name,
          shape_text(loops[k]), shape_text(loop))
      end
    end
    all[k] = shape
  end
  return loop, all, extents
end

return core_layout
