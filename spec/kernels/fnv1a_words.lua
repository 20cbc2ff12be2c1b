-- FNV-1a of every word of a text: each thread that stands on a word's first letter hashes it, whatever its length.
return {
  field = "hashing",
  cuda = [==[
__device__ bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
__device__ char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c; }

__global__ void hash_words(const char *text, int n, unsigned long long *hash, unsigned *words, unsigned *longest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || !is_letter(text[i]) || (i > 0 && is_letter(text[i - 1]))) return;
  unsigned long long h = 14695981039346656037ull;
  int k = i;
  do {
    h ^= (unsigned char)lower(text[k]);
    h *= 1099511628211ull;
  } while (++k < n && is_letter(text[k]));
  hash[i] = h;
  atomicAdd(words, 1u);
  atomicMax(longest, (unsigned)(k - i));
}]==],
  c = [==[
#include <ctype.h>
void ref(void **p, const double *s) {
  const char *text = p[0];
  unsigned long long *hash = p[1], h = 0;
  unsigned *words = p[2], *longest = p[3];
  int n = (int)s[0], first = -1;
  for (int i = 0; i <= n; i++) {
    int letter = i < n && isalpha((unsigned char)text[i]);
    if (letter && first < 0) { first = i; h = 0xcbf29ce484222325u; ++*words; }
    if (letter) h = (h ^ (unsigned char)tolower((unsigned char)text[i])) * 0x100000001b3u;
    if (!letter && first >= 0) {
      hash[first] = h;
      if ((unsigned)(i - first) > *longest) *longest = (unsigned)(i - first);
      first = -1;
    }
  }
}]==],
  case = function(h, size)
    local n = h.pick(size, 5003, 2000000)
    local pieces, have = {}, 0
    while have < n do
      local word = {}
      for k = 1, math.random(1, 9) do
        word[k] = string.char(math.random(97, 122) - (math.random(4) == 1 and 32 or 0))
      end
      local piece = table.concat(word):rep(math.random(30) == 1 and 5 or 1) .. ("., \n-7"):sub(math.random(6)):rep(2)
      pieces[#pieces + 1], have = piece, have + #piece
    end
    local text = h.raw("uint8", table.concat(pieces):sub(1, n))
    local hash, words, longest = h.output("uint64", n), h.output("uint32", 1), h.output("uint32", 1)
    h.launch("hash_words", { (n + 255) // 256 }, { 256 }, text, n, hash, words, longest)
    h.reference({ text, hash, words, longest }, { n })
    h.expect(hash, 0)
    h.expect(words, 0)
    h.expect(longest, 0)
  end,
}
