-- Edit distances from one word to many, by Myers' bit vectors over several 64-bit words, which pass differences on.
return {
  field = "strings",
  cuda = [==[
typedef unsigned long long u64;
#define WORDS 3

__global__ void masks(const unsigned char *pattern, int m, u64 *mask) {  /* mask[letter][word] */
  for (int i = threadIdx.x; i < m; i += blockDim.x) atomicOr(&mask[pattern[i] * WORDS + i / 64], 1ull << (i % 64));
}

__global__ void distances(const u64 *mask, int m, const unsigned char *text, const int *start, int *distance, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u64 plus[WORDS], minus[WORDS];
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    plus[w] = ~0ull;
    minus[w] = 0;
  }
  int d = m, last = (m - 1) / 64;
  u64 bit = 1ull << ((m - 1) % 64);
  for (int i = start[t]; i < start[t + 1]; i++) {
    const u64 *row = mask + text[i] * WORDS;
    u64 plus_in = 1, minus_in = 0;
    for (int w = 0; w <= last; w++) {
      u64 equal = row[w], pv = plus[w], mv = minus[w], xv = equal | mv;
      equal |= minus_in;
      u64 xh = (((equal & pv) + pv) ^ pv) | equal;
      u64 ph = mv | ~(xh | pv), mh = pv & xh;
      if (w == last) {
        if (ph & bit) d++;
        if (mh & bit) d--;
      }
      u64 ph_out = ph >> 63, mh_out = mh >> 63;
      ph = ph << 1 | plus_in;
      mh = mh << 1 | minus_in;
      plus[w] = mh | ~(xv | ph);
      minus[w] = ph & xv;
      plus_in = ph_out;
      minus_in = mh_out;
    }
  }
  distance[t] = d;
}]==],
  c = [==[
#include <stdlib.h>
void ref(void **p, const double *s) {
  const unsigned char *pattern = p[0], *text = p[1];
  const int *start = p[2];
  int *distance = p[3], m = (int)s[0], n = (int)s[1], *row = malloc(sizeof(int) * (size_t)(m + 1));
  for (int t = 0; t < n; t++) {
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = start[t]; i < start[t + 1]; i++) {
      int diagonal = row[0]++;
      for (int j = 1; j <= m; j++) {
        int least = diagonal + (pattern[j - 1] != text[i]);
        if (row[j] + 1 < least) least = row[j] + 1;
        if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
        diagonal = row[j];
        row[j] = least;
      }
    }
    distance[t] = row[m];
  }
  free(row);
}]==],
  case = function(h, size)
    local m, n = h.pick(size, math.random(1, 192), 150), h.pick(size, 203, 2000)
    local letters = h.pick(size, math.random(2, 20), 12)
    local pattern, start = {}, { 0 }
    for i = 1, m do pattern[i] = math.random(0, letters - 1) end
    local text = {}
    for t = 1, n do -- half of them are the pattern with a few changes
      if t % 2 == 0 then
        for i = 1, m do
          local r = math.random(12)
          if r > 1 then text[#text + 1] = pattern[i] end
          if r < 4 then text[#text + 1] = math.random(0, letters - 1) end
        end
      else
        for _ = 1, math.random(0, 150) do text[#text + 1] = math.random(0, letters - 1) end
      end
      start[t + 1] = #text
    end
    text[#text + 1] = 0
    local p, x, starts = h.data("uint8", pattern), h.data("uint8", text), h.data("int32", start)
    local mask, distance = h.output("uint64", 3 * 256), h.output("int32", n)
    h.launch("masks", { 1 }, { 50 }, p, m, mask)
    h.launch("distances", { (n + 29) // 30 }, { 30 }, mask, m, x, starts, distance, n)
    h.reference({ p, x, starts, distance }, { m, n })
    h.expect(distance, 0)
  end,
}
