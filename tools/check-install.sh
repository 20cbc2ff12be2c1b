#!/bin/bash
# For .ci/run: `make install` with PREFIX, `make uninstall`, and luarocks (where it is installed), each into a
# temporary folder; then uses the installed files from elsewhere.   Usage: check-install.sh FOLDER
set -eu
folder=$1
mkdir -p "$folder"
use='local dc = require "dotcompute"; assert(dc.device "cpu".name and package.loaded["dotcompute.core"])
if dc.available "nvrtc" then dc.using("cpu", dc.kernel, "__global__ void k() {}") end' # by the compiler process
export DOTCOMPUTE_CACHE=off

make -s install PREFIX="$folder/usr"
(cd / && LUA_PATH="$folder/usr/share/lua/5.4/?.lua;$folder/usr/share/lua/5.4/?/init.lua" \
  LUA_CPATH="$folder/usr/lib/lua/5.4/?.so" lua5.4 -e "$use" && "$folder/usr/bin/dclua" -e "$use")
make -s uninstall PREFIX="$folder/usr"
left=$(find "$folder/usr" -type f)
[ -z "$left" ] || { echo "uninstall left: $left"; exit 1; }

if command -v luarocks >/dev/null; then
  luarocks --lua-version 5.4 --tree "$folder/rocks" make rockspec/dotcompute-scm-1.rockspec \
    > "$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
  (cd / && LUA_PATH="$folder/rocks/share/lua/5.4/?.lua;$folder/rocks/share/lua/5.4/?/init.lua" \
    LUA_CPATH="$folder/rocks/lib/lua/5.4/?.so" lua5.4 -e "$use")
fi
echo "installed, used and removed"
