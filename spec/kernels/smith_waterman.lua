-- Local alignment of pairs with affine gaps: a block holds three anti-diagonals in shared memory and keeps the best
-- score by atomicMax.
return {
  field = "genetics",
  cuda = [==[
#define MATCH 3
#define MISMATCH -2
#define OPEN -5
#define EXTEND -1
#define NONE -30000

__global__ void align(const char *a, const char *b, int la, int lb, int *best) {
  extern __shared__ short rows[];  /* H of the last two diagonals and this one, E and F of the last and this one */
  const char *x = a + blockIdx.x * la, *y = b + blockIdx.x * lb;
  int w = la + 1;
  short *h0 = rows, *h1 = h0 + w, *h2 = h1 + w, *e0 = h2 + w, *e1 = e0 + w, *f0 = e1 + w, *f1 = f0 + w;
  __shared__ int top;
  for (int i = threadIdx.x; i < w; i += blockDim.x) {
    h0[i] = h1[i] = h2[i] = 0;
    e0[i] = e1[i] = f0[i] = f1[i] = NONE;
  }
  if (threadIdx.x == 0) top = 0;
  __syncthreads();
  int mine = 0;
  for (int d = 2; d <= la + lb; d++) {  /* cell (i, d - i), i along x */
    int low = max(1, d - lb), high = min(la, d - 1);
    for (int i = low + threadIdx.x; i <= high; i += blockDim.x) {
      int j = d - i;
      int e = max(j == 1 ? NONE : e1[i] + EXTEND, (j == 1 ? 0 : h1[i]) + OPEN);
      int f = max(i == 1 ? NONE : f1[i - 1] + EXTEND, (i == 1 ? 0 : h1[i - 1]) + OPEN);
      int diagonal = i == 1 || j == 1 ? 0 : h0[i - 1];
      int v = max(max(0, diagonal + (x[i - 1] == y[j - 1] ? MATCH : MISMATCH)), max(e, f));
      h2[i] = (short)v;
      e0[i] = (short)e;
      f0[i] = (short)f;
      mine = max(mine, v);
    }
    __syncthreads();
    short *t = h0;
    h0 = h1;
    h1 = h2;
    h2 = t;
    t = e0, e0 = e1, e1 = t;
    t = f0, f0 = f1, f1 = t;
  }
  atomicMax(&top, mine);
  __syncthreads();
  if (threadIdx.x == 0) best[blockIdx.x] = top;
}]==],
  c = [==[
#include <stdlib.h>
/* Gotoh's three full matrices, row by row. */
void ref(void **p, const double *s) {
  const char *a = p[0], *b = p[1];
  int *best = p[2], la = (int)s[0], lb = (int)s[1], n = (int)s[2], w = lb + 1;
  size_t cells = (size_t)(la + 1) * (size_t)w;
  int *H = malloc(4 * cells), *E = malloc(4 * cells), *F = malloc(4 * cells);
  for (int k = 0; k < n; k++) {
    int top = 0;
    for (int i = 0; i <= la; i++)
      for (int j = 0; j <= lb; j++) {
        int c = i * w + j, e, f, m;
        if (!i || !j) { H[c] = 0; E[c] = F[c] = -1000000; continue; }
        e = E[c - 1] - 1 > H[c - 1] - 5 ? E[c - 1] - 1 : H[c - 1] - 5;
        f = F[c - w] - 1 > H[c - w] - 5 ? F[c - w] - 1 : H[c - w] - 5;
        m = H[c - w - 1] + (a[k * la + i - 1] == b[k * lb + j - 1] ? 3 : -2);
        E[c] = e; F[c] = f;
        if (e > m) m = e;
        if (f > m) m = f;
        H[c] = m > 0 ? m : 0;
        if (H[c] > top) top = H[c];
      }
    best[k] = top;
  }
  free(H); free(E); free(F);
}]==],
  case = function(h, size)
    local n, la, lb = h.pick(size, 9, 20), h.pick(size, 61, 400), h.pick(size, 83, 500)
    local a, b, best = h.input("int8", n * la, 65, 69), h.input("int8", n * lb, 65, 69), h.output("int32", n)
    h.shared(2 * 7 * (la + 1))
    h.launch("align", { n }, { h.pick(size, 33, 128) }, a, b, la, lb, best)
    h.reference({ a, b, best }, { la, lb, n })
    h.expect(best, 0)
  end,
}
