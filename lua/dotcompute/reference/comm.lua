-- Reference: communication among processes and devices.
local COMM = { "comm", "comm", "the communicator" }
local ARRAY = { "a", "array", "this rank's array (of `dc.comm`: a table of arrays, one for each device). All ranks "
  .. "give the same dtype and shape" }
local OP = { "op?", "string", "`\"sum\"`, `\"prod\"`, `\"min\"`, `\"max\"` or `\"mean\"`. Default: `\"sum\"`" }
local ROOT = { "root?", "integer", "a rank, from 0 on. Default: 0" }
local OUT = { { "out", "array", "the array to write, of the result's dtype and shape. Default: a new one" } }
local DTYPE = "the operation does not exist for the dtype: bool has `min` and `max`, complex numbers `sum`, `prod` and "
  .. "`mean`, integers no `mean`; NCCL reduces no 16-bit integers and has no complex `prod`"
local FAILED = "the ranks do not call the same (under `DOTCOMPUTE_COMM_CHECK=1`), a rank has not come in time, the "
  .. "communicator has failed before, or a graph is being captured on the CPU device, or on a GPU of `dc.comm`"
local DEVICE = "the array is on another device than the communicator; NCCL is missing"
local CLOSED = "no array, a rank out of range, no such operation, a closed communicator"

local function collective(name, text, args, returns, shape, example)
  table.insert(args, 1, COMM)
  return { name, at = "comm", text = text, args = args, options = name ~= "broadcast" and OUT or nil,
    returns = { { "array", returns } },
    errors = { argument = CLOSED, dtype = DTYPE, shape = shape, device = DEVICE, launch = FAILED }, example = example }
end

return {
  [[
## Communication

Under a launcher (`mpirun -n 4 dclua script.lua`, or `dclua -n 4 script.lua`) a script runs in several processes, the
*ranks*, which are numbered from 0. `dc.world()` connects them: NCCL moves data between GPUs, MPI between CPU devices.
`dc.comm(devices)` connects devices of one process. See [several processes](several-processes.md).
]],
  {
    "world", at = "dc",
    text = "The communicator of all ranks, the same object at each call. Without a launcher it has the rank 0 "
      .. "alone, and "
      .. "needs neither MPI nor NCCL. All ranks call it.",
    args = { { "device?", "device|string", "the device whose arrays are communicated. Default: the current one, which "
      .. "is another GPU for each rank of a machine" } },
    returns = { { "comm", "the communicator" } },
    errors = {
      device = "there is no such device, no MPI, or the launcher is another MPI's than the one that was found",
      launch = "MPI cannot be started",
    },
    example = [[
local comm = dc.world()
comm.rank, comm.size                       --> 0, 1
comm:all_reduce(dc.ones(3))                --> {1, 1, 1}
]],
    see = "rank comm",
    words = "mpi nccl distributed mpirun communicator",
  },
  {
    "rank", at = "dc",
    text = "This process's number among those that the launcher has started, from 0 on; 0 without a launcher. "
      .. "The same as "
      .. "`dc.world().rank`.",
    returns = { { "integer", "the rank" } },
    errors = { device = "as `dc.world`", launch = "as `dc.world`" },
    example = [[
dc.rank()                                  --> 0
]],
    see = "world",
  },
  {
    "comm", at = "dc",
    text = "A communicator of devices of this process: among GPUs by NCCL, else by copies. Its methods take a table of "
      .. "arrays, one for each device, and give one; rank k is device k + 1. It has no messages and no `split`.",
    args = { { "devices", "table", "devices or their names; a device of the CPU may occur several times" } },
    returns = { { "comm", "the communicator" } },
    errors = { argument = "no table of devices, or an empty one", device = "there is no such device, or no NCCL" },
    example = [[
local comm = dc.comm { "cpu", "cpu" }
local parts = comm:all_reduce { dc.full(2, 1):to "cpu", dc.full(2, 10):to "cpu" }
parts[2]                                   --> {11, 11}
]],
    see = "world parallel scatter",
  },
  {
    class = "comm", metatable = "dotcompute.comm",
    text = "Connects ranks, made by `dc.world`, `dc.comm` or `split`. Each of its operations is called by all ranks, "
      .. "in the same order, and runs in the current stream of the device.",
  },
  collective("all_reduce", "The reduction of all ranks' arrays, element by element, on every rank. With `out = "
    .. "a` it is "
    .. "in place. A number is reduced as a float64, and the result is a number.", { ARRAY, OP },
    "the result, of a's dtype and shape", "`out` has another shape", [[
local comm = dc.world()
local a = dc.arange(1, 3)
comm:all_reduce(a, "max", { out = a })
comm:all_reduce(2.5)                       --> 2.5
]]),
  collective("reduce", "The same on the root alone; others get nil.", { ARRAY, ROOT, OP },
    "the result on the root, else nil", "`out` has another shape", [[
dc.world():reduce(dc.ones(2), 0, "sum")    --> {1, 1}
]]),
  collective("broadcast", "Writes the root's elements to `a` on every other rank. A number is sent as a float64.",
    { ARRAY, ROOT }, "`a`", nil, [[
local comm, a = dc.world(), dc.zeros(2)
comm:broadcast(a, 0) == a                  --> true
]]),
  collective("all_gather", "All ranks' arrays one after another along the first axis, by rank, on every rank.",
    { ARRAY },
    "the result, `size` times as long", "`out` has another shape", [[
dc.world():all_gather(dc.arange(1, 3))     --> {1, 2, 3}
]]),
  collective("reduce_scatter", "Rank r gets block r, along the first axis, of the reduction of all arrays.",
    { ARRAY, OP }, "the block", "the first axis cannot be divided by the number of ranks, or `out` has another "
      .. "shape", [[
dc.world():reduce_scatter(dc.ones(4))      --> {1, 1, 1, 1}
]]),
  collective("all_to_all", "Sends block s of `a`, along the first axis, to rank s; gives the blocks received, by rank.",
    { ARRAY }, "the result, of a's shape",
    "the first axis cannot be divided by the number of ranks, or `out` has another shape", [[
dc.world():all_to_all(dc.arange(1, 4))     --> {1, 2, 3, 4}
]]),
  {
    "prepare", at = "comm",
    text = "A function that runs the operation on these arrays each time it is called, with what they hold then: a "
      .. "persistent operation, as MPI has them. The arguments are read once, so that a call takes half a microsecond "
      .. "less than the method. Among the GPUs of one process (`dc.comm`) operations of up to 64 KiB become graphs "
      .. "when they are run the second time, and take half as long as by the method; other operations of that "
      .. "communicator then take 3 to 5 µs longer, since NCCL orders them behind graphs. All ranks call it as "
      .. "they call the method; it may be called in a `group` and while a graph is captured (not among several "
      .. "GPUs), and runs in the stream that is current then.",
    args = { COMM, { "name", "string", "`\"all_reduce\"`, `\"reduce\"`, `\"broadcast\"`, `\"all_gather\"`, "
      .. "`\"reduce_scatter\"` or `\"all_to_all\"`" },
      { "...", "any", "the method's arguments. The option `out` is required, except of `broadcast` and of ranks that "
        .. "get no result of `reduce`" } },
    returns = { { "function", "takes no arguments, and gives what the method gives" } },
    errors = { argument = CLOSED .. ", a number, no `out`; by the function: an array or the communicator is closed",
      dtype = DTYPE, shape = "`out` has another shape", device = DEVICE, launch = FAILED },
    example = [[
local comm, a = dc.world(), dc.ones(3)
local sum = comm:prepare("all_reduce", a, { out = a })
for _ = 1, 3 do sum() end
a                                          --> {1, 1, 1}
]],
    see = "all_reduce group",
    words = "persistent collective loop latency",
  },
  {
    "send", at = "comm",
    text = "Sends the array to a rank, which calls `recv` with one of the same dtype and size. Two ranks that "
      .. "send to each "
      .. "other do so in a `group`.",
    args = { COMM, { "a", "array", "the array" }, { "rank", "integer", "the receiver" } },
    errors = { argument = CLOSED .. ", the own rank", device = DEVICE, launch = FAILED },
    example = [[
local comm = dc.world()
if comm.size > 1 and comm.rank == 0 then comm:send(dc.ones(3), 1) end
]],
    see = "recv group",
  },
  {
    "recv", at = "comm",
    text = "Receives what a rank sends, into the array.",
    args = { COMM, { "a", "array", "the array to write" }, { "rank", "integer", "the sender" } },
    returns = { { "array", "`a`" } },
    errors = { argument = CLOSED .. ", the own rank", device = DEVICE, launch = FAILED },
    example = [[
local comm = dc.world()
if comm.size > 1 and comm.rank == 1 then comm:recv(dc.zeros(3), 0) end
]],
    see = "send group",
  },
  {
    "barrier", at = "comm",
    text = "Waits until all ranks have called it, and for the work of the device before.",
    args = { COMM },
    errors = { argument = "a closed communicator, or a group is open", launch = FAILED },
    example = [[
dc.world():barrier()
]],
  },
  {
    "group", at = "comm",
    text = "Calls `fn(...)` and runs what it calls on the communicator together at its end: no operation waits "
      .. "for the one "
      .. "before it. Results are to be read after it.",
    args = { COMM, { "fn", "function", "a function that communicates arrays" }, { "...", "any", "its arguments" } },
    returns = { { "any...", "what `fn` returns" } },
    errors = { argument = "no function, a group in a group, a closed communicator", launch = FAILED },
    example = [[
local comm = dc.world()
local left, mine = dc.zeros(1), dc.ones(1)
comm:group(function()
  if comm.size == 1 then return end
  comm:send(mine, (comm.rank + 1) % comm.size)
  comm:recv(left, (comm.rank - 1) % comm.size)
end)
]],
    see = "send recv",
  },
  {
    "split", at = "comm",
    text = "Divides the communicator: ranks that give the same color are together in a new one, ordered by key, "
      .. "then by "
      .. "rank. All ranks call it; one that gives nil gets nil.",
    args = { COMM, { "color", "integer|nil", "from 0 on; nil: in none" },
      { "key?", "integer", "from 0 on. Default: 0" } },
    returns = { { "comm", "the new communicator, or nil" } },
    errors = { argument = "no such color or key, a communicator of `dc.comm`, a closed one, a group is open",
      launch = FAILED },
    example = [[
local comm = dc.world()
local half <close> = comm:split(comm.rank % 2)
half.size                                  --> 1
]],
  },
  {
    "close", at = "comm",
    text = "Releases it; all its ranks call it when their work is done. Graphs that have operations of it cannot be "
      .. "run any more. Without effect for `dc.world()`, which "
      .. "lasts as "
      .. "long as the process. Idempotent; also usable as `local c <close> = comm:split(0)`.",
    args = { COMM },
    example = [[
local c = dc.world():split(0)
c:close()
pcall(c.barrier, c)                        --> false, …
]],
  },
  { "rank", at = "comm", type = "integer|false", text = "This process's number in it, from 0 on; false for `dc.comm`.",
    example = [[
dc.world().rank                            --> 0
]] },
  { "size", at = "comm", type = "integer", text = "How many ranks it has.",
    example = [[
dc.world().size                            --> 1
]] },
  { "local_rank", at = "comm", type = "integer|false",
    text = "The process's number among those of its machine, from 0 on; false for `dc.comm`.",
    example = [[
dc.world().local_rank                      --> 0
]] },
  { "local_size", at = "comm", type = "integer|false",
    text = "How many processes its machine has; false for `dc.comm`.",
    example = [[
dc.world().local_size                      --> 1
]] },
  { "device", at = "comm", type = "device", text = "The device of its arrays; of `dc.comm` the first one.",
    example = [[
dc.world().device == dc.device()           --> true
]] },
}
