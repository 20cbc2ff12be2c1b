#!/bin/bash
# For .ci/run: `make install` and `make uninstall`; then the tarball of `make dist`, built without a network, by
# luarocks where it is installed. Each is used from elsewhere.   Usage: check-install.sh FOLDER
set -eu
folder=$(realpath -m "$1") home=$PWD
prefix=$folder/usr
mkdir -p "$folder"
use='local dc = require "dotcompute"; assert(dc.device "cpu".name and package.loaded["dotcompute.core"])
if dc.available "nvrtc" then dc.using("cpu", dc.kernel, "__global__ void k() {}") end' # by the compiler process
export DOTCOMPUTE_CACHE=off
unset LUA_PATH LUA_CPATH LUA_PATH_5_4 LUA_CPATH_5_4

fail() { echo "check-install: $*"; exit 1; }
# Both hosts, from another folder. dclua needs nothing from the environment.
used() { # PREFIX
  (cd / && lua5.4 -e "$use" && env -i "$1/bin/dclua" -e "$use")
}

lines=$(make -s install PREFIX="$prefix" 2>"$folder/said") || { cat "$folder/said"; fail "make install failed"; }
version=$(env -i "$prefix/bin/dclua" -e 'print(require "dotcompute".version)')
[ "$(wc -l <<<"$lines")" = 2 ] || fail "make install should print two lines, not: $lines"
(eval "$lines" && used "$prefix") || fail "the lines that make install prints are not enough"
(cd / && "$prefix/bin/dclua" --device cpu "$prefix/share/doc/dotcompute/examples/vecadd.lua" 1000)
if [ -e docs/dclua.1 ]; then
  [ -f "$prefix/share/man/man1/dclua.1" ] || fail "the man page is missing"
  ! command -v man >/dev/null || man -M "$prefix/share/man" -w dclua >/dev/null || fail "man does not find its page"
fi
if command -v pkg-config >/dev/null; then
  pc() { PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" dotcompute; }
  [ "$(pc --modversion)" = "$version" ] || fail "dotcompute.pc has another version than $version"
  [ -f "$(pc --variable=INSTALL_LMOD)/dotcompute/init.lua" ]
  [ -f "$(pc --variable=INSTALL_CMOD)/dotcompute/core.so" ]
  [ ! -d docs/luals ] || [ -d "$(pc --variable=luals)" ]
fi
make -s uninstall PREFIX="$prefix"
[ ! -e "$prefix" ] || fail "uninstall left: $(find "$prefix")"

# The tarball, and the one that its own tree makes.
make -s dist
tarball=$(realpath "build/dotcompute-$version.tar.gz")
cp "$tarball" "$folder/first.tar.gz"
make -s dist >/dev/null
cmp "$tarball" "$folder/first.tar.gz" || fail "make dist gives other bytes the second time"
tar -xzf "$tarball" -C "$folder"
cd "$folder/dotcompute-$version"
mkdir "$folder/again"
tar -xzf "$(make -s dist)" -C "$folder/again"
diff -r -x build . "$folder/again/dotcompute-$version" || fail "make dist of the tarball's tree has other files"

# Whether it builds matters, not how fast the result is. OPS_OPT is of the largest files.
offline=
for how in "unshare --net" "unshare --map-root-user --net"; do
  if $how true 2>/dev/null; then offline=$how; break; fi
done
[ -n "$offline" ] || echo "the network cannot be cut off here"
if command -v luarocks >/dev/null; then
  MAKEFLAGS="-j2 -- OPS_OPT=-O0" $offline luarocks --lua-version 5.4 --tree "$folder/rocks" \
    make "rockspec/dotcompute-$version-1.rockspec" CFLAGS="-O1 -fPIC" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; fail "luarocks failed"; }
  export LUA_PATH="$folder/rocks/share/lua/5.4/?.lua;$folder/rocks/share/lua/5.4/?/init.lua"
  export LUA_CPATH="$folder/rocks/lib/lua/5.4/?.so"
  used "$folder/rocks"
else
  $offline make -j2 all CFLAGS=-O1 OPS_OPT=-O0 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "the build failed"; }
  make -s install PREFIX="$folder/rocks" CFLAGS=-O1 OPS_OPT=-O0 >"$folder/lines" 2>/dev/null
  (. "$folder/lines" && used "$folder/rocks")
fi
cd "$home"
echo "version $version: installed, used, removed; the tarball builds"
