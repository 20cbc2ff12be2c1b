/*
** lto.c - see lto.h.
**
** How floating-point operations become instructions, and all that the assembler does, is decided when machine code or
** PTX is made: by the linker here, which has options of its own for it, takes each once, and knows nothing of NVRTC's.
*/
#include "compile/link/lto.h"

#include <string.h>

#include "base/arena.h"
#include "compile/link/prebuilt.h"
#include "compile/types/source.h"

bool dc_lto_is_flag(const char *option) {
  const char *name = option + strspn(option, "-");
  return name > option && (strcmp(name, "dlto") == 0 || strcmp(name, "dlink-time-opt") == 0);
}

bool dc_lto_applies(const dc_source *src, bool binary) {
  bool asked = false, text = false, ptx = false;
  for (int i = 0; i < src->noptions; i++) asked = asked || dc_lto_is_flag(src->options[i]);
  for (int i = 0; i < (src->nunits > 0 ? src->nunits : 1); i++) {
    const char *s = src->nunits > 0 ? src->units[i] : src->text;
    const size_t len = src->nunits > 0 ? src->unit_lens[i] : src->len;
    if (dc_is_lto_ir(s, len)) return true;
    if (!asked) continue;
    text = text || !dc_is_prebuilt(s, len);
    ptx = ptx || dc_is_ptx(s);
  }
  return text && (binary || !ptx);
}

typedef enum meaning { VALUE, EACH_VALUE, SWITCH } meaning;

static const struct {
  const char *name, *brief; /* NVRTC's */
  meaning is;               /* the last one's value; each one's; no value */
  const char *link;         /* the linker's, in front of the value */
  const char *fast;         /* what --use_fast_math makes of it where it is not given */
} table[] = {
  {"ftz", "ftz", VALUE, "-ftz=", "1"},
  {"prec-div", "prec-div", VALUE, "-prec-div=", "0"},
  {"prec-sqrt", "prec-sqrt", VALUE, "-prec-sqrt=", "0"},
  {"fmad", "fmad", VALUE, "-fma=", "1"},
  {"maxrregcount", "maxrregcount", VALUE, "-maxrregcount=", NULL},
  {"jump-table-density", "jtd", VALUE, "-jump-table-density=", NULL},
  {"ptxas-options", "Xptxas", EACH_VALUE, "-Xptxas=", NULL},
  {"device-debug", "G", SWITCH, "-g", NULL},
  {"device-debug", "G", SWITCH, "-O0", NULL},
  {"generate-line-info", "lineinfo", SWITCH, "-lineinfo", NULL}, /* the last, see LINES */
};
enum { NTABLE = sizeof table / sizeof *table, LINES = NTABLE - 1 };

/* What follows in option i, one of this name: "" or "=value"; NULL for others. */
static const char *behind(const dc_source *src, int i, const char *name) {
  const char *s = src->options[i];
  size_t n = strlen(name);
  if (*s != '-') return NULL;
  s += s[1] == '-' ? 2 : 1;
  return strncmp(s, name, n) == 0 && (s[n] == '\0' || s[n] == '=') ? s + n : NULL;
}

/* The value of option i for row k of the table, which may be the option behind it; NULL: another option. */
static const char *value_at(const dc_source *src, int i, int k) {
  const char *rest = behind(src, i, table[k].name);
  if (!rest) rest = behind(src, i, table[k].brief);
  if (!rest || table[k].is == SWITCH) return rest;
  if (*rest == '=') rest++;
  else if (i + 1 < src->noptions) rest = src->options[i + 1];
  return strcmp(rest, "true") == 0 ? "1" : strcmp(rest, "false") == 0 ? "0" : rest;
}

static bool add(dc_arena *arena, const char **v, int *n, int k, const char *value) {
  const char *option = table[k].link;
  char *text = dc_arena_alloc(arena, strlen(option) + strlen(value) + 1);
  if (!text) return false;
  v[(*n)++] = strcat(strcpy(text, option), value);
  return true;
}

bool dc_lto_options(const dc_source *src, bool lines, dc_arena *arena, const char ***v, int *n) {
  bool good = true, fast = false;
  *n = 0;
  *v = dc_arena_alloc(arena, sizeof **v * (size_t)(NTABLE + src->noptions));
  if (!*v) return false;
  for (int i = 0; i < src->noptions; i++) fast = fast || behind(src, i, "use_fast_math");
  for (int k = 0; k < NTABLE && good; k++) {
    const char *last = k == LINES && lines ? "" : fast ? table[k].fast : NULL;
    for (int i = 0; i < src->noptions && good; i++) {
      const char *value = value_at(src, i, k);
      if (value && table[k].is == EACH_VALUE) good = add(arena, *v, n, k, value);
      else if (value) last = value;
    }
    if (last && good) good = add(arena, *v, n, k, last);
  }
  return good;
}
