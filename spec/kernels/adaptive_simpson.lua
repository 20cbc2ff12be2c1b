-- Adaptive quadrature: a recursive device function, integrands by a table of function pointers, double precision.
return {
  field = "numerical analysis",
  deep = true, -- 14 calls inside each other
  cuda = [==[
typedef double (*function)(double, double);

__device__ double wave(double x, double a) { return sin(a * x) + 1.0; }
__device__ double bell(double x, double a) { return exp(-a * x * x); }
__device__ double peak(double x, double a) { return 1.0 / (1.0 + 25.0 * a * x * x); }
__device__ double root(double x, double a) { return sqrt(fabs(x - 0.1 * a)) + log1p(fabs(x)); }
__device__ function table[4] = { wave, bell, peak, root };

struct Part { double a, b, fa, fm, fb, whole, tolerance; };

__device__ double simpson(double a, double b, double fa, double fm, double fb) {
  return (b - a) / 6.0 * (fa + 4.0 * fm + fb);
}

__device__ double refine(function f, double parameter, const Part &p, int depth, int *calls) {
  double m = 0.5 * (p.a + p.b), fl = f(0.5 * (p.a + m), parameter), fr = f(0.5 * (m + p.b), parameter);
  Part left = { p.a, m, p.fa, fl, p.fm, simpson(p.a, m, p.fa, fl, p.fm), 0.5 * p.tolerance };
  Part right = { m, p.b, p.fm, fr, p.fb, simpson(m, p.b, p.fm, fr, p.fb), 0.5 * p.tolerance };
  double error = left.whole + right.whole - p.whole;
  ++*calls;
  if (depth == 0 || fabs(error) <= 15.0 * p.tolerance) return left.whole + right.whole + error / 15.0;
  return refine(f, parameter, left, depth - 1, calls) + refine(f, parameter, right, depth - 1, calls);
}

__global__ void integrate(const double *limits, const double *parameters, double *out, int *calls, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = limits[2 * i], b = limits[2 * i + 1], p = parameters[i];
  function f = table[i * 7 % 4];
  Part all = { a, b, f(a, p), f(0.5 * (a + b), p), f(b, p), 0, 1e-8 };
  all.whole = simpson(a, b, all.fa, all.fm, all.fb);
  calls[i] = 0;
  out[i] = refine(f, p, all, 14, calls + i);
}]==],
  c = [==[
/* Gauss-Legendre of five points on many small parts: another rule. */
static double value(int which, double x, double a) {
  switch (which) {
    case 0: return sin(a * x) + 1;
    case 1: return exp(-a * x * x);
    case 2: return 1 / (1 + 25 * a * x * x);
    default: return sqrt(fabs(x - 0.1 * a)) + log1p(fabs(x));
  }
}
void ref(void **p, const double *s) {
  static const double at[5] = { 0, -0.5384693101056831, 0.5384693101056831, -0.9061798459386640, 0.9061798459386640 };
  static const double w[5] = { 0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                               0.2369268850561891 };
  const double *limits = p[0], *parameters = p[1];
  double *out = p[2];
  enum { PARTS = 3000 };
  for (int i = 0; i < (int)s[0]; i++) {
    double a = limits[2 * i], d = (limits[2 * i + 1] - a) / PARTS, sum = 0;
    for (int k = 0; k < PARTS; k++)
      for (int j = 0; j < 5; j++) sum += w[j] * value(i * 7 % 4, a + d * (k + 0.5 + 0.5 * at[j]), parameters[i]);
    out[i] = sum * d / 2;
  }
}]==],
  case = function(h, size)
    local n = h.pick(size, 203, 800)
    local limits, parameters = h.input("float64", 2 * n, -2, 2), h.input("float64", n, 0.5, 3)
    local out, calls = h.output("float64", n), h.output("int32", n)
    h.launch("integrate", (n + 28) // 29, 29, limits, parameters, out, calls, n)
    h.reference({ limits, parameters, out }, { n })
    h.expect(out, 0, { absolute = 2e-6 })
  end,
}
