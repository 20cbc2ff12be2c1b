-- The loss of a classifier and its gradient in one kernel, from logits in half precision; ignored labels are negative.
return {
  field = "machine learning",
  cuda = [==[
#include <math.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void cross_entropy(const void *halves, const int *label, float *loss, float *gradient, int classes) {
  __shared__ float part[2][8];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x, warps = blockDim.x / 32, target = label[row];
  const __half *x = (const __half *)halves + (size_t)row * classes;
  float *dx = gradient + (size_t)row * classes;
  if (target < 0) {
    for (int i = threadIdx.x; i < classes; i += blockDim.x) dx[i] = 0;
    if (threadIdx.x == 0) loss[row] = 0;
    return;
  }
  float top = -INFINITY;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) top = fmaxf(top, __half2float(x[i]));
  top = cg::reduce(warp, top, cg::greater<float>());
  if (warp.thread_rank() == 0) part[0][warp.meta_group_rank()] = top;
  block.sync();
  for (int i = 0; i < warps; i++) top = fmaxf(top, part[0][i]);
  float sum = 0;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) sum += expf(__half2float(x[i]) - top);
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) part[1][warp.meta_group_rank()] = sum;
  block.sync();
  sum = 0;
  for (int i = 0; i < warps; i++) sum += part[1][i];
  for (int i = threadIdx.x; i < classes; i += blockDim.x)
    dx[i] = expf(__half2float(x[i]) - top) / sum - (i == target ? 1.0f : 0.0f);
  if (threadIdx.x == 0) loss[row] = logf(sum) + top - __half2float(x[target]);
}]==],
  c = [==[
#include <math.h>
static double half(unsigned short h) {
  int e = h >> 10 & 31, m = h & 1023;
  double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return h >> 15 ? -v : v;
}
void ref(void **p, const double *s) {
  const unsigned short *logits = p[0];
  const int *label = p[1];
  float *loss = p[2], *gradient = p[3];
  int rows = (int)s[0], classes = (int)s[1];
  for (int r = 0; r < rows; r++, logits += classes, gradient += classes) {
    if (label[r] < 0) continue;
    double sum = 0;
    for (int i = 0; i < classes; i++) sum += exp(half(logits[i]));
    for (int i = 0; i < classes; i++) gradient[i] = (float)(exp(half(logits[i])) / sum);
    gradient[label[r]] = (float)(exp(half(logits[label[r]])) / sum - 1);
    loss[r] = (float)(log(sum) - half(logits[label[r]]));
  }
}]==],
  case = function(h, size)
    local rows, classes = h.pick(size, 31, 1000), h.pick(size, math.random(2, 300), 1000)
    local logits, label = h.input("float16", rows * classes, -10, 10), h.input("int32", rows, -1, classes)
    local loss, gradient = h.output("float32", rows), h.output("float32", rows * classes)
    h.launch("cross_entropy", { rows }, { h.pick(size, 96, 128) }, logits, label, loss, gradient, classes)
    h.reference({ logits, label, loss, gradient }, { rows, classes })
    h.expect(loss, 2e-5)
    h.expect(gradient, 2e-5)
  end,
}
