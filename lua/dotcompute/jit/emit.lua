-- From the typed tree of a kernel to CUDA C.
--
-- Each line of the text knows the place of the Lua code that it is for: k:source() shows them side by side, and
-- messages of the compiler name Lua's lines. The text itself has no line numbers, so that an edit above a kernel
-- compiles nothing again.
local core = require "dotcompute.core"
local c_words = require "dotcompute.c_words"
local constants = require "dotcompute.jit.constant"
local emit_composite = require "dotcompute.jit.emit_composite"
local emit_expression = require "dotcompute.jit.emit_expression"
local emit_statement = require "dotcompute.jit.emit_statement"
local functions = require "dotcompute.functions"
local number_text = require "dotcompute.number_text"
local narrow = require "dotcompute.jit.narrow"
local points_to = require "dotcompute.jit.points_to"
local source = require "dotcompute.jit.source"
core.builtin(debug.getinfo(1, "S").source)

local Printer = {}
Printer.__index = Printer
for _, methods in ipairs { emit_expression, emit_statement, emit_composite } do
  for name, method in pairs(methods) do Printer[name] = method end
end

-- --- lines ------------------------------------------------------------------------------------------------------

function Printer:line(text)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. text
  self.places[#self.lines] = self.at
end

function Printer:indent(n) self.depth = self.depth + n end

-- Drops the lines behind line n.
function Printer:take_back(n)
  for k = #self.lines, n + 1, -1 do self.lines[k], self.places[k] = nil, nil end
  self.current = {} -- calls with several values among them are printed again
end

-- A name that no symbol has: theirs end in a digit.
function Printer:temporary()
  self.count = self.count + 1
  return ("t%d_"):format(self.count)
end

-- A variable of a C type with a value. Where the function has gotos, which must not jump over an initialization, it is
-- declared at the function's beginning.
function Printer:declare(ctype, name, text, constant)
  if self.inst.jumps then
    self.hoisted[#self.hoisted + 1] = ("%s %s;"):format(ctype, name)
    if text then self:line(("%s = %s;"):format(name, text)) end
  else
    self:line(("%s%s %s%s;"):format(constant and "const " or "", ctype, name, text and " = " .. text or ""))
  end
end

function Printer:declare_storage(text)
  if self.inst.jumps then self.hoisted[#self.hoisted + 1] = text else self:line(text) end
end

-- --- faults -----------------------------------------------------------------------------------------------------

-- The number of a place that may fail.
function Printer:site(at, kind, text)
  self.sites[#self.sites + 1] = { at = at, found = self.inst.root.found, kind = kind, text = text }
  return #self.sites
end

-- Ends the thread with an error where the condition holds. `always`: also without { check = true }, as a failed assert.
function Printer:fault(condition, at, text, always)
  if self.checked then
    self:line(("if (%s) dc_fail(%d, 0, 0);"):format(condition, self:site(at, "text", text)))
  elseif always then
    local place, _, line = source.place(self.inst.root.found, at)
    local message = number_text.string(text)
    self:line(("if (%s) __assertfail(%s, %s, %d, %s, 1);"):format(condition, message,
      number_text.string(place:match "^(.*):%d+$"), line, number_text.string(self.name)))
  end
end

-- --- what stands in front ---------------------------------------------------------------------------------------

local array_text = [[
#ifndef DC_ARRAY
#define DC_ARRAY
template<class T, int N> struct dc_array { T *p; long long n[N]; };
#endif
]]

-- The same with strided arrays, to which contiguous ones convert: a local may be assigned both.
local strided_text = [[
template<class T, int N> struct dc_strided { T *p; long long n[N]; long long s[N]; };
template<class T, int N> struct dc_array {
  T *p; long long n[N];
  __device__ __forceinline__ operator dc_strided<T, N>() const {
    dc_strided<T, N> a = {p, {}, {}};
    long long step = 1;
    for (int k = N - 1; k >= 0; k--) { a.n[k] = n[k]; a.s[k] = step; step *= n[k]; }
    return a;
  }
};
]]

local check_text = [[
__device__ unsigned long long dc_fault[4];
static __device__ __noinline__ void dc_fail(int site, long long index, long long extent) {
  if (atomicCAS(&dc_fault[0], 0ull, (unsigned long long)site) == 0ull) {
    dc_fault[1] = (unsigned long long)index;
    dc_fault[2] = (unsigned long long)extent;
  }
  __threadfence();
  asm volatile("exit;");
}
static __device__ __forceinline__ long long dc_at(long long i, long long n, int site) {
  if ((unsigned long long)(i - 1) >= (unsigned long long)n) dc_fail(site, i, n);
  return i - 1;
}
]]

local dynamic_text = [[
static __device__ __forceinline__ unsigned int dc_dynamic_size() {
  unsigned int bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
]]

local grid_text = [[
static __device__ __forceinline__ void dc_sync_grid() { cooperative_groups::this_grid().sync(); }
]]

-- With checks a thread that has found a fault ends, and so never arrives: those that wait for its block end too.
local checked_grid_text = [[
__device__ unsigned int dc_barrier[2]; // blocks that have arrived; barriers that have been passed
static __device__ __noinline__ void dc_sync_grid() {
  volatile unsigned long long *const fault = &dc_fault[0];
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    volatile unsigned int *const passed = &dc_barrier[1];
    const unsigned int before = *passed;
    __threadfence();
    if (atomicAdd(&dc_barrier[0], 1u) == gridDim.x * gridDim.y * gridDim.z - 1) {
      atomicExch(&dc_barrier[0], 0u);
      __threadfence();
      atomicAdd(&dc_barrier[1], 1u);
    } else {
      while (*passed == before && *fault == 0) __nanosleep(20);
    }
    __threadfence();
  }
  __syncthreads();
  if (*fault != 0) asm volatile("exit;");
}
]]

local shift_text = [[
static __device__ __forceinline__ long long dc_shr(long long a, long long n);
static __device__ __forceinline__ long long dc_shl(long long a, long long n) {
  if (n < 0) return n <= -64 ? 0 : (long long)((unsigned long long)a >> -n);
  return n >= 64 ? 0 : (long long)((unsigned long long)a << n);
}
static __device__ __forceinline__ long long dc_shr(long long a, long long n) {
  if (n < 0) return n <= -64 ? 0 : (long long)((unsigned long long)a << -n);
  return n >= 64 ? 0 : (long long)((unsigned long long)a >> n);
}
]]

-- Exact, as Lua compares an integer and a float; of NaN false. LOW and HIGH are the least integer and the one above the
-- greatest.
local mixed_text = [[
static __device__ __forceinline__ bool dc_lt(INT i, double f) { return f >= HIGH || (f > LOW && i < (INT)ceil(f)); }
static __device__ __forceinline__ bool dc_le(INT i, double f) { return f >= HIGH || (f >= LOW && i <= (INT)floor(f)); }
static __device__ __forceinline__ bool dc_lt(double f, INT i) { return f < LOW || (f < HIGH && (INT)floor(f) < i); }
static __device__ __forceinline__ bool dc_le(double f, INT i) { return f < LOW || (f < HIGH && (INT)ceil(f) <= i); }
static __device__ __forceinline__ bool dc_eq(INT i, double f) {
  return f >= LOW && f < HIGH && (double)(INT)f == f && (INT)f == i;
}
static __device__ __forceinline__ bool dc_eq(double f, INT i) { return dc_eq(i, f); }
]]

-- The mask of functions that all lanes of a warp call. Behind a remainder of floats, which is computed in loops, ptxas
-- (CUDA 13.0) may take lanes for together that have not come together again. It then leaves out the wait for the lanes
-- of a mask that it knows, so this one is read from registers.
local all_lanes_text = [[
static __device__ __forceinline__ unsigned int dc_all_lanes() { return 0xffffffffu; }
]]
local unknown_lanes_text = [[
static __device__ __forceinline__ unsigned int dc_all_lanes() {
  unsigned int before, others;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(others));
  return before | others;
}
]]

-- Comparisons of floats by instructions that NVRTC does not see: `a < b` as the negation of setp.geu, which is true for
-- NaN, too. NVRTC (CUDA 13) takes min(min(a, b), a) for min(a, b), which is not so where b is NaN. ptxas (CUDA 13.0
-- and 13.5) takes `abs(x) >= 0`, `x * x > -1` and `abs(x) + 1 > 0` of float32 for true, for NaN, too, but folds no
-- unordered comparison so; it makes one instruction of an unordered comparison and its negation.
local extremes_text = [[
static __device__ __forceinline__ FLOAT dc_min(FLOAT a, FLOAT b) {
  FLOAT r;
  asm("{ .reg .pred p; setp.geu.BITS p, %2, %1; selp.BITS %0, %1, %2, p; }" : "=LETTER"(r) : "LETTER"(a), "LETTER"(b));
  return r;
}
static __device__ __forceinline__ FLOAT dc_max(FLOAT a, FLOAT b) {
  FLOAT r;
  asm("{ .reg .pred p; setp.leu.BITS p, %2, %1; selp.BITS %0, %1, %2, p; }" : "=LETTER"(r) : "LETTER"(a), "LETTER"(b));
  return r;
}
]]
local ordered_comparison_text = [[
static __device__ __forceinline__ bool dc_gt(FLOAT a, FLOAT b) {
  int r;
  asm("{ .reg .pred p; setp.leu.BITS p, %1, %2; selp.b32 %0, 0, 1, p; }" : "=r"(r) : "LETTER"(a), "LETTER"(b));
  return r != 0;
}
static __device__ __forceinline__ bool dc_ge(FLOAT a, FLOAT b) {
  int r;
  asm("{ .reg .pred p; setp.ltu.BITS p, %1, %2; selp.b32 %0, 0, 1, p; }" : "=r"(r) : "LETTER"(a), "LETTER"(b));
  return r != 0;
}
]]

-- The smaller and the greater of two integers in a form that ptxas does not fuse with another minimum or maximum
-- (integer_facts.lua says where, and why).
local unfused_text = [[
static __device__ __forceinline__ INT dc_CHOICE_unfused(INT a, INT b) {
  INT r;
  asm("{ .reg .b32 t, u; not.b32 t, %1; not.b32 u, %2; OTHER.BITS t, t, u; not.b32 %0, t; }"
      : "=r"(r) : "r"(a), "r"(b));
  return r;
}
]]
local unfused_names = {
  { INT = "int", BITS = "s32", CHOICE = "min", OTHER = "max" },
  { INT = "int", BITS = "s32", CHOICE = "max", OTHER = "min" },
  { INT = "unsigned int", BITS = "u32", CHOICE = "min", OTHER = "max" },
  { INT = "unsigned int", BITS = "u32", CHOICE = "max", OTHER = "min" },
}

local integers_text = [[
typedef unsigned long long dc_unsigned;
static __device__ __forceinline__ bool dc_lt(dc_unsigned u, long long s) { return s > 0 && u < (dc_unsigned)s; }
static __device__ __forceinline__ bool dc_le(dc_unsigned u, long long s) { return s >= 0 && u <= (dc_unsigned)s; }
static __device__ __forceinline__ bool dc_lt(long long s, dc_unsigned u) { return s < 0 || (dc_unsigned)s < u; }
static __device__ __forceinline__ bool dc_le(long long s, dc_unsigned u) { return s < 0 || (dc_unsigned)s <= u; }
static __device__ __forceinline__ bool dc_eq(dc_unsigned u, long long s) { return s >= 0 && u == (dc_unsigned)s; }
static __device__ __forceinline__ bool dc_eq(long long s, dc_unsigned u) { return dc_eq(u, s); }
]]

-- A loop's limit that is a float, for an integer loop: rounded towards the start, and saturated. False: no iteration.
local limit_text = [[
static __device__ __forceinline__ bool dc_limit(double f, bool up, long long *limit) {
  if (f != f) return false;
  f = up ? floor(f) : ceil(f);
  if (f >= 9223372036854775808.0) { *limit = 9223372036854775807ll; return up; }
  if (f < -9223372036854775808.0) { *limit = -9223372036854775807ll - 1; return !up; }
  *limit = (long long)f;
  return true;
}
]]

local function split(text, lines)
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
end

-- The types that the tree uses, a list of lines at file scope. They may stand in a source several times.
function Printer:declarations(tree)
  local lines, declared = self:type_declarations(tree)
  for _, name in ipairs(self.uses.headers or {}) do lines[#lines + 1] = ("#include <%s>"):format(name) end
  split(table.concat(declared, "\n"), lines)
  split((tree.layout or self.has_strided) and strided_text or array_text, lines)
  return lines
end

-- The beginning of the source of a kernel, a list of lines.
function Printer:prelude(tree)
  local lines = {}
  for _, unit in ipairs(self.uses.modules or {}) do -- of dc.extern; with empty lines, which errors count
    for line in (unit.text .. "\n"):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  end
  local declarations = self:declarations(tree)
  table.move(declarations, 1, #declarations, #lines + 1, lines)
  if self.checked then split(check_text, lines) end
  if self.checked and self.uses.dynamic then split(dynamic_text, lines) end
  if self.uses.sync_grid then split(self.checked and checked_grid_text or grid_text, lines) end
  self:helpers(lines)
  return lines
end

-- The constant arrays of a tree: lines of their declarations, whose names begin with `prefix`; adds the locals that
-- stand for them to `first`.
function Printer.constants(_, tree, first, prefix)
  local lines, size = {}, 0
  for _, symbol in ipairs(tree.constants) do
    local declared, value = constants.declaration(symbol.constant, prefix .. symbol.cname .. "values_")
    table.move(declared, 1, #declared, #lines + 1, lines)
    first[#first + 1] = ("%s %s = %s;"):format(symbol.type.ctype, symbol.cname, value)
    size = size + symbol.constant.size * symbol.type.element.size
  end
  if size > constants.MOST then
    core.fail("compile", ("the constant arrays of a kernel have %d bytes together; there are %d"):format(size,
      constants.MOST))
  end
  return lines
end

-- Adds the functions of ours that the text calls.
function Printer:helpers(lines)
  if self.uses.all_lanes then split(self.uses.remainders and unknown_lanes_text or all_lanes_text, lines) end
  if self.uses.shifts then split(shift_text, lines) end
  if self.uses.limit then split(limit_text, lines) end
  if self.uses.compare_mixed then
    for _, names in ipairs {
      { INT = "long long", LOW = "-9223372036854775808.0", HIGH = "9223372036854775808.0" },
      { INT = "unsigned long long", LOW = "0.0", HIGH = "18446744073709551616.0" } } do
      split(mixed_text:gsub("%u%u+", names), lines)
    end
  end
  for _, names in ipairs { { FLOAT = "float", BITS = "f32", LETTER = "f" },
    { FLOAT = "double", BITS = "f64", LETTER = "d" } } do
    if self.uses.extremes then split(extremes_text:gsub("%u%u+", names), lines) end
    if self.uses.ordered_comparisons then split(ordered_comparison_text:gsub("%u%u+", names), lines) end
  end
  if self.uses.unfused then
    for _, names in ipairs(unfused_names) do split(unfused_text:gsub("%u%u+", names), lines) end
  end
  if self.uses.compare_integers then split(integers_text, lines) end
  for _, text in ipairs(self.uses.texts or {}) do split(text, lines) end
end

-- --- functions --------------------------------------------------------------------------------------------------

local emit = {}

-- Other names that NVRTC's own headers declare, of which a kernel would be a second declaration with C's linkage.
local declared = {}
for name in ([[all any ballot char16_t char32_t clock clock64 clock_t fabs fabsf fmaxf fminf frexp free ilogb jn labs
  llabs llmax llmin llround lround malloc max_align_t memcpy memset modf norm ptrdiff_t remquo rnorm scalbln sincos
  sincospi size_t static_assert std thread_local ullmax ullmin umax umin va_list yn]]):gmatch "%S+" do
  declared[name] = true
end

-- How names of CUDA's own functions and types begin: lower-case letters, and the class of what follows.
local begins = { atomic = "%u", cuda = "%u", make = "_", surf = "%d", tex = "%d" }

local function is_declared(name)
  if declared[name] or functions[name] or functions[name:match "^(.*)f$"] then return true end
  local letters, behind = name:match "^(%l+)(.)"
  return begins[letters] ~= nil and behind:find(begins[letters]) ~= nil
end

-- A name that C allows: Lua's, where C does not have the word itself.
function emit.c_name(name)
  name = name:gsub("[^%w_]", "_")
  if c_words[name] or is_declared(name) or name:find "^dc_" or name:find "^_" or name:find "%u%u" then
    return name .. "_"
  end
  return name
end

-- Names of the kernel's parameters, as messages have them; none is a name that the text has otherwise.
local function parameter_names(tree)
  local taken = {}
  for _, inst in ipairs(tree.instances) do
    taken[inst.name] = true
    for _, symbol in pairs(inst.symbols) do taken[symbol.cname] = true end
  end
  for _, symbol in ipairs(tree.inputs) do taken[symbol.cname] = true end
  return function(name)
    name = emit.c_name(name)
    while taken[name] do name = name .. "_" end
    taken[name] = true
    return name
  end
end

-- What a kernel's parameter of the type, or a pointer to it, is in C: a type that dc.kernel knows.
local function parameter_ctype(t)
  if t.kind ~= "c" then return t.ctype end
  return t.ctype == "c64" and "float2" or "double2"
end

emit.parameter_ctype = parameter_ctype

local function result_type(inst, k) return inst.narrow_results[k] and "int" or inst.returns[k].ctype end

local function results_type(inst)
  local returns = inst.returns or {}
  if #returns == 0 then return "void" end
  if #returns == 1 then return result_type(inst, 1) end
  return inst.name .. "_results"
end

-- The declaration of that type, where there are several results.
local function results_struct(inst)
  local fields = {}
  for k in ipairs(inst.returns or {}) do fields[k] = ("%s v%d;"):format(result_type(inst, k), k) end
  if #fields > 1 then return ("struct %s_results { %s };"):format(inst.name, table.concat(fields, " ")) end
end

-- What a function that is called has in C in front of its body.
local function head(inst)
  local params = {}
  for k, decl in ipairs(inst.node.params) do
    local t = inst.types[k]
    if not t.static then
      local symbol = inst.symbols[decl]
      params[#params + 1] = t == symbol.type and ("%s %s"):format(narrow.ctype(symbol), symbol.cname)
        or ("%s p_%s"):format(t.ctype, symbol.cname)
    end
  end
  for _, symbol in ipairs(inst.reached) do
    params[#params + 1] = ("%s%s &%s"):format(symbol.input ~= nil and "const " or "", narrow.ctype(symbol),
      symbol.cname)
  end
  return ("static __device__ %s%s %s(%s)"):format(inst.recursive and "" or "__forceinline__ ", results_type(inst),
    inst.name, table.concat(params, ", "))
end

-- A recursive function stays one that its kernel needs, though ptxas may find that no call of it is reached: ptxas 13.0
-- then ends with a segmentation fault, and with it the process, as the driver's compiler is the same. The address in a
-- variable adds no instruction. `scope`: of the function's name, with a variable of its own.
local function kept(inst, scope)
  local name = scope and ("%s::%s"):format(scope, inst.name) or inst.name
  return ("static __device__ __attribute__((used)) decltype(&%s) dc_kept_%s%s = %s;"):format(name,
    scope and scope .. "_" or "", inst.name, name)
end

-- The body of an instance: lines, and the places of each. `first`: lines in front.
function Printer:body(inst, first)
  self.inst, self.current = inst, {}
  self.lines, self.places, self.hoisted, self.depth, self.at = {}, {}, {}, 1, nil
  for k, decl in ipairs(inst.node.params) do
    local symbol = inst.symbols[decl]
    if not inst.is_kernel and symbol.type ~= inst.types[k] and not symbol.type.static then
      self:declare(symbol.type.ctype, symbol.cname, self:converted("p_" .. symbol.cname, inst.types[k], symbol.type))
    end
  end
  self:block(inst.body)
  local lines, places = {}, {}
  local function add(text, at)
    lines[#lines + 1] = text
    places[#lines] = at
  end
  for _, text in ipairs(first) do add("  " .. text) end
  for _, text in ipairs(self.hoisted) do add("  " .. text) end
  for k, text in ipairs(self.lines) do add(text, self.places[k]) end
  return lines, places
end

-- Marks the functions that call themselves, perhaps through others; `uses.recursion`: there are some.
local function mark_recursive(tree)
  local calls = {}
  for _, inst in ipairs(tree.instances) do
    calls[inst] = {}
    if inst.pass == tree.pass then
      for _, node in ipairs(narrow.nodes(inst)) do
        if node.op == "call" and node.inst then calls[inst][node.inst] = true end
      end
    end
  end
  for _, inst in ipairs(tree.instances) do
    local seen, stack = {}, { inst }
    while #stack > 0 do
      for other in pairs(calls[table.remove(stack)] or {}) do
        if other == inst then inst.recursive, tree.uses.recursion = true, true end
        if not seen[other] then
          seen[other] = true
          stack[#stack + 1] = other
        end
      end
    end
  end
end

-- The symbols that have several values, or that functions share.
local function varying(tree)
  local found = {}
  for _, inst in ipairs(tree.instances) do
    for _, symbol in ipairs(inst.reached) do found[symbol] = true end
    for _, node in ipairs(inst.pass == tree.pass and narrow.nodes(inst) or {}) do
      if node.op == "assign" then
        for _, target in ipairs(node.targets) do
          if target.op == "symbol" then found[target.symbol] = true end
        end
      end
    end
  end
  return found
end

-- The source of a checked tree (check.lua): { text =, places = line -> { found =, at = }, sites =, params = }.
-- `params`: what the kernel takes, in order: { argument = k } or { input = its symbol }, with `type`, `fits` for an
-- integer of 32 bits, `written` for an array that the kernel writes. `facts`: of all launches, as narrow.lua has them,
-- and `disjoint`: no array that is written overlaps another one. A `layout` of the tree (guvectorize.lua) declares the
-- parameters of the arrays among the arguments.
function emit.kernel(tree, name, checked, facts)
  narrow.find(tree, facts)
  local self = setmetatable({ uses = tree.uses, sites = {}, count = 0, checked = checked, name = name, facts = facts,
    varying = varying(tree) }, Printer)
  local kernel = tree.kernel
  mark_recursive(tree)
  local bodies = {}
  local fresh = parameter_names(tree)
  local params, first, order = {}, {}, {}

  -- Adds a parameter for each axis of an array; gives them as an initializer.
  local function integers(symbol, what, ndim)
    local list = {}
    for k = 1, ndim do
      list[k] = fresh(("%s_%s%d"):format(symbol.name, what, k))
      params[#params + 1] = (facts.small and "int " or "long long ") .. list[k]
    end
    return "{" .. table.concat(list, ", ") .. "}"
  end

  -- NVVM takes a load for one of read-only memory (ld.global.nc) where any of the pointers that its address is chosen
  -- from is a restricted one that is only read: in a local that is one of two arrays, and in `c and x[i] or y[j]`,
  -- where both loads become one. ptxas then moves it past a store to y. Of pointers that are not restricted NVVM asks
  -- which stores may alias the load, so it finds the loads of x alone as long as y is restricted.
  local reads_written = points_to.reads_written(tree)

  local function parameter(symbol, t, what)
    order[#order + 1] = what
    local cname = fresh(symbol.name)
    if what.argument and tree.layout and tree.layout:takes(what.argument) then
      tree.layout:parameter(what.argument, symbol, cname, params, first)
    elseif t.ndim then
      what.written = symbol.written
      local alone = facts.disjoint
      if symbol.written then alone = alone and not tree.uses.communicates -- a barrier is no write to a restricted array
      else alone = alone and not reads_written end
      params[#params + 1] = ("%s%s *%s%s"):format(symbol.written and "" or "const ",
        t.element.composite and "unsigned char" or parameter_ctype(t.element), alone and "__restrict__ " or "", cname)
      local extents, strides = integers(symbol, "extent", t.ndim), ""
      if t.strided then
        self.has_strided = true
        strides = ", " .. integers(symbol, "stride", t.ndim)
      end
      first[#first + 1] = ("%s %s = {(%s *)%s, %s%s};"):format(t.ctype, symbol.cname, t.element.ctype, cname, extents,
        strides)
    else
      params[#params + 1] = ("%s %s"):format(what.fits and "int" or parameter_ctype(t), cname)
      first[#first + 1] = ("%s %s = %s;"):format(narrow.ctype(symbol), symbol.cname,
        t.kind == "c" and ("{%s.x, %s.y}"):format(cname, cname)
          or symbol.type == t and cname or ("(%s)%s"):format(symbol.type.ctype, cname))
    end
  end

  if tree.layout then tree.layout:begin(params, first) end
  for k, decl in ipairs(kernel.node.params) do
    parameter(kernel.symbols[decl], kernel.types[k], { argument = k, type = kernel.types[k],
      fits = facts.parameters[k] })
  end
  local constant_lines = self:constants(tree, first, "")
  for k, symbol in ipairs(tree.inputs) do
    parameter(symbol, symbol.type, { input = k, type = symbol.type, fits = symbol.narrow })
  end

  local used = {} -- instances of the last pass
  for _, inst in ipairs(tree.instances) do
    if inst.pass == tree.pass then
      used[#used + 1] = inst
      local lines, places = self:body(inst, inst.is_kernel and first or {})
      bodies[inst] = { lines = lines, places = places }
    end
  end

  local lines, places = self:prelude(tree), {}
  table.move(constant_lines, 1, #constant_lines, #lines + 1, lines)
  for _, inst in ipairs(used) do
    if not inst.is_kernel then
      lines[#lines + 1] = results_struct(inst)
      lines[#lines + 1] = head(inst) .. ";"
      if inst.recursive then lines[#lines + 1] = kept(inst) end
    end
  end
  for k = #used, 1, -1 do
    local inst = used[k]
    local kernel_head = ('extern "C" __global__ void %s(%s)'):format(name, table.concat(params, ", "))
    lines[#lines + 1] = (inst.is_kernel and kernel_head or head(inst)) .. " {"
    for j, text in ipairs(bodies[inst].lines) do
      lines[#lines + 1] = text
      local at = bodies[inst].places[j]
      places[#lines] = at and { found = inst.root.found, at = at }
    end
    lines[#lines + 1] = "}"
  end
  return { text = table.concat(lines, "\n") .. "\n", places = places, sites = self.sites, params = order,
    lines = lines }
end

-- The functions of a tree of check.callable as static functions of a struct of this name: { text =, call = the name of
-- the first, results = the types of its values, ctype = what it returns in C, return_at = the place of a return,
-- inputs = symbols of captured numbers, which it takes behind its parameters, length = the number of characters of
-- all statements }.
function emit.callable(tree, struct)
  local facts = { parameters = {} }
  local self = setmetatable({ uses = tree.uses, sites = {}, count = 0, name = struct, facts = facts,
    varying = varying(tree) }, Printer)
  mark_recursive(tree)
  local functions_text, structs, kept_text, length, first = {}, {}, {}, 0, {}
  narrow.find(tree, facts)
  local constant_lines = self:constants(tree, first, struct .. "_")
  for _, inst in ipairs(tree.instances) do
    if inst.pass == tree.pass then
      structs[#structs + 1] = results_struct(inst)
      functions_text[#functions_text + 1] = head(inst) .. " {"
      local body = self:body(inst, inst == tree.kernel and first or {})
      for _, text in ipairs(body) do length = length + #text end
      table.move(body, 1, #body, #functions_text + 1, functions_text)
      functions_text[#functions_text + 1] = "}"
      if inst.recursive then kept_text[#kept_text + 1] = kept(inst, struct) end
    end
  end
  local lines = self:declarations(tree)
  table.move(constant_lines, 1, #constant_lines, #lines + 1, lines)
  lines[#lines + 1] = ("struct %s {"):format(struct)
  self:helpers(lines)
  table.move(structs, 1, #structs, #lines + 1, lines)
  table.move(functions_text, 1, #functions_text, #lines + 1, lines)
  lines[#lines + 1] = "};"
  table.move(kept_text, 1, #kept_text, #lines + 1, lines)
  local inst = tree.kernel
  local returns = inst.returns or {}
  return { text = table.concat(lines, "\n") .. "\n", call = ("%s::%s"):format(struct, inst.name), results = returns,
    ctype = #returns > 1 and ("%s::%s"):format(struct, results_type(inst)) or results_type(inst),
    return_at = inst.return_at, length = length, inputs = inst.reached }
end

return emit
