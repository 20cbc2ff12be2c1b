-- Communication among processes on the CPU device, under mpirun.
local helper = require "spec.helper"
local shell, quote = helper.shell, helper.quote

local has_mpi = select(2, shell "command -v mpirun mpicc") == 0
local function without(text) pending(text .. " (needs Debian's openmpi-bin and libopenmpi-dev)") end
local with_mpi = has_mpi and it or without

-- Under SAN=1 without the leak check: Open MPI leaves memory of plugins that it has unloaded, which no suppression can
-- name (spec/comm/devices_spec.lua and nccl_spec.lua check ours).
local function run(n, script, before)
  return shell(("ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_THREADS=1 %s "
    .. "timeout -k 2 60 %s -n %d %s"):format(before or "", quote(helper.dclua), n, script))
end

describe("ranks under mpirun", function()
  for n = 2, 3 do
    for _, checked in ipairs { "0", "1" } do
      with_mpi(("%d give what plain Lua gives, DOTCOMPUTE_COMM_CHECK=%s"):format(n, checked), function()
        local seed = helper.seed + n
        local text, code = run(n, "spec/comm/run.lua " .. seed, "DOTCOMPUTE_COMM_CHECK=" .. checked)
        assert.equal(0, code, text)
        for r = 0, n - 1 do assert.truthy(text:find(("rank %d done"):format(r), 1, true), text) end
      end)
    end
  end

  for _, args in ipairs { "pi.lua 100001", "heat.lua 41 30 20", "nbody.lua 101 4", "matmul.lua 65 2" } do
    with_mpi("run the example " .. args, function()
      local text, code = run(2, "examples/ranks/" .. args)
      assert.equal(0, code, text)
      assert.matches("by 2 ranks.*, on %S", text)
      assert.is_nil(text:find("not checked", 1, true), text)
    end)
  end

  with_mpi("have prefixes where that is asked for", function()
    local text = run(2, "--prefix -e 'print(\"from \" .. require \"dotcompute\".rank())'")
    for r = 0, 1 do assert.matches(("%d[^\n]*from %d"):format(r, r), text) end
  end)

  with_mpi("share the processors of their machine", function()
    local processors = tonumber((shell "nproc --all"))
    local text = shell(("DOTCOMPUTE_DEVICE=cpu env -u DOTCOMPUTE_CPU_THREADS %s -n 2 -e "
      .. "'print(require \"dotcompute\".device().name)'"):format(quote(helper.dclua)))
    local ranks = 0
    for threads in text:gmatch "%((%d+) threads?%)" do
      ranks = ranks + 1
      assert(tonumber(threads) <= math.max(1, processors // 2), text)
    end
    assert.equal(2, ranks, text)
  end)

  -- Messages that name both sides.
  local differ = {
    dtype = { "all_reduce %(sum%) of 4 float64", "all_reduce %(sum%) of 4 float32" },
    size = { "of 4 float32", "of 5 float32" },
    op = { "all_reduce %(sum%)", "all_reduce %(max%)" },
    root = { "root 0", "root 1" },
    other = { "all_reduce", "barrier" },
    gather_sizes = { "all_gather of 4 float32", "all_gather of 5 float32" },
    scatter_sizes = { "reduce_scatter %(sum%) of 2 float32", "reduce_scatter %(sum%) of 4 float32" },
    exchange_sizes = { "all_to_all of 2 float32", "all_to_all of 4 float32" },
    broadcast_sizes = { "broadcast of 4 float32", "broadcast of 5 float32" },
    message = { "send of 4 float32 elements to rank 1", "recv of 5 float32 elements from rank 0" },
  }
  for name, patterns in pairs(differ) do
    with_mpi("that do not call the same are told: " .. name, function()
      local text, code = run(2, "spec/comm/wrong.lua " .. name, "DOTCOMPUTE_COMM_CHECK=1")
      assert.not_equal(0, code, text)
      for r, pattern in ipairs(patterns) do
        assert.matches(("rank %d: [^\n]*%s[^\n]* at [^\n]*wrong.lua:%%d"):format(r - 1, pattern), text)
      end
    end)
  end

  for _, name in ipairs { "skip", "ends" } do
    with_mpi("that wait for one in vain name it: " .. name, function()
      local text, code = run(2, "spec/comm/wrong.lua " .. name, "DOTCOMPUTE_COMM_CHECK=1 DOTCOMPUTE_COMM_TIMEOUT=1")
      assert.not_equal(0, code, text)
      assert.matches("rank 0 calls all_reduce [^\n]*wrong.lua:%d+, but rank 1 did not call it within 1 s", text)
    end)
  end

  with_mpi("do not wait for ever without the check", function()
    local text, code = run(2, "spec/comm/wrong.lua skip", "DOTCOMPUTE_COMM_TIMEOUT=1")
    assert.not_equal(0, code, text)
    assert.matches("rank 0 waits since 1 s [^\n]* in all_reduce [^\n]*wrong.lua:%d", text)
  end)

  with_mpi("end together when one fails", function()
    local text, code = run(2, "spec/comm/wrong.lua error")
    assert.not_equal(0, code, text)
    assert.matches("an error of rank 1", text)
    text, code = run(2, "spec/comm/wrong.lua exit")
    assert.not_equal(0, code, text)
    assert.matches("rank 1 of 2 has ended with status 3", text)
    text, code = run(2, "spec/comm/wrong.lua killed")
    assert.not_equal(0, code, text)
    assert.not_equal(124, code, text)
  end)

  with_mpi("end when one is killed while it is in an operation", function()
    local text, code = run(3, "spec/comm/wrong.lua killed_inside")
    assert.not_equal(0, code, text)
    assert.not_equal(124, code, text)
    assert.matches("signal 9", text)
  end)

  with_mpi("communicate in finalizers, also at the end", function()
    local text, code = run(2, "spec/comm/wrong.lua finalizer")
    assert.equal(0, code, text)
    for r = 0, 1 do assert.matches(("rank %d at the end: "):format(r), text) end
  end)

  with_mpi("do not communicate in a fork, and go on beside it", function()
    helper.with_folder(function(folder)
      local library = folder .. "/fork.so"
      helper.write(folder .. "/fork.c", [[
int fork(void);
void lua_pushinteger(void *state, long long n);
int forked(void *state) {
  lua_pushinteger(state, fork());
  return 1;
}
]])
      local said, built = shell(("%s -shared -fPIC -o %s %s/fork.c"):format(os.getenv "CC" or "cc", quote(library),
        quote(folder)))
      assert.equal(0, built, said)
      local text, code = run(2, "spec/comm/wrong.lua fork " .. quote(library))
      assert.equal(0, code, text)
      for r = 0, 1 do assert.matches(("fork of rank %d: false [^\n]*a fork cannot communicate"):format(r), text) end
    end)
  end)

  with_mpi("end at Ctrl-C", function()
    helper.with_file("", function(out)
      local text, code = shell(([[
DOTCOMPUTE_DEVICE=cpu %s -n 2 spec/comm/wrong.lua loop >%s 2>&1 & pid=$!
for i in $(seq 200); do [ $(grep -c started %s) = 2 ] && break; sleep 0.1; done
kill -INT $pid
for i in $(seq 200); do kill -0 $pid 2>/dev/null || exit 0; sleep 0.1; done
kill -9 $pid; exit 9]]):format(quote(helper.dclua), quote(out), quote(out)))
      assert.equal(0, code, text)
    end)
  end)

  it("are started by dclua -n, which checks its argument", function()
    for _, count in ipairs { "0", "-1", "two", "''", "1.5" } do
      local text, code = shell(("%s -n %s x.lua"):format(quote(helper.dclua), count))
      assert.equal(1, code, text)
      assert.matches("number of processes", text)
    end
    local text, code = shell(quote(helper.dclua) .. " -n 2 </dev/null")
    assert.equal(1, code, text)
    assert.matches("needs a script", text)
    text, code = shell("DOTCOMPUTE_MPIRUN=/nowhere/mpirun " .. quote(helper.dclua) .. " -n 2 x.lua")
    assert.equal(1, code, text)
    assert.matches("needs mpirun", text)
  end)

  with_mpi("are told when the launcher is another MPI's", function()
    local text, code = shell("PMI_RANK=0 PMI_SIZE=2 DOTCOMPUTE_DEVICE=cpu " .. quote(helper.dclua)
      .. " -e 'require \"dotcompute\".world()'")
    assert.equal(1, code, text)
    assert.matches("has started 2 processes, but MPI sees 1: [^\n]*DOTCOMPUTE_MPICC", text)
  end)

  it("need MPI, and say what to install", function()
    local text, code = shell(("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 DOTCOMPUTE_MPICC=off %s -e 'local dc = "
      .. "require \"dotcompute\" print(select(2, pcall(dc.world)).kind) dc.world()'"):format(quote(helper.dclua)))
    assert.equal(1, code, text)
    assert.matches("^device", text)
    assert.matches("apt install libopenmpi%-dev", text)
    assert.matches("switched off by DOTCOMPUTE_MPICC=off", text)
  end)
end)
