-- Run-length coding: heads of runs marked, a block scan gives their places, a decoupled pass the offsets of blocks.
return {
  field = "compression",
  cuda = [==[
#define BLOCK 96

/* Exclusive sum over the block, and its total. */
__device__ int block_scan(int v, int *total) {
  __shared__ int warps[BLOCK / 32 + 1];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sum = v;
  for (int d = 1; d < 32; d <<= 1) {
    int o = __shfl_up_sync(0xffffffffu, sum, d);
    if (lane >= d) sum += o;
  }
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < BLOCK / 32; w++) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  __syncthreads();
  *total = all;
  return before + sum - v;
}

__global__ void count_heads(const unsigned char *in, int n, int *heads) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int head = i < n && (i == 0 || in[i] != in[i - 1]);
  int all = __syncthreads_count(head);
  if (threadIdx.x == 0) heads[blockIdx.x] = all;
}

__global__ void scan_heads(int *heads, int blocks, int *runs) {
  int carry = 0;
  for (int first = 0; first < blocks; first += BLOCK) {
    int i = first + threadIdx.x, total;
    int before = block_scan(i < blocks ? heads[i] : 0, &total);
    if (i < blocks) heads[i] = carry + before;
    carry += total;
  }
  if (threadIdx.x == 0) *runs = carry;
}

__global__ void write_heads(const unsigned char *in, int n, const int *offset, unsigned char *value, int *start) {
  int i = blockIdx.x * BLOCK + threadIdx.x, total;
  int head = i < n && (i == 0 || in[i] != in[i - 1]);
  int at = offset[blockIdx.x] + block_scan(head, &total);
  if (!head) return;
  value[at] = in[i];
  start[at] = i;
}

__global__ void lengths(const int *start, const int *runs, int n, int *length) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *runs; i += gridDim.x * blockDim.x)
    length[i] = (i + 1 < *runs ? start[i + 1] : n) - start[i];
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const unsigned char *in = p[0];
  unsigned char *value = p[1];
  int *length = p[2], *runs = p[3], n = (int)s[0];
  for (int i = 0; i < n;) {
    int k = i;
    while (k < n && in[k] == in[i]) k++;
    value[*runs] = in[i];
    length[(*runs)++] = k - i;
    i = k;
  }
}]==],
  case = function(h, size)
    local n = h.pick(size, math.random(8000, 12000), 1500000)
    local pieces, have, longest = {}, 0, h.pick(size, math.random(1, 300), 40)
    while have < n do
      local length = math.random(1, longest)
      pieces[#pieces + 1] = string.char(math.random(0, 255)):rep(length)
      have = have + length
    end
    local x = h.raw("uint8", table.concat(pieces):sub(1, n))
    local blocks = (n + 95) // 96
    local heads, start = h.output("int32", blocks), h.output("int32", n)
    local value, length, runs = h.output("uint8", n), h.output("int32", n), h.output("int32", 1)
    h.launch("count_heads", { blocks }, { 96 }, x, n, heads)
    h.launch("scan_heads", { 1 }, { 96 }, heads, blocks, runs)
    h.launch("write_heads", { blocks }, { 96 }, x, n, heads, value, start)
    h.launch("lengths", { 6 }, { 64 }, start, runs, n, length)
    h.reference({ x, value, length, runs }, { n })
    h.expect(runs, 0)
    h.expect(value, 0)
    h.expect(length, 0)
  end,
}
