/*
** cells.c - whether this Lua keeps its values as cells.h says.
*/
#include "lua/cells.h"

#include <stdlib.h>
#include <string.h>

atomic_bool dc_lua_cells_known;

/* What `look` is called with; from OTHERS on, what must look otherwise. */
enum { INTEGER = 1, FLOAT, FALSE, TRUE, BARE, VALUED, NAME, LIST, GROWN, RECORD, OTHERS };
#define WHOLE 0x123456789abcdef
#define PART (-0.625)
#define NVALUES 3
#define LEN 40

static bool is_integer(const dc_lua_cell *cell, lua_Integer v) {
  return cell->type == DC_CELL_INTEGER && cell->as.integer == v;
}

static bool is_float(const dc_lua_cell *cell, lua_Number v) {
  return cell->type == DC_CELL_FLOAT && cell->as.number == v;
}

static bool is_block(lua_State *L, const dc_lua_cell *cells, int idx, int nvalues) {
  const dc_lua_cell *cell = &cells[idx];
  if (cell->type != DC_CELL_USERDATA) return false;
  const dc_lua_block *block = cell->as.block;
  return block->nvalues == nvalues && block->len == LEN && dc_lua_block_bytes(block, nvalues) == lua_touserdata(L, idx);
}

/* {WHOLE, PART, nil}: room for three, and no more. */
static bool is_list(const dc_lua_cell *cell) {
  if (cell->type != DC_CELL_TABLE) return false;
  const dc_lua_table *t = cell->as.table;
  return t->limit == 3 && is_integer(&t->list[0], WHOLE) && is_float(&t->list[1], PART) &&
         dc_cell_is_nil(&t->list[2]) && dc_table_is_list(t, 2) && dc_table_is_list(t, 3) && !dc_table_is_list(t, 1) &&
         !dc_table_is_list(t, 4);
}

/* Five elements in a list with room for eight, whose length was asked for. */
static bool is_grown(const dc_lua_cell *cell) {
  if (cell->type != DC_CELL_TABLE) return false;
  const dc_lua_table *t = cell->as.table;
  for (int i = 0; i < 5; i++)
    if (!is_integer(&t->list[i], i)) return false;
  return dc_table_is_list(t, 5) && dc_table_is_list(t, 8) && !dc_table_is_list(t, 4) && !dc_table_is_list(t, 9);
}

/* {[NAME] = PART, [PART] = WHOLE, [WHOLE] = false}. */
static bool is_record(const dc_lua_cell *cell, const void *name) {
  if (cell->type != DC_CELL_TABLE) return false;
  const dc_lua_table *t = cell->as.table;
  int names = 0, others = 0;
  for (const dc_lua_node *node = t->nodes, *end = dc_table_last(t); node < end; node++) {
    const uint8_t key = node->of.key_type;
    if (dc_cell_is_nil(&node->cell)) continue;
    if (key == DC_CELL_NAME) names += node->of.key == name && is_float(&node->cell, PART);
    else if (key == DC_CELL_FLOAT) others += is_integer(&node->cell, WHOLE);
    else others += key == DC_CELL_INTEGER && node->cell.type == DC_CELL_FALSE;
  }
  return t->limit == 0 && t->log_nodes == 2 && names == 1 && others == 2 && !dc_table_is_list(t, 0);
}

static int look(lua_State *L) {
  lua_Debug ar;
  if (!lua_getstack(L, 0, &ar)) return 0;
  const dc_lua_thread *thread = (const void *)L;
  if ((const void *)thread->call != (const void *)ar.i_ci) return 0;
  const dc_lua_cell *cells = thread->call->function;
  bool known = dc_lua_ncells(L, cells) == lua_gettop(L) && is_integer(&cells[INTEGER], WHOLE) &&
               is_float(&cells[FLOAT], PART) &&
               cells[FALSE].type == DC_CELL_FALSE && cells[TRUE].type == DC_CELL_TRUE &&
               is_block(L, cells, BARE, 0) && is_block(L, cells, VALUED, NVALUES) &&
               cells[NAME].type == DC_CELL_NAME && cells[NAME].as.object == lua_topointer(L, NAME) &&
               is_list(&cells[LIST]) && is_grown(&cells[GROWN]) && is_record(&cells[RECORD], cells[NAME].as.object);
  for (int i = OTHERS; i <= lua_gettop(L); i++) {
    const uint8_t type = cells[i].type;
    for (int k = INTEGER; k < OTHERS; k++) known = known && type != cells[k].type;
    known = known && dc_cell_is_nil(&cells[i]) == lua_isnil(L, i);
  }
  lua_pushboolean(L, known);
  return 1;
}

/* Where `note` was called from. */
typedef struct calls {
  int n;
  bool known;
  uintptr_t pc[4];
} calls;

static int note(lua_State *L) {
  calls *c = lua_touserdata(L, lua_upvalueindex(1));
  lua_Debug ar;
  if (c->n == 4 || !lua_getstack(L, 1, &ar)) return 0;
  const dc_lua_call *call = (const void *)ar.i_ci;
  lua_getinfo(L, "f", &ar);
  c->known = c->known && call->function->type == DC_CELL_FUNCTION && call->function->as.object == lua_topointer(L, -1);
  c->pc[c->n++] = (uintptr_t)call->pc;
  return 0;
}

/* Whether calls are known by where they stand in their function's code. */
static bool find_calls(lua_State *L) {
  static const char script[] = "local note = ... note() note() for _ = 1, 2 do note() end";
  const int at = lua_gettop(L) + 1;
  if (luaL_loadbufferx(L, script, sizeof script - 1, "=dotcompute", "t") != LUA_OK) {
    lua_settop(L, at - 1);
    return false;
  }
  calls *c = lua_newuserdatauv(L, sizeof *c, 0);
  *c = (calls){ .known = true };
  lua_pushcclosure(L, note, 1);
  const bool all = lua_pcall(L, 1, 0, 0) == LUA_OK && c->known && c->n == 4;
  const bool known = all && c->pc[0] < c->pc[1] && c->pc[1] < c->pc[2] && c->pc[2] == c->pc[3] &&
                     c->pc[2] - c->pc[0] < 4 * sizeof script;
  lua_settop(L, at - 1);
  return known;
}

static void push_tables(lua_State *L, int name) {
  lua_createtable(L, 3, 0); /* LIST */
  lua_pushinteger(L, WHOLE);
  lua_rawseti(L, -2, 1);
  lua_pushnumber(L, PART);
  lua_rawseti(L, -2, 2);
  lua_createtable(L, 8, 0); /* GROWN */
  for (int i = 0; i < 5; i++) {
    lua_pushinteger(L, i);
    lua_rawseti(L, -2, i + 1);
  }
  (void)lua_rawlen(L, -1); /* keeps the 5 in the list's limit */
  lua_createtable(L, 0, 3); /* RECORD */
  lua_pushvalue(L, name);
  lua_pushnumber(L, PART);
  lua_rawset(L, -3);
  lua_pushnumber(L, PART);
  lua_pushinteger(L, WHOLE);
  lua_rawset(L, -3);
  lua_pushboolean(L, 0);
  lua_rawseti(L, -2, WHOLE);
}

void dc_lua_open_cells(lua_State *L) {
  const char *wanted = getenv("DOTCOMPUTE_CELLS");
  char text[41];
  if (atomic_load(&dc_lua_cells_known)) return; /* another state of the same Lua */
  if (lua_version(L) != 504 || sizeof(dc_lua_cell) != 16 || (wanted && strcmp(wanted, "off") == 0)) return;
  memset(text, 'x', sizeof text);
  luaL_checkstack(L, OTHERS + 16, NULL);
  const int at = lua_gettop(L) + 1;
  lua_pushcfunction(L, look);
  lua_pushinteger(L, WHOLE);
  lua_pushnumber(L, PART);
  lua_pushboolean(L, 0);
  lua_pushboolean(L, 1);
  lua_newuserdatauv(L, LEN, 0);
  lua_newuserdatauv(L, LEN, NVALUES);
  lua_pushlstring(L, text, sizeof text - 1);
  push_tables(L, at + NAME);
  lua_pushlstring(L, text, sizeof text); /* OTHERS */
  lua_pushnil(L);
  lua_pushlightuserdata(L, text);
  lua_pushcfunction(L, look);
  lua_pushcclosure(L, look, 1);
  lua_call(L, lua_gettop(L) - at, 1);
  const bool known = lua_toboolean(L, -1);
  lua_settop(L, at - 1);
  atomic_store(&dc_lua_cells_known, known && find_calls(L));
}
