-- Rays through a scene of spheres with mirrors: nearest hit, shadow, and reflection by recursion of bounded depth.
return {
  field = "geometry",
  options = { fmad = false },
  cuda = [==[
struct vec {
  float x, y, z;
  __device__ vec operator+(const vec &o) const { return { x + o.x, y + o.y, z + o.z }; }
  __device__ vec operator-(const vec &o) const { return { x - o.x, y - o.y, z - o.z }; }
  __device__ vec operator*(float s) const { return { x * s, y * s, z * s }; }
};
__device__ float dot(const vec &a, const vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ vec unit(const vec &a) { return a * (1.0f / sqrtf(dot(a, a))); }

struct sphere { vec center; float radius, color, mirror; };

__device__ bool hit(const sphere *scene, int n, const vec &from, const vec &to, float &distance, int &which) {
  which = -1;
  for (int i = 0; i < n; i++) {
    vec oc = from - scene[i].center;
    float b = dot(oc, to), c = dot(oc, oc) - scene[i].radius * scene[i].radius, d = b * b - c;
    if (d <= 0) continue;
    float root = sqrtf(d), t = -b - root;
    if (t < 1e-3f) t = -b + root;
    if (t < 1e-3f || (which >= 0 && t >= distance)) continue;
    distance = t;
    which = i;
  }
  return which >= 0;
}

__device__ float trace(const sphere *scene, int n, const vec &from, const vec &to, const vec &light, int depth) {
  float distance = 0, other;
  int which, shade;
  if (!hit(scene, n, from, to, distance, which)) return 0.2f + 0.1f * to.y;
  vec p = from + to * distance, normal = unit(p - scene[which].center), l = unit(light - p);
  float bright = dot(normal, l);
  if (bright < 0 || hit(scene, n, p, l, other, shade)) bright = 0;
  float color = scene[which].color * (0.1f + 0.9f * bright);
  if (depth > 0 && scene[which].mirror > 0) {
    vec back = to - normal * (2 * dot(normal, to));
    color += scene[which].mirror * trace(scene, n, p, back, light, depth - 1);
  }
  return color;
}

__global__ void render(const sphere *scene, int n, float *image, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  vec eye = { 0, 0, -4 }, light = { 5, 8, -6 };
  vec to = unit(vec{ (x + 0.5f) / width - 0.5f, 0.5f - (y + 0.5f) / height, 1 });
  image[y * width + x] = trace(scene, n, eye, to, light, depth);
}]==],
  c = [==[
#include <math.h>
static const float *scene;
static int count;
static int nearest(const float *o, const float *d, float *t) {
  int best = -1;
  for (int i = 0; i < count; i++) {
    const float *s = scene + 6 * i;
    float x = o[0] - s[0], y = o[1] - s[1], z = o[2] - s[2];
    float b = x * d[0] + y * d[1] + z * d[2], c = x * x + y * y + z * z - s[3] * s[3], q = b * b - c;
    if (!(q > 0)) continue;
    float far = -b + sqrtf(q), near = -b - sqrtf(q), at = near < 1e-3f ? far : near;
    if (at >= 1e-3f && (best < 0 || at < *t)) { *t = at; best = i; }
  }
  return best;
}
static void unit(float *v) {
  float f = 1.0f / sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int k = 0; k < 3; k++) v[k] *= f;
}
/* A loop down the path, the colours of the bounces added on the way. */
static float look(float *o, float *d, int depth) {
  static const float light[3] = { 5, 8, -6 };
  float colors[16], mirrors[16], t = 0, u, sum;
  int n = 0;
  for (;;) {
    int i = nearest(o, d, &t);
    if (i < 0) { sum = 0.2f + 0.1f * d[1]; break; }
    float p[3], m[3], l[3];
    for (int k = 0; k < 3; k++) {
      p[k] = o[k] + d[k] * t;
      m[k] = p[k] - scene[6 * i + k];
      l[k] = light[k] - p[k];
    }
    unit(m);
    unit(l);
    float bright = m[0] * l[0] + m[1] * l[1] + m[2] * l[2];
    if (bright < 0 || nearest(p, l, &u) >= 0) bright = 0;
    colors[n] = scene[6 * i + 4] * (0.1f + 0.9f * bright);
    mirrors[n] = scene[6 * i + 5];
    if (n == depth || !(mirrors[n] > 0)) { sum = colors[n]; break; }
    float twice = 2 * (m[0] * d[0] + m[1] * d[1] + m[2] * d[2]);
    for (int k = 0; k < 3; k++) { d[k] -= m[k] * twice; o[k] = p[k]; }
    n++;
  }
  while (n-- > 0) sum = colors[n] + mirrors[n] * sum;
  return sum;
}
void ref(void **p, const double *s) {
  float *image = p[1];
  int w = (int)s[1], h = (int)s[2];
  scene = p[0];
  count = (int)s[0];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float o[3] = { 0, 0, -4 }, d[3] = { (x + 0.5f) / w - 0.5f, 0.5f - (y + 0.5f) / h, 1 };
      unit(d);
      image[y * w + x] = look(o, d, (int)s[3]);
    }
}]==],
  case = function(h, size)
    local n, w, hh, depth = h.pick(size, 9, 12), h.pick(size, 37, 320), h.pick(size, 23, 240), 3
    local t = {}
    for i = 0, n - 1 do
      t[6 * i + 1], t[6 * i + 2], t[6 * i + 3] = math.random() * 4 - 2, math.random() * 4 - 2, math.random() * 4
      t[6 * i + 4], t[6 * i + 5], t[6 * i + 6] = 0.3 + math.random(), math.random(), math.max(0, math.random() - 0.3)
    end
    for i = 1, #t do t[i] = string.pack("<f", t[i]) end
    local scene, image = h.raw("uint8", table.concat(t)), h.output("float32", w * hh)
    h.launch("render", { (w + 12) // 13, (hh + 4) // 5 }, { 13, 5 }, scene, n, image, w, hh, depth)
    h.reference({ scene, image }, { n, w, hh, depth })
    h.expect(image, 0, { share = h.pick(size, 0, 1e-3) }) -- a contracted reference sees some edges elsewhere
  end,
}
