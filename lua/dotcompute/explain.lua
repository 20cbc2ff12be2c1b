-- k:explain(): a kernel's use of registers and memory and its occupancy, one line for each fact.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
core.builtin(debug.getinfo(1, "S").source)

local function ceil_to(n, unit) return (n + unit - 1) // unit * unit end

-- For each resource of a multiprocessor, how many blocks of the kernel it has room for.
local function limits(a, facts, threads, shared)
  local list = {}
  local warps = (threads + facts.warp_size - 1) // facts.warp_size
  local function add(name, blocks) list[#list + 1] = { name = name, blocks = blocks } end
  add("threads", facts.max_threads_per_multiprocessor // (warps * facts.warp_size))
  if (facts.max_blocks_per_multiprocessor or 0) > 0 then add("blocks", facts.max_blocks_per_multiprocessor) end
  if a.registers > 0 and facts.registers_per_block > 0 then
    -- registers are allocated to warps in units of 256
    add("registers", facts.registers_per_block // (ceil_to(a.registers * facts.warp_size, 256) * warps))
  end
  if a.shared + shared > 0 and facts.shared_per_multiprocessor > 0 then
    add("shared memory", facts.shared_per_multiprocessor // (a.shared + shared))
  end
  return list
end

-- The names of the resources that limit occupancy: those with room for the fewest blocks, or for no more than `blocks`,
-- which the device reports.
local function limiting(list, blocks)
  local least = math.huge
  for _, l in ipairs(list) do least = math.min(least, l.blocks) end
  local names = {}
  for _, l in ipairs(list) do
    if l.blocks == least or l.blocks <= blocks then names[#names + 1] = l.name end
  end
  return table.concat(names, " and ")
end

-- The number of registers, or bytes of shared memory, at which one more block would fit.
local function advice(a, facts, threads, shared, blocks)
  local warps = (threads + facts.warp_size - 1) // facts.warp_size
  local wanted = facts.registers_per_block // ((blocks + 1) * warps * facts.warp_size) // 8 * 8
  if a.registers > wanted and wanted >= 16 and wanted < a.registers then
    return ("; at %d registers a thread one more block would fit"):format(wanted)
  end
  if a.shared + shared > 0 then
    return ("; at %d bytes of shared memory a block one more block would fit"):format(
      facts.shared_per_multiprocessor // (blocks + 1))
  end
  return ""
end

-- explain(k [, block [, shared or {shared =}]]): the report as one text.
local function explain(k, block, shared)
  if type(shared) == "table" then shared = arguments.check("explain", shared, { shared = "integer" }).shared end
  if type(k) ~= "userdata" or (getmetatable(k) or {}).__name ~= "dotcompute.kernel" then
    core.fail("argument", ("explain: a kernel expected, got %s"):format(core.describe(k)))
  end
  shared = shared or 0
  local blocks, share, threads = k:occupancy(block or "auto", shared) -- checks both
  local a, device = k.attributes, k.device
  local facts = device.attributes
  local lines = { ("%s on %s"):format(k.signature, device.name) }
  local function say(text, ...) lines[#lines + 1] = "  " .. text:format(...) end
  local on_gpu = device.simt
  if on_gpu then
    say("registers: %d a thread (of at most 255)", a.registers)
    if a["local"] > 0 then
      say("local memory: %d bytes a thread: registers spilled, or arrays indexed by a variable; it lives in global "
        .. "memory", a["local"])
    else
      say "local memory: none, nothing is spilled"
    end
  elseif a["local"] > 0 then
    say("local memory: %d bytes a thread", a["local"])
  end
  if a.shared + shared > 0 then
    say("shared memory: %d bytes a block static%s, of %d that a block may have", a.shared,
      shared > 0 and (" and %d dynamic"):format(shared) or "", facts.shared_per_block)
  end
  if a.max_threads < facts.max_threads_per_block then
    say("at most %d threads a block, not %d: by its __launch_bounds__ or its registers", a.max_threads,
      facts.max_threads_per_block)
  end
  local chosen = block == nil or block == "auto"
  if not on_gpu then
    local why = core.kernel_refusal(k)
    say("occupancy: the CPU device runs %d block%s a core at a time; %s", blocks, blocks == 1 and "" or "s",
      a.tier == 1 and "native code" or why and "stays interpreted: " .. why
      or "interpreted until native code is ready")
    return table.concat(lines, "\n")
  end
  local name = limiting(limits(a, facts, threads, shared), blocks)
  say("occupancy: %d block%s of %d threads a multiprocessor%s, %.0f%% of its warps; limited by %s%s", blocks,
    blocks == 1 and "" or "s", threads, chosen and " (the automatic choice)" or "", 100 * share, name,
    share < 1 and not name:find "threads" and advice(a, facts, threads, shared, blocks) or "")
  if blocks == 0 then say "a block of this size does not fit on a multiprocessor" end
  return table.concat(lines, "\n")
end

return { explain = explain }
