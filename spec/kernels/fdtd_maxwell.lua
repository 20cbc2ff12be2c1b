-- Maxwell's equations on a Yee grid, transverse magnetic: fields as a struct of pointers kept in device memory, two
-- kernels a step, a lossy body, grid-stride loops over rows.
return {
  field = "physics",
  options = { fmad = false },
  cuda = [==[
struct Fields {
  float *ez, *hx, *hy;
  const float *loss;
  int w, h;
};

__global__ void gather(Fields *f, float *ez, float *hx, float *hy, const float *loss, int w, int h) {
  f->ez = ez, f->hx = hx, f->hy = hy, f->loss = loss, f->w = w, f->h = h;
}

__global__ void magnetic(const Fields *fields, float c) {
  const Fields f = *fields;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < f.h; y += gridDim.y * blockDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < f.w; x += gridDim.x * blockDim.x) {
      int i = y * f.w + x;
      if (y + 1 < f.h) f.hx[i] -= c * (f.ez[i + f.w] - f.ez[i]);
      if (x + 1 < f.w) f.hy[i] += c * (f.ez[i + 1] - f.ez[i]);
    }
}

__global__ void electric(const Fields *fields, float c, float source) {
  const Fields f = *fields;
  for (int y = 1 + blockIdx.y * blockDim.y + threadIdx.y; y < f.h; y += gridDim.y * blockDim.y)
    for (int x = 1 + blockIdx.x * blockDim.x + threadIdx.x; x < f.w; x += gridDim.x * blockDim.x) {
      int i = y * f.w + x;
      float curl = f.hy[i] - f.hy[i - 1] - (f.hx[i] - f.hx[i - f.w]), l = f.loss[i];
      float e = ((1.0f - l) * f.ez[i] + c * curl) / (1.0f + l);
      f.ez[i] = x == f.w / 2 && y == f.h / 2 ? e + source : e;
    }
}]==],
  c = [==[
void ref(void **p, const double *s) {
  float *ez = p[0], *hx = p[1], *hy = p[2], c = (float)s[3];
  const float *loss = p[3];
  int w = (int)s[0], h = (int)s[1];
  for (int step = 0; step < (int)s[2]; step++) {
    for (int i = 0; i < w * (h - 1); i++) hx[i] -= c * (ez[i + w] - ez[i]);
    for (int i = 0; i < w * h; i++)
      if (i % w != w - 1) hy[i] += c * (ez[i + 1] - ez[i]);
    for (int i = w; i < w * h; i++) {
      if (i % w == 0) continue;
      float curl = hy[i] - hy[i - 1] - (hx[i] - hx[i - w]);
      ez[i] = ((1.0f - loss[i]) * ez[i] + c * curl) / (1.0f + loss[i]);
    }
    ez[h / 2 * w + w / 2] += (float)s[4 + step];
  }
}]==],
  case = function(h, size)
    local w, height, steps = h.pick(size, 65, 1100), h.pick(size, 39, 800), h.pick(size, 6, 20)
    local ez, hx, hy = h.output("float32", w * height), h.output("float32", w * height), h.output("float32", w * height)
    local loss, fields = h.input("float32", w * height, 0, 0.2), h.output("uint8", 40)
    h.launch("gather", 1, 1, fields, ez, hx, hy, loss, w, height)
    local numbers, grid, block = { w, height, steps, 0.5 }, { 3, 5 }, { 17, 3 }
    for i = 1, steps do
      numbers[#numbers + 1] = math.cos(i / 3)
      h.launch("magnetic", grid, block, fields, 0.5)
      h.launch("electric", grid, block, fields, 0.5, numbers[#numbers])
    end
    h.reference({ ez, hx, hy, loss }, numbers)
    for _, array in ipairs { ez, hx, hy } do h.expect(array, 0) end
  end,
}
