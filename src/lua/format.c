/*
** format.c - see format.h.
**
** Of large arrays only the first and last three along each axis are shown, and only those are fetched.
*/
#include "lua/format.h"

#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/half.h"
#include "lua/array.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

#define WHOLE 1000 /* arrays of more elements are shown shortened */
#define EDGE 3     /* elements shown at either end of a shortened axis */
#define MOST 10000 /* elements shown at most (many axes) */
#define CELL 56    /* bytes that the text of one element needs at most */

/* What is being printed: the elements that will be shown, all fetched, as texts of equal width. */
typedef struct picture {
  dc_geometry g;
  bool shortened[DC_MAX_DIMS];
  const char *cells; /* CELL bytes each, in order */
  size_t next;
  int width;
  int columns; /* of the terminal: longer rows go on in the next line */
} picture;

/* NaN is printed without a sign. */
static int format_number(char *text, int digits, double v) {
  return isnan(v) ? snprintf(text, CELL, "nan") : snprintf(text, CELL, "%.*g", digits, v);
}

static int format_complex(char *text, int digits, double re, double im) {
  int n = format_number(text, digits, re);
  if (isnan(im)) return n + snprintf(text + n, (size_t)(CELL - n), "+nani");
  return n + snprintf(text + n, (size_t)(CELL - n), "%+.*gi", digits, im);
}

static int format_element(dc_dtype dtype, const void *src, char *text) {
  double v, parts[2];
  float f, pair[2];
  uint16_t bits;
  switch (dtype) {
    case DC_BOOL: return snprintf(text, CELL, "%s", *(const unsigned char *)src ? "true" : "false");
#define INTEGER(id, type, spec)                                  \
  case id: {                                                     \
    type i;                                                      \
    memcpy(&i, src, sizeof i);                                   \
    return snprintf(text, CELL, spec, i);                        \
  }
      INTEGER(DC_INT8, int8_t, "%d")
      INTEGER(DC_INT16, int16_t, "%d")
      INTEGER(DC_INT32, int32_t, "%d")
      INTEGER(DC_UINT8, uint8_t, "%u")
      INTEGER(DC_UINT16, uint16_t, "%u")
      INTEGER(DC_UINT32, uint32_t, "%u")
      INTEGER(DC_INT64, long long, "%lld")
      INTEGER(DC_UINT64, unsigned long long, "%llu")
#undef INTEGER
    case DC_FLOAT32:
      memcpy(&f, src, sizeof f);
      return format_number(text, 7, (double)f);
    case DC_FLOAT16: case DC_BFLOAT16:
      memcpy(&bits, src, sizeof bits);
      return format_number(text, dc_dtype_digits(dtype), dc_half_value(bits, dtype));
    case DC_COMPLEX64:
      memcpy(pair, src, sizeof pair);
      return format_complex(text, 7, (double)pair[0], (double)pair[1]);
    case DC_COMPLEX128:
      memcpy(parts, src, sizeof parts);
      return format_complex(text, 14, parts[0], parts[1]);
    default:
      memcpy(&v, src, sizeof v);
      return format_number(text, 14, v);
  }
}

static int shown(const picture *p, int axis) { return p->shortened[axis] ? 2 * EDGE : (int)p->g.shape[axis]; }

/* Reads the elements with these ranges into the cells from `at` on; returns how many. */
static size_t fetch(lua_State *L, dc_lua *self, dc_array *a, const dc_range *r, int n, char *cells, size_t at) {
  dc_geometry g;
  int64_t offset;
  dc_error err = DC_ERROR_INIT;
  dc_dtype dtype = dc_array_dtype(a);
  dc_geometry_index(dc_array_geometry(a), n, r, &g, &offset);
  const size_t count = (size_t)dc_geometry_size(&g), size = dc_dtype_size(dtype);
  char *host = dc_lua_scratch(L, count * size);
  int scratch = lua_gettop(L);
  dc_array *view = dc_array_view(a, &g, offset, &err);
  int rc = view ? DC_LUA_WORK(self, dc_array_read(view, host, &err)) : -1;
  if (view) dc_array_unref(view);
  if (rc != 0) dc_lua_raise(L, &err);
  for (size_t i = 0; i < count; i++) format_element(dtype, host + i * size, cells + (at + i) * CELL);
  dc_lua_scratch_free(L, scratch);
  lua_settop(L, scratch - 1);
  return count;
}

/* Fetches what is shown below `axis`, the axes before it fixed in r, in printing order. */
static size_t fetch_parts(lua_State *L, dc_lua *self, dc_array *a, const picture *p, int axis, dc_range *r, char *cells,
                          size_t at) {
  const int64_t n = axis < p->g.ndim ? p->g.shape[axis] : 0;
  bool below = false; /* is anything shortened from here on? */
  for (int i = axis; i < p->g.ndim; i++) below = below || p->shortened[i];
  if (!below) return fetch(L, self, a, r, axis, cells, at);
  size_t from = at;
  if (axis == p->g.ndim - 1) { /* the last axis: its two ends in a read each */
    r[axis] = (dc_range){ .first = 0, .count = EDGE, .step = 1, .keep = true };
    at += fetch(L, self, a, r, axis + 1, cells, at);
    r[axis].first = n - EDGE;
    at += fetch(L, self, a, r, axis + 1, cells, at);
    return at - from;
  }
  for (int i = 0; i < shown(p, axis); i++) {
    int64_t index = p->shortened[axis] && i >= EDGE ? n - 2 * EDGE + i : i;
    r[axis] = (dc_range){ .first = index, .count = 1, .step = 1, .keep = false };
    at += fetch_parts(L, self, a, p, axis + 1, r, cells, at);
  }
  return at - from;
}

/* What stands between two entries of an axis: rows, and the parts of a long row, begin in new lines. */
static void separate(luaL_Buffer *b, const picture *p, int axis, int i) {
  const bool last = axis == p->g.ndim - 1;
  const int room = p->columns - axis - 1, a_line = room / (p->width + 2) > 1 ? room / (p->width + 2) : 1;
  if (last && i % a_line != 0) {
    luaL_addstring(b, ", ");
    return;
  }
  luaL_addstring(b, ",\n");
  for (int k = 0; k <= axis; k++) luaL_addchar(b, ' ');
}

/* {{1, 2},
**  {3, 4}}, the axes from `axis` on. */
static void print_level(luaL_Buffer *b, picture *p, int axis) {
  if (axis == p->g.ndim) {
    char padded[CELL + 1];
    snprintf(padded, sizeof padded, "%*s", p->width, p->cells + p->next++ * CELL);
    luaL_addstring(b, padded);
    return;
  }
  const bool last = axis == p->g.ndim - 1;
  luaL_addchar(b, '{');
  for (int i = 0; i < shown(p, axis); i++) {
    if (i > 0) separate(b, p, axis, i);
    if (p->shortened[axis] && i == EDGE) {
      luaL_addstring(b, last ? "..., " : "...,\n");
      for (int k = 0; !last && k <= axis; k++) luaL_addchar(b, ' ');
    }
    print_level(b, p, axis + 1);
  }
  luaL_addchar(b, '}');
}

/* "float32 array (3, 4) on cuda:0" on the stack. */
static void push_title(lua_State *L, const dc_array *a) {
  char shape[400];
  lua_pushfstring(L, "%s array %s on %s", dc_dtype_name(dc_array_dtype(a)),
                  dc_geometry_text(dc_array_geometry(a), shape, sizeof shape), dc_array_device(a)->id);
}

/* A 0-d array as Lua writes numbers: floating ones with a point or an exponent. */
static int push_value(lua_State *L, dc_lua *self, dc_array *a) {
  unsigned char element[16];
  char text[CELL];
  dc_error err = DC_ERROR_INIT;
  const dc_dtype dtype = dc_array_dtype(a);
  if (DC_LUA_WORK(self, dc_array_read(a, element, &err)) != 0) return dc_lua_raise(L, &err);
  format_element(dtype, element, text);
  const bool whole = dc_dtype_kind(dtype) == 'f' && text[strspn(text, "-0123456789")] == '\0';
  lua_pushfstring(L, whole ? "%s.0" : "%s", text);
  return 1;
}

int dc_lua_array_tostring(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_array *o = dc_lua_test(L, self, 1, DC_LUA_ARRAY);
  if (!o || !o->a || dc_array_state_of(o->a) == DC_ARRAY_CLOSED) {
    lua_pushliteral(L, "dotcompute.array (closed)");
    return 1;
  }
  dc_array *a = o->a;
  picture p = { .g = *dc_array_geometry(a), .columns = self->columns ? self->columns : 80 };
  dc_range r[DC_MAX_DIMS];
  size_t count = 1;
  luaL_Buffer b;
  dc_lua_materialize(L, self, a);
  if (p.g.ndim == 0) return push_value(L, self, a);
  for (int i = 0; i < p.g.ndim; i++) {
    p.shortened[i] = dc_array_size(a) > WHOLE && p.g.shape[i] > 2 * EDGE + 1;
    if (count <= MOST) count *= (size_t)shown(&p, i);
  }
  lua_settop(L, 1);
  push_title(L, a);                              /* 2 */
  if (count > MOST) {
    lua_pushliteral(L, "\n{...}");
    lua_concat(L, 2);
    return 1;
  }
  char *cells = dc_lua_scratch(L, count * CELL); /* 3 */
  if (count > 0) fetch_parts(L, self, a, &p, 0, r, cells, 0);
  p.cells = cells;
  for (size_t i = 0; i < count; i++) { /* columns line up */
    int n = (int)strlen(cells + i * CELL);
    if (n > p.width) p.width = n;
  }
  luaL_buffinit(L, &b);
  lua_pushvalue(L, 2);
  luaL_addvalue(&b);
  luaL_addchar(&b, '\n');
  if (dc_array_size(a) == 0) luaL_addstring(&b, "{}");
  else print_level(&b, &p, 0);
  luaL_pushresult(&b);
  dc_lua_scratch_free(L, 3);
  return 1;
}

/* "loss: " .. a */
int dc_lua_array_concat(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  for (int i = 1; i <= 2; i++) {
    const int type = lua_type(L, i);
    if (type == LUA_TSTRING || type == LUA_TNUMBER || dc_lua_toarray(L, self, i)) continue;
    if (luaL_getmetafield(L, i, "__tostring") == LUA_TNIL)
      return dc_lua_fail(L, DC_ARGUMENT, "'..' joins arrays with strings and numbers, got %s", dc_lua_describe(L, i));
    lua_pop(L, 1);
  }
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}
