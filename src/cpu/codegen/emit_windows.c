/*
** emit_windows.c - see emit_windows.h.  Vectors are permuted by words of 32 bits: a value of 64 is two of them, so that
** each half of a V64's part is a vector of its own, of the words of half as many lanes.
*/
#include "cpu/codegen/emit_windows.h"

#include <string.h>

#include "base/buf.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define MOST_VECTORS 6 /* that hold the words of one: with more, a gather or scatter is as fast */

/* Where word i of all lanes' values is, in words from lane 0's. */
static int32_t place_of(const dc_window *w, int i) { return w->lanes.lane[i / w->words] + i % w->words * w->far; }
static int words_of(const emitter *e, const dc_window *w) { return e->k.shape.width * w->words; }

/* Words [first, first + n), a native vector: the words of memory from `low` on that hold them, as vectors of n. */
typedef struct part {
  int n, first, low, vectors;
} part;

static part part_of(const dc_window *w, int n, int first) {
  int32_t low = place_of(w, first), high = low;
  for (int i = first; i < first + n; i++) {
    const int32_t at = place_of(w, i);
    if (at < low) low = at;
    if (at > high) high = at;
  }
  const int64_t vectors = ((int64_t)high - low) / n + 1;
  return (part){ n, first, low, vectors > MOST_VECTORS ? MOST_VECTORS + 1 : (int)vectors };
}

/* Whether vectors of n words access it by windows: AVX2 has no permutation of more than a vector. */
static bool has_window(const emitter *e, const dc_window *w, int n) {
  for (int first = 0; first < words_of(e, w); first += n)
    if (part_of(w, n, first).vectors > (n == 16 ? MOST_VECTORS : 2)) return false;
  return true;
}

int dc_emit_window(emitter *e, const dc_window *w) {
  for (int i = 0; i < e->nwindows; i++)
    if (memcmp(&e->windows[i], w, sizeof *w) == 0) return i;
  if (e->nwindows == DC_MOST_WINDOWS || (!has_window(e, w, 16) && !has_window(e, w, 8))) return -1;
  e->windows[e->nwindows] = *w;
  return e->nwindows++;
}

dc_pattern dc_emit_stride_pattern(int32_t stride) {
  dc_pattern p;
  for (int l = 0; l < DC_MOST_LANES; l++) p.lane[l] = stride * l;
  return p;
}

static void put_numbers(emitter *e, const int *from, int n) {
  PUT("(dc_u){");
  for (int i = 0; i < n; i++) PUT("%s%d", i ? ", " : "", from[i]);
  PUT("}");
}

/* The vector of a dc_take's or dc_place's value that is a part, as C. */
static void put_part(emitter *e, const dc_window *w, char value, part x) {
  const int i = x.first / x.n;
  if (w->words == 1) PUT("%c.p%d", value, i);
  else PUT("%c.%c%d", value, i % 2 ? 'h' : 'l', i / 2);
}

/* One permutation takes the words of `each` vectors: those of a part out of more are put together. */
static void take_part(emitter *e, const dc_window *w, part x) {
  const int each = x.n == 16 ? 2 : 1;
  int from[16];
  bool begun = false;
  for (int i = 0; i < x.n; i++) from[i] = place_of(w, x.first + i) - x.low;
  PUT("  f = ");
  put_numbers(e, from, x.n);
  PUT(";\n");
  for (int v = 0; v < x.vectors; v += each) {
    unsigned words = 0, mine = 0;
    for (int i = 0; i < x.n; i++) {
      const int at = from[i] - v * x.n;
      if (at < 0 || at >= each * x.n) continue;
      words |= 1u << at;
      mine |= 1u << i;
    }
    if (words == 0) continue;
    PUT(begun ? "  x = n_select(n_from(0x%xu), " : "  x = ", mine);
    PUT("n_take%d(a + (u64)%dll, 0x%xu, f)%s;\n", each == 2 && words >> 16 ? 2 : 1, 4 * (x.low + v * x.n), words,
        begun ? ", x)" : "");
    begun = true;
  }
  PUT("  ");
  put_part(e, w, 'r', x);
  PUT(w->words == 1 ? " = x;\n" : " = (dc_ul)x;\n");
}

/* Of lanes with the same place the last one's value stays. */
static void place_part(emitter *e, const dc_window *w, part x) {
  for (int v = 0; v < x.vectors; v++) {
    unsigned words = 0;
    int from[16] = {0};
    for (int i = 0; i < x.n; i++) {
      const int at = place_of(w, x.first + i) - x.low - v * x.n;
      if (at < 0 || at >= x.n) continue;
      words |= 1u << at;
      from[at] = i;
    }
    if (words == 0) continue;
    PUT("  n_place(a + (u64)%dll, 0x%xu, (dc_u)", 4 * (x.low + v * x.n), words);
    put_part(e, w, 'x', x);
    PUT(", ");
    put_numbers(e, from, x.n);
    PUT(", shared);\n");
  }
}

static void put_functions(emitter *e, int i, int n) {
  const dc_window *w = &e->windows[i];
  const int bits = 32 * w->words;
  if (n == 0 || !has_window(e, w, n)) {
    PUT("#define dc_has%d 0\n#define dc_take%d(a) V%d_splat(0)\n", i, i, bits);
    PUT("#define dc_place%d(a, x, shared) (void)(x)\n", i);
    return;
  }
  PUT("#define dc_has%d 1\nDC_FN V%d dc_take%d(u64 a) {\n  V%d r;\n  dc_u f, x;\n", i, bits, i, bits);
  for (int first = 0; first < words_of(e, w); first += n) take_part(e, w, part_of(w, n, first));
  PUT("  return r;\n}\nDC_FN void dc_place%d(u64 a, V%d x, int shared) {\n", i, bits);
  for (int first = 0; first < words_of(e, w); first += n) place_part(e, w, part_of(w, n, first));
  PUT("}\n");
}

void dc_emit_windows(emitter *e) {
  static const int vectors[] = { 16, 8, 0 };
  if (e->nwindows == 0) return;
  for (int v = 0; v < 3; v++) {
    PUT(v == 0 ? "#if DC_NW == 16\n" : v == 1 ? "#elif DC_NW == 8\n" : "#else\n");
    for (int i = 0; i < e->nwindows; i++) put_functions(e, i, vectors[v]);
  }
  PUT("#endif\n");
}
