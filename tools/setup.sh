#!/bin/sh
# Installs what `make demo` and `make test` need and reports it; does and prints nothing when nothing is missing.
#   setup.sh packages demo|test     Debian packages: compiler, Lua, libedit, and where they can be had OpenBLAS, FFTW,
#                                   Highway; for test also busted, libturbojpeg, gnuplot, Open MPI
#   setup.sh build MAKE [-jN]       `MAKE all` for the demo: a line for each tenth, in place of one for each file
#   setup.sh nvrtc DCLUA            NVIDIA's compiler library, linker and headers, if DCLUA finds none
#   setup.sh tile DCLUA             NVIDIA's compilers for tile kernels, if DCLUA finds none
#   setup.sh wheels FOLDER [12|13]  downloads those of one CUDA version into a folder, without a question
# NVRTC=off in the environment: neither searches nor downloads NVRTC and what compiles tile kernels.
set -eu

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- Debian packages --------------------------------------------------------------------------------

LUA=${LUA:-lua5.4}
CC=${CC:-cc}

have_lua_headers() {
  [ -n "${LUA_INCDIR:-}" ] && return 0
  for d in /usr/include/lua5.4 /usr/local/include/lua5.4 /usr/include/lua54; do [ -e "$d/lua.h" ] && return 0; done
  have pkg-config && { pkg-config --exists lua5.4 || pkg-config --exists lua-5.4 || pkg-config --exists lua54; }
}
have_libedit() {
  printf '#include <histedit.h>\nint main(void){return el_init("",0,0,0)!=0;}\n' |
    "$CC" $(pkg-config --cflags libedit 2>/dev/null) -x c - -o /dev/null -ledit >/dev/null 2>&1
}
have_compiler() {
  have "$CC" && printf '#include <stdio.h>\nint main(void){return 0;}\n' | "$CC" -x c - -o /dev/null >/dev/null 2>&1
}

missing_packages() {
  have_compiler || echo gcc libc6-dev
  have make || echo make
  have_lua_headers || echo liblua5.4-dev
  have_compiler && have_libedit || echo libedit-dev
  have "$LUA" || echo lua5.4
  if [ "$1" = test ]; then
    have "$LUA" && "$LUA" -e 'require "busted.runner"' >/dev/null 2>&1 || echo lua-busted
  fi
}

# Whether the system's loader knows a shared library, by its soname.
have_library() {
  { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -q "$1 "
}

# Libraries that matrix products, Fourier transforms and sorting on the CPU device load at run time. Specs skip missing
# ones.
missing_libraries() {
  have_library libopenblas.so.0 || echo libopenblas0-pthread
  have_library libfftw3.so.3 || echo libfftw3-double3
  have_library libfftw3f.so.3 || echo libfftw3-single3
  have_library libhwy_contrib.so.1 || echo "$(highway_package)"
}

# Highway's package; its name changed with Debian 13 and Ubuntu 24.04.
highway_package() {
  if have apt-cache && apt-cache show libhwy1t64 >/dev/null 2>&1; then echo libhwy1t64; else echo libhwy1; fi
}

# What JPEG files and the plots of specs need. Specs skip missing ones.
missing_picture_tools() {
  have_library libturbojpeg.so.0 || echo libturbojpeg0
  have gnuplot || echo gnuplot-nox
}

# What processes communicate by. Specs skip it.
missing_mpi() {
  have mpicc || echo libopenmpi-dev
  have mpirun || echo openmpi-bin
}

# Runs its arguments as root.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  else sudo "$@"
  fi
}

apt_install() {
  if [ "$(id -u)" != 0 ] && ! have sudo; then
    say "these Debian packages are missing: $*"
    fail "only root can install them, and there is no sudo. As root: apt-get update && apt-get install $*"
  fi
  say "installing Debian packages, which may take a minute or two: $*"
  apt_get update || say "apt-get update failed; trying with the lists there are"
  apt_get install -y --no-install-recommends "$@" ||
    fail "apt-get could not install them; as root: apt-get update && apt-get install $*"
}

# apt-get without its output, of which the last lines are shown when it fails.
apt_get() {
  said=$(mktemp)
  if as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" </dev/null >"$said" 2>&1; then
    rm -f "$said"
    return 0
  fi
  tail -n 5 "$said" | sed 's/^/setup:   /' >&2
  rm -f "$said"
  return 1
}

# Installs the packages that the command names, or goes on without them.
optional() {
  wanted=$("$1" | tr '\n' ' ' | sed 's/ *$//')
  [ -z "$wanted" ] && return 0
  have apt-get && (apt_install $wanted) && return 0
  say "going on without: $wanted (Debian's names); what needs them is left out"
}

packages() {
  wanted=$(missing_packages "$1" | tr '\n' ' ' | sed 's/ *$//')
  [ -z "$wanted" ] && return 0
  if ! have apt-get; then
    say "missing: $wanted"
    say "(Debian's names.) This system has no apt-get: please install a C11 compiler, Lua 5.4 with its headers,"
    fail "libedit with its headers$([ "$1" = test ] && echo ", and busted for Lua 5.4") by its own means."
  fi
  apt_install $wanted
  wanted=$(missing_packages "$1" | tr '\n' ' ')
  [ -z "$wanted" ] || fail "still missing after installing: $wanted"
}

# --- building ---------------------------------------------------------------------------------------

# Processor seconds that a file takes on average, in tenths: measured on one core of an AMD EPYC.
TENTHS_A_FILE=5

# build MAKE [-jN]: without -jN, MAKE has it from the make that started it.
build() {
  make=$1 jobs=${2:-}
  files=$($make -s -n all 2>/dev/null | grep -c 'echo "  [CL][CD] ') || return 0 # nothing to do
  processors=${jobs#-j}
  seconds=$((files * TENTHS_A_FILE / 10 / ${processors:-$(nproc)} + 1))
  if [ $seconds -lt 50 ]; then about="less than a minute"; else about="about $((seconds / 60 + 1)) minutes"; fi
  say "building $files files${processors:+ with $processors processors}: $about"
  { $make -s $jobs all || echo FAILED; } | {
    done=0 tenths=0
    while IFS= read -r line; do
      case $line in
        "  CC "* | "  LD "*)
          done=$((done + 1))
          if [ $((done * 10 / files)) -gt $tenths ]; then
            tenths=$((done * 10 / files))
            say "built $((tenths * 10)) %"
          fi ;;
        FAILED) exit 1 ;;
        *) printf '%s\n' "$line" ;;
      esac
    done
  }
}

# --- NVIDIA's wheels --------------------------------------------------------------------------------

# Pinned versions. cccl and crt are headers only; of curand only the headers are kept.
WHEELS_13="nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88
           nvidia-nvjitlink==13.0.88 nvidia-cuda-cccl==13.0.85 nvidia-curand==10.4.0.35"
WHEELS_12="nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79
           nvidia-nvjitlink-cu12==12.9.86 nvidia-cuda-cccl-cu12==12.9.27 nvidia-curand-cu12==10.3.10.19"
WHEELS_TILE="nvidia-cuda-nvrtc==13.5.37 nvidia-cuda-tileiras==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-nvcc==13.5.37"

# 12 when the driver here is older than CUDA 13's (580), else 13.
cuda_for_driver() {
  driver=$(sed -n 's/^NVRM version:.* \([0-9]\{3\}\)\.[0-9.]* .*/\1/p' /proc/driver/nvidia/version 2>/dev/null |
    head -n 1)
  [ -n "$driver" ] ||
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1 | cut -d. -f1)
  case $driver in ''|*[!0-9]*) echo 13; return ;; esac
  if [ "$driver" -lt 580 ]; then echo 12; else echo 13; fi
}

# Sets PIP to a command that runs pip, installing it by apt where it is missing.
find_pip() {
  if python3 -m pip --version >/dev/null 2>&1; then PIP="python3 -m pip"; return; fi
  have apt-get || fail "python3 with pip is needed to fetch NVRTC; install it, or a CUDA toolkit, or use NVRTC=off"
  apt_install python3 python3-pip
  PIP="python3 -m pip"
  $PIP --version >/dev/null 2>&1 || PIP="/usr/bin/python3 -m pip"
}

# wheels FOLDER 12|13|tile: FOLDER becomes pip's tree, with nvidia/... below it; it is complete or does not exist.
wheels() {
  folder=$1 what="NVIDIA's CUDA $2 compiler library (NVRTC), linker and headers"
  case $2 in
    12) list=$WHEELS_12 ;;
    13) list=$WHEELS_13 ;;
    tile) list=$WHEELS_TILE what="NVIDIA's compilers for tile kernels (NVRTC 13.5, tileiras, libnvvm, ptxas)" ;;
    *) fail "there are wheels for CUDA 12 and 13, and for tile kernels, not $2" ;;
  esac
  find_pip
  say "fetching $what from PyPI, about 200 MB:"
  for w in $list; do say "  $w"; done
  say "  into $folder; they are NVIDIA's, under the CUDA Toolkit's licence (EULA):"
  say "  https://docs.nvidia.com/cuda/eula/   NVRTC=off does without."
  part=$folder.part$$
  said=$(mktemp)
  trap 'rm -rf "$part" "$said"' EXIT
  trap 'exit 130' INT TERM HUP
  mkdir -p "$(dirname "$folder")"
  $PIP install --quiet --disable-pip-version-check --no-input --no-cache-dir --no-deps --only-binary :all: \
    --root-user-action=ignore --target "$part" $list </dev/null >"$said" 2>&1 || {
    say "pip could not fetch them; its last lines:"
    tail -n 5 "$said" | sed 's/^/setup:   /' >&2
    fail "Without them: install a CUDA toolkit and set CUDA_PATH, or use NVRTC=off."
  }
  # Unused host libraries, NVRTC's second build, the programs of nvcc but ptxas.
  find "$part" \( -name 'libcurand*' -o -name 'libcudart*' -o -name '*.alt.so*' -o -path '*/bin/nv*' -o -name cicc \
    -o -name 'cudafe++' -o -name fatbinary -o -name bin2c -o -name tileirdisasm \) -type f -exec rm -f {} +
  rm -rf "$folder"
  mv "$part" "$folder"
  rm -f "$said"
  trap - EXIT INT TERM HUP
  say "done: $(du -sm "$folder" | cut -f1) MB in $folder"
}

# A folder that the compiler searches by default (src/compile).
wheel_home() { echo "${XDG_DATA_HOME:-$HOME/.local/share}/dotcompute/nvidia"; }

nvrtc() {
  dclua=$1
  if [ "${NVRTC:-}" = off ]; then
    say "NVRTC=off: not searched for; kernels compile where the loader finds it, and run from the cache"
    return 0
  fi
  if "$dclua" -e 'os.exit(require "dotcompute.core".compiler().available)' 2>/dev/null; then return 0; fi
  say "no NVRTC was found on this machine"
  wheels "$(wheel_home)" "$(cuda_for_driver)"
  "$dclua" -e 'local c = require "dotcompute.core".compiler() assert(c.available, c.why_not)' ||
    fail "the library fetched cannot be loaded"
}

tile() {
  dclua=$1
  if [ "${NVRTC:-}" = off ]; then return 0; fi
  if "$dclua" -e 'os.exit(require "dotcompute.core".compiler().tile ~= nil)' 2>/dev/null; then return 0; fi
  wheels "$(wheel_home)-tile" tile
  "$dclua" -e 'local c = require "dotcompute.core".compiler() assert(c.tile, c.why_no_tile)' ||
    fail "what was fetched is not found"
}

case "${1:-}" in
  packages)
    packages "${2:-test}"
    optional missing_libraries
    [ "${2:-test}" != test ] || { optional missing_picture_tools; optional missing_mpi; } ;;
  build) build "${2:?the make that builds is needed}" "${3:-}" ;;
  nvrtc) nvrtc "${2:?the built dclua is needed}" ;;
  tile) tile "${2:?the built dclua is needed}" ;;
  wheels) wheels "${2:?a folder is needed}" "${3:-$(cuda_for_driver)}" ;;
  *) sed -n '2,9s/^# *//p' "$0" >&2; exit 2 ;;
esac
