-- A convolution layer (3x3, padding, stride, several channels): the input's tile and the filters in shared memory.
return {
  field = "machine learning",
  options = { fmad = false },
  cuda = [==[
template <int STRIDE, int TX, int TY>
__global__ void conv3x3(const float *in, const float *filter, const float *bias, float *out, int channels, int width,
                        int height, int out_width, int out_height) {
  constexpr int W = (TX - 1) * STRIDE + 3, H = (TY - 1) * STRIDE + 3;
  __shared__ float tile[H][W];
  __shared__ float weights[9];
  int ox = blockIdx.x * TX + threadIdx.x, oy = blockIdx.y * TY + threadIdx.y, k = blockIdx.z;
  int left = blockIdx.x * TX * STRIDE - 1, top = blockIdx.y * TY * STRIDE - 1, t = threadIdx.y * TX + threadIdx.x;
  float sum = bias[k];
  for (int c = 0; c < channels; c++) {
    for (int i = t; i < W * H; i += TX * TY) {
      int x = left + i % W, y = top + i / W;
      bool inside = x >= 0 && x < width && y >= 0 && y < height;
      tile[i / W][i % W] = inside ? in[(c * height + y) * width + x] : 0.0f;
    }
    if (t < 9) weights[t] = filter[(k * channels + c) * 9 + t];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 3; i++)
#pragma unroll
      for (int j = 0; j < 3; j++)
        sum += weights[3 * i + j] * tile[threadIdx.y * STRIDE + i][threadIdx.x * STRIDE + j];
    __syncthreads();
  }
  if (ox < out_width && oy < out_height) out[(k * out_height + oy) * out_width + ox] = sum;
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const float *in = p[0], *filter = p[1], *bias = p[2];
  float *out = p[3];
  int C = (int)s[0], K = (int)s[1], W = (int)s[2], H = (int)s[3], stride = (int)s[4];
  int ow = (W - 1) / stride + 1, oh = (H - 1) / stride + 1;
  for (int k = 0; k < K; k++)
    for (int y = 0; y < oh; y++)
      for (int x = 0; x < ow; x++) {
        float sum = bias[k];
        for (int c = 0; c < C; c++)
          for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
              int ix = x * stride + dx, iy = y * stride + dy;
              float v = ix < 0 || iy < 0 || ix >= W || iy >= H ? 0.0f : in[(c * H + iy) * W + ix];
              sum += filter[(k * C + c) * 9 + (dy + 1) * 3 + dx + 1] * v;
            }
        out[(k * oh + y) * ow + x] = sum;
      }
}]==],
  case = function(h, size)
    local C, K = h.pick(size, 3, 8), h.pick(size, 4, 16)
    local W, H = h.pick(size, math.random(5, 40), 160), h.pick(size, math.random(5, 40), 120)
    local stride = h.pick(size, math.random(1, 2), 1)
    local ow, oh = (W - 1) // stride + 1, (H - 1) // stride + 1
    local input, filter = h.input("float32", C * W * H), h.input("float32", 9 * C * K)
    local bias, out = h.input("float32", K), h.output("float32", K * ow * oh)
    local tx, ty = 11, 7
    if stride == 2 then tx, ty = 16, 8 end
    local grid = { (ow + tx - 1) // tx, (oh + ty - 1) // ty, K }
    h.launch(("conv3x3<%d, %d, %d>"):format(stride, tx, ty), grid, { tx, ty }, input, filter, bias, out, C, W, H, ow,
      oh)
    h.reference({ input, filter, bias, out }, { C, K, W, H, stride })
    h.expect(out, 0)
  end,
}
