-- Haar's wavelets in two dimensions on integers (lifting, exactly invertible), one level a pass, then all the way back.
return {
  field = "signal",
  cuda = [==[
/* One level of rows (or, with the strides exchanged, columns): averages to the front, differences behind. */
__global__ void split(const int *in, int *out, int length, int lines, int step, int line_step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, line = blockIdx.y * blockDim.y + threadIdx.y;
  int pairs = length / 2, averages = (length + 1) / 2;
  if (i >= averages || line >= lines) return;
  const int *row = in + line * line_step;
  int *to = out + line * line_step;
  if (i >= pairs) {  /* the odd one at the end */
    to[i * step] = row[2 * i * step];
    return;
  }
  int a = row[2 * i * step], b = row[(2 * i + 1) * step];
  int difference = b - a;
  to[(averages + i) * step] = difference;
  to[i * step] = a + (difference >> 1);
}

__global__ void join(const int *in, int *out, int length, int lines, int step, int line_step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, line = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= length || line >= lines) return;
  const int *row = in + line * line_step;
  int averages = (length + 1) / 2, average = row[(i >> 1) * step];
  int v = average;
  if ((i | 1) < length) {
    int difference = row[(averages + (i >> 1)) * step];
    v = average - (difference >> 1) + ((i & 1) ? difference : 0);
  }
  out[line * line_step + i * step] = v;
}]==],
  c = [==[
#include <stdlib.h>
static void level(int *x, int length, int step, int *t) {
  int front = 0, back = (length + 1) / 2;
  for (int i = 0; i < length; i += 2) {
    if (i + 1 == length) { t[front++] = x[i * step]; continue; }
    int a = x[i * step], b = x[(i + 1) * step], d = b - a;
    t[back++] = d;
    t[front++] = a + (d - (d & 1)) / 2;
  }
  for (int i = 0; i < length; i++) x[i * step] = t[i];
}
void ref(void **p, const double *s) {
  const int *image = p[0];
  int *out = p[1], *same = p[2], w = (int)s[0], h = (int)s[1], levels = (int)s[2], cw = w, ch = h;
  int *t = malloc(sizeof(int) * (size_t)(w > h ? w : h));
  for (int i = 0; i < w * h; i++) out[i] = same[i] = image[i];  /* the way back gives the image again */
  for (int k = 0; k < levels; k++) {
    for (int y = 0; y < ch; y++) level(out + y * w, cw, 1, t);
    for (int x = 0; x < cw; x++) level(out + x, ch, w, t);
    cw = (cw + 1) / 2;
    ch = (ch + 1) / 2;
  }
  free(t);
}]==],
  case = function(h, size)
    local w, hh = h.pick(size, math.random(3, 90), 2000), h.pick(size, math.random(3, 90), 1600)
    local levels = h.pick(size, math.random(1, 7), 4)
    local image = h.input("int32", w * hh, 0, 65536)
    local a, b = h.output("int32", w * hh), h.output("int32", w * hh)
    local there, back = h.output("int32", w * hh), h.output("int32", w * hh)
    local function go(kernel, from, to, length, lines, step, line_step)
      h.launch(kernel, { (length + 16) // 17, (lines + 4) // 5 }, { 17, 5 }, from, to, length, lines, step, line_step)
    end
    local sizes, cw, ch = {}, w, hh
    h.host(function() a:copy_from(image) end)
    for k = 1, levels do
      sizes[k] = { cw, ch }
      go("split", a, b, cw, ch, 1, w)
      go("split", b, a, ch, cw, w, 1)
      cw, ch = (cw + 1) // 2, (ch + 1) // 2
    end
    h.host(function() there:copy_from(a) end)
    for k = levels, 1, -1 do
      cw, ch = table.unpack(sizes[k])
      go("join", a, b, ch, cw, w, 1)
      go("join", b, a, cw, ch, 1, w)
    end
    h.host(function() back:copy_from(a) end)
    h.reference({ image, there, back }, { w, hh, levels })
    h.expect(there, 0)
    h.expect(back, 0)
  end,
}
