/*
** generate_random.c - random numbers by element: the text of DC_OP_RANDOM.
**
** Philox4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): a keyed bijection
** of 128-bit counters.  The key is the seed; the counter's upper half is the number of the call that made the array,
** the lower half the number of the element over the elements that one counter serves.  So a number depends on seed,
** call and element alone, on every device and for every launch.
**
** uniform: 24 (53) bits over 2^24 (2^53), in [0, 1).  normal: Box and Muller's two from two uniforms, the logarithm of
** one with 32 (53) bits in (0, 1].  exponential: minus the logarithm of such a one.  integer: the upper half of 64 bits
** times the range; values differ in probability by less than 2^-64 of it.
*/
#include "array/generate.h"

static const char philox_text[] =
  "static __device__ __forceinline__ uint4 philox(unsigned long long seed, unsigned long long call,\n"
  "                                              unsigned long long at) {\n"
  "  uint4 c = make_uint4((unsigned int)at, (unsigned int)(at >> 32), (unsigned int)call,\n"
  "                       (unsigned int)(call >> 32));\n"
  "  unsigned int k0 = (unsigned int)seed, k1 = (unsigned int)(seed >> 32);\n"
  "#pragma unroll\n"
  "  for (int round = 0; round < 10; round++) {\n"
  "    const unsigned int h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;\n"
  "    const unsigned int h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;\n"
  "    c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);\n"
  "    k0 += 0x9E3779B9u;\n    k1 += 0xBB67AE85u;\n  }\n  return c;\n}\n"
  "static __device__ __forceinline__ unsigned int random32(unsigned long long seed, unsigned long long call,\n"
  "                                                        unsigned long long i) {\n"
  "  const uint4 c = philox(seed, call, i >> 2);\n"
  "  return i & 2 ? (i & 1 ? c.w : c.z) : (i & 1 ? c.y : c.x);\n}\n"
  "static __device__ __forceinline__ unsigned long long random64(unsigned long long seed, unsigned long long call,\n"
  "                                                              unsigned long long i) {\n"
  "  const uint4 c = philox(seed, call, i >> 1);\n"
  "  return i & 1 ? (unsigned long long)c.w << 32 | c.z : (unsigned long long)c.y << 32 | c.x;\n}\n"
  "static __device__ __forceinline__ float uniform32(unsigned int w) {\n"
  "  return (float)(w >> 8) * 5.9604644775390625e-8f;\n}\n"
  "static __device__ __forceinline__ double uniform64(unsigned long long w) {\n"
  "  return (double)(w >> 11) * 1.1102230246251565e-16;\n}\n"
  "static __device__ __forceinline__ float positive32(unsigned int w) {\n"
  "  return ((float)w + 1.0f) * 2.3283064365386963e-10f;\n}\n"
  "static __device__ __forceinline__ double positive64(unsigned long long w) {\n"
  "  return ((double)(w >> 11) + 1.0) * 1.1102230246251565e-16;\n}\n"
  "static __device__ __forceinline__ float normal32(unsigned long long seed, unsigned long long call,\n"
  "                                                 unsigned long long i) {\n"
  "  const uint4 c = philox(seed, call, i >> 2);\n"
  "  const float r = sqrtf(-2.0f * logf(positive32(i & 2 ? c.z : c.x)));\n"
  "  float s, k;\n  sincospif(2.0f * uniform32(i & 2 ? c.w : c.y), &s, &k);\n  return r * (i & 1 ? s : k);\n}\n"
  "static __device__ __forceinline__ double normal64(unsigned long long seed, unsigned long long call,\n"
  "                                                  unsigned long long i) {\n"
  "  const uint4 c = philox(seed, call, i >> 1);\n"
  "  const double r = sqrt(-2.0 * log(positive64((unsigned long long)c.y << 32 | c.x)));\n"
  "  double s, k;\n  sincospi(2.0 * uniform64((unsigned long long)c.w << 32 | c.z), &s, &k);\n"
  "  return r * (i & 1 ? s : k);\n}\n";

void dc_emit_random_prelude(dc_buf *b) { dc_buf_puts(b, philox_text); }

void dc_emit_random(dc_buf *b, dc_random kind, dc_dtype t, const char *i, const char *seed, const char *call,
                    const char *range) {
  const int bits = t == DC_FLOAT32 ? 32 : 64;
  switch (kind) {
    case DC_RANDOM_UNIFORM: dc_buf_printf(b, "uniform%d(random%d(%s, %s, %s))", bits, bits, seed, call, i); return;
    case DC_RANDOM_NORMAL: dc_buf_printf(b, "normal%d(%s, %s, %s)", bits, seed, call, i); return;
    case DC_RANDOM_EXPONENTIAL:
      dc_buf_printf(b, "-log%s(positive%d(random%d(%s, %s, %s)))", bits == 32 ? "f" : "", bits, bits, seed, call, i);
      return;
    default: /* a range of 0 stands for 2^64 */
      dc_buf_printf(b, "(long long)(%s ? __umul64hi(random64(%s, %s, %s), %s) : random64(%s, %s, %s))", range, seed,
                    call, i, range, seed, call, i);
  }
}
