/*
** functions.h - what one element of a kernel computes, in the language that C, CUDA C and OpenCL C have in common: the
** same text for our kernels, the OpenCL peers and the C loops.  FN says how the language declares a function.
*/

/* The standard normal distribution: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17. */
FN float normal_below(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * p;
  return d > 0.0f ? 1.0f - tail : tail;
}

/* Black and Scholes: the value of a European call. */
FN float call_value(float price, float strike, float years, float rate, float volatility) {
  const float spread = volatility * sqrtf(years);
  const float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  return price * normal_below(d1) - strike * expf(-rate * years) * normal_below(d1 - spread);
}

/* The solutions of the n queens that begin with the three rows that `start` stands for, a digit to base n each: depth
** first, with the free columns of each row on a stack. */
FN int queens_from(int n, int start) {
  const int all = (1 << n) - 1;
  int columns[16], left[16], right[16], open[16], c = 0, l = 0, r = 0, count = 0, depth = 0;
  for (int row = 0; row < 3; row++) {
    const int bit = 1 << start % n;
    start /= n;
    if ((c | l | r) & bit) return 0;
    c |= bit, l = (l | bit) << 1, r = (r | bit) >> 1;
  }
  columns[0] = c, left[0] = l, right[0] = r, open[0] = all & ~(c | l | r);
  while (depth >= 0) {
    const int bit = open[depth] & -open[depth];
    if (bit == 0) {
      depth--;
      continue;
    }
    open[depth] ^= bit;
    c = columns[depth] | bit, l = (left[depth] | bit) << 1, r = (right[depth] | bit) >> 1;
    if (c == all) {
      count++;
      continue;
    }
    depth++;
    columns[depth] = c, left[depth] = l, right[depth] = r, open[depth] = all & ~(c | l | r);
  }
  return count;
}

/* The first word of the MD5 (RFC 1321) of eight bytes, given as two words: one block, padded. */
#define MD5_STEP(f, a, b, m, k, s) a += (f) + (m) + (k), a = b + (a << (s) | a >> (32 - (s)))
#define MD5_F(a, b, c, d, m, k, s) MD5_STEP((b & c) | (~b & d), a, b, m, k, s)
#define MD5_G(a, b, c, d, m, k, s) MD5_STEP((b & d) | (c & ~d), a, b, m, k, s)
#define MD5_H(a, b, c, d, m, k, s) MD5_STEP(b ^ c ^ d, a, b, m, k, s)
#define MD5_I(a, b, c, d, m, k, s) MD5_STEP(c ^ (b | ~d), a, b, m, k, s)
FN unsigned md5_word(unsigned m0, unsigned m1) {
  unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
  MD5_F(a, b, c, d, m0, 0xd76aa478u, 7); MD5_F(d, a, b, c, m1, 0xe8c7b756u, 12);
  MD5_F(c, d, a, b, 0x80u, 0x242070dbu, 17); MD5_F(b, c, d, a, 0u, 0xc1bdceeeu, 22);
  MD5_F(a, b, c, d, 0u, 0xf57c0fafu, 7); MD5_F(d, a, b, c, 0u, 0x4787c62au, 12);
  MD5_F(c, d, a, b, 0u, 0xa8304613u, 17); MD5_F(b, c, d, a, 0u, 0xfd469501u, 22);
  MD5_F(a, b, c, d, 0u, 0x698098d8u, 7); MD5_F(d, a, b, c, 0u, 0x8b44f7afu, 12);
  MD5_F(c, d, a, b, 0u, 0xffff5bb1u, 17); MD5_F(b, c, d, a, 0u, 0x895cd7beu, 22);
  MD5_F(a, b, c, d, 0u, 0x6b901122u, 7); MD5_F(d, a, b, c, 0u, 0xfd987193u, 12);
  MD5_F(c, d, a, b, 64u, 0xa679438eu, 17); MD5_F(b, c, d, a, 0u, 0x49b40821u, 22);
  MD5_G(a, b, c, d, m1, 0xf61e2562u, 5); MD5_G(d, a, b, c, 0u, 0xc040b340u, 9);
  MD5_G(c, d, a, b, 0u, 0x265e5a51u, 14); MD5_G(b, c, d, a, m0, 0xe9b6c7aau, 20);
  MD5_G(a, b, c, d, 0u, 0xd62f105du, 5); MD5_G(d, a, b, c, 0u, 0x02441453u, 9);
  MD5_G(c, d, a, b, 0u, 0xd8a1e681u, 14); MD5_G(b, c, d, a, 0u, 0xe7d3fbc8u, 20);
  MD5_G(a, b, c, d, 0u, 0x21e1cde6u, 5); MD5_G(d, a, b, c, 64u, 0xc33707d6u, 9);
  MD5_G(c, d, a, b, 0u, 0xf4d50d87u, 14); MD5_G(b, c, d, a, 0u, 0x455a14edu, 20);
  MD5_G(a, b, c, d, 0u, 0xa9e3e905u, 5); MD5_G(d, a, b, c, 0x80u, 0xfcefa3f8u, 9);
  MD5_G(c, d, a, b, 0u, 0x676f02d9u, 14); MD5_G(b, c, d, a, 0u, 0x8d2a4c8au, 20);
  MD5_H(a, b, c, d, 0u, 0xfffa3942u, 4); MD5_H(d, a, b, c, 0u, 0x8771f681u, 11);
  MD5_H(c, d, a, b, 0u, 0x6d9d6122u, 16); MD5_H(b, c, d, a, 64u, 0xfde5380cu, 23);
  MD5_H(a, b, c, d, m1, 0xa4beea44u, 4); MD5_H(d, a, b, c, 0u, 0x4bdecfa9u, 11);
  MD5_H(c, d, a, b, 0u, 0xf6bb4b60u, 16); MD5_H(b, c, d, a, 0u, 0xbebfbc70u, 23);
  MD5_H(a, b, c, d, 0u, 0x289b7ec6u, 4); MD5_H(d, a, b, c, m0, 0xeaa127fau, 11);
  MD5_H(c, d, a, b, 0u, 0xd4ef3085u, 16); MD5_H(b, c, d, a, 0u, 0x04881d05u, 23);
  MD5_H(a, b, c, d, 0u, 0xd9d4d039u, 4); MD5_H(d, a, b, c, 0u, 0xe6db99e5u, 11);
  MD5_H(c, d, a, b, 0u, 0x1fa27cf8u, 16); MD5_H(b, c, d, a, 0x80u, 0xc4ac5665u, 23);
  MD5_I(a, b, c, d, m0, 0xf4292244u, 6); MD5_I(d, a, b, c, 0u, 0x432aff97u, 10);
  MD5_I(c, d, a, b, 64u, 0xab9423a7u, 15); MD5_I(b, c, d, a, 0u, 0xfc93a039u, 21);
  MD5_I(a, b, c, d, 0u, 0x655b59c3u, 6); MD5_I(d, a, b, c, 0u, 0x8f0ccc92u, 10);
  MD5_I(c, d, a, b, 0u, 0xffeff47du, 15); MD5_I(b, c, d, a, m1, 0x85845dd1u, 21);
  MD5_I(a, b, c, d, 0u, 0x6fa87e4fu, 6); MD5_I(d, a, b, c, 0u, 0xfe2ce6e0u, 10);
  MD5_I(c, d, a, b, 0u, 0xa3014314u, 15); MD5_I(b, c, d, a, 0u, 0x4e0811a1u, 21);
  MD5_I(a, b, c, d, 0u, 0xf7537e82u, 6); MD5_I(d, a, b, c, 0u, 0xbd3af235u, 10);
  MD5_I(c, d, a, b, 0x80u, 0x2ad7d2bbu, 15); MD5_I(b, c, d, a, 0u, 0xeb86d391u, 21);
  return a + 0x67452301u;
}
