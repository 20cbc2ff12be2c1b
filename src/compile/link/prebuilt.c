/*
** prebuilt.c - see prebuilt.h.
**
** PTX is read only as far as its entries' heads; whether the rest is good PTX is for the device to say.
*/
#include "compile/link/prebuilt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/map.h"
#include "compile/types/demangle.h"
#include "compile/types/entries.h"
#include "compile/types/image.h"
#include "compile/types/signature.h"
#include "compile/types/source.h"

/* --- words -------------------------------------------------------------------------------------- */

const char *dc_ptx_skip_blank(const char *s) {
  for (;;) {
    s += strspn(s, " \t\r\n\f\v");
    if (s[0] == '/' && s[1] == '/') {
      s += strcspn(s, "\n");
    } else if (s[0] == '/' && s[1] == '*') {
      const char *end = strstr(s + 2, "*/");
      s = end ? end + 2 : s + strlen(s);
    } else {
      return s;
    }
  }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/* The word at *s (".param", "k_param_0", "16"), empty at punctuation; *s goes behind it. */
static size_t read_word(const char **s, const char **word) {
  *word = *s = dc_ptx_skip_blank(*s);
  if (**s == '.') ++*s; /* a directive ends where the next begins */
  while (is_word(**s) && **s != '.') ++*s;
  return (size_t)(*s - *word);
}

static bool word_is(const char *word, size_t len, const char *text) {
  return strlen(text) == len && memcmp(word, text, len) == 0;
}

/* CUDA C does not begin with a dot.  PTX without .version is the device's to refuse, with a message about PTX. */
bool dc_is_ptx(const char *text) {
  const char *word;
  const size_t len = read_word(&text, &word);
  return len > 1 && word[0] == '.' && isalpha((unsigned char)word[1]);
}

bool dc_is_machine_code(const char *text, size_t len) {
  return len >= 4 && (memcmp(text, "\x7f" "ELF", 4) == 0 || memcmp(text, "\x50\xed\x55\xba", 4) == 0);
}

bool dc_is_lto_ir(const char *text, size_t len) { return len >= 4 && memcmp(text, "\xed\x43\x4e\x7f", 4) == 0; }

bool dc_is_prebuilt(const char *text, size_t len) {
  return dc_is_machine_code(text, len) || dc_is_lto_ir(text, len) || dc_is_ptx(text);
}

/* --- parameters ---------------------------------------------------------------------------------- */

/* The scalar types of .param; f16x2 and the like are plain bits here. */
static const struct {
  const char *word;
  dc_ctype_class cls;
  dc_dtype dtype;
} types[] = {
    {".u8", DC_CT_WORD, DC_UINT8},      {".s8", DC_CT_WORD, DC_UINT8},       {".b8", DC_CT_WORD, DC_UINT8},
    {".u16", DC_CT_WORD, DC_UINT16},    {".s16", DC_CT_WORD, DC_UINT16},     {".b16", DC_CT_WORD, DC_UINT16},
    {".u32", DC_CT_WORD, DC_UINT32},    {".s32", DC_CT_WORD, DC_UINT32},     {".b32", DC_CT_WORD, DC_UINT32},
    {".u64", DC_CT_WORD, DC_UINT64},    {".s64", DC_CT_WORD, DC_UINT64},     {".b64", DC_CT_WORD, DC_UINT64},
    {".f32", DC_CT_SCALAR, DC_FLOAT32}, {".f64", DC_CT_SCALAR, DC_FLOAT64},  {".f16", DC_CT_SCALAR, DC_FLOAT16},
};

/* One parameter behind *s: .param [.align n] .type [.ptr …] name [\[n\]].  False: not understood. */
static bool read_param(const char **s, dc_cparam *p) {
  const char *word, *number;
  size_t len = read_word(s, &word);
  dc_buf spelling = DC_BUF_INIT;
  size_t own = 0;
  if (!word_is(word, len, ".param")) return false;
  p->type = (dc_ctype){.cls = DC_CT_STRUCT, .dtype = DC_DTYPE_NONE, .lanes = 1};
  while ((len = read_word(s, &word)) > 0 && *word == '.') {
    bool align = word_is(word, len, ".align");
    for (size_t i = 0; i < sizeof types / sizeof *types && p->type.dtype == DC_DTYPE_NONE; i++) {
      if (!word_is(word, len, types[i].word)) continue;
      p->type.cls = types[i].cls;
      p->type.dtype = types[i].dtype;
      p->type.size = p->type.align = dc_dtype_size(types[i].dtype);
      dc_buf_add(&spelling, word, len);
    }
    if (!align) continue;
    read_word(s, &number);
    if (p->type.dtype == DC_DTYPE_NONE) own = strtoul(number, NULL, 10); /* behind .ptr it is the pointee's */
  }
  if (len > 0) p->name = strndup(word, len);
  *s = dc_ptx_skip_blank(*s);
  if (**s == '[') { /* a struct or an array: bytes */
    char *end;
    size_t n = strtoul(*s + 1, &end, 0);
    p->type.cls = DC_CT_STRUCT;
    p->type.size *= n;
    p->type.align = own ? own : p->type.align;
    p->type.dtype = DC_DTYPE_NONE;
    dc_buf_printf(&spelling, "[%zu]", n);
    end = (char *)dc_ptx_skip_blank(end);
    if (*end != ']') p->type.size = 0;
    *s = dc_ptx_skip_blank(*end == ']' ? end + 1 : end);
  }
  p->type.spelling = dc_buf_take(&spelling);
  return p->name && p->type.spelling && p->type.size > 0;
}

/* Behind an entry's name: its parameters into sig.  False: a declaration that was not understood. */
static bool read_params(const char *s, dc_signature *sig) {
  s = dc_ptx_skip_blank(s);
  if (*s != '(') return true; /* none */
  s = dc_ptx_skip_blank(s + 1);
  while (*s && *s != ')') {
    dc_cparam *more = realloc(sig->params, sizeof *more * (size_t)(sig->nparams + 1));
    if (!more) return false;
    sig->params = more;
    memset(&more[sig->nparams], 0, sizeof *more);
    bool good = read_param(&s, &more[sig->nparams++]);
    if (!good || (*s != ',' && *s != ')')) return false;
    if (*s == ',') s = dc_ptx_skip_blank(s + 1);
  }
  return *s == ')';
}

/* --- kernels --------------------------------------------------------------------------------------- */

/* The next entry's name behind s, or NULL.  Comments and strings are stepped over. */
static const char *next_entry(const char *s, size_t *len) {
  for (;;) {
    const char *word;
    size_t n = read_word(&s, &word);
    if (*word == '\0') return NULL;
    if (*word == '"') {
      s = word + 1 + strcspn(word + 1, "\"\n");
      s += *s != '\0';
    } else if (n == 0) {
      s = word + 1;
    } else if (word_is(word, n, ".entry")) {
      *len = read_word(&s, &word);
      return *len ? word : NULL;
    }
  }
}

/* One kernel's signature: by its mangled name where it has one, else by its .param declarations. */
static int read_kernel(const char *name, size_t len, dc_signature *sig, dc_error *err) {
  dc_signature own = {0};
  char *lowered = strndup(name, len);
  if (!lowered) return dc_fail_oom(err);
  bool known = read_params(name + len, &own);
  int rc = dc_signature_of_entry(sig, lowered, err);
  if (rc == 0 && known && (!sig->typed || sig->nparams != own.nparams)) {
    dc_signature_free(sig);
    *sig = own;
    sig->typed = true;
    memset(&own, 0, sizeof own);
    rc = dc_signature_name(sig, lowered, err);
  }
  dc_signature_free(&own);
  free(lowered);
  return rc;
}

static int read_kernels(const char *text, dc_image *image, dc_error *err) {
  dc_map listed = DC_MAP_INIT;
  size_t len, room = 0;
  int rc = 0;
  for (const char *s = text; rc == 0 && (s = next_entry(s, &len)) != NULL; s += len) {
    if (dc_map_get(&listed, s, len)) continue; /* declared, then defined */
    if ((size_t)image->nkernels == room) {
      dc_signature *more = realloc(image->kernels, sizeof *more * (room = 2 * room + 8));
      if (more) image->kernels = more;
      else rc = dc_fail_oom(err);
    }
    if (rc == 0 && dc_map_set(&listed, s, len, image) != 0) rc = dc_fail_oom(err);
    if (rc != 0) break;
    dc_signature *sig = &image->kernels[image->nkernels];
    memset(sig, 0, sizeof *sig);
    rc = read_kernel(s, len, sig, err);
    if (rc == 0) image->nkernels++;
    else dc_signature_free(sig);
  }
  dc_map_free(&listed);
  return rc;
}

/* Of machine code only the kernels' names can be read: mangled ones tell their types. */
static int read_entries(dc_image *image, dc_error *err) {
  dc_arena arena = DC_ARENA_INIT;
  bool failed = false;
  int n = 0, rc = 0;
  const dc_image_entry *list = dc_image_entries(image->bytes, image->len, true, &arena, &failed);
  for (const dc_image_entry *e = list; e; e = e->next) n++;
  image->kernels = calloc((size_t)n + 1, sizeof *image->kernels);
  if (failed || !image->kernels) rc = dc_fail_oom(err);
  for (const dc_image_entry *e = list; e && rc == 0; e = e->next)
    rc = dc_signature_of_entry(&image->kernels[image->nkernels++], e->name, err);
  dc_arena_free(&arena);
  return rc;
}

int dc_prebuilt_image(const dc_source *src, dc_image **out, dc_error *err) {
  dc_image *image = calloc(1, sizeof *image);
  if (!image) return dc_fail_oom(err);
  const bool lto = dc_is_lto_ir(src->text, src->len);
  image->binary = lto || dc_is_machine_code(src->text, src->len);
  image->len = image->binary ? src->len : strlen(src->text);
  image->bytes = malloc(image->len + 1);
  image->log = strdup("");
  int rc = image->bytes && image->log ? 0 : dc_fail_oom(err);
  if (rc == 0) {
    memcpy(image->bytes, src->text, image->len);
    ((char *)image->bytes)[image->len] = '\0';
    if (!lto) rc = image->binary ? read_entries(image, err) : read_kernels(src->text, image, err);
  }
  if (rc != 0) {
    dc_image_free(image);
    return -1;
  }
  *out = image;
  return 0;
}
