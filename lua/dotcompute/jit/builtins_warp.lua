-- Functions of the warp that kernels in Lua can call: votes, matches, shuffles, reductions, masks of lanes.
--
-- A mask is an integer whose bit 0 is lane 1. It is the last argument, and all lanes where it is not given.
local core = require "dotcompute.core"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local ALL = 0xffffffff

return function(builtins)
  local add, act, count, text = builtins.add, builtins.act, builtins.count, builtins.text

  -- The text of the mask, argument k of the call; appends it to the operands.
  local function mask(self, n, b, k, args)
    local node = n.args[k]
    if not node then
      self.uses.all_lanes = true
      return "dc_all_lanes()"
    end
    local e = self:integer(node, ("the mask of %s"):format(b.name))
    if e.op == "const" and (e.value < 1 or e.value > ALL) then
      self:fail(node.at, "%s: the mask %d is not in 1 to 0xffffffff: a bit for each lane of the warp", b.name, e.value)
    end
    args[#args + 1] = e
    return ("(unsigned int)$%d"):format(#args)
  end

  add("dc.sync_warp", function(self, n, b)
    count(self, n, b, 0, 1)
    local args = {}
    local lanes = mask(self, n, b, 1, args)
    return act(self, n, types.unknown, ("__syncwarp(%s)"):format(lanes), args)
  end)

  add("dc.active_mask", function(self, n, b)
    count(self, n, b, 0)
    return act(self, n, types.integer, "(long long)__activemask()")
  end)

  -- Masks of the lanes that stand in this relation to the thread's own, from the registers of that name.
  for name, register in pairs { equal = "eq", less = "lt", less_equal = "le", greater = "gt", greater_equal = "ge" } do
    add("dc.lane_mask_" .. name, function(self, n, b)
      count(self, n, b, 0)
      builtins.need(self, b.name, ([[
static __device__ __forceinline__ long long dc_lanemask_%s() {
  unsigned int mask;
  asm("mov.u32 %%0, %%%%lanemask_%s;" : "=r"(mask));
  return mask;
}
]]):format(register, register))
      return text(n, types.integer, ("dc_lanemask_%s()"):format(register))
    end)
  end

  -- --- votes and matches ------------------------------------------------------------------------------------------

  -- `most`: the number of arguments, the mask among them.
  local function vote(t, c, most)
    return function(self, n, b)
      count(self, n, b, 1, most)
      local e = self:expr(n.args[1])
      if e.type ~= types.bool and e.type ~= types.unknown then
        self:fail(n.args[1].at, "%s takes a boolean, but '%s' is %s", b.name, self:shown(n.args[1]), self:why(e))
      end
      local args = { e }
      local lanes = mask(self, n, b, 2, args)
      return act(self, n, t, c:gsub("MASK", (lanes:gsub("%%", "%%%%"))), args)
    end
  end
  add("dc.vote_all", vote(types.bool, "(__all_sync(MASK, $1) != 0)", 2))
  add("dc.vote_any", vote(types.bool, "(__any_sync(MASK, $1) != 0)", 2))
  add("dc.vote_ballot", vote(types.integer, "(long long)__ballot_sync(MASK, $1)", 2))
  add("dc.sync_threads_count", vote(types.integer, "(long long)__syncthreads_count($1)", 1))
  add("dc.sync_threads_and", vote(types.bool, "(__syncthreads_and($1) != 0)", 1))
  add("dc.sync_threads_or", vote(types.bool, "(__syncthreads_or($1) != 0)", 1))

  -- The type of 32 bits in which a warp passes on a value of 8 or 16; nil for wider ones.
  local function wide_type(t)
    if t.size >= 4 then return nil end
    return types.dtype(types.is_floating(t) and "float32" or t.kind == "u" and "uint32" or "int32")
  end

  -- Values are compared by their bits.
  local function match(c)
    return function(self, n, b)
      count(self, n, b, 1, 2)
      local e = self:number(n.args[1], b.name)
      if e.type == types.unknown then return text(n, types.unknown, "0") end
      local args = { self:convert(e, wide_type(e.type) or e.type) }
      local lanes = mask(self, n, b, 2, args)
      return act(self, n, types.integer, c:format(lanes), args)
    end
  end
  add("dc.match_any", match "(long long)__match_any_sync(%s, $1)")
  local match_all = match "dc_match_all(%s, $1)"
  add("dc.match_all", function(self, n, b)
    builtins.need(self, b.name, [[
template <class T> static __device__ __forceinline__ long long dc_match_all(unsigned int mask, T v) {
  int same;
  return __match_all_sync(mask, v, &same);
}
]])
    return match_all(self, n, b)
  end)

  -- --- shuffles -----------------------------------------------------------------------------------------------------

  -- dc.shuffle(v, lane [, width [, mask]]): within groups of `width` lanes.
  local function shuffle(c)
    return function(self, n, b)
      count(self, n, b, 2, 4)
      local value = self:number(n.args[1], b.name)
      local args = { value, (self:integer(n.args[2], b.name)) }
      local width = ""
      if n.args[3] then
        local e = self:integer(n.args[3], ("the width of %s"):format(b.name))
        if e.op == "const" and (e.value < 1 or e.value > 32 or e.value & (e.value - 1) ~= 0) then
          self:fail(n.args[3].at, "%s: the width %d is none of 1, 2, 4, 8, 16 and 32", b.name, e.value)
        end
        args[3], width = e, ", (int)$3"
      end
      local lanes = mask(self, n, b, 4, args)
      local t = value.type
      if t == types.unknown then return text(n, types.unknown, "0") end
      local wide = wide_type(t)
      args[1] = self:convert(value, wide or t)
      return act(self, n, t, ("%s%s(%s, $1, (int)$2%s%s)"):format(wide and ("(%s)"):format(t.ctype) or "", c, lanes,
        c == "__shfl_sync" and " - 1" or "", width), args)
    end
  end
  add("dc.shuffle", shuffle "__shfl_sync")
  add("dc.shuffle_up", shuffle "__shfl_up_sync")
  add("dc.shuffle_down", shuffle "__shfl_down_sync")
  add("dc.shuffle_xor", shuffle "__shfl_xor_sync")

  -- --- reductions ---------------------------------------------------------------------------------------------------

  -- The ballot has the lanes of the mask that have not ended. All of a warp exchange by halves, which gives each lane
  -- the same bits, as sums of two do not depend on their order; of fewer lanes each reads one after the other.
  local reduce_text = [[
template <class T, class F> static __device__ __forceinline__ T dc_reduce(unsigned int mask, T v, F f) {
  const unsigned int lanes = __ballot_sync(mask, 1);
  if (lanes == 0xffffffffu) {
    for (int distance = 16; distance > 0; distance >>= 1) v = f(v, __shfl_xor_sync(lanes, v, distance));
    return v;
  }
  T result = __shfl_sync(lanes, v, __ffs((int)lanes) - 1);
  for (unsigned int rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1)
    result = f(result, __shfl_sync(lanes, v, __ffs((int)rest) - 1));
  return result;
}
]]

  -- The operator of two values a and b of a type; nil where it has none.
  local function operator(name, t)
    if name == "and" then return not types.is_floating(t) and "a & b" or nil end
    if name == "or" then return not types.is_floating(t) and "a | b" or nil end
    if name == "xor" then return not types.is_floating(t) and "a ^ b" or nil end
    if types.is_floating(t) then return name == "add" and "a + b" or ("f%s(a, b)"):format(name) end
    if name == "add" then
      local u = number_text.unsigned(t)
      return ("(%s)((%s)a + (%s)b)"):format(t.ctype, u, u)
    end
    return name == "min" and "a < b ? a : b" or "a > b ? a : b"
  end

  -- The function of CUDA, where there is one, else a reduction by shuffles. `t` has 32 or 64 bits.
  local function reduction(self, name, t)
    local called = ("dc_reduce_%s_%s"):format(name, t.name)
    builtins.need(self, "reduce", reduce_text)
    local by_shuffles = ("dc_reduce(mask, v, [](%s a, %s b) { return %s; })"):format(t.ctype, t.ctype,
      operator(name, t))
    local lines = { ("static __device__ __forceinline__ %s %s(unsigned int mask, %s v) {"):format(t.ctype, called,
      t.ctype) }
    local bitwise = name == "and" or name == "or" or name == "xor"
    local native
    if not types.is_floating(t) and t.size == 4 then
      native = bitwise and ("(%s)__reduce_%s_sync(mask, (unsigned int)v)"):format(t.ctype, name)
        or ("__reduce_%s_sync(mask, v)"):format(name)
    elseif bitwise then -- of two halves
      native = ("(%s)((unsigned long long)__reduce_%s_sync(mask, (unsigned int)((unsigned long long)v >> 32)) << 32 | "
        .. "__reduce_%s_sync(mask, (unsigned int)v))"):format(t.ctype, name, name)
    end
    if native then
      lines[#lines + 1] = "#if __CUDA_ARCH__ >= 800"
      lines[#lines + 1] = ("  return %s;"):format(native)
      lines[#lines + 1] = "#else"
    end
    lines[#lines + 1] = ("  return %s;"):format(by_shuffles)
    if native then lines[#lines + 1] = "#endif" end
    lines[#lines + 1] = "}"
    builtins.need(self, called, table.concat(lines, "\n"))
    return called
  end

  for _, name in ipairs { "add", "min", "max", "and", "or", "xor" } do
    add("dc.reduce_" .. name, function(self, n, b)
      count(self, n, b, 1, 2)
      local value = self:number(n.args[1], b.name)
      local t = value.type
      local args = { value }
      local lanes = mask(self, n, b, 2, args)
      if t == types.unknown then return text(n, types.unknown, "0") end
      if not operator(name, t) then
        self:fail(n.args[1].at, "%s takes integers, but '%s' is %s", b.name, self:shown(n.args[1]), self:why(value))
      end
      local wide = wide_type(t)
      args[1] = self:convert(value, wide or t)
      local called = reduction(self, name, wide or t)
      return act(self, n, t, ("%s%s(%s, $1)"):format(wide and ("(%s)"):format(t.ctype) or "", called, lanes), args)
    end)
  end
end
