-- A FIR filter with decimation: taps in constant memory, the stretch of signal a block needs in shared memory, 16-bit
-- samples with rounding and saturation.
return {
  field = "signal",
  cuda = [==[
#define TAPS 33
__constant__ short taps[TAPS] = { -3, 5, 11, -20, -41, 38, 97, -66, -190, 98, 331, -131, -549, 158, 990, -177, 8189,
                                  -177, 990, 158, -549, -131, 331, 98, -190, -66, 97, 38, -41, -20, 11, 5, -3 };

__device__ __forceinline__ short saturate(int v) {
  short r;
  asm("cvt.sat.s16.s32 %0, %1;" : "=h"(r) : "r"(v));
  return r;
}

__global__ void fir(const short *in, short *out, int n, int step, int outputs) {
  extern __shared__ short stretch[];
  int first = blockIdx.x * blockDim.x * step - TAPS / 2, length = (blockDim.x - 1) * step + TAPS;
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    int at = first + i;
    stretch[i] = at < 0 || at >= n ? 0 : in[at];
  }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= outputs) return;
  int sum = 1 << 12;
#pragma unroll
  for (int k = 0; k < TAPS; k++) sum += taps[k] * stretch[threadIdx.x * step + k];
  out[t] = saturate(sum >> 13);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  static const int taps[] = { -3, 5, 11, -20, -41, 38, 97, -66, -190, 98, 331, -131, -549, 158, 990, -177, 8189 };
  const short *in = p[0];
  short *out = p[1];
  int n = (int)s[0], step = (int)s[1], outputs = (int)s[2];
  for (int t = 0; t < outputs; t++) {
    long sum = 4096;
    for (int k = -16; k <= 16; k++) {
      int at = t * step + k;
      if (at >= 0 && at < n) sum += (long)taps[k < 0 ? 16 + k : 16 - k] * in[at];
    }
    sum = (sum - (sum & 8191)) / 8192;
    out[t] = (short)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
  }
}]==],
  case = function(h, size)
    local n, step = h.pick(size, 4999, 1000000), h.pick(size, math.random(1, 5), 2)
    local outputs, block = (n + step - 1) // step, h.pick(size, 50, 128)
    local x, y = h.input("int16", n, -32768, 32768), h.output("int16", outputs)
    h.shared(2 * ((block - 1) * step + 33))
    h.launch("fir", { (outputs + block - 1) // block }, { block }, x, y, n, step, outputs)
    h.reference({ x, y }, { n, step, outputs })
    h.expect(y, 0)
  end,
}
