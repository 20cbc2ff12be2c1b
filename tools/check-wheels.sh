#!/bin/bash
# For .ci/run: what `make demo` does where there is no CUDA toolkit, tried for real: the toolkits of this machine
# hidden by mounts of our own, a home of our own, NVRTC fetched from PyPI, a kernel compiled and run with it.
# Usage: check-wheels.sh FOLDER DCLUA
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
