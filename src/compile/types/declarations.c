/*
** declarations.c - see declarations.h.
**
** Declarations as kernels have them: qualifiers, a type's name, stars, a name, "[n]".  Types that are no numbers are
** structs, passed as bytes, unless the compiler has reported a type of that name in the same place.
*/
#include "compile/types/declarations.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "compile/types/demangle.h"
#include "compile/types/image.h"
#include "compile/types/signature.h"
#include "compile/types/source.h"

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80; }

static bool same(const char *s, size_t n, const char *word) { return strlen(word) == n && memcmp(s, word, n) == 0; }

static bool one_of(const char *s, size_t n, const char *const *words) {
  for (; *words; words++)
    if (same(s, n, *words)) return true;
  return false;
}

/* Words that say nothing about how a value is passed. */
static bool is_silent(const char *s, size_t n) {
  static const char *const words[] = {"volatile", "restrict", "__restrict__", "__restrict", "__grid_constant__",
                                      "struct", "class", "union", "typename", "register", NULL};
  return one_of(s, n, words);
}

/* Words that only types are made of, so that none of them is a parameter's name. */
static bool is_builtin(const char *s, size_t n) {
  static const char *const words[] = {"int", "char", "short", "long", "float", "double", "unsigned", "signed", "bool",
                                      "void", NULL};
  return one_of(s, n, words);
}

/* One parameter being read: [p, end) of the text. */
typedef struct declaration {
  const char *p, *end;
  dc_buf type;   /* words of the type's name, one blank between them */
  dc_buf name;
  size_t last;   /* where the last word of `type` begins */
  int words;     /* of `type` */
  bool named;    /* a word behind a star, or an array's */
  dc_ctype t;
} declaration;

static void add_type_word(declaration *d, const char *s, size_t n) {
  const bool part = d->type.len >= 2 && dc_buf_str(&d->type)[d->type.len - 1] == ':'; /* ns::name is one */
  if (d->type.len && !part) dc_buf_putc(&d->type, ' ');
  if (!part) {
    d->last = d->type.len;
    d->words++;
  }
  dc_buf_add(&d->type, s, n);
}

static void add_word(declaration *d, const char *s, size_t n) {
  if (is_silent(s, n)) return;
  if (same(s, n, "const")) {
    if (d->t.pointers == 0) d->t.is_const = true; /* behind a star it is the pointer's own */
    return;
  }
  if (d->t.pointers == 0) {
    add_type_word(d, s, n);
    return;
  }
  dc_buf_reset(&d->name);
  dc_buf_add(&d->name, s, n);
  d->named = true;
}

/* Template arguments, copied as they are. */
static bool add_angles(declaration *d) {
  int depth = 0;
  for (; d->p < d->end; d->p++) {
    dc_buf_putc(&d->type, *d->p);
    if (*d->p == '<') depth++;
    if (*d->p == '>' && --depth == 0) {
      d->p++;
      return true;
    }
  }
  return false;
}

/* The last word of "int n" is the name, that of "unsigned int" is none. */
static void split_name(declaration *d) {
  const char *type = dc_buf_str(&d->type), *last = type + d->last;
  if (d->named || d->words < 2 || is_builtin(last, strlen(last)) || strpbrk(last, "<:")) return;
  dc_buf_puts(&d->name, last);
  d->type.len = d->last - 1;
  d->type.data[d->type.len] = '\0';
}

static bool read_words(declaration *d) {
  while (d->p < d->end) {
    const char c = *d->p;
    if (isspace((unsigned char)c)) {
      d->p++;
    } else if (is_word(c)) {
      const char *start = d->p;
      while (d->p < d->end && is_word(*d->p)) d->p++;
      add_word(d, start, (size_t)(d->p - start));
    } else if (c == '*' || c == '&') {
      d->t.is_reference = d->t.is_reference || c == '&';
      d->t.pointers++;
      d->p++;
    } else if (c == '<') {
      if (!add_angles(d)) return false;
    } else if (c == ':' && d->p + 1 < d->end && d->p[1] == ':') {
      dc_buf_puts(&d->type, "::");
      d->p += 2;
    } else if (c == '[') { /* an array is a pointer */
      if (!d->named) split_name(d);
      d->named = true;
      const char *close = memchr(d->p, ']', (size_t)(d->end - d->p));
      if (!close) return false;
      d->t.pointers++;
      d->p = close + 1;
    } else if (c == '=') { /* a default says nothing either */
      d->p = d->end;
    } else {
      return false;
    }
  }
  split_name(d);
  return d->type.len > 0;
}

/* What the type's name means. */
static void find_type(dc_ctype *t, const char *name) {
  t->dtype = dc_dtype_parse(name, strlen(name));
  t->lanes = 1;
  t->named = dc_named_by(name, strlen(name));
  if (strcmp(name, "void") == 0) {
    t->cls = DC_CT_VOID;
  } else if (t->named == DC_NAMED_TEXTURE || t->named == DC_NAMED_SURFACE) {
    t->cls = DC_CT_SCALAR;
    t->dtype = DC_UINT64;
  } else if (t->dtype != DC_DTYPE_NONE) {
    t->cls = DC_CT_SCALAR;
    t->any_char = strstr(name, "char") || dc_dtype_size(t->dtype) == 1;
    if (t->dtype == DC_BOOL) t->any_char = false;
  } else {
    dc_ctype_classify(name, t);
  }
  if (t->cls == DC_CT_SCALAR) t->size = t->align = dc_dtype_size(t->dtype);
}

static void spell(declaration *d) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%s%s%s", d->t.is_const && d->t.pointers ? "const " : "", dc_buf_str(&d->type),
                d->t.pointers ? " " : "");
  for (int i = 0; i < d->t.pointers; i++) dc_buf_putc(&b, d->t.is_reference && i == d->t.pointers - 1 ? '&' : '*');
  d->t.spelling = dc_buf_take(&b);
}

/* The declaration in [p, end) into *out.  1: it is not understood. */
static int read_declaration(const char *p, const char *end, int index, const dc_signature *sig, dc_cparam *out) {
  declaration d = {.p = p, .end = end, .type = DC_BUF_INIT, .name = DC_BUF_INIT,
                   .t = {.dtype = DC_DTYPE_NONE, .lanes = 1}};
  bool good = read_words(&d);
  if (good) {
    const dc_ctype *known = sig->typed && index < sig->nparams ? &sig->params[index].type : NULL;
    find_type(&d.t, dc_buf_str(&d.type));
    if (d.t.pointers > 1) d.t.is_const = false;
    if (d.t.cls == DC_CT_STRUCT && known && known->cls == DC_CT_STRUCT && known->pointers == d.t.pointers) {
      d.t.record = known->record;
      d.t.size = known->size;
      d.t.align = known->align;
    }
    spell(&d);
    if (!d.name.len) dc_buf_printf(&d.name, "arg%d", index + 1);
    out->type = d.t;
    out->name = dc_buf_take(&d.name);
  }
  dc_buf_free(&d.type);
  dc_buf_free(&d.name);
  return good ? 0 : 1;
}

/* The end of the parameter that begins at p: a comma outside brackets, or the end of the text. */
static const char *find_end(const char *p) {
  int depth = 0;
  for (; *p && (*p != ',' || depth > 0); p++) {
    if (strchr("<([", *p)) depth++;
    else if (strchr(">)]", *p)) depth--;
  }
  return p;
}

/* The list as an array of parameters, the caller's to free, also when it is not understood. */
static int read_list(const char *text, const dc_signature *sig, dc_cparam **out, int *n, dc_error *err) {
  const char *p = text + strspn(text, " \t\r\n");
  *out = NULL;
  *n = 0;
  if (!*p || strcmp(p, "void") == 0) return 0;
  for (;; p++) {
    p += strspn(p, " \t\r\n");
    const char *end = find_end(p);
    dc_cparam *more = realloc(*out, sizeof *more * (size_t)(*n + 1));
    if (!more) return dc_fail_oom(err);
    *out = more;
    memset(&more[*n], 0, sizeof *more);
    if (read_declaration(p, end, *n, sig, &more[*n]) != 0)
      return dc_fail(err, DC_ARGUMENT, NULL,
                     "option 'args': '%.*s' is no parameter that can be understood; write a type and a name, such as "
                     "\"const float *x\"",
                     (int)(end - p), p);
    ++*n;
    if (!more[*n - 1].name || !more[*n - 1].type.spelling) return dc_fail_oom(err);
    if (!*end) return 0;
    p = end;
  }
}

static int declare(dc_signature *sig, const char *text, dc_error *err) {
  dc_cparam *params;
  int n, rc = read_list(text, sig, &params, &n, err);
  if (rc == 0 && sig->typed && n != sig->nparams)
    rc = dc_fail(err, DC_ARGUMENT, NULL, "option 'args' lists %d parameter%s, but kernel %s has %d", n,
                 n == 1 ? "" : "s", sig->text, sig->nparams);
  if (rc != 0) {
    dc_params_free(params, n);
    return -1;
  }
  dc_params_free(sig->params, sig->nparams);
  sig->params = params ? params : calloc(1, sizeof *params);
  sig->nparams = n;
  sig->typed = true;
  free(sig->text);
  sig->text = dc_signature_spell(sig);
  return sig->params && sig->text ? 0 : dc_fail_oom(err);
}

static dc_signature *find(dc_image *image, const char *name) {
  if (name[0] == '\0') return image->nkernels == 1 ? &image->kernels[0] : NULL;
  for (int i = 0; i < image->nkernels; i++)
    if (strcmp(image->kernels[i].name, name) == 0 || strcmp(image->kernels[i].lowered, name) == 0)
      return &image->kernels[i];
  return NULL;
}

static int fail_owner(const dc_image *image, const char *name, dc_error *err) {
  if (name[0] == '\0')
    return dc_fail(err, DC_ARGUMENT, NULL,
                   "option 'args' is one parameter list, and the source has %d kernels: say whose it is, "
                   "args = {name = \"…\"}",
                   image->nkernels);
  return dc_fail(err, DC_ARGUMENT, NULL, "option 'args': there is no kernel '%s' in the source", name);
}

int dc_declare_args(dc_image *image, const dc_source *src, dc_error *err) {
  for (int i = 0; i < src->nargs; i++) {
    const char *name = src->arg_kernels[i];
    dc_signature *sig = find(image, name);
    const bool later = strchr(name, '<') || image->nkernels == 0; /* an instance not compiled yet */
    if (!sig && !later) return fail_owner(image, name, err);
    if (sig && declare(sig, src->arg_lists[i], err) != 0) return -1;
  }
  return 0;
}
