-- The 0/1 knapsack, an item a launch, with a bit for each decision (a ballot's word), and the walk back by one thread.
return {
  field = "dynamic programming",
  cuda = [==[
__global__ void item(const int *before, int *now, unsigned *taken, int weight, int value, int capacity) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int keep = c <= capacity ? before[c] : 0, take = -1;
  if (c >= weight && c <= capacity) take = before[c - weight] + value;
  unsigned decisions = __ballot_sync(0xffffffffu, take > keep);
  if (c <= capacity) now[c] = max(keep, take);
  if ((threadIdx.x & 31) == 0 && c <= capacity) taken[c / 32] = decisions;
}

__global__ void walk_back(const unsigned *taken, int words, const int *weights, int n, int capacity,
                          unsigned char *in) {
  int c = capacity;
  for (int i = n - 1; i >= 0; i--) {
    bool yes = taken[i * words + c / 32] >> (c % 32) & 1;
    in[i] = yes;
    if (yes) c -= weights[i];
  }
}]==],
  c = [==[
#include <stdlib.h>
#include <string.h>
void ref(void **p, const double *s) {
  const int *weights = p[0], *values = p[1];
  int *best = p[2], n = (int)s[0], capacity = (int)s[1];
  unsigned char *in = p[3], *choice = calloc((size_t)n * (size_t)(capacity + 1), 1);
  for (int i = 0; i < n; i++)
    for (int c = capacity; c >= weights[i]; c--)
      if (best[c - weights[i]] + values[i] > best[c]) {
        best[c] = best[c - weights[i]] + values[i];
        choice[(size_t)i * (size_t)(capacity + 1) + (size_t)c] = 1;
      }
  for (int i = n, c = capacity; i-- > 0;)
    if ((in[i] = choice[(size_t)i * (size_t)(capacity + 1) + (size_t)c]) != 0) c -= weights[i];
  free(choice);
}]==],
  case = function(h, size)
    local n, capacity = 2 * h.pick(size, math.random(4, 20), 20), h.pick(size, math.random(500, 2000), 200000)
    local weight, value = {}, {}
    for i = 1, n do weight[i], value[i] = math.random(1, capacity // 6), math.random(1, 1000) end
    local weights, values, chosen = h.data("int32", weight), h.data("int32", value), h.output("uint8", n)
    local a, b = h.output("int32", capacity + 1), h.output("int32", capacity + 1)
    local best, words = a, capacity // 32 + 1
    local taken = h.output("uint32", n * words)
    for i = 1, n do
      h.launch("item", { capacity // 96 + 1 }, { 96 }, a, b, taken:slice { (i - 1) * words + 1, i * words }, weight[i],
        value[i], capacity)
      a, b = b, a
    end
    h.launch("walk_back", { 1 }, { 1 }, taken, words, weights, n, capacity, chosen)
    h.reference({ weights, values, best, chosen }, { n, capacity })
    h.expect(best, 0)
    h.expect(chosen, 0)
  end,
}
