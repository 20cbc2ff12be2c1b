/*
** number_text.c - decimal text to numbers, and back.
**
** Up to 2^53 and with powers of ten up to 22 a decimal is one exact multiplication or division (Clinger, "How to read
** floating point numbers accurately", 1990); everything else is the C library's, in the C locale.
*/
#include "file/number_text.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/dtype.h"
#include "base/half.h"

static locale_t c_locale;

static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static locale_t plain(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_locale);
  return c_locale;
}

/* --- reading ------------------------------------------------------------------------------------------------ */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A decimal taken apart: digits (as far as 64 bits hold them), and a power of ten. */
typedef struct decimal {
  const char *first; /* of its text, the sign included */
  bool negative, exact; /* exact: all digits are in `digits` */
  bool whole;           /* neither point nor exponent */
  uint64_t digits;
  int power;
} decimal;

/* Takes digits; gives how many there were. */
static int scan_digits(const char **p, decimal *d, bool fraction) {
  const char *first = *p;
  for (; is_digit(**p); ++*p) {
    const unsigned v = (unsigned)(**p - '0');
    const bool fits = d->digits < UINT64_MAX / 10 || (d->digits == UINT64_MAX / 10 && v <= UINT64_MAX % 10);
    if (d->exact && fits) { /* behind a digit that is left out all are */
      d->digits = d->digits * 10 + v;
      if (fraction && d->power > -100000) d->power--;
    } else {
      d->exact = false;
      if (!fraction && d->power < 100000) d->power++;
    }
  }
  return (int)(*p - first > 0);
}

static void scan_exponent(const char **p, decimal *d) {
  const char *q = *p + 1;
  const bool negative = *q == '-';
  if (*q == '-' || *q == '+') q++;
  if (!is_digit(*q)) return;
  int e = 0;
  for (; is_digit(*q); q++)
    if (e < 100000) e = e * 10 + (*q - '0');
  d->power += negative ? -e : e;
  d->whole = false;
  *p = q;
}

static bool scan_decimal(const char **p, decimal *d) {
  *d = (decimal){ .first = *p, .exact = true, .whole = true };
  if (**p == '+' || **p == '-') d->negative = *(*p)++ == '-';
  int some = scan_digits(p, d, false);
  if (**p == '.') {
    ++*p;
    d->whole = false;
    some |= scan_digits(p, d, true);
  }
  if (!some) return false;
  if (**p == 'e' || **p == 'E') scan_exponent(p, d);
  return true;
}

static double to_double(const decimal *d) {
  static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  if (!d->exact || d->digits > (uint64_t)1 << 53 || d->power > 22 || d->power < -22)
    return strtod_l(d->first, NULL, plain());
  const double v = d->power < 0 ? (double)d->digits / powers[-d->power] : (double)d->digits * powers[d->power];
  return d->negative ? -v : v;
}

/* Rounded once: where the float64 lies halfway between two float32, its own rounding may have put it there. */
static float to_float(const decimal *d) {
  const double v = to_double(d);
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  const bool halfway = (bits & 0x1fffffff) == 0x10000000 || fabs(v) < 0x1p-126;
  return halfway ? strtof_l(d->first, NULL, plain()) : (float)v;
}

/* inf, infinity or nan; gives false when it is neither. */
static bool scan_word(const char **p, double *v) {
  const char *q = *p;
  const bool negative = *q == '-';
  if (*q == '-' || *q == '+') q++;
  const size_t n = strncasecmp(q, "infinity", 8) == 0 ? 8 : strncasecmp(q, "inf", 3) == 0 ? 3
                 : strncasecmp(q, "nan", 3) == 0 ? 3 : 0;
  if (n == 0) return false;
  *v = *q == 'n' || *q == 'N' ? (double)NAN : (double)INFINITY;
  if (negative) *v = -*v;
  *p = q + n;
  return true;
}

bool dc_number_small(double v, dc_dtype dtype, uint16_t *bits) {
  *bits = dc_half_bits(v, dtype);
  return !dc_half_overflows(v, dtype);
}

/* A floating value of the dtype at *p. */
static dc_read_as read_floating(const char **p, dc_dtype dtype, void *element) {
  decimal d;
  double v = 0;
  const char *first = *p;
  bool word = false;
  if (!scan_decimal(p, &d)) {
    *p = first;
    word = true;
    if (!scan_word(p, &v)) return DC_READ_NO_NUMBER;
  }
  if (dtype == DC_FLOAT32) {
    const float f = word ? (float)v : to_float(&d);
    memcpy(element, &f, sizeof f);
    return !word && isinf(f) ? DC_READ_OUT_OF_RANGE : DC_READ_FINE;
  }
  if (!word) v = to_double(&d);
  if (!word && isinf(v)) return DC_READ_OUT_OF_RANGE;
  if (dtype == DC_FLOAT64) return memcpy(element, &v, sizeof v), DC_READ_FINE;
  uint16_t bits;
  if (!dc_number_small(v, dtype, &bits)) return DC_READ_OUT_OF_RANGE;
  memcpy(element, &bits, sizeof bits);
  return DC_READ_FINE;
}

/* Sign and magnitude, if the integer dtype holds them. */
static dc_read_as put_integer(bool negative, uint64_t magnitude, dc_dtype dtype, void *element) {
  const unsigned bits = 8 * (unsigned)dc_dtype_size(dtype);
  const uint64_t half = (uint64_t)1 << (bits - 1);
  const uint64_t most = dc_dtype_kind(dtype) == 'u' ? half - 1 + half : negative ? half : half - 1;
  if (magnitude > most || (negative && magnitude > 0 && dc_dtype_kind(dtype) == 'u')) return DC_READ_OUT_OF_RANGE;
  const uint64_t v = negative ? -magnitude : magnitude;
  memcpy(element, &v, dc_dtype_size(dtype)); /* little-endian, as the devices */
  return DC_READ_FINE;
}

static dc_read_as read_integer(const char **p, dc_dtype dtype, void *element) {
  decimal d;
  double word;
  const char *first = *p;
  if (!scan_decimal(p, &d)) {
    *p = first;
    return scan_word(p, &word) ? DC_READ_FRACTION : DC_READ_NO_NUMBER;
  }
  if (d.whole && d.exact) return put_integer(d.negative, d.digits, dtype, element);
  if (d.whole) return DC_READ_OUT_OF_RANGE;
  const double v = to_double(&d); /* 3.0 and 1e3 are integers */
  if (v != floor(v)) return DC_READ_FRACTION;
  if (fabs(v) >= 0x1p64) return DC_READ_OUT_OF_RANGE;
  return put_integer(v < 0, (uint64_t)fabs(v), dtype, element);
}

static dc_read_as read_bool(const char **p, uint8_t *element) {
  const bool yes = strncasecmp(*p, "true", 4) == 0, no = strncasecmp(*p, "false", 5) == 0;
  if (yes || no) {
    *element = yes;
    *p += yes ? 4 : 5;
    return DC_READ_FINE;
  }
  const dc_read_as rc = read_integer(p, DC_UINT8, element);
  return rc == DC_READ_FINE && *element > 1 ? DC_READ_OUT_OF_RANGE : rc;
}

static bool take_unit(const char **p) {
  if (**p != 'j' && **p != 'i' && **p != 'J') return false;
  ++*p;
  return true;
}

static dc_read_as read_complex(const char **p, dc_dtype dtype, char *element) {
  const dc_dtype part = dtype == DC_COMPLEX64 ? DC_FLOAT32 : DC_FLOAT64;
  const size_t size = dc_dtype_size(part);
  const bool parenthesis = **p == '(';
  if (parenthesis) ++*p;
  memset(element, 0, 2 * size);
  dc_read_as rc = read_floating(p, part, element);
  if (rc != DC_READ_FINE) return rc;
  if (take_unit(p)) {
    memcpy(element + size, element, size);
    memset(element, 0, size);
  } else if (**p == '+' || **p == '-') {
    if (**p == '+' && p[0][1] == '-') ++*p; /* "1+-2j", as some print it */
    rc = read_floating(p, part, element + size);
    if (rc != DC_READ_FINE) return rc;
    if (!take_unit(p)) return DC_READ_NO_NUMBER;
  }
  if (parenthesis && *(*p)++ != ')') return DC_READ_NO_NUMBER;
  return DC_READ_FINE;
}

dc_read_as dc_number_read(const char **p, dc_dtype dtype, void *element) {
  switch (dc_dtype_kind(dtype)) {
    case 'f': return read_floating(p, dtype, element);
    case 'c': return read_complex(p, dtype, element);
    case 'b': return read_bool(p, element);
    default: return read_integer(p, dtype, element);
  }
}

/* --- printing ----------------------------------------------------------------------------------------------- */

void *dc_number_print_begin(void) { return (void *)uselocale(plain()); }

void dc_number_print_end(void *before) { uselocale((locale_t)before); }

static int print_special(char *text, double v) {
  return isnan(v) ? sprintf(text, "nan") : sprintf(text, v < 0 ? "-inf" : "inf");
}

static int print_double(char *text, double v) {
  if (!isfinite(v)) return print_special(text, v);
  if (v == floor(v) && fabs(v) < 1e15) return sprintf(text, signbit(v) ? "-%" PRId64 : "%" PRId64, (int64_t)fabs(v));
  int n = 0;
  for (int digits = 15; digits <= 17; digits++) {
    n = sprintf(text, "%.*g", digits, v);
    if (strtod(text, NULL) == v) break;
  }
  return n;
}

static int print_float(char *text, float v) {
  if (!isfinite(v)) return print_special(text, (double)v);
  if (v == floorf(v) && fabsf(v) < 1e7f) return sprintf(text, signbit(v) ? "-%d" : "%d", (int)fabsf(v));
  int n = 0;
  for (int digits = 6; digits <= 9; digits++) {
    n = sprintf(text, "%.*g", digits, (double)v);
    if (strtof(text, NULL) == v) break;
  }
  return n;
}

static int print_small(char *text, double v, int digits) {
  return isfinite(v) ? sprintf(text, "%.*g", digits, v) : print_special(text, v);
}

static int print_pair(char *text, dc_dtype part, const char *element) {
  int n = dc_number_print(text, part, element);
  char imaginary[DC_NUMBER_TEXT];
  dc_number_print(imaginary, part, element + dc_dtype_size(part));
  if (*imaginary != '-') text[n++] = '+';
  return n + sprintf(text + n, "%sj", imaginary);
}

#define PRINT(type, format, ...)           \
  {                                        \
    type v;                                \
    memcpy(&v, element, sizeof v);         \
    return sprintf(text, format, __VA_ARGS__); \
  }

int dc_number_print(char text[DC_NUMBER_TEXT], dc_dtype dtype, const void *element) {
  switch (dtype) {
    case DC_BOOL: case DC_UINT8: PRINT(uint8_t, "%d", v)
    case DC_INT8: PRINT(int8_t, "%d", v)
    case DC_INT16: PRINT(int16_t, "%d", v)
    case DC_UINT16: PRINT(uint16_t, "%d", v)
    case DC_INT32: PRINT(int32_t, "%" PRId32, v)
    case DC_UINT32: PRINT(uint32_t, "%" PRIu32, v)
    case DC_INT64: PRINT(int64_t, "%" PRId64, v)
    case DC_UINT64: PRINT(uint64_t, "%" PRIu64, v)
    case DC_COMPLEX64: return print_pair(text, DC_FLOAT32, element);
    case DC_COMPLEX128: return print_pair(text, DC_FLOAT64, element);
    default: break;
  }
  if (dtype == DC_FLOAT64) {
    double v;
    memcpy(&v, element, sizeof v);
    return print_double(text, v);
  }
  if (dtype == DC_FLOAT32) {
    float v;
    memcpy(&v, element, sizeof v);
    return print_float(text, v);
  }
  uint16_t bits;
  memcpy(&bits, element, sizeof bits);
  return print_small(text, dc_half_value(bits, dtype), dc_dtype_exact_digits(dtype));
}
