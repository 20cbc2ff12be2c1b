#!/bin/bash
# For .ci/run: `make demo` on a machine without a CUDA toolkit: hides this machine's toolkits by mounts, with a
# temporary home folder, downloads NVRTC from PyPI, and compiles and runs a kernel with it. Usage: check-wheels.sh
# FOLDER DCLUA
set -eu
folder=$(realpath -m "$1") dclua=$2
mkdir -p "$folder"
if [ "${3:-}" != hidden ]; then
  for how in "unshare --mount" "unshare --map-root-user --mount"; do
    $how true 2>/dev/null && exec $how bash "$0" "$folder" "$dclua" hidden
  done
  echo "mounts are not allowed here: naming the library instead of hiding the others"
  sh tools/setup.sh wheels "$folder/dotcompute/nvidia" 13
  export DOTCOMPUTE_NVRTC="$folder/dotcompute/nvidia/nvidia/cu13/lib/libnvrtc.so.13"
else
  for d in /usr/local/cuda* /opt/cuda*; do
    if [ -d "$d" ] && [ ! -L "$d" ]; then mount -t tmpfs none "$d"; fi
  done
fi
unset CUDA_PATH CUDA_HOME VIRTUAL_ENV CONDA_PREFIX NVRTC
export HOME=$folder/home XDG_DATA_HOME=$folder DOTCOMPUTE_CACHE=$folder/cache DOTCOMPUTE_DEVICE=cpu
mkdir -p "$HOME"
sh tools/setup.sh nvrtc "$dclua"
timeout 300 "$dclua" tools/check-wheels.lua "$folder"
