-- Two nested loops of which the inner one branches to the outer loop's head, from its middle ("outer") or at its end
-- ("both"): tier 1 held the inner loop's counter in one scalar although lanes were in different iterations, and lost
-- the lanes that had branched back furthest.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local m = dc.module [[
__global__ void outer(int *o, const int *x, int *log) {
  int t = threadIdx.x, n = 0, r = 0, j;
again:
  n++;
  log[t] = n * 3 + r;
#pragma unroll 1
  for (j = 0;; ) {
    int v = x[(t * 7 + n * 5 + j * 3) & 255];
    r = r * 3 + v + j;
    if ((v & 1) && n < 20) goto again;
    j++;
    if (j > 5 + (v & 2)) break;
  }
  o[t] = r * 32 + n;
}
__global__ void both(int *o, const int *x, int *log) {
  int t = threadIdx.x, n = 0, r = 0;
#pragma unroll 1
  for (;;) {
    n++;
    log[t] = n * 3 + r;
    int j = 0;
#pragma unroll 1
    for (;;) {
      int v = x[(t * 7 + n * 5 + j * 3) & 255];
      r = r * 3 + v + j;
      if (n > 20 || (r & 31) == 7) goto done;
      j++;
      if (x[(v + j) & 255] & 1) break;
    }
  }
done:
  o[t] = r * 32 + n;
}]]
local values = {}
for word in arg[1]:gmatch "%S+" do values[#values + 1] = math.tointeger(word) end
local x = dc.array(values, "int32")
for _, name in ipairs { "outer", "both" } do
  local o, log = dc.zeros(64, "int32"), dc.zeros(64, "int32")
  m[name](1, 64, o, x, log)
  print(table.concat(o:to_table(), " "))
end
]==]

local function outer(x, t)
  local n, r = 0, 0
  while true do
    n = n + 1
    local j = 0
    while true do
      local v = x[((t * 7 + n * 5 + j * 3) & 255) + 1]
      r = helper.int32(r * 3 + v + j)
      if v & 1 == 1 and n < 20 then break end
      j = j + 1
      if j > 5 + (v & 2) then return helper.int32(r * 32 + n) end
    end
  end
end

local function both(x, t)
  local n, r = 0, 0
  while true do
    n = n + 1
    local j = 0
    repeat
      local v = x[((t * 7 + n * 5 + j * 3) & 255) + 1]
      r = helper.int32(r * 3 + v + j)
      if n > 20 or r & 31 == 7 then return helper.int32(r * 32 + n) end
      j = j + 1
    until x[((v + j) & 255) + 1] & 1 == 1
  end
end

describe("an inner loop that branches to the outer loop's head", function()
  it("counts iterations for each lane", function()
    local x, want = {}, { {}, {} }
    for i = 1, 256 do x[i] = math.random(0, 4000) * (math.random(3) > 1 and 2 or 1) end
    for t = 0, 63 do want[1][t + 1], want[2][t + 1] = outer(x, t), both(x, t) end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, table.concat(x, " "))
      assert.equal(table.concat(want[1], " ") .. "\n" .. table.concat(want[2], " ") .. "\n", text,
        helper.note("tier " .. tier))
    end
  end)
end)
