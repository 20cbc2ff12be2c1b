/*
** cells.h - the arguments of a call, read where Lua keeps them.
**
** A launch of four arguments takes a dozen calls to ask Lua for them, and that is a third of what it costs: each is
** another line of code or two that the driver has thrown out of the processor's cache.  So a function that is called
** very often asks where its stack is, once, and reads there what is as usual; all else it leaves to Lua's functions.
** How values lie there is the same in every Lua 5.4 so far (5.4.8), but nobody promised it: it is looked at when
** the core is opened (cells.c), and where it is not so, everything goes through Lua's functions.
*/
#ifndef DC_LUA_CELLS_H
#define DC_LUA_CELLS_H

#include <stdatomic.h>

#include "lua/lib.h"

/* What a userdata begins with. */
typedef struct dc_lua_block {
  void *next;
  uint8_t type, marked;
  uint16_t nvalues; /* user values, which lie between this and its bytes */
  size_t len;       /* its bytes */
  void *metatable;
} dc_lua_block;

/* A value: in a place of the stack, in a table. */
typedef struct dc_lua_cell {
  union {
    lua_Integer integer;
    lua_Number number;
    const dc_lua_block *block;
    const struct dc_lua_table *table;
    const void *object; /* any of these, or a string: what lua_topointer gives */
  } as;
  uint8_t type;
} dc_lua_cell;

/* A table's entry whose key is no place in its list. */
typedef union dc_lua_node {
  dc_lua_cell cell;
  struct {
    uint8_t value[9], key_type;
    int32_t next;
    const void *key;
  } of;
} dc_lua_node;

typedef struct dc_lua_table {
  void *next;
  uint8_t type, marked;
  uint8_t flags;     /* 0x80: `limit` is less than what the list has room for, which is the next power of two */
  uint8_t log_nodes; /* nodes there are two to the power of that, used or not */
  uint32_t limit;    /* of the list: elements 1 to limit */
  const dc_lua_cell *list;
  const dc_lua_node *nodes;
} dc_lua_table;

/* A running function. */
typedef struct dc_lua_call {
  const dc_lua_cell *function;
  const void *top, *previous, *next;
  const void *pc; /* of a Lua function that has called another one: the instruction behind */
} dc_lua_call;

/* What a lua_State begins with. */
typedef struct dc_lua_thread {
  void *next;
  uint8_t type, marked, status, hooks;
  uint16_t ncalls;
  const dc_lua_cell *top; /* behind what is on the stack */
  void *global;
  const dc_lua_call *call; /* what is running */
} dc_lua_thread;

/* The types that are read so. */
enum {
  DC_CELL_FALSE = 0x01,
  DC_CELL_INTEGER = 0x03,
  DC_CELL_TRUE = 0x11,
  DC_CELL_FLOAT = 0x13,
  DC_CELL_NAME = 0x44, /* a string of at most 40 bytes: equal ones are the same one */
  DC_CELL_TABLE = 0x45,
  DC_CELL_FUNCTION = 0x46, /* of Lua's, not of C's */
  DC_CELL_USERDATA = 0x47
};
static inline bool dc_cell_is_nil(const dc_lua_cell *cell) { return (cell->type & 0x0f) == 0; }

/* Whether this Lua's values lie so; false with DOTCOMPUTE_CELLS=off, for the specs. */
extern atomic_bool dc_lua_cells_known;
void dc_lua_open_cells(lua_State *L);

/* The running C function's stack: argument i is [i].  NULL: not known.  It is moved by whatever makes the stack larger,
** lua_checkstack and calls of Lua functions, or smaller: the collector, so every function of Lua's that allocates. */
static inline const dc_lua_cell *dc_lua_cells(const lua_State *L) {
  if (DC_UNLIKELY(!atomic_load_explicit(&dc_lua_cells_known, memory_order_relaxed))) return NULL;
  return ((const dc_lua_thread *)(const void *)L)->call->function;
}
/* lua_gettop; `stack` is that. */
static inline int dc_lua_ncells(lua_State *L, const dc_lua_cell *stack) {
  if (DC_UNLIKELY(stack == NULL)) return lua_gettop(L);
  return (int)(((const dc_lua_thread *)(const void *)L)->top - stack) - 1;
}

/* Of what lua_getstack gave, a running function that has called another one: where in its code, and in *function the
** function's address (lua_topointer).  NULL: it is no Lua function, or not known. */
static inline const void *dc_lua_call_pc(const lua_Debug *ar, const void **function) {
  const dc_lua_call *call = (const void *)ar->i_ci;
  if (!atomic_load_explicit(&dc_lua_cells_known, memory_order_relaxed)) return NULL;
  if (call->function->type != DC_CELL_FUNCTION) return NULL;
  *function = call->function->as.object;
  return call->pc;
}

/* Where the bytes are, as lua_touserdata gives. */
static inline char *dc_lua_block_bytes(const dc_lua_block *block, int nvalues) {
  const size_t header = sizeof *block + (nvalues ? sizeof(void *) : 0); /* those with values have one more field */
  return (char *)(uintptr_t)block + header + (size_t)nvalues * 2 * sizeof(void *);
}

/* dc_lua_test of a cell, for a type whose objects are all of that size and have so many user values. */
static inline void *dc_cell_test(const dc_lua_cell *cell, const dc_lua *self, int slot, size_t size, int nvalues) {
  if (DC_UNLIKELY(cell->type != DC_CELL_USERDATA)) return NULL;
  const dc_lua_block *block = cell->as.block;
  const size_t before = (size + 7) / 8 * 8; /* as dc_lua_new_of */
  if (DC_UNLIKELY(block->len != before + sizeof(dc_lua_tag) || block->nvalues != nvalues)) return NULL;
  char *p = dc_lua_block_bytes(block, nvalues);
  const dc_lua_tag *tag = (const void *)(p + before);
  return DC_LIKELY(tag->owner == self && tag->slot == (uintptr_t)slot) ? p : NULL;
}

static inline dc_lua_array *dc_cell_array(const dc_lua_cell *cell, const dc_lua *self) {
  return dc_cell_test(cell, self, DC_LUA_ARRAY, sizeof(dc_lua_array), 0);
}

/* A float, or an integer as one. */
static inline bool dc_cell_number(const dc_lua_cell *cell, lua_Number *v) {
  if (DC_LIKELY(cell->type == DC_CELL_FLOAT)) *v = cell->as.number;
  else if (cell->type == DC_CELL_INTEGER) *v = (lua_Number)cell->as.integer;
  else return false;
  return true;
}

static inline const dc_lua_node *dc_table_last(const dc_lua_table *t) {
  return t->nodes + ((size_t)1 << t->log_nodes); /* behind it */
}

/* Whether the table has at most the elements 1 to n, for which its list has room; false perhaps if so, when it was
** filled in some unusual order, or once had many more: to look through all that room would take long. */
static inline bool dc_table_is_list(const dc_lua_table *t, size_t n) {
  size_t room = t->limit;
  if (DC_UNLIKELY(t->flags & 0x80)) while (room & (room - 1)) room += room & -room;
  if (room < n || room - n > n + 32 || t->log_nodes != 0 || !dc_cell_is_nil(&t->nodes->cell)) return false;
  for (size_t i = n; i < room; i++)
    if (!dc_cell_is_nil(&t->list[i])) return false;
  return true;
}

#endif
