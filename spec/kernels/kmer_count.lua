-- k-mers of DNA: letters become two bits, a k-mer and its reverse complement count as one; N breaks the window.
return {
  field = "genetics",
  cuda = [==[
/* By the low five bits of the letter: A, C, G, T and nothing else. */
__constant__ signed char code_of[32] = { -1, 0, -1, 1, -1, -1, -1, 2, -1, -1, -1, -1, -1, -1, -1, -1,
                                         -1, -1, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };

__device__ __forceinline__ unsigned reverse_complement(unsigned kmer, int k) {
  unsigned v = __brev(~kmer);                            /* bits reversed: pairs too, so put those back */
  v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
  return v >> (32 - 2 * k);
}

__global__ void count_kmers(const char *dna, int n, int k, unsigned *counts, unsigned *skipped) {
  extern __shared__ signed char window[];
  int first = blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < blockDim.x + k - 1; i += blockDim.x)
    window[i] = first + i < n ? code_of[dna[first + i] & 31] : (signed char)-1;
  __syncthreads();
  bool inside = first + threadIdx.x + k <= n;
  unsigned kmer = 0;
  int broken = 0;
  for (int i = 0; i < k; i++) {
    int c = window[threadIdx.x + i];
    broken |= c;
    kmer = kmer << 2 | (c & 3);
  }
  if (inside && broken >= 0) atomicAdd(&counts[min(kmer, reverse_complement(kmer, k))], 1u);
  int lost = __syncthreads_count(inside && broken < 0);
  if (threadIdx.x == 0 && lost) atomicAdd(skipped, (unsigned)lost);
}]==],
  c = [==[
#include <string.h>
void ref(void **p, const double *s) {
  const char *dna = p[0];
  unsigned *counts = p[1], *skipped = p[2];
  int n = (int)s[0], k = (int)s[1];
  static const char letters[] = "ACGT";
  for (int i = 0; i + k <= n; i++) {
    unsigned there = 0, back = 0;
    int j = 0;
    for (; j < k; j++) {
      const char *at = strchr(letters, dna[i + j]);
      if (!at) break;
      unsigned code = (unsigned)(at - letters);
      there = 4 * there + code;
      back += (3 - code) << 2 * j;
    }
    if (j < k) ++*skipped;
    else counts[there < back ? there : back]++;
  }
}]==],
  case = function(h, size)
    local n, k = h.pick(size, 4001, 1000000), h.pick(size, math.random(1, 8), 9)
    local pieces = {}
    for i = 1, n do
      local r = math.random(200)
      pieces[i] = ("ACGT"):sub(r % 4 + 1, r % 4 + 1)
      if r == 200 then pieces[i] = "N" end
    end
    local dna = h.raw("int8", table.concat(pieces))
    local counts, skipped = h.output("uint32", 1 << 2 * k), h.output("uint32", 1)
    local block = h.pick(size, 77, 256)
    h.shared(block + k - 1)
    h.launch("count_kmers", { (n + block - 1) // block }, { block }, dna, n, k, counts, skipped)
    h.reference({ dna, counts, skipped }, { n, k })
    h.expect(counts, 0)
    h.expect(skipped, 0)
  end,
}
