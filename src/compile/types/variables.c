/*
** variables.c - see variables.h.
**
** The template by which parameter types are found (signature.c) is instantiated with the variable's address and size;
** the lowered name of that instance is parsed here as far as arrays and their elements go: _Z7dc_sig_I PA3_A4_f
** 8dc_list_IJLm48EE E.
*/
#include "compile/types/variables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "compile/types/demangle.h"
#include "compile/types/image.h"
#include "compile/types/signature.h"

char *dc_variable_expression(const char *name) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "&%s", name);
  return dc_buf_take(&b);
}

char *dc_variable_query(const char *name) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "&dc_sig_<decltype(&%s), dc_list_<sizeof(%s)>>", name, name);
  return dc_buf_take(&b);
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* "ns::y" is "2ns1yE" at the end of its symbol; a variable outside of namespaces is not mangled. */
static char *mangled_end(const char *name) {
  dc_buf b = DC_BUF_INIT;
  if (!strstr(name, "::")) return strdup(name);
  for (const char *p = name; *p;) {
    const char *end = strstr(p, "::");
    size_t n = end ? (size_t)(end - p) : strlen(p);
    dc_buf_printf(&b, "%zu%.*s", n, (int)n, p);
    p += n + (end ? 2 : 0);
  }
  dc_buf_putc(&b, 'E');
  return dc_buf_take(&b);
}

/* In front of the names of namespaces stands "_ZN", and then, for what the source keeps to itself, a made-up one. */
static bool is_mangled_begin(const char *s, size_t n) {
  if (n < 3 || strncmp(s, "_ZN", 3) != 0) return false;
  return n == 3 || memmem(s, n, "_INTERNAL_", 10) || memmem(s, n, "_GLOBAL__N_", 11);
}

char *dc_variable_symbol(const char *name, const void *image, size_t len) {
  const char *text = image, *end = text + len;
  char *tail = mangled_end(name), *symbol = NULL;
  size_t n = tail ? strlen(tail) : 0;
  bool nested = strstr(name, "::") != NULL;
  for (const char *p = text; tail && !symbol && (p = memmem(p, (size_t)(end - p), tail, n)) != NULL; p++) {
    const char *begin = p;
    while (begin > text && is_name(begin[-1])) begin--;
    bool ends = p + n == end || !is_name(p[n]);
    bool begins = nested ? is_mangled_begin(begin, (size_t)(p - begin)) : begin == p;
    if (ends && begins) symbol = strndup(begin, (size_t)(p - begin) + n);
  }
  free(tail);
  return symbol;
}

/* Builtin types by their letter. */
static dc_dtype builtin(char c) {
  static const struct { char code; dc_dtype dtype; } list[] = {
    {'b', DC_BOOL},   {'c', DC_INT8},   {'a', DC_INT8},   {'h', DC_UINT8},  {'s', DC_INT16},   {'t', DC_UINT16},
    {'i', DC_INT32},  {'j', DC_UINT32}, {'l', DC_INT64},  {'m', DC_UINT64}, {'x', DC_INT64},   {'y', DC_UINT64},
    {'f', DC_FLOAT32}, {'d', DC_FLOAT64}, {'P', DC_UINT64}, /* an address */
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].code == c) return list[i].dtype;
  return DC_DTYPE_NONE;
}

static bool begins(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

/* CUDA's class types that are numbers, "6float4": dtype and components.  A reference to a texture is the handle of its
** object (shims/dotcompute/texture_references.h). */
static dc_dtype class_type(const char *p, int *lanes) {
  char *name;
  size_t n = strtoul(p, &name, 10);
  *lanes = 1;
  if (n > strlen(name)) return DC_DTYPE_NONE;
  if (begins(name, "__")) return dc_dtype_parse(name, n); /* __half, __nv_bfloat16 */
  if (begins(name, "dc_texture_reference") || begins(name, "dc_surface_reference")) return DC_UINT64;
  const char *rest;
  const dc_dtype vector = dc_vector_type(name, lanes, &rest);
  if (vector != DC_DTYPE_NONE && rest == name + n) return vector;
  *lanes = 1;
  return DC_DTYPE_NONE;
}

static void add_axis(dc_variable *v, int64_t extent) { v->shape[v->ndim++] = extent; }

/* Behind the pointer's P. False: more axes than arrays have. */
static bool read_type(dc_variable *v, const char *p) {
  int lanes = 1;
  int64_t count = 1;
  while (*p == 'A') {
    char *end;
    int64_t extent = strtoll(p + 1, &end, 10);
    if (*end != '_' || v->ndim >= DC_VARIABLE_DIMS - 1) return false;
    add_axis(v, extent);
    count *= extent;
    p = end + 1;
  }
  while (*p == 'K' || *p == 'V') p++;
  v->dtype = isdigit((unsigned char)*p) ? class_type(p, &lanes) : builtin(*p);
  size_t element = count > 0 ? v->size / (size_t)count : 0;
  bool number = v->dtype != DC_DTYPE_NONE &&
                dc_dtype_size(v->dtype) * (size_t)lanes == element;
  if (number && lanes > 1) add_axis(v, lanes);
  if (number) return true;
  v->dtype = DC_UINT8;
  add_axis(v, (int64_t)element);
  return true;
}

void dc_variable_type(dc_variable *v, const char *mangled) {
  static const char size_mark[] = "8dc_list_IJLm";
  const size_t n = strlen(DC_SIGNATURE_MARK);
  const char *size = mangled ? strstr(mangled, size_mark) : NULL;
  v->dtype = DC_DTYPE_NONE;
  v->ndim = 0;
  if (!size || strncmp(mangled, DC_SIGNATURE_MARK, n) != 0 || mangled[n] != 'P') return;
  v->size = strtoul(size + sizeof size_mark - 1, NULL, 10);
  if (read_type(v, mangled + n + 1)) return;
  v->dtype = DC_UINT8; /* only its size is known: bytes */
  v->ndim = 1;
  v->shape[0] = (int64_t)v->size;
}
