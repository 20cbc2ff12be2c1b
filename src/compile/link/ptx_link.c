/*
** ptx_link.c - see ptx_link.h.
**
** Each text is cut into its statements: functions, variables, and what is about files.  A symbol is local to its unit
** unless a linking directive (.visible, .extern, .weak, .common) is in front.  Written are one head, all variables,
** declarations of all functions, then the functions.  A declaration of what another unit defines gets the definition's
** linkage.
*/
#include "compile/link/ptx_link.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "compile/link/prebuilt.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

typedef enum linkage { LOCAL, VISIBLE, EXTERN, WEAK } linkage;

typedef struct piece {
  const char *s, *end;    /* the statement; s is behind the linking directive */
  linkage link;
  bool function, defined; /* else a variable; a definition, else a declaration */
  const char *name;
  size_t nname;
  struct symbol *symbol;
  int unit;
  struct piece *next;
} piece;

typedef struct symbol { /* of a name: everything about it in all units */
  const piece *definition, *declaration; /* by which it is written; local ones aside */
  int locals;  /* number of units that define it for themselves alone */
  bool shared; /* some unit defines it for all */
} symbol;

typedef struct file { /* of a .file directive */
  const char *name;
  size_t n;
} file;

typedef struct join {
  const dc_unit *units;
  int n, unit;           /* the unit under way */
  dc_arena arena;
  dc_map symbols;        /* by name */
  piece *first, **last;
  file *files;           /* of the joined text, from number 1 */
  int nfiles;
  int **numbers;         /* a unit's number of a file to ours */
  int *nnumbers;
  int *user;             /* the unit's number of the user's file, or 0 */
  double version;
  const char *target;    /* the newest of the units' */
  size_t ntarget;
  dc_buf debug, out;
  dc_error *err;
} join;

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

/* Behind the token at s, which is no blank: a directive or name, a string, or one character. */
static const char *skip_token(const char *s) {
  if (*s == '"') {
    s += 1 + strcspn(s + 1, "\"\n");
    return *s == '"' ? s + 1 : s;
  }
  if (*s == '.' || is_name(*s)) {
    s++;
    while (is_name(*s)) s++;
    return s;
  }
  return *s ? s + 1 : s;
}

static bool token_is(const char *s, const char *end, const char *text) {
  return (size_t)(end - s) == strlen(text) && memcmp(s, text, strlen(text)) == 0;
}

/* Behind the bracket that closes the one at s. */
static const char *skip_group(const char *s) {
  int depth = 0;
  do {
    s = dc_ptx_skip_blank(s);
    if (!*s) return s;
    if (strchr("([{", *s)) depth++;
    if (strchr(")]}", *s)) depth--;
    s = skip_token(s);
  } while (depth > 0);
  return s;
}

/* --- taking apart -------------------------------------------------------------------------------- */

static void *take(join *j, size_t n) {
  void *p = dc_arena_alloc(&j->arena, n);
  if (p) memset(p, 0, n);
  else dc_fail_oom(j->err);
  return p;
}

static symbol *symbol_of(join *j, const char *name, size_t n) {
  symbol *s = dc_map_get(&j->symbols, name, n);
  if (s) return s;
  s = take(j, sizeof *s);
  if (s && dc_map_set(&j->symbols, name, n, s) != 0) {
    dc_fail_oom(j->err);
    return NULL;
  }
  return s;
}

static int fail_twice(join *j, const piece *a, const piece *b) {
  return dc_fail(j->err, DC_COMPILE, NULL, "'%.*s' is defined in source %d and in source %d of those to be linked",
                 (int)b->nname, b->name, a->unit + 1, b->unit + 1);
}

/* Notes the piece in its symbol. */
static int note(join *j, piece *p) {
  symbol *s = p->symbol = symbol_of(j, p->name, p->nname);
  if (!s) return -1;
  if (p->link == LOCAL) {
    s->locals += p->defined;
    return 0;
  }
  s->shared = true;
  const piece *before = s->definition;
  if (p->defined && (!before || (before->link == WEAK && p->link != WEAK))) s->definition = p;
  else if (p->defined && before->link != WEAK && p->link != WEAK) return fail_twice(j, before, p);
  if (!p->defined && !s->declaration) s->declaration = p;
  return 0;
}

/* The name in a function's head: behind .func or .entry, attributes and the results. */
static const char *function_name(const char *s, const char **end) {
  for (;;) {
    s = dc_ptx_skip_blank(s);
    *end = skip_token(s);
    if (*s == '(') s = skip_group(s);
    else if (*s == '.') s = *end;
    else return s;
  }
}

/* A variable's name is the last word before one of [ = ; ,. */
static const char *variable_name(const char *s, const char **end) {
  const char *name = s;
  *end = s;
  for (;;) {
    s = dc_ptx_skip_blank(s);
    if (!*s || strchr("[=;,", *s)) return name;
    const char *stop = skip_token(s);
    if (is_name(*s) && !isdigit((unsigned char)*s)) name = s, *end = stop;
    s = *s == '(' ? skip_group(s) : stop;
  }
}

/* The linking directive at *s, stepped over. */
static linkage read_linkage(const char **s) {
  const char *end = skip_token(*s);
  linkage link = token_is(*s, end, ".visible") || token_is(*s, end, ".common") ? VISIBLE
               : token_is(*s, end, ".extern") ? EXTERN
               : token_is(*s, end, ".weak") ? WEAK : LOCAL;
  if (link != LOCAL) *s = dc_ptx_skip_blank(end);
  return link;
}

/* A function or variable at s; gives what is behind it, or NULL. */
static const char *read_piece(join *j, const char *s) {
  piece *p = take(j, sizeof *p);
  if (!p) return NULL;
  const char *name_end = s;
  p->link = read_linkage(&s);
  p->s = s;
  p->unit = j->unit;
  for (const char *t = s, *e; *t == '.'; t = dc_ptx_skip_blank(e)) { /* directives in front of the name */
    e = skip_token(t);
    if (token_is(t, e, ".func") || token_is(t, e, ".entry")) p->function = true;
    if (token_is(t, e, ".align")) e = skip_token(dc_ptx_skip_blank(e));
    if (token_is(t, e, ".attribute")) e = skip_group(dc_ptx_skip_blank(e));
  }
  p->name = p->function ? function_name(s, &name_end) : variable_name(s, &name_end);
  p->nname = (size_t)(name_end - p->name);
  s = name_end;
  while (*(s = dc_ptx_skip_blank(s)) && *s != ';' && *s != '{') {
    if (*s == '=') { /* an initializer, in braces or not */
      while (*(s = dc_ptx_skip_blank(s)) && *s != ';') s = *s == '{' ? skip_group(s) : skip_token(s);
      break;
    }
    s = strchr("([", *s) ? skip_group(s) : skip_token(s);
  }
  p->defined = p->function ? *s == '{' : p->link != EXTERN;
  s = *s == '{' ? skip_group(s) : *s ? s + 1 : s;
  p->end = s;
  if (p->nname == 0) {
    dc_fail(j->err, DC_COMPILE, NULL, "source %d of those to be linked is not understood: its PTX has '%.*s'",
            j->unit + 1, (int)strcspn(p->s, "\n"), p->s);
    return NULL;
  }
  *j->last = p;
  j->last = &p->next;
  return note(j, p) == 0 ? s : NULL;
}

/* Our number of a file, from 1; 0 out of memory. */
static int file_number(join *j, const char *name, size_t n) {
  for (int i = 0; i < j->nfiles; i++)
    if (j->files[i].n == n && memcmp(j->files[i].name, name, n) == 0) return i + 1;
  file *more = realloc(j->files, sizeof *more * (size_t)(j->nfiles + 1));
  if (!more) return dc_fail_oom(j->err), 0;
  j->files = more;
  j->files[j->nfiles] = (file){name, n};
  return ++j->nfiles;
}

/* .file N "name" [, time, size], behind the directive. */
static const char *read_file(join *j, const char *s) {
  static const char user[] = "\"/" DC_SOURCE_NAME "\"";
  char *rest;
  long number = strtol(s, &rest, 10);
  const char *name = dc_ptx_skip_blank(rest), *end = skip_token(name);
  size_t n = (size_t)(end - name);
  if (*name != '"' || number < 1 || number > 100000) return end;
  bool own = n == sizeof user - 1 && memcmp(name, user, n) == 0;
  if (own && j->units[j->unit].ready) name = "\"/ready.cu\"", n = strlen(name);
  int **list = &j->numbers[j->unit], *count = &j->nnumbers[j->unit];
  if (number >= *count) {
    int *more = realloc(*list, sizeof *more * (size_t)(number + 1));
    if (!more) return dc_fail_oom(j->err), NULL;
    memset(more + *count, 0, sizeof *more * (size_t)(number + 1 - *count));
    *list = more;
    *count = (int)number + 1;
  }
  if (((*list)[number] = file_number(j, name, n)) == 0) return NULL;
  if (own && !j->units[j->unit].ready) j->user[j->unit] = (int)number;
  for (end = dc_ptx_skip_blank(end); *end == ','; end = dc_ptx_skip_blank(end))
    end = skip_token(dc_ptx_skip_blank(end + 1));
  return end;
}

/* The version or target that is highest serves all units. */
static void read_head(join *j, const char *what, const char *s) {
  size_t n = strcspn(s, "\r\n/");
  while (n > 0 && isspace((unsigned char)s[n - 1])) n--;
  if (strcmp(what, ".version") == 0) {
    double v = strtod(s, NULL);
    if (v > j->version) j->version = v;
    return;
  }
  const char *number = strchr(s, '_'), *best = j->target ? strchr(j->target, '_') : NULL;
  if (!best || (number && strtol(number + 1, NULL, 10) > strtol(best + 1, NULL, 10))) j->target = s, j->ntarget = n;
}

/* Strings that .loc directives refer to by labels; the other sections say nothing of use. */
static void copy_text(join *j, dc_buf *out, const char *s, const char *end);

static const char *read_section(join *j, const char *s) {
  const char *name_end = skip_token(s), *open = dc_ptx_skip_blank(name_end);
  if (*open != '{') return open;
  const char *end = skip_group(open);
  if (token_is(s, name_end, ".debug_str")) copy_text(j, &j->debug, open + 1, end - 1);
  return end;
}

static int read_unit(join *j) {
  for (const char *s = dc_ptx_skip_blank(j->units[j->unit].ptx); s && *s; s = s ? dc_ptx_skip_blank(s) : NULL) {
    const char *end = skip_token(s);
    if (token_is(s, end, ".version") || token_is(s, end, ".target") || token_is(s, end, ".address_size")) {
      if (s[1] != 'a') read_head(j, s[1] == 'v' ? ".version" : ".target", dc_ptx_skip_blank(end));
      s = end + strcspn(end, "\n");
    } else if (token_is(s, end, ".file")) {
      s = read_file(j, dc_ptx_skip_blank(end));
    } else if (token_is(s, end, ".section")) {
      s = read_section(j, dc_ptx_skip_blank(end));
    } else if (*s == ';' || token_is(s, end, ".pragma")) {
      s = *s == ';' ? end : end + strcspn(end, ";");
    } else {
      s = read_piece(j, s);
    }
    if (!s) return -1;
  }
  return 0;
}

/* --- putting together ---------------------------------------------------------------------------- */

static bool is_debug_label(const char *s, size_t n) { return n > 13 && strncmp(s, "$L__info_stri", 13) == 0; }

/* Whether a local name of the unit must be renamed, as other units may have it too. */
static bool is_renamed(const join *j, const char *name, size_t n) {
  if (is_debug_label(name, n)) return true;
  const symbol *s = dc_map_get(&j->symbols, name, n);
  if (!s || s->locals == 0 || (s->locals == 1 && !s->shared)) return false;
  for (const piece *p = j->first; p; p = p->next)
    if (p->symbol == s && p->unit == j->unit) return p->link == LOCAL;
  return false;
}

static void add_name(const join *j, dc_buf *out, const char *name, size_t n) {
  dc_buf_add(out, name, n);
  if (is_renamed(j, name, n)) dc_buf_printf(out, "$u%d", j->unit + 1);
}

/* A place "file line" behind .loc or inlined_at, in our numbers. */
static const char *copy_place(const join *j, dc_buf *out, const char *s) {
  char *rest;
  long number = strtol(s, &rest, 10);
  const char *line_at = dc_ptx_skip_blank(rest);
  long line = strtol(line_at, &rest, 10);
  if (rest == line_at || number < 1 || number >= j->nnumbers[j->unit]) { /* of a file that is not declared */
    dc_buf_putc(out, ' ');
    return s;
  }
  if (number == j->user[j->unit] && line > 0) line += j->units[j->unit].line_base;
  dc_buf_printf(out, " %d %ld", j->numbers[j->unit][number], line);
  return rest;
}

/* Text with this unit's names and places as they are in the joined one. */
static void copy_text(join *j, dc_buf *out, const char *s, const char *end) {
  while (s < end) {
    const char *next = dc_ptx_skip_blank(s);
    if (next > end) next = end;
    dc_buf_add(out, s, (size_t)(next - s));
    if (next == end) return;
    s = next;
    next = skip_token(s);
    if (is_name(*s) && !isdigit((unsigned char)*s)) add_name(j, out, s, (size_t)(next - s));
    else dc_buf_add(out, s, (size_t)(next - s));
    if (token_is(s, next, ".loc") || token_is(s, next, "inlined_at"))
      next = copy_place(j, out, dc_ptx_skip_blank(next));
    s = next;
  }
}

static const char *directive(linkage link) {
  return link == VISIBLE ? ".visible " : link == EXTERN ? ".extern " : link == WEAK ? ".weak " : "";
}

/* Whether this piece is the one by which its symbol is written. */
static bool is_written(const piece *p) {
  const symbol *s = p->symbol;
  return p->link == LOCAL || (s->definition ? p == s->definition : p == s->declaration);
}

/* Only libraries' functions that every device has are called without being defined. */
static bool is_builtin(const piece *p) {
  static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail", "cudaGetParameterBufferV2",
                                      "cudaLaunchDeviceV2", "__cudaCDP2GetParameterBufferV2",
                                      "__cudaCDP2LaunchDeviceV2", NULL};
  for (const char *const *n = names; *n; n++)
    if (token_is(p->name, p->name + p->nname, *n)) return true;
  return p->nname > 5 && strncmp(p->name, "__nv_", 5) == 0;
}

/* Dynamic shared memory is the only variable without a definition. */
static int check_defined(join *j, const piece *p) {
  if (p->link == LOCAL || p->symbol->definition || (p->function && is_builtin(p))) return 0;
  if (!p->function && memmem(p->s, (size_t)(p->end - p->s), ".shared", 7)) return 0;
  if (j->n == 1)
    return dc_fail(j->err, DC_COMPILE, NULL, "'%.*s' is declared and used, and defined in none of the sources",
                   (int)p->nname, p->name);
  return dc_fail(j->err, DC_COMPILE, NULL, "'%.*s' is declared in source %d of those to be linked and defined in none",
                 (int)p->nname, p->name, p->unit + 1);
}

static int write_variables(join *j) {
  for (const piece *p = j->first; p; p = p->next) {
    if (check_defined(j, p) != 0) return -1;
    if (p->function || !is_written(p)) continue;
    j->unit = p->unit;
    dc_buf_puts(&j->out, directive(p->link));
    copy_text(j, &j->out, p->s, p->end);
    dc_buf_putc(&j->out, '\n');
  }
  return 0;
}

/* Each function's head, once. Of what is defined it is the definition's, up to its body. */
static void write_declarations(join *j) {
  for (const piece *p = j->first; p; p = p->next) {
    if (!p->function || !is_written(p) || memcmp(p->s, ".entry", 6) == 0) continue;
    if (p->link == LOCAL && !p->defined) continue; /* its definition is another piece */
    const char *stop = p->name + p->nname;
    while (*(stop = dc_ptx_skip_blank(stop)) == '(') stop = skip_group(stop);
    j->unit = p->unit;
    dc_buf_puts(&j->out, directive(p->link));
    copy_text(j, &j->out, p->s, stop);
    dc_buf_puts(&j->out, ";\n");
  }
}

static void write_functions(join *j) {
  for (const piece *p = j->first; p; p = p->next) {
    if (!p->function || !p->defined || !is_written(p)) continue;
    j->unit = p->unit;
    dc_buf_printf(&j->out, "\n%s", directive(p->link));
    copy_text(j, &j->out, p->s, p->end);
    dc_buf_putc(&j->out, '\n');
  }
}

/* Symbols of the units' variables as they are called now. */
static int rename_variables(join *j) {
  for (j->unit = 0; j->unit < j->n; j->unit++) {
    dc_image *image = j->units[j->unit].image;
    for (int i = 0; image && i < image->nvariables; i++) {
      dc_buf b = DC_BUF_INIT;
      add_name(j, &b, image->variables[i].lowered, strlen(image->variables[i].lowered));
      char *name = dc_buf_take(&b);
      if (!name) return dc_fail_oom(j->err);
      free(image->variables[i].lowered);
      image->variables[i].lowered = name;
    }
  }
  return 0;
}

static int write_all(join *j) {
  dc_buf_printf(&j->out, ".version %.1f\n.target %.*s\n.address_size 64\n\n", j->version, (int)j->ntarget,
                j->target ? j->target : "");
  write_declarations(j); /* first: variables may hold functions' addresses */
  if (write_variables(j) != 0) return -1;
  write_functions(j);
  dc_buf_putc(&j->out, '\n');
  for (int i = 0; i < j->nfiles; i++)
    dc_buf_printf(&j->out, "\t.file\t%d %.*s\n", i + 1, (int)j->files[i].n, j->files[i].name);
  if (j->debug.len > 0) dc_buf_printf(&j->out, "\t.section\t.debug_str\n\t{\n%s\n\t}\n", dc_buf_str(&j->debug));
  return rename_variables(j);
}

static int read_all(join *j) {
  j->numbers = calloc((size_t)j->n, sizeof *j->numbers);
  j->nnumbers = calloc((size_t)j->n, sizeof *j->nnumbers);
  j->user = calloc((size_t)j->n, sizeof *j->user);
  if (!j->numbers || !j->nnumbers || !j->user) return dc_fail_oom(j->err);
  for (j->unit = 0; j->unit < j->n; j->unit++)
    if (read_unit(j) != 0) return -1;
  return 0;
}

static int join_all(join *j) {
  if (read_all(j) != 0 || write_all(j) != 0) return -1;
  return j->out.failed || j->debug.failed ? dc_fail_oom(j->err) : 0;
}

static join start(const dc_unit *units, int n, dc_error *err) {
  return (join){.units = units, .n = n, .arena = DC_ARENA_INIT, .symbols = DC_MAP_INIT, .debug = DC_BUF_INIT,
                .out = DC_BUF_INIT, .err = err};
}

static void finish(join *j) {
  for (int i = 0; j->numbers && i < j->n; i++) free(j->numbers[i]);
  free(j->numbers);
  free(j->nnumbers);
  free(j->user);
  free(j->files);
  dc_buf_free(&j->debug);
  dc_buf_free(&j->out);
  dc_map_free(&j->symbols);
  dc_arena_free(&j->arena);
}

char *dc_ptx_join(const dc_unit *units, int n, dc_error *err) {
  join j = start(units, n, err);
  j.last = &j.first;
  char *text = join_all(&j) == 0 ? dc_buf_take(&j.out) : NULL;
  finish(&j);
  return text;
}

int dc_ptx_check(const char *ptx, dc_error *err) {
  const dc_unit unit = {.ptx = ptx};
  join j = start(&unit, 1, err);
  j.last = &j.first;
  int rc = read_all(&j);
  for (const piece *p = j.first; p && rc == 0; p = p->next) rc = check_defined(&j, p);
  finish(&j);
  return rc;
}
