/* module_text.c - see module_text.h. */
#include "lua/module_text.h"

#include <ctype.h>
#include <lua.h>
#include <string.h>

static size_t word_length(const char *s) {
  return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

/* The end of a comment or literal that begins at s, else s. */
static const char *skip_quiet(const char *s) {
  if (s[0] == '/' && s[1] == '/') return s + strcspn(s, "\n");
  if (s[0] == '/' && s[1] == '*') {
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
  }
  if (s[0] != '"' && s[0] != '\'') return s;
  char quote = *s++;
  while (*s && *s != quote) s += s[0] == '\\' && s[1] ? 2 : 1;
  return *s ? s + 1 : s;
}

/* After "__device__": a variable's declaration has no parenthesis before its first of ; = { [. */
static bool declares_variable(const char *s) {
  while (*s) {
    const char *quiet = skip_quiet(s);
    if (quiet != s) {
      s = quiet;
      continue;
    }
    if (*s == '(') return false;
    if (strchr(";={[", *s)) return true;
    s++;
  }
  return false;
}

bool dc_lua_has_variables(const char *s) {
  while (*s) {
    const char *quiet = skip_quiet(s);
    if (quiet != s) {
      s = quiet;
      continue;
    }
    if (!isalpha((unsigned char)*s) && *s != '_') {
      s++;
      continue;
    }
    size_t n = word_length(s);
    if (n == 12 && strncmp(s, "__constant__", n) == 0) return true;
    if (n == 11 && strncmp(s, "__managed__", n) == 0) return true;
    if (n == 10 && strncmp(s, "__device__", n) == 0 && declares_variable(s + n)) return true;
    s += n;
  }
  return false;
}

/* --- templates ------------------------------------------------------------------------------------- */

/* After "template": its length and place where that is a kernel's, "scale" of "<class T> __global__ void scale(…)". */
static const char *name_of_template(const char *s, size_t *length) {
  bool kernel = false;
  const char *last = NULL;
  while (*s && *s != '{' && *s != ';') {
    const size_t n = word_length(s);
    if (n > 0) {
      kernel = kernel || (n == 10 && strncmp(s, "__global__", n) == 0);
      last = s;
      *length = n;
      s += n;
      continue;
    }
    const bool attribute = last && *length > 2 && strncmp(last, "__", 2) == 0; /* __launch_bounds__(…) */
    if (*s == '(' && kernel && !attribute) return last;
    s = skip_quiet(s) != s ? skip_quiet(s) : s + 1;
  }
  return NULL;
}

bool dc_lua_push_template(lua_State *L, const char *s, const char *name) {
  while (s && *s) {
    const char *quiet = skip_quiet(s);
    const size_t n = word_length(s);
    if (quiet != s) s = quiet;
    else if (n == 0) s++;
    else if (n != 8 || strncmp(s, "template", n) != 0) s += n;
    else {
      size_t length = 0;
      const char *found = name_of_template(s += n, &length);
      if (!found || (name && (strlen(name) != length || strncmp(found, name, length) != 0))) continue;
      lua_pushlstring(L, found, length);
      return true;
    }
  }
  return false;
}

/* --- files ----------------------------------------------------------------------------------------- */

bool dc_lua_is_file_name(const char *s, size_t n) {
  static const char *const ends[] = { ".cu", ".cuh", ".h", ".hpp", ".c", ".cc", ".cpp", ".ptx", ".cubin", ".fatbin" };
  if (n > 4096 || strlen(s) != n || strpbrk(s, "\r\n;{}()#")) return false;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const size_t k = strlen(ends[i]);
    if (n > k && strcmp(s + n - k, ends[i]) == 0) return true;
  }
  return false;
}
