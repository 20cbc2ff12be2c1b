-- Several patterns in a text: Horspool's skips within a thread's stretch, patterns and their skip tables in structures
-- built on the device, and wildcards matched by backtracking.
return {
  field = "strings",
  cuda = [==[
#define LONGEST 16
struct pattern {
  int length;
  unsigned char text[LONGEST], skip[64];
};

__global__ void prepare(const unsigned char *text, const int *lengths, pattern *out, int n) {
  int k = blockIdx.x, t = threadIdx.x;
  if (k >= n) return;
  pattern &p = out[k];
  if (t == 0) p.length = lengths[k];
  if (t < LONGEST) p.text[t] = text[k * LONGEST + t];
  if (t < 64) {
    int skip = lengths[k];
    for (int i = 0; i < lengths[k] - 1; i++)
      if (text[k * LONGEST + i] == t) skip = lengths[k] - 1 - i;
    p.skip[t] = (unsigned char)skip;
  }
}

__global__ void search(const unsigned char *text, int n, const pattern *patterns, int each, int *counts,
                       unsigned *first) {
  __shared__ pattern p;
  const int k = blockIdx.y;
  for (int i = threadIdx.x; i < sizeof(pattern); i += blockDim.x) ((char *)&p)[i] = ((const char *)&patterns[k])[i];
  __syncthreads();
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * each, end = min(begin + each, n - p.length + 1), found = 0;
  unsigned least = 0xffffffffu;
  for (int at = begin; at < end;) {
    int i = p.length - 1;
    while (i >= 0 && text[at + i] == p.text[i]) i--;
    if (i < 0) {
      found++;
      least = min(least, (unsigned)at);
    }
    at += p.skip[text[at + p.length - 1]];
  }
  if (found) {
    atomicAdd(&counts[k], found);
    atomicMin(&first[k], least);
  }
}

/* Whether a line matches: 62 is any one letter, 63 any number of them. */
__global__ void match(const unsigned char *lines, int width, int n, const unsigned char *wild, int m,
                      unsigned char *yes) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const unsigned char *line = lines + t * width;
  int i = 0, j = 0, star = -1, mark = 0;
  bool ok = true;
  while (i < width) {
    if (j < m && (wild[j] == 62 || wild[j] == line[i])) {
      i++;
      j++;
    } else if (j < m && wild[j] == 63) {
      star = j++;
      mark = i;
    } else if (star >= 0) {
      j = star + 1;
      i = ++mark;
    } else {
      ok = false;
      break;
    }
  }
  while (ok && j < m && wild[j] == 63) j++;
  yes[t] = ok && j == m;
}]==],
  c = [==[
#include <string.h>
static int matches(const unsigned char *line, int n, const unsigned char *w, int m) {
  char can[128] = { 1 };  /* can[j]: the first j of the pattern match what has been read */
  for (int j = 0; j < m && w[j] == 63; j++) can[j + 1] = 1;
  for (int i = 0; i < n; i++) {
    char next[128] = { 0 };
    for (int j = 0; j < m; j++) {
      if (w[j] == 63) next[j + 1] = can[j + 1] || next[j] || can[j];
      else next[j + 1] = can[j] && (w[j] == 62 || w[j] == line[i]);
    }
    memcpy(can, next, sizeof can);
  }
  return can[m];
}
void ref(void **p, const double *s) {
  const unsigned char *text = p[0], *patterns = p[1], *wild = p[3];
  const int *lengths = p[2];
  int *counts = p[4], n = (int)s[0], many = (int)s[1], width = (int)s[2], m = (int)s[3];
  unsigned *first = p[5];
  unsigned char *yes = p[6];
  for (int k = 0; k < many; k++)
    for (int at = 0; at + lengths[k] <= n; at++) {
      if (memcmp(text + at, patterns + 16 * k, (size_t)lengths[k]) != 0) continue;
      if (counts[k]++ == 0) first[k] = (unsigned)at;
    }
  for (int t = 0; t < n / width; t++) yes[t] = (unsigned char)matches(text + t * width, width, wild, m);
}]==],
  case = function(h, size)
    local n, many, letters = h.pick(size, 7001, 800000), h.pick(size, 7, 8), math.random(2, 4)
    local text = h.input("uint8", n, 0, letters)
    local pattern, length = {}, {}
    for k = 1, many do
      length[k] = math.random(1, 7)
      for i = 1, 16 do pattern[16 * (k - 1) + i] = math.random(0, letters - 1) end
    end
    local wild = {}
    for i = 1, math.random(3, 12) do
      local r = math.random(5)
      wild[i] = r == 1 and 62 or r < 4 and 63 or math.random(0, letters - 1)
    end
    local width = 23
    local patterns, lengths, wildcard = h.data("uint8", pattern), h.data("int32", length), h.data("uint8", wild)
    local tables, counts = h.output("uint8", 84 * many), h.output("int32", many)
    local first, yes = h.raw("uint32", ("\xff"):rep(4 * many)), h.output("uint8", n // width)
    local each, block = h.pick(size, 37, 128), h.pick(size, 45, 128)
    h.launch("prepare", { many }, { 64 }, patterns, lengths, tables, many)
    local grid = { (n + each * block - 1) // (each * block), many }
    h.launch("search", grid, { block }, text, n, tables, each, counts, first)
    h.launch("match", { (n // width + 99) // 100 }, { 100 }, text, width, n // width, wildcard, #wild, yes)
    h.reference({ text, patterns, lengths, wildcard, counts, first, yes }, { n, many, width, #wild })
    h.expect(counts, 0)
    h.expect(first, 0)
    h.expect(yes, 0)
  end,
}
