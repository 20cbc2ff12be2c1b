/* string_list.c - see string_list.h. */
#include "base/string_list.h"

#include <string.h>

enum { STEP = 16 };

void dc_string_list_add(dc_string_list *list, const char *text) {
  if (list->n % STEP == 0) {
    const char **more = dc_arena_alloc(list->arena, sizeof *more * (size_t)(list->n + STEP));
    if (!more) {
      list->failed = true;
      return;
    }
    if (list->n) memcpy(more, list->v, sizeof *more * (size_t)list->n);
    list->v = more;
  }
  list->v[list->n++] = text;
}
