/*
** dtype.c - the table of element types, their names, and promotion.
*/
#include "base/dtype.h"

#include <math.h>
#include <string.h>

const dc_dtype_info dc_dtypes[DC_NDTYPES] = {
#define X(id, ...) [DC_##id] = { __VA_ARGS__ },
#include "base/dtype.def"
#undef X
};

/* 0.30103 is log10(2). */
int dc_dtype_digits(dc_dtype t) { return (dc_dtypes[t].significand - 1) * 30103 / 100000 + 1; }
int dc_dtype_exact_digits(dc_dtype t) { return dc_dtypes[t].significand * 30103 / 100000 + 2; }

double dc_dtype_largest(dc_dtype t) {
  const int p = dc_dtypes[t].significand, exponent_bits = 8 * dc_dtypes[t].size - p;
  return ldexp(2 - ldexp(1, 1 - p), (1 << (exponent_bits - 1)) - 1);
}

/* Names of one word besides those of dc_dtypes and C's own integer words. */
static const struct { const char *name; dc_dtype dtype; } aliases[] = {
  { "float", DC_FLOAT32 },    { "double", DC_FLOAT64 },    { "half", DC_FLOAT16 },     { "__half", DC_FLOAT16 },
  { "__nv_bfloat16", DC_BFLOAT16 }, { "_Bool", DC_BOOL },  { "boolean", DC_BOOL },
  { "cuComplex", DC_COMPLEX64 }, { "cuFloatComplex", DC_COMPLEX64 }, { "cuDoubleComplex", DC_COMPLEX128 },
  { "int8_t", DC_INT8 },      { "int16_t", DC_INT16 },     { "int32_t", DC_INT32 },    { "int64_t", DC_INT64 },
  { "uint8_t", DC_UINT8 },    { "uint16_t", DC_UINT16 },   { "uint32_t", DC_UINT32 },  { "uint64_t", DC_UINT64 },
  { "size_t", DC_UINT64 },    { "ssize_t", DC_INT64 },     { "ptrdiff_t", DC_INT64 },  { "intptr_t", DC_INT64 },
  { "uintptr_t", DC_UINT64 }, { "intmax_t", DC_INT64 },    { "uintmax_t", DC_UINT64 },
  { "uchar", DC_UINT8 },      { "ushort", DC_UINT16 },     { "uint", DC_UINT32 },      { "ulong", DC_UINT64 },
  { "i8", DC_INT8 },          { "i16", DC_INT16 },         { "i32", DC_INT32 },        { "i64", DC_INT64 },
  { "u8", DC_UINT8 },         { "u16", DC_UINT16 },        { "u32", DC_UINT32 },       { "u64", DC_UINT64 },
  { "f16", DC_FLOAT16 },      { "bf16", DC_BFLOAT16 },     { "f32", DC_FLOAT32 },      { "f64", DC_FLOAT64 },
  { "c64", DC_COMPLEX64 },    { "c128", DC_COMPLEX128 },
};

static bool same(const char *word, size_t len, const char *name) {
  return strlen(name) == len && memcmp(word, name, len) == 0;
}

static dc_dtype one_word(const char *word, size_t len) {
  for (int t = 0; t < DC_NDTYPES; t++)
    if (same(word, len, dc_dtypes[t].name)) return (dc_dtype)t;
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
    if (same(word, len, aliases[i].name)) return aliases[i].dtype;
  return DC_DTYPE_NONE;
}

/* How often each of C's integer words occurs. */
typedef struct c_words { int sign, unsign, chars, shorts, ints, longs; } c_words;

static int *c_word(c_words *w, const char *s, size_t len) {
  return same(s, len, "unsigned") ? &w->unsign : same(s, len, "signed") ? &w->sign : same(s, len, "char") ? &w->chars
       : same(s, len, "short") ? &w->shorts : same(s, len, "int") ? &w->ints : same(s, len, "long") ? &w->longs : NULL;
}

/* "unsigned long int" in any order, as C 6.7.2 allows; plain char is signed, long has 64 bits (LP64). */
static dc_dtype c_integer(const char *name, size_t len) {
  c_words w = { 0, 0, 0, 0, 0, 0 };
  for (const char *p = name, *end = name + len; p < end;) {
    if (*p == ' ' || *p == '\t') {
      p++;
      continue;
    }
    const char *word = p;
    while (p < end && *p != ' ' && *p != '\t') p++;
    int *count = c_word(&w, word, (size_t)(p - word));
    if (!count) return DC_DTYPE_NONE;
    ++*count;
  }
  bool any = w.sign || w.unsign || w.chars || w.shorts || w.ints || w.longs;
  if (!any || w.sign + w.unsign > 1 || w.chars > 1 || w.shorts > 1 || w.ints > 1 || w.longs > 2) return DC_DTYPE_NONE;
  if ((w.chars && (w.shorts || w.ints || w.longs)) || (w.shorts && w.longs)) return DC_DTYPE_NONE;
  if (w.chars) return w.unsign ? DC_UINT8 : DC_INT8;
  if (w.shorts) return w.unsign ? DC_UINT16 : DC_INT16;
  if (w.longs) return w.unsign ? DC_UINT64 : DC_INT64;
  return w.unsign ? DC_UINT32 : DC_INT32;
}

dc_dtype dc_dtype_parse(const char *name, size_t len) {
  while (len && (*name == ' ' || *name == '\t')) name++, len--;
  while (len && (name[len - 1] == ' ' || name[len - 1] == '\t')) len--;
  dc_dtype t = one_word(name, len);
  return t != DC_DTYPE_NONE ? t : c_integer(name, len);
}

/* Letters to insert, take away or exchange to make b of a (Levenshtein's distance); both have at most 15. */
static size_t distance(const char *a, const char *b) {
  size_t row[16];
  const size_t n = strlen(b);
  for (size_t k = 0; k <= n; k++) row[k] = k;
  for (size_t i = 1; *a; a++, i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t k = 1; k <= n; k++) {
      const size_t above = row[k];
      size_t least = corner + (*a != b[k - 1]);
      if (above + 1 < least) least = above + 1;
      if (row[k - 1] + 1 < least) least = row[k - 1] + 1;
      row[k] = least;
      corner = above;
    }
  }
  return row[n];
}

const char *dc_dtype_nearest(const char *name) {
  const char *best = NULL;
  size_t least = 3; /* more than two wrong letters are another word */
  if (strlen(name) > 15) return NULL;
  for (int t = 0; t < DC_NDTYPES; t++) {
    const size_t d = distance(name, dc_dtypes[t].name);
    if (d >= least || d * 2 > strlen(name)) continue;
    least = d;
    best = dc_dtypes[t].name;
  }
  return best;
}

static dc_dtype signed_of_size(size_t size) {
  return size == 1 ? DC_INT8 : size == 2 ? DC_INT16 : size == 4 ? DC_INT32 : DC_INT64;
}

/* Both are 'i' or 'u'. A signed type must hold every value of the unsigned one, or it is float64. */
static dc_dtype promote_integers(dc_dtype a, dc_dtype b) {
  size_t sa = dc_dtype_size(a), sb = dc_dtype_size(b);
  if (dc_dtype_kind(a) == dc_dtype_kind(b)) return sa >= sb ? a : b;
  if (dc_dtype_kind(a) == 'u') return promote_integers(b, a);
  if (sa > sb) return a;
  return sb == 8 ? DC_FLOAT64 : signed_of_size(2 * sb);
}

/* The floating type an operand counts as when it meets one of kind 'f' or 'c': 64-bit integers need
** float64, 16- and 32-bit ones float32, and bytes and bools fit in any (so they give way: `other`). */
static dc_dtype as_floating(dc_dtype t, dc_dtype other) {
  switch (t) {
    case DC_BOOL: case DC_INT8: case DC_UINT8: return other;
    case DC_INT16: case DC_UINT16: case DC_INT32: case DC_UINT32: return DC_FLOAT32;
    case DC_INT64: case DC_UINT64: return DC_FLOAT64;
    case DC_COMPLEX64: return DC_FLOAT32;
    case DC_COMPLEX128: return DC_FLOAT64;
    default: return t;
  }
}

dc_dtype dc_dtype_promote(dc_dtype a, dc_dtype b) {
  char ka = dc_dtype_kind(a), kb = dc_dtype_kind(b);
  if (a == b) return a;
  if (ka == 'b' && kb != 'f') return b;
  if (kb == 'b' && ka != 'f') return a;
  if ((ka == 'i' || ka == 'u') && (kb == 'i' || kb == 'u')) return promote_integers(a, b);
  bool complex = ka == 'c' || kb == 'c';
  dc_dtype fa = as_floating(a, DC_FLOAT16), fb = as_floating(b, DC_FLOAT16);
  if (ka != 'f' && ka != 'c') fa = as_floating(a, fb);
  if (kb != 'f' && kb != 'c') fb = as_floating(b, fa);
  bool wide = fa == DC_FLOAT64 || fb == DC_FLOAT64;
  if (complex) return wide ? DC_COMPLEX128 : DC_COMPLEX64;
  if (wide) return DC_FLOAT64;
  return fa == fb ? fa : DC_FLOAT32; /* float16 with bfloat16 is float32 too */
}

const char *dc_dtype_noun(dc_dtype dtype) { return dtype == DC_DTYPE_NONE ? "an untyped" : dc_dtypes[dtype].noun; }
