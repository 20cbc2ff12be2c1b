/* emit_windows.c - see emit_windows.h. */
#include "cpu/codegen/emit_windows.h"

#include <string.h>

#include "base/buf.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* Lanes [first, first + n) of a native vector of n: the words from `low` on that hold theirs, in vectors of n. */
typedef struct part {
  int n, first, low, vectors;
} part;

static part part_of(const dc_pattern *p, int n, int first) {
  int32_t low = p->lane[first], high = low;
  for (int l = first; l < first + n; l++) {
    if (p->lane[l] < low) low = p->lane[l];
    if (p->lane[l] > high) high = p->lane[l];
  }
  const int64_t vectors = ((int64_t)high - low) / n + 1;
  return (part){ n, first, low, vectors > 4 ? 5 : (int)vectors };
}

/* Whether vectors of n lanes access it by windows: AVX2 has no permutation of more than a vector. */
static bool has_window(const emitter *e, const dc_pattern *p, int n) {
  for (int first = 0; first < e->k.shape.width; first += n)
    if (part_of(p, n, first).vectors > (n == 16 ? 4 : 2)) return false;
  return true;
}

int dc_emit_window(emitter *e, const dc_pattern *p) {
  for (int i = 0; i < e->nwindows; i++)
    if (memcmp(&e->windows[i], p, sizeof *p) == 0) return i;
  if (e->nwindows == DC_MOST_WINDOWS || (!has_window(e, p, 16) && !has_window(e, p, 8))) return -1;
  e->windows[e->nwindows] = *p;
  return e->nwindows++;
}

dc_pattern dc_emit_stride_pattern(int32_t stride) {
  dc_pattern p;
  for (int l = 0; l < DC_MOST_LANES; l++) p.lane[l] = stride * l;
  return p;
}

static void put_lanes(emitter *e, const int *from, int n) {
  PUT("(dc_u){");
  for (int l = 0; l < n; l++) PUT("%s%d", l ? ", " : "", from[l]);
  PUT("}");
}

static void take_part(emitter *e, const dc_pattern *p, part x) {
  uint64_t words = 0;
  int from[16];
  for (int l = 0; l < x.n; l++) {
    from[l] = p->lane[x.first + l] - x.low;
    words |= (uint64_t)1 << from[l];
  }
  const int vectors = x.vectors > 2 ? 4 : x.vectors;
  PUT("  r.p%d = n_take%d(a + (u64)%dll, 0x%xu, ", x.first / x.n, vectors, 4 * x.low, (uint32_t)words);
  if (vectors == 4) PUT("0x%xu, ", (uint32_t)(words >> 32));
  put_lanes(e, from, x.n);
  PUT(");\n");
}

/* Of lanes with the same word the last one's value stays. */
static void place_part(emitter *e, const dc_pattern *p, part x) {
  for (int v = 0; v < x.vectors; v++) {
    unsigned words = 0;
    int from[16] = {0};
    for (int l = 0; l < x.n; l++) {
      const int at = p->lane[x.first + l] - x.low - v * x.n;
      if (at < 0 || at >= x.n) continue;
      words |= 1u << at;
      from[at] = l;
    }
    if (words == 0) continue;
    PUT("  n_place(a + (u64)%dll, 0x%xu, x.p%d, ", 4 * (x.low + v * x.n), words, x.first / x.n);
    put_lanes(e, from, x.n);
    PUT(");\n");
  }
}

static void put_no_functions(emitter *e, int i) {
  PUT("#define dc_has%d 0\n#define dc_take%d(a) V32_splat(0)\n#define dc_place%d(a, x) (void)(x)\n", i, i, i);
}

static void put_functions(emitter *e, int i, int n) {
  const dc_pattern *p = &e->windows[i];
  if (!has_window(e, p, n)) {
    put_no_functions(e, i);
    return;
  }
  PUT("#define dc_has%d 1\nDC_FN V32 dc_take%d(u64 a) {\n  V32 r;\n", i, i);
  for (int first = 0; first < e->k.shape.width; first += n) take_part(e, p, part_of(p, n, first));
  PUT("  return r;\n}\nDC_FN void dc_place%d(u64 a, V32 x) {\n", i);
  for (int first = 0; first < e->k.shape.width; first += n) place_part(e, p, part_of(p, n, first));
  PUT("}\n");
}

void dc_emit_windows(emitter *e) {
  if (e->nwindows == 0) return;
  PUT("#if DC_NW == 16\n");
  for (int i = 0; i < e->nwindows; i++) put_functions(e, i, 16);
  PUT("#elif DC_NW == 8\n");
  for (int i = 0; i < e->nwindows; i++) put_functions(e, i, 8);
  PUT("#else\n");
  for (int i = 0; i < e->nwindows; i++) put_no_functions(e, i);
  PUT("#endif\n");
}
