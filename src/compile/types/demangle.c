/* demangle.c - see demangle.h. */
#include "compile/types/demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/signature.h"

#define MAX_SUBSTITUTIONS 256
#define MAX_DEPTH 64
#define MAX_ARGUMENTS 64

typedef struct reader {
  const char *p;
  dc_ctype subs[MAX_SUBSTITUTIONS]; /* spellings owned */
  int nsubs, depth;
  bool bad;       /* not understood */
  bool no_memory; /* an allocation failed; a type's spelling is NULL then, and stays so in what is made of it */
  bool exact; /* arguments are spelled as C++ takes them again */
  bool keeps; /* the next list of arguments is the one that types such as T_ refer to */
  dc_ctype args[MAX_ARGUMENTS]; /* of that list; spellings owned, NULL for what is no type */
  int nargs, first; /* `first`: where those of the function begin that is read now */
} reader;

static const struct builtin {
  char code;
  const char *name;
  dc_dtype dtype; /* DC_DTYPE_NONE: known, but no dtype of ours */
} builtins[] = {
    {'b', "bool", DC_BOOL},
    {'c', "char", DC_INT8},
    {'a', "signed char", DC_INT8},
    {'h', "unsigned char", DC_UINT8},
    {'s', "short", DC_INT16},
    {'t', "unsigned short", DC_UINT16},
    {'i', "int", DC_INT32},
    {'j', "unsigned int", DC_UINT32},
    {'l', "long", DC_INT64},
    {'m', "unsigned long", DC_UINT64},
    {'x', "long long", DC_INT64},
    {'y', "unsigned long long", DC_UINT64},
    {'f', "float", DC_FLOAT32},
    {'d', "double", DC_FLOAT64},
    {'w', "wchar_t", DC_INT32},
    {'n', "__int128", DC_DTYPE_NONE},
    {'o', "unsigned __int128", DC_DTYPE_NONE},
    {'e', "long double", DC_DTYPE_NONE},
    {'g', "__float128", DC_DTYPE_NONE},
    {'z', "...", DC_DTYPE_NONE},
};

static const struct {
  const char *prefix;
  dc_dtype dtype;
} vector_types[] = {
    {"char", DC_INT8},   {"uchar", DC_UINT8},      {"short", DC_INT16},        {"ushort", DC_UINT16},
    {"int", DC_INT32},   {"uint", DC_UINT32},      {"long", DC_INT64},         {"ulong", DC_UINT64},
    {"longlong", DC_INT64}, {"ulonglong", DC_UINT64}, {"float", DC_FLOAT32}, {"double", DC_FLOAT64},
};

dc_dtype dc_vector_type(const char *name, int *lanes, const char **rest) {
  for (size_t i = 0; i < sizeof vector_types / sizeof *vector_types; i++) {
    const size_t n = strlen(vector_types[i].prefix);
    if (strncmp(name, vector_types[i].prefix, n) != 0 || name[n] < '1' || name[n] > '4') continue;
    *lanes = name[n] - '0';
    *rest = name + n + 1;
    return vector_types[i].dtype;
  }
  return DC_DTYPE_NONE;
}

static dc_ctype copy_type(const dc_ctype *t) {
  dc_ctype c = *t;
  c.spelling = t->spelling ? strdup(t->spelling) : NULL;
  return c;
}

static const char *text_of(reader *r, const dc_ctype *t) {
  r->no_memory = r->no_memory || !t->spelling;
  return t->spelling ? t->spelling : "?";
}

static void remember(reader *r, const dc_ctype *t) {
  if (r->nsubs == MAX_SUBSTITUTIONS) {
    r->bad = true;
    return;
  }
  r->subs[r->nsubs] = copy_type(t);
  text_of(r, &r->subs[r->nsubs++]);
}

static void respell(dc_ctype *t, const char *before, const char *after) {
  dc_buf b = DC_BUF_INIT;
  if (!t->spelling) return;
  dc_buf_printf(&b, "%s%s%s", before, t->spelling, after);
  free(t->spelling);
  t->spelling = dc_buf_take(&b);
}

/* "thrust::complex<float>", "cuda::std::__4::complex<float>", "std::complex<float>", "c10::complex<float>" */
static dc_dtype complex_of(const char *name) {
  static const char *const owners[] = {"cuda::", "thrust::", "std::", "c10::"};
  static const char part[] = "::complex<";
  const char *at = strstr(name, part);
  if (!at) return DC_DTYPE_NONE;
  for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
    if (strncmp(name, owners[i], strlen(owners[i])) != 0) continue;
    if (strcmp(at + strlen(part), "float>") == 0) return DC_COMPLEX64;
    if (strcmp(at + strlen(part), "double>") == 0) return DC_COMPLEX128;
  }
  return DC_DTYPE_NONE;
}

/* The 16-bit float whose class has that name, "__half", "half", PyTorch's "c10::Half"; the pair's name ends in a 2. */
static dc_dtype half_of(const char *name, int *lanes) {
  *lanes = 1;
  if (strcmp(name, "c10::Half") == 0) return DC_FLOAT16;
  if (strcmp(name, "c10::BFloat16") == 0) return DC_BFLOAT16;
  for (int d = 0; d < DC_NDTYPES; d++) {
    const char *class = dc_dtypes[d].ctype;
    const size_t n = strlen(class);
    if (!dc_dtype_is_half((dc_dtype)d)) continue;
    *lanes = strncmp(name, class, n) == 0 && strcmp(name + n, "2") == 0 ? 2 : 1;
    if (*lanes == 2 || strcmp(name, class) == 0 || strcmp(name, class + 2) == 0) return (dc_dtype)d;
  }
  return DC_DTYPE_NONE;
}

void dc_ctype_classify(const char *name, dc_ctype *t) {
  int lanes;
  const dc_dtype half = half_of(name, &lanes);
  t->cls = DC_CT_STRUCT;
  t->lanes = 1;
  if (half != DC_DTYPE_NONE) {
    t->cls = lanes == 1 ? DC_CT_SCALAR : DC_CT_VECTOR;
    t->dtype = half;
    t->lanes = lanes;
    return;
  }
  if ((t->dtype = complex_of(name)) != DC_DTYPE_NONE) {
    t->cls = DC_CT_SCALAR;
    return;
  }
  const char *rest;
  const dc_dtype vector = dc_vector_type(name, &lanes, &rest);
  if (vector == DC_DTYPE_NONE || (*rest != '\0' && strcmp(rest, "_16a") != 0 && strcmp(rest, "_32a") != 0)) return;
  t->cls = DC_CT_VECTOR;
  t->dtype = vector;
  t->lanes = lanes;
}

static dc_ctype read_type(reader *r);

static dc_ctype opaque(const char *spelling) {
  dc_ctype t = {.cls = DC_CT_OPAQUE, .dtype = DC_DTYPE_NONE, .lanes = 1, .spelling = strdup(spelling)};
  return t;
}

static dc_ctype fail(reader *r) {
  r->bad = true;
  return opaque("?");
}

/* A template argument's literal: L <type> <value> E; values are spelled, types dropped. */
static void read_literal(reader *r, dc_buf *out) {
  r->p++;
  dc_ctype t = read_type(r);
  if (r->exact && t.cls == DC_CT_STRUCT && t.spelling) dc_buf_printf(out, "(%s)", t.spelling); /* an enumeration */
  free(t.spelling);
  if (r->exact && t.dtype == DC_BOOL && strchr("01", *r->p) && r->p[1] == 'E') {
    dc_buf_puts(out, *r->p == '1' ? "true" : "false");
    r->p += 2;
    return;
  }
  if (*r->p == 'n') {
    dc_buf_putc(out, '-');
    r->p++;
  }
  while (*r->p && *r->p != 'E') dc_buf_putc(out, *r->p++);
  if (*r->p == 'E') r->p++;
  else r->bad = true;
}

static void read_identifier(reader *r, dc_buf *out);
static void read_arguments(reader *r, dc_buf *out);
static dc_ctype read_nested(reader *r);

static void forget_arguments(reader *r) {
  while (r->nargs > r->first) free(r->args[--r->nargs].spelling);
}

/* A function or variable as a template's argument, XadL_Z3addffEE: its name, with & in front. */
static void read_address(reader *r, dc_buf *out) {
  static const char begin[] = "XadL_Z";
  if (strncmp(r->p, begin, sizeof begin - 1) != 0) {
    r->bad = true; /* other expressions are beyond us */
    return;
  }
  r->p += sizeof begin - 1;
  const int first = r->first;
  r->first = r->nargs;
  r->keeps = true;
  dc_buf_putc(out, '&');
  if (*r->p == 'N') {
    r->p++;
    dc_ctype t = read_nested(r);
    dc_buf_puts(out, text_of(r, &t));
    free(t.spelling);
    if (r->nsubs > 0) free(r->subs[--r->nsubs].spelling);
  } else {
    if (*r->p == 'L') r->p++; /* internal linkage */
    const size_t begins = out->len;
    read_identifier(r, out);
    if (*r->p == 'I') { /* a template's name is one that may be substituted */
      dc_ctype self = opaque(dc_buf_str(out) + begins);
      remember(r, &self);
      free(self.spelling);
      r->p++;
      read_arguments(r, out);
    }
  }
  r->keeps = false;
  while (*r->p && *r->p != 'E' && !r->bad) free(read_type(r).spelling); /* a function's result and parameters */
  forget_arguments(r);
  r->first = first;
  if (*r->p == 'E') r->p++;
  if (*r->p == 'E') r->p++;
  else r->bad = true;
}

/* Arguments up to their E. `packs`: a J…E among them is an argument pack, whose members stand in its place. */
static void read_list(reader *r, dc_buf *out, bool packs) {
  const bool keeps = r->keeps && packs;
  r->keeps = false;
  if (keeps) forget_arguments(r);
  for (int n = 0; *r->p && *r->p != 'E' && !r->bad; n++) {
    if (n) dc_buf_puts(out, ", ");
    const bool is_type = !strchr("LXJ", *r->p), fits = keeps && r->nargs < MAX_ARGUMENTS;
    if (fits && !is_type) r->args[r->nargs++].spelling = NULL;
    if (*r->p == 'L') {
      read_literal(r, out);
    } else if (*r->p == 'X') {
      read_address(r, out);
    } else if (*r->p == 'J' && packs) {
      r->p++;
      read_list(r, out, false);
    } else {
      dc_ctype t = read_type(r);
      dc_buf_puts(out, text_of(r, &t));
      if (fits) r->args[r->nargs++] = t;
      else free(t.spelling);
    }
  }
  r->keeps = keeps; /* of a name in namespaces, the last component's are the function's */
  if (*r->p == 'E') r->p++;
  else r->bad = true;
}

static void read_arguments(reader *r, dc_buf *out) {
  dc_buf_putc(out, '<');
  read_list(r, out, true);
  dc_buf_putc(out, '>');
}

static void read_identifier(reader *r, dc_buf *out) {
  size_t n = 0;
  while (isdigit((unsigned char)*r->p) && n < 100000) n = n * 10 + (size_t)(*r->p++ - '0');
  if (n == 0 || strlen(r->p) < n) {
    r->bad = true;
    return;
  }
  if (n >= 10 && strncmp(r->p, "_GLOBAL__N", 10) == 0) dc_buf_puts(out, "(anonymous)");
  else dc_buf_add(out, r->p, n);
  r->p += n;
}

static dc_ctype substitution(reader *r) { /* after 'S' */
  int index = 0;
  if (*r->p == '_') {
    r->p++;
  } else {
    while (isdigit((unsigned char)*r->p) || isupper((unsigned char)*r->p)) {
      index = index * 36 + (isdigit((unsigned char)*r->p) ? *r->p - '0' : *r->p - 'A' + 10);
      r->p++;
      if (index > MAX_SUBSTITUTIONS) return fail(r);
    }
    if (*r->p != '_') return fail(r);
    r->p++;
    index++;
  }
  if (index >= r->nsubs) return fail(r);
  return copy_type(&r->subs[index]);
}

/* T_, T0_, …: an argument of the template, where it is a type. */
static dc_ctype read_parameter(reader *r) { /* after 'T' */
  int index = 0;
  if (isdigit((unsigned char)*r->p)) index = (int)strtoul(r->p, (char **)&r->p, 10) + 1;
  if (*r->p != '_' || index < 0 || index >= r->nargs - r->first) return fail(r);
  const dc_ctype *arg = &r->args[r->first + index];
  if (!arg->spelling) return fail(r);
  r->p++;
  dc_ctype t = copy_type(arg);
  remember(r, &t);
  return t;
}

static dc_ctype named(dc_buf *name) {
  dc_ctype t = {.cls = DC_CT_STRUCT, .dtype = DC_DTYPE_NONE, .lanes = 1, .spelling = dc_buf_take(name)};
  dc_ctype_classify(t.spelling ? t.spelling : "", &t);
  return t;
}

/* N [qualifiers] <prefix> … E: every prefix but the last component's whole is a substitution too. */
static dc_ctype read_nested(reader *r) {
  dc_buf name = DC_BUF_INIT;
  while (*r->p == 'r' || *r->p == 'V' || *r->p == 'K') r->p++;
  dc_ctype t = {.spelling = NULL};
  while (*r->p && *r->p != 'E' && !r->bad) {
    if (*r->p == 'S' && r->p[1] == 't') {
      r->p += 2;
      dc_buf_puts(&name, "std");
      continue;
    }
    if (*r->p == 'S') {
      r->p++;
      t = substitution(r);
      dc_buf_reset(&name);
      dc_buf_puts(&name, text_of(r, &t));
      free(t.spelling);
      continue;
    }
    if (*r->p == 'I') {
      r->p++;
      read_arguments(r, &name);
    } else {
      if (*r->p == 'L') r->p++; /* internal linkage */
      if (name.len) dc_buf_puts(&name, "::");
      read_identifier(r, &name);
    }
    dc_buf copy = DC_BUF_INIT;
    dc_buf_puts(&copy, dc_buf_str(&name));
    t = named(&copy);
    remember(r, &t);
    free(t.spelling);
  }
  if (*r->p == 'E') r->p++;
  else r->bad = true;
  return named(&name);
}

static dc_ctype read_class(reader *r) {
  dc_buf name = DC_BUF_INIT;
  if (*r->p == 'S' && r->p[1] == 't') {
    r->p += 2;
    dc_buf_puts(&name, "std::");
  }
  read_identifier(r, &name);
  dc_buf copy = DC_BUF_INIT;
  dc_buf_puts(&copy, dc_buf_str(&name));
  dc_ctype t = named(&copy);
  remember(r, &t);
  if (*r->p == 'I' && !r->bad) {
    r->p++;
    read_arguments(r, &name);
    free(t.spelling);
    t = named(&name);
    remember(r, &t);
  }
  dc_buf_free(&name);
  return t;
}

/* "void ()(int)": a pointer to it puts its star between the brackets. */
static dc_ctype read_function(reader *r) { /* after 'F' */
  dc_buf b = DC_BUF_INIT;
  if (*r->p == 'Y') r->p++;
  for (int n = 0; *r->p && *r->p != 'E' && !r->bad; n++) {
    dc_ctype t = read_type(r);
    bool none = n == 1 && t.cls == DC_CT_VOID && t.pointers == 0;
    if (n > 1) dc_buf_puts(&b, ", ");
    if (!none) dc_buf_puts(&b, text_of(r, &t));
    if (n == 0) dc_buf_puts(&b, " ()(");
    free(t.spelling);
  }
  dc_buf_putc(&b, ')');
  if (*r->p == 'E') r->p++;
  else r->bad = true;
  dc_ctype t = opaque(dc_buf_str(&b));
  dc_buf_free(&b);
  remember(r, &t);
  return t;
}

/* Its class stays the element's: a pointer to rows takes an array of elements. */
static dc_ctype read_array(reader *r) { /* after 'A' */
  const char *extent = r->p;
  while (isdigit((unsigned char)*r->p)) r->p++;
  char text[32];
  snprintf(text, sizeof text, " ()[%.*s]", (int)(r->p - extent < 20 ? r->p - extent : 20), extent);
  if (*r->p == '_') r->p++;
  else r->bad = true;
  dc_ctype t = read_type(r);
  char *rows = t.spelling ? strstr(t.spelling, "()[") : NULL; /* int [4][5]: outer extents come first */
  if (rows) {
    dc_buf b = DC_BUF_INIT;
    dc_buf_printf(&b, "%.*s%s%s", (int)(rows + 2 - t.spelling), t.spelling, text + 3, rows + 2);
    free(t.spelling);
    t.spelling = dc_buf_take(&b);
  } else {
    respell(&t, "", text);
  }
  remember(r, &t);
  return t;
}

/* Puts '*' or '&' behind a type, or inside the brackets of "int ()[5]". */
static void respell_pointer(dc_ctype *t, char sign) {
  const char *s = t->spelling;
  if (!s) return;
  const char *hole = strstr(s, ")(");
  if (!hole) hole = strstr(s, ")[");
  size_t n = hole ? (size_t)(hole - s) : strlen(s);
  bool tight = n > 0 && (s[n - 1] == '*' || s[n - 1] == '(');
  dc_buf b = DC_BUF_INIT;
  dc_buf_add(&b, s, n);
  if (!tight) dc_buf_putc(&b, ' ');
  dc_buf_putc(&b, sign);
  if (hole) dc_buf_puts(&b, hole);
  free(t->spelling);
  t->spelling = dc_buf_take(&b);
}

static dc_ctype read_pointer(reader *r, char sign) { /* after 'P', 'R' or 'O' */
  dc_ctype t = read_type(r);
  if (t.pointers > 0) t.is_const = false; /* known of the last pointee only: that of `const T **` is a plain pointer */
  respell_pointer(&t, sign);
  t.pointers++;
  t.is_reference = sign == '&';
  remember(r, &t);
  return t;
}

static dc_ctype read_qualified(reader *r) {
  bool is_const = false, is_volatile = false;
  for (;; r->p++) {
    if (*r->p == 'K') is_const = true;
    else if (*r->p == 'V') is_volatile = true;
    else if (*r->p != 'r') break;
  }
  dc_ctype t = read_type(r);
  t.is_const = is_const;
  const char *words = is_const ? (is_volatile ? "const volatile " : "const ") : is_volatile ? "volatile " : "";
  if (t.pointers > 0) respell(&t, "", is_const ? " const" : "");
  else respell(&t, words, "");
  remember(r, &t);
  return t;
}

static dc_ctype builtin(const struct builtin *b) {
  dc_ctype t = opaque(b->name);
  if (b->dtype == DC_DTYPE_NONE) return t;
  t.cls = DC_CT_SCALAR;
  t.dtype = b->dtype;
  t.any_char = strchr("cahu", b->code) != NULL && dc_dtype_size(b->dtype) == 1;
  t.size = t.align = dc_dtype_size(t.dtype);
  return t;
}

static dc_ctype read_builtin(reader *r) {
  if (*r->p == 'v') {
    r->p++;
    dc_ctype t = opaque("void");
    t.cls = DC_CT_VOID;
    return t;
  }
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
    if (builtins[i].code == *r->p) {
      r->p++;
      return builtin(&builtins[i]);
    }
  return fail(r);
}

/* Builtin types whose code is D and another letter. */
static dc_ctype read_two_letters(reader *r) {
  static const struct builtin list[] = {
      {'h', "half", DC_DTYPE_NONE},  {'n', "nullptr_t", DC_DTYPE_NONE}, {'u', "char8_t", DC_UINT8},
      {'s', "char16_t", DC_UINT16}, {'i', "char32_t", DC_UINT32},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (r->p[1] != list[i].code) continue;
    r->p += 2;
    return builtin(&list[i]);
  }
  return fail(r);
}

static dc_ctype read_type(reader *r) {
  if (r->bad || r->depth >= MAX_DEPTH) return fail(r);
  r->depth++;
  dc_ctype t;
  char c = *r->p;
  switch (c) {
    case 'P': case 'R': case 'O':
      r->p++;
      t = read_pointer(r, c == 'P' ? '*' : '&');
      break;
    case 'r': case 'V': case 'K': t = read_qualified(r); break;
    case 'F': r->p++; t = read_function(r); break;
    case 'A': r->p++; t = read_array(r); break;
    case 'N': r->p++; t = read_nested(r); break;
    case 'D': t = read_two_letters(r); break;
    case 'T': r->p++; t = read_parameter(r); break;
    case 'S':
      if (r->p[1] == 't') {
        t = read_class(r);
        break;
      }
      r->p++;
      t = substitution(r);
      if (*r->p == 'I') { /* a template's name was substituted, its arguments follow */
        dc_buf name = DC_BUF_INIT;
        dc_buf_puts(&name, text_of(r, &t));
        free(t.spelling);
        r->p++;
        read_arguments(r, &name);
        t = named(&name);
        remember(r, &t);
      }
      break;
    default: t = isdigit((unsigned char)c) ? read_class(r) : read_builtin(r);
  }
  r->depth--;
  return t;
}

/* An enumeration is passed as the integer that it is: `sign` 1 signed, 2 unsigned. */
static void make_integer(dc_ctype *t, size_t sign) {
  static const dc_dtype of_size[2][4] = {{DC_INT8, DC_INT16, DC_INT32, DC_INT64},
                                         {DC_UINT8, DC_UINT16, DC_UINT32, DC_UINT64}};
  int log = t->size == 1 ? 0 : t->size == 2 ? 1 : t->size == 4 ? 2 : t->size == 8 ? 3 : -1;
  if (t->cls != DC_CT_STRUCT || log < 0 || sign < 1 || sign > 2) return;
  t->cls = DC_CT_SCALAR;
  t->dtype = of_size[sign - 1][log];
}

/* A struct that only happens to be called like one of CUDA's types is a struct.  Rows take an array of elements. */
static void check_size(dc_ctype *t) {
  if ((t->cls != DC_CT_SCALAR && t->cls != DC_CT_VECTOR) || t->pointers > 1 || t->size == 0) return;
  if (t->spelling && strstr(t->spelling, ")[")) t->size = dc_dtype_size(t->dtype) * (size_t)t->lanes;
  if (t->size == dc_dtype_size(t->dtype) * (size_t)t->lanes) return;
  t->cls = DC_CT_STRUCT;
  t->dtype = DC_DTYPE_NONE;
  t->lanes = 1;
}

/* Numbers of `dc_list_<n, n, …>` after the function type: sizes of all parameters, then alignments, then what
** kind of enumeration each is (0: none).  Of what stands behind a pointer, that. */
static void read_layout(const char *p, dc_signature *sig) {
  const char *list = strstr(p, "8dc_list_IJ");
  if (!list) return;
  p = list + strlen("8dc_list_IJ");
  for (int i = 0; i < 3 * sig->nparams && p[0] == 'L' && p[1] == 'm'; i++) {
    char *end;
    size_t v = strtoul(p + 2, &end, 10);
    dc_ctype *t = &sig->params[i % sig->nparams].type;
    bool sized = t->pointers == 0 || (t->cls != DC_CT_VOID && t->cls != DC_CT_OPAQUE);
    if (sized && i < sig->nparams) {
      t->size = v;
      check_size(t);
    } else if (sized && i < 2 * sig->nparams) t->align = v;
    else if (sized) make_integer(t, v);
    if (*end != 'E') return;
    p = end + 1;
  }
}

/* Types up to `stop` ('E', or '\0' for the end) become sig's parameters. */
static void read_params(reader *r, char stop, dc_signature *sig) {
  int cap = 0;
  sig->nparams = 0;
  sig->params = NULL;
  if (*r->p == 'v' && r->p[1] == stop) r->p++;
  while (*r->p && *r->p != stop && !r->bad) {
    if (sig->nparams == cap) {
      cap = cap ? 2 * cap : 8;
      dc_cparam *more = realloc(sig->params, sizeof *more * (size_t)cap);
      if (!more) {
        r->no_memory = r->bad = true;
        break;
      }
      sig->params = more;
    }
    dc_cparam *q = &sig->params[sig->nparams++];
    q->name = NULL;
    q->type = read_type(r);
  }
  if (*r->p != stop) r->bad = true;
}

/* Frees the reader; sig is typed when all was understood. */
static int finish(reader *r, dc_signature *sig, dc_error *err) {
  for (int i = 0; i < sig->nparams; i++) text_of(r, &sig->params[i].type);
  const bool no_memory = r->no_memory;
  sig->typed = !r->bad && !no_memory;
  if (!sig->typed) {
    dc_params_free(sig->params, sig->nparams);
    sig->params = NULL;
    sig->nparams = 0;
  }
  for (int i = 0; i < r->nsubs; i++) free(r->subs[i].spelling);
  r->first = 0;
  forget_arguments(r);
  free(r);
  return no_memory ? dc_fail_oom(err) : 0;
}

int dc_signature_types(const char *mangled, dc_signature *sig, dc_error *err) {
  const char *start = strstr(mangled, "PFv");
  if (!start) return dc_fail(err, DC_COMPILE, NULL, "'%s' holds no kernel's type", mangled);
  /* Substitutions count from what stands before: the name of the template `dc_sig_` is the first. */
  reader *r = calloc(1, sizeof *r);
  if (!r) return dc_fail_oom(err);
  r->p = start + 3;
  if (start != mangled) {
    dc_ctype self = opaque("dc_sig_");
    remember(r, &self);
    free(self.spelling);
  }
  read_params(r, 'E', sig);
  const char *rest = r->p;
  if (finish(r, sig, err) != 0) return -1;
  if (!sig->typed) return dc_fail(err, DC_COMPILE, NULL, "the types in '%s' are not understood", mangled);
  read_layout(rest, sig);
  return 0;
}

/* <name>, without template arguments.  True: it is a nested one. */
static bool read_name(reader *r, dc_buf *name) {
  if (*r->p != 'N') {
    if (*r->p == 'L') r->p++; /* internal linkage */
    read_identifier(r, name);
    return false;
  }
  r->p++;
  dc_ctype t = read_nested(r);
  dc_buf_puts(name, text_of(r, &t));
  free(t.spelling);
  if (r->nsubs > 0) free(r->subs[--r->nsubs].spelling);
  return true;
}

/* <encoding>: _Z <name> <parameter types>.  A function's own name is no substitution, its namespaces are. */
static char *read_encoding(reader *r, dc_signature *sig) {
  dc_buf name = DC_BUF_INIT;
  r->p += 2;
  read_name(r, &name);
  if (*r->p == 'I' || strchr(dc_buf_str(&name), '<')) r->bad = true; /* a template: its types refer to its arguments */
  read_params(r, '\0', sig);
  return dc_buf_take(&name);
}

static int rename_overload(dc_signature *sig, const char *name, dc_error *err) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%s(", name);
  for (int i = 0; i < sig->nparams; i++) dc_buf_printf(&b, "%s%s", i ? ", " : "", sig->params[i].type.spelling);
  dc_buf_putc(&b, ')');
  free(sig->name);
  return (sig->name = dc_buf_take(&b)) ? 0 : dc_fail_oom(err);
}

int dc_signature_of_entry(dc_signature *sig, const char *lowered, dc_error *err) {
  char *name = NULL;
  if (strncmp(lowered, "_Z", 2) == 0) {
    reader *r = calloc(1, sizeof *r);
    if (!r) return dc_fail_oom(err);
    r->p = lowered;
    name = read_encoding(r, sig);
    if (finish(r, sig, err) != 0) {
      free(name);
      return -1;
    }
  }
  bool typed = sig->typed && name;
  int result = dc_signature_finish(sig, typed ? name : lowered, lowered, NULL, err);
  if (result == 0 && typed) result = rename_overload(sig, name, err);
  free(name);
  return result;
}

/* Takes "BEGINS…::" out of the name, wherever it stands. */
static void drop_space(char *text, const char *begins) {
  for (char *p = text, *end; (p = strstr(p, begins)) != NULL && (end = strstr(p, "::")) != NULL;)
    memmove(p, end + 2, strlen(end + 2) + 1);
}

/* Appends "(float *, int)" to the instance's name, where all the types behind it are understood.  A template's begin
** with that of the result. */
static void read_overload(reader *r, dc_buf *name) {
  dc_signature sig = {0};
  r->keeps = false;
  free(read_type(r).spelling);
  read_params(r, '\0', &sig);
  bool good = !r->bad;
  for (int i = 0; i < sig.nparams; i++) good = good && sig.params[i].type.spelling;
  for (int i = 0; i < sig.nparams && good; i++)
    dc_buf_printf(name, "%s%s", i ? ", " : "(", sig.params[i].type.spelling);
  if (good) dc_buf_puts(name, sig.nparams ? ")" : "()");
  dc_params_free(sig.params, sig.nparams);
}

char *dc_instance_name(const char *lowered) {
  dc_buf name = DC_BUF_INIT;
  dc_signature unused = {0};
  reader *r = strncmp(lowered, "_Z", 2) == 0 ? calloc(1, sizeof *r) : NULL;
  if (!r) return NULL;
  r->p = lowered + 2;
  r->exact = r->keeps = true;
  if (!read_name(r, &name)) {
    dc_ctype self = opaque(dc_buf_str(&name));
    remember(r, &self);
    free(self.spelling);
    if (*r->p == 'I') {
      r->p++;
      read_arguments(r, &name);
    }
  }
  bool good = !r->bad && name.len > 0 && name.data[name.len - 1] == '>';
  if (good) read_overload(r, &name);
  dc_error ignored = DC_ERROR_INIT; /* without memory there is no name */
  finish(r, &unused, &ignored);
  dc_error_clear(&ignored);
  char *text = dc_buf_take(&name);
  if (good && text) {
    drop_space(text, "(anonymous)::");
    drop_space(text, "_INTERNAL_"); /* of relocatable code: a namespace of the unit's, for what is static */
    return text;
  }
  free(text);
  return NULL;
}
