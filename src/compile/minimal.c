/*
** minimal.c - see minimal.h.
**
** What is left out: textures and surfaces, the device runtime, and the types of the host's APIs.  Their names begin
** with one of a few words; headers may use them whatever the source says.
*/
#include "compile/minimal.h"

#include <string.h>

#include "compile/nvrtc/compiler.h"
#include "compile/types/source.h"
#include "compile/types/tokens.h"

/* Whether a word of the text, be it in a comment, begins with one of those. */
static bool asks_for_more(const char *p) {
  static const char *const beginnings[] = {"cuda", "tex", "surf", "CU", "include", "import", "minimal"};
  while (*p) {
    while (*p && !dc_in_name(*p)) p++;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
      if (strncmp(p, beginnings[i], strlen(beginnings[i])) == 0) return true;
    while (dc_in_name(*p)) p++;
  }
  return false;
}

bool dc_minimal_suffices(const dc_nvrtc_version *version, const dc_source *src) {
  if (!dc_nvrtc_is_from(version, 12, 4)) return false;
  for (int i = 0; i < src->noptions; i++)
    if (asks_for_more(src->options[i])) return false;
  return !asks_for_more(src->text) && !strstr(src->text, "<<<");
}
