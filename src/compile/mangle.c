/*
** mangle.c - C++ parameter types out of their Itanium ABI mangling (the part that types need):
** https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
*/
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "compile/compile.h"

#define MAX_SUBSTITUTIONS 256
#define MAX_DEPTH 64

typedef struct reader {
  const char *p;
  dc_ctype subs[MAX_SUBSTITUTIONS]; /* spellings owned */
  int nsubs, depth;
  bool bad;
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
    {'w', "wchar_t", DC_DTYPE_NONE},
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
    {"char", DC_INT8},   {"uchar", DC_UINT8}, {"short", DC_INT16},  {"ushort", DC_UINT16},  {"int", DC_INT32},    {"uint", DC_UINT32},
    {"long", DC_INT64},  {"ulong", DC_UINT64}, {"longlong", DC_INT64}, {"ulonglong", DC_UINT64}, {"float", DC_FLOAT32}, {"double", DC_FLOAT64},
};

static dc_ctype copy_type(const dc_ctype *t) {
  dc_ctype c = *t;
  c.spelling = strdup(t->spelling ? t->spelling : "?");
  return c;
}

static void remember(reader *r, const dc_ctype *t) {
  if (r->nsubs < MAX_SUBSTITUTIONS) r->subs[r->nsubs++] = copy_type(t);
  else r->bad = true;
}

static void respell(dc_ctype *t, const char *before, const char *after) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%s%s%s", before, t->spelling ? t->spelling : "?", after);
  free(t->spelling);
  t->spelling = dc_buf_take(&b);
}

/* What a class name means to us: CUDA's vector types, its half types, else a struct. */
static void classify(dc_ctype *t) {
  const char *name = t->spelling ? t->spelling : "";
  t->cls = DC_CT_STRUCT;
  t->lanes = 1;
  if (strcmp(name, "__half") == 0 || strcmp(name, "half") == 0) {
    t->cls = DC_CT_SCALAR;
    t->dtype = DC_FLOAT16;
    return;
  }
  if (strcmp(name, "__nv_bfloat16") == 0) {
    t->cls = DC_CT_SCALAR;
    t->dtype = DC_BFLOAT16;
    return;
  }
  for (size_t i = 0; i < sizeof vector_types / sizeof *vector_types; i++) {
    size_t n = strlen(vector_types[i].prefix);
    if (strncmp(name, vector_types[i].prefix, n) != 0 || name[n] < '1' || name[n] > '4') continue;
    if (name[n + 1] != '\0' && strcmp(name + n + 1, "_16a") != 0 && strcmp(name + n + 1, "_32a") != 0) continue;
    t->cls = DC_CT_VECTOR;
    t->dtype = vector_types[i].dtype;
    t->lanes = name[n] - '0';
    return;
  }
}

static dc_ctype read_type(reader *r);

static dc_ctype opaque(reader *r, const char *spelling) {
  (void)r;
  dc_ctype t = {.cls = DC_CT_OPAQUE, .dtype = DC_DTYPE_NONE, .lanes = 1, .spelling = strdup(spelling)};
  return t;
}

static dc_ctype fail(reader *r) {
  r->bad = true;
  return opaque(r, "?");
}

/* A template argument's literal: L <type> <value> E; values are spelled, types dropped. */
static void read_literal(reader *r, dc_buf *out) {
  r->p++;
  dc_ctype t = read_type(r);
  free(t.spelling);
  if (*r->p == 'n') {
    dc_buf_putc(out, '-');
    r->p++;
  }
  while (*r->p && *r->p != 'E') dc_buf_putc(out, *r->p++);
  if (*r->p == 'E') r->p++;
  else r->bad = true;
}

static void read_arguments(reader *r, dc_buf *out) {
  dc_buf_putc(out, '<');
  for (int n = 0; *r->p && *r->p != 'E' && !r->bad; n++) {
    if (n) dc_buf_puts(out, ", ");
    if (*r->p == 'L') {
      read_literal(r, out);
    } else if (*r->p == 'J') { /* an argument pack */
      r->p++;
      for (int m = 0; *r->p && *r->p != 'E' && !r->bad; m++) {
        if (m) dc_buf_puts(out, ", ");
        if (*r->p == 'L') {
          read_literal(r, out);
        } else {
          dc_ctype t = read_type(r);
          dc_buf_puts(out, t.spelling ? t.spelling : "?");
          free(t.spelling);
        }
      }
      if (*r->p == 'E') r->p++;
      else r->bad = true;
    } else if (*r->p == 'X') {
      r->bad = true; /* expressions are beyond us */
    } else {
      dc_ctype t = read_type(r);
      dc_buf_puts(out, t.spelling ? t.spelling : "?");
      free(t.spelling);
    }
  }
  if (*r->p == 'E') r->p++;
  else r->bad = true;
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

static dc_ctype named(dc_buf *name) {
  dc_ctype t = {.cls = DC_CT_STRUCT, .dtype = DC_DTYPE_NONE, .lanes = 1, .spelling = dc_buf_take(name)};
  classify(&t);
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
      dc_buf_puts(&name, t.spelling ? t.spelling : "?");
      free(t.spelling);
      continue;
    }
    if (*r->p == 'I') {
      r->p++;
      read_arguments(r, &name);
    } else {
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

static dc_ctype read_function(reader *r) { /* after 'F' */
  if (*r->p == 'Y') r->p++;
  while (*r->p && *r->p != 'E' && !r->bad) {
    dc_ctype t = read_type(r);
    free(t.spelling);
  }
  if (*r->p == 'E') r->p++;
  else r->bad = true;
  dc_ctype t = opaque(r, "function");
  remember(r, &t);
  return t;
}

static dc_ctype read_array(reader *r) { /* after 'A' */
  while (*r->p && *r->p != '_') r->p++;
  if (*r->p == '_') r->p++;
  dc_ctype t = read_type(r);
  respell(&t, "", " (&)[]"); /* its class stays the element's: a pointer to rows takes an array of elements */
  remember(r, &t);
  return t;
}

static dc_ctype read_pointer(reader *r, bool reference) { /* after 'P', 'R' or 'O' */
  dc_ctype t = read_type(r);
  if (t.pointers > 0) t.is_const = false; /* of an inner pointer: the last pointee is what counts, see below */
  size_t n = t.spelling ? strlen(t.spelling) : 0;
  bool tight = n > 0 && t.spelling[n - 1] == '*';
  respell(&t, "", reference ? " &" : tight ? "*" : " *");
  t.pointers++;
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

static dc_ctype read_builtin(reader *r) {
  if (*r->p == 'v') {
    r->p++;
    dc_ctype t = opaque(r, "void");
    t.cls = DC_CT_VOID;
    return t;
  }
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
    if (builtins[i].code == *r->p) {
      r->p++;
      dc_ctype t = opaque(r, builtins[i].name);
      if (builtins[i].dtype != DC_DTYPE_NONE) {
        t.cls = DC_CT_SCALAR;
        t.dtype = builtins[i].dtype;
        t.any_char = strchr("cah", builtins[i].code) != NULL;
        t.size = t.align = dc_dtype_size(t.dtype);
      }
      return t;
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
      t = read_pointer(r, c != 'P');
      break;
    case 'r': case 'V': case 'K': t = read_qualified(r); break;
    case 'F': r->p++; t = read_function(r); break;
    case 'A': r->p++; t = read_array(r); break;
    case 'N': r->p++; t = read_nested(r); break;
    case 'D':
      if (r->p[1] == 'h') {
        r->p += 2;
        t = opaque(r, "half");
      } else if (r->p[1] == 'n') {
        r->p += 2;
        t = opaque(r, "nullptr_t");
      } else {
        t = fail(r);
      }
      break;
    case 'S':
      if (r->p[1] == 't') {
        t = read_class(r);
        break;
      }
      r->p++;
      t = substitution(r);
      if (*r->p == 'I') { /* a template's name was substituted, its arguments follow */
        dc_buf name = DC_BUF_INIT;
        dc_buf_puts(&name, t.spelling ? t.spelling : "?");
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

/* Numbers of `dc_list_<n, n, …>` after the function type: sizes of all parameters, then alignments. */
static void read_layout(const char *p, dc_signature *sig) {
  const char *list = strstr(p, "8dc_list_IJ");
  if (!list) return;
  p = list + strlen("8dc_list_IJ");
  for (int i = 0; i < 2 * sig->nparams && p[0] == 'L' && p[1] == 'm'; i++) {
    char *end;
    size_t v = strtoul(p + 2, &end, 10);
    dc_ctype *t = &sig->params[i % sig->nparams].type;
    if (t->cls != DC_CT_VOID && t->cls != DC_CT_OPAQUE) {
      if (i < sig->nparams) t->size = v;
      else t->align = v;
    } else if (t->pointers == 0) {
      if (i < sig->nparams) t->size = v;
      else t->align = v;
    }
    if (*end != 'E') return;
    p = end + 1;
  }
}

/* `mangled` begins at the pointer to the kernel's function type: "PFv…E", or holds it after a mark. */
int dc_signature_demangle(const char *mangled, dc_signature *sig, dc_error *err) {
  const char *start = strstr(mangled, "PFv");
  if (!start) return dc_fail(err, DC_COMPILE, NULL, "'%s' holds no kernel's type", mangled);
  /* Substitutions count from what stands before: the name of the template `dc_sig_` is the first. */
  reader *r = calloc(1, sizeof *r);
  if (!r) return dc_fail_oom(err);
  r->p = start + 3;
  if (start != mangled) {
    dc_ctype self = opaque(r, "dc_sig_");
    remember(r, &self);
    free(self.spelling);
  }
  int n = 0, cap = 0;
  dc_cparam *params = NULL;
  if (*r->p == 'v' && r->p[1] == 'E') r->p++;
  while (*r->p && *r->p != 'E' && !r->bad) {
    if (n == cap) {
      cap = cap ? 2 * cap : 8;
      dc_cparam *more = realloc(params, sizeof *params * (size_t)cap);
      if (!more) {
        r->bad = true;
        break;
      }
      params = more;
    }
    params[n].name = NULL;
    params[n++].type = read_type(r);
  }
  bool ok = !r->bad && *r->p == 'E';
  const char *rest = r->p;
  for (int i = 0; i < r->nsubs; i++) free(r->subs[i].spelling);
  sig->nparams = n;
  sig->params = params;
  sig->typed = ok;
  if (ok) read_layout(rest, sig);
  free(r);
  if (ok) return 0;
  for (int i = 0; i < n; i++) free(params[i].type.spelling);
  free(params);
  sig->nparams = 0;
  sig->params = NULL;
  return dc_fail(err, DC_COMPILE, NULL, "the types in '%s' are not understood", mangled);
}
