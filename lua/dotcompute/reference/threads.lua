-- Reference: arrays handed from one Lua state to another.
return {
  [[
## Threads

Lua states in several threads of a process use every device at the same time, each with its own current device and
stream ([threads](threads.md)). An array belongs to the state that has made it; `dc.share` and `dc.open` hand its memory
to another one, without a copy.
]],
  {
    "share", at = "dc",
    text = "Lets other Lua states of the process open the array: gives a token, a string to be sent to them by what "
      .. "the library for threads has for that. The array is evaluated, and so are pending expressions that read it. "
      .. "What this state has issued so far comes before what another issues after `dc.open`.\n\n"
      .. "A token is no reference: the array stays as long as a state holds it. `keep` makes it stay until it has been "
      .. "opened once more, even when this state has ended; a token with `keep` that is never opened keeps the memory "
      .. "until the process ends.\n\n"
      .. "Later work of the states is not ordered: a state that has written the array shares it again, and the others "
      .. "open the new token, which makes them wait and returns the array object that they have already.",
    args = { { "a", "array", "the array, or a view: the other state gets the same view" } },
    options = { { "keep", "boolean", "the memory stays until it has been opened. Default: false" } },
    returns = { { "string", "the token" } },
    errors = {
      argument = "no array, a closed one, one over memory that dotcompute has not allocated (`dc.wrap`, a module's "
        .. "variable) or that is page-locked",
      launch = "a graph is being captured",
    },
    example = [[
local a = dc.arange(1, 4)
local token = dc.share(a)
local b = dc.open(token)                   -- in another state, as a rule
b:fill(7)
a[2]                                       --> 7
]],
    see = "open",
    words = "thread lanes effil luv state send hand ipc",
  },
  {
    "open", at = "dc",
    text = "The array of a token of `dc.share`, in this Lua state and without a copy. What this state's current stream "
      .. "is given next runs after what other states had issued when they last shared the array. Opening it again "
      .. "gives another array over the same memory. The last state that holds the memory frees it; `a:close()` gives "
      .. "it up for this state alone.",
    args = { { "token", "string", "what `dc.share` has given, in this process" } },
    returns = { { "array", "an array of the same device, dtype, shape and strides" } },
    errors = {
      argument = "no token, a damaged one, or one of another process; no state holds the array any more",
      device = "its device cannot be opened",
      launch = "a graph is being captured",
    },
    example = [[
local token = dc.share(dc.ones(2, 3), { keep = true })
dc.open(token):sum()                       --> 6
select(2, pcall(dc.open, "x")).kind        --> argument
]],
    see = "share",
  },
}
