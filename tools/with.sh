#!/bin/sh
# Runs a command against a build folder: with.sh BUILD COMMAND ARGS...   The command `lua` is Lua 5.4.
# Sets Lua's paths to the modules of this tree and build, and for specs the build folder (DOTCOMPUTE_BUILD), the Lua to
# run scripts with (LUA; also first on the PATH if it is from the build) and a stock Lua (DOTCOMPUTE_STOCK_LUA).
build=$1
shift
case $build in /*) ;; *) build=$PWD/$build ;; esac
export DOTCOMPUTE_BUILD="$build"
export LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;${LUA_PATH:-;}"
export LUA_CPATH="$build/?.so;${LUA_CPATH:-;}"
# The device of spec/device/counting.c is in a module of its own.
case ${DOTCOMPUTE_DEVICE:-} in counting*) LUA_CPATH="$build/spec/counting/?.so;$LUA_CPATH" ;; esac
export LUA="${LUA:-lua5.4}"
export DOTCOMPUTE_STOCK_LUA="$LUA"
export DOTCOMPUTE_SPEC_SEED="${DOTCOMPUTE_SPEC_SEED:-$(date +%s)}"
# Specs run at tier 0 of the CPU device, without a native build of every kernel; those about tier 1 choose it.
case "$*" in *spec/run.lua*) export DOTCOMPUTE_CPU_TIER="${DOTCOMPUTE_CPU_TIER:-0}" ;; esac
if grep -qs 'fsanitize=address' "$build/flags"; then
  DOTCOMPUTE_STOCK_LUA=$(command -v "$LUA")
  export LUA="$build/bin/lua5.4" PATH="$build/bin:$PATH"
  # A leak report at exit fails the run; suppressions list memory that other libraries keep for the process's life.
  # intercept_tls_get_addr=0: the leak checker locates thread-local variables of loaded libraries by a header of older C
  # libraries and may read invalid addresses; without it their blocks are found as blocks of the loader.
  export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=0:intercept_tls_get_addr=0:${ASAN_OPTIONS:-}"
  export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
  export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
fi
if grep -qs 'fsanitize=thread' "$build/flags"; then
  DOTCOMPUTE_STOCK_LUA=$(command -v "$LUA")
  export LUA="$build/bin/lua5.4" PATH="$build/bin:$PATH"
  # A report makes the process fail at its end.
  export TSAN_OPTIONS="suppressions=$PWD/tools/tsan.supp:print_suppressions=0:${TSAN_OPTIONS:-}"
fi
if [ "$1" = lua ]; then
  shift
  exec "$LUA" "$@"
fi
exec "$@"
