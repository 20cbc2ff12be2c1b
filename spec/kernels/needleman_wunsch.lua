-- Global alignment by tiles (as in Rodinia): a block fills a tile of 16x16 cells along its anti-diagonals in shared
-- memory; a launch does one anti-diagonal of tiles.
return {
  field = "genetics",
  cuda = [==[
#define TILE 16
__global__ void borders(int *score, int n, int penalty) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  score[i] = -i * penalty;
  score[i * (n + 1)] = -i * penalty;
}

__global__ void diagonal_of_tiles(int *score, const int *similarity, const unsigned char *x, const unsigned char *y,
                                  int n, int penalty, int d) {
  __shared__ int s[TILE + 1][TILE + 1];
  __shared__ int match[TILE][TILE];
  int tiles = n / TILE, t = threadIdx.x;
  int column = max(0, d - tiles + 1) + blockIdx.x, row = d - column;
  int left = column * TILE, top = row * TILE, w = n + 1;
  for (int i = 0; i < TILE; i++) match[i][t] = similarity[y[top + i] * 24 + x[left + t]];
  if (t == 0) s[0][0] = score[top * w + left];
  s[t + 1][0] = score[(top + t + 1) * w + left];
  s[0][t + 1] = score[top * w + left + t + 1];
  __syncwarp(0xffff);
  for (int step = 0; step < 2 * TILE - 1; step++) {
    int j = t, i = step - t;
    if (i >= 0 && i < TILE)
      s[i + 1][j + 1] = max(s[i][j] + match[i][j], max(s[i][j + 1], s[i + 1][j]) - penalty);
    __syncwarp(0xffff);
  }
  for (int i = 0; i < TILE; i++) score[(top + i + 1) * w + left + t + 1] = s[i + 1][t + 1];
}]==],
  c = [==[
void ref(void **p, const double *s) {
  int *score = p[0];
  const int *similarity = p[1];
  const unsigned char *x = p[2], *y = p[3];
  int n = (int)s[0], penalty = (int)s[1], w = n + 1;
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= n; j++) {
      if (!i || !j) { score[i * w + j] = -(i + j) * penalty; continue; }
      int best = score[(i - 1) * w + j - 1] + similarity[24 * y[i - 1] + x[j - 1]];
      int up = score[(i - 1) * w + j] - penalty, left = score[i * w + j - 1] - penalty;
      if (up > best) best = up;
      if (left > best) best = left;
      score[i * w + j] = best;
    }
}]==],
  case = function(h, size)
    local tiles, penalty = h.pick(size, 5, 128), 10
    local n = 16 * tiles
    local score, similarity = h.output("int32", (n + 1) * (n + 1)), h.input("int32", 24 * 24, -4, 12)
    local x, y = h.input("uint8", n, 0, 24), h.input("uint8", n, 0, 24)
    h.launch("borders", { n // 64 + 1 }, { 64 }, score, n, penalty)
    for d = 0, 2 * tiles - 2 do
      local blocks = math.min(d + 1, 2 * tiles - 1 - d)
      h.launch("diagonal_of_tiles", { blocks }, { 16 }, score, similarity, x, y, n, penalty, d)
    end
    h.reference({ score, similarity, x, y }, { n, penalty })
    h.expect(score, 0)
  end,
}
