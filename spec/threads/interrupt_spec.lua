-- Ctrl-C while several Lua states run kernels that do not end on the CPU device: each gets an error, and goes on.
local h = require "spec.helper"

local script = [[
local results = require "spec.states".run([=[
  local i = ...
  local dc = require "dotcompute"
  local k = dc.kernel "__global__ void forever(volatile int *x) { while (*x == 0) ; }"
  local x = dc.zeros(1, "int32")
  io.write "begins\n"
  io.flush()
  local ok, err = pcall(k, 3 * i, 32, x)
  return tostring(ok) .. " " .. err.kind .. " " .. (dc.ones(10) + i):sum():item()]=], 1, 4)
for _, r in ipairs(results) do print(r[2]) end]]

-- Interrupts once all have begun, again each second while the process lives: a signal may come before a launch.
local command = [[
%s %s >%s 2>&1 & p=$!
until [ "$(grep -c begins %s)" = 4 ] || ! kill -0 $p; do sleep 0.1; done
for i in $(seq 60); do sleep 1; kill -INT $p 2>/dev/null || break; done
wait $p]]

describe("Ctrl-C in a process of several Lua states", function()
  for _, threads in ipairs { 1, 4 } do
    it(("ends what runs in all of them, with %d threads"):format(threads), function()
      local source, out = os.tmpname(), os.tmpname()
      local f = assert(io.open(source, "w"))
      f:write(script)
      f:close()
      local env = ("env DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=0 DOTCOMPUTE_CPU_THREADS=%d timeout -s KILL 120 %s")
        :format(threads, h.quote(h.lua))
      local file = h.quote(out)
      os.execute(command:format(env, h.quote(source), file, file))
      local expected = ("begins\n"):rep(4)
      for i = 1, 4 do expected = expected .. ("false interrupted %d.0\n"):format(10 + 10 * i) end
      assert.equal(expected, h.read(out))
      os.remove(source)
      os.remove(out)
    end)
  end
end)
