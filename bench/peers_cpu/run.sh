#!/bin/sh
# What `make bench-cpu-peers` does: fetches the peers into PEERS, then prints the tables.  From the environment: PEERS,
# PYTHON, THREADS, TABLES, BUILD; arguments: words in the names of the rows that are wanted.
peers=${PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/dotcompute-peers}
threads=${THREADS:-2}
[ "$threads" = all ] && threads=$(nproc)
build=${BUILD:-build}
echo "peers: in $peers (PEERS=folder chooses another; it can be removed at any time)"
sh bench/peers_cpu/fetch.sh "$peers"
peers=$(cd "$peers" && pwd)

libraries=$(find "$peers/pocl" -maxdepth 5 -type d -name '*-linux-gnu' 2>/dev/null | tr '\n' ':')
export LD_LIBRARY_PATH="$libraries$peers/python/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export OCL_ICD_VENDORS="$peers/vendors" POCL_CACHE_DIR="$peers/pocl-cache"
[ -x "$peers/python/bin/python3" ] && PYTHON=$peers/python/bin/python3
export PYTHON="${PYTHON:-python3}"
export DOTCOMPUTE_CPU_THREADS="$threads" OMP_NUM_THREADS="$threads" OPENBLAS_NUM_THREADS="$threads" \
  MKL_NUM_THREADS="$threads" NUMBA_NUM_THREADS="$threads" POCL_MAX_PTHREAD_COUNT="$threads" \
  DPCPP_CPU_NUM_CUS="$threads" XLA_FLAGS="--xla_cpu_multi_thread_eigen=true" JAX_PLATFORMS=cpu
# Waiting threads of one side must not take processors from the next.
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 KMP_BLOCKTIME=0 OPENBLAS_THREAD_TIMEOUT=10
export DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=1
pin=
if [ "$threads" -lt "$(nproc)" ] && command -v taskset >/dev/null; then
  pin="taskset -c 0-$((threads - 1))"
fi
for table in ${TABLES:-kernels arrays}; do
  LUA_CPATH="$build/bench/openmp/?.so;$build/bench/?.so;;" LUA_PATH="bench/peers_cpu/?.lua;bench/?.lua;;" \
    $pin sh tools/with.sh "$build" "$build/dclua" "bench/peers_cpu/$table"_table.lua "$@" || exit 1
done
