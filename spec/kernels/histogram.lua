-- Histogram of a picture's bytes: bins in shared memory, flushed by atomics.
return {
  field = "image",
  cuda = [==[
#define BINS 256
__global__ void histogram(const unsigned char *pixels, int n, unsigned int *bins) {
  __shared__ unsigned int local[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&local[pixels[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const uint8_t *pixels = p[0];
  uint32_t *bins = p[1];
  int n = (int)s[0];
  for (int i = 0; i < n; i++) bins[pixels[i]]++;
}]==],
  case = function(h, size)
    local n = h.pick(size, 20011, 1 << 26)
    local pixels, bins = h.input("uint8", n), h.output("uint32", 256)
    h.launch("histogram", h.pick(size, 7, 512), h.pick(size, 96, 256), pixels, n, bins)
    h.reference({ pixels, bins }, { n })
    h.expect(bins, 0)
  end,
}
