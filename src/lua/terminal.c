/*
** terminal.c - see terminal.h.
**
** libchafa's interface has GLib's types, of which only the first two fields of a GString are read here; numbers of its
** enumerations are those of libchafa.so.0.
*/
#include "lua/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/library.h"
#include "lua/error.h"

enum { SYMBOLS, SIXELS };                 /* ChafaPixelMode */
enum { TRUECOLOUR, COLOURS_256 };         /* ChafaCanvasMode */
enum { RGB8 = 8 };                        /* ChafaPixelType */

typedef struct text { /* the beginning of GString */
  char *bytes;
  size_t n;
} text;

static struct {
  void *(*config_new)(void);
  void (*config_unref)(void *config);
  void (*set_geometry)(void *config, int columns, int lines);
  void (*set_cell_geometry)(void *config, int width, int height);
  void (*set_canvas_mode)(void *config, int mode);
  void (*set_pixel_mode)(void *config, int mode);
  void *(*canvas_new)(const void *config);
  void (*canvas_unref)(void *canvas);
  void (*draw)(void *canvas, int type, const uint8_t *pixels, int width, int height, int stride);
  text *(*print)(void *canvas, void *terminal);
  void (*set_threads)(int n);
  char *(*text_free)(text *t, int bytes_too); /* GLib's */
} lib;

static int need(dc_error *err) {
  static const char *const names[] = { "libchafa.so.0", NULL };
  static const dc_library_function functions[] = {
    { &lib.config_new, "chafa_canvas_config_new" },
    { &lib.config_unref, "chafa_canvas_config_unref" },
    { &lib.set_geometry, "chafa_canvas_config_set_geometry" },
    { &lib.set_cell_geometry, "chafa_canvas_config_set_cell_geometry" },
    { &lib.set_canvas_mode, "chafa_canvas_config_set_canvas_mode" },
    { &lib.set_pixel_mode, "chafa_canvas_config_set_pixel_mode" },
    { &lib.canvas_new, "chafa_canvas_new" },
    { &lib.canvas_unref, "chafa_canvas_unref" },
    { &lib.draw, "chafa_canvas_draw_all_pixels" },
    { &lib.print, "chafa_canvas_print" },
    { &lib.set_threads, "chafa_set_n_threads" },
    { &lib.text_free, "g_string_free" },
    { NULL, NULL },
  };
  static dc_library_table chafa = DC_LIBRARY_TABLE("DOTCOMPUTE_CHAFA", names, functions);
  return dc_library_need(&chafa, "libchafa cannot be loaded (Debian: libchafa0)", err);
}

/* As characters with colours: columns x lines of them; as sixels: columns x lines pixels. NULL: out of memory. */
static text *print(const uint8_t *rgb, int width, int height, int columns, int lines, bool sixels, bool true_colour) {
  void *config = lib.config_new();
  lib.set_threads(1); /* no thread remains */
  lib.set_geometry(config, columns, lines);
  lib.set_canvas_mode(config, true_colour || sixels ? TRUECOLOUR : COLOURS_256);
  lib.set_pixel_mode(config, sixels ? SIXELS : SYMBOLS);
  if (sixels) lib.set_cell_geometry(config, 1, 1);
  void *canvas = lib.canvas_new(config);
  lib.draw(canvas, RGB8, rgb, width, height, 3 * width);
  text *t = lib.print(canvas, NULL);
  lib.canvas_unref(canvas);
  lib.config_unref(config);
  return t;
}

/* An argument that is a size: 1 to 65535. */
static int check_size(lua_State *L, int arg) {
  const lua_Integer n = luaL_checkinteger(L, arg);
  luaL_argcheck(L, n >= 1 && n <= 65535, arg, "1 to 65535 expected");
  return (int)n;
}

/* chafa(rgb, width, height, columns, lines, sixels, true_colour): the text, whose lines have no end; nil and the reason
** where libchafa cannot be used. `rgb`: 3 bytes a pixel. Without arguments: whether it can be. */
static int core_chafa(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  size_t n;
  if (need(&err) != 0) {
    lua_pushnil(L);
    lua_pushstring(L, dc_error_text(&err));
    dc_error_clear(&err);
    return 2;
  }
  if (lua_isnone(L, 1)) {
    lua_pushboolean(L, true);
    return 1;
  }
  const uint8_t *rgb = (const uint8_t *)luaL_checklstring(L, 1, &n);
  const int width = check_size(L, 2), height = check_size(L, 3), columns = check_size(L, 4), lines = check_size(L, 5);
  luaL_argcheck(L, n == (size_t)width * (size_t)height * 3, 1, "3 bytes a pixel expected");
  text *t = print(rgb, width, height, columns, lines, lua_toboolean(L, 6), lua_toboolean(L, 7));
  if (t == NULL) return luaL_error(L, "libchafa made no text");
  lua_pushlstring(L, t->bytes, t->n); /* what an error of no memory here would leak is small */
  lib.text_free(t, true);
  return 1;
}

/* terminal(): columns, lines, and the width and height in pixels (0: unknown) of the terminal that is standard output;
** nothing when it is none. */
static int core_terminal(lua_State *L) {
  struct winsize size = { 0 };
  if (!isatty(STDOUT_FILENO)) return 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = (struct winsize){ 0 };
  lua_pushinteger(L, size.ws_col > 0 ? size.ws_col : 80);
  lua_pushinteger(L, size.ws_row > 0 ? size.ws_row : 24);
  lua_pushinteger(L, size.ws_xpixel);
  lua_pushinteger(L, size.ws_ypixel);
  return 4;
}

const luaL_Reg dc_lua_terminal_internal[] = {
  { "chafa", core_chafa },
  { "terminal", core_terminal },
  { NULL, NULL },
};
