#!/bin/sh
# Builds for AArch64 on another machine and runs specs there under emulation:
#   check-arm64.sh FOLDER [spec files]     without files: the units and specs of the CPU device
# Needs a cross compiler (Debian: gcc-aarch64-linux-gnu), pkg-config, apt, pip, busted, and a kernel that lets users
# mount binfmt_misc (6.7 or newer). Everything else is downloaded from Debian and PyPI into FOLDER; nothing is
# installed.
set -eu
cd "$(dirname "$0")/.."
triple=aarch64-linux-gnu
suite=trixie # qemu 7.2 of the suite before it cannot fork a process with threads, nor reserve terabytes

# Debian's packages, unpacked into $folder/root.
fetch() {
  part=$folder/apt
  mkdir -p "$part/lists/partial" "$part/archives/partial" "$part/state" "$part/parts"
  here=$(dpkg --print-architecture)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" \
    > "$part/sources.list"
  cat > "$part/apt.conf" <<EOF
APT::Architecture "$here";
APT::Architectures { "$here"; "arm64"; };
APT::Sandbox::User "root";
Dir::State "$part/state";
Dir::State::lists "$part/lists";
Dir::State::status "/dev/null";
Dir::Cache "$part";
Dir::Cache::archives "$part/archives";
Dir::Etc::sourcelist "$part/sources.list";
Dir::Etc::sourceparts "$part/parts";
EOF
  export APT_CONFIG="$part/apt.conf"
  apt-get update -qq
  list="qemu-user:$here"
  for p in libc6 libgcc-s1 libstdc++6 liblua5.4-dev liblua5.4-0 lua5.4 libedit-dev libedit2 libbsd0 libmd0 \
    libtinfo6 libreadline8t64 lua-filesystem lua-term lua-system; do list="$list $p:arm64"; done
  (cd "$part/archives" && apt-get download -qq $list)
  unset APT_CONFIG
  mkdir -p "$folder/root.part/usr/lib"
  ln -sfn usr/lib "$folder/root.part/lib"
  for d in "$part/archives"/*.deb; do dpkg -x "$d" "$folder/root.part"; done
  # luaconf.h includes it, from a folder that only a native compiler searches.
  ln -sf ../$triple/lua5.4-deb-multiarch.h "$folder/root.part/usr/include/lua5.4/"
  rm -rf "$part"
  mv "$folder/root.part" "$folder/root"
}

# The cross compiler's C library may be older than that of the libraries, which is used at run time.
build() {
  libs=$root/usr/lib/$triple
  PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_LIBDIR="$libs/pkgconfig" make -j"$(nproc)" BUILD="$folder/build" \
    CC=$triple-gcc AR=$triple-ar HOSTCC="${HOSTCC:-cc}" \
    LDFLAGS="-Wl,-rpath-link,$libs,--allow-shlib-undefined" all units
}

# Runs a command in a namespace in which the kernel runs AArch64's programs by qemu.
emulated() {
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  magic='\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":dotcompute-arm64:M::$magic:$mask:$root/usr/bin/qemu-aarch64:F" > /proc/sys/fs/binfmt_misc/register
  export QEMU_LD_PREFIX="$root" PATH="$folder/bin:$PATH" LUA=lua5.4 LUA_CPATH="$root/usr/lib/$triple/lua/5.4/?.so;;"
  export CC=$triple-gcc DOTCOMPUTE_CC=$triple-gcc DOTCOMPUTE_CACHE="$folder/cache"
  export DOTCOMPUTE_NVRTC="$folder/nvidia/nvidia/cu13/lib/libnvrtc.so.13"
  exec sh tools/with.sh "$folder/build" lua spec/run.lua "$@"
}

folder=$(realpath -m "${1:?a folder is needed}")
shift
root=$folder/root
[ "${1:-}" != emulated ] || { shift; emulated "$@"; }
[ -d "$root" ] || fetch
[ -d "$folder/nvidia" ] ||
  PIP_PLATFORM="manylinux2014_aarch64 manylinux_2_27_aarch64" sh tools/setup.sh wheels "$folder/nvidia" 13
mkdir -p "$folder/bin"
ln -sf "$root/usr/bin/lua5.4" "$folder/bin/lua5.4"
build
[ $# -gt 0 ] || set -- spec/c/*_spec.lua spec/kernel/*_spec.lua spec/cpu/*_spec.lua
exec unshare --map-root-user --mount sh "$0" "$folder" emulated "$@"
