/*
** signature.c - see signature.h.
*/
#include "compile/types/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/scan.h"

/* What takes little of the compiler's time: a variable's template rather than a kernel's, which would be code to make,
** where the language has that.  Every name ends in an underscore and begins with dc_: a macro of the user's called N
** or T must not meet one. */
const char dc_signature_prelude[] =
    "\n#line 1 \"" DC_SIGNATURE_FILE "\"\n"
    "template<unsigned long... dc_n> struct dc_list_ {};\n"
    "template<class dc_t, bool = __is_enum(dc_t)> struct dc_enum_ { enum : unsigned long { dc_e = 0 }; };\n"
    "template<class dc_t> struct dc_enum_<dc_t, true> { enum : unsigned long {"
    " dc_e = (__underlying_type(dc_t))-1 < (__underlying_type(dc_t))0 ? 1 : 2 }; };\n"
    "template<class dc_t, class = void> struct dc_size_ { enum : unsigned long { dc_s = 0, dc_a = 0, dc_e = 0 }; };\n"
    "template<class dc_t> struct dc_size_<dc_t, decltype((void)sizeof(dc_t))> {"
    " enum : unsigned long { dc_s = sizeof(dc_t), dc_a = alignof(dc_t), dc_e = dc_enum_<dc_t>::dc_e }; };\n"
    "template<class dc_p> struct dc_about_ : dc_size_<dc_p> {};\n"
    "template<class dc_t> struct dc_about_<dc_t *> : dc_size_<dc_t> {};\n"
    "template<class dc_t> struct dc_about_<dc_t &> : dc_size_<dc_t> {};\n"
    "template<class dc_f> struct dc_layout_;\n"
    "template<class... dc_p> struct dc_layout_<void (*)(dc_p...)> {"
    " typedef dc_list_<dc_about_<dc_p>::dc_s..., dc_about_<dc_p>::dc_a..., dc_about_<dc_p>::dc_e...> dc_u; };\n"
    "template<class dc_f, class dc_l = typename dc_layout_<dc_f>::dc_u>\n"
    "#if __cplusplus < 201402L\n"
    "__global__ void dc_sig_() {}\n"
    "#else\n"
    "__device__ char dc_sig_;\n"
    "#endif\n";

char *dc_signature_query(const char *name) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "&dc_sig_<decltype(&%s)>", name);
  return dc_buf_take(&b);
}

char *dc_signature_spell(const dc_signature *sig) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%s(", sig->name);
  for (int i = 0; i < sig->nparams; i++) {
    const char *type = sig->params[i].type.spelling ? sig->params[i].type.spelling : "?";
    size_t n = strlen(type);
    dc_buf_printf(&b, "%s%s%s%s", i ? ", " : "", type, n && (type[n - 1] == '*' || type[n - 1] == '&') ? "" : " ",
                  sig->params[i].name);
  }
  if (!sig->typed) dc_buf_puts(&b, "?");
  dc_buf_putc(&b, ')');
  return dc_buf_take(&b);
}

/* In "f(S)" or "f(const S &)" the scan takes the type for the name. */
static bool is_type_name(const char *name, const char *spelling) {
  size_t n = strlen(name);
  const char *at = spelling ? strstr(spelling, name) : NULL;
  if (!at || (at > spelling && at[-1] != ' ' && at[-1] != ':')) return false;
  return at[n] == '\0' || at[n] == ' ' || at[n] == '<';
}

/* What the source calls complex is float2 or double2 to the compiler. */
static void make_complex(dc_ctype *t) {
  if (t->cls != DC_CT_VECTOR || t->lanes != 2) return;
  const char *name = t->dtype == DC_FLOAT32 ? "cuFloatComplex" : t->dtype == DC_FLOAT64 ? "cuDoubleComplex" : NULL;
  const char *vector = t->dtype == DC_FLOAT32 ? "float2" : "double2";
  const char *at = name && t->spelling ? strstr(t->spelling, vector) : NULL;
  if (!at) return;
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "%.*s%s%s", (int)(at - t->spelling), t->spelling, name, at + strlen(vector));
  t->named = DC_NAMED_COMPLEX;
  free(t->spelling);
  t->spelling = dc_buf_take(&b);
}

/* A texture or a surface is an integer of 64 bits to the compiler. */
static void make_object(dc_ctype *t, dc_named named) {
  if (t->cls != DC_CT_SCALAR || t->pointers > 0 || t->dtype != DC_UINT64) return;
  char *spelling = strdup(named == DC_NAMED_TEXTURE ? "cudaTextureObject_t" : "cudaSurfaceObject_t");
  if (!spelling) return;
  free(t->spelling);
  t->spelling = spelling;
  t->named = named;
}

static void make_named(dc_ctype *t, dc_named named) {
  if (named == DC_NAMED_COMPLEX) make_complex(t);
  else if (named != DC_NAMED_PLAIN) make_object(t, named);
}

int dc_signature_finish(dc_signature *sig, const char *name, const char *lowered, const dc_scanned *scanned,
                        dc_error *err) {
  sig->name = strdup(name);
  sig->lowered = strdup(lowered);
  sig->line = scanned ? scanned->line : 0;
  bool named = scanned && scanned->nparams == sig->nparams;
  for (int i = 0; i < sig->nparams; i++) {
    dc_buf b = DC_BUF_INIT;
    if (named) make_named(&sig->params[i].type, scanned->named[i]);
    bool has_name = named && scanned->params[i] && !is_type_name(scanned->params[i], sig->params[i].type.spelling);
    if (has_name) dc_buf_puts(&b, scanned->params[i]);
    else dc_buf_printf(&b, "arg%d", i + 1);
    sig->params[i].name = dc_buf_take(&b);
    if (!sig->params[i].name || !sig->params[i].type.spelling) return dc_fail_oom(err);
  }
  if (!sig->name || !sig->lowered) return dc_fail_oom(err);
  sig->text = dc_signature_spell(sig);
  return sig->text ? 0 : dc_fail_oom(err);
}

int dc_signature_name(dc_signature *sig, const char *lowered, dc_error *err) {
  sig->name = strdup(lowered);
  sig->lowered = strdup(lowered);
  if (!sig->name || !sig->lowered) return dc_fail_oom(err);
  sig->text = dc_signature_spell(sig);
  return sig->text ? 0 : dc_fail_oom(err);
}

