-- Odd-even transposition of many short segments, a block each, until a vote of the block says nothing moved.
return {
  field = "sorting",
  cuda = [==[
__global__ void odd_even(short *data, const int *start, int *rounds) {
  extern __shared__ short s[];
  int first = start[blockIdx.x], n = start[blockIdx.x + 1] - first, round = 0;
  if (n < 2) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[first + i];
  bool quiet = false;
  while (true) {
    __syncthreads();
    bool moved = false;
    for (int i = 2 * threadIdx.x + (round & 1); i + 1 < n; i += 2 * blockDim.x) {
      short a = s[i], b = s[i + 1];
      if (a <= b) continue;
      s[i] = b;
      s[i + 1] = a;
      moved = true;
    }
    round++;
    bool any = __syncthreads_or(moved);
    if (!any && quiet) break; // two rounds, one of each kind
    quiet = !any;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[first + i] = s[i];
  if (threadIdx.x == 0) atomicMax(rounds, round);
}]==],
  c = [==[
static int compare(const void *a, const void *b) { return *(const int16_t *)a - *(const int16_t *)b; }
void ref(void **p, const double *s) {
  int16_t *data = p[0];
  const int32_t *start = p[1];
  for (int i = 0; i < (int)s[0]; i++)
    qsort(data + start[i], (size_t)(start[i + 1] - start[i]), sizeof *data, compare);
}]==],
  case = function(h, size)
    local segments, most = h.pick(size, 37, 3000), h.pick(size, 150, 300)
    local start = { 0 }
    for i = 1, segments do start[i + 1] = start[i] + math.random(0, most) end
    local data, starts = h.input("int16", start[#start] + 1), h.data("int32", start)
    local rounds = h.output("int32", 1)
    h.shared(2 * most)
    h.launch("odd_even", segments, 50, data, starts, rounds)
    h.reference({ data, starts }, { segments })
    h.expect(data, 0)
  end,
}
