// The product of two bfloat16 matrices on Hopper's tensor cores, by hand: C = A B^T, with A (m, k), B (n, k), C (m, n),
// row-major, sums in float32. k and n are multiples of 8. For sm_90a; examples/hopper/matmul.lua launches it.
//
// A block computes 128 x 256 elements of C. One of its three warpgroups is the producer: a thread of it has the
// hardware (TMA) copy steps of 64 columns of A and B into a ring in shared memory. The two others are consumers, each of
// 64 rows of C, in registers: they wait for a step and multiply it with wgmma, which reads shared memory itself. Two
// mbarriers of each place of the ring say that it is full, and empty again. Two blocks, one below the other, are a
// cluster and need the same rows of B: each has half of them copied to both. Blocks are persistent: while the consumers
// store a tile, the producer is at the steps of the next.
//
// What the PTX ISA calls its sections stands in quotation marks.
#include <cuda.h>
#include <cuda_bf16.h>

enum : int {
  BM = 128, BN = 256, BK = 64, // a block's tile of C, and the columns of a step
  STAGES = 4,                  // places of the ring
  CLUSTER = 2,                 // blocks of a cluster, along m
  ROWS = 8,                    // tiles of a cluster whose rows of A stay in the L2 cache together
  A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, STAGE_BYTES = A_BYTES + B_BYTES,
  BARRIERS = STAGES * STAGE_BYTES // their offset in shared memory; two of 8 bytes for each place follow
};

// --- what every architecture compiles --------------------------------------------------------------------------------

// The tile of a cluster with that number, in tiles of CLUSTER * BM x BN. Clusters that run together, whose numbers are
// neighbours, have few rows of A and of B between them.
__device__ inline void place_tile(int number, int down, int across, int &row, int &column) {
  const int group = number / (ROWS * across), first = group * ROWS, rest = number - group * ROWS * across;
  const int rows = down - first < ROWS ? down - first : ROWS;
  row = first + rest % rows;
  column = rest / rows;
}

// Of a matrix in shared memory ("Matrix Descriptor Format"), each row 128 bytes that are swizzled in 16-byte pieces as
// TMA does with CU_TENSOR_MAP_SWIZZLE_128B:
//   bits  0 to 13  the address / 16: that of the next 16 columns is 32 bytes further (the swizzle is a function of
//                  address bits, so that stays right where the matrix begins at a multiple of 1024)
//   bits 16 to 29  the leading dimension's offset / 16: not used by swizzled K-major layouts, 1
//   bits 32 to 45  the stride dimension's offset / 16, from 8 rows to the next 8: 1024 bytes
//   bits 49 to 51  the base offset, 0 for a multiple of 1024
//   bits 62 to 63  the swizzle: 1 is 128 bytes
__device__ inline unsigned long long descriptor(unsigned address) {
  return (unsigned long long)(address >> 4 & 0x3fff) | 1ull << 16 | (1024ull >> 4) << 32 | 1ull << 62;
}

// Lane c of four neighbours gives word i and gets word c of lane i.
__device__ inline void transpose_quad(unsigned (&w)[4]) {
  const bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
  for (int i = 0; i < 4; i += 2) {
    const unsigned got = __shfl_xor_sync(~0u, odd ? w[i] : w[i + 1], 1);
    w[i] = odd ? got : w[i];
    w[i + 1] = odd ? w[i + 1] : got;
  }
  for (int i = 0; i < 2; i++) {
    const unsigned got = __shfl_xor_sync(~0u, high ? w[i] : w[i + 2], 2);
    w[i] = high ? got : w[i];
    w[i + 2] = high ? w[i + 2] : got;
  }
}

__device__ inline unsigned pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *(const unsigned *)&pair;
}

// Stores the 64 x BN elements that a warpgroup has in d, from that row and column of C on ("Register Fragments", matrix
// D of m64nNk16): d[4 j], d[4 j + 1] are elements 8 j + 2 (lane % 4) and the next one of row 16 warp + lane / 4, and
// d[4 j + 2], d[4 j + 3] those of the row 8 below. A lane stores 16 bytes, so four a piece of 64.
__device__ inline void store_tile(const float (&d)[BN / 2], __nv_bfloat16 *c, int m, int n, int row, int column) {
  const int lane = threadIdx.x % 32;
  row += threadIdx.x / 32 % 4 * 16 + lane / 4;
  column += lane % 4 * 8;
#pragma unroll
  for (int j = 0; j < BN / 8; j += 4) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      unsigned w[4];
#pragma unroll
      for (int i = 0; i < 4; i++) w[i] = pack(d[4 * (j + i) + 2 * half], d[4 * (j + i) + 2 * half + 1]);
      transpose_quad(w);
      if (row + 8 * half < m && column + 8 * j < n)
        *(uint4 *)&c[(size_t)(row + 8 * half) * n + column + 8 * j] = make_uint4(w[0], w[1], w[2], w[3]);
    }
  }
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL // sm_90a: the rest are its instructions

// --- barriers ("mbarrier") -------------------------------------------------------------------------------------------

// Waits and arrivals have the scope of the block, which is the default, those at barriers of another block, too: what they
// order is copies by TMA and reads by wgmma, which are complete then. Scope .cluster would make each of them flush or
// invalidate the L1 cache (MEMBAR.ALL.GPU, CCTL.IVALL in SASS), a fifth of the kernel's time.

__device__ inline void barrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Waits for the end of the phase of that parity; a fresh barrier is in phase 0, and phase 1 "before" it has ended.
__device__ inline void barrier_wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  } while (!done);
}

// The producer's only arrival of a phase, which also waits for so many bytes of copies.
__device__ inline void barrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Arrives at the same barrier of a block of the cluster.
__device__ inline void barrier_arrive(unsigned barrier, unsigned rank) {
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
               "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier), "r"(rank)
               : "memory");
}

__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

// --- copies ("cp.async.bulk.tensor") ---------------------------------------------------------------------------------

// The box of the map at that row and column, to shared memory; its bytes count at the barrier.
__device__ inline void load(unsigned to, const CUtensorMap *map, int column, int row, unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
               "[%4];" ::"r"(to), "l"(map), "r"(column), "r"(row), "r"(barrier) : "memory");
}

// To the same place of all blocks of the cluster, with the bytes counted at the barrier of each.
__device__ inline void load_to_all(unsigned to, const CUtensorMap *map, int column, int row, unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(map), "r"(column), "r"(row), "r"(barrier),
               "h"((unsigned short)((1 << CLUSTER) - 1)) : "memory");
}

// --- wgmma -----------------------------------------------------------------------------------------------------------

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define D64(i) D16(i), D16(i + 16), D16(i + 32), D16(i + 48)

// d = A B^T, + d where `add`: 64 x 256 by 16 columns. Both K-major (the last two immediates), none negated.
__device__ inline void multiply(float (&d)[BN / 2], unsigned long long a, unsigned long long b, int add) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, "
      "%101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
      "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, 0; }" : D64(0), D64(64) : "l"(a), "l"(b), "r"(add));
}

// --- the kernel ------------------------------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(384, 1) __cluster_dims__(CLUSTER, 1, 1)
hopper_matmul(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, __nv_bfloat16 *c,
              int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned shared = (unsigned)__cvta_generic_to_shared(memory);
  const unsigned full = shared + BARRIERS, empty = full + 8 * STAGES;
  const int down = (m + CLUSTER * BM - 1) / (CLUSTER * BM), across = (n + BN - 1) / BN, steps = (k + BK - 1) / BK;
  const int clusters = gridDim.x / CLUSTER, rank = blockIdx.x % CLUSTER; // the grid and clusters are one-dimensional
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      barrier_init(full + 8 * i, 1);
      barrier_init(empty + 8 * i, CLUSTER * 8); // a lane of each warp of the consumers of all blocks
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  int stage = 0;
  unsigned phase = 0;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); // registers that the consumers get
    if (threadIdx.x == 0) {
      for (int tile = blockIdx.x / CLUSTER; tile < down * across; tile += clusters) {
        int row, column;
        place_tile(tile, down, across, row, column);
        const int a_row = (row * CLUSTER + rank) * BM, b_row = column * BN + rank * (BN / CLUSTER);
        for (int step = 0; step < steps; step++) {
          const unsigned a = shared + stage * STAGE_BYTES, b = a + A_BYTES;
          barrier_wait(empty + 8 * stage, phase ^ 1);
          barrier_expect(full + 8 * stage, STAGE_BYTES);
          load(a, &a_map, step * BK, a_row, full + 8 * stage);
          load_to_all(b + rank * (B_BYTES / CLUSTER), &b_map, step * BK, b_row, full + 8 * stage);
          if (++stage == STAGES) stage = 0, phase ^= 1;
        }
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = threadIdx.x % 32;
    float d[BN / 2];
    for (int tile = blockIdx.x / CLUSTER; tile < down * across; tile += clusters) {
      int row, column, before = 0;
      place_tile(tile, down, across, row, column);
      for (int step = 0; step < steps; step++) {
        const unsigned a = shared + stage * STAGE_BYTES + (group - 1) * (A_BYTES / 2);
        const unsigned long long x = descriptor(a), y = descriptor(shared + stage * STAGE_BYTES + A_BYTES);
        barrier_wait(full + 8 * stage, phase);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < BK / 16; i++) multiply(d, x + 2 * i, y + 2 * i, step > 0 || i > 0); // 32 bytes a step
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); // all but this step have been multiplied
        if (step > 0 && lane < CLUSTER) barrier_arrive(empty + 8 * before, lane);
        before = stage;
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (lane < CLUSTER) barrier_arrive(empty + 8 * before, lane);
      store_tile(d, c, m, n, (row * CLUSTER + rank) * BM + (group - 1) * 64, column * BN);
    }
  }
  cluster_sync(); // no block ends while another copies to it, or arrives at its barriers
}

#endif
