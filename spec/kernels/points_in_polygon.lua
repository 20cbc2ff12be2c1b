-- Points in a polygon with holes, by the crossings of a ray; edges pass through shared memory as double2 pairs.
return {
  field = "geometry",
  options = { fmad = false },
  cuda = [==[
struct edge { double2 a, b; };
#define STAGE 40

__global__ void inside(const edge *edges, int m, const double2 *points, unsigned char *in, int *winding, int n) {
  __shared__ edge stage[STAGE];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool odd = false;
  int turns = 0;
  double2 p = points[min(i, n - 1)];
  for (int first = 0; first < m; first += STAGE) {
    __syncthreads();
    for (int k = threadIdx.x; k < STAGE && first + k < m; k += blockDim.x) stage[k] = edges[first + k];
    __syncthreads();
    for (int k = 0; k < STAGE && first + k < m; k++) {
      const edge &e = stage[k];
      if ((e.a.y > p.y) == (e.b.y > p.y)) continue;
      double side = (e.b.x - e.a.x) * (p.y - e.a.y) - (p.x - e.a.x) * (e.b.y - e.a.y);
      if ((side > 0) != (e.b.y > e.a.y)) continue;
      odd = !odd;
      turns += e.b.y > e.a.y ? 1 : -1;
    }
  }
  if (i >= n) return;
  in[i] = odd;
  winding[i] = turns;
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const double *e = p[0], *q = p[1];
  unsigned char *in = p[2];
  int *winding = p[3], m = (int)s[0], n = (int)s[1];
  for (int i = 0; i < n; i++) {
    double x = q[2 * i], y = q[2 * i + 1];
    int crossings = 0;
    for (int k = 0; k < m; k++) {
      double ax = e[4 * k], ay = e[4 * k + 1], bx = e[4 * k + 2], by = e[4 * k + 3];
      int up = ay <= y && by > y, down = by <= y && ay > y;
      double side = (bx - ax) * (y - ay) - (x - ax) * (by - ay);
      if (up && side > 0) { crossings++; winding[i]++; }
      if (down && !(side > 0)) { crossings++; winding[i]--; }
    }
    in[i] = crossings % 2;
  }
}]==],
  case = function(h, size)
    local n, t = h.pick(size, 1111, 60000), {}
    for ring = 1, 3 do -- outlines one in another, each a wobbling circle
      local corners, radius, points = h.pick(size, math.random(3, 60), 60), 4 - ring, {}
      for i = 1, corners do
        local angle, r = 2 * math.pi * i / corners, radius * (0.7 + 0.5 * math.random())
        points[i] = { r * math.cos(angle), r * math.sin(angle) }
      end
      for i = 1, corners do
        local a, b = points[i], points[i % corners + 1]
        table.move({ a[1], a[2], b[1], b[2] }, 1, 4, #t + 1, t)
      end
    end
    local m = #t // 4
    for i = 1, #t do t[i] = string.pack("<d", t[i]) end
    local edges, points = h.raw("uint8", table.concat(t)), h.input("float64", 2 * n, -4, 4)
    local inside, winding = h.output("uint8", n), h.output("int32", n)
    h.launch("inside", { (n + 76) // 77 }, { 77 }, edges, m, points, inside, winding, n)
    h.reference({ edges, points, inside, winding }, { m, n })
    h.expect(inside, 0)
    h.expect(winding, 0)
  end,
}
