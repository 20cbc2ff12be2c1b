// Textures and surfaces: over arrays of one to three dimensions, layers, pitched and linear memory; read by points and
// by linear filters, in coordinates of both kinds, outside of the extents too; copies to and from parts of arrays.
#include "verify.h"

#include <algorithm>
#include <cmath>

__global__ void fetch(cudaTextureObject_t t, const int *index, float4 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float4>(t, index[i]);
}

template <class T> __global__ void sample(cudaTextureObject_t t, const float2 *at, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<T>(t, at[i].x, at[i].y);
}

__global__ void volume(cudaTextureObject_t t, int3 size, int *out) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x < size.x && y < size.y) out[(z * size.y + y) * size.x + x] = tex3D<int>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void layer(cudaTextureObject_t t, int width, int layers, short *out) {
  for (int l = 0; l < layers; l++)
    for (int x = threadIdx.x; x < width; x += blockDim.x) out[l * width + x] = tex1DLayered<short>(t, x + 0.5f, l);
}

// Each element is the sum of its neighbours left and right, in place of which -1 is written where there are none.
__global__ void neighbours(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const bool inside = x > 0 && x + 1 < width;
  const int left = surf2Dread<int>(from, (x - 1) * 4, y, cudaBoundaryModeZero);
  const int right = surf2Dread<int>(from, (x + 1) * 4, y, cudaBoundaryModeZero);
  surf2Dwrite(inside ? left + right : -1, to, x * 4, y);
}

static int random_size(int most) { return int(number(1, most)); }

static cudaTextureObject_t texture(const cudaResourceDesc &r, cudaTextureFilterMode filter = cudaFilterModePoint,
                                   cudaTextureAddressMode address = cudaAddressModeClamp, bool normalized = false,
                                   cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = address;
  d.filterMode = filter;
  d.normalizedCoords = normalized;
  d.readMode = read;
  cudaTextureObject_t t;
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  return t;
}

static cudaResourceDesc over(cudaArray_t a) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  return r;
}

template <class T> static T *to_device(const std::vector<T> &v) {
  T *d;
  OK(cudaMalloc(&d, v.size() * sizeof(T)));
  OK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}

template <class T> static std::vector<T> to_host(T *d, size_t n) {
  std::vector<T> v(n);
  OK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
  return v;
}

static void linear_memory(int n) {
  const auto values = numbers<float>(4 * size_t(n), -999, 999);
  const auto index = numbers<int>(n, 0, n - 1);
  float *d = to_device(values);
  int *d_index = to_device(index);
  float4 *d_out;
  OK(cudaMalloc(&d_out, n * sizeof *d_out));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = d;
  r.res.linear.desc = cudaCreateChannelDesc<float4>();
  r.res.linear.sizeInBytes = values.size() * sizeof(float);
  const auto t = texture(r);
  fetch<<<(n + 127) / 128, 128>>>(t, d_index, d_out, n);
  const auto out = to_host(d_out, n);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    const float *v = &values[4 * size_t(index[i])];
    bad += out[i].x != v[0] || out[i].y != v[1] || out[i].z != v[2] || out[i].w != v[3];
  }
  TRUE(bad == 0);
  OK(cudaDestroyTextureObject(t));
  OK(cudaFree(d));
  OK(cudaFree(d_index));
}

/* Weights are multiples of 1/256, so a result differs by at most that much of the texels' range, in each direction. */
static float bilinear(const std::vector<float> &v, int width, int height, float x, float y) {
  const float fx = std::floor(x - 0.5f), fy = std::floor(y - 0.5f), a = x - 0.5f - fx, b = y - 0.5f - fy;
  const auto at = [&](float i, float j) {
    return v[size_t(std::clamp(int(j), 0, height - 1)) * width + std::clamp(int(i), 0, width - 1)];
  };
  const float above = (1 - a) * at(fx, fy) + a * at(fx + 1, fy);
  return (1 - b) * above + b * ((1 - a) * at(fx, fy + 1) + a * at(fx + 1, fy + 1));
}

static void filtered(int n) {
  const int width = random_size(90), height = random_size(70);
  const auto values = numbers<float>(size_t(width) * height, 0, 100);
  std::vector<float2> at(n), scaled(n);
  for (int i = 0; i < n; i++) {
    at[i] = { number(-64, 64 * (width + 1)) / 64.0f, number(-64, 64 * (height + 1)) / 64.0f };
    scaled[i] = { at[i].x / width, at[i].y / height };
  }
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<float>();
  OK(cudaMallocArray(&array, &format, width, height));
  OK(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  for (const bool normalized : { false, true }) {
    const auto t = texture(over(array), cudaFilterModeLinear, cudaAddressModeClamp, normalized);
    float2 *d_at = to_device(normalized ? scaled : at);
    float *d_out;
    OK(cudaMalloc(&d_out, n * sizeof *d_out));
    sample<<<(n + 63) / 64, 64>>>(t, d_at, d_out, n);
    const auto out = to_host(d_out, n);
    int bad = 0;
    for (int i = 0; i < n; i++)
      bad += !(std::fabs(out[i] - bilinear(values, width, height, at[i].x, at[i].y)) <= 100 * 2.5f / 256);
    TRUE(bad == 0);
    OK(cudaFree(d_at));
    OK(cudaDestroyTextureObject(t));
  }
  OK(cudaFreeArray(array));
}

/* Bytes of pitched memory, read as floats from 0 to 1, in coordinates that wrap. */
static void pitched(int n) {
  const int width = random_size(90), height = random_size(70);
  const auto values = numbers<unsigned char>(size_t(width) * height, 0, 255);
  std::vector<float2> at(n);
  std::vector<float> expected(n);
  for (int i = 0; i < n; i++) {
    const int x = int(number(-2 * width, 3 * width - 1)), y = int(number(-2 * height, 3 * height - 1));
    at[i] = { (x + 0.5f) / width, (y + 0.5f) / height };
    expected[i] = values[size_t((y + 2 * height) % height) * width + (x + 2 * width) % width] / 255.0f;
  }
  unsigned char *d;
  size_t pitch;
  OK(cudaMallocPitch(&d, &pitch, width, height));
  OK(cudaMemcpy2D(d, pitch, values.data(), width, width, height, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = d;
  r.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  r.res.pitch2D.width = width;
  r.res.pitch2D.height = height;
  r.res.pitch2D.pitchInBytes = pitch;
  const auto t = texture(r, cudaFilterModePoint, cudaAddressModeWrap, true, cudaReadModeNormalizedFloat);
  float2 *d_at = to_device(at);
  float *d_out;
  OK(cudaMalloc(&d_out, n * sizeof *d_out));
  sample<<<(n + 95) / 96, 96>>>(t, d_at, d_out, n);
  const auto out = to_host(d_out, n);
  int bad = 0;
  for (int i = 0; i < n; i++) bad += !(std::fabs(out[i] - expected[i]) < 1e-6f);
  TRUE(bad == 0);
  OK(cudaDestroyTextureObject(t));
  OK(cudaFree(d));
  OK(cudaFree(d_at));
}

static void volumes() {
  const int3 size = { random_size(16), random_size(16), random_size(12) };
  auto values = numbers<int>(size_t(size.x) * size.y * size.z, -999, 999);
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<int>();
  const auto extent = make_cudaExtent(size.x, size.y, size.z);
  OK(cudaMalloc3DArray(&array, &format, extent));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(values.data(), size.x * sizeof(int), size.x, size.y);
  p.dstArray = array;
  p.extent = extent;
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  /* one texel of the last corner is another's */
  int other = 12345;
  values.back() = other;
  p.srcPtr = make_cudaPitchedPtr(&other, sizeof other, 1, 1);
  p.dstPos = make_cudaPos(size.x - 1, size.y - 1, size.z - 1);
  p.extent = make_cudaExtent(1, 1, 1);
  OK(cudaMemcpy3D(&p));
  const auto t = texture(over(array));
  int *d_out;
  OK(cudaMalloc(&d_out, values.size() * sizeof(int)));
  volume<<<size.z, dim3(16, 16)>>>(t, size, d_out);
  SAME("volume", values, to_host(d_out, values.size()));
  OK(cudaDestroyTextureObject(t));
  OK(cudaFreeArray(array));
}

static void layers() {
  const int width = random_size(300), count = random_size(9);
  auto values = numbers<short>(size_t(width) * count, -999, 999);
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<short>();
  OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, 0, count), cudaArrayLayered));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(values.data(), width * sizeof(short), width, 1);
  p.dstArray = array;
  p.extent = make_cudaExtent(width, 1, count);
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  const auto t = texture(over(array));
  short *d_out;
  OK(cudaMalloc(&d_out, values.size() * sizeof(short)));
  layer<<<1, 100>>>(t, width, count, d_out);
  SAME("layers", values, to_host(d_out, values.size()));
  OK(cudaDestroyTextureObject(t));
  OK(cudaFreeArray(array));
}

static void surfaces() {
  const int width = random_size(80), height = random_size(60);
  const auto values = numbers<int>(size_t(width) * height, -999, 999);
  cudaArray_t array[2];
  cudaSurfaceObject_t s[2];
  const auto format = cudaCreateChannelDesc<int>();
  for (int i = 0; i < 2; i++) {
    OK(cudaMallocArray(&array[i], &format, width, height, cudaArraySurfaceLoadStore));
    const auto r = over(array[i]);
    OK(cudaCreateSurfaceObject(&s[i], &r));
  }
  OK(cudaMemcpy2DToArray(array[0], 0, 0, values.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  neighbours<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(s[0], s[1], width, height);
  OK(cudaGetLastError());
  std::vector<int> out(values.size()), expected(values.size());
  OK(cudaMemcpy2DFromArray(out.data(), width * 4, array[1], 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; i++) {
    const int x = i % width;
    expected[i] = x > 0 && x + 1 < width ? values[i - 1] + values[i + 1] : -1;
  }
  SAME("surfaces", expected, out);
  TRUE(cudaMemcpy2DFromArray(out.data(), width * 4, array[1], 4, 0, width * 4, height, cudaMemcpyDeviceToHost) ==
       cudaErrorInvalidValue);
  for (int i = 0; i < 2; i++) {
    OK(cudaDestroySurfaceObject(s[i]));
    OK(cudaFreeArray(array[i]));
  }
}

/* What CUDA refuses: filters of integers, texels of three channels, surfaces of arrays that are not for them. */
static void refused() {
  cudaArray_t array, none;
  const auto format = cudaCreateChannelDesc<int>();
  const auto three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  OK(cudaMallocArray(&array, &format, 8, 8));
  const auto r = over(array);
  cudaTextureDesc d = {};
  d.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t t;
  cudaSurfaceObject_t s;
  TRUE(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidFilterSetting);
  TRUE(cudaCreateSurfaceObject(&s, &r) == cudaErrorInvalidValue);
  TRUE(cudaMallocArray(&none, &three, 8, 8) != cudaSuccess);
  TRUE(cudaMallocArray(&none, &format, 1 << 20, 1 << 20) != cudaSuccess);
  TRUE(cudaGetLastError() != cudaSuccess && cudaGetLastError() == cudaSuccess);
  OK(cudaFreeArray(array));
}

int main() {
  const int n = size_of_inputs() / 20;
  linear_memory(n);
  filtered(n);
  pitched(n);
  volumes();
  layers();
  surfaces();
  refused();
  return failures != 0;
}
