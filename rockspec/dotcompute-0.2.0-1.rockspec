rockspec_format = "3.0"
package = "dotcompute"
version = "0.2.0-1"
-- No address is given. `luarocks make` builds the tree that it is called in; `luarocks build` takes the tarball of
-- `make dist` from the folder that it is called in.
source = { url = "dotcompute-0.2.0.tar.gz" }
description = {
  summary = "GPU computing from Lua: CUDA C kernels and lazy arrays, on NVIDIA GPUs and on the CPU",
  detailed = [[
CUDA C kernels compiled at run time by NVRTC and launched from Lua, with arrays whose arithmetic is fused into kernels.
The same script runs on an NVIDIA GPU and, where there is none, on a CPU device that runs the same compiled code.]],
  license = "MIT",
  labels = { "gpu", "cuda", "array", "numeric" },
}
dependencies = { "lua >= 5.4, < 5.5" }
supported_platforms = { "linux" }
external_dependencies = { LIBEDIT = { header = "histedit.h" } }
build = {
  type = "make",
  build_target = "all",
  build_variables = {
    CFLAGS = "$(CFLAGS)",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    LUA_LIBDIR = "$(LUA_LIBDIR)",
    BUILD = "build-rock",
  },
  install_target = "install-rock",
  install_variables = {
    BINDIR = "$(BINDIR)",
    LIBDIR = "$(LIBDIR)",
    LUADIR = "$(LUADIR)",
    CFLAGS = "$(CFLAGS)",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    LUA_LIBDIR = "$(LUA_LIBDIR)",
    BUILD = "build-rock",
  },
  copy_directories = { "docs", "examples" },
}
