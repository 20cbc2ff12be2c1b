#!/bin/sh
# Brings the programs that the CPU device is measured against into a folder, and nowhere else: fetch.sh FOLDER
# From PyPI, into a virtual environment: NumPy, PyTorch, JAX, Numba, Intel's OpenCL runtime. From Debian, unpacked and
# not installed: PoCL. What is there is kept; what cannot be had is left out, with a word. WITHOUT="torch jax": these
# are not fetched.
mkdir -p "$1/vendors" || exit 1
folder=$(cd "$1" && pwd)
python=$folder/python/bin/python3
log=$folder/log
without() { case " $WITHOUT " in *" $1 "*) ;; *) return 1 ;; esac; }
say() { printf 'peers: %s\n' "$*"; }

if [ ! -x "$python" ] && ! "${PYTHON:-python3}" -m venv "$folder/python" >"$log" 2>&1; then
  say "all of Python left out: no virtual environment can be made ($(tail -n 1 "$log"))"
fi

# wheel MODULE PIP-ARGUMENTS
wheel() {
  { [ ! -x "$python" ] || without "$1"; } && return
  module=$1
  shift
  "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$module') is None)" 2>/dev/null && return
  "$python" -m pip install --quiet "$@" >"$log" 2>&1 || say "$module left out: $(tail -n 1 "$log")"
}
wheel numpy numpy
wheel numba numba
wheel jax jax
# The wheels without CUDA are a tenth as large, where that index can be reached.
if [ -x "$python" ] && ! without torch && ! "$python" -c 'import torch' 2>/dev/null; then
  "$python" -m pip install --quiet --index-url https://download.pytorch.org/whl/cpu torch >"$log" 2>&1 ||
    wheel torch torch
fi
intel=$folder/python/lib/libintelocl.so
if [ -x "$python" ] && ! without intel && [ ! -e "$intel" ]; then
  "$python" -m pip install --quiet intel-opencl-rt intel-cmplr-lib-rt >"$log" 2>&1 ||
    say "Intel OpenCL left out: $(tail -n 1 "$log")"
fi
[ -e "$intel" ] && echo "$intel" >"$folder/vendors/intel.icd"

pocl() { find "$folder/pocl" /usr/lib -name 'libpocl.so.2*' -type f 2>/dev/null | head -n 1; }
if ! without pocl && [ -z "$(pocl)" ]; then
  if command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
    mkdir -p "$folder/debs" "$folder/pocl"
    # What PoCL needs beside what it links: the compiler's libraries and headers.
    wanted='pocl-opencl-icd|libpocl2|libpocl2-common|ocl-icd-libopencl1|libhwloc15|libltdl7|clang-[0-9]+'
    wanted="$wanted|libllvm[0-9]+|libclang-cpp[0-9]+|libclang1-[0-9]+|libclang-common-[0-9]+-dev"
    list=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
      --no-enhances pocl-opencl-icd ocl-icd-libopencl1 2>/dev/null | grep -E "^($wanted)\$")
    (cd "$folder/debs" && for name in $list; do apt-get download "$name"; done) >"$log" 2>&1
    for deb in "$folder"/debs/*.deb; do [ -e "$deb" ] && dpkg -x "$deb" "$folder/pocl"; done
    rm -rf "$folder/debs"
  fi
  [ -n "$(pocl)" ] || say "PoCL left out: Debian's pocl-opencl-icd cannot be fetched ($(tail -n 1 "$log"))"
fi
[ -n "$(pocl)" ] && pocl >"$folder/vendors/pocl.icd"
rm -f "$log"
exit 0
