/*
** printf.c - see printf.h.
**
** Every argument is at a multiple of its size: 4 bytes for int and smaller, else 8; floats are doubles.  The conversion
** decides how many bytes are read; conversions that CUDA does not have are copied to the output.
*/
#include "cpu/runtime/printf.h"

#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

typedef struct arguments {
  const uint8_t *bytes;
  size_t at;
  int used;
} arguments;

static uint64_t next(arguments *a, size_t size) {
  uint64_t v = 0;
  a->at = (a->at + size - 1) / size * size;
  memcpy(&v, a->bytes + a->at, size);
  a->at += size;
  a->used++;
  return v;
}

/* One conversion: flags, width, precision, length, letter. */
typedef struct conversion {
  char flags[8];
  int width, precision; /* -1: none */
  int longs, shorts;    /* l, ll, z, j, t; h, hh */
  char letter;
  const char *end;
} conversion;

static int number(const char **p, arguments *a) {
  if (**p == '*') {
    ++*p;
    return (int)(uint32_t)next(a, 4);
  }
  int v = 0;
  for (; **p >= '0' && **p <= '9'; ++*p)
    if (v < 100000) v = v * 10 + (**p - '0');
  return v;
}

/* Parses a conversion, from behind its '%'. */
static conversion parse(const char *p, arguments *a) {
  conversion c = { .width = -1, .precision = -1 };
  size_t n = 0;
  for (; *p && strchr("-+ #0", *p); p++)
    if (n + 2 < sizeof c.flags && !memchr(c.flags, *p, n)) c.flags[n++] = *p;
  if (*p == '*' || (*p >= '1' && *p <= '9')) c.width = number(&p, a);
  if (c.width < -1) { /* a negative width from an argument: left-justified */
    c.width = -c.width;
    if (n + 1 < sizeof c.flags) c.flags[n++] = '-';
  }
  if (*p == '.') {
    p++;
    c.precision = number(&p, a);
  }
  for (; *p && strchr("hlLzjtq", *p); p++) {
    if (*p == 'h') c.shorts++;
    else c.longs++;
  }
  c.letter = *p;
  c.end = *p ? p + 1 : p;
  return c;
}

static const int most = 4096; /* limit of width and precision */

/* Appends `%<flags><width>.<precision><kind>` of a value; `kind` includes a length where needed. */
static void rebuild(const conversion *c, const char *kind, char *format, size_t size) {
  int n = snprintf(format, size, "%%%s", c->flags);
  if (c->width >= 0) n += snprintf(format + n, size - (size_t)n, "%d", c->width < most ? c->width : most);
  if (c->precision >= 0) n += snprintf(format + n, size - (size_t)n, ".%d", c->precision < most ? c->precision : most);
  snprintf(format + n, size - (size_t)n, "%s", kind);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* formats are the kernel's */

static void put_integer(dc_buf *out, const conversion *c, arguments *a) {
  bool is_signed = c->letter == 'd' || c->letter == 'i';
  uint64_t v = next(a, c->longs ? 8 : 4);
  char format[48], kind[4] = { 'l', 'l', c->letter, '\0' };
  rebuild(c, kind, format, sizeof format);
  if (!c->longs && is_signed) v = (uint64_t)(int64_t)(int32_t)v;
  if (c->shorts == 1) v = is_signed ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
  if (c->shorts > 1) v = is_signed ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
  dc_buf_printf(out, format, (long long)v);
}

static void put_float(dc_buf *out, const conversion *c, arguments *a) {
  uint64_t bits = next(a, 8);
  double v;
  char format[48], kind[2] = { c->letter, '\0' };
  memcpy(&v, &bits, sizeof v);
  rebuild(c, kind, format, sizeof format);
  dc_buf_printf(out, format, v);
}

static void put_string(dc_buf *out, const conversion *c, arguments *a) {
  char format[48];
  const char *s = (const char *)(uintptr_t)next(a, 8);
  rebuild(c, "s", format, sizeof format);
  dc_buf_printf(out, format, s ? s : "(null)");
}

static void put_pointer(dc_buf *out, const conversion *c, arguments *a) {
  char format[48], text[24];
  conversion plain = *c;
  uint64_t v = next(a, 8);
  if (v) snprintf(text, sizeof text, "0x%llx", (unsigned long long)v);
  else snprintf(text, sizeof text, "(nil)");
  plain.precision = -1;
  rebuild(&plain, "s", format, sizeof format);
  dc_buf_printf(out, format, text);
}

static void put_char(dc_buf *out, const conversion *c, arguments *a) {
  char format[48];
  conversion plain = *c;
  plain.precision = -1;
  rebuild(&plain, "c", format, sizeof format);
  dc_buf_printf(out, format, (int)(uint8_t)next(a, 4));
}

int dc_printf_lane(dc_buf *out, const char *format, const uint8_t *bytes) {
  arguments a = { bytes, 0, 0 };
  while (*format) {
    const char *percent = strchr(format, '%');
    size_t n = percent ? (size_t)(percent - format) : strlen(format);
    dc_buf_add(out, format, n);
    if (percent == NULL) break;
    conversion c = parse(percent + 1, &a);
    format = c.end;
    switch (c.letter) {
      case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': put_integer(out, &c, &a); break;
      case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': put_float(out, &c, &a); break;
      case 's': put_string(out, &c, &a); break;
      case 'p': put_pointer(out, &c, &a); break;
      case 'c': put_char(out, &c, &a); break;
      case '%': dc_buf_putc(out, '%'); break;
      default: dc_buf_add(out, percent, (size_t)(c.end - percent));
    }
  }
  return a.used;
}
