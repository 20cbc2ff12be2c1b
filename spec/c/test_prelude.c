/*
** test_prelude.c - cpu/codegen/prelude.c: declarations selected from preprocessed headers.
**
** Forms of declarations, written out; then random headers of many declarations that refer to earlier ones, of which
** exactly those must be selected that a unit leads to.
*/
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "cpu/codegen/prelude.h"

static const char header[] =
    "typedef unsigned int u32;\n"
    "typedef struct point point;\n"
    "struct __attribute__((aligned(16))) unrelated { int a; };\n"
    "struct point { u32 x, y; };\n"
    "typedef int (*callback)(point *p);\n"
    "__extension__ typedef long long v4 __attribute__ ((__vector_size__ (32), __may_alias__));\n"
    "enum { RED, GREEN = 4, BLUE };\n"
    "typedef enum shade { DARK, LIGHT } shade;\n"
    "extern void *memcpy (void *__restrict to, const void *from, unsigned long n) __attribute__ ((__leaf__));\n"
    "#pragma GCC push_options\n"
    "extern __inline v4\n__attribute__ ((__gnu_inline__, __artificial__))\nload_v4 (void const *p)\n"
    "{\n  return *(v4 *) p;\n}\n"
    "static const int table[2][2] = { { 1, 2 }, { 3, 4 } };\n"
    "static const point origin = { 0, 0 };\n"
    "#define TWICE(x) ((x) + HALF(x))\n"
    "#define HALF(x) ONLY_ONCE #x\n"
    "#define AFTER(x) after_ ## x + p##x\n"
    "#define GONE 1\n"
    "#undef GONE\n"
    "static inline int sum(point p)\n{\n#pragma GCC unroll 4\n  for (u32 i = 0; i < 2; i++) continue;\n"
    "  return (int)(p.x + p.y) + table[0][1]; }\n"
    "static char quotes(void) { return '{' + \"}\\\"{\"[0] + '\\''; }\n"
    "_Static_assert(sizeof(u32) == 4, \"u32\");\n"
    "typedef int mark;\n"
    "static int behind(void) { return quotes(); }\n"
    "static int after_all;\n";

static dc_prelude *index_of(const char *text, size_t len) {
  char *copy = malloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = '\0';
  return dc_prelude_new(copy, len);
}

static char *select_from(const char *text, const char *mark, const char *unit) {
  dc_buf out = DC_BUF_INIT;
  dc_prelude *p = index_of(text, strlen(text));
  CHECK(p && dc_prelude_select(p, mark, unit, strlen(unit), &out) == 0, "%s", unit);
  dc_prelude_free(p);
  return dc_buf_take(&out);
}

/* Whether the selection for the unit has all of `wanted`, which ends with NULL, and nothing more of `all`. */
static void check(const char *unit, const char *const *wanted) {
  static const char *const all[] = {
    "u32;", "point point;", "unrelated {", "struct point {", "callback", "v4 __attr", "RED", "DARK", "memcpy",
    "load_v4 (", "table[2]", "origin =", "#define TWICE", "#define HALF", "#define AFTER", "GONE", "int sum(",
    "quotes(void)", "Static_assert", "int mark", "behind(void)", "after_all;",
  };
  char *text = select_from(header, NULL, unit);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    bool is_wanted = false;
    for (const char *const *w = wanted; *w; w++) is_wanted = is_wanted || strcmp(*w, all[i]) == 0;
    CHECK((strstr(text, all[i]) != NULL) == is_wanted, "'%s' for '%s':\n%s", all[i], unit, text);
  }
  CHECK(strstr(text, "push_options") == NULL, "%s", text);
  free(text);
}
#define SELECTS(unit, ...) check(unit, (const char *const[]){ __VA_ARGS__, NULL })

static void test_forms(void) {
  SELECTS("nothing here", NULL);
  SELECTS("u32 x;", "u32;");
  SELECTS("struct unrelated x;", "unrelated {");
  SELECTS("callback f;", "callback", "u32;", "point point;", "struct point {");
  SELECTS("load_v4(0)", "load_v4 (", "v4 __attr");
  SELECTS("int c = BLUE;", "RED");
  SELECTS("int c = LIGHT;", "DARK");
  SELECTS("shade c;", "DARK");
  SELECTS("memcpy(a, b, 1)", "memcpy");
  SELECTS("TWICE(1)", "#define TWICE", "#define HALF");
  SELECTS("AFTER(all)", "#define AFTER", "after_all;");
  SELECTS("GONE", NULL);
  SELECTS("sum(origin)", "int sum(", "u32;", "point point;", "struct point {", "table[2]", "origin =");
  SELECTS("quotes()", "quotes(void)");
  SELECTS("behind()", "behind(void)", "quotes(void)");
  SELECTS("#define X after_all\n", "after_all;");
  SELECTS("\"u32\" 'u32' 1u32 /* behind */", "behind(void)", "quotes(void)"); /* comments are gone by then */
}

/* What follows the mark, with what it needs; the result, indexed again, gives the same. */
static void test_mark(void) {
  char *text = select_from(header, "mark", "TWICE(0)"), *again;
  static const char all[] = "static char quotes(void) { return '{' + \"}\\\"{\"[0] + '\\''; }\n"
                            "static int behind(void) { return quotes(); }\nstatic int after_all;\n"
                            "#define TWICE(x) ((x) + HALF(x))\n#define HALF(x) ONLY_ONCE #x\n";
  CHECK(strcmp(text, all) == 0, "%s", text);
  again = select_from(text, NULL, "behind after_all TWICE");
  CHECK(strcmp(again, all) == 0, "%s", again);
  free(again);
  free(text);
}

/* Text that is no C: whatever is selected, nothing is read outside of it. */
static void test_other_text(void) {
  static const char bytes[] = "{}()[];#\"'\\ \nab1typedef enum struct #define x";
  for (int i = 0; i < 3000; i++) {
    char text[64];
    dc_buf out = DC_BUF_INIT;
    const size_t n = (size_t)rand() % sizeof text;
    for (size_t k = 0; k < n; k++) text[k] = bytes[(size_t)rand() % (sizeof bytes - 1)];
    char *exact = malloc(n ? n : 1); /* without a NUL behind it */
    if (n) memcpy(exact, text, n);
    dc_prelude *p = dc_prelude_new(exact, n);
    CHECK(p && dc_prelude_select(p, "a", "a b x", 5, &out) == 0, "%.*s", (int)n, text);
    dc_buf_free(&out);
    dc_prelude_free(p);
  }
}

/* --- random headers ----------------------------------------------------------------------------------------------- */

#define MOST 120

static void put_declaration(dc_buf *b, int i, const bool *refers) {
  static const char *const forms[][2] = { /* before and behind the names that it refers to */
    { "static inline int __attribute__((unused)) d%d(void) {\n  return 0", "; }\n" },
    { "static const int d%d[] = { 0", " };\n" },
    { "struct d%d { char c[1", "]; };\n" },
    { "enum d%d { e%d = 0", " };\n" },
    { "typedef __typeof__(0", ") d%d;\n" },
    { "extern int d%d (char c[1", "]) __attribute__ ((pure));\n" },
    { "#define d%d (0", ")\n" },
  };
  const int form = i % 7;
  dc_buf_printf(b, forms[form][0], i, i);
  for (int k = 0; k < i; k++)
    if (refers[k]) dc_buf_printf(b, " + d%d", k);
  dc_buf_printf(b, forms[form][1], i);
}

static void test_random(void) {
  static bool needs[MOST][MOST];
  dc_buf text = DC_BUF_INIT;
  const int n = 2 + rand() % (MOST - 2);
  for (int i = 0; i < n; i++) {
    bool refers[MOST] = { false };
    memset(needs[i], 0, sizeof needs[i]);
    needs[i][i] = true;
    for (int k = 0; k < i; k++) {
      refers[k] = rand() % (1 + n / 3) == 0 && (k % 7 != 6 || i % 7 == 6); /* macros in macros alone: else expanded */
      for (int l = 0; refers[k] && l <= k; l++) needs[i][l] = needs[i][l] || needs[k][l];
    }
    put_declaration(&text, i, refers);
  }
  for (int turn = 0; turn < 5; turn++) {
    char unit[64];
    const int x = rand() % n, y = rand() % n;
    snprintf(unit, sizeof unit, "d%d + d%d", x, y);
    char *got = select_from(text.data, NULL, unit);
    for (int i = 0; i < n; i++) {
      char name[4][32];
      static const char *const end[] = { "(void)", "[] =", " {", " (" };
      bool there = false;
      for (int k = 0; k < 4; k++) snprintf(name[k], sizeof name[k], " d%d%s", i, end[k]);
      for (int k = 0; k < 4; k++) there = there || strstr(got, name[k]);
      snprintf(name[0], sizeof name[0], ") d%d;", i);
      there = there || strstr(got, name[0]);
      CHECK(there == (needs[x][i] || needs[y][i]), "d%d for '%s' of\n%s\n\n%s", i, unit, text.data, got);
    }
    free(got);
  }
  dc_buf_free(&text);
}

int main(void) {
  const char *seed = getenv("DOTCOMPUTE_SPEC_SEED");
  srand(seed ? (unsigned)strtoul(seed, NULL, 10) : (unsigned)time(NULL));
  test_forms();
  test_mark();
  test_other_text();
  for (int i = 0; i < 200; i++) test_random();
  return failures != 0;
}
