-- Embeddings summed over bags of tokens, and the gradient back into the table; rows move as float4, weights optional.
return {
  field = "machine learning",
  unordered = true,
  cuda = [==[
__device__ __forceinline__ float4 operator*(float a, float4 v) {
  return make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
}
__device__ __forceinline__ float4 &operator+=(float4 &a, float4 b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  a.w += b.w;
  return a;
}

__global__ void lookup(const float4 *table, const long long *tokens, const int *start, const float *weight, float4 *out,
                       int bags, int width) {
  for (int bag = blockIdx.x * blockDim.y + threadIdx.y; bag < bags; bag += gridDim.x * blockDim.y)
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      float4 sum = make_float4(0, 0, 0, 0);
      for (int k = start[bag]; k < start[bag + 1]; k++)
        sum += (weight ? weight[k] : 1.0f) * __ldg(&table[tokens[k] * width + i]);
      out[(size_t)bag * width + i] = sum;
    }
}

__global__ void back(const float *gradient, const long long *tokens, const int *start, float *table, int bags,
                     int width) {
  int bag = blockIdx.x, i = threadIdx.x;
  if (i >= width) return;
  float g = gradient[bag * width + i];
  for (int k = start[bag]; k < start[bag + 1]; k++) atomicAdd(&table[tokens[k] * width + i], g);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const float *table = p[0], *weight = p[3], *gradient = p[5];
  const long long *tokens = p[1];
  const int *start = p[2];
  float *out = p[4], *back = p[6];
  int bags = (int)s[0], width = (int)s[1], weighted = (int)s[2];
  for (int b = 0; b < bags; b++)
    for (int k = start[b]; k < start[b + 1]; k++)
      for (int i = 0; i < width; i++) {
        out[b * width + i] += (weighted ? weight[k] : 1) * table[tokens[k] * width + i];
        back[tokens[k] * width + i] += gradient[b * width + i];
      }
}]==],
  case = function(h, size)
    local words, width = h.pick(size, 97, 5000), 4 * h.pick(size, math.random(1, 9), 32)
    local bags = h.pick(size, 41, 20000)
    local start = { 0 }
    for i = 1, bags do start[i + 1] = start[i] + math.random(0, 9) end
    local count = start[bags + 1]
    local table_, tokens = h.input("float32", words * width, 0, 1), h.input("int64", count + 1, 0, words)
    local starts, weight = h.data("int32", start), h.input("float32", count + 1, 0, 1)
    local out, gradient = h.output("float32", bags * width), h.input("float32", bags * width, 0, 1)
    local back, weighted = h.output("float32", words * width), math.random(0, 1)
    local weights = weighted == 1 and weight or require "dotcompute".null
    h.launch("lookup", { 4 }, { 8, 6 }, table_, tokens, starts, weights, out, bags, width // 4)
    h.launch("back", { bags }, { 128 }, gradient, tokens, starts, back, bags, width)
    h.reference({ table_, tokens, starts, weight, out, gradient, back }, { bags, width, weighted })
    h.expect(out, 1e-5)
    h.expect(back, 1e-5)
  end,
}
