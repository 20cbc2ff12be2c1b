-- PageRank on a random graph: a sparse matrix made by array functions, multiplied by a kernel in Lua.
-- Usage: pagerank.lua [nodes [links]]
local dc = require "dotcompute"

local nodes = math.tointeger(arg and tonumber(arg[1]) or 20000)
local links = math.tointeger(arg and tonumber(arg[2]) or 8 * nodes)
local damping <const> = 0.85
dc.random.seed(1)

-- Links from any node, to some nodes more often than to others.
local from = dc.random.integers(links, { low = 1, high = nodes, dtype = "int32" }):eval()
local to = dc.clip((dc.random.uniform(links) ^ 2 * nodes):to "int32" + 1, 1, nodes):eval()

-- The links to node i, as rows of a sparse matrix (CSR): they are source[first[i]] to source[first[i + 1] - 1].
local order = to:argsort()
local source = from[order]
local into = (to - 1):bincount { minlength = nodes }
local first = (dc.concat { dc.zeros(1, "int64"), into:cumsum() } + 1):to "int32"
local out = (from - 1):bincount { minlength = nodes }:to "float64"

-- A node's rank is its part of `base`, and the shares of the ranks of nodes that link to it. A thread for each node.
local gather = dc.jit(function(rank, share, starts, sources, base)
  local i = dc.index()
  if i > #rank then return end
  local sum = dc.float64(0)
  for k = starts[i], starts[i + 1] - 1 do sum = sum + share[sources[k]] end
  rank[i] = base + damping * sum
end)

local rank, new = dc.full(nodes, 1 / nodes, "float64"), dc.empty(nodes, "float64")
local rounds, change = 0, math.huge
while change > 1e-10 and rounds < 200 do
  local lost = dc.where(out:eq(0), rank, 0):sum():item() -- of nodes without links, which go to all
  local share = (rank / dc.maximum(out, 1)):eval()
  gather:forall(nodes, new, share, first, source, (1 - damping + damping * lost) / nodes)
  change = dc.abs(new - rank):sum():item()
  rank, new, rounds = new, rank, rounds + 1
end

-- Check in plain Lua, from the links alone: all ranks together are 1, and each follows from the others.
assert(change <= 1e-10, "the ranks do not converge")
local r, s, t, degree = rank:to_table(), from:to_table(), to:to_table(), {}
for k = 1, links do degree[s[k]] = (degree[s[k]] or 0) + 1 end
local total, rest, want = 0, 0, {}
for i = 1, nodes do
  total = total + r[i]
  if not degree[i] then rest = rest + r[i] end
end
for k = 1, links do want[t[k]] = (want[t[k]] or 0) + r[s[k]] / degree[s[k]] end
assert(math.abs(total - 1) < 1e-9, "the ranks do not add up to 1")
for i = 1, nodes do
  local expected = (1 - damping + damping * rest) / nodes + damping * (want[i] or 0)
  assert(math.abs(r[i] - expected) < 1e-9, ("node %d has the rank %g, not %g"):format(i, r[i], expected))
end

local ranks, best = rank:topk(math.min(3, nodes))
local text = {}
for k = 1, #best do text[k] = ("%d (%.5f)"):format(best[k], ranks[k]) end
print(("pagerank: %d nodes, %d links, %d rounds; first %s; all ranks checked, on %s"):format(nodes, links, rounds,
  table.concat(text, ", "), dc.device().name))
