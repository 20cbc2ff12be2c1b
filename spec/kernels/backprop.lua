-- A layer of a neural network forwards (a column of the block's 16x16 products summed as a tree) and its weights
-- adjusted backwards with momentum, as in Rodinia.
return {
  field = "machine learning",
  cuda = [==[
#define SIDE 16
__global__ void forward(const float *input, const float *weights, float *partial, int hidden) {
  __shared__ float node[SIDE];
  __shared__ float product[SIDE][SIDE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int in = blockIdx.y * SIDE + ty;
  if (tx == 0) node[ty] = input[in];
  __syncthreads();
  product[ty][tx] = weights[in * hidden + blockIdx.x * SIDE + tx] * node[ty];
  __syncthreads();
  for (int i = 1; i <= 4; i++) {
    int step = 1 << i;
    if (ty % step == 0) product[ty][tx] += product[ty + step / 2][tx];
    __syncthreads();
  }
  if (ty == 0) partial[blockIdx.y * hidden + blockIdx.x * SIDE + tx] = product[0][tx];
}

__global__ void squash(const float *partial, const float *target, float *output, float *delta, int parts, int hidden) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= hidden) return;
  float sum = 0;
  for (int k = 0; k < parts; k++) sum += partial[k * hidden + j];
  float o = 1.0f / (1.0f + __expf(-sum));
  output[j] = o;
  delta[j] = o * (1.0f - o) * (target[j] - o);
}

__global__ void adjust(const float *delta, const float *input, float *weights, float *old, int hidden) {
  int j = blockIdx.x * SIDE + threadIdx.x, i = blockIdx.y * SIDE + threadIdx.y, at = i * hidden + j;
  float change = 0.3f * delta[j] * input[i] + 0.3f * old[at];
  weights[at] += change;
  old[at] = change;
}]==],
  c = [==[
#include <math.h>
void ref(void **p, const double *s) {
  const float *input = p[0], *target = p[1];
  float *weights = p[2], *old = p[3], *output = p[4];
  int ins = (int)s[0], hidden = (int)s[1];
  for (int j = 0; j < hidden; j++) {
    double sum = 0;
    for (int i = 0; i < ins; i++) sum += (double)input[i] * weights[i * hidden + j];
    double o = 1 / (1 + exp(-sum)), delta = o * (1 - o) * (target[j] - o);
    output[j] = (float)o;
    for (int i = 0; i < ins; i++) {
      double change = 0.3 * delta * input[i] + 0.3 * old[i * hidden + j];
      weights[i * hidden + j] = (float)(weights[i * hidden + j] + change);
      old[i * hidden + j] = (float)change;
    }
  }
}]==],
  case = function(h, size)
    local ins, hidden = 16 * h.pick(size, 7, 128), 16 * h.pick(size, 3, 64)
    local input, target = h.input("float32", ins, 0, 1), h.input("float32", hidden, 0, 1)
    local weights, old = h.input("float32", ins * hidden, -0.3, 0.3), h.input("float32", ins * hidden, -0.1, 0.1)
    local output, delta = h.output("float32", hidden), h.output("float32", hidden)
    local partial = h.output("float32", ins // 16 * hidden)
    h.launch("forward", { hidden // 16, ins // 16 }, { 16, 16 }, input, weights, partial, hidden)
    h.launch("squash", { (hidden + 24) // 25 }, { 25 }, partial, target, output, delta, ins // 16, hidden)
    h.launch("adjust", { hidden // 16, ins // 16 }, { 16, 16 }, delta, input, weights, old, hidden)
    h.reference({ input, target, weights, old, output }, { ins, hidden })
    h.expect(output, 3e-5)
    h.expect(weights, 2e-5)
    h.expect(old, 2e-5)
  end,
}
