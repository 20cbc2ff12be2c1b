/*
** signature.c - see signature.h.
*/
#include "compile/signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

const char dc_signature_prelude[] =
    "\n#line 1 \"/dotcompute_signatures\"\n"
    "template<class T, class = void> struct dc_size_ { static const unsigned long v = 0, a = 1; };\n"
    "template<class T> struct dc_size_<T, decltype((void)sizeof(T))> {"
    " static const unsigned long v = sizeof(T), a = alignof(T); };\n"
    "template<class T> struct dc_target_ { typedef T type; };\n"
    "template<class T> struct dc_target_<T *> { typedef T type; };\n"
    "template<class T> struct dc_target_<T &> { typedef T type; };\n"
    "template<unsigned long... N> struct dc_list_ {};\n"
    "template<class F> struct dc_layout_;\n"
    "template<class... A> struct dc_layout_<void (*)(A...)> { typedef dc_list_<"
    "dc_size_<typename dc_target_<A>::type>::v..., dc_size_<typename dc_target_<A>::type>::a...> type; };\n"
    "template<class F, class L = typename dc_layout_<F>::type> __global__ void dc_sig_() {}\n";

char *dc_signature_query(const char *name) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, "dc_sig_<decltype(&%s)>", name);
  return dc_buf_take(&b);
}

int dc_signature_types(const char *lowered, dc_signature *sig, dc_error *err) {
  return dc_signature_demangle(lowered, sig, err);
}

/* "saxpy(int n, float a, const float *x, float *y)" */
static char *spell(const dc_signature *sig) {
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

int dc_signature_finish(dc_signature *sig, const char *name, const char *lowered, const dc_scanned *scanned,
                        dc_error *err) {
  sig->name = strdup(name);
  sig->lowered = strdup(lowered);
  sig->line = scanned ? scanned->line : 0;
  bool named = scanned && scanned->nparams == sig->nparams;
  for (int i = 0; i < sig->nparams; i++) {
    dc_buf b = DC_BUF_INIT;
    if (named && scanned->params[i]) dc_buf_puts(&b, scanned->params[i]);
    else dc_buf_printf(&b, "arg%d", i + 1);
    sig->params[i].name = dc_buf_take(&b);
    if (!sig->params[i].name) return dc_fail_oom(err);
  }
  if (!sig->name || !sig->lowered) return dc_fail_oom(err);
  sig->text = spell(sig);
  return sig->text ? 0 : dc_fail_oom(err);
}

void dc_signature_free(dc_signature *sig) {
  for (int i = 0; i < sig->nparams; i++) {
    free(sig->params[i].name);
    free(sig->params[i].type.spelling);
  }
  free(sig->params);
  free(sig->name);
  free(sig->lowered);
  free(sig->text);
  memset(sig, 0, sizeof *sig);
}
