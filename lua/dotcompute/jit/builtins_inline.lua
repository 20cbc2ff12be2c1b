-- CUDA C inside kernels in Lua: dc.cuda; and what is said to the compiler: dc.unroll.
local core = require "dotcompute.core"
local points_to = require "dotcompute.jit.points_to"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

return function(builtins)
  local add, count = builtins.add, builtins.count

  -- for i = 1, dc.unroll(n [, factor]) do: the loop is unrolled, whole or by the factor.
  add("dc.unroll", function(self, n, b)
    if self.loop_limit ~= n then
      self:fail(n.at, "%s stands in place of a loop's limit: for i = 1, dc.unroll(n) do", b.name)
    end
    count(self, n, b, 1, 2)
    self.loop_limit = nil
    local limit = self:number(n.args[1], b.name)
    local factor = n.args[2] and self:constant(n.args[2], "the factor of dc.unroll")
    if factor and (factor < 1 or factor > 1024) then
      self:fail(n.args[2].at, "%s: the factor %d is not in 1 to 1024", b.name, factor)
    end
    self.unroll = factor or true
    return limit
  end)

  -- --- dc.cuda ------------------------------------------------------------------------------------------------------

  -- The lines of the text, { text =, at = the place of each in Lua, where it is known }; #include lines become headers.
  local function lines_of(self, node, text)
    local lines = {}
    local chunk = self.inst.root.found.chunk.text
    local at = node.op == "string" and chunk:match("^%[%[\r?\n?()", node.at) or nil
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
      local header = line:match "^%s*#%s*include%s*<([^>]+)>%s*$"
      if header then builtins.include(self, header)
      elseif line:find "%S" then lines[#lines + 1] = { text = line, at = at } end
      at = at and (chunk:find("\n", at, true) or #chunk - 1) + 1
    end
    return lines
  end

  -- Raises unless the text has each value, and no others.
  local function check_places(self, n, b, text, values)
    local seen = {}
    for k in text:gsub("%$%$", ""):gmatch "%$(%d+)" do
      k = tonumber(k)
      if k > values then
        self:fail(n.args[2].at, "%s: the text has $%d, but %d value%s given behind it", b.name, k, values,
          values == 1 and " is" or "s are")
      end
      seen[k] = true
    end
    for k = 1, values do
      if not seen[k] then self:fail(n.args[k + 2].at, "%s: the text has no $%d for this value", b.name, k) end
    end
    return seen
  end

  -- dc.cuda(dtype, text, values…): an expression of CUDA C, or statements that set $0; "void": statements.
  add("dc.cuda", function(self, n, b)
    if #n.args < 2 then count(self, n, b, 2) end
    local result = self:expr(n.args[1])
    local is_void = result.type.static == "string" and result.text == "void"
    local t = is_void and types.unknown or builtins.dtype_argument(self, n.args[1], b, "struct")
    local text = self:expr(n.args[2])
    if text.type.static ~= "string" then
      self:fail(n.args[2].at, "%s takes CUDA C as a string that is known, but '%s' is %s", b.name,
        self:shown(n.args[2]), self:why(text))
    end
    local args, effect, unknown = {}, is_void, false
    for k = 3, #n.args do
      local e = self:expr(n.args[k])
      unknown = unknown or e.type == types.unknown
      if e.type.ndim then
        effect = true
        self:need_contiguous(e, n.args[k], b.name)
        points_to.each(e, function(array)
          if not array.constant then self:write(array, n.args[k].at) end
        end)
      elseif not e.type.kind and e.type ~= types.unknown and e.type.composite ~= "struct" then
        self:fail(n.args[k].at, "%s takes numbers, booleans, structs and arrays, but '%s' is %s", b.name,
          self:shown(n.args[k]), self:why(e))
      end
      args[k - 2] = e
    end
    local seen = check_places(self, n, b, text.text, #args)
    if is_void and seen[0] then
      self:fail(n.args[2].at, "%s: the text sets $0, its result, which \"void\" has not", b.name)
    end
    local lines = lines_of(self, n.args[2], text.text)
    if #lines == 0 then self:fail(n.args[2].at, "%s: the text is empty", b.name) end
    if unknown and not is_void then return builtins.text(n, types.unknown, "0") end
    effect = effect or seen[0]
    if effect then
      self:only_in_kernels(n, self:shown(n.fn))
      self:set(self.inst, "effect")
      self.uses.communicates = true
    end
    local e = { op = "cuda", type = t, args = args, lines = lines, at = n.at, effect = effect or nil, sets = seen[0],
      is_void = is_void }
    if is_void then return { op = "values", call = e } end
    return e
  end)
end
