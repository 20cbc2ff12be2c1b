-- Reference of the interpreter: options, the prompt's input, environment variables. The man page docs/dclua.1 and the
-- tables in docs/dclua.md and docs/README.md are made from it. A row is { name, text } or { list of names, text }.
local dclua = {}

dclua.heads = { options = "option", prompt = "input", environment = "variable" }

dclua.options = {
  { { "-e", "-l", "-i", "-v", "-W", "-E", "-", "--" }, "as `lua` has them" },
  { "-n NUMBER", "runs the script in that many processes, by `mpirun`: see [several processes](several-processes.md)" },
  { "--prefix", "with `-n`: each line of output begins with its rank" },
  { "--device NAME", "compute on this device (`cpu`, `cuda`, `cuda:1`); the same as `DOTCOMPUTE_DEVICE=NAME`" },
  { "--profile[=FILE]", "times every kernel; at the end it prints a table to standard error: calls, total and mean "
    .. "time, GB/s and share of the device's peak (that of a copy), and the line that launched the kernel. Bytes are "
    .. "estimated from the arrays' sizes: const arrays are read once, others read and written. Figures above the peak "
    .. "mean that caches served the accesses. Kernels inside graphs are counted when they are recorded; a run of a "
    .. "graph is timed as a whole. FILE: the launches one by one, for Chrome's trace viewer" },
  { "--bundle", "runs the script and writes its compiled kernels to `SCRIPT.dcb` beside it: see [bundles](#bundles)" },
  { "--cache list", "the entries of the cache of compiled code: key, size, time since the last use, kernels" },
  { "--cache verify", "checks every entry against its checksum; exit status 1 when one is damaged (it will be "
    .. "rebuilt)" },
  { "--cache clear", "removes all entries" },
  { "--cache prune [SIZE]", "removes the least recently used entries until SIZE is left (MiB, or with K, M, G; by "
    .. "default `DOTCOMPUTE_CACHE_SIZE`)" },
  { "--doctor", "reports the driver, compilers, other libraries and gnuplot: their files, whether they work, what "
    .. "to install; exit status 0 when kernels can be run" },
  { "--version", "shows the versions of dotcompute and Lua" },
  { "--help", "lists the options" },
}

dclua.prompt = {
  { "dc", '`require "dotcompute"`, unless a global or a local has that name' },
  { "_", "the first value of the last expression" },
  { { "local a, b = …", "local function f" }, "variables of the session: later entries have them, other code does "
    .. "not, and `_G` is as it was. `<const>` is not enforced; a `<close>` variable ends with its entry" },
  { { "?name", "name?", 'help "name"' }, "the [reference](reference/) of a function, a type or a variable's value: "
    .. "`?sort`, `?dc.linalg`, `?x`; words that are no name are searched in all texts: `?largest elements`. `help()` "
    .. "lists the chapters. `dc.help` is the same in a script" },
  { "name??", "the source of a function, a kernel, a module or an array's expression" },
  { "%time expression", "runs it once and shows its value; the time includes the device's work" },
  { "%timeit expression", "runs it many times: the best and the median time, and the device's share" },
  { { "%load file", "%save file" }, "runs a file among the session's names; writes the session's entries as a script" },
  { "%edit [file]", "opens `$VISUAL` or `$EDITOR` on the last entry, or on the file, and runs what it leaves" },
  { "!command", "runs a program of the shell" },
}

dclua.environment = {
  { "DOTCOMPUTE_DEVICE", "the default device: `cpu`, `cuda`, `cuda:1` …" },
  { "DOTCOMPUTE_CACHE", "folder of compiled kernels (default: `dotcompute` in XDG's cache folder); `off` for none" },
  { "DOTCOMPUTE_CPU_THREADS", "threads of the CPU device" },
  { "DOTCOMPUTE_CPU_DEVICES", "number of CPU devices, cpu:0, cpu:1 …, which share the threads; 1: cpu" },
  { "DOTCOMPUTE_COMM_CHECK=1", "compare what the ranks of a communicator call, see "
    .. "[several processes](several-processes.md)" },
  { "DOTCOMPUTE_COMM_TIMEOUT", "seconds after which a rank that waits for others fails (default: 300; 10 with "
    .. "`DOTCOMPUTE_COMM_CHECK=1`)" },
  { { "DOTCOMPUTE_MPICC", "DOTCOMPUTE_MPIRUN" }, "MPI's compiler and launcher (default: `mpicc`, `mpirun` on PATH); "
    .. "`DOTCOMPUTE_MPICC=off` for no MPI" },
  { "DOTCOMPUTE_NCCL", "the file of NCCL; `off` for none" },
  { "DOTCOMPUTE_POOL", "`512M` (bytes, K, M, G or T): the limit of freed memory kept for reuse, see "
    .. "[memory](api.md#memory)" },
  { "DOTCOMPUTE_SYNC=1", "wait after each launch, so that an error shows at the launch that caused it" },
  { "DOTCOMPUTE_LOG", "a list of `cache`, `compile`, `launch` and `memory`, or `all`: operations that are logged on "
    .. "stderr" },
  { "DOTCOMPUTE_DUMP", "a list of `ir`, `schedule`, `cuda`, `ptx` and `c`: the [stages of each "
    .. "kernel](architecture.md#stages-of-a-kernel) that is built, on stderr, or with `:folder` appended as files of "
    .. "that folder" },
  { "DOTCOMPUTE_CACHE_SIZE", "the cache folder's size limit in MiB (256); the least recently used entries are removed "
    .. "first" },
  { "DOTCOMPUTE_NVRTC", "the file of NVIDIA's compiler library; `off` for none" },
  { "DOTCOMPUTE_TILE", "the folder of NVIDIA's compilers of [tile kernels](tile.md), which has `bin/tileiras`; "
    .. "`off` for none" },
  { "DOTCOMPUTE_NVJITLINK", "the file of NVIDIA's linker library; `off` for none" },
  { "DOTCOMPUTE_PICTURES", "what `dc.image.show` sends to terminals: `kitty`, `sixel`, `blocks` or `text`; by default "
    .. "what the terminal is known to understand" },
  { { "DOTCOMPUTE_TURBOJPEG", "DOTCOMPUTE_CHAFA" }, "the file of libturbojpeg (JPEG files), of libchafa (pictures in "
    .. "the terminal); `off` for none" },
  { { "DOTCOMPUTE_BLAS", "DOTCOMPUTE_FFTW", "DOTCOMPUTE_HIGHWAY" }, "for the CPU device: the file of OpenBLAS (or "
    .. "another BLAS), the folder of FFTW 3, the file of Highway's `libhwy_contrib`; `off` for none" },
  { { "DOTCOMPUTE_CUBLAS", "DOTCOMPUTE_CUSOLVER", "DOTCOMPUTE_CUFFT" }, "the files of these CUDA libraries; `off` for "
    .. "none" },
  { "DOTCOMPUTE_BUNDLE", "the file of [compiled code](dclua.md#bundles) that comes with a script (default: "
    .. "`script.lua.dcb`); `off` for none" },
  { "DOTCOMPUTE_LIBCUDA", "the file of CUDA's driver library, instead of the system's" },
  { "DOTCOMPUTE_CC", "the C compiler for native kernels of the [CPU device](cpu-device.md); by default `cc`, `gcc` or "
    .. "`clang`; `off`: kernels are interpreted" },
  { "DOTCOMPUTE_CPU_TIER", "0: kernels of the CPU device are never compiled to native code; 1: the first launch waits "
    .. "for it; by default it is compiled in the background" },
  { "DOTCOMPUTE_CPU_ORDER", "`ascending`, `descending`, `random:SEED`: the order in which the CPU device runs the "
    .. "warps of a block" },
  { "DOTCOMPUTE_CPU_ISA", "`baseline`, `avx2` or `avx512`: the instruction set that the CPU device uses, if the "
    .. "processor has it" },
  { { "CUDA_PATH", "CUDA_HOME" }, "the folder in which NVIDIA's toolkit is searched first" },
  { "DOTCOMPUTE_PROGRESS=off", "no status lines and no `dc.progress` on the terminal" },
  { "NO_COLOR", "no colours at the prompt" },
  { { "VISUAL", "EDITOR" }, "the editor of `%edit`" },
}

-- Sections of the man page: paragraphs, and { term, text }.
local function section(title, first, rows)
  local list = { title = title, first }
  for _, row in ipairs(rows or {}) do list[#list + 1] = row end
  return list
end

dclua.sections = {
  section("Name", "dclua - Lua 5.4 with GPU computing: arrays, CUDA C kernels, a device for machines without a GPU"),
  section("Synopsis", "`dclua` [options] [`script` [args]]"),
  section("Description", "The stock `lua` with the module `dotcompute` inside: `require \"dotcompute\"` reads no file. "
    .. "Without a script, on a terminal, it is a prompt: `dc` is the module there, expressions are printed, locals "
    .. "live on, Tab completes names. It behaves as `lua` does, including `LUA_INIT`, the `arg` table, tracebacks and "
    .. "exit status."),
  section("Options", "Besides those of `lua`:", dclua.options),
  section("The prompt", "What an entry may be besides Lua:", dclua.prompt),
  section("Ctrl-C", "is an error of kind `interrupted`, raised where the program runs: in a Lua loop, in a kernel on "
    .. "the CPU device, in a read from the terminal. At the prompt it drops the line that is being typed."),
  section("Environment", "Variables that are read:", dclua.environment),
  section("Files", "The cache of compiled code, the prompt's history, and the user's keys:", {
    { "${XDG_CACHE_HOME:-~/.cache}/dotcompute", "compiled code; it may be removed at any time" },
    { "${XDG_STATE_HOME:-~/.local/state}/dotcompute/history", "entries of the prompt" },
    { "~/.editrc", "key bindings, see `editrc`(5)" },
    { "SCRIPT.dcb", "compiled code that comes with a script" },
  }),
  section("Exit status", "0; 1 after an error, also of the options and of writing the output; what `os.exit` was "
    .. "given."),
  section("See also", "`lua`(1), and the pages in the folder `dotcompute` of the system's documentation."),
}

return dclua
